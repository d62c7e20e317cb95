import { dispatcher, type Dispatcher, type DispatcherMemory, type Placed } from '@sched/cluster'
import type { JobSpec, Plug } from '@sched/core'
import { describe, expect, it } from 'vitest'
import { capacity, dynamicPriority, easy, fair, fairShare, fifo, greedy, gridEngine, kaiPreempting, las, multifactor, replan, slurmLimits, slurmPreempting, volcano, yarnFair, yunikorn } from '../src/index.js'

const nodes = (count: number, resources: Record<string, number>) => ({ nodes: [{ count, name: 'n', resources }] })
const job = (id: string, more: Partial<JobSpec> = {}, tasks = 1, demand: Record<string, number> = { cpu: 1 }): JobSpec =>
  ({ id, submit: 0, stages: [{ name: 's', tasks, demand, duration: 1 }], ...more })
const ids = (placed: readonly Placed[]) => placed.map(({ job: id, task }) => `${id}.${task}`)

/** What a dispatcher that takes the place of another is told: jobs by submission, and what runs of them or has ended, by start. */
interface Known {
  readonly jobs: readonly (readonly [spec: JobSpec, came: number])[]
  readonly runs?: readonly (readonly [job: string, task: number, start: number, end?: number])[]
}

function begunAgain(cluster: Parameters<typeof dispatcher>[0]['cluster'], policy: Plug<'policy'>, before: Dispatcher, { jobs, runs = [] }: Known): Dispatcher {
  const memory = JSON.parse(JSON.stringify(before.memory())) as DispatcherMemory
  const master = dispatcher({ cluster, policy })
  const placed: Placed[] = []
  const calls = [
    ...jobs.map(([spec, came]) => ({ at: came, rank: 1, call: () => { master.submit(spec, came, { again: true }) } })),
    ...runs.flatMap(([id, task, start, end], i) => [
      { at: start, rank: 2, call: () => { placed[i] = master.adopt({ job: id, task, node: 'n-0' }, start) } },
      ...(end === undefined ? [] : [{ at: end, rank: 0, call: () => { master.taskEnded(placed[i] as Placed, end) } }]),
    ]),
  ]
  for (const { call } of calls.sort((a, b) => a.at - b.at || a.rank - b.rank)) call()
  master.recall(memory)
  return master
}

