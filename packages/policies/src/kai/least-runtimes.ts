import type { Seconds } from '@sched/core'
import type { KaiOrder, Queue } from './kai.js'
import type { KaiSettings } from './options.js'
import { partingOf } from './parting.js'
import type { Victim } from './victim.js'

type Kind = 'preemptMinRuntime' | 'reclaimMinRuntime'

/**
 * How long jobs run at least before what they cannot do without is taken, as the queues say: the one that does or the next around it. For another queue
 * it is asked from that on which lies beside the taker's or one around it, or (`queue`) from the job's own.
 *
 * Source: KAI Scheduler, plug-in `minruntime`. Deviation: a job runs since the first of its tasks started that still run.
 */
export class LeastRuntimes {
  readonly #order: KaiOrder
  readonly #now: () => Seconds
  readonly #usual: Readonly<Record<Kind, Seconds>>
  readonly #isByQueue: boolean
  readonly #isAny: boolean
  #next: Seconds = Infinity

  constructor(settings: KaiSettings, order: KaiOrder, now: () => Seconds) {
    const { defaultPreemptMinRuntime, defaultReclaimMinRuntime, reclaimResolveMethod, queues, defaults } = settings
    this.#order = order
    this.#now = now
    this.#usual = { preemptMinRuntime: defaultPreemptMinRuntime, reclaimMinRuntime: defaultReclaimMinRuntime }
    this.#isByQueue = reclaimResolveMethod === 'queue'
    const says = [defaults, ...Object.values(queues)].some((each) => (each.preemptMinRuntime ?? each.reclaimMinRuntime) !== undefined)
    this.#isAny = says || defaultPreemptMinRuntime + defaultReclaimMinRuntime > 0
  }

  begin(): void {
    this.#next = Infinity
  }

  /** When the first of those may be taken that could not since; `Infinity`: there was none. */
  get next(): Seconds {
    return this.#next
  }

  /** Of victims of one queue those that a job of it may take. */
  preemptible(victims: readonly Victim[]): readonly Victim[] {
    return this.#after(victims, (path) => this.#least(path, path.length - 1, 'preemptMinRuntime'))
  }

  /** Of victims of one queue those that a job of the other path may take. */
  reclaimable(victims: readonly Victim[], taker: readonly Queue[]): readonly Victim[] {
    return this.#after(victims, (path) => this.#least(path, this.#isByQueue ? path.length - 1 : partingOf(taker, path), 'reclaimMinRuntime'))
  }

  #after(victims: readonly Victim[], leastOf: (path: readonly Queue[]) => Seconds): readonly Victim[] {
    const [first] = victims
    if (!this.#isAny || first === undefined) return victims
    const least = leastOf(this.#order.path(first.job))
    return least === 0 ? victims : victims.filter((each) => !each.isCore || this.#hasRun(each, least))
  }

  #hasRun({ since }: Victim, least: Seconds): boolean {
    const end = since + least
    if (end <= this.#now()) return true
    this.#next = Math.min(this.#next, end)
    return false
  }

  /** What the queue at that depth says, or the next around it that does. */
  #least(path: readonly Queue[], depth: number, kind: Kind): Seconds {
    for (let at = depth; at >= 0; at--) {
      const own = path[at]?.[kind]
      if (own !== undefined) return own
    }
    return this.#usual[kind]
  }
}
