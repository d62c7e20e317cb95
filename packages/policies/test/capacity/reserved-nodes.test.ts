import { capacityScheduler, type CapacitySchedulerOptions } from '@sched/policies'
import { instantCluster, job, run } from '@sched/testkit'
import { describe, expect, it } from 'vitest'

// TestProportionalCapacityPreemptionPolicyForReservedContainers and TestCapacitySchedulerSurgicalPreemption of Hadoop 3 in numbers of our own.

type Preemption = NonNullable<CapacitySchedulerOptions['preemption']>
const eager: Preemption = { maxWaitBeforeKill: 0, totalPreemptionPerRound: 1, naturalTerminationFactor: 1, maxIgnoredOverCapacity: 0, monitoringInterval: 10 }
interface Asked {
  readonly queue: string
  readonly tasks: number
  readonly mem?: number
  readonly submit?: number
  /** The node that it asks for, from 0 on; absent: any. */
  readonly on?: number
  readonly master?: boolean
  /** Seconds; absent: until the end. */
  readonly duration?: number
}
type Queues = NonNullable<CapacitySchedulerOptions['queues']>
/** What is killed on each node, as `job@node xTasks`, and what runs of the last job, until a time. */
function kills(sizes: readonly number[], queues: Queues, jobs: readonly Asked[], preemption: Preemption, until = 60) {
  const policy = capacityScheduler({ queues, preemption: { ...eager, ...preemption }, defaults: { userLimitFactor: -1, maximumAmResourcePercent: 1 }, maximumOffswitchAssignments: 1000, maximumContainerAssignments: -1 })
  const specs = jobs.map(({ queue, tasks, mem = 1, submit = 0, on, master, duration = 1000 }, i) => {
    const constraints = on === undefined ? {} : { constraints: { require: { zone: `${on}` } } }
    return { ...job({ id: `j${i}`, user: `j${i}`, queue, submit }), stages: [
      ...(master === true ? [{ name: 'master', tasks: 1, demand: { mem }, duration: 0, master: true, ...constraints }] : []),
      { name: 'work', tasks, demand: { mem }, duration, ...constraints },
    ] }
  })
  const { recorder } = run({ cluster: instantCluster({ nodes: sizes.map((mem, i) => ({ name: `n${i}`, count: 1, resources: { mem }, labels: { zone: `${i}` } })) }), jobs: specs, policy, until })
  const order = recorder.evictions.map(({ job: id, node }) => `${id}@${/\d+/.exec(node)?.[0]}`)
  const killed: Record<string, number> = {}
  for (const where of order) killed[where] = (killed[where] ?? 0) + 1
  return { killed, order, last: recorder.launches.filter((each) => each.job === `j${jobs.length - 1}`).map(({ node }) => node.slice(0, 2)) }
}