describe('after a restart', () => {
  const limited: [string, () => Plug<'policy'>][] = [
    ['fair', () => greedy(fair({ defaults: { maxRunningJobs: 1 } }))],
    ['yarn-fair', () => greedy(yarnFair({ defaults: { maxRunningApps: 1 } }))],
    ['capacity', () => greedy(capacity({ queues: { q: { capacity: 100, maxParallelApps: 1 } } }))],
  ]
  it.each(limited)('%s lets those jobs run that it had let run, though others came before them', (_, policy) => {
    const cluster = nodes(1, { cpu: 1 })
    const before = dispatcher({ cluster, policy: policy() })
    const [wide, first, long] = [job('wide', { queue: 'q', user: 'u' }, 2), job('first', { queue: 'q', user: 'u' }), job('long', { queue: 'q', user: 'u' })]
    before.submit(first, 0)
    const [running] = before.pass(0).start as [Placed]
    before.submit(wide, 1)
    before.submit(long, 2)
    before.taskEnded(running, 3) // wide may run now
    before.cancel('wide', 3)
    before.submit({ ...wide, submit: 3 }, 3) // it comes again behind long, which may run
    const late = begunAgain(cluster, policy(), before, { jobs: [[{ ...wide, submit: 2 }, 2], [long, 2]] }) // told as if it had come before
    expect([ids(before.pass(4).start), ids(late.pass(4).start)]).toEqual([['long.0'], ['long.0']])
  })

  describe('a job whose estimate was lowered', () => {
    // `first` has 3 of 4 processors until 300, `wide` waits for all 4, and `less` has the last one until then; `late` wants 3 for 500 s
    const cluster = nodes(1, { cpu: 4 })
    const of = (id: string, cpu: number, estimate: number, more: Partial<JobSpec> = {}) => job(id, { estimate, ...more }, 1, { cpu })
    const [first, wide, less, late] = [of('first', 3, 300), of('wide', 4, 180, { submit: 1 }), of('less', 1, 600, { submit: 2, minEstimate: 120 }), of('late', 3, 500, { submit: 5 })]
    const begun = (policy: Plug<'policy'>) => {
      const master = dispatcher({ cluster, policy })
      const started: Placed[] = []
      for (const spec of [first, wide, less]) {
        master.submit(spec, spec.submit)
        started.push(...master.pass(spec.submit).start)
      }
      return { master, started }
    }
    /** What starts at 5, where `first` has ended at 3 and `late` has come. */
    const then = (master: Dispatcher, placed: Placed) => {
      master.taskEnded(placed, 3)
      master.submit(late, 5)
      return ids(master.pass(5).start)
    }

    it('is planned by that under the next dispatcher, too', () => {
      const { master, started } = begun(easy())
      expect(started.map(({ job: id, limit }) => [id, limit])).toEqual([['first', undefined], ['less', 298]])
      const next = dispatcher({ cluster, policy: easy() })
      const told = JSON.parse(JSON.stringify(started)) as [Placed, Placed]
      next.submit(first, 0, { again: true })
      const placed = next.adopt(told[0], 0)
      for (const spec of [wide, less]) next.submit(spec, spec.submit, { again: true })
      const lowered = next.adopt(told[1], 2)
      next.recall(JSON.parse(JSON.stringify(master.memory())) as DispatcherMemory)
      expect(lowered.limit).toBe(298)
      expect([then(master, started[0] as Placed), then(next, placed)]).toEqual([[], []]) // `wide` starts at 300
      expect(() => next.adopt({ job: 'wide', node: 'n-0', limit: 0 })).toThrow('job wide may run for 0 s')
    })

    it('has another estimate from when it is updated on', () => {
      const { master, started } = begun(easy())
      master.submit({ ...late, id: 'short', estimate: 200 }, 2)
      master.update('less', { estimate: 60 }, 2)
      expect(then(master, started[0] as Placed)).toEqual([]) // `wide` starts at 62
      const same = begun(easy())
      same.master.submit({ ...late, id: 'short', estimate: 200 }, 2)
      same.master.update('less', { priority: 2 }, 2)
      expect(then(same.master, same.started[0] as Placed)).toEqual(['short.0'])
    })
  })

  it('slurm-limits and replan count a job of several partitions where it has started', () => {
    // of the 6 processors a may have 2, and 3 by its QOS, and b 1 by its own: `in-b` runs in b, so that a1 may have 2, and `b` none
    const cluster = nodes(1, { cpu: 6 })
    const of = (id: string, queue: string, cpu: number, alike?: readonly string[], estimate = 60): JobSpec =>
      ({ ...job(id, { queue, user: 'u', estimate }), stages: [{ name: 's', tasks: 1, demand: { cpu }, duration: 1, ...(alike && { constraints: { alike } }) }] })
    const policy = () => slurmLimits(replan(fifo(), { nodes: 'named', maxCpusPerNode: { a: 2 } }), { qos: { of_a: { GrpTRES: 'cpu=3' }, of_b: { GrpTRES: 'cpu=1' } }, partitions: { a: { QOS: 'of_a' }, b: { QOS: 'of_b' } } })
    const before = dispatcher({ cluster, policy: policy() })
    const [first, inB] = [of('first', 'a', 2, undefined, 600), of('in-b', 'a', 1, ['partition:a|*', 'partition:b|*'])]
    before.submit(first, 0)
    before.submit(inB, 0)
    const [running] = before.pass(0).start as [Placed, Placed]
    before.taskEnded(running, 1)
    const jobs = [[of('a1', 'a', 2), 2], [of('a2', 'a', 2), 2], [of('b', 'b', 1), 2]] as const
    for (const [spec, at] of jobs) before.submit(spec, at)
    const late = begunAgain(cluster, policy(), before, { jobs: [[inB, 0], ...jobs], runs: [['in-b', 0, 0]] })
    expect([ids(before.pass(2).start), ids(late.pass(2).start)]).toEqual([['a1.0'], ['a1.0']])
  })

  it('slurm-preempting takes a job of several partitions by the tier of the one in which it has started', () => {
    // `first` has all that a may have, so `in-b` runs in b, of the tier 1, and c1 of the tier 2 takes its place
    const cluster = nodes(1, { cpu: 4 })
    const of = (id: string, queue: string, cpu: number, alike?: readonly string[]): JobSpec =>
      ({ ...job(id, { queue, estimate: alike === undefined ? 600 : 60 }), stages: [{ name: 's', tasks: 1, demand: { cpu }, duration: 1, ...(alike && { constraints: { alike } }) }] })
    const policy = () => slurmPreempting(replan(fifo(), { nodes: 'named', maxCpusPerNode: { a: 2 } }), { tiers: { a: 2, c: 2 } })
    const before = dispatcher({ cluster, policy: policy() })
    const [first, inB, c1] = [of('first', 'a', 2), of('in-b', 'a', 2, ['partition:a|*', 'partition:b|*']), of('c1', 'c', 2)]
    for (const spec of [first, inB]) before.submit(spec, 0)
    expect(ids(before.pass(0).start)).toEqual(['first.0', 'in-b.0'])
    before.submit(c1, 2)
    const late = begunAgain(cluster, policy(), before, { jobs: [[first, 0], [inB, 0], [c1, 2]], runs: [['first', 0, 0], ['in-b', 0, 0]] })
    expect([ids(before.pass(2).start), ids(late.pass(2).start)]).toEqual([['c1.0'], ['c1.0']])
  })

  it('replan looks at the other places of a job for which others have been told to leave, as it would have', () => {
    // J of a,b takes the place of V, which runs on for a minute: the next pass starts it in b
    const on = (name: string, ...queues: string[]) => ({ count: 1, names: [name], resources: { cpu: 4 }, labels: Object.fromEntries(queues.map((queue) => [`partition:${queue}`, 'true'])) })
    const cluster = { nodes: [on('n-0', 'a', 'low'), on('n-1', 'b')] }
    const of = (id: string, ...queues: string[]): JobSpec => {
      const alike = queues.map((queue) => `partition:${queue}`)
      return { ...job(id, { queue: queues[0] as string, estimate: 600 }), stages: [{ name: 's', tasks: 1, demand: { cpu: 4 }, duration: 1, constraints: { require: { [alike.join('|')]: 'true' }, ...(alike.length > 1 && { alike }) } }] }
    }
    const policy = () => slurmPreempting(replan(multifactor({ tiers: { a: 2 } }), { nodes: 'named' }), { tiers: { a: 2 }, mode: 'cancel', graceTime: { low: 60 } })
    const before = dispatcher({ cluster, policy: policy() })
    const [low, both] = [of('V', 'low'), of('J', 'a', 'b')]
    before.submit(low, 0)
    expect(ids(before.pass(0).start)).toEqual(['V.0'])
    before.submit(both, 2)
    expect(ids(before.pass(2).start)).toEqual([])
    const late = begunAgain(cluster, policy(), before, { jobs: [[low, 0], [both, 2]], runs: [['V', 0, 0]] })
    expect([ids(before.pass(32).start), ids(late.pass(32).start)]).toEqual([['J.0'], ['J.0']])
  })

  it('slurm-limits counts jobs of a user who names no account where the first of them was, though that one has left', () => {
    const cluster = nodes(1, { cpu: 4 })
    const policy = () => slurmLimits(greedy(fifo()), { accounts: { lab: { GrpTRES: 'cpu=2' } } })
    const before = dispatcher({ cluster, policy: policy() })
    before.submit(job('first', { user: 'bob', account: 'lab' }), 0)
    const [first] = before.pass(0).start as [Placed]
    before.taskEnded(first, 1)
    const jobs = [[job('own', { user: 'bob' }), 2], [job('more', { user: 'bob' }, 2), 3], [job('ann', { user: 'ann', account: 'lab' }, 2), 4]] as const
    for (const [spec, at] of jobs.slice(0, 1)) before.submit(spec, at)
    const [own] = before.pass(2).start as [Placed]
    for (const [spec, at] of jobs.slice(1)) before.submit(spec, at)
    const late = begunAgain(cluster, policy(), before, { jobs, runs: [['own', 0, 2]] })
    expect([ids(before.pass(4).start), ids(late.pass(4).start)]).toEqual([['more.0'], ['more.0']]) // two of four, since lab has two
    before.taskEnded(own, 5)
    late.taskEnded({ id: 0 }, 5)
    expect([ids(before.pass(5).start), ids(late.pass(5).start)]).toEqual([['more.1'], ['more.1']])
  })

  it('slurm-limits holds nobody back for jobs that it counted elsewhere until it knew of these accounts', () => {
    const cluster = nodes(1, { cpu: 3 })
    const policy = () => slurmLimits(greedy(fifo()), { accounts: { lab: { GrpTRES: 'cpu=3' } } })
    const before = dispatcher({ cluster, policy: policy() })
    before.submit(job('first', { user: 'bob', account: 'root' }), 0)
    before.taskEnded(before.pass(0).start[0] as Placed, 1)
    const jobs = [[job('other', { user: 'eve' }), 2], [job('named', { user: 'bob', account: 'lab' }), 2], [job('ann', { user: 'ann', account: 'lab' }, 1, { cpu: 2 }), 2], [job('own', { user: 'bob' }), 2]] as const
    for (const [spec, at] of jobs) before.submit(spec, at)
    const running = before.pass(2).start
    expect(ids(running)).toEqual(['other.0', 'named.0', 'own.0'])
    const late = begunAgain(cluster, policy(), before, { jobs, runs: [['other', 0, 2], ['named', 0, 2], ['own', 0, 2]] })
    for (const at of [0, 2]) {
      before.taskEnded(running[at] as Placed, 5)
      late.taskEnded({ id: at }, 5)
    }
    expect([ids(before.pass(5).start), ids(late.pass(5).start)]).toEqual([['ann.0'], ['ann.0']]) // 1 of bob's and 2 are the 3 of lab
  })

  it.each([[false], [true]])('yarn-fair puts a queue that wants no memory last, also where a job that wanted some was cancelled: %s', (isCancelled) => {
    const master = dispatcher({ cluster: nodes(1, { cpu: 1, mem: 4 }), policy: greedy(yarnFair()) })
    master.submit(job('blocks', { queue: 'z' }), 0)
    const [running] = master.pass(0).start as [Placed]
    master.submit(job('bare', { queue: 'a' }), 1)
    if (isCancelled) master.submit(job('other', { queue: 'a' }, 1, { cpu: 1, mem: 2 }), 1)
    master.submit(job('wants', { queue: 'b' }, 1, { cpu: 1, mem: 1 }), 1)
    if (isCancelled) master.cancel('other', 2)
    master.taskEnded(running, 3)
    expect(ids(master.pass(3).start)).toEqual(['wants.0'])
  })

  it.each([[false], [true]])('yunikorn puts the queue first of which more waits, also where a job of another was cancelled: %s', (isCancelled) => {
    const master = dispatcher({ cluster: nodes(1, { cpu: 1 }), policy: greedy(yunikorn({ root: { sort: 'fair', queues: { a: {}, b: {}, z: {} } } })) })
    master.submit(job('blocks', { queue: 'z' }), 0)
    const [running] = master.pass(0).start as [Placed]
    master.submit(job('one', { queue: 'a' }), 1)
    if (isCancelled) master.submit(job('other', { queue: 'a' }, 5), 1)
    master.submit(job('two', { queue: 'b' }, 2), 1)
    if (isCancelled) master.cancel('other', 2)
    master.taskEnded(running, 3)
    expect(ids(master.pass(3).start)).toEqual(['two.0'])
  })

  it('yarn-fair counts a job that was cancelled while it waited to run no more than before', () => {
    const queues = { p: { weight: 0.7 }, q: { maxRunningApps: 2 } } // by weight over jobs q comes first, as 1/2
    const first = (isCancelled: boolean) => {
      const master = dispatcher({ cluster: nodes(1, { cpu: 1 }), policy: greedy(yarnFair({ poolOrder: 'survey-literal', root: { queues } })) })
      for (const [id, queue] of [['a', 'q'], ['also', 'q'], ['b', 'q'], ['c', 'p']] as const) if (isCancelled || id !== 'b') master.submit(job(id, { queue }), 0)
      if (isCancelled) master.cancel('b', 1)
      return ids(master.pass(1).start)
    }
    expect(first(true)).toEqual(first(false))
  })

  it('dynamic-priority knows what is left of budgets', () => {
    const cluster = nodes(1, { cpu: 2 })
    const policy = () => greedy(dynamicPriority({ interval: 10, queues: { a: { budget: 2, rate: 1 }, b: { rate: 1 } } }))
    const before = dispatcher({ cluster, policy: policy() })
    const first = job('first', { queue: 'a' }, 2)
    before.submit(first, 0)
    for (const placed of before.pass(0).start) before.taskEnded(placed, 15) // its queue has paid all it had at 10 s
    const jobs = [[job('more', { queue: 'a' }, 2), 15], [job('other', { queue: 'b' }, 2), 15]] as const
    for (const [spec, came] of jobs) before.submit(spec, came)
    const after = begunAgain(cluster, policy(), before, { jobs })
    expect([ids(before.pass(25).start), ids(after.pass(25).start)]).toEqual([['other.0', 'other.1'], ['other.0', 'other.1']])
  })

  it('fair-share knows the account of a user who names none, though the job that named it has left', () => {
    const cluster = nodes(1, { cpu: 1 })
    const policy = () => greedy(fairShare({ calcPeriod: 10, halfLife: 0, accounts: { lab: { shares: 1 } } }))
    const before = dispatcher({ cluster, policy: policy() })
    for (const [id, more, start, end] of [['gone', { user: 'ann', account: 'lab' }, 0, 20], ['bobs', { user: 'bob' }, 20, 25]] as const) {
      before.submit(job(id, more), start)
      before.taskEnded(before.pass(start).start[0] as Placed, end)
    }
    const jobs = [[job('a', { user: 'ann' }), 25], [job('b', { user: 'bob' }), 25]] as const // ann has used four times as much
    for (const [spec, came] of jobs) before.submit(spec, came)
    const after = begunAgain(cluster, policy(), before, { jobs })
    expect([ids(before.pass(30).start), ids(after.pass(30).start)]).toEqual([['b.0'], ['b.0']])
  })

  it('las knows to the last bit when a job changes its queue', () => {
    const cluster = nodes(1, { cpu: 3 })
    const policy = () => las({ queues: [2, 6], resource: 'cpu' })
    const wakes = (looks: readonly number[], restarts: boolean) => {
      let master = dispatcher({ cluster, policy: policy() })
      const [runs, waits] = [job('runs', {}, 3), job('waits')]
      master.submit(runs, 0.1)
      master.pass(0.1)
      master.submit(waits, 0.1)
      for (const look of looks) {
        master.pass(look)
        if (restarts) master = begunAgain(cluster, policy(), master, { jobs: [[runs, 0.1], [waits, 0.1]], runs: [0, 1, 2].map((task) => ['runs', task, 0.1] as const) })
      }
      master.pass(0.7)
      return master.memory().wakes
    }
    for (const looks of [[0.15], [0.25], [0.2, 0.45]]) expect(wakes(looks, true)).toEqual(wakes(looks, false))
  })

  it('yunikorn counts a job as running that has started, though nothing of it runs any more', () => {
    const cluster = nodes(1, { cpu: 2 })
    const policy = () => greedy(yunikorn({ root: { queues: { q: { maxApplications: 1, sort: 'fifo' } } } }))
    const before = dispatcher({ cluster, policy: policy() })
    const jobs = [[job('started', { queue: 'q' }), 0], [job('urgent', { queue: 'q', priority: 5 }), 1]] as const
    before.submit(...jobs[0])
    const [running] = before.pass(0).start as [Placed]
    before.submit(...jobs[1])
    before.taskFailed(running, 2)
    const after = begunAgain(cluster, policy(), before, { jobs })
    expect([ids(before.pass(3).start), ids(after.pass(3).start)]).toEqual([['started.0'], ['started.0']])
  })

  it('kai-preempting starts tasks that it moves where it wanted them', () => {
    // 3 and 1 of 4 are free: b goes from the second node to the first, so that large (3) has room there
    const cluster = nodes(2, { cpu: 4 })
    const policy = () => kaiPreempting({ maxConsolidationPreemptees: 4 })
    const before = dispatcher({ cluster, policy: policy() })
    const jobs = [job('a', {}, 1, { cpu: 2 }), job('b', {}, 1, { cpu: 2 }), job('c', {}, 1, { cpu: 2 })]
    const started: Placed[] = []
    for (const [i, spec] of jobs.entries()) {
      before.submit(spec, i)
      started.push(...before.pass(i).start)
    }
    before.taskEnded(started[1] as Placed, 5) // 2 are free on each node
    const large = job('large', {}, 1, { cpu: 4 })
    before.submit(large, 6)
    const moving = before.pass(6)
    const [gone] = moving.kill as [Placed]
    const stays = gone.job === 'a' ? 'c' : 'a'
    const memory = JSON.parse(JSON.stringify(before.memory())) as DispatcherMemory
    const after = dispatcher({ cluster, policy: policy() })
    for (const [spec, came] of [[jobs[0], 0], [jobs[2], 2], [large, 6]] as const) after.submit(spec as JobSpec, came, { again: true })
    after.adopt({ job: stays, node: started.find(({ job: id }) => id === stays)?.node as string }, 6)
    after.adopt({ job: 'large', node: moving.start[0]?.node as string }, 6)
    after.recall(memory)
    const small = job('small', { priority: 9 }, 1, { cpu: 2 })
    for (const master of [before, after]) master.submit(small, 6)
    expect([ids(before.pass(6).start), ids(after.pass(6).start)]).toEqual([[`${gone.job}.0`, 'small.0'], [`${gone.job}.0`, 'small.0']])
  })

  it('fifo knows whose task came back last where that one goes last', () => {
    const cluster = nodes(1, { cpu: 1 })
    const policy = () => greedy(fifo({ again: 'last' }))
    const before = dispatcher({ cluster, policy: policy() })
    const jobs = [[job('back'), 0], [job('next'), 1]] as const
    before.submit(...jobs[0])
    const [failed] = before.pass(0).start as [Placed]
    before.submit(...jobs[1])
    before.taskFailed(failed, 2)
    const after = begunAgain(cluster, policy(), before, { jobs })
    expect([ids(before.pass(3).start), ids(after.pass(3).start)]).toEqual([['next.0'], ['next.0']])
  })

  it('grid-engine knows what a job that runs has asked for last', () => {
    // ann is entitled to 3 of 4 parts. Her gang has asked for 1 slot last, so a has 3/2 against 1 of b; had it asked for 4, a would have 3/5
    const cluster = nodes(1, { cpu: 5 })
    const policy = () => greedy(gridEngine({ weight_urgency: 0, share_tree: { users: { ann: 3, bob: 1 }, compensation_factor: 0 } }))
    const before = dispatcher({ cluster, policy: policy() })
    const gang: JobSpec = { ...job('gang', { user: 'ann' }), stages: [{ name: 's', tasks: 4, gang: true, demand: { cpu: 1 }, duration: 1 }] }
    before.submit(gang, 0)
    const [failed] = before.pass(0).start as [Placed]
    before.taskFailed(failed, 0)
    before.pass(0)
    const jobs = [[gang, 0], [job('b', { user: 'bob' }), 0], [job('a', { user: 'ann' }), 0]] as const
    for (const [spec, came] of jobs.slice(1)) before.submit(spec, came)
    const after = begunAgain(cluster, policy(), before, { jobs, runs: [0, 1, 2, 3].map((task) => ['gang', task, 0] as const) })
    expect([ids(before.pass(0).start), ids(after.pass(0).start)]).toEqual([['a.0'], ['a.0']])
  })
})

