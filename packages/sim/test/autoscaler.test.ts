import type { ClusterDescription } from '@sched/cluster'
import { Reason, type JobId, type JobSpec, type NodeId, type Observer, type TaskId } from '@sched/core'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { expanders, type AutoscalerOptions, type SimulationOptions } from '../src/index.js'
import type { AutoscalerSettings } from '../src/autoscale/options.js'
import { plainAutoscaler, type PlainGroup, type PlainJob } from './reference/autoscaler.js'
import { exact, inOrder, policyOf, run, startAll } from './world.js'

/** Nodes that come and go, and the sizes that groups are told to have. */
class Nodes implements Observer {
  readonly lines: string[] = []
  readonly sizes: string[] = []
  onNode(node: NodeId, up: boolean, now: number): void {
    if (now > 0 || up) this.lines.push(`${now} ${up ? 'up' : 'down'} ${node}`)
  }
  onScale(group: number, nodes: number, now: number): void {
    this.sizes.push(`${now} ${group}: ${nodes}`)
  }
}

const scaled = (count: number, cpu: number, autoscale: NonNullable<ClusterDescription['nodes'][number]['autoscale']>) => ({ count, resources: { cpu }, autoscale })
const cpuJob = (id: string, submit: number, duration: number, { tasks = 1, cpu = 1, ...more }: Partial<JobSpec> & { tasks?: number; cpu?: number } = {}): JobSpec =>
  ({ id, submit, stages: [{ name: 'work', tasks, demand: { cpu }, duration }], ...more })

function scaledRun(nodes: ClusterDescription['nodes'], jobs: readonly JobSpec[], autoscaler?: AutoscalerOptions, change: Partial<SimulationOptions> = {}) {
  const watch = new Nodes()
  const log = run(jobs, { cluster: { nodes }, ...(autoscaler && { autoscaler }), ...change, observers: [watch] })
  return { ...watch, log }
}

