import { defineArchitecture, type ArchitectureEnv, type JobSpec, type Scheduler, type TaskId } from '@sched/core'
import { describe, expect, it } from 'vitest'
import { simulate } from '../src/index.js'
import { exact, inOrder, Log, job, oneNode, policyOf, prepare, run, serial, stage, startAll, twoNodes, workloadOf } from './world.js'

const heartbeats = { ...twoNodes, heartbeat: { interval: 3, stagger: true } }

describe('a run without heartbeats', () => {
  it('starts tasks at once and tells of their end at once', () => {
    expect(run([job('a', { tasks: 3 })]).lines).toEqual([
      '0 submit a', '0 start a on 0', '0 start a on 1',
      '10 done a on 0', '10 done a on 1', '10 start a on 0', '20 done a on 0',
    ])
  })

  it('lets a round see the whole instant: an end and a submission of one time come before it', () => {
    const seen: number[][] = []
    const watching = policyOf((round, jobs) => {
      seen.push([round.now, jobs.length, round.nodes.length])
      for (const each of jobs) startAll(round, each)
    })
    run([job('a'), job('b', { submit: 10 }), job('c', { submit: 10 })], { policy: watching })
    expect(seen).toEqual([[0, 1, 2], [10, 2, 2], [20, 0, 2]]) // one round per instant; at 10 a has ended, b and c are there
  })
})

describe('the cluster of a run', () => {
  it('may be written with all short forms of a file', () => {
    const { lines } = run([job('a', { stages: [stage({ tasks: 4, demand: { gpu: 1000 } })] })], { cluster: { nodes: 2, devices: { gpu: 2 } } })
    expect(lines.filter((line) => line.includes('start'))).toEqual(['0 start a on 0', '0 start a on 0', '0 start a on 1', '0 start a on 1'])
  })
})

describe('a run with heartbeats', () => {
  it('starts tasks and tells of their end only at the heartbeats of the node', () => {
    // node 0 beats at 0, 3, 6, ...; node 1 at 1.5, 4.5, ...
    expect(run([job('a', { tasks: 3 })], { cluster: heartbeats }).lines).toEqual([
      '0 submit a', '0 start a on 0', '1.5 start a on 1',
      '12 done a on 0, stopped at 10', '12 start a on 0', '13.5 done a on 1, stopped at 11.5', '24 done a on 0, stopped at 22',
    ])
  })

  it('tells of an end at the very instant of a heartbeat in that heartbeat', () => {
    expect(run([job('a', { duration: 12 })], { cluster: heartbeats }).ends).toEqual({ a: 12 })
  })

  it('applies the reports of all nodes that beat together before any of their rounds', () => {
    const together = { ...twoNodes, heartbeat: { interval: 3, stagger: false } }
    const running: number[] = []
    const watching = policyOf((round, jobs) => {
      running.push(jobs.reduce((sum, each) => sum + round.work.running(each, round.lane), 0))
      for (const each of jobs) startAll(round, each)
    })
    run([job('a', { tasks: 2, duration: 6 }), job('b', { submit: 1, duration: 6 })], { cluster: together, policy: watching }, 6)
    // at 0 nothing, then a's first; at 3 both; at 6 both have ended before node 0 is served, then b runs
    expect(running).toEqual([0, 1, 2, 2, 0, 1])
  })

  it('lets the rounds of a heartbeat see the jobs that follow one whose end it has told', () => {
    // a ends at 11.5 on node 1, which tells of it at 13.5
    const log = run([job('a', { submit: 1 }), job('b', { after: 'a', submit: 1 })], { cluster: heartbeats })
    expect(log.starts()).toEqual(['1.5 start a on 1', '13.5 start b on 1'])
  })

  it('tells of the ends of an instant before the round that a policy asked for in it', () => {
    // a ends at 3, as node 0 beats; the round of 3 s sees that nothing runs
    const seen: string[] = []
    const asking = policyOf((round, jobs) => {
      seen.push(`${round.now} ${round.nodes.length} ${jobs.length}`)
      if (round.now === 0) round.wakeAt(3)
      for (const each of jobs) startAll(round, each)
    })
    run([job('a', { duration: 3 }), job('b', { submit: 50 })], { cluster: heartbeats, policy: asking }, 3)
    expect(seen).toEqual(['0 1 1', '1.5 1 1', '3 0 0', '3 1 0'])
  })

  it('goes on with the heartbeats of the clock after a time without jobs', () => {
    const log = run([job('a'), job('b', { submit: 100 })], { cluster: heartbeats })
    expect(log.starts()).toEqual(['0 start a on 0', '100.5 start b on 1']) // 100.5 = 67 x 1.5 is node 1's
  })

  it('tells the policy of every heartbeat before its rounds, with room or without', () => {
    const beats: string[] = []
    const watching = policyOf((round, jobs) => { for (const each of jobs) startAll(round, each) }, { onHeartbeat: (node, now) => void beats.push(`${now} ${node}`) })
    run([job('a', { duration: 4 })], { cluster: { ...heartbeats, nodes: [{ count: 2, slots: { slot: 1 } }] }, policy: watching })
    expect(beats).toEqual(['0 0', '1.5 1', '3 0', '4.5 1', '6 0'])
  })
})

