import type { Constraints, JobSpec, StageSpec, Topology } from '@sched/core'
import type * as z from '@sched/bundled/zod'
import type { Sizes } from '../rigid/machine.js'
import { RigidJob, type RigidResource } from '../rigid/resources.js'
import { Rules } from '../rigid/rules.js'
import { RigidStages } from '../rigid/stages.js'
import type { RuleCount } from '../trace/facts.js'
import { BadLine, type LinePlace, type TraceFormat } from '../trace/format.js'
import { featuresOf, type Licenses } from '../slurm/amounts.js'
import { accountingLimits, accountingResources, accountingSizes, type AccountingRules } from './options.js'

/** What a resource manager recorded of a job. Times in seconds since 1970; -1 or NaN where a number is not known, empty where a name is not. */
export interface AccountingRecord {
  readonly id: string
  readonly submit: number
  /** From when on it might start: after its begin time, holds, and the jobs that it depends on. */
  readonly eligible?: number
  readonly start: number
  readonly end: number
  readonly elapsed: number
  readonly limit: number
  readonly requested: number
  readonly allocated: number
  readonly nodes: number
  readonly mem: number
  readonly gpus: number
  /** CPU time of all its processors together, where it is told. */
  readonly cpuTime?: number
  /** Memory that all its tasks together used, MiB, where it is told. */
  readonly usedMem?: number
  readonly licenses?: Licenses | undefined
  /** Whether it asked for nodes of its own; `user`: of its user's own. */
  readonly exclusive?: 'job' | 'user' | undefined
  /** How few racks it waits for. */
  readonly topology?: Topology | undefined
  /** Its name, by which Slurm's `singleton` goes. */
  readonly name?: string | undefined
  /** What it depends on, as sbatch takes it: `afterok:12:13`. */
  readonly dependency?: string | undefined
  /** Features of nodes that it asked for, as sbatch takes them: `fast&ib`. */
  readonly features?: string | undefined
  /** The type of its GPUs, where it has one. */
  readonly gpuType?: string | undefined
  readonly reservation?: string | undefined
  readonly priority: number
  readonly state: string
  readonly user: string
  readonly group: string
  readonly account: string
  readonly partition: string
  readonly qos: string
  /** The array that it is a task of. */
  readonly array?: string | undefined
  /** How many jobs of it may run at once. */
  readonly arrayThrottle?: number | undefined
  /** Names of its queue that a format has besides. */
  readonly queue?: string
  readonly project?: string
  readonly department?: string
}

const SECONDS_PER_MINUTE = 60

/** Told of each record of a line; `step`: one about a step of a job. */
export type TakeRecord = (record: AccountingRecord | 'step') => void

/** Reads records of jobs from the lines of one file. */
export interface RecordReader {
  /** Throws `BadLine`, also those that `take` throws. */
  line(bytes: Uint8Array, from: number, to: number, take: TakeRecord): void
  /** After the last line, which may have ended a record. Throws `BadLine`. */
  end?(take: TakeRecord): void
  /** How many jobs of an array may run at once, by array, as far as it has read. */
  throttles?(): ReadonlyMap<string, number>
  /** What it did to them. */
  rules?(): RuleCount[]
}

/** Makes one job of several records that stand one after another. */
export interface JoinsJobs {
  /** The job of the next record that has one, and when it was submitted; gives those that are complete now, in their order. */
  take(job: JobSpec, submitted: number): JobSpec[]
  /** After the last: those held back. */
  end(): JobSpec[]
  rules(): RuleCount[]
}

/** What a job waits for. */
export interface Followed {
  /** As the job says it. */
  readonly waits: Pick<JobSpec, 'after' | 'afterAll' | 'afterAny'>
  /** The earliest time at which it is below the jobs that it names, seconds since 1970. */
  readonly submit: number
  /** When it had all happened in the log; `Infinity` where that is not known. */
  readonly time: number
}

/** Knows which jobs of a table wait for which others, that stand above them. */
export interface FollowsJobs {
  /** What a job waits for; `undefined`: nothing, or nothing that is known. */
  of(record: AccountingRecord): Followed | undefined
  /** A record of which a job was made, and when that is submitted. */
  add(record: AccountingRecord, submit: number): void
  rules(): RuleCount[]
}

/** Gives every job as it comes. */
const eachAlone: JoinsJobs = { take: (job) => [job], end: () => [], rules: () => [] }

/** Who joins the jobs of a table's records. */
export const joining = <S extends z.ZodType<AccountingRules>>({ joins }: AccountingTable<S>, options: z.output<S>): JoinsJobs => joins?.(options) ?? eachAlone

