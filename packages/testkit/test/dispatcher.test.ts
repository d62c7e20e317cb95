import { dispatcher, type Decisions, type Dispatcher, type Placed } from '@sched/cluster'
import type { JobId, JobSpec, Round, TaskId } from '@sched/core'
import { HeartbeatRing } from '@sched/sim'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { cluster, instantCluster, job, mapReduceJob, run, worlds, type Recorder, type World } from '../src/index.js'
import { evicting, inOrder, policyOf, startAll } from './policies.js'

const lines = (placed: readonly Placed[]) => placed.map(({ job, task, node }) => `${job}.${task} on ${node}`)

describe('a dispatcher', () => {
  it('starts tasks in reply to heartbeats, as far as the node has room', () => {
    const master = dispatcher({ cluster: cluster({ nodes: 2, racks: 1 }), policy: inOrder() })
    master.submit(job({ tasks: 3 }), 0)
    const first = master.heartbeat('node-1', 1).start
    expect(lines(first)).toEqual(['job.0 on node-1', 'job.1 on node-1'])
    expect(master.heartbeat('node-1', 2).start).toEqual([])
    master.taskEnded(first[0] as Placed, 3)
    expect(lines(master.heartbeat('node-1', 4).start)).toEqual(['job.2 on node-1'])
  })

  it('starts no more than the node says it has free', () => {
    const master = dispatcher({ cluster: cluster({ nodes: 2, racks: 1 }), policy: inOrder() })
    master.submit(job({ tasks: 3 }), 0)
    expect([0, 1, 9].map((free) => master.heartbeat('node-0', 1, { free }).start.length)).toEqual([0, 1, 1])
  })

  it('runs a job from its first stage to its end', () => {
    const master = dispatcher({ cluster: cluster({ nodes: 1, racks: 1 }), policy: inOrder() })
    const { stages } = mapReduceJob(2, 1)
    master.submit({ id: 'a', submit: 0, stages: stages.map(({ data: _, ...stage }) => stage) }, 0)
    const [m0, m1] = master.heartbeat('node-0', 0).start as [Placed, Placed]
    expect([m0.stage, m1.stage, master.taskEnded(m0, 5)]).toEqual([0, 0, false])
    const [reduce] = master.heartbeat('node-0', 6).start as [Placed]
    expect([reduce.stage, reduce.task, master.taskEnded(reduce, 9), master.taskEnded(m1, 10), master.work.active]).toEqual([1, 0, false, true, 0])
  })

  it('starts nothing else of a job before its master, and again when that has failed; its end is told by who runs it', () => {
    const slots = dispatcher({ cluster: instantCluster({ nodes: [{ count: 1, slots: { slot: 3 } }] }), policy: inOrder() })
    const stage = (change: object) => ({ name: 'work', tasks: 1, demand: { slot: 1 }, duration: 0, ...change })
    slots.submit({ id: 'a', submit: 0, stages: [stage({ master: true }), stage({ tasks: 2 })] }, 0)
    const stages = (now: number) => slots.pass(now).start.map(({ stage: each }) => each)
    const [first] = slots.pass(0).start as [Placed]
    const [one, two] = slots.pass(1).start as [Placed, Placed]
    expect([first, one, two].map(({ stage: each }) => each)).toEqual([0, 1, 1])
    slots.taskEnded(one, 2)
    slots.taskFailed(first, 3)
    slots.taskFailed(two, 3)
    const [again] = slots.pass(4).start as [Placed]
    expect([again.stage, stages(5)]).toEqual([0, [1]])
    slots.taskEnded({ id: again.id + 1 }, 6)
    expect([slots.taskEnded(again, 7), slots.work.active]).toEqual([true, 0])
  })

  it('takes jobs without the times that only a simulator reads', () => {
    const master = dispatcher({ cluster: cluster({ nodes: 1, racks: 1 }), policy: inOrder() })
    master.submit({ id: 'a', stages: [{ name: 'map', tasks: 1, demand: { map: 1 } }] }, 7)
    expect(lines(master.heartbeat('node-0', 8).start)).toEqual(['a.0 on node-0'])
  })

  it('tells where a task is relative to its data', () => {
    const master = dispatcher({ cluster: cluster({ nodes: 4, racks: 2 }), policy: inOrder() })
    master.submit(job({ tasks: 3, data: { hosts: [['node-0'], ['node-1', 'node-2'], ['node-3']] } }), 0)
    expect(master.heartbeat('node-2', 0).start.map(({ task, level }) => [task, level])).toEqual([[1, 0], [2, 1]])
    expect(master.heartbeat('node-3', 0).start.map(({ task, level }) => [task, level])).toEqual([[0, 2]])
  })

  it('passes over all nodes where there are no heartbeats', () => {
    const master = dispatcher({ cluster: instantCluster({ nodes: 2, racks: 1 }), policy: inOrder() })
    master.submit(job({ tasks: 3 }), 0)
    expect(lines(master.pass(0).start)).toEqual(['job.0 on node-0', 'job.1 on node-0', 'job.2 on node-1'])
  })

  it('gives a policy that asked for a round all nodes in a pass, and none in a tick', () => {
    const atTen = policyOf(() => (round, jobs) => {
      if (round.now < 10) round.wakeAt(10)
      else for (const job of jobs) startAll(round, job)
    })
    const master = dispatcher({ cluster: instantCluster({ nodes: 1, racks: 1 }), policy: atTen })
    master.submit(job(), 0)
    expect([master.pass(0).start.length, master.nextWake]).toEqual([0, 10])
    expect([lines(master.tick(10).start), lines(master.pass(10).start)]).toEqual([[], ['job.0 on node-0']])
  })

  it('tells which tasks to kill; they are pending again', () => {
    const master = dispatcher({ cluster: cluster({ nodes: 1, racks: 1 }), policy: evicting() })
    master.submit(job({ tasks: 3 }), 0)
    master.heartbeat('node-0', 0)
    const { start, kill } = master.heartbeat('node-0', 3)
    expect([lines(kill), lines(start)]).toEqual([['job.0 on node-0'], ['job.2 on node-0']])
    expect(() => master.taskEnded(kill[0] as Placed)).toThrow(/start 0 has ended but does not run/)
    expect(lines(master.heartbeat('node-0', 6, { free: 1 }).kill)).toEqual(['job.1 on node-0'])
  })

  it('starts a failed task again, and nothing more of a cancelled job', () => {
    const master = dispatcher({ cluster: cluster({ nodes: 1, racks: 1 }), policy: inOrder() })
    master.submit(job({ id: 'a', tasks: 3 }), 0)
    master.submit(job({ id: 'b' }), 0)
    const [a0, a1] = master.heartbeat('node-0', 0).start as [Placed, Placed]
    master.taskFailed(a0, 1)
    const [again] = master.heartbeat('node-0', 2).start
    expect(again).toEqual({ ...a0, id: 2 })
    expect(lines(master.cancel('a', 3))).toEqual(['a.0 on node-0', 'a.1 on node-0'])
    expect([master.taskEnded(a1, 4), lines(master.heartbeat('node-0', 5).start)]).toEqual([false, ['b.0 on node-0']])
    master.taskFailed(again as Placed, 6) // the last of it: the job has left
    expect([master.work.active, master.cancel('b', 7).length, master.heartbeat('node-0', 8).start]).toEqual([1, 1, []])
    expect(() => master.cancel('a')).toThrow('no job in the system is called "a".')
  })

  it.each<[string, (round: Round, first: JobId, running: readonly TaskId[]) => void, Partial<Decisions>]>([
    ['kills', (round, _, running) => running.forEach((task) => round.evict(task)), {}],
    ['suspends, which is to kill them,', (round, _, running) => running.forEach((task) => round.suspendTask(task, [])), {}],
    ['gives up', (round, first) => round.cancelJob(first), { cancelled: ['a'] }],
  ])('starts nothing of a cancelled job of which the policy %s the tasks that still run', (_, take, also) => {
    const taking = policyOf(() => (round, jobs) => {
      const running: TaskId[] = []
      const [first] = jobs
      if (first !== undefined && round.now === 10) round.work.runningTasks(first, round.lane, running)
      if (running.length > 0) take(round, first as JobId, running)
      for (const job of jobs) startAll(round, job)
    })
    const master = dispatcher({ cluster: instantCluster({ nodes: 1, racks: 1 }), policy: taking })
    for (const id of ['a', 'b']) master.submit(job({ id, tasks: 2 }), 0)
    master.pass(0)
    expect(lines(master.cancel('a', 5))).toEqual(['a.0 on node-0', 'a.1 on node-0'])
    const { start, kill, ...others } = master.pass(10)
    expect([lines(kill), others]).toEqual([['a.0 on node-0', 'a.1 on node-0'], also])
    expect(lines([...start, ...master.pass(11).start])).toEqual(['b.0 on node-0', 'b.1 on node-0'])
    master.submit(job({ id: 'a' }), 12) // the first of that name has left
    expect(master.work.active).toBe(2)
  })

  describe('whose policy stops in one lane what it has started in another', () => {
    type Stop = (round: Round, task: TaskId) => void
    /** Starts all it can; in the lane of the second job it then stops the first, by what is listed for the time. */
    const stopping = (at: Readonly<Record<number, Stop>>) =>
      policyOf(() => (round, jobs) => {
        const [first, second] = jobs
        if (first === undefined || second === undefined) return
        if (round.work.unplaced(first, round.lane) > 0) startAll(round, first)
        if (round.work.unplaced(second, round.lane) === 0) return
        const running: TaskId[] = []
        for (let lane = 0; lane < round.cluster.lanes.length; lane++) round.work.runningTasks(first, lane as never, running)
        for (const task of running) at[round.now]?.(round, task)
      })
    const suspend: Stop = (round, task) => round.suspendTask(task, [])
    const begun = (at: Readonly<Record<number, Stop>>) => {
      const master = dispatcher({ cluster: instantCluster({ nodes: 1, racks: 1 }), policy: stopping(at) })
      master.submit(job({ id: 'a' }), 0)
      master.submit(job({ id: 'b', demand: { reduce: 1 } }), 0)
      return master
    }

    it.each<[string, Stop]>([['kills', (round, task) => round.evict(task)], ['suspends', suspend]])('lists neither where it %s that, and starts it when it may', (_, stop) => {
      const master = begun({ 0: stop })
      expect([master.pass(0), master.nextWake]).toEqual([{ start: [], kill: [] }, 0])
      expect(lines(master.pass(1).start)).toEqual(['a.0 on node-0'])
    })

    it('lists nothing of a job that it gives up but that it has left', () => {
      const master = begun({ 0: (round, task) => round.cancelJob(round.work.jobOf(task)) })
      expect(master.pass(0)).toEqual({ start: [], kill: [], cancelled: ['a'] })
    })

    it('leaves a task suspended that it has let go on and suspends again', () => {
      const master = begun({ 1: suspend, 2: suspend })
      master.pass(0)
      expect(lines(master.pass(1).suspend ?? [])).toEqual(['a.0 on node-0'])
      expect(master.pass(2)).toEqual({ start: [], kill: [] })
      expect(lines(master.pass(3).resume ?? [])).toEqual(['a.0 on node-0'])
    })

    it('remembers what it has suspended before it began', () => {
      const master = begun({ 0: suspend })
      master.pass(0)
      const memory = JSON.parse(JSON.stringify(master.memory())) as ReturnType<Dispatcher['memory']>
      expect(memory.interrupted).toEqual([{ job: 'a', stage: 0, task: 0, on: { node: 'node-0', frees: [] } }])
      const next = begun({})
      next.recall(memory)
      expect(next.pass(1)).toMatchObject({ start: [{ job: 'a', node: 'node-0' }], kill: [] })
    })
  })

  it('places nothing on a node that is down', () => {
    const master = dispatcher({ cluster: instantCluster({ nodes: 2 }), policy: inOrder() })
    master.submit(job({ id: 'a', tasks: 9 }), 0)
    const placed = master.pass(0).start
    const [lost] = placed.filter(({ node }) => node === 'node-0') as [Placed]
    master.nodeDown('node-0', 1)
    master.taskFailed(lost, 1)
    expect(master.pass(1).start).toEqual([])
    master.nodeUp('node-0', 2)
    expect(lines(master.pass(2).start)).toEqual([`a.${lost.task} on node-0`])
    expect(() => master.nodeDown('node-7', 3)).toThrow(/node-7/)
  })

  it('tells what a policy promises', () => {
    const promises: string[] = []
    const promising = policyOf(() => (round, jobs) => void (round.lane === 0 && jobs.forEach((each) => round.reserve(each, round.now + 5))))
    const master = dispatcher({ cluster: instantCluster(), policy: promising, promised: (name, start) => void promises.push(`${name} at ${start}`) })
    master.submit(job(), 0)
    master.pass(1)
    expect(promises).toEqual(['job at 6'])
  })

  it('keeps the time at which the policy wants to be asked', () => {
    const waiting = policyOf(() => (round, jobs) => {
      if (round.now < 8) round.wakeAt(8)
      else for (const each of jobs) startAll(round, each)
    })
    const master = dispatcher({ cluster: instantCluster(), policy: waiting })
    master.submit(job(), 0)
    expect([master.pass(0).start.length, master.nextWake]).toEqual([0, 8])
    expect([master.tick(8).start.length, master.nextWake]).toEqual([0, Infinity])
    expect(master.pass(8).start).toHaveLength(1)
  })

  it('wants to be asked at once after a restart, unless the memory tells when', () => {
    const cluster = instantCluster({ nodes: [{ count: 1, resources: { cpu: 1 } }] })
    const begin = () => dispatcher({ cluster, policy: policyOf(() => (round) => { if (round.now < 8) round.wakeAt(8) }) })
    const one = job({ id: 'a', demand: { cpu: 1 } })
    const before = begin()
    before.submit(one, 1)
    const first = [before.nextWake, (before.pass(1), before.nextWake)]
    const told = () => {
      const after = begin()
      after.submit(one, 1, { again: true })
      return after
    }
    const [blank, recalling] = [told(), told()]
    recalling.recall(before.memory())
    expect([first, blank.nextWake, (blank.pass(3), blank.nextWake), recalling.nextWake]).toEqual([[Infinity, 8], 1, 8, 8])
  })

  /** Asks for rounds at some times, as soon as it can, and notes when it has them. */
  const asking = (rounds: number[], ...times: readonly number[]) => policyOf(() => (round) => {
    rounds.push(round.now)
    if (rounds.length === 1) for (const time of times) round.wakeAt(time)
  })

  it('keeps every time for which the policy asked, until it has been asked', () => {
    const rounds: number[] = []
    const master = dispatcher({ cluster: instantCluster({ nodes: [{ count: 1, resources: { cpu: 1 } }] }), policy: asking(rounds, 20, 10, 20, 30) })
    master.submit(job({ id: 'a', demand: { cpu: 1 } }), 0)
    master.pass(0)
    const wakes = [master.nextWake]
    master.submit(job({ id: 'b', demand: { cpu: 1 } }), 10) // no answer to what is due
    wakes.push(master.nextWake)
    for (const now of [10, 25, 31]) {
      master.pass(now)
      wakes.push(master.nextWake)
    }
    expect(wakes).toEqual([10, 10, 20, 30, Infinity])
    expect(rounds).toEqual([0, 10, 25, 31])
  })

  it('asks a policy at the next heartbeat where nobody called in time, with no node in sight', () => {
    const rounds: number[] = []
    const master = dispatcher({ cluster: cluster({ nodes: [{ count: 1, resources: { cpu: 1 } }], heartbeat: { interval: 3 } }), policy: asking(rounds, 4) })
    master.submit(job({ demand: { cpu: 1 } }), 0)
    master.heartbeat('node-0', 0)
    master.submit(job({ id: 'b', demand: { cpu: 1 } }), 5)
    expect(master.nextWake).toBe(4)
    master.heartbeat('node-0', 6)
    expect([rounds, master.nextWake]).toEqual([[0, 6, 6], Infinity])
  })

  it('wants another pass at once where the policy has killed, since more may fit', () => {
    const master = dispatcher({ cluster: instantCluster({ nodes: [{ count: 1, resources: { cpu: 2 } }] }), policy: evicting() })
    master.submit(job({ tasks: 3, demand: { cpu: 1 } }), 0)
    master.pass(0)
    expect(master.nextWake).toBe(Infinity)
    expect([lines(master.pass(1).kill), master.nextWake]).toEqual([['job.0 on node-0'], 1])
  })

  it('has no round for a node that is down, nor where nothing waits', () => {
    const rounds: number[] = []
    const master = dispatcher({ cluster: cluster({ nodes: [{ count: 2, resources: { cpu: 1 } }], heartbeat: { interval: 3 } }), policy: asking(rounds) })
    master.heartbeat('node-0', 0)
    master.submit(job({ demand: { cpu: 1 } }), 1)
    master.nodeDown('node-0', 1)
    master.heartbeat('node-0', 3)
    master.heartbeat('node-1', 4)
    expect(rounds).toEqual([4])
  })

  it.each<[string, (master: Dispatcher) => void, RegExp]>([
    ['a heartbeat of an unknown node', (master) => void master.heartbeat('nod-1', 0), /no node is called "nod-1". Did you mean "node-1"/],
    ['a time that is text', (master) => void master.pass('3' as never), /it is 0 s, and now "3" s. Times are numbers that never go back/],
    ['the end of nothing', (master) => void master.taskEnded(undefined as never), /start undefined has ended but does not run. Give what `start`, `resume` or `adopt` answered: its `id` is the number of the start./],
    ['a node without a name', (master) => master.nodeDown(undefined as never), /no node is called "undefined"/],
    ['a job without an id', (master) => master.submit({ stages: [{ name: 'map', tasks: 1, demand: { map: 1 } }] } as never), /id: the job has none. Give each an id of its own/],
    ['time that goes back', (master) => { master.heartbeat('node-0', 5); master.heartbeat('node-0', 4) }, /it is 5 s, and now 4 s/],
    ['the end of a task that was never started', (master) => { master.submit(job(), 0); master.taskEnded({ id: 0 }) }, /start 0 has ended but does not run/],
    ['an end told twice, though another job has the place of the first', (master) => {
      master.submit(job({ id: 'a' }), 0)
      const [first] = master.pass(0).start as [Placed]
      master.taskEnded(first)
      master.submit(job({ id: 'b' }), 1)
      master.pass(1)
      master.taskEnded(first)
    }, /start 0 has ended but does not run. Tell each end once/],
    ['the end of a task that had failed before', (master) => {
      master.submit(job(), 0)
      const [first] = master.pass(0).start as [Placed]
      master.taskFailed(first)
      master.pass(1)
      master.taskEnded(first)
    }, /start 0 has ended/],
    ['two jobs of one name', (master) => { master.submit(job()); master.submit(job()) }, /a job called "job" is in the system/],
    ['a job without a stage', (master) => master.submit({ id: 'a', submit: 0, stages: [] }), /stages: job a has none. Give at least one/],
    ['a stage without a task', (master) => master.submit(job({ tasks: 0 })), /stages\[0\].tasks: job job has 0/],
    ['a task larger than every node', (master) => master.submit(job({ demand: { map: 3 } })), /asks \{"map":3\}, more than any node .*has. Use larger nodes.$/],
    ['a gang larger than the cluster', (master) => master.submit(job({ tasks: 99, gang: true })), /starts 99 tasks of \{"map":1\} at once/],
    ['a priority that is none, by which others would be compared', (master) => { master.submit({ ...job(), priority: NaN }) }, /priority: job job has NaN. Give a finite number; larger is more important/],
    ['a priority that is text', (master) => { master.submit({ ...job(), priority: '5' } as never) }, /priority: job job has "5"/],
    ['an estimate below 0', (master) => { master.submit({ ...job(), estimate: -1 }) }, /estimate: job job has -1. Give seconds, at least 0, or leave it out/],
    ['a weight of 0', (master) => { master.submit({ ...job(), weight: 0 }) }, /weight: job job has 0. Give a number above 0/],
    ['a user that is no text, beside which "5" would be another', (master) => { master.submit({ ...job(), user: 5 } as never) }, /user: job job has 5. Give a text, or leave it out/],
    ['a job that is none', (master) => { master.submit(null as never) }, /job: it is null. Give an object with `id` and `stages`/],
    ['less than no free slots', (master) => { master.heartbeat('node-0', 0, { free: -1 }) }, /free: node node-0 has room for -1 starts. Give a number, at least 0/],
    ['free slots that are no number', (master) => { master.heartbeat('node-0', 0, { free: NaN }) }, /free: node node-0 has room for NaN starts/],
    ['data without hosts', (master) => master.submit(job({ tasks: 2, data: { hosts: [['node-0']] } })), /has 2 tasks and 1 lists of hosts/],
    ['a block on an unknown node', (master) => master.submit(job({ data: { hosts: [['disk-7']] } })), /a block on "disk-7", which is no node/],
  ])('refuses %s', (_, act, message) => {
    expect(() => act(dispatcher({ cluster: cluster(), policy: inOrder() }))).toThrow(message)
  })

  it('tells what to do about a job, and about a change of one, that the policy does not admit', () => {
    const plain = inOrder()
    const strict = { ...plain, create: (env: Parameters<typeof plain.create>[0]) => ({ ...plain.create(env), admits: ({ priority = 0 }: JobSpec) => (priority > 1 ? 'priorities end at 1' : undefined) }) }
    const master = dispatcher({ cluster: cluster(), policy: strict })
    master.submit(job(), 0)
    expect(() => master.submit({ ...job({ id: 'b' }), priority: 2 }, 0)).toThrow('job b: priorities end at 1. Change the job, or the options of the policy that refuses it.')
    expect(() => master.update('job', { priority: 2 }, 0)).toThrow('job job: priorities end at 1. The job stays as it was. Give it other values, or the policy other options.')
  })
})

