import { randomStream, type Env, type JobId, type LaneId, type NodeId, type ResourceId, type Round, type ShapeId, type TaskId } from '@sched/core'
import { describe, expect, it } from 'vitest'
import { PreemptionRights } from '../src/disciplines/preemption-rights.js'
import { Shadows } from '../src/disciplines/shadows.js'
import { SuspendedJobs } from '../src/disciplines/suspended-jobs.js'
import { TasksByNode } from '../src/disciplines/tasks-by-node.js'
import { WaitingByKind } from '../src/disciplines/waiting-by-kind.js'

type Rules = ConstructorParameters<typeof PreemptionRights>[0]

const lane = 0 as LaneId
const [jobs, tasksOfEach, nodes] = [12, 3, 2]
const all = Array.from({ length: jobs }, (_, job) => job as JobId)
const names = ['high', 'mid', 'low', 'urgent', 'normal']
const tiers = { high: 3, mid: 2, low: 1 }
const modes = { mid: 'requeue', urgent: 'off' } as const
const qos = { urgent: { preempt: ['normal', 'low'], priority: 3, within: false }, normal: { preempt: ['low'], priority: 2, within: true }, low: { preempt: [], priority: 1, within: false } }
const rules = (change: Partial<Rules> = {}): Rules => ({ tiers, mode: 'suspend', modes: {}, byPriority: false, ...change })

/** Two nodes with jobs of three tasks each, some of which run and some of which are suspended, and whose queues, QOS and priorities change. */
function world(seed: number, rules: Rules) {
  const random = randomStream(seed, 'shadows')
  const below = (most: number) => Math.floor(random() * most)
  const drawn = () => ({ queue: below(names.length), qos: names[below(names.length)] as string, priority: below(4), gang: random() < 0.2 })
  const facts = all.map(drawn)
  const amounts = Array.from({ length: jobs * tasksOfEach }, () => [below(4), below(3)])
  const of = (job: JobId) => facts[job] as ReturnType<typeof drawn>
  const free = Array.from({ length: nodes }, () => [4 + below(20), 4 + below(20)])
  const work = {
    queue: (job: JobId) => of(job).queue, queueName: (queue: number) => names[queue], qos: (job: JobId) => of(job).qos, priority: (job: JobId) => of(job).priority,
    isGangJob: (job: JobId) => of(job).gang, jobOf: (task: TaskId) => Math.floor(task / tasksOfEach), shapeOf: (task: TaskId) => task, unplaced: () => 1, comesAgain: () => true,
    shape: (job: JobId) => job * tasksOfEach, demand: (shape: ShapeId, resource: ResourceId) => amounts[shape]?.[resource] ?? 0, constraints: () => undefined,
  }
  const cluster = { nodes, lanes: [{ name: 'all', resources: [0, 1] }], resources: ['cpu', 'node'], free: (node: NodeId, resource: ResourceId) => free[node]?.[resource] ?? 0 }
  const env = { work, cluster } as unknown as Env
  const rights = new PreemptionRights(rules, env, undefined)
  const suspended = new SuspendedJobs(env, {})
  const running = new TasksByNode(env.cluster)
  const waiting = new WaitingByKind(env.cluster, rights)
  const shadows = new Shadows(suspended, running, env.work, rights)
  const placed = new Map<TaskId, NodeId>()
  let serial = 0
  const round = () => ({ lane, serial, work, cluster }) as unknown as Round
  const change = (task: TaskId, node: NodeId, isClaim: boolean) => {
    const job = env.work.jobOf(task)
    if (isClaim) placed.set(task, node)
    else placed.delete(task)
    for (const part of [suspended, running, shadows]) {
      if (isClaim) part.onClaim(job, lane, task, node)
      else part.onRelease(job, lane, task, node, 'evicted')
    }
  }
  const begin = () => {
    serial++
    rights.begin(round(), all)
    shadows.begin()
  }
  const steps = [
    begin,
    () => {
      const job = below(jobs) as JobId // is updated
      facts[job] = drawn()
      rights.onSubmit(job)
      if (random() < 0.7) waiting.onReady(job, lane)
      else waiting.onDrained(job, lane)
      begin()
    },
    () => {
      rights.seek(below(jobs) as JobId, lane, names[below(names.length)] as string)
    },
    () => {
      const job = below(jobs) as JobId
      const there = new Map([...placed].filter(([task]) => env.work.jobOf(task) === job))
      for (const [task, node] of there) change(task, node, false)
      if (there.size > 0) suspended.suspended(job, there, round())
    },
    ...Array.from({ length: 6 }, () => () => {
      const task = below(jobs * tasksOfEach) as TaskId
      const node = placed.get(task)
      change(task, node ?? suspended.in(lane).get(env.work.jobOf(task))?.places.get(task) ?? (below(nodes) as NodeId), node === undefined)
    }),
  ]
  /** Where priorities do not count, by the rules alone. */
  const mayTake = (job: JobId, victim: JobId) => {
    if (rules.byPriority || rules.minExemptPriority !== undefined || rules.qos?.['normal']?.within === true) return rights.mayTake(job, victim)
    const mode = rights.modeOf(victim)
    if (mode === 'off' || (mode === 'suspend' && of(job).gang)) return false
    return rules.qos === undefined ? rights.rankOf(victim) < rights.rankOf(job) : rules.qos[of(job).qos]?.preempt.includes(of(victim).qos) === true
  }
  for (const job of all) {
    rights.onSubmit(job)
    waiting.onReady(job, lane)
  }
  begin()
  return { step: () => steps[below(steps.length)]?.(), mayTake, rights, suspended, running, shadows, waiting, round }
}

