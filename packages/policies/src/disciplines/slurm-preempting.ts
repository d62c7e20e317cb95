import { definePolicy, forwarding, None, type Env, type JobId, type LaneId, type NodeId, type Plug, type Policy, type Round, type TaskId, type WorkView } from '@sched/core'
import { z } from 'zod'
import { Gang, startGang } from './gangs.js'
import { lowestFitting } from './lowest-fitting.js'
import { startNearest } from './start-nearest.js'

const slurmPreemptingOptions = z.strictObject({
  tiers: z.record(z.string(), z.int().nonnegative()).default({}).describe('tiers of queues (PriorityTier of partitions): jobs of a higher one preempt those of lower ones; default 1'),
  qos: z
    .record(z.string(), z.strictObject({ preempt: z.array(z.string()).default([]).describe('QOS whose jobs its jobs preempt'), priority: z.int().nonnegative().default(0).describe('the lowest goes first, the highest is served first') }))
    .optional()
    .describe('QOS instead of tiers (preempt/qos): whom the jobs of each may preempt; jobs that name none have `normal`'),
  exemptTime: z.number().nonnegative().default(0).describe('seconds for which a job is left alone after its start (PreemptExemptTime)'),
  youngestFirst: z.boolean().default(false).describe('of one tier the job that started last goes first, instead of the one with the fewest tasks (PreemptParameters=youngest_first)'),
})
/** Options of `slurm-preempting`. */
export type SlurmPreemptingOptions = z.input<typeof slurmPreemptingOptions>

/**
 * Jobs of a queue with a higher tier preempt those of lower ones when the policy has not started them: running jobs are
 * taken whole, the lowest tier first, until there is room, and of these no more than are needed. They wait again and start
 * anew.
 *
 * Source: Slurm, preempt/partition_prio and preempt/qos with PreemptMode=REQUEUE. Deviations: what is preempted is gone at once; jobs that
 * preempt come by tier or priority of their QOS, then by their own priority and submission, whatever the order of the policy; nobody is preempted in
 * rounds for so many jobs, that is where decisions take time.
 */
export const slurmPreemptingPolicy = definePolicy({
  name: 'slurm-preempting',
  summary: 'jobs of queues with a higher tier take the place of running jobs of lower ones (Slurm, partition_prio)',
  source: 'Slurm, preempt/partition_prio',
  options: slurmPreemptingOptions,
  inner: { policy: 'policy' },
  defaults: { policy: 'replan' },
  create: (options, env, { policy }) => new SlurmPreempting(options, env, policy.create(env)),
})

/** Preemption by tier around a policy. */
export const slurmPreempting = (policy: Plug<'policy'>, options: SlurmPreemptingOptions = {}): Plug<'policy'> => slurmPreemptingPolicy.plug({ policy }, options)

class SlurmPreempting implements Policy {
  readonly #policy: Policy
  readonly #options: z.output<typeof slurmPreemptingOptions>
  readonly #work: WorkView
  readonly #acts: boolean
  /** By lane: jobs with tasks to place, and the running tasks of jobs that have any. */
  readonly #waiting: readonly Set<JobId>[]
  readonly #running: readonly Map<JobId, TaskId[]>[]

  constructor(options: z.output<typeof slurmPreemptingOptions>, env: Env, policy: Policy) {
    this.#policy = policy
    this.#options = options
    this.#work = env.work
    this.#acts = Object.keys(options.qos ?? options.tiers).length > 0
    this.#waiting = env.cluster.lanes.map(() => new Set())
    this.#running = env.cluster.lanes.map(() => new Map())
    const watch = {
      onReady: (job: JobId, lane: LaneId) => void this.#waiting[lane]?.add(job),
      onDrained: (job: JobId, lane: LaneId) => void this.#waiting[lane]?.delete(job),
      onClaim: (job: JobId, lane: LaneId, task: TaskId) => {
        const tasks = this.#running[lane]?.get(job)
        if (tasks === undefined) this.#running[lane]?.set(job, [task])
        else tasks.push(task)
      },
      onRelease: (job: JobId, lane: LaneId, task: TaskId) => {
        const tasks = this.#running[lane]?.get(job) as TaskId[]
        tasks.splice(tasks.indexOf(task), 1)
        if (tasks.length === 0) this.#running[lane]?.delete(job)
      },
    }
    Object.assign(this, forwarding(policy, watch))
  }

