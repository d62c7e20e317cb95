import { hashUnit, streamKey, type JobSpec, type NodeId, type Observer } from '@sched/core'
import { describe, expect, it } from 'vitest'
import type { AvoidOptions, FailureOptions, SimulationOptions } from '../src/index.js'
import { exact, inOrder, job, policyOf, run, stage, startAll } from './world.js'

const nodes = (count: number, slots = 1) => ({ nodes: [{ count, slots: { slot: slots } }] })
/** On these nodes every attempt fails. */
const bad = (...ids: number[]): FailureOptions => ({ maxAttempts: 100, badNodes: { nodes: ids as NodeId[], probability: 1 } })

/** Starts by node, and which nodes were avoided: `12 a avoids 0`, `a.1` for a stage, `a.1.2` for a task. */
class Watch implements Observer {
  readonly starts: number[] = []
  readonly avoided: string[] = []
  readonly given: string[] = []
  readonly drains: string[] = []
  #name: (job: never) => string = () => ''
  onRunStart({ work }: Parameters<NonNullable<Observer['onRunStart']>>[0]): void {
    this.#name = (each) => work.name(each)
  }
  onTaskStart(...[, , , node]: Parameters<NonNullable<Observer['onTaskStart']>>): void {
    this.starts[node] = (this.starts[node] ?? 0) + 1
  }
  onAvoid(...[node, of, at, task, isAvoided]: Parameters<NonNullable<Observer['onAvoid']>>): void {
    if (of >= 0) this.avoided.push(`${this.#name(of as never)}${at < 0 ? '' : `.${at}`}${task < 0 ? '' : `.${task}`} ${isAvoided ? 'avoids' : 'uses'} ${node}`)
  }
  onAbandon(...[, spec, , now]: Parameters<NonNullable<Observer['onAbandon']>>): void {
    this.given.push(`${spec.id} at ${now}`)
  }
  onNode(node: NodeId, up: boolean, now: number): void {
    this.drains.push(`${now} ${node} ${up ? 'up' : 'down'}`)
  }
}
function watched(jobs: readonly JobSpec[], avoid: AvoidOptions | undefined, change: Partial<SimulationOptions> = {}) {
  const watch = new Watch()
  const log = run(jobs, { cluster: nodes(4), ...(avoid && { avoid }), ...change, observers: [watch, ...(change.observers ?? [])] })
  return { watch, log }
}

describe('bad nodes', () => {
  const where = (failures: FailureOptions, seed = 1) => {
    const failed: string[] = []
    run([job('a', { tasks: 200 })], { cluster: nodes(10), seed, failures, observers: [{ onTaskEnd: (_task, _job, _lane, node, how) => void (how === 'failed' && failed.push(`${node}`)) }] })
    return failed
  }

  it('are where tasks fail', () => {
    expect(new Set(where({ maxAttempts: 1000, badNodes: { nodes: [2, 5] as NodeId[], probability: 0.5 } }))).toEqual(new Set(['2', '5']))
    expect(new Set(where({ maxAttempts: 1000, badNodes: { nodes: [2] as NodeId[], mtbf: 5 } }))).toEqual(new Set(['2']))
    expect(where({ badNodes: { nodes: [], probability: 1 } })).toEqual([])
  })

  it('are so many as the fraction says, others with another seed', () => {
    const sets = [1, 2, 3].map((seed) => [...new Set(where({ maxAttempts: 1000, badNodes: { fraction: 0.34, probability: 0.9 } }, seed))].sort().join())
    expect(sets.map((set) => set.split(',').length)).toEqual([3, 3, 3])
    expect(new Set(sets).size).toBeGreaterThan(1)
  })

  it('fail an attempt after the time that is drawn for the task, at a part of its run, or as an exponential time', () => {
    const u = hashUnit(streamKey(1, 'failures on bad nodes/1') ^ streamKey(0, 'a'), 0, 0)
    const first = (failures: FailureOptions) => run([job('a')], { cluster: nodes(1), failures }).lines.find((line) => line.includes('failed'))
    expect(first({ badNodes: { nodes: [0] as NodeId[], probability: 1 } })).toBe(`${u * 10} failed a on 0`)
    expect(first({ badNodes: { nodes: [0] as NodeId[], mtbf: 1 } })).toMatch(new RegExp(`^${String(-Math.log(1 - u)).slice(0, 10).replace('.', '\\.')}\\d* failed a on 0`))
  })

  it('change nothing elsewhere: what fails by itself fails as before', () => {
    const jobs = [job('a', { tasks: 50 })]
    const own: FailureOptions = { probability: 0.3, maxAttempts: 50 }
    expect(run(jobs, { cluster: nodes(5), failures: { ...own, badNodes: { nodes: [], probability: 1 } } }).lines).toEqual(run(jobs, { cluster: nodes(5), failures: own }).lines)
  })

  it('are refused where nobody knows which, or how tasks fail there', () => {
    const message = (failures: FailureOptions) => () => run([job('a')], { failures })
    expect(message({ badNodes: { probability: 0.5 } })).toThrow('failures.badNodes: found neither nodes nor a fraction. Give one of them.')
    expect(message({ badNodes: { nodes: [], fraction: 0.5, probability: 0.5 } })).toThrow('failures.badNodes: found both nodes and a fraction.')
    expect(message({ badNodes: { nodes: [2] as NodeId[], probability: 0.5 } })).toThrow('failures.badNodes: found node 2, the cluster has 2.')
    expect(message({ badNodes: { fraction: 2, probability: 0.5 } })).toThrow('found a fraction of 2.')
    expect(message({ badNodes: { fraction: 0.5 } })).toThrow('failures.badNodes: found neither probability nor mtbf.')
    expect(message({ badNodes: { fraction: 0.5, probability: 1.5 } })).toThrow('failures.badNodes: found a probability of 1.5.')
  })
})

