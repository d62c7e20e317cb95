import type { Summary } from '@sched/metrics'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { directory, sched } from './sched.js'

const base = `name: small
seeds: 2
cluster: { nodes: 4, resources: { cpu: 4 } }
workload: { generate: { poisson-jobs: { jobs: 8, demand: { cpu: 1 }, tasks: 3 } } }
policies: [fifo, { name: other, policy: { greedy: { order: fair } } }]
architecture: shared-state
`
const matrix = `matrix:
  architecture.shared-state.decision.job: [0.5, 5]
  workload.generate.poisson-jobs.rate: [0.1, 1]
`
const cwdOf = (matrixText = matrix, files: Readonly<Record<string, string>> = {}) => directory({ 'sweep.yaml': `${base}${matrixText}`, ...files })
const answer = async (matrixText: string, ...args: string[]) => (await sched(['sweep', 'sweep.yaml', ...args], { cwd: cwdOf(matrixText) })).err

interface Swept {
  readonly axes: { name: string; values: unknown[] }[]
  readonly points: { at: Record<string, unknown>; policies: { policy: string; figures: Record<string, { mean: number; n: number; difference?: { mean: number } }> }[]; runs: { seed: number; policy: string; decisions: object; summary: Summary }[] }[]
}
async function swept(text: string, ...args: string[]): Promise<Swept> {
  const { code, out, err } = await sched(['sweep', 'sweep.yaml', '--json', '-', ...args], { cwd: cwdOf(text) })
  expect({ code, err }).toEqual({ code: 0, err: '' })
  return JSON.parse(out) as Swept
}

