import { dispatcher, type Dispatcher, type DispatcherMemory, type Placed } from '@sched/cluster'
import { randomStream, type LaneId } from '@sched/core'
import { describe, expect, it } from 'vitest'
import { capacity, conservative, delay, drf, easy, fair, fairShare, fifo, greedy, kueue, maxMin, priority, replan, slurmLimits, strict, volcano, wfq, yarnFair } from '../src/index.js'

const policies = {
  fifo: () => greedy(fifo()),
  'fifo, again last': () => greedy(fifo({ again: 'last' })),
  drf: () => greedy(drf()),
  'max-min': () => greedy(maxMin({ resource: 'cpu' })),
  wfq: () => greedy(wfq()),
  'yarn-fair': () => greedy(yarnFair()),
  'fair-share': () => greedy(fairShare()),
  capacity: () => greedy(capacity({ queues: { a: { capacity: 50 }, b: { capacity: 50 } } })),
  delay: () => delay(fair(), { node: 2 }),
  easy: () => easy(),
  conservative: () => conservative(),
}

const begin = (policy: (typeof policies)[keyof typeof policies]) => dispatcher({ cluster: { nodes: [{ count: 3, resources: { cpu: 4, mem: 8 } }] }, policy: policy() })

/** What was called of a dispatcher, and what it answered, as text that a file could hold. */
type Journal = { readonly call: string; readonly answer: string }[]

const answerOf = (master: Dispatcher, call: string): string => {
  const [name, ...values] = JSON.parse(call) as [keyof Dispatcher, ...unknown[]]
  try {
    return JSON.stringify((master[name] as (...values: unknown[]) => unknown).apply(master, values) ?? null)
  } catch (error) {
    return String(error)
  }
}

/** The dispatcher, which writes its calls down. */
const kept = (master: Dispatcher, journal: Journal): Dispatcher =>
  new Proxy(master, {
    get(_, name) {
      const value: unknown = Reflect.get(master, name, master)
      if (typeof value !== 'function') return value
      return (...values: unknown[]): unknown => {
        const call = JSON.stringify([name, ...values])
        try {
          const answer = (value as (...values: unknown[]) => unknown).apply(master, values)
          journal.push({ call, answer: JSON.stringify(answer ?? null) })
          return answer
        } catch (error) {
          journal.push({ call, answer: String(error) })
          throw error
        }
      }
    },
  })

/** Jobs come, tasks end or fail, jobs are cancelled, as a seed has it; at the end all is done. Yields what was started. */
function live(policy: (typeof policies)[keyof typeof policies], seed: number, journal: Journal = []): number {
  const next = randomStream(seed, 'test')
  const below = (count: number) => Math.floor(next() * count)
  const pick = <T>(of: readonly T[]) => of[below(of.length)] as T
  const master = kept(begin(policy), journal)
  let [running, now, started]: [Placed[], number, number] = [[], 0, 0]
  const stop = (placed: Placed, how: 'taskEnded' | 'taskFailed') => {
    running = running.filter(({ id }) => id !== placed.id)
    master[how](placed, now)
  }
  const pass = () => {
    const { start, kill } = master.pass(now)
    running = [...running.filter(({ id }) => !kill.some((each) => each.id === id)), ...start]
    started += start.length
  }
  const actions = [
    (i: number) => master.submit({ id: `j${i}`, submit: now, user: pick(['u', 'v']), queue: pick(['a', 'b']), estimate: 5, stages: [{ name: 's', tasks: 1 + below(5), demand: { cpu: 1 + below(3), mem: 1 + below(3) }, duration: 1 }] }, now),
    (i: number) => expect(() => void master.submit({ id: `large-${i}`, stages: [{ name: 's', tasks: 1, demand: { cpu: 5 } }] }, now)).toThrow('more than any node'),
    () => running.length > 0 && stop(pick(running), 'taskEnded'),
    () => running.length > 0 && stop(pick(running), 'taskFailed'),
    () => {
      const jobs = master.work.jobs()
      if (jobs.length === 0 || next() < 0.7) return
      for (const placed of master.cancel(master.work.name(pick(jobs)), now)) if (next() < 0.5) stop(placed, 'taskFailed')
    },
    pass, pass,
  ]
  for (let i = 0; i < 200; i++) {
    now += next()
    pick(actions)(i)
  }
  for (let left = 500; left > 0 && master.work.active > 0; left--) {
    now += 1
    pass()
    for (const placed of running) stop(placed, 'taskEnded')
  }
  expect([seed, master.work.active, running]).toEqual([seed, 0, []])
  return started
}

