import { describe, expect, it } from 'vitest'
import { jobsOf, parseTrace } from '../src/index.js'
import { bytesOf, messageOf } from './reading.js'

const read = (settings: unknown, options: object = {}) => parseTrace(bytesOf(JSON.stringify(settings, null, 1)), { file: 's.json', options })
const jobs = (settings: unknown, options?: object) => [...jobsOf(read(settings, options))]

const task = { type: 'map', count: { val: 3 }, time: { val: 10 }, max_memory: { val: 2048 }, max_vcores: { val: 2 } }
const jobClass = (change: object = {}) => ({ class_name: 'c', user_name: 'ann', class_weight: 1, tasks: [task], ...change })
const workload = (change: object = {}) => ({ workload_weight: 1, queue_name: 'q', job_classes: [jobClass()], time_distribution: [{ time: 5, weight: 1 }], ...change })
const settings = (change: object = {}) => ({ num_jobs: 2, rand_seed: 2, workloads: [workload()], ...change })
const ofClass = (change: object) => settings({ workloads: [workload({ job_classes: [jobClass(change)] })] })
const mean = (values: readonly number[]) => values.reduce((a, b) => a + b, 0) / values.length

describe('jobs of the generator of YARN\'s scheduler load simulator', () => {
  it('are what the settings say, known by their content', () => {
    const trace = read(settings({ num_nodes: 20, nodes_per_rack: 4 }))
    expect([trace.format, trace.report.notes]).toEqual(['sls-synth', ['meant for 20 nodes: --nodes 20 --racks 5 --resources vcores=10,memory-mb=10240']])
    const stages = [{ name: 'map', tasks: 3, demand: { vcores: 2, 'memory-mb': 2048 }, duration: 10 }]
    expect([...jobsOf(trace)]).toEqual(['c_000000', 'c_000001'].map((id) => ({ id, submit: 5, user: 'ann', queue: 'q', class: 'c', stages })))
  })

  it('take times for seconds, or for milliseconds as the simulator does', () => {
    expect(jobs(settings(), { timeUnit: 'ms' })[0]!.stages[0]!.duration).toBe(0.01)
  })

  it('ask for slots on request, for 1024 MB and a core at least', () => {
    expect(jobs(settings(), { demand: 'slots' })[0]!.stages[0]!.demand).toEqual({ map: 1 })
    expect(jobs(ofClass({ tasks: [{ ...task, max_memory: { val: 1 }, max_vcores: 0 }] }))[0]!.stages[0]!.demand).toEqual({ vcores: 1, 'memory-mb': 1024 })
  })

  it('of the older form have log-normal numbers and times of the means and deviations given, reduces after maps', () => {
    const older = {
      class_name: 'c', class_weight: 1, mtasks_avg: 20, mtasks_stddev: 4, rtasks_avg: 5, rtasks_stddev: 0, mtime_avg: 100, mtime_stddev: 30, rtime_avg: 60, rtime_stddev: 6,
      map_max_memory_avg: 1024, map_max_memory_stddev: 0.001, reduce_max_memory_avg: 2048, reduce_max_memory_stddev: 0.001, map_max_vcores_avg: 1, map_max_vcores_stddev: 0.001,
      reduce_max_vcores_avg: 2, reduce_max_vcores_stddev: 0.001, dur_avg: 60, dur_stddev: 0.0001, chance_of_reservation: 0.5, deadline_factor_avg: 10, deadline_factor_stddev: 0.0001,
    }
    const drawn = jobs(settings({ num_jobs: 1500, workloads: [workload({ job_classes: [older] })] }))
    const [maps = [], reduces = []] = [0, 1].map((i) => drawn.map(({ stages }) => stages[i]!))
    const times = maps.flatMap(({ duration }) => duration as number[])
    expect([mean(maps.map(({ tasks }) => tasks)) / 20, mean(reduces.map(({ tasks }) => tasks)) / 5, mean(times) / 100]).toEqual([1, 1, 1].map((ratio) => expect.closeTo(ratio, 1.5) as number))
    expect(Math.sqrt(mean(times.map((time) => (time - 100) ** 2))) / 30).toBeCloseTo(1, 1)
    expect([reduces[0]!.demand, reduces[0]!.after]).toEqual([{ vcores: 2, 'memory-mb': 2048 }, [{ stage: 0, fraction: 1 }]])
    const reserved = drawn.filter(({ deadline }) => deadline !== undefined)
    expect(reserved.length / 1500).toBeCloseTo(0.5, 1) // submitted at 5, 60 s long, 10 times that: 605 or, drawn a little more, 606
    expect(reserved.every(({ deadline }) => deadline === 605 || deadline === 606)).toBe(true)
  })

  it('are chosen by the weights of workloads, classes and times, and sorted by time', () => {
    const times = [{ time: 0, weight: 3 }, { time: 60, weight: 1 }, { time: 120 }]
    const classes = [jobClass({ class_name: 'a', class_weight: 9 }), jobClass({ class_name: 'b' })]
    const drawn = jobs(settings({ num_jobs: 4000, workloads: [workload({ workload_weight: 3, time_distribution: times, job_classes: classes }), workload({ queue_name: 'late', time_distribution: [{ time: 500, weight: 1 }] })] }))
    const part = (is: (job: (typeof drawn)[number]) => boolean) => drawn.filter(is).length / drawn.length
    const apart = [part(({ queue }) => queue === 'late') - 0.25, part(({ submit }) => submit < 60) - 0.75 * 0.75, part(({ class: name }) => name === 'b') - 0.75 * 0.1]
    expect(apart.filter((each) => Math.abs(each) > 4 * Math.sqrt(0.25 / 4000))).toEqual([]) // standard errors of a fraction, at most
    expect(drawn.every(({ submit }, i) => Number.isInteger(submit) && submit >= (drawn[i - 1]?.submit ?? 0) && (submit < 120 || submit === 500))).toBe(true)
  })

  it('draw one of several values by weight, or from a normal distribution without what is below 0', () => {
    const tasks = [{ ...task, count: { val: 0.5, std: 5, dist: 'NORM' }, time: { discrete: ['10', '20'], weights: [3, 1] } }]
    const trace = read(settings({ num_jobs: 2000, workloads: [workload({ job_classes: [jobClass({ tasks })] })] }))
    const times = [...jobsOf(trace)].flatMap(({ stages: [stage] }) => (typeof stage!.duration === 'number' ? Array<number>(stage!.tasks).fill(stage!.duration) : (stage!.duration as number[])))
    expect(mean(times)).toBeCloseTo(12.5, 0)
    expect(trace.report.notes).toEqual([expect.stringMatching(/^\d+ jobs without a task: left out \(count\)$/)])
  })

  it('are the same for one seed, whatever stands around the object', () => {
    const spread = ofClass({ tasks: [{ ...task, time: { val: 10, std: 3 } }] })
    expect(jobs(spread)).toEqual(jobs(spread, { seed: 2 }))
    expect(jobs(spread, { seed: 3 })).not.toEqual(jobs(spread))
    const crlf = parseTrace(bytesOf(`\uFEFF${JSON.stringify(spread, null, 2).replaceAll('\n', '\r\n')}\r\n`))
    expect([...jobsOf(crlf)]).toEqual(jobs(spread))
  })

  it.each<[string, unknown, string]>([
    ['no jobs', settings({ num_jobs: 0 }), 'num_jobs: says that there is no job.'],
    ['too many jobs', settings({ num_jobs: 1e15 }), 'num_jobs: found 1000000000000000, expected at most 10000000.'],
    ['no workload', settings({ workloads: [] }), 'workloads: is empty.'],
    ['no weight', settings({ workloads: [workload({ workload_weight: 0 })] }), 'workloads: has no weight above 0.'],
    ['a negative weight', settings({ workloads: [workload({ workload_weight: -1 })] }), 'workloads[0].workload_weight: found -1, expected a number of at least 0.'],
    ['a class without weight', ofClass({ class_weight: undefined }), 'workloads[0].job_classes: has no weight above 0.'],
    ['no times', settings({ workloads: [workload({ time_distribution: undefined })] }), 'workloads[0].time_distribution: is empty.'],
    ['a time as text', settings({ workloads: [workload({ time_distribution: [{ time: 'soon', weight: 1 }] })] }), 'workloads[0].time_distribution[0].time: found "soon", expected a number of at least 0.'],
    ['a task without count', ofClass({ tasks: [{ ...task, count: undefined }] }), 'workloads[0].job_classes[0].tasks[0].count: is missing.'],
    ['an empty count', ofClass({ tasks: [{ ...task, count: {} }] }), 'workloads[0].job_classes[0].tasks[0].count.val: is missing.'],
    ['far too many tasks', ofClass({ tasks: [{ ...task, count: 1e12 }] }), 'workloads[0].job_classes[0].tasks[0].count: 1000000000000 tasks have been drawn, expected at most 10000000 in all.'],
    ['a spread of which nothing can be drawn', ofClass({ tasks: [{ ...task, time: { val: 1e-320, std: 1 } }] }), 'workloads[0].job_classes[0].tasks[0].time.std: found 1, more than 1000000 times the mean of 1e-320.'],
    ['an unknown distribution', ofClass({ tasks: [{ ...task, time: { val: 1, std: 1, dist: 'PARETO' } }] }), 'workloads[0].job_classes[0].tasks[0].time.dist: found "PARETO", expected LOGNORM or NORM.'],
    ['weights of another number', ofClass({ tasks: [{ ...task, time: { discrete: ['1'], weights: [1, 2] } }] }), 'workloads[0].job_classes[0].tasks[0].time.weights: has 2 elements, but discrete has 1.'],
    ['a value that is no number', ofClass({ tasks: [{ ...task, time: { discrete: ['x'] } }] }), 'workloads[0].job_classes[0].tasks[0].time.discrete[0]: found "x", expected a number of at least 0.'],
  ])('with %s are refused', (_, wrong, expected) => {
    expect(messageOf(() => parseTrace(bytesOf(JSON.stringify(wrong)), { file: 's.json' }))).toContain(`"s.json" line 1 ${expected}`)
  })

  it('cut short are told from where', () => {
    expect(messageOf(() => parseTrace(bytesOf(JSON.stringify(settings()).slice(0, -2)), { file: 's.json' }))).toContain('the object that begins on line 1 has no end')
  })
})
