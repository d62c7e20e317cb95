// @module-tag long
import { definePlacement, None, type NodeId, type Placement, type Plug } from '@sched/core'
import { fair, fifo, greedy, preempting } from '@sched/policies'
import { digest, instantCluster, job, run } from '@sched/testkit'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { partitioned, sharedState, twoLevel } from '../src/index.js'

const pick: Placement['pick'] = (each, round) => round.nodes.find((node) => round.fits(each, node)) ?? None
const plain = definePlacement({ name: 'plain', summary: 'asks every node in sight', create: () => ({ pick }) }).plug({})

const decision = { job: 0.5, task: 0.25 }
const architectures = [
  ['partitions', partitioned({ partitions: 2, decision })],
  ['offers of all', twoLevel({ frameworks: { a: {}, b: {} }, decision })],
  ['offers by node', twoLevel({ frameworks: { a: {}, b: {} }, decision, offers: 'by-node', refuseSeconds: 3 })],
  ['offers that are collected', twoLevel({ frameworks: { a: {}, b: {} }, decision, fairShareOffers: true, hoard: 5 })],
  ['snapshots', sharedState({ schedulers: { a: {}, b: { precedence: 1 } }, decision, preemption: true })],
] as const
const policies: readonly ((placement?: Plug<'placement'>) => Plug<'policy'>)[] = [
  (placement) => greedy(fifo(), placement),
  (placement) => preempting(greedy(fair(), placement), { fairTimeout: 5 }),
]

const stage = fc.record({ tasks: fc.integer({ min: 1, max: 6 }), cpu: fc.integer({ min: 1, max: 2 }), mem: fc.integer({ min: 1, max: 3 }), duration: fc.integer({ min: 1, max: 40 }), distinctNodes: fc.boolean() })
const jobs = fc.array(fc.record({ submit: fc.integer({ min: 0, max: 60 }), class: fc.constantFrom('a', 'b'), queue: fc.constantFrom('q0', 'q1'), stages: fc.array(stage, { minLength: 1, maxLength: 2 }) }), { minLength: 4, maxLength: 20 })
const outages = fc.array(fc.record({ node: fc.nat({ max: 1 }), from: fc.integer({ min: 1, max: 60 }), length: fc.integer({ min: 1, max: 30 }) }), { maxLength: 2 })
const world = fc.record({ nodes: fc.integer({ min: 4, max: 9 }), jobs, outages })

describe('first fit over some of the nodes', () => {
  it.each(architectures)('that remembers before which node there was no room finds what a look at all in sight does: %s', (_, architecture) => {
    let starts = 0
    fc.assert(
      fc.property(world, fc.constantFrom(...policies), ({ nodes, jobs: drawn, outages: away }, around) => {
        const all = drawn.map(({ stages, ...rest }, i) => {
          const specs = stages.map(({ tasks, cpu, mem, duration, distinctNodes }, s) => ({ name: `s${s}`, tasks: distinctNodes ? Math.min(tasks, 2) : tasks, demand: { cpu, mem }, duration, ...(distinctNodes && { constraints: { distinctNodes } }) }))
          return job({ id: `j${i}`, ...rest, stages: specs })
        })
        const outage = away.map(({ node, from, length }) => ({ node: node as NodeId, from, to: from + length }))
        const digestOf = (placement?: Plug<'placement'>): string => {
          const { recorder, simulation } = run({ cluster: instantCluster({ nodes: [{ count: nodes, resources: { cpu: 4, mem: 5 } }] }), jobs: all, architecture, policy: around(placement), outages: outage })
          starts += simulation.launches
          return digest(recorder)
        }
        expect(digestOf()).toBe(digestOf(plain))
      }),
      { seed: 5, numRuns: 100 },
    )
    expect(starts).toBeGreaterThan(5000)
  })
})
