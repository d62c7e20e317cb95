import { dispatcher, type Placed } from '@sched/cluster'
import { defineOrder, forwarding, type JobSpec, type NodeId, type Plug, type StageSpec } from '@sched/core'
import { capacity, capacityScheduler, conservative, delay, drf, easy, fair, fattened, fifo, greedy, kai, kaiPreempting, kubeScheduler, kueue, las, maxMin, multifactor, pbsPreempting, preempting, replan, score, skipDelay, slurmPreempting, srtf, strict, volcano, yarnFair, yarnPreempting, yunikorn, yunikornPreempting, yunikornReserving, type VolcanoOptions } from '@sched/policies'
import { checkPolicyLaws, instantCluster, run, type World } from '@sched/testkit'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

// A job that is one gang: a launcher and its workers, say, which ask different amounts (Volcano jobs of several tasks, Kueue pod sets, Slurm hetjob).

const nodes = [
  { name: 'plain', count: 2, resources: { cpu: 4, gpu: 0 } },
  { name: 'gpu', count: 2, resources: { cpu: 4, gpu: 2 } },
]
const cluster = instantCluster({ nodes })
const stage = (name: string, tasks: number, demand: StageSpec['demand'], change: Partial<StageSpec> = {}): StageSpec => ({ name, tasks, demand, duration: 10, gang: true, ...change })
const mpi = (change: Partial<JobSpec> = {}, workers: Partial<StageSpec> = {}): JobSpec => ({ id: 'mpi', submit: 1, gang: true, stages: [stage('launcher', 1, { cpu: 1 }), stage('workers', 4, { cpu: 2, gpu: 1 }, workers)], ...change })
const filler = (tasks: number, duration = 10, demand: StageSpec['demand'] = { cpu: 1, gpu: 1 }): JobSpec => ({ id: 'filler', submit: 0, stages: [stage('s', tasks, demand, { gang: false, duration })] })
const play = (jobs: readonly JobSpec[], policy: Plug<'policy'> = greedy(fifo()), options: Partial<Parameters<typeof run>[0]> = {}) => run({ cluster, policy, jobs, ...options }).recorder
const startsOf = (...args: Parameters<typeof play>) => play(...args).launches.filter(({ job }) => job === 'mpi').map(({ time, stage: of, task }) => [time, `${of}.${task}`])

