import type { JobId } from '@sched/core'
import { by, JobsInSystem, type MakeOrder } from '../reference/naive.js'

export interface Accounts {
  readonly [account: string]: Readonly<Record<string, number>>
}

/** A charge of so many units per second to `user` in `account`, from a time to another. */
interface Charge {
  readonly who: string
  readonly rate: number
  readonly from: number
  to: number
}

/** What everybody has been charged, one unit per second and running task: all of it is summed up anew whenever it is asked for. */
export class Ledger {
  readonly #running = new Map<number, Charge>()
  readonly #past: Charge[] = []
  readonly #now: () => number
  readonly #period: number

  /** Usage halves from one period to the next. */
  constructor(now: () => number, period: number) {
    this.#now = now
    this.#period = period
  }

  begin(task: number, who: string): void {
    this.#running.set(task, { who, rate: 1, from: this.#now(), to: Infinity })
  }

  end(task: number): void {
    const charge = this.#running.get(task) as Charge
    this.#running.delete(task)
    this.#past.push({ ...charge, to: this.#now() })
  }

  /** Usage as of a period's end. */
  usage(who: string, time: number): number {
    let sum = 0
    for (let start = 0; start + this.#period <= time; start += this.#period)
      sum = sum / 2 + [...this.#past, ...this.#running.values()].filter((each) => each.who === who).reduce((total, { rate, from, to }) => total + rate * Math.max(0, Math.min(to, start + this.#period) - Math.max(from, start)), 0)
    return sum
  }
}

/**
 * Fair tree over one level of accounts, as it is defined: at every decision all usage is summed up period by period, each
 * worth half of the next one, and all users are ranked anew.
 */
export const naiveFairShare =
  (shares: Readonly<Record<string, number>>, users: Accounts, period: number): MakeOrder =>
  ({ work, now }) => {
    const all = new JobsInSystem()
    const ledger = new Ledger(now, period)
    const seen = new Set(Object.entries(users).flatMap(([account, each]) => Object.keys(each).map((user) => `${account}/${user}`)))
    const homeOf = (user: string) => Object.keys(users).sort().find((account) => user in (users[account] as object)) ?? 'root'
    const who = (job: JobId) => {
      const user = work.userName(work.user(job))
      return `${homeOf(user)}/${user}`
    }
    /** Level fair shares of a user: of its account below the root (of itself if it has none), then of itself. */
    const levels = (time: number): Map<string, readonly [number, number, boolean]> => {
      const usages = new Map([...seen].map((key) => [key, ledger.usage(key, time)]))
      const of = (account: string) => [...seen].filter((key) => key.startsWith(`${account}/`))
      const sum = (keys: readonly string[]) => keys.reduce((total, key) => total + (usages.get(key) ?? 0), 0)
      const level = (share: number, allShares: number, used: number, allUsed: number) => (share === 0 ? 0 : used === 0 ? Infinity : share / allShares / (used / allUsed))
      const top = [...Object.keys(shares).map((account) => shares[account] ?? 0), ...of('root').map(() => 1)].reduce((a, b) => a + b, 0)
      return new Map<string, readonly [number, number, boolean]>(
        [...seen].map((key) => {
          const [account = '', user = ''] = key.split('/')
          if (account === 'root') return [key, [level(1, top, sum([key]), sum([...seen])), Infinity, true] as const]
          const siblings = of(account)
          const own = level(users[account]?.[user] ?? 1, siblings.reduce((total, each) => total + (users[account]?.[each.split('/')[1] ?? ''] ?? 1), 0), sum([key]), sum(siblings))
          return [key, [level(shares[account] ?? 1, top, sum(siblings), sum([...seen])), own, false] as const]
        }),
      )
    }
    return {
      onSubmit: (job) => {
        all.add(job)
        seen.add(who(job))
      },
      onFinish: all.remove,
      onClaim: (job, _lane, task) => ledger.begin(task, who(job)),
      onRelease: (_job, _lane, task) => ledger.end(task),
      list: (round) => {
        const level = levels(Math.floor(round.now / period) * period)
        const found = (job: JobId) => level.get(who(job)) as readonly [number, number, boolean]
        // a user at the root goes with the best of an account of the same value
        const best = (value: number) => Math.max(...[...level.values()].filter(([top, , isAlone]) => top === value && !isAlone).map(([, own]) => own), 0)
        const inside = (job: JobId) => (found(job)[2] ? best(found(job)[0]) : found(job)[1])
        return all.runnable(round).sort(by<JobId>((job) => -found(job)[0], (job) => -inside(job) || 0, (job) => work.rank(job)))
      },
    }
  }
