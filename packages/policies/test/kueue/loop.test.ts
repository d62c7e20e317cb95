// @module-tag long
import { kueue, type KueueOptions } from '@sched/policies'
import { instantCluster, job, run } from '@sched/testkit'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { play, type Load } from '../reference/kueue-loop.js'
import { play as playPreempting } from '../reference/kueue-preempting-loop.js'
import type { Place } from '../reference/kueue-preemption.js'

const RESOURCES = ['cpu', 'mem'] as const
const amount = fc.integer({ min: 0, max: 5 })
const limit = fc.constantFrom(undefined, undefined, 0, 3)
const inTree = fc.record({
  ...{ nominal: fc.tuple(amount, amount), borrowing: fc.tuple(limit, limit), lending: fc.tuple(limit, limit) },
  parent: fc.option(fc.nat(), { freq: 9 }),
})
const never = fc.constantFrom('Never' as const, 'Never' as const, 'LowerPriority' as const)
const preemption = fc.record({
  withinClusterQueue: fc.constantFrom('Never' as const, 'LowerPriority' as const, 'LowerOrNewerEqualPriority' as const),
  reclaimWithinCohort: fc.constantFrom('Never' as const, 'LowerPriority' as const, 'Any' as const, 'Any' as const),
  borrowWithinCohort: fc.record({ policy: never, maxPriorityThreshold: fc.constantFrom(undefined, 0, 1) }),
})
const ofJob = fc.record({
  ...{ queue: fc.nat(), submit: fc.integer({ min: 0, max: 20 }), duration: fc.integer({ min: 1, max: 16 }), priority: fc.integer({ min: 0, max: 2 }) },
  ...{ tasks: fc.integer({ min: 1, max: 3 }), isGang: fc.boolean(), asks: fc.tuple(fc.integer({ min: 1, max: 4 }), fc.constantFrom(0, 0, 1, 3)) },
})
const anything = fc.record({
  cohorts: fc.array(inTree, { minLength: 1, maxLength: 3 }),
  leaves: fc.array(fc.record({ tree: inTree, isStrict: fc.boolean(), preemption }), { minLength: 1, maxLength: 5 }),
  jobs: fc.array(ofJob, { minLength: 8, maxLength: 24 }),
})
type Anything = typeof anything extends fc.Arbitrary<infer T> ? T : never
type Tree = Anything['cohorts'][number]

/** Cohorts, each in one before it, and queues in them. */
function placesOf({ cohorts, leaves }: Anything) {
  const made: Place[] = []
  const placeOf = (name: string, { nominal, borrowing, lending, parent: of }: Tree): Place => {
    const parent = of === null || made.length === 0 ? undefined : made[of % made.length]
    const limits = (those: Tree['borrowing']) => those.map((each) => (parent === undefined ? undefined : each) ?? Infinity)
    return { name, nominal, borrowing: limits(borrowing), lending: limits(lending), weight: 1, parent }
  }
  for (const [i, each] of cohorts.entries()) made.push(placeOf(`c${i}`, each))
  const queues = leaves.map(({ tree }, i) => placeOf(`q${i}`, tree))
  return { cohorts: made, queues, all: [...made, ...queues], strict: new Set(queues.filter((_, i) => leaves[i]?.isStrict)) }
}
type Places = ReturnType<typeof placesOf>

function settings({ nominal, borrowing, lending, parent }: Place) {
  const amounts = (those: readonly number[]) => Object.fromEntries(RESOURCES.flatMap((name, r) => (those[r] === Infinity ? [] : [[name, those[r] as number]])))
  return { nominalQuota: amounts(nominal), ...(parent !== undefined && { borrowingLimit: amounts(borrowing), lendingLimit: amounts(lending) }) }
}

/** Who starts, `time +id`, and is preempted, `time -id`, under the policy, and who is refused; `more` are options and settings of each queue. */
function found({ leaves, jobs }: Anything, { cohorts, queues }: Places, more: (i: number) => NonNullable<KueueOptions['queues']>[string], gates: KueueOptions = {}) {
  const of = (each: Place, i: number) => ({
    ...{ ...settings(each), ...(each.parent !== undefined && { cohort: each.parent.name }), ...more(i) },
    queueingStrategy: leaves[i]?.isStrict === true ? ('StrictFIFO' as const) : ('BestEffortFIFO' as const),
  })
  const options: KueueOptions = {
    ...gates,
    cohorts: Object.fromEntries(cohorts.map((each) => [each.name, { ...settings(each), ...(each.parent !== undefined && { parent: each.parent.name }) }])),
    queues: Object.fromEntries(queues.map((each, i) => [each.name, of(each, i)])),
  }
  const specs = jobs.map(({ queue, asks, isGang, ...each }, i) =>
    job({ ...each, id: `j${i}`, queue: `q${queue % queues.length}`, gang: isGang && each.tasks > 1, demand: { cpu: asks[0], ...(asks[1] > 0 && { mem: asks[1] }) } }),
  )
  const cluster = instantCluster({ nodes: [{ count: 1, resources: { cpu: 1000, mem: 1000 } }] })
  const { recorder } = run({ policy: kueue(options), cluster, jobs: specs, infeasible: 'reject' })
  const isFirst = (id: string, task: number) => task === 0 || jobs[Number(id.slice(1))]?.isGang !== true
  const said = recorder.events.flatMap((each) => {
    if (each.kind === 'launch') return isFirst(each.job, each.task) ? [`${each.time} +${each.job}`] : []
    return each.kind === 'end' && each.how === 'evicted' && isFirst(each.job, each.task) ? [`${each.time} -${each.job}`] : []
  })
  return { said: said.sort(), refused: new Set(recorder.events.flatMap((each) => (each.kind === 'reject' ? [each.job] : []))) }
}