describe('a job that is one gang', () => {
  it('starts with all stages at once, where stages that are gangs of their own start one by one', () => {
    expect(startsOf([filler(1), mpi()])).toEqual([[10, '0.0'], [10, '1.0'], [10, '1.1'], [10, '1.2'], [10, '1.3']])
    const { gang: _, ...alone } = mpi()
    expect(startsOf([filler(1), alone])[0]).toEqual([1, '0.0'])
  })

  it('leaves its place to those behind it while it has no room', () => {
    const later: JobSpec = { ...filler(1, 1, { cpu: 1 }), id: 'later', submit: 2 }
    expect(play([filler(1), mpi(), later]).launches.map(({ job }) => job)).toEqual(['filler', 'later', 'mpi', 'mpi', 'mpi', 'mpi', 'mpi'])
  })

  it('starts so many of each stage as must, and the others as there is room, in the order of the stages, also those that are no gangs', () => {
    const job = mpi({ stages: [...mpi({}, { minTasks: 2 }).stages, stage('helpers', 2, { cpu: 3 }, { gang: false })] })
    // two of four devices are held until 10 s
    expect(startsOf([filler(2), job])).toEqual([[1, '0.0'], [1, '1.0'], [1, '1.1'], [10, '1.2'], [10, '1.3'], [10, '2.0'], [10, '2.1']])
  })

  it('is refused where stages wait for each other, or ask slots of two types, or more than there is together', () => {
    const after = [{ stage: 0, fraction: 1 }]
    expect(() => play([mpi({}, { after })])).toThrow('job mpi has a stage that waits for another, and is one gang.')
    expect(() => play([{ ...mpi(), stages: [stage('a', 1, { cpu: 1 }, { gang: false }), stage('b', 1, { cpu: 1 }, { gang: false })] }])).toThrow('no stage that is a gang, and is one itself')
    expect(() => play([{ ...mpi(), stages: [stage('a', 4, { cpu: 4 }), stage('b', 1, { cpu: 1 })] }])).toThrow('job mpi is one gang and asks 17 cpu at once')
    const slots = instantCluster({ nodes: [{ name: 'n', count: 4, slots: { map: 2, reduce: 2 } }] })
    expect(() => play([{ ...mpi(), stages: [stage('a', 1, { map: 1 }), stage('b', 1, { reduce: 1 })] }], undefined, { cluster: slots })).toThrow('stages ask slots of several types')
  })

  it('waits for ever where its first stages take the places that later ones need, and the run says so', () => {
    const stages = [stage('launcher', 1, { cpu: 1 }), stage('workers', 2, { cpu: 4, gpu: 2 })]
    const gpusFirst = instantCluster({ nodes: [...nodes].reverse() })
    const start = (job: JobSpec) => startsOf([job], undefined, { cluster: gpusFirst }).map(([time]) => time)
    expect(() => start(mpi({ stages }))).toThrow(/job mpi waits although nothing runs: placed task by task in the order of the stages.*hardest to place/)
    expect(start(mpi({ stages: [...stages].reverse() }))).toEqual([1, 1, 1])
  })

  it('goes on from what all its tasks saved', () => {
    const outages = [{ node: 3 as NodeId, from: 8, to: 9, drain: false }]
    expect(play([mpi({ submit: 0 })], undefined, { outages, checkpoint: { interval: 5 } }).finishes()).toEqual({ mpi: 14 })
  })

  it.each<[string, () => Plug<'policy'>]>([
    ['easy over capacity', () => easy(capacity({ queues: { default: { capacity: 100 } } }))],
    ['easy with jobs behind in an order that is', () => easy(fifo(), { backfillOrder: capacity({ queues: { default: { capacity: 100 } } }) })],
    ['capacity-scheduler', () => capacityScheduler()],
    ['yarn-preempting', () => yarnPreempting(greedy(yarnFair()))],
    ['slurm-preempting around such a policy', () => slurmPreempting(capacityScheduler(), { tiers: { a: 2 } })],
  ])('is refused by %s', (_, policy) => {
    expect(() => play([mpi()], policy())).toThrow('job mpi is one gang of several stages, which its policy does not start together.')
  })

  it('is refused by a policy that starts stages one by one, with a way out', () => {
    expect(() => play([mpi()], capacityScheduler())).toThrow(/job mpi is one gang of several stages, which its policy does not start together.*greedy, easy/)
    expect(play([mpi()], capacityScheduler(), { infeasible: 'reject' }).events.map(({ kind }) => kind)).toEqual(['reject'])
  })

  it('stops as a whole where it loses what it cannot do without, and goes on where it can', () => {
    const outage = (node: number) => [{ node: node as NodeId, from: 5, to: 6, drain: false }]
    const again = (node: number, workers: Partial<StageSpec> = {}) => startsOf([mpi({ submit: 0 }, workers)], undefined, { outages: outage(node) }).slice(5)
    expect(again(0).map(([, task]) => task)).toEqual(['0.0', '1.0', '1.1', '1.2', '1.3']) // its launcher
    expect(again(3).map(([time]) => time)).toEqual([6, 6, 6, 6, 6]) // two workers
    expect(again(3, { minTasks: 2 })).toEqual([[6, '1.2'], [6, '1.3']])
    expect(again(0, { minTasks: 2 }).map(([, task]) => task)).toEqual(['0.0', '1.0', '1.1', '1.2', '1.3'])
  })

  it('fails as a whole where one of its tasks fails', () => {
    const { events } = play([mpi({ submit: 0 })], undefined, { failures: { probability: 0.2, maxAttempts: 100 }, seed: 3 })
    const failed = events.flatMap((event) => (event.kind === 'end' && event.how === 'failed' ? [event.time] : []))
    expect(failed.length).toBeGreaterThan(0)
    for (const time of new Set(failed)) expect(failed.filter((each) => each === time)).toHaveLength(5)
  })

  it.each<[string, () => Plug<'order'>, (size: number) => number]>([
    ['fifo', fifo, () => 0],
    ['a key', () => score({ formula: 'lqf' }), (size) => -size],
    ['scores that change', () => score({ formula: 'size + 0 * wait' }), (size) => -size],
  ])('starts when first fit in the order of its stages finds room for all, on random machines, by %s', { tags: 'long' }, (_, order, keyOf) => {
    const step = fc.record({ parts: fc.array(fc.record({ tasks: fc.integer({ min: 1, max: 3 }), cpu: fc.integer({ min: 1, max: 4 }), mem: fc.integer({ min: 0, max: 3 }) }), { minLength: 1, maxLength: 3 }), ends: fc.nat({ max: 4 }) })
    const sizes = fc.array(fc.record({ cpu: fc.integer({ min: 2, max: 6 }), mem: fc.integer({ min: 1, max: 5 }) }), { minLength: 1, maxLength: 4 })
    const counts = { started: 0, waited: 0 }
    fc.assert(
      fc.property(sizes, fc.array(fc.array(step, { minLength: 1, maxLength: 4 }), { minLength: 2, maxLength: 8 }), (machine, plan) => {
        const master = dispatcher({ cluster: instantCluster({ nodes: machine.map((resources, i) => ({ name: `n${i}`, count: 1, resources })) }), policy: greedy(order()) })
        const free = machine.map((each) => ({ ...each }))
        const asked = new Map<string, readonly { readonly tasks: number; readonly cpu: number; readonly mem: number }[]>()
        let waiting: string[] = []
        const running: Placed[] = []
        const nodeOf = (task: Placed) => Number(task.node.split('-')[0]?.slice(1))
        for (const [now, arrivals] of plan.entries()) {
          for (const [i, { parts, ends }] of arrivals.entries()) {
            const id = `${now}-${i}`
            const stages = parts.map(({ tasks, cpu, mem }, k) => stage(`s${k}`, tasks, { cpu, ...(mem > 0 && { mem }) }))
            try {
              master.submit({ id, gang: true, stages }, now)
              asked.set(id, parts)
              waiting.push(id)
            } catch {
              // it could never start
            }
            for (const task of running.splice(0, ends)) {
              master.taskEnded(task, now)
              const { cpu, mem } = asked.get(task.job)![task.stage]!
              free[nodeOf(task)]!.cpu += cpu
              free[nodeOf(task)]!.mem += mem
            }
          }
          const sizeOf = (id: string) => asked.get(id)!.reduce((sum, { tasks, cpu }) => sum + tasks * cpu, 0)
          const inOrder = waiting.toSorted((a, b) => keyOf(sizeOf(a)) - keyOf(sizeOf(b)))
          const expected = inOrder.filter((id) => {
            const before = free.map((each) => ({ ...each }))
            const fits = asked.get(id)!.every(({ tasks, cpu, mem }) => {
              for (let left = tasks; left > 0; left--) {
                const node = free.find((each) => each.cpu >= cpu && each.mem >= mem)
                if (node === undefined) return false
                node.cpu -= cpu
                node.mem -= mem
              }
              return true
            })
            if (!fits) for (const [n, each] of before.entries()) free[n] = each
            counts[fits ? 'started' : 'waited']++
            return fits
          })
          waiting = waiting.filter((id) => !expected.includes(id))
          const { start } = master.pass(now)
          expect([...new Set(start.map(({ job }) => job))]).toEqual(expected)
          expect(start).toHaveLength(expected.flatMap((id) => asked.get(id)!).reduce((sum, { tasks }) => sum + tasks, 0))
          running.push(...start)
        }
      }),
      { seed: 5, numRuns: 200 },
    )
    expect(Math.min(counts.started, counts.waited)).toBeGreaterThan(300)
  })
})

