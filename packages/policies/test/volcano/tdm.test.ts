import { dispatcher } from '@sched/cluster'
import type { DisruptionBudget, JobSpec } from '@sched/core'
import { volcano, type VolcanoOptions } from '@sched/policies'
import { instantCluster, run, workloadOf } from '@sched/testkit'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { firstNode } from '../first-node.js'
import { wants, world, type Nodes } from './world.js'

type Plugin = NonNullable<NonNullable<VolcanoOptions['tiers']>[number]['plugins']>[number]

const tdm = (revocableZones: Readonly<Record<string, string>>, period?: number): Plugin => ({ name: 'tdm', revocableZones, ...(period !== undefined && { arguments: { 'tdm.evict.period': period } }) })
const options = (plugin: Plugin, actions: VolcanoOptions['actions'] = ['allocate', 'preempt'], ...before: Plugin[]): VolcanoOptions => ({ actions, tiers: [{ plugins: [...before, plugin] }] })
const cpus = (cpu: number, tasks = 1) => ({ demand: { cpu }, tasks })
/** A job that says whether it may be preempted. */
const says = (preemptible: boolean | undefined, spec: JobSpec, disruptionBudget?: DisruptionBudget): JobSpec => ({ ...spec, ...(preemptible !== undefined && { preemptible }), ...(disruptionBudget && { disruptionBudget }) })
const job = (id: string, { demand, tasks }: ReturnType<typeof cpus>, change: Parameters<typeof wants>[3] = {}) => wants(id, 'q', demand, { tasks, ...change })
const lasting = (duration: number, spec: JobSpec): JobSpec => ({ ...spec, stages: spec.stages.map((stage) => ({ ...stage, duration })) })

const five: Nodes = Object.fromEntries(['n1', 'n2', 'n3', 'n4', 'n5'].map((name) => [name, { cpu: 16 }]))
const zones = { n1: 'rz1', n2: 'rz1', n5: 'rz2' }

describe('nodes of revocable zones (Test_TDM)', () => {
  it.each<[string, boolean | undefined, readonly string[]]>([
    ['are for jobs that may be preempted, while they are open, before all other nodes', true, ['a@n1', 'a@n2', 'a@n3', 'a@n4']],
    ['are not for jobs that may not be preempted', false, ['a@n3', 'a@n4']],
    ['are not for jobs that do not say', undefined, ['a@n3', 'a@n4']],
  ])('%s', (_, preemptible, expected) => {
    const { come, pass } = world(five, options(tdm({ rz1: '0:00-0:00', rz2: '0:00-0:01' })), zones)
    pass(61)
    expect(come(says(preemptible, job('a', cpus(16, 5)))).started).toEqual(expected)
  })

  it('are never open without hours', () => {
    const { come } = world(five, options(tdm({})), zones)
    expect(come(says(true, job('a', cpus(16, 5)))).started).toEqual(['a@n3', 'a@n4'])
  })

  it('are for all without the plug-in', () => {
    const { come } = world(five, options('gang'), zones)
    expect(come(job('a', cpus(16, 5))).started).toHaveLength(5)
  })

  it('take no part of a gang that has no room for the rest', () => {
    const { come } = world(five, options(tdm({ rz1: '0:00-0:00' })), zones)
    expect(come(says(true, job('a', cpus(16, 5), { min: 5 })), says(true, job('b', cpus(16, 4), { min: 4 }))).started).toEqual(['b@n1', 'b@n2', 'b@n3', 'b@n4'])
  })

  it('are not enough for a job that may not use them', () => {
    const { come } = world({ big: { cpu: 16 }, small: { cpu: 4 } }, options(tdm({ rz1: '0:00-0:00' })), { big: 'rz1' })
    expect(() => come(says(false, job('a', cpus(8))))).toThrow(/revocable zones/)
    expect(() => come(says(undefined, job('c', cpus(4, 2), { min: 2 })))).toThrow(/revocable zones/)
    expect(come(says(true, job('b', cpus(8)))).started).toEqual(['b@big'])
  })
})

