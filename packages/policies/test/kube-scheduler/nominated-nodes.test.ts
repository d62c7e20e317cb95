import { dispatcher, type DispatcherMemory, type Placed } from '@sched/cluster'
import { kubeScheduler, type KubeSchedulerOptions } from '@sched/policies'
import { checkPolicyLaws, instantCluster, job, run, type JobChange } from '@sched/testkit'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { PodByPod } from './pod-by-pod.js'

/** Priorities as kube-scheduler's own tests have them. */
const [low, medium, high] = [0, 100, 1000]
const GRACE = 30
const NOMINATED = 'no room on its nominated node'

/** Nodes n0, n1, ... with so many CPUs each, and preempted tasks that run on for 30 s. */
function world(nodes: readonly number[], options: KubeSchedulerOptions = {}) {
  const begin = () => dispatcher({
    cluster: instantCluster({ nodes: nodes.map((cpu, i) => ({ name: `n${i}`, count: 1, resources: { cpu }, labels: { host: `n${i}` } })) }),
    policy: kubeScheduler({ terminationGracePeriodSeconds: GRACE, ...options }),
    explained: true,
  })
  const master = begin()
  const running = new Map<string, Placed>()
  const pass = (now: number) => {
    const { start, kill } = master.pass(now)
    for (const each of kill) running.delete(`${each.job}.${each.task}`)
    for (const each of start) running.set(`${each.job}.${each.task}`, each)
    return [...kill.map((each) => `kill ${each.job}.${each.task}`), ...start.map((each) => `${each.job}.${each.task} on ${each.node.replace('-0', '')}`)]
  }
  return {
    master, begin, pass,
    /** A job comes, and what is decided then. */
    come(now: number, id: string, priority: number, cpu: number, change: JobChange = {}) {
      master.submit(job({ id, priority, demand: { cpu }, ...change }), now)
      return pass(now)
    },
    /** A job that must run on one node. */
    on(now: number, node: string, id: string, priority: number, cpu: number) {
      master.submit({ ...job({ id, priority }), stages: [{ name: 's', tasks: 1, demand: { cpu }, duration: 99, constraints: { require: { host: node } } }] }, now)
      return pass(now)
    },
    end(now: number, name: string) {
      master.taskEnded(running.get(name) as Placed, now)
      return pass(now)
    },
    /** A node goes, with a task of it. */
    fail(now: number, node: string, name: string) {
      master.nodeDown(node, now)
      master.taskFailed(running.get(name) as Placed, now)
    },
    why(id: string) {
      const wait = master.explain(id)
      return wait && [wait.reason, ...(wait.limit === undefined ? [] : [wait.limit])].join(' ')
    },
  }
}

