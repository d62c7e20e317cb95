import { describe, expect, it } from 'vitest'
import type { JobSpec, StageSpec } from '@sched/core'
import { negotiator } from '@sched/policies'
import { instantCluster, job, run } from '@sched/testkit'
import { twoLevel, type TwoLevelOptions } from '../src/index.js'
import { cpuJob, cpus, play } from './world.js'

const frameworks = { batch: {}, service: {} }
const none = { job: 0, task: 0 }

describe('an offer', () => {
  it('is made a second after it is asked for and comes when it is made; its jobs start after the sum of their decision times', () => {
    const jobs = [cpuJob('a', { tasks: 2 }), cpuJob('b', { tasks: 4 })]
    const { recorder, decided } = play(twoLevel({ frameworks: 1, decision: { job: 1, task: 0.5 }, offerTime: 0.5 }), jobs)
    // a takes 1 + 2 x 0.5, b 1 + 4 x 0.5
    expect(decided.lines()).toEqual(['framework a#1 1.5-3.5: 2 claimed, 2 accepted, 0 conflicted, 0 left', 'framework b#1 3.5-6.5: 4 claimed, 4 accepted, 0 conflicted, 0 left'])
    expect(new Set(recorder.launches.map(({ time }) => time))).toEqual(new Set([6.5]))
  })

  it('takes as long to come as `batch` and `offerTime` say', () => {
    const { decided } = play(twoLevel({ frameworks: 1, decision: none, batch: 7, offerTime: 0.5 }), [cpuJob('a')])
    expect(decided.all.map(({ opened }) => opened)).toEqual([7.5])
  })

  it('locks all that is free: while service decides for 100 s batch is offered what ends in that time, and nothing else', () => {
    // 16 CPUs: 6 run batch tasks that end at 1.001 + 20, 40, ..., 120; service is offered the other 10
    const jobs = [
      cpuJob('early', { class: 'batch', tasks: 6, duration: [20, 40, 60, 80, 100, 120] }),
      cpuJob('slow', { class: 'service', submit: 2, duration: 1000 }),
      cpuJob('late', { class: 'batch', submit: 10, tasks: 16, duration: 1000 }),
    ]
    const options: TwoLevelOptions = { frameworks: { batch: { decision: none }, service: { decision: { job: 100, task: 0 } } } }
    const { recorder } = play(twoLevel(options), jobs)
    const service = recorder.launches.find(({ job }) => job === 'slow')?.time as number
    expect(service).toBeCloseTo(3.001 + 100, 9) // asked at 2
    const starts = recorder.launches.filter(({ job, time }) => job === 'late' && time < service)
    const freed = recorder.ends.filter(({ job, time }) => job === 'early' && time < service - 1)
    expect(freed.map(({ time }) => time)).toEqual([21.001, 41.001, 61.001, 81.001, 101.001])
    expect(starts.map(({ node }) => node)).toEqual(freed.map(({ node }) => node))
  })

  it('that is never made or never lasts is why jobs wait for ever, where nothing gives them up', () => {
    const never = { abandonAfter: false, abandonUnplacedAfter: false, requeue: 3600, batch: 3600 } as const
    const run = (options: TwoLevelOptions) => () => play(twoLevel({ ...never, ...options }), [cpuJob('a', { tasks: 2 })])
    const why = /although nothing runs: no offer that may be made is large enough for it, or lasts until it is answered \(minimumOffer, fairShareOffers, offerTimeout\)/
    expect(run({ minimumOffer: { cpu: 17 } })).toThrow(why)
    expect(run({ offerTimeout: 0.01, decision: { job: 1, task: 0 } })).toThrow(why)
    expect(run({ minimumOffer: { cpu: 16 } })).not.toThrow()
  })

  it('is not made of less than the minimum', () => {
    const jobs = [cpuJob('a', { tasks: 8, duration: 5 }), cpuJob('b', { submit: 1.5, tasks: 2 })]
    const starts = (minimumOffer: Record<string, number>) => play(twoLevel({ frameworks: 1, decision: none, minimumOffer }), jobs).recorder.launches.find(({ job }) => job === 'b')?.time
    expect(starts({ cpu: 8 })).toBe(2.501) // 16 - 8 are free
    expect(starts({ cpu: 9 })).toBe(6.501) // not before a has ended at 6.001
  })

  it('that has no answer in time is taken back, and its decision is wasted', () => {
    const options = { frameworks: 1, decision: { job: 3, task: 0 }, offerTime: 0.5, offerTimeout: 5 } as const
    const { decided, recorder } = play(twoLevel(options), [cpuJob('a'), cpuJob('b'), cpuJob('c')], { until: 7 })
    expect(decided.lines()).toEqual([
      'framework a#1 1.5-4.5: 1 claimed, 0 accepted, 1 conflicted, 1 left',
      'framework b#1 4.5-6.5: 1 claimed, 0 accepted, 1 conflicted, 1 left',
    ])
    expect(recorder.launches).toEqual([])
  })
})

