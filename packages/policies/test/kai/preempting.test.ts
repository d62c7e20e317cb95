import { dispatcher } from '@sched/cluster'
import { kaiPreempting, type KaiOptions } from '@sched/policies'
import type { JobSpec } from '@sched/core'
import { checkPolicyLaws, instantCluster, job } from '@sched/testkit'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { firstNode } from '../first-node.js'

// Cases of the KAI Scheduler's own tests of its actions `allocate`, `reclaim` and `preempt` (allocate_test.go, reclaim_test.go, reclaimDepartments_test.go, preempt_test.go), with nodes of so many GPUs.

/** A job: its name (of which the part before `_` is its queue), GPUs of a task, tasks (several are a gang), priority. */
type Load = readonly [id: string, gpus: number, tasks?: number, priority?: number]
type Queues = NonNullable<KaiOptions['queues']>
const [train, build] = [50, 100]
const deserves = (quota: number, overQuotaWeight = 1, limit = -1): Queues[string] => ({ resources: { gpu: { quota, overQuotaWeight, limit } } })

function world(nodes: readonly number[], options: KaiOptions) {
  const master = dispatcher({ cluster: instantCluster({ nodes: nodes.map((gpu) => ({ count: 1, resources: { gpu } })) }), policy: kaiPreempting({ ties: 'submission', nonPreemptiblePriority: build, ...options }, firstNode()) })
  let now = 0
  const pass = (later = 0) => {
    now += later
    const { start, kill } = master.pass(now)
    return { started: [...new Set(start.map((each) => each.job))].sort(), killed: [...new Set(kill.map((each) => each.job))].sort() }
  }
  return {
    pass,
    submit: (spec: JobSpec) => {
      now++
      master.submit(spec, now)
      return pass()
    },
    come: (...loads: readonly Load[]) => {
      now++
      for (const [id, gpu, tasks = 1, priority = train] of loads) master.submit(job({ id, queue: id.split('_')[0] as string, tasks, gang: tasks > 1, priority, demand: { gpu } }), now)
      return pass()
    },
  }
}
/** The same where jobs say so themselves, in whatever priority (`preemptibility`). */
const saying = (load: Load, preemptible: boolean): JobSpec => ({ ...job({ id: load[0], queue: load[0].split('_')[0] as string, priority: load[3] ?? train, demand: { gpu: load[1] } }), preemptible })
/** Whose tasks are taken when the last ones come; undefined: they are not started. */
function taken(nodes: readonly number[], queues: Queues, running: readonly Load[], ...incoming: readonly Load[]) {
  const { come } = world(nodes, { queues })
  for (const load of running) expect(come(load)).toEqual({ started: [load[0]], killed: [] })
  const { started, killed } = come(...incoming)
  return incoming.every(([id]) => started.includes(id)) ? killed : undefined
}
const ones = (count: number) => Array.from({ length: count }, () => 1)

describe('jobs that say whether they may be preempted', () => {
  const queues: Queues = { q0: deserves(1), q1: deserves(1) }

  it('are not, and are, whatever their priority (CalculatePreemptibility)', () => {
    const killed = (says: boolean, priority: number) => {
      const { submit } = world([2], { queues: { q0: deserves(2) } })
      for (const id of ['q0_0', 'q0_1']) expect(submit(saying([id, 1, 1, priority], says)).started).toEqual([id])
      return submit(saying(['q0_in', 1, 1, build + 1], true)).killed
    }
    expect([killed(false, train), killed(true, train), killed(false, build), killed(true, build)]).toEqual([[], ['q0_1'], [], ['q0_1']])
  })

  it('stay within the quota of their queue if they may not, with `nonPreemptiblePriority` or without', () => {
    for (const nonPreemptiblePriority of [build, undefined]) {
      const { submit } = world([4], { queues, nonPreemptiblePriority })
      expect(submit(saying(['q0_0', 1], false)).started).toEqual(['q0_0'])
      expect(submit(saying(['q0_1', 1], false)).started).toEqual([])
      expect(submit(saying(['q0_2', 1, 1, build], true)).started).toEqual(['q0_2'])
    }
  })

  it('are refused where they ask more than that quota, if they may not', () => {
    const { submit } = world([4], { queues, nonPreemptiblePriority: undefined })
    expect(() => submit(saying(['q0_0', 2], false))).toThrow('asks 2 gpu, and the quota of "q0" is 1')
    expect(submit(saying(['q0_1', 2, 1, build], true)).started).toEqual(['q0_1'])
  })
})