describe('a job under the rule of Hadoop', () => {
  it('avoids a node on which three of its tasks have failed, until it ends', () => {
    const { watch } = watched([job('a', { tasks: 40 }), job('b', { submit: 1000, tasks: 20 })], { rule: 'hadoop' }, { failures: bad(1) })
    expect(watch.avoided).toEqual(['a avoids 1', 'b avoids 1'])
    expect(watch.starts[1]).toBe(6)
    expect(watch.starts.reduce((sum, each) => sum + each, 0)).toBe(60 + 6)
  })

  it('avoids it after another number of failures', () => {
    expect(watched([job('a', { tasks: 40 })], { rule: 'hadoop', failures: 1 }, { failures: bad(1) }).watch.starts[1]).toBe(1)
    expect(watched([job('a', { tasks: 40 })], { rule: 'hadoop', failures: 7 }, { failures: bad(1) }).watch.starts[1]).toBe(7)
  })

  it('avoids none while that would be a third of the nodes or more: 1 of 4 is 25 %, 2 are 50 %', () => {
    const jobs = [job('a', { tasks: 40 })]
    const two = watched(jobs, { rule: 'hadoop' }, { failures: bad(1, 2) }).watch
    expect(two.avoided).toEqual(['a avoids 2', 'a uses 2'])
    expect(two.starts[1]).toBeGreaterThan(3)
    const never = watched(jobs, { rule: 'hadoop', ignoreThreshold: -1 }, { failures: bad(1, 2) }).watch
    expect([...never.avoided].sort()).toEqual(['a avoids 1', 'a avoids 2'])
    expect(watched(jobs, { rule: 'hadoop', ignoreThreshold: 25 }, { failures: bad(1) }).watch.avoided).toEqual([])
    expect(watched(jobs, { rule: 'hadoop', ignoreThreshold: 26 }, { failures: bad(1) }).watch.avoided).toEqual(['a avoids 1'])
  })

  it('counts the nodes that are up: with one of four away 1 of 3 is 33 %', () => {
    const { watch } = watched([job('a', { tasks: 40 })], { rule: 'hadoop' }, { failures: bad(1), outages: [{ node: 3 as NodeId, from: 60, to: 80 }] })
    expect(watch.avoided).toEqual(['a avoids 1', 'a uses 1', 'a avoids 1'])
  })

  it('never avoids all nodes, nor all that it may run on', () => {
    const all = watched([job('a', { tasks: 8 })], { rule: 'hadoop', failures: 1, ignoreThreshold: -1 }, { failures: { badNodes: { fraction: 1, probability: 0.5 }, maxAttempts: 100 } })
    expect(all.log.ends['a']).toBeDefined()
    expect(all.watch.avoided.length).toBeGreaterThan(3)
    const labelled = { id: 'a', submit: 0, stages: [stage({ tasks: 9, constraints: { require: { kind: 'x' } } })] }
    const cluster = { nodes: [{ count: 5, slots: { slot: 1 } }, { count: 1, slots: { slot: 1 }, labels: { kind: 'x' } }] }
    const one = watched([labelled], { rule: 'hadoop', failures: 1 }, { cluster, failures: { badNodes: { nodes: [5] as NodeId[], probability: 0.7 }, maxAttempts: 100 } })
    expect(one.watch.avoided).toEqual([])
    expect(one.log.ends['a']).toBeDefined()
  })

  it('leaves a gang enough nodes', () => {
    const gang = (tasks: number) => [{ id: 'g', submit: 0, stages: [stage({ tasks, gang: true })] }]
    const change = { policy: policyOf((round, jobs) => { for (const each of jobs) if (round.nodes.filter((node) => round.fits(each, node)).length >= round.work.unplaced(each, round.lane)) startAll(round, each) }), failures: { badNodes: { nodes: [1] as NodeId[], probability: 0.9 }, maxAttempts: 1000 } }
    expect(watched(gang(3), { rule: 'hadoop', failures: 1 }, { ...change, seed: 4 }).watch.avoided).toEqual(['g avoids 1'])
    const whole = watched(gang(4), { rule: 'hadoop', failures: 1 }, { ...change, seed: 4 })
    expect(whole.watch.avoided).toEqual([])
    expect(whole.log.ends['g']).toBeDefined()
  })
})

