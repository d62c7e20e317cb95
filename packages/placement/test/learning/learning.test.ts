import { defineArchitecture, type JobSpec, type LaneId } from '@sched/core'
import { checkPolicyLaws, job, run } from '@sched/testkit'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { learning, type LearningOptions } from '../../src/index.js'
import { arrival } from './arrival.js'
import { naiveLearning } from './naive.js'

const servers = (count: number, cores: number, slots = 8, interval: number | null = 3) => ({
  nodes: [{ count, resources: { container: slots }, hardware: { cores, memory: 16 } }],
  ...(interval !== null && { heartbeat: { interval, stagger: true } }),
})
const jobs = (count: number, change: { readonly tasks?: number; readonly duration?: number; readonly gap?: number; readonly use?: Readonly<Record<string, number>> } = {}): JobSpec[] =>
  Array.from({ length: count }, (_, i) => ({
    id: `j${i}`, submit: i * (change.gap ?? 5),
    stages: [{ name: 's', tasks: change.tasks ?? 2, demand: { container: 1 }, duration: change.duration ?? 8, ...(change.use !== undefined && { use: change.use }) }],
  }))

/** A round over all nodes where tasks wait; elsewhere one without nodes, if the policy gets what it wants. */
const onlyForWork = (isGiven: boolean) =>
  defineArchitecture({
    name: 'only-for-work',
    summary: 'rounds where tasks wait',
    options: { '~standard': { version: 1, vendor: 'test', validate: (value) => ({ value }) } },
    create: (_, { cell, addScheduler }) => {
      const scheduler = addScheduler('scheduler')
      return {
        trigger() {
          const waits = scheduler.pending(0 as LaneId) > 0
          if (!waits && !(isGiven && scheduler.policy.wantsRound?.(cell.now()) === true)) return
          const round = cell.draft(scheduler, 0 as LaneId, waits ? cell.nodes : [])
          scheduler.policy.schedule(round)
          round.commit({ conflict: 'none', atomic: false })
        },
      }
    },
  }).plug({}, {})

/** The most tasks on a node at once among those that start in a period. */
function mostAtOnce(lines: readonly { readonly node: string; readonly started: number; readonly stopped: number }[], from: number): number {
  const late = lines.filter(({ started }) => started >= from)
  return Math.max(...late.map((one) => lines.filter((other) => other.node === one.node && other.started <= one.started && other.stopped > one.started).length))
}

