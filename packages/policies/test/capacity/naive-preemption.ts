import type { JobId, LaneId, Round, ShapeId, TaskId } from '@sched/core'
import type { PreemptionFactors } from '@sched/policies'
import { by } from '../reference/naive.js'
import type { NaiveQueues } from './naive-queues.js'
import { naiveIdeal } from './naive-ideal.js'

// Preemption as the policy's text reads, over queues that add everything up. One partition.

export function naivePreemption(queues: NaiveQueues, drop: (reserved: NaiveQueues['reserved'][number]) => void): (round: Round) => void {
  const { env, options } = queues
  const { work } = env
  const { preemption } = options
  const { monitoringInterval = 3, maxWaitBeforeKill = 15, totalPreemptionPerRound = 0.1, maxIgnoredOverCapacity = 0.1, naturalTerminationFactor = 0.2 } = preemption ?? {}
  const factors: PreemptionFactors = { maxIgnoredOverCapacity, naturalTerminationFactor }
  const next = new Map<LaneId, number>()
  const marked = new Map<TaskId, { readonly since: number; readonly started: number }>()

  type Queue = NaiveQueues['root']
  const all = (queue: Queue): Queue[] => [queue, ...queue.children.flatMap(all)]
  /** What jobs of a leaf want and may have; what of it is not reserved. */
  function wants(leaf: Queue, lane: LaneId): { pending: number[]; unreserved: number[] } {
    const none = queues.total(lane).map(() => 0)
    const result = { pending: none, unreserved: none }
    const limit = queues.userLimit(leaf, lane)
    const waiting = queues.inOrder(leaf, lane)
    for (const user of new Set(waiting.map((job) => work.user(job)))) {
      const used = queues.sum(lane, (job) => queues.pathOf(job) === leaf.path && work.user(job) === user)
      const asked = (isLess: boolean) => {
        const sums = waiting.filter((job) => work.user(job) === user).map((job) => {
          const reserved = queues.sum(lane, (other) => other === job, isLess ? queues.reserved : [])
          return queues.demand(work.shape(job, lane), lane).map((each, i) => Math.max(0, work.unplaced(job, lane) * each - (reserved[i] ?? 0)))
        })
        return none.map((_, i) => Math.min(Math.max(0, (limit[i] ?? 0) - (used[i] ?? 0)), sums.reduce((sum, each) => sum + (each[i] ?? 0), 0)))
      }
      result.pending = asked(false).map((each, i) => each + (result.pending[i] ?? 0))
      result.unreserved = asked(true).map((each, i) => each + (result.unreserved[i] ?? 0))
    }
    return result
  }

  function choose(lane: LaneId): TaskId[] {
    const tree = all(queues.root).sort(by<Queue>(({ path }) => path.split('.').length))
    const total = queues.total(lane)
    const isLeaf = ({ children, path }: Queue) => children.length === 0 && path !== 'root'
    const wanted = tree.map((queue) => (isLeaf(queue) ? wants(queue, lane) : { pending: total.map(() => 0), unreserved: total.map(() => 0) }))
    const isOff = (queue: Queue) => tree.filter(({ path }) => `${queue.path}.`.startsWith(`${path}.`)).sort(by<Queue>(({ path }) => -path.length)).find((each) => each.options.disablePreemption !== undefined)?.options.disablePreemption === true
    const parentOf = (queue: Queue) => tree.findIndex(({ children }) => children.includes(queue))
    const allowed = total.map((each) => Math.floor(each * totalPreemptionPerRound))
    const { toObtain } = naiveIdeal({
      count: tree.length, width: total.length, total,
      parent: tree.map(parentOf),
      guaranteed: tree.flatMap(({ path }) => queues.guaranteed(path, lane)),
      most: tree.flatMap(({ path }) => queues.most(path, lane)),
      used: tree.flatMap((queue) => queues.used(queue, lane)),
      pending: wanted.flatMap(({ pending }) => pending),
      unreserved: wanted.flatMap(({ unreserved }) => unreserved),
      isProtected: tree.map((queue) => (isOff(queue) ? 1 : 0)),
      priority: tree.map((queue) => {
        const parent = tree[parentOf(queue)]
        return parent !== undefined && queues.ordersByPriority(parent) ? (queue.options.priority ?? 0) : 0
      }),
    }, factors, allowed)
    const chosen: TaskId[] = []
    for (const [id, leaf] of tree.entries()) {
      let left = toObtain.slice(id * total.length, (id + 1) * total.length)
      const takes = (shape: ShapeId): boolean => {
        const amounts = queues.demand(shape, lane)
        const after = left.map((each, i) => each - (amounts[i] ?? 0))
        const positive = (vector: number[]) => vector.map((each) => Math.max(0, each))
        if (!left.some((each) => each > 0) || amounts.some((each, i) => each > (allowed[i] ?? 0)) || queues.compare(positive(after), positive(left), lane) >= 0) return false
        left = after
        for (const [i, each] of amounts.entries()) allowed[i] = (allowed[i] ?? 0) - each
        return true
      }
      const inLeaf = queues.jobs.filter(({ path }) => path === leaf.path).map(({ job }) => job)
      for (const job of inLeaf.sort(by<JobId>((each) => -keyOf(leaf, each, lane), (each) => -work.rank(each)))) {
        for (const each of queues.reserved.filter((other) => other.job === job)) if (each.lane === lane && takes(each.shape)) drop(each)
        const tasks: TaskId[] = []
        work.runningTasks(job, lane, tasks)
        const running = tasks.filter((task) => !Number.isNaN(work.started(task)))
        for (const task of running.sort(by<TaskId>((each) => -work.started(each), (each) => -Number(each)))) if (takes(work.shapeOf(task))) chosen.push(task)
      }
    }
    return chosen
  }

  function keyOf(leaf: Queue, job: JobId, lane: LaneId): number {
    const memory = queues.sum(lane, (other) => other === job, queues.uses)[queues.memoryOf(lane)] ?? 0 // what is reserved does not count
    const wanted = work.unplaced(job, lane) === 0 ? 0 : work.unplaced(job, lane) * (queues.demand(work.shape(job, lane), lane)[queues.memoryOf(lane)] ?? 0)
    if (leaf.options.ordering === 'fair') return leaf.options.sizeBasedWeight === true ? memory / Math.log2(1 + Math.max(1, memory + wanted)) : memory
    return leaf.options.ordering === 'priority' ? -work.priority(job) : 0
  }

  return (round) => {
    const { now, lane, pending } = round
    if (preemption === undefined) return
    if (pending === 0) return void next.delete(lane)
    const due = next.get(lane) ?? Math.ceil(now / monitoringInterval) * monitoringInterval
    if (now >= due) {
      for (const task of choose(lane)) {
        const mark = marked.get(task)
        if (mark?.started !== work.started(task)) marked.set(task, { since: now, started: work.started(task) })
        else if (now - mark.since >= maxWaitBeforeKill) {
          marked.delete(task)
          round.evict(task)
        }
      }
      for (const [task, { since }] of marked) if (work.laneOf(task) === lane && since + 2 * maxWaitBeforeKill < now) marked.delete(task)
    }
    next.set(lane, now >= due ? (Math.floor(now / monitoringInterval) + 1) * monitoringInterval : due)
    round.wakeAt(next.get(lane) as number)
  }
}
