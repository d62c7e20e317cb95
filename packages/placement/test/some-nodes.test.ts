import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { weighted, type WeightedOptions } from '../src/index.js'
import { Play } from './world.js'

interface Amounts {
  cpu: number
  memory: number
}
type Score = (free: Amounts, total: Amounts, asked: Amounts) => number

/** Whole percent of each resource, and of their mean. */
const least: Score = (free, total, asked) => Math.floor((Math.floor(((free.cpu - asked.cpu) * 100) / total.cpu) + Math.floor(((free.memory - asked.memory) * 100) / total.memory)) / 2)
const balanced: Score = (free, total, asked) => {
  const parts = (['cpu', 'memory'] as const).map((r) => (total[r] - free[r] + asked[r]) / total[r]) as [number, number]
  return Math.floor((1 - Math.abs((parts[0] - parts[1]) / 2)) * 100)
}
const freePart: Score = (free, total) => (free.cpu / total.cpu + free.memory / total.memory) / 2

/** The score of each of the nodes that are chosen from. */
type Sums = (nodes: readonly number[], score: (of: Score) => (node: number) => number) => number[]
const percentages: Sums = (nodes, score) => nodes.map((node) => 2 * score(least)(node) + score(balanced)(node))
/** The free part from 0 to 1 over these nodes, and percentages as they are. */
const mixed: Sums = (nodes, score) => {
  const parts = nodes.map(score(freePart))
  const [low, high] = [Math.min(...parts), Math.max(...parts)]
  return nodes.map((node, i) => (high === low ? 0 : ((parts[i] as number) - low) / (high - low)) + score(least)(node) / 100)
}

const kinds: readonly (readonly [string, WeightedOptions['scores'], Sums])[] = [
  ['percentages', { 'least-allocated': 2, 'balanced-allocation': 1 }, percentages],
  ['one score', { 'worst-fit': 3 }, (nodes, score) => nodes.map(score(freePart))],
  ['percentages and another score', { 'worst-fit': 1, 'least-allocated': 1 }, mixed],
]

const enoughOf = (nodes: number, percentage: number) => Math.max(100, Math.floor((nodes * (percentage === 0 ? 50 - Math.floor(nodes / 125) : percentage)) / 100))
const asked = fc.record({ cpu: fc.integer({ min: 1, max: 4 }), memory: fc.integer({ min: 1, max: 5 }) })
const steps = fc.array(fc.record({ tasks: fc.integer({ min: 1, max: 60 }), demand: asked, ends: fc.nat({ max: 60 }) }), { minLength: 6, maxLength: 12 })

describe('weighted placement on a large cluster', () => {
  it.each(kinds)('chooses among as many nodes as are enough, from where the search before stopped, as written down plainly: %s', { tags: 'long' }, (_, scores, sums) => {
    let starts = 0
    const choices = fc.record({ nodes: fc.integer({ min: 95, max: 150 }), percentageOfNodesToScore: fc.constantFrom(0, 1, 75, 100), isApart: fc.boolean(), plan: steps })
    fc.assert(
      fc.property(choices, ({ nodes, percentageOfNodesToScore, isApart, plan }) => {
        const totals = Array.from({ length: nodes }, (_, node): Amounts => ({ cpu: 5 + (node % 3), memory: 9 - (node % 2) }))
        const free = totals.map((each) => ({ ...each }))
        const groups = totals.map((total, node) => ({ names: [`n-${node}`], count: 1, resources: { ...total } }))
        const play = new Play({ nodes: groups }, weighted({ ...(scores && { scores }), percentageOfNodesToScore, ...(isApart && { antiAffinity: 'job' as const }) }))
        const enough = enoughOf(nodes, percentageOfNodesToScore)
        const running: { id: number; node: number; job: number; demand: Amounts }[] = []
        let from = 0
        for (const [job, { tasks, demand, ends }] of plan.entries()) {
          const taken = new Set<number>()
          const score = (of: Score) => (node: number) => of(free[node] as Amounts, totals[node] as Amounts, demand)
          const next = (): number | undefined => {
            const found: number[] = []
            const start = enough < nodes ? from : 0
            let looked = 0
            for (; looked < nodes && found.length < enough; looked++) {
              const node = (start + looked) % nodes
              const { cpu, memory } = free[node] as Amounts
              if (cpu >= demand.cpu && memory >= demand.memory && !(isApart && taken.has(node))) found.push(node)
            }
            from = (start + looked) % nodes
            const all = sums(found, score)
            return found[all.indexOf(Math.max(...all))]
          }
          const started = play.start(tasks, { ...demand })
          for (const start of [...started, ...(started.length < tasks ? [undefined] : [])]) {
            const node = next()
            expect(start?.node).toBe(node)
            if (start === undefined || node === undefined) break
            change(free[node] as Amounts, demand, -1)
            taken.add(node)
            running.push({ id: start.id, node, job, demand })
            starts++
          }
          play.drop()
          for (const { id, node, demand: back } of running.splice(0, ends)) {
            play.end(id)
            change(free[node] as Amounts, back, 1)
          }
        }
      }),
      { seed: 11, numRuns: 25 },
    )
    expect(starts).toBeGreaterThan(3000)
  })
})

function change(amount: Amounts, by: Amounts, sign: 1 | -1): void {
  amount.cpu += sign * by.cpu
  amount.memory += sign * by.memory
}
