import { describe, expect, it } from 'vitest'
import { BayesClassifier, communicationActivity, crossValidate, extractFeatures, modelText, parseModel, proportionalParts, redeploy, thresholdForActiveFraction, trainBayes, type Plan } from '../src/index.js'

const samples = [
  { plan: [[1, 2], [3, 4]], isActive: true },
  { plan: [[4, 0], [0, 0]], isActive: false },
  { plan: [[5, 0], [1, 0]], isActive: false },
]
const model = trainBayes(samples, { labels: { threshold: 0.38, activity: 'common', largest: 1e9, source: 'three jobs' } })
const changed = (change: object) => JSON.stringify({ ...model, ...change })

describe('a model file', () => {
  it('holds the model, and the same model is the same bytes', () => {
    const text = modelText(model)
    expect(parseModel(text)).toEqual(model)
    expect(modelText(parseModel(text))).toBe(text)
    expect(JSON.parse(text)).toMatchObject({ format: 'sched-bayes-model', version: 1, kind: 'gaussian', cluster: { racks: 2, nodes: 2 }, training: { samples: 3, active: 1, threshold: 0.38, source: 'three jobs' } })
    const bits = trainBayes(samples, { kind: 'bernoulli' })
    expect(parseModel(modelText(bits))).toEqual(bits)
  })

  it('of another version, of another format, with too few features or values that are none is refused', () => {
    const refusal = (text: string) => () => parseModel(text, 'model.json')
    expect(refusal(changed({ version: 2 }))).toThrow('"model.json" version: is 2, and this program reads version 1. Train the model again.')
    expect(refusal(changed({ version: undefined }))).toThrow('"model.json" version: is missing, and this program reads version 1.')
    expect(refusal('{"kind": "gaussian"}')).toThrow('"model.json": is no model of communication. Write one with `sched bayes train`.')
    expect(refusal('{')).toThrow('"model.json": is not JSON')
    const { C0, C1 } = model.classes as { C0: { mean: number[] }; C1: { mean: number[]; variance: number[] } }
    expect(refusal(changed({ classes: { C0, C1: { ...C1, mean: C1.mean.slice(1) } } }))).toThrow('"model.json" classes.C1.mean: has 3 numbers, and 2 racks x 2 nodes have 4 features. Train the model again.')
    expect(refusal(changed({ classes: { C0 } }))).toThrow('"model.json" classes.C1: is missing')
    expect(refusal(changed({ classes: { C0: { ...C0, samples: 0 }, C1 } }))).toThrow('"model.json" classes.C0.samples: found 0')
    expect(refusal(changed({ classes: { C0, C1: { ...C1, variance: [0, 1, 1, 1] } } }))).toThrow('"model.json" classes.C1.variance[0]: found 0')
    expect(refusal(modelText(model).replace(/"max": 100/, '"max": null'))).toThrow('"model.json" max: found null')
    expect(refusal(changed({ extra: 1 }))).toThrow('unknown key "extra".')
  })
})

describe('bad input', () => {
  const classifier = new BayesClassifier(model)

  it('is a plan of another cluster shape', () => {
    expect(() => classifier.predict([[1, 2, 3], [1, 2, 3]])).toThrow('plan: is of a cluster of 2 racks x 3 nodes, the model of one of 2 racks x 2 nodes. Train a model on runs of this cluster.')
    expect(() => classifier.predict([[1, 2]])).toThrow('plan: is of a cluster of 1 rack x 2 nodes, the model of one of 2 racks x 2 nodes.')
    expect(() => trainBayes([...samples, { plan: [[1], [1]], isActive: true }])).toThrow('samples[3].plan: is of a cluster of 2 racks x 1 node')
    expect(() => redeploy([[1, 2], [1, 2]], { classifier, performance: [[1, 1]], random: () => 0, rebalanceLazy: true })).toThrow('performance: is of a cluster of 1 rack x 2 nodes')
  })

  it('is a feature that is missing or NaN', () => {
    expect(() => classifier.predict([[1, NaN], [1, 2]])).toThrow('plan[0][1]: is NaN. Use a number of tasks, at least 0.')
    expect(() => classifier.predict([[1, -1], [1, 2]])).toThrow('plan[0][1]: is -1.')
    expect(() => classifier.predict([[1, 2], [undefined, 2]] as unknown as Plan)).toThrow('plan[1][0]: is missing. Write null for an absent node.')
    expect(() => extractFeatures([[1, 2], [1]])).toThrow('plan[1]: has 1 entries, rack 0 has 2. Write null for nodes that a rack has not.')
    expect(() => extractFeatures([])).toThrow('plan: has no nodes.')
    expect(() => classifier.predictFeatures([1, 2, 3])).toThrow('features: has 3 numbers, the model 4.')
    expect(() => classifier.predictFeatures([1, 2, 3, NaN])).toThrow('features[3]: is NaN.')
    expect(() => trainBayes([{ plan: [[1, Infinity]], isActive: true }, { plan: [[1, 1]], isActive: false }])).toThrow('samples[0].plan[0][1]: is Infinity.')
  })

  it('is a class without samples, or with too few for the folds', () => {
    expect(() => trainBayes(samples.slice(1))).toThrow('samples: class C1 (active) has no samples among 2 jobs. Measure more jobs, or choose another threshold.')
    expect(() => trainBayes(samples.slice(0, 1))).toThrow('samples: class C0 (lazy) has no samples among 1 jobs.')
    expect(() => trainBayes([])).toThrow('class C1 (active) has no samples among 0 jobs.')
    expect(() => crossValidate(samples, { folds: 3 })).toThrow('samples: class C1 (active) has 1 of 3 samples. Cross-validation needs at least 2 of each class.')
    expect(() => crossValidate(samples)).toThrow('folds: is 5, and there are 3 samples.')
    expect(() => trainBayes(samples, { varianceFloor: 0 })).toThrow('varianceFloor: feature 1 is the same in all samples of class C0, and no variance is too small.')
  })

  it('is a volume, a fraction or a performance that is none', () => {
    expect(() => communicationActivity([1, NaN])).toThrow('volumes[1]: is NaN.')
    expect(() => communicationActivity([1], 0)).toThrow('largest: the largest volume of a pair is 0.')
    expect(() => thresholdForActiveFraction([0.1], 0)).toThrow('fraction: is 0.')
    expect(() => thresholdForActiveFraction([], 0.3)).toThrow('activities: there are no activities.')
    expect(() => thresholdForActiveFraction([0.1, 2], 0.3)).toThrow('activities[1]: is 2.')
    expect(() => proportionalParts(3, [1, 0])).toThrow('performance[1]: is 0.')
  })
})
