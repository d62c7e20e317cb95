import { dispatcher } from '@sched/cluster'
import { capacityScheduler, fifo, reserving, type CapacitySchedulerOptions } from '@sched/policies'
import { cluster, instantCluster, job, run, type JobChange } from '@sched/testkit'
import { describe, expect, it } from 'vitest'

/** So many nodes of 8 GB; one task per heartbeat. */
const standing = (nodes: number, options: CapacitySchedulerOptions = {}) => {
  const master = dispatcher({ cluster: cluster({ nodes: [{ name: 'n', count: nodes, resources: { mem: 8 } }] }), policy: capacityScheduler({ queues: { q: {} }, defaults: { userLimitFactor: -1 }, ...options }) })
  let beat = 0
  const submit = (id: string, tasks: number, mem: number, change: JobChange = {}) => master.submit(job({ id, user: 'ann', queue: 'q', tasks, demand: { mem }, ...change }))
  const at = (node: number) => master.heartbeat(`n-${node}`, ++beat).start
  return { submit, at, who: (node: number) => at(node).map((task) => task.job).join() || '-', end: (task: ReturnType<typeof at>[number] | undefined) => void master.taskEnded(task as never, ++beat) }
}

/** Node 0 holds 5 of 8 GB, node 1 holds 3; `big` wants 5 GB twice and has reserved node 0. */
const reserved = (nodes: number, options?: CapacitySchedulerOptions) => {
  const world = standing(nodes, options)
  world.submit('small', 1, 5)
  world.at(0)
  world.submit('other', 1, 3)
  world.at(1)
  world.submit('big', 2, 5)
  expect(world.who(0)).toBe('-')
  return world
}

