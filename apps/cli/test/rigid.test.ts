import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { directory, sched, type Outcome } from './sched.js'

/** Job, submit, wait, run time, processors, requested time; the rest of the 18 fields is unknown or fixed. */
const line = (job: number, submit: number, wait: number, runtime: number, procs: number, estimate: number, user = 1) =>
  `${job} ${submit} ${wait} ${runtime} ${procs} -1 -1 ${procs} ${estimate} -1 1 ${user} 1 -1 1 -1 -1 -1\n`

/** 4 processors. Job 1 takes 3 from 0 to 10; job 2 wants all 4; job 3, one processor for 5 s, fits before it. */
const jobs = line(1, 0, 0, 10, 3, 10) + line(2, 1, 9, 10, 4, 10, 2) + line(3, 2, 20, 5, 1, 5)
const log = `; Version: 2.2\n; MaxProcs: 4\n${jobs}`

async function compare(files: Readonly<Record<string, string>>, ...args: string[]): Promise<Outcome & { cwd: string }> {
  const cwd = directory(files)
  return { cwd, ...(await sched(['compare', ...args], { cwd })) }
}

interface Results {
  readonly seeds: readonly number[]
  readonly policies: readonly string[]
  readonly cluster: { readonly nodes: number }
  readonly table: readonly { key: string; label?: string; cells: { policy: string; values: number[] }[] }[]
}

async function results(files: Readonly<Record<string, string>>, ...args: string[]): Promise<Results> {
  const { code, out, err } = await compare(files, ...args, '--json', '-')
  expect(code, err).toBe(0)
  return JSON.parse(out) as Results
}

const figure = ({ table }: Results, key: string) => Object.fromEntries((table.find((row) => row.key === key && row.label === undefined)?.cells ?? []).map(({ policy, values }) => [policy, values[0]]))

