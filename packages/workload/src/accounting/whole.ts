import { isFollower, type JobSource, type JobSpec } from '@sched/core'
import type * as z from '@sched/bundled/zod'
import { checkText, eachLine } from '../rigid/each-line.js'
import { inferSize, machineOf, resourcesOfMachine, type Size, type Sizes } from '../rigid/machine.js'
import { recordedStart, recordedUse } from '../rigid/recorded-use.js'
import type { RigidResource } from '../rigid/resources.js'
import { moved } from '../moved-job.js'
import { BadLines, noJobs } from '../trace/bad-lines.js'
import { ruleLine } from '../trace/facts.js'
import type { PartsReading, ReadOptions, Trace } from '../trace/format.js'
import { accountingResources, accountingSizes, type AccountingRules } from './options.js'
import { AccountingJobs } from './jobs.js'
import { joining, type AccountingRecord, type AccountingTable, type JoinsJobs, type RecordReader } from './records.js'

/**
 * Reads the records of one or more files, whole or in pieces. All jobs are made at once and sorted by submit time; equal times keep the order of the
 * records, and times count from the first job. Throws `BAD_INPUT` with file, line and field.
 */
export class WholeAccounting<S extends z.ZodType<AccountingRules>> implements PartsReading {
  readonly #made: AccountingJobs
  readonly #lines: RecordReader
  readonly #joined: JoinsJobs
  readonly #bad: BadLines
  readonly #place: { file: string | undefined; line: number; readonly counted: 'line' | 'row'; readonly checked: false }
  readonly #jobs: JobSpec[] = []
  #unsorted = 0
  #count = 0
  /** Whether nothing has been read yet. */
  #isNew = true
  /** Number of lines in the earlier pieces of the file. */
  #before = 0

  /** `header`: size of the machine from the file. */
  constructor(
    private readonly table: AccountingTable<S>,
    private readonly options: z.output<S>,
    private readonly header: Sizes,
    { onBadLine = 'fail', counted = 'line' }: ReadOptions,
  ) {
    this.#made = new AccountingJobs(options, table.gpusIn, table.follows?.(options), header)
    this.#bad = new BadLines(onBadLine)
    this.#place = { file: undefined, line: 0, counted, checked: false }
    this.#lines = table.reader(this.#place, options, true)
    this.#joined = joining(table, options)
  }

  add(bytes: Uint8Array, file: string | undefined): void {
    const place = this.#place
    if (this.#isNew || file !== place.file) {
      checkText(bytes, file)
      this.#before = place.counted === 'row' ? -1 : 0 // the header is not a row
    }
    this.#isNew = false
    place.file = file
    const before = this.#before
    const take = (record: AccountingRecord | 'step') => this.#take(record)
    const visit = (line: number, from: number, to: number) => {
      place.line = before + line
      this.#excuse(() => this.#lines.line(bytes, from, to, take))
    }
    const lines = eachLine(bytes, { visit })
    this.#before += lines
    this.#count += before < 0 ? lines + before : lines
  }

  trace(name: string | undefined): Trace {
    this.#excuse(() => this.#lines.end?.((record) => this.#take(record)))
    for (const job of this.#joined.end()) this.#add(job)
    this.#made.throttle(this.#jobs, this.#lines.throttles?.() ?? new Map())
    const found = [...this.#made.rules(), ...(this.#lines.rules?.() ?? []), ...this.#joined.rules()]
    const jobs = this.#jobs
    if (jobs.length === 0) throw this.#bad.allBad(this.#place) ?? noJobs(found, name)
    if (this.#unsorted > 0) jobs.sort((a, b) => a.submit - b.submit)
    const origin = jobs[0]!.submit
    const { machine, notes } = sized(jobs, this.options, this.header, this.#made.startsBehind)
    const rules = [...found, ...(this.#unsorted === 0 ? [] : [{ rule: 'sorted', jobs: this.#unsorted, text: 'submitted before one above: sorted' }])]
    const { skipped, problems } = this.#bad
    const counted = this.#place.counted === 'row' ? { counted: 'row' as const } : {}
    return {
      name: name ?? this.table.name,
      format: this.table.name,
      jobs: jobs.length,
      chained: this.options.dependencies === 'keep',
      machine,
      start: origin,
      report: { lines: this.#count, ...counted, skipped, problems, jobs: jobs.length, rules, notes: [...notes, ...rules.map(ruleLine)] },
      open: () => from(jobs, origin),
    }
  }

  #take(record: AccountingRecord | 'step'): void {
    const job = this.#made.job(record)
    if (job !== undefined && record !== 'step') for (const each of this.#joined.take(job, record.submit)) this.#add(each)
  }

  #add(job: JobSpec): void {
    if (this.#jobs.length > 0 && job.submit < this.#jobs.at(-1)!.submit) this.#unsorted++
    this.#jobs.push(job)
  }

  #excuse(read: () => void): void {
    try {
      read()
    } catch (error) {
      this.#bad.excuse(error, this.#place)
    }
  }
}

function from(jobs: readonly JobSpec[], origin: number): JobSource {
  let next = 0
  return {
    next() {
      const job = jobs[next++]
      return job && moved(job, job.submit - origin)
    },
  }
}

/**
 * The machine of a log. Sizes that neither the options nor the file tell are inferred from the jobs. `behind`: start times of jobs that wait for
 * others; their recorded waits do not count from their submission.
 */
function sized(jobs: readonly JobSpec[], options: AccountingRules, header: Sizes, behind: ReadonlyMap<string, number>) {
  const startOf = (job: JobSpec) => (isFollower(job) ? (behind.get(job.id) ?? NaN) : recordedStart(job))
  const sizes: { [R in RigidResource]?: Size | undefined } = { ...accountingSizes(options, header) } satisfies Sizes
  const notes: string[] = []
  const useOf = (resource: RigidResource) => recordedUse(jobs, resource, startOf)
  const resources = resourcesOfMachine(accountingResources(options), sizes, useOf)
  for (const resource of resources) {
    if (sizes[resource] !== undefined) continue
    const inferred = (sizes[resource] = inferSize(resource, useOf(resource)))
    notes.push(`${resource} of the machine: ${inferred.amount}, ${inferred.origin}`)
  }
  return { machine: machineOf(resources, sizes, options.tasks)!, notes }
}
