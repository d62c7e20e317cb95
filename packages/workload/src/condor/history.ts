import * as z from '@sched/bundled/zod'
import { accountingFormat } from '../accounting/format.js'
import { Names } from '../accounting/names.js'
import { accountingOptions, statusOption, tasksByNode } from '../accounting/options.js'
import type { AccountingRecord, RecordReader, TakeRecord } from '../accounting/records.js'
import { RepeatedIds } from '../accounting/repeated-ids.js'
import { Documents, inObject } from '../json/documents.js'
import { licensesOf, type Licenses } from '../slurm/amounts.js'
import { asText } from '../trace/fields.js'
import type { RuleCount } from '../trace/facts.js'
import { BadLine, type LinePlace, type TraceFormat } from '../trace/format.js'
import { Ad, Ads } from './ads.js'

/** How HTCondor's records become jobs. */
export const condorOptions = z.strictObject({
  ...accountingOptions,
  tasks: tasksByNode('MaxHosts, of the parallel universe'),
  priority: z.enum(['JobPrio', 'none']).default('none').describe('What the priority of a job is: none, or JobPrio, which orders the jobs of one user (policy negotiator). Other policies compare it across users.'),
  queue: z.enum(['account', 'project']).default('account').describe('What names the queue of a job: its accounting group (account) or its ProjectName (project).'),
  status: statusOption(['completed', 'failed', 'cancelled', 'timeout', 'held', 'pending', 'running', 'unknown']),
})

/**
 * Jobs of HTCondor as `condor_history` prints them with `-long` or `-json`, or as its history files hold them (`history`, `history.20240131T...`):
 * ClassAds of jobs that have left the queue. A job runs from its last start (`JobCurrentStartDate`) to its end, without the time that it was
 * suspended. A job that was removed while it did not run counts as one run as long as all its runs together (`RemoteWallClockTime`). Each process of
 * a cluster is a job, called `1234.5`. Jobs of the scheduler and local universes, such as DAGMan, run on the machine where they were submitted and
 * are left out. A request that is an expression over attributes of machines is unknown; then the amount that the job was given counts.
 *
 * Source: HTCondor manual, condor_history and job ClassAd attributes, versions 8 to 24.
 */
export const condorFormat: TraceFormat<typeof condorOptions> = accountingFormat({
  name: 'condor',
  summary: 'job history of HTCondor (condor_history -long or -json)',
  source: 'HTCondor manual, job ClassAd attributes',
  options: condorOptions,
  gpusIn: 'RequestGPUs tells them',
  isByEnd: true,
  detect: (head) => isLong(head) || isJson(head),
  reader: (place, { priority }) => new CondorReader(place, priority === 'JobPrio'),
})

