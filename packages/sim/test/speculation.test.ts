import type { ClusterDescription } from '@sched/cluster'
import { hashUnit, streamKey, type JobSpec, type NodeId, type Observer, type StageSpec, type TaskId, type WorkView } from '@sched/core'
import { describe, expect, it } from 'vitest'
import { runtimeModel, type Outage, type SimulationOptions, type SpeculationOptions, type Start, type StragglerOptions } from '../src/index.js'
import { job, policyOf, run, stage, startAll } from './world.js'

/** So many nodes with one slot, and so many that take five times as long. */
const nodes = (fast: number, slow: number): ClusterDescription => ({ nodes: [{ count: fast, slots: { slot: 1 } }, { count: slow, slots: { slot: 1 }, speed: 0.2 }] })
const equal = (count: number): ClusterDescription => ({ nodes: [{ count, slots: { slot: 1 } }] })
const away = (node: number, from: number, to: number): Outage => ({ node: node as NodeId, from, to })

/** What happens after time 0, to tasks. */
function later(jobs: readonly JobSpec[], change: Partial<SimulationOptions> = {}): string[] {
  return run(jobs, { speculation: true, ...change }).lines.filter((line) => !line.includes('submit') && !line.startsWith('0 '))
}
const starts = (lines: readonly string[]) => lines.filter((line) => line.includes(' start '))

describe('a slow task', () => {
  it('is copied a second after others are done, and the copy that is done first ends it', () => {
    // On node 3 it takes 10 / 0.2 = 50 s. At 11 s a new attempt is expected to end at 11 + 10 = 21 s.
    expect(later([job('a', { tasks: 4 })], { cluster: nodes(3, 1) })).toEqual([
      '10 done a on 0', '10 done a on 1', '10 done a on 2', '11 start a on 0', '21 superseded a on 3', '21 done a on 0',
    ])
  })

  it('ends its copy if it is done first, as one that has more to do than others', () => {
    // The copy has as much to do, 30 s, and would end at 11 + 30 = 41 s.
    expect(later([job('a', { tasks: 3, duration: [10, 10, 30] })], { cluster: equal(3) })).toEqual([
      '10 done a on 0', '10 done a on 1', '11 start a on 0', '30 superseded a on 0', '30 done a on 2',
    ])
  })

  it('is not copied where a new attempt is expected to end later', () => {
    const ending = (seconds: number) => starts(later([job('a', { tasks: 3, duration: [10, 10, seconds] })], { cluster: equal(3) }))
    expect([ending(21), ending(21.5)]).toEqual([[], ['11 start a on 0']]) // a copy is expected to end at 21 s
  })

  it('is no longer to be copied when it is done before there is room', () => {
    // b has both free slots from 10 s on. The copy is pending from 11 s until its task is done at 50 s.
    const log = run([job('a', { tasks: 3 }), job('b', { submit: 5, tasks: 2, duration: 100 })], { cluster: nodes(2, 1), speculation: true })
    expect(log.starts().slice(3)).toEqual(['10 start b on 0', '10 start b on 1'])
    expect(log.ends).toEqual({ a: 50, b: 110 })
  })

  it('has a copy that the policy places as any pending task', () => {
    const backwards = policyOf((round, jobs) => { for (const each of [...jobs].reverse()) startAll(round, each) })
    const { lines } = run([job('a', { tasks: 3 }), job('b', { submit: 11, tasks: 3, duration: 8 })], { cluster: nodes(2, 1), policy: backwards, speculation: true })
    expect(starts(lines).slice(3)).toEqual(['11 start b on 0', '11 start b on 1', '19 start b on 0', '19 start a on 1'])
  })

  it('has its data where its copy has it', () => {
    const onlyNear = policyOf((round, jobs) => {
      for (const each of jobs)
        for (const node of round.nodes) {
          if (round.work.unplaced(each, round.lane) === 0 || !round.fits(each, node)) continue
          const task = round.work.taskFor(each, round.lane, node, 0)
          if (task >= 0) round.claim(task as TaskId, node)
        }
    })
    const group = (name: string, count = 1, speed = 1) => ({ name, count, slots: { slot: 1 }, speed })
    const cluster = { nodes: [group('n', 2), group('slow', 1, 0.2), group('near')], replicas: { factor: 2, placement: 'uniform' as const } }
    const { lines } = run([job('a', { tasks: 3, data: { hosts: [['n-0'], ['n-1'], ['slow-0', 'near-0']] } })], { cluster, policy: onlyNear, speculation: true })
    expect(lines.slice(-4)).toEqual(['10 done a on 1', '11 start a on 3 at level 0', '21 superseded a on 2', '21 done a on 3'])
  })

  it('has the index of its copy, and no other task is one', () => {
    let work: WorkView | undefined
    const seen: string[] = []
    const observer: Observer = {
      onRunStart: (run) => void (work = run.work),
      onTaskStart: (task) => void seen.push(`start ${work!.indexOf(task)}${work!.isCopy(task) ? ' again' : ''}`),
      onTaskEnd: (task, ...[, , , how]) => void seen.push(`${how} ${work!.indexOf(task)}${work!.isCopy(task) ? ' again' : ''}`),
    }
    run([job('a', { tasks: 3 })], { cluster: nodes(2, 1), speculation: true, observers: [observer] })
    expect(seen).toEqual(['start 0', 'start 1', 'start 2', 'done 0', 'done 1', 'start 2 again', 'superseded 2', 'done 2 again'])
  })

  it('is not copied as long as other tasks of its stage wait', () => {
    // From 20 s on none waits: it is copied at 21 s, when the look at 20 s came before the round in which the last one started.
    const rounds: number[] = []
    const policy = policyOf((round, jobs) => { rounds.push(round.now); for (const each of jobs) startAll(round, each) })
    expect(later([job('a', { tasks: 4 })], { cluster: nodes(1, 1), policy })).toEqual(['10 done a on 0', '10 start a on 0', '20 done a on 0', '20 start a on 0', '30 done a on 0', '30 start a on 0', '40 superseded a on 1', '40 done a on 0'])
    expect(rounds).toEqual([0, 10, 20, 21, 30, 40])
  })

  it('is not copied before a twentieth of its stage is done', () => {
    expect(starts(later([job('a', { tasks: 21 })], { cluster: nodes(1, 20) }))).toEqual([])
    expect(starts(later([job('a', { tasks: 20 })], { cluster: nodes(1, 19) }))[0]).toBe('11 start a on 0')
  })
})

