import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gunzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { easySchedule } from './easy-schedule.js'
import { directory, sched } from './sched.js'

const example = (name: string) => readFileSync(fileURLToPath(new URL(`../../../examples/data/${name}`, import.meta.url)), 'utf8')
const lines = (...rows: readonly (string | readonly string[])[]) => `${rows.flat().join('\n')}\n`
/** Three jobs each that do not fit beside each other: submission, start, run time, limit, processors. */
const jobs = [[0, 60, 3600, 7200, 16], [10, 3660, 1800, 3600, 12], [20, 60, 600, 900, 4]] as const
const clock = (seconds: number) => [seconds / 3600, (seconds / 60) % 60, seconds % 60].map((part) => String(Math.floor(part)).padStart(2, '0')).join(':')
const EPOCH = 1_700_000_000

const sources: Readonly<Record<string, { readonly text: string; readonly name?: string; readonly options?: readonly string[]; readonly notes: readonly string[] }>> = {
  'records of Slurm, with memory': {
    text: example('accounting.txt'), options: ['memory=requested'],
    notes: ['the Standard Workload Format has no place for account (9 jobs), array (2 jobs), recorded.status (1 job)', '2 jobs numbered anew: their ids are no whole numbers, or taken by others', 'the same jobs are read from it with --option memory=requested --option mem=589824'],
  },
  'records of PBS': {
    text: lines(jobs.map(([submit, start, ran, limit, procs], i) =>
      `01/31/2024 10:00:00;E;${i + 101}.pbs1;user=u${i} group=math queue=main ctime=${EPOCH + submit} qtime=${EPOCH + submit} etime=${EPOCH + submit} start=${EPOCH + start} exec_host=n1/0*${procs} Resource_List.ncpus=${procs} Resource_List.nodect=1 Resource_List.select=1:ncpus=${procs} Resource_List.walltime=${clock(limit)} session=7 end=${EPOCH + start + ran} Exit_status=0 resources_used.walltime=${clock(ran)} run_count=1`)),
    notes: [],
  },
  'records of LSF': {
    text: lines(jobs.map(([submit, start, ran, limit, procs], i) => [
      `"JOB_FINISH" "10.108" ${EPOCH + start + ran} ${i + 101} 1501 33554434 ${procs} ${EPOCH + submit} 0 0 ${EPOCH + start} "u${i}" "normal" "" "" "" "login1" "/users/u" "" "out" "" "1.1"`,
      `0 1 "${procs}*h1" 64 60.0 "a b" "run" 0.004997 0.006155 3748 0 -1 0 0 436 4 0 928 0 -1 0 0 0 19 2 -1 "" "proj" 0 ${procs} "" "" 0 2048 0 "" "" ""`,
      `"" 0 "" 0 "" -1 "" "" "" "" -1 "" "" 5136 "" 0 "" "" 0 0 ${limit} 4194304 1024 "select[type == any] " "" -1 "" -1 0 "" 0 0 "" ${ran} "/users/u" 0 "" 0.000000 0.00 0.00 0.00 0.00 0 -1 0 0 0`,
    ].join(' '))),
    notes: ['the Standard Workload Format has no place for account (3 jobs)'],
  },
  'records of Grid Engine': {
    text: lines('# Version: 8.1.9', '#', jobs.map(([submit, start, ran, limit, procs], i) =>
      `all.q:n1:math:u${i}:run:${i + 101}:sge:0:${EPOCH + submit}:${EPOCH + start}:${EPOCH + start + ran}:0:0:${ran}:1.5:0.2:1000.0${':0'.repeat(14)}:proj:dep:mpi:${procs}:0:22.5:3.4:0.1:-l h_rt=${limit} -pe mpi 16:0.000000:NONE:104857600.000000:0:0`)),
    notes: ['the Standard Workload Format has no place for account (3 jobs)'],
  },
  'a table': {
    name: 'jobs.csv', text: lines('id,submit,start,duration,estimate,procs,user', jobs.map(([submit, start, ran, limit, procs], i) => `j${i},${submit}.5,${start}.5,${ran},${limit},${procs},u${i}`)),
    options: ['demands={procs: procs}'],
    notes: ['3 jobs numbered anew: their ids are no whole numbers, or taken by others'],
  },
  'the native format, with jobs after others and runs longer than estimated': {
    name: 'jobs.jsonl', text: lines('{"format":"sched-workload","version":1,"machine":{"procs":16,"resources":{"procs":16},"origin":"by hand"}}', jobs.map(([submit, , ran, , procs], i) => JSON.stringify({
      id: String(i + 1), submit, estimate: ran - 1, ...(i === 2 && { after: '2', think: 60 }), stages: [{ name: 'job', tasks: 1, demand: { procs }, duration: ran }],
    }))),
    notes: ['the same jobs are read from it with --option overrun=keep --option dependencies=keep'],
  },
}

