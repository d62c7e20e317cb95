import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { directory, sched } from './sched.js'

/** Two users over four days, 20 jobs each of 3 of 4 processors; with recorded waits. */
const line = (id: number, submit: number, user: number | string) => `${id} ${submit} 5 3600 3 -1 -1 3 7200 -1 1 ${user} -1 -1 -1 -1 -1 -1`
const log = (user: (i: number) => number | string) => ['; MaxProcs: 4', ...Array.from({ length: 40 }, (_, i) => line(i + 1, i * 8640 + ((i * i * 977) % 8000), user(i)))].join('\n')

function world(user: (i: number) => number | string = (i) => 1 + (i % 2)): string {
  const cwd = directory()
  writeFileSync(join(cwd, 'log.swf'), log(user))
  return cwd
}
const run = (cwd: string, ...more: readonly string[]) => sched(['compare', '--trace', 'log.swf', '--policies', 'strict,easy', ...more], { cwd })

describe('--resample', () => {
  it('makes other jobs of a log for every seed, five of them unless said otherwise, and compares no recorded waits', async () => {
    const cwd = world()
    const plain = await run(cwd)
    const drawn = await run(cwd, '--resample', 'period=86400', '--json', 'drawn.json')
    expect([plain.code, plain.out.includes('recorded'), drawn.code, drawn.out.includes('recorded')]).toEqual([0, true, 0, false])
    expect(drawn.out).toMatch(/^log\.swf, resampled: 40 jobs on one node of 4 procs\nstrict, easy on seeds 1 to 5: /)
    const { runs } = JSON.parse(readFileSync(join(cwd, 'drawn.json'), 'utf8')) as { runs: { policy: string; seed: number; summary: object }[] }
    expect(new Set(runs.filter(({ policy }) => policy === 'easy').map(({ summary }) => JSON.stringify(summary))).size).toBeGreaterThan(1)
    expect((await run(cwd, '--resample', 'period=86400')).out).toBe(drawn.out)
  })

  it('takes the same fields from a file, also beneath a matrix', async () => {
    const cwd = world()
    const experiment = 'workload: { trace: log.swf, resample: { period: 86400, longTerm: 2, seed: 4 } }\npolicy: easy\n'
    writeFileSync(join(cwd, 'e.yaml'), experiment)
    writeFileSync(join(cwd, 'sweep.yaml'), `${experiment}matrix: { workload.resample.users: [1, 3] }\n`)
    const { code, out } = await sched(['sweep', 'sweep.yaml'], { cwd })
    expect([code, out]).toEqual([0, expect.stringContaining('users')])
    const inFile = await sched(['run', 'e.yaml'], { cwd })
    const given = await sched(['run', '--trace', 'log.swf', '--policy', 'easy', '--resample', 'period=86400,longTerm=2,seed=4'], { cwd })
    expect(inFile.out).toBe(given.out)
  })

  it('says what a log lacks, and what a field may be', async () => {
    expect((await run(world(() => -1), '--resample', 'period=86400')).err).toContain('error: workload.resample: no job names its user. Logs are drawn anew from what each user submitted.\n')
    expect((await run(world(), '--resample')).err).toContain('error: workload.resample: the log lasts 342977 s, which is less than two periods of 604800 s. Give a shorter `period`, such as a day: 86400.\n')
    const { code, err } = await run(world(), '--resample', 'weeks=2')
    expect([code, err]).toEqual([2, expect.stringContaining('workload.resample.weeks')])
    expect((await run(world(), '--resample', 'users=0')).err).toContain('workload.resample.users')
  })
})

