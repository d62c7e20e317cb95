import { defineOrder, type Plug } from '@sched/core'
import * as z from '@sched/bundled/zod'
import { ShareOrder, type ShareRule, type Shares } from './share-order.js'
import { ownerFields, settingsByPath, type OwnerOptions } from './sharing-options.js'

const roundRobinOptions = z.strictObject({
  ...ownerFields,
  by: ownerFields.by.describe('who takes turns: users, or queues at every level of their tree'),
  weights: z.record(z.string(), z.number().int().positive()).default({}).describe('tasks that a user or queue may start in its turn, by name; default 1'),
})
/** Options of `round-robin`; all may be left out. */
export interface RoundRobinOptions extends OwnerOptions {
  /** Tasks that a user or queue may start in its turn, by name; default 1. */
  readonly weights?: Readonly<Record<string, number>>
}

/**
 * Weighted round robin: the sharers take turns, and each starts as many tasks in its turn as its weight says, by default one. A
 * sharer that has had its turn goes to the end, as does one that begins to wait; one that cannot start anything keeps its place. A
 * start that is taken back in the round that made it does not cost the turn; one that a later conflict takes back does.
 *
 * Source: the survey's section 1; weighted round robin of networks, one task as the unit.
 */
export const roundRobinOrder = defineOrder({
  name: 'round-robin',
  summary: 'users or queues in turn',
  options: roundRobinOptions,
  create: (options, env) => {
    const weightOf = settingsByPath('weights', options.weights, options.by)
    return new ShareOrder(env, options, (shares) => turns(shares, weightOf))
  },
})

/** Everybody in turn. */
export const roundRobin = (options: RoundRobinOptions = {}): Plug<'order'> => roundRobinOrder.plug({}, options)

function turns({ cluster }: Shares, weightOf: ReadonlyMap<string, number>): ShareRule {
  const lanes = cluster.lanes.length
  const weight: number[] = []
  /** `[pool * lanes + lane]`: the number of the pool's next turn, the lowest being first, and the tasks left in it. */
  const turn: number[] = []
  const left: number[] = []
  /** For each start of this round the turn and the tasks left before it, so that withdrawing the start, newest first, undoes it. */
  const before: { readonly at: number; readonly turn: number; readonly left: number }[] = []
  let last = 0
  let serial = -1
  const toTheEnd = (pool: number, at: number) => {
    turn[at] = ++last
    left[at] = weight[pool] as number
  }
  const undo = (at: number) => {
    const i = before.findLastIndex((each) => each.at === at)
    const [was] = i < 0 ? [] : before.splice(i, 1)
    if (was === undefined) return
    turn[at] = was.turn
    left[at] = was.left
  }
  return {
    addPool({ id, path }) {
      weight[id] = weightOf.get(path) ?? 1
      for (let lane = 0; lane < lanes; lane++) {
        turn[id * lanes + lane] = 0
        left[id * lanes + lane] = 0
      }
      return 1
    },
    poolKey: (pool, lane) => turn[pool * lanes + lane] as number,
    jobKey: () => 0, // jobs do not share: the options offer no such order
    onJoin: (pool, lane) => toTheEnd(pool, pool * lanes + lane),
    onChange(pool, lane, sign, why) {
      const at = pool * lanes + lane
      if (why === 'withdrawn') undo(at)
      if (sign < 0) return
      before.push({ at, turn: turn[at] as number, left: left[at] as number })
      left[at] = (left[at] as number) - 1
      if (left[at] <= 0) toTheEnd(pool, at)
    },
    onBegin(round) {
      if (round.serial !== serial) before.length = 0
      serial = round.serial
      return false
    },
    memory: (pool, lane) => [turn[pool * lanes + lane] as number, left[pool * lanes + lane] as number],
    recall(pool, lane, [itsTurn = 0, itsLeft = 0]) {
      turn[pool * lanes + lane] = itsTurn
      left[pool * lanes + lane] = itsLeft
      last = Math.max(last, itsTurn)
    },
  }
}
