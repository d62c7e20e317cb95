import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, expect, it } from 'vitest'
import { lineOfJob } from '../src/node/index.js'

const directory = mkdtempSync(join(tmpdir(), 'sched-lines-'))
afterAll(() => rmSync(directory, { recursive: true }))
const file = (name: string, content: string | Uint8Array) => {
  writeFileSync(join(directory, name), content)
  return join(directory, name)
}
const job = (id: string) => JSON.stringify({ id, submit: 0, stages: [{ name: 'job', tasks: 1, demand: { procs: 1 }, duration: 1 }] })
const native = ['{"format":"sched-workload","version":1}', '', job('a'), job('b'), ''].join('\n')

it('finds the line of a job, in a packed file, too', () => {
  expect(['a', 'b', 'c'].map((id) => lineOfJob(file('jobs.jsonl', native.trimEnd()), {}, id))).toEqual([3, 4, undefined])
  expect(lineOfJob(file('jobs.jsonl.gz', gzipSync(native)), {}, 'b')).toBe(4)
})

it('finds it in a log of a parallel machine', () => {
  const rows = [7, 8].map((id) => `${id} ${id} 0 10 4 -1 -1 4 10 -1 1 1 1 -1 1 -1 -1 -1`)
  expect(lineOfJob(file('log.swf', ['; MaxProcs: 4', ...rows, ''].join('\n')), {}, '8')).toBe(3)
})

it('says nothing of a file that is not there, or not of jobs', () => {
  expect(lineOfJob(join(directory, 'none.jsonl'), {}, 'a')).toBeUndefined()
  expect(lineOfJob(file('other.txt', 'a\nb\n'), {}, 'a')).toBeUndefined()
})
