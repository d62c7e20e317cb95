import type { Constraints, JobSpec, NodeRequirement, StageSpec } from '@sched/core'
import type { Sizes } from '../rigid/machine.js'
import { RigidJob, type RigidResource } from '../rigid/resources.js'
import { Rules } from '../rigid/rules.js'
import { RigidStages } from '../rigid/stages.js'
import type { RuleCount } from '../trace/facts.js'
import { BadLine } from '../trace/format.js'
import { featuresIn } from '../slurm/amounts.js'
import { accountingLimits, accountingResources, accountingSizes, type AccountingRules } from './options.js'
import type { AccountingRecord, AskedHosts, Followed, FollowsJobs } from './records.js'
import { partsAsked, type PartsAsked } from './parts-asked.js'

const SECONDS_PER_MINUTE = 60

/** Makes jobs of records according to the rules. Submit times are still in seconds since 1970. */
export class AccountingJobs {
  /** Start times, by id, of jobs that wait for others. */
  readonly startsBehind = new Map<string, number>()
  readonly #resources: readonly RigidResource[]
  readonly #job: RigidJob
  readonly #rules: Rules
  /** Ids of jobs that had not ended. Another record with the same id, from a later export, is then a bad line. */
  readonly #unended = new Set<string>()
  readonly #stages: RigidStages
  /** When the first task of each array with a throttle became eligible. */
  readonly #firstEligible = new Map<string, number>()
  readonly #counts = {
    steps: 0, status: 0, neverStarted: 0, pending: 0, submit: 0, nodesAlone: 0, processors: 0, memory: 0, jobs: 0, withGpus: 0, withLicenses: 0, onOne: 0,
    throttled: 0, constraints: 0, someHosts: 0, alternatives: 0, alike: 0, reservations: 0, later: 0, notEligible: 0, partitions: 0, exclusive: 0, exclusiveUser: 0, switches: 0, segments: 0, timeMin: 0, deadlines: 0, unreadDeadlines: 0, contiguous: 0,
  }

  /** `gpusIn`: which field tells GPUs; `follows`: which jobs wait for others; `header`: size of the machine from the file. */
  constructor(private readonly options: AccountingRules, private readonly gpusIn: string, private readonly follows: FollowsJobs | undefined, header: Sizes = {}) {
    const resources = accountingResources(options)
    this.#resources = resources
    this.#job = new RigidJob(resources.length)
    this.#rules = new Rules(options, resources, accountingLimits(options, accountingSizes(options, header)))
    this.#stages = new RigidStages(resources, options.tasks)
  }

  /**
   * The job of a record; `undefined` if the rules leave it out. Throws `BadLine` for a job that is too wide if that is an error, and for a second
   * record of an unended job.
   */
  job(given: AccountingRecord | 'step'): JobSpec | undefined {
    if (given === 'step') {
      this.#counts.steps++
      return undefined
    }
    const record = this.#unthrottled(given)
    const { state, start, submit, eligible = NaN, elapsed, end } = record
    const { status } = this.options
    if (this.#unended.has(record.id)) throw new BadLine(undefined, `job ${record.id} was recorded above when it had not ended, and a job was made of that record.`, 'Keep only its last record')
    if (status !== undefined && !status.includes(state === '' ? 'unknown' : state)) return this.#leave('status')
    if (!(submit >= 0)) return this.#leave('submit')
    const waits = this.options.pending === 'estimate' && state === 'pending' && record.limit > 0 && record.limit < Infinity
    if (waits) this.#counts.pending++
    else if (!(start >= 0) || (record.allocated === 0 && !(elapsed > 0))) return this.#leave('neverStarted')
    if (this.options.submit === 'eligible' && Number.isNaN(eligible)) this.#counts.notEligible++
    this.#fill(record, waits ? record.limit : !(end >= start) ? -1 : elapsed >= 0 && elapsed < Infinity ? elapsed : end - start)
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
      steps, status, neverStarted, pending, submit, nodesAlone, processors, memory, jobs, withGpus, withLicenses, onOne, throttled, constraints, someHosts,
      alternatives, alike, reservations, later, notEligible, partitions, exclusive, exclusiveUser, switches, segments, timeMin, deadlines, unreadDeadlines, contiguous,
    } = this.#counts
    const { options } = this
    return [
      { rule: 'steps', jobs: steps, text: 'steps of a job: left out' },
      { rule: 'status', jobs: status, text: `of a status other than ${(options.status ?? []).join(', ')}: left out` },
      { rule: 'submit', jobs: submit, text: 'without submit time: left out' },
      { rule: 'neverStarted', jobs: neverStarted, text: 'that never started: left out' },
      { rule: 'pending', jobs: pending, text: 'that still wait: run as long as the limit says' },
      { rule: 'nodesAlone', jobs: nodesAlone, text: 'with a number of nodes but not of processors: left out; unit: nodes reads them' },
      { rule: 'processors', jobs: processors, text: `without ${options.processors} processors: the ${options.processors === 'requested' ? 'allocated' : 'requested'} ones taken` },
      { rule: 'memory', jobs: memory, text: 'without requested memory: none asked for' },
      { rule: 'gpus', jobs: options.gpuDemand && withGpus === 0 ? jobs : 0, text: `without GPUs, and none with: ${this.gpusIn}` },
      { rule: 'noGpus', jobs: options.gpuDemand ? 0 : withGpus, text: 'that held GPUs: they do not ask for them here (gpuDemand: true makes them ask)' },
      { rule: 'uneven', jobs: this.#stages.uneven, text: 'whose processors, memory or GPUs cannot be divided evenly among their nodes: parts rounded up' },
      { rule: 'onOne', jobs: onOne, text: 'without a number of nodes: on one node' },
      {
        rule: 'constraints',
        jobs: constraints,
        text: `with features or names of nodes${options.gpuDemand ? ' or a type of GPUs' : ''} that they asked for: on any node (constraints: require, where nodes are given)`,
      },
      { rule: 'someHosts', jobs: someHosts, text: 'that asked for some of their nodes by name, and for others: on any nodes' },
      { rule: 'alternatives', jobs: alternatives, text: 'whose features are for some of their nodes only: these are not required' },
      { rule: 'alike', jobs: alike, text: 'whose nodes must all have the same one of some features ([a|b]): so only under replan with named nodes, elsewhere any of them' },
      { rule: 'reservations', jobs: reservations, text: 'in a reservation of nodes: run like all others, except under replan with such a reservation' },
      { rule: 'eligibleLater', jobs: later, text: 'that became eligible a minute or more after their submission (--begin, dependencies, holds): may start from their submission on here; submit: eligible makes them wait' },
      { rule: 'notEligible', jobs: notEligible, text: 'whose records do not tell when they became eligible: at their submission' },
      { rule: 'partitions', jobs: partitions, text: 'that may run in several partitions (--partition=short,long): in the first of them' },
      { rule: 'arrayThrottles', jobs: throttled, text: 'of arrays with a limit on the tasks that run at once (--array=0-99%4): only replan keeps to it' },
      { rule: 'exclusive', jobs: exclusive, text: 'with --exclusive: ask for the processors that they were given, and have their nodes to themselves only under the queues of a slurm.conf' },
      { rule: 'switches', jobs: switches, text: 'with --switches: wait for few racks only under replan with the topology of a tree, and under the placement topology-tree' },
      { rule: 'segments', jobs: segments, text: 'with --segment: kept in such parts only under replan with the topology of blocks' },
      { rule: 'timeMin', jobs: timeMin, text: 'that take a lower limit to start sooner (--time-min, min_walltime): they get one only under replan and easy' },
      { rule: 'deadlines', jobs: deadlines, text: 'with --deadline: given up when they could not end by it any more' },
      { rule: 'unreadDeadlines', jobs: unreadDeadlines, text: 'with a --deadline whose time is not known: run like all others' },
      { rule: 'contiguous', jobs: contiguous, text: 'with --contiguous: on consecutive nodes only under replan with named nodes, elsewhere on any' },
      { rule: 'exclusiveUser', jobs: exclusiveUser, text: 'with --exclusive=user: share their nodes only with jobs of their user under Slurm\'s backfilling with named nodes (replan), elsewhere with all' },
      { rule: 'licenses', jobs: withLicenses, text: 'with licences: only policies that limit licences count them' },
      ...(this.follows?.rules() ?? []),
      ...this.#rules.counts(),
    ].filter(({ jobs }) => jobs > 0)
  }

  /** Sets the throttle of arrays in their jobs, which may come before the record that tells it. */
  throttle(jobs: JobSpec[], throttles: ReadonlyMap<string, number>): void {
    if (throttles.size === 0) return
    for (const [i, job] of jobs.entries()) {
      const arrayThrottle = throttles.get(job.array ?? '')
      if (arrayThrottle === undefined || job.arrayThrottle === arrayThrottle) continue
      if (job.arrayThrottle === undefined) this.#counts.throttled++
      jobs[i] = { ...job, arrayThrottle }
    }
  }

  /**
   * The job of a record that waits for others. Its recorded wait begins when it became eligible or, if that is unknown, when everything it waits for
   * had happened in the log.
   */
  #behind({ waits, submit, time }: Followed, record: AccountingRecord, logged: number, isLater: boolean): JobSpec {
    const from = isLater ? (record.eligible as number) : time <= record.start ? Math.max(record.submit, time) : record.submit
    this.startsBehind.set(record.id, record.start)
    return { ...this.#spec({ ...record, submit }, logged, from), ...waits }
  }

  /**
   * A task of an array with a throttle became eligible when others had ended. In a simulation it waits for these there, and so is eligible with the
   * first task of the array.
   */
  #unthrottled(record: AccountingRecord): AccountingRecord {
    const { array, arrayThrottle, eligible = NaN } = record
    if (array === undefined || arrayThrottle === undefined || Number.isNaN(eligible)) return record
    const first = Math.min(this.#firstEligible.get(array) ?? Infinity, eligible)
    this.#firstEligible.set(array, first)
    return { ...record, eligible: first }
  }

  /** The record of a job that became eligible after its submission; with the option `submit: eligible` that is its submission. */
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

  /** Builds the job of a record. `logged`: its recorded run time; `from`: when its recorded wait begins. */
  #spec(record: AccountingRecord, logged: number, from = record.submit): JobSpec {
    const { estimate, runtime, amounts } = this.#job
    const { id, submit, start, user, group, account, qos, array, arrayThrottle, exclusive, topology, licenses, reservation = '', state, priority, nice = 0 } = record
    const several = this.options.tasks === 'asked' && this.options.queue === 'partition' ? record.layout?.partitions : undefined
    const [partition = '', ...others] = record.partition.split(',')
    if (several === undefined && others.length > 0) this.#counts.partitions++
    const queue = several ?? (this.options.queue === 'partition' ? partition : record[this.options.queue]) ?? ''
    const constraints = this.#constraints(record)
    if (arrayThrottle !== undefined) this.#counts.throttled++
    if (exclusive !== undefined) this.#counts[exclusive === 'job' ? 'exclusive' : 'exclusiveUser']++
    if (reservation !== '') this.#counts.reservations++
    if (record.contiguous === true) this.#counts.contiguous++
    if (topology?.racks !== undefined) this.#counts.switches++
    if (topology?.segment !== undefined) this.#counts.segments++
    const bounds = this.#bounds(record, estimate)
    const parts = this.options.tasks === 'asked' ? partsAsked(record, amounts[0]!) : undefined
    const stages = this.#stagesOf(record, parts, constraints)
    return {
      id,
      submit,
      ...(user !== '' && { user }),
      ...(queue !== '' && { queue }),
      ...(group !== '' && { group }),
      ...(account !== '' && { account }),
      ...(partition !== '' && { partition }),
      ...(qos !== '' && { qos }),
      ...(reservation !== '' && { reservation }),
      ...(exclusive !== undefined && { exclusive: exclusive === 'job' ? true : exclusive }),
      ...(topology !== undefined && { topology }),
      ...(parts?.leastNodes !== undefined && { minNodes: parts.leastNodes }),
      ...(parts?.mostNodes !== undefined && { maxNodes: parts.mostNodes }),
      ...(record.contiguous === true && { contiguous: true }),
      ...(array !== undefined && { array }),
      ...(arrayThrottle !== undefined && { arrayThrottle }),
      ...(licenses !== undefined && { licenses }),
      ...(!Number.isNaN(priority) && { priority }),
      ...(nice !== 0 && { nice }),
      ...(estimate >= 0 && { estimate }),
      ...bounds,
      recorded: {
        ...(start >= from && state !== 'pending' && { wait: start - from }), // a pending job may have an expected start, which is not a wait
        ...(logged !== runtime && logged >= 0 && { runtime: logged }),
        ...(state !== '' && { status: state }),
        ...meanUse(record),
      },
      stages,
    }
  }

  #bounds({ minLimit = NaN, deadline }: AccountingRecord, estimate: number): Pick<JobSpec, 'minEstimate' | 'deadline' | 'firmDeadline'> {
    const isLess = minLimit > 0 && minLimit < estimate
    if (isLess) this.#counts.timeMin++
    if (deadline !== undefined) this.#counts[Number.isNaN(deadline) ? 'unreadDeadlines' : 'deadlines']++
    return { ...(isLess && { minEstimate: minLimit }), ...(deadline !== undefined && !Number.isNaN(deadline) && { deadline, firmDeadline: true }) }
  }

  #constraints({ features = '', gpuType, hosts, nodes }: AccountingRecord): Constraints | undefined {
    const { constraints, gpuDemand } = this.options
    const model = gpuDemand ? gpuType : undefined
    if (features === '' && model === undefined && hosts === undefined) return undefined
    if (constraints !== 'require') return void this.#counts.constraints++
    const found = featuresIn(features)
    if (found === undefined) this.#counts.alternatives++
    const { all = [], alike } = found ?? {}
    if (alike !== undefined) this.#counts.alike++
    const require = { ...Object.fromEntries(all.map((feature) => [feature, 'true'])), ...(model !== undefined && { model }) }
    const named = hosts === undefined ? [] : this.#named(hosts, nodes)
    if (Object.keys(require).length + named.length === 0) return undefined
    return { ...(Object.keys(require).length > 0 && { require }), ...(named.length > 0 && { nodeSelectorTerms: [{ matchFields: named }] }), ...(alike !== undefined && { alike }) }
  }

  /** The names that nodes must have for a job on so many of them. Where it must have some nodes, and others are up to the scheduler, any will do. */
  #named({ all, none }: AskedHosts, nodes: number): NodeRequirement[] {
    const areAll = all.length >= nodes
    if (!areAll && all.length > 0) this.#counts.someHosts++
    const term = (operator: 'In' | 'NotIn', values: readonly string[]): NodeRequirement => ({ key: 'metadata.name', operator, values })
    return [...(areAll && all.length > 0 ? [term('In', all)] : []), ...(none.length > 0 ? [term('NotIn', none)] : [])]
  }

  #stagesOf(record: AccountingRecord, parts: PartsAsked | undefined, asked: Constraints | undefined): StageSpec[] {
    const { runtime, amounts } = this.#job
    const isByNode = this.options.tasks === 'node' || (this.options.tasks === 'asked' && parts === undefined)
    const stages = parts !== undefined ? this.#stages.inParts(parts.tasks, amounts, 0, runtime) : isByNode ? this.#onNodes(record.nodes, runtime) : this.#stages.of(amounts, 0, runtime)
    const constraints = parts?.areApart === true ? { ...asked, distinctNodes: true } : asked
    return constraints === undefined ? stages : stages.map((stage) => ({ ...stage, constraints }))
  }

  #onNodes(nodes: number, runtime: number): StageSpec[] {
    if (!(nodes > 0)) this.#counts.onOne++
    return this.#stages.onNodes(nodes, this.#job.amounts, 0, runtime)
  }
}

/** CPU time and used memory per processor. A CPU time of 0 is left out: records have it for jobs without steps, or if steps are not read. */
function meanUse({ cpuTime = 0, usedMem = 0, allocated, requested }: AccountingRecord): { readonly cpuTime?: number; readonly mem?: number } {
  const procs = allocated > 0 ? allocated : requested
  return procs > 0 ? { ...(cpuTime > 0 && { cpuTime: cpuTime / procs }), ...(usedMem > 0 && { mem: usedMem / procs }) } : {}
}
