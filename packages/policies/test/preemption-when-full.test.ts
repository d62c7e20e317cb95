import type { Plug } from '@sched/core'
import { capacityScheduler, delay, fair, greedy, preempting, yarnAssign, yarnFair, yarnPreempting } from '@sched/policies'
import { job, run } from '@sched/testkit'
import { describe, expect, it } from 'vitest'

const fairly = { minTimeout: 1, fairTimeout: 1, interval: 3 }
const soon = { fairSharePreemptionTimeout: 1, fairSharePreemptionThreshold: 1 }
const queues = { queues: { a: soon, b: soon } }
const halves = { a: { capacity: 50 }, b: { capacity: 50 } }
const eager = { maxWaitBeforeKill: 0, totalPreemptionPerRound: 1, naturalTerminationFactor: 1, maxIgnoredOverCapacity: 0 }
const policies: Readonly<Record<string, () => Plug<'policy'>>> = {
  preempting: () => preempting(greedy(fair()), fairly),
  'preempting over delay': () => preempting(delay(fair(), { node: 5 }), fairly),
  'yarn-preempting': () => yarnPreempting(greedy(yarnFair({ root: queues })), { waitBeforeKill: 1, utilizationThreshold: 0 }),
  'yarn-preempting inside another': () => yarnAssign(yarnPreempting(greedy(yarnFair({ root: queues })), { waitBeforeKill: 1, utilizationThreshold: 0 })),
  'capacity-scheduler': () => capacityScheduler({ queues: halves, defaults: { userLimitFactor: -1 }, preemption: eager }),
}

describe('with heartbeats, on nodes that are all full for long', () => {
  it.each(Object.entries(policies))('%s takes back what another one has too much of', (_, policy) => {
    // a takes all 6 slots for 500 s before b comes; nothing ends meanwhile, and no node has room
    const jobs = [job({ id: 'a', queue: 'a', tasks: 6, duration: 500 }), job({ id: 'b', queue: 'b', submit: 40, tasks: 6, duration: 500 })]
    const cluster = { nodes: [{ name: 'n', count: 2, resources: { map: 3 } }], heartbeat: { interval: 3 } }
    const { recorder } = run({ policy: policy(), jobs, cluster, until: 90 })
    expect([recorder.evictions.map((each) => each.job), recorder.launches.filter((each) => each.job === 'b').length]).toEqual([['a', 'a', 'a'], 3])
  })
})
