import { buildCluster, CellState, Draft, Shapes, Work } from '@sched/cluster'
import type { JobSpec, LaneId, NodeId, Plug, ResourceId, TaskId } from '@sched/core'
import { conservative, easy, fair, fifo, greedy, strict } from '@sched/policies'
import { digest, exactRuntime, worlds, type World } from '@sched/testkit'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { monolithic, partitioned, sharedState, twoLevel } from '../src/index.js'
import { cpuJob, play } from './world.js'

const patient = { abandonAfter: false, abandonUnplacedAfter: false } as const
const quick = { decision: { job: 0.5, task: 0.125 }, ...patient }
const impatient = { decision: { job: 0.5, task: 0.125 }, abandonAfter: 30, abandonUnplacedAfter: 5 } as const
type Common = typeof quick | typeof impatient
const architectures: Readonly<Record<string, (common: Common) => Plug<'architecture'>>> = {
  'monolithic, single path': (common) => monolithic(common),
  'two-level': (common) => twoLevel(common),
  'two-level with fair share offers': (common) => twoLevel({ ...common, fairShareOffers: true }),
  'two-level with refusals, timeouts and hoarding': (common) => twoLevel({ ...common, refuseSeconds: 5, offerTimeout: 20, hoard: 10 }),
  'two-level with offers by node': (common) => twoLevel({ ...common, offers: 'by-node', refuseSeconds: 5, frameworks: { all: { classes: ['*'], count: 2, role: 'a/x' }, high: { role: 'a' } }, roles: { a: { weight: 2 } } }),
  'shared state, fine': (common) => sharedState({ ...common, schedulers: 3 }),
  'shared state, coarse and all or nothing': (common) => sharedState({ ...common, schedulers: 3, conflict: 'coarse', partialGangs: true, commit: 'all-or-nothing' }),
  'shared state with preemption': (common) =>
    sharedState({ ...common, preemption: true, schedulers: { one: { classes: ['*'], count: 2 }, two: { classes: ['high'], precedence: 1 } } }),
  'one partition': (common) => partitioned({ ...common, partitions: 1 }),
}

/** Jobs with a class each: every third one is `high`. */
const classed = ({ jobs }: World): JobSpec[] => jobs.map((job, i) => (i % 3 === 0 ? { ...job, class: 'high' } : job))
const runIn = (world: World, architecture: Plug<'architecture'>, policy = greedy(fifo())) =>
  play(architecture, classed(world), { cluster: world.cluster, seed: world.seed, runtime: world.runtime, policy, infeasible: 'reject' })

/** Who has all nodes alone may promise starts. */
const policiesOf = (name: string) => [() => greedy(fifo()), () => greedy(fair()), ...(/^monolithic|^one/.test(name) ? [() => easy(), () => conservative(fifo(), { nodes: 'named' })] : [() => strict()])]

