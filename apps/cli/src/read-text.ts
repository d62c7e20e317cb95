import { SchedError } from '@sched/core'
import { readBytes } from '@sched/workload/node'

/** A file of text in UTF-8. Throws `IO` for a file that cannot be read, `BAD_INPUT` for one that is not text. */
export function readText(file: string): string {
  const bytes = readBytes(file)
  if (bytes.includes(0)) throw new SchedError('BAD_INPUT', 'is a binary file.', { file }, 'Is it the right file?')
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw new SchedError('BAD_INPUT', 'is not text in UTF-8.', { file }, 'Save it as UTF-8.')
  }
}
