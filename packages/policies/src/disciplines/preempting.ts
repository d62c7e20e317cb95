import {
  definePolicy, forwarding, None, runningTasks, type Env, type JobId, type Lane, type LaneId, type NodeId, type Plug, type Policy, type ResourceId,
  type Round, type Seconds, type ShapeId, type Sharing, type TaskId, type WorkListener,
} from '@sched/core'
import * as z from '@sched/bundled/zod'
import { belowFairShare, belowMinShare, defaultStarvationFraction, preemptionClaim, victims, type RunningTask } from '../shares/preemption.js'
import { multipleAfter } from './multiple-after.js'

const seconds = z.number().positive()
const preemptingOptions = z.strictObject({
  minTimeout: seconds.optional().describe('Tmin of pools that set none: seconds below the minimum share before a pool may take tasks; default never'),
  fairTimeout: seconds.optional().describe('Tfair: seconds starved of the fair share before a pool may take tasks; default never'),
  starvationFraction: z.number().min(0).max(1).default(defaultStarvationFraction).describe('a pool is starved below this part of its fair share; the paper says 1, Hadoop 0.5'),
  victims: z.enum(['newest', 'oldest']).default('newest').describe('whose tasks are killed first: the most recently launched waste least'),
  interval: seconds.default(15).describe('seconds between two checks for tasks to kill'),
  updateInterval: seconds.default(0.5).describe('seconds between two looks at who is below its share'),
})
/** Options of `preempting`, in seconds. */
export type PreemptingOptions = z.input<typeof preemptingOptions>

/**
 * Kills tasks of pools above their fair share for pools that have been below their minimum share for Tmin, or starved of
 * their fair share for Tfair; newest first, never taking a pool below its fair share. The wrapped policy hands out the freed
 * slots like any others; jobs of a pool that has waited out a timeout are not delayed.
 *
 * Shares count slots, so it acts only where every task asks for one unit of the one resource of its lane, and warns where that is not so.
 * A gang is killed as a whole. Nothing is killed for a gang that is larger than what its pool may take, or that would have to start at
 * the heartbeat of a single node among several.
 *
 * Source: Zaharia et al., EuroSys 2010, section 3; check every 15 s, update every 0.5 s and the half rule as in Hadoop.
 * Deviations: a killed task's slot is free at once, where Hadoop frees it at the node's next heartbeat; Hadoop takes a task
 * from any pool that runs more than its share, which may leave it a part of a task below.
 */
export const preemptingPolicy = definePolicy({
  name: 'preempting',
  summary: 'kills tasks of pools above their share for pools starved past a timeout',
  source: 'Zaharia et al., EuroSys 2010, section 3',
  options: preemptingOptions,
  inner: { policy: 'policy' },
  defaults: { policy: 'delay' },
  create: (options, env, { policy }) => new Preempting(options, env, policy.create(env)),
})

const COUNTS_SLOTS = 'preemption has no effect: shares count slots of one task each'
const WAY_OUT = 'Use yarn-preempting, capacity-scheduler, kai-preempting or kueue.'

/** Preemption over a policy whose order divides capacity between pools. */
export const preempting = (policy: Plug<'policy'>, options: PreemptingOptions = {}): Plug<'policy'> => preemptingPolicy.plug({ policy }, options)

interface PreemptingMemory {
  /** By lane: the next update and the next check. */
  readonly update: readonly Seconds[]
  readonly check: readonly Seconds[]
  /** Of pools that were looked at: the last times at which they were not below their shares, and whether they are starved. */
  readonly clocks: readonly (readonly [pool: string, lane: LaneId, atMin: Seconds, atFair: Seconds, isStarved: boolean])[]
}

class Preempting implements Policy {
  readonly startsGangJobs: boolean
  readonly #policy: Policy
  readonly #options: z.output<typeof preemptingOptions>
  readonly #env: Env
  readonly #lanes: number
  readonly #sharing: Sharing | undefined
  /** By lane: whether every task so far asked one unit, as shares count. */
  readonly #isSlots: boolean[]
  /** `[pool * lanes + lane]`: the last time the pool was not below its minimum share, and the last time it was not starved. */
  readonly #atMin: (Seconds | undefined)[] = []
  readonly #atFair: (Seconds | undefined)[] = []
  /** `[pool * lanes + lane]`: whether the pool is marked as starved. */
  readonly #isStarved: boolean[] = []
  /** Next update and next check of each lane. */
  readonly #update: Seconds[]
  readonly #check: Seconds[]
  #known = -1
  #anyTimeout = false

