import type { JobId, NodeId, Plug, Round, TaskId } from '@sched/core'
import { forEachSlot, launch, naivePolicy, type MakeOrder } from './naive.js'

/** The first job in order that fits starts; without heartbeats on the lowest node it fits on. */
export const naiveGreedy = (order: MakeOrder): Plug<'policy'> =>
  naivePolicy((env) => {
    const jobs = order(env)
    const startOn = (nodes: readonly NodeId[], round: Round) =>
      jobs.list(round).some((job) => nodes.some((node) => launch(job, node, env.cluster.levels, round) !== undefined))
    return {
      ...jobs,
      schedule: (round) => {
        while (startOn(round.nodes, round));
      },
    }
  })

/** Algorithm 2: skipcount per job (and slot type), D1 opportunities for a node, D2 more for a rack, ... */
export const naiveSkipDelay = (order: MakeOrder, counts: number | readonly number[]): Plug<'policy'> =>
  naivePolicy((env) => {
    const jobs = order(env)
    const { levels } = env.cluster
    const skipCount = new Map<string, number>()
    const allowed = (key: string, job: JobId, round: Round): number => {
      if (!round.work.hasData(job, round.lane)) return levels
      const each = typeof counts === 'number' ? [counts] : counts
      let needed = 0
      for (let level = 0; level < levels; level++) {
        needed += each[level] ?? 0
        if ((skipCount.get(key) ?? 0) < needed) return level
      }
      return levels
    }
    const startOne = (node: NodeId, round: Round) =>
      jobs.list(round).some((job) => {
        if (!round.fits(job, node)) return false
        const key = `${round.work.rank(job)} ${round.lane}`
        const task = launch(job, node, allowed(key, job, round), round)
        if (task === undefined) {
          if (round.work.taskFor(job, round.lane, node, allowed(key, job, round)) < 0) skipCount.set(key, (skipCount.get(key) ?? 0) + 1)
          return false
        }
        if (round.work.level(task, node) === 0) skipCount.set(key, 0)
        return true
      })
    return { ...jobs, schedule: (round) => forEachSlot(round, startOneWithRoom(startOne)) }
  })

/** The state of a job in Algorithm 3. */
interface Waiting {
  readonly lane: number
  level: number
  wait: number
  skipped: boolean
}

/**
 * Algorithm 3 with waits W1, W2, ... Time counts between a heartbeat at which the job was skipped and the next one of any
 * node; without heartbeats between two passes of its lane.
 */
export const naiveDelay = (order: MakeOrder, waits: readonly number[]): Plug<'policy'> =>
  naivePolicy((env) => {
    const jobs = order(env)
    const { cluster } = env
    const states = new Map<string, Waiting>()
    let last = 0
    const lastPass = cluster.lanes.map(() => 0)
    const stateOf = (job: JobId, round: Round): Waiting => {
      const key = `${round.work.rank(job)} ${round.lane}`
      const state = states.get(key) ?? { lane: round.lane, level: 0, wait: 0, skipped: false }
      states.set(key, state)
      return state
    }
    const passTime = (gap: number, concerned: (state: Waiting) => boolean) => {
      for (const state of states.values()) {
        if (!concerned(state)) continue
        if (state.skipped) state.wait += gap
        state.skipped = false
      }
    }
    const waitFor = (state: Waiting, level: number): number => {
      let needed = 0
      for (let each = state.level; each < level; each++) needed += waits[each] ?? 0
      return needed
    }
    const allowed = (state: Waiting, job: JobId, round: Round): number => {
      if (!round.work.hasData(job, round.lane)) return cluster.levels
      let level = state.level
      while (level < cluster.levels && state.wait * (1 + 1e-9) >= waitFor(state, level + 1)) level++
      return level
    }
    const startOne = (node: NodeId, round: Round) =>
      jobs.list(round).some((job) => {
        if (!round.fits(job, node)) return false
        const state = stateOf(job, round)
        const within = allowed(state, job, round)
        const task: TaskId | undefined = launch(job, node, within, round)
        if (task === undefined) {
          if (round.work.taskFor(job, round.lane, node, within) < 0) state.skipped = true
          return false
        }
        state.level = round.work.level(task, node)
        state.wait = 0
        return true
      })
    /** Nothing else may happen before the first of the waits is over. */
    const wakeWhenOver = (round: Round) => {
      const skipped = [...states.values()].filter((state) => state.skipped && state.lane === round.lane)
      const thresholds = skipped.flatMap((state) => Array.from({ length: cluster.levels - state.level }, (_, i) => waitFor(state, state.level + i + 1) - state.wait))
      const left = Math.min(...thresholds.filter((seconds) => seconds > 0))
      if (left < Infinity) round.wakeAt(timeAfter(round.now, left))
    }
    return {
      ...jobs,
      onHeartbeat: (_, now) => {
        if (now === last) return // heartbeats of one instant are one
        passTime(now - last, () => true)
        last = now
      },
      schedule: (round) => {
        if (cluster.heartbeat === 0) {
          passTime(round.now - (lastPass[round.lane] ?? 0), (state) => state.lane === round.lane)
          lastPass[round.lane] = round.now
        }
        forEachSlot(round, startOneWithRoom(startOne))
        if (cluster.heartbeat === 0) wakeWhenOver(round)
      },
    }
  })

/** A node without a free slot is no opportunity; nor is one of a round that may start nothing more. */
const startOneWithRoom = (startOne: (node: NodeId, round: Round) => boolean) => (node: NodeId, round: Round) => round.room(node) && startOne(node, round)

/** The first time at which a wait is over; the sum may have been rounded to a little less. */
const timeAfter = (now: number, wait: number): number => (now + wait - now < wait ? (now + wait) * (1 + Number.EPSILON) : now + wait)
