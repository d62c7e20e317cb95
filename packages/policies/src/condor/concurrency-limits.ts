import { listOf, SchedError, type Env, type JobId, type JobSpec, type WorkListener } from '@sched/core'
import type { NegotiatorSettings } from './options.js'

type Licenses = Readonly<Record<string, number>>
/** Amounts by name in small letters, the form in which names are compared. */
type Amounts = ReadonlyMap<string, number>

/**
 * Concurrency limits: of each name no more may be held at once than its limit allows, over the whole pool. Jobs ask for them as licences and hold them while
 * any of their tasks runs. Names are the same in capitals.
 *
 * Source: HTCondor, matchmaker.cpp (rejectForConcurrencyLimits), Accountant.cpp (GetLimitMax). Deviations: a job of several tasks holds its licences once; what a
 * task held that has ended counts no more at once, not only at the next cycle; a job that asks for more than a limit is refused, while there it waits for ever.
 */
export class ConcurrencyLimits implements WorkListener {
  readonly #work: Env['work']
  readonly #most: Amounts
  readonly #defaults: Amounts
  readonly #default: number
  /** By name in small letters: how much is held. */
  readonly #held = new Map<string, number>()
  /** By job: what it asks for. */
  readonly #asks: (Amounts | undefined)[] = listOf()
  /** Running tasks, by job that asks for anything. */
  readonly #running = new Map<JobId, number>()

  constructor({ CONCURRENCY_LIMIT, CONCURRENCY_LIMIT_DEFAULT, CONCURRENCY_LIMIT_DEFAULTS }: NegotiatorSettings, { work }: Pick<Env, 'work'>) {
    this.#work = work
    this.#most = inSmallLetters(CONCURRENCY_LIMIT, 'CONCURRENCY_LIMIT')
    this.#defaults = inSmallLetters(CONCURRENCY_LIMIT_DEFAULTS, 'CONCURRENCY_LIMIT_DEFAULTS')
    this.#default = CONCURRENCY_LIMIT_DEFAULT
  }

  admits({ licenses = {} }: JobSpec): string | undefined {
    for (const [name, asked] of asksOf(licenses) ?? []) if (asked > this.#limit(name)) return `it asks for ${asked} of the concurrency limit ${name}, which is ${this.#limit(name)}`
    return undefined
  }

  onSubmit(job: JobId): void {
    this.#asks[job] = asksOf(this.#work.licenses(job))
  }

  onClaim(job: JobId): void {
    const asks = this.#asks[job]
    if (asks === undefined) return
    const running = (this.#running.get(job) ?? 0) + 1
    this.#running.set(job, running)
    if (running === 1) this.#count(asks, 1)
  }

  onRelease(job: JobId): void {
    const asks = this.#asks[job]
    if (asks === undefined) return
    const running = (this.#running.get(job) as number) - 1
    if (running > 0) return void this.#running.set(job, running)
    this.#running.delete(job)
    this.#count(asks, -1)
  }

  /** The limit that keeps the next task of a job from starting; `undefined`: none does. */
  lacking(job: JobId): string | undefined {
    const asks = this.#asks[job]
    if (asks === undefined || this.#running.has(job)) return undefined
    for (const [name, asked] of asks) if ((this.#held.get(name) ?? 0) + asked > this.#limit(name)) return name
    return undefined
  }

  /** What a job asks for, the same text for the same: a claim takes only jobs that ask for the same as the one before. */
  asksFor(job: JobId): string {
    const asks = this.#asks[job]
    return asks === undefined ? '' : JSON.stringify([...asks])
  }

  /** The limit of a name: its own, else the default of what stands before its last dot, else that of all. */
  #limit(name: string): number {
    return this.#most.get(name) ?? (name.includes('.') ? this.#defaults.get(name.slice(0, name.lastIndexOf('.'))) : undefined) ?? this.#default
  }

  #count(asks: Amounts, sign: 1 | -1): void {
    for (const [name, asked] of asks) this.#held.set(name, (this.#held.get(name) ?? 0) + sign * asked)
  }
}

/** Amounts by name in small letters. Throws `BAD_OPTION` where a name comes twice so. */
function inSmallLetters(amounts: Licenses, option: string): Amounts {
  const small = new Map<string, number>()
  for (const [name, amount] of Object.entries(amounts)) {
    if (small.has(name.toLowerCase())) throw new SchedError('BAD_OPTION', `${option} names "${name}" twice, with other capitals, which do not matter.`, { field: `negotiator.${option}` }, 'Leave one of them out.')
    small.set(name.toLowerCase(), amount)
  }
  return small
}

/** What licences ask for, by name in small letters, the least name first; `undefined` where there are none. */
function asksOf(licenses: Licenses): Amounts | undefined {
  const asks = new Map<string, number>()
  for (const [name, amount] of Object.entries(licenses)) asks.set(name.toLowerCase(), (asks.get(name.toLowerCase()) ?? 0) + amount)
  return asks.size === 0 ? undefined : new Map([...asks].sort(([a], [b]) => (a < b ? -1 : 1)))
}
