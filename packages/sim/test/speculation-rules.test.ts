import type { ClusterDescription } from '@sched/cluster'
import type { JobId, JobSpec, NodeId, Observer, Round, TaskId, WorkView } from '@sched/core'
import { describe, expect, it } from 'vitest'
import type { Outage, SimulationOptions, SpeculationOptions } from '../src/index.js'
import { job, policyOf, run, stage, startAll } from './world.js'

/** One node for each speed, with so many slots. */
const nodes = (speeds: readonly number[], slots = 1): ClusterDescription => ({ nodes: speeds.map((speed, i) => ({ name: `n${i}`, count: 1, slots: { slot: slots }, speed })) })
const away = (node: number, from: number, to: number): Outage => ({ node: node as NodeId, from, to })

/** The copies that start: when, of which task, where. */
function copies(jobs: readonly JobSpec[], speculation: SpeculationOptions, change: Partial<SimulationOptions> = {}): string[] {
  const found: string[] = []
  let work: WorkView | undefined
  const observer: Observer = {
    onRunStart: (run) => void (work = run.work),
    onTaskStart: (task, of, _lane, node, _level, now) => void (work!.isCopy(task) && found.push(`${now}: ${work!.name(of)}.${work!.indexOf(task)} on ${node}`)),
  }
  run(jobs, { speculation, ...change, observers: [observer] })
  return found
}

/** Starts tasks by submission of their jobs, on the nodes that are given for a time. */
const onNodes = (given: (now: number) => readonly number[]) =>
  policyOf((round, jobs) => {
    for (const each of jobs)
      for (const node of given(round.now) as readonly NodeId[]) while (round.work.unplaced(each, round.lane) > 0 && round.fits(each, node) && startOn(round, each, node));
  })
function startOn(round: Round, each: JobId, node: NodeId): boolean {
  const task = round.work.taskFor(each, round.lane, node, round.cluster.levels)
  return task !== -1 && round.claim(task, node)
}

describe('late', () => {
  /** Tasks of a minute on three nodes, the second of which takes three times as long and the third 1.9 times. */
  const five = [job('a', { tasks: 5, duration: 60 })]
  const cluster = nodes([1, 1 / 3, 1 / 1.9])
  const anyTask = { rule: 'late', slowTask: 1, minRunTime: 0 } as const

  it('copies the task with the longest time left, not the slowest (the example of three nodes in Zaharia et al. 2008, section 4)', () => {
    // At 2 min the first node has done two tasks. The second has done 2/3 of one and needs another minute; the third has done 1/19 of its second one and
    // needs 1.8 min. So the job takes 3 min instead of 3.8 min.
    expect(copies(five, anyTask, { cluster })).toEqual(['120: a.4 on 0'])
    expect([run(five, { cluster }).ends, run(five, { cluster, speculation: anyTask }).ends]).toEqual([{ a: 228 }, { a: 180 }])
  })

  it('copies only tasks whose progress rate is low', () => {
    // The rates are 1/180, 1/114 and, of tasks that are done, 1/114 and twice 1/60 a second: below that at index floor(5/4) is the first.
    expect(copies(five, { rule: 'late', minRunTime: 0 }, { cluster })).toEqual(['120: a.1 on 0'])
  })

  it('compares rates with those of tasks that are copied already, too', () => {
    // Of eight rates two are below that at index 2, whether or not these two have been copied.
    const jobs = [job('a', { tasks: 8, duration: [60, 60, 60, 60, 600, 500, 400, 300] })]
    expect(copies(jobs, { rule: 'late', cap: 1 }, { cluster: nodes(Array<number>(8).fill(1)) })).toEqual(['60: a.4 on 0', '60: a.5 on 1'])
  })

  it('copies only tasks that have run for a minute', () => {
    expect(copies(five, { rule: 'late', slowTask: 1 }, { cluster })).toEqual(['120: a.1 on 0', '180: a.4 on 0']) // the last one has run for 6 s, and for 66 s
  })

  it('copies nothing where all tasks are equally fast', () => {
    expect(copies([job('a', { tasks: 6, duration: 100 })], { rule: 'late', minRunTime: 0 }, { cluster: nodes([1, 1, 1, 1]) })).toEqual([])
  })

  it('makes no copies for slow nodes', () => {
    // At 240 s the last node has done a task, the first two have done two each, and the third 0.4 of one: below that at index 1 is only the third, at
    // index 2 also the last, which is the only one that takes tasks.
    const jobs = [job('a', { tasks: 6, duration: [60, 60, 600, 60, 60, 60] })]
    const policy = onNodes((now) => (now < 100 ? [0, 1, 2, 3] : [3]))
    const made = (slowNode: number) => copies(jobs, { rule: 'late', slowTask: 1, slowNode }, { cluster: nodes([1, 1, 1, 0.25]), policy })
    expect([made(0.25), made(0.5)]).toEqual([['240: a.2 on 3'], []])
  })

  it('makes copies for nodes that have run no task of the job', () => {
    const policy = onNodes((now) => (now < 60 ? [0, 1] : [2]))
    expect(copies([job('a', { tasks: 2, duration: [60, 600] })], { rule: 'late', slowTask: 1, slowNode: 0.5 }, { cluster: nodes([1, 1, 1]), policy })).toEqual(['60: a.1 on 2'])
  })

  it('makes so many copies at once in the whole cluster', () => {
    // On 20 slots two, of four tasks of two jobs that take longer than the others
    const jobs = ['a', 'b'].map((id) => job(id, { tasks: 4, duration: [60, 60, 600, 600] }))
    const made = (cap?: number) => copies(jobs, { rule: 'late', slowTask: 0.5, ...(cap !== undefined && { cap }) }, { cluster: nodes(Array<number>(20).fill(1)) })
    expect(made()).toEqual(['60: a.2 on 0', '60: a.3 on 1'])
    expect([made(0.05), made(0.15), made(0)]).toEqual([['60: a.2 on 0'], ['60: a.2 on 0', '60: a.3 on 1', '60: b.2 on 4'], []])
  })

  it('makes a copy where a tenth of the slots is less than one', () => {
    expect(copies(five, { ...anyTask, cap: 0.01 }, { cluster })).toEqual(['120: a.4 on 0'])
  })
})