describe('a log of a parallel machine', () => {
  it('is reported by user where it has several', async () => {
    const report = async (text: string) => (await sched(['run', '--trace', 'a.swf', '--policy', 'easy'], { cwd: directory({ 'a.swf': text }) })).out
    expect(await report(log)).toMatch(/^user +jobs .*\n-.*\n2 +1 .*\n1 +2 /m)
    const single = await report(`; Version: 2.2\n; MaxProcs: 4\n${line(1, 0, 0, 10, 3, 10)}${line(3, 2, 20, 5, 1, 5)}`)
    expect(single).not.toMatch(/^user /m) // which the row of all tells, too
    expect(single).toMatch(/^all +2 /m)
  })

  it('needs no cluster, no policies and one seed: the machine is that of the header', async () => {
    const found = await results({ 'a.swf': log }, '--trace', 'a.swf')
    expect({ seeds: found.seeds, policies: found.policies }).toEqual({ seeds: [1], policies: ['strict', 'easy', 'conservative', 'fattened'] })
    // waits 0, 9, 18 (job 3 starts when job 2 ends) under FCFS; 0, 9, 0 where it is backfilled; run times are not jittered
    expect(figure(found, 'wait')).toMatchObject({ strict: 9, easy: 3, conservative: 3, fattened: 3 })
  })

  it('is described with its machine, the load on it, and what the rules did', async () => {
    const cwd = directory({ 'a.swf': log.replace('-1 -1 4 10 ', '-1 -1 4 5 ') })
    const { out, err } = await sched(['trace', 'describe', 'a.swf'], { cwd })
    expect(out).toMatch(/^ +machine +4 procs: MaxProcs of the header$/m)
    // 3 x 10 + 4 x 5 + 1 x 5 processor seconds within 2 s of submissions on 4 processors
    expect(out).toMatch(/^procs +3 +55 +5 +4 +687.5%$/m)
    expect(err).toBe('note: 1 job longer than estimated: cut at the estimate (overrun)\n')
    const json = JSON.parse((await sched(['trace', 'describe', 'a.swf', '--json'], { cwd })).out) as { machine: object; rules: object[] }
    expect(json).toMatchObject({ machine: { resources: { procs: 4 } }, rules: [{ rule: 'overrun', jobs: 1 }] })
  })

  it('says the same from an experiment file without a cluster', async () => {
    const file = 'workload: { trace: a.swf }\npolicies: [strict, easy]\n'
    const found = await results({ 'a.swf': log, 'e.yaml': file }, 'e.yaml')
    expect(figure(found, 'wait')).toMatchObject({ strict: 9, easy: 3 })
    expect(found.seeds).toEqual([1])
  })

  it('takes another number of processors', async () => {
    const wide = await results({ 'a.swf': log }, '--trace', 'a.swf', '--procs', '8', '--policies', 'strict')
    expect(figure(wide, 'wait')).toMatchObject({ strict: 0 })
    const small = await compare({ 'a.swf': log }, '--trace', 'a.swf', '--procs', '3')
    expect(small).toMatchObject({ code: 2, out: '' })
    expect(small.err).toContain('asks for 4 procs, the machine has 3 (option procs).')
  })

  it('is the same log when it was converted: machine, policies and figures', async () => {
    const cwd = directory({ 'a.swf': log, 'e.yaml': 'workload: { trace: a.jsonl }\npolicies: [strict]\n', 'l.yaml': 'workload: { generate: { lublin: { jobs: 3 } } }\npolicies: [strict]\n' })
    expect((await sched(['trace', 'convert', 'a.swf', 'a.jsonl'], { cwd })).code).toBe(0)
    const outcome = async (...args: string[]) => JSON.parse((await sched(['compare', ...args, '--json', '-'], { cwd })).out) as Results & { cluster: { description: string } }
    const [plain, native] = [await outcome('--trace', 'a.swf'), await outcome('--trace', 'a.jsonl')]
    for (const key of ['seeds', 'policies', 'cluster', 'table'] as const) expect(native[key]).toEqual(plain[key])
    const machine = async (...args: string[]) => (await outcome(...args, '--procs', '16')).cluster.description
    expect([await machine('--trace', 'a.jsonl'), await machine('e.yaml'), await machine('l.yaml')]).toEqual(Array(3).fill('one node of 16 procs'))
  })

  it('takes options of the format: a run time above the estimate is cut, or kept', async () => {
    const over = `; MaxProcs: 4\n${line(1, 0, 0, 20, 3, 10)}`
    expect(figure(await results({ 'a.swf': over }, '--trace', 'a.swf', '--policies', 'easy'), 'makespan')).toMatchObject({ easy: 10 })
    for (const overrun of ['extend', 'keep'])
      expect(figure(await results({ 'a.swf': over }, '--trace', 'a.swf', '--policies', 'easy', '--option', `overrun=${overrun}`), 'makespan')).toMatchObject({ easy: 20 })
  })

  it('is described as slots by mistake: the way out is told', async () => {
    const { code, err } = await compare({ 'a.swf': log }, '--trace', 'a.swf', '--nodes', '4')
    expect({ code, err }).toEqual({ code: 2, err: 'error: --nodes: rigid jobs ask for processors, not for slots. Say how many the machine has with --procs, or what nodes have with --resources.\n' })
  })

  it('runs on nodes of one\'s own', async () => {
    expect(figure(await results({ 'a.swf': log }, '--trace', 'a.swf', '--nodes', '1', '--resources', 'procs=4', '--policies', 'easy'), 'wait')).toMatchObject({ easy: 3 })
  })

  it('is run with a task per processor, for reservations of named nodes', async () => {
    // 5 nodes: 0 held until 5 min, 1 and 2 until 10, 3 until 5. Job 4 (2 nodes, 5 min) is planned for 5 min; its best run of
    // free nodes then is 3 and 4. Job 5 (1 node, 10 min) fits now by count, 5 - 2 - 2 are left; by name node 4 is not free
    // for 10 min, and node 0 only from 5 min on
    const rows = [line(1, 0, -1, 300, 1, 300), line(2, 0, -1, 600, 2, 600), line(3, 0, -1, 300, 1, 300), line(4, 0, -1, 300, 2, 300), line(5, 0, -1, 600, 1, 600)]
    const { cwd, code, err } = await compare({ 'a.swf': `; MaxProcs: 5\n${rows.join('')}` }, '--trace', 'a.swf', '--option', 'tasks=each', '--out', 'r', '--schedule',
      '--policies', '{name: counted, policy: {easy: {}}},{name: named, policy: {replan: {nodes: named}}}')
    expect(code, err).toBe(0)
    const held = (policy: string) => Object.fromEntries(readFileSync(join(cwd, `r/schedule-${policy}.csv`), 'utf8').split('\n').slice(1, -1).map((row) => {
      const [, id, , , start, , , , nodes] = row.split(',')
      return [String(id), `${start}: ${nodes}`]
    }))
    expect({ counted: held('counted'), named: held('named') }).toEqual({
      counted: { 1: '0: 0', 2: '0: 1-2', 3: '0: 3', 4: '300: 0 3', 5: '0: 4' },
      named: { 1: '0: 0', 2: '0: 1-2', 3: '0: 3', 4: '300: 3-4', 5: '300: 0' },
    })
  })

  it('has the same schedules with a task per processor where processors are counted', async () => {
    const files = { 'a.swf': `; MaxProcs: 8\n${Array.from({ length: 40 }, (_, i) => line(i + 1, 7 * i, -1, 10 + ((37 * i) % 90), 1 + ((5 * i) % 8), 20 + ((37 * i) % 90) * (1 + (i % 3)))).join('')}` }
    const waits = async (...args: string[]) => {
      const found = await results(files, '--trace', 'a.swf', ...args)
      return ['wait', 'response', 'wait-by-area', 'loss', 'queue-mean', 'backfilled', 'promised'].map((key) => figure(found, key))
    }
    const counted = await waits()
    expect(counted.every((each) => Object.keys(each).length === 4)).toBe(true)
    expect(await waits('--option', 'tasks=each')).toEqual(counted)
  })

  it('gives a pass per event if asked', async () => {
    // job 3 comes with job 2 in one instant: one pass sees both, a pass per submission starts job 2 first
    const together = `; MaxProcs: 4\n${line(1, 0, 0, 10, 3, 10)}${line(2, 5, 0, 5, 1, 5)}${line(3, 5, 0, 4, 1, 4)}`
    const policies = ['--policies', '{easy: {order: sjf}}']
    const one = await results({ 'a.swf': together }, '--trace', 'a.swf', ...policies)
    const each = await results({ 'a.swf': together }, '--trace', 'a.swf', ...policies, '--pass-per-event', 'submits-first')
    const wait = (found: Results) => Object.values(figure(found, 'wait'))[0]
    expect([wait(one), wait(each)]).toEqual([4 / 3, 5 / 3])
  })
})