describe('the allocator', () => {
  /** First starts of each class when both frameworks ask at once; batch holds more CPUs, service more tasks and memory. */
  const order = (options: TwoLevelOptions) => {
    const cluster = { nodes: [{ count: 1, resources: { cpu: 10, mem: 10 } }] }
    const jobs: JobSpec[] = [
      cpuJob('b0', { class: 'batch', demand: { cpu: 4, mem: 1 }, duration: 100 }),
      cpuJob('s0', { class: 'service', submit: 3, tasks: 3, demand: { cpu: 1, mem: 1 }, duration: 100 }),
      cpuJob('b1', { class: 'batch', submit: 10, duration: 100 }),
      cpuJob('s1', { class: 'service', submit: 10, duration: 100 }),
    ]
    const { recorder } = play(twoLevel({ frameworks, decision: { job: 0.1, task: 0 }, ...options }), jobs, { cluster, until: 50 })
    return recorder.launches.filter(({ time }) => time > 10).map(({ job }) => job)
  }

  it('serves the smallest dominant share first: 4/10 of the CPUs against 3/10', () => {
    expect(order({})).toEqual(['s1', 'b1'])
  })
  it('divides shares by weight: 4/10 / 2 against 3/10', () => {
    expect(order({ frameworks: { batch: { weight: 2 }, service: {} } })).toEqual(['b1', 's1'])
  })
  it('takes equal shares for equal, so that the name decides: 4/10 / 4 and 3/10 / 3', () => {
    expect(order({ frameworks: { batch: { weight: 4 }, service: { weight: 3 } } })).toEqual(['b1', 's1'])
  })
  it('serves the fewest tasks first if it is `fair`: 1 against 3', () => {
    expect(order({ allocator: 'fair' })).toEqual(['b1', 's1'])
  })
  it('serves who was served longest ago first if it is `round-robin`', () => {
    expect(order({ allocator: 'round-robin' })).toEqual(['b1', 's1'])
  })
  it('looks again after some time at least, or a run would not come to an end', () => {
    expect(() => order({ batch: 0 })).toThrow(/batch/)
  })
  it('takes any order', () => {
    expect(order({ allocator: (a, b) => (a.name > b.name ? -1 : 1) })).toEqual(['s1', 'b1'])
    expect(order({ allocator: (a, b) => (a.name < b.name ? -1 : 1) })).toEqual(['b1', 's1'])
  })
})

describe('fair share offers', () => {
  it('lock no more than the framework lacks of its share', () => {
    // both have work: of 16 CPUs each may have 8, that is two nodes of 4
    const jobs = [cpuJob('s', { class: 'service', tasks: 16, duration: 1000 }), cpuJob('b', { class: 'batch', tasks: 16, duration: 1000 })]
    const options: TwoLevelOptions = { frameworks: { batch: { decision: none }, service: { decision: { job: 100, task: 0 } } }, fairShareOffers: true }
    const { recorder } = play(twoLevel(options), jobs, { until: 50 })
    expect(recorder.launches.map(({ job, time }) => `${time} ${job}`)).toEqual(Array.from({ length: 8 }, () => '1.001 b'))
  })
})

describe('a refused node', () => {
  it('is not offered to the same framework again for a while', () => {
    // the first job uses node 0; nodes 1 to 3 are refused at 1.001
    const jobs = [cpuJob('a', { tasks: 4, duration: 1000 }), cpuJob('b', { submit: 2 })]
    const starts = (refuseSeconds: number) => play(twoLevel({ frameworks: 1, decision: none, refuseSeconds }), jobs).recorder.launches.find(({ job }) => job === 'b')?.time
    expect(starts(0)).toBe(3.001)
    expect(starts(5)).toBe(7.001) // asks at 3, 4, 5, 6; refused until 6.001
  })
})

