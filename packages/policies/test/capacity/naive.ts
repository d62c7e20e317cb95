import type { CapacitySchedulerOptions } from '@sched/policies'
import type { JobId, LaneId, NodeId, Plug, ResourceId, Round, TaskId } from '@sched/core'
import { by, naivePolicy, type MakeOrder } from '../reference/naive.js'
import { naivePreemption } from './naive-preemption.js'
import { NaiveQueues } from './naive-queues.js'

/** Hooks that keep count of claims. */
const hooks = (queues: NaiveQueues) => {
  const { work } = queues.env
  return {
    onSubmit: (job: JobId) => queues.submit(job),
    onFinish: (job: JobId) => queues.finish(job),
    onClaim: (job: JobId, lane: LaneId, task: TaskId) => void queues.uses.push({ job, lane, shape: work.shapeOf(task) }),
    onRelease: (job: JobId, lane: LaneId, task: TaskId) =>
      void queues.uses.splice(queues.uses.findIndex((use) => use.job === job && use.lane === lane && use.shape === work.shapeOf(task)), 1),
  }
}

export const naiveCapacity =
  (options: CapacitySchedulerOptions): MakeOrder =>
  (env) => {
    const queues = new NaiveQueues(env, options)
    return { ...hooks(queues), list: ({ lane }) => queues.served(queues.root, lane, queues.total(lane), false).jobs.map(({ job }) => job) }
  }

