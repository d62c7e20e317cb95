import { conservative, easy, fattened } from '@sched/policies'
import type { Plug } from '@sched/core'
import { job, run } from '@sched/testkit'
import { describe, expect, it } from 'vitest'

type Row = readonly [id: string, submit: number, tasks: number, seconds: number, gang: boolean]

/** When each task starts, by job, on one node; all tasks ask 1 processor, estimates are exact. */
function starts(policy: Plug<'policy'>, procs: number, rows: readonly Row[]): Record<string, number[]> {
  const jobs = rows.map(([id, submit, tasks, duration, gang]) => ({ id, submit, estimate: duration, stages: [{ name: 's', tasks, gang, demand: { procs: 1 }, duration }] }))
  const found: Record<string, number[]> = {}
  for (const { job, time } of run({ policy, jobs, cluster: { nodes: [{ count: 1, resources: { procs } }] } }).recorder.launches) (found[job] ??= []).push(time)
  return found
}

describe('a job that starts task by task', () => {
  it('EASY tries those behind it with what all of its tasks leave, and not with what the first one does', () => {
    const rows = [['running', 0, 1, 35, false], ['head', 1, 5, 5, true], ['two', 1, 2, 6, false], ['three', 1, 3, 8, true], ['pair', 1, 2, 2, true]] as const
    expect(starts(easy(), 5, rows)).toMatchObject({ two: [1, 1], pair: [1, 1], three: [7, 7, 7], head: [35, 35, 35, 35, 35] })
  })

  it('conservative keeps the promises to others when some of its tasks start at once', () => {
    const rows = [['three', 0, 3, 20, false], ['wide', 0, 2, 5, true], ['other', 3, 1, 1, true]] as const
    expect(starts(conservative(), 2, rows)).toEqual({ three: [0, 0, 25], wide: [20, 20], other: [25] })
  })

  it('fattened counts the delay of each of its pieces from when that has to wait', () => {
    // the second stage of `two` has to wait from 20 on, until 41; `last` ends at 45 and delays it by 4 < 5, though the first stage had its shadow at 10
    const one = (id: string, submit: number, procs: number, seconds: number) => job({ id, submit, estimate: seconds, duration: seconds, demand: { procs } })
    const stage = (procs: number) => ({ name: `${procs}`, tasks: 1, demand: { procs }, duration: 10 })
    const two = { id: 'two', submit: 1, estimate: 10, stages: [stage(4), { ...stage(6), after: [{ stage: 0, fraction: 1 }] }] }
    const jobs = [one('first', 0, 6, 10), two, one('long', 11, 2, 30), one('last', 20, 2, 25)]
    const startsBy = (awt: number) => run({ policy: fattened(undefined, { awt }), jobs, cluster: { nodes: [{ count: 1, resources: { procs: 6 } }] } }).recorder.launches.map(({ job, time }) => `${time} ${job}`)
    expect(startsBy(5)).toEqual(['0 first', '10 two', '11 long', '20 last', '45 two'])
    expect(startsBy(4)).toEqual(['0 first', '10 two', '11 long', '41 two', '51 last'])
  })
})