describe('volcano', () => {
  it('enqueues a job as soon as less is kept for another one whose gang is complete, as after a restart', () => {
    // of 4 cpu 3 are kept for the gang while one of its tasks is missing; once it runs again 2 are, since a task has ended. Its next stage waits for mem
    const cluster = nodes(1, { cpu: 4, mem: 2 })
    const policy = () => volcano({ tiers: [{ plugins: ['priority', 'gang', { name: 'overcommit', arguments: { 'overcommit-factor': 1 } }] }] })
    const before = dispatcher({ cluster, policy: policy() })
    const part = (tasks: number) => ({ name: 's', tasks, gang: true, demand: { cpu: 1 }, duration: 1 })
    const [hog, other] = [job('hog', {}, 1, { mem: 2 }), job('other', {}, 1, { mem: 2 })]
    const [first, next] = [{ ...job('first'), stages: [part(3), { name: 't', tasks: 1, demand: { mem: 2 }, duration: 1 }] }, { ...job('next'), stages: [part(2)] }]
    for (const spec of [hog, first]) before.submit(spec, 0)
    const [ended, failed] = before.pass(0).start.filter((placed) => placed.job === 'first') as [Placed, Placed, Placed]
    for (const spec of [other, next]) before.submit(spec, 1)
    before.taskEnded(ended, 2)
    before.taskFailed(failed, 2)
    expect(ids(before.pass(2).start)).toEqual([`first.${failed.task}`])
    const kept = [0, 1, 2].find((task) => task !== ended.task && task !== failed.task) as number
    const after = begunAgain(cluster, policy(), before, {
      jobs: [[hog, 0], [first, 0], [other, 1], [next, 1]],
      runs: [['hog', 0, 0], ['first', ended.task, 0, 2], ['first', kept, 0], ['first', failed.task, 2]],
    })
    expect([ids(before.pass(3).start), ids(after.pass(3).start)]).toEqual([['next.0', 'next.1'], ['next.0', 'next.1']])
  })
})