  constructor(options: z.output<typeof preemptingOptions>, env: Env, policy: Policy) {
    this.#policy = policy
    this.startsGangJobs = policy.startsGangJobs === true
    this.#options = options
    this.#env = env
    this.#lanes = env.cluster.lanes.length
    const { lanes } = env.cluster
    this.#sharing = lanes.every(({ resources }) => resources.length === 1) ? policy.sharing : undefined
    this.#isSlots = lanes.map(() => true)
    this.#update = lanes.map(() => 0)
    this.#check = lanes.map(() => 0)
    if (policy.sharing === undefined) env.warn('preemption has no effect: the order under it has no shares')
    else if (this.#sharing === undefined && this.#mayClaim(policy.sharing)) env.warn(`${COUNTS_SLOTS}, and the nodes have several resources. ${WAY_OUT}`)
    const sharing = this.#sharing
    const own: WorkListener & Pick<Policy, 'wantsLook' | 'memory' | 'recall'> = {
      wantsLook: (lane) => this.#rests(lane),
      memory: () => this.#memory(sharing as Sharing),
      recall: (memory) => this.#recall(memory as PreemptingMemory, sharing as Sharing),
      onReady: (job, lane) => {
        if (sharing !== undefined && this.#mayClaim(sharing)) this.#ask(lane, env.work.shape(job, lane))
      },
    }
    Object.assign(this, forwarding(policy, sharing === undefined ? undefined : own))
  }

  #memory(sharing: Sharing): PreemptingMemory {
    const clocks = Array.from({ length: sharing.pools * this.#lanes }, (_, at) => {
      const [atMin, atFair] = [this.#atMin[at], this.#atFair[at]]
      if (atMin === undefined || atFair === undefined) return []
      return [[sharing.name(Math.floor(at / this.#lanes)), (at % this.#lanes) as LaneId, atMin, atFair, this.#isStarved[at] === true] as const]
    })
    return { update: [...this.#update], check: [...this.#check], clocks: clocks.flat() }
  }

  #recall({ update, check, clocks }: PreemptingMemory, sharing: Sharing): void {
    const pools = new Map(Array.from({ length: sharing.pools }, (_, pool) => [sharing.name(pool), pool]))
    for (let lane = 0; lane < this.#lanes; lane++) {
      this.#update[lane] = update[lane] ?? 0
      this.#check[lane] = check[lane] ?? 0
    }
    for (const [name, lane, atMin, atFair, isStarved] of clocks) {
      const pool = pools.get(name)
      if (pool === undefined) continue
      this.#atMin[pool * this.#lanes + lane] = atMin
      this.#atFair[pool * this.#lanes + lane] = atFair
      this.#mark(pool, lane, isStarved, sharing)
    }
  }

  #mark(pool: number, lane: LaneId, isStarved: boolean, sharing: Sharing): void {
    this.#isStarved[pool * this.#lanes + lane] = isStarved
    sharing.markStarved(pool, lane, isStarved)
  }

  /** Checks that tasks of the shape take one slot each, as shares count. A lane in which one does not is left alone, with one warning. */
  #ask(lane: LaneId, shape: ShapeId): void {
    const { name, resources } = this.#env.cluster.lanes[lane] as Lane
    if (!this.#isSlots[lane] || this.#env.work.demand(shape, resources[0] as ResourceId) === 1) return
    this.#isSlots[lane] = false
    this.#env.warn(`${COUNTS_SLOTS}, and a task asks for more or less than one of ${name}. ${WAY_OUT}`)
  }

  /** What is free is given away before anybody is looked at: a pool whose task has just ended, or that gets what has, lacks nothing. */
  schedule(round: Round): void {
    const canStart = round.nodes.length > 0
    if (canStart) this.#policy.schedule(round)
    const sharing = this.#sharing
    if (sharing === undefined) return
    if (this.#isSlots[round.lane] && this.#look(round, sharing) && canStart) this.#policy.schedule(round)
    if (round.pending === 0) this.#rest(round.lane, sharing)
  }

  /** Looks at the pools if it is time to, and kills if it is time to check. Says whether a pool may start more than before. */
  #look(round: Round, sharing: Sharing): boolean {
    const { now, lane } = round
    if (now < (this.#update[lane] as number) || !this.#mayClaim(sharing)) return false
    if (round.pending === 0) return false
    const { interval, updateInterval } = this.#options
    const shares = sharing.fairShares(lane)
    let isChanged = false
    for (let pool = 0; pool < sharing.pools; pool++) if (this.#note(pool, lane, now, shares[pool] as number, sharing)) isChanged = true
    if (now >= (this.#check[lane] as number)) {
      this.#check[lane] = multipleAfter(now, interval)
      if (this.#kill(round, sharing, shares)) isChanged = true
    }
    this.#update[lane] = multipleAfter(now, updateInterval)
    round.wakeAt(this.#update[lane])
    return isChanged
  }

  /** Whether it wants a look: jobs wait that it has not looked at yet. After that look it asks for its rounds itself. */
  #rests(lane: LaneId): boolean {
    return this.#update[lane] === 0 && this.#sharing !== undefined && this.#isSlots[lane] === true && this.#mayClaim(this.#sharing)
  }

  /** Whether any pool has a timeout. Pools are only ever added, so only new ones are looked at. */
  #mayClaim(sharing: Sharing): boolean {
    if (this.#known === sharing.pools) return this.#anyTimeout
    const { minTimeout = Infinity, fairTimeout = Infinity } = this.#options
    if (this.#known < 0) this.#anyTimeout = Math.min(minTimeout, fairTimeout) < Infinity
    for (let pool = Math.max(0, this.#known); pool < sharing.pools; pool++) this.#anyTimeout ||= sharing.minTimeout(pool) < Infinity
    this.#known = sharing.pools
    return this.#anyTimeout
  }

  /** Nothing waits in the lane, so no pool is below a share: stops looking until something waits, and starts all clocks anew then. */
  #rest(lane: LaneId, sharing: Sharing): void {
    if (this.#update[lane] === 0) return
    this.#update[lane] = 0
    for (let pool = 0; pool < sharing.pools; pool++) {
      this.#atMin[pool * this.#lanes + lane] = undefined
      this.#atFair[pool * this.#lanes + lane] = undefined
      this.#mark(pool, lane, false, sharing)
    }
  }

  /** Notes since when the pool is below its shares, and marks it as starved once a timeout has passed. Says whether it is newly starved. */
  #note(pool: number, lane: LaneId, now: Seconds, fairShare: number, sharing: Sharing): boolean {
    const at = pool * this.#lanes + lane
    const standing = { running: sharing.running(pool, lane), demand: sharing.demand(pool, lane), minShare: sharing.minShare(pool, lane), fairShare }
    if (pool === 0 || this.#atMin[at] === undefined || !belowMinShare(standing)) this.#atMin[at] = now
    if (pool === 0 || this.#atFair[at] === undefined || !belowFairShare(standing, this.#options.starvationFraction)) this.#atFair[at] = now
    const wasStarved = this.#isStarved[at] === true
    const isStarved = this.#claim(pool, lane, now, fairShare, sharing) > 0
    this.#mark(pool, lane, isStarved, sharing)
    return isStarved && !wasStarved
  }

  /** Number of tasks that the pool may take from others now. */
  #claim(pool: number, lane: LaneId, now: Seconds, fairShare: number, sharing: Sharing): number {
    const at = pool * this.#lanes + lane
    const { minTimeout = Infinity, fairTimeout = Infinity, starvationFraction } = this.#options
    const own = sharing.minTimeout(pool)
    return preemptionClaim(
      {
        running: sharing.running(pool, lane),
        demand: sharing.demand(pool, lane),
        minShare: sharing.minShare(pool, lane),
        fairShare,
        belowMinFor: now - (this.#atMin[at] as number),
        starvedFor: now - (this.#atFair[at] as number),
      },
      { minTimeout: own < Infinity ? own : minTimeout, fairTimeout },
      starvationFraction,
    )
  }

  /**
   * Evicts victims. Outer pools claim first; a claim is what the pool lacked before any eviction, less what the pools around it have taken, since
   * that serves it, too. Says whether it has evicted any.
   */
  #kill(round: Round, sharing: Sharing, shares: Float64Array): boolean {
    const { lane, now } = round
    const running = Array.from({ length: sharing.pools }, (_, pool) => sharing.running(pool, lane))
    const parents = Array.from({ length: sharing.pools }, (_, pool) => (sharing.parent(pool) === 0 ? None : sharing.parent(pool)))
    const claims = Array.from({ length: sharing.pools }, (_, pool) => this.#claim(pool, lane, now, shares[pool] as number, sharing))
    const taken = new Float64Array(sharing.pools)
    let tasks: RunningTask[] | undefined
    for (let pool = 1; pool < sharing.pools; pool++) {
      let wanted = claims[pool] as number
      for (let around = sharing.parent(pool); around > 0; around = sharing.parent(around)) wanted -= taken[around] as number
      if (wanted > 0) wanted = usable(wanted, pool, round, sharing)
      if (wanted <= 0) continue
      tasks ??= this.#runningTasks(round, sharing)
      if (!this.#isSlots[lane]) break // a running task of a later stage has turned out to ask for more or less than one slot
      const chosen = victims(tasks, { running, fairShares: shares, parents }, wanted, { first: this.#options.victims, claimant: pool })
      for (const victim of chosen) {
        round.evict(victim.task as TaskId)
        for (let around = victim.pool; around > 0; around = sharing.parent(around)) running[around] = (running[around] as number) - 1
      }
      taken[pool] = chosen.length
      const gone = new Set(chosen)
      tasks = tasks.filter((task) => !gone.has(task))
    }
    return taken.some((count) => count > 0)
  }

  /** The running tasks whose slots others could use: none on drained nodes, and none of a gang that has a task there. */
  #runningTasks({ work, cluster, lane }: Round, sharing: Sharing): RunningTask[] {
    const found: RunningTask[] = []
    const kept = new Set<TaskId>()
    for (let pool = 1; pool < sharing.pools; pool++) {
      for (const job of jobsIn(pool, sharing)) {
        const gangs: Record<number, TaskId> = {}
        for (const task of runningTasks(job, lane, work)) {
          if (Number.isNaN(work.started(task))) continue // claimed by a decision under way
          this.#ask(lane, work.shapeOf(task))
          const gang = work.inGang(task) ? (gangs[work.gangOf(task)] ??= task) : undefined
          if (!cluster.up(work.nodeOf(task) as NodeId)) kept.add(gang ?? task)
          found.push({ task, pool, started: work.started(task), rank: work.rank(job), gang })
        }
      }
    }
    return kept.size === 0 ? found : found.filter(({ task, gang }) => !kept.has((gang ?? task) as TaskId))
  }
}

/** The jobs of a leaf pool; none for an inner pool. */
function jobsIn(pool: number, sharing: Sharing): JobId[] {
  const jobs: JobId[] = []
  if (sharing.isLeaf(pool)) sharing.jobs(pool, jobs)
  return jobs
}

/**
 * How many of so many slots the waiting tasks of a pool could use. Gangs count by submission, each with all of its tasks or none; with heartbeats of
 * single nodes no gang counts, since it would need room on one node.
 */
function usable(slots: number, pool: number, { work, cluster, lane, nodes }: Round, sharing: Sharing): number {
  const isOneNode = cluster.heartbeat > 0 && nodes.length <= 1 && cluster.nodes > 1
  let single = 0
  let together = 0
  for (const job of jobsInside(pool, sharing).sort((a, b) => work.rank(a) - work.rank(b))) {
    const gang = work.together(job, lane)
    if (gang <= 1) single += work.unplaced(job, lane)
    else if (!isOneNode && together + gang <= slots) {
      together += gang
      single += work.unplaced(job, lane) - gang
    }
  }
  return together + Math.min(single, slots - together)
}

function jobsInside(pool: number, sharing: Sharing): JobId[] {
  const jobs: JobId[] = []
  for (let leaf = 1; leaf < sharing.pools; leaf++) {
    let around = leaf
    while (around > 0 && around !== pool) around = sharing.parent(around)
    if (around === pool) jobs.push(...jobsIn(leaf, sharing))
  }
  return jobs
}
