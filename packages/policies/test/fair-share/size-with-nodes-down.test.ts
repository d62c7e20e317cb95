import { dispatcher } from '@sched/cluster'
import { multifactor, strict } from '@sched/policies'
import { describe, expect, it } from 'vitest'

describe('the size of a job in multifactor', () => {
  // 2 nodes of 4 processors, of which a asks for 4 and b, with 30 of its own, for 1: 100 (4/8 + 1/2) / 2 = 50 and 30 + 100 (1/8 + 1/2) / 2 = 61
  const submitted = (nodesDown: readonly string[]) => {
    const master = dispatcher({ cluster: { nodes: [{ count: 2, name: 'n', resources: { procs: 4 } }] }, policy: strict(multifactor({ jobSize: 100, site: 1 })) })
    for (const node of nodesDown) master.nodeDown(node, 0)
    for (const [id, procs, priority] of [['a', 4, 0], ['b', 1, 30]] as const) master.submit({ id, priority, estimate: 60, stages: [{ name: 's', tasks: 1, demand: { procs } }] }, 0)
    return master
  }
  const started = (master: ReturnType<typeof submitted>, now = 0) => master.pass(now).start.map(({ job }) => job)

  it('is a part of all nodes, also of those that are down (set_cluster_tres of Slurm)', () => {
    expect(started(submitted(['n-1']))).toEqual(['b']) // of the 4 that are up a would have 75, and b 68
    expect(started(submitted([]))).toEqual(['b', 'a'])
  })

  it('is known while all nodes are down', () => {
    const master = submitted(['n-0', 'n-1'])
    expect(started(master)).toEqual([])
    master.nodeUp('n-0', 0)
    expect(started(master)).toEqual(['b'])
  })
})