// as TestReservations, TestLeafQueue and TestNodeLabelContainerAllocation of Hadoop 3, with other amounts
describe('reservations of the capacity scheduler', () => {
  it('are given up for a node where the last task fits (testReservation)', () => {
    const { who, submit } = reserved(3)
    expect([who(2), who(1)]).toEqual(['big', 'big'])
    submit('late', 1, 3)
    expect(who(0)).toBe('late') // free again
  })

  it('stand where their job may not look on: its last task waits for node 0 (testReservationNoContinueLook)', () => {
    const { who } = reserved(3, { reservationsContinueLookAllNodes: false })
    expect([who(2), who(1), who(1)]).toEqual(['big', '-', '-'])
  })

  it('are given up when the queue would exceed its maximum otherwise: 13 of 16 GB are used, 5 of them reserved (testAssignContainersNeedToUnreserve)', () => {
    const { who, submit } = reserved(2)
    expect(who(1)).toBe('big')
    submit('late', 1, 3)
    expect(who(0)).toBe('-') // big is before it: 5 GB in place of 3 is more than the queue may have, and what it could have is kept for it
  })

  it('are no more than the queue may have: of 24 GB its 13 in use and 8 reserved leave no room for another 8 (testReservationsNoneAvailable)', () => {
    const { submit, who } = standing(3, { queues: { q: { capacity: 90 }, r: { capacity: 10 } } })
    for (const [node, mem] of [5, 3, 5].entries()) {
      submit(`n${node}`, 1, mem)
      who(node)
    }
    submit('last', 2, 8)
    expect([who(0), who(2)]).toEqual(['-', '-'])
    submit('r0', 1, 3, { queue: 'r' })
    expect(who(0)).toBe('-') // reserved
    expect(who(2)).toBe('r0')
  })

  it('do not keep users below their limit from their nodes (testReservationLimitOtherUsers)', () => {
    // 24 GB, a factor of 0.25: a user above 6 GB gets no more
    const { submit, who } = standing(3, { queues: { q: { minimumUserLimitPercent: 25, userLimitFactor: 0.25 } } })
    submit('ann', 1, 2)
    submit('bob', 1, 2, { user: 'bob' })
    expect([who(0), who(1)]).toEqual(['ann', 'bob'])
    submit('large', 2, 8)
    submit('more', 2, 2, { user: 'bob' })
    expect(who(0)).toBe('-') // reserved: ann has 2 + 8
    expect(who(1)).toBe('more')
  })

  it('wait with their node until there is room, and nothing else starts there (TestLeafQueue.testReservation)', () => {
    const { submit, at, who, end } = standing(1)
    submit('small', 3, 2)
    const [a, b] = [at(0)[0], at(0)[0], at(0)]
    submit('big', 1, 6)
    submit('tiny', 1, 1)
    expect(who(0)).toBe('-')
    end(a)
    expect(who(0)).toBe('-') // 4 GB free
    end(b)
    expect(who(0)).toBe('big')
  })

  it('are more than tasks wait for when they have waited long: the task starts elsewhere, and the node is free at its next heartbeat (testReservationExchange)', () => {
    // a task that asks a whole node, in steps of 6 of its 8 GB: after r looks one more for every 1 / (1 - 1/4) of them
    const exchange = (looks: number) => {
      const { submit, who, at } = standing(3, { minimumAllocation: { mem: 6 } })
      submit('small', 1, 1)
      at(0)
      submit('big', 1, 8)
      for (let i = 0; i <= looks; i++) expect(who(0)).toBe('-')
      expect(who(1)).toBe('big')
      submit('late', 1, 1)
      return who(0)
    }
    expect(exchange(1)).toBe('late') // 1 x 3/4 < 1: the reservation was given up for the start
    expect(exchange(2)).toBe('-') // 2 x 3/4: it stood, and is dropped at this heartbeat
  })

  it('count their looks anew when one is given up, so that a job reserves no more nodes than it has tasks (FiCaSchedulerApp.unreserve)', () => {
    const { submit, at, who } = standing(4, { minimumAllocation: { mem: 6 } })
    submit('small', 3, 1)
    for (const node of [0, 1, 3]) at(node)
    submit('big', 2, 8)
    expect([0, 1, 0, 1].map(who)).toEqual(['-', '-', '-', '-']) // two reservations, two looks: 2 / 2 x 3/4 < 1
    expect(who(2)).toBe('big') // node 0 is given up, and one is reserved for the task that is left
    submit('late', 1, 1)
    expect(who(3)).toBe('late')
  })

  it('are not needed for what comes after a gang that finds too little room: it is offered the node, too', () => {
    // a and b have used 4 of 15 when it is a's turn, by name. Two of the three tasks of its gang would fit; the next job in order is of the same user
    const queues: CapacitySchedulerOptions['queues'] = { a: { capacity: 50, ordering: 'fair' }, b: { capacity: 50 } }
    const asking = (id: string, queue: string, user: string, tasks: number, mem: number, change: JobChange = {}) => job({ id, queue, user, tasks, demand: { mem }, duration: 100, ...change })
    const { recorder } = run({
      policy: capacityScheduler({ queues, defaults: { userLimitFactor: -1 }, reservations: false }), until: 0, cluster: instantCluster({ nodes: [{ count: 3, resources: { mem: 10 } }] }),
      jobs: [asking('old', 'a', 'ann', 1, 4), asking('gang', 'a', 'bob', 3, 7, { gang: true }), asking('small', 'a', 'bob', 3, 1), asking('b', 'b', 'dan', 30, 1)],
    })
    expect(recorder.launches.map((each) => each.job).slice(0, 6)).toEqual(['old', 'b', 'b', 'b', 'b', 'small'])
  })

  it('leave room for a gang when they are given up, in the same pass', () => {
    // late has reserved node 0 and starts on node 1 at 10; the gang, before it in order, lacked a core on node 1, and now has those of both nodes
    const asking = (id: string, submit: number, duration: number, tasks: number, demand: Record<string, number>, change: JobChange = {}) => job({ id, submit, tasks, duration, demand, ...change })
    const { recorder } = run({
      policy: reserving(fifo()), cluster: instantCluster({ nodes: [{ name: 'n', count: 2, resources: { cpu: 2, mem: 4 } }] }),
      jobs: [asking('long', 0, 100, 1, { mem: 3 }), asking('short', 0, 10, 1, { mem: 3 }), asking('small', 0, 0.5, 1, { cpu: 1, mem: 1 }), asking('late', 1, 5, 1, { mem: 4 }), asking('gang', 2, 5, 3, { cpu: 1 }, { gang: true, priority: 1 })],
    })
    expect(recorder.launchLines().slice(3)).toEqual(['10 late.0 on n-1', '10 gang.0 on n-0', '10 gang.1 on n-0', '10 gang.2 on n-1'])
  })
})
