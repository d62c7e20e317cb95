import { describeIssues, fieldOf, SchedError, type JobSpec } from '@sched/core'
import * as z from '@sched/bundled/zod'
import { factsOf, type TraceFacts } from '../trace/facts.js'
import { BadLine, type LineParser, type LinePlace, type TraceFormat } from '../trace/format.js'
import { checkJob } from './check-job.js'
import { headerSchema, nativeFormat, nativeVersion } from './schema.js'

const noOptions = z.strictObject({})

/**
 * The native format of this project: JSON Lines in UTF-8. The first line is a header, every other line a `JobSpec`, in order of submission. Its
 * schema is published as `schema/workload.schema.json`.
 */
export const native: TraceFormat<typeof noOptions> = {
  name: nativeFormat,
  summary: `native workload (JSON Lines, version ${nativeVersion})`,
  options: noOptions,
  chained: () => true,
  facts: (_, head) => factsOfHeader(head),
  detect: (head) => /^\s*\{[^\n]*"format"\s*:\s*"sched-workload"/.test(head),
  create: (_, place) => new NativeParser(place),
}

/** Facts in the first line; empty if it cannot be read, since the parser reports that. */
function factsOfHeader(head: Uint8Array): TraceFacts {
  const end = head.indexOf(10)
  try {
    return factsOf(headerSchema.parse(JSON.parse(new TextDecoder().decode(head.subarray(0, end === -1 ? head.length : end)))))
  } catch {
    return {}
  }
}

class NativeParser implements LineParser {
  readonly #utf8 = new TextDecoder('utf-8', { fatal: true })
  #header: z.output<typeof headerSchema> | undefined
  #jobs = 0

  constructor(private readonly place: LinePlace) {}

  line(bytes: Uint8Array, from: number, to: number): JobSpec | undefined {
    if (this.#header === undefined) {
      this.#header = this.#readHeader(bytes.subarray(from, to))
      return undefined
    }
    this.#jobs++
    const value = this.#json(bytes.subarray(from, to))
    return this.place.checked ? (value as JobSpec) : checkJob(value)
  }

  end(): void {
    const announced = this.#header?.jobs
    if (announced !== undefined && announced !== this.#jobs)
      throw new BadLine('jobs', `the header announces ${announced} jobs, ${this.#jobs} lines follow.`, 'Was the file cut short? Copy it again')
  }

  #json(line: Uint8Array): unknown {
    let text: string
    try {
      text = this.#utf8.decode(line)
    } catch {
      throw new BadLine(undefined, 'is not UTF-8.', 'Save the file as UTF-8')
    }
    try {
      return JSON.parse(text)
    } catch {
      const end = text.length <= 40 ? text : `...${text.slice(-37)}`
      const cut = text.trimEnd().endsWith('}') ? '' : ' The line may have been cut short.'
      throw new BadLine(undefined, `is not JSON; it ends in ${JSON.stringify(end)}.${cut}`)
    }
  }

  #readHeader(line: Uint8Array): z.output<typeof headerSchema> {
    const where = { file: this.place.file, line: this.place.line }
    try {
      const value = this.#json(line)
      const read = headerSchema.safeParse(value)
      if (read.success) return read.data
      const { at, fact, wayOut } = describeIssues(headerSchema, value, read.error.issues)
      throw new BadLine(fieldOf(at), fact, wayOut)
    } catch (error) {
      if (!(error instanceof BadLine)) throw error
      const expected = `The first line has to be a header such as {"format":"${nativeFormat}","version":${nativeVersion}}.`
      throw new SchedError('BAD_INPUT', error.fact, { ...where, field: error.field }, `${error.wayOut} ${expected}`.trim())
    }
  }
}
