import type { Env, JobId, Round } from '@sched/core'
import { ArrayTasks } from './array-tasks.js'
import type { Plan } from './counted-plan.js'
import { isOfAllNodes, partitionOf } from './partitions.js'
import { PlacesInQueue } from './places-in-queue.js'
import { PreemptingStarts } from './preempting-starts.js'
import type { QueuesOfJobs } from './queues-of-jobs.js'
import { Quota } from './quota.js'
import type { ReadReplanOptions } from './replan-options.js'
import type { RigidJobs } from './rigid-jobs.js'
import type { RigidLane } from './rigid-lane.js'
import type { RunTime, TimeLimits } from './time-limits.js'
import type { WaitingJobs } from './waiting-jobs.js'

const ONLY_IN_PLANS = 'jobs of which several stages start together, heterogeneous ones, start in plans alone, of which bf_interval -1 makes none: they never start, as in Slurm'

/** Numbers of jobs that a pass has looked at, tried and started. */
interface Counts {
  looked: number
  tried: number
  started: number
}

/**
 * The main pass of Slurm: jobs start in order until one that is old enough for a reservation does not fit. After that, jobs start only on
 * nodes that are not in its partition, whatever features of nodes it asks for. A job in a reservation keeps back only those behind it which name the same
 * one, and a job to which reservations or windows leave too little keeps back nobody. A job that lacks licences (`bf_licenses`) ends the pass.
 * Jobs that are one gang, Slurm's heterogeneous jobs, are left to the plan, as if they did not fit.
 *
 * Source: Slurm, slurmctld/job_scheduler.c.
 */
export class MainPass {
  readonly #jobs: RigidJobs
  readonly #waiting: WaitingJobs
  readonly #plans: readonly Plan[]
  readonly #queues: QueuesOfJobs
  readonly #limits: TimeLimits
  readonly #perQueue: number
  readonly #mostStarts: number
  readonly #makesPlans: boolean
  readonly #isNamed: boolean
  readonly #hasWindows: boolean
  /** Whether room by amounts says that a job may start now: nodes are not named, and there are no windows. */
  readonly #goesByAmounts: boolean
  readonly #tellPass: Env['tellPass']
  readonly #warn: Env['warn']
  readonly #places = new PlacesInQueue()
  /** Labels of partitions in which no more jobs start. */
  readonly #closed: string[] = []
  /** Whether the plan holds what runs now and what is closed. */
  #isBegun = false
  /** Whether the nodes found last are more than limits allow the job. */
  #isOver = false

  constructor(jobs: RigidJobs, { waiting, queues, limits }: { readonly waiting: WaitingJobs; readonly queues: QueuesOfJobs; readonly limits: TimeLimits }, plans: readonly Plan[], options: ReadReplanOptions, env: Env) {
    this.#jobs = jobs
    this.#waiting = waiting
    this.#plans = plans
    this.#queues = queues
    this.#limits = limits
    this.#perQueue = options.partition_job_depth
    this.#mostStarts = options.sched_max_job_start
    this.#makesPlans = options.bf_interval > 0
    this.#isNamed = options.nodes === 'named'
    this.#hasWindows = options.windows.length > 0
    this.#goesByAmounts = !this.#isNamed && !this.#hasWindows
    this.#tellPass = env.tellPass
    this.#warn = (message) => env.warn(message)
  }

  /** Looks at the first `depth` jobs, and one more as in Slurm; returns how many jobs started. */
  run(round: Round, lane: RigidLane, depth: number): number {
    const { waiting } = lane
    const counts = { looked: 0, tried: 0, started: 0 }
    this.#startInOrder(round, lane, depth, counts)
    if (waiting > 0) this.#tellPass?.({ kind: 'first', waiting, ...counts })
    return counts.started
  }