/** Of each processor. None of a job without steps, or whose steps are not read: its CPU time is 0 then. */
function meanUse({ cpuTime = 0, usedMem = 0, allocated, requested }: AccountingRecord): { readonly cpuTime?: number; readonly mem?: number } {
  const procs = allocated > 0 ? allocated : requested
  return procs > 0 ? { ...(cpuTime > 0 && { cpuTime: cpuTime / procs }), ...(usedMem > 0 && { mem: usedMem / procs }) } : {}
}

export interface AccountingTable<S extends z.ZodType<AccountingRules> = z.ZodType<AccountingRules>>
  extends Pick<TraceFormat<S>, 'name' | 'title' | 'source' | 'detect' | 'options'> {
  /** `isHeld`: its records may come in any order, since all jobs are held; otherwise in that of submission. */
  readonly reader: (place: LinePlace, options: z.output<S>, isHeld: boolean) => RecordReader
  /** Where its records tell GPUs, for the report: `AllocTRES tells them`. */
  readonly gpusIn: string
  /**
   * Its records stand in the order in which jobs ended, in one file or in several, and are sorted; default: in that of
   * submission, which a file that is not held must have.
   */
  readonly isByEnd?: boolean
  /** The files of a directory are one log, although one file has all; one that is too large to be held is read in chunks. Default, without `isByEnd`: they are not. */
  readonly isOfFiles?: boolean
  /** Of which records one job is made; default, and where they stand in the order of the ends: each is one. */
  readonly joins?: (options: z.output<S>) => JoinsJobs | undefined
  /** Which of its jobs wait for others; default: none. */
  readonly follows?: (options: z.output<S>) => FollowsJobs
  /** What the start of the file says of the machine; default: nothing. */
  readonly sizes?: (head: Uint8Array) => Sizes
}