describe('a job under the rule of Hadoop 1', () => {
  it('does not run a task again where it has failed, but others', () => {
    const { watch } = watched([job('a', { tasks: 3 })], { rule: 'hadoop1', failures: 100 }, { failures: bad(0) })
    expect(watch.avoided).toEqual(['a.0.0 avoids 0'])
    expect(watch.starts).toEqual([1, 1, 1, 1])
  })

  it('runs a task again where it has failed once it has failed on all nodes', () => {
    const { watch, log } = watched([job('a')], { rule: 'hadoop1' }, { failures: { badNodes: { fraction: 1, probability: 0.9 }, maxAttempts: 100 }, seed: 5 })
    expect(log.ends['a']).toBeDefined()
    expect(watch.avoided.slice(0, 6)).toEqual(['a.0.0 avoids 0', 'a.0.0 avoids 1', 'a.0.0 avoids 2', 'a.0.0 uses 0', 'a.0.0 uses 1', 'a.0.0 uses 2'])
  })

  it('avoids nodes with four failures while these are less than a quarter of all, and counts no more from there on', () => {
    const five = { cluster: nodes(5, 2), failures: bad(0, 1, 2) }
    const only = (lines: readonly string[]) => lines.filter((line) => line.startsWith('a avoids') || line.startsWith('a uses'))
    // one of five is less than 1.25, two are not: then none is avoided, and the failures on the third node do not count
    expect(only(watched([job('a', { tasks: 60 })], { rule: 'hadoop1' }, five).watch.avoided)).toEqual(['a avoids 0', 'a uses 0'])
    expect(only(watched([job('a', { tasks: 60 })], { rule: 'hadoop1', mostOfJob: 1 }, five).watch.avoided).sort()).toEqual(['a avoids 0', 'a avoids 1', 'a avoids 2'])
  })

  const several = (count: number) => Array.from({ length: count }, (_, i) => job(`j${i}`, { submit: 100 * i, tasks: 12 }))
  it('drains a node that so many jobs which succeeded have avoided, and forgives it after a day', () => {
    const jobs = [...several(6), job('late', { submit: 100_000, tasks: 12 })]
    const { watch } = watched(jobs, { rule: 'hadoop1', failures: 1, blacklists: 3 }, { cluster: nodes(5), failures: bad(1) })
    const [down, up] = watch.drains.map((line) => line.split(' ')) as [string[], string[]]
    expect([down[1], down[2], up[1], up[2]]).toEqual(['1', 'down', '1', 'up'])
    expect(Number(down[0])).toBeGreaterThan(200) // when the third job ends
    expect(Number(down[0])).toBeLessThan(300)
    expect(Number(up[0])).toBe(Number(down[0]) + 86_400)
    expect(watch.starts[1]).toBe(4)
  })

  it('drains none that is not worse than others by half', () => {
    // two of five nodes are bad: the mean is 2n / 5, and n is above it by 150 %; with 200 % asked for, neither is drained
    const change = { cluster: nodes(9), failures: bad(1, 2) }
    expect(watched(several(6), { rule: 'hadoop1', failures: 1, blacklists: 3, aboveMean: 2 }, change).watch.drains.map((line) => line.slice(-6))).toEqual(['1 down', '2 down'])
    expect(watched(several(6), { rule: 'hadoop1', failures: 1, blacklists: 3, aboveMean: 9 }, change).watch.drains).toEqual([])
    expect(watched(several(6), { rule: 'hadoop1', failures: 1, blacklists: 3, mostOfCluster: 0.1 }, change).watch.drains).toHaveLength(1)
  })
})