describe('a task with two attempts', () => {
  it('is done by the copy that goes on when its own node fails, or by what starts in its place', () => {
    expect(later([job('a', { tasks: 4 })], { cluster: nodes(3, 1), outages: [away(3, 15, 16)] }).slice(3)).toEqual([
      '11 start a on 0', '15 lost a on 3', '15 start a on 1', '21 superseded a on 1', '21 done a on 0',
    ])
  })

  it('is copied again after its copy is lost', () => {
    expect(later([job('a', { tasks: 4 })], { cluster: nodes(3, 1), outages: [away(0, 15, 90)] }).slice(3)).toEqual([
      '11 start a on 0', '15 lost a on 0', '26 start a on 1', '36 superseded a on 3', '36 done a on 1',
    ])
  })

  it('has failed when either has, and as often as both together', () => {
    const drawn = (seed: number, stream: string, task: number) => hashUnit(streamKey(seed, stream) ^ streamKey(0, 'a'), task, 0)
    let seed = 1
    while (!([0, 1, 2, 3].every((task) => drawn(seed, 'failures/1', task) >= 0.5) && drawn(seed, 'failures of copies/1', 3) < 0.5)) seed++
    const failsAt = 11 + 20 * drawn(seed, 'failures of copies/1', 3)
    const twice = later([job('a', { tasks: 4 })], { cluster: nodes(3, 1), seed, failures: { probability: 0.5, maxAttempts: 2 } })
    expect(twice.slice(3, 5)).toEqual(['11 start a on 0', `${failsAt} failed a on 0`])
    const { lines, ends } = run([job('a', { tasks: 4 })], { cluster: nodes(3, 1), seed, failures: { probability: 0.5, maxAttempts: 1 }, speculation: true })
    expect(lines.slice(-2).sort()).toEqual([`${failsAt} failed a on 0`, `${failsAt} failed a on 3`])
    expect(ends['a']).toBe(failsAt)
  })

  it('is done once where both attempts end at one time', () => {
    const runtime = { runtime: ({ isCopy, task }: Start) => (isCopy ? 20 : task === 0 ? 4 : 25) }
    expect(later([job('a', { tasks: 2 })], { cluster: equal(2), runtime })).toEqual(['4 done a on 0', '5 start a on 0', '25 superseded a on 0', '25 done a on 1'])
  })

  it('is done when a heartbeat tells of the first', () => {
    const cluster = { ...nodes(2, 1), heartbeat: { interval: 3, stagger: false } }
    expect(later([job('a', { tasks: 3 })], { cluster })).toEqual([
      '12 done a on 0, stopped at 10', '12 done a on 1, stopped at 10', '15 start a on 0', '27 superseded a on 2', '27 done a on 0, stopped at 25',
    ])
  })

  it('is done once where one heartbeat tells of both, also if the master frees the slot at the next one', () => {
    const cluster = { nodes: [{ count: 1, slots: { slot: 2 } }], heartbeat: { interval: 10 } }
    const runtime = (seconds: number) => ({ runtime: ({ isCopy, task }: Start) => (isCopy ? 5 : task === 0 ? 4 : seconds) })
    expect(later([job('a', { tasks: 2 })], { cluster, runtime: runtime(25) })).toEqual([
      '10 done a on 0, stopped at 4', '20 start a on 0', '30 superseded a on 0, stopped at 25', '30 done a on 0, stopped at 25',
    ])
    expect(later([job('a', { tasks: 2 })], { cluster, runtime: runtime(35), commitPendingBug: true })).toEqual([
      '20 done a on 0, stopped at 4', '30 start a on 0', '40 superseded a on 0, stopped at 35', '50 done a on 0, stopped at 35',
    ])
  })

  it('is slow where others on its node slow it down', () => {
    // On node 2 the tasks use 1 + 4 of one disk, so they are five times slower: a's third task would end at 50 s.
    const use = (id: string, tasks: number, disk: number, duration: number): JobSpec => ({ id, submit: 0, stages: [stage({ tasks, duration, use: { disk } })] })
    const cluster = { nodes: [{ count: 2, slots: { slot: 1 }, hardware: { disk: 1 } }, { count: 1, slots: { slot: 2 }, hardware: { disk: 1 } }] }
    expect(later([use('a', 3, 1, 10), use('b', 1, 4, 100)], { cluster }).slice(0, 5)).toEqual(['10 done a on 0', '10 done a on 1', '11 start a on 0', '21 superseded a on 2', '21 done a on 0'])
  })
})

