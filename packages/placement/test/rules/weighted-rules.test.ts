import { dispatcher } from '@sched/cluster'
import { Reason, type JobSpec, type PlacementRule, type TaskSelector } from '@sched/core'
import { conservative, easy, fattened, fifo, gangScheduling, greedy, kaiPreempting, kubeScheduler, kueue, mapReduce, replan, strict, volcano, yunikornPreempting, yunikornReserving } from '@sched/policies'
import { instantCluster, job, run } from '@sched/testkit'
import { describe, expect, it } from 'vitest'
import { firstFit, weighted } from '../../src/index.js'
import { Play } from '../world.js'

const side = (rack: string, zone: string, ...names: string[]) => ({ count: 2, names, racks: [rack], resources: { cpu: 4 }, labels: { zone } })
const two = { nodes: [side('r0', 'a', 'n-0', 'n-1'), side('r1', 'b', 'n-2', 'n-3')] }
const inOrder = () => weighted({ scores: {} })
const cpu = { cpu: 1 }
const web = { tags: { app: 'web' } }
const apart = (over: string, of: TaskSelector = {}): PlacementRule => ({ kind: 'antiAffinity', of, over })
const near = (over: string, tags: Record<string, string>): PlacementRule => ({ kind: 'affinity', of: { tags }, over })
const up = (over: string, change: { min?: number; max?: number }, app = 'web'): PlacementRule => ({ kind: 'cardinality', of: { tags: { app } }, over, ...change })

