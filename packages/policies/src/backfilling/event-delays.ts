import type { LaneId, Round, Seconds, WorkListener } from '@sched/core'

/** By lane: when the first jobs were looked at for an event that may wait (`null`: never), and whether a job has ended since they were looked at. */
type DelaysMemory = readonly (readonly [looked: Seconds | null, hasEnded: boolean])[]

/**
 * At which events Slurm's main scheduler looks at the first jobs: `batch_sched_delay` seconds or more after it did so for an event before. When a job ends,
 * at once, unless `defer` is set.
 *
 * Source: Slurm, `_slurmctld_background` and `_slurm_rpc_epilog_complete` of slurmctld, which count in whole seconds.
 */
export class EventDelays implements WorkListener {
  readonly #delay: Seconds
  readonly #defer: boolean
  /** By lane: when the first jobs were looked at for an event that may wait. */
  readonly #looked: Float64Array
  /** Jobs that have ended, and by lane how many of them had ended when the first jobs were looked at. */
  #ended = 0
  readonly #seen: Float64Array
  /** Lanes in which a look goes on in later rounds, because decisions about single jobs take time and rounds still take jobs up. */
  readonly #goesOn = new Set<LaneId>()

  constructor({ batch_sched_delay, defer }: { readonly batch_sched_delay: Seconds; readonly defer: boolean }, lanes: number) {
    this.#delay = batch_sched_delay
    this.#defer = defer
    this.#looked = new Float64Array(lanes).fill(-Infinity)
    this.#seen = new Float64Array(lanes)
  }

  onFinish(): void {
    this.#ended++
  }

  /** When the first jobs are looked at next: now, or later. */
  next({ lane, now }: Round): Seconds {
    return (!this.#defer && this.#hasEnded(lane)) || this.#goesOn.has(lane) ? now : Math.max(now, (this.#looked[lane] as number) + this.#delay)
  }

  /** Notes that the first jobs, or all, were looked at. `isEmpty`: whether nobody waits any more. */
  note(round: Round, areAll: boolean, isEmpty: boolean): void {
    const { lane, now } = round
    const isAsked = round.claimsLeft === 0 // the round only asks which job is taken up; that one starts in a later round of its own
    if (isAsked && round.jobsLeft === 0) this.#goesOn.add(lane)
    else if (isAsked || isEmpty) this.#goesOn.delete(lane)
    if (this.#goesOn.has(lane)) return
    this.#seen[lane] = this.#ended
    if (areAll || now >= (this.#looked[lane] as number) + this.#delay) this.#looked[lane] = now
  }

  /** Without looks that go on: where decisions take time, no policy is asked for its memory. */
  memory(): DelaysMemory {
    return Array.from(this.#looked, (looked, lane) => [looked === -Infinity ? null : looked, this.#hasEnded(lane)] as const)
  }

  recall(memory: DelaysMemory): void {
    for (const [lane, [looked, hasEnded]] of memory.entries()) {
      this.#looked[lane] = looked ?? -Infinity
      this.#seen[lane] = this.#ended - Number(hasEnded)
    }
  }

  /** Whether a job has ended since the first jobs were looked at. */
  #hasEnded(lane: number): boolean {
    return this.#ended > (this.#seen[lane] as number)
  }
}
