import { SchedError } from '@sched/core'
import { binaryKind } from '@sched/workload'
import { parquetAsText, readBytes } from '@sched/workload/node'
import type { SourceText } from '@sched/queue-files'
import { existsSync } from 'node:fs'
import { basename, dirname, isAbsolute, join, resolve } from 'node:path'

/** As `readText`, and the CSV that a table in Parquet would be. */
export const readTable = async (file: string): Promise<string> => (await parquetAsText(file)) ?? readText(file)

/**
 * A file of text with those that it includes: relative paths are from its folder, and what an absolute one has not is looked for there by its name, since files of a
 * cluster are mostly read elsewhere. Paths are relative to `directory`; messages name files as they were written.
 */
export function sourceOf(file: string, directory: string, text = readText(resolve(directory, file))): SourceText {
  const include = (path: string): SourceText | undefined => {
    const places = isAbsolute(path) ? [path, join(dirname(file), basename(path))] : [join(dirname(file), path)]
    const found = places.find((each) => existsSync(resolve(directory, each)))
    return found === undefined ? undefined : sourceOf(found, directory)
  }
  return { file, text, include }
}

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