describe('reclaim (TestHandleReclaim)', () => {
  const weighing = (q0: readonly [number, number], q1: readonly [number, number]): Queues => ({ q0: deserves(...q0), q1: deserves(...q1) })
  it.each<[string, readonly number[], Queues, readonly Load[], Load, readonly string[] | undefined]>([
    [
      'the least important of two queues above their fair share',
      [6],
      { 'd1.q0': deserves(1), 'd1.q1': deserves(1), 'd1.r': deserves(2, 0), d1: deserves(1) },
      [['d1.q0_0', 1], ['d1.q0_1', 1], ['d1.q1_0', 1], ['d1.q1_1', 1], ['d1.q0_2', 1, 1, train - 1], ['d1.q1_2', 1, 1, train - 1]],
      ['d1.r_in', 1, 2],
      ['d1.q0_2', 'd1.q1_2'],
    ],
    ['a whole gang, though that leaves its queue below its quota', [16, 16], weighing([10, 1], [10, 1]), [['q0_0', 10, 2]], ['q1_in', 10], ['q0_0']],
    ['of a queue below its fair share, for one below its quota', [3, 3, 3, 3, 3, 3], weighing([2, 1], [2, 1]), Array.from({ length: 6 }, (_, i): Load => [`q0_${i}`, 2]), ['q1_in', 2], ['q0_5']],
    ['of a queue above its fair share, for one below it', [8], weighing([2, 3], [4, 1]), [['q0_0', 2], ['q0_1', 1], ['q1_0', 4], ['q1_1', 1]], ['q0_in', 1], ['q1_1']],
    ['several jobs for a gang', ones(4), weighing([0, 0], [2, 1]), [['q0_0', 1], ['q0_1', 1], ['q0_2', 1], ['q0_3', 1]], ['q1_in', 1, 4], ['q0_0', 'q0_1', 'q0_2', 'q0_3']],
    ['no more than a gang needs', ones(4), weighing([1, 0], [2, 1]), [['q0_0', 1, 3], ['q0_1', 1]], ['q1_in', 1, 3], ['q0_0']],
    ['nothing for more than its fair share', [4], weighing([2, 1], [2, 1]), [['q0_0', 2], ['q1_0', 2]], ['q1_in', 1], undefined],
    ['nothing of a queue within its quota', [4], weighing([2, 1], [3, 1]), [['q0_0', 2], ['q1_0', 2]], ['q1_in', 1], undefined],
    ['nothing that is never preempted', [2], weighing([2, 1], [1, 1]), [['q0_0', 1, 1, build], ['q0_1', 1, 1, build]], ['q1_in', 1], undefined],
  ])('takes %s', (_, nodes, queues, running, incoming, expected) => {
    expect(taken(nodes, queues, running, incoming)).toEqual(expected)
  })

  // Departments d and e, of which the queues are d.0, e.0, ... (reclaimDepartments_test.go)
  const teams = (d: number, e: number, queues: Queues): Queues => ({ d: deserves(d), e: deserves(e), ...queues })
  const four: Queues = { a: deserves(4), 'a.0': deserves(3, 3), 'a.1': deserves(1), ...Object.fromEntries(['b', 'c', 'd'].flatMap((team) => [[team, deserves(4)], [`${team}.0`, deserves(4, 4)]])) }
  const each = (queue: string, count: number): Load[] => Array.from({ length: count }, (_, i): Load => [`${queue}_${i + 1}`, 1])
  it.each<[string, number, Queues, readonly Load[], Load, readonly string[] | undefined]>([
    ['what may be preempted of another team', 2, teams(1, 1, { 'd.0': deserves(1), 'e.0': deserves(1) }), [['d.0_0', 1], ['d.0_1', 1, 1, build]], ['e.0_in', 1, 1, build], ['d.0_0']],
    ['nothing where its team would have more than it deserves', 4, teams(2, 2, { 'd.0': deserves(1), 'e.0': deserves(1), 'e.1': deserves(1) }), [['d.0_0', 3], ['e.0_0', 1, 1, build]], ['e.0_in', 2], undefined],
    ['the smaller job of a team, by its fair share', 8, teams(1, 1, { 'd.0': deserves(1), 'e.0': deserves(1) }), [['d.0_0', 4], ['d.0_1', 1]], ['e.0_in', 4], ['d.0_1']],
    ['of another team and of its own', 4, teams(0, 4, { 'd.0': deserves(1), 'e.0': deserves(0, 0), 'e.1': deserves(4, 4) }), [['d.0_0', 2], ['e.0_0', 2]], ['e.1_in', 4], ['d.0_0', 'e.0_0']],
    ['nothing between teams that have what they are due', 4, teams(1, 1, { 'd.0': deserves(3, 3), 'e.0': deserves(1) }), [['d.0_0', 2], ['e.0_0', 2]], ['d.0_in', 1], undefined],
    ['a job of a team above its fair share, though that leaves it nothing', 4, teams(1, 1, { 'd.0': deserves(1), 'e.0': deserves(1) }), [['d.0_0', 1], ['e.0_0', 3]], ['d.0_in', 1], ['e.0_0']],
    ['the latest job of the team that has most of what it is due', 16, four, [...each('a.1', 4), ...each('b.0', 8), ...each('c.0', 4)], ['a.0_in', 1, 1, 125], ['b.0_8']],
    ['nothing for more than a fair share', 16, four, [...each('a.1', 4), ...each('b.0', 8), ...each('c.0', 4)], ['d.0_in', 5], undefined],
  ])('takes %s', (_, gpus, queues, running, incoming, expected) => {
    expect(taken([gpus], queues, running, incoming)).toEqual(expected)
  })
  it('takes of a team within its fair share for none that goes beyond its own team\'s quota, though others of that team give way', () => {
    // team b has 1 of its 3, and b.z_in asks 3: 4 are more than its quota, whether b.x_0 stays or goes. a, which is due 2, keeps its 2, and c, which is due nothing, gives
    const queues: Queues = { a: deserves(1, 2, 3), 'a.x': deserves(1), b: deserves(3), 'b.x': deserves(0, 3), 'b.z': deserves(3, 2), c: deserves(0, 1, 3) }
    expect(taken([5], queues, [['c_0', 2], ['a.x_0', 2], ['b.x_0', 1]], ['b.z_in', 3])).toEqual(['b.x_0', 'c_0'])
  })
  it('takes of its own team where a queue of lower priority, which would give first, may keep what it has (TestReclaimAnchorVictim)', () => {
    const of = (priority: number, quota: number) => ({ ...deserves(quota), priority })
    const queues: Queues = { org: of(110, 6), 'org.r': of(75, 4), 'org.batch': of(25, 0), kept: of(100, 4) }
    expect(taken([2, 2, 2, 1], queues, [['kept_0', 2], ['org.batch_0', 2], ['org.batch_1', 2]], ['org.r_in', 2])).toEqual(['org.batch_1'])
  })
  it('takes for a queue beyond its fair share only of those that stay further beyond theirs, by a multiple if it is said (relcaimerSaturationMultiplier)', () => {
    // c is due 8 and has 4, since the rest may not be preempted; d and e are due 4. e has 5 with the job, and d 7 without three
    const queues: Queues = { c: deserves(4, 2), d: deserves(2), 'd.0': deserves(2), e: deserves(2), 'e.0': deserves(5) }
    const killed = (reclaimerSaturationMultiplier: number) => {
      const { come } = world([16], { queues, reclaimerSaturationMultiplier })
      for (const load of [['c_0', 4, 1, build], ...each('d.0', 10), ['e.0_0', 2]] as const) expect(come(load as Load).started).toEqual([load[0]])
      come(['c_1', 4, 1, build])
      return come(['e.0_in', 3]).killed
    }
    expect([1, 1.3, 1.5].map(killed)).toEqual([['d.0_10', 'd.0_8', 'd.0_9'], ['d.0_10', 'd.0_8', 'd.0_9'], []])
  })
  it('goes from queue to queue, the less important job of each first, as equal queues have less in turn (TestVictimQueue_PopNextJob)', () => {
    const loads = [0, 1, 2].flatMap((i) => ['q2', 'q1'].map((queue): Load => [`${queue}_j${i}`, 1, 1, train - i]))
    const goes = (count: number) => taken([6], { q1: deserves(1), q2: deserves(1), q3: deserves(4) }, loads, ['q3_in', count])
    expect([1, 2, 3, 4].map(goes)).toEqual([['q1_j2'], ['q1_j2', 'q2_j2'], ['q1_j1', 'q1_j2', 'q2_j2'], ['q1_j1', 'q1_j2', 'q2_j1', 'q2_j2']])
  })
  it('takes within quotas of lower priorities alone, if it is said (queuePriorityInQuotaReclaim: InQuotaQueuePriorityStrategy)', () => {
    const killed = (queuePriorityInQuotaReclaim: boolean, priorities: readonly [number, number], asked: number, team = '') => {
      const of = (queue: string, priority: number): Queues => ({ [`${queue}${team}`]: deserves(2), [queue]: { ...deserves(2), priority } })
      const { come } = world([3], { queues: { ...of('q0', priorities[0]), ...of('q1', priorities[1]) }, queuePriorityInQuotaReclaim })
      for (const [i, queue] of ['q0', 'q1', 'q1'].entries()) expect(come([`${queue}${team}_${i}`, 1]).started).toHaveLength(1)
      return come([`q0${team}_in`, asked]).killed.length
    }
    expect([killed(true, [200, 100], 1), killed(false, [200, 100], 1), killed(true, [100, 100], 1), killed(true, [100, 200], 1), killed(true, [200, 100], 2)]).toEqual([1, 0, 0, 0, 0])
    expect([killed(true, [200, 100], 1, '.x'), killed(true, [100, 200], 1, '.x')]).toEqual([1, 0]) // of teams where they part
  })
  it('takes nothing for a job that is never preempted beyond the quota of its team', () => {
    expect(taken([4], teams(1, 1, { 'd.0': deserves(3, 3), 'e.0': deserves(3, 3) }), [['d.0_0', 1, 1, build], ['e.0_0', 3]], ['d.0_in', 1, 1, build])).toBeUndefined()
  })

  it('compares teams where projects of two are concerned', () => {
    const teams: Queues = { a: deserves(4), 'a.x': deserves(2), 'a.y': deserves(2), b: deserves(2), 'b.z': deserves(2) }
    // a.x has more than its part of a, which has what it deserves: b gets nothing of it, a.y does
    const running: Load[] = [0, 1, 2, 3].map((i): Load => [`a.x_${i}`, 1])
    expect(taken([6], teams, [...running, ['b.z_0', 1], ['b.z_1', 1]], ['b.z_in', 1])).toBeUndefined()
    expect(taken([6], teams, [...running, ['b.z_0', 1], ['b.z_1', 1]], ['a.y_in', 1])).toEqual(['a.x_3'])
  })
})