/** The jobs that are not refused, as the references take them. */
function loadsOf({ jobs, leaves }: Anything, { queues }: Places, refused: ReadonlySet<string>): Load[] {
  const loads = jobs.flatMap(({ queue, asks, isGang, tasks, ...each }, i): Load[] => {
    const [pods, count] = isGang ? [tasks, 1] : [1, tasks]
    return refused.has(`j${i}`) ? [] : [{ ...each, id: `j${i}`, queue: queues[queue % leaves.length] as Place, asks: asks.map((one) => one * pods), pods, count }]
  })
  return loads.sort((a, b) => a.submit - b.submit)
}

it('who is admitted when is as with Kueue\'s own loop, whatever comes and ends, without preemption', () => {
  let waited = 0
  fc.assert(
    fc.property(anything, (world) => {
      const places = placesOf(world)
      const { said, refused } = found(world, places, () => ({}))
      const loads = loadsOf(world, places, refused)
      expect(said).toEqual(play(places.all, places.strict, loads).map((start) => start.replace(' ', ' +')).sort())
      waited += said.filter((start) => loads.every(({ id, submit }) => start !== `${submit} +${id}`)).length
    }),
    { seed: 12, numRuns: 300 },
  )
  expect(waited).toBeGreaterThan(1000)
})

const both = ['LessThanOrEqualToFinalShare', 'LessThanInitialShare'] as const
type Rest = Omit<Parameters<typeof playPreempting>[2], 'rules'>
it.each<[string, Rest, KueueOptions]>([
  ['preemption', { strategies: undefined }, {}],
  ['fair sharing', { strategies: both }, { fairSharing: true }],
  ['fair sharing, and further workloads in the running cycle', { strategies: both, refill: 8 }, { fairSharing: { refill: 8 } }],
  ['fair sharing, and two further workloads in the running cycle', { strategies: both, refill: 2 }, { fairSharing: { refill: 2 } }],
  ['preemption, by age alone between queues', { strategies: undefined, byAgeAlone: true }, { crossClusterQueueOrdering: 'Timestamp' }],
  ['fair sharing, by age alone between queues', { strategies: both, byAgeAlone: true }, { fairSharing: true, crossClusterQueueOrdering: 'Timestamp' }],
  ['fair sharing, and shares alone', { strategies: both, bySharesAlone: true, gates: { ignoresNominal: true } }, { fairSharing: { prioritizeNonBorrowing: false, preemptWithinNominal: false } }],
  ['fair sharing, and final targets verified', { strategies: both, gates: { verifies: true } }, { fairSharing: { verifyFinalTargets: true } }],
  ['fair sharing, and candidates looked at again', { strategies: both, gates: { reevaluates: true } }, { fairSharing: { reevaluate: true } }],
])('who is admitted and preempted when is as with a loop of its cycles, whatever comes and ends, with %s', (_, settings, options) => {
  let preempted = 0
  let others = 0
  fc.assert(
    fc.property(anything, (world) => {
      const places = placesOf(world)
      const rules = world.leaves.map((each) => each.preemption)
      const { said, refused } = found(world, places, (i) => ({ preemption: rules[i] }), options)
      const ofQueue = new Map(places.queues.map((queue, i) => [queue, rules[i]!]))
      const played = (rest: Rest) => playPreempting(places.all, places.strict, { rules: ofQueue, ...rest }, loadsOf(world, places, refused)).sort()
      expect(said).toEqual(played(settings))
      preempted += said.filter((each) => each.includes('-')).length
      if (Object.keys(settings).length > 1 && said.join() !== played({ strategies: settings.strategies }).join()) others++
    }),
    { seed: 3, numRuns: 400 },
  )
  expect(preempted).toBeGreaterThan(200)
  if (Object.keys(settings).length > 1) expect(others).toBeGreaterThan(0) // it matters
})
