import type { JobSpec } from '@sched/core'
import { replan } from '@sched/policies'
import { exactRuntime } from '@sched/testkit'
import { describe, expect, it } from 'vitest'
import { monolithic } from '../src/index.js'
import { cpuJob, cpus, play } from './world.js'

/** Starts in Slurm's two passes, plans 5 s after the last one is over, with decisions of 0.25 s each. */
function starts(jobs: readonly JobSpec[]): string[] {
  const policy = replan(undefined, { twoPass: true, bf_interval: 5, bf_resolution: 1 })
  const architecture = monolithic({ decision: { job: 0.25, task: 0 } })
  return play(architecture, jobs, { cluster: cpus(1, 3), policy, runtime: exactRuntime }).recorder.launchLines()
}

describe("a plan of Slurm's, where every decision takes time", () => {
  const long = { duration: 100, estimate: 100 }
  const short = { duration: 10, estimate: 10 }

  it('starts all that it backfills, one after the other, and not at the events that come first', () => {
    // a leaves 2 of 3 CPUs, b needs them all; the first plan is over at 0.25 s; that at 5.25 s finds c and d, which end before b may start
    const jobs = [cpuJob('a', long), cpuJob('b', { demand: { cpu: 3 }, ...long }), cpuJob('c', { submit: 1, ...short }), cpuJob('d', { submit: 2, ...short })]
    expect(starts(jobs)).toEqual(['0.25 a.0 on node-0', '5.5 c.0 on node-0', '5.75 d.0 on node-0', '100.5 b.0 on node-0'])
  })

  it('starts jobs that are one gang of several stages, which wait for a plan', () => {
    const stage = { tasks: 1, demand: { cpu: 1 }, duration: 10, gang: true }
    const both: JobSpec = { id: 'h', submit: 1, estimate: 10, gang: true, stages: [{ name: 'a', ...stage }, { name: 'b', ...stage }] }
    expect(starts([both])).toEqual(['1.25 h.0 on node-0', '1.25 h.1.0 on node-0']) // nothing was planned before
    expect(starts([cpuJob('a', long), both]).slice(1)).toEqual(['5.5 h.0 on node-0', '5.5 h.1.0 on node-0'])
  })

  it('comes an interval later for those that come when it is over', () => {
    const jobs = [cpuJob('a', long), cpuJob('b', { demand: { cpu: 3 }, ...long }), cpuJob('c', { submit: 1, ...short }), cpuJob('d', { submit: 7, ...short })]
    expect(starts(jobs).slice(1, 3)).toEqual(['5.5 c.0 on node-0', '10.75 d.0 on node-0'])
  })
})

describe("Slurm's look at the first jobs, where every decision takes time", () => {
  it('takes up all that fit, one after the other, and others that come meanwhile after batch_sched_delay', () => {
    const policy = replan(undefined, { twoPass: true, bf_interval: 100, batch_sched_delay: 3 })
    const jobs = ['a', 'b', 'c'].map((id) => cpuJob(id, { submit: 1, duration: 50, estimate: 50 }))
    const { recorder } = play(monolithic({ decision: { job: 0.25, task: 0 } }), [...jobs, cpuJob('d', { submit: 2.5, duration: 50, estimate: 50 })], { cluster: cpus(1, 4), policy, runtime: exactRuntime })
    expect(recorder.launchLines().map((line) => line.split(' on ')[0])).toEqual(['1.25 a.0', '1.5 b.0', '1.75 c.0', '5 d.0'])
  })
})
