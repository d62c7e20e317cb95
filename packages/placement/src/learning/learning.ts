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
 * The Learning scheduler. When a node offers room, the job with the largest utility x P(good) starts on it, among the jobs whose P(good) is above `threshold`;
 * if there is none, only an idle node gets a task. Whether a pair of job and node was good is judged at the node's next heartbeat: it was bad if the node is
 * overloaded then. The utility by default is the place in the order inside.
 *
 * Our choices where the source is silent: a node counts as idle while it runs no task of this scheduler; tasks drafted in a round count as load at once; after
 * `patience` seconds without a start one is made in any case, so that the scheduler never stalls; a gang is judged by its first task; in a round for a limited
 * number of jobs the order alone chooses the job, and P(good) its nodes. If the use of hardware is not measured, no node is ever overloaded, and jobs start in
 * the order of the utility.
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

/** The Learning scheduler with an order inside. */
export const learning = (order: Plug<'order'>, options: LearningOptions = {}): Plug<'policy'> => learningPolicy.plug({ order }, options)

class Learning implements Policy {
  readonly #options: CheckedOptions
  readonly #env: Env
  readonly #order: Order
  readonly #hasHeartbeats: boolean
  /** Number of this scheduler's tasks, by node. */
  readonly #tasks: Int32Array
  /** Number of jobs with unplaced tasks, by lane. */
  readonly #ready: Int32Array
  readonly #judge: PairJudge
  readonly #sieve: Sieve
  #serial = -1
  /** Jobs that are not tried again in this round. */
  readonly #done = new DoneJobs()
  /** By shape of a gang that found no room in this round: for how many tasks there is room at most. A gang with more need not be tried. */
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

  /** Offers the nodes in sight one after another. In a pass over the whole cluster nodes that can get nothing are passed over. */
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

  /** Starts the best job on the node. Returns false if none may start. */
  #startBest(node: NodeId, round: Round): boolean {
    const job = this.#bestFor(node, round)
    if (job === None) return false
    const tasks = round.work.together(job, round.lane)
    return tasks > 1 ? this.#startGang(job, tasks, node, round) : this.#claim(job, node, round)
  }

  /** The job with the largest utility x P(good) among those that are good enough for the node; if none is, and the node may get a bad one, among all. */
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
        if (falls(name) && wanted <= most) return best // no later job can be better
        if (this.#done.has(job) || this.#lacksRoom(job, round) || !round.fits(job, node)) continue
        const good = this.#judge.good(this.#judge.pair(job, nodePart, round.lane))
        const value = to40Bits(wanted * good)
        if (good > threshold) {
          if (value > most) [best, most] = [job, value]
        } else if (value > otherMost) [other, otherMost] = [job, value]
      }
    return best === None && this.#mayBeBad(node, round) ? other : best
  }

  /** Whether a job that is not good enough may start on the node: the node is idle, or nothing has started for `patience` seconds. */
  #mayBeBad(node: NodeId, round: Round): boolean {
    return this.#tasks[node] === 0 || round.now >= this.#lastStart + this.#options.patience
  }

  /** Starts a gang, if there is room. Returns true: the node may be offered again. A gang without room is not tried again in this round, in which room only shrinks. */
  #startGang(job: JobId, tasks: number, node: NodeId, round: Round): boolean {
    const hasRoom = hasRoomInSight(job, tasks, round)
    if (!hasRoom) this.#noteRoom(round.work.shape(job, round.lane), round)
    if (!hasRoom || !this.#claimAll(job, tasks, node, round)) this.#done.add(job)
    return true
  }

  /** Notes for how many tasks of a shape there is room on the nodes in sight. */
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

  /** Claims the first task on the node and the others on the lowest nodes with room, or none of them. Returns whether they were claimed. */
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
    const use = work.use(job, lane) // read before the claim, after which another stage of the job may be next
    if (!round.claim(task, node)) return false
    this.#judge.assign(task, node, pair, use)
    this.#lastStart = now
    this.#hasStarted = true
    return true
  }

  /** A round for a limited number of jobs: each is taken up even if none of its tasks can start, since deciding about it takes time in any case. */
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

  /**
   * The node with the largest P(good) on which the job's next task fits, the lowest of equals; `None` if none is good enough nor may get a bad job. For a gang
   * any node is good enough.
   */
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

  /** Asks for rounds when assignments are to be judged and when patience ends. Without heartbeats no round would come by itself. */
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