describe('placement rules of jobs, under weighted', () => {
  it('keep tasks apart over nodes, racks and labels', () => {
    const own = { job: 'own' as const }
    expect(new Play(two, inOrder()).place(5, cpu, { placementRules: [apart('node', own)] })).toEqual([0, 1, 2, 3])
    expect(new Play(two, inOrder()).place(5, cpu, { placementRules: [apart('rack', own)] })).toEqual([0, 2])
    expect(new Play(two, inOrder()).place(5, cpu, { placementRules: [apart('zone', own)] })).toEqual([0, 2])
  })

  it('keep others away from those that stay away from them, who run already or not', () => {
    const play = new Play(two, inOrder())
    expect(play.place(1, cpu, web)).toEqual([0])
    expect(play.place(2, cpu, { placementRules: [apart('rack', web)] })).toEqual([2, 2])
    expect(play.place(5, cpu, web)).toEqual([0, 0, 0, 1, 1])
    expect(play.place(1, cpu, { tags: { app: 'other' } })).toEqual([1])
  })

  it('are those of the stage, or else of the job, and so are tags', () => {
    const play = new Play(two, inOrder())
    play.place(1, cpu, { tags: { app: 'other', tier: 'front' }, stages: [{ name: 's', tasks: 1, demand: cpu, duration: 1, ...web }] })
    const away = (tags: Record<string, string>) => play.place(1, cpu, { placementRules: [apart('rack', { tags })] })
    expect([away({ app: 'web' }), away({ tier: 'front' }), away({ app: 'other' })]).toEqual([[2], [2], [0]])
    const stage = { name: 's', tasks: 1, demand: cpu, duration: 1, placementRules: [] }
    expect(play.place(1, cpu, { placementRules: [apart('rack', web)], stages: [stage] })).toEqual([0])
  })

  it('bring tasks to others, and the first of a group anywhere', () => {
    const play = new Play(two, inOrder())
    play.use(0, { cpu: 4 })
    play.use(1, { cpu: 3 })
    expect(play.place(5, cpu, { ...web, placementRules: [near('rack', web.tags)] })).toEqual([1]) // the rack is full then
    expect(play.place(1, cpu, { placementRules: [near('zone', { app: 'db' })] })).toEqual([])
  })

  it('count tasks of a group before one comes, as YARN does', () => {
    expect(new Play(two, inOrder()).place(9, cpu, { ...web, placementRules: [up('node', { max: 1 })] })).toEqual([0, 0, 1, 1, 2, 2, 3, 3])
    expect(new Play(two, inOrder()).place(9, cpu, { ...web, placementRules: [up('rack', { max: 2 })] })).toEqual([0, 0, 0, 2, 2, 2])
    const withThree = () => {
      const play = new Play(two, inOrder())
      play.place(3, cpu, web)
      return play
    }
    // PlacementConstraintsUtil: at most max of them, also where the task is none of them
    expect([2, 3].map((max) => withThree().place(1, cpu, { placementRules: [up('node', { max })] }))).toEqual([[1], [0]])
    const play = withThree()
    expect(play.place(1, cpu, { placementRules: [up('rack', { max: 0 })] })).toEqual([2])
    expect(play.place(1, cpu, { placementRules: [up('rack', { min: 3 })] })).toEqual([0])
    expect(play.place(1, cpu, { placementRules: [up('rack', { min: 4 })] })).toEqual([])
  })

  it('spread tasks over labels', () => {
    const even = (change: object = {}): PlacementRule => ({ kind: 'spread', of: web, over: 'zone', maxSkew: 1, ...change })
    expect(new Play(two, inOrder()).place(5, cpu, { ...web, placementRules: [even()] })).toEqual([0, 2, 0, 2, 0])
    expect(new Play(two, inOrder()).place(5, cpu, { ...web, placementRules: [even({ maxSkew: 2 })] })).toEqual([0, 0, 2, 0, 2])
    expect(new Play(two, inOrder()).place(5, cpu, { ...web, placementRules: [even({ minDomains: 3 })] })).toEqual([0, 2])
  })

  it('hold with scores, too, and where few nodes are scored', () => {
    for (const options of [{ scores: { 'least-allocated': 1, pack: 1 } }, { scores: { spread: 1 } }, { scores: { 'most-allocated': 1 } }, { percentageOfNodesToScore: 1 }])
      expect(new Play(two, weighted(options)).place(5, cpu, { placementRules: [apart('node', { job: 'own' })] }).sort()).toEqual([0, 1, 2, 3])
  })

  it.each([
    ['strict', strict(fifo(), { placement: inOrder() })], ['replan', replan(fifo(), { placement: inOrder() })], ['fattened', fattened(fifo(), { placement: inOrder() })],
    ['mapreduce', mapReduce(fifo(), {}, inOrder())], ['gang-scheduling', gangScheduling(fifo(), { placement: inOrder() })],
  ])('hold under %s', (_, policy) => {
    const stage = { name: 's', tasks: 1, demand: cpu, duration: 5 }
    const jobs: JobSpec[] = [{ id: 'apart', submit: 0, estimate: 10, placementRules: [apart('zone', { job: 'own' })], stages: [{ ...stage, tasks: 3 }] }, { id: 'other', submit: 0, estimate: 10, stages: [stage] }]
    const { recorder } = run({ cluster: instantCluster(two), policy, jobs })
    expect(recorder.launches.filter((each) => each.job === 'apart').map(({ node, time }) => [node, time])).toEqual([['n-0', 0], ['n-2', 0], ['n-0', 5]])
    expect(recorder.launches).toHaveLength(4)
  })

  it('know what started before the first job with rules, and forget what has ended', () => {
    const play = new Play(two, inOrder())
    const [first] = play.start(1, cpu, web)
    expect(play.place(1, cpu, { placementRules: [apart('rack', web)] })).toEqual([2])
    play.end(first?.id as number)
    expect(play.place(1, cpu, { placementRules: [apart('rack', web)] })).toEqual([0])
  })
})

