import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { directory, sched } from './sched.js'

// Tests of OpenPBS, named at each, with numbers of our own.

interface Asked {
  readonly submit?: number
  readonly ncpus?: number
  readonly walltime?: number | undefined
  readonly queue?: string
  readonly user?: string
}

/** The jobs of a workload, each one task of some processors. */
const workload = (jobs: Readonly<Record<string, Asked>>) =>
  `${[{ format: 'sched-workload', version: 1, name: 'some jobs' }, ...Object.entries(jobs).map(([id, { submit = 0, ncpus = 1, walltime = 100, queue, user = 'ann' }]) => (
    { id, submit, user, ...(queue !== undefined && { queue }), estimate: walltime, stages: [{ name: 't', tasks: 1, demand: { cpu: ncpus }, duration: walltime }] }
  ))].map((each) => JSON.stringify(each)).join('\n')}\n`

const queue = (name: string, ...attributes: readonly string[]) => [`create queue ${name}`, ...['queue_type = Execution', ...attributes, 'enabled = True', 'started = True'].map((each) => `set queue ${name} ${each}`)]
const workq = [...queue('workq'), 'set server default_queue = workq']

/** When each job starts on one node of `cpus` processors, under what `qmgr` prints and a sched_config. */
async function starts(cpus: number, server: readonly string[], config: readonly string[], jobs: Readonly<Record<string, Asked>>, group: readonly string[] = []): Promise<Record<string, number>> {
  const cwd = directory({ 'server.qmgr': `${server.join('\n')}\n`, sched_config: `${config.join('\n')}\n`, resource_group: `${group.join('\n')}\n`, 'jobs.jsonl': workload(jobs) })
  const files = group.length > 0 ? 'server.qmgr+sched_config+resource_group' : config.length > 0 ? 'server.qmgr+sched_config' : 'server.qmgr'
  const { code, err } = await sched(['run', '--queues', files, '--trace', 'jobs.jsonl', '--nodes', '1', '--resources', `cpu=${cpus}`, '--validate', '--out', 'results', '--quiet'], { cwd })
  expect({ code, err }).toEqual({ code: 0, err: '' })
  const [head = '', ...rows] = readFileSync(join(cwd, 'results', `jobs-${files.replace('.qmgr', '').replaceAll('+', '-')}.csv`), 'utf8').trim().split('\n')
  const [id, start] = ['id', 'start'].map((name) => head.split(',').indexOf(name)) as [number, number]
  return Object.fromEntries(rows.map((row) => row.split(',')).map((cells) => [cells[id] as string, Number(cells[start])]))
}

