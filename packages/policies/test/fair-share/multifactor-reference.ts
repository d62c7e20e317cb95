import type { JobId, LaneId, NodeId, WorkView } from '@sched/core'
import { portableExp2 } from '@sched/core'
import { by, JobsInSystem, type MakeOrder } from '../reference/naive.js'
import { Ledger, type Accounts } from './reference.js'

export interface Weights {
  readonly age: number
  readonly fairShare: number
  readonly jobSize: number
  readonly partition: number
  readonly site: number
  readonly maxAge: number
  readonly favorSmall: boolean
  readonly partitions: Readonly<Record<string, number>>
}

/** The classic factor of a user in an account below the root, or of one at the root itself. */
class Classic {
  readonly #users = new Map<string, readonly [account: string, user: string]>()

  constructor(
    private readonly shares: Readonly<Record<string, number>>,
    private readonly accounts: Accounts,
    private readonly work: WorkView,
  ) {
    for (const [account, users] of Object.entries(accounts)) for (const user of Object.keys(users)) this.#users.set(`${account}/${user}`, [account, user])
  }

  who = (job: JobId): string => {
    const user = this.work.userName(this.work.user(job))
    const account = Object.keys(this.accounts).sort().find((name) => user in (this.accounts[name] as object)) ?? 'root'
    this.#users.set(`${account}/${user}`, [account, user])
    return `${account}/${user}`
  }

  /** F = 2^(-UE / S), UE = UA + (UE of the account - UA) x share of its siblings. */
  factor(who: string, usage: (who: string) => number): number {
    const [account] = this.#users.get(who) as readonly [string, string]
    const all = [...this.#users.keys()]
    const sum = (keys: readonly string[]) => keys.map(usage).reduce((a, b) => a + b, 0)
    const ratio = (part: number, whole: number) => (whole === 0 ? 0 : part / whole)
    const inside = (name: string) => all.filter((key) => key.startsWith(`${name}/`))
    const top = [...Object.values(this.shares), ...inside('root').map(() => 1)].reduce((a, b) => a + b, 0)
    if (account === 'root') return portableExp2(-ratio(usage(who), sum(all)) / (1 / top))
    const normal = (this.shares[account] as number) / top
    const effective = ratio(sum(inside(account)), sum(all))
    const part = this.#share(who) / inside(account).map((key) => this.#share(key)).reduce((a, b) => a + b, 0)
    const actual = ratio(usage(who), sum(all))
    return portableExp2(-(actual + (effective - actual) * part) / (normal * part))
  }

  #share(who: string): number {
    const [account, user] = this.#users.get(who) as readonly [string, string]
    return this.accounts[account]?.[user] ?? 1
  }
}

/** Slurm's priority with the classic factor, computed for every job at every decision; without weights by the factor alone. */
export const naiveMultifactor =
  (shares: Readonly<Record<string, number>>, accounts: Accounts, period: number, weights?: Weights): MakeOrder =>
  ({ work, cluster, now }) => {
    const all = new JobsInSystem()
    const ledger = new Ledger(now, period)
    const classic = new Classic(shares, accounts, work)
    const sizeOf = (job: JobId, lane: LaneId, favorSmall: boolean) => {
      const parts = (cluster.lanes[lane]?.resources ?? []).map((r) => (work.together(job, lane) * work.demand(work.shape(job, lane), r)) / cluster.capacity(r))
      const size = Math.max(0, ...parts.filter((part) => part > 0))
      const all = Array.from({ length: cluster.nodes }, (_, node) => node as NodeId)
      const isAlone = work.isDistinct(work.shape(job, lane)) || (cluster.lanes[lane]?.resources ?? []).some((r) => all.every((node) => 2 * work.demand(work.shape(job, lane), r) > cluster.total(node, r)))
      const mean = cluster.nodes === 1 ? size : (size + (isAlone ? work.together(job, lane) : 1) / cluster.nodes) / 2
      return favorSmall ? 1 - mean : mean
    }
    const priority = (job: JobId, lane: LaneId, tick: number, usage: (who: string) => number, { age, fairShare, jobSize, partition, site, maxAge, favorSmall, partitions }: Weights) => {
      const waited = Math.min(1, Math.max(0, tick - work.submitted(job)) / maxAge)
      const share = classic.factor(classic.who(job), usage)
      const queue = (partitions[work.queueName(work.queue(job))] ?? 1) / Math.max(1, ...Object.values(partitions))
      return Math.max(1, Math.floor(age * waited + fairShare * share + jobSize * sizeOf(job, lane, favorSmall) + partition * queue + site * work.priority(job)))
    }
    return {
      onSubmit: (job) => {
        all.add(job)
        classic.who(job)
      },
      onFinish: all.remove,
      onClaim: (job, _lane, task) => ledger.begin(task, classic.who(job)),
      onRelease: (_job, _lane, task) => ledger.end(task),
      list: (round) => {
        const tick = Math.floor(round.now / period) * period
        const usages = new Map<string, number>()
        const usage = (who: string) => {
          const found = usages.get(who) ?? ledger.usage(who, tick)
          usages.set(who, found)
          return found
        }
        const score = (job: JobId) => (weights === undefined ? classic.factor(classic.who(job), usage) : priority(job, round.lane, tick, usage, weights))
        const scores = new Map(all.runnable(round).map((job) => [job, score(job)]))
        return all.runnable(round).sort(by<JobId>((job) => -(scores.get(job) as number), (job) => work.rank(job)))
      },
    }
  }