it('takes a cluster with all short forms of a file', () => {
  const master = dispatcher({ cluster: { nodes: 2, devices: { gpu: 2 } }, policy: greedy(drf()) })
  master.submit({ id: 'a', stages: [{ name: 'train', tasks: 5, demand: { gpu: 1000 } }] }, 0)
  expect(master.pass(0).start.map(({ node }) => node)).toEqual(['node-0', 'node-0', 'node-1', 'node-1'])
})

describe('fifo', () => {
  it('puts a job whose task came back in its place by submission, or with `again: last` behind all of its priority that wait', () => {
    const starts = (again: 'place' | 'last') => {
      const master = dispatcher({ cluster: { nodes: [{ count: 1, resources: { cpu: 1 } }] }, policy: greedy(fifo({ again })) })
      for (const [id, priority] of [['a', 1], ['b', 1], ['c', 0], ['d', 1]] as const) master.submit({ id, priority, stages: [{ name: 's', tasks: 1, demand: { cpu: 1 } }] }, 0)
      const next = () => master.pass(0).start[0] as Placed
      const first = next()
      master.taskFailed(first, 0)
      const started = [first]
      for (let i = 0; i < 4; i++) {
        const placed = next()
        started.push(placed)
        master.taskEnded(placed, 0)
      }
      return started.map(({ job }) => job)
    }
    expect(starts('place')).toEqual(['a', 'a', 'b', 'd', 'c'])
    expect(starts('last')).toEqual(['a', 'b', 'd', 'a', 'c'])
  })
})