describe('a gang', () => {
  const gang = (tasks: number) => cpuJob('gang', { class: 'service', submit: 2, tasks, gang: true, duration: 10 })
  // 12 of 16 CPUs are busy; one of them is free at 11, 21, ... and taken again by the other framework's stream of tasks
  const stream = [
    cpuJob('long', { class: 'batch', tasks: 12, duration: [20, 30, 40, 50, 60, 70, 80, 90, 100, 110, 120, 130] }),
    ...Array.from({ length: 12 }, (_, i) => cpuJob(`next${i}`, { class: 'batch', submit: 5 + i, duration: 500 })),
  ]
  const start = (hoard: number) => {
    const { recorder } = play(twoLevel({ frameworks, decision: none, hoard, abandonAfter: false, abandonUnplacedAfter: false }), [...stream, gang(8)].sort((a, b) => a.submit - b.submit), { until: 450 })
    const times = recorder.launches.filter(({ job }) => job === 'gang').map(({ time }) => time)
    return { tasks: times.length, times: new Set(times).size }
  }

  it('waits for an offer with room for all of it, and others take what is free', () => {
    expect(start(0)).toEqual({ tasks: 0, times: 0 })
  })
  it('is collected for where frameworks hoard, and starts together', () => {
    expect(start(400)).toEqual({ tasks: 8, times: 1 })
  })
  it('gives back what it has collected when time is up', () => {
    const { decided, recorder } = play(twoLevel({ frameworks, decision: none, hoard: 5, abandonUnplacedAfter: false }), [cpuJob('busy', { class: 'batch', tasks: 10, duration: 100 }), gang(8), cpuJob('late', { class: 'batch', submit: 4, tasks: 6 })], { until: 30 })
    expect(decided.all.filter(({ job }) => job === 'gang').every(({ accepted }) => accepted === 0)).toBe(true)
    expect(recorder.launches.filter(({ job }) => job === 'late').length).toBe(6)
  })
})

describe("one framework, as in mesosSimulatorSingleScheduler... of the authors' simulator", () => {
  it('spends 1 + i s on job i of 40, with i tasks, one after the other: 40 + 820 s where all fit', () => {
    const jobs = Array.from({ length: 40 }, (_, i) => cpuJob(`j${i + 1}`, { submit: i + 1, tasks: i + 1, duration: i + 1 }))
    const { decided } = play(twoLevel({ frameworks: 1, decision: { job: 1, task: 1 } }), jobs, { cluster: cpus(1, 1000) })
    expect(decided.all.map(({ opened, closed }) => Number((closed - opened).toFixed(6)))).toEqual(jobs.map((_, i) => 2 + i))
    expect(decided.all.every(({ attempt, unplaced }) => attempt === 1 && unplaced === 0)).toBe(true)
    for (const [i, { opened }] of decided.all.entries()) if (i > 0) expect(opened).toBeGreaterThanOrEqual(decided.all[i - 1]?.closed ?? NaN)
  })
})

describe('a round that takes time', () => {
  it('may evict a task and start another one of its job there, whose tasks are on different nodes', () => {
    const apart = { constraints: { distinctNodes: true } }
    const of = (id: string, user: string, submit: number, tasks: number, cpu: number, duration: number, more: Partial<StageSpec> = {}): JobSpec =>
      job({ id, user, submit, stages: [{ name: 's', tasks, demand: { cpu }, duration, ...more }] })
    // Ann's job takes the places of Dan's j23 and Bob's, and j23 starts where they leave room; it lies with the names which framework has which jobs
    const jobs = [of('j16', 'dan', 30, 3, 3, 31), of('j23', 'dan', 33, 3, 2, 29, apart), of('j21', 'bob', 36, 1, 3, 34), of('j12', 'cid', 40, 3, 1, 19), of('j8', 'cid', 51, 2, 2, 13, apart), of('j2', 'ann', 55, 3, 2, 16, apart)]
    const cluster = instantCluster({ nodes: [{ name: 'n', count: 3, resources: { cpu: 6 } }] })
    const { recorder } = run({ policy: negotiator({ PREEMPTION_REQUIREMENTS: true }), jobs, cluster, architecture: twoLevel({ decision: { job: 0.5, task: 0.125 } }) })
    const ofIt = recorder.events.flatMap((event) => ('node' in event && event.job === 'j23' && event.time > 50 ? [`${event.kind} ${event.task} ${event.node}`] : []))
    expect(ofIt.slice(0, 3)).toEqual(['end 0 n-1', 'end 1 n-2', 'launch 2 n-2'])
    expect(recorder.events.filter(({ kind }) => kind === 'finish')).toHaveLength(6)
  })
})
