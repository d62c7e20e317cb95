// @module-tag long
import { definePlacement, definePolicy, DoneJobs, FirstFit, forwarding, None, type NodeId, type Placement, type Plug, type Savepoint } from '@sched/core'
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

/** Places tasks of the first waiting job, and takes some back again and again; what is found is compared at every step. */
const hesitant = definePolicy({
  name: 'hesitant', summary: 'claims and takes back', inner: { order: 'order' }, defaults: { order: 'fifo' },
  create: (_, env, { order }) => {
    const [waiting, first, random] = [order.create(env), new FirstFit(), env.random('hesitant')]
    return {
      ...forwarding(waiting),
      schedule(round) {
        const each = new DoneJobs().takeNext(waiting, round)
        for (let step = 0; step < 12 && each !== None && round.work.unplaced(each, round.lane) > 0; step++) {
          const node = first.pick(each, round)
          expect(node).toBe(pick(each, round))
          const task = node === None ? None : round.work.taskFor(each, round.lane, node, env.cluster.levels)
          const isClaimed = task !== None && random() < 0.8 && round.claim(task, node as NodeId)
          if (!isClaimed) round.rollback(Math.floor(random() * ((round.savepoint() as number) + 1)) as Savepoint)
        }
      },
    }
  },
})

const stage = fc.record({ tasks: fc.integer({ min: 1, max: 6 }), cpu: fc.integer({ min: 1, max: 2 }), mem: fc.integer({ min: 1, max: 3 }), duration: fc.integer({ min: 1, max: 40 }), gang: fc.boolean(), distinctNodes: fc.boolean() })
const jobs = fc.array(fc.record({ submit: fc.integer({ min: 0, max: 60 }), class: fc.constantFrom('a', 'b'), queue: fc.constantFrom('q0', 'q1'), stages: fc.array(stage, { minLength: 1, maxLength: 2 }) }), { minLength: 4, maxLength: 20 })
const outages = fc.array(fc.record({ node: fc.nat({ max: 1 }), from: fc.integer({ min: 1, max: 60 }), length: fc.integer({ min: 1, max: 30 }) }), { maxLength: 2 })
const world = fc.record({ nodes: fc.integer({ min: 4, max: 9 }), jobs, outages })

describe('first fit over some of the nodes', () => {
  it.each(architectures)('that remembers before which node there was no room finds what a look at all in sight does: %s', (_, architecture) => {
    let starts = 0
    fc.assert(
      fc.property(world, fc.constantFrom(...policies), ({ nodes, jobs: drawn, outages: away }, around) => {
        const all = drawn.map(({ stages, ...rest }, i) => {
          const specs = stages.map(({ tasks, cpu, mem, duration, gang, distinctNodes }, s) => ({ name: `s${s}`, tasks: distinctNodes || gang ? Math.min(tasks, 2) : tasks, demand: { cpu, mem }, duration, ...(gang && { gang }), ...(distinctNodes && { constraints: { distinctNodes } }) }))
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

  it('heeds nodes on which room was given back meanwhile', () => {
    const all = Array.from({ length: 60 }, (_, i) => job({ id: `j${i}`, submit: i, stages: [{ name: 's', tasks: 1 + (i % 9), demand: { cpu: 1 + (i % 2), mem: 1 + (i % 3) }, duration: 20 }] }))
    const { simulation } = run({ cluster: instantCluster({ nodes: [{ count: 8, resources: { cpu: 4, mem: 5 } }] }), jobs: all, architecture: partitioned({ partitions: 2, decision }), policy: hesitant.plug({ order: fifo() }) })
    expect(simulation.launches).toBeGreaterThan(200)
  })
})
