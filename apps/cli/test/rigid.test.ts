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
  it('needs no cluster, no policies and one seed: the machine is that of the header', async () => {
    const found = await results({ 'a.swf': log }, '--trace', 'a.swf')
    expect({ seeds: found.seeds, policies: found.policies }).toEqual({ seeds: [1], policies: ['strict', 'easy', 'conservative', 'fattened'] })
    // waits 0, 9, 18 (job 3 starts when job 2 ends) under FCFS; 0, 9, 0 where it is backfilled; run times are not jittered
    expect(figure(found, 'wait')).toMatchObject({ strict: 9, easy: 3, conservative: 3, fattened: 3 })
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
    ['exact', 10], ['3', 30], ['unknown', null],
  ])('%s: those of the log are replaced', async (kind, expected) => {
    const cwd = directory({ 'a.swf': `; MaxProcs: 4\n${line(1, 0, 0, 10, 3, 99)}` })
    const { code, err } = await sched(['compare', '--trace', 'a.swf', '--policies', 'easy', '--estimates', kind, '--out', 'r'], { cwd })
    expect(code, err).toBe(0)
    const again = await sched(['compare', 'r/experiment.yaml', '--json', '-'], { cwd })
    expect(again.code, again.err).toBe(0)
    expect(expected === null || expected > 0).toBe(true)
  })

  it('as users give them are drawn anew for every seed, unless they have one of their own', async () => {
    const waits = async (tsafrir: string) => {
      const { table } = await results({}, '--generate', '{lublin: {jobs: 300, seed: 4, load: 0.9, estimates: exact}}', '--estimates', `{tsafrir: ${tsafrir}}`, '--policies', 'easy', '--seeds', '3')
      return new Set(table.find(({ key }) => key === 'wait')?.cells[0]?.values).size
    }
    expect(await waits('{}')).toBe(3)
    expect(await waits('{seed: 1}')).toBe(1)
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
