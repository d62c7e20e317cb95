import { dispatcher } from '@sched/cluster'
import { kaiPreempting, type KaiOptions } from '@sched/policies'
import { checkPolicyLaws, instantCluster, job, worlds, type World } from '@sched/testkit'
import { describe, expect, it } from 'vitest'
import { firstNode } from '../first-node.js'

// Cases of the KAI Scheduler's own tests of steady fair shares (TestReclaimSteadyFairShareIntegrationTest, reclaimable_test.go), in numbers of ours. Tasks ask for three GPUs, of which
// each node has one left, so that who comes fits nowhere, and no queue is above its fair share.

type Load = readonly [id: string, tasks?: number, priority?: number]
type Queues = NonNullable<KaiOptions['queues']>
const all = { quota: -1 }
const weighs = (overQuotaWeight: number, quota = 0): Queues[string] => ({ resources: { gpu: { quota, overQuotaWeight }, cpu: all, mem: all } })
const equal: Queues = { a: weighs(1), b: weighs(1), c: weighs(1) }
const low = 40

/** Who is taken when the last one comes to nodes of so many GPUs where the others have started one after the other. */
function taken(nodes: readonly number[], queues: Queues, held: readonly Load[], coming: Load, options: KaiOptions = { steadyFairShareReclaim: true }, demand: Readonly<Record<string, number>> = { gpu: 3 }): string {
  const cluster = instantCluster({ nodes: nodes.map((gpu) => ({ count: 1, resources: { gpu, cpu: 100, mem: 100 } })) })
  const master = dispatcher({ cluster, policy: kaiPreempting({ ties: 'submission', queues, ...options }, firstNode()) })
  const submit = ([id, tasks = 1, priority = 50]: Load, asks: Readonly<Record<string, number>>) => {
    master.submit(job({ id, queue: id.split('_')[0] as string, tasks, gang: tasks > 1, priority, demand: asks }), now)
  }
  let now = 0
  for (const load of held) {
    submit(load, { gpu: 3, cpu: 30 })
    expect(master.pass(now++).start.length).toBe(load[1] ?? 1)
  }
  submit(coming, demand)
  const gone: string[] = []
  const started: string[] = []
  for (let i = 0; i < 6; i++) {
    const { start, kill } = master.pass(now++)
    gone.push(...kill.map((each) => each.job))
    started.push(...start.map((each) => each.job))
  }
  expect(started).toEqual(gone.length > 0 ? [coming[0]] : [])
  return gone.join(' ')
}

