// @module-tag long
import { dispatcher } from '@sched/cluster'
import type { JobSpec, Topology } from '@sched/core'
import { kueue, type KueueOptions } from '@sched/policies'
import { job } from '@sched/testkit'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { topologyAware, topologyTree } from '../src/index.js'

// Laws of preemption for nodes, on small worlds of racks, whatever comes and ends.

const RACKS = [[2, 1], [1, 2, 2], [3], [1, 1]]
const NODES = RACKS.flatMap((procs, rack) => procs.map((each, i) => ({ names: [`${rack}-${i}`], count: 1, racks: [`r${rack}`], resources: { procs: each } })))
const sizeOf = new Map(NODES.map(({ names: [name], resources }) => [name, resources.procs]))
const ALL = [...sizeOf.values()].reduce((sum, procs) => sum + procs, 0)
/** The group of a node of a level: itself, its rack, or all nodes. */
const groupOf = (node: string, level: number) => (level === 0 ? node : level === 1 ? (node.split('-')[0] as string) : '')

/** A gang of at most as many tasks of one proc as some group of the level holds. */
const asked = fc.constantFrom<readonly [most: number, topology: Topology | undefined]>([3, { required: 0 }], [5, { required: 1 }], [8, { preferred: 0 }], [4, undefined])
const plan = fc.record({ asked, tasks: fc.integer({ min: 1, max: 8 }), length: fc.integer({ min: 3, max: 14 }), gap: fc.integer({ min: 0, max: 2 }), priority: fc.integer({ min: 0, max: 2 }), queue: fc.nat({ max: 2 }), isGang: fc.constantFrom(true, true, true, false) })
type Plan = typeof plan extends fc.Arbitrary<infer T> ? T : never
const tasksOf = ({ asked: [most], tasks }: Plan) => Math.min(most, tasks)

interface Started { readonly id: number; readonly node: string; readonly end: number }

/** Runs the plans to their end, and asks the policy anew until nothing happens; `atRest` is told what runs and what waits. */
function run(plans: readonly Plan[], options: KueueOptions, placement: ReturnType<typeof topologyAware>, atRest: (running: ReadonlyMap<string, readonly Started[]>, waiting: readonly Plan[]) => void): Set<string> {
  const master = dispatcher({ cluster: { nodes: NODES }, policy: kueue(options, placement) })
  const running = new Map<string, Started[]>()
  const left = new Map<string, number>()
  const preempted = new Set<string>()
  let submit = 0
  const submits = plans.map(({ gap }) => (submit += gap))
  const spec = (each: Plan, i: number): JobSpec => {
    const [, topology] = each.asked
    return job({ id: `j${i}`, queue: `q${each.queue}`, priority: each.priority, tasks: tasksOf(each), gang: each.isGang, demand: { procs: 1 }, ...(topology !== undefined && { topology }) })
  }
  const last = submit + 200 * plans.length
  for (let now = 0; now <= last; now++) {
    for (const [id, tasks] of running)
      for (const each of tasks.filter(({ end }) => end <= now)) {
        master.taskEnded(each, now)
        tasks.splice(tasks.indexOf(each), 1)
        left.set(id, (left.get(id) as number) - 1)
      }
    for (const [i, each] of plans.entries()) if (submits[i] === now) {
      left.set(`j${i}`, tasksOf(each))
      master.submit(spec(each, i), now)
    }
    for (let count = 0, at = now; at < now + 1; count++) {
      const { start, kill } = master.pass(at)
      for (const each of kill) {
        const tasks = running.get(each.job) as Started[]
        tasks.splice(tasks.findIndex(({ id }) => id === each.id), 1)
        preempted.add(each.job)
      }
      for (const { id, job: name, node } of start) running.set(name, [...(running.get(name) ?? []), { id, node, end: now + (plans[Number(name.slice(1))]?.length as number) }])
      at = start.length + kill.length > 0 ? at : master.nextWake > at ? master.nextWake : Infinity
      if (count > 40) throw new Error(`does not come to rest at ${now}`)
    }
    atRest(running, plans.filter((_, i) => (submits[i] as number) <= now && (left.get(`j${i}`) as number) > (running.get(`j${i}`)?.length ?? 0)))
    if (now > submit && [...left.values()].every((tasks) => tasks === 0)) return preempted
  }
  throw new Error('some never end')
}

