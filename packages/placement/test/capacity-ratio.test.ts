import type { Demand } from '@sched/core'
import { describe, expect, it } from 'vitest'
import { weighted, type WeightedOptions } from '../src/index.js'
import { alongShape } from '../src/scored/capacity-ratio.js'
import { Play } from './world.js'

// Cases of kube-scheduler's own tests (requested_to_capacity_ratio_test.go).

type Cluster = ConstructorParameters<typeof Play>[0]
const pair = (small: Record<string, number>, large: Record<string, number>) => ({ nodes: [['small', small], ['large', large]].map(([name, resources]) => ({ name: name as string, count: 1, resources: resources as Record<string, number> })) })

it.each<[string, readonly (readonly [utilization: number, score: number])[], readonly (readonly [at: number, score: number])[]]>([
  ['rises', [[10, 1], [90, 9]], [[0, 10], [9, 10], [10, 10], [15, 15], [19, 19], [20, 20], [89, 89], [90, 90], [99, 90], [100, 90]]],
  ['rises and falls', [[0, 2], [40, 10], [100, 0]], [[0, 20], [20, 60], [30, 80], [40, 100], [70, 50], [100, 0]]],
  ['falls by thirds', [[0, 10], [30, 9]], [[1, 100], [2, 100], [3, 99], [30, 90]]], // divisions drop the rest
  ['is level', [[0, 2], [40, 2], [100, 2]], [[0, 20], [40, 20], [70, 20]]],
  ['is one point', [[50, 3]], [[0, 30], [50, 30], [100, 30]]],
])('a shape that %s is followed from point to point (TestBrokenLinearFunction)', (_, points, expected) => {
  const scoreAt = alongShape(points.map(([utilization, score]) => ({ utilization, score })))
  expect(expected.map(([at]) => [at, scoreAt(at)])).toEqual(expected)
})

describe('requested to capacity ratio', () => {
  const by = (shape: NonNullable<WeightedOptions['shape']>, cluster: Cluster, used: readonly Demand[], asked: Demand, resourceWeights = {}) => {
    const play = new Play(cluster, weighted({ scores: { 'requested-to-capacity-ratio': 1 }, shape, resourceWeights }))
    for (const [node, demand] of used.entries()) if (Object.keys(demand).length > 0) play.use(node, demand)
    return play.places(1, asked)[0]
  }
  const [falls, rises] = [[{ utilization: 0, score: 10 }, { utilization: 100, score: 0 }], [{ utilization: 0, score: 0 }, { utilization: 100, score: 1 }]]
  const two = pair({ foo: 8, bar: 4 }, { foo: 4, bar: 8 })

  it.each<[string, NonNullable<WeightedOptions['shape']>, Cluster, Demand[], Demand, string, object?]>([
    // TestRequestedToCapacityRatioScoringStrategy: (25 + 50) / 2, which is rounded to 38, against 50
    ['falls with what is in use', falls, pair({ cpu: 4000, mem: 10000 }, { cpu: 6000, mem: 10000 }), [], { cpu: 3000, mem: 5000 }, 'large-0'],
    // TestResourceBinPackingSingleExtended: 2 of 8 against 2 of 4; 4 of 8 beside others against 2 of 4
    ['rises with it', rises, pair({ foo: 8 }, { foo: 4 }), [], { foo: 2 }, 'large-0'],
    ['counts what others have', rises, pair({ foo: 8 }, { foo: 8 }), [{}, { foo: 2 }], { foo: 4 }, 'large-0'],
    // TestResourceBinPackingMultipleExtended: (2 x 3 + 5 x 5) / 8 = 4 against (5 x 3 + 2 x 5) / 8 = 3; with 4 foo and 2 bar in use on the other 4 against (10 x 3 + 5 x 5) / 8 = 7; 5 against (10 x 3 + 2 x 5) / 8 = 5
    ['weighs resources', rises, two, [], { foo: 2, bar: 2 }, 'small-0', { foo: 3, bar: 5 }],
    ['weighs what is in use, too', rises, two, [{}, { foo: 2, bar: 2 }], { foo: 2, bar: 2 }, 'large-0', { foo: 3, bar: 5 }],
    ['is the same for both', rises, two, [], { foo: 4, bar: 2 }, 'small-0', { foo: 3, bar: 5 }],
    // what scores 0 does not count: 10 of one resource against (10 + 1) / 2 of two
    ['leaves out what scores nothing', rises, pair({ foo: 4, bar: 100 }, { foo: 4, bar: 100 }), [{ foo: 2 }, { foo: 2, bar: 10 }], { foo: 2 }, 'small-0'],
  ])('%s', (_, shape, cluster, used, asked, expected, resourceWeights) => {
    expect(by(shape, cluster, used, asked, resourceWeights)).toBe(expected)
  })

  it('wants utilizations that rise', () => {
    expect(() => by([{ utilization: 50, score: 1 }, { utilization: 50, score: 2 }], two, [], { foo: 1 })).toThrow('utilizations must rise')
  })
})