describe('sched trace convert to SWF', () => {
  it.each(Object.entries(sources))('writes what runs alike, from %s', async (_, { name = 'log.txt', text, options = [], notes }) => {
    const cwd = directory({ [name]: text })
    const { code, err } = await sched(['trace', 'convert', name, 'log.swf.gz', ...options.flatMap((option) => ['--option', option])], { cwd })
    const told = err.split('\n')
    expect([code, told[0]!, told.slice(1, 1 + notes.length)]).toEqual([0, expect.stringMatching(/^log\.swf\.gz: \d jobs, in the Standard Workload Format$/), notes.map((note) => `note: ${note}`)])
    const toRead = [...err.matchAll(/--option (\S+)/g)].map(([, option]) => option!)
    const again = await easySchedule(cwd, 'log.swf.gz', toRead)
    expect(again).toEqual(await easySchedule(cwd, name, options))
    expect(again.jobs.length).toBeGreaterThan(2)
    expect(gunzipSync(readFileSync(join(cwd, 'log.swf.gz'))).toString()).toContain(notes.map((note) => `; Note: ${note}\n`).join(''))
  })

  it('keeps names in the header, and the notes of the reader', async () => {
    const cwd = directory({ 'log.txt': example('accounting.txt') })
    expect((await sched(['trace', 'convert', 'log.txt', 'log.swf'], { cwd })).code).toBe(0)
    const header = readFileSync(join(cwd, 'log.swf'), 'utf8').split('\n').filter((line) => line.startsWith(';'))
    expect(header).toEqual(expect.arrayContaining(['; MaxJobs: 9', '; UnixStartTime: 1709539200', '; User: 1 ann', '; User: 2 bob', '; MaxQueues: 3', '; Queue: 1 main', '; Queue: 2 gpu', '; Partition: 1 main']))
    expect(header.filter((line) => line.startsWith('; Note: '))).toEqual([
      expect.stringMatching(/^; Note: written by sched \S+: from a trace in the format sacct$/), expect.stringMatching(/^; Note: procs of the machine: \d+, inferred/), '; Note: 1 step of a job: left out (steps)',
      expect.stringMatching(/has no place for account \(9 jobs\)/), '; Note: 2 jobs numbered anew: their ids are no whole numbers, or taken by others',
    ])
  })

  it('writes generated jobs, too', async () => {
    const cwd = directory()
    expect(await sched(['trace', 'generate', 'lublin', 'jobs.swf', '--jobs', '100', '--seed', '4'], { cwd })).toMatchObject({ code: 0, err: 'jobs.swf: 100 jobs, in the Standard Workload Format\n' })
    await sched(['trace', 'generate', 'lublin', 'jobs.jsonl', '--jobs', '100', '--seed', '4'], { cwd })
    expect(await easySchedule(cwd, 'jobs.swf')).toEqual(await easySchedule(cwd, 'jobs.jsonl'))
  })

  it('is refused for jobs that are not rigid, and leaves no file; an existing one stays', async () => {
    const cwd = directory({ 'jobs.tsv': 'job0\t0\t0\t200000000\t0\t100\n', 'a.swf': '; MaxProcs: 4\n1 0 -1 5 4 -1 -1 4 9 -1 1 1 1 1 1 1 -1 -1\n', 'b.swf': '' })
    const refused = await sched(['trace', 'convert', 'jobs.tsv', 'jobs.swf'], { cwd })
    expect([refused.code, refused.err.split('\n').length, refused.err]).toEqual([2, 2, expect.stringMatching(/^error: job "job0": is more than one task, and no gang\. .*native one \(JSON Lines\)/)])
    expect((await sched(['trace', 'convert', 'a.swf', 'b.swf'], { cwd })).err).toContain('exists already.')
    expect([readdirSync(cwd).sort(), readFileSync(join(cwd, 'b.swf'), 'utf8')]).toEqual([['a.swf', 'b.swf', 'jobs.tsv'], ''])
  })
})

const kth = join(process.env['SCHED_TRACES'] ?? '', 'swf/KTH-SP2-1996-2.swf.gz')
it.skipIf(process.env['SCHED_TRACES'] === undefined || !existsSync(kth))('runs alike when it was written as SWF: KTH-SP2-1996-2 (needs SCHED_TRACES)', { timeout: 120_000, tags: 'long' }, async () => {
  const cwd = directory()
  expect((await sched(['trace', 'convert', kth, 'kth.swf'], { cwd })).code).toBe(0)
  const again = await easySchedule(cwd, 'kth.swf')
  expect(again).toEqual(await easySchedule(cwd, kth))
  expect([again.jobs.length, again.recorded.length > 0]).toEqual([28_489, true])
})