/** Makes jobs of records, by the rules; their submit times are still seconds since 1970. */
export class AccountingJobs {
  /** When those that wait for others started, by id. */
  readonly startsBehind = new Map<string, number>()
  readonly #resources: readonly RigidResource[]
  readonly #job: RigidJob
  readonly #rules: Rules
  /** Ids of jobs that had not ended: what one is called is there once more where a later export tells its end. */
  readonly #unended = new Set<string>()
  readonly #stages: RigidStages
  readonly #counts = {
    steps: 0, status: 0, neverStarted: 0, pending: 0, submit: 0, nodesAlone: 0, processors: 0, memory: 0, jobs: 0, withGpus: 0, withLicenses: 0, onOne: 0,
    throttled: 0, constraints: 0, alternatives: 0, reservations: 0, later: 0, notEligible: 0, exclusive: 0, exclusiveUser: 0, switches: 0, segments: 0,
  }

  /** `gpusIn`: where records tell GPUs; `follows`: who waits for whom; `header`: what the file says of the machine. */
  constructor(private readonly options: AccountingRules, private readonly gpusIn: string, private readonly follows: FollowsJobs | undefined, header: Sizes = {}) {
    const resources = accountingResources(options)
    this.#resources = resources
    this.#job = new RigidJob(resources.length)
    this.#rules = new Rules(options, resources, accountingLimits(options, accountingSizes(options, header)))
    this.#stages = new RigidStages(resources, options.tasks)
  }

  /** Throws `BadLine` for a job that is too wide where that is an error. */
  job(record: AccountingRecord | 'step'): JobSpec | undefined {
    if (record === 'step') {
      this.#counts.steps++
      return undefined
    }
    const { state, start, submit, eligible = NaN, elapsed, end } = record
    const { status } = this.options
    if (this.#unended.has(record.id)) throw new BadLine(undefined, `job ${record.id} is recorded above, where it had not ended, and runs there as long as its limit says.`, 'Give its last record alone')
    if (status !== undefined && !status.includes(state === '' ? 'unknown' : state)) return this.#leave('status')
    if (!(submit >= 0)) return this.#leave('submit')
    const waits = this.options.pending === 'estimate' && state === 'pending' && record.limit > 0 && record.limit < Infinity
    if (waits) this.#counts.pending++
    else if (!(start >= 0) || (record.allocated === 0 && !(elapsed > 0))) return this.#leave('neverStarted')
    if (this.options.submit === 'eligible' && Number.isNaN(eligible)) this.#counts.notEligible++
    this.#fill(record, waits ? record.limit : !(end >= start) ? -1 : elapsed >= 0 ? elapsed : end - start)
    if (this.options.unit === 'procs' && !(this.#job.amounts[0]! > 0) && record.nodes > 0) return this.#leave('nodesAlone')
    const logged = this.#job.runtime
    if (!this.#rules.apply(this.#job)) return undefined
    const isLater = eligible > submit && (waits || eligible <= start)
    const followed = this.follows?.of(record)
    if (Number.isNaN(end)) this.#unended.add(record.id)
    const job = followed !== undefined ? this.#behind(followed, record, logged, isLater) : this.#spec(isLater ? this.#later({ ...record, eligible }) : record, logged)
    this.follows?.add(record, job.submit)
    return job
  }

  rules(): RuleCount[] {
    const {
      steps, status, neverStarted, pending, submit, nodesAlone, processors, memory, jobs, withGpus, withLicenses, onOne, throttled, constraints,
      alternatives, reservations, later, notEligible, exclusive, exclusiveUser, switches, segments,
    } = this.#counts
    const { options } = this
    return [
      { rule: 'steps', jobs: steps, text: 'steps of a job: left out' },
      { rule: 'status', jobs: status, text: `of a status other than ${(options.status ?? []).join(', ')}: left out` },
      { rule: 'submit', jobs: submit, text: 'without submit time: left out' },
      { rule: 'neverStarted', jobs: neverStarted, text: 'that never started: left out' },
      { rule: 'pending', jobs: pending, text: 'that still wait: run as long as the limit says' },
      { rule: 'nodesAlone', jobs: nodesAlone, text: 'without processors that tell nodes, which unit: nodes reads: left out' },
      { rule: 'processors', jobs: processors, text: `without ${options.processors} processors: the ${options.processors === 'requested' ? 'allocated' : 'requested'} ones taken` },
      { rule: 'memory', jobs: memory, text: 'without requested memory: none asked for' },
      { rule: 'gpus', jobs: options.gpuDemand && withGpus === 0 ? jobs : 0, text: `without GPUs, and none with: ${this.gpusIn}` },
      { rule: 'noGpus', jobs: options.gpuDemand ? 0 : withGpus, text: 'that held GPUs, which they do not ask for here (gpuDemand: true)' },
      { rule: 'uneven', jobs: this.#stages.uneven, text: 'whose processors, memory or GPUs its nodes do not share evenly: the part of each rounded up' },
      { rule: 'onOne', jobs: onOne, text: 'without a number of nodes: on one' },
      {
        rule: 'constraints',
        jobs: constraints,
        text: `with features of nodes${options.gpuDemand ? ' or a type of GPUs' : ''} that they asked for: on any node (constraints: require, where nodes are given)`,
      },
      { rule: 'alternatives', jobs: alternatives, text: 'whose features are of some nodes alone, or the same on all whichever: those are not required' },
      { rule: 'reservations', jobs: reservations, text: 'in a reservation, which is none here: they run as others do' },
      { rule: 'eligibleLater', jobs: later, text: 'that might start a minute or more after their submission only (--begin, dependencies, holds), and may here from it on (submit: eligible)' },
      { rule: 'notEligible', jobs: notEligible, text: 'whose records do not tell from when on they might start: from their submission on' },
      { rule: 'arrayThrottles', jobs: throttled, text: 'of arrays of which so many tasks may run at once (--array=0-99%4), which replan alone keeps to' },
      { rule: 'exclusive', jobs: exclusive, text: 'with --exclusive: they ask for the processors that they were given, and have their nodes for themselves under the queues of a slurm.conf alone' },
      { rule: 'switches', jobs: switches, text: 'with --switches: they wait for so few racks under replan with the topology of a tree, and the placement topology-tree, alone' },
      { rule: 'segments', jobs: segments, text: 'with --segment: they are in such parts under replan with the topology of blocks alone' },
      { rule: 'exclusiveUser', jobs: exclusiveUser, text: 'with --exclusive=user, which share their nodes with jobs of their user alone under Slurm\'s backfilling with named nodes (replan), and with those of all elsewhere' },
      { rule: 'licenses', jobs: withLicenses, text: 'with licences, which slurm-limits alone counts' },
      ...(this.follows?.rules() ?? []),
      ...this.#rules.counts(),
    ].filter(({ jobs }) => jobs > 0)
  }

  /** Says of the jobs of an array, which may stand before the record that tells it, how many may run at once. */
  throttle(jobs: JobSpec[], throttles: ReadonlyMap<string, number>): void {
    if (throttles.size === 0) return
    for (const [i, job] of jobs.entries()) {
      const arrayThrottle = throttles.get(job.array ?? '')
      if (arrayThrottle === undefined || job.arrayThrottle === arrayThrottle) continue
      if (job.arrayThrottle === undefined) this.#counts.throttled++
      jobs[i] = { ...job, arrayThrottle }
    }
  }

  /** One that waits for others: its recorded wait begins when it became eligible, or else when what it waits for had happened in the log. */
  #behind({ waits, submit, time }: Followed, record: AccountingRecord, logged: number, isLater: boolean): JobSpec {
    const from = isLater ? (record.eligible as number) : time <= record.start ? Math.max(record.submit, time) : record.submit
    this.startsBehind.set(record.id, record.start)
    return { ...this.#spec({ ...record, submit }, logged, from), ...waits }
  }

  /** One that might start after its submission only. */
  #later(record: AccountingRecord & { readonly eligible: number }): AccountingRecord {
    if (this.options.submit === 'eligible') return { ...record, submit: record.eligible }
    if (record.eligible - record.submit >= SECONDS_PER_MINUTE) this.#counts.later++
    return record
  }

  #leave(why: 'status' | 'submit' | 'neverStarted' | 'nodesAlone'): undefined {
    this.#counts[why]++
    return undefined
  }

  #fill({ requested, allocated, nodes, limit, mem, gpus, licenses, exclusive }: AccountingRecord, runtime: number): void {
    const { unit, processors, memory, gpuDemand } = this.options
    const job = this.#job
    job.runtime = runtime
    job.estimate = limit > 0 && limit < Infinity ? limit : -1
    const [wanted, other] = processors === 'requested' && exclusive !== 'job' ? [requested, allocated] : [allocated, requested]
    if (unit === 'procs' && !(wanted > 0) && other > 0 && exclusive !== 'job') this.#counts.processors++
    if (memory !== 'none' && !(mem > 0)) this.#counts.memory++
    const procs = wanted > 0 ? wanted : other
    this.#counts.jobs++
    if (gpus > 0) this.#counts.withGpus++
    if (licenses !== undefined) this.#counts.withLicenses++
    const amounts = { procs, nodes, mem: memory === 'none' ? 0 : Math.max(mem, 0), gpus: gpuDemand ? Math.max(gpus, 0) : 0 }
    for (const [r, resource] of this.#resources.entries()) {
      const amount = amounts[resource]
      if (!Number.isSafeInteger(amount)) throw new BadLine(undefined, `the job asks for ${amount} ${resource}, expected a whole number.`)
      job.amounts[r] = amount
    }
  }

  /** `from`: when its recorded wait begins. */
  #spec(record: AccountingRecord, logged: number, from = record.submit): JobSpec {
    const { runtime, estimate, amounts } = this.#job
    const { id, submit, start, user, group, account, partition, qos, array, arrayThrottle, exclusive, topology, licenses, state, priority } = record
    const queue = record[this.options.queue] ?? ''
    const constraints = this.#constraints(record)
    if (arrayThrottle !== undefined) this.#counts.throttled++
    if (exclusive !== undefined) this.#counts[exclusive === 'job' ? 'exclusive' : 'exclusiveUser']++
    if (topology?.racks !== undefined) this.#counts.switches++
    if (topology?.segment !== undefined) this.#counts.segments++
    const stages = this.options.tasks === 'node' ? this.#onNodes(record.nodes, runtime) : this.#stages.of(amounts, 0, runtime)
    return {
      id,
      submit,
      ...(user !== '' && { user }),
      ...(queue !== '' && { queue }),
      ...(group !== '' && { group }),
      ...(account !== '' && { account }),
      ...(partition !== '' && { partition }),
      ...(qos !== '' && { qos }),
      ...(exclusive !== undefined && { exclusive: exclusive === 'job' ? true : exclusive }),
      ...(topology !== undefined && { topology }),
      ...(array !== undefined && { array }),
      ...(arrayThrottle !== undefined && { arrayThrottle }),
      ...(licenses !== undefined && { licenses }),
      ...(priority >= 0 && { priority }),
      ...(estimate >= 0 && { estimate }),
      recorded: {
        ...(start >= from && state !== 'pending' && { wait: start - from }), // of one that waits the start that is expected, if any
        ...(logged !== runtime && logged >= 0 && { runtime: logged }),
        ...(state !== '' && { status: state }),
        ...meanUse(record),
      },
      stages: constraints === undefined ? stages : stages.map((stage) => ({ ...stage, constraints })),
    }
  }

  #constraints({ features = '', gpuType, reservation = '' }: AccountingRecord): Constraints | undefined {
    const { constraints, gpuDemand } = this.options
    if (reservation !== '') this.#counts.reservations++
    const model = gpuDemand ? gpuType : undefined
    if (features === '' && model === undefined) return undefined
    if (constraints !== 'require') return void this.#counts.constraints++
    const all = featuresOf(features)
    if (all === undefined) this.#counts.alternatives++
    const require = { ...Object.fromEntries((all ?? []).map((feature) => [feature, 'true'])), ...(model !== undefined && { model }) }
    return Object.keys(require).length === 0 ? undefined : { require }
  }

  #onNodes(nodes: number, runtime: number): StageSpec[] {
    if (!(nodes > 0)) this.#counts.onOne++
    return this.#stages.onNodes(nodes, this.#job.amounts, 0, runtime)
  }
}