describe('a job that waits for tasks of another', () => {
  const stage = { name: 's', tasks: 1, demand: cpu, duration: 5 }
  const all = { user: 'ann', estimate: 10 }
  const jobs: JobSpec[] = [
    { ...all, id: 'late', submit: 0, placementRules: [near('rack', web.tags)], stages: [stage] }, { ...all, id: 'like', submit: 0, stages: [stage] }, { ...all, id: 'early', submit: 0, ...web, stages: [stage] },
  ]

  it.each([
    ['greedy', greedy(fifo(), inOrder())], ['kube-scheduler', kubeScheduler({}, inOrder())], ['kueue', kueue({}, inOrder())], ['volcano', volcano({}, inOrder())],
    ['kai-preempting', kaiPreempting({}, inOrder())], ['easy', easy(fifo(), { placement: inOrder() })], ['conservative', conservative(fifo(), { placement: inOrder() })],
    ['yunikorn-reserving', yunikornReserving({}, inOrder())], ['yunikorn-preempting', yunikornPreempting({}, inOrder())],
  ])('starts a moment after it, whoever comes first in the order, and holds up nobody who asks the same: %s', (_, policy) => {
    const { recorder } = run({ cluster: instantCluster(two), policy, jobs })
    expect(recorder.launches.map(({ job: id, time }) => [id, time])).toEqual([['like', 0], ['early', 0], ['late', 0.001]])
  })

  it.each([
    ['greedy', greedy(fifo(), inOrder())], ['kube-scheduler', kubeScheduler({}, inOrder())], ['kueue', kueue({}, inOrder())], ['volcano', volcano({}, inOrder())],
    ['kai-preempting', kaiPreempting({}, inOrder())], ['easy', easy(fifo(), { placement: inOrder() })], ['conservative', conservative(fifo(), { placement: inOrder() })],
    ['yunikorn-reserving', yunikornReserving({}, inOrder())], ['yunikorn-preempting', yunikornPreempting({}, inOrder())],
  ])('keeps off the only node there is, too: %s', (_, policy) => {
    const one = { nodes: [{ count: 1, resources: { cpu: 9 } }] }
    const { recorder } = run({ cluster: instantCluster(one), policy, jobs: ['a', 'b'].map((id) => ({ ...all, ...web, id, submit: 0, placementRules: [apart('node', web)], stages: [stage] })) })
    expect(recorder.launches.map(({ job: id, time }) => [id, time])).toEqual([['a', 0], ['b', 5]])
  })

  it('waits for others, by what is told, where nodes have room', () => {
    const reasonsOf = (cpus: number) => {
      const reasons = new Set<Reason>()
      const cluster = instantCluster({ nodes: [{ ...side('r0', 'a', 'n-0', 'n-1'), resources: { cpu: cpus } }] })
      run({ cluster, policy: greedy(fifo(), inOrder()), jobs: [...jobs.slice(1), jobs[0] as JobSpec].map((each) => ({ ...each, submit: each.id === 'late' ? 1 : 0, placementRules: each.id === 'late' ? [apart('zone', web)] : [] })), observers: [{ onDefer: (_job, _lane, reason) => void reasons.add(reason) }] })
      return [...reasons]
    }
    expect([reasonsOf(2), reasonsOf(1)]).toEqual([[Reason.Rule], []]) // no job is asked about nodes that are full
  })

  it('is looked at again only where something has started', () => {
    const control = dispatcher({ cluster: two, policy: greedy(fifo(), inOrder()) })
    control.submit(jobs[0] as JobSpec)
    control.pass(0)
    expect(control.nextWake).toBe(Infinity)
    control.submit(jobs[1] as JobSpec)
    control.pass(1)
    expect(control.nextWake).toBe(1.001)
    control.pass(1.001)
    expect(control.nextWake).toBe(Infinity)
  })

  it.each([
    ['greedy', greedy(fifo(), inOrder()), two], ['greedy on the only node', greedy(fifo(), inOrder()), { nodes: [{ count: 1, racks: ['r0'], resources: cpu }] }],
    ['mapreduce', mapReduce(fifo(), {}, inOrder()), two], ['mapreduce on the only node', mapReduce(fifo(), {}, inOrder()), { nodes: [{ count: 1, racks: ['r0'], resources: cpu }] }],
  ])('is told of where it never comes: %s', (_, policy, cluster) => {
    expect(() => run({ cluster: instantCluster(cluster), policy, jobs: jobs.slice(0, 1) })).toThrow('keeps job late waiting for reservations, tasks of others or nearer nodes although nothing runs. Change the reservations, or the placement rules of jobs.')
  })
})