describe('estimates', () => {
  it.each([
    ['exact', 10], ['3', 30], ['unknown', -1],
  ])('%s: those of the log are replaced', async (kind, expected) => {
    const { cwd, code, err } = await compare({ 'a.swf': `; MaxProcs: 4\n${line(1, 0, 0, 10, 3, 99)}` }, '--trace', 'a.swf', '--policies', 'easy', '--estimates', kind, '--out', 'r')
    expect(code, err).toBe(0)
    const [row = ''] = readFileSync(join(cwd, 'r/jobs-easy.swf'), 'utf8').split('\n').filter((each) => /^\d/.test(each))
    expect(Number(row.split(' ')[8])).toBe(expected)
    expect((await sched(['compare', 'r/experiment.yaml'], { cwd })).code).toBe(0) // and the experiment says so
  })

  it('as users give them are drawn anew for every seed, unless they have one of their own', { tags: 'long' }, async () => {
    const waits = async (estimates: string) => {
      const { table } = await results({}, '--generate', '{lublin: {jobs: 300, seed: 4, load: 0.9, estimates: exact}}', '--estimates', estimates, '--policies', 'easy', '--seeds', '3')
      return table.find(({ key }) => key === 'wait')?.cells[0]?.values
    }
    const drawn = await waits('{tsafrir: {}}')
    expect(new Set(drawn).size).toBe(3)
    expect(await waits('tsafrir')).toEqual(drawn) // the name alone: with no options
    expect(new Set(await waits('{tsafrir: {seed: 1}}')).size).toBe(1)
  })
})