describe.each(Object.entries(architectures))('%s', (name, architecture) => {
  it('runs every job of any small world to its end, the same in every run, over one order and another', () => {
    fc.assert(
      fc.property(worlds(), fc.constantFrom(...policiesOf(name)), (world, policy) => {
        const { recorder } = runIn(world, architecture(quick), policy())
        const rejected = recorder.events.flatMap((event) => (event.kind === 'reject' ? [event.job] : []))
        expect(Object.keys(recorder.finishes()).sort()).toEqual(world.jobs.map(({ id }) => id).filter((id) => !rejected.includes(id)).sort())
        expect(digest(runIn(world, architecture(quick), policy()).recorder)).toBe(digest(recorder))
      }),
      { seed: 11, numRuns: 35 },
    )
  })

  it('starts the tasks of a gang together, or gives the job up', () => {
    let started = 0
    fc.assert(
      fc.property(worlds({ jobs: 5 }), fc.constantFrom(() => greedy(fifo()), () => greedy(fair())), (world, policy) => {
        const gangs = { ...world, jobs: world.jobs.map((job, i) => (i % 2 === 0 ? { ...job, stages: job.stages.map((stage) => ({ ...stage, gang: true })) } : job)) }
        const { recorder } = runIn(gangs, architecture(impatient), policy())
        const isGiven = new Set(recorder.events.flatMap((event) => (event.kind === 'abandon' || event.kind === 'reject' ? [event.job] : [])))
        for (const { id, stages } of gangs.jobs)
          for (const [index, { tasks, gang }] of stages.entries()) {
            const own = recorder.launches.filter(({ job, stage }) => job === id && stage === index)
            const evicted = recorder.evictions.some(({ job }) => job === id)
            if (gang !== true || evicted || (isGiven.has(id) && own.length === 0)) continue
            expect([own.length, new Set(own.map(({ time }) => time)).size]).toEqual([tasks, 1])
            if (tasks > 1) started++
          }
        expect(Object.keys(recorder.finishes()).length + recorder.events.filter(({ kind }) => kind === 'reject').length).toBe(gangs.jobs.length)
      }),
      { seed: 17, numRuns: 30 },
    )
    expect(started).toBeGreaterThan(10)
  })
})

describe('one scheduler', () => {
  it('never has a conflict, in any mode', () => {
    fc.assert(
      fc.property(worlds(), fc.constantFrom('fine' as const, 'coarse' as const), fc.constantFrom('incremental' as const, 'all-or-nothing' as const), (world, conflict, commit) => {
        const { decided } = runIn(world, sharedState({ ...quick, schedulers: 1, conflict, commit, partialGangs: true }))
        expect(decided.all.filter(({ conflicted }) => conflicted > 0)).toEqual([])
      }),
      { seed: 12, numRuns: 60 },
    )
  })

  it('does what a monolithic one does where decisions take no time, as does one partition', () => {
    const instant = { decision: { job: 0, task: 0 } }
    fc.assert(
      fc.property(worlds(), fc.constantFrom(() => greedy(fifo()), () => greedy(fair()), () => easy()), (world, policy) => {
        const serial = runIn(world, monolithic(instant), policy())
        for (const other of [sharedState({ ...instant, schedulers: 1 }), partitioned({ ...instant, partitions: 1 })]) {
          const { recorder, decided } = runIn(world, other, policy())
          expect([digest(recorder), decided.lines()]).toEqual([digest(serial.recorder), serial.decided.lines()])
        }
      }),
      { seed: 13, numRuns: 60 },
    )
  })

  it('does so with any number of schedulers, where jobs come one by one and there is room for all', () => {
    const jobs = Array.from({ length: 30 }, (_, i) => cpuJob(`j${i}`, { submit: i, tasks: 1 + (i % 3), duration: 2 }))
    const instant = { decision: { job: 0, task: 0 } }
    expect(digest(play(sharedState({ ...instant, schedulers: 4 }), jobs).recorder)).toBe(digest(play(monolithic(instant), jobs).recorder))
  })
})

describe('accepted transactions, one after the other', () => {
  it('give the cell', () => {
    fc.assert(
      fc.property(worlds({ heartbeats: false, slots: false }), fc.constantFrom(3, 9, 20), (world, until) => {
        const { recorder, simulation } = play(sharedState({ ...quick, schedulers: 3 }), world.jobs, { cluster: world.cluster, runtime: exactRuntime, infeasible: 'reject', until })
        const { cell } = simulation
        const free = buildCluster(world.cluster).total.slice()
        const move = (job: string, stage: number, node: string, sign: 1 | -1) => {
          const demand = world.jobs.find(({ id }) => id === job)?.stages[stage]?.demand ?? {}
          for (const [r, name] of cell.resources.entries()) {
            const at = r * cell.nodes + cell.model.nodeNames.indexOf(node)
            free[at] = (free[at] as number) + sign * (demand[name] ?? 0)
          }
        }
        for (const { job, stage, node } of recorder.launches) move(job, stage, node, -1)
        for (const { job, stage, node } of recorder.ends) move(job, stage, node, 1)
        expect(Array.from(free, (_, at) => cell.free((at % cell.nodes) as NodeId, Math.floor(at / cell.nodes) as ResourceId))).toEqual([...free])
      }),
      { seed: 14, numRuns: 60 },
    )
  })
})

