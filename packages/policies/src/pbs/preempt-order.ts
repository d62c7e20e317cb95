import { SchedError, type Seconds } from '@sched/core'

/** What becomes of a preempted job: it is suspended, requeued or deleted. */
export type Method = 'suspend' | 'requeue' | 'cancel'

/** Methods, the first that can be comes first, for jobs that have at least so many percent of their walltime left. */
interface Step {
  readonly methods: readonly Method[]
  readonly least: number
}

const letters: Readonly<Record<string, Method | undefined>> = { S: 'suspend', C: undefined, R: 'requeue', D: 'cancel' }

/**
 * How jobs are preempted, by how much of their walltime is left (preempt_order): of `SR 80 R` the first where more than 80 % are. Jobs are not checkpointed.
 *
 * Source: OpenPBS, `get_preemption_order`; percents are whole numbers, rounded down, and a job without a walltime has all of it left.
 */
export class PreemptOrder {
  readonly #steps: readonly Step[]

  /** Throws `BAD_OPTION` for a text that is no such order. */
  constructor(text: string, field: string) {
    const words = text.trim().split(/\s+/)
    const isOrder = words.length % 2 === 1 && words.every((word, i) => (i % 2 === 0 ? /^(?!.*(.).*\1)[SCRD]+$/.test(word) : /^\d{1,2}$/.test(word) && Number(word) < Number(words[i - 2] ?? 100)))
    if (!isOrder) throw new SchedError('BAD_OPTION', `found the preemption order ${JSON.stringify(text)}.`, { field: `${field}.preempt_order` }, 'Write for example SCR, or SR 80 R for one that ends at 80 % of the walltime left.')
    this.#steps = words.flatMap((word, i) => (i % 2 === 1 ? [] : [{ methods: [...word].flatMap((letter) => letters[letter] ?? []), least: i + 1 < words.length ? Number(words[i + 1]) + 1 : -Infinity }]))
  }

  /** Whether any job may be suspended; `alone`: whether nothing else is done to any. */
  suspends(alone = false): boolean {
    const isIt = (method: Method) => method === 'suspend'
    return this.#steps.some(({ methods }) => methods.some(isIt)) && !(alone && this.#steps.some(({ methods }) => !methods.every(isIt)))
  }

  /** Whether some jobs cannot be preempted: where checkpointing is all that is named. */
  get leavesAlone(): boolean {
    return this.#steps.some(({ methods }) => methods.length === 0)
  }

  /** The methods for a job that has run so long of its walltime. */
  at(ran: Seconds, walltime: Seconds): readonly Method[] {
    const left = walltime === Infinity ? 100 : Math.max(1, Math.floor(100 - (ran / walltime) * 100))
    return (this.#steps.find(({ least }) => left >= least) as Step).methods
  }
}
