import { randomStream } from '@sched/core'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { BayesClassifier, crossValidate, extractFeatures, moveToRack, proportionalParts, redeploy, totalTasks, trainBayes, type Plan, type Sample } from '../src/index.js'

const seeded = { seed: 6, numRuns: 100 }
const entry = fc.option(fc.integer({ min: 0, max: 150 }), { freq: 8 })

/** Plans of one shape with a node in every rack, and performances of their nodes. */
const worlds = fc.record({ racks: fc.integer({ min: 1, max: 5 }), nodes: fc.integer({ min: 1, max: 6 }) }).chain(({ racks, nodes }) =>
  fc.record({
    plans: fc.array(fc.tuple(...Array.from({ length: racks }, () => fc.array(entry, { minLength: nodes, maxLength: nodes }).map((row) => [row[0] ?? 1, ...row.slice(1)]))), { minLength: 1, maxLength: 12 }),
    performance: fc.array(fc.array(fc.integer({ min: 1, max: 9 }), { minLength: nodes, maxLength: nodes }), { minLength: racks, maxLength: racks }),
    labels: fc.array(fc.boolean(), { minLength: 12, maxLength: 12 }),
    seed: fc.nat(1000),
  }),
)

const samplesOf = ({ plans, labels }: { plans: Plan[]; labels: boolean[] }): Sample[] => [
  { plan: plans[0] as Plan, isActive: true },
  { plan: plans.at(-1) as Plan, isActive: false },
  ...plans.map((plan, i) => ({ plan, isActive: labels[i] as boolean })),
]

describe('laws of redeployment', () => {
  it('keeps the number of tasks, uses one rack for active jobs, and leaves lazy ones and absent nodes alone', () => {
    fc.assert(
      fc.property(worlds, ({ plans, performance, labels, seed }) => {
        const classifier = new BayesClassifier(trainBayes(samplesOf({ plans, labels })))
        for (const before of plans) {
          const { plan, prediction, rack } = redeploy(before, { classifier, performance, random: randomStream(seed, 'rack') })
          expect(totalTasks(plan)).toBe(totalTasks(before))
          if (!prediction.isActive) expect(plan).toBe(before)
          else for (const [r, row] of plan.entries()) for (const [n, tasks] of row.entries()) expect(before[r]?.[n] === null ? tasks === null : r === rack || tasks === 0).toBe(true)
          expect(totalTasks(redeploy(before, { classifier: { predict: () => prediction }, performance, random: () => 0, rebalanceLazy: true }).plan)).toBe(totalTasks(before))
        }
      }),
      seeded,
    )
  })

  it('gives every node its quota rounded up or down, and a better node no less than a worse one', () => {
    fc.assert(
      fc.property(fc.nat(500), fc.array(fc.oneof(fc.integer({ min: 1, max: 20 }), fc.double({ min: 0.01, max: 100, noNaN: true })), { minLength: 1, maxLength: 12 }), (total, performances) => {
        const parts = proportionalParts(total, performances)
        const sum = performances.reduce((a, b) => a + b, 0)
        expect(parts.reduce((a, b) => a + b, 0)).toBe(total)
        for (const [i, part] of parts.entries()) {
          const quota = (total * (performances[i] as number)) / sum
          expect(part > quota - 1 - 1e-9 && part < quota + 1 + 1e-9).toBe(true)
          for (const [j, other] of parts.entries()) if ((performances[i] as number) > (performances[j] as number)) expect(part).toBeGreaterThanOrEqual(other)
        }
      }),
      seeded,
    )
  })

  it('permutes with the nodes, but for which of equally good ones comes first', () => {
    fc.assert(
      fc.property(worlds, fc.nat(), ({ plans: [plan = []], performance }, by) => {
        const turned = <T>(row: readonly T[]) => row.map((_, i) => row[(i + by) % row.length] as T)
        const given = (after: Plan, of: readonly (readonly number[])[]) => after.flatMap((row, r) => row.map((tasks, n) => [of[r]?.[n], tasks].join(' '))).sort()
        const better = performance.map(turned)
        expect(given(moveToRack(plan.map(turned), 0, better), better)).toEqual(given(moveToRack(plan, 0, performance), performance))
      }),
      seeded,
    )
  })
})