  schedule(round: Round): void {
    this.#policy.schedule(round)
    if (!this.#acts || round.jobsLeft < Infinity || round.claimsLeft === 0 || round.nodes.length === 0) return
    const inVain = new Set<string>()
    for (const job of this.#preemptors(round.lane)) {
      const kind = `${this.#groupOf(job)} ${round.work.shape(job, round.lane)} ${round.work.together(job, round.lane)}`
      while (!inVain.has(kind) && round.work.unplaced(job, round.lane) > 0) if (!this.#makeRoom(job, round)) inVain.add(kind)
    }
  }

  /** The tier of its queue, or the priority of its QOS. */
  #rankOf(job: JobId): number {
    const { qos, tiers } = this.#options
    return qos === undefined ? (tiers[this.#work.queueName(this.#work.queue(job))] ?? 1) : (qos[this.#qosOf(job)]?.priority ?? 0)
  }

  /** Jobs of a group may preempt the same jobs, and be preempted by the same. */
  #groupOf(job: JobId): string | number {
    return this.#options.qos === undefined ? this.#rankOf(job) : this.#qosOf(job)
  }

  #qosOf(job: JobId): string {
    const name = this.#work.qos(job)
    return name === '' ? 'normal' : name
  }

  #mayTake(job: JobId, victim: JobId): boolean {
    const { qos } = this.#options
    return qos === undefined ? this.#rankOf(victim) < this.#rankOf(job) : qos[this.#qosOf(job)]?.preempt.includes(this.#qosOf(victim)) === true
  }

  /** Waiting jobs that may take the place of one that runs, first those that come first. */
  #preemptors(lane: LaneId): JobId[] {
    const work = this.#work
    const examples = this.#oneOfEach(this.#running[lane] as Map<JobId, TaskId[]>)
    return [...(this.#waiting[lane] as Set<JobId>)]
      .filter((job) => examples.some((victim) => this.#mayTake(job, victim)))
      .sort((a, b) => this.#rankOf(b) - this.#rankOf(a) || work.priority(b) - work.priority(a) || work.rank(a) - work.rank(b))
  }

  /** A running job of each queue or QOS: whom one of them may be taken by, the others may be. */
  #oneOfEach(running: ReadonlyMap<JobId, TaskId[]>): JobId[] {
    const found = new Map<string | number, JobId>()
    for (const job of running.keys()) found.set(this.#groupOf(job), job)
    return [...found.values()]
  }

  /** Jobs that one may preempt, first whom it costs least. */
  #victims(preemptor: JobId, { lane, now }: Round): JobId[] {
    const work = this.#work
    const { exemptTime, youngestFirst } = this.#options
    const running = this.#running[lane] as Map<JobId, TaskId[]>
    const started = new Map<JobId, number>()
    for (const [job, tasks] of running) {
      const times = tasks.map((task) => work.started(task))
      const last = Math.max(...times)
      if (this.#mayTake(preemptor, job) && !times.some(Number.isNaN) && now - last >= exemptTime) started.set(job, last) // none that this round has started
    }
    const size = (job: JobId): number => (running.get(job) as TaskId[]).length
    return [...started.keys()].sort(
      (a, b) => this.#rankOf(a) - this.#rankOf(b) || (youngestFirst ? 0 : size(a) - size(b)) || (started.get(b) as number) - (started.get(a) as number) || work.rank(b) - work.rank(a),
    )
  }

  /** Starts the next task of the job, or all of its gang, in the place of others; false, and nothing changes, where that does not make room. */
  #makeRoom(job: JobId, round: Round): boolean {
    const before = round.savepoint()
    let taken: readonly JobId[] = []
    for (const victim of this.#victims(job, round)) {
      taken = [...taken, victim]
      this.#evict([victim], round)
      if (this.#start(job, round)) return this.#spare(job, taken, before, round)
    }
    round.rollback(before)
    return false
  }

  /** Leaves alone whom it need not take, from the last but one to the first. */
  #spare(job: JobId, taken: readonly JobId[], before: ReturnType<Round['savepoint']>, round: Round): true {
    let kept = taken
    for (let i = taken.length - 2; i >= 0; i--) {
      const fewer = kept.filter((victim) => victim !== taken[i])
      round.rollback(before)
      this.#evict(fewer, round)
      if (this.#start(job, round)) kept = fewer
    }
    if (taken.length > 1) {
      round.rollback(before)
      this.#evict(kept, round)
      this.#start(job, round)
    }
    return true
  }

  #evict(victims: readonly JobId[], round: Round): void {
    for (const victim of victims) for (const task of [...(this.#running[round.lane]?.get(victim) ?? [])]) round.evict(task)
  }

  #start(job: JobId, round: Round): boolean {
    if (!round.take(job)) return false
    const pick = (next: JobId, within: Round): NodeId | None => lowestFitting(next, within)
    if (round.work.together(job, round.lane) > 1) return startGang(job, round, pick) === Gang.Started
    const node = pick(job, round)
    return node !== None && startNearest(job, node, round.cluster.levels, round)
  }
}
