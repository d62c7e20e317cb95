import {
  definePolicy, DoneJobs, forwarding, None, to40Bits, type Env, type JobId, type LaneId, type NodeId, type Order, type Plug, type Policy,
  type Round, type Seconds, type ShapeId, type TaskId,
} from '@sched/core'
import { learningOptions, type CheckedOptions, type LearningOptions } from './options.js'
import { firstInSight, hasRoomInSight, someInSight } from './in-sight.js'
import { PairJudge } from './pair-judge.js'
import { Sieve } from './sieve.js'
import { falls, utilities } from './utility.js'

/**
 * The Learning scheduler: when a node offers room, the job for which utility x P(good) is largest starts on it, among
 * those with P(good) above one half; where there is none only an idle node gets a task. Whether a pair of job and node was
 * good turns out at the node's next heartbeat: bad if it is overloaded then. The utility is the place in the inner order.
 *
 * Ours, where the source is silent: a node counts as idle while it runs no task of this scheduler; tasks drafted in a round
 * count as load at once; after `patience` seconds without a start one is made all the same, so that it never stalls; a gang is
 * judged by its first task; in rounds for one job the order alone chooses it, and P(good) its nodes. Where the use of
 * hardware is not measured nothing is ever overloaded, and jobs start as the order says.
 *
 * Source: Dhok and Varma, "Using pattern classification for task assignment in MapReduce", 2010; a survey of cluster
 * resource scheduling, section 7.
 */
export const learningPolicy = definePolicy({
  name: 'learning',
  summary: 'learns which jobs overload which nodes, and keeps them apart',
  source: 'Dhok and Varma 2010; survey of cluster resource scheduling, section 7',
  options: learningOptions,
  inner: { order: 'order' },
  defaults: { order: 'fifo' },
  create: (options, env, { order }) => new Learning(options, env, order.create(env)),
})

/** The Learning scheduler over an order. */
export const learning = (order: Plug<'order'>, options: LearningOptions = {}): Plug<'policy'> => learningPolicy.plug({ order }, options)

class Learning implements Policy {
  readonly #options: CheckedOptions
  readonly #env: Env
  readonly #order: Order
  readonly #hasHeartbeats: boolean
  /** Tasks of this scheduler by node. */
  readonly #tasks: Int32Array
  /** Jobs with unplaced tasks by lane. */
  readonly #ready: Int32Array
  readonly #judge: PairJudge
  readonly #sieve: Sieve
  #serial = -1
  /** Jobs that are done with in this call. */
  readonly #done = new DoneJobs()
  /** By shape, where a gang found none in this call: room for so many tasks at most, whoever asks. Gangs of more need not be taken up to find none. */
  readonly #mostRoom = new Map<ShapeId, number>()
  #lastStart: Seconds = 0
  #hasStarted = false

