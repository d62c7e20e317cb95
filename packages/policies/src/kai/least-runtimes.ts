import type { Seconds } from '@sched/core'
import type { KaiOrder } from './kai.js'
import type { KaiSettings } from './options.js'
import { partingOf } from './parting.js'
import type { Queue } from './queues.js'
import type { Victim } from './victim.js'

type Kind = 'preemptMinRuntime' | 'reclaimMinRuntime'

/**
 * The time for which a job runs at least before the tasks that it cannot do without may be taken. It is set by the job's queue or the nearest queue
 * around it that sets one. For a taker of another queue the search begins at the queue where the two paths part, or with `reclaimResolveMethod:
 * 'queue'` at the job's own.
 *
 * Source: KAI Scheduler, plug-in `minruntime`. Deviation: a job runs since the first of its tasks started that still run.
 */
export class LeastRuntimes {
  readonly #order: KaiOrder
  readonly #now: () => Seconds
  readonly #usual: Readonly<Record<Kind, Seconds>>
  readonly #isByQueue: boolean
  /** Whether any job runs for a least time. */
  readonly areAny: boolean
  #next: Seconds = Infinity

  constructor(settings: KaiSettings, order: KaiOrder, now: () => Seconds) {
    const { defaultPreemptMinRuntime, defaultReclaimMinRuntime, reclaimResolveMethod, queues, defaults } = settings
    this.#order = order
    this.#now = now
    this.#usual = { preemptMinRuntime: defaultPreemptMinRuntime, reclaimMinRuntime: defaultReclaimMinRuntime }
    this.#isByQueue = reclaimResolveMethod === 'queue'
    const says = [defaults, ...Object.values(queues)].some((each) => (each.preemptMinRuntime ?? each.reclaimMinRuntime) !== undefined)
    this.areAny = says || defaultPreemptMinRuntime + defaultReclaimMinRuntime > 0
  }

  begin(): void {
    this.#next = Infinity
  }

  /** The first time at which a victim that was refused since `begin` may be taken; `Infinity`: none was refused. */
  get next(): Seconds {
    return this.#next
  }

  /** Of victims of one queue those that a job of the same queue may take. */
  preemptible(victims: readonly Victim[]): readonly Victim[] {
    return this.#after(victims, (path) => this.#least(path, path.length - 1, 'preemptMinRuntime'))
  }

  /** Of victims of one queue those that a job of another queue, with the path `taker`, may take. */
  reclaimable(victims: readonly Victim[], taker: readonly Queue[]): readonly Victim[] {
    return this.#after(victims, (path) => this.#least(path, this.#isByQueue ? path.length - 1 : partingOf(taker, path), 'reclaimMinRuntime'))
  }

  #after(victims: readonly Victim[], leastOf: (path: readonly Queue[]) => Seconds): readonly Victim[] {
    const [first] = victims
    if (!this.areAny || first === undefined) return victims
    const least = leastOf(this.#order.path(first.job))
    return least === 0 ? victims : victims.filter((each) => !each.isCore || this.#hasRun(each, least))
  }

  #hasRun({ since }: Victim, least: Seconds): boolean {
    const end = since + least
    if (end <= this.#now()) return true
    this.#next = Math.min(this.#next, end)
    return false
  }

  /** The time set by the queue at that depth, or by the nearest queue around it that sets one; else the default. */
  #least(path: readonly Queue[], depth: number, kind: Kind): Seconds {
    for (let at = depth; at >= 0; at--) {
      const own = path[at]?.[kind]
      if (own !== undefined) return own
    }
    return this.#usual[kind]
  }
}