describe('an autoscaler asks for nodes', () => {
  it('at the next scan after tasks found no room, as many as first fit needs, which come after their provisioning', () => {
    const { lines, sizes, log } = scaledRun([scaled(9, 4, { min: 1, provision: 45 })], [cpuJob('a', 3, 100, { tasks: 3, cpu: 3 }), cpuJob('b', 4, 100, { tasks: 2, cpu: 1 })])
    // one task of a and one of b are on node 0; two of a need a node each, where the other of b has room, too
    expect(sizes[0]).toBe('10 0: 3')
    expect(lines.slice(0, 2)).toEqual(['55 up 1', '55 up 2'])
    expect(log.starts()).toEqual(['3 start a on 0', '4 start b on 0', '55 start a on 1', '55 start a on 2', '55 start b on 1'])
  })

  it('not yet where all that waits is younger than two seconds, and then at the scan after that', () => {
    const sizesOf = (submit: number) => scaledRun([scaled(2, 1, { provision: 5 })], [cpuJob('a', submit, 10)]).sizes[0]
    expect([sizesOf(8), sizesOf(8.5), sizesOf(10)]).toEqual(['10 0: 1', '20 0: 1', '20 0: 1'])
  })

  it('once: what will have room on nodes on their way asks for no more', () => {
    const { sizes } = scaledRun([scaled(9, 2, { provision: 300 })], [cpuJob('a', 0, 50, { tasks: 3 }), cpuJob('b', 30, 50), cpuJob('c', 31, 50)])
    expect(sizes.slice(0, 2)).toEqual(['10 0: 2', '40 0: 3'])
  })

  it('for what has waited for so long, at most so many at once, and at most so many of the cluster', () => {
    const jobs = [cpuJob('a', 1, 1000, { tasks: 9 })]
    const sizesOf = (autoscaler: AutoscalerOptions) => scaledRun([scaled(9, 1, { min: 1, provision: 20 })], jobs, { scaleDownEnabled: false, ...autoscaler }).sizes
    expect(sizesOf({ newPodScaleUpDelay: 25 })).toEqual(['30 0: 9'])
    expect(sizesOf({ newPodScaleUpDelay: 28.5 })).toEqual(['30 0: 9'])
    expect(sizesOf({ newPodScaleUpDelay: 29 })).toEqual(['40 0: 9']) // at 30 it has waited for 29 s, and no longer
    expect(sizesOf({ maxNodesPerScaleUp: 3 })).toEqual(['10 0: 4', '20 0: 7', '30 0: 9'])
    expect(sizesOf({ maxNodesTotal: 6, scanInterval: 60 })).toEqual(['60 0: 6'])
  })

  it('of the group that its expander chooses', () => {
    const groups = [scaled(9, 3, { provision: 1, priority: 1 }), scaled(9, 8, { provision: 1, priority: 3 }), scaled(1, 4, { provision: 1, priority: 2 })]
    const jobs = [cpuJob('a', 1, 10, { tasks: 3, cpu: 2 }), cpuJob('wide', 1, 10, { cpu: 4 })]
    const chosen = (expander: AutoscalerOptions['expander']) => scaledRun(groups, jobs, { expander }).sizes[0]
    // group 0: three nodes with a third unused; 1: two with 6 of 16 unused, for all tasks; 2: one node, for the wide task alone
    expect(chosen('least-waste')).toBe('10 2: 1')
    expect(chosen('most-pods')).toBe('10 1: 2')
    expect(chosen('least-nodes')).toBe('10 2: 1')
    expect(chosen('priority')).toBe('10 1: 2')
    expect(['10 0: 3', '10 1: 2', '10 2: 1']).toContain(chosen('random'))
    expect(chosen(['least-nodes', 'most-pods'])).toBe('10 2: 1')
    expect([chosen(['priority', 'least-nodes']), chosen(['most-pods', 'least-waste'])]).toEqual(['10 1: 2', '10 1: 2'])
    const drawn = [1, 2, 3, 4, 5, 6].map((seed) => scaledRun(groups, jobs, { expander: 'random' }, { seed }).sizes[0])
    expect(new Set(drawn).size).toBeGreaterThan(1)
  })

  it('not for jobs of which a policy says that a limit holds them back, until it says so no more', () => {
    const limited = policyOf((round, jobs) => {
      for (const job of jobs) {
        if (round.work.name(job) !== 'a' || round.now >= 100) startAll(round, job)
        else if (round.work.unplaced(job, round.lane) > 0) round.defer(job, Reason.Limit)
      }
      if (round.now < 100) round.wakeAt(100)
    })
    const { sizes } = scaledRun([scaled(9, 1, { min: 1, provision: 10 })], [cpuJob('b', 0, 500), cpuJob('a', 5, 20), cpuJob('c', 200, 10)], { scaleDownEnabled: false }, { policy: limited })
    // from 100 s on nobody says anything of a, which counts again once another job has started: a policy that still holds it back says so before
    expect(sizes).toEqual(['210 0: 2', '220 0: 3'])
  })

  it('also for jobs that a limit holds back which is a part of the cluster, since it rises with that', () => {
    const halves = (isPart: boolean) => policyOf((round, jobs) => {
      const up = round.nodes.filter((node) => round.cluster.up(node)).length
      for (const job of jobs) {
        const { work, lane } = round
        for (const node of round.nodes) if (3 - work.unplaced(job, lane) < up && round.fits(job, node)) round.claim(work.taskFor(job, lane, node, round.cluster.levels) as TaskId, node)
        if (work.unplaced(job, lane) > 0) round.defer(job, Reason.Limit, 'one task for each node', isPart)
      }
    })
    const sizes = (isPart: boolean) => scaledRun([scaled(4, 1, { min: 1, provision: 10 })], [cpuJob('a', 0, 500, { tasks: 3 })], { scaleDownEnabled: false }, { policy: halves(isPart) }).sizes
    expect([sizes(true), sizes(false)]).toEqual([['10 0: 3'], ['510 0: 2']]) // at 500 s nothing runs, and no limit counts
  })

  it('for tasks that must be apart, each a node', () => {
    const apart = { id: 'a', submit: 0, stages: [{ name: 'work', tasks: 3, demand: { cpu: 1 }, duration: 10, constraints: { distinctNodes: true } }] } as JobSpec
    expect(scaledRun([scaled(9, 8, { provision: 5 })], [apart]).sizes[0]).toBe('10 0: 3')
  })
})

