import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { directory, sched } from './sched.js'

/** Jobs of 2 maps that stay on a node and jobs of 16 maps that are on all 4 racks; every map leaves 8 MB for the reducers. */
function jobs(): string {
  const lines = Array.from({ length: 20 }, (_, i) => {
    const maps = i % 2 === 0 ? 2 : 16
    const map = { name: 'map', tasks: maps, demand: { map: 1 }, duration: 5 }
    const reduce = { name: 'reduce', tasks: maps / 2, demand: { reduce: 1 }, duration: 2, after: [{ stage: 0, fraction: 1 }], shuffle: { from: 0, bytes: maps * 8e6 } }
    return { id: `job-${i}`, submit: i * 60, stages: [map, reduce] }
  })
  return [{ format: 'sched-workload', version: 1, name: 'shuffles', jobs: lines.length }, ...lines].map((line) => JSON.stringify(line)).join('\n')
}

const experiment = `cluster: { nodes: 8, racks: 4, slots: { map: 2, reduce: 1 }, heartbeat: { interval: 3 } }
workload: { trace: jobs.jsonl }
runtime: { network: { intra: 1.0e8, cross: 1.0e7 } }
seeds: 2
policies: [fifo]
`

let cwd: string
const path = (...names: string[]) => join(cwd, ...names)

beforeAll(async () => {
  cwd = directory({ 'jobs.jsonl': jobs(), 'net.yaml': experiment, 'plan.json': '[[2, 2], [2, 2], [2, 2], [2, 2]]', 'small.json': '[[1, 2]]', 'words.json': '["a"]' })
  const note = 'note: every seed gave the same, since nothing is drawn here: `--seeds 1` is enough, or `--jitter 0.1` varies task times.\n'
  expect(await sched(['compare', 'net.yaml', '--out', 'base', '--quiet'], { cwd })).toEqual({ code: 0, out: '', err: note })
  expect((await sched(['bayes', 'train', 'base', '--active-fraction', '0.5', '--out', 'model.json'], { cwd })).code).toBe(0)
})

describe('what runs measure', () => {
  it('is written with --out where the run has a network: maps by node, and bytes by pair of racks', () => {
    const [head, first, second, ...others] = readFileSync(path('base', 'shuffle-fifo.jsonl'), 'utf8').trim().split('\n').map((line) => JSON.parse(line) as Record<string, unknown>)
    expect(head).toEqual({ format: 'sched-shuffle', version: 1, policy: 'fifo', cluster: { racks: 4, nodes: 2 } })
    expect(others).toHaveLength(38) // 2 seeds of 20 jobs
    // both maps on node 0, whose reducer fetches 16 MB from itself
    expect(first).toMatchObject({ seed: 1, job: 'job-0', plan: [[2, 0], [0, 0], [0, 0], [0, 0]], local: 16e6, rack: 0, cross: 0, pairs: [] })
    // 2 maps and 1 reducer on each of 8 nodes: each pair of nodes exchanges 2 MB each way; 24 of 28 pairs are in different racks
    expect(second).toMatchObject({ job: 'job-1', plan: [[2, 2], [2, 2], [2, 2], [2, 2]], local: 16e6, rack: 16e6, cross: 96e6 })
    expect((second as { pairs: unknown[] }).pairs).toHaveLength(24)
    expect((second as { pairs: unknown[] }).pairs[0]).toEqual([[0, 0], [1, 0], 4e6])
  })

  it('is not written without one', async () => {
    const elsewhere = directory({ 'jobs.jsonl': jobs(), 'net.yaml': experiment.replace(/^runtime.*\n/m, '') })
    await sched(['run', 'net.yaml', '--policy', 'fifo', '--out', 'plain', '--quiet'], { cwd: elsewhere })
    expect(readdirSync(join(elsewhere, 'plain')).sort()).toEqual(['experiment.yaml', 'jobs-fifo.csv', 'summary.json', 'table.csv'])
  })
})

