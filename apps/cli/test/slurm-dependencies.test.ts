import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { directory, sched } from './sched.js'

// Slurm's own tests of dependencies, begin times and arrays, named at each, through records of jobs: what the log says of when a job ran is not used.

const conf = `ClusterName=c
SchedulerParameters=batch_sched_delay=0,bf_interval=1
NodeName=n[1-8] CPUs=1
PartitionName=main Nodes=ALL Default=YES
`
const clock = (seconds: number) => new Date(Date.UTC(2026, 0, 1) + 1000 * seconds).toISOString().slice(0, 'yyyy-mm-ddThh:mm:ss'.length)

interface Row {
  readonly id: string
  readonly runs: number
  readonly asks?: string
  readonly name?: string
  readonly submit?: number
  readonly eligible?: number
}

/** When each job starts, in seconds. */
async function starts(rows: readonly Row[], options: readonly string[] = ['dependencies=keep']): Promise<Record<string, number>> {
  const lines = rows.map(({ id, runs, asks = '', name = 'job', submit = 0, eligible = submit }) =>
    [id, name, 'ann', 'main', clock(submit), clock(eligible), clock(eligible), clock(eligible + runs), '00:03:00', 'COMPLETED', '1', '1', `sbatch -t3 ${asks} script`].join('|'))
  const log = ['JobID|JobName|User|Partition|Submit|Eligible|Start|End|Timelimit|State|NNodes|ReqCPUS|SubmitLine', ...lines].join('\n')
  const cwd = directory({ 'slurm.conf': conf, 'log.txt': `${log}\n` })
  const args = ['run', '--trace', 'log.txt', '--option', 'tasks=each', ...options.flatMap((option) => ['--option', option]), '--nodes', 'slurm.conf', '--queues', 'slurm.conf', '--out', 'out', '--quiet']
  const { code, err } = await sched(args, { cwd })
  expect([code, code === 0 ? '' : err]).toEqual([0, ''])
  const out = join(cwd, 'out')
  const [header = [], ...table] = readFileSync(join(out, readdirSync(out).find((file) => /^jobs.*csv$/.test(file)) ?? ''), 'utf8').trim().split('\n').map((row) => row.split(','))
  return Object.fromEntries(table.map((row) => [row[header.indexOf('id')] ?? '', Number(row[header.indexOf('start')])]))
}
const array = (id: string, ...runs: readonly number[]): Row[] => runs.map((each, task) => ({ id: `${id}_${task}`, runs: each }))
const throttled = (id: string, most: number, tasks: number): Row[] => array(id, ...Array<number>(tasks).fill(20)).map((row) => ({ ...row, asks: `--array=0-${tasks - 1}%${most}` }))

describe('jobs of Slurm that wait for others', () => {
  it.each<[string, readonly Row[], Record<string, number>]>([
    ['the end of a job (test1.42, test17.18)', [{ id: '1', runs: 10 }, { id: '2', runs: 5, asks: '--dependency=afterany:1' }], { 1: 0, 2: 10 }],
    ['the jobs of its name (test1.47)', [{ id: '1', runs: 15, name: 'JOB' }, { id: '2', runs: 5, name: 'JOB', asks: '--dependency=singleton' }, { id: '3', runs: 5 }], { 1: 0, 2: 15, 3: 0 }],
    ['the first of two (test17.39)', [{ id: '1', runs: 120 }, { id: '2', runs: 30 }, { id: '3', runs: 120, asks: '--dependency=afterok:1?afterok:2' }], { 1: 0, 2: 0, 3: 30 }],
    ['one task of an array (test28.7)', [...array('1', 9, 8, 4), { id: '2', runs: 1, asks: '--dependency=afterany:1_2' }], { '1_0': 0, '1_1': 0, '1_2': 0, 2: 4 }],
    ['an array, all of its tasks (test28.7)', [...array('1', 4, 9, 8), { id: '2', runs: 1, asks: '--dependency=afterany:1' }], { '1_0': 0, '1_1': 0, '1_2': 0, 2: 9 }],
    ['the task of its own number (aftercorr)', [...array('1', 5, 20), ...array('2', 1, 1).map((row) => ({ ...row, asks: '--dependency=aftercorr:1' }))], { '1_0': 0, '1_1': 0, '2_0': 5, '2_1': 20 }],
  ])('wait for %s', async (_, rows, expected) => {
    expect(await starts(rows)).toEqual(expected)
  })

  it('with --begin start no sooner than that, and then at once (test17.18)', async () => {
    const rows = [{ id: '1', runs: 5 }, { id: '2', runs: 5, asks: '--begin=now+60', eligible: 60 }]
    expect(await starts(rows, ['submit=eligible'])).toEqual({ 1: 0, 2: 60 })
  })
})

describe('arrays of Slurm', () => {
  it('run as many tasks at once as they say (test28.9), one of %1 after the other (test28.10)', async () => {
    expect(await starts(throttled('1', 2, 4))).toEqual({ '1_0': 0, '1_1': 0, '1_2': 20, '1_3': 20 })
    expect(await starts(throttled('1', 1, 3))).toEqual({ '1_0': 0, '1_1': 20, '1_2': 40 })
  })
})