  constructor(options: CheckedOptions, env: Env, order: Order) {
    this.#options = options
    this.#env = env
    this.#order = order
    this.#hasHeartbeats = env.cluster.heartbeat > 0
    this.#tasks = new Int32Array(env.cluster.nodes)
    this.#ready = new Int32Array(env.cluster.lanes.length)
    this.#judge = judgeOf(options, env)
    this.#sieve = new Sieve(env.cluster, env.work, this.#judge, options.threshold)
    Object.assign(this, forwarding(order, this.#hooks()))
  }

  schedule(round: Round): void {
    this.#begin(round)
    if (round.nodes.length === 0 || round.pending === 0) return
    if (round.jobsLeft < Infinity) this.#takeInTurn(round)
    else this.#offerNodes(round)
    if (!this.#hasHeartbeats) this.#wake(round)
  }

  #hooks() {
    return {
      onReady: (job: JobId, lane: LaneId) => {
        if (this.#ready.every((count) => count === 0)) this.#lastStart = this.#env.now()
        this.#ready[lane] = (this.#ready[lane] as number) + 1
        this.#sieve.add(job, lane)
      },
      onDrained: (job: JobId, lane: LaneId) => {
        this.#ready[lane] = (this.#ready[lane] as number) - 1
        this.#sieve.remove(job, lane)
      },
      onMore: (job: JobId, lane: LaneId) => this.#sieve.change(job, lane),
      onClaim: (job: JobId, lane: LaneId, _task: TaskId, node: NodeId) => {
        this.#tasks[node] = (this.#tasks[node] as number) + 1
        this.#sieve.change(job, lane)
      },
      onRelease: (job: JobId, lane: LaneId, task: TaskId, node: NodeId, why: string) => {
        this.#tasks[node] = (this.#tasks[node] as number) - 1
        this.#judge.release(task, why === 'ended')
        this.#sieve.change(job, lane)
      },
      onFinish: (job: JobId) => {
        for (let lane = 0 as LaneId; lane < this.#ready.length; lane++) this.#sieve.remove(job, lane)
      },
      ...(this.#hasHeartbeats ? { onHeartbeat: (node: NodeId, now: Seconds) => void this.#judge.judge(node, now) } : { wantsRound: (now: Seconds) => this.#judge.isDue(now) }),
    }
  }

  #begin(round: Round): void {
    this.#done.begin()
    this.#mostRoom.clear()
    this.#hasStarted = false
    if (round.serial !== this.#serial) this.#judge.beginRound()
    this.#serial = round.serial
    if (!this.#hasHeartbeats) this.#judge.judgeDue(round.now)
  }

  /** Every node in sight, one after the other: in a pass over the cluster those that may get something. */
  #offerNodes(round: Round): void {
    const isPass = round.nodes.length > 1 && round.cluster === this.#env.cluster
    if (isPass) this.#sieve.refresh()
    someInSight(round, (node) => {
      if (isPass && !this.#sieve.lets(node, round.lane) && !this.#mayBeBad(node, round)) return false
      while (round.room(node) && this.#startBest(node, round)) {
        // the next task
      }
      return round.pending === 0
    })
  }

  /** Starts the best job on the node; false when none may start. */
  #startBest(node: NodeId, round: Round): boolean {
    const job = this.#bestFor(node, round)
    if (job === None) return false
    const tasks = round.work.together(job, round.lane)
    return tasks > 1 ? this.#startGang(job, tasks, node, round) : this.#claim(job, node, round)
  }

  /** Of the pairs that are good enough, or of all where the node is idle and none is, the one of the largest utility x P(good). */
  #bestFor(node: NodeId, round: Round): JobId | None {
    const { utility: name, threshold } = this.#options
    const jobs = this.#ready[round.lane] as number
    const nodePart = this.#judge.nodePart(node)
    let [best, most] = [None as JobId | None, -Infinity]
    let [other, otherMost] = [None as JobId | None, -Infinity]
    let place = 0
    this.#order.begin(round)
    for (let block = this.#order.next(); block !== undefined; block = this.#order.next())
      for (let i = block.from; i < block.to; i++, place++) {
        const job = block.ids[i] as JobId
        const wanted = utilities[name](job, place, jobs, round)
        if (falls(name) && wanted <= most) return best // no later one can be better
        if (this.#done.has(job) || this.#lacksRoom(job, round) || !round.fits(job, node)) continue
        const good = this.#judge.good(this.#judge.pair(job, nodePart, round.lane))
        const value = to40Bits(wanted * good)
        if (good > threshold) {
          if (value > most) [best, most] = [job, value]
        } else if (value > otherMost) [other, otherMost] = [job, value]
      }
    return best === None && this.#mayBeBad(node, round) ? other : best
  }

  #mayBeBad(node: NodeId, round: Round): boolean {
    return this.#tasks[node] === 0 || round.now >= this.#lastStart + this.#options.patience
  }

  /** True: the node may be asked again. A gang without room is not tried again in this call: room only shrinks while a round lasts. */
  #startGang(job: JobId, tasks: number, node: NodeId, round: Round): boolean {
    const hasRoom = hasRoomInSight(job, tasks, round)
    if (!hasRoom) this.#noteRoom(round.work.shape(job, round.lane), round)
    if (!hasRoom || !this.#claimAll(job, tasks, node, round)) this.#done.add(job)
    return true
  }

  #noteRoom(shape: ShapeId, round: Round): void {
    let room = 0
    someInSight(round, (node) => {
      room += round.cluster.couldTake(shape, node)
      return false
    })
    this.#mostRoom.set(shape, room)
  }

  #lacksRoom(job: JobId, { work, lane }: Round): boolean {
    return this.#mostRoom.size > 0 && work.together(job, lane) > (this.#mostRoom.get(work.shape(job, lane)) ?? Infinity)
  }

  /** The first task on the node, the others on the lowest nodes with room; or none. */
  #claimAll(job: JobId, tasks: number, node: NodeId, round: Round): boolean {
    const before = { draft: round.savepoint(), judge: this.#judge.savepoint(), lastStart: this.#lastStart, hasStarted: this.#hasStarted }
    let next: NodeId | None = node
    for (let left = tasks; left > 0 && next !== None && this.#claim(job, next, round); next = firstInSight(job, round)) if (--left === 0) return true
    round.rollback(before.draft)
    this.#judge.rollback(before.judge)
    this.#lastStart = before.lastStart
    this.#hasStarted = before.hasStarted
    return false
  }

  #claim(job: JobId, node: NodeId, round: Round): boolean {
    const { work, lane, now, cluster } = round
    const task = round.fits(job, node) ? work.taskFor(job, lane, node, cluster.levels) : None
    if (task === None) return false
    const pair = this.#judge.pair(job, this.#judge.nodePart(node), lane)
    const use = work.use(job, lane) // of the stage that the task is of: the claim may be its last
    if (!round.claim(task, node)) return false
    this.#judge.assign(task, node, pair, use)
    this.#lastStart = now
    this.#hasStarted = true
    return true
  }

  /** A round for so many jobs: each is taken up although nothing may start, since its decision takes time all the same. */
  #takeInTurn(round: Round): void {
    while (round.jobsLeft > 0) {
      const job = this.#done.takeNext(this.#order, round)
      if (job === None) return
      while (round.claimsLeft > 0 && round.work.unplaced(job, round.lane) > 0) {
        const node = this.#bestNode(job, round)
        if (node === None || !this.#claim(job, node, round)) break
      }
    }
  }

  /** The node of the largest P(good) on which the job's next task fits, the lowest of equals; `None` where none is good enough or idle. */
  #bestNode(job: JobId, round: Round): NodeId | None {
    const isGang = round.work.least(job, round.lane) > 1
    let [best, most] = [None as NodeId | None, -1]
    someInSight(round, (node) => {
      if (!round.fits(job, node)) return false
      const good = this.#judge.good(this.#judge.pair(job, this.#judge.nodePart(node), round.lane))
      if (good <= most) return false
      if (good > this.#options.threshold || isGang || this.#mayBeBad(node, round)) [best, most] = [node, good]
      return false
    })
    return best
  }

  /** Without heartbeats nobody else asks again when assignments are to be judged, and when patience ends. */
  #wake(round: Round): void {
    if (this.#hasStarted) round.wakeAt(round.now + this.#options.feedback)
    if (round.pending > 0) round.wakeAt(this.#lastStart + this.#options.patience)
  }
}

function judgeOf({ jobLimits, nodeLimits, smoothing, decay, overload, feedback }: CheckedOptions, env: Env): PairJudge {
  if (!env.cluster.hardware.isMeasured)
    env.warn('learning: the use of hardware is not measured, so no assignment is ever bad. Describe the `hardware` of nodes, and the `use` of stages.')
  return new PairJudge(env, {
    classifier: { smoothing, decay },
    limits: { job: jobLimits, node: nodeLimits },
    overload,
    delay: env.cluster.heartbeat > 0 ? 0 : feedback,
  })
}