/** The tiers of Volcano itself, where no queue has to wait for ever since it deserves less than a task. */
const unbound: VolcanoOptions['tiers'] = [{ plugins: ['priority', 'gang', 'conformance'] }, { plugins: ['overcommit', 'drf', { name: 'proportion', enabledAllocatable: false, enabledOverused: false }] }]
const resourceOf = (world?: World) => (world?.cluster.nodes[0]?.slots === undefined ? 'cpu' : 'map')

/** Policies that start such jobs, with queues named `a`, `b`, ... of which some are small, borrow or take. */
const policies: Readonly<Record<string, (world?: World) => Plug<'policy'>>> = {
  greedy: () => greedy(fifo()),
  'greedy over fair': () => greedy(fair()),
  delay: () => delay(fifo(), { node: 5 }),
  'skip-delay': () => skipDelay(fifo(), { skips: 2 }),
  preempting: () => preempting(greedy(fair({ pools: { a: { minShare: 2 }, b: { minShare: 2 } } })), { minTimeout: 1, fairTimeout: 2, interval: 1 }),
  'yunikorn-preempting': (world) => {
    const name = resourceOf(world)
    return yunikornPreempting({ root: { queues: { a: { guaranteed: { [name]: 2 } }, b: { guaranteed: { [name]: 1 } } } }, reservations: false })
  },
  'yunikorn-reserving': () => yunikornReserving({ reservationDelay: 1 }),
  'greedy over drf': () => greedy(drf()),
  'greedy over yarn-fair': () => greedy(yarnFair()),
  'greedy over yunikorn': () => greedy(yunikorn()),
  'greedy over multifactor': () => greedy(multifactor()),
  'greedy over kai': () => greedy(kai()),
  'kai-preempting': () => kaiPreempting(),
  'kai-preempting of quotas': (world) => kaiPreempting({ queues: { a: { resources: { [resourceOf(world)]: { quota: 3 } } }, b: { priority: 2 } } }),
  'kube-scheduler, preempting': () => kubeScheduler(),
  'kube-scheduler, nominating': () => kubeScheduler({ terminationGracePeriodSeconds: 4, workloadAwarePreemption: true, backoff: {} }),
  las: () => las({ queues: [11] }),
  srtf: () => srtf(),
  strict: () => strict(),
  easy: () => easy(),
  'easy with three reservations': () => easy(fair(), { reservations: 3 }),
  conservative: () => conservative(),
  fattened: () => fattened(),
  replan: () => replan(),
  'replan with named nodes': () => replan(fifo(), { nodes: 'named' }),
  'easy with named nodes': () => easy(fifo(), { nodes: 'named' }),
  'conservative with named nodes': () => conservative(fifo(), { nodes: 'named' }),
  'replan in two passes': () => replan(fifo(), { twoPass: true, bf_interval: 1 }),
  'preempting around easy': () => preempting(easy(fair({ pools: { a: { minShare: 2 }, b: { minShare: 2 } } })), { minTimeout: 1, fairTimeout: 2, interval: 1 }),
  'pbs-preempting around easy': () => pbsPreempting(easy(), { queues: { a: { Priority: 150 }, b: { Priority: 200 } } }),
  'slurm-preempting around easy': () => slurmPreempting(easy(), { tiers: { a: 2, b: 3 } }),
  'slurm-preempting around replan': () => slurmPreempting(replan(fifo(), { twoPass: true, bf_interval: 1 }), { tiers: { a: 2, b: 3 }, mode: 'requeue', reorderCount: 0 }),
  volcano: () => volcano({ tiers: unbound }),
  'volcano that takes': () => volcano({ actions: ['enqueue', 'allocate', 'preempt', 'reclaim'], tiers: [{ plugins: ['priority', { name: 'gang', enablePreemptable: false, enableReclaimable: false }, 'conformance'] }, { plugins: ['drf', { name: 'capacity' }] }] }),
  'volcano that takes what gangs can do without': () => volcano({ actions: ['enqueue', 'allocate', 'preempt', 'reclaim'], tiers: unbound }),
  kueue: () => kueue(),
  'kueue that preempts': () => kueue({ defaults: { preemption: { withinClusterQueue: 'LowerOrNewerEqualPriority' } } }),
}

