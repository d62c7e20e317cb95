import { randomStream } from '@sched/core'
import { BayesClassifier, trainBayes, type ClusterShape, type Plan, type Sample } from '@sched/placement'
import { naiveLogOdds, naiveModel } from '../baselines/naive-bayes.js'
import { cost } from '../harness/figures.js'
import type { Benchmark, Prepared, Variant } from '../harness/benchmark.js'

/** The clusters of the issue: that of the paper, and one of 10,000 nodes. */
const clusters = { '4x8': { racks: 4, nodes: 8 }, '40x250': { racks: 40, nodes: 250 } } as const

/** The classifier of communication: training, and predictions of plans, each with the extraction of its features. */
export const bayes: Benchmark = {
  name: 'bayes',
  summary:
    'The classifier of communication (Gaussian naive Bayes): predictions of plans of 4 x 8 and 40 x 250 nodes, and training on 10,000 plans of 10 x 32 nodes. Naive: the formulas written out over arrays of samples and features.',
  variants: [
    predicting('4x8', clusters['4x8'], 50_000),
    predicting('40x250', clusters['40x250'], 500),
    predicting('4x8-naive', clusters['4x8'], 50_000, true),
    training('train', false),
    training('train-naive', true),
  ],
  agree: [['4x8', '4x8-naive'], ['train', 'train-naive']],
  figures: (measured) => [
    cost('bayes/predict-4x8', 'ns', measured['4x8']!, { baseline: measured['4x8-naive'], goals: [{ of: 'warm', atMost: 5000 }] }),
    cost('bayes/predict-40x250', 'ns', measured['40x250']!, { goals: [{ of: 'warm', atMost: 1e6 }] }),
    cost('bayes/predict-4x8/naive', 'ns', measured['4x8-naive']!),
    cost('bayes/train-10,000x320', 'ns', measured['train']!, { baseline: measured['train-naive'], goals: [{ of: 'warm', atMost: 1e9 }] }),
    cost('bayes/train-10,000x320/naive', 'ns', measured['train-naive']!),
  ],
}

/** Plans of active jobs, which are everywhere, and of lazy ones, which are on half of the racks. */
function samplesOf(count: number, { racks, nodes }: ClusterShape): Sample[] {
  const random = randomStream(1, 'plans')
  const rackOf = (isUsed: boolean) => Array.from({ length: nodes }, () => (isUsed ? Math.floor(random() * 8) : 0))
  return Array.from({ length: count }, (_, i) => {
    const isActive = i % 3 === 0
    const plan: Plan = Array.from({ length: racks }, (_rack, rack) => rackOf(isActive || rack < racks / 2))
    return { plan, isActive }
  })
}

function predicting(name: string, shape: ClusterShape, count: number, isNaive = false): Variant {
  return {
    name,
    prepare(size): Prepared {
      const samples = samplesOf(60, shape)
      const classifier = new BayesClassifier(trainBayes(samples))
      const naive = naiveModel(samples)
      const oddsOf = isNaive ? (plan: Plan) => naiveLogOdds(naive, plan) : (plan: Plan) => classifier.predict(plan).logOdds
      return {
        run(hash) {
          const work = size === 'small' ? 30 : count
          let check = 0
          for (let i = 0; i < work; i++) {
            const odds = oddsOf(samples[i % samples.length]?.plan as Plan)
            check += odds > 0 ? i : 0
            hash?.add(i, odds > 0 ? 1 : 0, 0)
          }
          return { work, check }
        },
      }
    },
  }
}

function training(name: string, isNaive: boolean): Variant {
  return {
    name,
    prepare(size): Prepared {
      const samples = samplesOf(size === 'small' ? 50 : 10_000, { racks: 10, nodes: 32 })
      const firstMean = () => {
        if (isNaive) return naiveModel(samples).active.mean[0] as number
        const model = trainBayes(samples)
        return model.kind === 'gaussian' ? (model.classes.C1.mean[0] as number) : NaN
      }
      return {
        run(hash) {
          const check = firstMean()
          hash?.add(1, Math.round(check * 1e9), 0)
          return { work: 1, check }
        },
      }
    },
  }
}
