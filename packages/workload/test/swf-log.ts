import type { JobSpec } from '@sched/core'
import { jobsOf, parseSwf, type SwfOptions } from '../src/index.js'
import { swfFormat } from '../src/swf/format.js'
import { LineDecoder } from '../src/trace/line-decoder.js'
import { bytesOf } from './reading.js'

/** The 18 fields of a line. */
export const fieldOrder = [
  'job', 'submit', 'wait', 'runtime', 'allocated', 'cpu', 'usedMemory', 'requested', 'time', 'memory', 'status', 'user', 'group', 'application',
  'queue', 'partition', 'preceding', 'think',
] as const
export type Row = Partial<Record<(typeof fieldOrder)[number], number | string>>

/** A line of a job that ran 100 s of its 200 s on 4 processors, changed in some fields. */
export const row = (change: Row = {}): string => {
  const usual: Row = { job: 1, submit: 0, wait: 5, runtime: 100, allocated: 4, requested: 4, time: 200, status: 1, user: 7, group: 3, queue: 2 }
  return fieldOrder.map((field) => change[field] ?? usual[field] ?? -1).join(' ')
}
/** The header of a machine of 8 processors on 4 nodes. */
export const header = '; Version: 2.2\n; MaxNodes: 4\n; MaxProcs: 8\n;\n'
export const read = (text: string, options: SwfOptions = {}) => parseSwf(bytesOf(text), { file: 'a.swf', ...options })
export const jobs = (text: string, options?: SwfOptions) => [...jobsOf(read(text, options))]
export const first = (change: Row, options?: SwfOptions) => jobs(`${header}${row(change)}\n`, options)[0]!
export const runtimeOf = (job: JobSpec): JobSpec['stages'][number]['duration'] => job.stages[0]!.duration
export const ruleNotes = (text: string, options?: SwfOptions) => read(text, options).report.notes

/** The same jobs read as a stream, in chunks that end anywhere. */
export function streamed(text: string, chunk: number, options: object = {}): JobSpec[] {
  const checked = swfFormat.options.parse(options)
  const decoder = new LineDecoder((place) => swfFormat.create(checked, place), { file: 'a.swf' })
  const bytes = bytesOf(text)
  const found: JobSpec[] = []
  const drain = () => {
    for (let job = decoder.next(); job !== undefined; job = decoder.next()) found.push(job)
  }
  for (let at = 0; at < bytes.length; at += chunk) {
    decoder.push(bytes.slice(at, at + chunk))
    drain()
  }
  decoder.end()
  drain()
  return found
}
