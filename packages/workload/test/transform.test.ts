import { SchedError, type JobSpec } from '@sched/core'
import { describe, expect, it } from 'vitest'
import { addMasters, drawQueues, facebook, filter, jobsOf, mapJobs, renameQueues, scaleLoad, sensitivity, streamJobs, take, timeWindow, workloadFrom, workloadOf, describe as summaryOf, type TraceFacts } from '../src/index.js'

const stages = [{ name: 's', tasks: 1, demand: { cpu: 1 }, duration: 1 }]
const job = (id: string, submit: number, rest: Partial<JobSpec> = {}): JobSpec => ({ id, submit, stages, ...rest })
const five = workloadOf('five', [
  job('a', 0), job('b', 10, { deadline: 25 }), job('c', 20, { after: 'b', think: 3 }), job('d', 30, { after: 'c' }), job('e', 40, { label: 'x' }),
])
const seen = (workload: Parameters<typeof jobsOf>[0]) => [...jobsOf(workload)].map(({ id, submit, after }) => [id, submit, after].filter((x) => x !== undefined).join(' '))

describe('workloadOf', () => {
  it('says so where a program without types leaves out the name, or gives no list', () => {
    expect(() => (workloadOf as (jobs: unknown) => unknown)([])).toThrow("jobs: is missing. Write workloadOf('mine', [{ id: 'a', submit: 0, stages: [...] }]).")
    expect(() => workloadOf('x', new Set() as never)).toThrow('jobs: is no list.')
    const jobs = () => [job('a', 0)]
    const wayOut = "Write workloadFrom('mine', 100, () => (index) => ({ id: `j${index}`, submit: index, stages: [...] }))."
    expect(() => workloadFrom('x', jobs as never, undefined as never)).toThrow(`jobs: is no number of jobs. ${wayOut}`)
    expect(() => workloadFrom('x', 1, jobs() as never)).toThrow(`start: is no function. ${wayOut}`)
    expect(() => workloadFrom('x', 1, jobs as never).open()).toThrow(`start: returns no function. ${wayOut}`)
  })
})

describe('scaleLoad', () => {
  it('divides the gaps between submissions by the factor and nothing else', () => {
    expect(seen(scaleLoad(five, 2))).toEqual(['a 0', 'b 5', 'c 10 b', 'd 15 c', 'e 20'])
    expect([...jobsOf(scaleLoad(five, 2))][4]!.stages).toBe(stages)
  })

  it('keeps the time from submission to deadline', () => {
    // 25 - 10 = 15 s after submission at 5 s
    expect([...jobsOf(scaleLoad(five, 2))][1]!.deadline).toBe(20)
  })

  it('doubles the offered load when the factor is 2', () => {
    const load = (factor: number) => summaryOf(scaleLoad(facebook(), factor), { map: 400 }).resources[0]!.load!
    expect(load(2) / load(1)).toBeCloseTo(2, 9)
  })
})

describe('the header of a log', () => {
  const log = { ...five, start: 1000, header: [['Computer', 'x'], ['UnixStartTime', '1000'], ['StartTime', 'Thu'], ['EndTime', 'Fri']] as const }
  const facts = ({ header, start }: TraceFacts) => ({ header, start })

  it('no longer says when it began and ended, once its jobs are others', () => {
    expect(facts(timeWindow(log, 10, 30) as TraceFacts)).toEqual({ header: [['Computer', 'x']], start: 1010 })
    expect(facts(scaleLoad(log, 2) as TraceFacts)).toEqual({ header: [['Computer', 'x']], start: undefined })
    expect(facts(take(log, 2) as TraceFacts)).toEqual({ header: log.header, start: 1000 })
  })
})

describe('a job that waits for events of others', () => {
  const afterAny = [{ job: 'a' }, { job: 'b', on: 'start' as const }]
  const chain = workloadOf('chain', [job('a', 0), job('b', 1), job('c', 2, { afterAll: [{ job: 'a', think: 3 }, { job: 'b' }] }), job('d', 3, { afterAny })])
  const waits = (workload: Parameters<typeof jobsOf>[0]) => [...jobsOf(workload)].slice(-2).map(({ afterAll, afterAny: any }) => afterAll ?? any)

  it('no longer waits for one that is left out, nor for one of several of which one is', () => {
    expect([waits(chain), waits(timeWindow(chain, 1, 9))]).toEqual([[[{ job: 'a', think: 3 }, { job: 'b' }], afterAny], [[{ job: 'b' }], undefined]])
  })

  it('is one of those that wait for another', () => {
    expect([chain.chained, summaryOf(chain).chained]).toEqual([true, 2])
  })
})

