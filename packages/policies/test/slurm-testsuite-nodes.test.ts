import type { Constraints, JobSpec, Observer } from '@sched/core'
import { fifo, replan, slurmLimits, type SlurmLimitsOptions } from '@sched/policies'
import { simulate } from '@sched/sim'
import { instantCluster, modelOf, run } from '@sched/testkit'
import { describe, expect, it } from 'vitest'
import { queuePasses, workloadOf } from './backfilling/machine.js'

// Tests of Slurm about nodes, named at each, on two nodes of 8 processors.

const hosts = ['n0', 'n1']
const on = (...names: readonly string[]): Constraints => ({ require: { host: names } })

interface Asked {
  readonly tasks?: number
  readonly procs?: number
  readonly constraints?: Constraints
  readonly topology?: JobSpec['topology']
  readonly minutes?: number
}
const jobOf = (id: string, { tasks = 1, procs = 1, constraints, topology, minutes = 1 }: Asked): JobSpec => ({
  id, submit: 0, user: 'ann', account: 'test', queue: 'main', qos: 'own', estimate: 60 * minutes, ...(topology !== undefined && { topology }), ...(tasks > 1 && { minNodes: tasks }),
  stages: [{ name: 's', tasks, gang: true, demand: { procs }, duration: 60 * minutes, ...(constraints !== undefined && { constraints }) }],
})

/** When and where each started, and the limits that held others back. */
function played(jobs: Readonly<Record<string, Asked>>, limits: SlurmLimitsOptions) {
  const names: string[] = []
  const started: Record<string, string> = {}
  const held: Record<string, string> = {}
  const watch: Observer = {
    onSubmit: (job, spec) => void (names[job] = spec.id),
    onTaskStart: (_task, job, _lane, node, _level, now) => void (started[names[job] as string] = `${started[names[job] as string]?.concat(' ') ?? `${now}: `}${hosts[node]}`),
    onDefer: (job, _lane, _reason, _now, limit) => void (limit !== undefined && (held[names[job] as string] ??= limit)),
  }
  simulate({
    cluster: modelOf({ nodes: hosts.map((host) => ({ name: host, count: 1, resources: { procs: 8, nodes: 1 }, labels: { host } })) }),
    workload: workloadOf(Object.entries(jobs).map(([id, asked]) => jobOf(id, asked))),
    policy: slurmLimits(replan(fifo(), { nodes: 'named' }), limits), architecture: queuePasses.plug({}), runtime: { localityFactors: [1], jitter: 0 }, observers: [watch], validate: true, until: 1000,
  })
  return { started, held }
}

describe('limits on nodes that several jobs share (test21.40)', () => {
  it.each<[string, SlurmLimitsOptions, string]>([
    ['the association', { qos: { own: {} }, accounts: { test: { GrpTRES: 'node=1', users: { ann: {} } } } }, 'AssocGrpNodeLimit of account test'],
    ['the QOS of the job', { qos: { own: { GrpTRES: 'node=1' } } }, 'QOSGrpNodeLimit of QOS own'],
    ['the QOS of the partition', { partitions: { main: { QOS: 'part' } }, qos: { own: {}, part: { GrpTRES: 'node=1' } } }, 'QOSGrpNodeLimit of QOS part'],
  ])('of %s keep a job from another node, not one from the same, and one of two nodes altogether', (_, limits, reason) => {
    const { started, held } = played({ first: {}, elsewhere: { constraints: on('n1') }, there: { constraints: on('n0') } }, limits)
    expect({ started, held }).toEqual({ started: { first: '0: n0', there: '0: n0', elsewhere: '60: n1' }, held: { elsewhere: reason } })
    expect(played({ wide: { tasks: 2 } }, limits)).toEqual({ started: {}, held: { wide: reason } })
  })
})

describe('features of nodes (test_145_2)', () => {
  it.each<[string, Constraints, string]>([
    ['f1', { require: { f1: 'true' } }, 'n0'],
    ['f2', { require: { f2: 'true' } }, 'n1'],
    ['f1,f2', { require: { f1: 'true', f2: 'true' } }, 'n2'],
    ['f2,f1', { require: { f2: 'true', f1: 'true' } }, 'n2'],
  ])('%s', (_, constraints, node) => {
    const { launches } = run({
      cluster: instantCluster({ nodes: [{ f1: 'true' }, { f2: 'true' }, { f1: 'true', f2: 'true' }].map((labels, i) => ({ name: `n${i}`, count: 1, resources: { procs: 1, nodes: 1 }, labels })) }),
      jobs: [jobOf('job', { constraints })], policy: replan(fifo(), { nodes: 'named' }),
    }).recorder
    expect(launches.map((each) => each.node)).toEqual([`${node}-0`])
  })
})

describe('--switches with a node below each of two switches (test_143_1)', () => {
  it.each<[string, Asked, number]>([
    ['--switches=2 -N2', { tasks: 2, procs: 8, topology: { racks: 2 } }, 0],
    ['--switches=1 -N1', { tasks: 1, procs: 8, topology: { racks: 1 } }, 0],
    ['--switches=1 -N2, as long as jobs wait for that', { tasks: 2, procs: 8, topology: { racks: 1 } }, 300],
  ])('%s', (_, asked, start) => {
    const { launches } = run({
      cluster: instantCluster({ nodes: [{ count: 2, racks: 2, resources: { procs: 8, nodes: 1 } }] }), jobs: [jobOf('job', asked)],
      policy: replan(fifo(), { nodes: 'named', select: 'cons_tres', topology: 'tree' }),
    }).recorder
    expect([...new Set(launches.map(({ time }) => time))]).toEqual([start])
  })
})