describe('options of speculation', () => {
  // Ten tasks, of which four are done at 10 s and six would be at 50 s, each of which could be over in 10 s on one of four nodes.
  const copied = (speculation: SpeculationOptions) => starts(later([job('a', { tasks: 10 })], { cluster: nodes(4, 6), speculation })).map((line) => Number.parseFloat(line))
  it.each<[SpeculationOptions, number[]]>([
    [{}, [11, 26]], // at 41 s a copy would end at 51 s
    [{ retry: 5 }, [15, 30]],
    [{ retryAfterCopy: 1 }, [11, 12, 13, 14, 21, 22]], // the fifth waits for a slot
    [{ retryAfterCopy: 1, minimum: 2, runningCap: 0, totalCap: 0 }, [11, 12, 21, 22, 31, 32]],
    [{ retryAfterCopy: 1, minimum: 0, runningCap: 0.5, totalCap: 0 }, [11, 12, 13, 22, 32]], // half of 6, 4 and 2 that run
    [{ retryAfterCopy: 1, minimum: 0, runningCap: 0, totalCap: 0.1 }, [11, 21, 31]],
    [{ minimum: 0, runningCap: 0, totalCap: 0 }, []],
  ])('%o: copies at %o s', (options, times) => {
    expect(copied(options)).toEqual(times)
  })

  it('name the stages of which tasks may be copied', () => {
    const stages: StageSpec[] = [stage({ name: 'map', tasks: 3 }), stage({ name: 'reduce', tasks: 3, after: [{ stage: 0, fraction: 1 }] })]
    const copies = (speculation: SpeculationOptions) => starts(later([{ id: 'a', submit: 0, stages }], { cluster: nodes(2, 1), speculation })).length - 3
    expect([copies({}), copies({ stages: ['map'] }), copies({ stages: ['map', 'reduce'] })]).toEqual([2, 1, 2])
  })

  it('that name a stage which no job has are told of', () => {
    const warnings: string[] = []
    run([job('a')], { speculation: { stages: ['work', 'wrok'] }, warn: (message) => void warnings.push(message) })
    expect(warnings).toEqual(['no job has a stage "wrok", of which `speculation` may copy tasks.'])
  })

  it.each<[JobSpec, RegExp]>([
    [{ id: 'g', submit: 0, stages: [stage({ tasks: 2, gang: true })] }, /speculation: stage work of job g is part of a gang\. Name in `stages`/],
    [{ id: 'm', submit: 0, stages: [stage({ tasks: 2, phases: [{ activities: 4, time: 1 }] })] }, /stage work of job m is mouldable/],
  ])('do not copy tasks of job %o', (spec, message) => {
    expect(() => run([spec], { speculation: true })).toThrow(message)
    expect(() => run([spec], { speculation: { stages: ['other'] } })).not.toThrow(message)
  })

  it('do not go with a policy that suspends tasks which may be copied', () => {
    const suspending = policyOf((round, jobs) => {
      const [running] = jobs.flatMap((each) => { const tasks: TaskId[] = []; round.work.runningTasks(each, round.lane, tasks); return tasks })
      if (running !== undefined && round.now > 0) round.suspendTask(running, [])
      else for (const each of jobs) startAll(round, each)
    })
    const suspended = (speculation: SpeculationOptions) => () => run([job('a', { tasks: 2, duration: [10, 20] })], { policy: suspending, speculation }, 15)
    expect(suspended({})).toThrow('policy: suspends tasks of job a, of which others may be copied (speculation). Name in `stages`')
    expect(suspended({ stages: ['other'] })).not.toThrow('speculation')
  })

  it.each<[SpeculationOptions, string]>([
    [{ runningCap: 1.5 }, 'found a runningCap of 1.5'],
    [{ totalCap: -1 }, 'found a totalCap of -1'],
    [{ minimum: 0.5 }, 'found a minimum of 0.5'],
    [{ retry: 0 }, 'found a retry of 0 s'],
    [{ retryAfterCopy: NaN }, 'found a retryAfterCopy of NaN s'],
  ])('as %o are refused', (speculation, fact) => {
    expect(() => run([], { speculation })).toThrow(`speculation: ${fact}`)
  })
})

