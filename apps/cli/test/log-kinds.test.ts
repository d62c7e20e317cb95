import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { easySchedule } from './easy-schedule.js'
import { directory, sched } from './sched.js'

/** A few lines of our own in the manner of each log: its header, which fields it has, and what is odd about it. */
const swf = (...lines: readonly string[]) => `${lines.join('\n')}\n`
const kinds: Readonly<Record<string, { readonly text: string; readonly machine: string; readonly finished: string; readonly notes: readonly string[] }>> = {
  'as SDSC SP2: run times and processors that are unknown, a job that ran longer than it asked, lines out of order, a note of several lines': {
    text: swf('; Computer: IBM SP2', '; MaxJobs: 5', '; MaxRecords: 5', '; UnixStartTime: 893466664', '; TimeZoneString: US/Pacific', '; EndTime:   Sun Apr 30 11:15:26 PDT 2000', '; MaxNodes: 128', '; MaxProcs: 128', '; Note: times are', ';       of the processors', '; Queue: 1 express',
      '1 0 -1 88 8 55.2 -1 8 120 -1 1 1 1 -1 2 -1 -1 -1', '2 10 99 -1 -1 -1 -1 16 3600 -1 5 2 1 -1 2 -1 -1 -1', '3 20 0 0 0 0 -1 4 3600 -1 5 2 1 -1 1 -1 -1 -1', '4 21 5 7200 16 -1 -1 -1 3600 -1 0 3 1 -1 1 -1 -1 -1', '5 20 5 100 16 -1 -1 -1 -1 -1 1 3 1 -1 1 -1 -1 -1'),
    machine: '128 procs: MaxProcs of the header', finished: '4 of 4 jobs finished',
    notes: ['2 jobs without requested processors: the allocated ones taken (processors)', '1 job of unknown run time: left out (unknownRuntime)', '1 job of run time 0: kept (zeroRuntime)', '1 job without estimate: estimated at their run time (missingEstimate)', '1 job longer than estimated: cut at the estimate (overrun)', '1 job submitted before one above: sorted (sorted)'],
  },
  'processors by eights, jobs that say nothing of what they asked': {
    text: swf('; MaxNodes: 144', '; MaxProcs: 1152', '; TimeZone: -28800', '1 0 3 60 8 -1 -1 8 7200 -1 1 1 1 -1 1 -1 -1 -1', '2 9 3 60 1152 -1 -1 -1 -1 -1 1 2 1 -1 2 -1 -1 -1'),
    machine: '1152 procs: MaxProcs of the header', finished: '2 of 2 jobs finished', notes: ['1 job without requested processors: the allocated ones taken (processors)', '1 job without estimate: estimated at their run time (missingEstimate)'],
  },
  'as ANL Intrepid: tabs, a whole machine of 163,840, no users': {
    text: swf('; MaxNodes: 40960', '; MaxProcs: 163840', ';', '1\t0\t0\t6500\t2048\t-1\t-1\t2048\t14400\t-1\t1\t-1\t-1\t-1\t1\t1\t-1\t-1\t', '2\t100\t0\t60\t163840\t-1\t-1\t163840\t3600\t-1\t1\t-1\t-1\t-1\t1\t1\t-1\t-1\t'),
    machine: '163840 procs: MaxProcs of the header', finished: '2 of 2 jobs finished', notes: [],
  },
  'as LLNL Thunder: no waits, numbers with words behind them, pieces of jobs that were stopped': {
    text: swf('; MaxNodes: 1008 (986 in batch partition)', '; MaxProcs: 4032', '; Partitions: 1 debug 2 batch', '1 5 -1 30 4 -1 -1 4 7200 -1 1 1 1 -1 -1 1 -1 -1', '2 5 -1 30 4 -1 -1 4 -1 -1 1 1 1 -1 -1 2 -1 -1', '3 8 -1 30 4 -1 -1 4 43200 -1 2 1 1 -1 -1 2 -1 -1', '3 9 -1 30 4 -1 -1 4 43200 -1 3 1 1 -1 -1 2 -1 -1'),
    machine: '4032 procs: MaxProcs of the header', finished: '2 of 2 jobs finished', notes: ['1 job has lines about pieces only (status 2, 3 or 4), and none about the whole that is read: not among the jobs', '2 jobs with status 2, 3 or 4, pieces of a job that has a line of its own: left out (partial)', '1 job without estimate: estimated at their run time (missingEstimate)'],
  },
  'a flurry of one user in one second': {
    text: swf('; MaxProcs: 8192', '; UnixStartTime: 1272639895', ...Array.from({ length: 40 }, (_, i) => `${i + 1} 60 0 5 1 -1 1240000 1 86400 1258291 1 7 1 -1 1 -1 -1 -1`)),
    machine: '8192 procs: MaxProcs of the header', finished: '40 of 40 jobs finished', notes: [],
  },
  'jobs cancelled before they had processors, a day and a second': {
    text: swf('; MaxNodes: 11760', '; MaxProcs: 93312', '; Partition: 1 standard', '27 0 12 86401 16 -1 -1 16 86400 -1 1 1 1 1 -1 2 -1 -1', '28 4 12 0 0 -1 -1 16 -1 -1 5 1 1 1 -1 2 -1 -1', '29 4 0 10 0 -1 -1 0 864000 -1 0 1 1 1 -1 2 -1 -1'),
    machine: '93312 procs: MaxProcs of the header', finished: '2 of 2 jobs finished',
    notes: ['1 job without processors: left out (noProcs)', '1 job of run time 0: kept (zeroRuntime)', '1 job without estimate: estimated at their run time (missingEstimate)', '1 job longer than estimated: cut at the estimate (overrun)'],
  },
  'more processors given than asked': {
    text: swf('; MaxNodes: 320', '; MaxProcs: 2560', '1 0 0 100 16 -1 -1 10 604800 -1 1 4 2 -1 3 -1 -1 -1', '2 1 0 100 8 -1 -1 -1 604800 -1 0 4 2 -1 3 -1 -1 -1'),
    machine: '2560 procs: MaxProcs of the header', finished: '2 of 2 jobs finished', notes: ['1 job without requested processors: the allocated ones taken (processors)'],
  },
  'as UniLu Gaia: names with blanks before them, fractions, jobs after others, fewer records than announced': {
    text: swf(';   --- made from a database ---', ';       Version: 2.2', ';      Computer: Bull / Dell mix', '; MaxRecords: 51987', '; MaxNodes: 151', '; MaxProcs: 2004', ';', '12 0 1 2.5 12 1.5 1048576 12 7200 -1 1 3 3 -1 0 -1 -1 -1', '13 1 86400 59 1 0.97 -1 1 300 -1 1 3 3 -1 0 -1 12 60'),
    machine: '2004 procs: MaxProcs of the header', finished: '2 of 2 jobs finished', notes: ['the header announces 51987 records (MaxRecords), the log has 2', '1 job after another job: submitted when the log says, all the same (dependencies)'],
  },
  'no size in the header, job numbers above 2^31': {
    text: swf('; Version: 2.2', '; UnixStartTime: 1464739200', '3000000001 0 10 100 20 -1 -1 20 200 -1 1 1 1 -1 1 -1 -1 -1', '3000000002 5 0 100 20 -1 -1 20 200 -1 1 1 1 -1 1 -1 -1 -1'),
    machine: '40 procs: inferred, the log does not say how many: up to 40 are recorded in use at once; give procs if that is wrong', finished: '2 of 2 jobs finished', notes: ['procs of the machine: 40, inferred, the log does not say how many: up to 40 are recorded in use at once; give procs if that is wrong'],
  },
  'sacct of a site: columns in another order, steps, arrays, parts of heterogeneous jobs, runs of a requeued one, times that are not there': {
    text: swf('State|End|Start|Submit|Timelimit|NCPUS|JobID|User|Partition|QOS|Elapsed|MaxRSS',
      'COMPLETED|2024-01-01T01:00:00|2024-01-01T00:10:00|2024-01-01T00:00:00|1-00:00:00|16|100|ann|cpu|normal|00:50:00|', 'COMPLETED|2024-01-01T01:00:00|2024-01-01T00:10:00|2024-01-01T00:10:00||16|100.batch||||00:50:00|1234K', 'COMPLETED|2024-01-01T01:00:00|2024-01-01T00:10:00|2024-01-01T00:10:00||16|100.0||||00:50:00|9G',
      'CANCELLED by 1001|2024-01-01T00:20:00|None|2024-01-01T00:05:00|UNLIMITED|0|101|bob|cpu|normal|00:00:00|', 'CANCELLED by 1001|2024-01-01T00:20:00|Unknown|2024-01-01T00:05:00|Partition_Limit|4|102|bob|cpu|normal|00:00:00|', 'RUNNING|Unknown|2024-01-01T00:30:00|2024-01-01T00:05:00|UNLIMITED|4|103|bob|cpu|normal|00:31:00|',
      'PENDING|Unknown|Unknown|2024-01-01T00:05:00|02:00:00|4|104_[1-8,10%5]|bob|cpu|normal|00:00:00|', 'COMPLETED|2024-01-01T02:00:00|2024-01-01T01:00:00|2024-01-01T00:05:00|02:00:00|4|104_9|bob|cpu|normal|01:00:00|',
      'COMPLETED|2024-01-01T02:00:00|2024-01-01T01:00:00|2024-01-01T00:06:00|Partition_Limit|4|105+0|cyd|cpu|normal|01:00:00|', 'COMPLETED|2024-01-01T02:00:00|2024-01-01T01:00:00|2024-01-01T00:06:00|UNLIMITED|2|105+1|cyd|gpu|normal|01:00:00|',
      'NODE_FAIL|2024-01-01T02:00:00|2024-01-01T01:00:00|2024-01-01T00:07:00|03:00:00|8|106|cyd|gpu|normal|01:00:00|', 'COMPLETED|2024-01-01T05:00:00|2024-01-01T04:00:00|2024-01-01T03:00:00|03:00:00|8|106|cyd|gpu|normal|01:00:00|', 'TIMEOUT|2024-01-03T00:00:05|2024-01-01T12:00:00|2024-01-01T11:00:00|1-12:00:00|8|107|cyd|gpu|normal|1-12:00:05|'),
    machine: '18 procs: inferred, the log does not say how many: up to 18 are recorded in use at once; give procs if that is wrong', finished: '6 of 6 jobs finished',
    notes: ['procs of the machine: 18, inferred, the log does not say how many: up to 18 are recorded in use at once; give procs if that is wrong', '2 steps of a job: left out (steps)', '11 jobs that never started: left out (neverStarted)', '8 jobs without requested processors: the allocated ones taken (processors)', '1 job of arrays with a limit on the tasks that run at once (--array=0-99%4): only replan keeps to it (arrayThrottles)', '1 job of unknown run time: left out (unknownRuntime)', '2 jobs without estimate: estimated at their run time (missingEstimate)', '1 job longer than estimated: cut at the estimate (overrun)', '1 job with the id of one above, requeued: called <id>#2, <id>#3, ... (repeated)', '9 jobs that are tasks of a waiting array, which has one record for all (waitingTasks)', '1 job made of the parts of a heterogeneous one (<id>+0, <id>+1, ...), which start together; hetjobs: apart makes each part a job (hetJobs)', '1 job with parts in several queues: in that of the first; on nodes of their own partitions if a slurm.conf names these (hetQueues)'],
  },
}