  #startInOrder(round: Round, lane: RigidLane, depth: number, counts: Counts): void {
    const waiting = this.#waiting
    const { jobs, queues } = this.#places
    waiting.read(round, this.#places, waiting.hasArrays || this.#perQueue > 0 || this.#queues.areSeveral ? Infinity : depth + 1)
    const arrays = new ArrayTasks(Infinity)
    const parts = new Quota(this.#perQueue)
    const starts = new Quota(this.#mostStarts)
    const instead = new PreemptingStarts(round, this.#plans[round.lane] as Plan, { licenses: waiting.licenses, queues: this.#queues })
    const stopped = new Set<string>() // reservations
    this.#closed.length = 0
    this.#isBegun = false
    for (let i = 0; i < jobs.length; i++) {
      const [job, queue] = [jobs[i] as JobId, queues[i]]
      if (!waiting.comeTo(job, queue, round) || instead.isAwaited(job)) continue
      const array = waiting.arrayOf(job)
      const part = this.#perQueue > 0 ? waiting.queueOf(job) : ''
      if (starts.isUsed()) return
      if (arrays.isDone(array) || parts.isUsed(part)) continue
      if (waiting.isThrottled(job)) {
        arrays.reject(array)
        continue
      }
      parts.use(part)
      if (counts.looked > depth) return
      counts.looked++
      if (lane.waits[job] !== true) {
        arrays.reject(array) // a limit holds it back since another job started
        continue
      }
      const held = round.limitsOf?.(job, queue)?.held
      const isBarred = waiting.isBarred(job, queue, round)
      if (held === 'number' || (isBarred && held === undefined)) {
        arrays.reject(array) // Slurm checks this limit before it looks for nodes: the job is passed over
        continue
      }
      if (waiting.licenses?.has(job) === false) return
      const reservation = waiting.reservationOf(job)
      if (stopped.has(reservation)) {
        arrays.reject(array)
        continue
      }
      counts.tried++
      if (!isBarred && this.#starts(job, round, lane, instead)) {
        starts.use()
        counts.started++
        arrays.start(array)
        continue
      }
      arrays.reject(array)
      if (!waiting.mayReserve(job, round) || this.#isOver || (round.nodesOf !== undefined && this.#begun(round).isOnTooMany?.(job, 'none') === true)) continue
      if (reservation !== '') {
        stopped.add(reservation)
        continue
      }
      if ((waiting.hasReservations || this.#hasWindows) && this.#begun(round).isReserved(job)) continue
      if (this.#isTooSmall(job, queue, round)) continue
      if (queue === undefined ? !this.#close(job, round) : !this.#closePlace(job, round)) return
    }
  }

  /**
   * Whether the nodes of its queue, or those of them that are not closed, can never be enough for the job. No plan is begun for one whose queue and whose own
   * description bound them in no way.
   */
  #isTooSmall(job: JobId, queue: string | undefined, round: Round): boolean {
    const isBounded = queue !== undefined || round.work.minNodes(job) > 1 || (this.#plans[round.lane]?.mostNodes?.(job) ?? Infinity) < Infinity
    return isBounded && this.#begun(round).isTooSmall?.(job) === true
  }

  /** Whether all of the job starts, if need be in the place of others. */
  #starts(job: JobId, round: Round, lane: RigidLane, instead: PreemptingStarts): boolean {
    this.#isOver = false
    if (round.work.isGangJob(job)) {
      if (!this.#makesPlans) this.#warn(ONLY_IN_PLANS)
      return false
    }
    if (this.#startAll(job, round, lane)) return true
    if (this.#isOver || round.makeRoom === undefined) return false
    this.#begun(round)
    return instead.start(job) === true
  }

  /** Starts all pieces of the job, as far as there is room; returns whether there was room for all. */
  #startAll(job: JobId, round: Round, lane: RigidLane): boolean {
    const time = this.#limits.atEvent(job, lane, round.now)
    while (lane.waits[job] === true) {
      if (!lane.fitsIn(lane.free, job) || !(this.#goesByAmounts || this.#startsNow(job, round, time))) return false
      this.#isOver = this.#isNamed && (this.#plans[round.lane] as Plan).isOnTooMany?.(job, 'now') === true
      if (this.#isOver) return false
      if (this.#isNamed) {
        if ((this.#plans[round.lane] as Plan).start(job, round, time)) continue
        this.#isBegun = false // it has a reservation now
        return false
      }
      this.#isBegun = false
      if (!this.#jobs.start(job, round, undefined, time.most < (lane.length[job] as number) ? time.most : Infinity)) return false
    }
    return true
  }

  /** Whether the job may start now beside windows and closed nodes; with named nodes it also finds the best nodes for it. */
  #startsNow(job: JobId, round: Round, time: RunTime): boolean {
    return this.#begun(round).earliest(job, round.now, round.now, time.most) === round.now
  }

  /** Lets no more jobs start in the partitions of the job; false if that is everywhere. */
  #close(job: JobId, round: Round): boolean {
    for (const { stage } of round.work.parts(job, round.lane)) {
      const partition = partitionOf(round.work.constraints(job, stage))
      if (partition === undefined) return false
      this.#closeOne(partition, round)
    }
    return true
  }

  /** The same for the queue of a place of the job. */
  #closePlace(job: JobId, round: Round): boolean {
    const { work, lane } = round
    for (const [label] of this.#queues.among(job, work.constraints(job, work.frontStage(job, lane))?.alike ?? [])) {
      if (isOfAllNodes(label)) return false
      this.#closeOne(label, round)
    }
    return true
  }

  #closeOne(partition: string, round: Round): void {
    if (this.#closed.includes(partition)) return
    this.#closed.push(partition)
    if (this.#isBegun) this.#plans[round.lane]?.close?.(partition)
  }

  /** The plan of what runs now and what is closed. */
  #begun(round: Round): Plan {
    const plan = this.#plans[round.lane] as Plan
    if (!this.#isBegun) {
      plan.begin(round)
      for (const partition of this.#closed) plan.close?.(partition)
      this.#isBegun = true
    }
    return plan
  }
}
