import { kueue, type KueueOptions } from '@sched/policies'
import { instantCluster, job, run } from '@sched/testkit'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { play, type Load } from '../reference/kueue-loop.js'
import type { Place } from '../reference/kueue-preemption.js'

const RESOURCES = ['cpu', 'mem'] as const
const amount = fc.integer({ min: 0, max: 5 })
const limit = fc.constantFrom(undefined, undefined, 0, 3)
const inTree = fc.record({ nominal: fc.tuple(amount, amount), borrowing: fc.tuple(limit, limit), lending: fc.tuple(limit, limit), parent: fc.option(fc.nat(), { freq: 9 }) })
const ofJob = fc.record({
  ...{ queue: fc.nat(), submit: fc.integer({ min: 0, max: 20 }), duration: fc.integer({ min: 1, max: 12 }), priority: fc.integer({ min: 0, max: 2 }) },
  ...{ tasks: fc.integer({ min: 1, max: 3 }), isGang: fc.boolean(), asks: fc.tuple(fc.integer({ min: 1, max: 4 }), fc.constantFrom(0, 0, 1, 3)) },
})
const anything = fc.record({
  cohorts: fc.array(inTree, { minLength: 1, maxLength: 3 }),
  leaves: fc.array(fc.record({ tree: inTree, isStrict: fc.boolean() }), { minLength: 1, maxLength: 5 }),
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
  return { cohorts: made, queues: leaves.map(({ tree }, i) => placeOf(`q${i}`, tree)) }
}

function settings({ nominal, borrowing, lending, parent }: Place) {
  const amounts = (those: readonly number[]) => Object.fromEntries(RESOURCES.flatMap((name, r) => (those[r] === Infinity ? [] : [[name, those[r] as number]])))
  return { nominalQuota: amounts(nominal), ...(parent !== undefined && { borrowingLimit: amounts(borrowing), lendingLimit: amounts(lending) }) }
}

/** When whom the policy admits, `time id`, and who is refused. */
function admitted({ leaves, jobs }: Anything, { cohorts, queues }: ReturnType<typeof placesOf>) {
  const options: KueueOptions = {
    cohorts: Object.fromEntries(cohorts.map((each) => [each.name, { ...settings(each), ...(each.parent !== undefined && { parent: each.parent.name }) }])),
    queues: Object.fromEntries(
      queues.map((each, i) => [each.name, { ...settings(each), ...(each.parent !== undefined && { cohort: each.parent.name }), queueingStrategy: leaves[i]?.isStrict === true ? ('StrictFIFO' as const) : ('BestEffortFIFO' as const) }]),
    ),
  }
  const specs = jobs.map(({ queue, asks, isGang, ...each }, i) =>
    job({ ...each, id: `j${i}`, queue: `q${queue % queues.length}`, gang: isGang && each.tasks > 1, demand: { cpu: asks[0], ...(asks[1] > 0 && { mem: asks[1] }) } }),
  )
  const { recorder } = run({ policy: kueue(options), cluster: instantCluster({ nodes: [{ count: 1, resources: { cpu: 1000, mem: 1000 } }] }), jobs: specs, infeasible: 'reject' })
  const isFirst = (id: string, task: number) => task === 0 || jobs[Number(id.slice(1))]?.isGang !== true
  return {
    starts: recorder.events.flatMap((each) => (each.kind === 'launch' && isFirst(each.job, each.task) ? [`${each.time} ${each.job}`] : [])),
    refused: new Set(recorder.events.flatMap((each) => (each.kind === 'reject' ? [each.job] : []))),
  }
}

it('who is admitted when is as with Kueue\'s own loop, whatever comes and ends, without preemption', () => {
  let waited = 0
  fc.assert(
    fc.property(anything, (world) => {
      const { leaves, jobs } = world
      const places = placesOf(world)
      const { starts, refused } = admitted(world, places)
      const loads = jobs.flatMap(({ queue, asks, isGang, tasks, ...each }, i): Load[] => {
        const [pods, count] = isGang ? [tasks, 1] : [1, tasks]
        return refused.has(`j${i}`) ? [] : [{ ...each, id: `j${i}`, queue: places.queues[queue % leaves.length] as Place, asks: asks.map((one) => one * pods), pods, count }]
      })
      loads.sort((a, b) => a.submit - b.submit)
      const strict = new Set(places.queues.filter((_, i) => leaves[i]?.isStrict))
      expect(starts.sort()).toEqual(play([...places.cohorts, ...places.queues], strict, loads).sort())
      waited += starts.filter((start) => loads.every(({ id, submit }) => start !== `${submit} ${id}`)).length
    }),
    { seed: 12, numRuns: 300 },
  )
  expect(waited).toBeGreaterThan(1000)
})