describe('reclaim by steady fair shares', () => {
  const scattered: readonly Load[] = [['a_low', 1, low], ['a_1'], ['a_2'], ['c_1'], ['a_3'], ['a_4']]

  it('takes the least important job of a queue above its share by weight, though its fair share is more', () => {
    // of 21 GPUs each is due 7: a has 15, c 3
    expect(taken([7, 7, 7], equal, scattered, ['c_in'], {})).toBe('')
    expect(taken([7, 7, 7], equal, scattered, ['c_in'])).toBe('a_low')
  })

  it('counts the weights of queues that nobody uses', () => {
    // without b each is due 10 or 11, and a has more
    expect(taken([7, 7, 7], { a: weighs(1), c: weighs(1) }, scattered, ['c_in'])).toBe('a_low')
    // with b's weight of 8 a and c are due 2 each, which c has; with one of 2 they are due 5
    expect(taken([7, 7, 7], { ...equal, b: weighs(8) }, scattered, ['c_in'])).toBe('')
    expect(taken([7, 7, 7], { ...equal, b: weighs(2) }, scattered, ['c_in'])).toBe('a_low')
  })

  it('passes over who would leave its queue too little, for a smaller one that is older', () => {
    // a has 12 and may lose 5
    expect(taken([7, 7, 7], equal, [['a_old'], ['c_1'], ['a_small'], ['a_large', 2], ['b_1']], ['c_in'])).toBe('a_small')
  })

  it('takes nothing where every job is larger than what its queue has beyond its share', () => {
    expect(taken([7, 7, 7], equal, [['a_1'], ['a_2'], ['a_3'], ['b_1'], ['b_2'], ['c_1']], ['c_in'])).toBe('')
  })

  it('lets the queue exceed its share by less than who gives, times the multiplier', () => {
    // of 30 GPUs each is due 10: c comes to 12, a is left with 15
    const held: readonly Load[] = [['a_low', 1, low], ['a_1'], ['a_2'], ['a_3'], ['a_4'], ['c_1'], ['a_5'], ['c_2'], ['c_3']]
    const by = (reclaimerSaturationMultiplier: number) => taken([10, 10, 10], equal, held, ['c_in'], { steadyFairShareReclaim: true, reclaimerSaturationMultiplier })
    expect([1, 1.2, 1.3].map(by)).toEqual(['a_low', 'a_low', ''])
  })

  it('takes of no queue within its quota, nor for a queue that has its share', () => {
    expect(taken([7, 7, 7], { ...equal, a: weighs(1, 15) }, scattered, ['c_in'])).toBe('')
    expect(taken([7, 7, 7], { ...equal, c: weighs(0) }, scattered, ['c_in'])).toBe('')
  })

  it('takes nothing for a job that asks for no GPUs', () => {
    const bare = Object.fromEntries(['a', 'b', 'c'].map((name) => [name, { resources: { gpu: { overQuotaWeight: 1 } } }]))
    const by = (demand: Readonly<Record<string, number>>) => taken([7], bare, [['a_1'], ['a_2']], ['c_in'], { steadyFairShareReclaim: true }, demand)
    expect([by({ cpu: 60 }), by({ cpu: 60, gpu: 1 })]).toEqual(['', 'a_2'])
  })

  describe('compares teams with teams', () => {
    // of 30 GPUs each team is due 15, and each queue about half of that
    const teams: Queues = Object.fromEntries(['p', 'q', 'p.r', 'p.s', 'q.v', 'q.w'].map((name) => [name, weighs(1)]))
    const loads = (...counts: readonly (readonly [queue: string, tasks: number])[]): Load[] => counts.flatMap(([queue, tasks]) => Array.from({ length: tasks }, (_, i): Load => [`${queue}_${i}`]))
    it.each<[string, readonly number[], readonly Load[], string]>([
      ['takes of another that stays above its share', [10, 10, 10], loads(['p.r', 1], ['p.s', 2], ['q.w', 1], ['q.v', 5]), 'q.v_4'],
      ['takes of none that has no more than its share, though a queue in it has', [7, 7, 7], loads(['p.r', 1], ['p.s', 2], ['q.v', 3]), ''],
      ['takes of a sibling whatever the teams have', [10, 10, 10], loads(['p.r', 1], ['q.v', 2], ['q.w', 1], ['p.s', 5]), 'p.s_4'],
    ])('%s', (_, nodes, held, expected) => {
      expect(taken(nodes, teams, held, ['p.r_in'])).toBe(expected)
    })
  })

  it('keeps the laws of policies', { tags: 'long' }, () => {
    const withGpus = ({ cpu = 0, ...others }: Readonly<Record<string, number>>) => ({ ...others, gpu: cpu })
    const ofGpus = worlds({ slots: false, gangs: true }).map((world): World => ({
      ...world,
      cluster: { ...world.cluster, nodes: world.cluster.nodes.map((group) => ({ ...group, resources: withGpus(group.resources ?? {}) })) },
      jobs: world.jobs.map((each) => ({ ...each, stages: each.stages.map((stage) => ({ ...stage, demand: withGpus(stage.demand) })) })),
    }))
    const weight = (overQuotaWeight: number) => ({ resources: { gpu: { overQuotaWeight } } })
    const options: KaiOptions = { steadyFairShareReclaim: true, queues: { idle: weight(3), a: weight(2) } }
    const { launches, evictions } = checkPolicyLaws(() => kaiPreempting(options, firstNode()), { runs: 20, seed: 5, worlds: ofGpus })
    expect([launches > 100, evictions > 0]).toEqual([true, true])
  })
})
