import { dispatcher, type DispatcherMemory, type Placed } from '@sched/cluster'
import { kubeScheduler, type KubeSchedulerOptions } from '@sched/policies'
import { checkPolicyLaws, instantCluster, job, run } from '@sched/testkit'
import { describe, expect, it } from 'vitest'
import { backoffTime } from '../../src/kube-scheduler/scheduling-queue.js'

type Backoff = NonNullable<KubeSchedulerOptions['backoff']>
const waits: Backoff = { popFromBackoffQ: false }

/** One node with so many CPUs; nobody preempts. */
function world(cpu: number, backoff: Backoff | undefined, options: KubeSchedulerOptions = { preemption: false }) {
  const master = dispatcher({ cluster: instantCluster({ nodes: [{ name: 'n', count: 1, resources: { cpu } }] }), policy: kubeScheduler({ ...options, ...(backoff && { backoff }) }), explained: true })
  const running = new Map<string, Placed>()
  const pass = (now: number) => {
    const { start } = master.pass(now)
    for (const each of start) running.set(each.job, each)
    return start.map((each) => each.job)
  }
  return {
    master, pass,
    come(now: number, id: string, priority = 0, size = 1, tasks = 1) {
      master.submit(job({ id, priority, tasks, demand: { cpu: size } }), now)
      return pass(now)
    },
    end(now: number, ...ids: string[]) {
      for (const id of ids) master.taskEnded(running.get(id) as Placed, now)
      return pass(now)
    },
  }
}
/** Jobs of one CPU that were tried in vain once each: [name, priority, when], on a node that `full` holds; who starts when it ends, in turn. */
function startsAt(now: number, backoff: Backoff | undefined, tried: readonly (readonly [string, number, number])[]) {
  const at = world(tried.length, backoff)
  at.come(0, 'full', 99, tried.length)
  for (const [id, priority, when] of tried) expect(at.come(when, id, priority)).toEqual([])
  return { ...at, started: at.end(now, 'full') }
}