describe('hours of revocable zones (Test_parseRevocableZone)', () => {
  /** Seconds after midnight at which a job starts that needs a node of the zone and comes at `submit`. */
  const startOf = (hours: string, submit: number, of: { start?: number; timeZone?: string } = {}) => {
    const cluster = instantCluster({ nodes: [{ count: 1, resources: { cpu: 4 }, labels: { 'volcano.sh/revocable-zone': 'rz1' } }] })
    const { recorder } = run({ policy: volcano(options(tdm({ rz1: hours })), firstNode()), cluster, jobs: { ...workloadOf([{ ...lasting(5, says(true, job('a', cpus(4)))), submit }]), ...of } })
    return recorder.launches[0]?.time
  }
  const HOUR = 3600
  it.each<[string, number, number]>([
    ['0:00-1:00', 1800, 1800],
    ['10:00-21:00', 0, 10 * HOUR],
    ['  10:00-21:00  ', 11 * HOUR, 11 * HOUR],
    ['10:00-21:00', 21 * HOUR, 21 * HOUR],
    ['10:00-21:00', 21 * HOUR + 1, 34 * HOUR],
    ['1:00-0:00', 0, HOUR],
    ['1:00-0:00', 23.5 * HOUR, 23.5 * HOUR],
    ['0:00-0:00', 24 * HOUR, 24 * HOUR],
    ['23:59-23:59', HOUR, 24 * HOUR - 60],
    ['22:00-6:00', 3 * HOUR, 22 * HOUR],
    ['22:00-6:00', 24 * HOUR, 46 * HOUR],
  ])('%s: who comes at %d s starts at %d s', (hours, submit, expected) => {
    expect(startOf(hours, submit)).toBe(expected)
  })

  it.each(['00:00_01:00', '0:00', '1:0-0:0', '63:59-23:59', '10:00-24:00'])('%s are none', (hours) => {
    expect(() => startOf(hours, 0)).toThrow(/10:00-21:00/)
  })

  it('are those of the clock of the workload', () => {
    const start = Date.UTC(2024, 2, 30, 20) / 1000 // the day before clocks go on from 2:00 to 3:00
    expect(startOf('10:00-21:00', 0, { start, timeZone: 'Europe/Stockholm' })).toBe(0)
    expect(startOf('9:00-10:00', 0, { start, timeZone: 'Europe/Stockholm' })).toBe(11 * HOUR)
    expect(startOf('9:00-10:00', 0, { start })).toBe(13 * HOUR)
  })
})

describe('tasks on closed zones (Test_TDM_victimsFn)', () => {
  /** How many tasks are taken at the first time after the zones of `n1` and `n2` have closed. */
  const taken = (hours: string, ...budgets: readonly DisruptionBudget[]) => {
    const nodes: Nodes = { n1: { cpu: 5 }, n2: { cpu: 5 } }
    const { come, pass } = world(nodes, options(tdm({ rz1: hours }, 1)), { n1: 'rz1', n2: 'rz1' })
    for (const [i, budget] of budgets.entries()) expect(come(says(true, job(`pg${i}`, cpus(1, 5)), budget)).started).toHaveLength(5)
    return pass(100).killed.length
  }
  it.each<[number, string, ...DisruptionBudget[]]>([
    [2, '0:00-0:01', { maxUnavailable: '30%' }],
    [0, '0:00-0:00', { maxUnavailable: '30%' }],
    [3, '0:00-0:01', { maxUnavailable: '50%' }],
    [3, '0:00-0:01', { maxUnavailable: 3 }],
    [2, '0:00-0:01', { minAvailable: 3 }],
    [3, '0:00-0:01', { minAvailable: '30%' }],
    [6, '0:00-0:01', { minAvailable: 2 }, { maxUnavailable: 3 }],
    [1, '0:00-0:01', {}],
    [1, '0:00-0:01', { minAvailable: 6 }],
  ])('go, %d at first: zones of %s, jobs with %j and %j', (expected, hours, ...budgets) => {
    expect(taken(hours, ...budgets)).toBe(expected)
  })

  const nodes: Nodes = { n1: { cpu: 3 }, n2: { cpu: 1 } }
  it('go once a period, the latest first, and come again where there is room', () => {
    const { come, pass, end } = world(nodes, options(tdm({ rz1: '0:00-0:01' })), { n1: 'rz1' })
    expect(come(says(true, job('a', cpus(1, 3)))).started).toEqual(['a@n1', 'a@n1', 'a@n1'])
    expect(pass(61)).toEqual({ started: [], killed: [] })
    expect(pass(58)).toEqual({ started: [], killed: ['a'] })
    expect(pass(0)).toEqual({ started: ['a@n2'], killed: [] })
    expect(pass(59)).toEqual({ started: [], killed: [] })
    expect(pass(1)).toEqual({ started: [], killed: ['a'] })
    expect(pass(0)).toEqual({ started: [], killed: [] })
    expect(end('a')).toEqual({ started: [], killed: [] })
  })

  it('stay where jobs may not be preempted any more, and without the actions preempt and shuffle', () => {
    const killed = (actions: VolcanoOptions['actions']) => {
      const { come, pass } = world(nodes, options(tdm({ rz1: '0:00-0:01' }), actions), { n1: 'rz1' })
      come(says(true, job('a', cpus(1, 3))))
      return pass(119).killed
    }
    expect([killed(['allocate', 'preempt']), killed(['allocate', 'shuffle']), killed(['allocate', 'reclaim'])]).toEqual([['a'], ['a'], []])
  })

  it('go no sooner after a restart', () => {
    const cluster = instantCluster({ nodes: [{ count: 1, resources: { cpu: 3 }, labels: { 'volcano.sh/revocable-zone': 'rz1' } }] })
    const begin = () => dispatcher({ cluster, policy: volcano(options(tdm({ rz1: '0:00-0:01' })), firstNode()) })
    const spec = says(true, job('a', cpus(1, 3)))
    const before = begin()
    before.submit(spec, 0)
    const placed = before.pass(0).start
    const gone = before.pass(120).kill
    expect(gone).toHaveLength(1)
    const after = begin()
    after.submit(spec, 0, { again: true })
    for (const each of placed) if (each.task !== gone[0]?.task) after.adopt(each, 0)
    after.recall(before.memory())
    expect([after.pass(120).kill.length, after.nextWake, after.pass(180).kill.length]).toEqual([0, 180, 1])
  })

  it('go while nobody waits, and start anew when the zone opens again, as long as the run lasts', () => {
    const cluster = instantCluster({ nodes: [{ count: 1, resources: { cpu: 1 }, labels: { 'volcano.sh/revocable-zone': 'rz1' } }] })
    const spec = says(true, job('a', cpus(1)))
    const { recorder } = run({ policy: volcano(options(tdm({ rz1: '1:00-1:10' })), firstNode()), cluster, jobs: [{ ...lasting(500, spec), submit: 4000 }] })
    expect(recorder.launches.map(({ time }) => time)).toEqual([4000, 25 * 3600])
    expect(recorder.evictions.map(({ time }) => time)).toEqual([4260])
  })
})