describe('queues in queues in queues (reclaimable_test.go, capacity_policy_test.go)', () => {
  const due = (quota: number, limit = -1) => deserves(quota, 0, limit)
  const left: Queues = { l: due(1), 'l.aside': due(0), 'l.mid': due(1), 'l.mid.leaf': due(1) }
  const right: Queues = { r: due(1), 'r.mid': due(1), 'r.mid.leaf': due(1) }
  const branch: Queues = { top: due(4), 'top.m1': due(2), 'top.m2': due(2), 'top.m1.a': due(2), 'top.m1.b': due(0), 'top.m2.a': due(2) }
  const within = (limit: number, quota: number): Queues => ({ top: due(quota, limit), 'top.beside': due(quota, limit), 'top.mid': due(quota, limit), 'top.mid.leaf': due(quota, limit) })
  it.each<[string, number, Queues, readonly Load[], Load, readonly string[] | undefined]>([
    ['takes of another tree that has more than it is due', 2, { ...left, ...right }, [['r.mid.leaf_1', 2]], ['l.mid.leaf_in', 1], ['r.mid.leaf_1']],
    ['takes nothing where the outermost queue would have more than it is due', 3, { ...left, ...right }, [['l.aside_1', 1], ['r.mid.leaf_1', 2]], ['l.mid.leaf_in', 1], undefined],
    ['takes of another branch and of its own', 2, { ...branch, 'top.m2': due(0), 'top.m2.a': due(0) }, [['top.m1.b_1', 1], ['top.m2.a_1', 1]], ['top.m1.a_in', 2], ['top.m1.b_1', 'top.m2.a_1']],
    ['takes nothing of another branch alone, with which its own would have more than it is due', 4, { ...branch, 'top.m1.b': due(1) }, [['top.m1.b_1', 1, 1, build], ['top.m2.a_1', 3]], ['top.m1.a_in', 2], undefined],
    ['starts what stays below the limits', 9, within(3, 0), [['top.mid.leaf_1', 2]], ['top.mid.leaf_in', 1], []],
    ['and nothing above that of the outermost queue', 9, within(3, 0), [['top.mid.leaf_1', 2], ['top.beside_1', 1]], ['top.mid.leaf_in', 1], undefined],
    ['starts what may not be preempted within the quotas', 9, within(-1, 3), [['top.mid.leaf_1', 2, 1, build]], ['top.mid.leaf_in', 1, 1, build], []],
    ['and nothing above that of the outermost one', 9, within(-1, 3), [['top.mid.leaf_1', 2, 1, build], ['top.beside_1', 1, 1, build]], ['top.mid.leaf_in', 1, 1, build], undefined],
    ['of which what may be preempted takes nothing', 9, within(-1, 3), [['top.mid.leaf_1', 2, 1, build], ['top.beside_1', 1]], ['top.mid.leaf_in', 1, 1, build], []],
  ])('%s', (_, gpus, queues, running, incoming, expected) => {
    expect(taken([gpus], queues, running, incoming)).toEqual(expected)
  })
})

