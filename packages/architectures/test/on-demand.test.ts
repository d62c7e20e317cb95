import { definePolicy, forwarding, type JobId, type LaneId, type NodeId, type OptionsSchema, type Plug, type ResourceId, type Round, type TaskId } from '@sched/core'
import { capacityScheduler, easy, fair, fifo, greedy, preempting, priority, replan, strict } from '@sched/policies'
import { job, mapJob, run } from '@sched/testkit'
import { describe, expect, it } from 'vitest'
import { monolithic, onDemand, type OnDemandOptions } from '../src/index.js'
import { cpuJob, cpus, play, type Outcome } from './world.js'

/** When each job started first. */
const starts = ({ recorder }: Outcome) => Object.fromEntries(recorder.launches.map(({ job, time }) => [job, time] as const).reverse())
const ends = ({ recorder }: Outcome) => recorder.finishes()
const abandoned = ({ recorder }: Outcome) => recorder.events.flatMap((event) => (event.kind === 'abandon' ? [event.job] : []))
const nodesOf = ({ recorder }: Outcome, job: string) => [...new Set(recorder.launches.filter((launch) => launch.job === job).map(({ node }) => node))].sort()
const LANE = 0 as LaneId
const fcfs = (options: OnDemandOptions = {}) => onDemand(strict(), options)

describe('the allocation of virtual clusters', () => {
  // 10 nodes. A has 6 of them until 100, so 4 are free: B asks for 5 and waits until 100. FCFS keeps C behind B; EASY
  // sees that C, with 3 of the 4 free nodes, ends at 20 + 20 = 40, before B's shadow time 100.
  const jobs = [
    cpuJob('A', { tasks: 6, duration: 100, estimate: 100 }),
    cpuJob('B', { tasks: 5, duration: 50, estimate: 50, submit: 10 }),
    cpuJob('C', { tasks: 3, duration: 20, estimate: 20, submit: 20 }),
  ]
  const startsBy = (allocation: Plug<'policy'>, change = jobs) => starts(play(onDemand(allocation), change, { cluster: cpus(10, 1) }))

  it('is first come, first served, or by EASY (survey, fact 7)', () => {
    expect(startsBy(strict())).toEqual({ A: 0, B: 100, C: 100 })
    expect(startsBy(easy())).toEqual({ A: 0, B: 100, C: 20 })
  })

  it('forgets requests that wait for a limit of one order when another has started them', () => {
    // nobody may go before others, so EASY is FCFS; what ends has waited in the order of backfilling all the time
    const together = jobs.map((each) => ({ ...each, submit: 0 }))
    expect(startsBy(easy(fifo(), { backfillOrder: fair({ userMaxRunningJobs: 0 }) }), together)).toEqual({ A: 0, B: 100, C: 100 })
  })

  it('may be any policy in any order: requests have the priority, user and queue of their job', () => {
    expect(startsBy(greedy(fifo()))).toEqual({ A: 0, B: 100, C: 20 })
    const urgent = [...jobs, cpuJob('D', { tasks: 9, duration: 10, estimate: 10, submit: 30, priority: 1 })]
    expect(startsBy(strict(priority()), urgent)).toEqual({ A: 0, B: 110, C: 110, D: 100 })
  })

  it('tells its policy of requests as of jobs: they come first and want nodes then, and hold none when these are gone', () => {
    const two = ['A', 'B'].map((id) => cpuJob(id, { duration: 10 }))
    const told: string[] = []
    const inner = strict()
    const telling = definePolicy({
      name: 'telling',
      summary: 'notes what requests want and hold when it is told of them',
      create: (_, env) => {
        const starting = inner.create(env)
        const note = (hook: string) => (id: JobId) => void told.push(`${hook} ${env.work.name(id)} ${env.work.unplaced(id, LANE)} ${env.work.running(id, LANE)}`)
        return { ...forwarding(starting, { onSubmit: note('comes'), onReady: note('ready'), onClaim: note('gets'), onRelease: note('gives') }), schedule: (round: Round) => starting.schedule(round) }
      },
    })
    expect(startsBy(telling.plug({}), two.slice(0, 1))).toEqual({ A: 0 })
    expect(told).toEqual(['comes A 0 0', 'ready A 1 0', 'gets A 0 1', 'gives A 0 0'])
    expect(starts(play(onDemand(capacityScheduler()), two, { cluster: cpus(1, 1) }))).toEqual({ A: 0, B: 10 })
  })

  it('has no round more in an instant in which its policy asks for one', () => {
    let rounds = 0
    const asking = definePolicy({ name: 'asking', summary: 'wants the round that it has', create: () => ({ schedule: (round: Round) => void (rounds++, round.wakeAt(round.now)) }) })
    expect(() => startsBy(asking.plug({}))).toThrow('none at all')
    expect(rounds).toBeLessThan(10)
  })

  it('refuses a policy that evicts', () => {
    const given = preempting(greedy(fair({ pools: { a: { minShare: 9, minTimeout: 1 } } })))
    const three = [...['A', 'C'].map((id) => cpuJob(id, { tasks: 5, duration: 100, queue: 'b' })), cpuJob('B', { tasks: 5, submit: 1, queue: 'a' })]
    expect(() => startsBy(given, three)).toThrow(expect.objectContaining({ code: 'BAD_OPTION', message: 'architecture.on-demand.allocation: the policy that allocates virtual clusters would take one away. Virtual clusters end with their work, when they are idle or at their walltime; use a policy without preemption.' }))
  })

  it('ends with the name of a policy that never gives a request all its nodes at once, or none', () => {
    const slow = (claims: number) => definePolicy({
      name: 'slow',
      summary: 'so many nodes in a round, and another round every hour',
      create: () => ({
        schedule(round: Round) {
          for (const node of round.nodes.slice(0, claims)) round.claim(round.work.taskFor(0 as JobId, round.lane, node, round.cluster.levels) as TaskId, node)
          round.wakeAt(round.now + 3600)
        },
      }),
    }).plug({})
    const stuck = (claims: number, given = jobs) => () => startsBy(slow(claims), given)
    expect(stuck(1)).toThrow('3 jobs wait although nothing runs: the allocation policy "slow" does not give any of the 3 requests that wait its nodes, some in each round where a request is for all at once: use one that knows gangs (strict, easy).')
    expect(stuck(0, jobs.slice(0, 1))).toThrow('the allocation policy "slow" does not give the request that waits its nodes, none at all.')
  })

  it('ends with how many tasks of no job hold nodes for ever, where they do', () => {
    const prefill = [{ node: 0 as NodeId, demand: { cpu: 1 }, end: Infinity }]
    expect(() => play(onDemand(strict()), [cpuJob('A', { tasks: 2 })], { cluster: cpus(2, 2), prefill })).not.toThrow() // one node is enough
    expect(() => play(onDemand(strict()), [cpuJob('A', { tasks: 3 })], { cluster: cpus(2, 2), prefill })).toThrow('1 job waits although nothing runs but 1 task of no job: the allocation policy "strict" does not give')
  })
})

