import type { JobSpec } from '@sched/core'
import { fifo, replan, slurmLimits, type ReplanOptions, type SlurmLimitsOptions } from '@sched/policies'
import { describe, expect, it } from 'vitest'
import { startsOf } from './machine.js'

const MINUTE = 60
/** A job of so many nodes of one processor, for so many minutes. */
const job = (id: string, nodes: number, minutes: number, submit: number): JobSpec => ({
  id, submit, estimate: minutes * MINUTE, stages: [{ name: 'job', tasks: nodes, gang: true, demand: { procs: 1 }, duration: minutes * MINUTE }],
})
/** A heterogeneous job of parts of so many nodes and minutes; `own`: each with a limit of its own. */
const het = (submit: number, own: boolean, ...parts: [nodes: number, minutes: number][]): JobSpec => ({
  id: 'het', submit, gang: true, estimate: Math.max(...parts.map(([, minutes]) => minutes)) * MINUTE,
  stages: parts.map(([tasks, minutes], i) => ({ name: `+${i}`, tasks, gang: true, demand: { procs: 1 }, duration: minutes * MINUTE, ...(own && { estimate: minutes * MINUTE }) })),
})
const starts = (jobs: readonly JobSpec[], nodes: number, options: ReplanOptions) => Object.fromEntries(startsOf(jobs, [1], replan(fifo(), options), { nodes }))

describe('parts of a heterogeneous job', () => {
  it.each<[string, ReplanOptions]>([['counted', {}], ['named', { nodes: 'named' }]])('are expected to end by limits of their own: %s nodes', (_, options) => {
    // 3 nodes: a part of 10 and one of 60 minutes run, a node is idle. `two` may have that and the first part's at 600, so `one` (20 min) must not take it
    const queue = (own: boolean) => [het(0, own, [1, 10], [1, 60]), job('two', 2, 30, 1), job('one', 1, 20, 1)]
    expect(starts(queue(true), 3, options)).toEqual({ het: 0, two: 600, one: 2400 })
    // by the longest limit `two` would have to wait until 3600
    expect(starts(queue(false), 3, options)).toEqual({ het: 0, one: 1, two: 1201 })
  })

  it('reserve their nodes until limits of their own, where nodes are named', () => {
    // 4 nodes, 2 of them until 600 s: het gets 3 at 600, one of them until 1200. `two` may have that one and the fourth then, which `one` (25 min) must leave free
    const queue = (own: boolean) => [job('before', 2, 10, 0), het(1, own, [1, 10], [2, 60]), job('two', 2, 10, 1), job('one', 1, 25, 1)]
    expect(starts(queue(true), 4, { nodes: 'named' })).toEqual({ before: 0, het: 600, two: 1200, one: 1800 })
    expect(starts(queue(false), 4, { nodes: 'named' })).toMatchObject({ before: 0, het: 600, one: 1 })
  })

  it('are held to limits of single jobs by limits of their own, and what they have left counts by them', () => {
    const run = (own: boolean, qos: NonNullable<SlurmLimitsOptions['qos']>['normal']) =>
      Object.fromEntries(startsOf([het(0, own, [4, 10], [1, 60]), job('late', 4, 10, 1)], [1], slurmLimits(replan(), { qos: { normal: qos } }), { nodes: 9 }))
    // 4 x 10 = 40 and 1 x 60 = 60 processor minutes, by the longest limit 240 of the first part
    expect([run(true, { MaxTRESMinsPerJob: 'cpu=60' })['het'], run(false, { MaxTRESMinsPerJob: 'cpu=60' })['het']]).toEqual([0, undefined])
    // at 1 s they have 4 x 599 + 3599 = 5995 left by limits of their own, and 5 x 3599 by the longest: `late` may add 2400 up to 300 x 60 s
    expect([run(true, { GrpTRESRunMins: 'cpu=300' })['late'], (run(false, { GrpTRESRunMins: 'cpu=300' })['late'] ?? 0) > 1]).toEqual([1, true])
  })
})