describe('a sweep of a log', () => {
  it('says on how many seeds every point ran, and writes an experiment that does the same again', async () => {
    const base = 'workload: { trace: a.swf }\npolicies: [easy]\n'
    const cwd = directory({ 'a.swf': log, 'load.yaml': `${base}matrix: { workload.load: [1, 2] }\n`, 'estimates.yaml': `${base}matrix: { workload.estimates: [exact, { tsafrir: { maxEstimate: 7200 } }] }\n` })
    const title = async (...args: string[]) => (await sched(['sweep', ...args], { cwd })).out.split('\n')[0]
    expect(await title('load.yaml', '--out', 'r')).toBe('2 points under easy, one seed')
    expect(await title('r/experiment.yaml')).toBe('2 points under easy, one seed')
    // nothing is drawn at the first point, and estimates at the second
    expect(await title('estimates.yaml', '--out', 's')).toBe('2 points under easy, means over 1 to 5 seeds')
    expect(await title('s/experiment.yaml')).toBe('2 points under easy, means over 1 to 5 seeds')
  })
})

describe('the table of a sweep of a log', () => {
  it('has what backfilling is judged by: waits, bounded slowdowns and the use of the machine', async () => {
    const cwd = directory({ 'a.swf': log, 'load.yaml': 'workload: { trace: a.swf }\npolicies: [strict, easy]\nmatrix: { workload.load: [1, 2] }\n' })
    const [, head = ''] = (await sched(['sweep', 'load.yaml'], { cwd })).out.split('\n')
    expect(head.split(/ {2,}/)).toEqual(['load', 'policy', 'response, s', 'wait, s', 'slowdown', 'use-procs, %'])
  })
})

describe('warm-up and cool-down', () => {
  it('leave jobs out of the figures by their submission, not out of the run', async () => {
    const files = { 'a.swf': log }
    const wait = async (...args: string[]) => figure(await results(files, '--trace', 'a.swf', '--policies', 'strict', ...args), 'wait')['strict']
    expect(await wait('--warm-up', '0.34')).toBe(13.5) // jobs 2 and 3
    expect(await wait('--cool-down', '0.34')).toBe(4.5) // jobs 1 and 2
    const file = 'workload: { trace: a.swf }\npolicies: [strict]\nmetrics: { warmUp: { seconds: 1 }, coolDown: { seconds: 0.5 } }\n'
    expect(figure(await results({ ...files, 'e.yaml': file }, 'e.yaml'), 'wait')['strict']).toBe(9) // job 2
    const none = await compare(files, '--trace', 'a.swf', '--warm-up', '0.5', '--cool-down', '0.9')
    expect(none).toMatchObject({ code: 2, err: expect.stringContaining('no job is left between warm-up and cool-down') as string })
  })
})

describe('what the log recorded', () => {
  it('stands in a column of its own, with the error of every policy against it', async () => {
    const found = await results({ 'a.swf': log }, '--trace', 'a.swf', '--policies', 'strict,easy')
    // recorded waits 0, 9, 20; under FCFS 0, 9, 18; under EASY 0, 9, 0
    expect(figure(found, 'wait')).toEqual({ strict: 9, easy: 3, recorded: 29 / 3 })
    expect(figure(found, 'wait-error')).toEqual({ strict: 2 / 3, easy: 20 / 3 })
    expect(figure(found, 'wait-difference')).toEqual({ strict: -2 / 3, easy: -20 / 3 })
    expect(figure(found, 'response')['recorded']).toBeCloseTo((10 + 19 + 25) / 3, 12)
    const { out } = await compare({ 'a.swf': log }, '--trace', 'a.swf', '--policies', 'strict,easy')
    expect(out).toMatch(/^ +strict +easy +recorded$/m)
    expect(out).toMatch(/^mean wait for the first task, s +9.0 +3.0 +9.7$/m)
  })

  it('differs from a policy in what it has, and no row is empty', async () => {
    const { out } = await compare({ 'a.swf': log }, '--trace', 'a.swf', '--policies', 'strict')
    const [, rows = ''] = /\nDifference from strict\n.*\n.*\n([^]*?)\n\n/.exec(out) ?? []
    expect(rows).toMatch(/^mean response, s +[+-]/m)
    expect(rows.split('\n').filter((row) => !/ {2,}\S+$/.test(row))).toEqual([])
    expect(out).toMatch(/^use of procs, % +\d/m)
  })

  it('is told to be of some jobs, where the log does not know all waits', async () => {
    const err = async (text: string) => (await compare({ 'a.swf': text }, '--trace', 'a.swf', '--policies', 'strict,easy')).err
    expect(await err(log.replace(/^(2 \d+) \d+/m, '$1 -1'))).toContain('note: what is recorded is of 2 of 3 jobs, whose waits the log has; other figures are of all.\n')
    expect(await err(log)).not.toContain('what is recorded')
  })

  it('has no column where nothing was', async () => {
    const { out } = await compare({ 'a.swf': log.replaceAll(/^(\d+ \d+) \d+/gm, '$1 -1') }, '--trace', 'a.swf', '--policies', 'strict,easy')
    expect(out).not.toContain('recorded')
  })
})