describe('preemption for what is reserved', () => {
  const select = { selectByReservations: true }
  const halves = { a: { capacity: 50 }, b: { capacity: 50 } }
  /** 45 and 45 of a on two nodes of 50; b wants 9, and has one of them reserved. */
  const full: Asked[] = [{ queue: 'a', tasks: 45, on: 0 }, { queue: 'a', tasks: 45, on: 1, submit: 1 }, { queue: 'b', tasks: 1, mem: 9, submit: 5 }]

  it('takes where the node is reserved what is missing beside what is free there (testPreemptionForSimpleReservedContainer, testPreemptionForReservedContainerWhichHasAvailableResource), in whole tasks', () => {
    expect([kills([50, 50], halves, full, {}), kills([50, 50], halves, full, select)]).toMatchObject([{ killed: {}, last: [] }, { killed: { 'j0@0': 4 }, last: ['n0'] }])
    const twos: Asked[] = [{ queue: 'a', tasks: 24, mem: 2, on: 0 }, { queue: 'a', tasks: 21, mem: 2, on: 1, submit: 1 }, { queue: 'b', tasks: 1, mem: 9, submit: 5, on: 0 }]
    expect(kills([50, 50], halves, twos, select).killed).toEqual({ 'j0@0': 4 }) // 7 are missing
  })

  it('takes the rest as ever (testUseReservedAndFifoSelectorTogether), and all of it where a master is in the way (testReservedSelectorSkipsAMContainer)', () => {
    // b has 5 and 50 reserved on n0, and wants 20 more: of 70 it is due 15 are a's
    const queues = { a: { capacity: 30 }, b: { capacity: 70 } }
    const jobs = (first: Asked): Asked[] => [first, { queue: 'a', tasks: 35, on: 1, submit: 1 }, { queue: 'b', tasks: 5, on: 1, submit: 2 }, { queue: 'b', tasks: 20, on: 1, submit: 6 }, { queue: 'b', tasks: 1, mem: 50, submit: 5, on: 0 }]
    expect(kills([50, 50], queues, jobs({ queue: 'a', tasks: 10, on: 0 }), select, 21).killed).toEqual({ 'j0@0': 10, 'j1@1': 5 })
    expect(kills([50, 50], queues, jobs({ queue: 'a', tasks: 9, on: 0, master: true }), select, 21).killed).toEqual({ 'j1@1': 15 })
  })

  it('takes it from a queue that was made at first use, for one beside it (TestCapacitySchedulerAutoCreatedQueuePreemption.testSimpleSurgicalPreemptionOnAutoCreatedLeafQueues)', () => {
    // each user's queue has 12 of 40; ann's has 33, and bob's wants 6 on a node with 2 free beside its first
    const users: Queues = { c: { capacity: 100, autoCreate: true, template: { capacity: 30, maximumCapacity: 100 } } }
    const jobs: Asked[] = [{ queue: 'c.ann', tasks: 17, on: 0 }, { queue: 'c.ann', tasks: 16, on: 1, submit: 1 }, { queue: 'c.bob', tasks: 1, on: 0, submit: 2 }, { queue: 'c.bob', tasks: 1, mem: 6, submit: 5, on: 0 }]
    expect(kills([20, 20], users, jobs, select, 21)).toMatchObject({ killed: { 'j0@0': 4 }, last: ['n0'] })
  })

  it('takes nothing that a queue is guaranteed (testPreemptionForReservedContainerRespectGuaranteedResource), nor where enough is free elsewhere (testPreemptionForReservedContainerRespectAvailableResources)', () => {
    expect(kills([50, 50], { a: { capacity: 88 }, b: { capacity: 12 } }, full, select).killed).toEqual({})
    const quarters = [0, 1, 2, 3].map((on): Asked => ({ queue: 'a', tasks: 10, mem: 2, on }))
    expect(kills([25, 25, 25, 25], halves, [...quarters, { queue: 'b', tasks: 1, mem: 9, submit: 5 }], select, 21).killed).toEqual({})
  })

  it('takes on the node where least is missing first, and on none where that is more than may be taken', () => {
    // a may give 3 of 88; 4 are missing on n0 and 2 on n1. The small nodes are free, and hold no task of b
    const jobs: Asked[] = [{ queue: 'a', tasks: 45, on: 0 }, { queue: 'a', tasks: 43, on: 1, submit: 1 }, { queue: 'b', tasks: 2, mem: 9, submit: 5 }]
    const amounts = (mem: number): Queues => ({ a: { capacity: { mem } }, b: { capacity: { mem: 116 - mem } } })
    expect(kills([50, 50, 8, 8], amounts(85), jobs, select, 21).killed).toEqual({ 'j1@1': 2 })
    expect(kills([50, 50, 8, 8], amounts(58), jobs, { ...select, totalPreemptionPerRound: 0.03 }, 21).killed).toEqual({ 'j1@1': 2 })
    expect(kills([50, 50, 8, 8], amounts(58), jobs, select, 21).killed).toEqual({ 'j0@0': 4, 'j1@1': 2 })
  })

  it('takes what is reserved once more from anybody, if it is to be counted (additional_res_balance_based_on_reserved_containers)', () => {
    // 90 and 9 of 100 are used, and b wants 9: 8 more are to be free, wherever they are
    expect(kills([50, 50], halves, full, { countReserved: true }).killed).toEqual({ 'j1@1': 8 })
  })
})

