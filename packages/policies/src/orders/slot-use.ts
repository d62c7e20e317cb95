import { portableExp2, type Seconds } from '@sched/core'

const LOG2_10 = 3.321928094887362

/** Whole seconds up to which what is left of use is kept: more than 18 hours, in 512 KB. */
const KEPT = 2 ** 16

/**
 * How use decays: to a tenth in `tenth` seconds (0: it does not). Orders ask for it at every decision, for each that waits, and mostly for the same whole
 * seconds, so these are computed once.
 */
export class Decay {
  readonly tenth: Seconds
  /** By whole seconds; 0: not computed yet, or too little to matter. */
  #known: Float64Array | undefined

  constructor(tenth: Seconds) {
    this.tenth = tenth
  }

  /** What is left of 1 after so many seconds. */
  left(seconds: Seconds): number {
    if (this.tenth === 0) return 1
    if (!(seconds >= 0 && seconds < KEPT && Number.isInteger(seconds))) return this.#compute(seconds)
    const known = (this.#known ??= new Float64Array(KEPT))
    return (known[seconds] as number) || (known[seconds] = this.#compute(seconds))
  }

  #compute(seconds: Seconds): number {
    return portableExp2((-seconds / this.tenth) * LOG2_10)
  }
}

/**
 * What somebody uses and has used: slots, their run time, and use that decays. All times are in slots x
 * seconds. Reading changes nothing, so that it does not matter who reads when.
 */
export class SlotUse {
  /** In use now. */
  slots = 0
  /** Sums over the slots in use: of their starts; of those with an estimate their number and expected ends. */
  #starts = 0
  #estimated = 0
  #ends = 0
  /** Decayed use and decayed run time of what has ended, as of the last change. */
  #used = 0
  #past = 0
  #since: Seconds = 0
  readonly #decay: Decay

  constructor(decay: Decay) {
    this.#decay = decay
  }

  start(slots: number, start: Seconds, estimate: Seconds, now: Seconds): void {
    this.#change(slots, start, estimate, now)
  }

  /** `isPast`: whether its run time counts as that of something that has ended. */
  end(slots: number, start: Seconds, estimate: Seconds, now: Seconds, isPast: boolean): void {
    this.#change(-slots, start, estimate, now)
    if (isPast) this.#past += slots * (now - start)
  }

  /** Use so far, decayed. */
  cpuTime(now: Seconds): number {
    const passed = now - this.#since
    const { tenth } = this.#decay
    const left = this.#decay.left(passed)
    const added = tenth === 0 ? passed : ((1 - left) * tenth) / Math.LN10
    return this.#used * left + this.slots * added
  }

  /** For how long what is in use has run. */
  runTime(now: Seconds): number {
    return this.slots * now - this.#starts
  }

  /** For how long what has ended had run, decayed. */
  pastRunTime(now: Seconds): number {
    return this.#past * this.#decay.left(now - this.#since)
  }

  /** For how long what is in use may still run by its estimates; at least 0. */
  committed(now: Seconds): number {
    return Math.max(0, this.#ends - this.#estimated * now)
  }

  /** What is in use does not tell this. */
  memory(): number[] {
    return [this.#used, this.#past, this.#since]
  }

  recall([used = 0, past = 0, since = 0]: readonly number[]): void {
    this.#used = used
    this.#past = past
    this.#since = since
  }

  #change(slots: number, start: Seconds, estimate: Seconds, now: Seconds): void {
    this.#used = this.cpuTime(now)
    this.#past = this.pastRunTime(now)
    this.#since = now
    this.slots += slots
    this.#starts = this.slots === 0 ? 0 : this.#starts + slots * start
    if (estimate === Infinity) return
    this.#estimated += slots
    this.#ends = this.#estimated === 0 ? 0 : this.#ends + slots * (start + estimate)
  }
}
