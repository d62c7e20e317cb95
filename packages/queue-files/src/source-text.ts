import { SchedError } from '@sched/core'

/** The text of a file, with the name that messages give it. */
export interface SourceText {
  /** Name of the file, for messages. */
  readonly file: string
  /** The whole text of the file. */
  readonly text: string
  /** Finds a file that this one includes, by the path written in it; `undefined` if there is no such file. Absent: no file can be included. */
  readonly include?: ((path: string) => SourceText | undefined) | undefined
}

/** The lines of a text, without a byte order mark and the ends of lines. */
export const linesOf = (text: string): string[] => text.replace(/^\uFEFF/, '').split(/\r?\n/)

/**
 * The file that a line includes. `around`: names of the files that include this one, outermost first. Throws `BAD_INPUT` with the line if the file is
 * missing or includes itself.
 */
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