describe('logs of kinds that are about', () => {
  it.each(Object.entries(kinds))('%s', async (_, { text, machine, finished, notes }) => {
    const cwd = directory({ 'log.txt': text })
    const described = await sched(['trace', 'describe', 'log.txt'], { cwd })
    expect([described.code, described.out.split('\n').find((line) => line.startsWith('  machine'))?.trim().replace(/^machine +/, '')]).toEqual([0, machine])
    expect(described.err.split('\n').flatMap((line) => (line.startsWith('note: ') ? [line.slice(6)] : []))).toEqual(notes)
    const run = await sched(['run', '--trace', 'log.txt', '--policy', 'replan'], { cwd })
    expect([run.code, run.out.split('\n').find((line) => line.includes('finished'))?.split(';')[0]]).toEqual([0, finished])
  })

  it.each(Object.entries(kinds))('run alike when they were written as SWF: %s', { tags: 'long' }, async (kind, { text }) => {
    const cwd = directory({ 'log.txt': text })
    const apart = kind.startsWith('sacct') ? ['hetjobs=apart'] : []
    const { code } = await sched(['trace', 'convert', 'log.txt', 'log.swf', ...apart.flatMap((option) => ['--option', option])], { cwd })
    expect(code).toBe(0)
    expect(await easySchedule(cwd, 'log.swf')).toEqual(await easySchedule(cwd, 'log.txt', apart))
  })
})