describe('preempt (TestHandlePreempt)', () => {
  const q: Queues = { q: deserves(2) }
  const two: Queues = { q: deserves(2), r: deserves(2) }
  const inference = 125
  it.each<[string, readonly number[], Queues, readonly Load[], Load, readonly string[] | undefined]>([
    ['the one of three less important jobs that is large enough', [4], { q: deserves(4) }, [['q_0', 1], ['q_1', 2], ['q_2', 1]], ['q_in', 2, 1, build], ['q_1']],
    ['a less important job', [1], q, [['q_0', 1]], ['q_in', 1, 1, build], ['q_0']],
    ['nothing as important', [1], q, [['q_0', 1]], ['q_in', 1], undefined],
    ['nothing of another queue within its quota', [1], { q: deserves(1), r: deserves(1) }, [['q_0', 1]], ['r_in', 1, 1, build], undefined],
    ['two less important jobs', [2], q, [['q_0', 1], ['q_1', 1]], ['q_in', 2, 1, build], ['q_0', 'q_1']],
    ['the later of two less important jobs', [2], q, [['q_0', 1], ['q_1', 1]], ['q_in', 1, 1, 75], ['q_1']],
    ['nothing that is never preempted', [2], q, [['q_0', 1, 1, build], ['q_1', 1, 1, build]], ['q_in', 1, 1, build + 1], undefined],
    ['what is of its own queue, where another has what it deserves', [4], two, [['q_0', 2], ['r_1', 2]], ['q_in', 2, 1, build], ['q_0']],
    ['a smaller job of its own queue beside what is free', [4], two, [['q_0', 1], ['r_1', 2]], ['q_in', 2, 1, build], ['q_0']],
    ['the less important of two jobs', [2], q, [['q_0', 1], ['q_1', 1, 1, 75]], ['q_in', 1, 1, build], ['q_0']],
    ['the later of two as important', [2], q, [['q_0', 1, 1, 75], ['q_1', 1, 1, 75]], ['q_in', 1, 1, build], ['q_1']],
    ['a less important job for one that may be preempted itself', [1], q, [['q_0', 1]], ['q_in', 1, 1, 75], ['q_0']],
    ['nothing that is never preempted, for inference', [1], { q: deserves(10) }, [['q_0', 1, 1, build]], ['q_in', 1, 1, inference], undefined],
    ['no inference', [1], { q: deserves(10) }, [['q_0', 1, 1, inference]], ['q_in', 1, 1, build], undefined],
    ['training for inference', [1], { q: deserves(10) }, [['q_0', 1]], ['q_in', 1, 1, inference], ['q_0']],
    ['what keeps it below the limit of its queue', [2], { q: deserves(1, 1, 1) }, [['q_0', 1]], ['q_in', 1, 1, 75], ['q_0']],
  ])('takes %s', (_, nodes, queues, running, incoming, expected) => {
    expect(taken(nodes, queues, running, incoming)).toEqual(expected)
  })
})