describe('hadoop1', () => {
  const four = [job('a', { tasks: 4, duration: 30 })]
  const cluster = nodes([1, 1, 1, 0.2])

  it('copies a task that is 0.2 behind the mean progress of its stage, when the job is a minute old', () => {
    // At 60 s three tasks are done, and one has done 0.4: the mean is 3.4/4.
    expect(copies(four, { rule: 'hadoop1' }, { cluster })).toEqual(['60: a.3 on 0'])
    expect(copies(four, { rule: 'hadoop1', minAge: 0 }, { cluster })).toEqual(['30: a.3 on 0'])
    expect([0.44, 0.46].map((gap) => copies(four, { rule: 'hadoop1', gap }, { cluster }))).toEqual([['60: a.3 on 0'], []])
  })

  it('counts the minute from when the job was submitted, as its source does', () => {
    const first = { ...job('x', { tasks: 4, duration: 50 }) }
    const fast = { ...cluster, nodes: cluster.nodes.map((node, i) => ({ ...node, ...(i === 3 && { speed: 1 }) })) }
    expect(copies([first, job('a', { tasks: 4, duration: [30, 30, 30, 150] })], { rule: 'hadoop1' }, { cluster: fast })).toEqual(['80: a.3 on 0'])
  })

  it('copies any number at once', () => {
    expect(copies([job('a', { tasks: 10, duration: 30 })], { rule: 'hadoop1' }, { cluster: nodes([1, 1, 1, 1, 1, 0.2, 0.2, 0.2, 0.2, 0.2]) })).toHaveLength(5)
  })

  it('copies tasks that are as fast as any, since they have started later (Zaharia et al. 2008, section 3)', () => {
    // At 63 s four tasks are done, and two have done 1/20.
    const jobs = [job('a', { tasks: 6, duration: 60 })]
    const equal = { cluster: nodes([1, 1, 1, 1]) }
    expect(copies(jobs, { rule: 'hadoop1' }, equal)).toEqual(['63: a.4 on 2', '63: a.5 on 3'])
    for (const rule of ['hadoop', 'late', 'spark'] as const) expect(copies(jobs, { rule }, equal)).toEqual([])
  })

  it('counts the better attempt of a task', () => {
    // At 84 s the first task is done, the second has done 0.28 and its copy 0.8, and the third has done 84/145: 0.21 behind the mean.
    const jobs = [job('a', { tasks: 3, duration: [30, 30, 145] })]
    expect(copies(jobs, { rule: 'hadoop1' }, { cluster: nodes([1, 0.1, 1, 1]) })).toEqual(['60: a.1 on 0', '84: a.2 on 3'])
  })

  it('takes a copy back that nobody has begun at the next look', () => {
    const waiting: number[] = []
    const policy = policyOf((round, jobs) => {
      for (const each of jobs) {
        if (round.now < 60) startAll(round, each)
        else if (round.work.name(each) === 'b') startAll(round, each)
        else waiting.push(round.now, round.work.unplaced(each, round.lane))
      }
    })
    // At 60 s three nodes are free; at 61 s b takes them all, and the look at 63 s finds none.
    run([...four, job('b', { submit: 61, tasks: 3, duration: 100 })], { cluster, policy, speculation: { rule: 'hadoop1' } })
    expect(waiting).toEqual([60, 1, 61, 1])
  })
})

