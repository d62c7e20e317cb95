/** A setting as written: a line of a slurm.conf or spark-defaults.conf, or a property of a Hadoop configuration file. */
export interface Setting {
  readonly name: string
  readonly value: string
  readonly file: string
  /** 1-based. */
  readonly line: number
}

/** What a setting was read as, with its place. */
export interface Given<T> {
  readonly value: T
  readonly line: number
  readonly text: string
}