describe('commitPendingBug', () => {
  const cluster = { nodes: [{ count: 1, slots: { slot: 1 } }], heartbeat: { interval: 3, stagger: true } }

  it('frees the slot one heartbeat after the task stops counting as running', () => {
    const counts: string[] = []
    const watching = policyOf((round, jobs) => {
      counts.push(`${round.now}: ${jobs.map((each) => round.work.running(each, round.lane)).join()} running, ${round.cluster.free(0 as never, 0 as never)} free`)
      for (const each of jobs) startAll(round, each)
    })
    const jobs = [job('a', { tasks: 2, duration: 2 })]
    run(jobs, { cluster, policy: watching, commitPendingBug: true })
    expect(counts.slice(0, 3)).toEqual(['0: 0 running, 1 free', '3: 0 running, 0 free', '6: 0 running, 1 free'])
    expect(run(jobs, { cluster }).starts()).toEqual(['0 start a on 0', '3 start a on 0'])
    expect(run(jobs, { cluster, commitPendingBug: true }).starts()).toEqual(['0 start a on 0', '6 start a on 0'])
  })
})

describe('until', () => {
  const jobs = [job('a', { tasks: 4 })]

  it('fires what happens at the limit and nothing later', () => {
    const log = run(jobs, { cluster: twoNodes }, 10)
    expect(log.lines.at(-1)).toBe('10 start a on 1')
    expect([log.ended, log.ends]).toEqual([10, {}])
  })

  it('ends at the limit, also between events, and at the last event when that comes first', () => {
    expect(run(jobs, {}, 13).ended).toBe(13)
    expect(run(jobs, {}, 99).ended).toBe(20)
  })
})

describe('a run in slices', () => {
  it('does the same as a run in one go', () => {
    const jobs = [job('a', { tasks: 5, duration: 7 }), job('b', { submit: 3, tasks: 2 })]
    const { log, simulation } = prepare(jobs, { cluster: heartbeats })
    let slices = 0
    while (simulation.advance(1) === 'paused') slices++
    expect(log.lines).toEqual(run(jobs, { cluster: heartbeats }).lines)
    expect(slices).toBeGreaterThan(10)
  })
})

describe('a task larger than every node', () => {
  const jobs = [job('a'), { ...job('huge', { submit: 1 }), stages: [stage(), stage({ name: 'two', demand: { slot: 2 }, after: [{ stage: 0, fraction: 1 }] })] }]

  it('is an error that names the job and the way out', () => {
    expect(() => run(jobs)).toThrow(/job huge asks \{"slot":2\}.*infeasible: reject/)
  })

  it('is left out and reported on demand, with all stages of its job', () => {
    const log = run(jobs, { infeasible: 'reject' })
    expect(log.lines.filter((line) => line.includes('huge'))).toEqual([expect.stringMatching(/^1 reject huge: .*more than any node/)])
    expect(log.ends).toEqual({ a: 10 })
  })
})

describe('start-up', () => {
  it('lets tasks start no earlier than so many seconds after submission', () => {
    expect(run([job('a', { submit: 1, startup: 4 })]).starts()).toEqual(['5 start a on 0'])
    expect(run([job('a', { submit: 1, startup: 4 })], { cluster: heartbeats }).starts()).toEqual(['6 start a on 0'])
  })
})

describe('slow start', () => {
  const mapReduce = (maps: number, fraction: number): JobSpec => ({
    id: 'a', submit: 0, stages: [stage({ tasks: maps, duration: Array.from({ length: maps }, (_, i) => i + 1) }), stage({ name: 'reduce', demand: { other: 1 }, after: [{ stage: 0, fraction }] })],
  })
  const roomy = { nodes: [{ count: 1, slots: { slot: 100, other: 1 } }] }
  const reduceStart = (maps: number, fraction: number) => Number(run([mapReduce(maps, fraction)], { cluster: roomy }).starts().at(-1)?.split(' ')[0])

  it('opens the reduces when the fraction of maps has ended: map i ends at i', () => {
    expect(reduceStart(20, 0.05)).toBe(1)
    expect(reduceStart(20, 0.06)).toBe(2)
    expect(reduceStart(10, 1)).toBe(10)
  })

  it('needs exactly 7 of 100 maps for 0.07, whose product in floating point is above 7', () => {
    expect(0.07 * 100).toBeGreaterThan(7)
    expect(reduceStart(100, 0.07)).toBe(7)
  })
})

