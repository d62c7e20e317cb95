// @module-tag long
import type { JobId, LaneId, ShapeId, UserId } from '@sched/core'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Candidates, type Preemptor } from '../../src/kueue/candidates.js'
import { FlavorChoices } from '../../src/kueue/flavor-choices.js'
import { targets } from '../../src/kueue/preemption.js'
import { Protection } from '../../src/kueue/protection.js'
import { QuotaNode } from '../../src/kueue/quota-node.js'
import { ClusterQueue } from '../../src/kueue/queues.js'
import { charge, type Workload } from '../../src/kueue/workload.js'
import { classicalTargets, fairTargets, Snapshot, type Admitted, type Place, type Strategy } from '../reference/kueue-preemption.js'

const CHOICES = new FlavorChoices([], () => new Float64Array(2))
const GROUPS = [{ resources: [0, 1], flavors: [0] }]
const amount = fc.integer({ min: 0, max: 6 })
const limit = fc.constantFrom(Infinity, Infinity, 0, 3)
const inTree = fc.record({
  ...{ nominal: fc.tuple(amount, amount), borrowing: fc.tuple(limit, limit), lending: fc.tuple(limit, limit) },
  weight: fc.constantFrom(1, 1, 2),
  parent: fc.option(fc.nat(), { freq: 19 }),
})
const borrowWithinCohort = fc.record({ policy: fc.constantFrom('Never' as const, 'Never' as const, 'LowerPriority' as const), maxPriorityThreshold: fc.constantFrom(undefined, 0, 1) })
const preemption = fc.record({
  withinClusterQueue: fc.constantFrom('Never' as const, 'LowerPriority' as const, 'LowerOrNewerEqualPriority' as const),
  reclaimWithinCohort: fc.constantFrom('Never' as const, 'LowerPriority' as const, 'Any' as const, 'Any' as const),
  borrowWithinCohort,
})
const load = fc.record({ queue: fc.nat(), asks: fc.tuple(amount, amount), tasks: fc.integer({ min: 1, max: 2 }), priority: fc.integer({ min: 0, max: 2 }), since: fc.constantFrom(0, 0, 3, 6) })
const anything = fc.record({
  cohorts: fc.array(inTree, { minLength: 1, maxLength: 5 }),
  leaves: fc.array(fc.record({ tree: inTree, preemption }), { minLength: 2, maxLength: 5 }),
  loads: fc.array(load, { minLength: 3, maxLength: 13 }),
  isProtected: fc.boolean(),
})
/** The node of each load and how much it takes there, how much the one that asks must find on one node, and what queues have more so that quota is often there. */
const onNodes = fc.record({ more: fc.array(fc.constantFrom(0, 15, 30), { minLength: 5, maxLength: 5 }), places: fc.array(fc.record({ node: fc.nat({ max: 2 }), size: fc.integer({ min: 1, max: 4 }) }), { minLength: 13, maxLength: 13 }), needed: fc.integer({ min: 3, max: 9 }) })
const OF_NODE = 12
const now = 8
const protections = { none: { fairSharing: { minAdmitDuration: 0 }, reclaimWithinCohort: { minAdmitDuration: 0 } }, some: { fairSharing: { minAdmitDuration: 6 }, reclaimWithinCohort: { minAdmitDuration: 4 } } }
type OnNodes = typeof onNodes extends fc.Arbitrary<infer T> ? T : never
type Anything = typeof anything extends fc.Arbitrary<infer T> ? T : never
type Tree = Anything['cohorts'][number]

/** The same twice: as the policy has it, and as the reference does. The last two loads ask, the others are admitted, whatever the quotas say. */
function made({ cohorts, leaves, loads, isProtected }: Anything) {
  const nodes: QuotaNode[] = []
  const places: Place[] = []
  const quota = ({ nominal, borrowing, lending }: Tree) => ({ nominal: Float64Array.from(nominal), borrowing: Float64Array.from(borrowing), lending: Float64Array.from(lending) })
  const around = ({ parent }: Tree, count: number) => (parent === null || count === 0 ? -1 : parent % count)
  for (const [i, each] of cohorts.entries()) {
    nodes.push(new QuotaNode(`c${i}`, quota(each), each.weight, nodes[around(each, i)]))
    places.push({ ...each, name: `c${i}`, parent: places[around(each, i)] })
  }
  const queues = leaves.map(({ tree, preemption: rules }, i) => new ClusterQueue(`q${i}`, quota(tree), { preemption: rules, weight: tree.weight }, GROUPS, CHOICES, nodes[around(tree, cohorts.length)]))
  const own = leaves.map(({ tree }, i): Place => ({ ...tree, name: `q${i}`, parent: places[around(tree, cohorts.length)] }))
  const workloads = loads.map(({ queue: of, asks, tasks, priority, since }, i): Workload => {
    const [job, queue] = [i as JobId, queues[of % queues.length] as ClusterQueue]
    const likeness = { key: '', ofQuota: '', waiting: 0, setAsideAt: -1, setAsideIn: -1, freedAt: -1 }
    const rank = (i * 7) % 13 // not in the order of admission
    return { job, lane: 0 as LaneId, queue, user: 0 as UserId, priority, rank, submitted: rank, shape: 0 as ShapeId, likeness, isWhole: false, demand: Float64Array.from(asks), parts: undefined, flavor: 0, columns: Int32Array.of(0, 1), amounts: Float64Array.from(asks), admission: i, since, least: tasks, most: tasks, tasks, unstarted: tasks, running: [] }
  })
  const rules = isProtected ? protections.some : protections.none
  const asking = workloads.splice(-2)
  for (const each of workloads) charge(each, each.tasks)
  const plain = ({ queue, priority, submitted, demand, tasks, admission, since }: Workload): Admitted => ({
    ...{ id: admission, admission, priority, submitted },
    spared: (['fairSharing', 'reclaimWithinCohort'] as const).filter((rule) => now - since < rules[rule].minAdmitDuration),
    queue: own[queues.indexOf(queue)] as Place,
    asks: [...demand].map((each) => each * tasks),
  })
  const admitted = new Map(queues.map((queue) => [queue, workloads.filter((each) => each.queue === queue)]))
  return { asking, admitted, plain, snapshot: new Snapshot([...places, ...own], workloads.map(plain)), protection: new Protection(rules, () => now) }
}

