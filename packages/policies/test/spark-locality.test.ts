import { dispatcher } from '@sched/cluster'
import { delay, fifo, type DelayOptions } from '@sched/policies'
import { checkPolicyLaws, cluster, instantCluster, job, run } from '@sched/testkit'
import { describe, expect, it } from 'vitest'

/**
 * What Spark promises of waits for data in its own tests (core, TaskSetManagerSuite and TaskSchedulerImplSuite); each case names the test it
 * follows. An executor is a node here and a partial offer its heartbeat; every node is seen in 10 s. Waits are 3 s a level.
 */
const reading = (id: string, ...nodes: readonly number[]) => job({ id, tasks: nodes.length, data: { hosts: nodes.map((node) => [`n-${node}`]) } })
type Offer = readonly [node: number, now: number]
/** What starts at each of these offers of one slot, which is free again at once. */
const starts = (options: DelayOptions, jobs: readonly ReturnType<typeof job>[], offers: readonly Offer[], racks = 1, down?: number) => {
  const master = dispatcher({ cluster: cluster({ nodes: [{ name: 'n', count: racks === 1 ? 3 : 4, racks, slots: { map: 1 } }], heartbeat: { interval: 10 } }), policy: delay(fifo(), { node: 3, rack: 3, ...options }) })
  for (const each of jobs) master.submit(each, 0)
  return offers.map(([node, now], i) => {
    if (i === 2 && down !== undefined) {
      master.cell.setUp(down as never, false)
      master.policy.onNode?.(down as never, false)
    }
    const { start } = master.heartbeat(`n-${node}`, now, { free: 1 })
    for (const task of start) master.taskEnded(task, now)
    return start.map((task) => `${task.job}${task.task}`).join() || '-'
  }).join(' ')
}
const eight = [reading('a', ...Array<number>(8).fill(0))]
const mixed = [reading('a', 0, 1, 1, 2, 1)]

describe('waits of Spark 3.1 and later', () => {
  it.each<[string, readonly ReturnType<typeof job>[], readonly Offer[], string, { racks?: number; down?: number }?]>([
    ['partial offers reset timer before any resources have been rejected', eight, [[0, 3], [1, 3]], 'a0 -'],
    ['partial resource offers reset time if the offers before were accepted', eight, [[0, 3], [0, 6], [1, 6]], 'a0 a1 -'],
    ['partial resource offers do not reset time if any offer was rejected: after 3 s n-1 takes tasks, though n-0 has had one', eight, [[1, 0], [0, 3], [1, 3]], '- a0 a1'],
    ['the same after all nodes were seen and none was rejected: the time runs anew', eight, [[1, 0], [0, 3], [1, 3], [0, 14], [1, 14], [0, 14], [0, 17], [1, 17]], '- a0 a1 a2 - a3 a4 a5'],
    ['task set with no locality requirements should not starve one with them', [reading('a', 0, 0), job({ id: 'b', tasks: 8 })], [[1, 0], [1, 2], [1, 4]], 'b0 b1 a0'],
    ['delay scheduling with failed hosts', [reading('a', 0, 1, 2)], [[0, 0], [0, 0], [0, 0], [0, 6], [0, 6], [0, 6]], 'a0 - - a1 a2 -', { down: 1 }],
    ['the same once no task is left for a node that is up (SPARK-4939)', [reading('a', 0, 1)], [[0, 0], [2, 0], [2, 0]], 'a0 - a1', { down: 1 }],
    ['skip unsatisfiable locality levels: where the node with all data is away, at once', [reading('a', 1, 1)], [[0, 0], [2, 0], [2, 0], [0, 0]], '- - a0 a1', { down: 1 }],
    ['test RACK_LOCAL tasks: on the rack a level sooner', [reading('a', 0, 0, 0)], [[1, 0], [3, 3], [1, 3], [3, 6]], '- - a0 a1', { racks: 2 }],
    ['jobs that come when time is over start anywhere: it runs from their submission', eight, [[1, 9]], 'a0'],
  ])('%s', (_, jobs, offers, expected, { racks, down } = {}) => {
    expect(starts({ resetOnLaunch: false }, jobs, offers, racks, down)).toBe(expected)
  })

  it('begin when a node with data is back (SPARK-31837: shift to the new highest locality level)', () => {
    const master = dispatcher({ cluster: cluster({ nodes: [{ name: 'n', count: 3, slots: { map: 1 } }], heartbeat: { interval: 10 } }), policy: delay(fifo(), { node: 3, resetOnLaunch: false }) })
    const setUp = (up: boolean) => {
      master.cell.setUp(0 as never, up)
      master.policy.onNode?.(0 as never, up)
    }
    setUp(false)
    master.submit(reading('a', 0, 0, 0), 0)
    const beat = (node: number) => master.heartbeat(`n-${node}`, 0, { free: 1 }).start.map((task) => task.task).join() || '-'
    const away = beat(1)
    setUp(true)
    expect([away, beat(2), beat(0)]).toEqual(['0', '-', '1'])
  })

  it('run on from a launch beside a node that was passed over, and begin anew with it before (delay scheduling with fallback, which is of legacyResetOnTaskLaunch)', () => {
    const offers: readonly Offer[] = [[0, 0], [0, 0], [0, 3], [0, 3], [1, 3], [1, 3], [1, 6]]
    expect(starts({}, mixed, offers)).toBe('a0 - a1 a2 a4 - a3')
    expect(starts({ resetOnLaunch: false }, mixed, offers)).toBe('a0 - a1 a2 a4 a3 -')
  })

  it('do not keep a node idle for ever beside one that has the data (SPARK-18886)', () => {
    const jobs = [job({ id: 'a', tasks: 20, duration: 1, data: { hosts: Array<string[]>(20).fill(['n-0']) } })]
    const onOther = (options: DelayOptions) => {
      const { recorder } = run({ cluster: instantCluster({ nodes: [{ name: 'n', count: 2, slots: { map: 1 } }] }), jobs, policy: delay(fifo(), { node: 3, ...options }) })
      return recorder.launches.filter(({ node }) => node === 'n-1').map(({ time }) => time)
    }
    expect(onOther({})).toEqual([])
    expect(onOther({ resetOnLaunch: false }).slice(0, 3)).toEqual([3, 6, 9]) // each start there passes nothing over, beside one on n-0: from then on n-0 alone is near enough
  })

  it('are none for a barrier stage, which starts whole or not at all, and keeps nobody back (SPARK-29263, schedule tasks for a barrier taskSet if all tasks can be launched together)', () => {
    const started = (...jobs: readonly (readonly [id: string, tasks: number, gang: boolean])[]) => {
      const master = dispatcher({ cluster: instantCluster({ nodes: [{ count: 3, slots: { map: 1 } }] }), policy: delay(fifo(), { node: 3, resetOnLaunch: false }) })
      for (const [id, tasks, gang] of jobs) master.submit(job({ id, tasks, gang }), 0)
      return master.pass(0).start.map((task) => task.job).join('')
    }
    expect([started(['b', 3, true], ['o', 1, false]), started(['o', 1, false], ['b', 3, true]), started(['o', 1, false], ['b', 3, true], ['p', 5, false])]).toEqual(['bbb', 'o', 'opp'])
  })

  it('obey the laws of policies', { tags: 'long' }, () => {
    expect(checkPolicyLaws(() => delay(fifo(), { node: 3, resetOnLaunch: false }), { runs: 30 }).launches).toBeGreaterThan(300)
  })
})
