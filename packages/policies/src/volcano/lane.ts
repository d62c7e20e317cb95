import type { Env, LaneId, ResourceId } from '@sched/core'
import { KeyRows } from '../orders/ranked-ids.js'
import { Jobs } from './jobs.js'
import type { VolcanoSettings } from './options.js'
import type { Session } from './plugin.js'
import { tiersOf } from './plugins.js'
import type { Queue } from './queue.js'
import { Queues } from './queues.js'
import { QueueLine, Reading } from './reading.js'
import type { Tiers } from './tiers.js'

/** What Volcano opens a session on, of one lane: queues, jobs and plug-ins, kept from one session to the next. */
export class VolcanoLane {
  readonly session: Session
  readonly tiers: Tiers
  readonly jobs: Jobs
  readonly #env: Env

  constructor(settings: VolcanoSettings, env: Env, lane: LaneId) {
    const { cluster } = env
    const resources = cluster.lanes[lane]?.resources ?? []
    const ranks = new KeyRows(settings.tiers.flatMap(({ plugins }) => plugins).length)
    const whole = Float64Array.from(cluster.resources, (_, r) => Array.from({ length: cluster.nodes }, (__, node) => cluster.total(node as never, r as ResourceId)).reduce((sum, amount) => sum + amount, 0))
    this.#env = env
    this.session = { queues: new Queues(settings, cluster, ranks), resources, names: cluster.resources, total: whole.slice(), whole }
    this.tiers = tiersOf(settings, this.session)
    this.jobs = new Jobs(env, lane, this.session, this.tiers, ranks)
  }

  /** Brings up to date what plug-ins make of all queues. */
  open(): void {
    const { total, resources } = this.session
    for (const r of resources) {
      const capacity = this.#env.cluster.capacity(r as ResourceId)
      if (capacity === total[r]) continue
      total[r] = capacity
      this.jobs.isStale = true
      this.jobs.isChanged = true
    }
    if (this.jobs.isStale) this.#openTiers()
    this.jobs.isStale = false
  }

  #openTiers(): void {
    const { all } = this.session.queues
    this.tiers.open()
    for (const queue of all) queue.noteBounds()
  }

  /** Queues with jobs in that list, in line, and how far each has been read. */
  line(list: 'outside' | 'waiting'): { readonly line: QueueLine; readonly reading: (queue: Queue) => Reading } {
    const queues = this.session.queues.all.filter((queue) => queue[list].size > 0)
    const readings = new Map<Queue, Reading>()
    const reading = (queue: Queue): Reading => {
      const known = readings.get(queue) ?? new Reading(queue, list, this.jobs)
      readings.set(queue, known)
      return known
    }
    return { line: new QueueLine(queues, this.tiers), reading }
  }
}