describe('preemption by priority of queues', () => {
  const by = (priority: number): Queues => ({ root: { queueOrdering: 'priority-utilization' }, a: { capacity: 10 }, b: { capacity: 20 }, c: { capacity: 70, priority } })
  const byPriority = { byPriority: { delay: 15 } }

  it('takes on a node that was reserved for long, though all have less than their guarantees (testPriorityPreemptionWhenAllQueuesAreBelowGuaranteedCapacities)', () => {
    // b has 7 of 8; c waits for 18 of 20 from 5 s on: looks at 10 and 20 are too early by half
    const jobs: Asked[] = [{ queue: 'b', tasks: 4, on: 0 }, { queue: 'b', tasks: 3, on: 1 }, { queue: 'c', tasks: 1, mem: 18, submit: 5, on: 0 }]
    expect(kills([20, 20], by(1), jobs, byPriority, 29).killed).toEqual({})
    expect(kills([20, 20], by(1), jobs, byPriority)).toMatchObject({ killed: { 'j0@0': 2 }, last: ['n0'] })
    for (const [priority, change] of [[0, byPriority], [-1, byPriority], [1, {}], [1, { byPriority: { enabled: false } }], [1, { byPriority: {} }]] as const) expect(kills([20, 20], by(priority), jobs, change).killed).toEqual({})
    expect(kills([20, 20], { ...by(1), root: {} }, jobs, byPriority).killed).toEqual({})
  })

  it('takes of tasks that started at one time those of the job first that was submitted first, whatever numbers they have', () => {
    // the task of j2 has the number of that of j0, which is gone; 3 are missing
    const jobs: Asked[] = [{ queue: 'b', tasks: 1, on: 0, duration: 1 }, { queue: 'b', tasks: 2, mem: 3, on: 0, submit: 2 }, { queue: 'b', tasks: 1, on: 0, submit: 2 }, { queue: 'c', tasks: 1, mem: 16, submit: 5, on: 0 }]
    expect(kills([20, 20], by(1), jobs, byPriority).killed).toEqual({ 'j1@0': 1 })
  })

  it('takes for queues below their guarantee alone (testPriorityPreemptionOnlyTriggeredWhenDemandingQueueUnsatisfied)', () => {
    // c has a node of ten, is guaranteed seven, and wants ten more
    const jobs: Asked[] = [...Array.from({ length: 9 }, (_, on): Asked => ({ queue: 'b', tasks: 1, on })), { queue: 'c', tasks: 1, mem: 10, on: 9, submit: 1 }, { queue: 'c', tasks: 10, mem: 10, submit: 5 }]
    const { killed, last } = kills(Array<number>(10).fill(10), by(1), jobs, byPriority, 100)
    expect([Object.keys(killed), last.length]).toEqual([['j0@0', 'j1@1', 'j2@2', 'j3@3', 'j4@4', 'j5@5'], 6])
  })

  it('takes for the highest priority first, one task a look (testPriorityPreemptionFromHighestPriorityQueueAndOldestContainer)', () => {
    const queues: Queues = { root: { queueOrdering: 'priority-utilization' }, a: { capacity: 45, priority: 1 }, b: { capacity: 45, priority: 2 }, c: { capacity: 10 } }
    const jobs: Asked[] = [...[0, 1, 2, 3, 4].map((on): Asked => ({ queue: 'c', tasks: 1, mem: 2, on })), { queue: 'a', tasks: 2, mem: 7, submit: 3 }, { queue: 'b', tasks: 2, mem: 7, submit: 5 }]
    expect(kills(Array<number>(5).fill(8), queues, jobs, { ...byPriority, totalPreemptionPerRound: 0.05 }, 200).order.slice(0, 4)).toEqual(['j2@2', 'j3@3', 'j0@0', 'j1@1'])
    // the same between queues made at first use (testPreemptionFromHighestPriorityManagedParentQueueAndOldestContainer)
    const around: Queues = Object.fromEntries(Object.entries(queues).map(([name, own]) => [name, name === 'root' ? own : { ...own, autoCreate: true, template: { capacity: 100 } }]))
    const inside = jobs.map((each) => ({ ...each, queue: `${each.queue}.${each.queue}1` }))
    expect(kills(Array<number>(5).fill(8), around, inside, { ...byPriority, totalPreemptionPerRound: 0.05 }, 200).order.slice(0, 4)).toEqual(['j2@2', 'j3@3', 'j0@0', 'j1@1'])
  })
})
