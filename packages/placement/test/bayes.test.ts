import { randomStream } from '@sched/core'
import { describe, expect, it } from 'vitest'
import {
  activities,
  BayesClassifier,
  communicationActivity,
  crossValidate,
  extractFeatures,
  isActive,
  moveToRack,
  movedTasks,
  proportionalParts,
  redeploy,
  shuffleVolumes,
  thresholdForActiveFraction,
  trainBayes,
  type Plan,
  type Sample,
} from '../src/index.js'

/** Plans of one rack, so that entries are the features; `max` 100. */
const samplesOf = (active: readonly (readonly number[])[], lazy: readonly (readonly number[])[]): Sample[] => [
  ...active.map((row) => ({ plan: [row], isActive: true })),
  ...lazy.map((row) => ({ plan: [row], isActive: false })),
]

describe('features of a plan', () => {
  it('are tasks over 100, 0 for an absent node, at most 1 (fact 1)', () => {
    expect(extractFeatures([[4, 7, null, 130]])).toEqual([0.04, 0.07, 0, 1])
  })

  it("give the paper's row: 4 tasks on node 1 and 7 on node 2 of rack 0 of 5 x 6", () => {
    const plan = Array.from({ length: 5 }, (_, rack) => (rack === 0 ? [0, 4, 7, 0, 0, 0] : [0, 0, 0, 0, 0, 0]))
    expect(extractFeatures(plan)).toEqual([0, 0.04, 0.07, 0, 0, 0, ...Array.from({ length: 24 }, () => 0)])
    expect(extractFeatures(plan, { features: 'rows', max: 10 })).toEqual([1.1, 0, 0, 0, 0]) // 4/10 + 7/10
  })
})

describe('communication activity', () => {
  it('is the mean volume of cross-rack pairs over the largest (fact 2)', () => {
    expect(communicationActivity([4, 6, 2, 8])).toEqual({ total: 20, pairs: 4, activity: 0.625 }) // 20 / 4 / 8
    expect(communicationActivity([4, 6, 2, 8], 20)).toEqual({ total: 20, pairs: 4, activity: 0.25 })
    expect(communicationActivity([0, 0])).toEqual({ total: 0, pairs: 0, activity: 0 })
  })

  it('of a shuffle counts what crosses racks, both directions together (fact 3)', () => {
    const { local, rack, pairs } = shuffleVolumes([[2, 1], [1, 0]], 8, [[0, 0], [1, 0]])
    expect({ local, rack, cross: pairs.map(({ a, b, bytes }) => [a, b, bytes]) }).toEqual({ local: 3, rack: 1, cross: [[[0, 0], [1, 0], 3], [[0, 1], [1, 0], 1]] })
    const volumes = pairs.map(({ bytes }) => bytes)
    expect(communicationActivity(volumes)).toEqual({ total: 4, pairs: 2, activity: 2 / 3 }) // 4 / 2 / 3
    expect(communicationActivity(volumes, 10).activity).toBe(0.2)
  })

  it('is relative to the largest volume of all jobs, or of each on request', () => {
    expect(activities([[4, 6, 2, 8], [20], []])).toEqual([0.25, 1, 0])
    expect(activities([[4, 6, 2, 8], [20], []], 'own')).toEqual([0.625, 1, 0])
  })

  it('has 0.38 as the threshold by which 30 % of ten jobs are active (fact 4)', () => {
    const found = [0.05, 0.08, 0.1, 0.12, 0.15, 0.18, 0.22, 0.38, 0.55, 0.7]
    expect(thresholdForActiveFraction(found, 0.3)).toBe(0.38)
    expect(found.filter((activity) => isActive(activity))).toEqual([0.38, 0.55, 0.7])
    expect(thresholdForActiveFraction(Array.from({ length: 100 }, (_, i) => i / 100), 0.07)).toBe(0.93) // 7 of 100, not 8
    expect(thresholdForActiveFraction([0.2, 0.1], 1)).toBe(0.1)
  })
})

describe('redeployment', () => {
  it.each([
    [14, [3, 3, 1], [6, 6, 2]],
    [10, [3, 3, 1], [4, 4, 2]], // 4.286, 4.286, 1.429
    [7, [5, 3, 2, 1], [3, 2, 1, 1]],
    [11, [1, 1, 1, 1], [3, 3, 3, 2]],
    [25, [4, 3, 2, 1, 1, 1, 1, 1], [7, 5, 3, 2, 2, 2, 2, 2]],
    [3, [1, 2, 1], [1, 1, 1]], // 0.75, 1.5, 0.75
    [2, [1, 3], [0, 2]], // 0.5, 1.5: equal remainders, the better node first
  ])('divides %i tasks over nodes of performance %j as %j (fact 5)', (tasks, performances, parts) => {
    expect(proportionalParts(tasks, performances)).toEqual(parts)
  })

  it('puts all on the nodes of one rack that are there', () => {
    expect(moveToRack([[5, 2], [3, null]], 1, [[1, 1], [1, 1]])).toEqual([[0, 0], [10, null]])
    expect(movedTasks([[5, 2], [3, null]], [[0, 0], [10, null]])).toBe(7)
  })

  const performance = [[1, 2], [3, 1], [1, 1]]
  const given = (active: boolean) => ({ predict: () => ({ isActive: active, logOdds: 0, probabilities: { C0: 0.5, C1: 0.5 } }) })

  it('follows Algorithm 1: active jobs on one rack, lazy ones as planned, the same seed the same rack (fact 8)', () => {
    const plan: Plan = [[4, 0], [1, 2], [0, 3]]
    const options = { classifier: given(true), performance }
    const racks = Array.from({ length: 20 }, (_, seed) => redeploy(plan, { ...options, random: randomStream(seed, 'rack') }).rack)
    expect(racks).toEqual(Array.from({ length: 20 }, (_, seed) => redeploy(plan, { ...options, random: randomStream(seed, 'rack') }).rack))
    expect(new Set(racks)).toEqual(new Set([0, 1, 2]))
    expect(redeploy(plan, { ...options, classifier: given(false), random: randomStream(1, 'rack') })).toMatchObject({ plan, rack: undefined })
  })

  it('takes the rack with the most free on request, and divides lazy jobs over all nodes on request', () => {
    const plan: Plan = [[9, 0], [0, 0], [0, 0]]
    const random = randomStream(1, 'rack')
    expect(redeploy(plan, { classifier: given(true), performance, random, rackChoice: 'mostFree', free: [1, 7, 7] })).toMatchObject({ rack: 1, plan: [[0, 0], [7, 2], [0, 0]] }) // 6.75, 2.25
    expect(redeploy(plan, { classifier: given(false), performance, random, rebalanceLazy: true }).plan).toEqual([[1, 2], [3, 1], [1, 1]])
  })
})

