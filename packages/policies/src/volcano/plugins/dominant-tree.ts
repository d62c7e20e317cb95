import { SchedError } from '@sched/core'
import { largestPart, type Amounts } from '../amounts.js'
import type { Session } from '../plugin.js'
import type { Queue, VolcanoJob } from '../queue.js'

/** A node of the tree: a name on the paths of queues, what the jobs of these queues have, and the parts inside it. */
interface Part {
  readonly name: string
  readonly weight: number
  readonly around: Part | undefined
  /** Parts inside it, by name. */
  readonly inside: Part[]
  readonly queues: Queue[]
  /** The amounts that it counts with, its dominant share of the nodes that are up, and whether it is saturated: nothing in it can grow any more. */
  readonly allocated: Amounts
  share: number
  isSaturated: boolean
  isSoiled: boolean
  /** The sum of `changes` of its queues when it was computed. */
  seen: number
}

/** A part or a job, which has a share. */
type Sharer = Pick<Part, 'allocated' | 'share' | 'isSaturated'>

/** Shares are rounded to steps of 1 / STEPS, so that shares which are equal but for rounding errors are equal. */
const STEPS = 2 ** 24

/**
 * Dominant shares of a tree of queues. A job is saturated if it has all that it asks for of a resource, or asks for one of which nothing is left; a
 * part is saturated if everything in it is. What is in a part and not saturated is scaled down to the smallest share among it, so that what one
 * child has beyond the others does not count against the part. Two queues are compared from the outside inwards: first comes the one whose part is
 * not saturated, then the one whose part has the smaller share by weight.
 *
 * A queue lies where its `hierarchy` says, otherwise in its parent, with its `weight`. Costs a look at the jobs of each queue that has
 * changed, and at all jobs when a resource becomes scarce or is scarce no more.
 *
 * Source: Volcano, plugins/drf (hdrf) and plugins/util (BuildEffectiveQueueHierarchy). Deviations: shares that differ only by rounding are
 * equal; of queues that are equal down to the depth of the less deep one, that one comes first; stages of a job that are not open ask
 * for nothing; every resource counts as cpu and memory do, even if a job has none of it.
 */
export class DominantTree {
  readonly #session: Session
  readonly #root: Part
  readonly #ways = new Map<Queue, readonly Part[]>()
  #known = 0
  /** By resource: whether nothing is left. */
  readonly #isScarce: boolean[] = []
  /** The total of the nodes and `changes` of the root when everything was last computed. */
  readonly #total: Amounts
  #seen = NaN

  /** Throws `BAD_OPTION` for an invalid hierarchy, and for two weights of one part. */
  constructor(session: Session) {
    this.#session = session
    this.#total = new Float64Array(session.names.length)
    this.#root = partOf('root', 1, undefined, session.names.length)
    this.#knowAll()
  }

  /** Below 0: queue a comes first. */
  compare(a: Queue, b: Queue): number {
    this.#knowAll()
    this.#refresh()
    const [wayA, wayB] = [this.#wayOf(a), this.#wayOf(b)]
    const depth = Math.min(wayA.length, wayB.length)
    for (let i = 0; i < depth; i++) {
      const [x, y] = [wayA[i] as Part, wayB[i] as Part]
      const order = Number(x.isSaturated) - Number(y.isSaturated) || weighted(x) - weighted(y)
      if (order !== 0) return order
    }
    return wayA.length - wayB.length
  }

  /** Pretends that the job has so much more (`sign` 1) or less (-1) and asks for as much as before; the caller must take it back. */
  move({ queue, allocated, pending }: VolcanoJob, demand: Amounts, sign: 1 | -1): void {
    const { root } = this.#session.queues
    for (const r of this.#session.resources) {
      const amount = sign * (demand[r] as number)
      allocated[r] = (allocated[r] as number) + amount
      pending[r] = (pending[r] as number) - amount
      root.allocated[r] = (root.allocated[r] as number) + amount
    }
    soil(this.#wayOf(queue).at(-1))
    this.#seen = NaN
  }

  /** Takes in queues that were made since the last call; a queue is made with its first job. */
  #knowAll(): void {
    const { all } = this.#session.queues
    if (this.#known === all.length) return
    for (const queue of all) this.#wayOf(queue)
    this.#known = all.length
  }

  #wayOf(queue: Queue): readonly Part[] {
    const known = this.#ways.get(queue)
    if (known !== undefined) return known
    const { hierarchy, hierarchyWeights, weight = 1 } = queue.settings
    const around = queue.parent?.parent === undefined ? [] : this.#wayOf(queue.parent)
    const own = (): Part => this.#partIn(around.at(-1) ?? this.#root, queue.name, weight)
    const way = hierarchy === undefined ? [...around, own()] : this.#given(queue.name, hierarchy, hierarchyWeights ?? '')
    this.#ways.set(queue, way)
    ;(way.at(-1) as Part).queues.push(queue)
    soil(way.at(-1))
    this.#seen = NaN
    return way
  }

  #given(queue: string, hierarchy: string, hierarchyWeights: string): Part[] {
    const [names, weights] = [hierarchy.split('/'), hierarchyWeights.split('/').map(Number)]
    const field = `queues.${queue}.hierarchy`
    const wrong = (fact: string, of: string, wayOut: string): SchedError => new SchedError('BAD_OPTION', fact, { field: of }, wayOut)
    if (names.length < 2 || names[0] !== 'root' || names.includes(''))
      throw wrong(`"${hierarchy}" is no way from the root to a queue.`, field, 'Write it as root/team/project.')
    if (weights.length !== names.length || !weights.every((weight) => weight > 0 && weight < Infinity))
      throw wrong(`"${hierarchyWeights}" are not the weights of "${hierarchy}".`, `${field}Weights`, 'Give each name a number above 0: 1/50/50.')
    const way: Part[] = []
    for (const [i, name] of names.entries()) {
      if (i === 0) continue
      const weight = Math.max(1, weights[i] as number)
      const part = this.#partIn(way.at(-1) ?? this.#root, name, weight)
      if (part.weight !== weight) throw wrong(`"${name}" has the weights ${part.weight} and ${weight}.`, `${field}Weights`, 'Give it one.')
      way.push(part)
    }
    return way
  }

