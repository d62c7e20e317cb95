import { dispatcher } from '@sched/cluster'
import { greedy, kai, type KaiOptions } from '@sched/policies'
import { instantCluster, job } from '@sched/testkit'
import { describe, expect, it } from 'vitest'
import { firstNode } from '../first-node.js'

// Cases of the KAI Scheduler's own tests of its action `allocate` (allocate_test.go), with nodes of so many GPUs.

/** A job of one task: its name (of which the part before `_` is its queue), what it asks (GPUs where it is a number), its priority. */
type Load = readonly [id: string, asks: number | Readonly<Record<string, number>>, priority?: number]
type Queues = NonNullable<KaiOptions['queues']>

const deserves = (gpu: number): Queues[string] => ({ resources: { gpu: { quota: gpu } } })
const [train, build] = [50, 100]

/** What starts of the waiting jobs, which come together, where the others run; each with its node. */
function started(nodes: readonly Readonly<Record<string, number>>[], queues: Queues, running: readonly Load[], waiting: readonly Load[], options: KaiOptions = {}) {
  const master = dispatcher({ cluster: instantCluster({ nodes: nodes.map((resources) => ({ count: 1, resources })) }), policy: greedy(kai({ queues, ties: 'submission', ...options }), firstNode()) })
  const submit = ([id, asks, priority = train]: Load, now: number): void => {
    master.submit(job({ id, queue: id.split('_')[0] as string, priority, demand: typeof asks === 'number' ? { gpu: asks } : asks }), now)
  }
  for (const [now, load] of running.entries()) {
    submit(load, now)
    if (master.pass(now).start.length !== 1) throw new Error(`${load[0]} was to start at once`)
  }
  for (const load of waiting) submit(load, running.length)
  return master.pass(running.length).start.map((each) => each.job)
}
const gpus = (...counts: readonly number[]) => counts.map((gpu) => ({ gpu }))

describe('allocate (TestHandleAllocation)', () => {
  const q1 = { q1: deserves(2) }
  const both = (a: number, b: number): Queues => ({ q0: deserves(a), q1: deserves(b) })

  it.each<[string, readonly Readonly<Record<string, number>>[], Queues, readonly Load[], readonly Load[], readonly string[]]>([
    ['divides four GPUs between two queues', gpus(2, 2), both(1, 1), [['q0_run', 1]], [['q0_0', 1], ['q1_1', 1], ['q1_2', 1], ['q1_3', 1]], ['q1_1', 'q0_0', 'q1_2']],
    ['takes the jobs of a queue in their order', gpus(4, 4), q1, [['q1_run', 2]], [['q1_0', 4], ['q1_1', 2], ['q1_2', 2]], ['q1_0', 'q1_1']],
    ['takes the more important job of a queue', gpus(4), q1, [['q1_run', 2]], [['q1_0', 4], ['q1_1', 2], ['q1_2', 2, build]], ['q1_2']],
    ['serves the queue that stays within what it deserves', gpus(4), both(2, 2), [['q0_run', 1], ['q1_run', 1]], [['q0_0', 2], ['q1_1', 1]], ['q1_1']],
    ['serves the queue that has less of it, of two with all of it after their next job', gpus(4), both(3, 2), [['q0_run', 2]], [['q0_0', 1], ['q1_1', 2]], ['q1_1']],
    ['serves the queue that deserves less, of two with the same part of it', gpus(5), both(4, 2), [['q0_run', 2], ['q1_run', 1]], [['q0_0', 2], ['q1_1', 1]], ['q1_1']],
    ['serves the first of equal queues', gpus(5), both(2, 2), [['q0_run', 2], ['q1_run', 2]], [['q0_0', 1], ['q1_1', 1]], ['q0_0']],
    ['serves the queue that deserves something', gpus(1), both(0, 1), [], [['q0_0', 1], ['q1_1', 1]], ['q1_1']],
    ['gives a queue more than it deserves where nobody else asks', gpus(5), { q0: deserves(2) }, [['q0_run', 2], ['q0_more', 2, 75]], [['q0_0', 1, 75]], ['q0_0']],
  ])('%s', (_, nodes, queues, running, waiting, expected) => {
    expect(started(nodes, queues, running, waiting).sort()).toEqual([...expected].sort())
  })

  const some = (cpu: number, mem: number) => ({ cpu, mem })
  const deserved: Queues[string] = { resources: { cpu: { quota: 1500 }, mem: { quota: 1500 } } }
  it('divides two resources by their dominant shares (DRF)', () => {
    const wide = [0, 1, 2].flatMap((i): Load[] => [[`q0_${i}`, some(900, 100)], [`q1_${i}`, some(100, 900)]])
    const rest: Load[] = [['q0_rest', some(100, 100)], ['q1_rest', some(100, 100)]]
    expect(started([some(3000, 3000)], { q0: deserved, q1: deserved }, [], [...wide, ...rest]).sort()).toEqual(wide.map(([id]) => id).sort())
    const running: Load[] = [['q0_run', some(1000, 100)], ['q1_run', some(800, 900)]]
    expect(started([some(3000, 3000)], { q0: deserved, q1: deserved }, running, [['q0_0', some(700, 100)], ['q1_0', some(700, 100)]])).toEqual(['q1_0'])
  })
})