describe('nominated nodes of kube-scheduler', () => {
  it('come free when each task has had the grace time of its own job, 30 s where it says none', () => {
    const { come, pass } = world([2, 2, 2], { terminationGracePeriodSeconds: 'own' })
    come(0, 'quick', low, 2, { gracePeriod: 5 })
    come(0, 'usual', low, 2)
    come(0, 'none', low, 2, { gracePeriod: 0 })
    expect(come(1, 'high', high, 2, { tasks: 3 })).toEqual([])
    expect([1.001, 5.999, 6, 30.999, 31].map(pass)).toEqual([['kill none.0', 'high.0 on n2'], [], ['kill quick.0', 'high.1 on n0'], [], ['kill usual.0', 'high.2 on n1']])
  })

  it('come free after the time that the option gives, whatever jobs say', () => {
    const { come, pass } = world([2])
    come(0, 'quick', low, 2, { gracePeriod: 5 })
    expect(come(1, 'high', high, 2)).toEqual([])
    expect([6, 30, 31].map(pass)).toEqual([[], [], ['kill quick.0', 'high.0 on n0']])
  })

  it('are taken when those who must go have had their grace time, and their places are kept until then', () => {
    const { come, pass, why, master } = world([4])
    come(0, 'old', low, 1, { tasks: 4 })
    expect(come(1, 'high', high, 2)).toEqual([])
    expect([why('high'), master.nextWake]).toEqual([NOMINATED, 1 + GRACE])
    expect(pass(1 + GRACE)).toEqual(['kill old.2', 'kill old.3', 'high.0 on n0'])
  })

  it('are taken before, if those who must go end of themselves, who then do not run anew', () => {
    const { come, end, pass } = world([2])
    come(0, 'a', low, 1)
    come(0, 'b', low, 1)
    come(1, 'high', high, 2)
    expect(end(5, 'a.0')).toEqual([])
    expect(end(6, 'b.0')).toEqual(['high.0 on n0'])
    expect(pass(1 + GRACE)).toEqual([])
  })

  it('are lost to a more important pod that preempts there (TestNominatedNodeCleanUp, followed by a high-priority pod with another preemption)', () => {
    const { come, pass, why } = world([5])
    come(0, 'low', low, 1, { tasks: 4 })
    expect([come(1, 'medium', medium, 4), why('medium')]).toEqual([[], NOMINATED])
    expect([come(2, 'high', high, 3), why('high'), why('medium')]).toEqual([[], NOMINATED, 'no room'])
    // two were enough for high: of 5 CPUs one was free
    expect(pass(1 + GRACE)).toEqual(['kill low.1', 'kill low.2', 'kill low.3', 'high.0 on n0'])
    expect([pass(1 + GRACE + 0.001), why('medium')]).toEqual([['low.1 on n0'], 'no room'])
  })

  it('are lost to a more important pod that has room there (without additional preemption)', () => {
    const { come, end, why } = world([2])
    come(0, 'low', low, 1)
    expect([come(1, 'medium', medium, 2), why('medium')]).toEqual([[], NOMINATED])
    expect([come(2, 'high', high, 1), why('medium')]).toEqual([['high.0 on n0'], NOMINATED])
    expect([end(3, 'low.0'), why('medium')]).toEqual([[], 'no room'])
  })

  it('are lost when the node goes (followed by a node deletion), and the pod may preempt elsewhere (TestPodEligibleToPreemptOthers, Pod with nominated node)', () => {
    const { come, on, pass, why, fail } = world([1, 1])
    on(0, 'n0', 'a', low, 1)
    on(0, 'n1', 'b', medium, 1)
    come(1, 'high', high, 1)
    expect(why('high')).toBe(NOMINATED)
    fail(2, 'n0-0', 'a.0')
    expect([pass(2), why('high')]).toEqual([[], NOMINATED])
    expect(pass(2 + GRACE)).toEqual(['kill b.0', 'high.0 on n1'])
  })

  it('are lost when the node takes no pods any more, though those who must go still run there', () => {
    const { on, come, pass, why, master } = world([1, 1])
    on(0, 'n0', 'a', low, 1)
    on(0, 'n1', 'b', medium, 1)
    come(1, 'high', high, 1)
    master.nodeDown('n0-0', 2)
    expect([pass(2), why('high')]).toEqual([[], NOMINATED])
    expect([pass(1 + GRACE), pass(2 + GRACE)]).toEqual([['kill a.0'], ['kill b.0', 'high.0 on n1']])
  })

  it('are waited for: nobody else is preempted meanwhile (TestPodEligibleToPreemptOthers, preemption victim pod terminating)', () => {
    const { come, on, pass } = world([2, 2])
    on(0, 'n0', 'a', low, 2)
    on(0, 'n1', 'b', medium, 2)
    come(1, 'high', high, 2)
    expect([pass(10), come(11, 'other', low, 2), pass(12)]).toEqual([[], [], []])
    expect(pass(1 + GRACE)).toEqual(['kill a.0', 'high.0 on n0'])
    expect(pass(2 + GRACE)).toEqual([])
  })

  it('are taken before other nodes (TestPreferNominatedNode, nominated node released all resource)', () => {
    const { come, on, end } = world([4, 4])
    on(0, 'n0', 'busy', high, 4)
    on(0, 'n1', 'old', low, 4)
    come(1, 'pod', high, 4)
    expect(end(1 + GRACE, 'busy.0')).toEqual(['kill old.0', 'pod.0 on n1'])
  })

  it('are left for another one that has room before, and those who were to go go all the same (TestPreferNominatedNode, cannot pass all the filters)', () => {
    const { on, come, end, pass, why } = world([4, 4])
    on(0, 'n0', 'old', low, 4)
    on(0, 'n1', 'busy', high, 4)
    come(1, 'pod', high, 4)
    expect([end(5, 'busy.0'), why('pod')]).toEqual([['pod.0 on n1'], undefined])
    expect(pass(1 + GRACE)).toEqual(['kill old.0'])
    expect(pass(1 + GRACE)).toEqual(['old.0 on n0'])
  })

  it('count for those of the same and of lower priority alone (RunFilterPluginsWithNominatedPods)', () => {
    const nominated = () => {
      const at = world([4])
      at.come(0, 'old', low, 3)
      expect(at.come(1, 'pod', medium, 4)).toEqual([])
      return at
    }
    const others = ([['lower', low], ['equal', medium], ['higher', high]] as const).map(([id, priority]) => {
      const at = nominated()
      return [id, at.come(2, id, priority, 1), at.why(id)]
    })
    expect(others).toEqual([
      ['lower', [], 'reservation of a nominated node'],
      ['equal', [], 'reservation of a nominated node'],
      ['higher', ['higher.0 on n0'], undefined],
    ])
  })

  it('count for further pods that preempt there: each takes others, and pods of one priority wait for each other', () => {
    const { come, pass } = world([4])
    come(0, 'old', low, 1, { tasks: 4 })
    come(1, 'a', high, 1)
    come(2, 'b', high, 2)
    // the CPU that is free now is one of those nominated to b, for what counts for a
    expect(pass(1 + GRACE)).toEqual(['kill old.3'])
    expect(pass(2 + GRACE)).toEqual(['kill old.1', 'kill old.2', 'a.0 on n0', 'b.0 on n0'])
  })

  it('are as many as tasks of a job wait', () => {
    const { come, pass, why } = world([2, 2])
    come(0, 'old', low, 1, { tasks: 4 })
    come(1, 'high', high, 1, { tasks: 3 })
    expect(why('high')).toBe(NOMINATED)
    expect(pass(1 + GRACE).filter((line) => line.startsWith('kill'))).toHaveLength(3)
  })

  it('are given up by one task after the other where others take the room, and each starts or preempts again', () => {
    const { come, on, pass } = world([2, 1])
    come(0, 'old', low, 1, { tasks: 2 })
    on(0, 'n1', 'later', 1, 1)
    expect(come(1, 'job', medium, 1, { tasks: 2 })).toEqual([])
    expect(come(1 + GRACE, 'high', high, 1)).toEqual(['kill old.1', 'kill old.0', 'high.0 on n0', 'job.0 on n0'])
    expect(pass(1 + 2 * GRACE)).toEqual(['kill later.0', 'job.1 on n1'])
  })

  it.each([false, true])('are those of all tasks of a gang, which starts when all have room: %s', (workloadAwarePreemption) => {
    const { come, end, pass, why } = world([2, 2], { workloadAwarePreemption })
    come(0, 'old', low, 1, { tasks: 4 })
    expect([come(1, 'gang', high, 2, { tasks: 2, gang: true }), why('gang')]).toEqual([[], NOMINATED])
    expect(end(5, 'old.0')).toEqual([])
    expect(pass(1 + GRACE).sort()).toEqual(['gang.0 on n0', 'gang.1 on n1', 'kill old.1', 'kill old.2', 'kill old.3'])
  })

  it('are given up where nobody may be preempted any more, so that others get the room', () => {
    // medium is nominated; high takes the place; then nothing of lower priority runs
    const { come, end, why } = world([2])
    come(0, 'old', low, 2)
    come(1, 'medium', medium, 2)
    come(2, 'small', low, 1)
    come(3, 'high', high, 1)
    expect(why('small')).toBe('no room')
    expect(end(4, 'old.0')).toEqual(['high.0 on n0', 'small.0 on n0'])
  })

  it('belong to jobs: a job that is cancelled leaves them, and who was to go for it goes', () => {
    const { come, pass, master } = world([2])
    come(0, 'old', low, 1)
    come(1, 'high', high, 2)
    master.cancel('high', 2)
    expect(come(3, 'small', low, 1)).toEqual(['small.0 on n0'])
    expect(pass(1 + GRACE)).toEqual(['kill old.0'])
  })

  it('and grace times are kept when a job is updated, and by a successor', () => {
    const { master, begin, come, pass } = world([2])
    come(0, 'old', low, 2)
    come(1, 'high', high, 2)
    master.update('old', { account: 'lab' }, 2)
    master.update('high', { account: 'lab' }, 2)
    const memory = JSON.parse(JSON.stringify(master.memory())) as DispatcherMemory
    const next = begin()
    next.submit(job({ id: 'old', priority: low, demand: { cpu: 2 } }), 0, { again: true })
    next.adopt({ job: 'old', stage: 0, task: 0, node: 'n0-0' }, 0)
    next.submit(job({ id: 'high', priority: high, demand: { cpu: 2 } }), 1, { again: true })
    next.recall(memory)
    next.pass(3)
    expect(next.explain('high')).toEqual({ tasks: 1, reason: 'no room', limit: 'on its nominated node' })
    expect(next.pass(1 + GRACE).kill.map((each) => each.job)).toEqual(['old'])
    expect(pass(1 + GRACE)).toEqual(['kill old.0', 'high.0 on n0'])
  })

  it('make those about to leave count as unhealthy for disruption budgets', () => {
    const { master, pass, on, come, end } = world([1, 1, 1], { disruptionBudgets: [{ of: { tags: { app: 'foo' } }, maxUnavailable: 1 }] })
    master.submit({ ...job({ id: 'foo', priority: low, tasks: 2, demand: { cpu: 1 } }), tags: { app: 'foo' } }, 0)
    pass(0)
    on(0, 'n2', 'bar', medium, 1)
    come(1, 'first', high, 1)
    come(2, 'second', high, 1)
    expect(pass(1 + GRACE)).toEqual(['kill foo.0', 'first.0 on n0'])
    // of two foo one may be missing, and one is: bar goes, though it is more important
    expect(pass(2 + GRACE)).toEqual(['kill bar.0', 'second.0 on n2'])
    // when it runs again both are healthy, and one may go
    expect([end(70, 'first.0'), end(71, 'second.0'), come(80, 'third', high, 1)]).toEqual([['foo.0 on n0'], ['bar.0 on n2'], []])
    expect(pass(80 + GRACE)).toEqual(['kill foo.0', 'third.0 on n0'])
  })

  it('have no effect where preempted tasks are gone at once, which is the default', () => {
    const { come, why } = world([2], { terminationGracePeriodSeconds: 0 })
    come(0, 'old', low, 2)
    expect([come(1, 'high', high, 1), why('high')]).toEqual([['kill old.0', 'high.0 on n0'], undefined])
  })

  it('hold in simulations, where the grace time of a task is work that is lost, unless it ends in it', () => {
    const starts = (terminationGracePeriodSeconds: number, duration: number) => {
      const { recorder } = run({
        cluster: instantCluster({ nodes: [{ name: 'n', count: 1, resources: { cpu: 1 } }] }), policy: kubeScheduler({ terminationGracePeriodSeconds }),
        jobs: [job({ id: 'old', demand: { cpu: 1 }, duration }), job({ id: 'high', submit: 10, priority: high, demand: { cpu: 1 }, duration: 5 })],
      })
      return recorder.launches.map(({ time, job: id }) => `${time} ${id}`)
    }
    expect(starts(0, 100)).toEqual(['0 old', '10 high', '15 old'])
    expect(starts(30, 100)).toEqual(['0 old', '40 high', '45 old'])
    expect(starts(30, 25)).toEqual(['0 old', '25 high'])
  })

  const pods = fc.array(
    fc.record({ priority: fc.integer({ min: 0, max: 3 }), cpu: fc.integer({ min: 1, max: 4 }), gb: fc.integer({ min: 0, max: 4 }), ends: fc.integer({ min: 0, max: 1 }), which: fc.nat({ max: 9 }) }),
    { minLength: 10, maxLength: 30, size: 'max' },
  )
  it.each([1.5, 3, 8.25])('are those that a scheduler finds which looks at every pod and node anew, with a grace time of %d s', { tags: 'long' }, (grace) => {
    const sizes = [[4, 5], [6, 5], [3, 5]] as const
    let [kills, nominated] = [0, 0]
    fc.assert(
      fc.property(pods, (drafts) => {
        const master = dispatcher({ cluster: instantCluster({ nodes: sizes.map(([cpu, gb], i) => ({ name: `${i}`, count: 1, resources: { cpu, gb } })) }), policy: kubeScheduler({ terminationGracePeriodSeconds: grace }) })
        const reference = new PodByPod(sizes, grace)
        const running = new Map<string, Placed>()
        const sweep = (now: number) => {
          const { start, kill } = master.pass(now)
          const expected = reference.sweep(now)
          expect({ now, kill: kill.map((each) => each.job).sort(), start: start.map((each) => `${each.job} on ${each.node.replace('-0', '')}`) }).toEqual({ now, kill: expected.kill.sort(), start: expected.start })
          for (const each of kill) running.delete(each.job)
          for (const each of start) running.set(each.job, each)
          kills += kill.length
          nominated += reference.pods.filter((pod) => pod.nominated !== undefined).length
        }
        for (const [now, { priority, cpu, gb, ends, which }] of drafts.entries()) {
          while (master.nextWake < now) sweep(master.nextWake)
          for (const placed of [...running.values()].slice(which % Math.max(running.size, 1)).slice(0, ends)) {
            running.delete(placed.job)
            reference.pods.splice(reference.pods.findIndex((pod) => pod.id === placed.job), 1)
            master.taskEnded(placed, now)
          }
          reference.pods.push({ id: `${now}`, priority, asks: [cpu, gb], rank: now })
          master.submit(job({ id: `${now}`, priority, demand: { cpu, gb } }), now)
          sweep(now)
        }
      }),
      { numRuns: 400, seed: 8 },
    )
    expect(kills).toBeGreaterThan(100)
    expect(nominated).toBeGreaterThan(300)
  })

  it.each<[string, KubeSchedulerOptions]>([
    ['alone', { terminationGracePeriodSeconds: 7 }],
    ['with gangs that preempt as one', { terminationGracePeriodSeconds: 7, workloadAwarePreemption: true }],
    ['with disruption budgets', { terminationGracePeriodSeconds: 3, disruptionBudgets: [{ of: {}, maxUnavailable: '30%' }] }],
  ])('keep the laws of policies, %s', { tags: 'long' }, (_, options) => {
    expect(checkPolicyLaws(() => kubeScheduler(options), { runs: 40, seed: 3, worlds: { gangs: true, outages: true, failures: true } }).evictions).toBeGreaterThan(10)
  })
})