describe('stragglers', () => {
  const start = (task: number, isCopy = false): Start => ({ spec: job('a'), stage: stage(), stageIndex: 0, task, tasks: 20_000, key: 7, level: -1, levels: 1, speed: 1, isCopy })
  const times = (stragglers: StragglerOptions, isCopy = false) => {
    const model = runtimeModel(1, { jitter: 0, stragglers })
    return Array.from({ length: 20_000 }, (_, task) => model.runtime(start(task, isCopy)))
  }

  it('are a fraction of the tasks, which take a multiple of their time', () => {
    const [slow, usual] = [50, 10].map((seconds) => times({ fraction: 0.2, factor: 5 }).filter((each) => each === seconds).length) as [number, number]
    expect(slow + usual).toBe(20_000)
    expect(Math.abs(slow - 4000)).toBeLessThan(4 * Math.sqrt(20_000 * 0.2 * 0.8))
    expect([new Set(times({ fraction: 0, factor: 5 })), new Set(times({ fraction: 1, factor: 5 }))]).toEqual([new Set([10]), new Set([50])])
  })

  it('are other tasks where the copy is one', () => {
    const options = { fraction: 0.2, factor: 5 }
    const copies = times(options, true)
    const both = times(options).filter((seconds, task) => seconds === 50 && copies[task] === 50).length
    expect(Math.abs(both - 800)).toBeLessThan(4 * Math.sqrt(20_000 * 0.04 * 0.96)) // one in 25, as of independent draws
  })

  it('are the same under every policy, whatever starts first', () => {
    const slow = (policy: SimulationOptions['policy']) => {
      const took: Record<string, number> = {}
      let work: WorkView | undefined
      const observer: Observer = { onRunStart: (run) => void (work = run.work), onTaskEnd: (task, of, ...[, , , started, stopped]) => void (took[`${work!.name(of)}.${work!.indexOf(task)}`] = stopped - started) }
      run(['a', 'b', 'c'].map((id) => job(id, { tasks: 9 })), { policy, runtime: { jitter: 0, stragglers: { fraction: 0.3, factor: 8 } }, observers: [observer] })
      return Object.entries(took).filter(([, seconds]) => seconds === 80).map(([name]) => name).sort()
    }
    const [one, other] = [policyOf((round, jobs) => { for (const each of jobs) startAll(round, each) }), policyOf((round, jobs) => { for (const each of [...jobs].reverse()) startAll(round, each) })].map(slow)
    expect(one!.length).toBeGreaterThan(3)
    expect(other).toEqual(one)
  })

  it.each<[StragglerOptions, string]>([
    [{ fraction: 1.1, factor: 2 }, 'runtime.stragglers.fraction: fraction is 1.1'],
    [{ fraction: 0.1, factor: 0.5 }, 'runtime.stragglers.factor: factor is 0.5'],
  ])('as %o are refused', (stragglers, message) => {
    expect(() => runtimeModel(1, { stragglers })).toThrow(message)
  })
})
