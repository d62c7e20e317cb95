import { dispatcher } from '@sched/cluster'
import { capacityScheduler, type CapacitySchedulerOptions } from '@sched/policies'
import { cluster, job } from '@sched/testkit'
import { describe, expect, it } from 'vitest'

/** Racks with the nodes a, b and c, d. One task per node and heartbeat. */
const rack = (name: string, nodes: readonly string[]) => nodes.map((node) => ({ name: node, count: 1, racks: [name], resources: { mem: 10 } }))
const standing = (hosts: readonly string[][], options: CapacitySchedulerOptions = {}, small = 10, down: readonly string[] = []) => {
  const nodes = [...rack('r', ['a', 'b']), { name: 'c', count: 1, racks: ['s'], resources: { mem: small } }, ...rack('s', ['d'])]
  const master = dispatcher({ cluster: cluster({ nodes }), policy: capacityScheduler({ queues: { q: {} }, defaults: { userLimitFactor: -1 }, multipleAssignments: false, ...options }) })
  const [stage] = job({ id: 'j', queue: 'q', tasks: hosts.length, demand: { mem: 2 } }).stages
  master.submit({ id: 'j', submit: 0, queue: 'q', stages: [{ ...stage!, data: { hosts: hosts.map((each) => each.map((host) => `${host}-0`)) } }] })
  if (small === 1) master.submit(job({ id: 'tiny', queue: 'q', tasks: 1, demand: { mem: 1 } }))
  for (const node of down) master.nodeDown(`${node}-0`)
  let time = 0
  /** Levels away from their data of the tasks started at each heartbeat: 0 on the node, 1 in the rack, 2 off it. */
  return (beats: string) => [...beats].map((node) => master.heartbeat(`${node}-0`, time++).start.map(({ level }) => level).join() || '-').join(' ')
}

// as TestLeafQueue.testLocalityScheduling and testRackLocalityDelayScheduling of Hadoop 3, with other numbers
describe('waiting for data by missed opportunities', () => {
  it('lets as many nodes pass as tasks wait, times the part of the cluster that was asked for; off the rack the count goes on', () => {
    // two nodes and a rack are asked for: 3/4 of the cluster. 4 tasks x 3/4: more than 3; then 3 x 3/4, 2 x 3/4, 1 x 3/4, and the count stands at 4
    expect(standing([['a'], ['b'], ['a'], ['b']])('ccccccc')).toBe('- - - 2 2 2 2')
    // on its data at once, which begins the count anew: 3 x 3/4 = 2.25
    expect(standing([['a'], ['b'], ['a'], ['b']])('acccc')).toBe('0 - - 2 2')
  })

  it('starts in the rack after the delay for nodes, which a start in the rack begins anew', () => {
    const hosts = [['a'], ['a'], ['a'], ['a']]
    expect(standing(hosts, { nodeLocalityDelay: 1, rackLocalityAdditionalDelay: 9 })('bbbb')).toBe('- 1 - 1')
    expect(standing(hosts, { nodeLocalityDelay: 1, rackLocalityAdditionalDelay: 9, rackLocalityFullReset: false })('bbbb')).toBe('- 1 1 1')
  })

  it('starts off the rack after both delays, at most the number of nodes', () => {
    const hosts = [['a'], ['a'], ['a'], ['a']]
    expect(standing(hosts, { nodeLocalityDelay: 1, rackLocalityAdditionalDelay: 1 })('bbccccb')).toBe('- 1 - - 2 2 1')
    expect(standing(hosts, { nodeLocalityDelay: 1, rackLocalityAdditionalDelay: 99 })('ccccc')).toBe('- - - - 2')
  })

  it('counts a start in the rack as off it where the job may start anywhere sooner than in the rack (RegularContainerAllocator.canAssign)', () => {
    // a and its rack are asked for: half the cluster. 4 tasks x 1/2 are passed by the third opportunity, the delay for the rack, 4 nodes, by the fifth
    expect(standing([['a'], ['a'], ['a'], ['a']])('bbbbb')).toBe('- - 1 1 1')
    expect(standing([['a'], ['a'], ['a'], ['a']], { multipleAssignments: true })('bbb')).toBe('- - 1') // one off the rack per heartbeat
    expect(standing([['a'], ['a'], ['a'], ['a']], { multipleAssignments: true, rackLocalityFullReset: false, nodeLocalityDelay: 2 })('bbb')).toBe('- - 1,1,1,1')
  })

  it('takes a cluster without racks for one rack, off which a job may start too', () => {
    const master = dispatcher({ cluster: cluster({ nodes: [{ count: 4, resources: { mem: 10 } }] }), policy: capacityScheduler({ queues: { q: {} } }) })
    const [stage] = job({ tasks: 2, demand: { mem: 2 } }).stages
    master.submit({ id: 'j', submit: 0, queue: 'q', stages: [{ ...stage!, data: { hosts: [['node-0'], ['node-0']] } }] })
    // a node and the rack of 4 nodes are asked for: 2 tasks x 1/2 is passed by the second opportunity
    expect([1, 2, 3, 1].map((node, time) => master.heartbeat(`node-${node}`, time).start.length)).toEqual([0, 1, 1, 0])
  })

  it('counts in 32 bits, as Hadoop does', () => {
    const firstOffRack = (tasks: number, nodes: number, holders: number) => {
      const master = dispatcher({ cluster: cluster({ nodes: [{ count: nodes, resources: { mem: 10 } }] }), policy: capacityScheduler({ queues: { q: {} } }) })
      const [stage] = job({ tasks, demand: { mem: 2 } }).stages
      master.submit({ id: 'j', submit: 0, queue: 'q', stages: [{ ...stage!, data: { hosts: Array.from({ length: tasks }, (_, i) => [`node-${i % holders}`]) } }] })
      return Array.from({ length: nodes }, (_, time) => time + 1).find((time) => master.heartbeat(`node-${nodes - 1}`, time).start.length > 0)
    }
    expect(firstOffRack(22, 22, 12)).toBe(13) // 22 x (13 / 22) is a little less than 13
    expect(firstOffRack(55, 22, 5)).toBe(16) // 55 x (6 / 22) is 15, and a little less in 64 bits
  })

  it('counts nodes that are up (getNumClusterNodes)', () => {
    const hosts = [['a'], ['a'], ['a'], ['a']]
    expect(standing(hosts, {}, 10, ['c', 'd'])('bbbb')).toBe('- - 1 -') // 2 nodes, where the delay is 40
    expect(standing(hosts, { nodeLocalityDelay: 1, rackLocalityAdditionalDelay: 99 }, 10, ['a', 'b'])('ccccc')).toBe('- - 2 2 2')
    expect(standing([['a'], ['a'], ['a']], {}, 10, ['b', 'd'])('ccccc')).toBe('- - 2 2 2') // 3 tasks x 2/2 are more than 2 nodes
  })

  it('counts nodes that are too small for the task', () => {
    expect(standing([['a'], ['a']], { nodeLocalityDelay: 1, rackLocalityAdditionalDelay: 0 }, 1)('cd')).toBe('-1 2') // another job's task on c
  })

  it('does not wait without a delay', () => {
    expect(standing([['a'], ['a']], { nodeLocalityDelay: -1, rackLocalityAdditionalDelay: 0 })('bb')).toBe('1 1')
  })
})