describe('the results of rigid jobs', () => {
  it('are written as a log that is read again', async () => {
    const { cwd, code, err } = await compare({ 'a.swf': log }, '--trace', 'a.swf', '--policies', 'strict,easy', '--out', 'r')
    expect(code, err).toBe(0)
    const rows = readFileSync(join(cwd, 'r/jobs-easy.swf'), 'utf8').split('\n').filter((row) => /^\d/.test(row))
    expect(rows.map((row) => row.split(' ').slice(0, 5).map(Number))).toEqual([[1, 0, 0, 10, 3], [2, 1, 9, 10, 4], [3, 2, 0, 5, 1]])
    const again = JSON.parse((await sched(['compare', '--trace', 'r/jobs-easy.swf', '--policies', 'easy', '--json', '-'], { cwd })).out) as Results
    expect(figure(again, 'wait')).toEqual({ easy: 3, recorded: 3 }) // what EASY did is what it records
    expect(figure(again, 'wait-error')).toEqual({ easy: 0 })
  })

  it('are written for every seed of generated jobs, on any number of threads', { tags: 'long' }, async () => {
    const cwd = directory()
    const args = ['compare', '--generate', '{lublin: {jobs: 60}}', '--policies', 'easy', '--seeds', '2']
    for (const [out, threads] of [['one', '1'], ['two', '2']] as const) expect((await sched([...args, '--threads', threads, '--out', out, '--schedule'], { cwd })).code).toBe(0)
    const names = readdirSync(join(cwd, 'one')).sort()
    expect(names).toEqual(['experiment.yaml', 'jobs-easy-seed-1.swf', 'jobs-easy-seed-2.swf', 'jobs-easy.csv', 'schedule-easy.csv', 'summary.json', 'table.csv'])
    for (const name of names) expect(readFileSync(join(cwd, 'two', name), 'utf8')).toBe(readFileSync(join(cwd, 'one', name), 'utf8'))
  })

  it('have the names of their users, and whole nodes as their processors', async () => {
    const log = '; MaxProcs: 8\n; MaxNodes: 4\n; MaxJobs: 9\n1 0 -1 60 3 -1 -1 3 100 -1 1 7 -1 -1 -1 -1 -1 -1\n'
    const text = async (file: string, content: string, ...args: string[]) => {
      const { cwd, code, err } = await compare({ [file]: content }, '--trace', file, ...args, '--policies', 'easy', '--seeds', '1', '--out', 'r')
      expect(code, err).toBe(0)
      return readFileSync(join(cwd, 'r/jobs-easy.swf'), 'utf8')
    }
    // 3 of 8 processors are 2 of 4 nodes, which have 4
    expect(await text('a.swf', log, '--option', 'unit=nodes')).toMatch(/^; MaxNodes: 4\n; MaxProcs: 8\n[^]*^1 0 0 60 4 -1 -1 4 100 -1 1 7 /m)
    const record = 'JobID|User|Partition|Submit|Start|End|Timelimit|State|NCPUS\n1|ada|main|2024-03-04T08:00:00|2024-03-04T08:00:10|2024-03-04T08:01:10|00:02:00|COMPLETED|2\n'
    expect(await text('a.txt', record)).toMatch(/^; User: 1 ada\n; MaxQueues: 1\n; Queue: 1 main\n[^]*^1 0 0 60 2 -1 -1 2 120 -1 1 1 -1 -1 1 1 /m)
  })

  it('say which processors jobs held, for a Gantt chart', async () => {
    const { cwd, code } = await compare({ 'a.swf': log }, '--trace', 'a.swf', '--policies', 'easy', '--out', 'r', '--schedule')
    expect(code).toBe(0)
    expect(readFileSync(join(cwd, 'r/schedule-easy.csv'), 'utf8')).toBe(
      'seed,id,user,submit,start,end,how,tasks,nodes,units\n1,3,1,2,2,7,done,1,0,3\n1,1,1,0,0,10,done,1,0,0-2\n1,2,2,1,10,20,done,1,0,0-3\n',
    )
    expect((await compare({ 'a.swf': log }, '--trace', 'a.swf', '--schedule')).err).toBe('error: --schedule: has no place to go. Name a directory with --out, or a page with --html.\n')
  })

  it('are told by kinds of jobs, and in full by `run`', async () => {
    const cwd = directory({ 'a.swf': log })
    const { out } = await sched(['run', '--trace', 'a.swf', '--policy', 'conservative'], { cwd })
    expect(out).toContain('loss of capacity')
    expect(out).toMatch(/^1 +1 +0 +5.0 +1 /m) // of one processor: no wait, response 5 s
    expect(out).toContain('jobs promised a start: 3, started before it 0, after it 0')
    expect(out).toMatch(/^user +jobs/m)
  })
})

