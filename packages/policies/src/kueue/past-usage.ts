import type { Env, Seconds, UserId } from '@sched/core'
import type { KueueSettings } from './options.js'

type Settings = NonNullable<KueueSettings['admissionFairSharing']>
/** The average, as of a time. */
type UserMemory = readonly [average: number, at: Seconds]
const NOTHING: UserMemory = [0, 0]

/** What users have used lately, where a queue goes by it. */
export function pastUsageOf({ admissionFairSharing, defaults, queues }: KueueSettings, env: Env, resources: readonly string[]): PastUsage | undefined {
  if ([defaults, ...Object.values(queues)].every(({ admissionMode }) => admissionMode !== 'UsageBasedAdmissionFairSharing')) return undefined
  return new PastUsage(admissionFairSharing, resources, (user) => env.work.userName(user))
}

/**
 * What users have used lately, over their weights: an average of what they have admitted, in which the past counts half
 * as much after every half-life. Who is admitted is charged for a sampling interval at once, so that many do not come in
 * before the first is noticed.
 *
 * Source: Kueue, admission fair sharing. Deviation: it changes all the time, not at every interval.
 */
export class PastUsage {
  readonly #settings: Settings
  readonly #perUnit: Float64Array
  readonly #nameOf: (user: UserId) => string
  readonly #average: number[] = []
  /** What is admitted now, by user and resource: whole amounts, of which nothing is left over when all have ended. */
  readonly #using: Float64Array[] = []
  readonly #at: Seconds[] = []
  /** Of users who had used something before a restart and have not come since. */
  readonly #before = new Map<string, UserMemory>()

  constructor(settings: Settings, resources: readonly string[], nameOf: (user: UserId) => string) {
    this.#settings = settings
    this.#perUnit = Float64Array.from(resources, (name) => settings.resourceWeights[name] ?? 1)
    this.#nameOf = nameOf
  }

  /** By user. */
  memory(): Readonly<Record<string, UserMemory>> {
    const present = this.#average.map((average, user) => [this.#nameOf(user as UserId), [average, this.#at[user] as Seconds]] as const)
    return Object.fromEntries([...this.#before, ...present.filter(Boolean)]) // without users who have used nothing
  }

  /** With what users have admitted now. */
  recall(memory: Readonly<Record<string, UserMemory>>): void {
    for (const [user, used] of Object.entries(memory)) this.#before.set(user, used)
    for (const user of this.#using.keys()) {
      const used = this.#using[user] === undefined ? undefined : this.#before.get(this.#nameOf(user as UserId))
      if (used === undefined) continue
      this.#before.delete(this.#nameOf(user as UserId))
      ;[this.#average[user], this.#at[user]] = used
    }
  }

  /** The user has so many tasks more, or fewer. */
  change(user: UserId, demand: ArrayLike<number>, tasks: number, now: Seconds): void {
    this.#advance(user, now)
    const using = this.#using[user] as Float64Array
    for (let r = 0; r < using.length; r++) using[r] = (using[r] as number) + (demand[r] as number) * tasks
  }

  /** So many tasks of the user are admitted. */
  enter(user: UserId, demand: ArrayLike<number>, tasks: number, now: Seconds): void {
    this.change(user, demand, tasks, now)
    this.#average[user] = (this.#average[user] as number) + this.#amount(demand, tasks) * (1 - this.#left(this.#settings.usageSamplingInterval))
  }

  /**
   * `Infinity` of a user without weight, whatever it has used (Kueue, CalculateUsage). Changes nothing: users who had the same at the same times have used as
   * much, to the last bit, however often each was asked for.
   */
  of(user: UserId, now: Seconds): number {
    const weight = this.#settings.users[this.#nameOf(user)]?.weight ?? 1
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

  /** The part that is left after so long; with a half-life of 0 nothing but the present counts. */
  #left(time: Seconds): number {
    const { usageHalfLifeTime } = this.#settings
    return usageHalfLifeTime === 0 ? (time === 0 ? 1 : 0) : 0.5 ** (time / usageHalfLifeTime)
  }
}
