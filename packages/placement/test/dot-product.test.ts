import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { bestFit, dotProduct } from '../src/index.js'
import { Play } from './world.js'

const amount = fc.record({ cpu: fc.integer({ min: 0, max: 4 }), memory: fc.integer({ min: 1, max: 4 }) })
const size = fc.record({ cpu: fc.integer({ min: 4, max: 12 }), memory: fc.integer({ min: 4, max: 12 }) })
const step = fc.record({ shape: fc.nat({ max: 19 }), tasks: fc.integer({ min: 1, max: 6 }), ends: fc.nat({ max: 8 }), toggled: fc.option(fc.nat({ max: 11 }), { freq: 4 }) })

type Amounts = Readonly<Record<'cpu' | 'memory', number>>
/** What is largest on the node that is taken: of the demand, what is free and what an average node has. */
const placements = [
  { name: 'dot-product', placement: dotProduct, score: (asked: Amounts, free: Amounts, mean: Amounts) => (asked.cpu * free.cpu) / mean.cpu ** 2 + (asked.memory * free.memory) / mean.memory ** 2 },
  { name: 'best-fit', placement: bestFit, score: (_: Amounts, free: Amounts, mean: Amounts) => -free.cpu / mean.cpu - free.memory / mean.memory },
]

describe.each(placements)('$name', ({ placement, score: scoreOf }) => {
  it('takes the best of all nodes, of many shapes and sizes, while nodes come and go', { tags: 'long' }, () => {
    let starts = 0
    fc.assert(
      fc.property(fc.array(size, { minLength: 2, maxLength: 12 }), fc.array(amount, { minLength: 20, maxLength: 20 }), fc.array(step, { minLength: 10, maxLength: 60 }), (sizes, shapes, plan) => {
        const play = new Play({ nodes: sizes.map((resources, node) => ({ name: `n${node}`, names: [`n-${node}`], count: 1, resources })) }, placement())
        const free = sizes.map((each) => ({ ...each }))
        const isUp = sizes.map(() => true)
        const running: { id: number; node: number; shape: number }[] = []
        for (const { shape, tasks, ends, toggled } of plan) {
          const demand = shapes[shape] as (typeof shapes)[number]
          const starting = play.start(tasks, demand)
          const mean = { cpu: 0, memory: 0 }
          for (const [node, each] of sizes.entries())
            if (isUp[node] === true) {
              mean.cpu += each.cpu / sizes.length
              mean.memory += each.memory / sizes.length
            }
          for (let i = 0; i < tasks; i++) {
            const fits = (node: number) => isUp[node] === true && (free[node]?.cpu ?? 0) >= demand.cpu && (free[node]?.memory ?? 0) >= demand.memory
            const score = (node: number) => scoreOf(demand, free[node] as Amounts, mean)
            const fitting = [...sizes.keys()].filter(fits)
            const started = starting[i]
            expect(started === undefined).toBe(fitting.length === 0)
            if (started === undefined) break
            expect(fits(started.node)).toBe(true)
            for (const node of fitting) expect(score(node) - score(started.node)).toBeLessThan(1e-9)
            for (const r of ['cpu', 'memory'] as const) (free[started.node] as (typeof sizes)[number])[r] -= demand[r]
            running.push({ ...started, shape })
            starts++
          }
          play.drop()
          for (const { id, node, shape: was } of running.splice(0, ends)) {
            play.end(id)
            for (const r of ['cpu', 'memory'] as const) (free[node] as (typeof sizes)[number])[r] += shapes[was]?.[r] ?? 0
          }
          if (toggled === null || toggled >= sizes.length || running.some(({ node }) => node === toggled)) continue
          isUp[toggled] = isUp[toggled] !== true
          if (isUp[toggled]) play.dispatcher.nodeUp(`n-${toggled}`)
          else play.dispatcher.nodeDown(`n-${toggled}`)
        }
      }),
      { seed: 11, numRuns: 100 },
    )
    expect(starts).toBeGreaterThan(2000)
  })
})