describe('a job under the rule of Spark', () => {
  const two = (tasks: number) => ({ id: 'a', submit: 0, stages: [stage({ tasks }), stage({ tasks, after: [{ stage: 0, fraction: 1 }] })] })

  it('keeps a task off the node where it has failed, the stage off one where two have, and the job when the stage is done', () => {
    const { watch } = watched([two(8)], { rule: 'spark' }, { failures: bad(0) })
    expect(watch.avoided).toEqual(['a.0.0 avoids 0', 'a.0.4 avoids 0', 'a.0 avoids 0', 'a.0 uses 0', 'a avoids 0'])
    expect(watch.starts[0]).toBe(2)
  })

  it('uses the node again after an hour', () => {
    const late = { id: 'a', submit: 0, stages: [stage({ tasks: 8 }), stage({ tasks: 2000, after: [{ stage: 0, fraction: 1 }] })] }
    const { watch } = watched([late], { rule: 'spark', timeout: 600 }, { failures: bad(0) })
    expect(watch.avoided.filter((line) => line.startsWith('a '))).toEqual(['a avoids 0', 'a uses 0'])
    expect(watch.starts[0]).toBe(4)
  })

  it('fails when a task has had no node left for two minutes', () => {
    const { watch, log } = watched([job('a', { tasks: 6 }), job('b', { submit: 1000 })], { rule: 'spark' }, { cluster: nodes(3), failures: { badNodes: { fraction: 1, probability: 0.9 }, maxAttempts: 100 }, seed: 2 })
    const last = Math.max(...log.lines.filter((line) => line.includes('failed a')).map((line) => Number(line.split(' ')[0])))
    expect(watch.given[0]).toMatch(/^a at /)
    const at = Number((watch.given[0] as string).split(' ')[2])
    expect(at).toBeGreaterThanOrEqual(120)
    expect(at).toBeLessThanOrEqual(last + 120)
  })

  it('goes on if the node is used again before that', () => {
    const stages = [stage({ tasks: 4 }), stage({ tasks: 4, after: [{ stage: 0, fraction: 1 }] })]
    const { watch, log } = watched([{ id: 'a', submit: 0, stages }], { rule: 'spark', task: 100, stage: 100, application: 1, timeout: 60 }, { cluster: nodes(1, 4), failures: { badNodes: { fraction: 1, probability: 0.5 }, maxAttempts: 100 }, seed: 3 })
    expect(watch.avoided.slice(0, 2)).toEqual(['a avoids 0', 'a uses 0'])
    expect(log.ends['a']).toBeGreaterThan(60)
    expect(watch.given).toEqual([])
  })

  it('does not avoid nodes for failures of gangs', () => {
    const gang = { id: 'g', submit: 0, stages: [stage({ tasks: 2, gang: true })] }
    expect(watched([gang], { rule: 'spark' }, { failures: { badNodes: { fraction: 1, probability: 0.5 }, maxAttempts: 100 } }).watch.avoided).toEqual([])
  })
})

describe('a node under the rule of drains', () => {
  it('is drained for a time when so many tasks have failed there within a time', () => {
    const { watch, log } = watched([job('a', { tasks: 100 })], { rule: 'drain', time: 50 }, { failures: bad(2) })
    const times = log.lines.filter((line) => line.includes('failed a on 2')).map((line) => Number(line.split(' ')[0]))
    expect(watch.drains.slice(0, 2)).toEqual([`${times[2] as number} 2 down`, `${(times[2] as number) + 50} 2 up`])
    expect(watch.avoided).toEqual([])
    const slow = watched([job('a', { tasks: 100 })], { rule: 'drain', failures: 5, within: 20 }, { failures: { badNodes: { nodes: [2] as NodeId[], probability: 0.3 }, maxAttempts: 100 } })
    expect(slow.watch.drains).toEqual([])
  })

  it('stays drained where no time is given, and half of the nodes are not drained', () => {
    const { watch, log } = watched([job('a', { tasks: 60 })], { rule: 'drain', failures: 1, time: Infinity }, { failures: { badNodes: { fraction: 1, probability: 0.5 }, maxAttempts: 100 } })
    expect(watch.drains).toHaveLength(2)
    expect(watch.drains.every((line) => line.endsWith('down'))).toBe(true)
    expect(log.ends['a']).toBeDefined()
  })
})

