import { dispatcher } from '@sched/cluster'
import { fair, greedy, type FairOptions } from '@sched/policies'
import { cluster, job } from '@sched/testkit'
import { describe, expect, it } from 'vitest'

/**
 * What Spark's pools promise in its own tests (core, PoolSuite); each case names the test it follows. Task sets are jobs here, and
 * every pool without a `schedulingMode` is FIFO.
 */
function ordered(pools: FairOptions['pools'], taskSets: readonly (readonly [id: string, pool: string, tasks: number])[], starts: number, boundMinShares = false, warn: (message: string) => void = () => undefined, flat = false): string {
  const options: FairOptions = { pools: pools as Exclude<FairOptions['pools'], undefined>, defaults: { inner: 'fifo' }, boundMinShares, flat }
  const of = dispatcher({ cluster: cluster({ nodes: [{ name: 'n', count: 1, slots: { core: 100 } }] }), policy: greedy(fair(options)), warn })
  const stage = (tasks: number) => ({ name: 's', tasks, demand: { core: 1 }, duration: 10 })
  for (const [id, queue, tasks] of taskSets) of.submit({ ...job({ id, queue }), stages: [stage(tasks)] }, 0)
  return of.heartbeat('n-0', 0, { free: starts }).start.map((each) => each.job).join(' ')
}

describe('pools of Spark', () => {
  it('FIFO Scheduler Test: one after the other', () => {
    expect(ordered({}, [['0', 'p', 2], ['1', 'p', 2], ['2', 'p', 2]], 6)).toBe('0 0 1 1 2 2')
  })

  it('Fair Scheduler Test: by running tasks over the minimum while below it, then by running tasks, then by name', () => {
    const pools = { 1: { minShare: 2, inner: 'fifo' }, 2: { minShare: 3, inner: 'fifo' }, 3: { inner: 'fifo' } } as const
    const taskSets = [['0', '1', 1], ['1', '1', 1], ['2', '1', 2], ['3', '2', 2], ['4', '2', 2]] as const
    expect(ordered(pools, taskSets, 8)).toBe('0 3 3 1 4 2 2 4')
  })

  it('Nested Pool Test: the same rule at every level', () => {
    const pools = {
      0: { minShare: 3, pools: { '00': { minShare: 2, weight: 2, inner: 'fair' }, '01': { minShare: 1, inner: 'fair' } } },
      1: { minShare: 4, pools: { 10: { minShare: 2, weight: 2, inner: 'fair' }, 11: { minShare: 2, inner: 'fair' } } },
    } as const
    const taskSets = ['0.00', '0.00', '0.01', '0.01', '1.10', '1.10', '1.11', '1.11'].map((pool, i) => [String(i), pool, 5] as const)
    expect(ordered(pools, taskSets, 4)).toBe('0 4 6 2')
  })

  it('a minimum counts beyond what the pool wants: 1/8 is less than 1/3; Hadoop takes 1/2', () => {
    const pools = { a: { minShare: 8 }, b: { minShare: 3 } } as const
    const taskSets = [['x', 'a', 2], ['y', 'b', 5]] as const
    expect(ordered(pools, taskSets, 4)).toBe('x y x y')
    expect(ordered(pools, taskSets, 4, true)).toBe('x y y x')
  })

  it('a flat name is a pool with its periods: 3 pools take turns, where a.x and a.y would share a turn', () => {
    const taskSets = ['a.x', 'a.y', 'b'].map((pool) => [pool, pool, 4] as const)
    expect(ordered({}, taskSets, 4, false)).toBe('a.x b a.y b')
    expect(ordered({}, taskSets, 6, false, undefined, true)).toBe('a.x a.y b a.x a.y b')
    expect(ordered({}, [['x', 'a', 1], ['y', 'a.b', 1]], 2, false, undefined, true)).toBe('x y') // otherwise `a` could hold no job
  })

  it('minimums beyond what there is are left as they are', () => {
    const warnings: string[] = []
    expect(ordered({ a: { minShare: 300 } }, [['x', 'a', 1]], 1, false, (text) => warnings.push(text))).toBe('x')
    expect(warnings).toEqual([])
    ordered({ a: { minShare: 300 } }, [['x', 'a', 1]], 1, true, (text) => warnings.push(text))
    expect(warnings).toEqual(['minimum shares of the pools add up to 300 core slots of 100; each is scaled by 100/300'])
  })
})
