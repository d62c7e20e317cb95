import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { GoodBadClassifier, type GoodBadOptions } from '../../src/index.js'

type Row = readonly [features: readonly number[], isGood: boolean]

/** As the formula says: every record counted anew, each decayed by those after it. */
function plain(values: readonly number[], rows: readonly Row[], asked: readonly number[], { smoothing = 1, decay = 1 }: GoodBadOptions = {}): number {
  const weight = (i: number) => decay ** (rows.length - 1 - i)
  const sum = (test: (row: Row) => boolean) => rows.reduce((total, row, i) => (test(row) ? total + weight(i) : total), 0)
  const score = (isGood: boolean) => {
    const records = sum(([, good]) => good === isGood)
    return asked.reduce(
      (product, value, f) => (product * (sum(([features, good]) => good === isGood && features[f] === value) + smoothing)) / (records + smoothing * (values[f] as number)),
      records / sum(() => true),
    )
  }
  return rows.length === 0 ? 1 : score(true) / (score(true) + score(false))
}

function learnt(values: readonly number[], rows: readonly Row[], options?: GoodBadOptions): GoodBadClassifier {
  const classifier = new GoodBadClassifier(values, options)
  for (const [features, isGood] of rows) classifier.learn(features, isGood)
  return classifier
}

describe('a classifier of pairs into good and bad', () => {
  it('has the probabilities of the example of the survey (fact 12)', () => {
    // 6 good: feature 1 is 1 in two, feature 2 in one; 4 bad: three and three. P(good | 1, 1) ~ 0.6 x 3/8 x 2/8, bad 0.4 x 4/6 x 4/6
    const rows: Row[] = [
      ...[[1, 1], [1, 0], [0, 0], [0, 0], [0, 0], [0, 0]].map((features): Row => [features, true]),
      ...[[1, 1], [1, 1], [1, 1], [0, 0]].map((features): Row => [features, false]),
    ]
    const classifier = learnt([2, 2], rows)
    expect([[1, 1], [0, 0], [1, 0]].map((features) => classifier.good(features).toFixed(6))).toEqual(['0.240356', '0.863539', '0.654987'])
    expect([classifier.records(true), classifier.records(false)]).toEqual([6, 4])
  })

  it('takes everything for good until something was bad, and for bad until something was good', () => {
    const classifier = new GoodBadClassifier([3])
    expect(classifier.good([2])).toBe(1)
    classifier.learn([2], true)
    expect([classifier.good([2]), classifier.good([0])]).toEqual([1, 1])
    expect(learnt([3], [[[2], false]]).good([0])).toBe(0)
  })

  it('finds pairs of equal odds equal, in whatever order they are multiplied up', () => {
    // the three features have the same counts, so that it does not matter which of them is 1
    const classifier = learnt([2, 2, 2], [[[1, 1, 1], true], [[1, 1, 1], false], [[0, 0, 0], false], [[0, 0, 0], false]])
    expect(classifier.good([1, 0, 0])).toBe(classifier.good([0, 0, 1])) // 0.14637002341920377 and ...374 without rounding
  })

  it('forgets: the latest records outweigh any number of old ones', () => {
    const old: Row[] = Array.from({ length: 200 }, () => [[1], true])
    const late: Row[] = Array.from({ length: 20 }, () => [[1], false])
    expect(learnt([2], [...old, ...late]).good([1])).toBeGreaterThan(0.9)
    expect(learnt([2], [...old, ...late], { decay: 0.9 }).good([1])).toBeLessThan(0.3)
  })

  it('survives a thousand features and a million forgotten records', () => {
    const values = Array.from({ length: 1000 }, () => 2)
    const of = (value: number) => values.map(() => value)
    const many = learnt(values, [[of(1), true], [of(0), false]])
    expect([many.good(of(1)), many.good(of(0))]).toEqual([1, 0])
    const forgetful = new GoodBadClassifier([2], { decay: 0.5 })
    for (let i = 0; i < 1e6; i++) forgetful.learn([i % 2], i % 2 === 1)
    expect(forgetful.good([1])).toBeCloseTo(plain([2], Array.from({ length: 60 }, (_, i): Row => [[i % 2], i % 2 === 1]), [1], { decay: 0.5 }), 12)
  })

  it('agrees with the formula evaluated anew, whatever the records, and its probabilities of both classes sum to 1', () => {
    const cases = fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 5 }).chain((values) => {
      const features = fc.tuple(...values.map((count) => fc.nat({ max: count - 1 })))
      return fc.record({
        values: fc.constant(values),
        rows: fc.array(fc.tuple(features, fc.boolean()), { maxLength: 40 }),
        asked: features,
        decay: fc.constantFrom(1, 0.9, 0.25),
        smoothing: fc.constantFrom(1, 0.1, 3),
      })
    })
    fc.assert(
      fc.property(cases, ({ values, rows, asked, ...options }) => {
        const [classifier, mirrored] = [learnt(values, rows, options), learnt(values, rows.map(([features, isGood]): Row => [features, !isGood]), options)]
        expect(classifier.good(asked)).toBeCloseTo(plain(values, rows, asked, options), 10)
        if (rows.length > 0) expect(classifier.good(asked) + mirrored.good(asked)).toBeCloseTo(1, 10)
      }),
      { seed: 12, numRuns: 200 },
    )
  })

  it('refuses what it cannot count', () => {
    const classifier = new GoodBadClassifier([2, 3])
    expect(() => classifier.good([1])).toThrow('1 features are given, and 2 are known. Give every feature.')
    expect(() => classifier.learn([1, 3], true)).toThrow('feature 1 is 3. It is a whole number from 0 to 2.')
    expect(() => classifier.good([NaN, 0])).toThrow('feature 0 is NaN.')
    expect(() => new GoodBadClassifier([2], { smoothing: 0 })).toThrow('smoothing is 0.')
    expect(() => new GoodBadClassifier([2], { decay: 1.5 })).toThrow('decay is 1.5.')
    expect(() => new GoodBadClassifier([0])).toThrow('feature 0 has 0 values.')
  })
})
