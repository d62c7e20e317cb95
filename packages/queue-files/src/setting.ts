/** A setting as written: one NAME=VALUE of a slurm.conf, a line of a spark-defaults.conf, or a property of a Hadoop configuration file. */
export interface Setting {
  /** Name as written. */
  readonly name: string
  /** Value as written. */
  readonly value: string
  /** Name of the file, for messages. */
  readonly file: string
  /** Line in the file, 1-based. */
  readonly line: number
}

/** The value of a setting after reading, with its place and its text. */
export interface Given<T> {
  /** The value. */
  readonly value: T
  /** Line in the file, 1-based. */
  readonly line: number
  /** The text as written. */
  readonly text: string
}

/** Values of settings by name, as written; the last of equal names. */
export const asWritten = (settings: Iterable<Pick<Setting, 'name' | 'value'>>): Record<string, string> =>
  Object.fromEntries([...settings].map(({ name, value }) => [name, value]))

/** The parts of a list with commas, without blanks around them and without empty parts. */
export const listed = (value: string): string[] => value.split(',').map((part) => part.trim()).filter((part) => part !== '')