describe('jobs that are never preempted stay within the quota (TestHandleAllocation)', () => {
  it('though others have more', () => {
    const { come } = world([4], { queues: { q: deserves(1) } })
    expect(come(['q_run', 2]).started).toEqual(['q_run'])
    expect(() => come(['q_2', 2, 1, build])).toThrow(/a task asks 2 gpu, and the quota of "q" is 1/)
    expect(come(['q_0', 1, 1, build], ['q_1', 1, 1, build], ['q_3', 1])).toEqual({ started: ['q_0', 'q_3'], killed: [] })
  })
  it('whatever its other jobs have', () => {
    const { come } = world([5], { queues: { q: deserves(2) } })
    come(['q_run', 2, 1, 75])
    expect(come(['q_0', 2, 1, build]).started).toEqual(['q_0'])
  })
})

describe('fair shares', () => {
  it('are those of the moment when somebody is taken: what goes asks no less for that', () => {
    // b, which deserves all CPUs, asks all 6: a is due none. For b_in, which asks none, b_0 gives up its two tasks, and with them no claim to its CPUs
    const queues: Queues = { a: { resources: { gpu: { quota: 1 } } }, b: { resources: { cpu: { quota: -1 } } } }
    const master = dispatcher({ cluster: instantCluster({ nodes: [{ count: 1, resources: { gpu: 6, cpu: 6 } }] }), policy: kaiPreempting({ queues }, firstNode()) })
    const play = (now: number, id: string, tasks: number, demand: Readonly<Record<string, number>>, priority: number) => {
      master.submit(job({ id, queue: id[0] as string, tasks, demand, priority }), now)
      const { start, kill } = master.pass(now)
      return [kill.map((each) => each.job), start.map((each) => each.job)]
    }
    expect(play(1, 'b_0', 3, { gpu: 3, cpu: 2 }, 50)).toEqual([[], ['b_0', 'b_0']])
    expect(play(2, 'a_1', 1, { gpu: 1, cpu: 2 }, 75)).toEqual([[], []])
    expect(play(3, 'b_in', 2, { gpu: 3 }, 75)).toEqual([['b_0', 'b_0'], ['b_in', 'b_in']])
  })
})

