import { dispatcher } from '@sched/cluster'
import type { Constraints, JobSpec } from '@sched/core'
import { fifo, replan, slurmLimits, slurmPreempting, type ReplanOptions, type SlurmLimitsOptions } from '@sched/policies'
import { instantCluster } from '@sched/testkit'
import { describe, expect, it } from 'vitest'

/** A job that may start in several queues, a partition with all nodes each, of which the first is the one that it names. */
const spec = (id: string, queues: string, tasks: number, procs: number, minutes = 10): JobSpec => {
  const names = queues.split(',')
  const constraints = names.length > 1 ? { alike: names.map((name) => `partition:${name}|*`) } : {}
  return { id, user: 'ann', queue: names[0] as string, submit: 0, estimate: minutes * 60, stages: [{ name: 's', tasks, gang: true, demand: { procs }, duration: minutes * 60, constraints }] }
}
/** Nodes of 4 processors on which these jobs come one after another, all at 0 s. What starts at once, and what when some have ended. */
function machine(options: ReplanOptions, limits: SlurmLimitsOptions = {}, { nodes = 1, preempts = false } = {}) {
  const policy = replan(fifo(), { nodes: 'named', ...options })
  const cluster = instantCluster({ nodes: [{ count: nodes, resources: { procs: 4, nodes: 1 } }] })
  const master = dispatcher({ cluster, policy: slurmLimits(preempts ? slurmPreempting(policy, { tiers: { high: 2 } }) : policy, limits) })
  const running = new Map<string, ReturnType<typeof master.pass>['start'][number][]>()
  const pass = (now: number) => {
    const { start } = master.pass(now)
    for (const task of start) running.set(task.job, [...(running.get(task.job) ?? []), task])
    return [...new Set(start.map(({ job }) => job))]
  }
  return {
    come: (...jobs: readonly JobSpec[]) => {
      for (const job of jobs) master.submit(job, 0)
      return pass(0)
    },
    end: (now: number, id: string) => {
      for (const task of running.get(id) ?? []) master.taskEnded(task, now)
      return pass(now)
    },
  }
}

describe('what a queue demands of jobs that may start in several', () => {
  it('are the processors of nodes that jobs which start in it may have (MaxCPUsPerNode)', () => {
    // J starts in b, since A has all that a may have; K of a may have them again when A has ended, also while J runs
    const { come, end } = machine({ maxCpusPerNode: { a: 2 } })
    expect(come(spec('A', 'a', 1, 2), spec('J', 'a,b', 1, 1, 5), spec('K', 'a', 1, 2))).toEqual(['A', 'J'])
    expect(end(60, 'A')).toEqual(['K'])
  })

  it('are the nodes that a job which starts in it may be on (MaxNodes), and who shares them (ExclusiveUser)', () => {
    expect(machine({ maxNodes: { a: 1 } }, {}, { nodes: 2 }).come(spec('A', 'a', 2, 4), spec('J', 'a,b', 2, 4))).toEqual(['J'])
    const bob = { ...spec('B', 'b', 1, 1), user: 'bob' }
    expect([machine({ exclusiveUsers: ['a'] }).come(bob, spec('A', 'a', 1, 1)), machine({ exclusiveUsers: ['a'] }).come(bob, spec('J', 'a,b', 1, 1, 5), { ...bob, id: 'C' })])
      .toEqual([['B'], ['B', 'J', 'C']])
  })

  it('keep it off nodes in the others for which it waits in one of them (pa,pb on one node of Slurm 22.05.8, MaxCPUsPerNode=2 of pa)', () => {
    // J is planned in a for the end of A at 600, and would run in b until then or longer; it starts in a when A has ended
    const { come, end } = machine({ maxCpusPerNode: { a: 2 } })
    expect(come(spec('A', 'a', 1, 2), spec('J', 'a,b', 1, 1, 11))).toEqual(['A'])
    expect(end(60, 'A')).toEqual(['J'])
    const atEvents = { twoPass: true, bf_interval: -1 } as const
    expect(machine({ maxCpusPerNode: { a: 2 }, ...atEvents }).come(spec('A', 'a', 1, 2), spec('J', 'a,b', 1, 1, 5))).toEqual(['A'])
    // it could never be on one node, so it does not wait in a
    expect(machine({ maxNodes: { a: 1 }, ...atEvents }, {}, { nodes: 2 }).come(spec('J', 'a,b', 2, 4))).toEqual(['J'])
  })

  it('are those of the first one where it can start in each', () => {
    expect(machine({ maxCpusPerNode: { a: 2 } }).come(spec('J', 'a,b', 1, 2), spec('A', 'a', 1, 1), spec('B', 'b', 1, 2, 5))).toEqual(['J', 'B'])
  })
})

