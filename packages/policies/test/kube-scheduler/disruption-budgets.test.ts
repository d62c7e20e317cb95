import { dispatcher } from '@sched/cluster'
import { checkPolicyLaws, instantCluster, job } from '@sched/testkit'
import { kubeScheduler, type KubeSchedulerOptions } from '@sched/policies'
import { describe, expect, it } from 'vitest'

const [medium, large, veryLarge] = [2, 3, 5]
const [low, mid, high, veryHigh] = [0, 100, 1000, 10_000]
type Budgets = NonNullable<KubeSchedulerOptions['disruptionBudgets']>
interface Pod {
  readonly node: number
  readonly priority: number
  readonly size: number
  readonly app?: string
  readonly user?: string
}

/** On nodes of 5 CPUs pods that run, named by node and number (p1.2 is the second on node 1), and others that have no room; then one comes at 10 s, and who goes for it where is told. */
function preempt(nodes: number, running: readonly Pod[], [priority, size]: readonly [number, number], options: KubeSchedulerOptions, waiting: readonly Omit<Pod, 'node'>[] = []) {
  const cluster = instantCluster({ nodes: Array.from({ length: nodes }, (_, i) => ({ name: `n${i + 1}`, count: 1, resources: { cpu: 5 }, labels: { host: `${i + 1}` } })) })
  const master = dispatcher({ cluster, policy: kubeScheduler(options) })
  const submit = (id: string, { priority: own, size: cpu, app, user = 'ns' }: Omit<Pod, 'node'>, now: number, node?: number) => master.submit({
    ...job({ id }), priority: own, user, tags: app === undefined ? {} : { app },
    stages: [{ name: 's', tasks: 1, demand: { cpu }, duration: 99, ...(node !== undefined && { constraints: { require: { host: `${node}` } } }) }],
  }, now)
  const counts = new Map<number, number>()
  for (const [i, pod] of running.entries()) {
    counts.set(pod.node, (counts.get(pod.node) ?? 0) + 1)
    submit(`p${pod.node}.${counts.get(pod.node)}`, pod, i / 10, pod.node)
    expect(master.pass(i / 10).start).toHaveLength(1)
  }
  for (const [i, pod] of waiting.entries()) submit(`w${i}`, pod, 9)
  expect(master.pass(9).start).toEqual([])
  submit('p', { priority, size }, 10)
  const { start, kill } = master.pass(10)
  return [start.find((each) => each.job === 'p')?.node.replace('-0', ''), kill.map((each) => each.job).sort()]
}

const foo = (node: number, priority = mid, size = medium): Pod => ({ node, priority, size, app: 'foo' })
const bar = (node: number, priority = mid, size = medium): Pod => ({ node, priority, size, app: 'bar' })
const keep = (app: string, rest: Partial<Budgets[number]>): Budgets[number] => ({ of: { tags: { app } }, ...rest })
const noneOf = (app: string): Budgets => [keep(app, { maxUnavailable: 0 })]

