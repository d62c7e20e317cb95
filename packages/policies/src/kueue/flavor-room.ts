import { ANYWHERE, type Demand, type Env, type GangPart, type NodeId, type ResourceId, type ShapeId, type StageSpec } from '@sched/core'
import { isWithin } from '../shares/vectors.js'
import { holds, type Flavor } from './flavor.js'
import type { Workload } from './workload.js'

/** Whether the nodes of a flavor could hold a workload if they were empty; found once for all workloads that ask for the same. */
export class FlavorRoom {
  readonly #env: Env
  readonly #flavors: readonly Flavor[]
  readonly #known = new Map<string, boolean>()

  constructor(env: Env, flavors: readonly Flavor[]) {
    this.#env = env
    this.#flavors = flavors
  }

  /** Whether the nodes could hold the workload; with `part`, whether they could hold that part alone. */
  canHold(flavor: number, { job, lane, shape, tasks, isWhole }: Workload, part?: number): boolean {
    const own = this.#flavors[flavor] as Flavor
    if (own.has === undefined) return true
    if (part !== undefined) return this.#holds(flavor, this.#env.work.parts(job, lane)[part] as GangPart)
    if (!isWhole) return this.#holds(flavor, { shape, tasks })
    const { work, cluster } = this.#env
    const asked = cluster.resources.map((_, r) => work.asked(job, lane, r as ResourceId))
    return isWithin(asked, own.capacity) && work.parts(job, lane).every((part) => this.#holds(flavor, part))
  }

  #holds(flavor: number, { shape, tasks }: Pick<GangPart, 'shape' | 'tasks'>): boolean {
    const key = `${flavor} ${shape} ${tasks}`
    const known = this.#known.get(key)
    if (known !== undefined) return known
    const stage = { name: '', tasks, duration: 0, demand: this.#demandOf(shape), constraints: ANYWHERE }
    const found = holds(this.#flavors[flavor] as Flavor, tasks, (node) => this.#roomOn(shape, stage, node))
    this.#known.set(key, found)
    return found
  }

  /** Tasks that the empty node holds, with as many slots as it can ever have; devices hold whole tasks only. */
  #roomOn(shape: ShapeId, stage: StageSpec, node: NodeId): number {
    const { work, cluster } = this.#env
    if (!work.mayRunOn(shape, node)) return 0
    return Math.min(work.isDistinct(shape) ? 1 : Infinity, cluster.couldHold(stage, node))
  }

  #demandOf(shape: ShapeId): Demand {
    const { work, cluster } = this.#env
    const asked = cluster.resources.map((name, r) => [name, work.demand(shape, r as ResourceId)] as const)
    return Object.fromEntries(asked.filter(([, amount]) => amount > 0))
  }
}
