import { None, type NodeId, type Placement, type Round } from '@sched/core'
import { Gang, startGang } from '../disciplines/gangs.js'
import { onlyNode, whyNoNode } from '../disciplines/lowest-fitting.js'
import { startNearest } from '../disciplines/start-nearest.js'
import type { FlavorChoices } from './flavor-choices.js'
import { FlavorRound } from './flavor-round.js'
import { isOf, type Flavor } from './flavor.js'
import type { Workload } from './workload.js'

/** Starts tasks of admitted workloads, on nodes of their flavors. */
export class Starts {
  /** Whether any job has a topology; without one no topology need be checked. */
  hasTopologies = false
  readonly #placement: Placement
  readonly #choices: FlavorChoices
  readonly #round = new FlavorRound()

  constructor(placement: Placement, choices: FlavorChoices) {
    this.#placement = placement
    this.#choices = choices
  }

  /** Starts as many tasks as must start together; false, and nothing changes, if there is no room for them. */
  start(workload: Workload, round: Round): boolean {
    const { job, lane } = workload
    if (round.work.together(job, lane) > 1) return startGang(job, round, (_, within) => this.#nodeFor(workload, within)) === Gang.Started
    const node = this.#nodeFor(workload, round)
    return node !== None && startNearest(job, node, round.cluster.levels, round)
  }

  /** Defers the job, with the reason why the placement has no node. */
  deferFar(workload: Workload, round: Round): void {
    const { reason, limit } = whyNoNode(workload.job, this.#within(this.#flavorOfNext(workload, round), round), this.#placement)
    round.defer(workload.job, reason, limit)
  }

  #within(flavor: Flavor, round: Round): Round {
    return flavor.has === undefined ? round : this.#round.within(flavor, round)
  }

  #nodeFor(workload: Workload, round: Round): NodeId | None {
    const { job, lane } = workload
    const own = this.#flavorOfNext(workload, round)
    if (round.nodes.length > 1 && this.hasTopologies && round.work.topology(job, lane) !== undefined) return this.#placement.pick(job, this.#within(own, round))
    if (round.nodes.length > 1) {
      const picked = this.#placement.pick(job, round)
      if (picked === None || isOf(own, picked)) return picked
    }
    if (round.nodes.length === 1 && onlyNode(job, round, this.#placement) === None) return None
    return round.nodes.find((node) => isOf(own, node) && round.fits(job, node)) ?? None
  }

  /** The flavor of the part to which the next task belongs. */
  #flavorOfNext({ job, lane, flavor, parts }: Workload, { work }: Round): Flavor {
    const { all } = this.#choices
    const own = all[flavor] as Flavor
    if (parts === undefined || own.ofParts === undefined) return own
    const stage = work.parts(job, lane)[0]?.stage
    return all[this.#choices.partOf(flavor, parts.findIndex((part) => part.stage === stage))] as Flavor
  }
}