describe('a virtual cluster', () => {
  it('has nodes for all tasks of the largest stage, for some waves of them, at most so many, or so many', () => {
    const sizes = (options: OnDemandOptions) => nodesOf(play(fcfs(options), [cpuJob('A', { tasks: 12 })], { cluster: cpus(10, 2) }), 'A').length
    expect([{}, { waves: 2 }, { waves: 2.5 }, { maxNodes: 4 }, { nodes: 9 }].map((options) => sizes(options as OnDemandOptions))).toEqual([6, 3, 3, 4, 6])
  })

  it('keeps idle nodes in the tail of its job from others, which share the machine without it', () => {
    // A has two nodes for (10, 40) s: one idles from 10 to 40, while B waits
    const jobs = [cpuJob('A', { tasks: 2, duration: [10, 40] }), cpuJob('B', { duration: 5 })]
    expect(ends(play(fcfs(), jobs, { cluster: cpus(2, 1) }))).toEqual({ A: 40, B: 45 })
    expect(ends(play(monolithic(), jobs, { cluster: cpus(2, 1) }))).toEqual({ A: 40, B: 15 })
  })

  it('uses a node that comes back, also where what ran there was lost or ended meanwhile', () => {
    // 6 tasks of 4 s on two nodes of one; node 0 is away from 2 to 5: its first task is lost, or ends at 4 while it is drained
    const runOn = (drain: boolean) => play(fcfs({ waves: 3 }), [cpuJob('A', { tasks: 6, duration: 4 })], { cluster: cpus(2, 1), outages: [{ node: 0 as NodeId, from: 2, to: 5, drain }] })
    expect(runOn(false).recorder.launches.map(({ time, node }) => `${time} ${node.at(-1)}`)).toEqual(['0 0', '0 1', '4 1', '5 0', '8 1', '9 0', '12 1'])
    expect(runOn(true).recorder.launches.map(({ time, node }) => `${time} ${node.at(-1)}`)).toEqual(['0 0', '0 1', '4 1', '5 0', '8 1', '9 0'])
  })

  it('gives its policy the round of a full node where that would start tasks in the place of others', () => {
    // a has all of two nodes; half of it may be killed from some time on, when b's tasks start in their place
    const inside = capacityScheduler({ queues: { a: { capacity: 50 }, b: { capacity: 50 } }, defaults: { userLimitFactor: -1 }, maximumOffswitchAssignments: 9, preemption: { maxWaitBeforeKill: 0, totalPreemptionPerRound: 1, naturalTerminationFactor: 1, lazyPreemption: true } })
    const asking = (id: string, submit: number, tasks: number) => job({ id, queue: id, user: 'ann', submit, tasks, demand: { cpu: 1 }, duration: 50 })
    const cluster = { nodes: [{ count: 2, resources: { cpu: 4 } }], heartbeat: { interval: 1 } }
    const { recorder } = run({ policy: inside, jobs: [asking('a', 0, 8), asking('b', 2, 5)], cluster, architecture: fcfs({ sharedBy: 'user', nodes: 2 }), until: 20 })
    expect([recorder.evictions.length, recorder.launches.filter((launch) => launch.job === 'b').length]).toEqual([4, 4])
  })

  it('gives its policy a round without nodes at a time that it asked for, although nothing waits', () => {
    const rounds: string[] = []
    const inner = greedy(fifo())
    const watching = definePolicy({
      name: 'watching',
      summary: 'looks 3 s after each start',
      create: (_, env) => {
        const starting = inner.create(env)
        return {
          ...forwarding(starting, { wantsRound: (now: number) => now === 3 }),
          schedule: (round: Round) => {
            rounds.push(`${round.now} ${round.nodes.length}`)
            starting.schedule(round)
            if (round.now === 0) for (const time of [3, 4]) round.wakeAt(time)
          },
        }
      },
    }).plug({})
    play(fcfs(), [cpuJob('A', { tasks: 2 })], { cluster: cpus(2, 1), policy: watching })
    expect(rounds).toEqual(['0 2', '3 0'])
  })

  it('is built without a look at where data is', () => {
    const cluster = { nodes: [{ count: 20, slots: { map: 1 } }], replicas: { factor: 1, placement: 'uniform' as const } }
    const jobs = Array.from({ length: 30 }, (_, i) => mapJob(2, { id: `j${i}`, submit: i * 30 }))
    const local = ({ recorder }: Outcome) => recorder.launches.filter(({ level }) => level === 0).length
    const [blind, whole] = [play(fcfs(), jobs, { cluster }), play(monolithic(), jobs, { cluster })].map(local) as [number, number]
    expect(blind).toBeLessThan(whole + 1)
    expect(blind).toBeLessThan(15) // of 60; two blind nodes of 20 hold a given block once in ten
  })

  it('shows its scheduler nothing but its own nodes', () => {
    const seen: number[][] = []
    const noOptions: OptionsSchema<unknown> = { '~standard': { version: 1, vendor: 'test', validate: (value) => ({ value }) } }
    const spy = definePolicy({
      name: 'spy',
      summary: 'greedy that looks around',
      options: noOptions,
      create: (_, env) => {
        const inner = greedy(fifo()).create(env)
        return Object.assign(Object.create(inner) as typeof inner, {
          schedule: (round: Round) => {
            let free = 0
            for (let node = 0; node < round.cluster.nodes; node++) free += round.cluster.free(node as never, 0 as ResourceId)
            seen.push([round.nodes.length, free])
            inner.schedule(round)
          },
        })
      },
    }).plug({})
    play(fcfs(), [cpuJob('A', { tasks: 4 }), cpuJob('B', { tasks: 6, submit: 1 })], { cluster: cpus(10, 2), policy: spy })
    expect(seen).toEqual([[2, 4], [3, 6]])
  })

  it('is killed at its walltime, and the job given up, or kept', () => {
    const jobs = [cpuJob('A', { tasks: 2, duration: 30, estimate: 20 }), cpuJob('B', { tasks: 2, estimate: 20, submit: 1 })]
    const killed = play(fcfs(), jobs, { cluster: cpus(2, 1) })
    expect([abandoned(killed), starts(killed), ends(killed)]).toEqual([['A'], { A: 0, B: 20 }, { A: 20, B: 30 }])
    const kept = play(fcfs({ abandonAtWalltime: false }), jobs, { cluster: cpus(2, 1) })
    expect([abandoned(kept), starts(kept)]).toEqual([[], { A: 0, B: 30 }])
    expect(abandoned(play(fcfs({ walltime: 30 }), jobs, { cluster: cpus(2, 1) }))).toEqual([])
  })

  it('is over before its job is set up where the walltime is shorter, and no other job is ready any sooner for it', () => {
    const jobs = [cpuJob('A', { startup: 11, estimate: 5 }), cpuJob('B', { submit: 6, startup: 20, estimate: 40 })]
    const ended = play(fcfs(), jobs, { cluster: cpus(2, 1) })
    expect([abandoned(ended), starts(ended)]).toEqual([['A'], { B: 26 }])
  })

  it('takes time to build, which counts for its walltime', () => {
    const [job] = [cpuJob('A', { duration: 10 })]
    expect(starts(play(fcfs({ setup: 7 }), [job]))).toEqual({ A: 7 })
    expect(abandoned(play(fcfs({ setup: 7, walltime: 16 }), [job]))).toEqual(['A'])
    expect(abandoned(play(fcfs({ setup: 7, walltime: 17 }), [job]))).toEqual([])
    expect(() => fcfs({ setup: 7, walltime: 7, sharedBy: 'user' })).toThrow('on-demand.walltime: found 7, expected more than setup (7), which counts for it: no task would ever start. Raise walltime, lower setup, or write abandonAtWalltime: false.') // its jobs would ask anew for ever
    expect(starts(play(fcfs({ setup: 7, walltime: 7, abandonAtWalltime: false }), [job]))).toEqual({ A: 7 })
  })

  it('of a user runs one job after the other until it has been idle for so long', () => {
    // ann's nodes are hers until 20 + 15; bob needs both and has them until 45 + 15. With 17 her third job comes in time,
    // at 36 < 20 + 17, and he gets them at 46 + 17.
    const jobs = [
      cpuJob('a1', { user: 'ann', tasks: 2 }),
      cpuJob('a2', { user: 'ann', submit: 10 }),
      cpuJob('b', { user: 'bob', tasks: 2, submit: 11 }),
      cpuJob('a3', { user: 'ann', submit: 36 }),
    ]
    expect(starts(play(fcfs({ sharedBy: 'user', idleRelease: 15 }), jobs, { cluster: cpus(2, 1) }))).toEqual({ a1: 0, a2: 10, b: 35, a3: 60 })
    expect(starts(play(fcfs({ sharedBy: 'user', idleRelease: 17 }), jobs, { cluster: cpus(2, 1) }))).toEqual({ a1: 0, a2: 10, a3: 36, b: 63 })
  })

  it('of a user asks anew for those of its jobs that have not started when its walltime is over', () => {
    const jobs = [cpuJob('a1', { user: 'ann', duration: 12 }), cpuJob('a2', { user: 'ann', duration: 12 }), cpuJob('b', { user: 'bob', submit: 1 })]
    const run = play(fcfs({ sharedBy: 'user', walltime: 12, nodes: 1 }), jobs, { cluster: cpus(1, 1) })
    expect([starts(run), abandoned(run)]).toEqual([{ a1: 0, b: 12, a2: 24 }, []])
  })

  it('starts so many tasks per heartbeat', () => {
    const cluster = { nodes: [{ count: 1, slots: { map: 4 } }], heartbeat: { interval: 3, stagger: false } }
    const times = (options: OnDemandOptions) => play(fcfs(options), [mapJob(4, { id: 'A', duration: 100 })], { cluster }).recorder.launches.map(({ time }) => time)
    expect(times({ tasksPerHeartbeat: 1 })).toEqual([0, 3, 6, 9])
    expect(times({})).toEqual([0, 0, 0, 0])
  })

  it('takes the policy of its kind', () => {
    const jobs = [cpuJob('a1', { user: 'ann', tasks: 2, priority: 0 }), cpuJob('a2', { user: 'ann', tasks: 2, priority: 5 })]
    const options = { cluster: cpus(1, 1), policies: { virtual: greedy(fair({ pools: false })) } }
    expect(play(fcfs({ sharedBy: 'user', nodes: 1 }), jobs, { cluster: cpus(1, 1) }).recorder.launches.map(({ job }) => job)).toEqual(['a2', 'a2', 'a1', 'a1'])
    expect(play(fcfs({ sharedBy: 'user', nodes: 1 }), jobs, options).recorder.launches.map(({ job }) => job)).toEqual(['a1', 'a1', 'a2', 'a2'])
  })
})