describe('an autoscaler removes nodes', () => {
  it('that have been idle for longer than the unneeded time, once that and the delay after an addition are over', () => {
    const { lines } = scaledRun([scaled(3, 1, { min: 1, initial: 3, provision: 30 })], [cpuJob('a', 1, 59, { tasks: 3 }), cpuJob('end', 2000, 1)])
    expect(lines).toEqual(['670 down 2', '670 down 1']) // at 660 they have been so for 600 s, and no longer
    const added = scaledRun([scaled(3, 1, { min: 1, provision: 30 })], [cpuJob('a', 1, 59, { tasks: 3 }), cpuJob('end', 2000, 1)], { scaleDownUnneededTime: 30, scaleDownDelayAfterAdd: 500 })
    expect(added.lines).toEqual(['40 up 1', '40 up 2', '510 down 2', '510 down 1']) // asked for at 10
  })

  it('so many at once, with a delay between', () => {
    const jobs = [cpuJob('a', 1, 5, { tasks: 6 }), cpuJob('end', 3000, 1)]
    const downs = (autoscaler: AutoscalerOptions) => scaledRun([scaled(6, 1, { initial: 6, min: 1, provision: 30 })], jobs, { scaleDownUnneededTime: 60, ...autoscaler }).lines.filter((line) => line.includes('down'))
    expect(downs({ maxScaleDownParallelism: 2 })).toEqual(['80 down 5', '80 down 4', '90 down 3', '90 down 2', '100 down 1'])
    expect(downs({ maxScaleDownParallelism: 3, scaleDownDelayAfterDelete: 45 })).toEqual(['80 down 5', '80 down 4', '80 down 3', '130 down 2', '130 down 1'])
    expect(downs({ scaleDownEnabled: false })).toEqual([])
    expect(downs({ scaleDownUtilizationThreshold: 0 })).toEqual([])
  })

  it('and tells so before it evicts what runs there', () => {
    const lines: string[] = []
    const watch: Observer = {
      onScaleDown: (node, now) => void lines.push(`${now} goes ${node}`),
      onTaskEnd: (_task, _job, _lane, node, how, _started, _stopped, now) => void (how === 'evicted' && lines.push(`${now} evicted on ${node}`)),
      onNode: (node, up, now) => void (now > 0 && !up && lines.push(`${now} down ${node}`)),
    }
    const jobs = [cpuJob('base', 0, 5000, { cpu: 12 }), cpuJob('a', 1, 300, { tasks: 2, cpu: 4 }), cpuJob('long', 2, 4000, { cpu: 3 })]
    const nodes = [scaled(2, 20, { initial: 1, provision: 10 })]
    run(jobs, { cluster: { nodes }, autoscaler: { scaleDownUnneededTime: 100, scaleDownDelayAfterAdd: 0, unremovableNodeRecheckTimeout: 0 }, observers: [watch] })
    expect(lines.slice(0, 3)).toEqual(['420 goes 1', '420 evicted on 1', '420 down 1'])
  })

  it('of which little is in use, if that has room elsewhere, and evicts what runs there', () => {
    const jobs = [cpuJob('base', 0, 5000, { cpu: 12 }), cpuJob('a', 1, 300, { tasks: 2, cpu: 4 }), cpuJob('long', 2, 4000, { cpu: 3 })]
    const fixed = jobs.map((each) => (each.id === 'long' ? { ...each, movable: false } : each))
    const ofLong = (some: readonly JobSpec[], change: AutoscalerOptions = {}) =>
      scaledRun([scaled(2, 20, { initial: 1, provision: 10 })], some, { scaleDownUnneededTime: 100, scaleDownDelayAfterAdd: 0, ...change }).log.lines.filter((line) => line.includes('long'))
    // it is alone on node 1 from 20 s on, and node 0 has room for it from 301 s on
    const evictedAt = (time: number) => ['2 submit long', '20 start long on 1', `${time} evicted long on 1`, `${time} start long on 0`, `${time + 4000} done long on 0`]
    expect(ofLong(jobs, { unremovableNodeRecheckTimeout: 0 })).toEqual(evictedAt(420)) // unneeded from 310 s on
    expect(ofLong(jobs)).toEqual(evictedAt(430)) // it had to stay at 20 s, which is looked at again at 320 s
    expect(ofLong(jobs, { unremovableNodeRecheckTimeout: 400 })).toEqual(evictedAt(530))
    expect(ofLong(fixed)).toEqual(['2 submit long', '20 start long on 1', '4020 done long on 1'])
    expect(ofLong(jobs, { maxDrainParallelism: 0 })).toEqual(ofLong(fixed))
    expect(ofLong(jobs, { scaleDownUtilizationThreshold: 0.15 })).toEqual(ofLong(fixed)) // 3 of 20 are in use, which is not less
  })

  it('last those on which something runs: what runs there has no room on nodes that go', () => {
    const jobs = [cpuJob('a', 1, 300, { tasks: 5, cpu: 4 }), cpuJob('long', 2, 4000, { cpu: 3 })]
    const { lines, log } = scaledRun([scaled(2, 20, { initial: 1, provision: 10 })], jobs, { scaleDownUnneededTime: 100, scaleDownDelayAfterAdd: 0 })
    expect(lines).toEqual(['20 up 1', '420 down 0'])
    expect(log.ends).toEqual({ a: 301, long: 4020 })
  })

  it('never below the fewest of the group, nor where a task of no job runs', () => {
    const prefill = [{ node: 1 as NodeId, demand: { cpu: 1 }, end: 5000 }]
    const { lines } = scaledRun([scaled(4, 4, { initial: 4, min: 1, provision: 10 })], [cpuJob('a', 0, 10), cpuJob('end', 6000, 1)], { scaleDownUnneededTime: 100 }, { prefill })
    expect(lines).toEqual(['120 down 3', '120 down 2', '120 down 0'])
  })
})

