import {
  definePolicy, forwarding, jobsByName, nodesByName, None, rememberedJobs, type Env, type JobId, type LaneId, type NodeId, type Plug, type Policy,
  type Round, type Seconds, type TaskId, type WorkView,
} from '@sched/core'
import * as z from '@sched/bundled/zod'
import { multipleAfter } from '../disciplines/multiple-after.js'
import { QueueSharing } from './queue-sharing.js'
import { dominant, Starvation, type StarvationClocks } from './starvation.js'
import { Victims, type Marked } from './victims.js'

const seconds = z.number().nonnegative()
const preemptingOptions = z.strictObject({
  utilizationThreshold: z.number().default(0.8).describe('nothing is taken while the largest part of a resource in use is not above this'),
  waitBeforeKill: seconds.default(15).describe('seconds from choosing a task to killing it'),
  waitBeforeNextCheck: seconds.default(10).describe('seconds more, and four heartbeats, before the same job may take tasks again'),
  updateInterval: z.number().positive().default(0.5).describe('seconds between two looks at who is starved'),
  victims: z.enum(['newest', 'oldest']).default('newest').describe('whose tasks on a node are taken first; Hadoop goes by no order'),
})
/** Options of `yarnPreempting`, in seconds. */
export type YarnPreemptingOptions = z.input<typeof preemptingOptions>

/**
 * Takes tasks from jobs above their fair share. It takes them for jobs that have been starved for longer than the timeouts of their queue: jobs of
 * queues below their minimum share, and jobs below the threshold of their own fair share. For each task that a starved job lacks, it searches the
 * first node on which the tasks that may be taken make room for it. From then on the starved job comes first on that node, until it has started
 * a task there. No job is taken below its fair share, and nothing is taken from queues with `allowPreemptionFrom: false`. Gangs, which YARN does not
 * know, are taken and started as a whole. What a gang has beyond its `minTasks` goes task by task; the `minTasks` themselves are taken last, like an
 * application's master, and from the node that loses the fewest such tasks. Nothing is taken for a gang that would have to start at the heartbeat of
 * one of several nodes.
 *
 * Source: Hadoop 3, FSPreemptionThread and FairScheduler.assignPreemptedContainers.
 * Deviations: starved jobs are served in order of submission; the number of tasks is what fits into what they lack, by the comparison of their
 * queue, where Hadoop goes by memory; nodes are searched by id, regardless of where data is.
 */
export const yarnPreemptingPolicy = definePolicy({
  name: 'yarn-preempting',
  summary: 'takes tasks of jobs above their fair share for queues starved past a timeout, by YARN\'s rules',
  source: 'Hadoop 3, FSPreemptionThread',
  options: preemptingOptions,
  inner: { policy: 'policy' },
  defaults: { policy: 'yarn-fair' },
  create: (options, env, { policy }) => new YarnPreempting(options, env, policy.create(env)),
})

/** YARN's preemption over a policy whose order is `yarn-fair`. */
export const yarnPreempting = (policy: Plug<'policy'>, options: YarnPreemptingOptions = {}): Plug<'policy'> => yarnPreemptingPolicy.plug({ policy }, options)

interface LaneMemory {
  readonly update: Seconds
  readonly clocks: StarvationClocks
  readonly marked: readonly (readonly [job: string, stage: number, task: number, kill: Seconds])[]
  readonly promised: readonly (readonly [node: string, jobs: readonly string[]])[]
}

interface PreemptingMemory {
  readonly lanes: readonly LaneMemory[]
  readonly nextCheck: readonly (readonly [job: string, time: Seconds])[]
}

class YarnPreempting implements Policy {
  readonly #policy: Policy
  readonly #options: z.output<typeof preemptingOptions>
  readonly #sharing: QueueSharing | undefined
  readonly #starvation: readonly Starvation[]
  readonly #update: Seconds[]
  readonly #marked: Marked[][]
  /** By lane and node: the starved jobs that come first there. */
  readonly #promised: Map<NodeId, JobId[]>[]
  readonly #nextCheck = new Map<JobId, Seconds>()
  #known = -1
  #anyTimeout = false

