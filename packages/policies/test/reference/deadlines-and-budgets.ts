import type { JobId, LaneId, TaskId, WorkView } from '@sched/core'
import { by, JobsInSystem, type MakeOrder } from './naive.js'

/** Everything that happened to the tasks of a job in a lane. */
class History {
  readonly running = new Map<string, Set<TaskId>>()
  readonly ended = new Map<string, number[]>()
  readonly #work: WorkView
  readonly #now: () => number

  constructor(work: WorkView, now: () => number) {
    this.#work = work
    this.#now = now
  }
  key = (job: JobId, lane: LaneId): string => `${this.#work.rank(job)} ${lane}`
  onClaim = (job: JobId, lane: LaneId, task: TaskId): void => {
    const key = this.key(job, lane)
    this.running.set(key, (this.running.get(key) ?? new Set()).add(task))
  }
  onRelease = (job: JobId, lane: LaneId, task: TaskId, _node: number, why: string): void => {
    const key = this.key(job, lane)
    this.running.get(key)?.delete(task)
    if (why === 'ended') this.ended.set(key, [...(this.ended.get(key) ?? []), this.#now() - this.#work.started(task)])
  }
}

/** Class and place in it: probes, needs, late jobs, the others. */
export const naiveAdaptive: MakeOrder = ({ work, cluster, now }) => {
  const all = new JobsInSystem()
  const history = new History(work, now)
  return {
    onSubmit: all.add,
    onFinish: all.remove,
    onClaim: history.onClaim,
    onRelease: history.onRelease,
    list: (round) => {
      const { lane } = round
      const standing = (job: JobId): readonly [number, number] => {
        const running = [...(history.running.get(history.key(job, lane)) ?? [])]
        const durations = history.ended.get(history.key(job, lane)) ?? []
        const left = work.deadline(job) - round.now
        const share = running.length / work.weight(job)
        if (left === Infinity) return [3, share]
        if (left <= 0) return [2, share]
        if (durations.length === 0) return running.length === 0 ? [0, 0] : [3, share]
        const mu = durations.reduce((a, b) => a + b, 0) / durations.length
        const rest = running.map((task) => Math.max(mu - (work.started(task) >= 0 ? round.now - work.started(task) : 0), 0)).reduce((a, b) => a + b, work.unplaced(job, lane) * mu)
        const need = Math.ceil(rest / left)
        const shape = work.shape(job, lane)
        const slots = Math.min(...(cluster.lanes[lane]?.resources ?? []).filter((r) => work.demand(shape, r) > 0).map((r) => Math.floor(cluster.capacity(r) / work.demand(shape, r))))
        if (left < mu || need > slots) return [2, share]
        return running.length < need ? [1, -need] : [3, share]
      }
      return all.runnable(round).sort(by<JobId>((job) => standing(job)[0], (job) => standing(job)[1], (job) => work.rank(job)))
    },
  }
}

export interface Purse {
  readonly budget: number
  readonly rate: number
}

/** At every interval all queues pay; between two of them the poorest for what it pays goes first. */
export const naiveDynamicPriority =
  (purses: Readonly<Record<string, Purse>>, interval: number): MakeOrder =>
  ({ work, now }) => {
    const all = new JobsInSystem()
    const budgets = new Map<string, number>(Object.entries(purses).map(([name, { budget }]) => [name, budget]))
    const shares = new Map<string, number>()
    const nameOf = (job: JobId) => work.queueName(work.queue(job))
    const running = new Map<string, number>()
    const waiting = new Map<string, number>()
    let paid = 0
    const pay = () => {
      while ((paid + 1) * interval <= now()) {
        paid++
        const names = [...new Set([...budgets.keys(), ...all.jobs.map(nameOf)])].sort()
        const state = names.map((name) => ({ name, b: budgets.get(name) ?? Infinity, s: purses[name]?.rate ?? 1, u: [...running].filter(([key]) => key.startsWith(`${name}/`)).reduce((sum, [, count]) => sum + count, 0), p: [...waiting].filter(([key]) => key.startsWith(`${name}/`)).reduce((sum, [, count]) => sum + count, 0) }))
        const price = state.filter(({ b, s, u, p }) => s <= b && (u > 0 || p > 0)).reduce((sum, { s }) => sum + s, 0)
        for (const { name, b, s, u, p } of state) {
          const isPaying = (u > 0 || p > 0) && b >= s * u && s <= b
          shares.set(name, isPaying && price > 0 ? s / price : 0)
          if (isPaying && u > 0) budgets.set(name, b - s * u)
        }
      }
    }
    const count = (counts: Map<string, number>, job: JobId, lane: LaneId, change: number) => {
      pay()
      const key = `${nameOf(job)}/${lane}`
      counts.set(key, (counts.get(key) ?? 0) + change)
    }
    return {
      onSubmit: (job) => {
        pay()
        all.add(job)
      },
      onFinish: (job) => {
        pay()
        budgets.set(nameOf(job), budgets.get(nameOf(job)) ?? Infinity)
        all.remove(job)
      },
      onReady: (job, lane) => count(waiting, job, lane, 1),
      onDrained: (job, lane) => count(waiting, job, lane, -1),
      onClaim: (job, lane) => count(running, job, lane, 1),
      onRelease: (job, lane) => count(running, job, lane, -1),
      list: (round) => {
        pay()
        const used = (job: JobId) => running.get(`${nameOf(job)}/${round.lane}`) ?? 0
        const share = (job: JobId) => shares.get(nameOf(job)) ?? 0
        return all.runnable(round).sort(by<JobId>((job) => (share(job) > 0 ? used(job) / share(job) : Infinity), (job) => (share(job) > 0 ? 0 : used(job)), nameOf, (job) => -work.priority(job), (job) => work.rank(job)))
      },
    }
  }
