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

/** A score from 0 for the worst to `weight` for the best of these nodes; 0 where all are alike. */
function scaled(score: Score, weight: number, state: State, nodes: readonly number[]): (node: number) => number {
  const values = nodes.map((each) => score(state, each))
  const [least, most] = [Math.min(...values), Math.max(...values)]
  return (node) => (most === least ? 0 : (weight * (score(state, node) - least)) / (most - least))
}

/** Nodes of even number, without a task of the job; then free parts twice as heavy as company, each from 0 to 1 over these nodes. */
const filteredAndScored: Choose = (state, fitting) => {
  const passing = fitting.filter((node) => node % 2 === 0 && !state.running.some((task) => task.job === state.job && task.node === node))
  const [worst, together] = [scaled(freePart, 2, state, passing), scaled(company, 1, state, passing)]
  const sum = (node: number) => 0 + worst(node) + together(node)
  return passing.find((node) => passing.every((other) => sum(other) <= sum(node)))
}

const leastAllocated: Score = ({ demand, free, total }, node) => {
  const { cpu, memory } = free[node] as Amounts
  const [cpus, bytes] = [Math.floor(((cpu - demand.cpu) * 100) / total.cpu), Math.floor(((memory - demand.memory) * 100) / total.memory)]
  return Math.floor((cpus + bytes) / 2)
}

/** Company for and against a node, from 0 to 1 over the fitting nodes, and what would be left of it with the task. */
const besideCompany = ({ pack = 0, spread = 0, left }: Readonly<Record<string, number>>): Choose => (state, fitting) => {
  const [close, far] = [scaled(company, pack, state, fitting), scaled((...of) => -company(...of), spread, state, fitting)]
  const sum = (node: number) => 0 + close(node) + far(node) + ((left as number) * leastAllocated(state, node)) / 100
  return fitting.find((node) => fitting.every((other) => sum(other) <= sum(node)))
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
  ['percentages and spread', () => weighted({ scores: { 'least-allocated': 1, spread: 2 } }), besideCompany({ spread: 2, left: 1 })],
  ['percentages and pack', () => weighted({ scores: { 'least-allocated': 1, pack: 0.3 } }), besideCompany({ pack: 0.3, left: 1 })],
  ['percentages and both', () => weighted({ scores: { pack: 1, spread: 0.7, 'least-allocated': 3 } }), besideCompany({ pack: 1, spread: 0.7, left: 3 })],
  ['percentages that are lost beside spread', () => weighted({ scores: { 'least-allocated': 1, spread: 1e15 } }), besideCompany({ spread: 1e15, left: 1 })],
]

const amounts = fc.record({ cpu: fc.integer({ min: 1, max: 5 }), memory: fc.integer({ min: 1, max: 7 }) })
const steps = fc.array(fc.record({ tasks: fc.integer({ min: 1, max: 12 }), demand: amounts, ends: fc.nat({ max: 9 }) }), { minLength: 1, maxLength: 12 })
const total: Amounts = { cpu: 8, memory: 16 }

describe('a placement', () => {
  it.each(kinds)('chooses as written down plainly: %s', { tags: 'long' }, (_, placement, choose) => {
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