describe('backoff of kube-scheduler', () => {
  it('is twice as long after each attempt, up to the longest (TestBackoffQueue_calculateBackoffDuration)', () => {
    const times = (first: number, most: number, ...attempts: number[]) => attempts.map((each) => backoffTime(each, { podInitialBackoffSeconds: first, podMaxBackoffSeconds: most, popFromBackoffQ: true }))
    expect(times(1, 10, 1, 2, 3, 4, 5, 6)).toEqual([1, 2, 4, 8, 10, 10])
    expect([times(1, 32, 16), times(1, 2 ** 31 - 1, 32), times(1, 2 ** 63, 64), times(1, 10, 5000)]).toEqual([[32], [2 ** 31 - 1], [2 ** 63], [10]])
  })

  // six pods as in TestBackoffQueueOrdering, around 100 s
  const pods = [['pod5', 1, 97], ['pod4', 2, 98], ['pod3', 1, 98], ['pod2', 2, 98.001], ['pod1', 1, 99], ['pod0', 1, 100]] as const
  it('puts those whose time is over first, by priority, then the others by the second in which it ends', () => {
    expect(startsAt(100, {}, pods).started).toEqual(['pod4', 'pod2', 'pod5', 'pod3', 'pod1', 'pod0'])
    expect(startsAt(100, undefined, pods).started).toEqual(['pod4', 'pod2', 'pod5', 'pod3', 'pod1', 'pod0'])
  })
  it('goes by priority among those whose time ends in one second, and not beyond (TestBackoffQueueOrdering)', () => {
    // backoff until 100.2, 100.7 and 101.5
    const backing = [['early', 1, 99.2], ['late', 2, 99.7], ['important', 9, 100.5]] as const
    expect(startsAt(100.6, {}, backing).started).toEqual(['late', 'early', 'important'])
    expect(startsAt(100.6, undefined, backing).started).toEqual(['important', 'late', 'early'])
  })
  it('is waited for without `popFromBackoffQ`, also if there is room (popEachBackoffCompleted)', () => {
    const { started, master, pass } = startsAt(100, waits, pods)
    expect(started).toEqual(['pod4', 'pod2', 'pod5', 'pod3', 'pod1'])
    expect([master.explain('pod0'), master.nextWake]).toEqual([{ tasks: 1, reason: 'queue limit', limit: 'backoff' }, 101])
    expect([pass(100.5), pass(101)]).toEqual([[], ['pod0']])
  })

  it('lets one that was tried more often be passed by a newer one, whatever its priority (TestHighPriorityBackoff)', () => {
    const first = (backoff: Backoff | undefined, priority: number) => {
      const at = world(4, backoff)
      at.come(0, 'full', 99, 1)
      for (const id of ['a', 'b', 'c']) at.come(0, id, 99, 1)
      at.come(0, 'old', priority, 4)
      at.end(2, 'a')
      at.come(2, 'd', 99, 1)
      at.end(5, 'b') // tried three times in vain, the last time at 5 s: until 9 s
      at.come(5, 'e', 99, 1)
      at.come(6, 'new', 0, 4)
      return at.end(8, 'full', 'c', 'd', 'e')
    }
    expect([first(undefined, 0), first({}, 0), first({}, 9)]).toEqual([['old'], ['new'], ['new']])
    expect(first({ podInitialBackoffSeconds: 1, podMaxBackoffSeconds: 1 }, 0)).toEqual(['old'])
  })

  it('counts attempts only when something has ended since the last one', () => {
    // others come and are tried; large is not, and its time is over 1 s after it came
    const at = world(2, waits)
    at.come(0, 'full', 9, 2)
    at.come(0, 'large', 5, 2)
    for (let now = 1; now < 5; now++) at.come(now, `o${now}`)
    expect(at.end(5, 'full')).toEqual(['large'])
  })

  it('counts a node that comes up, too, but no preemption that is only tried out', () => {
    const at = world(2, waits)
    at.come(0, 'one', 9)
    at.come(0, 'large', 0, 2)
    at.master.nodeDown('n-0', 2)
    at.master.nodeUp('n-0', 3)
    expect([at.pass(3), at.end(4, 'one'), at.pass(5)]).toEqual([[], [], ['large']])
    // high is nominated, for which it was tried what would be if one had gone; small was tried at 0 s alone
    const other = world(2, waits, { terminationGracePeriodSeconds: 30 })
    for (const id of ['one', 'two', 'small']) other.come(0, id)
    other.come(5, 'high', 9)
    other.come(6, 'least', -1)
    expect(other.end(7, 'one', 'two')).toEqual(['high', 'small'])
  })

  it('puts one that was tried later behind others of its priority (TestRecentlyTriedPodsGoBack)', () => {
    const at = world(4, waits)
    at.come(0, 'a')
    at.come(0, 'b', 0, 3)
    at.come(0, 'older', 0, 4)
    at.come(1, 'newer', 0, 4)
    at.end(1.5, 'a') // newer backs off until 2 s
    expect(at.end(10, 'b')).toEqual(['newer'])
  })

  it('puts tasks that wait anew behind those of the same priority', () => {
    const starts = (backoff: Backoff | undefined) => {
      const at = world(1, backoff, {})
      at.come(0, 'first')
      at.come(0.5, 'second')
      expect(at.come(2, 'urgent', 9)).toEqual(['urgent'])
      at.pass(2.001)
      return at.end(20, 'urgent')
    }
    expect([starts(undefined), starts({})]).toEqual([['first'], ['second']])
  })

  it('does so after a restart, too, when they wait anew before anything has started', () => {
    // urgent has the room of first, and second that of third, which has ended
    const { master, come } = world(2, {}, {})
    for (const [id, now] of [['first', 0], ['third', 0.1], ['second', 0.5]] as const) come(now, id)
    const next = world(2, {}, {}).master
    const running = (['first', 'third'] as const).map((id, i) => {
      next.submit(job({ id, demand: { cpu: 1 } }), i / 10, { again: true })
      return next.adopt({ job: id, node: 'n-0' }, i / 10)
    })
    next.submit(job({ id: 'second', demand: { cpu: 1 } }), 0.5, { again: true })
    next.recall(JSON.parse(JSON.stringify(master.memory())) as DispatcherMemory)
    const after = [master, next].map((each, i) => {
      each.submit(job({ id: 'urgent', priority: 9, demand: { cpu: 2 } }), 10)
      const [urgent] = each.pass(10).start as [Placed]
      each.taskEnded(urgent, 10)
      each.submit(job({ id: 'more', priority: 9, demand: { cpu: 1 } }), 10)
      return [i, urgent.job, ...each.pass(10).start.map((start) => start.job)]
    })
    expect([running.length, after]).toEqual([2, [[0, 'urgent', 'more', 'second'], [1, 'urgent', 'more', 'second']]])
  })

  it('is of jobs: what waits of one is tried together, and what starts is out of it', () => {
    const at = world(2, waits)
    at.come(0, 'full', 9, 2)
    at.come(1, 'job', 0, 1, 3)
    at.end(5, 'full') // two tasks start, the third is tried for the second time
    expect(at.master.explain('job')).toEqual({ tasks: 1, reason: 'no room' })
    expect(at.pass(6)).toEqual([]) // nothing has ended, so nobody would look at it
    expect([at.come(6.5, 'other', 9), at.end(6.75, 'job'), at.master.nextWake, at.pass(7)]).toEqual([[], [], 7, ['job']])
  })

  it('holds back a pod that has preempted, too, which is nominated meanwhile', () => {
    const at = world(1, waits, {})
    at.come(0, 'old')
    expect(at.come(5, 'high', 9)).toEqual([])
    expect(at.master.explain('high')).toEqual({ tasks: 1, reason: 'no room', limit: 'on its nominated node' })
    expect([at.pass(5.001), at.come(5.5, 'other'), at.pass(6)]).toEqual([[], [], ['high']])
    expect(startsOf({ backoff: waits })).toEqual(['0 a', '1.2 b', '2.5 high', '3.5 b'])
    expect(startsOf({ backoff: {} })).toEqual(startsOf({}))
  })

  it('leaves nodes idle if it is waited for: each end has all others tried, and in vain', () => {
    // 200 jobs of 5 to 15 s on ten nodes: 2,000 s of work
    const makespan = (backoff?: Backoff) => {
      const jobs = Array.from({ length: 200 }, (_, i) => job({ id: `${i}`, demand: { cpu: 1 }, duration: 5 + ((i * 37) % 101) / 10 }))
      return run({ cluster: instantCluster({ nodes: [{ count: 10, resources: { cpu: 1 } }] }), policy: kubeScheduler({ ...(backoff && { backoff }) }), jobs }).recorder.ended?.toFixed(1)
    }
    expect([makespan(), makespan({}), makespan(waits)]).toEqual(['208.7', '208.7', '303.1'])
  })

  it('says that nobody does with heartbeats, where a round sees one node', () => {
    const starts = (backoff: Backoff | undefined) => {
      const [policy, told] = [kubeScheduler({ ...(backoff && { backoff }) }), [] as string[]]
      const { recorder } = run({
        cluster: { nodes: [{ count: 2, resources: { cpu: 1 } }], heartbeat: { interval: 1, stagger: true } },
        policy: { ...policy, create: (env) => policy.create({ ...env, warn: (message) => void told.push(message) }) },
        jobs: Array.from({ length: 12 }, (_, i) => job({ id: `${i}`, submit: i / 3, demand: { cpu: 1 }, duration: 2 + ((i * 7) % 5) / 2 })),
      })
      return { starts: recorder.launches.map(({ time, job: id }) => `${time} ${id}`), told }
    }
    expect(starts(waits)).toEqual({ starts: starts(undefined).starts, told: [expect.stringContaining('nobody backs off on a cluster with heartbeats')] })
    expect(starts(undefined).told).toEqual([])
  })

  it('has a longest time that is not shorter than the first', () => {
    expect(() => kubeScheduler({ backoff: { podInitialBackoffSeconds: 11 } })).toThrow('`podMaxBackoffSeconds` is less than `podInitialBackoffSeconds`')
  })

  it.each<[string, KubeSchedulerOptions]>([
    ['as by default', { backoff: {} }],
    ['waiting for its end', { backoff: waits }],
    ['with grace times', { backoff: waits, terminationGracePeriodSeconds: 5 }],
    ['without preemption', { backoff: waits, preemption: false }],
  ])('keeps the laws of policies, %s', { tags: 'long' }, (_, options) => {
    expect(checkPolicyLaws(() => kubeScheduler(options), { runs: 40, seed: 4, worlds: { gangs: true, outages: true, failures: true } }).launches).toBeGreaterThan(100)
  })
})

/** Starts of a simulation on one CPU. */
function startsOf(options: KubeSchedulerOptions) {
  const one = { demand: { cpu: 1 }, duration: 1 }
  const { recorder } = run({
    cluster: instantCluster({ nodes: [{ name: 'n', count: 1, resources: { cpu: 1 } }] }), policy: kubeScheduler(options),
    jobs: [job({ id: 'a', ...one }), job({ id: 'b', submit: 0.2, ...one }), job({ id: 'high', submit: 1.5, priority: 9, ...one })],
  })
  return recorder.launches.map(({ time, job: id }) => `${time} ${id}`)
}