const isLong = (head: string): boolean =>
  /^\s*(?:[A-Za-z_]\w* *= ?[^\n]*|--[^\n]*|\*\*\*[^\n]*)\n/.test(head) && /^ *(?:ClusterId|GlobalJobId) *= *["\d]/im.test(head) && /^ *(?:QDate|JobStatus|JobUniverse) *= *\d/im.test(head)
const isJson = (head: string): boolean => /^\s*[[{]/.test(head) && /"(?:ClusterId|GlobalJobId)"\s*:/.test(head) && /"(?:QDate|JobStatus|JobUniverse)"\s*:\s*\d/.test(head)

const read = [
  'ClusterId', 'ProcId', 'QDate', 'JobStartDate', 'JobCurrentStartDate', 'CompletionDate', 'EnteredCurrentStatus', 'RemoteWallClockTime', 'CumulativeSuspensionTime', 'JobStatus',
  'LastJobStatus', 'JobUniverse', 'NumJobStarts', 'ExitCode', 'ExitStatus', 'ExitBySignal', 'HoldReasonCode', 'AllowedExecuteDuration', 'AllowedJobDuration', 'RequestCpus', 'CpusProvisioned',
  'RequestMemory', 'MemoryProvisioned', 'RequestGPUs', 'GPUsProvisioned', 'MaxHosts', 'JobPrio', 'Owner', 'AcctGroup', 'AcctGroupUser', 'AccountingGroup', 'ProjectName', 'ConcurrencyLimits',
] as const
const NAMES = new Set<string>(read.map((name) => name.toLowerCase()))

const Status = { idle: 1, running: 2, removed: 3, completed: 4, held: 5, transferring: 6, suspended: 7 } as const
const Universe = { scheduler: 7, parallel: 11, local: 12 } as const
/** Hold reasons of jobs that exceeded their allowed time, in total (46) or while executing (47). */
const OVER_TIME: ReadonlySet<number> = new Set([46, 47])

class CondorReader implements RecordReader {
  readonly #ads: Ads
  readonly #documents: Documents
  /** Whether the file holds JSON, as its first line shows. */
  #isJson = false
  #file: string | undefined
  #isNew = true
  readonly #names = new Names()
  readonly #ids = new RepeatedIds('of another queue or run again')
  readonly #counts = { onSubmitter: 0, again: 0 }
  #take: TakeRecord = () => undefined

  constructor(private readonly place: LinePlace, private readonly hasPriorities: boolean) {
    this.#ads = new Ads(place, NAMES)
    this.#documents = new Documents(place)
  }

  line(bytes: Uint8Array, from: number, to: number, take: TakeRecord): void {
    this.#take = take
    if (this.#isNew || this.place.file !== this.#file) this.#isJson = /^\s*[[{]/.test(asText(bytes, from, Math.min(to, from + 80)))
    this.#isNew = false
    this.#file = this.place.file
    if (this.#isJson) this.#documents.line(bytes, from, to, ({ value, line }) => this.#visit(Ad.ofJson(value), line))
    else this.#ads.line(bytes, from, to, this.#visit)
  }

  end(take: TakeRecord): void {
    this.#take = take
    this.#ads.end(this.#visit)
    this.#documents.end()
  }

  rules(): RuleCount[] {
    const { onSubmitter, again } = this.#counts
    return [
      { rule: 'universe', jobs: onSubmitter, text: 'of the scheduler or local universe, which run where they were submitted: left out' },
      { rule: 'rerun', jobs: again, text: 'started more than once: their last run is read, and the others are part of their wait' },
      ...this.#ids.rules(),
    ].filter(({ jobs }) => jobs > 0)
  }

  readonly #visit = (ad: Ad, begin: number): void => {
    try {
      const record = this.#record(ad)
      if (record !== undefined) this.#take(record)
    } catch (error) {
      throw inObject(error, begin, this.place)
    }
  }

  #record(ad: Ad): AccountingRecord | undefined {
    const universe = ad.number('JobUniverse')
    const [cluster, process] = [ad.number('ClusterId'), ad.number('ProcId')]
    if (Number.isNaN(cluster)) throw new BadLine('ClusterId', 'is missing.', 'Print whole ads, with `condor_history -long`')
    if (universe === Universe.scheduler || universe === Universe.local) return void this.#counts.onSubmitter++
    if (ad.number('NumJobStarts') > 1) this.#counts.again++
    const hosts = universe === Universe.parallel ? Math.max(ad.amount('MaxHosts'), 1) : 1
    const each = (amount: number) => (amount > 0 ? amount * hosts : -1)
    const submit = ad.number('QDate')
    const account = this.#name(accountOf(ad))
    return {
      id: this.#ids.distinct(`${cluster}.${Number.isNaN(process) ? 0 : process}`),
      submit: submit > 0 ? submit : NaN,
      ...timesOf(ad),
      limit: ad.amount('AllowedExecuteDuration', 'AllowedJobDuration'),
      requested: each(ad.amount('RequestCpus')),
      allocated: each(ad.amount('CpusProvisioned', 'RequestCpus')),
      nodes: hosts,
      mem: each(ad.roundedUp('RequestMemory', 'MemoryProvisioned')),
      gpus: each(ad.amount('RequestGPUs', 'GPUsProvisioned')),
      licenses: limitsIn(ad.text('ConcurrencyLimits')),
      priority: this.hasPriorities ? ad.number('JobPrio', -Infinity) : NaN,
      state: stateOf(ad),
      user: this.#name(ad.text('Owner')),
      group: '',
      account,
      project: this.#name(ad.text('ProjectName')),
      partition: '',
      qos: '',
    }
  }

  #name(text: string): string {
    return this.#names.of(text)
  }
}

/**
 * Concurrency limits (`xsw:2, matlab`) as licences, which jobs hold in the same way. Names are in small letters, as HTCondor takes them. A count that is missing
 * or not above 0 is 1, as there; a fraction is rounded up.
 */
const limitsIn = (text: string): Licenses | undefined =>
  licensesOf(text.toLowerCase().split(/[\s,]+/).map((limit) => {
    const [name = '', count = ''] = limit.split(':')
    const increment = Number.parseFloat(count)
    return [name, increment > 0 ? Math.ceil(increment) : 1]
  }))

/** Times of the last run; for a job that was removed while it did not run, a run as long as all its runs together. */
function timesOf(ad: Ad): Pick<AccountingRecord, 'start' | 'end' | 'elapsed'> {
  const started = [ad.number('JobCurrentStartDate'), ad.number('JobStartDate')].find((time) => time > 0) ?? NaN
  const status = ad.number('JobStatus')
  const ran = ad.number('RemoteWallClockTime')
  if (status === Status.idle) return { start: NaN, end: NaN, elapsed: NaN }
  if (status !== Status.completed && status !== Status.removed && status !== Status.held) return { start: started, end: NaN, elapsed: NaN }
  const wasRunning = status === Status.completed || ad.number('LastJobStatus') === Status.running || Number.isNaN(ran)
  const ended = [ad.number('CompletionDate'), ad.number('EnteredCurrentStatus')].find((time) => time > 0) ?? NaN
  const end = wasRunning ? ended : started + ran
  const pauses = ad.number('CumulativeSuspensionTime')
  return { start: started, end, elapsed: end - started - (wasRunning && pauses > 0 && pauses < end - started ? pauses : 0) }
}

/** The accounting group, without the user's name that follows it in `AccountingGroup`. */
function accountOf(ad: Ad): string {
  const [group, whole] = [ad.text('AcctGroup'), ad.text('AccountingGroup')]
  if (group !== '') return group
  const user = [ad.text('AcctGroupUser'), ad.text('Owner')].find((name) => name !== '' && whole.endsWith(`.${name}`))
  return user === undefined ? whole : whole.slice(0, -user.length - 1)
}

function stateOf(ad: Ad): string {
  if (OVER_TIME.has(ad.number('HoldReasonCode'))) return 'timeout'
  switch (ad.number('JobStatus')) {
    case Status.completed: {
      const code = [ad.number('ExitCode', -Infinity), ad.number('ExitStatus', -Infinity)].find((each) => !Number.isNaN(each)) ?? 0
      return code === 0 && !ad.isTrue('ExitBySignal') ? 'completed' : 'failed'
    }
    case Status.removed: return 'cancelled'
    case Status.held: return 'held'
    case Status.idle: return 'pending'
    case Status.running: case Status.transferring: case Status.suspended: return 'running'
    default: return 'unknown'
  }
}
