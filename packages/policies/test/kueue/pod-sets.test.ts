import { dispatcher } from '@sched/cluster'
import type { JobSpec, StageSpec } from '@sched/core'
import { kueue, type KueueOptions } from '@sched/policies'
import { instantCluster, run } from '@sched/testkit'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

// Workloads with several sets of pods are jobs that are one gang of several stages here. Cases of Kueue's own tests (TestAssignFlavors, TestSchedule).

type Queue = NonNullable<KueueOptions['queues']>[string]
type Quotas = Readonly<Record<string, Readonly<Record<string, number>>>>
/** A stage: its tasks, what each asks, and whether they tolerate the taint of `tainted`. */
type PodSet = readonly [tasks: number, asks: Readonly<Record<string, number>>, tolerates?: boolean]

const FLAVORS = { one: { type: 'one' }, two: { type: 'two' }, tainted: { type: 'tainted' }, model: { gpus: 'model' } }
const tolerations = [{ key: 'instance', operator: 'Exists' as const }]

function gang(id: string, sets: readonly PodSet[], priority = 0, duration = 10): JobSpec {
  const stages = sets.map(([tasks, demand, tolerates = false], i): StageSpec => ({ name: `s${i}`, tasks, gang: true, demand, duration, ...(tolerates && { constraints: { tolerations } }) }))
  return { id, queue: id.split('_')[0] as string, submit: 0, priority, gang: true, stages }
}

/** On a node of each flavor, of which those of `one` and `two` have GPUs: who is preempted, `-id`, and where others start, `+id stage node`. */
function world(options: KueueOptions) {
  const resources = { cpu: 200, mem: 200, gpu: 200 }
  const nodes = [
    ...['one', 'two'].map((type) => ({ name: type, count: 1, resources, labels: { type, gpus: 'model' } })),
    { name: 'tainted', count: 1, resources, labels: { type: 'tainted' }, taints: [{ key: 'instance', value: 'spot', effect: 'NoSchedule' as const }] },
  ]
  const make = () => dispatcher({ cluster: instantCluster({ nodes }), policy: kueue({ flavors: FLAVORS, ...options }) })
  const master = make()
  let now = 0
  return {
    make,
    master,
    come: (...specs: readonly JobSpec[]) => {
      now++
      for (const spec of specs) master.submit(spec, now)
      const { start, kill } = master.pass(now)
      const told = [...kill.map((each) => `-${each.job}`), ...start.map((each) => `+${each.job} ${each.stage} ${each.node.replace(/-\d+$/, '')}`)]
      return [...new Set(told)]
    },
  }
}
const of = (nominalQuota: Quotas, rules: Queue = {}): Queue => ({ nominalQuota, ...rules })
const own = { preemption: { withinClusterQueue: 'LowerPriority' } } as const