it('runs the parts of a heterogeneous job of two partitions on the nodes of a slurm.conf, under its preemption and limits', async () => {
  const conf = ['PreemptType=preempt/partition_prio', 'PreemptMode=REQUEUE', 'NodeName=n[1-4] CPUs=4', 'NodeName=g[1-2] CPUs=8', 'PartitionName=cpu Nodes=n[1-4] PriorityTier=2 MaxTime=300', 'PartitionName=gpu Nodes=g[1-2]']
  const record = (id: string, partition: string, minute: number, cpus: number, minutes: number) => `${id}|${partition}|2024-01-01T00:0${minute}:00|2024-01-01T01:00:00|${minutes * 60}|120|COMPLETED|${cpus}`
  const log = ['JobID|Partition|Submit|Start|ElapsedRaw|TimelimitRaw|State|NCPUS', record('1', 'cpu', 0, 8, 60), record('2+0', 'cpu', 1, 1, 60), record('2+1', 'gpu', 1, 16, 30), record('3', 'cpu', 5, 4, 55)]
  const cwd = directory({ 'slurm.conf': swf(...conf), 'log.txt': swf(...log) })
  const { code } = await sched(['run', '--trace', 'log.txt', '--option', 'tasks=each', '--nodes', 'slurm.conf', '--queues', 'slurm.conf', '--quiet', '--out', 'r', '--schedule'], { cwd })
  const file = readdirSync(join(cwd, 'r')).find((name) => name.startsWith('schedule')) ?? ''
  const rows = readFileSync(join(cwd, 'r', file), 'utf8').trim().split('\n').map((line) => line.split(','))
  // nodes come by their names, g1 first: job 1 holds n1 and n2, the first part of job 2 one processor of n3, the second both of g1 and g2: job 3 finds n4
  expect([code, rows.map(([, id, , , start, end, , tasks, nodes]) => [id, start, end, tasks, nodes].join(' ')).slice(1).sort()]).toEqual([0, ['1 0 3600 8 2-3', '2 60 1860 16 0-1', '2 60 3660 1 4', '3 300 3600 4 5']])
})
