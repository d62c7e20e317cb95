import { describe, expect, it } from 'vitest'
import { directory, sched } from './sched.js'

const files = {
  'gaps.txt': 'c p 0 1\nc p 0 3\nc p 1 20\nc p 1 30\n',
  'sizes.txt': 'c p 0 1\nc p 0 9\nc p 1 2\n',
  'times.txt': 'c p 0 5\nc p 0 50\nc p 1 100\nc p 1 200\n',
  'state.txt': '11 0.0 1 1 3 4 2 4194304\n12 50 1 1 3 0\n',
  'jobs.csv': 'id,submit,tasks,duration,class,cpu,mem,node\na,0,3,10,batch,1,2,\nb,5,2,20,service,1,1,\nr1,,2,30,,1,1,0\nr2,,1,,,2,2,\n',
  'machines.csv': 'cpu,memory,number_of_machines\n1,1,2\n0.5,0.5,2\n',
}
const row = (seconds: number, task: number, type: number, job = 1) => `${seconds * 1e6},,${job},${task},,${type},u,0,0,0.25,0.25,0,0`
/** A job of two tasks and one task that runs from time 0 on; and the second part of the table. */
const events = { 'part-0.csv': `${row(0, 0, 0, 9)}\n${row(0, 0, 1, 9)}\n${row(610, 0, 0)}\n${row(611, 0, 1)}\n`, 'part-1.csv': `${row(612, 1, 0)}\n${row(613, 1, 1)}\n${row(640, 0, 4)}\n${row(643, 1, 4)}\n` }

interface Run {
  readonly summary: { counts: { jobs: number; finished: number; tasks: number } }
  readonly prefilled: { tasks: number; shares: Record<string, number> } | null
  readonly decisions: { groups: { group: string; attempts: number; busyness: { overall: number } }[]; classes: { label: string; jobs: number }[] } | null
  readonly warnings: string[]
}
const cwdOf = (yaml: string) => directory({ 'x.yaml': `policies: [fifo]\nseeds: 1\nruntime: { jitter: 0 }\n${yaml}`, ...files, ...events })
async function runOf(yaml: string, ...args: string[]): Promise<Run> {
  const { code, out, err } = await sched(['run', 'x.yaml', '--validate', '--json', '-', ...args], { cwd: cwdOf(yaml) })
  expect({ code }, err).toEqual({ code: 0 })
  return (JSON.parse(out) as { runs: [Run] }).runs[0]
}
async function answer(yaml: string): Promise<string> {
  const cwd = cwdOf(yaml)
  const { code, out, err } = await sched(['run', 'x.yaml'], { cwd })
  expect({ code, out }, err).toEqual({ code: 2, out: '' })
  return err.trimEnd().replaceAll(`${cwd}/`, '')
}

const cell = 'cluster: { nodes: 4, resources: { cpu: 4, mem: 8 } }\n'
const list = 'workload: { trace: jobs.csv }\n'

describe('an experiment file takes', () => {
  it('the example of the Omega authors, on its own cell of 10,000 machines', async () => {
    const { out } = await sched(['run', '--generate', '{omega-example: {horizon: 60}}', '--policy', 'fifo'], { cwd: directory() })
    expect(out).toMatch(/^omega example on 10,000 nodes, each 4,000 cpu \+ 16,384 mem\n/)
  })

  it('a stand-in of a cluster at a scale, with what runs on it at time 0', async () => {
    const { prefilled } = await runOf('workload: { generate: { omega-cluster: { cluster: A, scale: 0.01, horizon: 100 } } }\nprefill: workload\n')
    expect(prefilled?.shares['cpu']).toBeCloseTo(0.6, 2) // of 100 machines, as the stand-in says
    const half = await runOf('workload: { generate: { omega-cluster: { cluster: A, scale: 0.01, horizon: 100 } } }\nprefill: { from: workload, utilisation: 0.3 }\n')
    expect(half.prefilled?.shares['cpu']).toBeCloseTo(0.3, 2)
  })

  it('distribution files, and a cell state log of running tasks', async () => {
    const { summary, prefilled, decisions } = await runOf('workload: { distributions: { interarrival: gaps.txt, csizes: sizes.txt, runtimes: times.txt, horizon: 200, demand: { cpu: 1 } } }\ncluster: { nodes: 9, resources: { cpu: 1000, mem: 8 } }\nprefill: state.txt\narchitecture: shared-state\n')
    expect(prefilled).toMatchObject({ tasks: 4, shares: { cpu: (4 * 500) / 9000 } }) // 2 CPUs over 4 tasks
    expect(summary.counts.finished).toBe(summary.counts.jobs)
    expect(decisions?.classes.map(({ label }) => label)).toEqual(['batch', 'service'])
  })

  it('a list of jobs with what runs before them', async () => {
    const { summary, prefilled } = await runOf(`${cell}${list}prefill: workload\n`)
    expect([summary.counts.tasks, prefilled]).toEqual([5, { tasks: 3, shares: { cpu: 4 / 16, mem: 4 / 32 } }])
    expect((await runOf(`${cell}${list}prefill: jobs.csv\n`)).prefilled?.tasks).toBe(3)
  })

  it('a target of use at time 0', async () => {
    const { prefilled } = await runOf(`${cell}${list}prefill: { utilisation: 0.5, tasks: [{ demand: { cpu: 1 }, remaining: 5 }, { demand: { cpu: 1, mem: 1 }, remaining: { kind: exponential, mean: 9 } }] }\n`)
    expect(prefilled).toEqual({ tasks: 8, shares: { cpu: 0.5, mem: 4 / 32 } })
  })

  it('parts of Google event tables, with their machines and what runs at time 0', async () => {
    const { summary, prefilled } = await runOf('workload: { google: { taskEvents: [part-0.csv, part-1.csv], machines: machines.csv } }\nprefill: workload\n')
    expect([summary.counts.jobs, summary.counts.tasks, prefilled?.tasks, prefilled?.shares['cpu']]).toEqual([1, 2, 1, 0.25 / 3])
  })

  it('parts of Google event tables, saying what was done about tasks that they show in part', async () => {
    const yaml = 'policies: [fifo]\nworkload: { google: { taskEvents: [part-0.csv], machines: machines.csv } }\n'
    const { code, err } = await sched(['run', 'x.yaml', '--quiet'], { cwd: directory({ 'x.yaml': yaml, ...files, ...events }) })
    expect([code, err]).toEqual([0, 'note: 1 task without an end in the window: run to the end of it (unfinished)\n'])
  })
})

