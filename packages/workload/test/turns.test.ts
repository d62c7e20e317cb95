import { describe, expect, it } from 'vitest'
import { jobsOf } from '../src/index.js'
import { openTraceFile } from '../src/node/index.js'
import { parseTraceInTurns } from '../src/trace/parse-trace.js'
import { bytesOf, messageAfter } from './reading.js'
import { temporaryFolder, writeFiles } from './temporary.js'

const LINES = 8000 // of some 400 bytes: three pieces of a MiB
const PAD = 350
const numbers = Array.from({ length: LINES }, (_, i) => i + 1)
const line = (id: number) => `${id} ${id} -1 10 4 -1 -1 4 1000 -1 1 1 1 -1 1 -1 -1 -1${' '.repeat(PAD)}`
const time = (seconds: number) => new Date(seconds * 1000).toISOString().slice(0, 19)
const record = (id: number) => [id, time(id), time(id), time(id + 10), 'COMPLETED', 4, 'a'.repeat(PAD)].join('|')

/** A log in several formats: what goes before its jobs, and a job of it. */
const logs: Readonly<Record<string, { readonly head: string; readonly job: (id: number) => string }>> = {
  swf: { head: '; MaxProcs: 64', job: line },
  sacct: { head: 'JobID|Submit|Start|End|State|NCPUS|Account', job: record },
  jsonl: {
    head: '{"format":"sched-workload","version":1}',
    job: (id) => JSON.stringify({ id: String(id), submit: id, stages: [{ name: 'job', tasks: 1, demand: { procs: 4 }, duration: 10 }] }) + ' '.repeat(PAD),
  },
}

describe.each(Object.entries(logs))('a file that is held in memory: %s', (kind, { head, job }) => {
  const folder = temporaryFolder()
  const fileOf = (name: string, lines: readonly string[]) => `${writeFiles(folder, { [name]: [head, ...lines, ''].join('\n') })}/${name}`

  it('gives way to others after every MiB or so', { tags: 'long' }, async () => {
    const content = bytesOf([head, ...numbers.map(job), ''].join('\n'))
    let turns = 0
    const turn = () => Promise.resolve(void turns++)
    await parseTraceInTurns(content, {}, turn)
    expect(turns).toBe(Math.ceil(content.length / 2 ** 20))
    await expect(parseTraceInTurns(content, {}, () => Promise.reject(new Error('enough')))).rejects.toThrow('enough')
  })

  it('is read as a whole, and counts its lines through all pieces', { tags: 'long' }, async () => {
    const trace = await openTraceFile(fileOf(`whole.${kind}`, numbers.map(job)))
    expect([trace.report.lines, trace.report.jobs, [...jobsOf(trace)].map(({ id }) => id)]).toEqual([LINES + 1, LINES, numbers.map(String)])
    const bad = fileOf(`bad.${kind}`, numbers.map((id) => (id === 7900 ? job(id).replace('10', 'ten').replace(/1970/g, '70x') : job(id))))
    expect(await messageAfter(openTraceFile(bad), folder)).toMatch(/line 7901\b/)
  })
})