const inGroups = (running: ReadonlyMap<string, readonly Started[]>, plans: readonly Plan[]) => {
  const used = new Map<string, number>()
  for (const [id, tasks] of running) {
    const { asked: [, topology] } = plans[Number(id.slice(1))] as Plan
    for (const { node } of tasks) used.set(node, (used.get(node) ?? 0) + 1)
    if (topology?.required !== undefined) expect(new Set(tasks.map(({ node }) => groupOf(node, topology.required as number))).size).toBeLessThanOrEqual(1)
  }
  for (const [node, procs] of used) expect(procs).toBeLessThanOrEqual(sizeOf.get(node) as number)
}

describe('preemption for nodes', () => {
  const placements = { 'topology-aware': topologyAware(), 'topology-tree': topologyTree() }

  it.each(Object.entries(placements))('leaves nobody waiting for nodes of a group that lower priorities have: %s', (_, placement) => {
    let count = 0
    fc.assert(fc.property(fc.array(plan.filter(({ isGang, asked: [, topology] }) => isGang && topology?.required !== undefined), { minLength: 6, maxLength: 18 }), (plans) => {
      const queue = { nominalQuota: { procs: 1000 }, preemption: { withinClusterQueue: 'LowerPriority' } } as const
      count += run(plans, { queues: { q0: queue, q1: queue, q2: queue } }, placement, (running, waiting) => {
        inGroups(running, plans)
        for (const each of waiting) {
          const level = each.asked[1]?.required as number
          const free = new Map<string, number>()
          for (const [node, procs] of sizeOf) free.set(groupOf(node as string, level), (free.get(groupOf(node as string, level)) ?? 0) + procs)
          for (const [id, tasks] of running) {
            const other = plans[Number(id.slice(1))] as Plan
            if (other.queue !== each.queue || other.priority >= each.priority) for (const { node } of tasks) free.set(groupOf(node, level), (free.get(groupOf(node, level)) as number) - 1)
          }
          expect(Math.max(...free.values())).toBeLessThan(tasksOf(each))
        }
      }).size
    }), { seed: 5, numRuns: 70 })
    expect(count).toBeGreaterThan(30)
  })

  const rules = fc.record({
    withinClusterQueue: fc.constantFrom('Never' as const, 'LowerPriority' as const, 'LowerOrNewerEqualPriority' as const),
    reclaimWithinCohort: fc.constantFrom('LowerPriority' as const, 'Any' as const),
    borrowWithinCohort: fc.record({ policy: fc.constantFrom('Never' as const, 'LowerPriority' as const) }),
  })
  const queues = fc.array(fc.record({ procs: fc.integer({ min: 2, max: 10 }), preemption: rules, queueingStrategy: fc.constantFrom('BestEffortFIFO' as const, 'BestEffortFIFO' as const, 'StrictFIFO' as const) }), { minLength: 3, maxLength: 3 })

  it.each([['without', false], ['with', true]] as const)('ends with every job done, in its group and within all quotas, whatever the rules, %s fair sharing', (_, fairSharing) => {
    let count = 0
    fc.assert(fc.property(fc.array(plan, { minLength: 3, maxLength: 14 }), queues, (plans, own) => {
      const named = Object.fromEntries(own.map(({ procs, ...rest }, i) => [`q${i}`, { cohort: 'c', nominalQuota: { procs }, ...rest, preemption: { ...rest.preemption, ...(fairSharing && { borrowWithinCohort: undefined }) } }]))
      const total = own.reduce((sum, { procs }) => sum + procs, 0)
      if (plans.some((each) => tasksOf(each) > Math.min(total, ALL))) return
      count += run(plans, { queues: named, fairSharing }, topologyAware(), (running) => {
        inGroups(running, plans)
        expect([...running.values()].reduce((sum, tasks) => sum + tasks.length, 0)).toBeLessThanOrEqual(total)
      }).size
    }), { seed: 6, numRuns: 90 })
    expect(count).toBeGreaterThan(30)
  })
})