/** The whole scheduler at heartbeats: delay, reservations, limits per heartbeat. */
export const naiveCapacityScheduler = (options: CapacitySchedulerOptions): Plug<'policy'> =>
  naivePolicy((env) => {
    const { cluster, work } = env
    const queues = new NaiveQueues(env, options)
    const { nodeLocalityDelay = 40, rackLocalityAdditionalDelay = -1, rackLocalityFullReset = true, multipleAssignments = true } = options
    const { maximumContainerAssignments = 100, maximumOffswitchAssignments = 1, reservations = true, reservationsContinueLookAllNodes: looksOn = true } = options
    const rack = Math.min(1, cluster.levels)
    const missed = new Map<string, number>()
    const again = new Map<string, number>()
    const places = new Map<string, number>()
    const largest = cluster.resources.map((_, r) => Math.max(...nodes().map((node) => cluster.total(node, r as ResourceId))))
    const keyOf = (job: JobId, lane: LaneId) => `${work.rank(job)} ${lane}`
    const reservedFor = (job: JobId, lane?: LaneId) => queues.reserved.filter((each) => each.job === job && (lane === undefined || each.lane === lane))

    function nodes(): NodeId[] {
      return Array.from({ length: cluster.nodes }, (_, node) => node as NodeId)
    }
    function drop(each: (typeof queues.reserved)[number]): void {
      queues.reserved.splice(queues.reserved.indexOf(each), 1)
      again.delete(keyOf(each.job, each.lane))
    }
    function wantsMore(job: JobId, lane: LaneId): boolean {
      const reserved = reservedFor(job, lane).filter(({ shape }) => shape === work.shape(job, lane)).length
      if (reserved === 0) return true
      const resources = queues.counted(lane)
      const part = Math.max(...resources.map((r) => work.demand(work.shape(job, lane), r) / (largest[r] ?? 1)))
      const most = Math.max(1, ...resources.map((r) => largest[r] ?? 0))
      const starvation = Math.floor(((again.get(keyOf(job, lane)) ?? 0) / reserved) * (1 - Math.min(part, (most - 1) / most)))
      return starvation + work.unplaced(job, lane) - reserved > 0
    }
    function within(job: JobId, lane: LaneId): number {
      if (!work.hasData(job, lane)) return cluster.levels
      const key = keyOf(job, lane)
      const count = (missed.get(key) ?? 0) + 1
      missed.set(key, count)
      const ups = nodes().filter((node) => cluster.up(node)).length
      const off = rackLocalityAdditionalDelay > -1 ? Math.min(ups, nodeLocalityDelay + rackLocalityAdditionalDelay) : undefined
      const asked = () => {
        const near = nodes().filter((node) => work.taskFor(job, lane, node, 0) >= 0)
        const known = places.get(key) ?? near.length + new Set(near.map((node) => (cluster.levels > 1 ? cluster.group(1, node) : 0))).size
        places.set(key, known)
        return known
      }
      if (count > (off ?? Math.min(ups, Math.fround(work.unplaced(job, lane) * Math.fround(Math.min(1, asked() / ups)))))) return cluster.levels
      return mayOnRack(count) ? rack : 0
    }
    function mayOnRack(count: number): boolean {
      return count > Math.min(nodes().filter((node) => cluster.up(node)).length, nodeLocalityDelay)
    }
    function note(job: JobId, lane: LaneId, level: number, isOff: boolean): void {
      if (!isOff && (level === 0 || rackLocalityFullReset)) missed.set(keyOf(job, lane), 0)
    }
    function offer(job: JobId, mustRelease: boolean, node: NodeId, round: Round): 'nothing' | 'reserved' | 'near' | 'off' {
      const { lane } = round
      const shape = work.shape(job, lane)
      const wants = wantsMore(job, lane)
      const resources = cluster.lanes[lane]?.resources ?? []
      if ((!wants && !looksOn) || !work.mayRunOn(shape, node)) return 'nothing'
      const levels = within(job, lane)
      if (resources.some((r) => work.demand(shape, r) > cluster.total(node, r))) return 'nothing'
      const task = work.taskFor(job, lane, node, levels)
      if (task < 0) return 'nothing'
      const level = work.level(task as TaskId, node)
      const isOff = level > rack || (level > 0 && !mayOnRack(missed.get(keyOf(job, lane)) ?? 0)) || !work.hasData(job, lane)
      if (round.fits(job, node)) {
        const [given] = !wants || mustRelease ? reservedFor(job, lane).filter((each) => each.shape === shape).sort(by(({ node: on }) => on)) : []
        if ((!wants || mustRelease) && given === undefined) return 'nothing'
        if (given !== undefined) drop(given)
        if (!round.claim(task as TaskId, node)) {
          if (given !== undefined) queues.reserved.push(given)
          return 'nothing'
        }
        note(job, lane, level, isOff)
        return isOff ? 'off' : 'near'
      }
      if (!reservations || !wants || mustRelease || resources.every((r) => work.demand(shape, r) <= cluster.free(node, r))) return 'nothing'
      note(job, lane, level, isOff)
      queues.reserved.push({ job, lane, shape, node })
      again.delete(keyOf(job, lane))
      return 'reserved'
    }
    function beat(node: NodeId, round: Round): void {
      const { lane } = round
      const reservation = queues.reserved.find((each) => each.node === node && each.lane === lane)
      if (reservation !== undefined) {
        const { job, shape } = reservation
        if (work.unplaced(job, lane) === 0 || work.shape(job, lane) !== shape) return drop(reservation)
        within(job, lane)
        if (!round.fits(job, node)) return void again.set(keyOf(job, lane), (again.get(keyOf(job, lane)) ?? 0) + 1)
        drop(reservation)
        if (!round.claim(work.taskFor(job, lane, node, cluster.levels) as TaskId, node)) queues.reserved.push(reservation)
        return
      }
      let started = 0
      let off = 0
      while (round.room(node) && started < (maximumContainerAssignments < 0 ? Infinity : maximumContainerAssignments) && off < maximumOffswitchAssignments && (multipleAssignments || started === 0)) {
        let result = 'nothing'
        for (const { job, mustRelease } of queues.served(queues.root, lane, queues.total(lane), looksOn).jobs)
          if ((result = offer(job, mustRelease, node, round)) !== 'nothing') break
        if (result === 'nothing' || result === 'reserved') return
        started++
        if (result === 'off') off++
      }
    }
    const look = naivePreemption(queues, drop)
    const { onSubmit, onFinish, ...counts } = hooks(queues)
    return {
      ...counts,
      onSubmit,
      onFinish: (job) => {
        for (const each of reservedFor(job)) drop(each)
        onFinish(job)
      },
      schedule: (round) => {
        look(round)
        for (const node of round.nodes) beat(node, round)
      },
    }
  })