describe('naive Bayes', () => {
  it('with normal distributions has the log odds that were worked out by hand (fact 6)', () => {
    const model = trainBayes(samplesOf([[2, 20], [4, 30], [6, 40]], [[30, 2], [40, 4], [50, 6]]), { varianceFloor: 0 })
    if (model.kind !== 'gaussian') throw new Error('expected a gaussian model')
    expect(model.classes.C1.mean.map((mean) => mean.toFixed(6))).toEqual(['0.040000', '0.300000'])
    expect(model.classes.C1.variance.map((variance) => variance.toExponential(4))).toEqual(['2.6667e-4', '6.6667e-3'])
    const classifier = new BayesClassifier(model)
    for (const [x, odds] of [[[10, 25], 82.5], [[35, 5], -184.5], [[20, 10], -41.25]] as const) expect(classifier.predict([x]).logOdds).toBeCloseTo(odds, 9)
    expect(classifier.predict([[10, 25]]).isActive).toBe(true)
  })

  it('with bits and Laplace 1 has the probabilities that were worked out by hand (fact 7)', () => {
    const bits = (text: string): Plan => [...text].map((bit) => [Number(bit)])
    const samples = [...['1111', '1110', '0111'].map((text) => ({ plan: bits(text), isActive: true })), ...['1000', '0100', '1100', '0010'].map((text) => ({ plan: bits(text), isActive: false }))]
    const classifier = new BayesClassifier(trainBayes(samples, { kind: 'bernoulli' }))
    const found = ['1111', '1100', '0001'].map((text) => classifier.predict(bits(text)).probabilities.C1.toFixed(6))
    expect(found).toEqual(['0.925604', '0.171747', '0.205845'])
  })

  it('moves nothing on a tie', () => {
    const classifier = new BayesClassifier(trainBayes(samplesOf([[0, 2]], [[2, 0]])))
    expect(classifier.predict([[1, 1]])).toEqual({ isActive: false, logOdds: 0, probabilities: { C0: 0.5, C1: 0.5 } })
  })

  it('moves nothing on a tie either where sums of logarithms are rounded', () => {
    const tie = { isActive: false, logOdds: 0, probabilities: { C0: 0.5, C1: 0.5 } }
    // bits 110: of four active jobs 3, 1 and 2 used the racks, of four lazy ones 1, 3 and 2: 4/6 x 2/6 x 3/6 for both
    const bits = (...rows: readonly string[]) => rows.map((row) => [...row].map((bit) => [Number(bit)]))
    const racks = [...bits('111', '101', '100', '000').map((plan) => ({ plan, isActive: true })), ...bits('111', '011', '010', '000').map((plan) => ({ plan, isActive: false }))]
    expect(new BayesClassifier(trainBayes(racks, { kind: 'bernoulli' })).predict(bits('110')[0] as Plan)).toEqual(tie)
    // lazy samples are the active ones read backwards, and so is the plan the same
    for (let shift = 1; shift <= 50; shift++) {
      const rows = [[shift, 1, 4, 9, 3, 7], [5, shift + 2, 2, 11, 1, 3], [2, 9, 6, 1, shift, 8]]
      const classifier = new BayesClassifier(trainBayes(samplesOf(rows, rows.map((row) => row.toReversed()))))
      expect(classifier.predict([[2, shift, 5, 5, shift, 2]])).toEqual(tie)
    }
  })

  it('knows all separable samples, also those it has not seen, in every kind and seed', () => {
    const random = randomStream(1, 'separable')
    const plan = (isActive: boolean): Plan => Array.from({ length: 4 }, (_, rack) => Array.from({ length: 8 }, () => (isActive || rack === 0 ? 1 + Math.floor(random() * 9) : 0)))
    const samples = Array.from({ length: 50 }, (_, i) => ({ plan: plan(i % 3 === 0), isActive: i % 3 === 0 }))
    for (const options of [{}, { features: 'rows' }, { kind: 'bernoulli' }, { kind: 'bernoulli', features: 'flat' }] as const) {
      const { accuracy, matrix, folds } = crossValidate(samples, { ...options, seed: 3 })
      expect({ accuracy, matrix }).toEqual({ accuracy: 1, matrix: { activeAsActive: 17, activeAsLazy: 0, lazyAsActive: 0, lazyAsLazy: 33 } })
      expect(folds.map(({ activeAsActive, lazyAsLazy }) => activeAsActive + lazyAsLazy)).toEqual([10, 10, 10, 10, 10])
    }
  })
})
