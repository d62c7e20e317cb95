import { SchedError } from '@sched/core'

/** A file as it was read, with the name that messages give it. */
export interface SourceText {
  /** Name of the file, for messages. */
  readonly file: string
  /** All that stands in it. */
  readonly text: string
  /** A file that this one includes, by the path that stands in it; `undefined` where there is none. Without it nothing is included. */
  readonly include?: ((path: string) => SourceText | undefined) | undefined
}

/** The file that a line includes; `around` are those that include this one. Throws `BAD_INPUT` with the line where it is not there, or includes itself. */
export function included({ file, include }: SourceText, path: string, line: number, around: readonly string[]): SourceText {
  const wayOut = 'Put the lines of that file in the place of this one.'
  if (include === undefined) throw new SchedError('BAD_INPUT', `includes ${path}, which is not read.`, { file, line }, wayOut)
  const found = include(path)
  if (found === undefined)
    throw new SchedError(
      'BAD_INPUT',
      `includes ${path}, which is not there.`,
      { file, line },
      'Put that file beside this one, or its lines in the place of this one.',
    )
  if (found.file === file || around.includes(found.file))
    throw new SchedError('BAD_INPUT', `includes ${path}, which includes this file.`, { file, line }, 'Remove the one or the other.')
  return found
}