describe('spark', () => {
  const four = [job('a', { tasks: 4 })]
  const cluster = nodes([1, 1, 1, 0.2])
  const spark3 = { rule: 'spark', multiplier: 1.5, quantile: 0.75, interval: 0.125 } as const

  it('copies a task that runs longer than a multiple of the median, once enough are done', () => {
    // Three of four tasks took 10 s. The last one has run for 15 s at 15 s, and longer at the next look.
    expect(copies(four, spark3, { cluster })).toEqual(['15.125: a.3 on 0'])
    expect(copies(four, { rule: 'spark', interval: 0.125 }, { cluster })).toEqual(['30.125: a.3 on 0'])
    expect(copies(four, { ...spark3, interval: 4 }, { cluster })).toEqual(['16: a.3 on 0'])
    expect(copies(four, { ...spark3, minRunTime: 40 }, { cluster })).toEqual(['40.125: a.3 on 0'])
    expect(copies(four, { ...spark3, quantile: 1 }, { cluster })).toEqual([])
  })

  it('takes the upper one of two medians', () => {
    const five = [job('a', { tasks: 5, duration: [10, 20, 30, 40, 400] })]
    const equal = { cluster: nodes([1, 1, 1, 1, 1]) }
    expect(copies(five, { ...spark3, quantile: 0.8 }, equal)).toEqual(['45.125: a.4 on 0']) // 1.5 times 30 s
    expect(copies(five, { ...spark3, quantile: 0.6 }, equal)).toEqual(['30.125: a.3 on 0', '30.125: a.4 on 1']) // 1.5 times 20 s
  })

  it('copies any number at once', () => {
    expect(copies([job('a', { tasks: 8 })], { ...spark3, quantile: 0.5 }, { cluster: nodes([1, 1, 1, 1, 0.2, 0.2, 0.2, 0.2]) })).toEqual([0, 1, 2, 3].map((i) => `15.125: a.${i + 4} on ${i}`))
  })

  it('looks sooner when the median falls', () => {
    // Of 40 s; then of 2, 2 and 40 s, so that two tasks that have run for 44 s have run too long. One copy finds room.
    const jobs = [job('a', { tasks: 5, duration: [40, 300, 100, 2, 2] })]
    expect(copies(jobs, { ...spark3, quantile: 0 }, { cluster: nodes([1, 1, 1]) })[0]).toBe('44.125: a.1 on 0')
  })

  it('copies a task again when its copy is lost', () => {
    expect(copies(four, spark3, { cluster, outages: [away(0, 17, 90)] })).toEqual(['15.125: a.3 on 0', '17.125: a.3 on 1'])
  })

  it('gives a node a copy of another node\'s task while one of its own waits', () => {
    // From 15 s on only the first node takes tasks.
    const apart = policyOf((round, jobs) => {
      for (const each of jobs) {
        if (round.now === 0) for (const node of [0, 1, 2, 2] as NodeId[]) startOn(round, each, node)
        else while (round.work.unplaced(each, round.lane) > 0 && round.fits(each, 0 as NodeId) && startOn(round, each, 0 as NodeId));
      }
    })
    const slow = { cluster: nodes([0.2, 0.2, 1], 2), policy: apart }
    expect(copies([job('a', { tasks: 4 })], { ...spark3, quantile: 0.5 }, slow)).toEqual(['15.125: a.1 on 0'])
  })

  it('copies tasks of small stages after a time, if that is given', () => {
    const long = (tasks: number) => [job('a', { tasks, duration: 100 })]
    const two = { cluster: nodes([1, 1], 4) }
    expect(copies(long(2), { ...spark3, longerThan: 20 }, two)).toEqual(['20.125: a.0 on 1', '20.125: a.1 on 1'])
    expect(copies(long(1), { ...spark3, longerThan: 20 }, two)).toEqual(['20.125: a.0 on 1'])
    expect(copies(long(5), { ...spark3, longerThan: 20 }, two)).toEqual([]) // a node has four slots
    expect(copies(long(1), { ...spark3, quantile: 0 }, two)).toEqual([])
  })
})

