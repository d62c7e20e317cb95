/** A setting as written: a line of a slurm.conf or spark-defaults.conf, or a property of a Hadoop configuration file. */
export interface Setting {
  /** As written. */
  readonly name: string
  /** As written. */
  readonly value: string
  /** Name of the file, for messages. */
  readonly file: string
  /** 1-based. */
  readonly line: number
}

/** What a setting was read as, with its place. */
export interface Given<T> {
  /** What it was read as. */
  readonly value: T
  /** 1-based. */
  readonly line: number
  /** As written. */
  readonly text: string
}

/** Settings by name, as they are in the file. */
export const asWritten = (settings: Iterable<Pick<Setting, 'name' | 'value'>>): Record<string, string> =>
  Object.fromEntries([...settings].map(({ name, value }) => [name, value]))

/** The parts of a value that is a list, with commas between them. */
export const listed = (value: string): string[] => value.split(',').map((part) => part.trim()).filter((part) => part !== '')