describe('policies of single schedulers', () => {
  const idle = "export default { kind: 'policy', name: 'idle', create: () => ({ schedule: (round) => round.wakeAt(round.now + 60) }) }\n"
  const run = (schedulers: string) => {
    const yaml = `${cell}${list}plugins: [./idle.js]\npolicies: [{ name: mixed, policy: fifo, schedulers: ${schedulers} }]\narchitecture: { shared-state: { schedulers: { batch: { count: 2 }, service: {} } } }\n`
    return sched(['run', 'x.yaml', '--until', '100', '--json', '-'], { cwd: directory({ ...files, 'idle.js': idle, 'x.yaml': yaml }) })
  }

  it.each([
    ['{}', ['batch', 'service']],
    ['{ service: idle }', ['batch']],
    ['{ batch: idle }', ['service']],
    ['{ batch-0: idle }', ['service']], // which has the only batch job
    ['{ batch-1: idle, service: fair }', ['batch', 'service']],
  ])('%s are those of their kind or name; the others have the one of all', { tags: 'long' }, async (schedulers, deciding) => {
    const { code, out, err } = await run(schedulers)
    expect({ code }, err).toEqual({ code: 0 })
    expect((JSON.parse(out) as { runs: [Run] }).runs[0].decisions?.groups.map(({ group }) => group)).toEqual(deciding)
  })

  it.each([
    ['{ servcie: fifo }', 'error: "x.yaml" line 4 column 41 policies[0].schedulers: no scheduler is called "servcie". Did you mean "service"? Known: batch, batch-0, batch-1, service.'],
    ['{ service: fifi }', 'error: "x.yaml" line 4 column 55 policies[0].schedulers.service: no policy is called "fifi". Did you mean "fifo"?'],
    ['{ service: { delay: { nod: 1 } } }', 'error: "x.yaml" line 4 column 75 policies[0].schedulers.service.delay.nod: unknown key "nod". Did you mean "node"?'],
  ])('%s are told with their place', { tags: 'long' }, async (schedulers, message) => {
    expect((await run(schedulers)).err).toContain(message)
  })
})

describe('a scheduler', () => {
  it('may be called as something that every object has', async () => {
    const { code, err } = await sched(['run', 'x.yaml'], { cwd: cwdOf(`${cell}${list}policy: fifo\narchitecture: { shared-state: { schedulers: { constructor: { classes: ['*'] } } } }\n`) })
    expect(code, err).toBe(0)
  })
})

describe('decisions', () => {
  it('are in the text, the table and the results of a run whose schedulers take time, and nowhere else', async () => {
    const cwd = cwdOf(`${cell}${list}architecture: { shared-state: { schedulers: { batch: { decision: { job: 2, task: 0 } }, service: {} } } }\n`)
    const { out } = await sched(['run', 'x.yaml'], { cwd })
    for (const title of ['without retries after conflicts', 'conflicts per success', 'sent back', 'first attempt after, s', 'fully placed after, s']) expect(out).toContain(title)
    const csv = (await sched(['compare', 'x.yaml', '--csv', '-'], { cwd })).out
    expect(csv).toMatch(/^all,busyness-batch,fraction,fifo,1,0\.\d+/m)
    for (const key of ['busyness-mad-batch', 'no-conflict-busyness-service', 'retries-batch', 'first-attempt', 'fully-placed-service', 'given-up']) expect(csv).toMatch(new RegExp(`^all,${key},`, 'm'))
    const { decisions } = await runOf(`${cell}${list}architecture: { monolithic: { decision: { job: 2, task: 0 } } }\n`)
    expect(decisions?.groups).toMatchObject([{ group: 'scheduler', attempts: 2 }])
    expect((await runOf(`${cell}${list}`)).decisions).toBeNull()
  })
})