describe('addMasters', () => {
  const work = { name: 'work', tasks: 2, demand: { cpu: 1 }, duration: 5 }
  const withMasters = (stages: Parameters<typeof workloadOf>[1][number]['stages']) => [...jobsOf(addMasters(workloadOf('w', [{ id: 'a', submit: 0, stages }]), { demand: { cpu: 1 }, startup: 3 }))][0]?.stages

  it('puts a master before the other stages, which are counted anew', () => {
    const stages = [work, { ...work, after: [{ stage: 0, fraction: 0.5 }], shuffle: { from: 0, bytes: 9 } }]
    expect(withMasters(stages)).toEqual([
      { name: 'master', tasks: 1, demand: { cpu: 1 }, duration: 3, master: true }, work, { ...work, after: [{ stage: 1, fraction: 0.5 }], shuffle: { from: 1, bytes: 9 } },
    ])
  })

  it('requires the labels that all stages require, as the master of an application with a label does', () => {
    const [gpu, both] = [{ ...work, constraints: { require: { partition: 'gpu' } } }, { ...work, constraints: { require: { model: ['a', 'b'], partition: 'gpu' }, distinctNodes: true } }]
    const ofMaster = (...stages: Parameters<typeof withMasters>[0]) => withMasters(stages)?.[0]?.constraints
    expect([ofMaster(both), ofMaster(gpu, both), ofMaster(gpu, work), ofMaster(work)]).toEqual([{ require: { model: ['a', 'b'], partition: 'gpu' } }, { require: { partition: 'gpu' } }, undefined, undefined])
  })

  it('leaves jobs as they are that have one', () => {
    const stages = [{ name: 'driver', tasks: 1, demand: { cpu: 2 }, duration: 0, master: true }, work]
    expect(withMasters(stages)).toEqual(stages)
  })

  it('refuses a time that is none', () => {
    expect(() => addMasters(workloadOf('w', []), { demand: { cpu: 1 }, startup: -1 })).toThrow('addMasters.startup: found -1, expected seconds of at least 0. Leave it out where the other stages open at once.')
  })
})

describe('drawQueues', () => {
  const many = workloadOf('many', Array.from({ length: 3000 }, (_, i) => job(`j${i}`, i, i === 5 ? { queue: 'own' } : {})))
  const queues = (seed: number, weights: Record<string, number> = { a: 3, b: 1, none: 0 }) => [...jobsOf(drawQueues(many, weights, seed))].map(({ queue }) => queue)

  it('gives jobs without a queue one in proportion to the weights, the same for one seed', () => {
    const drawn = queues(1)
    expect([drawn[5], drawn.filter((queue) => queue === 'a').length / 2999, drawn.includes('none')]).toEqual(['own', expect.closeTo(0.75, 1), false])
    expect(queues(1)).toEqual(drawn)
    expect(queues(2)).not.toEqual(drawn)
  })

  it('refuses weights that add up to nothing', () => {
    expect(() => queues(1, { a: 0 })).toThrow('drawQueues.weights: has no weight above 0.')
  })
})

describe('renameQueues', () => {
  const queues = (names: Record<string, string>) =>
    [...jobsOf(renameQueues(workloadOf('four', [job('a', 0, { queue: 'p1' }), job('b', 1, { queue: 'p2' }), job('c', 2, { queue: 'p3' }), job('d', 3)]), names))].map(({ queue }) => queue)

  it('gives queues other names, also those not named and several the same, and no queue to jobs that name none', () => {
    expect(queues({ p1: 'short', p2: 'long' })).toEqual(['short', 'long', 'p3', undefined])
    expect(queues({ p1: 'p2', '*': 'short' })).toEqual(['p2', 'short', 'short', undefined])
  })
})

describe('timeWindow', () => {
  it('keeps jobs from the start, included, to the end, excluded, and counts time from the start', () => {
    expect(seen(timeWindow(five, 10, 40))).toEqual(['b 0', 'c 10 b', 'd 20 c'])
    expect([...jobsOf(timeWindow(five, 10, 40))][0]!.deadline).toBe(15)
  })

  it('releases a job whose predecessor is left out', () => {
    expect(seen(timeWindow(five, 20, 50))).toEqual(['c 0', 'd 10 c', 'e 20'])
    expect([...jobsOf(timeWindow(five, 20, 50))][0]).not.toHaveProperty('think')
  })
})

