import { randomStream, type Observer, type Plug } from '@sched/core'
import { conservative, easy, fattened, strict } from '@sched/policies'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { simulated } from './machine.js'
import { fattened as referenceFattened } from './reference/disciplines.js'
import { schedule, type RigidJob } from './reference/machine.js'

const PROCS = 64

/**
 * Jobs of a typical machine: a quarter serial, others mostly powers of two; run times spread evenly over orders of magnitude
 * from 20 s to 5 h; estimates up to three times longer; Poisson arrivals that offer `load`.
 */
function typicalJobs(seed: number, load: number, count = 800): RigidJob[] {
  const draw = randomStream(seed, 'typical jobs')
  const drawn = Array.from({ length: count }, () => {
    const runtime = Math.round(20 * 900 ** draw())
    return { size: draw() < 0.25 ? 1 : Math.min(PROCS, 2 ** Math.round(6 * draw())), runtime, estimate: Math.ceil((runtime * (1 + 2 * draw())) / 60) * 60, gap: -Math.log(1 - draw()) }
  })
  const meanGap = drawn.reduce((sum, { size, runtime }) => sum + size * runtime, 0) / (PROCS * load * count)
  let submit = 0
  return drawn.map(({ size, runtime, estimate, gap }) => ({ submit: Math.round((submit += gap * meanGap)), runtime, estimate, size: [size] }))
}

const meanCompletion = (jobs: readonly RigidJob[], policy: Plug<'policy'>) => {
  const starts = simulated(jobs, [PROCS], policy, { validate: false })
  return jobs.reduce((sum, { submit, runtime }, i) => sum + (starts[i] ?? NaN) + runtime - submit, 0) / jobs.length
}

describe('laws of the survey, section 8', () => {
  it('SV-BF-order: mean completion on typical loads is least for fattened, then EASY, conservative, FCFS', () => {
    const means = { fattened: 0, easy: 0, conservative: 0, fcfs: 0 }
    for (let seed = 1; seed <= 12; seed++) {
      const jobs = typicalJobs(seed, 0.8)
      means.fattened += meanCompletion(jobs, fattened())
      means.easy += meanCompletion(jobs, easy())
      means.conservative += meanCompletion(jobs, conservative())
      means.fcfs += meanCompletion(jobs, strict())
    }
    console.log(means)
  })
})
