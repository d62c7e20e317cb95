import type { Work } from '@sched/cluster'
import { SchedError, type JobId, type NodeId, type ResourceId, type TaskId } from '@sched/core'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { checkPolicyLaws, cluster, instantCluster, job, laws, mapReduceJob, play, policyLaws, Program, worlds, type Launch, type LawName, type MakePolicy, type Play, type Recorded, type World, type WorldOptions } from '../src/index.js'
import { evicting, inOrder, policyOf, startAll } from './policies.js'

/** The message of the first broken law, without the world. */
const broken = (make: MakePolicy, worlds: WorldOptions = {}): string => {
  try {
    checkPolicyLaws(make, { runs: 200, worlds: { jobs: 4, ...worlds } })
  } catch (error) {
    return ((error as Error).cause as Error).message
  }
  return 'all hold'
}

describe('a policy that takes no notice of lanes', () => {
  it('is told what that may be', () => {
    const blind = () => policyOf(() => (round, jobs) => jobs.forEach((each) => round.nodes.forEach((node) => void round.fits(each, node))))
    expect(broken(blind, { slots: true })).toMatch(/^job j\d+ was to be started and has no task to place\. An order gives jobs that have tasks to place: .* in each lane\. A discipline asks for room as long as `work\.unplaced` of the job is above 0\.$/)
    const asking = () => policyOf(() => (round, jobs) => jobs.forEach((each) => void round.work.demand(round.work.shape(each, round.lane), 0 as ResourceId)))
    expect(broken(asking, { slots: true })).toMatch(/^a round threw ".*"\. Are there jobs among those read that do not wait in the lane of the round\?/)
  })
})

describe('a sound policy', () => {
  for (const { name, check } of policyLaws(inOrder, { runs: 25 })) it(`obeys the law ${name}`, { tags: 'long' }, check)

  it('is reported with the number of worlds and starts', { tags: 'long' }, () => {
    const report = checkPolicyLaws(inOrder, { runs: 50 })
    expect(report).toMatchObject({ worlds: 50, evictions: 0, laws: Object.keys(laws) })
    expect(report.launches).toBeGreaterThan(500)
  })

  it('meets jobs that wait for several others, or for starts, at the times that follow from these', { tags: 'long' }, () => {
    expect(checkPolicyLaws(inOrder, { runs: 300, worlds: { events: true, outages: true, failures: true } }).launches).toBeGreaterThan(3000)
  })

  it('may kill tasks', { tags: 'long' }, () => {
    expect(checkPolicyLaws(evicting, { runs: 50, skip: { restarts: 'it forgets how many it has killed' } }).evictions).toBeGreaterThan(20)
  })
})

const small: World = {
  cluster: cluster({ nodes: 1, racks: 1 }),
  jobs: [mapReduceJob(3, 1, { id: 'a', startup: 1 }), job({ id: 'b', after: 'a', think: 2 }), job({ id: 'c', demand: { map: 9 } })],
  queues: [],
  seed: 1,
  runtime: { jitter: 0 },
  claims: undefined,
  commitPendingBug: false,
}

