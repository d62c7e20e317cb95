import { WrappedRound, type JobId, type NodeId, type Round } from '@sched/core'

/** How a job is started in the place of others in a round, on at most `most` nodes, of some alone. */
type Make = (job: JobId, may: (node: NodeId) => boolean, most: number, round: Round) => boolean | readonly NodeId[]

/** A round in which jobs find room in the place of others. */
export class PreemptingRound extends WrappedRound {
  readonly #make: Make
  #round!: Round

  constructor(make: Make) {
    super()
    this.#make = make
  }

  /** `seen`: the round as the policy inside sees it otherwise; `round`: that in which others are preempted. */
  of(seen: Round, round: Round): Round {
    this.inner = seen
    this.#round = round
    return this
  }

  override get makeRoom() {
    return this.#makeRoom
  }

  readonly #makeRoom = (job: JobId, may: (node: NodeId) => boolean, most = Infinity): boolean | readonly NodeId[] => this.#make(job, may, most, this.#round)
}