describe('a cluster that follows demand', () => {
  it('runs a job that needs all nodes, from none at all', () => {
    const { log } = scaledRun([scaled(4, 2, { provision: 60 })], [{ ...cpuJob('a', 0, 100, { tasks: 8 }), gang: true, stages: [{ name: 'work', tasks: 8, demand: { cpu: 1 }, duration: 100, gang: true }] }], undefined, {
      policy: policyOf((round, jobs) => {
        for (const job of jobs) {
          const rooms = round.nodes.reduce((sum, node) => sum + (round.cluster.up(node) ? round.cluster.couldTake(round.work.shape(job, round.lane), node) : 0), 0)
          if (round.work.unplaced(job, round.lane) > 0 && rooms >= 8) startAll(round, job)
        }
      }),
    })
    expect(log.ends).toEqual({ a: 170 })
  })

  it('refuses options that go nowhere, are out of range, or do not go together', () => {
    const jobs = [cpuJob('a', 0, 1)]
    const tried = (nodes: ClusterDescription['nodes'], change: Partial<SimulationOptions>) => () => run(jobs, { cluster: { nodes }, ...change })
    const group = [scaled(4, 2, { provision: 60 })]
    expect(tried([{ count: 1, resources: { cpu: 1 } }], { autoscaler: {} })).toThrow('autoscaler: is for groups of nodes whose size follows demand, and there are none.')
    expect(tried(group, { outages: { mtbf: 100, mttr: 1 } })).toThrow('outages: do not go together with nodes that come and go by demand.')
    expect(tried(group, { avoid: { rule: 'hadoop' }, failures: { probability: 0.1 } })).toThrow('avoid: do not go together with nodes')
    expect(tried(group, { autoscaler: { scanInterval: 0 } })).toThrow('autoscaler.scanInterval: found 0, expected seconds from 1 to 86400.')
    expect(tried(group, { autoscaler: { expander: 'dearest' as never } })).toThrow('autoscaler.expander: found "dearest", expected least-waste, most-pods, least-nodes, priority, price, random, or a list of these.')
    expect(tried(group, { autoscaler: { expander: ['least-waste', 'price'] } })).toThrow('autoscaler.expander: the expander price needs the price of every group. Give each group with `autoscale` a `price`.')
    expect(tried(group, { autoscaler: { resourcesTotal: { cores: 4 } } })).toThrow('autoscaler.resourcesTotal.cores: the cluster has no resource "cores".')
    expect(tried(group, { autoscaler: { resourcesTotal: { cpu: -4 } } })).toThrow('autoscaler.resourcesTotal: found {"cpu":-4}, expected amounts by resource, at least 0')
    expect(tried(group, { autoscaler: { expendablePodsPriorityCutoff: NaN } })).toThrow('autoscaler.expendablePodsPriorityCutoff: found null, expected a number')
    expect(tried([scaled(4, 2, { initial: 3, provision: 60 })], { autoscaler: { resourcesTotal: { cpu: 5 } } })).toThrow('autoscaler.resourcesTotal.cpu: the cluster has 6 cpu at the start. Allow more, or describe fewer nodes.')
    expect(tried(group, { autoscaler: { scaleDownUnneededTime: -1 } })).toThrow('autoscaler.scaleDownUnneededTime: found -1')
    expect(tried(group, { autoscaler: { scaleDownUtilizationThreshold: 1.5 } })).toThrow('expected a fraction in [0, 1]')
    expect(tried(group, { autoscaler: { maxNodesPerScaleUp: 0.5 } })).toThrow('expected a whole number, at least 1')
    expect(tried(group, { autoscaler: { scaleDownUnneededTimes: 1 } as never })).toThrow('unknown key "scaleDownUnneededTimes"')
    expect(tried([scaled(4, 2, { initial: 3, provision: 60 })], { autoscaler: { maxNodesTotal: 2 } })).toThrow('autoscaler.maxNodesTotal: the cluster has 3 nodes at the start.')
  })

  it('says so of jobs that have room on nodes alone that it may not ask for, also where the policy says nothing', () => {
    const nodes = [{ count: 1, resources: { cpu: 2 } }, scaled(1, 4, { min: 0, provision: 22 })]
    const tried = () => scaledRun(nodes, [cpuJob('a', 0, 1, { cpu: 3 })], { maxNodesTotal: 1 }, { policy: inOrder })
    expect(tried).toThrow('finds no room for job a although nothing runs, with 1 node that the autoscaler has not asked for.')
  })

  it('says that nodes were not asked for where jobs wait at the end', () => {
    const tell = policyOf((round, jobs: readonly JobId[]) => {
      for (const job of jobs) if (round.work.unplaced(job, round.lane) > 0) round.defer(job, Reason.NoRoom)
    })
    expect(() => scaledRun([scaled(4, 2, { min: 1, provision: 60 })], [cpuJob('a', 0, 1)], undefined, { policy: tell })).toThrow('finds no room for job a although nothing runs, with 3 nodes that the autoscaler has not asked for. Let the autoscaler have more nodes (maxNodesTotal, resourcesTotal), let it count such jobs (expendablePodsPriorityCutoff), or change')
  })
})

