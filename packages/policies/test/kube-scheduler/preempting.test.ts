import { dispatcher, type Placed } from '@sched/cluster'
import type { LaneId, NodeId, ResourceId } from '@sched/core'
import { kubeScheduler, type KubeSchedulerOptions } from '@sched/policies'
import { checkPolicyLaws, instantCluster, job, type JobChange } from '@sched/testkit'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

/** Nodes with so many CPUs each; tasks ask one, unless told otherwise. */
function play(nodes: readonly number[], options: KubeSchedulerOptions = {}) {
  const master = dispatcher({ cluster: instantCluster({ nodes: nodes.map((cpu) => ({ count: 1, resources: { cpu } })) }), policy: kubeScheduler(options) })
  const names = (tasks: readonly { readonly job: string }[]) => tasks.map((each) => each.job).sort()
  /** What starts, and what is taken for it, once these have come. */
  return (now: number, ...wanted: readonly (readonly [id: string, priority: number, tasks: number, change?: JobChange])[]) => {
    for (const [id, priority, tasks, change] of wanted) master.submit(job({ id, priority, tasks, demand: { cpu: 1 }, ...change }), now)
    const { start, kill } = master.pass(now)
    return [names(start), names(kill)]
  }
}
/** A job, and how many of those that run end when it comes, the first started first. */
const draft = fc.record({
  priority: fc.integer({ min: 0, max: 3 }),
  tasks: fc.integer({ min: 1, max: 3 }),
  cpu: fc.integer({ min: 1, max: 4 }),
  gb: fc.integer({ min: 0, max: 4 }),
  ends: fc.integer({ min: 0, max: 2 }),
})
type Draft = typeof draft extends fc.Arbitrary<infer D> ? D : never
const asks = (cpu: number): JobChange => ({ demand: { cpu } })