describe('a job that no virtual cluster can hold', () => {
  const reject = (options: OnDemandOptions, change: Parameters<typeof cpuJob>[1], cluster = cpus(2, 4)) => () => play(fcfs(options), [cpuJob('A', change)], { cluster })

  it('is named with its reason', () => {
    expect(reject({ nodes: 3 }, {})).toThrow('job A asks for 3 nodes, 2 are large enough for its tasks')
    expect(reject({ maxNodes: 1 }, { tasks: 5, gang: true })).toThrow('job A starts 5 tasks of stage "map" together, its virtual cluster of 1 nodes may have room for 4')
    expect(reject({ tasksPerHeartbeat: 2 }, { tasks: 3, gang: true })).toThrow('job A starts 3 tasks of stage "map" together, and a heartbeat may start 2 (tasksPerHeartbeat)')
    const [mixed] = [{ nodes: [{ name: 'cpu', count: 1, resources: { cpu: 4 } }, { name: 'gpu', count: 1, resources: { gpu: 4 } }] }]
    const stages = [{ name: 'a', tasks: 1, demand: { cpu: 1 }, duration: 1 }, { name: 'b', tasks: 1, demand: { gpu: 1 }, duration: 1 }]
    expect(() => play(fcfs(), [{ id: 'A', submit: 0, stages }], { cluster: mixed })).toThrow('no node has room for one task of each of its stages')
  })

  it('is none that some nodes are too small for, but plans by amounts refuse it', () => {
    const cluster = { nodes: [{ name: 's', count: 2, resources: { cpu: 2 } }, { name: 'l', count: 2, resources: { cpu: 4 } }] }
    const jobs = [cpuJob('A', { demand: { cpu: 4 }, duration: 10, estimate: 10 }), cpuJob('B', { demand: { cpu: 3 }, tasks: 2, duration: 10, estimate: 10 }), cpuJob('C', { demand: { cpu: 2 }, duration: 10, estimate: 10 })]
    expect(() => play(onDemand(easy()), jobs, { cluster })).toThrow('job A may run on some nodes only, by labels that it requires, by taints, or since its virtual cluster needs larger ones, and easy plans by amounts over the whole cluster. Use `replan` with `nodes: named`')
    expect(starts(play(onDemand(strict()), jobs, { cluster }))).toEqual({ A: 0, B: 10, C: 10 })
    expect(starts(play(onDemand(replan(fifo(), { nodes: 'named' })), jobs, { cluster }))).toEqual({ A: 0, B: 10, C: 0 })
  })

  it('is one with a gang that no node holds, where a heartbeat has one node in sight', () => {
    const beating = { ...cpus(2, 4), heartbeat: { interval: 2 } }
    expect(reject({}, { tasks: 5, gang: true }, beating)).toThrow("job A can have no virtual cluster: no node has room for all tasks of each gang, which start at one node's heartbeat")
    expect(reject({}, { tasks: 5, gang: true })).not.toThrow()
    const mixed = { nodes: [{ name: 's', count: 3, resources: { cpu: 2 } }, { name: 'l', count: 1, resources: { cpu: 4 } }], heartbeat: { interval: 2 } }
    expect(nodesOf(play(fcfs(), [cpuJob('A', { tasks: 3, gang: true })], { cluster: mixed }), 'A')).toEqual(['l-0'])
  })

  it('is none where its tasks fit on some nodes, of which its virtual cluster is built', () => {
    const cluster = { nodes: [{ name: 's', count: 3, resources: { cpu: 1 } }, { name: 'l', count: 2, resources: { cpu: 4 } }] }
    const job = cpuJob('A', { tasks: 3, demand: { cpu: 2 } })
    expect(nodesOf(play(fcfs(), [job, cpuJob('B', { tasks: 9, submit: 1 })], { cluster }), 'A')).toEqual(['l-0', 'l-1'])
  })
})