describe('disruption budgets of kube-scheduler', () => {
  it('forbid nothing: where all must go all do (TestDryRunPreemption, violation of the same budget)', () => {
    expect(preempt(1, [foo(1), foo(1)], [high, veryLarge], { disruptionBudgets: [keep('foo', { minAvailable: 1 })] })).toEqual(['n1', ['p1.1', 'p1.2']])
  })

  it.each([[false], [true]])('expect no tasks that have ended, updated: %s', (isUpdated) => {
    // four of the six tasks of foo have ended and two run, of which one may go; were six expected, none might, and bar would go
    const master = dispatcher({ cluster: instantCluster({ nodes: [{ count: 1, name: 'n', resources: { cpu: 4 } }] }), policy: kubeScheduler({ disruptionBudgets: [keep('foo', { minAvailable: '50%' })] }) })
    master.submit({ ...job({ id: 'foo' }), tags: { app: 'foo' }, stages: [{ name: 's', tasks: 6, demand: { cpu: 1 }, duration: 99 }] }, 0)
    for (const placed of master.pass(0).start) master.taskEnded(placed, 1)
    expect(master.pass(1).start).toHaveLength(2)
    if (isUpdated) master.update('foo', { account: 'lab' }, 2)
    master.submit({ ...job({ id: 'bar' }), priority: mid, stages: [{ name: 's', tasks: 1, demand: { cpu: 2 }, duration: 99 }] }, 2)
    expect(master.pass(2).start).toHaveLength(1)
    master.submit({ ...job({ id: 'high' }), priority: high, stages: [{ name: 's', tasks: 1, demand: { cpu: 1 }, duration: 99 }] }, 3)
    expect(master.pass(3).kill.map((each) => each.job)).toEqual(['foo'])
  })

  it('let those stay who are theirs, and more important ones go for them (SelectVictimsOnNode)', () => {
    const there = [foo(1, low), bar(1, mid)]
    expect(preempt(1, there, [high, large], {})).toEqual(['n1', ['p1.1']])
    expect(preempt(1, there, [high, large], { disruptionBudgets: noneOf('foo') })).toEqual(['n1', ['p1.2']])
    expect(preempt(1, there, [high, large], { disruptionBudgets: [...noneOf('foo'), ...noneOf('bar')] })).toEqual(['n1', ['p1.1']])
  })

  it('allow so many of the first to go, those most important first', () => {
    // of two one may go: the more important one, since the other is beyond the budget and is tried first
    expect(preempt(1, [foo(1, mid, 2), foo(1, mid, 2)], [high, large], { disruptionBudgets: [keep('foo', { maxUnavailable: 1 })] })).toEqual(['n1', ['p1.1']])
    expect(preempt(1, [foo(1, mid, 2), foo(1, mid, 2)], [high, large], { disruptionBudgets: [keep('foo', { maxUnavailable: 2 })] })).toEqual(['n1', ['p1.2']])
  })

  it('are looked past as many candidates as are enough (TestDryRunPreemption, looks past numCandidates)', () => {
    const there = [foo(1, mid, large), foo(2, mid, large), bar(3, mid, large), bar(4, mid, large), foo(5, mid, large)]
    const few = { minCandidateNodesPercentage: 40, minCandidateNodesAbsolute: 2 }
    const taken = (options: KubeSchedulerOptions) => preempt(5, there, [high, large], { ...few, ...options })[0]
    expect(['n3', 'n4']).toContain(taken({ disruptionBudgets: noneOf('foo') }))
    expect(['n1', 'n2', 'n5']).toContain(taken({ disruptionBudgets: noneOf('bar') }))
  })

  it('come before priorities where a node is chosen, the fewest that are not kept first (pickOneNodeForPreemption)', () => {
    const there = [foo(1, low, large), bar(2, mid, medium), bar(2, mid, medium)]
    expect(preempt(2, there, [high, veryLarge], {})[0]).toBe('n1')
    expect(preempt(2, there, [high, veryLarge], { disruptionBudgets: noneOf('foo') })[0]).toBe('n2')
    expect(preempt(2, there, [high, veryLarge], { disruptionBudgets: [...noneOf('foo'), ...noneOf('bar')] })[0]).toBe('n1')
    expect(preempt(2, there, [high, veryLarge], { disruptionBudgets: [...noneOf('foo'), keep('bar', { maxUnavailable: 1 })] })[0]).toBe('n1')
  })

  it('and of as many the lowest highest priority decides (TestPostFilter, schedulable on minHighestPriority node)', () => {
    const there = [bar(1, high, 2), foo(1, low, 2), foo(2, mid, veryLarge)]
    expect(preempt(2, there, [veryHigh, veryLarge], { disruptionBudgets: [keep('foo', { minAvailable: '100%' }), keep('bar', { minAvailable: 0 })] })).toEqual(['n2', ['p2.1']])
  })

  it('count by what runs and what has not ended, percentages rounded up', () => {
    // two run and one waits: of three one may be missing, and is; half of three is two
    const waiting = { priority: low, size: veryLarge, app: 'foo' }
    const taken = (budget: Partial<Budgets[number]>, alsoWaits: boolean) =>
      preempt(2, [foo(1, low), foo(1, low), bar(2, mid, large)], [high, large], { disruptionBudgets: [keep('foo', budget)] }, alsoWaits ? [waiting] : [])[0]
    expect([taken({ maxUnavailable: 1 }, false), taken({ maxUnavailable: 1 }, true)]).toEqual(['n1', 'n2'])
    expect([taken({ minAvailable: '50%' }, false), taken({ minAvailable: '50%' }, true)]).toEqual(['n1', 'n2'])
    expect([taken({ maxUnavailable: '1%' }, false), taken({ minAvailable: 1 }, true), taken({ minAvailable: 2 }, false)]).toEqual(['n1', 'n1', 'n2'])
  })

  it('are of the users that they name', () => {
    const taken = (user: string) => preempt(2, [{ ...foo(1, low, large), user: 'a' }, bar(2, mid, large)], [high, large], { disruptionBudgets: [{ of: { users: [user] }, maxUnavailable: 0 }] })[0]
    expect([taken('a'), taken('b')]).toEqual(['n2', 'n1'])
  })

  it('count anew when something has ended, or has been taken out', () => {
    const master = dispatcher({ cluster: instantCluster({ nodes: [{ count: 3, resources: { cpu: 1 } }] }), policy: kubeScheduler({ disruptionBudgets: [keep('foo', { maxUnavailable: '50%' })] }) })
    const come = (id: string, priority: number, now: number, app = 'foo') => {
      master.submit({ ...job({ id, priority, demand: { cpu: 1 } }), tags: { app } }, now)
      return master.pass(now)
    }
    const [a] = come('a', 0, 0).start
    come('b', 0, 1)
    come('c', 1, 2, 'bar')
    master.taskEnded(a!, 3)
    come('d', 0, 3)
    master.cancel('d', 4)
    // b alone is left, of which half, rounded up, may go
    expect(come('e', 9, 5, 'bar').start).toHaveLength(1)
    expect(come('f', 9, 6, 'bar').kill.map((each) => each.job)).toEqual(['b'])
  })

  it('let gangs stay that are theirs where a gang preempts', () => {
    const master = dispatcher({ cluster: instantCluster({ nodes: [{ count: 1, resources: { cpu: 4 } }] }), policy: kubeScheduler({ workloadAwarePreemption: true, disruptionBudgets: noneOf('foo') }) })
    for (const [now, [id, priority, app]] of ([['a', 0, 'foo'], ['b', 1, 'bar']] as const).entries()) {
      master.submit({ ...job({ id, priority, tasks: 2, gang: true, demand: { cpu: 1 } }), tags: { app } }, now)
      expect(master.pass(now).start).toHaveLength(2)
    }
    master.submit(job({ id: 'c', priority: 9, tasks: 2, gang: true, demand: { cpu: 1 } }), 5)
    expect(master.pass(5).kill.map((each) => each.job)).toEqual(['b', 'b'])
  })

  it('have one of two amounts', () => {
    const bad = (budget: object) => () => kubeScheduler({ disruptionBudgets: [budget as Budgets[number]] })
    expect(bad({ of: {} })).toThrow('either `minAvailable` or `maxUnavailable`')
    expect(bad({ of: {}, minAvailable: 1, maxUnavailable: 1 })).toThrow('either `minAvailable` or `maxUnavailable`')
    expect(bad({ of: {}, minAvailable: 'half' })).toThrow('a percentage such as "50%"')
  })

  it('keep the laws of policies', { tags: 'long' }, () => {
    const budgets: Budgets = [{ of: {}, maxUnavailable: '30%' }]
    expect(checkPolicyLaws(() => kubeScheduler({ disruptionBudgets: budgets }), { runs: 20, seed: 5, worlds: { gangs: true, outages: true, failures: true } }).evictions).toBeGreaterThan(5)
  })
})