/** Why not all jobs end: a machine of one node has none for a second part. */
const stuck: Readonly<Record<string, string>> = { 'replan with named nodes': 'every part has nodes of its own' }
/** Under these a job waits for the node on which another one runs, and what starts later for that of those before it. */
const alone = ['easy with named nodes', 'conservative with named nodes']

describe.each(Object.entries(policies))('%s', (name, policy) => {
  it('starts and stops jobs that are one gang whole in every small world', { tags: 'long' }, () => {
    const { launches, evictions } = checkPolicyLaws(policy, { runs: 60, seed: 4, worlds: { gangJobs: true }, skip: { reservations: 'jobs outlive their estimates', ...(stuck[name] !== undefined && { completion: stuck[name] }) } })
    expect(launches).toBeGreaterThan(200)
    if (/takes|preempting/.test(name)) expect(evictions).toBeGreaterThan(0)
  })

  it.skipIf(name in stuck)('starts a job with all stages at once when there is room for them', () => {
    expect(startsOf([filler(1), mpi()], policy())).toEqual([[10, '0.0'], [10, '1.0'], [10, '1.1'], [10, '1.2'], [10, '1.3']])
    const [first, last] = alone.includes(name) ? [10, 20] : [1, 10]
    expect(startsOf([filler(1), mpi({}, { minTasks: 3 })], policy())).toEqual([[first, '0.0'], [first, '1.0'], [first, '1.1'], [first, '1.2'], [last, '1.3']])
  })
})