describe('options of a program without types', () => {
  it.each<[Readonly<Record<string, unknown>> | undefined, string]>([
    [undefined, 'cluster: is missing. Describe one, for example { nodes: [{ count: 10, resources: { cpu: 8 } }] }.'],
    [{ policy: 'fifo' }, 'policy: is "fifo", and a policy is needed.'],
    [{ seed: '1' }, 'seed: seed is "1". Use a whole number.'],
    [{ promised: 3 }, 'promised: is no function. Give one, or leave it out.'],
    [{ promise: () => undefined }, 'promise: unknown key "promise". Did you mean "promised"?'],
  ])('are looked at: %j', (change, message) => {
    expect(() => dispatcher(change === undefined ? (undefined as never) : { cluster: cluster(), policy: inOrder(), ...change })).toThrow(message)
  })
})

describe('a policy in a dispatcher', () => {
  /** Feeds a dispatcher with the submissions, heartbeats and ends of a simulated run; returns what it starts. */
  function replay(world: World, recorder: Recorder): string[] {
    const master = dispatcher({ cluster: world.cluster, policy: inOrder() })
    const nodes = master.cell.nodes
    const ring = new HeartbeatRing(world.cluster.heartbeat ?? { interval: 1, stagger: false }, nodes)
    const specs = new Map(world.jobs.map((each) => [each.id, each]))
    const running = new Map<string, Placed>()
    const starts: string[] = []
    const inputs = recorder.events.filter(({ kind }) => kind === 'submit' || kind === 'end')
    for (let i = 0; i < inputs.length || running.size > 0; ring.advance()) {
      for (let event = inputs[i]; event !== undefined && event.time <= ring.next; event = inputs[++i])
        if (event.kind === 'submit') master.submit(specs.get(event.job) as World['jobs'][number], event.time)
        else if (event.kind === 'end') master.taskEnded(running.get(`${event.job}.${event.stage}.${event.task}`) as Placed, event.time)
      for (const placed of master.heartbeat(master.cell.name(ring.node), ring.next).start) {
        running.set(`${placed.job}.${placed.stage}.${placed.task}`, placed)
        starts.push(`${ring.next} ${placed.job}.${placed.stage}.${placed.task} on ${placed.node}`)
      }
      if (i >= inputs.length) break
    }
    return starts
  }

  it('decides as in the simulator, told of the same heartbeats and ends', { tags: 'long' }, () => {
    // without set-up costs, data and chains, of which this dispatcher is not told; heartbeats in turn
    const plain = worlds({ heartbeats: true }).map((world) => ({
      ...world,
      claims: undefined,
      commitPendingBug: false,
      cluster: { ...world.cluster, heartbeat: { interval: 3, stagger: true } },
      jobs: world.jobs.map(({ startup: _, after: _after, ...each }) => ({ ...each, stages: each.stages.map(({ data: _, ...stage }) => ({ ...stage, duration: 4 })) })),
    }))
    fc.assert(
      fc.property(plain, (world) => {
        const { recorder } = run({ policy: inOrder(), jobs: world.jobs, cluster: world.cluster, infeasible: 'reject' })
        expect(replay(world, recorder)).toEqual(recorder.launches.map(({ time, job, stage, task, node }) => `${time} ${job}.${stage}.${task} on ${node}`))
      }),
      { seed: 9, numRuns: 60 },
    )
  })
})