describe('sets of pods have a flavor each', () => {
  it('the first that each fits beside those before (multiple specs, fit different flavors)', () => {
    const { come } = world({ queues: { a: of({ one: { cpu: 4 }, two: { cpu: 10 } }) } })
    expect(come(gang('a_in', [[1, { cpu: 5 }], [1, { cpu: 3 }]]))).toEqual(['+a_in 0 two', '+a_in 1 one'])
    // of flavor one 1 is left, of two 5
    expect(come(gang('a_1', [[1, { cpu: 1 }], [1, { cpu: 1 }]]))).toEqual(['+a_1 0 one', '+a_1 1 two'])
  })

  it('with resource groups of each (assign multiple resources and flavors)', () => {
    const groups = { resourceGroups: [['cpu', 'mem'], ['gpu']] }
    const queues = {
      a: of({ one: { cpu: 50 }, two: { cpu: 100 } }, { cohort: 'eng' }),
      b: of({ one: { cpu: 50, mem: 0 }, two: { cpu: 0, mem: 0 }, model: { gpu: 20 } }, { cohort: 'eng', borrowingLimit: { one: { cpu: 10 }, two: { cpu: 100 } }, ...groups }),
    }
    expect(world({ queues }).come(gang('b_new', [[10, { cpu: 6, gpu: 1 }], [40, { cpu: 1 }]]))).toEqual(['+b_new 0 one', '+b_new 1 two'])
  })

  it('both may borrow (multiple specs, fits borrowing), as far as that goes for both', () => {
    const queues = { a: of({ one: { cpu: 2 }, two: { cpu: 0 } }, { cohort: 'c', borrowingLimit: { one: { cpu: 8 } } }), b: of({ one: { cpu: 98 }, two: { cpu: 9 } }, { cohort: 'c' }) }
    expect(world({ queues }).come(gang('a_in', [[1, { cpu: 4 }], [1, { cpu: 6 }]]))).toEqual(['+a_in 0 one', '+a_in 1 one'])
    expect(world({ queues }).come(gang('a_in', [[1, { cpu: 4 }], [1, { cpu: 7 }]]))).toEqual(['+a_in 0 one', '+a_in 1 two'])
  })

  it('and may need preemption in several (each podset requires preemption on a different flavor)', () => {
    const { come } = world({ queues: { a: of({ one: { cpu: 4 }, tainted: { cpu: 10 } }, own) } })
    // of flavor one 1 is left, of the other 7: 2 and 10 are asked, of which the ten tolerate the taint
    const low = (cpu: number, tolerates = false) => gang(tolerates ? 'a_2' : 'a_1', [[1, { cpu }, tolerates], [1, { cpu: 1 }, tolerates]], -1)
    expect(come(low(2))).toEqual(['+a_1 0 one', '+a_1 1 one'])
    expect(come(gang('a_0', [[1, { cpu: 1 }]]), low(2, true))).toEqual(['+a_0 0 one', '+a_2 0 tainted', '+a_2 1 tainted'])
    expect(come(gang('a_in', [[1, { cpu: 2 }], [10, { cpu: 1 }, true]]))).toEqual(['-a_2', '-a_1', '+a_in 0 one', '+a_in 1 tainted'])
  })

  it('preempt in a flavor all that they lack in it together', () => {
    const { come } = world({ queues: { a: of({ one: { cpu: 6 }, two: { cpu: 1 } }, own) } })
    const low = (id: string): JobSpec => ({ id, queue: 'a', submit: 0, priority: -1, stages: [{ name: 's', tasks: 1, demand: { cpu: 2 }, duration: 9 }] })
    expect(come(low('l1'), low('l2'), low('l3'))).toEqual(['+l1 0 one', '+l2 0 one', '+l3 0 one'])
    // 1 is for flavor two; 2 and 2 are of two others, the latest first
    expect(come(gang('a_in', [[1, { cpu: 2 }], [1, { cpu: 1 }], [1, { cpu: 2 }]]))).toEqual(['-l3', '-l2', '+a_in 0 one', '+a_in 1 two', '+a_in 2 one'])
  })

  it('or one together where they are one group (leader worker set, leader and workers request the same resources fits)', () => {
    const queues = { a: of({ one: { cpu: 4 }, two: { cpu: 9 } }) }
    const sets: readonly PodSet[] = [[4, { cpu: 2 }], [1, { cpu: 1 }]]
    expect(world({ queues }).come(near(gang('a_in', sets)))).toEqual(['+a_in 0 two', '+a_in 1 two'])
    expect(world({ queues }).come(gang('a_in', sets))).toEqual(['+a_in 0 two', '+a_in 1 one'])
  })

  it('and have none if no flavor is one for the group (workers request GPU, leader does not request GPU, does not fit, without group it would fit)', () => {
    const { come, master } = world({ queues: { a: of({ one: { cpu: 4, gpu: 4 }, two: { cpu: 5, gpu: 0 } }) } })
    const spec = gang('a_in', [[4, { cpu: 1, gpu: 1 }], [1, { cpu: 1 }]])
    expect(() => master.submit(near(spec), 0)).toThrow('queue a: 5 cpu of at most 4')
    expect(come(spec)).toEqual(['+a_in 0 one', '+a_in 1 two'])
  })

  it('and give back what the group has in its flavor, also after a restart', () => {
    const options: KueueOptions = { queues: { a: of({ one: { cpu: 4 }, two: { cpu: 9 } }) } }
    const { master: before, make } = world(options)
    const spec = near(gang('a_0', [[4, { cpu: 2 }], [1, { cpu: 1 }]]))
    before.submit(spec, 0)
    const running = before.pass(0).start
    const after = make()
    after.submit(spec, 0)
    const taken = running.map((placed) => after.adopt(placed, 0))
    after.recall(JSON.parse(JSON.stringify(before.memory())) as ReturnType<typeof before.memory>)
    after.submit(gang('a_1', [[1, { cpu: 5 }]]), 1)
    expect(after.pass(1).start).toEqual([])
    for (const each of taken.slice(0, 3)) after.taskEnded(each, 2)
    expect(after.pass(2).start.map(({ job, node }) => `${job} ${node}`)).toEqual(['a_1 two-0'])
  })

  it('that leave the others one: where Kueue has all wait for what the first set took, it takes another', () => {
    const { come } = world({ queues: { a: of({ tainted: { cpu: 6 }, two: { cpu: 3 } }) } })
    // both tolerate the taint, and only there is room for 5
    expect(come(gang('a_in', [[1, { cpu: 3 }, true], [1, { cpu: 5 }, true]]))).toEqual(['+a_in 0 two', '+a_in 1 tainted'])
  })

  it.each<[string, readonly PodSet[], string]>([
    ['one of them is too large (multi-podset, one fits and another fails)', [[1, { cpu: 1 }], [1, { cpu: 5 }]], 'queue a: stage s1: 5 cpu of at most 4'],
    ['none has a node for one of them', [[1, { cpu: 1 }], [3, { cpu: 1, gpu: 90 }]], 'queue a: stage s1: 270 gpu of at most 200'],
    ['all of them are too many together', [[1, { cpu: 3 }], [1, { cpu: 3 }], [1, { cpu: 3 }]], 'queue a: no flavors have room for all 3 stages of its gang together'],
  ])('and are refused where %s', (_, sets, message) => {
    const { master } = world({ queues: { a: of({ one: { cpu: 4, gpu: 200 }, two: { cpu: 4, gpu: 200 } }) } })
    expect(() => master.submit(gang('a_in', sets), 0)).toThrow(message)
  })

  it('give back what each has as it ends, also after a restart, and when it ends meanwhile', () => {
    const options: KueueOptions = { queues: { a: of({ one: { cpu: 4 }, two: { cpu: 10 } }) } }
    const one = (id: string, cpu: number): JobSpec => ({ id, queue: 'a', submit: 0, stages: [{ name: 's', tasks: 1, demand: { cpu }, duration: 9 }] })
    /** What starts when the task of a set has ended, of 4 CPUs that ask for all of flavor one, and of 6, 5 and 1. */
    const next = (ended: number | undefined, when: 'no restart' | 'forgets' | 'meanwhile' | 'afterwards') => {
      const { master: before, make } = world(options)
      before.submit(gang('a_0', [[1, { cpu: 5 }], [1, { cpu: 3 }]]), 0)
      const running = before.pass(0).start
      const after = when === 'no restart' ? before : make()
      if (after !== before) after.submit(gang('a_0', [[1, { cpu: 5 }], [1, { cpu: 3 }]]), 0)
      const taken = after === before ? running : running.map((placed) => after.adopt(placed, 0))
      const end = (now: number) => { if (ended !== undefined) after.taskEnded(taken[ended]!, now) }
      if (when === 'meanwhile') end(0)
      if (when === 'meanwhile' || when === 'afterwards') after.recall(JSON.parse(JSON.stringify(before.memory())) as ReturnType<typeof before.memory>)
      if (when !== 'meanwhile') end(1)
      for (const spec of [one('w', 4), one('x', 6), one('y', 5), one('z', 1)]) after.submit(spec, 2)
      return after.pass(2).start.map((each) => `${each.job} ${each.node.replace('-0', '')}`).join(', ')
    }
    for (const when of ['no restart', 'forgets', 'meanwhile', 'afterwards'] as const)
      expect([undefined, 0, 1].map((ended) => next(ended, when)), when).toEqual(['w two, z one', 'w two, x two, z one', 'w one, y two'])
  })

  it('give room to others as their pods end (Should admit workloads when resources are dynamically reclaimed, gradually released)', () => {
    const { master } = world({ queues: { a: of({ one: { cpu: 3 } }, own) } })
    const come = (now: number, ...specs: readonly JobSpec[]) => {
      for (const spec of specs) master.submit(spec, now)
      const { start, kill } = master.pass(now)
      return { start, told: [...kill.map((each) => `-${each.job}`), ...start.map((each) => `+${each.job} ${each.stage}`)].join(' ') }
    }
    const three: readonly PodSet[] = [[1, { cpu: 1 }], [1, { cpu: 1 }], [1, { cpu: 1 }]]
    const first = come(0, gang('a_first', three))
    master.taskEnded(first.start[2]!, 1)
    const second = come(2, gang('a_second', three, 100))
    expect(second.told).toBe('-a_first -a_first +a_second 0 +a_second 1 +a_second 2')
    for (const each of second.start.slice(0, 2)) master.taskEnded(each, 3)
    const again = come(3)
    expect(again.told).toBe('+a_first 0 +a_first 1')
    master.taskEnded(again.start[0]!, 4)
    expect(come(4, gang('a_third', [[1, { cpu: 1 }]])).told).toBe('+a_third 0')
  })
})