describe('who has just started', () => {
  it('is taken a moment later, for a gang that would else wait while small jobs come and go', () => {
    // at 2 s a_gang finds 2 GPUs free, and q_1 starts on one of them; of q, which deserves nothing, q_0 alone is not enough
    const policy = kaiPreempting({ ties: 'submission', queues: { a: deserves(4), q: deserves(0) } }, firstNode())
    const master = dispatcher({ cluster: instantCluster({ nodes: [{ count: 1, resources: { gpu: 4 } }] }), policy })
    master.submit(job({ id: 'q_0', queue: 'q', demand: { gpu: 2 } }), 1)
    master.pass(1)
    master.submit(job({ id: 'a_gang', queue: 'a', tasks: 4, gang: true, demand: { gpu: 1 } }), 2)
    master.submit(job({ id: 'q_1', queue: 'q', demand: { gpu: 1 } }), 2)
    expect(master.pass(2).start.map((each) => each.job)).toEqual(['q_1'])
    expect(master.nextWake).toBe(2.001)
    const { start, kill } = master.pass(2.001)
    expect([kill.map((each) => each.job).sort(), start.length]).toEqual([['q_0', 'q_1'], 4])
  })

  it('goes before who has run longer with a higher priority, and not the other in its place', () => {
    // 1 GPU is free, which a_low gets since b_in asks 2; a_2 goes with it, and a_3, of higher priority, stays
    const { come, pass } = world([4], { queues: { a: deserves(0), b: deserves(4) } })
    for (const load of [['a_1', 1, 1, 75], ['a_2', 1, 1, 60], ['a_3', 1, 1, 75]] as const) expect(come(load).started).toEqual([load[0]])
    expect(come(['b_in', 2], ['a_low', 1, 1, 25])).toEqual({ started: ['a_low'], killed: [] })
    expect(pass(0.001)).toEqual({ started: ['b_in'], killed: ['a_2', 'a_low'] })
  })
})