describe('take', () => {
  it('keeps the first jobs, or all when there are fewer', () => {
    expect([0, 2, 9].map((n) => seen(take(five, n)).length)).toEqual([0, 2, 5])
    expect([0, 2, 9].map((n) => take(five, n).jobs)).toEqual([0, 2, 5])
  })
})

describe('filter', () => {
  it('keeps the jobs that are wanted and releases those that waited for others', () => {
    expect(seen(filter(five, ({ id }) => id !== 'b'))).toEqual(['a 0', 'c 20', 'd 30 c', 'e 40'])
  })
})

describe('mapJobs', () => {
  it('changes each job and keeps what else the workload says', () => {
    const named = mapJobs({ ...five, header: [['Version', '2']] }, (job) => ({ ...job, user: `user of ${job.id}` }))
    expect([...jobsOf(named)].map(({ user }) => user)).toEqual(['a', 'b', 'c', 'd', 'e'].map((id) => `user of ${id}`))
    expect([named.name, named.jobs, named.header]).toEqual([five.name, 5, [['Version', '2']]])
  })
})

describe('every transformation', () => {
  const changes = {
    scaleLoad: (w: typeof five) => scaleLoad(w, 3), timeWindow: (w: typeof five) => timeWindow(w, 5, 35),
    take: (w: typeof five) => take(w, 3), mapJobs: (w: typeof five) => mapJobs(w, (job) => ({ ...job })), filter: (w: typeof five) => filter(w, ({ id }) => id > 'a'),
  }

  it.each(Object.entries(changes))('%s gives the same jobs every time', (_, change) => {
    const workload = change(five)
    expect(seen(workload)).toEqual(seen(workload))
    expect(workload.name).toContain('five')
  })

  it.each(Object.entries(changes))('%s works on a source that reads on', async (_, change) => {
    // gives one job per call of more
    const streamed = {
      name: 'five',
      open() {
        const left = [...jobsOf(five)]
        let ready: JobSpec | undefined
        return {
          next: () => {
            const job = ready
            ready = undefined
            return job
          },
          more: () => Promise.resolve((ready = left.shift()) !== undefined),
        }
      },
    }
    const ids: string[] = []
    for await (const { id } of streamJobs(change(streamed))) ids.push(id)
    expect(ids).toEqual([...jobsOf(change(five))].map(({ id }) => id))
    expect(() => [...jobsOf(change(streamed))]).toThrow('is read as a stream. Use streamJobs().')
  })

  it('take and filter go with a closed loop: what is left out counts as ended at once', () => {
    const loop = sensitivity({ jobs: 8, active: 2 })
    const even = filter(loop, ({ id }) => Number(id.slice(3)) % 2 === 0).open()
    expect([even.next()?.id, even.next()]).toEqual(['job0', undefined])
    expect([even.ended!('job0', 7)?.id, even.ended!('job2', 8)?.id]).toEqual(['job2', 'job4'])
    expect([...jobsOf(take(loop, 4))].length).toBe(4)
  })

  it.each<[string, () => unknown, string]>([
    ['a factor of 0', () => scaleLoad(five, 0), 'scaleLoad.factor: found 0, expected a number above 0. Use 2 for twice the load, 0.5 for half of it.'],
    ['a factor that is no number', () => scaleLoad(five, NaN), 'scaleLoad.factor: found NaN'],
    ['a window upside down', () => timeWindow(five, 4, 4), 'timeWindow: found [4, 4), expected 0 <= from < to. Give seconds from the first submission on, the earlier first; Infinity is the end of the workload.'],
    ['a negative window', () => timeWindow(five, -1, 4), 'timeWindow: found [-1, 4)'],
    ['half a job', () => take(five, 1.5), 'take.n: found 1.5, expected a whole number of at least 0. Give the number of jobs to keep, for example 1000.'],
    ['a closed loop to scale', () => scaleLoad(sensitivity(), 2), 'workload "sensitivity 4 maps" is a closed loop, its submit times follow the run.'],
    ['a closed loop to cut', () => timeWindow(sensitivity(), 0, 9), 'is a closed loop'],
  ])('refuses %s', (_, make, message) => {
    expect(make).toThrow(SchedError)
    expect(make).toThrow(message)
  })
})
