import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { version } from '../src/version.js'
import { directory, experiment, sched, small } from './sched.js'

const sweep = `${experiment}matrix: { cluster.nodes: [2, 4] }\n`

describe('sched report', () => {
  it.each([
    ['run', ['run', 'small.yaml', '--policy', 'fifo'], {}],
    ['comparison', ['compare', 'small.yaml'], {}],
    ['comparison with unfinished jobs', ['compare', 'small.yaml', '--jitter', '0.1', '--until', '20'], {}],
    ['run of rigid jobs', ['run', '--generate', '{lublin: {jobs: 20}}'], {}],
    ['sweep', ['sweep', 'sweep.yaml', '--figures', 'response,wait'], { 'sweep.yaml': sweep }],
  ])('prints what was printed of a %s', async (_, args, files) => {
    const cwd = small(files)
    const before = await sched([...args, '--out', 'results'], { cwd })
    expect(before.code).toBe(0)
    expect(await sched(['report', 'results', ...(args.includes('--figures') ? args.slice(-2) : [])], { cwd })).toEqual(before)
  })

  it('writes a page without what was kept for charts of time, which says how to run it again', async () => {
    const cwd = small()
    await sched(['compare', 'small.yaml', '--out', 'results', '--quiet'], { cwd })
    expect(await sched(['report', 'results', '--html', 'page.html', '--quiet'], { cwd })).toEqual({ code: 0, out: '', err: '' })
    const page = readFileSync(join(cwd, 'page.html'), 'utf8')
    expect([...page.matchAll(/<h2>([^<]*)/g)].map(([, title]) => title)).toEqual(['Figures by policy', 'By class of jobs', 'Each policy in full, seed 1', 'How to get this again'])
    expect(page).toContain('<pre>sched compare results/experiment.yaml</pre>')
    expect((await sched(['report', 'results', '--html', '-'], { cwd })).out).toBe(page)
  })

  it.each([
    ['no JSON', '{'],
    ['of something else', '{ "jobs": [] }'],
    ['without figures that this version has', JSON.stringify({ name: 'x', workload: { jobs: 1 }, cluster: { description: 'x' }, seeds: [1], policies: ['fifo'], runs: [{ policy: 'fifo', seed: 1, summary: {} }] })],
  ])('refuses a summary that is %s', async (_, text) => {
    const cwd = small()
    await sched(['run', 'small.yaml', '--out', 'results', '--quiet'], { cwd })
    writeFileSync(join(cwd, 'results/summary.json'), text)
    const { code, err } = await sched(['report', 'results'], { cwd })
    expect([code, err]).toEqual([2, 'error: "results/summary.json": is not what this version of sched writes with --out. Name the directory of a run, a comparison or a sweep, or run it again.\n'])
  })

  it('names the version that has written a summary which this one cannot read', async () => {
    const cwd = small()
    await sched(['run', 'small.yaml', '--out', 'results', '--quiet'], { cwd })
    const told = async (...changes: readonly (readonly [string, unknown])[]) => {
      const summary = JSON.parse(readFileSync(join(cwd, 'results/summary.json'), 'utf8')) as object
      writeFileSync(join(cwd, 'results/summary.json'), JSON.stringify({ ...summary, ...Object.fromEntries(changes) }))
      return (await sched(['report', 'results'], { cwd })).err
    }
    const refused = `error: "results/summary.json": is not what this version of sched writes with --out: sched 0.0.9 has written it, and this is ${version}. Name the directory of a run, a comparison or a sweep, or run it again.\n`
    expect(await told(['sched', '0.0.9'])).toBe('') // it is read all the same
    expect(await told(['runs', [{ policy: 'fifo', seed: 1, summary: {} }]])).toBe(refused)
    expect(await told(['runs', 'none'])).toBe(refused)
  })

  it('says that a file is no directory', async () => {
    const { code, err } = await sched(['report', 'jobs.jsonl'], { cwd: small() })
    expect([code, err]).toEqual([2, 'error: "jobs.jsonl": is a file. Name the directory that `--out DIR` has written.\n'])
  })

  it('says that there is no such directory', async () => {
    expect((await sched(['report', 'results'], { cwd: directory() })).err).toBe('error: "results/summary.json": cannot read: there is no such file. Name a directory that `--out DIR` has written.\n')
  })
})
