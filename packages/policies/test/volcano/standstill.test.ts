// @module-tag long
import { WrappedRound, type JobId, type NodeId, type Plug, type Policy, type Round, type TaskId } from '@sched/core'
import { volcano, type VolcanoOptions } from '@sched/policies'
import { digest, instantCluster, job, prepare, worlds, type World } from '@sched/testkit'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { firstNode } from '../first-node.js'

// A queue of which no job can start, preempt or reclaim is passed over until something changes. Where a round has another list of nodes everything counts as changed.

/** Counts how often a job is to be decided about, and claims. */
class Counting extends WrappedRound {
  taken = 0
  claims = 0
  readonly #forgets: boolean

  constructor(forgets: boolean) {
    super()
    this.#forgets = forgets
  }
  of(round: Round): this {
    this.inner = round
    return this
  }
  override get nodes(): readonly NodeId[] {
    return this.#forgets ? [...this.inner.nodes] : this.inner.nodes
  }
  override take(job: JobId): boolean {
    this.taken++
    return super.take(job)
  }
  override claim(task: TaskId, node: NodeId): boolean {
    this.claims++
    return super.claim(task, node)
  }
}

function counting(plug: Plug<'policy'>, round: Counting): Plug<'policy'> {
  const create = (env: Parameters<typeof plug.create>[0]): Policy => {
    const policy = plug.create(env)
    const schedule = policy.schedule.bind(policy)
    policy.schedule = (inner) => schedule(round.of(inner))
    return policy
  }
  return { ...plug, create }
}

function played({ cluster, jobs, seed, runtime }: Pick<World, 'cluster' | 'jobs' | 'seed' | 'runtime'>, options: VolcanoOptions, forgets: boolean) {
  const round = new Counting(forgets)
  const { recorder, simulation } = prepare({ policy: counting(volcano(options, firstNode()), round), cluster, jobs, seed, runtime, infeasible: 'reject' })
  simulation.run(3000)
  return { decisions: digest(recorder), evictions: recorder.evictions.length, taken: round.taken, claims: round.claims, starts: recorder.launches.length }
}

const takers: VolcanoOptions = {
  actions: ['enqueue', 'allocate', 'preempt', 'reclaim'],
  tiers: [{ plugins: ['priority', { name: 'gang', enablePreemptable: false, enableReclaimable: false }, 'conformance'] }, { plugins: ['overcommit', 'drf', 'proportion'] }],
}
/** Whole gangs take, and what jobs have beyond their minimum is taken first. */
const gangs: VolcanoOptions = { actions: ['allocate', 'preempt', 'reclaim'], tiers: [{ plugins: ['priority', 'gang', 'conformance'] }, { plugins: ['drf', 'proportion'] }] }
const reclaimers: VolcanoOptions = { ...takers, actions: ['enqueue', 'reclaim', 'allocate', 'preempt'], tiers: [{ plugins: ['priority', 'gang'] }, { plugins: ['drf', 'capacity'] }] }

describe('queues of which no job can start or take anything', () => {
  it('are passed over, which changes nothing', () => {
    let evictions = 0
    fc.assert(
      fc.property(worlds({ jobs: 9, heartbeats: false, gangs: true }), fc.constantFrom(takers, reclaimers, gangs, { ...gangs, never: [1] }), (world, options) => {
        const known = played(world, options, false)
        evictions += known.evictions
        expect(known.decisions).toBe(played(world, options, true).decisions)
      }),
      { seed: 11, numRuns: 150 },
    )
    expect(evictions).toBeGreaterThan(50)
  })
  it('are passed over at heartbeats, too, also all at once', () => {
    let starts = 0
    fc.assert(
      fc.property(worlds({ jobs: 16, slots: true, heartbeats: true, gangs: true, outages: true }), fc.constantFrom<VolcanoOptions>({}, { ...gangs, actions: ['allocate'] }, { actions: ['enqueue', 'allocate'], tiers: reclaimers.tiers ?? [] }), (world, options) => {
        const known = played(world, options, false)
        starts += known.starts
        expect(known.decisions).toBe(played(world, options, true).decisions)
      }),
      { seed: 12, numRuns: 150 },
    )
    expect(starts).toBeGreaterThan(2000)
  })
  it('are asked much less often where many have all that they deserve', () => {
    const jobs = Array.from({ length: 240 }, (_, i) => job({ id: `j${i}`, queue: `q${(i * 17) % 20}`, priority: i % 3, submit: i, tasks: 1 + (i % 4), duration: 100 + ((i * 31) % 200), demand: { cpu: 1 + (i % 3), mem: 2 } }))
    const world = { cluster: instantCluster({ nodes: [{ count: 20, resources: { cpu: 16, mem: 32 } }] }), jobs, seed: 1, runtime: { jitter: 0 } }
    const weights: VolcanoOptions = { ...takers, actions: ['enqueue', 'allocate', 'preempt'], queues: Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`q${i}`, { weight: 1 + (i % 5) }])) }
    const [known, anew] = [played(world, weights, false), played(world, weights, true)]
    expect(known.decisions).toBe(anew.decisions)
    expect(known.evictions).toBeGreaterThan(100)
    expect(known.taken).toBeLessThan(anew.taken / 2)
  })
  it('are asked much less often where there is no room for their gangs', () => {
    const jobs = Array.from({ length: 80 }, (_, i) =>
      job({ id: `j${i}`, queue: `q${(i * 17) % 10}`, submit: 5 * i, tasks: 2 + (i % 7), gang: true, duration: 100 + ((i * 31) % 200), demand: { cpu: 2 + (i % 3), mem: 2 } }),
    )
    const world = { cluster: instantCluster({ nodes: [{ count: 5, resources: { cpu: 16, mem: 32 } }] }), jobs, seed: 1, runtime: { jitter: 0 } }
    const options: VolcanoOptions = { actions: ['allocate'], tiers: [{ plugins: ['priority', 'gang', 'drf'] }] }
    const [known, anew] = [played(world, options, false), played(world, options, true)]
    expect(known.decisions).toBe(anew.decisions)
    expect(known.taken).toBeLessThan(anew.taken / 2)
  })
  it('claim little in vain for gangs of which the queue may not start all', () => {
    const jobs = Array.from({ length: 120 }, (_, i) =>
      job({ id: `j${i}`, queue: `q${(i * 17) % 40}`, priority: i % 3, submit: 4 * i, tasks: 2 + (i % 7), gang: true, ...(i % 2 === 0 && { minTasks: 2 }), duration: 100 + ((i * 31) % 200), demand: { cpu: 1 + (i % 3), mem: 2 } }),
    )
    const world = { cluster: instantCluster({ nodes: [{ count: 20, resources: { cpu: 16, mem: 32 } }] }), jobs, seed: 1, runtime: { jitter: 0 } }
    const { evictions, claims, starts } = played(world, gangs, false)
    expect(evictions).toBeGreaterThan(100)
    expect(claims).toBeLessThan(4 * starts)
  })
})