describe('a broken policy', () => {
  it('is found out when it leaves a job lying', { tags: 'long' }, () => {
    expect(broken(() => policyOf(() => (round, jobs) => { for (const each of jobs) if (round.work.priority(each) <= 0) startAll(round, each) }))).toMatch(/leaves \d jobs? unplaced/)
  })

  it('is found out when it starts a part of a gang, in worlds that have some', { tags: 'long' }, () => {
    const oneByOne = () =>
      policyOf(() => (round, jobs) => {
        const [first] = jobs.filter((each) => round.work.unplaced(each, round.lane) > 0)
        const node = round.nodes.find((each) => first !== undefined && round.fits(first, each))
        if (first !== undefined && node !== undefined) round.claim(round.work.taskFor(first, round.lane, node, round.cluster.levels) as TaskId, node)
        round.wakeAt(round.now + 1)
      })
    expect(broken(oneByOne, { outages: false })).toBe('all hold')
    expect(() => checkPolicyLaws(oneByOne, { worlds: { outages: false, gangs: true } })).toThrow(/^law "gangs" does not hold: tasks of gang .*\nProperty failed after/)
    expect(broken(oneByOne, { outages: false, gangs: true })).toMatch(/law "gangs" does not hold: tasks of gang j\d+\.\d+ start at \S+ and \S+ s/)
  })

  it('is found out when it starts stages of a job that is one gang apart, by the engine and by the law', { tags: 'long' }, () => {
    const stageByStage = policyOf(() => (round, jobs) => { for (const each of jobs) startAll(round, each) })
    const apart = (): typeof stageByStage => ({ ...stageByStage, create: (env) => Object.assign(stageByStage.create(env), { startsGangJobs: true }) })
    expect(() => checkPolicyLaws(apart, { worlds: { outages: false, failures: false, gangJobs: true } })).toThrow(/runs without others of its gang|tasks of gang/)
    const stage = { name: 's', tasks: 1, demand: { map: 1 }, duration: 5, gang: true }
    const specs = new Map([['j', { id: 'j', submit: 0, gang: true, stages: [stage, stage] }]])
    const launch = (of: number, time: number) => ({ kind: 'launch', time, job: 'j', stage: of, task: 0, node: 'n', level: -1 })
    const verdict = (...events: readonly object[]) => laws.gangs({ recorder: { events }, specs } as unknown as Parameters<typeof laws.gangs>[0])
    expect(verdict(launch(0, 0), launch(1, 0))).toBe(undefined)
    expect(verdict(launch(0, 0), launch(1, 3))).toBe('job j is one gang and runs at 0 s with 0 tasks of stage 1, of which 0 have ended')
  })

  it('is found out when it decides by something outside the run', { tags: 'long' }, () => {
    let runs = 0
    const make = () =>
      policyOf(() => {
        const isOdd = runs++ % 2 === 1
        return (round, jobs) => { for (const each of isOdd ? [...jobs].reverse() : jobs) startAll(round, each) }
      })
    expect(broken(make)).toMatch(/law "determinism" does not hold: event \d+ is .* in a second run/)
  })

  it('is found out when its plug remembers the run before', { tags: 'long' }, () => {
    const make = () => {
      let runs = 0
      return policyOf(() => {
        const isFirst = runs++ === 0
        return (round, jobs) => { for (const each of isFirst ? jobs : [...jobs].reverse()) startAll(round, each) }
      })
    }
    expect(broken(make)).toMatch(/law "freshness" does not hold: event .*\. Draw numbers from `env\.random`, .* Where it cannot hold, say why: \{ skip: \{ freshness: 'reason' \} \}\./)
  })

  it('is found out when the order of declaration decides', { tags: 'long' }, () => {
    const make: MakePolicy = ({ queues }) =>
      policyOf(() => (round, jobs) => {
        const place = (each: (typeof jobs)[number]) => queues.indexOf(round.work.queueName(round.work.queue(each)))
        for (const each of [...jobs].sort((a, b) => place(a) - place(b))) startAll(round, each)
      })
    expect(broken(make)).toMatch(/law "declaration" does not hold/)
  })

  it('is found out when it goes by jobs that have not come yet', { tags: 'long' }, () => {
    const make: MakePolicy = ({ jobs: all }) => policyOf(() => (round, jobs) => { for (const each of all.length % 2 === 0 ? [...jobs].reverse() : jobs) startAll(round, each) })
    expect(broken(make)).toMatch(/law "causality" does not hold: up to \S+ s, event \d+ is .* in a world that has nothing more to come .*\. Decide by what has come and happened so far/)
  })

  it('is found out when it goes by outages, or by failures, that are to come', { tags: 'long' }, () => {
    const going = (by: (world: World) => boolean): MakePolicy => (world) => policyOf(() => (round, jobs) => { for (const each of by(world) ? [...jobs].reverse() : jobs) startAll(round, each) })
    expect(broken(going(({ outages = [] }) => outages.length > 0))).toMatch(/law "causality" does not hold/)
    expect(broken(going(({ outages = [] }) => outages.some(({ to }) => to > 20)))).toMatch(/law "causality" does not hold/)
    expect(broken(going(({ failures }) => failures !== undefined))).toMatch(/law "causality" does not hold/)
  })

  it('is found out when it goes by how long tasks will run, and not by what their users say', { tags: 'long' }, () => {
    const shortestFirst = (secondsOf: (work: Work, job: JobId) => number): MakePolicy => () => policyOf(() => (round, jobs) => {
      for (const each of [...jobs].sort((a, b) => secondsOf(round.work as Work, a) - secondsOf(round.work as Work, b))) startAll(round, each)
    })
    expect(broken(shortestFirst((work, each) => Number(work.spec(each).stages[0]?.duration) || 0))).toMatch(/law "nonClairvoyance" does not hold: up to \S+ s, event \d+ is .* in a world in which tasks run longer of which no end was known yet .*\. Go by `work\.estimate`/)
    expect(broken(shortestFirst((work, each) => Math.min(work.estimate(each), 1e9)))).toBe('all hold')
  })

  it('is found out when it does not keep a promise', { tags: 'long' }, () => {
    const make = () => policyOf(() => (round, jobs) => {
      for (const each of jobs) {
        if (round.work.unplaced(each, round.lane) === round.work.tasks(each)) round.reserve(each, round.now)
        startAll(round, each)
      }
    })
    expect(broken(make)).toMatch(/law "reservations" does not hold: job j\d+ starts at .* promised for/)
  })

  describe('that counts its rounds', () => {
    /** Reads the jobs from behind in every third round in which some wait; `remembers`: also after a restart. */
    const counting = (remembers: boolean): MakePolicy => () => {
      let rounds = 0
      const memory = { memory: () => rounds, recall: (memory: unknown) => void (rounds = memory as number) }
      return policyOf(() => {
        rounds = 0
        return (round, jobs) => { for (const each of ++rounds % 3 === 0 ? [...jobs].reverse() : jobs) startAll(round, each) }
      }, remembers ? memory : {})
    }

    it('is found out when it begins anew after a restart, where nodes report and where ends are known at once', { tags: 'long' }, () => {
      for (const heartbeats of [true, false]) expect(broken(counting(false), { heartbeats })).toMatch(/law "restarts" does not hold: decision \d+ is "\S+ start j\S+ on \S+", after restarts "\S+ start j.*"\. Give what it decides by, .*in `memory`.* Where it cannot hold/)
    })

    it.each<[string, () => unknown]>([
      ['memory.remembered.rounds is a Map', () => ({ rounds: new Map([['all', 1]]) })],
      ['memory.remembered[1] is NaN', () => [0, NaN]],
      ['memory.remembered[0].since is Infinity', () => [{ since: Infinity }]],
      ['memory.remembered[0] is undefined', () => [undefined]],
      ['memory.remembered is a Float64Array', () => new Float64Array(2)],
    ])('is told what of its memory would be lost: %s', { tags: 'long' }, (lost, memory) => {
      const make = () => policyOf(() => (round, jobs) => { for (const each of jobs) startAll(round, each) }, { memory, recall: () => undefined })
      expect(broken(make)).toBe(`${lost}, which JSON does not keep. Give plain data: lists, mappings, texts, finite numbers, true, false and null.`)
    })

    it('is sound when it remembers them', { tags: 'long' }, () => {
      expect(checkPolicyLaws(counting(true), { runs: 100 }).laws).toContain('restarts')
    })
  })

  describe('that never ends', () => {
    /** Kills what it has started a second later, for ever. */
    const make = () =>
      policyOf(() => (round, jobs) => {
        for (const each of jobs) {
          const running: never[] = []
          round.work.runningTasks(each, round.lane, running)
          for (const task of running) round.evict(task)
          startAll(round, each)
          round.wakeAt(round.now + 1)
        }
      })
    const ofOne = (duration: number): World => ({ ...small, cluster: instantCluster(), jobs: [job({ duration })] })

    it('is found out', { tags: 'long' }, () => {
      expect(() => checkPolicyLaws(make, { runs: 1, worlds: fc.constant(ofOne(10)) })).toThrow(expect.objectContaining({ cause: expect.objectContaining({ message: expect.stringMatching(/goes on after \d+ instants\. A policy must not take tasks for ever, .*`mayBeEndless`\./) }) }))
    })

    it('is found out only where it has to end, if it says so', { tags: 'long' }, () => {
      const isLong = ({ jobs: [only] }: World) => only?.stages[0]?.duration !== 0.5
      expect(checkPolicyLaws(make, { runs: 3, worlds: fc.constantFrom(ofOne(10), ofOne(0.5)), mayBeEndless: isLong })).toMatchObject({ worlds: 3, launches: 3 })
      expect(() => checkPolicyLaws(make, { runs: 1, worlds: fc.constant(ofOne(10)), mayBeEndless: (world) => !isLong(world) })).toThrow(/goes on/)
    })
  })
})