describe('--feedback', () => {
  it('submits what followed an end after that end, from the command line as from a file', async () => {
    const cwd = world() // jobs of an hour waited 5 s each and come some 8,640 s apart, those of one user twice as far: within 20,000 s of the end before
    const submits = async (...more: readonly string[]) => {
      await sched(['run', '--trace', 'log.swf', '--policy', 'easy', '--out', 'out', '--force', ...more], { cwd })
      return readFileSync(join(cwd, 'out/jobs-easy.csv'), 'utf8').split('\n').slice(1, 41).map((row) => row.split(',').map(Number)).sort((a, b) => a[1]! - b[1]!).map((row) => row[5]!)
    }
    const plain = await submits()
    expect(await submits('--feedback')).toEqual(plain)
    const answered = await submits('--feedback', '20000')
    const earlier = answered.map((submit, i) => (plain[i] as number) - submit)
    expect(Math.max(...earlier)).toBeGreaterThanOrEqual(50) // 5 s for each of ten jobs in a row that did not wait here
    expect(Math.min(...earlier)).toBeLessThan(-5) // and some wait longer than the 5 s of the log, for a job of the other user
    writeFileSync(join(cwd, 'e.yaml'), 'workload: { trace: log.swf, feedback: { within: 20000 } }\npolicy: easy\n')
    await sched(['run', 'e.yaml', '--out', 'file'], { cwd })
    expect(readFileSync(join(cwd, 'file/jobs-easy.csv'), 'utf8')).toBe(readFileSync(join(cwd, 'out/jobs-easy.csv'), 'utf8'))
    expect((await sched(['run', '--trace', 'log.swf', '--policy', 'easy', '--feedback', '-1'], { cwd })).code).toBe(2)
  })
})

describe('notes on a log', () => {
  it('say that they are of all of it where only a part of the jobs is used', async () => {
    const cwd = world()
    writeFileSync(join(cwd, 'log.swf'), log(() => 1).replace(/ 3600 3 -1 -1 3 7200 /g, ' 3600 3 -1 -1 3 1800 '))
    const rule = 'note: 40 jobs longer than estimated: cut at the estimate (overrun)\n'
    const all = (cuts: string) => `${rule}note: notes on the log are of all that was read of it, also of jobs left out (${cuts})\n`
    for (const command of [['run', '--policy', 'easy', '--trace', 'log.swf'], ['trace', 'describe', 'log.swf'], ['trace', 'convert', 'log.swf', '-']]) {
      const told = async (...args: string[]) => (await sched([...command, ...args], { cwd })).err
      expect([await told(), await told('--take', '40'), await told('--take', '3'), await told('--window', '0:99999', '--take', '30')], command.join(' ')).toEqual([rule, rule, all('take'), all('window, take')])
    }
  })
})

describe('a log that is changed and written', () => {
  it('runs as the same changes in the run itself, and is described alike', async () => {
    const cwd = world()
    for (const changes of [['--resample', 'period=86400', '--seed', '3'], ['--window', '86400:259200', '--load', '2'], ['--take', '7', '--estimates', 'exact']]) {
      const run = (...args: readonly string[]) => sched(['run', '--policy', 'easy', ...args], { cwd }).then(({ code, out }) => [code, out.split('\n').slice(1).join('\n').replace(/^easy on seed \d/, '')])
      expect((await sched(['trace', 'convert', 'log.swf', 'changed.jsonl', '--force', ...changes], { cwd })).code).toBe(0)
      const inRun = await run('--trace', 'log.swf', ...changes)
      expect(await run('--trace', 'changed.jsonl')).toEqual(inRun)
      const described = async (...args: readonly string[]) => (await sched(['trace', 'describe', ...args], { cwd })).out.split('\n').slice(2).join('\n')
      expect(await described('log.swf', ...changes)).toBe(await described('changed.jsonl'))
    }
  })

  it('says which change cannot be made, before it reads', async () => {
    const { code, err } = await sched(['trace', 'convert', 'nowhere.swf', 'x.jsonl', '--resample', 'users=0'], { cwd: directory() })
    expect([code, err]).toEqual([2, expect.stringMatching(/^error: workload\.resample\.users: /)])
  })
})