/** What a node leaves as its definition has it: job by job and task by task. */
function plainLeaves(job: JobId, node: NodeId, { mayTake, suspended, running, round }: ReturnType<typeof world>): number {
  const { work, cluster } = round()
  const owners = [...suspended.on(node, lane)].filter(([owner]) => owner !== job && !mayTake(job, owner))
  if (owners.length === 0) return Infinity
  const takers = running.on(node, lane).filter((task) => owners.some(([owner]) => mayTake(work.jobOf(task), owner)))
  const shape = work.shape(job, lane)
  const most = (suspended.frees[lane] ?? []).map((resource) => {
    const amountOf = (tasks: readonly TaskId[]) => tasks.reduce((sum, task) => sum + work.demand(work.shapeOf(task), resource), 0)
    const asked = work.demand(shape, resource)
    return asked === 0 ? Infinity : Math.floor((cluster.free(node, resource) + amountOf(takers) - amountOf(owners.flatMap(([, tasks]) => tasks))) / asked)
  })
  return Math.max(0, Math.min(...most))
}

const everyRule: [string, Rules][] = [
  ['tiers', rules({ modes })],
  ['tiers and priorities', rules({ modes, byPriority: true })],
  ['priorities that exempt', rules({ minExemptPriority: 2 })],
  ['QOS', rules({ qos: { ...qos, normal: { ...qos.normal, within: false } } })],
  ['QOS within', rules({ qos, modes })],
]

describe.each(everyRule)('by %s', (_, each) => {
  it('what is kept for suspended jobs is as counted task by task, whatever comes, goes and changes', { tags: 'long' }, () => {
    let kept = 0
    for (let seed = 1; seed <= 30; seed++) {
      const made = world(seed, each)
      for (let i = 0; i < 60; i++) {
        made.step()
        for (let node = 0 as NodeId; node < nodes; node++) {
          const plain = all.map((job) => plainLeaves(job, node, made))
          expect([seed, i, node, all.map((job) => made.shadows.leaves(job, node, made.round()))]).toEqual([seed, i, node, plain])
          kept += plain.filter((most) => most < Infinity).length
        }
      }
    }
    expect(kept).toBeGreaterThan(1000)
  })

  it('jobs of one kind may take, and be taken by, the same ones, and all that wait are in one kind', { tags: 'long' }, () => {
    for (let seed = 1; seed <= 10; seed++) {
      const { step, mayTake, rights, waiting } = world(seed, each)
      const rightsOf = (job: JobId) => all.map((other) => [mayTake(job, other), mayTake(other, job)])
      for (let i = 0; i < 60; i++) {
        step()
        const kinds = [...waiting.kinds(lane)].filter(({ size }) => size > 0)
        expect(kinds.flatMap((alike) => [...alike]).sort((a, b) => a - b)).toEqual([...waiting.in(lane).keys()].sort((a, b) => a - b))
        for (const [first, ...others] of kinds) for (const other of others) expect([seed, i, rightsOf(other)]).toEqual([seed, i, rightsOf(first as JobId)])
        expect([seed, i, all.map((job) => all.map((other) => rights.mayTake(job, other)))]).toEqual([seed, i, all.map((job) => all.map((other) => mayTake(job, other)))])
      }
    }
  })
})

describe('where who runs decides the kinds', () => {
  it('a task whose start or end makes its job another kind is counted as what it is then', () => {
    // jobs 0 to 2 are of a user who may run one: where more run they come to the lowest level, that of job 5; jobs 3 and 4 are between
    const running = new Set<JobId>()
    const versions = new Map<boolean, number>([[false, 1], [true, 2]])
    const isOver = () => [...running].filter((job) => job < 3).length > 1
    const levelOf = (job: JobId) => (job < 3 ? (isOver() ? 0 : 2) : job < 5 ? 1 : 0)
    const rights = {
      get version() {
        return versions.get(isOver()) as number
      },
      kindOf: levelOf,
      mayTake: (job: JobId, victim: JobId) => levelOf(victim) < levelOf(job),
    }
    const work = { unplaced: () => 1, comesAgain: () => true, jobOf: (task: TaskId) => task as number, shapeOf: (task: TaskId) => task as number, shape: (job: JobId) => job as number, demand: () => 1, constraints: () => undefined }
    const cluster = { nodes: 1, lanes: [{ name: 'all', resources: [0] }], resources: ['cpu'], free: () => 2 }
    const env = { work, cluster } as unknown as Env
    const round = { lane, serial: 1, work, cluster } as unknown as Round
    const node = 0 as NodeId
    const suspended = new SuspendedJobs(env, {})
    const onNodes = new TasksByNode(env.cluster)
    const shadows = new Shadows(suspended, onNodes, env.work, rights)
    const [first, second, owner, other, low] = [0, 1, 3, 4, 5] as [JobId, JobId, JobId, JobId, JobId]
    const move = (job: JobId, isClaim: boolean) => {
      if (isClaim) running.add(job)
      else running.delete(job)
      for (const part of [onNodes, shadows])
        if (isClaim) part.onClaim(job, lane, (job as number) as TaskId, node)
        else part.onRelease(job, lane, (job as number) as TaskId, node)
    }
    move(first, true)
    move(low, true)
    suspended.suspended(owner, new Map([[3 as TaskId, node]]), round)
    shadows.begin()
    const leaves = () => shadows.leaves(other, node, round)
    expect(leaves()).toBe(2) // both that are free: the owner has its part once the first has gone, who may take it from him
    move(second, true)
    move(second, false)
    expect(leaves()).toBe(2)
    move(second, true)
    expect(leaves()).toBe(1) // now the first may take nothing from the owner
  })
})