describe('a program', () => {
  const started = { ...small, jobs: [job({ id: 'a', tasks: 3, duration: 5 }), job({ id: 'b', submit: 4, duration: [0], demand: { reduce: 1 } })] }

  it('tells a dispatcher of submissions, heartbeats and ends, and writes down what it decides', () => {
    const program = new Program(started, inOrder)
    expect([program.run(), program.lines]).toEqual([true, ['0 start a.0.0 on node-0', '0 start a.0.1 on node-0', '6 start a.0.2 on node-0', '6 start b.0.0 on node-0']])
  })

  it('looks whenever something has happened where ends are known at once', () => {
    const program = new Program({ ...started, cluster: instantCluster({ nodes: 1, racks: 1 }) }, inOrder)
    expect([program.run(2), program.now, program.run(1), program.now]).toEqual([false, 4, false, 4.5])
    expect([program.run(), program.now, program.lines.slice(2)]).toEqual([true, 10, ['4 start b.0.0 on node-0', '5 start a.0.2 on node-0']])
  })

  it('goes on after a restart where it was, without nodes that are not there', () => {
    const twoNodes = { ...started, cluster: instantCluster({ nodes: 2, racks: 1 }) }
    const program = new Program(twoNodes, inOrder, { missing: ['node-0'] })
    for (let i = 0; i < 3; i++) {
      program.run(1)
      program.restart()
    }
    expect([program.run(), program.lines]).toEqual([true, ['0 start a.0.0 on node-1', '0 start a.0.1 on node-1', '4 start b.0.0 on node-1', '5 start a.0.2 on node-1']])
  })
})