describe('a policy that leaves work lying', () => {
  const idle = policyOf(() => undefined)

  it('is found out when nothing can happen any more', () => {
    expect(() => run([job('a')], { policy: idle })).toThrow(/policy "test" leaves 1 job unplaced although nothing runs\. .*wakeAt/)
  })

  it('is found out although heartbeats or its own wakes go on', { tags: 'long' }, () => {
    expect(() => run([job('a')], { policy: idle, cluster: heartbeats })).toThrow(/leaves 1 job unplaced/)
    expect(() => run([job('a')], { policy: policyOf((round) => round.wakeAt(round.now + 3600)) })).toThrow(/leaves 1 job unplaced/)
  })

  it('is not blamed for what it waits for: a window of nine days', () => {
    const until = (time: number) => policyOf((round, jobs) => (round.now < time ? round.wakeAt(time) : jobs.forEach((each) => startAll(round, each))))
    expect(run([job('a')], { policy: until(9 * 86_400) }).ends['a']).toBe(9 * 86_400 + 10)
    expect(run([job('a')], { policy: until(9 * 86_400), cluster: { ...heartbeats, heartbeat: { interval: 60, stagger: true } } }).ends['a']).toBeGreaterThan(9 * 86_400)
    expect(() => run([job('a')], { policy: until(1e300), cluster: { ...heartbeats, heartbeat: { interval: 3600, stagger: true } } })).toThrow(/leaves 1 job unplaced/)
  })

  it('is not blamed for long tasks or a long set-up', () => {
    expect(run([job('a', { duration: 1e7, tasks: 3 })], { cluster: { ...heartbeats, heartbeat: { interval: 1e4, stagger: true } } }).ends['a']).toBe(2e7)
    expect(run([job('a', { startup: 1e6 })], { cluster: { ...heartbeats, heartbeat: { interval: 1e4, stagger: true } } }).ends['a']).toBeGreaterThan(1e6)
  })
})

describe('wakeAt', () => {
  /** Starts only once the time has come. */
  const later = (time: number) =>
    policyOf((round, jobs) => {
      if (round.now < time) round.wakeAt(time)
      else for (const each of jobs) startAll(round, each)
    })

  it('gives another round at that time although nothing happens', () => {
    expect(run([job('a')], { policy: later(4.25) }).starts()).toEqual(['4.25 start a on 0'])
  })

  it('gives a round without nodes where nodes report by heartbeats', () => {
    const sights: string[] = []
    const policy = policyOf((round, jobs) => {
      if (round.nodes.length === 0) sights.push(`${round.now}`)
      if (round.now < 4) round.wakeAt(4)
      else for (const each of jobs) startAll(round, each)
    })
    expect(run([job('a')], { policy, cluster: heartbeats }).starts()).toEqual(['4.5 start a on 1'])
    expect(sights).toEqual(['4'])
  })

  it('ignores times that are not in the future and fires equal ones once', () => {
    const times: number[] = []
    const policy = policyOf((round, jobs) => {
      times.push(round.now)
      round.wakeAt(round.now)
      round.wakeAt(-1)
      if (round.now < 2) for (let i = 0; i < 3; i++) round.wakeAt(2)
      else for (const each of jobs) startAll(round, each)
    })
    run([job('a')], { policy })
    expect(times).toEqual([0, 2, 12])
  })

  it('refuses a time that is no number, which would keep every later one from coming', () => {
    expect(() => run([job('a')], { policy: policyOf((round) => round.wakeAt(NaN)) })).toThrow('wakeAt was given the time NaN. Give seconds from the start of the run.')
  })
})

