import type { Plug } from '@sched/core'
import { conservative, easy, fattened, strict } from '@sched/policies'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gunzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { simulated } from './machine.js'
import { conservativeCounted, fcfsOrEasy, scheduleCounted } from './reference/counted.js'
import { easy as referenceEasy, endsOnly, fattened as referenceFattened, fcfs } from './reference/disciplines.js'
import { schedule, type Pass, type RigidJob } from './reference/machine.js'
import { plainConservative } from './reference/plain-conservative.js'

const logs = [
  { file: 'KTH-SP2-1996-2.swf.gz', procs: 100 },
  { file: 'CTC-SP2-1996-3.1-cln.swf.gz', procs: 338 },
  { file: 'HPC2N-2002-2.2-cln.swf.gz', procs: 240 },
]
const folder = join(process.env['SCHED_TRACES'] ?? fileURLToPath(new URL('../../../../../shared/traces', import.meta.url)), 'swf')
const most = 2500
/** `SCHED_WHOLE_LOGS=1` compares whole logs, mostly with a reference of plain numbers, which takes about ten minutes. */
const areWhole = process.env['SCHED_WHOLE_LOGS'] !== undefined

/** Jobs of an SWF log, killed at their estimate: processors and seconds as requested, or as used where that is unknown. */
function read(file: string, procs: number, most: number): RigidJob[] {
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

const plainFattened = () => referenceFattened({ delayReference: 'firstShadow', delayingBackfillsPerHead: Infinity, moments: endsOnly })

const pairs: readonly (readonly [string, () => Plug<'policy'>, () => Pass])[] = [
  ['FCFS', strict, () => fcfs],
  ['EASY', easy, () => referenceEasy(endsOnly)],
  ['fattened', fattened, plainFattened],
  ['conservative', conservative, plainConservative],
]

type Starts = (jobs: readonly RigidJob[], procs: number) => number[]
const counted: Readonly<Record<string, Starts>> = {
  FCFS: (jobs, procs) => scheduleCounted(jobs, fcfsOrEasy(procs, false)),
  EASY: (jobs, procs) => scheduleCounted(jobs, fcfsOrEasy(procs, true)),
  conservative: (jobs, procs) => scheduleCounted(jobs, conservativeCounted(procs)),
}

const whole: readonly (readonly [string, () => Plug<'policy'>, Starts])[] = [
  ['FCFS', strict, counted['FCFS'] as Starts],
  ['EASY', easy, counted['EASY'] as Starts],
  ['fattened', fattened, (jobs, procs) => schedule(jobs, [procs], plainFattened())],
  ['conservative', conservative, counted['conservative'] as Starts],
]

for (const { file, procs } of logs)
  describe.skipIf(!existsSync(join(folder, file)))(`on ${file}, start by start`, () => {
    const jobs = existsSync(join(folder, file)) ? read(file, procs, most) : []
    for (const [name, policy, reference] of pairs)
      it(`${name} is what plain code makes of the first ${jobs.length} jobs`, { timeout: 600_000 }, () => {
        expect(simulated(jobs, [procs], policy(), { validate: false })).toEqual(schedule(jobs, [procs], reference()))
      })
    for (const [name, policy, reference] of whole)
      it.runIf(areWhole)(`${name} is what plain code makes of all jobs`, { timeout: 1_800_000 }, () => {
        const all = read(file, procs, Infinity)
        expect(simulated(all, [procs], policy(), { validate: false })).toEqual(reference(all, procs))
      })
    for (const [name, reference] of Object.entries(counted))
      it(`${name} is the same in both references`, () => {
        const plain = pairs.find(([same]) => same === name)?.[2] as () => Pass
        expect(reference(jobs.slice(0, 1000), procs)).toEqual(schedule(jobs.slice(0, 1000), [procs], plain()))
      })
  })