describe('kube-scheduler', () => {
  it('serves the highest priority first, then who came first, and who fits nowhere stands in nobody\'s way', () => {
    expect(play([3])(0, ['low', 1, 2], ['high', 9, 1], ['first', 5, 1], ['second', 5, 1])).toEqual([['first', 'high', 'second'], []])
    expect(play([1, 2])(0, ['high', 9, 2, asks(2)], ['low', 1, 1])).toEqual([['high', 'low'], []])
  })
  it('starts who has room beside the one for whom others went', () => {
    const at = play([4])
    at(0, ['old', 0, 1, asks(4)])
    expect(at(1, ['high', 9, 1, asks(2)], ['equal', 0, 2])).toEqual([['equal', 'equal', 'high'], ['old']])
  })
  it('takes for as many tasks as there are of lower priority, and leaves those alone that have just started', () => {
    const at = play([4])
    at(0, ['old', 0, 3])
    expect(at(1, ['mid', 5, 2], ['high', 9, 4])).toEqual([['high', 'high', 'high', 'high'], ['old', 'old', 'old']])
    expect(at(2, ['higher', 10, 1])).toEqual([['higher'], ['high']])
  })
  it('takes of those who started at one time who came last, whatever numbers their tasks have', () => {
    const master = dispatcher({ cluster: instantCluster({ nodes: [{ count: 1, resources: { cpu: 3 } }] }), policy: kubeScheduler() })
    const come = (now: number, ...jobs: readonly (readonly [id: string, tasks: number, priority?: number])[]) => {
      for (const [id, tasks, priority = 0] of jobs) master.submit(job({ id, priority, tasks, demand: { cpu: 1 } }), now)
      return master.pass(now)
    }
    const [first] = come(0, ['gone', 1]).start as readonly [Placed]
    master.taskEnded(first, 1)
    come(2, ['wide', 2], ['narrow', 1]) // its task has the number of the one that is gone, which wide has no use for
    expect(come(3, ['urgent', 1, 9]).kill.map((each) => each.job)).toEqual(['narrow'])
  })
  it('preempts nobody for priorities that never do, nor without preemption', () => {
    const taken = (options: KubeSchedulerOptions) => {
      const at = play([2], options)
      at(0, ['old', 0, 2])
      return [at(1, ['high', 9, 1])[1]?.length, at(2, ['higher', 10, 1])[1]?.length]
    }
    expect(taken({})).toEqual([1, 1])
    expect(taken({ never: [9] })).toEqual([0, 1])
    expect(taken({ preemption: false })).toEqual([0, 0])
  })
  it('takes for all tasks of a gang or none, and a gang whole', () => {
    const at = play([2, 2])
    at(0, ['a', 0, 2], ['b', 5, 2])
    expect(at(1, ['gang', 5, 3, { gang: true }])).toEqual([[], []])
    expect(at(2, ['smaller', 5, 2, { gang: true }])).toEqual([['smaller', 'smaller'], ['a', 'a']])
    const whole = play([3])
    whole(0, ['gang', 0, 3, { gang: true }])
    expect(whole(1, ['one', 9, 1])).toEqual([['one'], ['gang', 'gang', 'gang']])
  })
  it('chooses among so many nodes', () => {
    // node 9 is the best; of ten nodes one is enough, from a drawn one on
    const chosen = (options: KubeSchedulerOptions) => {
      const at = play(Array.from({ length: 10 }, () => 2), options)
      for (let i = 0; i < 10; i++) at(i, [`${i}`, i === 9 ? 0 : 1, 1, asks(2)])
      return at(20, ['high', 9, 1, asks(2)])[1]
    }
    expect(chosen({})).toEqual(['9'])
    expect(chosen({ minCandidateNodesPercentage: 0, minCandidateNodesAbsolute: 1 })).not.toEqual(['9'])
    expect(chosen({ minCandidateNodesPercentage: 0, minCandidateNodesAbsolute: 0 })).toEqual(chosen({ minCandidateNodesPercentage: 0, minCandidateNodesAbsolute: 1 }))
    for (const minCandidateNodesAbsolute of [0, 1]) expect(chosen({ minCandidateNodesPercentage: 100, minCandidateNodesAbsolute })).toEqual(['9'])
  })
  it('leaves nobody waiting for whom those of lower priority on one node would make room, and takes from nobody else', { tags: 'long' }, () => {
    let kills = 0
    fc.assert(
      fc.property(fc.array(draft, { minLength: 2, maxLength: 14 }), (drafts) => {
        const master = dispatcher({ cluster: instantCluster({ nodes: [4, 6, 3].map((cpu) => ({ count: 1, resources: { cpu, gb: 5 } })) }), policy: kubeScheduler() })
        const { work, cell } = master
        const draftOf = (job: string) => drafts[Number(job)] as Draft
        let running: (Placed & { since: number })[] = []
        for (const [now, { priority, tasks, cpu, gb, ends }] of drafts.entries()) {
          for (const placed of running.splice(0, ends)) master.taskEnded(placed, now)
          master.submit(job({ id: `${now}`, priority, tasks, demand: { cpu, gb } }), now)
          do {
            const { start, kill } = master.pass(now)
            running = [...running.filter(({ id }) => !kill.some((taken) => taken.id === id)), ...start.map((placed) => ({ ...placed, since: now }))]
            kills += kill.length
            for (const taken of kill) expect(start.some((each) => each.node === taken.node && draftOf(each.job).priority > draftOf(taken.job).priority)).toBe(true)
          } while (master.nextWake <= now)
          for (const waiting of work.jobs().filter((each) => work.unplaced(each, 0 as LaneId) > 0)) {
            const asked = draftOf(work.name(waiting))
            for (let node = 0 as NodeId; node < cell.nodes; node++) {
              const below = running.filter((each) => each.node === cell.name(node) && draftOf(each.job).priority < asked.priority && each.since < now)
              const couldBeFree = (r: 0 | 1, of: 'cpu' | 'gb') => below.reduce((sum, each) => sum + draftOf(each.job)[of], cell.free(node, r as ResourceId))
              expect(couldBeFree(0, 'cpu') >= asked.cpu && couldBeFree(1, 'gb') >= asked.gb).toBe(false)
            }
          }
        }
      }),
      { numRuns: 500, seed: 8 },
    )
    expect(kills).toBeGreaterThan(500)
  })
  it('keeps the laws of policies', { tags: 'long' }, () => {
    expect(checkPolicyLaws(() => kubeScheduler(), { runs: 40, seed: 3, worlds: { gangs: true, outages: true, failures: true } }).evictions).toBeGreaterThan(10)
  })
})
