import { ceeiShares, drfShares, maxMinShares, type Sharers } from '@sched/policies'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

// Ghodsi et al., "Dominant Resource Fairness", NSDI 2011, sections 3 and 4: what a division of divisible tasks must be.
// Amounts are whole numbers up to 60, so a share is the result of fewer than 100 roundings of 2^-53: an error below 1e-12.
const rounding = 1e-9

interface World extends Sharers {
  readonly weights: readonly number[]
}

const amount = fc.integer({ min: 1, max: 60 })
const capacity = fc.integer({ min: 10, max: 2000 })
const weight = fc.constantFrom(1, 1, 1, 2, 3, 0.5)
/** 1 to 4 resources, 1 to 6 users; some may not need every resource. */
const worlds = (perTask: fc.Arbitrary<number>): fc.Arbitrary<World> =>
  fc.integer({ min: 1, max: 4 }).chain((resources) => {
    const demand = fc.array(perTask, { minLength: resources, maxLength: resources }).filter((each) => each.some((asked) => asked > 0))
    return fc
      .record({ capacities: fc.array(capacity, { minLength: resources, maxLength: resources }), users: fc.array(fc.tuple(demand, weight), { minLength: 1, maxLength: 6 }) })
      .map(({ capacities, users }) => ({ capacities, demands: users.map(([each]) => each), weights: users.map(([, each]) => each) }))
  })
const all = worlds(amount)
const sparse = worlds(fc.oneof(amount, amount, fc.constant(0)))

/** Tasks that a user could run with such a bundle. */
const tasksIn = (bundle: readonly number[], demand: readonly number[]) => Math.min(...demand.map((asked, r) => (asked === 0 ? Infinity : bundle[r]! / asked)))
const bundle = ({ demands }: Sharers, tasks: readonly number[], user: number) => demands[user]!.map((asked) => asked * tasks[user]!)
const atLeast = (value: number, bound: number) => expect(value).toBeGreaterThanOrEqual(bound * (1 - rounding))
const law = (world: fc.Arbitrary<World>, holds: (world: World, tasks: number[]) => void, numRuns = 300) =>
  fc.assert(fc.property(world, (each) => holds(each, drfShares(each).tasks)), { seed: 2011, numRuns })

