import type { JobSpec } from '@sched/core'
import { dispatcher } from '@sched/cluster'
import { fifo, replan, type ReplanOptions } from '@sched/policies'
import { instantCluster } from '@sched/testkit'
import { describe, expect, it } from 'vitest'

/** Two nodes of each of two racks, of one processor; partitions `main` of all but the last node and `late` of the last two. */
const nodes = [['r1', 'main'], ['r1', 'main'], ['r2', 'main', 'late'], ['r2', 'late']].map(([rack = '', ...partitions], i) => ({
  names: [`n${i}`], count: 1, resources: { procs: 1 }, labels: { [rack]: 'true', ...Object.fromEntries(partitions.map((each) => [`partition:${each}`, 'true'])) },
}))
const MINUTE = 60
const spec = (id: string, tasks: number, minutes: number, constraints: JobSpec['stages'][number]['constraints'] = {}): JobSpec =>
  ({ id, submit: 0, estimate: minutes * MINUTE, stages: [{ name: 's', tasks, gang: true, demand: { procs: 1 }, duration: minutes * MINUTE, constraints }] })
/** Jobs that start in the first pass, with their nodes. */
function firstPass(jobs: readonly JobSpec[], options: ReplanOptions = {}) {
  const master = dispatcher({ cluster: instantCluster({ nodes }), policy: replan(fifo(), { nodes: 'named', ...options }) })
  for (const job of jobs) master.submit(job, 0)
  const on: Record<string, string[]> = {}
  for (const { job, node } of master.pass(0).start) (on[job] ??= []).push(node)
  return on
}
const racks = { require: { 'r1|r2': 'true' }, alike: ['r1', 'r2'] }
const on = (label: string) => ({ require: { [label]: 'true' } })

describe('nodes of a job that are alike', () => {
  it('have the same label: the first with which it can start earliest', () => {
    expect(firstPass([spec('A', 2, 5, racks)])).toEqual({ A: ['n0', 'n1'] })
    // one node of the first rack is taken; without `alike` B would be on nodes of both
    expect(firstPass([spec('A', 1, 5, on('r1')), spec('B', 2, 5, racks)])).toEqual({ A: ['n0'], B: ['n2', 'n3'] })
    expect(firstPass([spec('A', 1, 5, on('r1')), spec('B', 2, 5, { require: racks.require })])).toEqual({ A: ['n0'], B: ['n1', 'n2'] })
  })

  it('are waited for where there are too few of each, with a reservation that keeps others off', () => {
    // the nodes of both racks are taken in part: B is planned where A ends first, from 300 s on
    const jobs = [spec('A', 1, 5, on('r1')), spec('L', 1, 60, on('r2')), spec('B', 2, 5, racks), spec('S', 1, 4, on('r1')), spec('T', 1, 6, on('r1'))]
    expect(firstPass(jobs)).toEqual({ A: ['n0'], L: ['n2'], S: ['n1'] })
    expect(firstPass([jobs[0] as JobSpec, jobs[1] as JobSpec, jobs[2] as JobSpec, jobs[4] as JobSpec])).toEqual({ A: ['n0'], L: ['n2'] })
  })

  it('may be any, which * says', () => {
    expect(firstPass([spec('A', 2, 5, on('r2')), spec('B', 1, 5, { alike: ['partition:late', '*'] })])).toEqual({ A: ['n2', 'n3'], B: ['n0'] })
    expect(firstPass([spec('B', 1, 5, { alike: ['partition:late', '*'] })])).toEqual({ B: ['n2'] })
  })
})

describe('a job that does not fit at an event', () => {
  const of = (partition: string, more = {}) => ({ require: { [`partition:${partition}`]: 'true', ...more } })
  it('keeps those behind it off all nodes of its partition, also those that lack what else it asks for (fail_by_part of Slurm)', () => {
    // W waits for n2, the one of r2 in `main`; n0 and n1 are in that partition, and n3 is not
    const jobs = [spec('W', 1, 5, of('main', { r2: 'true' })), spec('A', 1, 5, of('main')), spec('B', 1, 5, of('late'))]
    const at = (time: number) => {
      const master = dispatcher({ cluster: instantCluster({ nodes }), policy: replan(fifo(), { nodes: 'named', twoPass: true, bf_interval: 1000 }) })
      master.submit(spec('first', 1, 5, on('r2')), 1)
      master.pass(1)
      for (const job of jobs) master.submit({ ...job, submit: 2 }, 2)
      return master.pass(time).start.map(({ job, node }) => `${job} on ${node}`)
    }
    expect(at(2)).toEqual(['B on n3'])
    expect(at(1001)).toEqual(['B on n3', 'A on n0'])
  })
})
