// @module-tag long
import { dispatcher, type Placed } from '@sched/cluster'
import type { LaneId, PlacementRule, ResourceId } from '@sched/core'
import { kubeScheduler, type KubeSchedulerOptions } from '@sched/policies'
import { instantCluster, job } from '@sched/testkit'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { weighted } from '../../src/index.js'
import { mayBePlain, type PlainRun } from './plain-rules.js'

const [low, mid, high] = [0, 100, 1000]
interface Pod {
  readonly node?: number
  readonly priority?: number
  readonly size?: number
  readonly tags?: Readonly<Record<string, string>>
  readonly rules?: readonly PlacementRule[]
}
const foo = { foo: '' }
const exists = { matchExpressions: [{ key: 'foo', operator: 'Exists' as const }] }
const apart = (over: string): PlacementRule => ({ kind: 'antiAffinity', of: exists, over })
const even = (over: string): PlacementRule => ({ kind: 'spread', of: exists, over, maxSkew: 1 })

/** On nodes of 5 CPUs in these zones pods that run, one after the other from 0 s on, of which p1.2 is the second on node 1; then one comes at 100 s, and who goes for it where is told. */
function preempt(zones: readonly string[], running: readonly Pod[], pod: Pod, options: KubeSchedulerOptions = {}, gang = 0) {
  const cluster = instantCluster({ nodes: zones.map((zone, i) => ({ name: `n${i + 1}`, count: 1, resources: { cpu: 5 }, labels: { zone, host: `${i + 1}` } })) })
  const master = dispatcher({ cluster, policy: kubeScheduler(options, weighted({ scores: { 'least-allocated': 1 } })) })
  const submit = (id: string, { node, priority = low, size = 1, tags = {}, rules = [] }: Pod, now: number) => master.submit({
    ...job({ id }), priority, tags, placementRules: rules,
    stages: [{ name: 's', tasks: Math.max(1, gang), ...(gang > 0 && { gang: true }), demand: { cpu: size }, duration: 999, ...(node !== undefined && { constraints: { require: { host: `${node}` } } }) }],
  }, now)
  const counts = new Map<number, number>()
  const many = gang
  gang = 0
  for (const [now, each] of running.entries()) {
    const node = each.node as number
    counts.set(node, (counts.get(node) ?? 0) + 1)
    submit(`p${node}.${counts.get(node)}`, each, now)
    expect(master.pass(now).start).toHaveLength(1)
  }
  gang = many
  submit('p', pod, 100)
  const { start, kill } = master.pass(100)
  return [start.filter((each) => each.job === 'p').map(({ node }) => node.replace('-0', '')).sort().join(' '), kill.map((each) => each.job).sort()]
}