describe('a limit of its queue', () => {
  const limited: Readonly<Record<string, (cpu: number) => Plug<'policy'>>> = {
    'max-min': (max) => greedy(maxMin({ by: 'queue', resource: 'cpu', shares: { q: { max } } })),
    'yarn-fair': (cpu) => greedy(yarnFair({ root: { queues: { q: { maxResources: { cpu } } } } })),
    yunikorn: (cpu) => greedy(yunikorn({ root: { queues: { q: { max: { cpu } } } } })),
    kai: (limit) => greedy(kai({ queues: { q: { resources: { cpu: { limit } } } } })),
    volcano: (cpu) => volcano({ queues: { q: { capability: { cpu } } }, tiers: [{ plugins: ['priority', 'gang', 'overcommit', 'drf', 'proportion'] }] }),
    kueue: (cpu) => kueue({ queues: { q: { nominalQuota: { cpu, gpu: 4 } } } }),
  }
  it.each(Object.entries(limited))('counts what all stages ask, under %s', (_, policy) => {
    const jobs = [{ ...filler(1, 10, { cpu: 1 }), queue: 'q' }, mpi({ queue: 'q' })] // 1 + 4 * 2 cpu
    expect(startsOf(jobs, policy(9)).map(([time]) => time)).toEqual([10, 10, 10, 10, 10])
    expect(startsOf(jobs, policy(10)).map(([time]) => time)).toEqual([1, 1, 1, 1, 1])
    expect(play([mpi({ queue: 'q' })], policy(8)).events.map(({ kind }) => kind)).toEqual(['reject'])
  })

  it('refuses such jobs where it is asked of one stage alone, as by capacity', () => {
    const limited = capacity({ queues: { q: { capacity: 100 } } })
    const around = defineOrder({
      name: 'around',
      summary: 'another order as it is',
      inner: { order: 'order' },
      defaults: { order: 'fifo' },
      create(_, env, parts) {
        const order = parts.order.create(env)
        return { ...forwarding(order), begin: (round) => order.begin(round), next: () => order.next() }
      },
    })
    for (const order of [limited, around.plug({ order: limited })])
      expect(() => play([mpi({ queue: 'q' })], greedy(order))).toThrow('which its policy does not start together')
    expect(play([mpi({ queue: 'q' })], greedy(around.plug({ order: fifo() }))).events.map(({ kind }) => kind)).not.toContain('reject')
  })
})