const group = fc.record({
  count: fc.integer({ min: 1, max: 4 }), cpu: fc.integer({ min: 2, max: 8 }), mem: fc.integer({ min: 2, max: 8 }),
  isScaled: fc.boolean(), min: fc.integer({ min: 0, max: 1 }), initial: fc.integer({ min: 0, max: 4 }), provision: fc.integer({ min: 0, max: 40 }), priority: fc.integer({ min: 0, max: 2 }),
  price: fc.integer({ min: 0, max: 3 }), isTwin: fc.boolean(),
}).map(({ isScaled, min, initial, provision, priority, price, ...rest }): PlainGroup & { readonly isTwin: boolean } => (isScaled ? { ...rest, min, initial: Math.max(min, Math.min(initial, rest.count)), provision, priority, price } : rest))
/** Some groups have nodes like those of the group before. */
const groupsOf = (all: readonly (PlainGroup & { readonly isTwin: boolean })[]): PlainGroup[] => {
  const groups: PlainGroup[] = []
  for (const { isTwin, ...own } of all) groups.push({ ...own, ...(isTwin && groups.length > 0 && { cpu: groups.at(-1)!.cpu, mem: groups.at(-1)!.mem }) })
  return groups
}
const plainJob = fc.record({
  submit: fc.integer({ min: 0, max: 400 }), tasks: fc.integer({ min: 1, max: 4 }), cpu: fc.integer({ min: 1, max: 3 }), mem: fc.integer({ min: 1, max: 3 }),
  duration: fc.oneof(fc.integer({ min: 1, max: 60 }), fc.integer({ min: 60, max: 500 })), isMovable: fc.boolean(), priority: fc.constantFrom(undefined, 0, 3, -11),
})
const settings = fc.record({
  scanInterval: fc.constantFrom(1, 7, 10), expander: fc.oneof(fc.constantFrom(...expanders), fc.uniqueArray(fc.constantFrom(...expanders), { minLength: 1, maxLength: 3 })), newPodScaleUpDelay: fc.constantFrom(0, 0, 15), maxNodesPerScaleUp: fc.constantFrom(1, 2, 1000),
  maxNodesTotal: fc.constantFrom(100, 12, 14), balanceSimilarNodeGroups: fc.boolean(), expendablePodsPriorityCutoff: fc.constantFrom(-10, -10, 1), scaleDownEnabled: fc.constantFrom(true, true, false), scaleDownUtilizationThreshold: fc.constantFrom(0.5, 0.8, 0),
  scaleDownUnneededTime: fc.constantFrom(0, 20, 60), scaleDownDelayAfterAdd: fc.constantFrom(0, 30), scaleDownDelayAfterDelete: fc.constantFrom(0, 25),
  scaleDownGpuUtilizationThreshold: fc.constant(0.5), unremovableNodeRecheckTimeout: fc.constantFrom(0, 35, 300),
  maxScaleDownParallelism: fc.constantFrom(1, 2, 10), maxDrainParallelism: fc.constantFrom(0, 1, 2),
})