describe('kube-scheduler preempts for rules among tasks', () => {
  it('a pod that keeps it off by an anti-affinity of its own (TestDryRunPreemption, pod with anti-affinity is preempted)', () => {
    const there: Pod[] = [{ node: 1, tags: foo, rules: [apart('node')] }, { node: 1, priority: mid }, { node: 1, priority: high }, { node: 2, priority: high, size: 5 }]
    expect(preempt(['a', 'a'], there, { priority: high, tags: foo })).toEqual(['n1', ['p1.1']])
    expect(preempt(['a', 'a'], there, { priority: low, tags: foo })).toEqual(['', []]) // nobody is of lower priority
    expect(preempt(['a', 'a'], there, { priority: high })).toEqual(['n1', []]) // and nothing keeps off who is not meant
  })

  it('one where there are too many for it to be spread evenly (TestDryRunPreemption, pod topology spread filter failure)', () => {
    const on = (node: number, priority: number): Pod => ({ node, priority, tags: foo })
    const zones = ['1', '1', '2']
    const p: Pod = { priority: high, tags: foo, rules: [even('zone'), even('host')] }
    const there = [on(1, mid), on(1, low), on(2, low), on(3, high), on(3, high)]
    expect(preempt(zones, there, p)).toEqual(['n2', ['p2.1']]) // of equal nodes the one where who goes has started last
    expect(preempt(zones, [on(2, low), on(1, mid), on(1, low), on(3, high), on(3, high)], p)).toEqual(['n1', ['p1.2']])
  })

  it('those from whom it wants to be apart itself, and no others', () => {
    const there: Pod[] = [{ node: 1 }, { node: 1, tags: foo, priority: mid }, { node: 1 }, { node: 1, tags: foo }]
    const p: Pod = { node: 1, priority: high, rules: [apart('node')] }
    expect(preempt(['a', 'a'], there, p)).toEqual(['n1', ['p1.2', 'p1.4']])
    expect(preempt(['a', 'a'], there, { ...p, priority: mid })).toEqual(['', []])
  })

  it('as many as there must be fewer, the least important', () => {
    const there: Pod[] = [{ node: 1, tags: foo, priority: 5 }, { node: 1, tags: foo, priority: 1 }, { node: 1, tags: foo, priority: 3 }]
    expect(preempt(['a', 'a'], there, { node: 1, priority: high, rules: [{ kind: 'cardinality', of: exists, over: 'node', max: 1 }] })).toEqual(['n1', ['p1.2', 'p1.3']])
  })

  it('for room, too, but not whom it must be near', () => {
    const near: PlacementRule = { kind: 'affinity', of: exists, over: 'node' }
    const there = (priority: number): Pod[] => [{ node: 1, tags: foo, size: 3, priority }, { node: 1, priority: mid, size: 2 }, { node: 2, priority: low, size: 5 }]
    expect(preempt(['a', 'a'], there(high), { priority: high, size: 2, rules: [near] })).toEqual(['n1', ['p1.2']])
    // whom it must be near is looked past where he might go (SelectVictimsOnNode)
    expect(preempt(['a', 'a'], there(low), { priority: high, size: 2, rules: [near] })).toEqual(['', []])
    // unless it may be the first of them
    expect(preempt(['a', 'a'], there(low), { priority: high, size: 4, tags: foo, rules: [near] })).toEqual(['n1', ['p1.1', 'p1.2']])
  })

  it('on the node on which it is then, although another of its zone may be better', () => {
    const there: Pod[] = [{ node: 1, tags: foo, size: 2 }, { node: 3, tags: foo, priority: high }]
    expect(preempt(['a', 'a', 'b'], there, { priority: high, rules: [apart('zone')] })).toEqual(['n1', ['p1.1']])
  })

  it('of nodes the one whose disruption budgets allow it', () => {
    const there: Pod[] = [{ node: 1, tags: { ...foo, app: 'web' } }, { node: 2, tags: foo, priority: mid }]
    const p: Pod = { priority: high, rules: [apart('node')] }
    expect(preempt(['a', 'a'], there, p)).toEqual(['n1', ['p1.1']])
    expect(preempt(['a', 'a'], there, p, { disruptionBudgets: [{ of: { tags: { app: 'web' } }, maxUnavailable: 0 }] })).toEqual(['n2', ['p2.1']])
  })

  it.each([false, true])('for all tasks of a gang (workloadAwarePreemption: %s), and lets those stay with whom it may be', (workloadAwarePreemption) => {
    const there: Pod[] = [{ node: 1, tags: foo }, { node: 1 }, { node: 2 }, { node: 2, tags: foo }, { node: 3, priority: high, size: 5 }]
    expect(preempt(['a', 'a', 'a'], there, { priority: high, rules: [apart('node'), { kind: 'antiAffinity', of: { job: 'own' }, over: 'node' }] }, { workloadAwarePreemption }, 2)).toEqual(['n1 n2', ['p1.1', 'p2.2']])
  })

  it.each([false, true])('for a gang whom its tasks avoid though both would have room, and spares whom they need not (TestPodGroupPreemption; workloadAwarePreemption: %s)', (workloadAwarePreemption) => {
    const gang = (there: readonly Pod[], p: Pod) => preempt(['a', 'a'], there, { priority: high, ...p }, { workloadAwarePreemption }, 2)
    const initial: Pod = { node: 1, tags: foo, priority: 10 }
    expect(gang([initial], { size: 4, rules: [apart('node')] })).toEqual(['n1 n2', ['p1.1']])
    // with so few nodes that the fewest on one count as none, two at most on each
    const few: PlacementRule = { kind: 'spread', of: exists, over: 'node', maxSkew: 2, minDomains: 10 }
    expect(gang([initial], { node: 1, tags: foo, rules: [few] })).toEqual(['n1 n1', ['p1.1']])
    expect(gang([initial, { node: 2, tags: foo, priority: 5 }], { node: 1, tags: foo, rules: [few] })).toEqual(['n1 n1', ['p1.1']])
  })

  it('those whom it avoids and those who avoid it, or nobody if one of them may not go (TestPreemption)', () => {
    const there = (priority: number): Pod[] => [{ node: 1, tags: foo, priority: mid }, { node: 1, priority, rules: [{ kind: 'antiAffinity', of: { tags: { pod: 'p' } }, over: 'node' }] }]
    const p: Pod = { node: 1, priority: high, tags: { pod: 'p' }, rules: [apart('node')] }
    expect(preempt(['a', 'a'], there(low), p)).toEqual(['n1', ['p1.1', 'p1.2']])
    expect(preempt(['a', 'a'], there(high), p)).toEqual(['', []])
  })
})