  constructor(options: z.output<typeof preemptingOptions>, env: Env, policy: Policy) {
    this.#policy = policy
    this.#options = options
    const { lanes } = env.cluster
    const sharing = policy.sharing instanceof QueueSharing ? policy.sharing : undefined
    if (sharing === undefined) env.warn('preemption by YARN\'s rules has no effect: the order under it is not yarn-fair')
    this.#sharing = sharing
    this.#starvation = sharing === undefined ? [] : lanes.map(({ resources }, lane) => new Starvation(sharing, lane as LaneId, resources))
    this.#update = lanes.map(() => 0)
    this.#marked = lanes.map(() => [])
    this.#promised = lanes.map(() => new Map<NodeId, JobId[]>())
    const forget = (job: JobId) => {
      this.#nextCheck.delete(job)
      for (const promised of this.#promised) for (const [node, jobs] of promised) keep(promised, node, jobs.filter((each) => each !== job))
      for (const each of this.#starvation) each.forget(job)
    }
    Object.assign(this, forwarding(policy, {
      onFinish: forget,
      onRelease: (_job, lane, task) => this.#unmark(lane, task),
      onNode: (node, up) => this.#forgetNode(node, up),
      wantsLook: (lane) => this.#update[lane] === 0 && sharing !== undefined && this.#mayTake(sharing),
      memory: () => this.#memory(env),
      recall: (memory) => this.#recall(memory as PreemptingMemory, env),
    }))
  }

  #memory({ work, cluster }: Env): PreemptingMemory {
    const lanes = this.#starvation.map((starvation, lane) => ({
      update: this.#update[lane] as Seconds,
      clocks: starvation.clocks(work),
      marked: (this.#marked[lane] as Marked[]).map(({ task, job, kill }) => [work.name(job), work.stageOf(task), work.indexOf(task), kill] as const),
      promised: Array.from(this.#promised[lane] as Map<NodeId, JobId[]>, ([node, jobs]) => [cluster.name(node), jobs.map((job) => work.name(job))] as const),
    }))
    return { lanes, nextCheck: Array.from(this.#nextCheck, ([job, time]) => [work.name(job), time] as const) }
  }

  #recall({ lanes, nextCheck }: PreemptingMemory, { work, cluster }: Env): void {
    const [jobs, nodes] = [jobsByName(work), nodesByName(cluster)]
    for (const [job, time] of rememberedJobs(nextCheck, work)) this.#nextCheck.set(job, time)
    for (const [lane, { update, clocks, marked, promised }] of lanes.slice(0, this.#starvation.length).entries()) {
      this.#update[lane] = update
      this.#starvation[lane]?.setClocks(clocks, work)
      for (const [job, stage, index, kill] of rememberedJobs(marked, work)) this.#markAgain(lane, job, work.taskAt(job, stage, index), kill, work)
      for (const [on, names] of promised) {
        const node = nodes.get(on)
        if (node !== undefined && cluster.up(node)) keep(this.#promised[lane] as Map<NodeId, JobId[]>, node, names.flatMap((name) => jobs.get(name) ?? []))
      }
    }
  }

  /** Marks a task as before, if it still runs. */
  #markAgain(lane: number, job: JobId, task: TaskId | None, kill: Seconds, work: WorkView): void {
    if (task !== None && work.nodeOf(task) !== None) this.#marked[lane]?.push({ task, job, kill })
  }

  /** Forgets who comes first on a node that goes away. */
  #forgetNode(node: NodeId, up: boolean): void {
    if (!up) for (const promised of this.#promised) promised.delete(node)
  }

  /** Removes the mark of a task that has ended, or is gone, before it was killed; where ends are committed late its slot may still be busy. */
  #unmark(lane: LaneId, task: TaskId): void {
    const marked = this.#marked[lane] as Marked[]
    const at = marked.length === 0 ? -1 : marked.findIndex((each) => each.task === task)
    if (at >= 0) marked.splice(at, 1)
  }

  schedule(round: Round): void {
    if (this.#sharing !== undefined && this.#mayTake(this.#sharing)) this.#preempt(round, this.#sharing)
    if (round.nodes.length > 0) {
      if (this.#sharing !== undefined && round.jobsLeft === Infinity) this.#keepPromises(round, this.#sharing)
      this.#policy.schedule(round)
    }
    if (round.pending === 0) this.#rest(round.lane)
  }

  /** Nothing waits in the lane, so nobody is starved: stops looking until something waits, and starts all clocks anew then. */
  #rest(lane: LaneId): void {
    if (this.#update[lane] === 0) return
    this.#update[lane] = 0
    this.#starvation[lane]?.rest()
  }

  #keepPromises(round: Round, sharing: QueueSharing): void {
    const promised = this.#promised[round.lane] as Map<NodeId, JobId[]>
    if (promised.size === 0) return
    const gangs = new Map<JobId, NodeId[]>()
    for (const node of round.nodes.length === 1 ? round.nodes : [...promised.keys()]) {
      for (const job of promised.get(node) ?? []) if (round.work.together(job, round.lane) > 1) gangs.set(job, [...(gangs.get(job) ?? []), node])
      const jobs = promised.get(node)
      if (jobs !== undefined)
        keep(promised, node, jobs.filter((job) => gangs.has(job)
          || round.work.together(job, round.lane) > 1
          || !isServed(job, node, round, sharing))) // a gang of a later stage starts as a whole, below
    }
    for (const [job, nodes] of gangs)
      if (startsWhole(job, nodes, round, sharing)) for (const node of nodes) keep(promised, node, (promised.get(node) ?? []).filter((each) => each !== job))
  }

  /** Whether any queue has a timeout. Queues are only ever added, so it is computed anew when there are more. */
  #mayTake({ queues }: QueueSharing): boolean {
    if (this.#known !== queues.length) this.#anyTimeout = queues.some(({ minTimeout, fairTimeout }) => Math.min(minTimeout, fairTimeout) < Infinity)
    this.#known = queues.length
    return this.#anyTimeout
  }

  #preempt(round: Round, sharing: QueueSharing): void {
    const { now, lane } = round
    this.#kill(round)
    if (round.pending > 0 && now >= (this.#update[lane] as number)) {
      this.#take(round, sharing)
      const { updateInterval } = this.#options
      this.#update[lane] = multipleAfter(now, updateInterval)
    }
    if (round.pending > 0) round.wakeAt(this.#update[lane] as number)
    const [next] = this.#marked[lane] as Marked[]
    if (next !== undefined) round.wakeAt(next.kill)
  }

  /** Kills marked tasks whose time has come and that still run. */
  #kill(round: Round): void {
    const { now, lane } = round
    const marked = this.#marked[lane] as Marked[]
    while (marked.length > 0 && (marked[0] as Marked).kill <= now) {
      const { task } = marked.shift() as Marked
      round.evict(task)
    }
  }

  /** Marks tasks for jobs that have been starved too long. */
  #take(round: Round, sharing: QueueSharing): void {
    const { now, lane, cluster } = round
    const resources = cluster.lanes[lane]?.resources ?? []
    const capacity = resources.map((r) => cluster.capacity(r))
    const starvation = this.#starvation[lane] as Starvation
    const starved = starvation.look(now, capacity)
    const inUse = dominant(resources.map((r) => sharing.usage(0, r)), capacity)
    if (starved.length === 0 || !(inUse > this.#options.utilizationThreshold)) return
    const due = starved.filter(({ job }) => now >= (this.#nextCheck.get(job) ?? -Infinity)).sort((a, b) => round.work.rank(a.job) - round.work.rank(b.job))
    if (due.length === 0) return
    const { waitBeforeKill, waitBeforeNextCheck, victims } = this.#options
    const choice = new Victims(round, sharing, starvation, capacity, this.#marked[lane] as Marked[], victims)
    for (const each of due) {
      for (const { node, tasks } of choice.for(each)) {
        if (tasks.length > 0) keep(this.#promised[lane] as Map<NodeId, JobId[]>, node, [...(this.#promised[lane]?.get(node) ?? []), each.job])
        for (const { task, job } of tasks) this.#marked[lane]?.push({ task, job, kill: now + waitBeforeKill })
      }
      this.#nextCheck.set(each.job, now + waitBeforeKill + 4 * cluster.heartbeat + waitBeforeNextCheck)
    }
    this.#kill(round)
  }
}

/** Sets the jobs that come first on a node; without any the node is forgotten. */
function keep(promised: Map<NodeId, JobId[]>, node: NodeId, jobs: JobId[]): void {
  if (jobs.length > 0) promised.set(node, jobs)
  else promised.delete(node)
}

/** Starts all tasks of a gang, one for each entry of `nodes`, or none; returns whether they started. */
function startsWhole(job: JobId, nodes: readonly NodeId[], round: Round, sharing: QueueSharing): boolean {
  const start = round.savepoint()
  let left = round.work.together(job, round.lane)
  for (const node of nodes) if (left > 0 && isServed(job, node, round, sharing)) left--
  if (left > 0) round.rollback(start)
  return left === 0
}

/** Starts a task of the job on the node if there is room; returns whether the job does not need the node any more. */
function isServed(job: JobId, node: NodeId, round: Round, sharing: QueueSharing): boolean {
  const { work, lane, cluster } = round
  if (work.unplaced(job, lane) === 0) return true
  if (!round.fits(job, node) || !sharing.hasRoomFor(job, round)) return false
  const task = work.taskFor(job, lane, node, cluster.levels)
  return task !== None && round.claim(task, node)
}