describe('sched sweep', () => {
  it('shows how busy a parallel machine was, and not what each of its queues had of it, which others may ask for', async () => {
    const cwd = directory({ 'rigid.yaml': 'workload: { generate: { lublin: { jobs: 60, kind: both } } }\npolicies: [fifo]\nmatrix: { workload.load: [1, 2] }\n' })
    const header = async (...args: string[]) => (await sched(['sweep', 'rigid.yaml', '--seeds', '1', ...args], { cwd })).out.split('\n')[1]
    expect(await header()).toBe('load  response, s  slowdown  use-procs, %') // nobody waits
    expect(await header('--figures', 'use-procs-by-queue[queue batch]')).toBe('load  use-procs-by-queue[queue batch], %')
  })

  it('runs every combination, the last axis fastest, each with every policy on every seed', async () => {
    const { axes, points } = await swept(matrix)
    const [job, rate] = ['architecture.shared-state.decision.job', 'workload.generate.poisson-jobs.rate']
    expect(axes).toEqual([{ name: job, values: [0.5, 5] }, { name: rate, values: [0.1, 1] }])
    expect(points.map(({ at }) => [at[job], at[rate]])).toEqual([[0.5, 0.1], [0.5, 1], [5, 0.1], [5, 1]])
    for (const { policies, runs } of points) {
      expect(policies.map(({ policy }) => policy)).toEqual(['fifo', 'other'])
      expect(runs.map(({ policy, seed }) => [policy, seed])).toEqual([['fifo', 1], ['other', 1], ['fifo', 2], ['other', 2]])
    }
  })

  it('sets what it says: longer decisions make schedulers busier, faster arrivals too', async () => {
    const { points } = await swept(matrix)
    const busy = points.map(({ policies }) => policies[0]?.figures['busyness-scheduler']?.mean ?? NaN)
    const [slow = 0, fast = 0, slower = 0, faster = 0] = busy
    expect([slow < fast, slow < slower, fast < faster]).toEqual([true, true, true])
  })

  it('reaches queues, whose names have dots', async () => {
    const queues = 'policies[0].policy.capacity-scheduler.queues'
    const site = 'policies: [{ name: site, policy: { capacity-scheduler: { queues: { root.a: { capacity: 75, elastic: false }, root.b: { capacity: 25 } } } } }]\n'
    const own = `${base.replace(/policies: .*\narchitecture: .*\n/, site).replace('tasks: 3', 'tasks: 30').replace('workload: { ', 'workload: { queueMix: { a: 1 }, ')}matrix: { shares: { most: {}, least: { '${queues}["root.a"].capacity': 25, '${queues}["root.b"].capacity': 75 } } }\n`
    const cwd = directory({ 'sweep.yaml': own, 'dead.yaml': own.replace('"root.b"].capacity', '"root.b"].capacity.x') })
    const { code, out, err } = await sched(['sweep', 'sweep.yaml', '--json', '-'], { cwd })
    expect([code, err]).toEqual([0, ''])
    const [most = NaN, least = NaN] = (JSON.parse(out) as Swept).points.map(({ policies }) => policies[0]?.figures['response']?.mean)
    expect(least).toBeGreaterThan(most)
    expect((await sched(['sweep', 'dead.yaml'], { cwd })).err).toContain(`the path ${queues}["root.b"].capacity.x leads nowhere: ${queues}["root.b"].capacity is 25.`)
  })

  it('gives a point what `run` gives for the same settings', async () => {
    const { points } = await swept('matrix: { architecture.shared-state.decision.job: [5] }\n', '--policies', 'fifo')
    const alone = base.replace('architecture: shared-state', 'architecture: { shared-state: { decision: { job: 5 } } }')
    const { out } = await sched(['compare', 'alone.yaml', '--policies', 'fifo', '--json', '-'], { cwd: directory({ 'alone.yaml': alone }) })
    expect(points[0]?.runs).toEqual((JSON.parse(out) as Swept['points'][number]).runs)
  })

  it('yields the same bytes on one thread and on three, as does `compare`', async () => {
    const of = (threads: string) => sched(['sweep', 'sweep.yaml', '--threads', threads, '--json', '-'], { cwd: cwdOf() })
    expect(await of('3')).toEqual(await of('1'))
    const compared = async (threads: string) => {
      const cwd = cwdOf('')
      const outcome = await sched(['compare', 'sweep.yaml', '--threads', threads, '--out', 'r', '--json', '-'], { cwd })
      return [outcome, ...readdirSync(join(cwd, 'r')).sort().map((name) => [name, readFileSync(join(cwd, 'r', name), 'utf8')])]
    }
    expect(await compared('2')).toEqual(await compared('1'))
  })

  it('loads plug-ins on every thread', async () => {
    const plugIn = "export default { kind: 'policy', name: 'mine', create: (options, env) => ({ schedule(round) { for (const node of round.nodes) for (const job of jobs) { let task; while ((task = round.work.taskFor(job, round.lane, node, round.cluster.levels)) !== -1 && round.take(job) && round.claim(task, node)); } }, onSubmit: (job) => void jobs.add(job), onFinish: (job) => void jobs.delete(job) }) }\nconst jobs = new Set()\n"
    const text = base.replace(/policies: .*/, 'policies: [mine]\nplugins: [./mine.js]').replace('shared-state', 'monolithic')
    const cwd = directory({ 'sweep.yaml': `${text}matrix: { workload.generate.poisson-jobs.rate: [0.1, 0.2, 0.3, 0.4] }\n`, 'mine.js': plugIn })
    const { code, err, out } = await sched(['sweep', 'sweep.yaml', '--threads', '2', '--csv', '-'], { cwd })
    expect({ code, err }).toEqual({ code: 0, err: '' })
    expect(out.match(/,mine,2,/g)).toHaveLength(4)
  })

  it('takes settings by label, and `*` for whatever is named there', async () => {
    const { points } = await swept(`matrix:
  system:
    alone: { architecture: { monolithic: { decision: {} } } }
    shared: { architecture.shared-state.schedulers: 3, seed: 1 }
  architecture.*.decision.job: [2]
`.replace(', seed: 1', ', until: 500'))
    expect(points.map(({ at }) => at['system'])).toEqual(['alone', 'shared'])
    expect(points.map(({ policies }) => Object.keys(policies[0]?.figures ?? {}).includes('busyness-scheduler'))).toEqual([true, true])
    const schedulers = points.map(({ runs }) => (runs[0]?.decisions as { schedulers: unknown[] }).schedulers.length)
    expect(schedulers).toEqual([1, 3])
  })

  it('writes one line of CSV per point and policy, and a directory that can be run again', async () => {
    const cwd = cwdOf()
    expect(await sched(['sweep', 'sweep.yaml', '--out', 'r', '--quiet'], { cwd })).toEqual({ code: 0, out: '', err: '' })
    expect(readdirSync(join(cwd, 'r')).sort()).toEqual(['experiment.yaml', 'summary.json', 'table.csv'])
    const lines = readFileSync(join(cwd, 'r/table.csv'), 'utf8').trimEnd().split('\n')
    expect(lines[0]).toMatch(/^architecture\.shared-state\.decision\.job,workload\.generate\.poisson-jobs\.rate,policy,seeds,response,response_low,response_high,/)
    expect(lines.slice(1).map((line) => line.split(',').slice(0, 4).join())).toEqual(['0.5,0.1,fifo,2', '0.5,0.1,other,2', '0.5,1,fifo,2', '0.5,1,other,2', '5,0.1,fifo,2', '5,0.1,other,2', '5,1,fifo,2', '5,1,other,2'])
    await sched(['sweep', 'r/experiment.yaml', '--out', 'again', '--quiet'], { cwd })
    for (const name of ['summary.json', 'table.csv']) expect(readFileSync(join(cwd, 'again', name), 'utf8')).toBe(readFileSync(join(cwd, 'r', name), 'utf8'))
  })

  it('has differences from the first policy at the point, paired by seed, as compare has them', async () => {
    const text = matrix.replace('[0.5, 5]', '[5]').replace('[0.1, 1]', '[1]')
    const [point] = (await swept(text, '--policies', 'fifo,{delay: {node: 9}}')).points
    const waits = (policy: number) => point!.runs.filter((_, run) => run % 2 === policy).map(({ summary }) => summary.times.wait.mean)
    const [a = 0, b = 0] = waits(1).map((wait, seed) => wait - waits(0)[seed]!)
    // of two values the half width is t(1) times half their distance
    expect(point!.policies.map(({ figures }) => figures['wait']?.difference)).toEqual([undefined, expect.objectContaining({ n: 2, mean: expect.closeTo((a + b) / 2, 9) as number, halfWidth: expect.closeTo((12.7062047 * Math.abs(a - b)) / 2, 5) as number })])
    const { out } = await sched(['sweep', 'sweep.yaml'], { cwd: cwdOf(text) })
    expect(out).toMatch(/\n\nDifference from fifo at the same point, paired by seed\n.*\n.*\n5 +1 +other .* ± /)
  })

  it('has differences from the first point where there is one policy', async () => {
    const { points } = await swept('matrix: { workload.generate.poisson-jobs.rate: [0.1, 1] }\n', '--policies', 'fifo')
    const [first, second] = points.map(({ policies }) => policies[0]?.figures['response'])
    expect([first?.difference, second?.difference?.mean]).toEqual([undefined, expect.closeTo(second!.mean - first!.mean, 9)])
    const csv = (await sched(['sweep', 'sweep.yaml', '--policies', 'fifo', '--csv', '-'], { cwd: cwdOf('matrix: { workload.generate.poisson-jobs.rate: [0.1, 1] }\n') })).out.split('\n').map((line) => line.split(','))
    const column = csv[0]!.indexOf('response_difference')
    expect([csv[1]![column], Number(csv[2]![column])]).toEqual(['', second?.difference?.mean])
  })

  it('prints a table with short names, and the figures that are asked for', async () => {
    const { out } = await sched(['sweep', 'sweep.yaml', '--figures', 'wait,retries-scheduler,nonsense', '--policies', 'fifo'], { cwd: cwdOf() })
    expect(out.split('\n').slice(0, 2)).toEqual(['small: 4 points under fifo, means over 2 seeds', 'job  rate  wait, s  retries-scheduler'])
    const unknown = await sched(['sweep', 'sweep.yaml', '--figures', 'nonsense,respons', '--policies', 'fifo'], { cwd: cwdOf() })
    expect(unknown.err).toMatch(/^warning: no figure is called "nonsense". Known: response, .*\nwarning: no figure is called "respons". Did you mean "response"\? Known: /)
    expect(unknown.out).toBe((await sched(['sweep', 'sweep.yaml', '--policies', 'fifo'], { cwd: cwdOf() })).out)
  })

  it('refuses options that say what the matrix varies, and takes others beside them', async () => {
    const nodes = 'matrix: { cluster.nodes: [2, 3] }\n'
    expect(await answer(nodes, '--nodes', '5')).toBe('error: cluster.nodes: an option says 5, and the matrix varies it. Leave the option out, or the axis.\n')
    expect(await answer('matrix: { size: { small: { cluster.resources: { cpu: 2 } }, large: { cluster.resources: { cpu: 9 } } } }\n', '--resources', 'cpu=3')).toContain('cluster.resources: an option says')
    expect(await answer(nodes, '--heartbeat', '1', '--load', '2', '--policies', 'fifo', '--quiet')).toBe('')
  })

  it('shows runs done, rate and time left on a terminal', async () => {
    const { err } = await sched(['sweep', 'sweep.yaml'], { cwd: cwdOf(), tty: true })
    expect(err).toContain('of 16 runs: architecture.shared-state.decision.job = 0.5, workload.generate.poisson-jobs.rate = 0.1')
    expect(err).toMatch(/tasks\/s {2}.* left/)
  })

  it('writes nothing when it is interrupted', async () => {
    const stop = new AbortController()
    setTimeout(() => stop.abort(), 300)
    const cwd = cwdOf('matrix: { workload.generate.poisson-jobs.jobs: [200000, 300000] }\n')
    expect(await sched(['sweep', 'sweep.yaml', '--threads', '2', '--out', 'r'], { cwd, signal: stop.signal })).toEqual({ code: 130, out: '', err: 'Interrupted; nothing was written.\n' })
    expect(readdirSync(cwd)).toEqual(['sweep.yaml'])
  })
})