describe('a division by drf', () => {
  it('gives nobody less than its weight in everything alone would (sharing incentive)', () => {
    law(sparse, ({ capacities, demands, weights }, tasks) => {
      const total = weights.reduce((sum, each) => sum + each, 0)
      for (const [user, demand] of demands.entries()) atLeast(tasks[user]!, tasksIn(capacities.map((each) => (each * weights[user]!) / total), demand))
    })
  })

  it('lets nobody prefer what another has, by weight (envy-freeness)', () => {
    law(sparse, (world, tasks) => {
      for (const [user, demand] of world.demands.entries())
        for (const other of world.demands.keys()) {
          const scale = world.weights[user]! / world.weights[other]!
          atLeast(tasks[user]!, tasksIn(bundle(world, tasks, other).map((each) => each * scale), demand))
        }
    })
  })

  it('leaves nobody anything to gain without another losing, and gives out no more than there is (Pareto efficiency)', () => {
    law(sparse, (world, tasks) => {
      const used = world.capacities.map((_, r) => world.demands.reduce((sum, demand, user) => sum + demand[r]! * tasks[user]!, 0))
      for (const [r, capacity] of world.capacities.entries()) expect(used[r]).toBeLessThanOrEqual(capacity * (1 + rounding))
      for (const demand of world.demands) expect(Math.max(...demand.map((asked, r) => (asked === 0 ? 0 : used[r]! / world.capacities[r]!)))).toBeGreaterThan(1 - rounding)
    })
  })

  it('is no better for a user who lies about its demand (strategy-proofness), over thousands of lies', { tags: 'long' }, () => {
    const lies = fc.array(fc.tuple(fc.nat(), fc.array(fc.integer({ min: 0, max: 60 }), { minLength: 4, maxLength: 4 })), { minLength: 4, maxLength: 4 })
    let told = 0
    fc.assert(
      fc.property(sparse, lies, (world, each) => {
        const honest = drfShares(world).tasks
        for (const [pick, amounts] of each) {
          const liar = pick % world.demands.length
          const lie = amounts.slice(0, world.capacities.length)
          if (lie.every((asked) => asked === 0)) continue
          const lied = { ...world, demands: world.demands.map((demand, user) => (user === liar ? lie : demand)) }
          atLeast(honest[liar]!, tasksIn(bundle(lied, drfShares(lied).tasks, liar), world.demands[liar]!))
          told++
        }
      }),
      { seed: 2011, numRuns: 1500 },
    )
    expect(told).toBeGreaterThan(5000)
  })

  it('shows a lie that pays where lies do: the same test refuses a market', () => {
    // <16, 1> claims 8 of the second resource: 25/6 tasks instead of 100/31
    const truth = { capacities: [100, 100], demands: [[16, 1], [1, 2]] }
    const lied = { ...truth, demands: [[16, 8], [1, 2]] }
    expect(tasksIn(bundle(lied, ceeiShares(lied).tasks, 0), [16, 1])).toBeGreaterThan(ceeiShares(truth).tasks[0]!)
    expect(tasksIn(bundle(lied, drfShares(lied).tasks, 0), [16, 1])).toBeLessThanOrEqual(drfShares(truth).tasks[0]!)
  })

  it('is max-min fairness of the one resource that is everybody\'s dominant one (bottleneck fairness)', () => {
    // every fraction of the first resource is made the largest
    const bottleneck = all.map((world) => ({ ...world, demands: world.demands.map((demand) => [world.capacities[0]!, ...demand.slice(1).map((asked, r) => Math.min(asked, world.capacities[r + 1]!))]) }))
    law(bottleneck, ({ capacities, demands, weights }, tasks) => {
      const shares = maxMinShares(weights.map((each) => ({ weight: each })), capacities[0]!)
      for (const [user, demand] of demands.entries()) expect(tasks[user]! * demand[0]!).toBeCloseTo(shares[user]!, 8)
    })
  })

  it('is weighted max-min fairness of a single resource, with whatever the users can use', () => {
    const single = fc.record({ capacity, users: fc.array(fc.record({ size: amount, weight, most: fc.oneof(fc.constant(Infinity), fc.integer({ min: 0, max: 30 })) }), { minLength: 1, maxLength: 8 }) })
    fc.assert(
      fc.property(single, ({ capacity: total, users }) => {
        const shares = maxMinShares(users.map(({ size, weight: each, most }) => ({ weight: each, demand: most * size })), total)
        const { tasks } = drfShares({ capacities: [total], demands: users.map(({ size }) => [size]), weights: users.map((each) => each.weight), tasks: users.map(({ most }) => most) })
        users.forEach(({ size }, user) => expect(tasks[user]! * size).toBeCloseTo(shares[user]!, 8))
      }),
      { seed: 2011, numRuns: 500 },
    )
  })

  it('takes from nobody when somebody leaves (population monotonicity)', () => {
    law(all, (world, tasks) => {
      for (const gone of world.demands.keys()) {
        const stay = <T>(column: readonly T[]) => column.filter((_, user) => user !== gone)
        const after = drfShares({ ...world, demands: stay(world.demands), weights: stay(world.weights) }).tasks
        stay(tasks).forEach((before, user) => atLeast(after[user]!, before))
      }
    })
  })
})

describe('a division by a market', () => {
  it('clears it: what is not used up is free, and everybody spends its income (CEEI)', () => {
    fc.assert(
      fc.property(all, (world) => {
        const { tasks, prices } = ceeiShares(world)
        for (const [user, demand] of world.demands.entries())
          expect(demand.reduce((sum, asked, r) => sum + (asked / world.capacities[r]!) * prices[r]! * tasks[user]!, 0)).toBeCloseTo(world.weights[user]!, 7)
        for (const [r, capacity] of world.capacities.entries()) {
          const used = world.demands.reduce((sum, demand, user) => sum + demand[r]! * tasks[user]!, 0) / capacity
          expect(used).toBeLessThanOrEqual(1 + rounding)
          expect(Math.min(prices[r]!, 1 - used)).toBeLessThan(1e-5) // price times slack is the barrier, 1e-12
        }
      }),
      { seed: 2011, numRuns: 300 },
    )
  })
})
