import { None, type NodeId, type Placement, type Round } from '@sched/core'
import { Gang, startGang } from '../disciplines/gangs.js'
import { startNearest } from '../disciplines/start-nearest.js'
import type { FlavorChoices } from './flavor-choices.js'
import { isOf, type Flavor } from './flavor.js'
import type { Workload } from './workload.js'

/** Starts tasks of admitted workloads, on nodes of their flavors. */
export class Starts {
  readonly #placement: Placement
  readonly #choices: FlavorChoices

  constructor(placement: Placement, choices: FlavorChoices) {
    this.#placement = placement
    this.#choices = choices
  }

  /** As many tasks as must start together; false, and nothing changes, where there is no room for them. */
  start(workload: Workload, round: Round): boolean {
    const { job, lane } = workload
    if (round.work.together(job, lane) > 1) return startGang(job, round, (_, within) => this.#nodeFor(workload, within)) === Gang.Started
    const node = this.#nodeFor(workload, round)
    return node !== None && startNearest(job, node, round.cluster.levels, round)
  }

  #nodeFor(workload: Workload, round: Round): NodeId | None {
    const { job } = workload
    const own = this.#flavorOfNext(workload, round)
    if (round.nodes.length > 1) {
      const picked = this.#placement.pick(job, round)
      if (picked === None || isOf(own, picked)) return picked
    }
    return round.nodes.find((node) => isOf(own, node) && round.fits(job, node)) ?? None
  }

  /** Of the part of which the next task is. */
  #flavorOfNext({ job, lane, flavor, parts }: Workload, { work }: Round): Flavor {
    const { all } = this.#choices
    const own = all[flavor] as Flavor
    if (parts === undefined || own.ofParts === undefined) return own
    const stage = work.parts(job, lane)[0]?.stage
    return all[this.#choices.partOf(flavor, parts.findIndex((part) => part.stage === stage))] as Flavor
  }
}
