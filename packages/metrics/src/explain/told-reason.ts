import { Reason, reasonNames, type Seconds } from '@sched/core'

/** There is room. The name of this reason depends on how long the room is left unused. */
export const UNUSED = 'unused'
/** Names of the reasons for that. */
export const BEHIND = reasonNames[Reason.Order] as string
export const HEARTBEAT = 'next heartbeat'

/** What a policy said last of a job in a lane: why it passed over it. */
export class ToldReason {
  #reason: Reason | undefined
  #at: Seconds = NaN
  #limit: string | undefined

  /** False: it is of a single node, and the policy has told of all at this instant, so that nothing changes. */
  defer(reason: Reason, now: Seconds, limit: string | undefined): boolean {
    if (reason === Reason.NoRoom && limit === undefined && this.#isToldWhere() && this.#at === now) return false
    this.#limit = limit
    this.#reason = reason
    this.#at = now
    return true
  }

  /** A task of another job starts: a policy that still holds the job back for a limit says so in the same round, before others start. */
  othersStart(now: Seconds): void {
    if ((this.#reason === Reason.Limit || this.#isToldWhere()) && this.#at < now) this.#reason = undefined
  }

  /** A task of the job itself starts: what was said before is over. */
  ownStarts(now: Seconds): void {
    if (this.#at < now) this.#reason = undefined
  }

  /** The reason that holds if there is room as `isRoom` says, which is asked only where it matters. */
  why(isRoom: () => boolean): string {
    const given = this.#reason
    if (given === Reason.Limit || this.#isToldWhere()) return this.#named(given as Reason)
    if (!isRoom()) return reasonNames[Reason.NoRoom]
    return given === Reason.Locality || given === Reason.Rule || given === Reason.Reservation ? this.#named(given) : UNUSED
  }

  /** Whether the policy knows the nodes that the job may use, which the job does not ask for itself, and has found no room on them. */
  #isToldWhere(): boolean {
    return this.#reason === Reason.NoRoom && this.#limit !== undefined
  }

  /** The name of a reason, with the limit, rules or nodes that the policy named. */
  #named(reason: Reason): string {
    return `${reasonNames[reason] as string}${this.#limit === undefined ? '' : ` ${this.#limit}`}`
  }
}
