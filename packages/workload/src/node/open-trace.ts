import type { JobSource } from '@sched/core'
import { basename } from 'node:path'
import type { Trace } from '../trace/format.js'
import { decoderFor, parseTrace, reportOf, type ParseOptions } from '../trace/parse-trace.js'
import { detectFormatOf } from '../trace/formats.js'
import { chunksOf, type NextChunk } from './chunks.js'
import { isPacked, readBytes, readHead, statFile } from './read-bytes.js'
import type { LineDecoder } from '../trace/line-decoder.js'

const MIB = 2 ** 20

/** How a trace file is to be read. */
export interface OpenOptions extends Omit<ParseOptions, 'file'> {
  /**
   * Whether to read the file in chunks while jobs are taken from it (`JobSource.more`), in constant memory, or to hold it
   * in memory and check all of it before the first job. Default: streamed from 64 MiB on (packed: 8 MiB); logs and tables that
   * are sorted in memory, or say there what machine they are of, from 512 MiB on (packed: 32 MiB).
   */
  readonly stream?: boolean | undefined
}

/**
 * A trace from a file, plain or gzip (told by its content). Throws `IO` for a file that cannot be read, `BAD_INPUT` with
 * file, line and field, `BAD_OPTION`. A streamed trace throws them when it gets there.
 */
export function openTrace(path: string, { stream, ...options }: OpenOptions = {}): Trace {
  const facts = statFile(path)
  const named = { ...options, file: path }
  // a pipe can be read once only, so it is always held
  const held = !facts.isFile() || stream === false || (stream === undefined && isSmall(path, facts.size, named))
  const trace = held ? parseTrace(readBytes(path), named) : streamTrace(path, named)
  return { ...trace, name: basename(path), get report() { return trace.report } }
}

/** The name of the format of a file, by its content. Throws `IO`, and `BAD_INPUT` saying what it looks like instead. */
export function detectFormat(path: string): string {
  statFile(path)
  return detectFormatOf(readHead(path), path).name
}

/** Whether a file is held in memory where nobody says how it is read. */
function isSmall(path: string, size: number, options: ParseOptions): boolean {
  const packed = isPacked(path)
  if (size < (packed ? 8 : 64) * MIB) return true
  const { format, readWhole } = decoderFor(readHead(path), options)
  return (readWhole !== undefined || format.inferred !== undefined) && size < (packed ? 32 : 512) * MIB
}

function streamTrace(path: string, options: ParseOptions): Trace {
  const head = readHead(path)
  const decoder = decoderFor(head, options)
  let latest = decoder.start()
  return {
    ...decoder.facts(head),
    name: path,
    format: decoder.format.name,
    chained: decoder.chained,
    get report() {
      return reportOf(latest)
    },
    open: () => streamSource((latest = decoder.start()), chunksOf(path)),
  }
}

/** Gives what the decoder has; `more` reads on until it has another job, which is then waiting. */
function streamSource(decoder: LineDecoder, nextChunk: NextChunk): JobSource {
  let waiting: ReturnType<LineDecoder['next']>
  return {
    next() {
      const job = waiting ?? decoder.next()
      waiting = undefined
      return job
    },
    async more() {
      for (waiting ??= decoder.next(); waiting === undefined; waiting = decoder.next()) {
        const chunk = await nextChunk()
        if (chunk !== undefined) decoder.push(chunk)
        else if (decoder.ended) return false
        else decoder.end()
      }
      return true
    },
  }
}