/** Whether random worlds with such groups and settings go as the plain loop says. */
function decidesLikeAPlainLoop(ofGroup: typeof group, ofSettings: fc.Arbitrary<Omit<AutoscalerSettings, 'resourcesTotal'>>, mostGroups: number): void {
  fc.assert(
    fc.property(fc.array(ofGroup, { minLength: 1, maxLength: mostGroups }), fc.array(plainJob, { minLength: 1, maxLength: 8 }), ofSettings, fc.constantFrom(undefined, undefined, 0, 6, 15), fc.integer({ min: 1, max: 99 }), (all, unsorted, given, more, seed) => {
      const groups = groupsOf(all)
      fc.pre(groups.some(({ provision }) => provision !== undefined))
      const isThere = ({ provision, min = 0 }: PlainGroup) => provision === undefined || min > 0
      const atStart = groups.reduce((sum, { count, cpu, provision, initial = count }) => sum + cpu * (provision === undefined ? count : initial), 0)
      const autoscaler = { ...given, resourcesTotal: more === undefined ? {} : { cpu: atStart + more } }
      // jobs for which no nodes may ever come run on those that are always there
      const isAlone = ({ priority = 0 }: PlainJob) => more !== undefined || priority < given.expendablePodsPriorityCutoff
      const holds = (job: PlainJob) => groups.some((each) => each.cpu >= job.cpu && each.mem >= job.mem && (isThere(each) || !isAlone(job)))
      const jobs = unsorted.filter(holds).sort((a, b) => a.submit - b.submit)
      fc.pre(jobs.length > 0)
      const nodes = groups.map(({ count, cpu, mem, provision, min = 0, initial = min, priority = 0, price }) => ({ count, resources: { cpu, mem }, ...(provision !== undefined && { autoscale: { min, initial, provision, priority, price } }) }))
      const specs = jobs.map(({ submit, tasks, cpu, mem, duration, isMovable, priority }, i): JobSpec => ({ id: `${i}`, submit, movable: isMovable, ...(priority !== undefined && { priority }), stages: [{ name: 'work', tasks, demand: { cpu, mem }, duration }] }))
      const watch = new Nodes()
      const log = run(specs, { cluster: { nodes }, autoscaler, seed, runtime: exact, policy: inOrder, observers: [watch] })
      const signs: Readonly<Record<string, string>> = { start: '+', done: '-', evicted: 'x' }
      const ran = log.lines.flatMap((line) => {
        const [time, what, id, , node] = line.split(' ')
        return what === 'submit' ? [] : [`${time} ${signs[what ?? '']} job ${id} on ${node}`]
      })
      expect([...ran, ...watch.lines].sort()).toEqual(plainAutoscaler(groups, jobs, autoscaler, seed).sort())
    }),
    { numRuns: 300 },
  )
}

it('decides like one that looks at everything at every multiple of the scan interval', () => decidesLikeAPlainLoop(group, settings, 3))

it('does so where groups that are alike are balanced, of which the cheapest is asked, up to limits in sum, and some jobs count for nothing', { tags: 'long' }, () => {
  const alike = group.map((each) => ({ ...each, isTwin: each.isTwin || each.count > 1, provision: each.provision ?? 10, min: each.min ?? 1, initial: each.initial ?? 1, price: each.price ?? 2 }))
  const priced = settings.map((each) => ({ ...each, expander: ['price', 'least-waste'] as const, balanceSimilarNodeGroups: true, maxNodesPerScaleUp: 1000, scaleDownEnabled: true, scaleDownUtilizationThreshold: 0.8, maxDrainParallelism: 2 }))
  decidesLikeAPlainLoop(alike, priced, 4)
})