describe('bad input of architectures is answered with its place:', () => {
  it.each([
    ['a class that nobody takes', `${cell}${list}architecture: { shared-state: { schedulers: { batch: {} } } }`, 'error: class: job b is of class "service", which no scheduler takes. Known: batch. With `classes: [\'*\']` a scheduler takes all others.'],
    ['partitions that do not cover', `${cell}${list}architecture: { partitioned: { partitions: { batch: { nodes: { fraction: 0.5 } } } } }`, 'error: "x.yaml" line 6 column 32 architecture.partitioned.partitions: node node-2 and 1 more are in no partition. Give one partition `nodes: rest`, or name them.'],
    ['a negative decision time', `${cell}${list}architecture: { shared-state: { decision: { job: -1 } } }`, 'error: "x.yaml" line 6 column 45 architecture.shared-state.decision.job: found -1, expected at least 0.'],
    ['a decision time that is no number', `${cell}${list}architecture: { shared-state: { classes: { batch: { task: .nan } } } }`, 'error: "x.yaml" line 6 column 53 architecture.shared-state.classes.batch.task: found NaN, expected a number.'],
    ['backfilling beside another scheduler', `${cell}${list}policy: easy\narchitecture: shared-state`, 'error: "x.yaml" line 7 column 1 architecture.shared-state.schedulers: the policy of scheduler "scheduler-0" promises jobs when they start, planning over all nodes, but there are other schedulers on them, so no promise could be kept. Backfill under monolithic, or with one scheduler alone.'],
    ['running tasks that do not fit', `cluster: { nodes: 1, resources: { cpu: 2, mem: 8 } }\n${list}prefill: workload`, 'error: "jobs.csv" line 5 prefill: a running task with {"cpu":2,"mem":2} does not fit anywhere. Leave it out, or describe larger nodes.'],
    ['a target that cannot be reached', `${cell}${list}prefill: { utilisation: 1, tasks: [{ demand: { cpu: 3 } }] }`, 'error: prefill: no machine has room for the running task 5 of 5 with {"cpu":3}. Prefill less, or describe larger nodes.'],
    ['a prefill without a target', `${cell}${list}prefill: { tasks: [{ demand: { cpu: 3 } }] }`, 'error: "x.yaml" line 6 column 1 prefill.utilisation: is missing. Give the fraction of the scarcest resource that is in use at time 0.'],
    ['a prefill of a resource that no node has', `${cell}${list}prefill: { utilisation: 0.5, tasks: [{ demand: { gpu: 3 } }] }`, 'prefill.tasks[0].demand: no node has "gpu". The nodes have cpu, mem.'],
    ['a prefill that the workload does not know', `${cell}workload: { generate: poisson-jobs }\nprefill: workload`, 'prefill: the workload does not say what runs at time 0. The generator omega-cluster, a job list and Google events do. Name a file, or give `tasks` and `utilisation`.'],
    ['a workload that is meant for no cluster', 'workload: { generate: poisson-jobs }', 'cluster: is missing, and the workload is meant for none. For example `cluster: { nodes: 50, slots: { map: 4, reduce: 2 } }`.'],
    ['event files with missing columns', `${cell}workload: { google: { taskEvents: [machines.csv] } }`, 'error: "machines.csv" line 1: found 3 columns, expected 13 (time, missing info, '],
    ['events out of order beyond the bound', `${cell}workload: { google: { taskEvents: [part-1.csv, part-0.csv], maxDisorder: 40 } }`, 'error: "part-0.csv" line 1 time: the event is 43 s before one above it, more than maxDisorder (40 s). Give the parts in their order, or raise maxDisorder.'],
    ['a distribution file of another shape', `${cell}workload: { distributions: { interarrival: jobs.csv, csizes: sizes.txt, runtimes: times.txt } }`, 'error: "jobs.csv" line 1: found 1 columns, expected 4 (cluster, policy, scheduler, value).'],
  ])('%s', async (_, yaml, message) => {
    expect(await answer(`${yaml}\n`)).toContain(message)
  })

  it('schedulers without work and classes that no job has', async () => {
    const cwd = cwdOf(`${cell}${list}architecture: { shared-state: { schedulers: { batch: {}, service: {}, spare: {} }, classes: { servcie: { job: 1 } } } }\n`)
    expect((await sched(['run', 'x.yaml', '--quiet'], { cwd })).err.replace(/^note: .*\n/gm, '')).toBe(
      'warning: fifo: no job was of class "servcie", for which a decision time is set\nwarning: fifo: scheduler "spare" got no job: none was of class "spare"\n',
    )
  })
})
