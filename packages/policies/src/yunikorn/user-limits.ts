import { ownValue, type ClusterView, type JobId, type ResourceId, type WorkView } from '@sched/core'
import { sparse, type Sparse } from './amounts.js'
import type { LimitSettings, YunikornSettings } from './options.js'
import type { Queue } from './queue-tree.js'

/** What a user or group may have in a queue and the queues inside it; `applications` is `Infinity` without a limit. */
interface Limit {
  readonly max: Sparse
  readonly applications: number
}
/** The limits of one queue, by name of the user and of the group, in the order in which they are given. */
interface QueueLimits {
  readonly users: ReadonlyMap<string, Limit>
  readonly groups: ReadonlyMap<string, Limit>
}
/** What a user or group has in a queue and the queues inside it. */
interface Usage {
  readonly amounts: Float64Array
  applications: number
}
/** A user or group for whose usage a job counts: its user, and the group that it is counted in. */
interface Holder {
  readonly kind: 'users' | 'groups'
  readonly name: string
  /** By queue. */
  readonly usage: Map<number, Usage>
}

const ANY = '*'

/**
 * Limits of users and groups, in each queue around a job. A user without a limit of its own in a queue has that of `*` there. A job counts for one
 * group: from its queue outwards the first group with a limit that its user is in, or `*` if that has a limit. All jobs counted in the group `*`
 * share its limit.
 *
 * Source: YuniKorn, package ugm (manager.go, queue_tracker.go).
 */
export class UserLimits {
  readonly #cluster: ClusterView
  readonly #work: WorkView
  readonly #groupsOf: YunikornSettings['groups']
  readonly #queues: readonly Queue[]
  /** By queue that has limits. */
  readonly #limits = new Map<number, QueueLimits>()
  readonly #holders = new Map<string, Holder>()
  readonly #ofJob: (readonly Holder[])[] = []

  constructor(queues: readonly Queue[], groups: YunikornSettings['groups'], cluster: ClusterView, work: WorkView) {
    this.#cluster = cluster
    this.#work = work
    this.#groupsOf = groups
    this.#queues = queues
    for (const { id, path, settings } of queues) if (settings.limits.length > 0) this.#limits.set(id, this.#read(settings.limits, `${path}.limits`))
  }

  /** Whether any queue has limits. */
  get areAny(): boolean {
    return this.#limits.size > 0
  }

  #read(given: readonly LimitSettings[], field: string): QueueLimits {
    const users = new Map<string, Limit>()
    const groups = new Map<string, Limit>()
    for (const [i, { users: named, groups: namedGroups, maxResources, maxApplications }] of given.entries()) {
      const limit = { max: sparse(maxResources, this.#cluster, `${field}.${i}.maxResources`), applications: maxApplications === 0 ? Infinity : maxApplications }
      for (const name of named) users.set(name, limit)
      for (const name of namedGroups) groups.set(name, limit)
    }
    return { users, groups }
  }

  /** Why a task that asks for so much can never run for a user, whatever else runs; `undefined` if it can. */
  tooLarge(around: readonly number[], user: string, group: string | undefined, asked: (resource: string) => number): string | undefined {
    const holders = this.#holdersOf(around, user, group)
    for (const { kind, name } of holders)
      for (const id of around)
        for (const [r, resource] of this.#cluster.resources.entries()) {
          const most = this.#limitOf(id, kind, name)?.max[r] as number
          if (asked(resource) > most)
            return `it asks ${asked(resource)} ${resource} at once, and ${nameOf({ kind, name })} may have ${most} ${resource} in queue "${this.#queues[id]?.path ?? ''}"`
        }
    return undefined
  }

  open(job: JobId, leaf: Queue, group: string | undefined): void {
    if (this.#limits.size > 0) this.#ofJob[job] = this.#holdersOf(leaf.around, this.#work.userName(this.#work.user(job)), group)
  }

  #holdersOf(around: readonly number[], user: string, group: string | undefined): readonly Holder[] {
    if (!around.some((id) => this.#limits.has(id))) return []
    const counted = this.#groupFor(around, [...(group === undefined ? [] : [group]), ...(ownValue(this.#groupsOf, user) ?? [])])
    return [this.#holder('users', user), ...(counted === undefined ? [] : [this.#holder('groups', counted)])]
  }

  #groupFor(around: readonly number[], groups: readonly string[]): string | undefined {
    if (groups.length === 0) return undefined
    for (let depth = around.length - 1; depth >= 0; depth--) {
      const named = this.#limits.get(around[depth] as number)?.groups
      if (named === undefined) continue
      for (const name of named.keys()) if (name !== ANY && groups.includes(name)) return name
      if (named.has(ANY)) return ANY
    }
    return undefined
  }

  #holder(kind: Holder['kind'], name: string): Holder {
    const key = `${kind} ${name}`
    const known = this.#holders.get(key) ?? { kind, name, usage: new Map<number, Usage>() }
    this.#holders.set(key, known)
    return known
  }

  #limitOf(queue: number, kind: Holder['kind'], name: string): Limit | undefined {
    const limits = this.#limits.get(queue)?.[kind]
    return limits?.get(name) ?? (kind === 'users' ? limits?.get(ANY) : undefined)
  }

  /** The limit, in words, that forbids a job to start tasks of these amounts, or to start at all; `undefined`: none. */
  forbids(job: JobId, around: readonly number[], isRunning: boolean, resources: readonly ResourceId[], asked: (r: ResourceId) => number): string | undefined {
    for (const holder of this.#ofJob[job] ?? [])
      for (const id of around) {
        const limit = this.#limitOf(id, holder.kind, holder.name)
        if (limit === undefined) continue
        const usage = holder.usage.get(id)
        if (!isRunning && (usage?.applications ?? 0) >= limit.applications) return this.#told('maxApplications', holder, id)
        for (const r of resources) {
          const amount = asked(r)
          if (amount > 0 && (usage?.amounts[r] ?? 0) + amount > (limit.max[r] as number)) return this.#told('maxResources', holder, id)
        }
      }
    return undefined
  }

  #told(what: string, holder: Holder, queue: number): string {
    return `${what} of ${nameOf(holder)} in ${this.#queues[queue]?.path ?? ''}`
  }

  change(job: JobId, around: readonly number[], r: ResourceId, amount: number): void {
    for (const holder of this.#ofJob[job] ?? [])
      for (const id of around) {
        if (!this.#limits.has(id)) continue
        const { amounts } = this.#usage(holder, id)
        amounts[r] = (amounts[r] as number) + amount
      }
  }

  count(job: JobId, around: readonly number[], by: 1 | -1): void {
    for (const holder of this.#ofJob[job] ?? []) for (const id of around) if (this.#limits.has(id)) this.#usage(holder, id).applications += by
  }

  #usage({ usage }: Holder, queue: number): Usage {
    const known = usage.get(queue) ?? { amounts: new Float64Array(this.#cluster.resources.length), applications: 0 }
    usage.set(queue, known)
    return known
  }
}

const nameOf = ({ kind, name }: Pick<Holder, 'kind' | 'name'>): string => `${kind === 'users' ? 'user' : 'group'} ${name}`
