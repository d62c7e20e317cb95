import { dispatcher, type JobUpdate } from '@sched/cluster'
import type { Constraints, JobSpec, Plug } from '@sched/core'
import { fifo, multifactor, replan, slurmLimits, slurmPreempting, type ReplanOptions, type SlurmLimitsOptions } from '@sched/policies'
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
    expect([machine({ exclusiveUsers: ['a'] }).come(bob, spec('A', 'a', 1, 1)), machine({ exclusiveUsers: ['a'] }).come(bob, spec('J', 'a,b', 1, 1, 5), { ...spec('C', 'b', 1, 1, 5), user: 'bob' })])
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

describe('a job that asks for more nodes than those of its queue may have (MaxNodes)', () => {
  it('keeps nobody else off them at events (PartitionNodeLimit of Slurm 22.05.8)', () => {
    // W of two nodes could never start in a, whose jobs have one: it was not looked at there, and those behind it started
    const wide: JobSpec = { ...spec('W', 'a', 2, 2), minNodes: 2 }
    const { come } = machine({ maxNodes: { a: 1 }, twoPass: true, bf_interval: -1 }, {}, { nodes: 2 })
    expect(come(spec('A', 'a', 1, 3), wide, spec('K', 'a', 1, 2))).toEqual(['A', 'K'])
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

/** Queues and the one of two nodes with 4 processors that they have; and jobs in them. */
const NODES = { a: 'na', b: 'nb', c: 'nb' } as const
function job(id: string, queues: string, procs: number, minutes = 10, submit = 0): JobSpec {
  const names = queues.split(',')
  const labels = names.map((name) => `partition:${name}`)
  const constraints = { require: { [labels.join('|')]: 'true' }, ...(names.length > 1 && { alike: labels }) }
  return { id, user: 'ann', queue: names[0] as string, submit, estimate: minutes * 60, stages: [{ name: 's', tasks: 1, demand: { procs }, duration: minutes * 60, constraints }] }
}
/** What starts when jobs come or end, each with its node. */
function twoNodes(policy: Plug<'policy'>, queues: Readonly<Record<string, string>> = NODES) {
  const cluster = instantCluster({ nodes: ['na', 'nb'].map((name) => ({ names: [name], count: 1, resources: { procs: 4 },
    labels: Object.fromEntries(Object.entries(queues).filter(([, node]) => node === name).map(([queue]) => [`partition:${queue}`, 'true'])) })) })
  const master = dispatcher({ cluster, policy })
  const running = new Map<string, ReturnType<typeof master.pass>['start'][number]>()
  const pass = (now: number) => {
    const { start } = master.pass(now)
    for (const task of start) running.set(task.job, task)
    return start.map(({ job: id, node }) => `${id} on ${node}`)
  }
  return {
    pass,
    update: (now: number, id: string, changes: JobUpdate) => { master.update(id, changes, now) },
    come: (now: number, ...jobs: readonly JobSpec[]) => {
      for (const each of jobs) master.submit(each, now)
      return pass(now)
    },
    end: (now: number, id: string) => {
      master.taskEnded(running.get(id) as (typeof running extends Map<string, infer T> ? T : never), now)
      return pass(now)
    },
  }
}

describe('a job that may start in several queues has a place in each (Slurm 22.05.8)', () => {
  const named = { nodes: 'named' } as const
  const passes: readonly (readonly [string, ReplanOptions])[] = [['plans', named], ['two passes', { ...named, twoPass: true }], ['passes at events', { ...named, twoPass: true, bf_interval: -1 }]]

  describe.each(passes)('in %s', (_, options) => {
    it('and starts in the one that it names first if all have room', () => {
      expect(twoNodes(replan(fifo(), options)).come(0, job('J', 'b,a', 1), job('K', 'a,b', 1))).toEqual(['J on nb', 'K on na'])
    })

    it('by the tier of each, so that in a lower one those that came before it come first', () => {
      // -p pa,pb with PriorityTier 2 and 1: K of pb started on n2 when B had ended, and J waited in both
      const { come, end } = twoNodes(replan(multifactor({ tiers: { a: 2 } }), options))
      expect(come(0, job('A', 'a', 4, 20), job('B', 'b', 4, 20))).toEqual(['A on na', 'B on nb'])
      expect(come(2, job('K', 'b', 4, 5, 2), job('J', 'a,b', 4, 5, 2))).toEqual([])
      expect(end(60, 'B')).toEqual(['K on nb'])
      expect(end(120, 'A')).toEqual(['J on na'])
    })

    it('by its priority in each', () => {
      // PriorityWeightPartition=1000, PriorityJobFactor 4, 1 and 2: J has 1000 in pa and 250 in pb, K 500 in pc, and started on n2 before it
      const { come, end } = twoNodes(replan(multifactor({ partition: 1000, partitions: { a: 4, c: 2 } }), options))
      expect(come(0, job('A', 'a', 4), job('B', 'b', 4))).toEqual(['A on na', 'B on nb'])
      expect(come(2, job('J', 'a,b', 4, 5, 2), job('K', 'c', 4, 5, 2))).toEqual([])
      expect(end(60, 'B')).toEqual(['K on nb'])
    })

    it('and all its tasks in the one in which the first starts, also if these start one by one', () => {
      // J has two tasks of 3 processors: the second waits for the rest of na, also with all of nb free
      const [stage] = job('J', 'a,b', 3).stages
      const { come, pass, end } = twoNodes(replan(fifo(), options))
      expect(come(0, { ...job('J', 'a,b', 3), stages: [{ ...stage, tasks: 2 } as JobSpec['stages'][number]] }, job('K', 'b', 1))).toEqual(['J on na', 'K on nb'])
      expect([pass(30), end(60, 'J')]).toEqual([[], ['J on na']])
    })

    it('of which the one that cannot start lets no others start in its queue, and each of the others does in its own', () => {
      const { come } = twoNodes(replan(fifo(), options))
      expect(come(0, job('A', 'a', 4), job('B', 'b', 2, 20))).toEqual(['A on na', 'B on nb'])
      expect(come(2, job('J', 'a,b', 4, 10, 2), job('K', 'b', 2, 30, 2))).toEqual([])
    })
  })

  it('and a reservation in each, or in one alone with bf_one_resv_per_job', () => {
    // A on n1 until 600, B on half of n2 until 1200: J of pa,pb waits in both; K of 30 minutes waited behind it in pb, L of 15 started, and K did with bf_one_resv_per_job
    const started = (options: ReplanOptions) => {
      const { come } = twoNodes(replan(fifo(), { ...named, ...options }))
      come(0, job('A', 'a', 4), job('B', 'b', 2, 20))
      return come(2, job('J', 'a,b', 4, 10, 2), job('K', 'b', 2, 30, 2), job('L', 'b', 2, 15, 2))
    }
    expect([started({}), started({ bf_one_resv_per_job: true })]).toEqual([['L on nb'], ['K on nb']])
    expect(() => twoNodes(replan(fifo(), { bf_one_resv_per_job: true }))).toThrow('reservations are of amounts')
  })

  it('and what it has reserved in one is free for others in the plan after it has started in another', () => {
    // J waits for A on na until 600 and starts on nb; K would end after 600, and starts on the other half of na 30 s later
    const { come, pass } = twoNodes(replan(fifo(), named))
    expect(come(0, job('A', 'a', 2))).toEqual(['A on na'])
    expect(come(2, job('J', 'a,b', 4, 10, 2), job('K', 'a', 2, 30, 2))).toEqual(['J on nb'])
    expect(pass(32)).toEqual(['K on na'])
  })

  it('by its limits and its share of passes', () => {
    // J is the one job of a that a plan looks at, and that of b, too
    const { come } = twoNodes(replan(fifo(), { ...named, bf_max_job_part: 1 }))
    expect(come(0, job('A', 'a', 4), job('K', 'c', 2))).toEqual(['A on na', 'K on nb'])
    expect(come(2, job('J', 'a,b', 4, 10, 2), job('L', 'b', 1, 1, 2), job('M', 'c', 1, 1, 2))).toEqual(['M on nb'])
  })

  it('of which one where a limit holds it back keeps others off those nodes, if such jobs do (assoc_limit_stop)', () => {
    // two of the processors of na are left, which A has taken; a may have no more, so J starts in b, and K of d, on the same node as a, waits behind its place in a
    const started = (assocLimitStop: boolean) => {
      const limits = { qos: { two: { GrpTRES: { cpu: 2 } } }, partitions: { a: { QOS: 'two' } }, assocLimitStop }
      const { come } = twoNodes(slurmLimits(replan(fifo(), { ...named, twoPass: true, bf_interval: -1 }), limits), { a: 'na', d: 'na', b: 'nb' })
      return come(0, job('A', 'a', 2), job('J', 'a,b', 1), job('K', 'd', 1))
    }
    expect([started(false), started(true)]).toEqual([['A on na', 'J on nb', 'K on na'], ['A on na', 'J on nb']])
  })

  it('and keeps others back, and may get a reservation, by its priority there (bf_min_prio_reserve)', () => {
    const order = multifactor({ partition: 1000, partitions: { a: 4 } })
    const { come } = twoNodes(replan(order, { ...named, bf_min_prio_reserve: 500 }))
    come(0, job('A', 'a', 2), job('B', 'b', 2))
    expect(come(2, job('J', 'a,b', 4, 10, 2), job('K', 'a', 2, 30, 2), job('L', 'b', 2, 30, 2))).toEqual(['L on nb'])
  })

  it('under priorities that never fall, too (INCR_ONLY)', () => {
    const { come, end } = twoNodes(replan(multifactor({ onlyUp: true, partition: 1000, partitions: { a: 4, c: 2 } }), { ...named, twoPass: true }))
    come(0, job('A', 'a', 4), job('B', 'b', 4))
    come(2, job('J', 'a,b', 4, 5, 2), job('K', 'c', 4, 5, 2))
    expect(end(60, 'B')).toEqual(['K on nb'])
  })
})

describe('a job that may start in several queues preempts, and is preempted,', () => {
  const policy = (options: ReplanOptions = {}) => slurmPreempting(replan(multifactor({ tiers: { a: 2, c: 2 } }), { nodes: 'named', ...options }), { tiers: { a: 2, c: 2 }, mode: 'cancel' })

  it.each<[string, ReplanOptions]>([['plans', {}], ['two passes', { twoPass: true }]])('as a job of the queue in which it starts, in %s (partition_prio of Slurm 22.05.8)', (_, options) => {
    const oneNode = twoNodes(policy(options), { a: 'na', b: 'na' })
    expect(oneNode.come(0, job('V', 'b', 4))).toEqual(['V on na'])
    expect(oneNode.come(2, job('J', 'a,b', 4, 10, 2))).toEqual(['J on na']) // by the tier of a
    expect(oneNode.come(4, job('X', 'a', 4, 10, 4))).toEqual([])

    const each = twoNodes(policy(options))
    expect(each.come(0, job('A', 'a', 4))).toEqual(['A on na'])
    expect(each.come(2, job('J', 'a,b', 4, 10, 2))).toEqual(['J on nb'])
    expect(each.come(4, job('Y', 'c', 4, 10, 4))).toEqual(['Y on nb']) // J runs in b, of the tier 1
  })

  it('in its other queues, too, once those whose place it takes have been told (GraceTime of Slurm 22.05.8)', () => {
    // J of a,b takes the place of V, which runs on for a minute: the next pass starts it in b
    const low = { a: 'na', low: 'na', b: 'nb' }
    const { come, pass } = twoNodes(slurmPreempting(replan(multifactor({ tiers: { a: 2 } }), { nodes: 'named' }), { tiers: { a: 2 }, mode: 'cancel', graceTime: { low: 60 } }), low)
    expect(come(0, job('V', 'low', 4))).toEqual(['V on na'])
    expect(come(2, job('J', 'a,b', 4, 10, 2))).toEqual([])
    expect(pass(32)).toEqual(['J on nb'])
  })

  it('in its other queues, too, then if it was updated meanwhile', () => {
    const low = { a: 'na', low: 'na', b: 'nb' }
    const { come, pass, update } = twoNodes(slurmPreempting(replan(multifactor({ tiers: { a: 2 } }), { nodes: 'named' }), { tiers: { a: 2 }, mode: 'cancel', graceTime: { low: 60 } }), low)
    come(0, job('V', 'low', 4))
    expect(come(2, job('J', 'a,b', 4, 10, 2))).toEqual([])
    update(10, 'J', { priority: 1 })
    expect(pass(32)).toEqual(['J on nb'])
  })

  it('where its tier lets it: it takes nobody\'s place in a lower one', () => {
    // W of c, of tier 2, and V of b, of tier 1: J of a,b takes the place of neither on nb, since it has the tier of b there
    const { come } = twoNodes(policy())
    expect(come(0, job('A', 'a', 4), job('V', 'b', 4))).toEqual(['A on na', 'V on nb'])
    expect(come(2, job('J', 'a,b', 4, 10, 2))).toEqual([])
  })
})
