// @module-tag long
import type { JobId, LaneId, ShapeId, UserId } from '@sched/core'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Candidates, type Preemptor } from '../../src/kueue/candidates.js'
import { preemptionConfig, type PreemptionRule } from '../../src/kueue/preemption-rules.js'
import { FlavorChoices } from '../../src/kueue/flavor-choices.js'
import { targets } from '../../src/kueue/preemption.js'
import { Protection } from '../../src/kueue/protection.js'
import { QuotaNode } from '../../src/kueue/quota-node.js'
import { ClusterQueue } from '../../src/kueue/queues.js'
import { charge, type Workload } from '../../src/kueue/workload.js'
import { classicalTargets, fairTargets, Snapshot, type Admitted, type Gates, type Place, type Strategy } from '../reference/kueue-preemption.js'

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
const load = fc.record({ queue: fc.nat(), asks: fc.tuple(amount, amount), tasks: fc.integer({ min: 1, max: 2 }), priority: fc.integer({ min: 0, max: 2 }), since: fc.constantFrom(0, 0, 3, 6), user: fc.nat({ max: 1 }), size: fc.option(fc.nat({ max: 3 })) })
const comparison = fc.constantFrom('LessThan' as const, 'LessThanOrEqual' as const, 'GreaterThan' as const, 'GreaterThanOrEqual' as const)
/** A rule of a PreemptionConfig with one selector; `size` is a label of some workloads, and queues have labels by their number. */
const rule = fc.record({
  trigger: fc.constantFrom('Always' as const, 'InsufficientQuota' as const, 'QuotaFeasibleAndInsufficientTopology' as const),
  ofSized: fc.option(fc.boolean(), { freq: 3 }),
  scope: fc.constantFrom('WithinLocalQueue' as const, 'WithinClusterQueue' as const, 'WithinParentCohort' as const, 'WithinCohortTree' as const, 'AnyClusterQueue' as const),
  isEven: fc.option(fc.boolean(), { freq: 2 }),
  sized: fc.option(fc.record({ comparison: fc.option(comparison), least: fc.option(fc.nat({ max: 2 })), most: fc.option(fc.nat({ max: 2 })), usual: fc.option(fc.nat({ max: 2 })) }), { freq: 2 }),
  priority: fc.option(comparison, { freq: 2 }),
  classes: fc.option(fc.record({ isOfPreemptor: fc.boolean(), isMatch: fc.boolean(), name: fc.constantFrom('low', 'mid') }), { freq: 2 }),
})
const anything = fc.record({
  cohorts: fc.array(inTree, { minLength: 1, maxLength: 5 }),
  leaves: fc.array(fc.record({ tree: inTree, preemption }), { minLength: 2, maxLength: 5 }),
  loads: fc.array(load, { minLength: 3, maxLength: 13 }),
  isProtected: fc.boolean(),
  rules: fc.array(rule, { minLength: 1, maxLength: 3 }),
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
  const queues = leaves.map(({ tree, preemption: rules }, i) => new ClusterQueue(`q${i}`, quota(tree), { preemption: rules, weight: tree.weight, labels: { even: String(i % 2 === 0) } }, GROUPS, CHOICES, nodes[around(tree, cohorts.length)]))
  const own = leaves.map(({ tree }, i): Place => ({ ...tree, name: `q${i}`, parent: places[around(tree, cohorts.length)] }))
  const workloads = loads.map(({ queue: of, asks, tasks, priority, since, user }, i): Workload => {
    const [job, queue] = [i as JobId, queues[of % queues.length] as ClusterQueue]
    const likeness = { key: '', ofQuota: '', waiting: 0, setAsideAt: -1, setAsideIn: -1, freedAt: -1 }
    const rank = (i * 7) % 13 // not in the order of admission
    return { job, lane: 0 as LaneId, queue, user: user as UserId, priority, standing: priority, rank, submitted: rank, queued: rank, shape: 0 as ShapeId, likeness, isWhole: false, demand: Float64Array.from(asks), parts: undefined, flavor: 0, columns: Int32Array.of(0, 1), amounts: Float64Array.from(asks), admission: i, since, least: tasks, most: tasks, tasks, unstarted: tasks, running: [] }
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

/** The priority class of a load, of some none. */
const classOf = ({ asks, priority }: Anything['loads'][number]): string | undefined => ['low', 'mid', undefined][(asks[0] + priority) % 3]
const namesOf = ({ isMatch, name }: NonNullable<Anything['rules'][number]['classes']>) => (isMatch ? { matchNames: [name] } : { notMatchNames: [name] })

/** The rules as the policy has them. */
const asOptions = ({ rules }: Anything): readonly PreemptionRule[] =>
  preemptionConfig.parse({
    rules: rules.map(({ trigger, ofSized, scope, isEven, sized, priority, classes }) => ({
      activationPolicy: { trigger },
      ...(classes?.isOfPreemptor === true && { preemptorPriorityClassSelector: namesOf(classes) }),
      ...(ofSized !== null && { preemptorSelector: { matchExpressions: [{ key: 'size', operator: ofSized ? 'Exists' : 'DoesNotExist' }] } }),
      candidateSelectors: [{
        scope,
        ...(isEven !== null && { clusterQueueSelector: { matchLabels: { even: String(isEven) } } }),
        ...(sized !== null && { numericLabels: [{ key: 'size', comparison: sized.comparison ?? undefined, minValue: sized.least ?? undefined, maxValue: sized.most ?? undefined, fallbackValue: sized.usual ?? undefined }] }),
        ...((priority !== null || classes?.isOfPreemptor === false) && { priority: { ...(priority !== null && { mode: 'Base', comparison: priority }), ...(classes?.isOfPreemptor === false && namesOf(classes)) } }),
      }],
    })),
  }).rules

/** Whom they select for the load `by`, said plainly. */
const asReference = ({ rules, loads }: Anything, by: Workload, queueOf: (load: Admitted) => number): NonNullable<Gates['selects']> => (trigger, load) =>
  rules.some((each) => {
    const [mine, its] = [loads[by.job] as Anything['loads'][number], loads[load.id] as Anything['loads'][number]]
    const [place, own] = [load.queue, by.queue]
    const isNear = { WithinLocalQueue: its.user === mine.user && place.name === own.name, WithinClusterQueue: place.name === own.name, WithinParentCohort: place.parent?.name === own.parent?.name && (own.parent !== undefined || place.name === own.name), WithinCohortTree: (rootOf(place) ?? place.name) === own.root.name, AnyClusterQueue: true }
    const holds = (how: 'LessThan' | 'LessThanOrEqual' | 'GreaterThan' | 'GreaterThanOrEqual', a: number, b: number) => (a === b ? how.endsWith('OrEqual') : how.startsWith('Less') === a < b)
    const size = its.size ?? each.sized?.usual ?? null
    const mySize = mine.size ?? each.sized?.usual ?? null
    const isSized = each.sized === null || (size !== null && size >= (each.sized.least ?? 0) && size <= (each.sized.most ?? 9) && (each.sized.comparison === null || (mySize !== null && holds(each.sized.comparison, size, mySize))))
    const isOfClass = each.classes === null || (classOf(each.classes.isOfPreemptor ? mine : its) === each.classes.name) === each.classes.isMatch
    return isOfClass && each.trigger === trigger && (each.ofSized === null || each.ofSized === (mine.size !== null)) && isNear[each.scope] && (each.isEven === null || each.isEven === (queueOf(load) % 2 === 0)) && isSized && (each.priority === null || holds(each.priority, its.priority, mine.priority))
  })
const rootOf = ({ parent }: Place): string | undefined => (parent === undefined ? undefined : (rootOf(parent) ?? parent.name))

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
  const both = ways[1]
  const gates: readonly { readonly said: string; readonly of: readonly (typeof ways)[number][]; readonly gates: Omit<Gates, 'selects'>; readonly isConfigured?: boolean }[] = [
    { said: '', of: ways, gates: {} },
    { said: ', with rules', of: [undefined, both], gates: {}, isConfigured: true },
    { said: ', with rules and final targets verified', of: [both], gates: { verifies: true }, isConfigured: true },
    { said: ', candidates looked at again', of: [both], gates: { reevaluates: true } },
    { said: ', candidates looked at again and final targets verified', of: [both], gates: { reevaluates: true, verifies: true } },
    { said: ', candidates looked at again and final targets verified, by strategies even within the nominal quota', of: [both], gates: { reevaluates: true, verifies: true, ignoresNominal: true } },
    { said: ', by strategies even within the nominal quota', of: [both], gates: { ignoresNominal: true } },
    { said: ', with a buffer', of: [undefined], gates: { buffer: 4 } },
  ]
  const names = (way: (typeof ways)[number], near: boolean) => `${way === undefined ? 'without fair sharing' : `by ${way.join(' and ')}`}${near ? ', for nodes' : ''}`
  it.each(gates.flatMap(({ said, of, ...rest }) => of.flatMap((way) => isNear.map((near) => ({ ...rest, said, name: `${names(way, near)}${said}`, way, near })))))('$name', ({ said, way, near, gates: open, isConfigured }) => {
    let others = 0
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
          const preemptor: Preemptor = { workload, short, admitted, candidates, protection, buffer: open.buffer ?? 0, rules: isConfigured === true ? asOptions(world) : [], tagsOf: ({ job }) => { const size = world.loads[job]?.size ?? null; return size === null ? {} : { size: String(size) } }, classOf: ({ job }) => classOf(world.loads[job] as Anything['loads'][number]), fairSharing: way !== undefined && { preemptionStrategies: [...way], refill: 0, preemptWithinNominal: open.ignoresNominal !== true, prioritizeNonBorrowing: true, reevaluate: open.reevaluates === true, verifyFinalTargets: open.verifies === true }, resources: 2, pastUsage: () => 0, nodes: near ? { isReplacing: false, haveRoom: roomWithout, haveRoomBeside: (_, gone) => roomWithout(gone()) } : undefined }
          const taken = targets(preemptor).sort((a, b) => a.admission - b.admission)
          const left = near ? (those: ReadonlySet<Admitted>) => haveRoom(nodes, Array.from(those, ({ id }) => id)) : undefined
          const queueOf = ({ queue: place }: Admitted) => Number(place.name.slice(1))
          const theirs: Gates = isConfigured === true ? { ...open, selects: asReference(world, workload, queueOf) } : open
          const by = (its: Gates) => (way === undefined ? classicalTargets(snapshot, plain(workload), short, rules, left, its) : fairTargets(snapshot, plain(workload), short, rules, way, left, its)).map(({ id }) => id)
          expect(taken.map(({ admission }) => admission)).toEqual(by(theirs))
          if (theirs !== open || Object.keys(open).length > 0) others += Number(taken.map(({ admission }) => admission).join() !== by({}).join())
          found[taken.length === 0 ? 'nobody' : taken.some((each) => each.queue !== queue) ? 'ofOthers' : 'ofOwn']++
          if (lacking.length === 0 && taken.length > 0) forNodesAlone++
        }
      }),
      { seed: 11, numRuns: said === '' ? 2500 : 5000 }, // gates matter in few worlds
    )
    expect(Math.min(...Object.values(found))).toBeGreaterThan(20)
    if (near) expect(forNodesAlone).toBeGreaterThan(20)
    if (isConfigured === true || Object.keys(open).length > 0) expect(others).toBeGreaterThan(5) // it matters
  })
})
