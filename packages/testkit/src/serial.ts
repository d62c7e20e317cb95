import { defineArchitecture, type LaneId, type NodeId, type OptionsSchema, type Plug, type RoundLimits, type Trigger } from '@sched/core'

const limits: OptionsSchema<RoundLimits> = {
  '~standard': { version: 1, vendor: 'sched', validate: (value) => ({ value: value as RoundLimits }) },
}

/**
 * The plainest architecture, for tests of policies: one scheduler on the live state, a round per lane whenever something
 * has happened, at most `claims` starts in each.
 */
export const serialArchitecture = defineArchitecture({
  name: 'serial',
  summary: 'one scheduler on the live state, for tests',
  options: limits,
  create: (options, env) => {
    const { cell } = env
    const scheduler = env.addScheduler('scheduler')
    const inSight = (trigger: Trigger): readonly NodeId[] => {
      if (trigger.kind === 'pass') return cell.nodes
      return trigger.kind === 'heartbeat' ? [trigger.node] : []
    }
    return {
      trigger(trigger) {
        for (let lane = 0 as LaneId; lane < cell.cluster.lanes.length; lane++) {
          const round = cell.draft(scheduler, lane, inSight(trigger), trigger.kind === 'heartbeat' ? { ...options, reach: cell.nodes } : options)
          scheduler.policy.schedule(round)
          const commit = round.commit({ conflict: 'none', atomic: false })
          scheduler.policy.onCommit?.(commit)
        }
      },
    }
  },
})

/** One scheduler on the live state; at most `claims` starts per round. */
export const serial = (options: Pick<RoundLimits, 'claims'> = {}): Plug<'architecture'> => serialArchitecture.plug({}, options)
