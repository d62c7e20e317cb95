import type { JobId, LaneId, Round, Seconds, WorkListener } from '@sched/core'

/** What a plan has done that matters for the next one. */
interface Planned {
  /** Whether nobody waits any more. */
  readonly isEmpty: boolean
  /** Whether it changes something each time it is made, so that Slurm plans again and again although nothing happens. */
  readonly recurs: boolean
}

/** Plain data that survives JSON, by lane; times are `null` where there is none. */
interface PlanTimesMemory {
  readonly last: readonly (Seconds | null)[]
  readonly more: readonly (number | null)[]
  readonly next: readonly (Seconds | null)[]
  readonly event: readonly (Seconds | null)[]
}

/**
 * When Slurm's backfill plans: at the first change since the last plan, but no sooner than `bf_interval` seconds after that. So after a quiet time it plans
 * at the event itself. A change is an event, a look at the first jobs, or what the plan itself has done; plans without a change are not made here, but their
 * times count. Looks at the whole queue without plans (`isRegular`) are at multiples of their interval.
 *
 * Source: Slurm, `backfill_agent` and `_more_work` of sched/backfill; `_slurmctld_background` of slurmctld.
 * Deviation: Slurm looks for changes once a second, and here it does so at each event.
 */
export class PlanTimes implements WorkListener {
  readonly #interval: Seconds
  readonly #isRegular: boolean
  readonly #now: () => Seconds
  /** By lane: the last plan, and how many more Slurm makes after it, one every interval, although nothing happens. */
  readonly #last: Float64Array
  readonly #more: Float64Array
  /** By lane: the next plan, `Infinity` where nothing has changed since the last one; and the last event. */
  readonly #next: Float64Array
  readonly #event: Float64Array
  /** Lanes in which a plan goes on in later rounds, because decisions about single jobs take time and rounds still take jobs up. */
  readonly #goesOn = new Set<LaneId>()

  constructor(interval: Seconds, isRegular: boolean, lanes: number, now: () => Seconds) {
    this.#interval = interval
    this.#isRegular = isRegular
    this.#now = now
    this.#last = new Float64Array(lanes).fill(isRegular ? -interval : -Infinity)
    this.#more = new Float64Array(lanes).fill(isRegular ? Infinity : 0)
    this.#next = new Float64Array(lanes).fill(Infinity)
    this.#event = new Float64Array(lanes).fill(-Infinity)
  }

  onReady(_job: JobId, lane: LaneId): void {
    this.#note(lane)
  }
  onMore(_job: JobId, lane: LaneId): void {
    this.#note(lane)
  }
  onRelease(_job: JobId, lane: LaneId): void {
    this.#note(lane)
  }
  /** A start is an event, too; it happens in a round, which has asked for the next plan. */
  onClaim(_job: JobId, lane: LaneId): void {
    this.#event[lane] = this.#now()
  }
  onNode(): void {
    for (let lane = 0; lane < this.#next.length; lane++) this.#note(lane as LaneId)
  }

  #note(lane: LaneId): void {
    const now = this.#now()
    this.#change(lane, now)
    this.#event[lane] = now
  }

  /** When the next plan is made: now, or later. A round is a change itself. */
  next({ lane, now }: Round): Seconds {
    this.#change(lane, now)
    return this.#next[lane] as Seconds
  }

  #change(lane: LaneId, now: Seconds): void {
    if (this.#goesOn.has(lane)) return
    const next = this.#next[lane] as Seconds
    if (next < now) this.#made(lane, next, this.#isRegular) // nobody waited then
    else if (next < Infinity) return
    const last = this.#last[lane] as Seconds
    const silent = Math.max(0, Math.min(this.#more[lane] as number, Math.ceil((now - last) / this.#interval) - 1))
    this.#next[lane] = Math.max(now, last + (silent + 1) * this.#interval)
  }

  /** A plan was made at `time`. An event of that second is a change that Slurm finds an interval later. */
  #made(lane: LaneId, time: Seconds, recurs: boolean): void {
    this.#last[lane] = time
    this.#more[lane] = recurs ? Infinity : Number(this.#event[lane] === time)
    this.#next[lane] = Infinity
  }

  /** Notes that the plan that was due was made, or a part of it. */
  note({ lane, now, claimsLeft, jobsLeft }: Round, { isEmpty, recurs }: Planned): void {
    const isAsked = claimsLeft === 0 // the round only asks which job is taken up; that one starts in a later round of its own
    if (isAsked && jobsLeft === 0) this.#goesOn.add(lane)
    else if (isAsked || isEmpty) this.#goesOn.delete(lane)
    if (!this.#goesOn.has(lane)) this.#made(lane, now, recurs || this.#isRegular)
  }

  memory(): PlanTimesMemory {
    const plain = (times: Float64Array) => Array.from(times, (time) => (Number.isFinite(time) ? time : null))
    return { last: plain(this.#last), more: plain(this.#more), next: plain(this.#next), event: plain(this.#event) }
  }

  recall(memory: unknown): void {
    const { last, more, next, event } = memory as PlanTimesMemory
    for (let lane = 0; lane < this.#last.length; lane++) {
      this.#last[lane] = last[lane] ?? -Infinity
      this.#more[lane] = more[lane] ?? Infinity
      this.#next[lane] = next[lane] ?? Infinity
      this.#event[lane] = event[lane] ?? -Infinity
    }
  }
}