describe('who was taken', () => {
  it('takes back in the next cycle what another queue has above its quota', () => {
    // b has 8 of its 5 and c 3 of its 2; a_in, of 5, takes b_3 and b_2; b_3 is within what b deserves then, and 1 is free
    const { come, pass } = world([12], { queues: { a: deserves(5), b: deserves(5), c: deserves(2) } })
    for (const load of [['c_1', 2], ['c_2', 1], ['b_1', 3], ['b_2', 3], ['b_3', 2]] as const) expect(come(load).started).toEqual([load[0]])
    expect(come(['a_in', 5])).toEqual({ started: ['a_in'], killed: ['b_2', 'b_3'] })
    expect(pass()).toEqual({ started: [], killed: [] })
    expect(pass(1)).toEqual({ started: ['b_3'], killed: ['c_2'] })
  })
})

describe('in any small world', { tags: 'long' }, () => {
  it('the laws of policies hold', () => {
    const options: KaiOptions = { defaults: { resources: {} }, queues: {} }
    expect(checkPolicyLaws(() => kaiPreempting(options, firstNode()), { runs: 12 }).launches).toBeGreaterThan(90)
  })

  it('comes to rest at every time, whatever comes', () => {
    const size = fc.integer({ min: 1, max: 3 })
    const load = fc.tuple(fc.constantFrom('a.x', 'a.y', 'b'), size, size, fc.constantFrom(10, 20, build))
    const quota = fc.integer({ min: 0, max: 4 })
    let killed = 0
    fc.assert(
      fc.property(fc.array(load, { minLength: 3, maxLength: 14 }), fc.array(quota, { minLength: 4, maxLength: 4 }), (loads, [a = 0, x = 0, y = 0, b = 0]) => {
        const { come, pass } = world([4, 4], { queues: { a: deserves(a), 'a.x': deserves(x), 'a.y': deserves(y), b: deserves(b) }, nonPreemptiblePriority: 1000 })
        for (const [i, [queue, gpus, tasks, priority]] of loads.entries()) {
          const room = 2 * Math.floor(4 / gpus)
          killed += come([`${queue}_${i}`, gpus, Math.min(tasks, room), priority]).killed.length
          for (let again = 0; ; again++) {
            const { started, killed: more } = pass()
            if (started.length + more.length === 0) break
            if (again > 50) throw new Error('it does not come to rest')
          }
        }
      }),
      { seed: 11, numRuns: 80 },
    )
    expect(killed).toBeGreaterThan(40)
  })
})
