import { WrappedRound, type JobId, type NodeId, type Round } from '@sched/core'

/** On which nodes alone a job may start, and on how many at most; and in which of its queues, if it has several. */
export interface RoomAsked {
  readonly may: (node: NodeId) => boolean
  readonly most: number
  readonly queue: string | undefined
}

/** What is done in a round in which others are preempted: a job starts in their place; and a job of several queues starts in one of them. */
interface Preempting {
  makeRoom(job: JobId, asked: RoomAsked, round: Round): boolean | readonly NodeId[]
  startIn(job: JobId, queue: string, round: Round): void
}

/** A round in which jobs find room in the place of others. */
export class PreemptingRound extends WrappedRound {
  readonly #preempting: Preempting
  #round!: Round
  #acts = false

  constructor(preempting: Preempting) {
    super()
    this.#preempting = preempting
  }

  /** `seen`: the round as the policy inside sees it otherwise; `round`: that in which others are preempted; `acts`: whether anybody may be. */
  of(seen: Round, round: Round, acts: boolean): Round {
    this.inner = seen
    this.#round = round
    this.#acts = acts
    return this
  }

  override get makeRoom() {
    return this.#acts ? this.#makeRoom : undefined
  }

  override get startIn() {
    return this.#startIn
  }

  readonly #makeRoom = (job: JobId, may: (node: NodeId) => boolean, most = Infinity, queue?: string): boolean | readonly NodeId[] =>
    this.#preempting.makeRoom(job, { may, most, queue }, this.#round)

  readonly #startIn = (job: JobId, queue: string): void => this.#preempting.startIn(job, queue, this.#round)
}
