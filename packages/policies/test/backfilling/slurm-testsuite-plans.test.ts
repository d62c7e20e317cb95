import { dispatcher } from '@sched/cluster'
import type { JobSpec, Observer } from '@sched/core'
import { fifo, replan, slurmPreempting, type ReplanOptions } from '@sched/policies'
import { instantCluster, run } from '@sched/testkit'
import { describe, expect, it } from 'vitest'

// Slurm's own tests of its two schedulers, named at each.

const MINUTE = 60
/** A job that has so many nodes of 4 processors for itself. */
const onNodes = (id: string, nodes: number, minutes: number, of: Partial<JobSpec> = {}): JobSpec =>
  ({ id, submit: 0, estimate: minutes * MINUTE, ...of, stages: [{ name: 's', tasks: nodes, gang: true, demand: { procs: 4, nodes: 1 }, duration: minutes * MINUTE }] })
const cluster = instantCluster({ nodes: [{ count: 32, resources: { procs: 4, nodes: 1 } }] })
const named = (options: ReplanOptions = {}) => replan(fifo(), { nodes: 'named', select: 'cons_tres', bf_licenses: { lic1: 1, lic2: 6 }, ...options })
/** When each starts. */
function starts(jobs: readonly JobSpec[], options: ReplanOptions = {}, observers: readonly Observer[] = []) {
  const { launches } = run({ cluster, jobs, policy: named(options), observers }).recorder
  return new Map(launches.map(({ job, time }) => [job, time]))
}

describe('the backfill of Slurm (testsuite/slurm_unit/backfill/backfill_test.c): 32 nodes, jobs in order of priority', () => {
  it('test_backfill_1: starts a job beside one that waits for all nodes, which it does not keep waiting', () => {
    expect(Object.fromEntries(starts([onNodes('1', 1, 10), onNodes('2', 32, 10), onNodes('3', 31, 5)]))).toEqual({ 1: 0, 2: 600, 3: 0 })
  })

  it('test_backfill_2: starts no job before one of a higher priority that asks for no more nodes', () => {
    const asked = [[6, 10, 10], [27, 15, 9], [28, 14, 8], [29, 13, 7], [30, 12, 6], [5, 10, 5], [5, 10, 5], [30, 11, 1]] as const
    const at = starts(asked.map(([nodes, minutes], i) => onNodes(`${i}`, nodes, minutes)))
    const wrong = asked.flatMap(([nodes, , priority], i) => asked.flatMap(([others, , lower], j) => (priority > lower && nodes <= others && at.get(`${i}`)! > at.get(`${j}`)! ? [`${j} before ${i}`] : [])))
    expect([at.size, wrong]).toEqual([8, []])
  })

  it('test_backfill_3: looks at 500 of 1,000 jobs', () => {
    const passes: unknown[] = []
    starts(Array.from({ length: 1000 }, (_, i) => onNodes(`${i}`, 6, 10)), {}, [{ onPass: ({ waiting, tried, started }, now) => void (now === 0 && passes.push([waiting, tried, started])) }])
    expect(passes).toEqual([[1000, 500, 5]])
  })

  it('test_backfill_lic_1: lets a job without licences pass those that wait for one', () => {
    const lic = (id: string) => onNodes(id, 1, 10, { licenses: { lic1: 1 } })
    expect(Object.fromEntries(starts([lic('1'), lic('2'), lic('3'), onNodes('4', 1, 10)]))).toEqual({ 1: 0, 2: 600, 3: 1200, 4: 0 })
  })

  it('test_backfill_lic_2: plans as many for one time as there are licences then', () => {
    const jobs = Array.from({ length: 12 }, (_, i): JobSpec => ({ id: `${i}`, submit: 0, estimate: 600, licenses: { lic2: 1 }, stages: [{ name: 's', tasks: 1, gang: true, demand: { procs: 1 }, duration: 600 }] }))
    expect([...starts(jobs).values()]).toEqual([...Array<number>(6).fill(0), ...Array<number>(6).fill(600)])
  })
})

const partition = (name: string) => ({ [`partition:${name}`]: 'true' })

describe('a heterogeneous job without plans (bf_interval=-1)', () => {
  const nodes = ['hetpart', 'hetpart', 'otherpart'].map((name, i) => ({ names: [`node${i + 1}`], count: 1, resources: { procs: 1, nodes: 1 }, labels: partition(name) }))
  const stage = (name: string, queue: string) => ({ name, tasks: 1, gang: true, demand: { procs: 1, nodes: 1 }, duration: 300, constraints: { require: partition(queue) } })
  const het: JobSpec = { id: 'het', submit: 0, queue: 'hetpart', estimate: 300, gang: true, stages: [stage('first', 'hetpart'), stage('second', 'hetpart')] }
  const one = (id: string, queue: string): JobSpec => ({ id, submit: 0, queue, estimate: 300, stages: [stage('s', queue)] })

  it.each([
    ['test_hetjob_does_not_block_lower_priority_job_in_other_partition', [one('control', 'otherpart')], ['control on node3']],
    ['test_hetjob_blocks_lower_priority_job_in_same_partition', [one('blocked', 'hetpart'), one('control', 'otherpart')], ['control on node3']],
  ])('%s', (_, others, expected) => {
    const master = dispatcher({ cluster: instantCluster({ nodes }), policy: replan(fifo(), { nodes: 'named', twoPass: true, bf_interval: -1 }), warn: () => undefined })
    for (const job of [het, ...others]) master.submit(job, 0)
    expect(master.pass(0).start.map(({ job, node }) => `${job} on ${node}`)).toEqual(expected)
  })
})

describe('a job that may be on nodes of one of two features', () => {
  it('preempts nobody on those of the first while those of the second are free (test_145_3)', () => {
    const job = (id: string, submit: number, qos: string, constraints: JobSpec['stages'][number]['constraints'] = {}): JobSpec =>
      ({ id, submit, qos, estimate: 120, stages: [{ name: 's', tasks: 1, gang: true, demand: { procs: 1, nodes: 1 }, duration: 120, constraints }] })
    const { ends } = run({
      cluster: instantCluster({ nodes: ['fa', 'fb'].map((feature) => ({ names: [feature], count: 1, resources: { procs: 1, nodes: 1 }, labels: { [feature]: 'true' } })) }),
      jobs: [job('A', 0, 'normal', { require: { fa: 'true' } }), job('B', 5, 'high', { require: { 'fa|fb': 'true' }, alike: ['fa', 'fb'] })],
      policy: slurmPreempting(replan(fifo(), { nodes: 'named', select: 'cons_tres', twoPass: true, bf_interval: 1 }), { qos: { high: { preempt: ['normal'], priority: 1 }, normal: {} }, mode: 'requeue' }),
    }).recorder
    expect(ends.map(({ job: id, started, stopped }) => `${id} ${started} to ${stopped}`)).toEqual(['A 0 to 120', 'B 5 to 125'])
  })
})