describe('a law', () => {
  const sound = play(small, inOrder)

  /** The run with one event changed, removed or added. */
  const changed = (change: (events: Recorded[]) => void): Play => {
    const events = structuredClone(sound.recorder.events)
    change(events)
    const recorder = Object.create(sound.recorder, { events: { value: events } }) as Play['recorder']
    return { ...sound, recorder }
  }
  const find = (events: Recorded[], kind: Recorded['kind'], job: string) => events.find((event) => event.kind === kind && event.job === job) as Launch
  const drop = (events: Recorded[], kind: Recorded['kind'], job: string) => void events.splice(events.findIndex((event) => event.kind === kind && event.job === job), 1)

  it('holds for the run as it was', () => {
    for (const law of Object.values(laws)) expect(law(sound)).toBeUndefined()
  })

  it.each<[LawName, string, (events: Recorded[]) => void, RegExp]>([
    ['capacity', 'one start too many', (events) => void events.splice(4, 0, { ...find(events, 'launch', 'a'), task: 7 }), /3 of 2 map of node-0/],
    ['capacity', 'an end that was no start', (events) => void events.unshift(find(events, 'end', 'a')), /-1 of 2 map/],
    ['once', 'a second start', (events) => void events.push(find(events, 'launch', 'a')), /a\.0\.0 starts at .* but it is done/],
    ['once', 'an end elsewhere', (events) => Object.assign(find(events, 'end', 'a'), { node: 'node-9' }), /ends at .* on node-9/],
    ['once', 'a task that never ends', (events) => drop(events, 'end', 'b'), /b\.0\.0 is running .* at the end/],
    ['once', 'a kill that is not followed by another start', (events) => Object.assign(find(events, 'end', 'b'), { how: 'evicted' }), /b\.0\.0 is idle at the end/],
    ['completion', 'a job without an end', (events) => drop(events, 'finish', 'b'), /job b has events "", expected "finish"/],
    ['completion', 'a task that is never started', (events) => { drop(events, 'launch', 'b'); drop(events, 'end', 'b') }, /0 of 1 tasks of job b are done/],
    ['completion', 'a rejected job that was not told', (events) => drop(events, 'reject', 'c'), /job c has events "", expected "reject"/],
    ['earliest', 'a start before the set-up', (events) => Object.assign(find(events, 'launch', 'a'), { time: 0.5 }), /job a starts at 0.5 s, before/],
    ['earliest', 'a submission without think time', (events) => Object.assign(find(events, 'submit', 'b'), { time: find(events, 'submit', 'b').time - 2 }), /job b is submitted at .* instead of/],
    ['earliest', 'a submission before the job it follows', (events) => void events.unshift(find(events, 'submit', 'b')), /before a has ended/],
    ['slowStart', 'a reduce without maps', (events) => void events.unshift({ ...find(events, 'launch', 'a'), stage: 1 }), /stage 1 of job a starts at .* after 0 tasks/],
    ['heartbeats', 'a start between heartbeats', (events) => Object.assign(find(events, 'launch', 'b'), { time: 28 }), /starts at 28 s instead of/],
    ['heartbeats', 'an end known too late', (events) => Object.assign(find(events, 'end', 'b'), { time: 300 }), /is known at 300 s instead of/],
    ['reservations', 'a promise broken', (events) => void events.unshift({ kind: 'reserve', time: 0, job: 'b', start: 20 }), /job b starts at .*, promised for 20 s/],
    ['reservations', 'a promise forgotten', (events) => void events.push({ kind: 'reserve', time: 0, job: 'b', start: 20 }), /never does/],
    ['determinism', 'another order', (events) => void events.reverse(), /event 0 is/],
  ])('%s finds %s', (name, _, change, message) => {
    expect(laws[name](changed(change))).toMatch(message)
  })

  it('heartbeats knows that a failing node tells what it has not committed yet', () => {
    // the task stops at 0.5 s and is reported at 1 s, committed at 2 s; the node fails between
    const cut: World = { ...small, cluster: cluster({ nodes: 1, racks: 1, heartbeat: { interval: 1 } }), jobs: [job({ duration: 0.5 })], commitPendingBug: true, outages: [{ node: 0 as NodeId, from: 1.5, to: 9 }] }
    const played = play(cut, inOrder)
    expect([played.recorder.ends.map(({ how, time }) => [how, time]), laws.heartbeats(played)]).toEqual([[['done', 1.5]], undefined])
  })

  it('gangs finds tasks that start apart', () => {
    const gang = { ...small, jobs: [job({ id: 'z' }), job({ id: 'a', tasks: 2, gang: true })] }
    expect(laws.gangs(play(gang, inOrder))).toMatch(/tasks of gang a\.0 start at 0 and 12 s/)
  })

  it('conservation finds a slot that was not given back, and claims left with the policy', () => {
    const lost = play(small, inOrder)
    lost.simulation.cell.freeAmounts[0] = 1
    expect(laws.conservation(lost)).toMatch(/map of node-0 is 1 of 2 at the end/)
    expect(laws.conservation({ ...sound, rounds: { ...sound.rounds, claims: 2 } })).toMatch(/2 claims more than of releases/)
  })

  it('commits finds starts that were not committed, commits that did not start, and hooks out of turn', () => {
    const { rounds } = sound
    expect(laws.commits({ ...sound, rounds: { ...rounds, accepted: [] } })).toMatch(/start 0 is of task 0, commit 0 of task none/)
    expect(laws.commits({ ...sound, rounds: { ...rounds, started: rounds.started.slice(1) } })).toMatch(/start 0 is/)
    expect(laws.commits({ ...sound, rounds: { ...rounds, complaints: ['twice'] } })).toBe('twice')
  })
})

