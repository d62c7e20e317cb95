import { randomStream } from '@sched/core'
import { describe, expect, it } from 'vitest'
import { weighted, type WeightedOptions } from '../src/index.js'
import { Play } from './world.js'

const node = (name: string, labels: Record<string, string> = {}) => ({ name, count: 1, resources: { cpu: 4 }, labels })
const nodes = [node('plain'), node('spot', { group: 'spot' }), node('fixed', { group: 'fixed', disk: 'ssd' })]

/** Where a job of the queue starts on empty nodes. */
const chosen = (queue: string, options: WeightedOptions): string | undefined => new Play({ nodes }, weighted(options)).places(1, { cpu: 1 }, { queue })[0]

describe('queue-labels', () => {
  const queueLabels = { nlp: { group: { spot: 50, fixed: 150 } }, etl: { group: { spot: 100, fixed: 75 }, disk: { ssd: 50 } }, web: { group: { spot: -1, fixed: -1 } } }

  it.each<[string, WeightedOptions, string]>([
    ['nlp', { scores: { 'queue-labels': 1 }, queueLabels }, 'fixed-0'],
    ['etl', { scores: { 'queue-labels': 1 }, queueLabels }, 'fixed-0'], // 75 + 50 against 100
    ['web', { scores: { 'queue-labels': 1 }, queueLabels }, 'plain-0'],
    ['others', { scores: { 'queue-labels': 1 }, queueLabels }, 'plain-0'],
    ['nlp', { scores: { 'worst-fit': 1 }, queueLabels }, 'plain-0'], // the score does not count
    ['nlp', { scores: { 'least-allocated': 1 }, queueLabels }, 'plain-0'],
    ['nlp', { scores: { 'least-allocated': 1, 'queue-labels': 1 }, queueLabels }, 'fixed-0'],
    ['others', { scores: { 'least-allocated': 1, 'queue-labels': 1 }, queueLabels }, 'plain-0'],
  ])('a job of %s with %o goes to %s', (queue, options, expected) => {
    expect(chosen(queue, options)).toBe(expected)
  })

  it('take a name for no more than a name, also where all objects have something of that name', () => {
    const labelled = [node('named', { group: 'constructor' }), node('fixed', { group: 'fixed' })]
    const on = (queue: string, queueLabels: WeightedOptions['queueLabels']) => new Play({ nodes: labelled }, weighted({ scores: { 'queue-labels': 1 }, queueLabels })).places(1, { cpu: 1 }, { queue })[0]
    expect(on('nlp', { nlp: { group: { fixed: 50 } } })).toBe('fixed-0')
    expect(on('nlp', { nlp: { group: { fixed: 50, constructor: 60 } } })).toBe('named-0')
    expect(on('constructor', { nlp: { group: { fixed: 50 } } })).toBe('named-0') // the first: nothing is said of the queue
  })

  it('are percentages, which add up with those of other scores by weight', () => {
    const play = (weight: number) => {
      const world = new Play({ nodes }, weighted({ scores: { 'least-allocated': 2, 'queue-labels': weight }, queueLabels: { nlp: { group: { fixed: 50 } } } }))
      return world.places(4, { cpu: 1 }, { queue: 'nlp' })
    }
    // 2 x 75 + 50 = 200, then 2 x 50 + 50 = 150, as the others have, of which the first is lower; with weight 2 it is better twice
    expect(play(1)).toEqual(['fixed-0', 'plain-0', 'spot-0', 'fixed-0'])
    expect(play(2)).toEqual(['fixed-0', 'fixed-0', 'plain-0', 'spot-0'])
  })

  it('choose as a look at all nodes does, for queues of which something is said and others, in random worlds', () => {
    const next = randomStream(7, 'queue-labels')
    const whole = (most: number): number => Math.floor(next() * most)
    for (let world = 0; world < 150; world++) {
      const all = Array.from({ length: 6 }, (_, i) => ({ name: `n${i}`, count: 1, resources: { cpu: 4 + whole(5), mem: 4 + whole(5) }, labels: { zone: 'abc'[whole(3)] as string } }))
      const percent = { a: whole(200) - 50, b: whole(200) - 50 }
      const [fit, of] = [1 + whole(3), 1 + whole(3)]
      const play = new Play({ nodes: all }, weighted({ scores: { 'least-allocated': fit, 'queue-labels': of }, queueLabels: { said: { zone: percent } } }))
      const used = all.map(() => ({ cpu: 0, mem: 0 }))
      for (let job = 0; job < 12; job++) {
        const queue = next() < 0.6 ? 'said' : 'other'
        const asked = { cpu: 1 + whole(3), mem: 1 + whole(3) }
        const scores = all.map(({ resources, labels }, i) => {
          const free = (['cpu', 'mem'] as const).map((name) => resources[name] - (used[i] as typeof asked)[name] - asked[name])
          if (Math.min(...free) < 0) return -Infinity
          const left = Math.floor((Math.floor((100 * (free[0] as number)) / resources.cpu) + Math.floor((100 * (free[1] as number)) / resources.mem)) / 2)
          return fit * left + (queue === 'said' ? of * (percent[labels.zone as 'a'] ?? 0) : 0)
        })
        const best = Math.max(...scores)
        const expected = best === -Infinity ? -1 : scores.indexOf(best)
        expect(play.places(1, asked, { queue }), `world ${world}, job ${job}`).toEqual(expected < 0 ? [] : [`n${expected}-0`])
        if (expected < 0) play.drop()
        else for (const name of ['cpu', 'mem'] as const) (used[expected] as typeof asked)[name] += asked[name]
      }
    }
  })
})
