import type { Plug } from '@sched/core'
import { easy, greedy, multifactor, slurmPreempting, strict, type SlurmPreemptingOptions } from '@sched/policies'
import { instantCluster, job, run } from '@sched/testkit'
import { describe, expect, it } from 'vitest'

// Tests of OpenPBS, named at each: `express` is its express queue, whose jobs take the place of those of `work`.

const tiers = { express: 2 }
const queue = multifactor({ tiers })

/** When it is submitted, what it asks, its walltime and, where it ends before, for how long it runs. */
type Row = readonly [submit: number, cpus: number, walltime: number | undefined, runtime?: number]

/** From when to when each runs, piece by piece, on one node. */
const played = (cpus: number, rows: Readonly<Record<string, Row>>, policy: Plug<'policy'>, options: SlurmPreemptingOptions = { mode: 'suspend' }) => {
  const { recorder } = run({
    cluster: instantCluster({ nodes: [{ count: 1, resources: { cpu: cpus } }] }),
    jobs: Object.entries(rows).map(([id, [submit, cpu, walltime, runtime = walltime ?? 60]]) =>
      job({ id, submit, queue: id.split('_')[0] as string, demand: { cpu }, duration: runtime, ...(walltime !== undefined && { estimate: walltime }) }),
    ),
    policy: slurmPreempting(policy, { tiers, ...options }),
  })
  const pieces: Record<string, string[]> = {}
  for (const { job: id, started, stopped } of recorder.ends) (pieces[id] ??= []).push(`${started} to ${stopped}`)
  return Object.fromEntries(Object.entries(pieces).map(([id, of]) => [id, of.join(', ')]))
}

describe.each([['strict', strict(queue)], ['EASY', easy(queue)]])('a suspended job (pbs_sched_preempt_enforce_resumption of OpenPBS), %s', (_, policy) => {
  it('goes on as soon as its place is free, which nobody has who would hold it then (test_filler_job_higher_walltime)', () => {
    expect(played(2, { work_1: [0, 2, 80], express_1: [1, 1, 30], work_2: [2, 1, 90] }, policy)).toEqual({
      work_1: '0 to 1, 31 to 110', express_1: '1 to 31', work_2: '110 to 200',
    })
  })

  it('is not passed by jobs without a walltime either (test_filler_jobs_with_no_walltime)', () => {
    expect(played(4, { work_1: [0, 4, 20], express_1: [1, 2, 8], work_2: [2, 2, undefined], work_3: [3, 2, undefined] }, policy)).toEqual({
      work_1: '0 to 1, 9 to 28', express_1: '1 to 9', work_2: '28 to 88', work_3: '28 to 88',
    })
  })

  it('goes on when the last that took its place has ended, and those behind it start after it (test_filler_job_suspend)', () => {
    // in OpenPBS work_2, which would end before the first of these, runs from 5 to 6 until it is suspended, too; here nobody of the lower tier does
    expect(played(4, { work_1: [0, 4, 30], work_2: [1, 2, 18], express_1: [5, 2, 20], express_2: [6, 2, 5] }, policy)).toEqual({
      work_1: '0 to 5, 25 to 50', work_2: '50 to 68', express_1: '5 to 25', express_2: '6 to 11',
    })
  })
})

describe('preemption (pbs_preemption of OpenPBS)', () => {
  it('takes the place of as many jobs as are needed (test_preempt_multiple_jobs)', () => {
    const small = Object.fromEntries(Array.from({ length: 10 }, (_, i): [string, Row] => [`work_${i}`, [0, 1, 40]]))
    const suspended = Object.fromEntries(Object.keys(small).map((id) => [id, '0 to 5, 45 to 80']))
    expect(played(10, { ...small, express_1: [5, 10, 40] }, strict(queue))).toEqual({ ...suspended, express_1: '5 to 45' })
  })

  it('takes that of the last that has started with preempt_sort=min_time_since_start, of the first without (test_preempt_sort_when_set, ..._unset)', () => {
    const rows: Record<string, Row> = { work_1: [0, 1, 40], work_2: [1, 1, 40], express_1: [5, 1, 10] }
    expect(played(2, rows, strict(queue), { mode: 'suspend', youngestFirst: true })).toEqual({ work_1: '0 to 40', work_2: '1 to 5, 15 to 51', express_1: '5 to 15' })
    expect(played(2, rows, strict(queue), { mode: 'suspend' })).toEqual({ work_1: '0 to 5, 15 to 50', work_2: '1 to 41', express_1: '5 to 15' })
  })

  it.each([
    ['every job has two nodes (test_vnode_resource_contention)', [2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2], 2, 5, 'n4'],
    ['every job has one (test_host_resource_contention)', [2, 3], 1, 2, 'n0'],
  ] as const)('takes the place of those alone that are on the node that a job asks for, where %s', (_, sizes, tasks, count, node) => {
    const on = { constraints: { require: { node } } }
    const { recorder } = run({
      cluster: instantCluster({ nodes: sizes.map((cpu, i) => ({ count: 1, names: [`n${i}`], resources: { cpu }, labels: { node: `n${i}` } })) }),
      jobs: [
        ...Array.from({ length: count }, (_, i) => job({ id: `work_${i}`, queue: 'work', tasks, gang: true, demand: { cpu: 2 }, duration: 100 })),
        ...[1, 2].map((cpu, i) => {
          const wanted = job({ id: `express_${i}`, queue: 'express', submit: 5 + i, demand: { cpu }, duration: 20 })
          return { ...wanted, stages: wanted.stages.map((stage) => ({ ...stage, ...on })) }
        }),
      ],
      policy: slurmPreempting(greedy(queue), { tiers, mode: 'suspend' }),
    })
    const pieces = recorder.ends.map(({ job: id, started, stopped }) => `${id} ${started} to ${stopped}`)
    // the second one that asks for the node has to wait for the first, of its own tier
    expect([...new Set(pieces.filter((piece) => piece.startsWith('express')))]).toEqual(['express_0 5 to 25', 'express_1 25 to 45'])
    expect(new Set(pieces.filter((piece) => piece.startsWith('work') && !/ 0 to 100$/.test(piece))).size).toBe(2)
  })
})