describe('preemption', () => {
  const quota = (cpu: number, gpu: number) => ({ resources: { cpu: { quota: cpu }, gpu: { quota: gpu } } })
  const taking: Readonly<Record<string, () => Plug<'policy'>>> = {
    'slurm-preempting': () => slurmPreempting(easy(), { tiers: { b: 2 } }),
    'pbs-preempting': () => pbsPreempting(easy(), { queues: { b: { Priority: 200 } } }),
    'kai-preempting': () => kaiPreempting({ queues: { a: quota(0, 0), b: quota(16, 4) } }),
    volcano: () => volcano({ queues: { a: { deserved: { cpu: 0, gpu: 0 } }, b: { deserved: { cpu: 16, gpu: 4 } } }, actions: ['enqueue', 'allocate', 'preempt', 'reclaim'], tiers: [{ plugins: ['priority', 'capacity'] }] }),
    kueue: () => kueue({ queues: { a: { cohort: 'c', nominalQuota: { cpu: 0, gpu: 0 } }, b: { cohort: 'c', nominalQuota: { cpu: 16, gpu: 4 }, preemption: { reclaimWithinCohort: 'Any' } } } }),
  }
  const long = (change: Partial<JobSpec>) => mpi({ ...change, stages: mpi().stages.map((each) => ({ ...each, duration: 100 })) })

  it.each(Object.entries(taking))('of a job that is one gang takes all tasks, under %s', (_, policy) => {
    const { events } = play([long({ id: 'loser', queue: 'a', submit: 0 }), { ...filler(1, 10, { gpu: 1 }), id: 'taker', queue: 'b', submit: 5 }], policy(), { until: 50 })
    expect(events.filter((event) => event.kind === 'end' && event.how === 'evicted')).toHaveLength(5)
    expect(events.filter((event) => event.kind === 'launch' && event.job === 'loser' && event.time > 0)).toHaveLength(5)
  })

  it.each(Object.entries(taking))('for a job that is one gang makes room for all tasks or takes nothing, under %s', (_, policy) => {
    const small = (id: string, tasks: number): JobSpec => ({ ...filler(tasks, 100), id, queue: 'a' })
    const starts = (jobs: readonly JobSpec[]) => play([...jobs, long({ queue: 'b', submit: 5 })], policy(), { until: 50 }).launches.filter(({ job }) => job === 'mpi').map(({ time }) => time)
    expect(starts([small('x', 2)]).length).toBe(5)
    expect(new Set(starts([small('x', 2)])).size).toBe(1)
    const own: JobSpec = { ...filler(1, 100), id: 'own', queue: 'b' } // it never goes: a device is missing
    const { events } = play([own, small('x', 2), long({ queue: 'b', submit: 5 })], policy(), { until: 50 })
    expect(events.filter((event) => event.kind === 'end' || (event.kind === 'launch' && event.job === 'mpi'))).toEqual([])
  })
})

describe.each([
  ['volcano', () => volcano({ actions: ['allocate'], tiers: [{ plugins: ['gang'] }] })],
  ['kai-preempting', () => kaiPreempting({ queues: { user: { resources: { cpu: { quota: 8 } } } } })],
] as const)('minima of kinds of tasks under %s (Volcano minTaskMember, KAI subgroups)', (_, policy) => {
  const roles = (masters: number, workers: number) => instantCluster({
    nodes: [
      { name: 'master', count: masters, resources: { cpu: 1 }, labels: { role: 'master' } },
      { name: 'worker', count: workers, resources: { cpu: 1 }, labels: { role: 'worker' } },
    ],
  })
  const of = (role: string, tasks: number, minTasks: number) => stage(role, tasks, { cpu: 1 }, { minTasks, constraints: { require: { role } } })
  const job = (...stages: readonly StageSpec[]): JobSpec => ({ id: 'mpi', submit: 1, gang: true, stages })
  const held = (count: number): JobSpec => ({ ...filler(count, 10, { cpu: 1 }), stages: [stage('s', count, { cpu: 1 }, { gang: false, constraints: { require: { role: 'worker' } } })] })

  it('start so many of each, where the others fit nowhere (TestAllocate, prepredicate failed and tasks are not used up)', () => {
    const two = job(of('master', 2, 1), of('worker', 2, 1))
    expect(startsOf([two], policy(), { cluster: roles(1, 1) })).toEqual([[1, '0.0'], [1, '1.0'], [11, '0.1'], [11, '1.1']])
  })

  it('wait while one kind has too few, though as many as all minima could start of another', () => {
    const wide = job(of('master', 4, 1), of('worker', 3, 2))
    expect(startsOf([held(2), wide], policy(), { cluster: roles(4, 3) }).slice(0, 2)).toEqual([[10, '0.0'], [10, '1.0']])
    expect(startsOf([held(1), wide], policy(), { cluster: roles(4, 3) }).map(([time, task]) => `${time} ${task}`).sort()).toEqual(['1 0.0', '1 0.1', '1 0.2', '1 0.3', '1 1.0', '1 1.1', '10 1.2'])
  })
})
