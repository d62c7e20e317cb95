import { SchedError } from '@sched/core'
import { binaryKind } from '@sched/workload'
import { parquetAsText, readBytes } from '@sched/workload/node'

/** As `readText`, and the CSV that a table in Parquet would be. */
export const readTable = async (file: string): Promise<string> => (await parquetAsText(file)) ?? readText(file)

/** A file of text in UTF-8. Throws `IO` for a file that cannot be read, `BAD_INPUT` for one that is not text. */
export function readText(file: string): string {
  const bytes = readBytes(file)
  const kind = binaryKind(bytes) ?? (bytes.includes(0) ? { what: 'a binary file', wayOut: 'Is it the right file?' } : undefined)
  if (kind !== undefined) throw new SchedError('BAD_INPUT', `is ${kind.what}.`, { file }, kind.wayOut)
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw new SchedError('BAD_INPUT', 'is not text in UTF-8.', { file }, 'Save it as UTF-8.')
  }
}