describe('a copy', () => {
  const rules: readonly SpeculationOptions[] = [{ rule: 'late', slowTask: 1 }, { rule: 'hadoop1' }, { rule: 'spark', quantile: 0.5 }]

  it.each(rules)('of %o is not for the node of its task', (speculation) => {
    const jobs = [job('a', { tasks: 2, duration: [30, 400] })]
    expect(copies(jobs, speculation, { cluster: nodes([1], 2) })).toEqual([])
    expect(copies(jobs, speculation, { cluster: nodes([1, 0.1], 2) })).toHaveLength(1)
  })

  it.each(rules)('of %o is near the data of its task, on another node', (speculation) => {
    const on = (name: string) => ({ name, count: 1, slots: { slot: 1 } })
    const cluster = { nodes: ['a', 'b', 'c', 'd'].map(on), replicas: { factor: 2, placement: 'uniform' as const } }
    const data = { hosts: [['a-0', 'a-0'], ['b-0', 'd-0']] }
    expect(copies([job('a', { tasks: 2, duration: [30, 400], data })], speculation, { cluster, policy: nearFirst })).toEqual([expect.stringMatching(/: a\.1 on 3$/)])
  })

  it.each(rules)('of %o is made only in stages that are named', (speculation) => {
    const spec: JobSpec = { id: 'a', submit: 0, stages: [stage({ name: 'map', tasks: 2, duration: [30, 400] })] }
    const made = (stages: readonly string[]) => copies([spec], { ...speculation, stages }, { cluster: nodes([1, 1]) }).length
    expect([made(['map']), made(['reduce'])]).toEqual([1, 0])
  })
})

/** Starts each task where its data is, and only there. */
const nearFirst = policyOf((round, jobs) => {
  for (const each of jobs)
    for (const node of [...round.nodes].reverse()) {
      if (round.work.unplaced(each, round.lane) === 0 || !round.fits(each, node)) continue
      const task = round.work.taskFor(each, round.lane, node, 0)
      if (task >= 0 && (round.now > 0 || node < 2)) round.claim(task as TaskId, node)
    }
})

describe('options of rules', () => {
  it.each<[SpeculationOptions, string]>([
    [{ rule: 'late', cap: 2 }, 'found a cap of 2.'],
    [{ rule: 'late', slowNode: -0.5 }, 'found a slowNode of -0.5.'],
    [{ rule: 'late', slowTask: NaN }, 'found a slowTask of NaN.'],
    [{ rule: 'late', minRunTime: -1 }, 'found a minRunTime of -1.'],
    [{ rule: 'late', interval: 0 }, 'found an interval of 0 s.'],
    [{ rule: 'hadoop1', gap: 1.5 }, 'found a gap of 1.5.'],
    [{ rule: 'hadoop1', minAge: Infinity }, 'found a minAge of Infinity.'],
    [{ rule: 'spark', quantile: 1.5 }, 'found a quantile of 1.5.'],
    [{ rule: 'spark', multiplier: -1 }, 'found a multiplier of -1.'],
    [{ rule: 'spark', longerThan: 0 }, 'found a longerThan of 0 s.'],
    [{ rule: 'mantri' } as unknown as SpeculationOptions, 'found the rule "mantri". There are hadoop, hadoop1, late and spark.'],
  ])('as %o are refused', (speculation, fact) => {
    expect(() => run([], { speculation })).toThrow(`speculation: ${fact}`)
  })
})