describe('limits of jobs that may start in several queues', () => {
  const limits = { qos: { few: { GrpTRES: { cpu: 2 } }, some: { GrpTRES: { cpu: 3 } } }, partitions: { a: { QOS: 'few' }, b: { QOS: 'some' } } }

  it('are those of the queue in which each starts', () => {
    const { come, end } = machine({}, limits, { nodes: 2 })
    expect(come(spec('A', 'a', 1, 2), spec('J', 'a,b', 1, 1), spec('K', 'a', 1, 2), spec('B', 'b', 1, 3))).toEqual(['A', 'J'])
    expect(end(60, 'A')).toEqual(['K']) // J counts in b
    expect(end(120, 'J')).toEqual(['B'])
  })

  it('hold it back only if they do in all of them, until one has room', () => {
    const jobs = [spec('A', 'a', 1, 2), spec('B', 'b', 1, 3), spec('J', 'a,b', 1, 1)]
    const first = machine({}, limits, { nodes: 2 })
    expect([first.come(...jobs), first.end(60, 'A')]).toEqual([['A', 'B'], ['J']])
    const second = machine({}, limits, { nodes: 2 })
    expect([second.come(...jobs), second.end(60, 'B')]).toEqual([['A', 'B'], ['J']])
  })

  it('are heeded around preemption, too', () => {
    const { come } = machine({}, limits, { nodes: 2, preempts: true })
    expect(come(spec('A', 'a', 1, 2), spec('J', 'a,b', 1, 1), spec('K', 'a', 1, 1))).toEqual(['A', 'J'])
  })

  it('on numbers of jobs in the system count it where it has started', () => {
    const { come } = machine({}, { qos: { one: { GrpJobs: 1 }, two: { GrpSubmitJobs: 2 } }, partitions: { a: { QOS: 'one' }, b: { QOS: 'two' } } })
    expect(come(spec('A', 'a', 1, 1), spec('J', 'a,b', 1, 1), spec('B', 'b', 1, 1))).toEqual(['A', 'J', 'B'])
    expect(() => come(spec('C', 'b', 1, 1))).toThrow('QOSGrpSubmitJobsLimit')
  })

  it('on nodes are looked at in each', () => {
    const onNodes = { qos: { one: { GrpTRES: { node: 1 } } }, partitions: { a: { QOS: 'one' } } }
    expect(machine({}, onNodes, { nodes: 2 }).come(spec('A', 'a', 1, 4), spec('J', 'a,b', 1, 1), spec('K', 'a', 1, 1))).toEqual(['A', 'J'])
  })

  it('do not let it keep others off the nodes of a queue in which they hold it back, at events', () => {
    // two nodes of 4, one in a and one in b; J has no room in b, and in a it is held back
    const policy = replan(fifo(), { nodes: 'named', twoPass: true, bf_interval: -1 })
    const cluster = instantCluster({ nodes: ['a', 'b'].map((name) => ({ names: [`n${name}`], count: 1, resources: { procs: 4 }, labels: { [`partition:${name}`]: 'true' } })) })
    const master = dispatcher({ cluster, policy: slurmLimits(policy, { qos: { two: { GrpTRES: { cpu: 2 } } }, partitions: { a: { QOS: 'two' } } }) })
    const on = (queue: string) => ({ require: { [`partition:${queue}`]: 'true' } })
    const of = (job: JobSpec, constraints: Constraints): JobSpec => ({ ...job, stages: job.stages.map((stage) => ({ ...stage, constraints })) })
    const jobs = [of(spec('A', 'a', 1, 2), on('a')), of(spec('B', 'b', 1, 3), on('b')), of(spec('J', 'a,b', 1, 2), { require: { 'partition:a|partition:b': 'true' }, alike: ['partition:a', 'partition:b'] }), of(spec('K', 'c', 1, 2), on('a')), of(spec('L', 'b', 1, 1), on('b'))]
    for (const job of jobs) master.submit(job, 0)
    expect([...new Set(master.pass(0).start.map(({ job }) => job))]).toEqual(['A', 'B', 'K'])
  })
})
