import { las } from '@sched/policies'
import { instantCluster, job, run, type Recorded } from '@sched/testkit'
import type { JobSpec } from '@sched/core'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

const NODES = 3
const GPUS = 4
/** Who is evicted comes back after a thousandth of a second; a look well after that finds all settled. */
const SETTLED = 0.01
/** Sums of such times are not exact: a job that has had as much but for this has reached the threshold. */
const ROUNDING = 1e-9

const draft = fc.record({ gap: fc.integer({ min: 0, max: 6 }), gpu: fc.constantFrom(1, 1, 2, 3, 4), tasks: fc.integer({ min: 1, max: 3 }), gang: fc.boolean(), duration: fc.integer({ min: 1, max: 30 }) })
const worlds = fc.record({ drafts: fc.array(draft, { minLength: 2, maxLength: 12 }), queues: fc.constantFrom<number[]>([5], [3, 12]) })

interface Run {
  readonly job: string
  readonly node: string
  readonly from: number
  readonly to: number
  readonly isDone: boolean
}

/** Runs of tasks, those that were preempted too. */
function runsOf(events: readonly Recorded[]): Run[] {
  return events.flatMap((event) => (event.kind === 'end' ? [{ job: event.job, node: event.node, from: event.started, to: event.stopped, isDone: event.how === 'done' }] : []))
}

describe('a job of an earlier queue', { tags: 'long' }, () => {
  it('never waits while jobs of later queues hold what it needs', () => {
    let checked = 0
    fc.assert(
      fc.property(worlds, ({ drafts, queues }) => {
        let submit = 0
        const jobs = drafts.map(({ gap, gpu, tasks, gang, duration }, i): JobSpec => job({ id: `job${i}`, submit: (submit += gap), tasks, gang: gang && tasks > 1, demand: { gpu }, duration }))
        const { recorder } = run({
          cluster: instantCluster({ nodes: [{ count: NODES, resources: { gpu: GPUS } }] }), jobs, policy: las({ queues }), checkpoint: { whenPreempted: true },
        })
        const runs = runsOf(recorder.events)
        const times = [...new Set([...runs.flatMap(({ from, to }) => [from, to]), ...jobs.map((each) => each.submit)])].sort((a, b) => a - b)
        for (const [i, from] of times.entries()) {
          const to = times[i + 1] ?? from
          if (to - from < 5 * SETTLED) continue
          for (const at of [from + SETTLED, (from + to) / 2, to - SETTLED]) checked += check(at, jobs, runs, queues)
        }
      }),
      { seed: 3, numRuns: 300 },
    )
    expect(checked).toBeGreaterThan(1000)
  })
})

/** Checks all that wait at a time; returns how many did although others of a later queue ran. */
function check(at: number, jobs: readonly JobSpec[], runs: readonly Run[], queues: readonly number[]): number {
  const running = runs.filter(({ from, to }) => from < at && at < to)
  const queueOf = (id: string) => queues.filter((threshold) => threshold <= timeOf(id, at, runs) + ROUNDING).length
  let checked = 0
  for (const each of jobs) {
    const [stage] = each.stages as [JobSpec['stages'][0]]
    const gpu = stage.demand['gpu'] as number
    const ended = runs.filter((one) => one.job === each.id && one.to <= at && one.isDone).length
    const waiting = stage.tasks - ended - running.filter((one) => one.job === each.id).length
    if (each.submit >= at || waiting <= 0) continue
    const kept = running.filter((one) => queueOf(one.job) <= queueOf(each.id))
    if (kept.length < running.length) checked++
    const room = Array.from({ length: NODES }, (_, node) => GPUS - kept.reduce((sum, one) => sum + (one.node === `node-${node}` ? (jobs.find(({ id }) => id === one.job)?.stages[0]?.demand['gpu'] as number) : 0), 0))
    const couldStart = room.reduce((sum, free) => sum + Math.floor(free / gpu), 0)
    expect(couldStart, `${each.id} of queue ${queueOf(each.id)} waits at ${at}`).toBeLessThan(stage.gang === true ? waiting : 1)
  }
  return checked
}

/** Seconds in which any task of the job ran. */
function timeOf(id: string, at: number, runs: readonly Run[]): number {
  let [seconds, end] = [0, 0]
  for (const { from, to } of runs.filter((each) => each.job === id && each.from < at).sort((a, b) => a.from - b.from)) {
    seconds += Math.max(0, Math.min(to, at) - Math.max(from, end))
    end = Math.max(end, to)
  }
  return seconds
}
