import { randomStream, type Plug } from '@sched/core'
import { conservative, easy, fattened, strict } from '@sched/policies'
import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { it } from 'vitest'
import { simulated } from './machine.js'
import type { RigidJob } from './reference/machine.js'
function typical(seed: number, load: number, over: number, PROCS: number, maxLog: number, count = 800): RigidJob[] {
  const draw = randomStream(seed, 'typical jobs')
  const drawn = Array.from({ length: count }, () => {
    const runtime = Math.round(20 * 900 ** draw())
    return { size: draw() < 0.25 ? 1 : 2 ** Math.round(maxLog * draw()), runtime, estimate: Math.ceil((runtime * (1 + over * draw())) / 60) * 60, gap: -Math.log(1 - draw()) }
  })
  const meanGap = drawn.reduce((sum, { size, runtime }) => sum + size * runtime, 0) / (PROCS * load * count)
  let submit = 0
  return drawn.map(({ size, runtime, estimate, gap }) => ({ submit: Math.round((submit += gap * meanGap)), runtime, estimate, size: [size] }))
}
const mc = (jobs: readonly RigidJob[], procs: number, policy: Plug<'policy'>) => {
  const starts = simulated(jobs, [procs], policy, { validate: false })
  return jobs.reduce((sum, { submit, runtime }, i) => sum + (starts[i] ?? NaN) + runtime - submit, 0) / jobs.length
}
const P = { fat: () => fattened(), fat1: () => fattened(undefined, { delayReference: 'currentShadow', delayingBackfillsPerHead: 1 }), easy: () => easy(), cons: () => conservative(), fcfs: () => strict() }
it('x', () => {
  for (const [load, over, procs, ml] of [[0.5,2,64,6],[0.6,2,64,6],[0.7,2,64,6],[0.8,2,64,6],[0.6,0,64,6],[0.8,0,64,6],[0.7,2,256,6],[0.8,2,256,7],[0.8,9,64,6],[0.8,2,128,6]] as const) {
    const row: Record<string, number> = {}
    for (const [n, p] of Object.entries(P)) { let s = 0; for (let seed = 1; seed <= 12; seed++) s += mc(typical(seed, load, over, procs, ml), procs, p()); row[n] = Math.round(s / 12) }
    console.log(JSON.stringify({ load, over, procs, ml, ...row }))
  }
  for (const [file, procs] of [['KTH-SP2-1996-2.swf.gz',100],['CTC-SP2-1996-3.1-cln.swf.gz',338],['HPC2N-2002-2.2-cln.swf.gz',240]] as const) {
    const rows = gunzipSync(readFileSync('/work/shared/traces/swf/' + file)).toString('latin1').split('\n').filter((l) => /^\s*\d/.test(l)).map((l) => l.trim().split(/\s+/).map(Number))
    const jobs = rows.map(([, submit = 0, , runtime = -1, used = -1, , , asked = -1, limit = -1]): RigidJob => { const estimate = Math.max(1, limit > 0 ? limit : runtime); return { submit, runtime: Math.min(Math.max(0, runtime), estimate), estimate, size: [asked > 0 ? asked : used] } }).filter(({ size: [s = 0] }) => s > 0 && s <= procs).sort((a, b) => a.submit - b.submit).slice(0, 30000)
    const row: Record<string, number> = {}
    for (const [n, p] of Object.entries(P)) row[n] = Math.round(mc(jobs, procs, p()))
    console.log(file, JSON.stringify(row))
  }
}, 600000)