describe('nodes that are avoided', () => {
  it('are none without the option, and with one that never comes to it nothing changes', () => {
    const jobs = [job('a', { tasks: 60 }), job('b', { submit: 3, tasks: 5 })]
    const failures: FailureOptions = { probability: 0.2, maxAttempts: 100 }
    const without = watched(jobs, undefined, { failures }).log.lines
    for (const avoid of [{ rule: 'hadoop', failures: 999 }, { rule: 'spark', task: 999, stage: 999, application: 999 }, { rule: 'drain', failures: 999 }] as const) expect(watched(jobs, avoid, { failures }).log.lines).toEqual(without)
  })

  it('are used at last by a job that would wait for ever, since its policy gives it no other', () => {
    const onlyFirst = policyOf((round, jobs) => { for (const each of jobs) if (round.work.unplaced(each, round.lane) > 0 && round.fits(each, 0 as NodeId)) round.claim(round.work.taskFor(each, round.lane, 0 as NodeId, round.cluster.levels) as never, 0 as NodeId); else if (round.work.unplaced(each, round.lane) > 0) round.defer(each, 0) })
    const failures: FailureOptions = { badNodes: { nodes: [0] as NodeId[], probability: 0.7 }, maxAttempts: 100 }
    const { watch, log } = watched([job('a', { tasks: 3 })], { rule: 'hadoop', failures: 1 }, { policy: onlyFirst, failures })
    expect(log.ends['a']).toBeDefined()
    expect(watch.avoided.slice(0, 2)).toEqual(['a avoids 0', 'a uses 0'])
    expect(watched([job('a', { tasks: 3 })], { rule: 'spark' }, { policy: onlyFirst, failures }).watch.given).toHaveLength(1)
  })

  it('are avoided by copies, too', () => {
    const { watch } = watched([{ id: 'a', submit: 0, stages: [stage({ tasks: 12, duration: [10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 90] })] }], { rule: 'hadoop', failures: 1 }, { failures: bad(3), speculation: { rule: 'spark', quantile: 0.5 } })
    expect(watch.avoided).toEqual(['a avoids 3'])
    expect(watch.starts[3]).toBe(1)
  })

  it('are not for tasks that are suspended, nor where nothing fails', () => {
    const suspending = policyOf((round, jobs) => {
      const [first, second] = jobs
      if (second !== undefined && first !== undefined && round.now >= 5 && round.now < 6) round.suspendTask(round.work.taskAt(first, 0, 0) as never, [0 as never])
      for (const each of jobs) startAll(round, each)
    })
    expect(() => watched([job('a'), job('b', { submit: 5 })], { rule: 'hadoop' }, { cluster: nodes(1), policy: suspending, failures: { probability: 0 } })).toThrow('suspends tasks of job a, which may come to avoid their nodes (avoid).')
    expect(() => watched([job('a')], { rule: 'hadoop' })).toThrow('avoid: is for nodes on which tasks have failed, and none fails.')
  })

  it('are refused by rules that there are not, and limits out of range', () => {
    const message = (avoid: unknown) => () => watched([job('a')], avoid as AvoidOptions, { failures: { probability: 0.1 } })
    expect(message({ rule: 'mesos' })).toThrow('avoid: found the rule "mesos". There are hadoop, hadoop1, spark and drain.')
    expect(message({ rule: 'hadoop', failures: 0 })).toThrow('avoid: found failures 0. It is a whole number, 1 or more.')
    expect(message({ rule: 'hadoop', ignoreThreshold: 0.33 })).toThrow('avoid: found ignoreThreshold 0.33.')
    expect(message({ rule: 'hadoop1', mostOfJob: 25 })).toThrow('avoid: found mostOfJob 25. It is a fraction, from 0 to 1.')
    expect(message({ rule: 'hadoop1', aboveMean: -1 })).toThrow('avoid: found aboveMean -1.')
    expect(message({ rule: 'spark', timeout: 0 })).toThrow('avoid: found timeout 0 s. It is more than 0 s.')
    expect(message({ rule: 'drain', time: NaN })).toThrow('avoid: found time NaN s.')
  })

  it('are the same in the same run, with heartbeats and without', () => {
    for (const heartbeat of [undefined, { interval: 3, stagger: true }]) {
      const once = () => watched([job('a', { tasks: 50 }), job('b', { submit: 7, tasks: 50 })], { rule: 'spark' }, { cluster: { ...nodes(6), ...(heartbeat && { heartbeat }) }, policy: inOrder, runtime: exact, failures: { probability: 0.1, badNodes: { fraction: 0.2, mtbf: 5 }, maxAttempts: 100 } })
      const [one, other] = [once(), once()]
      expect(one.watch.avoided.length).toBeGreaterThan(5)
      expect([other.log.lines, other.watch.avoided]).toEqual([one.log.lines, one.watch.avoided])
    }
  })
})