describe('a log with something wrong', () => {
  const answer = async (content: string, ...args: string[]) => {
    const { code, out, err, cwd } = await compare({ 'a.swf': content }, '--trace', 'a.swf', '--policies', 'easy', '--json', '-', ...args)
    return { code, err: err.replaceAll(`${cwd}/`, ''), cluster: code === 0 ? (JSON.parse(out) as { cluster: { description: string } }).cluster.description : '' }
  }

  it('says how many processors are inferred where the header does not', async () => {
    const { code, err, cluster } = await answer(jobs)
    expect({ code, cluster }).toEqual({ code: 0, cluster: 'one node of 4 procs' })
    expect(err).toContain('inferred, the log does not say how many')
    expect((await answer(jobs, '--procs', '16')).cluster).toBe('one node of 16 procs')
  })

  it('contradicts its header: refused with the job and the way out, or cut, or left out', async () => {
    const narrow = `; MaxProcs: 3\n${jobs}`
    const { code, err } = await answer(narrow)
    expect({ code, err }).toEqual({
      code: 2, err: 'error: "a.swf" line 3: the job asks for 4 procs, the machine has 3 (MaxProcs of the header). Leave such jobs out with --option wide=skip, cut them with wide=clip, or give the machine\'s true size with procs or nodes, or drop such lines with --on-bad-line skip.\n',
    })
    expect((await answer(narrow, '--option', 'wide=clip')).err).toContain('1 job wider than the machine: cut to the machine (wide)')
    expect((await answer(narrow, '--option', 'wide=skip')).err).toContain('1 job wider than the machine: left out (wide)')
  })

  it('announces other records than it has: said, and read', async () => {
    expect(await answer(`; MaxRecords: 5\n${log}`)).toMatchObject({ code: 0, err: expect.stringContaining('announces 5 records (MaxRecords), the log has 3') as string })
  })

  it('is not sorted by submission: sorted', async () => {
    const [a, b, c] = jobs.trimEnd().split('\n')
    expect((await answer(`; MaxProcs: 4\n${[c, a, b].join('\n')}\n`)).code).toBe(0)
  })

  it.each([
    ['17 fields', jobs.replace(/ -1\n/, '\n'), 'found 17 fields, expected 18'],
    ['19 fields', jobs.replace(/\n/, ' 7\n'), 'found 19 fields, expected 18'],
    ['a word', jobs.replace(' 10 3 ', ' ten 3 '), 'found "ten", expected a number'],
  ])('has %s: the line and what is expected', async (_, content, message) => {
    const { code, err } = await answer(`; MaxProcs: 4\n${content}`)
    expect({ code, lines: err.trimEnd().split('\n').length }).toEqual({ code: 2, lines: 1 })
    expect(err).toContain('"a.swf" line 2')
    expect(err).toContain(message)
  })

  it('has decimals, CR LF and a byte order mark: read as it is', async () => {
    const odd = `\uFEFF${log}`.replace('3 2 20 5', '3 2.5 20 5.0').replaceAll('\n', '\r\n')
    expect(await answer(odd)).toMatchObject({ code: 0, err: '' })
  })

  it('is of another kind: says what it looks like', async () => {
    expect((await answer('time,user,cpus\n1,ann,4\n')).err).toContain('a table of 3 comma-separated columns')
    expect((await answer('<html></html>\n')).err).toContain('text without columns')
    expect((await answer('a\tb\tc\n', '--format', 'swf')).code).toBe(2)
  })
})