describe('a matrix with a mistake', () => {
  it.each([
    ['matrix: { cluster.nodes: [4, -1] }', 'error: at cluster.nodes = -1: cluster.nodes: found -1, expected at least 1. "nodes" stands for a number of nodes, which the keys beside it describe, or groups of nodes.\n'],
    ['matrix: { cluster.nodez: [4] }', 'unknown key "nodez". Did you mean "nodes"?'],
    ['matrix: { clutser.nodes: [4] }', 'line 7 column 11 matrix.clutser.nodes: no part of an experiment is called "clutser". Did you mean "cluster"? Known: '],
    ['matrix: { seeds: [1, 2] }', 'matrix.seeds: "seeds" cannot be varied. Every point runs on all seeds: say how many with `seeds`.\n'],
    ['matrix: { policy.delay.node: [1, 5] }', 'matrix.policy.delay.node: "policy.delay.node" cannot be varied. Every point runs all policies: list them under `policies`, and vary their options as `policies[0]....`.\n'],
    ['matrix: { cluster.nodes: [4, 4] }', 'matrix.cluster.nodes: has 4 twice. Give every value once; `seeds` repeats runs.\n'],
    ['matrix: { cluster.nodes: [] }', 'matrix.cluster.nodes: '],
    ['matrix: { cluster.__proto__: [1] }', '"cluster.__proto__" is no path. No setting is called __proto__.'],
    ['matrix: { cluster..nodes: [1] }', '"cluster..nodes" is no path. Write for example `cluster.nodes`, `policies[0].delay.node`, or `queues["root.etl"].capacity` of a name with dots.\n'],
    ['matrix: { "policies[7].x": [1] }', 'the path policies[7].x leads nowhere: policies is a list of 2. Number one of them, from 0: policies[0].\n'],
    ['matrix: { architecture.monolithic.decision.job: [1] }', 'the path architecture.monolithic.decision.job leads nowhere: architecture is "shared-state". Give the whole part as a value of the axis, or correct the path.\n'],
    ['matrix: { architecture.shared-state.decision.job: [1, .nan] }', 'error: at architecture.shared-state.decision.job = NaN: "sweep.yaml" line 6 column 1 architecture.shared-state.decision.job: found NaN, expected '],
    ['matrix: { architecture.shared-state.decision.job: [-1] }', 'architecture.shared-state.decision.job: found -1, expected at least 0. "job" stands for t_job: seconds for an attempt at a job; default 0.1.\n'],
    ['', 'error: "sweep.yaml" line 1 column 1: has no `matrix`, so there is nothing to sweep. For example `matrix: { cluster.nodes: [50, 100] }`, or run it with `sched compare`.\n'],
  ])('%s is named with its place or its point', async (text, message) => {
    expect(await answer(`${text}\n`)).toContain(message)
  })

  it('is told of a point that fails in its run, the same on any number of threads', async () => {
    const text = 'matrix: { workload.generate.poisson-jobs.demand.cpu: [1, 2, 5, 6] }\n'
    const [one, two] = await Promise.all([answer(text, '--threads', '1'), answer(text, '--threads', '2')])
    expect(one).toMatch(/^error: at workload\.generate\.poisson-jobs\.demand\.cpu = 5: .*job0/)
    expect(two).toBe(one)
  })

  it('is refused by `run` and `compare`, which run one point', async () => {
    for (const command of ['run', 'compare'])
      expect((await sched([command, 'sweep.yaml'], { cwd: cwdOf() })).err).toBe('error: "sweep.yaml" line 7 column 1 matrix: has several points. Run them all with `sched sweep`.\n')
  })
})
