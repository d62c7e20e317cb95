import type { Plug } from '@sched/core'
import { conservative, easy, fattened, strict } from '@sched/policies'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gunzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { simulated } from './machine.js'
import { easy as referenceEasy, endsOnly, fattened as referenceFattened, fcfs } from './reference/disciplines.js'
import { schedule, type Pass, type RigidJob } from './reference/machine.js'
import { plainConservative } from './reference/plain-conservative.js'

const logs = [
  { file: 'KTH-SP2-1996-2.swf.gz', procs: 100 },
  { file: 'CTC-SP2-1996-3.1-cln.swf.gz', procs: 338 },
  { file: 'HPC2N-2002-2.2-cln.swf.gz', procs: 240 },
]
const folder = join(process.env['SCHED_TRACES'] ?? fileURLToPath(new URL('../../../../../shared/traces', import.meta.url)), 'swf')
/** `SCHED_WHOLE_LOGS=1` compares whole logs, which takes minutes. */
const most = process.env['SCHED_WHOLE_LOGS'] === undefined ? 2500 : Infinity

/** Jobs of an SWF log, killed at their estimate: processors and seconds as requested, or as used where that is unknown. */
function read(file: string, procs: number): RigidJob[] {
  const rows = gunzipSync(readFileSync(join(folder, file)))
    .toString('latin1')
    .split('\n')
    .filter((line) => /^\s*\d/.test(line))
    .map((line) => line.trim().split(/\s+/).map(Number))
  const jobs = rows.map(([, submit = 0, , runtime = -1, used = -1, , , asked = -1, limit = -1]): RigidJob => {
    const estimate = Math.max(1, limit > 0 ? limit : runtime)
    return { submit, runtime: Math.min(Math.max(0, runtime), estimate), estimate, size: [asked > 0 ? asked : used] }
  })
  return jobs
    .filter(({ size: [size = 0] }) => size > 0 && size <= procs)
    .sort((a, b) => a.submit - b.submit)
    .slice(0, most)
}

const pairs: readonly (readonly [string, () => Plug<'policy'>, () => Pass])[] = [
  ['FCFS', strict, () => fcfs],
  ['EASY', easy, () => referenceEasy(endsOnly)],
  ['fattened', fattened, () => referenceFattened({ delayReference: 'firstShadow', delayingBackfillsPerHead: Infinity, moments: endsOnly })],
  ['conservative', conservative, plainConservative],
]

for (const { file, procs } of logs)
  describe.skipIf(!existsSync(join(folder, file)))(`on ${file}, start by start`, () => {
    const jobs = existsSync(join(folder, file)) ? read(file, procs) : []
    for (const [name, policy, reference] of pairs)
      it(`${name} is what plain code makes of the ${jobs.length} jobs`, { timeout: 3_600_000 }, () => {
        expect(simulated(jobs, [procs], policy(), { validate: false })).toEqual(schedule(jobs, [procs], reference()))
      })
  })
