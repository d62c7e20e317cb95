import type { Plug } from '@sched/core'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { dotProduct, pack, roundRobin, spread, weighted } from '../src/index.js'
import { Play } from './world.js'

/** What a plain placement knows: all amounts and all running tasks, in lists. */
interface State {
  readonly total: Amounts
  readonly free: Amounts[]
  readonly rackOf: readonly number[]
  readonly running: { readonly job: number; readonly node: number }[]
  readonly job: number
  readonly demand: Amounts
  last: number
}
interface Amounts {
  readonly cpu: number
  readonly memory: number
}
type Choose = (state: State, fitting: readonly number[]) => number | undefined
type Score = (state: State, node: number) => number

/** The first of the nodes with the highest score. */
const best = (score: Score): Choose => (state, fitting) => fitting.find((node) => fitting.every((other) => score(state, other) <= score(state, node)))

const company: Score = ({ running, job, rackOf }, node) => {
  const own = running.filter((task) => task.job === job)
  return own.filter((task) => rackOf[task.node] === rackOf[node]).length + own.filter((task) => task.node === node).length / (own.length + 1)
}
const alike: Score = ({ demand, free, total }, node) => {
  const { cpu, memory } = free[node] as Amounts
  return 0 + (demand.cpu / total.cpu) * (cpu / total.cpu) + (demand.memory / total.memory) * (memory / total.memory)
}
const freePart: Score = ({ free, total }, node) => ((free[node] as Amounts).cpu / total.cpu + (free[node] as Amounts).memory / total.memory) / 2

const full: Score = ({ demand, free, total }, node) => {
  const { cpu, memory } = free[node] as Amounts
  return 0 + (total.cpu - cpu + demand.cpu) / total.cpu + (3 * (total.memory - memory + demand.memory)) / total.memory
}

const inTurn = (isNext: (node: number, last: number) => boolean): Choose => (state, fitting) => {
  const chosen = fitting.find((node) => isNext(node, state.last)) ?? fitting[0]
  if (chosen !== undefined) state.last = chosen
  return chosen
}

/** Nodes of even number, without a task of the job; then free parts twice as heavy as company, each from 0 to 1 over these nodes. */
const filteredAndScored: Choose = (state, fitting) => {
  const passing = fitting.filter((node) => node % 2 === 0 && !state.running.some((task) => task.job === state.job && task.node === node))
  const scaled = (score: Score, node: number) => {
    const values = passing.map((each) => score(state, each))
    const [least, most] = [Math.min(...values), Math.max(...values)]
    return most === least ? undefined : (score(state, node) - least) / (most - least)
  }
  const sum = (node: number) => {
    const [worst, together] = [scaled(freePart, node), scaled(company, node)]
    return 0 + (worst === undefined ? 0 : 2 * worst) + (together === undefined ? 0 : together)
  }
  return passing.find((node) => passing.every((other) => sum(other) <= sum(node)))
}

/** Nodes of even number, without a task of the job; of them the one with the largest part free. */
const filtered: Choose = (state, fitting) => best(freePart)(state, fitting.filter((node) => node % 2 === 0 && !state.running.some((task) => task.job === state.job && task.node === node)))

const kinds: readonly (readonly [string, () => Plug<'placement'>, Choose])[] = [
  ['dot-product', dotProduct, best(alike)],
  ['pack', pack, best(company)],
  ['spread', spread, best((state, node) => -company(state, node))],
  ['round-robin', roundRobin, inTurn((node, last) => node > last)],
  ['next fit', () => roundRobin({ stay: true }), inTurn((node, last) => node >= last)],
  ['binpack', () => weighted({ scores: { binpack: 1 }, resourceWeights: { memory: 3 } }), best(full)],
  ['filtered', () => weighted({ labels: { half: 'even' }, antiAffinity: 'job' }), filtered],
  ['weighted', () => weighted({ scores: { 'worst-fit': 2, pack: 1 }, labels: { half: 'even' }, antiAffinity: 'job' }), filteredAndScored],
]

const amounts = fc.record({ cpu: fc.integer({ min: 1, max: 5 }), memory: fc.integer({ min: 1, max: 7 }) })
const steps = fc.array(fc.record({ tasks: fc.integer({ min: 1, max: 12 }), demand: amounts, ends: fc.nat({ max: 9 }) }), { minLength: 1, maxLength: 12 })
const total: Amounts = { cpu: 8, memory: 16 }

describe('a placement', () => {
  it.each(kinds)('chooses as written down plainly: %s', (_, placement, choose) => {
    let starts = 0
    fc.assert(
      fc.property(fc.array(fc.nat({ max: 3 }), { minLength: 1, maxLength: 12 }), fc.constantFrom('as they are', 'in order', 'none'), steps, (drawn, racks, plan) => {
        const rackOf = racks === 'none' ? [...drawn.keys()] : racks === 'in order' ? drawn.toSorted((a, b) => a - b) : drawn
        const placeOf = (rack: number) => (racks === 'none' ? {} : { racks: [`r${rack}`] })
        const play = new Play({ nodes: rackOf.map((rack, node) => ({ name: `n${node}`, names: [`n-${node}`], count: 1, ...placeOf(rack), resources: { ...total }, labels: { half: node % 2 === 0 ? 'even' : 'odd' } })) }, placement())
        const free = rackOf.map((): Amounts => total)
        const running: { id: number; job: number; node: number; demand: Amounts }[] = []
        let last = -1
        for (const [job, { tasks, demand, ends }] of plan.entries()) {
          const started = play.start(tasks, { ...demand })
          for (const start of [...started, ...(started.length < tasks ? [undefined] : [])]) {
            const state: State = { total, free, rackOf, running, job, demand, last }
            const fitting = free.flatMap((each, i) => (each.cpu >= demand.cpu && each.memory >= demand.memory ? [i] : []))
            expect(start?.node).toBe(choose(state, fitting))
            if (start === undefined) break
            const { id, node } = start
            last = state.last
            free[node] = change(free[node] as Amounts, demand, -1)
            running.push({ id, job, node, demand })
            starts++
          }
          play.drop()
          for (const { id, node, demand: back } of running.splice(0, ends)) {
            play.end(id)
            free[node] = change(free[node] as Amounts, back, 1)
          }
        }
      }),
      { seed: 3, numRuns: 100 },
    )
    expect(starts).toBeGreaterThan(1000)
  })
})

const change = (amount: Amounts, by: Amounts, sign: 1 | -1): Amounts => ({ cpu: amount.cpu + sign * by.cpu, memory: amount.memory + sign * by.memory })