describe('sched bayes', () => {
  it('train writes a model and says what it was trained on', async () => {
    const { code, out } = await sched(['bayes', 'train', path('base', 'shuffle-fifo.jsonl'), '--out', 'other.json', '--threshold', '0.5'], { cwd })
    expect(code).toBe(0)
    expect(out).toMatch(/^40 jobs under fifo: 20 active \(50\.0%\), 20 lazy\nactive from 0\.5 of the largest pair of all, 4,000,000 bytes\ntrained in .* ms\n$/)
    expect(JSON.parse(readFileSync(path('other.json'), 'utf8'))).toMatchObject({ format: 'sched-bayes-model', version: 1, cluster: { racks: 4, nodes: 2 }, training: { samples: 40, active: 20, threshold: 0.5 } })
    const again = await sched(['bayes', 'train', 'base', '--out', '-', '--threshold', '0.5'], { cwd })
    expect(again.out).toBe(readFileSync(path('other.json'), 'utf8'))
  })

  it('predict tells the class of a plan, and of jobs that were measured', async () => {
    const { out } = await sched(['bayes', 'predict', 'plan.json', '--model', 'model.json'], { cwd })
    expect(out).toMatch(/plan\.json +C1, active +1\.000 /)
    const { jobs: predicted } = JSON.parse((await sched(['bayes', 'predict', 'base/shuffle-fifo.jsonl', '--model', 'model.json', '--json'], { cwd })).out) as { jobs: { job: string; class: string }[] }
    expect(predicted.map((job) => job.class).join(' ')).toBe(Array.from({ length: 40 }, (_, i) => (i % 2 === 0 ? 'C0' : 'C1')).join(' '))
  })

  it('validate prints the confusion matrix', async () => {
    const { out } = await sched(['bayes', 'validate', 'base', '--active-fraction', '0.5', '--folds', '4'], { cwd })
    expect(out).toMatch(/^measured +predicted active +predicted lazy\n-.*\nactive +20 +0\nlazy +0 +20\n\n100\.0% of 40 jobs predicted right; by fold 100\.0%, 100\.0%, 100\.0%, 100\.0%\n$/)
    expect(JSON.parse((await sched(['bayes', 'validate', 'base', '--active-fraction', '0.5', '--json'], { cwd })).out)).toMatchObject({ samples: 40, accuracy: 1, matrix: { activeAsActive: 20, lazyAsLazy: 20 } })
  })

  it('trains what moves jobs: the file of a model in an experiment, or on the command line, wherever it is run from', async () => {
    const moved = async (experiment: string, from: string) => {
      const { code, err } = await sched(['run', experiment, '--policy', '{bayes-comm: {model: model.json}}', '--out', path('moved'), '--force', '--quiet'], { cwd: from })
      expect({ code, err }).toEqual({ code: 0, err: '' })
      const [file = ''] = readdirSync(path('moved')).filter((name) => name.startsWith('shuffle-'))
      const [, , second = ''] = readFileSync(path('moved', file), 'utf8').split('\n')
      return JSON.parse(second) as { plan: number[][]; cross: number }
    }
    const elsewhere = directory({ 'model.json': readFileSync(path('model.json')) })
    for (const { plan, cross } of [await moved('net.yaml', cwd), await moved(path('net.yaml'), elsewhere)]) {
      expect(plan.filter((rack) => rack.some((tasks) => tasks > 0))).toEqual([[8, 8]])
      expect(cross).toBe(0)
    }
    expect(readFileSync(path('moved', 'experiment.yaml'), 'utf8')).toContain(`model: ${relative(path('moved'), join(elsewhere, 'model.json'))}`)
  })
})

describe('bad input of sched bayes', () => {
  it.each([
    [['train', 'nothing', '--out', 'x.json'], 'nothing": cannot read'],
    [['train', '.', '--out', 'x.json'], '".": has no measured shuffles.'],
    [['train', 'jobs.jsonl', '--out', 'x.json'], '"jobs.jsonl": is no file of measured shuffles.'],
    [['train', 'base', '--out', 'model.json'], '"model.json": exists already.'],
    [['train', 'base', '--out', 'x.json', '--threshold', '0.4', '--active-fraction', '0.3'], 'a threshold and a part of the jobs are both given.'],
    [['train', 'base', '--out', 'x.json', '--active-fraction', '1'], 'class C0 (lazy) has no samples among 40 jobs.'],
    [['train', 'base', '--out', 'x.json', '--threshold', '2'], 'Expected a number from 0 to 1.'],
    [['predict', 'small.json', '--model', 'model.json'], '"small.json" plan: is of a cluster of 1 rack x 2 nodes, the model of one of 4 racks x 2 nodes.'],
    [['predict', 'words.json', '--model', 'model.json'], '"words.json": is no plan.'],
    [['predict', 'plan.json', '--model', 'plan.json'], '"plan.json": is no model of communication.'],
    [['validate', 'base', '--active-fraction', '0.5', '--folds', '1'], 'folds: is 1, and there are 40 samples.'],
  ])('%j ends with 2', async (args, message) => {
    const { code, err } = await sched(['bayes', ...args], { cwd })
    expect(err).toContain(message)
    expect(code).toBe(2)
    expect(existsSync(path('x.json'))).toBe(false)
  })
})