const near = (spec: JobSpec): JobSpec => ({ ...spec, topology: { preferred: 1 } })

it('every job that is one gang runs, within all quotas, whatever the flavors of its sets, and all of one group in one flavor', { tags: 'long' }, () => {
  const set = fc.tuple(fc.integer({ min: 1, max: 3 }), fc.integer({ min: 1, max: 3 }), fc.boolean())
  const load = fc.record({ queue: fc.constantFrom('a', 'b'), sets: fc.array(set, { minLength: 1, maxLength: 3 }), submit: fc.integer({ min: 0, max: 6 }), priority: fc.integer({ min: 0, max: 2 }), duration: fc.integer({ min: 1, max: 9 }), isNear: fc.boolean() })
  const quotas = fc.tuple(fc.integer({ min: 0, max: 9 }), fc.integer({ min: 0, max: 9 }), fc.integer({ min: 0, max: 9 }))
  const rules = { cohort: 'c', preemption: { withinClusterQueue: 'LowerPriority', reclaimWithinCohort: 'Any' } } as const
  const flavors = { tainted: FLAVORS.tainted, one: FLAVORS.one, two: FLAVORS.two }
  const count = { spread: 0, preempted: 0, apart: 0 }
  fc.assert(
    fc.property(quotas, quotas, fc.array(load, { minLength: 2, maxLength: 7 }), fc.boolean(), fc.constantFrom(undefined, 'Preempt' as const), (a, b, loads, fairSharing, whenCanPreempt) => {
      const names = Object.keys(flavors)
      const queueOf = (quota: readonly number[]): Queue => of(Object.fromEntries(names.map((name, i) => [name, { cpu: quota[i] as number }])), { ...rules, ...(whenCanPreempt !== undefined && { flavorFungibility: { whenCanPreempt } }) })
      const options: KueueOptions = { flavors, fairSharing, queues: { a: queueOf(a), b: queueOf(b) } }
      const nodes = names.map((name) => ({ name, count: 1, resources: { cpu: 30 }, labels: { type: name }, ...(name === 'tainted' && { taints: [{ key: 'instance', effect: 'NoSchedule' as const }] }) }))
      const cluster = instantCluster({ nodes })
      const could = dispatcher({ cluster, policy: kueue(options) })
      const jobs = loads.flatMap(({ queue, sets, submit, priority, duration, isNear }, i) => {
        const made = { ...gang(`${queue}_${i}`, sets.map(([tasks, cpu, tolerates]) => [tasks, { cpu }, tolerates]), priority, duration), submit }
        const spec = isNear ? near(made) : made
        try {
          could.submit(spec, 0)
          return [spec]
        } catch {
          return [] // too large
        }
      })
      if (jobs.length === 0) return
      const { recorder } = run({ policy: kueue(options), cluster, jobs })
      const running = names.map(() => 0)
      const asked = (id: string, stage: number) => (jobs.find((each) => each.id === id) as JobSpec).stages[stage]?.demand['cpu'] ?? 0
      const ended = new Map<string, number>()
      const nodesOf = new Map<string, Set<string>>()
      const nowOn = new Map<string, string[]>()
      for (const each of recorder.events) {
        if (each.kind !== 'launch' && each.kind !== 'end') continue
        const cpu = asked(each.job, each.stage)
        const at = names.indexOf(each.node.replace('-0', ''))
        running[at] = (running[at] as number) + (each.kind === 'launch' ? cpu : -cpu)
        if (each.kind === 'end' && each.how === 'done') ended.set(each.job, (ended.get(each.job) ?? 0) + 1)
        if (each.kind === 'end' && each.how === 'evicted') count.preempted++
        const before = nowOn.get(each.job) ?? []
        nowOn.set(each.job, each.kind === 'launch' ? [...before, each.node] : before.filter((_, j) => j !== before.indexOf(each.node)))
        if (jobs.find(({ id }) => id === each.job)?.topology !== undefined && new Set(nowOn.get(each.job)).size > 1) count.apart++
        if (each.kind === 'launch') nodesOf.set(each.job, (nodesOf.get(each.job) ?? new Set<string>()).add(each.node))
        for (const [i, cpus] of running.entries()) expect(cpus).toBeLessThanOrEqual((a[i] as number) + (b[i] as number))
      }
      for (const { id, stages } of jobs) expect([id, ended.get(id)]).toEqual([id, stages.reduce((sum, { tasks }) => sum + tasks, 0)])
      for (const nodes of nodesOf.values()) if (nodes.size > 1) count.spread++
    }),
    { seed: 4, numRuns: 150 },
  )
  expect(Math.min(count.spread, count.preempted)).toBeGreaterThan(30)
  expect(count.apart).toBe(0)
})
