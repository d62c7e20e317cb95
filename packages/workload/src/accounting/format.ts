import type { JobSpec } from '@sched/core'
import type * as z from '@sched/bundled/zod'
import { moved } from '../moved-job.js'
import { heldParser } from '../table/held-jobs.js'
import { BadLine, type LineParser, type LinePlace, type TraceFormat } from '../trace/format.js'
import { ruleLine, type RuleCount } from '../trace/facts.js'
import { machineOf } from '../rigid/machine.js'
import { accountingResources, accountingSizes, type AccountingRules } from './options.js'
import { AccountingJobs } from './jobs.js'
import { joining, type AccountingRecord, type AccountingTable } from './records.js'
import { WholeAccounting } from './whole.js'

type Schema = z.ZodType<AccountingRules>

/** A trace format for the job records of a resource manager. Times count from the first submission. */
export function accountingFormat<S extends Schema>(table: AccountingTable<S>): TraceFormat<S> {
  const { name, summary, source, detect, options: schema, sizes = () => ({}), isByEnd = false, isOfFiles = isByEnd } = table
  return {
    name,
    summary,
    ...(source !== undefined && { source }),
    options: schema,
    detect,
    chained: ({ dependencies }) => dependencies === 'keep',

    facts(options, head) {
      const machine = machineOf(accountingResources(options), accountingSizes(options, sizes(head)), options.tasks)
      return machine === undefined ? {} : { machine }
    },

    readWhole: (bytes, options, reading) => new WholeAccounting(table, options, sizes(bytes), reading),

    ...(isOfFiles && { isHistory: true, isStreamed: !isByEnd, readParts: (options, reading) => new WholeAccounting(table, options, {}, reading) }),

    create: (options, place) => (isByEnd ? sortingParser(table, options, place) : orderedParser(table, options, place)),
  }
}

/** Yields jobs in the order of their records, which must be the order of submission. */
function orderedParser<S extends Schema>(table: AccountingTable<S>, options: z.output<S>, place: LinePlace): LineParser {
  const { reader, gpusIn, follows } = table
  const lines = reader(place, options, false)
  const joined = joining(table, options)
  const jobs = new AccountingJobs(options, gpusIn, follows?.(options))
  let first = NaN
  let latest = -Infinity
  const waiting: JobSpec[] = []
  const take = (record: AccountingRecord | 'step') => {
    const job = jobs.job(record)
    if (job !== undefined && record !== 'step') for (const each of joined.take(job, record.submit)) give(each)
  }
  const give = (job: JobSpec) => {
    if (job.submit < latest)
      throw new BadLine('submit', 'submitted before the job above it.',
        'Hold the table in memory (stream: false), where it is sorted, or sort its lines by submit time')
    if (Number.isNaN(first)) first = job.submit
    latest = job.submit
    waiting.push(moved(job, job.submit - first))
  }
  return {
    line(bytes, from, to) {
      lines.line(bytes, from, to, take)
      waiting.reverse()
      return waiting.pop()
    },
    end() {
      lines.end?.(take)
      for (const job of joined.end()) give(job)
      waiting.reverse()
    },
    more: () => waiting.pop(),
    report() {
      const rules: RuleCount[] = [...jobs.rules(), ...(lines.rules?.() ?? []), ...joined.rules()]
      return { rules, notes: rules.map(ruleLine) }
    },
  }
}

/** Holds all jobs until the end, because the records are in the order in which jobs ended. */
function sortingParser<S extends Schema>({ reader, gpusIn, follows }: AccountingTable<S>, options: z.output<S>, place: LinePlace): LineParser {
  const lines = reader(place, options, true)
  const jobs = new AccountingJobs(options, gpusIn, follows?.(options))
  const found: JobSpec[] = []
  const take = (record: AccountingRecord | 'step') => {
    const job = jobs.job(record)
    if (job !== undefined) found.push(job)
  }
  const more = () => found.shift()
  const job = (bytes: Uint8Array, from: number, to: number) => {
    lines.line(bytes, from, to, take)
    return more()
  }
  const end = () => {
    lines.end?.(take)
    return more()
  }
  return heldParser({ job, more, end, rules: () => [...jobs.rules(), ...(lines.rules?.() ?? [])] }, place, 'first')
}