describe('files of OpenPBS as policies', () => {
  const three = { first: { ncpus: 2 }, wide: { submit: 1, ncpus: 3 }, third: { submit: 2, ncpus: 2 } }

  it('keep everybody behind the first job that waits under strict_ordering with a backfill_depth of 0 (TestStrictOrderingAndBackfilling.test_t1)', async () => {
    expect(await starts(4, [...workq, 'set server backfill_depth = 0'], ['strict_ordering: true all'], three)).toEqual({ first: 0, wide: 100, third: 200 })
  })

  it('let others start that do not delay it with a depth of 1, and whoever has room without strict_ordering', async () => {
    const short = { ...three, short: { submit: 3, ncpus: 2, walltime: 90 } }
    expect(await starts(4, workq, ['strict_ordering: true all'], short)).toEqual({ first: 0, wide: 100, third: 200, short: 3 })
    expect(await starts(4, workq, [], short)).toEqual({ first: 0, wide: 190, third: 2, short: 100 })
  })

  it('start the job with the most processors first by the formula ncpus (test_job_sorted_per_scheduler of pbs_multi_sched)', async () => {
    expect(await starts(2, [...workq, 'set server job_sort_formula = ncpus'], [], { small: { ncpus: 1 }, large: { ncpus: 2 } })).toEqual({ large: 0, small: 100 })
  })

  it('go queue by queue with by_queue, and by submission across queues without', async () => {
    const queues = [...queue('low', 'Priority = 10'), ...queue('high', 'Priority = 50'), 'set server default_queue = low']
    const jobs = { a: {}, b: { submit: 1, queue: 'low' }, c: { submit: 2, queue: 'high' } }
    expect(await starts(1, queues, ['by_queue: true all'], jobs)).toEqual({ a: 0, c: 100, b: 200 })
    expect(await starts(1, queues, ['by_queue: false all'], jobs)).toEqual({ a: 0, b: 100, c: 200 })
  })

  it('go queue by queue as plain sorting at every end does, on one processor', async () => {
    const priorities = { a: 10, b: -5, c: 10, d: 1000 }
    const names = Object.keys(priorities) as (keyof typeof priorities)[]
    // numbers that look like drawn ones, the same in every run
    const jobs = Array.from({ length: 80 }, (_, i) => ({ id: `j${i}`, submit: (i * 7919) % 1013, walltime: 1 + ((i * 104_729) % 23), queue: names[(i * 31 + (i >> 2)) % 4] as keyof typeof priorities }))
    const expected: Record<string, number> = {}
    const left = new Set(jobs)
    for (let now = 0; left.size > 0;) {
      const here = [...left].filter(({ submit }) => submit <= now)
      const [first] = here.sort((x, y) => priorities[y.queue] - priorities[x.queue] || names.indexOf(x.queue) - names.indexOf(y.queue) || x.submit - y.submit)
      if (first === undefined) now = Math.min(...[...left].map(({ submit }) => submit))
      else {
        left.delete(first)
        expected[first.id] = now
        now += first.walltime
      }
    }
    const server = names.flatMap((name) => queue(name, `Priority = ${priorities[name]}`))
    const bySubmission = [...jobs].sort((x, y) => x.submit - y.submit)
    expect(new Set(jobs.map(({ submit }) => submit)).size).toBe(jobs.length)
    const byId = Object.fromEntries(bySubmission.map(({ id, ...job }) => [id, job]))
    expect(await starts(1, server, ['by_queue: true all', 'strict_ordering: true all'], byId)).toEqual(expected)
    expect(await starts(1, server, ['by_queue: false all'], byId)).not.toEqual(expected)
  })

  it('preempt for a job of an express queue, in the way of preempt_order', async () => {
    const queues = [...workq, ...queue('expressq', 'Priority = 200'), 'set sched preempt_order = R']
    const jobs = { low: { walltime: 40 }, high: { submit: 5, queue: 'expressq', walltime: 10 } }
    expect((await starts(1, queues, [], jobs))['high']).toBe(5)
    expect(await starts(1, queues, ['preemptive_sched: false all'], jobs)).toEqual({ low: 0, high: 40 })
  })

  it('are another policy outside prime time, by the file of holidays', async () => {
    const jobs = { low: {}, high: { submit: 50, queue: 'expressq', walltime: 20 }, wide: { submit: 71, ncpus: 2 }, behind: { submit: 72, walltime: 300 } }
    const config = ['strict_ordering: true prime', 'strict_ordering: false non_prime', 'preemptive_sched: true ALL']
    const server = [...workq, ...queue('expressq', 'Priority = 200'), 'set server backfill_depth = 0']
    const played = async (...holidays: readonly string[]) => {
      const files = { 'server.qmgr': `${server.join('\n')}\n`, sched_config: `${config.join('\n')}\n`, holidays: `${holidays.join('\n')}\n`, 'jobs.jsonl': workload(jobs) }
      const cwd = directory(files)
      const { code } = await sched(['run', '--queues', 'server.qmgr+sched_config+holidays', '--trace', 'jobs.jsonl', '--nodes', '1', '--resources', 'cpu=2', '--validate', '--out', 'results', '--quiet'], { cwd })
      const rows = readFileSync(join(cwd, 'results', 'jobs-server-sched_config-holidays.csv'), 'utf8').trim().split('\n').slice(1).map((row) => row.split(','))
      return { code, ran: Object.fromEntries(rows.map((cells) => [cells[1], `${cells[6]} to ${cells[7]}`])) }
    }
    // under strict_ordering `wide` keeps `behind` back
    const always = { low: '0 to 100', high: '50 to 70', wide: '100 to 200', behind: '200 to 500' }
    expect(await played('YEAR 2023', ...['weekday', 'saturday', 'sunday'].map((day) => `${day} all none`))).toEqual({ code: 0, ran: always })
    // prime time ends after the first minute, and begins again at one
    expect(await played('YEAR 2023', ...['weekday', 'saturday', 'sunday'].map((day) => `${day} 0100 0001`))).toEqual({ code: 0, ran: { ...always, behind: '72 to 372', wide: '372 to 472' } })
  })

  it('hold jobs of a user over max_run, and route those that come to the queue that takes them', async () => {
    const server = [
      ...queue('short', 'resources_max.walltime = 60', 'max_run = [u:PBS_GENERIC=1]'), ...queue('long'), 'create queue in', 'set queue in queue_type = Route', 'set queue in route_destinations = short,long',
      'set queue in enabled = True', 'set queue in started = True', 'set server default_queue = in',
    ]
    const jobs = { a: { walltime: 50 }, b: { walltime: 60 }, c: { walltime: 61 }, d: { walltime: 50, user: 'bob' } }
    expect(await starts(4, server, [], jobs)).toEqual({ a: 0, b: 50, c: 0, d: 0 })
  })

  it('share by use over the shares of resource_group (test_fairshare of the smoke tests)', async () => {
    const settings = ['fair_share: true ALL', 'fairshare_usage_res: ncpus*walltime', 'unknown_shares: 10']
    // until 150 ann has used 2 s of a1, until the last cycle in which it ran, and 50 s of a2
    const jobs = { a1: {}, a2: { submit: 1 }, a3: { submit: 2 }, late: { submit: 150, user: 'bob' } }
    expect(await starts(1, workq, settings, jobs)).toEqual({ a1: 0, a2: 100, late: 200, a3: 300 })
    expect(await starts(1, workq, ['fair_share: false ALL'], jobs)).toEqual({ a1: 0, a2: 100, a3: 200, late: 300 })
    const both = { a1: {}, b1: { submit: 1, user: 'bob' }, a2: { submit: 2 }, b2: { submit: 3, user: 'bob' }, a3: { submit: 4 } }
    // a1 has counted 4 s; b1 runs from one cycle to the next, and so counts nothing. With a cycle every 30 s it counts 90 s, and a1 94 s, of which ann may have more
    expect(await starts(1, workq, settings, both, ['ann 10 root 10', 'bob 11 root 10'])).toEqual({ a1: 0, b1: 100, b2: 200, a2: 300, a3: 400 })
    const often = [...workq, 'set server scheduler_iteration = 30']
    expect(await starts(1, often, settings, both, ['ann 10 root 20', 'bob 11 root 10'])).toEqual({ a1: 0, b1: 100, a2: 200, b2: 300, a3: 400 })
  })

  it('let queues take turns with round_robin (test_round_robin of the smoke tests)', async () => {
    const queues = [...queue('p1'), ...queue('p2'), 'set server default_queue = p1']
    const jobs = { a: { ncpus: 2 }, b: { submit: 1 }, c: { submit: 2 }, d: { submit: 3, queue: 'p2' }, e: { submit: 4, queue: 'p2' } }
    expect(await starts(2, queues, ['round_robin: true ALL'], jobs)).toEqual({ a: 0, b: 100, d: 100, c: 200, e: 200 })
    expect(await starts(2, queues, ['by_queue: true ALL'], jobs)).toEqual({ a: 0, b: 100, c: 100, d: 200, e: 200 })
  })

  it('hold the jobs of a queue that is not started, into which they are routed (test_route_queue of the smoke tests), and jobs below the threshold of the formula', async () => {
    const server = [
      ...queue('workq', 'resources_min.ncpus = 4'), 'create queue specialq', 'set queue specialq queue_type = Execution', 'set queue specialq enabled = True', 'set queue specialq started = False',
      'create queue routeq', 'set queue routeq queue_type = Route', 'set queue routeq route_destinations = workq,specialq', 'set queue routeq enabled = True', 'set queue routeq started = True', 'set server default_queue = routeq',
    ]
    const cwd = directory({ 'server.qmgr': `${server.join('\n')}\n`, 'jobs.jsonl': workload({ held: {}, wide: { submit: 1, ncpus: 4 } }) })
    const { err, out } = await sched(['run', '--queues', 'server.qmgr', '--trace', 'jobs.jsonl', '--nodes', '1', '--resources', 'cpu=4'], { cwd })
    expect(err).toContain('1 job can never start, since limits forbid it: started of specialq (1).')
    expect(out).toContain('1 of 2 jobs finished')
    const held = { low: { ncpus: 1, walltime: 50 }, wide: { submit: 10, ncpus: 2 } }
    const formula = ['set server eligible_time_enable = True', 'set server scheduler_iteration = 20', 'set server job_sort_formula = "100 * ncpus + eligible_time"', 'set sched job_sort_formula_threshold = 150']
    expect(await starts(4, [...workq, ...formula], [], held)).toEqual({ wide: 10, low: 70 }) // cycles at 10, 30, 50 and 70
  })

  it('refuse jobs that no queue takes, and show what is honoured', async () => {
    const cwd = directory({ 'server.qmgr': `${queue('workq', 'resources_max.ncpus = 2').join('\n')}\n`, 'jobs.jsonl': workload({ wide: { queue: 'workq', ncpus: 3 }, lost: {} }) })
    const { err } = await sched(['run', '--queues', 'server.qmgr', '--trace', 'jobs.jsonl', '--nodes', '1', '--resources', 'cpu=4'], { cwd })
    expect(err).toContain('  wide: queue "workq" has resources_max.ncpus = 2\n  lost: it names no queue, and the server has no default_queue\n')
    const { out } = await sched(['queues', 'show', 'server.qmgr'], { cwd })
    expect(out).toBe([
      'queue       type  enabled  started', '-----  ---------  -------  -------', 'workq  Execution     True     True', '',
      'honoured: 5 settings', ...['create queue = workq', 'workq queue_type = Execution', 'workq resources_max.ncpus = 2', 'workq enabled = True', 'workq started = True'].map((line, i) => `  line ${i + 1}: ${line}`), '',
    ].join('\n'))
  })
})