describe('a gang that no node has room for', () => {
  const nodes = [{ count: 2, name: 'n', resources: { cpu: 2 } }]
  const gang = (id: string, tasks: number) => ({ id, stages: [{ name: 's', tasks, gang: true, demand: { cpu: 1 } }] })
  const make = (heartbeat?: { interval: number }) => {
    const told: string[] = []
    return { told, master: dispatcher({ cluster: { nodes, heartbeat }, policy: greedy(fifo()), warn: (message) => void told.push(message) }) }
  }

  it('is refused where the cluster has heartbeats, or was asked by `heartbeat` alone', () => {
    const [described, asked] = [make({ interval: 3 }).master, make().master]
    asked.heartbeat('n-0', 0)
    for (const master of [described, asked]) {
      expect(() => { master.submit(gang('g', 3), 0) }).toThrow(
        /^job g starts 3 tasks of \{"cpu":1\} at once, more than may start at one node's heartbeat. Ask by `pass` in place of `heartbeat`, and describe the cluster without heartbeats.$/,
      )
      const parts = [...gang('', 1).stages, ...gang('', 1).stages]
      expect(() => { master.submit({ id: 'h', gang: true, stages: parts }, 0) }).toThrow(/^job h is one gang of several stages, which do not start at one node's heartbeat. Ask by `pass`/)
      master.submit(gang('small', 2), 0)
      expect(master.heartbeat('n-1', 1).start).toHaveLength(2)
    }
  })

  it('is told of where it was taken before the first heartbeat, and starts in a pass, from which on others are taken, too', () => {
    const { master, told } = make()
    master.submit(gang('g', 3), 0)
    for (const node of ['n-0', 'n-1', 'n-0']) expect(master.heartbeat(node, 1).start).toEqual([])
    expect(told).toEqual([expect.stringMatching(/^job g starts 3 tasks .* heartbeat: it waits for a `pass`. Ask by `pass`/)])
    expect(master.pass(2).start).toHaveLength(3)
    master.heartbeat('n-0', 3)
    expect(() => { master.submit(gang('next', 3), 3) }).not.toThrow()
  })
})

describe('a policy in a dispatcher', () => {
  it.each(Object.entries(policies))('goes on when tasks fail and jobs are cancelled (%s)', { tags: 'long' }, (_, policy) => {
    for (let seed = 1; seed <= 8; seed++) expect(live(policy, seed)).toBeGreaterThan(30)
  })

  it.each(Object.entries(policies))('decides again as it did where all calls are made again, as after a restart (%s)', { tags: 'long' }, (_, policy) => {
    for (let seed = 1; seed <= 8; seed++) {
      const journal: Journal = []
      live(policy, seed, journal)
      const again = begin(policy)
      expect(journal.map(({ call }) => answerOf(again, call))).toEqual(journal.map(({ answer }) => answer))
    }
  })
})

describe('a task that runs already, which a dispatcher takes over', () => {
  const cluster = { nodes: [{ count: 2, name: 'n', resources: { cpu: 4 } }] }
  const job = (id: string, tasks: number, change: object = {}) => ({ id, stages: [{ name: 's', tasks, demand: { cpu: 1 } }], ...change })
  const starts = (master: Dispatcher, now = 0) => master.pass(now).start.map(({ job, task, node }) => `${job} ${task} on ${node}`)

  it('holds its node, is the lowest of its stage unless told, and ends as one that was started here', () => {
    const master = dispatcher({ cluster, policy: greedy(fifo()) })
    master.submit(job('a', 9), 0)
    const placed = [master.adopt({ job: 'a', node: 'n-1' }, 1), master.adopt({ job: 'a', stage: 0, task: 3, node: 'n-0' }, 2), master.adopt({ job: 'a', node: 'n-1' })]
    expect(placed).toEqual([{ id: 0, job: 'a', stage: 0, task: 0, node: 'n-1', level: -1 }, { id: 1, job: 'a', stage: 0, task: 3, node: 'n-0', level: -1 }, { id: 2, job: 'a', stage: 0, task: 1, node: 'n-1', level: -1 }])
    expect(starts(master, 3)).toEqual(['a 2 on n-0', 'a 4 on n-0', 'a 5 on n-0', 'a 6 on n-1', 'a 7 on n-1'])
    expect(master.taskEnded(placed[1]!, 4)).toBe(false)
    expect(starts(master, 4)).toEqual(['a 8 on n-0'])
  })

  it('counts towards what its queue, its user and its job may have', () => {
    const quota = dispatcher({ cluster, policy: kueue({ defaults: { nominalQuota: { cpu: 3 } } }) })
    const limit = dispatcher({ cluster, policy: slurmLimits(greedy(fifo()), { qos: { normal: { MaxJobsPerUser: 1 } } }) })
    for (const master of [quota, limit]) {
      for (const id of ['a', 'b']) master.submit(job(id, 2, { user: 'ann', queue: 'q', qos: 'normal' }), 0)
      for (let i = 0; i < 2; i++) master.adopt({ job: 'b', node: 'n-1' }, 0)
    }
    expect([starts(quota), starts(limit)]).toEqual([['a 0 on n-0'], []])
  })

  it('holds back jobs that wait already, which then have no reservation', () => {
    // a runs with 4 of 8 processors until 100 s, and is the only job that ann may have: b (8) is not planned at its end, and c starts beside it for 200 s
    const master = dispatcher({ cluster: { nodes: [{ count: 1, name: 'm', resources: { procs: 8 } }] }, policy: slurmLimits(replan(), { qos: { normal: { MaxJobsPerUser: 1 } } }) })
    for (const [id, user, procs, estimate] of [['a', 'ann', 4, 100], ['b', 'ann', 8, 50], ['c', 'bob', 4, 200]] as const) master.submit({ id, user, estimate, stages: [{ name: 's', tasks: 1, demand: { procs } }] }, 0)
    master.adopt({ job: 'a', node: 'm-0' }, 0)
    expect(starts(master, 0)).toEqual(['c 0 on m-0'])
  })

  it.each([strict(), easy(), conservative()])('leaves fewer tasks of its gang to start at once: $name', (policy) => {
    const master = dispatcher({ cluster: { nodes: [{ count: 1, name: 'm', resources: { procs: 4 } }] }, policy })
    master.submit({ id: 'gang', stages: [{ name: 's', tasks: 3, demand: { procs: 2 }, gang: true, minTasks: 2 }] }, 0)
    master.adopt({ job: 'gang', node: 'm-0' }, 1)
    expect(starts(master, 2)).toEqual(['gang 1 on m-0'])
  })

  it('is expected to end when its estimate is over, counted from the time of the call', () => {
    // 8 processors: a has 6 from 0 to 100 s, b has to wait for them, and c fits beside a until then
    const master = dispatcher({ cluster: { nodes: [{ count: 1, name: 'm', resources: { procs: 8 } }] }, policy: easy(), promised: (id, start) => promised.push(`${id} by ${start}`) })
    const promised: string[] = []
    for (const [id, procs, estimate] of [['a', 6, 100], ['b', 8, 50], ['c', 2, 60], ['d', 2, 20]] as const) master.submit({ id, estimate, stages: [{ name: 's', tasks: 1, demand: { procs } }] }, 0)
    master.adopt({ job: 'a', node: 'm-0' }, 0)
    expect([starts(master, 50), promised]).toEqual([['d 0 on m-0'], ['b by 100']])
  })

  it.each([
    ['no job in the system is called "b"', { job: 'b', node: 'n-0' }],
    ['no node is called "n-2"', { job: 'a', node: 'n-2' }],
    ['job a has no stage 2', { job: 'a', stage: 2, node: 'n-0' }],
    ['job a has no task 5 of stage 0', { job: 'a', task: 5, node: 'n-0' }],
    ['job a has a stage 1 that waits for others', { job: 'a', stage: 1, node: 'n-0' }],
    ['job a has a task 0 of stage 0 that runs already', { job: 'a', task: 0, node: 'n-0' }],
    ['job a has a task 1 of stage 0 that has ended', { job: 'a', task: 1, node: 'n-0' }],
    ['a task of job a has no room on node n-1', { job: 'a', node: 'n-1' }],
    ['a task of job large has no room on node n-0', { job: 'large', node: 'n-0' }],
  ])('is refused, and changes nothing: %s', (message, running) => {
    const master = dispatcher({ cluster, policy: greedy(fifo()) })
    master.submit({ id: 'a', stages: [{ name: 's', tasks: 3, demand: { cpu: 1 } }, { name: 't', tasks: 1, demand: { cpu: 1 }, after: [{ stage: 0, fraction: 1 }] }] }, 0)
    master.submit({ id: 'large', stages: [{ name: 's', tasks: 1, demand: { cpu: 4 } }] }, 0)
    master.adopt({ job: 'a', node: 'n-0' })
    master.taskEnded(master.adopt({ job: 'a', node: 'n-0' }))
    master.nodeDown('n-1')
    expect(() => master.adopt(running)).toThrow(message)
    master.nodeUp('n-1')
    expect(starts(master)).toEqual(['a 2 on n-0', 'large 0 on n-1'])
  })
})

describe('a job that changes while it runs', () => {
  it('is cancelled, submitted anew and takes over what runs of it, and what has ended', () => {
    const master = dispatcher({ cluster: { nodes: [{ count: 1, name: 'm', resources: { cpu: 4 } }] }, policy: greedy(priority()) })
    const job = (id: string, tasks: number, change: object = {}) => ({ id, stages: [{ name: 's', tasks, demand: { cpu: 1 } }], ...change })
    for (const id of ['a', 'b']) master.submit(job(id, 6), 0)
    const [ended] = master.pass(0).start as [Placed]
    master.taskEnded(ended, 5)
    const running = master.cancel('a', 5)
    for (const placed of running) master.taskEnded(placed, 5) // frees their nodes for the next calls; nobody is killed
    master.submit(job('a', 8, { priority: -1 }), 5)
    const [again, ...placed] = [ended, ...running].map(({ stage, task, node }) => master.adopt({ job: 'a', stage, task, node }, 5)) as [Placed, ...Placed[]]
    master.taskEnded(again, 5)
    expect(placed.map(({ task }) => task)).toEqual([1, 2, 3])
    expect(master.pass(5).start.map(({ job: id }) => id)).toEqual(['b'])
    for (const each of placed) master.taskEnded(each, 6)
    expect(master.pass(6).start.map(({ job: id }) => id)).toEqual(['b', 'b', 'b'])
    expect(master.work.unplaced(master.work.jobs().find((each) => master.work.name(each) === 'a')!, 0 as LaneId)).toBe(4)
  })
})

const ids = (placed: readonly Placed[]) => placed.map(({ job: id }) => id)

describe('a dispatcher for other nodes', () => {
  it.each([
    ['conservative', () => conservative()],
    ['kueue', () => kueue()],
    ['volcano', () => volcano()],
  ])('takes over what runs on those that stay, and what was decided, under %s', (_, policy) => {
    const job = (id: string, tasks: number) => ({ id, estimate: 10, stages: [{ name: 's', tasks, gang: true, demand: { cpu: 1 } }] })
    const make = (count: number) => dispatcher({ cluster: { nodes: [{ count, name: 'n', resources: { cpu: 2 } }] }, policy: policy() })
    const before = make(3)
    for (const [id, tasks] of [['a', 4], ['b', 4], ['c', 2]] as const) before.submit(job(id, tasks), 0)
    const running = before.pass(0).start
    const after = make(5)
    for (const [id, tasks] of [['a', 4], ['b', 4], ['c', 2]] as const) after.submit(job(id, tasks), 0)
    for (const placed of running) after.adopt(placed, 0)
    after.recall(before.memory())
    expect([ids(running), ids(after.pass(1).start)]).toEqual([['a', 'a', 'a', 'a', 'c', 'c'], ['b', 'b', 'b', 'b']])
  })
})

describe('the memory of a dispatcher', () => {
  const cluster = { nodes: [{ count: 1, name: 'm', resources: { cpu: 8 } }] }
  const job = (id: string, cpu: number, change: object = {}) => ({ id, estimate: 50, stages: [{ name: 's', tasks: 1, demand: { cpu } }], ...change })
  /** Of three jobs the first runs, the second has been decided about, and the third is more important; which starts when the first ends? */
  function next(policy: () => Parameters<typeof dispatcher>[0]['policy'], remembers: boolean): readonly string[] {
    const jobs = [job('first', 8), job('second', 8), job('important', 8, { priority: 9 })]
    const before = dispatcher({ cluster, policy: policy() })
    for (const [now, spec] of jobs.entries()) {
      before.submit(spec, now)
      before.pass(now)
    }
    const memory = JSON.stringify(before.memory())
    const after = dispatcher({ cluster, policy: policy() })
    after.submit(jobs[0]!, 0)
    const running = after.adopt({ job: 'first', node: 'm-0' }, 0)
    for (const [now, spec] of jobs.entries()) if (now > 0) after.submit(spec, now)
    if (remembers) after.recall(JSON.parse(memory) as DispatcherMemory)
    after.taskEnded(running, 40)
    return ids(after.pass(40).start)
  }

  it.each([
    ['whom conservative has promised a start', () => conservative(priority())],
    ['who was the first of easy that keeps it', () => easy(priority(), { keepHead: true })],
    ['and of strict', () => strict(priority(), { keepHead: true })],
    ['whom kueue has admitted', () => kueue({ defaults: { nominalQuota: { cpu: 16 } } })],
  ])('says %s, who would come behind one that is more important', (_, policy) => {
    expect([next(policy, true), next(policy, false)]).toEqual([['second'], ['important']])
  })

  it('says what was promised and when the policy wants to be asked; who came after it is placed behind that', () => {
    const told: string[] = []
    const make = () => dispatcher({ cluster, policy: conservative(priority()), promised: (id, start) => told.push(`${id} by ${start}`) })
    const before = make()
    for (const id of ['a', 'b']) before.submit(job(id, 8), 0)
    before.pass(0)
    expect([told.splice(0), before.nextWake]).toEqual([['a by 0', 'b by 50'], 50])
    const after = make()
    for (const id of ['a', 'b']) after.submit(job(id, 8), 0)
    after.adopt({ job: 'a', node: 'm-0' }, 0)
    after.recall(before.memory())
    expect(after.nextWake).toBe(50)
    after.submit(job('c', 8, { priority: 9 }), 10)
    after.pass(10)
    expect(told).toEqual(['c by 100'])
  })

  it('says since when kueue has admitted a job, so that others spare it no longer than without a restart', () => {
    const queues = { a: { nominalQuota: { cpu: 4 } }, b: { nominalQuota: { cpu: 4 } } }
    const policy = () => kueue({ queues, defaults: { cohort: 'all', preemption: { reclaimWithinCohort: 'Any' } }, preemptionProtection: { reclaimWithinCohort: { minAdmitDuration: 30 } } })
    const [borrower, owner] = [job('borrower', 8, { queue: 'a' }), job('owner', 4, { queue: 'b' })]
    const before = dispatcher({ cluster, policy: policy() })
    before.submit(borrower, 0)
    before.pass(0)
    const after = dispatcher({ cluster, policy: policy() })
    after.submit(borrower, 0)
    after.adopt({ job: 'borrower', node: 'm-0' }, 0)
    after.recall(before.memory())
    after.submit(owner, 1)
    expect([1, 29, 30].map((now) => ids(after.pass(now).kill))).toEqual([[], [], ['borrower']])
  })

  it('passes over jobs that have left', () => {
    const before = dispatcher({ cluster, policy: conservative() })
    for (const id of ['a', 'b', 'c']) before.submit(job(id, 8), 0)
    before.pass(0)
    const after = dispatcher({ cluster, policy: conservative() })
    after.submit(job('c', 8), 0)
    after.recall(before.memory())
    expect(ids(after.pass(0).start)).toEqual([])
    expect(ids(after.pass(100).start)).toEqual(['c']) // as promised
  })

  it.each([
    ['the memory of a dispatcher with the policy "easy", and this one has "conservative"', dispatcher({ cluster, policy: easy() }).memory()],
    ['of version 1, and this @sched/cluster reads version 4', { policy: 'conservative', now: 0, wakes: [], draws: {} } as unknown as DispatcherMemory],
    ['no memory of a dispatcher, and this one has "conservative"', JSON.parse('null') as DispatcherMemory],
  ])('is refused where it is %s', (fact, memory) => {
    expect(() => { dispatcher({ cluster, policy: conservative() }).recall(memory) }).toThrow(`memory: it is ${fact}. Give what \`memory\` of one with the same policy, options and version returned`)
  })
})