describe('skipping a law', () => {
  const late = () => policyOf(() => (round, jobs) => {
    for (const each of jobs) {
      round.reserve(each, -1)
      startAll(round, each)
    }
  })

  it('needs a reason, and leaves the others', () => {
    expect(() => checkPolicyLaws(late, { runs: 5 })).toThrow()
    expect(checkPolicyLaws(late, { runs: 5, skip: { reservations: 'it promises what it likes' } }).laws).not.toContain('reservations')
    expect(() => checkPolicyLaws(late, { skip: { reservations: '' } })).toThrow(/without a reason/)
  })

  it('of an unknown name is refused with the nearest known', () => {
    expect(() => checkPolicyLaws(late, { skip: { reservation: 'x' } as never })).toThrow(/Did you mean "reservations"/)
  })
})

describe('a failure', () => {
  it('prints what is wrong, the seed and the smallest world found', { tags: 'long' }, () => {
    const make = () => policyOf(() => () => undefined)
    const { message, cause } = (() => {
      try {
        checkPolicyLaws(make, { seed: 77 })
      } catch (error) {
        return error as Error
      }
      return new Error('no law is broken')
    })()
    expect(message).toMatch(/seed: 77/)
    expect(message).toMatch(/"jobs":\[\{"id":"j0"/)
    expect(cause).toBeInstanceOf(SchedError)
    expect((cause as SchedError).message).toContain('leaves 1 job unplaced although nothing runs')
  })
})

describe('random worlds', () => {
  it('are of all kinds', () => {
    const sample = fc.sample(worlds(), { seed: 3, numRuns: 300 })
    const share = (holds: (world: World) => boolean) => sample.filter(holds).length / sample.length
    const some = (holds: (spec: World['jobs'][number]) => boolean) => share(({ jobs }) => jobs.some(holds))
    const shares = {
      slots: share(({ cluster }) => cluster.nodes[0]?.slots !== undefined),
      vectors: share(({ cluster }) => cluster.nodes[0]?.resources !== undefined),
      heartbeats: share(({ cluster }) => cluster.heartbeat !== undefined),
      instant: share(({ cluster }) => cluster.heartbeat === undefined),
      ties: share(({ jobs }) => jobs.some(({ submit }, i) => i > 0 && submit === jobs[i - 1]?.submit)),
      stages: some(({ stages }) => stages.length > 1),
      slowStart: some(({ stages }) => stages.some(({ after }) => after !== undefined)),
      sharedData: some(({ stages }) => stages.some(({ data }) => data?.set !== undefined)),
      chains: some(({ after }) => after !== undefined),
      setUp: some(({ startup }) => startup !== undefined),
      priorities: some(({ priority }) => priority !== undefined),
      queues: some(({ queue }) => queue !== undefined),
      tooLarge: some(({ stages }) => stages.some(({ demand }) => Object.values(demand).includes(99))),
    }
    expect(Object.entries(shares).filter(([, each]) => each < 0.1)).toEqual([])
  })

  it('can be limited to the kind a policy is for', () => {
    const sample = fc.sample(worlds({ heartbeats: true, slots: true, jobs: 2, queues: ['q'] }), { seed: 3, numRuns: 100 })
    expect(sample.every(({ cluster, jobs }) => cluster.heartbeat !== undefined && cluster.nodes[0]?.slots !== undefined && jobs.length <= 2 && jobs.every(({ queue = 'q' }) => queue === 'q'))).toBe(true)
  })
})