const withMore = (world: Anything, { more }: OnNodes): Anything => ({
  ...world,
  leaves: world.leaves.map((leaf, i) => ({ ...leaf, tree: { ...leaf.tree, nominal: [leaf.tree.nominal[0] + (more[i] as number), leaf.tree.nominal[1] + (more[i] as number)] } })),
})

/** Whether some node has as much as is needed, beside those who are left there. */
const haveRoom = ({ places, needed }: OnNodes, left: readonly number[]): boolean =>
  [0, 1, 2].some((node) => left.reduce((room, id) => room - (places[id]?.node === node ? places[id].size : 0), OF_NODE) >= needed)

describe('those preempted are whom Kueue preempts', () => {
  const ways: readonly (readonly Strategy[] | undefined)[] = [undefined, ['LessThanOrEqualToFinalShare', 'LessThanInitialShare'], ['LessThanInitialShare'], ['LessThanOrEqualToFinalShare']]
  const isNear = [false, true]
  const names = (way: (typeof ways)[number], near: boolean) => `${way === undefined ? 'without fair sharing' : `by ${way.join(' and ')}`}${near ? ', for nodes' : ''}`
  it.each(ways.flatMap((way) => isNear.map((near) => ({ name: names(way, near), way, near }))))('$name', ({ way, near }) => {
    const found = { ofOthers: 0, ofOwn: 0, nobody: 0 }
    let forNodesAlone = 0
    fc.assert(
      fc.property(anything, onNodes, (world, nodes) => {
        const { asking, admitted, plain, snapshot, protection } = made(near ? withMore(world, nodes) : world)
        const candidates = new Candidates() // those of the second may have been found for the first
        for (const workload of asking) {
          const { queue, demand, tasks } = workload
          const lacking = [0, 1].filter((c) => (demand[c] as number) * tasks > queue.available(c))
          const all = [...admitted.values()].flat()
          const roomWithout = (gone: readonly Workload[]) => haveRoom(nodes, all.filter((each) => !gone.includes(each)).map(({ admission }) => admission))
          if (lacking.length === 0 && (!near || roomWithout([]))) continue
          const short = near ? [0, 1].filter((c) => (demand[c] as number) > 0) : lacking
          const rules = queue.settings.preemption as NonNullable<typeof queue.settings.preemption>
          const preemptor: Preemptor = { workload, short, admitted, candidates, protection, fairSharing: way !== undefined && { preemptionStrategies: [...way], refill: 0 }, resources: 2, pastUsage: () => 0, nodes: near ? { isReplacing: false, haveRoom: roomWithout, haveRoomBeside: (_, gone) => roomWithout(gone()) } : undefined }
          const taken = targets(preemptor).sort((a, b) => a.admission - b.admission)
          const left = near ? (those: ReadonlySet<Admitted>) => haveRoom(nodes, Array.from(those, ({ id }) => id)) : undefined
          const expected = way === undefined ? classicalTargets(snapshot, plain(workload), short, rules, left) : fairTargets(snapshot, plain(workload), short, rules, way, left)
          expect(taken.map(({ admission }) => admission)).toEqual(expected.map(({ id }) => id))
          found[taken.length === 0 ? 'nobody' : taken.some((each) => each.queue !== queue) ? 'ofOthers' : 'ofOwn']++
          if (lacking.length === 0 && taken.length > 0) forNodesAlone++
        }
      }),
      { seed: 11, numRuns: 2500 },
    )
    expect(Math.min(...Object.values(found))).toBeGreaterThan(20)
    if (near) expect(forNodesAlone).toBeGreaterThan(20)
  })
})