const value = fc.constantFrom('x', 'y')
const among = { of: fc.record({ tags: fc.record({ app: value }), job: fc.constantFrom('own' as const, 'other' as const) }, { requiredKeys: [] }), over: fc.constantFrom('node', 'zone') }
const rule: fc.Arbitrary<PlacementRule> = fc.oneof(
  fc.record({ kind: fc.constantFrom('affinity' as const, ...Array.from({ length: 4 }, () => 'antiAffinity' as const)), ...among }),
  fc.record({ kind: fc.constant('cardinality' as const), ...among, min: fc.constantFrom(0, 0, 1), max: fc.constantFrom(1, 2) }),
  fc.record({ kind: fc.constant('spread' as const), ...among, maxSkew: fc.constantFrom(1, 2) }),
)
const draft = fc.record({
  priority: fc.integer({ min: 0, max: 3 }), tasks: fc.constantFrom(1, 1, 1, 2), cpu: fc.integer({ min: 1, max: 2 }), app: value,
  rules: fc.array(rule, { maxLength: 2 }), ends: fc.constantFrom(0, 0, 0, 1),
})
const zones = ['a', 'b', 'a']
const groupOf = (over: string, node: number): string | undefined => (over === 'node' ? String(node) : zones[node])

describe('a job waits under kube-scheduler', () => {
  it('only where no node would have it if all of lower priority went from there, and nobody goes who might have stayed', () => {
    let [forRules, single] = [0, 0]
    fc.assert(
      fc.property(fc.array(draft, { minLength: 8, maxLength: 14 }), (drafts) => {
        const cluster = instantCluster({ nodes: zones.map((zone, i) => ({ count: 1, names: [`n${i}`], resources: { cpu: 4 }, labels: { zone } })) })
        const master = dispatcher({ cluster, policy: kubeScheduler({}, weighted({ scores: { 'most-allocated': 1 } })) })
        const { work } = master
        type Run = PlainRun & { readonly id: number; readonly cpu: number; readonly priority: number; readonly since: number }
        const plain = (id: string) => {
          const { app, rules, cpu, priority } = drafts[Number(id)] as (typeof drafts)[number]
          return { job: id, user: 'ann', tags: { app }, rules, cpu, priority }
        }
        const runOf = ({ id, job: of, node }: Placed, since: number): Run => ({ ...plain(of), id, node: Number(node.slice(1)), since })
        const freeBeside = (node: number, runs: readonly Run[]) => runs.filter((each) => each.node === node).reduce((free, { cpu }) => free - cpu, 4)
        let running: Run[] = []
        for (const [now, { priority, tasks, cpu, app, rules, ends }] of drafts.entries()) {
          for (const ended of running.splice(0, ends)) master.taskEnded({ id: ended.id }, now)
          master.submit({ ...job({ id: `${now}`, priority, tasks, demand: { cpu } }), user: 'ann', tags: { app }, placementRules: rules }, now)
          let time = now
          do {
            const { start, kill } = master.pass(time)
            const gone = running.filter(({ id }) => kill.some((taken) => taken.id === id))
            running = running.filter((each) => !gone.includes(each))
            const [first] = start
            if (start.length === 1 && first !== undefined) {
              const one = runOf(first, time)
              for (const each of gone) {
                const hasRoom = freeBeside(one.node, running) - each.cpu >= one.cpu
                expect([each.node, each.priority < one.priority, hasRoom && mayBePlain(one, one.node, zones.length, [...running, each], groupOf)]).toEqual([one.node, true, false])
                single++
                if (hasRoom) forRules++
              }
            }
            for (const placed of start) running.push(runOf(placed, time))
            time = master.nextWake
          } while (time < now + 0.5)
          for (const waiting of work.jobs().filter((each) => work.unplaced(each, 0 as LaneId) > 0)) {
            const one = plain(work.name(waiting))
            for (const node of zones.keys()) {
              const rest = running.filter((each) => each.node !== node || each.priority >= one.priority)
              expect(freeBeside(node, rest) >= one.cpu && mayBePlain(one, node, zones.length, rest, groupOf), `${one.job} on ${node} at ${now}`).toBe(false)
            }
          }
          expect(zones.map((_, node) => master.cell.free(node as never, 0 as ResourceId))).toEqual(zones.map((_, node) => freeBeside(node, running)))
        }
      }),
      { numRuns: 300, seed: 8 },
    )
    expect(single).toBeGreaterThan(100)
    expect(forRules).toBeGreaterThan(40)
  })
})