describe('laws of prediction', () => {
  it('gives probabilities that sum to 1, whatever the features', () => {
    const extreme = fc.oneof(fc.double({ noNaN: true, noDefaultInfinity: true }), fc.constantFrom(0, 1e308, -1e308, 5e-324, 1e-160))
    fc.assert(
      fc.property(worlds, fc.array(extreme, { minLength: 30, maxLength: 30 }), ({ plans, labels }, values) => {
        for (const kind of ['gaussian', 'bernoulli'] as const) {
          const classifier = new BayesClassifier(trainBayes(samplesOf({ plans, labels }), { kind, features: 'flat' }))
          const width = extractFeatures(plans[0] as Plan).length
          const { probabilities, logOdds, isActive } = classifier.predictFeatures(values.slice(0, width))
          expect(Number.isFinite(logOdds)).toBe(true)
          expect(probabilities.C0 + probabilities.C1).toBe(1)
          expect(probabilities.C0 >= 0 && probabilities.C1 >= 0 && isActive === logOdds > 0).toBe(true)
        }
      }),
      seeded,
    )
  })

  it('does not depend on the order of nodes, racks or samples', () => {
    fc.assert(
      fc.property(worlds, ({ plans, labels }) => {
        const samples = samplesOf({ plans, labels })
        const mirrored = (plan: Plan): Plan => plan.map((row) => [...row].reverse()).reverse()
        const one = new BayesClassifier(trainBayes(samples))
        const other = new BayesClassifier(trainBayes(samples.map(({ plan, isActive }) => ({ plan: mirrored(plan), isActive })).reverse()))
        for (const plan of plans) {
          const [a, b] = [one.predict(plan).logOdds, other.predict(mirrored(plan)).logOdds]
          expect(Math.abs(a - b)).toBeLessThanOrEqual(1e-6 * Math.max(1, Math.abs(a)))
        }
      }),
      seeded,
    )
  })

  it('predicts as formulas (7) and (8) written out', () => {
    fc.assert(
      fc.property(worlds, ({ plans, labels }) => {
        const samples = samplesOf({ plans, labels })
        const [gaussian, bernoulli] = [new BayesClassifier(trainBayes(samples)), new BayesClassifier(trainBayes(samples, { kind: 'bernoulli' }))]
        for (const plan of plans) {
          const [a, b] = [gaussian.predict(plan).logOdds, plainGaussian(samples, plan)]
          expect(Math.abs(a - b)).toBeLessThanOrEqual(1e-6 * Math.max(1, Math.abs(b)))
          expect(bernoulli.predict(plan).logOdds).toBeCloseTo(plainBernoulli(samples, plan), 9)
        }
      }),
      seeded,
    )
  })

  it('is trained and validated alike on one seed', () => {
    const random = randomStream(4, 'plans')
    const samples = Array.from({ length: 30 }, (_, i) => ({ plan: [[Math.floor(random() * 9), 3], [2, Math.floor(random() * 9)]], isActive: i % 2 === 0 }))
    expect(crossValidate(samples, { seed: 2 })).toEqual(crossValidate(samples, { seed: 2 }))
    expect(crossValidate(samples, { seed: 2 }).folds).not.toEqual(crossValidate(samples, { seed: 5 }).folds)
  })
})

const mean = (values: readonly number[]) => values.reduce((a, b) => a + b, 0) / values.length
const variance = (values: readonly number[]) => mean(values.map((value) => (value - mean(values)) ** 2))

function plainGaussian(samples: readonly Sample[], plan: Plan): number {
  const rows = samples.map((sample) => extractFeatures(sample.plan))
  const x = extractFeatures(plan)
  const floor = Math.max(...x.map((_, m) => variance(rows.map((row) => row[m] as number)))) * 1e-9 || 1e-9
  const score = (wanted: boolean) => {
    const own = rows.filter((_, i) => samples[i]?.isActive === wanted)
    return x.reduce((sum, value, m) => {
      const column = own.map((row) => row[m] as number)
      const spread = Math.max(variance(column), floor)
      return sum - (value - mean(column)) ** 2 / (2 * spread) - Math.log(2 * Math.PI * spread) / 2
    }, Math.log(own.length / samples.length))
  }
  return score(true) - score(false)
}

function plainBernoulli(samples: readonly Sample[], plan: Plan): number {
  const bits = (each: Plan) => each.map((row) => row.some((tasks) => (tasks ?? 0) > 0))
  const score = (wanted: boolean) => {
    const own = samples.filter(({ isActive }) => isActive === wanted).map((sample) => bits(sample.plan))
    return bits(plan).reduce((product, bit, rack) => (product * (own.filter((each) => each[rack] === bit).length + 1)) / (own.length + 2), own.length / samples.length)
  }
  return Math.log(score(true) / score(false))
}