describe('an eviction', () => {
  /** Kills the running tasks of job a when b has arrived, and starts b in their place. */
  const killer = policyOf((round, jobs) => {
    const { work, lane } = round
    const b = jobs.find((each) => work.name(each) === 'b')
    if (b !== undefined && work.unplaced(b, lane) > 0)
      for (const each of jobs) {
        if (work.name(each) !== 'a') continue
        const running: TaskId[] = []
        work.runningTasks(each, lane, running)
        for (const task of running) round.evict(task)
      }
    for (const each of b === undefined ? jobs : [b, ...jobs]) startAll(round, each)
  })

  it('kills the task at once, starts another in its place and runs it again from the start', () => {
    const log = run([job('a', { duration: 20 }), job('b', { submit: 5 })], { policy: killer, cluster: oneNode })
    expect(log.lines).toEqual([
      '0 submit a', '0 start a on 0',
      '5 submit b', '5 evicted a on 0', '5 start b on 0', '15 done b on 0', '15 start a on 0', '35 done a on 0',
    ])
  })

  it('forgets the end that the killed task would have had: later events keep their time', () => {
    // the kill at 2 leaves an end at 6 that must not fire; b ends at 12 as it should
    const log = run([job('a', { duration: 6 }), job('b', { submit: 2 })], { policy: killer, cluster: oneNode })
    expect(log.ends).toEqual({ b: 12, a: 18 })
  })

  it('works at heartbeats: the slot serves another task in the same heartbeat', () => {
    const log = run([job('a', { duration: 20 }), job('b', { submit: 5 })], { policy: killer, cluster: { ...oneNode, heartbeat: { interval: 3, stagger: true } } })
    expect(log.lines.slice(2, 6)).toEqual(['5 submit b', '6 evicted a on 0', '6 start b on 0', '18 done b on 0, stopped at 16'])
  })
})

describe('determinism', () => {
  const jobs = [job('a', { tasks: 4, data: {} }), job('b', { tasks: 3, duration: [1, 2, 3] }), { ...job('c', { submit: 2 }), stages: [stage({ tasks: 3, duration: { kind: 'exponential' as const, mean: 8 } })] }]
  const cluster = { nodes: [{ count: 6, racks: 2, slots: { slot: 1 } }] }
  const lines = (seed: number) => run(jobs, { cluster, seed, runtime: {} }).lines

  it('gives the same run for the same seed, in one process', () => {
    expect(lines(7)).toEqual(lines(7))
  })

  it('gives another run for another seed', () => {
    expect(lines(7)).not.toEqual(lines(8))
  })
})

describe('simulate', () => {
  it('runs to the end and counts starts', () => {
    const simulation = simulate({ cluster: twoNodes, workload: workloadOf([job('a', { tasks: 5 })]), policy: inOrder, architecture: serial(), runtime: exact })
    expect([simulation.now, simulation.launches]).toEqual([30, 5])
  })

  it('starts at most as many tasks in a round as the architecture allows', () => {
    const log = run([job('a', { tasks: 3 })], { cluster: { nodes: [{ count: 1, slots: { slot: 3 } }], heartbeat: { interval: 3, stagger: true } }, architecture: serial(1) })
    expect(log.starts()).toEqual(['0 start a on 0', '3 start a on 0', '6 start a on 0'])
  })
})

describe('a run that has ended at its limit', () => {
  it('does not go on', () => {
    const { simulation } = prepare([job('a', { duration: 10 }), job('b', { submit: 100 })])
    simulation.run(5)
    expect(simulation.run().now).toBe(5)
    expect(simulation.launches).toBe(1)
  })
})

describe('what an architecture asks for in an instant in which a node beats', () => {
  /** Asks at the submission of a job, and notes how many tasks have been told to have ended by then. */
  const asking = (log: Log) =>
    defineArchitecture({
      name: 'asking',
      summary: 'notes when it is woken',
      create: (_, { cell, addScheduler }) => {
        let only: Scheduler
        const inner = serial().create({ cell, addScheduler: (name) => (only = addScheduler(name)) } as ArchitectureEnv)
        return {
          route: (spec) => {
            if (spec.id === 'asks') cell.after(0, 1)
            return only
          },
          trigger: (trigger) => inner.trigger(trigger),
          wake: () => void log.lines.push(`${cell.now()} woken`),
        }
      },
    }).plug({})

  it.each([['alone', undefined], ['beside events that have nothing to do with it', 6]])('comes after its report, before its round: %s', (_, startup) => {
    const log = new Log()
    const others = startup === undefined ? [] : [job('other', { startup })]
    run([job('a', { duration: 5 }), ...others, job('asks', { submit: 6 })], { cluster: { ...oneNode, heartbeat: { interval: 3 } }, architecture: asking(log), observers: [log] }, 7)
    expect(log.lines.filter((line) => line.startsWith('6 '))).toEqual(['6 submit asks', '6 done a on 0, stopped at 5', '6 woken', expect.stringMatching(/^6 start/)])
  })
})