describe('the learning scheduler', () => {
  it('starts jobs as its order says while nothing was overloaded', () => {
    const { recorder } = run({ policy: learning(arrival()), jobs: jobs(2, { gap: 0 }), cluster: servers(2, 8, 2) })
    expect(recorder.launchLines()).toEqual(['0 j0.0 on node-0', '0 j0.1 on node-0', '1.5 j1.0 on node-1', '1.5 j1.1 on node-1'])
  })

  it('learns to keep tasks off nodes that they would overload', () => {
    // 8 slots for 4 cores: without probabilities the nodes are crowded for good
    const most = (threshold: number, from: number) =>
      mostAtOnce(run({ policy: learning(arrival(), { threshold, overload: { cpu: 1, load: 1 } }), jobs: jobs(60, { tasks: 4, duration: 6, gap: 3 }), cluster: servers(2, 4) }).recorder.ends, from)
    expect([most(0.5, 0), most(0, 0)]).toEqual([8, 8])
    expect([most(0.5, 60), most(0, 60)]).toEqual([4, 8])
  })

  it('tells light jobs from heavy ones: on a half busy node the light start', () => {
    // heavy ones take 3 of 4 cores, so two of them are one too many
    const mixed = jobs(120, { tasks: 1, duration: 7, gap: 1 }).map((each, i) => ({ ...each, stages: each.stages.map((stage) => ({ ...stage, use: { cores: i % 3 === 0 ? 3 : 0.1 } })) }))
    const isHeavy = ({ job: id }: { readonly job: string }) => Number(id.slice(1)) % 3 === 0
    const busy = (threshold: number) => {
      const { recorder } = run({ policy: learning(arrival(), { threshold, overload: { cpu: 0.9, load: 2 } }), jobs: mixed, cluster: servers(1, 4, 8, 1) })
      const starts = recorder.ends.filter((end) => end.started > 40 && recorder.ends.some((other) => other !== end && isHeavy(other) && other.started <= end.started && other.stopped > end.started))
      return { heavy: starts.filter(isHeavy).length, light: starts.filter((end) => !isHeavy(end)).length }
    }
    const [learnt, greedy] = [busy(0.5), busy(0)]
    expect(learnt.heavy).toBeLessThan(greedy.heavy / 2)
    expect(learnt.light).toBeGreaterThan(20)
  })

  it('gives an idle node a task although every pair is bad, and no other node', () => {
    // one core, tasks that take two: always overloaded, so that after the first all is bad
    const { recorder } = run({ policy: learning(arrival()), jobs: jobs(4, { tasks: 1, gap: 3, duration: 4, use: { cores: 2 } }), cluster: servers(1, 1) })
    // alone a task takes 8 s on half the cores it wants
    expect(recorder.launchLines()).toEqual(['0 j0.0 on node-0', '9 j1.0 on node-0', '18 j2.0 on node-0', '27 j3.0 on node-0'])
  })

  it('starts one more when its patience is at an end', () => {
    const { recorder } = run({ policy: learning(arrival(), { patience: 30 }), jobs: jobs(3, { tasks: 1, gap: 4, duration: 100, use: { cores: 2 } }), cluster: servers(1, 1) })
    // j0 at 0 turns out bad at 3; j1 has waited since 4 and the last start was at 0, j2 follows 30 s later
    expect(recorder.launchLines()).toEqual(['0 j0.0 on node-0', '36 j1.0 on node-0', '66 j2.0 on node-0'])
  })

  it('judges and asks again by the clock where the cluster has no heartbeats', () => {
    const { recorder } = run({ policy: learning(arrival(), { feedback: 2, patience: 30 }), jobs: jobs(2, { tasks: 1, gap: 10, duration: 100, use: { cores: 2 } }), cluster: servers(1, 1, 8, null) })
    // judged at 2; at 10 the pair is bad and the node busy; 30 s after 10, when waiting began
    expect(recorder.launchLines()).toEqual(['0 j0.0 on node-0', '40 j1.0 on node-0'])
  })

  it('judges by the clock although nothing waits then, where it is given the round that it wants', () => {
    const reported = { tasks: 1, use: { cores: 2 } }
    const all = [...jobs(1, { ...reported, duration: 10 }), ...jobs(2, { ...reported, duration: 50, gap: 1 }).map((each, i) => ({ ...each, id: `k${i}`, submit: 30 + i }))]
    const lines = (isGiven: boolean) => run({ policy: learning(arrival(), { feedback: 2 }), architecture: onlyForWork(isGiven), jobs: all, cluster: servers(1, 1, 8, null) }).recorder.launchLines()
    // j0 takes 20 s and turns out bad at 2, so k1 waits for an idle node; at 30 the node is idle and j0 would seem good
    expect(lines(true)).toEqual(['0 j0.0 on node-0', '30 k0.0 on node-0', '130 k1.0 on node-0'])
    expect(lines(false)).toEqual(['0 j0.0 on node-0', '30 k0.0 on node-0', '31 k1.0 on node-0'])
  })

  it('offers later nodes of a pass what a job wants once its first stage has started', () => {
    const stage = (cores: number, tasks: number, duration: number) => ({ name: 's', tasks, demand: { container: 1 }, duration, use: { cores } })
    const all: JobSpec[] = [
      { id: 'first', submit: 0, stages: [stage(0.1, 1, 10)] }, // all that node 0 holds
      { id: 'light', submit: 0, stages: [stage(0.1, 2, 100)] },
      { id: 'heavy', submit: 4, stages: [stage(5, 1, 5)] }, // bad at 7
      { id: 'both', submit: 20, stages: [stage(5, 1, 50), stage(0.1, 1, 50)] }, // heavy on the idle node alone, light anywhere
    ]
    const hardware = { cores: 4 }
    const cluster = { nodes: [{ name: 'a', count: 1, resources: { container: 1 }, hardware }, { name: 'b', count: 1, resources: { container: 4 }, hardware }] }
    const { recorder } = run({ policy: learning(arrival(), { overload: { cpu: 1, load: 9 } }), jobs: all, cluster, runtime: { jitter: 0, contention: false } })
    expect(recorder.launchLines().slice(-2)).toEqual(['20 both.0 on a-0', '20 both.1.0 on b-0'])
  })

  it('forgets, so that a load that has become harmless is welcome again', () => {
    const heavy = jobs(30, { tasks: 2, gap: 4, duration: 6, use: { cores: 1 } })
    const light = jobs(60, { tasks: 2, gap: 4, duration: 6, use: { cores: 0.3 } }).map((each, i) => ({ ...each, id: `l${i}`, submit: 300 + i * 4 }))
    const makespan = (options: LearningOptions) => Math.max(...run({ policy: learning(arrival(), { jobLimits: [10], overload: { cpu: 0.9, load: 9 }, ...options }), jobs: [...heavy, ...light], cluster: servers(1, 1) }).recorder.ends.map(({ stopped }) => stopped))
    expect(makespan({ decay: 0.8 })).toBeLessThan(makespan({}))
  })

  it('weighs utility by probability: the best pair wins where all are wanted alike, the first good job where the place counts most', () => {
    const mixed = jobs(90, { tasks: 1, duration: 9, gap: 1 }).map((each, i) => ({ ...each, stages: each.stages.map((stage) => ({ ...stage, use: { cores: i % 2 === 0 ? 2 : 0.1 } })) }))
    const meanStart = (utility: 'equal' | 'reciprocal' | 'age', isLight: boolean) => {
      const { recorder } = run({ policy: learning(arrival(), { utility, overload: { cpu: 0.9, load: 9 } }), jobs: mixed, cluster: servers(1, 4, 4, 1) })
      const starts = recorder.launches.filter(({ job: id }) => (Number(id.slice(1)) % 2 === 1) === isLight)
      return starts.reduce((sum, { time }) => sum + time, 0) / starts.length
    }
    expect(meanStart('equal', true)).toBeLessThan(meanStart('reciprocal', true))
    expect(meanStart('age', true)).not.toBe(meanStart('equal', true))
  })

  it('starts a gang whole, judged by its first task, once there is room for all of it', () => {
    const single = jobs(1, { tasks: 3, duration: 5 })
    const gang: JobSpec = { id: 'gang', submit: 1, stages: [{ name: 's', tasks: 4, demand: { container: 1 }, duration: 5, gang: true }, { name: 't', tasks: 1, demand: { container: 1 }, duration: 1 }] }
    const { recorder } = run({ policy: learning(arrival()), jobs: [...single, gang], cluster: servers(2, 4, 2, null) })
    // 3 of 4 containers are taken until 5; the second stage, which is not after the first, waits behind the gang
    expect(recorder.launchLines().slice(3, 7)).toEqual(['5 gang.0 on node-0', '5 gang.1 on node-0', '5 gang.2 on node-1', '5 gang.3 on node-1'])
  })

  it('starts gangs that ask less, or for fewer tasks, behind one without room', () => {
    const gang = (id: string, tasks: number, container: number): JobSpec => ({ id, submit: 1, stages: [{ name: 's', tasks, demand: { container }, duration: 5, gang: true }] })
    const { recorder } = run({ policy: learning(arrival()), jobs: [...jobs(1, { tasks: 3, duration: 20 }), gang('large', 5, 2), gang('fewer', 2, 2), gang('less', 5, 1)], cluster: servers(2, 8, 6, null) })
    // of 2 x 6 containers 3 of one node are taken, so that there is room for 4 tasks of 2 containers: 2 of them start, and beside them 5 of one
    expect(recorder.launches.filter(({ time }) => time === 1).map(({ job: id }) => id)).toEqual(['fewer', 'fewer', 'less', 'less', 'less', 'less', 'less'])
  })

  it('warns once where the use of hardware is not measured', () => {
    const warnings: string[] = []
    run({ policy: learning(arrival()), jobs: [job({ demand: { container: 1 } })], cluster: { nodes: [{ count: 1, resources: { container: 1 } }] }, warn: (message) => warnings.push(message) })
    expect(warnings).toEqual(['learning: the use of hardware is not measured, so no assignment is ever bad. Describe the `hardware` of nodes, and the `use` of stages.'])
  })

  it('refuses options that cannot be', () => {
    expect(() => learning(arrival(), { decay: 0 })).toThrow(/decay/)
    expect(() => learning(arrival(), { threshold: 2 })).toThrow(/threshold/)
    expect(() => learning(arrival(), { utility: 'best' as never })).toThrow(/utility/)
  })

  it('decides as its plain reference does, start by start', { tags: 'long' }, () => {
    const use = fc.constantFrom(undefined, { cores: 0.1 }, { cores: 0.9, memory: 2 }, { cores: 3, memory: 6 }, { memory: 5 })
    const draft = fc.record({ gap: fc.constantFrom(0, 0, 1, 2.5, 9), tasks: fc.integer({ min: 1, max: 4 }), duration: fc.constantFrom(2, 5, 11.5, 30), demand: fc.constantFrom(1, 1, 2), use })
    const group = fc.record({ count: fc.integer({ min: 1, max: 3 }), cores: fc.constantFrom(1, 2, 4), slots: fc.constantFrom(2, 5) })
    let starts = 0
    fc.assert(
      fc.property(fc.array(group, { minLength: 1, maxLength: 2 }), fc.array(draft, { minLength: 3, maxLength: 25 }), fc.constantFrom(1, 3, undefined, undefined), (groups, drafts, interval) => {
        let submit = 0
        const specs = drafts.map(({ gap, tasks, duration, demand, use: used }, i): JobSpec => ({
          id: `j${i}`, submit: (submit += gap), stages: [{ name: 's', tasks, demand: { container: demand }, duration, ...(used !== undefined && { use: used }) }],
        }))
        const cluster = {
          nodes: groups.map(({ count, cores, slots }, i) => ({ name: `g${i}`, count, resources: { container: slots }, hardware: { cores, memory: 8 } })),
          ...(interval !== undefined && { heartbeat: { interval, stagger: true } }),
        }
        const [fast, plain] = [learning(arrival()), naiveLearning()].map((policy) => run({ policy, jobs: specs, cluster }).recorder.launchLines())
        expect(fast).toEqual(plain)
        starts += fast?.length ?? 0
      }),
      { seed: 5, numRuns: 40 },
    )
    expect(starts).toBeGreaterThan(900)
  })

  it('obeys the laws of policies', { tags: 'long' }, () => {
    const { launches } = checkPolicyLaws(() => learning(arrival()), { runs: 25 })
    expect(launches).toBeGreaterThan(200)
  })
})