  #partIn(around: Part, name: string, weight: number): Part {
    const known = around.inside.find((each) => each.name === name)
    if (known !== undefined) return known
    const made = partOf(name, weight, around, this.#session.names.length)
    const place = around.inside.findIndex((other) => other.name > name)
    around.inside.splice(place < 0 ? around.inside.length : place, 0, made)
    return made
  }

  #refresh(): void {
    const { queues, resources, total } = this.#session
    const { root } = queues
    let isOther = false
    for (const r of resources) {
      const isScarce = (root.allocated[r] as number) >= (total[r] as number)
      isOther ||= isScarce !== this.#isScarce[r] || total[r] !== this.#total[r]
      this.#isScarce[r] = isScarce
      this.#total[r] = total[r] as number
    }
    if (!isOther && this.#seen === root.changes) return
    this.#seen = root.changes
    this.#compute(this.#root, isOther)
  }

  /** Computes a part anew where something in it has changed; returns whether that is so. */
  #compute(part: Part, isAll: boolean): boolean {
    let isOther = isAll || part.isSoiled
    for (const each of part.inside) if (this.#compute(each, isAll)) isOther = true
    let changes = 0
    for (const queue of part.queues) changes += queue.changes
    if (!isOther && changes === part.seen) return false
    part.seen = changes
    part.isSoiled = false
    const jobs = part.queues.flatMap((queue) => [...queue.jobs].map((job) => this.#sharerOf(job)))
    this.#sum(part, [...part.inside, ...jobs])
    if (part.queues.some(({ outside }) => outside.size > 0)) part.isSaturated = false // jobs that wait to be enqueued ask for nothing yet
    return true
  }

  #sum(part: Part, sharers: readonly Sharer[]): void {
    const { resources, total } = this.#session
    const smallest = Math.min(1, ...sharers.filter(({ share, isSaturated }) => share > 0 && !isSaturated).map(({ share }) => share))
    part.allocated.fill(0)
    for (const { allocated, share, isSaturated } of sharers) {
      if (share === 0) continue
      const scale = isSaturated ? 1 : smallest / share
      for (const r of resources) part.allocated[r] = (part.allocated[r] as number) + scale * (allocated[r] as number)
    }
    part.share = largestPart(part.allocated, total, resources)
    part.isSaturated = sharers.every(({ isSaturated }) => isSaturated)
  }

  #sharerOf({ allocated, pending, spent }: VolcanoJob): Sharer {
    const { resources, total } = this.#session
    const isSaturated = resources.some((r) => {
      const has = allocated[r] as number
      const asks = has + (pending[r] as number) + (spent[r] as number)
      return asks > 0 && ((has > 0 && has >= asks) || this.#isScarce[r] === true)
    })
    return { allocated, share: largestPart(allocated, total, resources), isSaturated }
  }
}

const partOf = (name: string, weight: number, around: Part | undefined, width: number): Part => ({
  name, weight, around, inside: [], queues: [], allocated: new Float64Array(width), share: 0, isSaturated: true, isSoiled: true, seen: NaN,
})

const weighted = ({ share, weight }: Part): number => Math.round((STEPS * share) / weight) / STEPS

function soil(part: Part | undefined): void {
  for (let each = part; each !== undefined; each = each.around) each.isSoiled = true
}
