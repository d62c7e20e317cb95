import { FirstFit, None, type Env, type JobId, type NodeId, type Placement, type Round, type WorkListener } from '@sched/core'
import { companyOf, runningOf } from './beside-company.js'
import { bestBy, type Score } from './best-by.js'
import { nodesByRack, rackOf, TaskCounts, type InRack } from './task-counts.js'

/** How close the node is to tasks of the job. */
export const company = (counts: TaskCounts): Score => (node, job, round) => companyOf(counts.inRack(job, node), counts.onNode(job, node), runningOf(job, round))

/**
 * Places every task with the most or the fewest tasks of its job: in the rack, then on the node; ties to the lowest node. In
 * rounds over the whole cluster it looks at racks in order of their tasks, so that a pick does not look at every
 * node; in other rounds (heartbeats, offers) it asks each node in sight.
 */
export class ByCompany implements Placement {
  readonly hooks: WorkListener
  readonly #counts: TaskCounts
  readonly #sign: 1 | -1
  readonly #score: Score
  readonly #anywhere = new FirstFit()
  /** By rack: its nodes, lowest first. */
  readonly #members: readonly (readonly NodeId[])[]

  constructor({ cluster }: Env, which: 'most' | 'fewest') {
    this.#counts = new TaskCounts(cluster)
    this.hooks = this.#counts.hooks
    this.#sign = which === 'most' ? 1 : -1
    const score = company(this.#counts)
    this.#score = (node, job, round) => this.#sign * score(node, job, round)
    this.#members = nodesByRack(cluster)
  }

  pick(job: JobId, round: Round): NodeId | None {
    if (round.nodes.length < round.cluster.nodes) return bestBy(this.#score, job, round)
    const lowest = this.#anywhere.pick(job, round)
    const racks = this.#counts.racks(job)
    if (lowest === None || racks === undefined) return lowest
    const apart = this.#sign === 1 ? None : this.#lowestOutside(racks, lowest, job, round)
    if (apart !== None) return apart
    for (const tied of byTotal(racks, this.#sign)) {
      const node = this.#within(tied, job, round)
      if (node !== None) return node
    }
    return lowest
  }

  /** The lowest node from `from` on on which the task fits and that is in none of these racks. */
  #lowestOutside(racks: ReadonlyMap<number, unknown>, from: NodeId, job: JobId, round: Round): NodeId | None {
    const { cluster, lane } = round
    for (let node: NodeId | None = from; node !== None; node = cluster.nextWithRoom(lane, node + 1)) {
      const rack = rackOf(cluster, node)
      if (!racks.has(rack)) {
        if (round.fits(job, node)) return node
        continue
      }
      const members = this.#members[rack] as readonly NodeId[]
      const last = members.at(-1) as NodeId
      if (last - (members[0] as NodeId) === members.length - 1) node = last // the rack's nodes are consecutive, so all of it can be skipped
    }
    return None
  }

  /** The best node in racks with equally many tasks. */
  #within(racks: readonly Rack[], job: JobId, round: Round): NodeId | None {
    if (this.#sign === 1) {
      const beside = mostOrFewest(racks, 1, job, round)
      return beside === None ? this.#lowestWithout(racks, job, round) : beside
    }
    const apart = this.#lowestWithout(racks, job, round)
    return apart === None ? mostOrFewest(racks, -1, job, round) : apart
  }

  /** The lowest node on which the task fits and that has no task of the job. */
  #lowestWithout(racks: readonly Rack[], job: JobId, round: Round): NodeId | None {
    const { cluster, lane } = round
    let lowest: NodeId | None = None
    for (const [rack, { onNode }] of racks)
      for (const node of this.#members[rack] as readonly NodeId[]) {
        if (lowest !== None && node > lowest) break
        if (!cluster.hasRoom(lane, node) || onNode.has(node) || !round.fits(job, node)) continue
        lowest = node
        break
      }
    return lowest
  }
}

type Rack = readonly [rack: number, tasks: Readonly<InRack>]

/** Of the nodes with tasks of the job on which another one fits: the one with the most or the fewest. */
function mostOrFewest(racks: readonly Rack[], sign: 1 | -1, job: JobId, round: Round): NodeId | None {
  let best: NodeId | None = None
  let highest = -Infinity
  for (const [, { onNode }] of racks)
    for (const [node, count] of onNode) {
      const value = sign * count
      if (value < highest || (value === highest && node > (best as number)) || !round.fits(job, node)) continue
      best = node
      highest = value
    }
  return best
}

/** Racks in groups of equally many tasks, those with the most or the fewest first. */
function* byTotal(racks: ReadonlyMap<number, Readonly<InRack>>, sign: 1 | -1): Iterable<Rack[]> {
  const sorted = [...racks].sort(([, a], [, b]) => sign * (b.total - a.total))
  for (let from = 0, to = 0; from < sorted.length; from = to) {
    const [, { total }] = sorted[from] as Rack
    while (to < sorted.length && sorted[to]?.[1].total === total) to++
    yield sorted.slice(from, to)
  }
}