describe('who is told', () => {
  const hard: JobSpec = job({ id: 'hard', demand: cpu, placementRules: [apart('node')] })
  const soft: JobSpec = job({ id: 'soft', demand: cpu, placementRules: [{ kind: 'affinity', of: web, over: 'node', weight: 5 }] })
  const told = (placement = inOrder(), jobs = [hard, soft], cluster: object = two): string[] => {
    const warned: string[] = []
    const control = dispatcher({ cluster: cluster as typeof two, policy: greedy(fifo(), placement), warn: (message) => void warned.push(message) })
    for (const each of jobs) control.submit(each)
    return warned
  }

  it('whoever has rules that nobody heeds, once', () => {
    expect(told(firstFit(), [hard, { ...hard, id: 'again' }, soft])).toEqual([
      'job hard says by its placement rules where its tasks are to others, and no placement here heeds that: it goes anywhere. Give the policy the placement `weighted`.',
      'job soft has placement rules that are preferences, and no placement here heeds them. Give the policy the placement `kube-scores`, or `weighted` the scores `inter-pod-affinity`, `pod-topology-spread` and `node-affinity`.',
    ])
    expect(told().map((message) => message.slice(0, 8))).toEqual(['job soft'])
  })

  it('whose cluster has heartbeats', () => {
    expect(told(inOrder(), [hard], { ...two, heartbeat: { interval: 3 } })).toEqual(['weighted: at a heartbeat one node is in sight, where a task starts if it fits: the `placementRules` of jobs do not hold on this cluster.'])
  })

  it.each<[PlacementRule, string]>([
    [near('region', {}), 'job hard: a placement rule of it is over the label "region", which no node has'],
    [{ kind: 'spread', over: 'region', maxSkew: 1 }, 'over the label "region", which no node has'],
    [{ kind: 'antiAffinity', over: 'rack' }, 'a placement rule of it is over racks, and the cluster has none'],
  ])('whose rule no node can satisfy: %j', (rule, message) => {
    expect(() => told(inOrder(), [{ ...hard, placementRules: [rule] }], { nodes: [{ count: 2, resources: { cpu: 1 } }] })).toThrow(message)
    expect(told(inOrder(), [{ ...hard, placementRules: [apart('region')] }])).toEqual([])
  })

  it.each<[object, string]>([
    [{ kind: 'near', over: 'node' }, 'job hard has a placement rule with the kind "near". Give one of affinity, antiAffinity, cardinality, spread, nodes.'],
    [{ kind: 'affinity' }, 'job hard has a placement rule with no groups of nodes.'], [{ kind: 'affinity', over: 'node', weight: 0 }, 'with the weight 0.'],
    [{ kind: 'cardinality', over: 'node' }, 'with neither min nor max.'], [{ kind: 'cardinality', over: 'node', max: -1 }, 'with the numbers - and -1.'],
    [{ kind: 'spread', over: 'node' }, 'with the maxSkew undefined.'], [{ kind: 'spread', over: 'node', maxSkew: 1, minDomains: 0 }, 'with the minDomains 0.'],
    [{ kind: 'spread', over: 'node', maxSkew: 1, nodeTaintsPolicy: 'Keep' }, 'with the nodeTaintsPolicy "Keep". Give Honor or Ignore.'],
    [{ kind: 'nodes', weight: 1 }, 'with no term.'], [{ kind: 'nodes', term: {} }, 'with no weight.'],
    [{ kind: 'affinity', over: 'node', of: { matchExpressions: [{ key: 'a', operator: 'Gt', values: ['1'] }] } }, 'with the operator "Gt" for tags.'],
  ])('whose rule is none: %j', (rule, message) => {
    expect(() => told(inOrder(), [{ ...hard, placementRules: [rule as PlacementRule] }])).toThrow(message)
  })
})