describe('on one history', () => {
  const lane = 0 as LaneId
  const model = buildCluster({ nodes: [{ count: 3, resources: { cpu: 4 } }] })
  const nodes = [0, 1, 2] as NodeId[]
  /** Others start and end tasks between the snapshot of a transaction and its commit; which of its claims conflict? */
  const conflicts = (claims: readonly number[], history: readonly { readonly node: number; readonly end: boolean }[], conflict: 'fit' | 'version', atomic: boolean) => {
    const shapes = new Shapes(model)
    const cell = new CellState(model, shapes, { validate: true })
    const work = new Work(model, shapes)
    const sink = { explained: false, start: () => undefined, kill: () => undefined, abandon: () => undefined, reserve: () => undefined, defer: () => undefined, wakeAt: () => undefined }
    const [own, other] = [0, 1].map(() => new Draft(cell, work, sink, work.addListener({}))) as [Draft, Draft]
    const spec = (id: string, tasks: number): JobSpec => cpuJob(id, { tasks })
    const [mine, theirs] = [work.submit(spec('mine', claims.length), 0, 0), work.submit(spec('theirs', 20), 0, 1)]
    work.open(mine)
    work.open(theirs)
    own.begin(0, lane, nodes)
    const claimed = claims.map((node) => own.claim(work.taskFor(mine, lane, node as NodeId, 1) as TaskId, node as NodeId)).filter(Boolean).length
    own.suspend()
    const running: { readonly node: NodeId }[] = []
    for (const { node, end } of history) {
      if (end) {
        const task = running.splice(0, 1)[0]
        if (task !== undefined) cell.give(shapes.intern({ cpu: 1 }), task.node)
        continue
      }
      other.begin(1, lane, nodes)
      if (other.claim(work.taskFor(theirs, lane, node as NodeId, 1) as TaskId, node as NodeId)) running.push({ node: node as NodeId })
      other.commit({ conflict: 'none', atomic: false })
    }
    const commit = own.commit({ conflict, atomic })
    return { accepted: [...commit.accepted], conflicted: [...commit.conflicted].sort(), claimed }
  }
  const histories = fc.tuple(fc.array(fc.nat({ max: 2 }), { minLength: 1, maxLength: 8 }), fc.array(fc.record({ node: fc.nat({ max: 2 }), end: fc.boolean() }), { maxLength: 18 }))

  it('coarse conflicts are a superset of fine ones', () => {
    let more = 0
    fc.assert(
      fc.property(histories, ([claims, history]) => {
        const fine = conflicts(claims, history, 'fit', false).conflicted
        const coarse = conflicts(claims, history, 'version', false).conflicted
        expect(coarse).toEqual(expect.arrayContaining(fine))
        if (coarse.length > fine.length) more++
      }),
      { seed: 15, numRuns: 300 },
    )
    expect(more).toBeGreaterThan(30)
  })

  it('all-or-nothing accepts all that incremental commits do, or nothing', () => {
    fc.assert(
      fc.property(histories, fc.constantFrom('fit' as const, 'version' as const), ([claims, history], conflict) => {
        const incremental = conflicts(claims, history, conflict, false)
        const atomic = conflicts(claims, history, conflict, true)
        expect(atomic.accepted).toEqual(incremental.conflicted.length === 0 ? incremental.accepted : [])
        expect(atomic.accepted.length + atomic.conflicted.length).toBe(atomic.claimed)
      }),
      { seed: 16, numRuns: 300 },
    )
  })
})