describe('jobs under tdm', () => {
  it('come first where they do not say that they may be preempted', () => {
    const { come } = world({ n1: { cpu: 1 } }, options(tdm({})))
    expect(come(says(true, job('a', cpus(1))), says(false, job('b', cpus(1)))).started).toEqual(['b@n1'])
  })

  it('take of others outside the zones, where they say that they may not be preempted', () => {
    const taken = (preemptible: boolean | undefined, budget?: DisruptionBudget) => {
      const { come } = world({ n1: { cpu: 4 }, n2: { cpu: 4 } }, options(tdm({ rz1: '0:00-0:00' })), { n1: 'rz1' })
      come(says(true, job('a', cpus(1, 8)), budget))
      return come(says(preemptible, job('b', cpus(2)))).killed
    }
    expect(taken(false, { maxUnavailable: 2 })).toEqual(['a', 'a'])
    expect([taken(false), taken(false, { maxUnavailable: 1 }), taken(undefined, { maxUnavailable: 2 }), taken(true, { maxUnavailable: 2 })]).toEqual([[], [], [], []])
  })
})

describe('zones in random worlds', () => {
  const spec = fc.record({ submit: fc.integer({ min: 0, max: 80_000 }), tasks: fc.integer({ min: 1, max: 4 }), cpu: fc.integer({ min: 1, max: 3 }), duration: fc.integer({ min: 1, max: 30_000 }), gang: fc.boolean(), priority: fc.integer({ min: 0, max: 2 }), preemptible: fc.constantFrom(true, true, false, undefined), most: fc.integer({ min: 1, max: 3 }) })
  const hours = { day: [8 * 3600, 17 * 3600 + 1], night: [20 * 3600, 86_400] } as const
  const zoneOf = (node: number) => (node < 2 ? undefined : node < 4 ? 'day' : 'night')

  it('have no starts on nodes of closed zones, none of jobs that may not use them, and tasks go off closed zones once a minute', { tags: 'long' }, () => {
    let [lodgers, revoked] = [0, 0]
    fc.assert(fc.property(fc.array(spec, { minLength: 5, maxLength: 30 }), fc.boolean(), (specs, takes) => {
      const jobs = [...specs].sort((a, b) => a.submit - b.submit).map(({ submit, tasks, cpu, duration, gang, preemptible, most, priority }, i): JobSpec =>
        ({ ...lasting(duration, says(preemptible, job(`j${i}`, cpus(cpu, tasks), { priority, ...(gang && { min: tasks }) }), { maxUnavailable: most })), submit }))
      const nodes = Array.from({ length: 6 }, (_, node) => ({ count: 1, resources: { cpu: 8 }, ...(zoneOf(node) !== undefined && { labels: { 'volcano.sh/revocable-zone': zoneOf(node) as string } }) }))
      const plugin = tdm({ day: '8:00-17:00', night: '20:00-6:00' })
      const policy = volcano(options(plugin, takes ? ['allocate', 'preempt'] : ['allocate', 'shuffle'], 'gang'))
      const { recorder } = run({ policy, cluster: instantCluster({ nodes }), jobs })
      const isOpen = (node: number, time: number) => {
        const [from, to] = hours[zoneOf(node) as keyof typeof hours]
        return from <= time % 86_400 && time % 86_400 < to
      }
      for (const { job: id, node, time } of recorder.launches) {
        const at = Number(/\d+/.exec(node)?.[0])
        if (zoneOf(at) === undefined) continue
        lodgers++
        expect([id, jobs[Number(id.slice(1))]?.preemptible, isOpen(at, time)]).toEqual([id, true, true])
      }
      for (const { node, time } of takes ? [] : recorder.evictions) {
        if (zoneOf(Number(/\d+/.exec(node)?.[0])) === undefined) continue // its gang lost another task
        revoked++
        expect([node, time % 60]).toEqual([node, 0])
      }
      expect(Object.keys(recorder.finishes())).toHaveLength(jobs.length)
    }), { numRuns: 100 })
    expect(Math.min(lodgers, revoked)).toBeGreaterThan(100)
  })
})
