import { ownValue, type Env, type Seconds, type UserId } from '@sched/core'
import { addTo } from '../shares/vectors.js'
import type { KueueSettings } from './options.js'

type Settings = NonNullable<KueueSettings['admissionFairSharing']>
/** A user's average usage, and the time for which it was computed. */
type UserMemory = readonly [average: number, at: Seconds]
const NOTHING: UserMemory = [0, 0]

/** What users have used lately; `undefined` if no queue orders by that. */
export function pastUsageOf({ admissionFairSharing, defaults, queues }: KueueSettings, env: Env, resources: readonly string[]): PastUsage | undefined {
  if ([defaults, ...Object.values(queues)].every(({ admissionMode }) => admissionMode !== 'UsageBasedAdmissionFairSharing')) return undefined
  return new PastUsage(admissionFairSharing, resources, (user) => env.work.userName(user))
}

/**
 * What users have used lately, over their weights: an average of their admitted amounts, in which the past counts half
 * as much after every half-life. A user is charged for a sampling interval at every admission, so that many workloads do not come in
 * before the first one counts.
 *
 * Source: Kueue, admission fair sharing. Deviation: it changes all the time, not at every interval.
 */
export class PastUsage {
  readonly #settings: Settings
  readonly #perUnit: Float64Array
  readonly #nameOf: (user: UserId) => string
  readonly #average: number[] = []
  /** By user and resource: what is admitted now. Amounts are whole, so that they are exactly 0 when all has ended. */
  readonly #using: Float64Array[] = []
  readonly #at: Seconds[] = []
  /** Usage of users from before a restart who have not come since. */
  readonly #before = new Map<string, UserMemory>()

  constructor(settings: Settings, resources: readonly string[], nameOf: (user: UserId) => string) {
    this.#settings = settings
    this.#perUnit = Float64Array.from(resources, (name) => ownValue(settings.resourceWeights, name) ?? 1)
    this.#nameOf = nameOf
  }

  /** Usage by name of the user. */
  memory(): Readonly<Record<string, UserMemory>> {
    const present = this.#average.map((average, user) => [this.#nameOf(user as UserId), [average, this.#at[user] as Seconds]] as const)
    return Object.fromEntries([...this.#before, ...present.filter(Boolean)]) // `filter` drops ids of users who have used nothing
  }

  /** Restores remembered usage; what users have admitted now is counted already. */
  recall(memory: Readonly<Record<string, UserMemory>>): void {
    for (const [user, used] of Object.entries(memory)) this.#before.set(user, used)
    for (const user of this.#using.keys()) {
      const used = this.#using[user] === undefined ? undefined : this.#before.get(this.#nameOf(user as UserId))
      if (used === undefined) continue
      this.#before.delete(this.#nameOf(user as UserId))
      ;[this.#average[user], this.#at[user]] = used
    }
  }

  /** The user has `tasks` more admitted tasks, or fewer if below 0. */
  change(user: UserId, demand: ArrayLike<number>, tasks: number, now: Seconds): void {
    this.#advance(user, now)
    addTo(this.#using[user] as Float64Array, demand, tasks)
  }

  /** So many tasks of the user are newly admitted: charges the user for a sampling interval. */
  enter(user: UserId, demand: ArrayLike<number>, tasks: number, now: Seconds): void {
    this.change(user, demand, tasks, now)
    this.#average[user] = (this.#average[user] as number) + this.#amount(demand, tasks) * (1 - this.#left(this.#settings.usageSamplingInterval))
  }

  /**
   * The usage of a user; `Infinity` for one without weight, whatever it has used (Kueue, CalculateUsage). Reading changes no state: users who had
   * the same at the same times have the same usage, to the last bit, however often each was read.
   */
  of(user: UserId, now: Seconds): number {
    const weight = ownValue(this.#settings.users, this.#nameOf(user))?.weight ?? 1
    return weight === 0 ? Infinity : this.#usage(user, now) / weight
  }

  #usage(user: UserId, now: Seconds): number {
    const using = this.#using[user]
    if (using === undefined) {
      const [average, at] = (this.#before.size > 0 && this.#before.get(this.#nameOf(user))) || NOTHING
      return average * this.#left(now - at)
    }
    const left = this.#left(now - (this.#at[user] as Seconds))
    return (this.#average[user] as number) * left + this.#amount(using, 1) * (1 - left)
  }

  #amount(demand: ArrayLike<number>, tasks: number): number {
    let amount = 0
    for (let r = 0; r < demand.length; r++) amount += (demand[r] as number) * (this.#perUnit[r] as number)
    return amount * tasks
  }

  #advance(user: UserId, now: Seconds): void {
    this.#average[user] = this.#usage(user, now)
    if (this.#before.size > 0) this.#before.delete(this.#nameOf(user))
    this.#using[user] ??= new Float64Array(this.#perUnit.length)
    this.#at[user] = now
  }

  /** The part of past usage that is left after `time` seconds; with a half-life of 0 only the present counts. */
  #left(time: Seconds): number {
    const { usageHalfLifeTime } = this.#settings
    return usageHalfLifeTime === 0 ? (time === 0 ? 1 : 0) : 0.5 ** (time / usageHalfLifeTime)
  }
}
