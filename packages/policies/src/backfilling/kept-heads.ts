import { jobsByName, None, type Env, type JobId, type LaneId, type Round, type Seconds, type WorkListener } from '@sched/core'
import type { RigidJobs } from './rigid-jobs.js'
import type { RigidLane } from './rigid-lane.js'

/** A job with its shadow time; the rank identifies it, since another job may get its id later. */
interface Kept {
  head: JobId | None
  rank: number
  time: Seconds
}

/** The first job of each lane that had to wait, with the shadow time that it got then: `keepHead` of `strict` and `easy`. */
export class KeptHeads implements WorkListener {
  readonly #work: Env['work']
  readonly #lanes: readonly RigidLane[]
  readonly #kept: readonly Kept[]

  constructor({ work }: Pick<Env, 'work'>, lanes: readonly RigidLane[]) {
    this.#work = work
    this.#lanes = lanes
    this.#kept = lanes.map(() => ({ head: None, rank: NaN, time: NaN }))
  }

  /** Forgets a head that has started: if it is lost, fails or is preempted later, it waits like any other job. */
  onDrained(job: JobId, lane: LaneId): void {
    const kept = this.#kept[lane] as Kept
    if (kept.head === job) kept.head = None
  }

  /** Starts the kept head of the lane if there is room for it; returns it while it still waits, else `None`. */
  start(round: Round, jobs: RigidJobs, lane: RigidLane, mayStart: (job: JobId) => boolean = ANY): JobId | None {
    for (;;) {
      const head = this.find(lane)
      if (head === None || !lane.fitsIn(lane.free, head) || !mayStart(head) || !jobs.start(head, round)) return head
    }
  }

  /** The kept head of the lane, or `None` if it does not wait any more. */
  find({ lane, waits }: RigidLane): JobId | None {
    const { head, rank } = this.#kept[lane] as Kept
    return head !== None && waits[head] === true && this.#work.rank(head) === rank ? head : None
  }

  timeOf({ lane }: RigidLane): Seconds {
    return (this.#kept[lane] as Kept).time
  }

  keep({ lane }: RigidLane, head: JobId, time: Seconds): void {
    const kept = this.#kept[lane] as Kept
    kept.head = head
    kept.rank = this.#work.rank(head)
    kept.time = time
  }

  /** By lane: the name of the head and its shadow time, which is null if there is none that is finite. */
  memory(): readonly (readonly [job: string, time: Seconds | null] | null)[] {
    return this.#lanes.map((lane) => {
      const head = this.find(lane)
      const time = this.timeOf(lane)
      return head === None ? null : [this.#work.name(head), Number.isFinite(time) ? time : null]
    })
  }

  recall(memory: unknown): void {
    const jobs = jobsByName(this.#work)
    for (const [lane, kept] of (memory as ReturnType<KeptHeads['memory']>).entries()) {
      const head = kept === null ? undefined : jobs.get(kept[0])
      if (head !== undefined) this.keep(this.#lanes[lane] as RigidLane, head, kept?.[1] ?? Infinity)
    }
  }
}

const ANY = () => true
