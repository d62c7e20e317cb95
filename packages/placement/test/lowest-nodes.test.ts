// @module-tag long
import { definePlacement, None, type JobId, type NodeId, type Placement, type Plug, type Round } from '@sched/core'
import { fair, fifo, greedy, preempting, slurmPreempting } from '@sched/policies'
import { digest, instantCluster, job, run } from '@sched/testkit'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { firstFit, locality, randomFit } from '../src/index.js'

const plain = (pick: Placement['pick']): Plug<'placement'> =>
  definePlacement({ name: 'plain', summary: 'looks at every node', options: { '~standard': { version: 1, vendor: 'test', validate: (value) => ({ value }) } }, create: () => ({ pick }) }).plug({})

const lowest = (job: JobId, round: Round, suits: (node: NodeId) => boolean = () => true): NodeId | None => round.nodes.find((node) => round.fits(job, node) && suits(node)) ?? None
const nearest = (job: JobId, round: Round): NodeId | None => {
  const { work, lane, cluster } = round
  for (let level = work.hasData(job, lane) ? 0 : cluster.levels; level < cluster.levels; level++) {
    const node = lowest(job, round, (each) => work.taskFor(job, lane, each, level) !== None)
    if (node !== None) return node
  }
  return lowest(job, round)
}

/** Draws a node in sight, and another one as long as the task does not fit; all are candidates again for another job or round, and after a rollback. */
const drawing = definePlacement({
  name: 'drawing', summary: 'asks every node that is drawn', options: { '~standard': { version: 1, vendor: 'test', validate: (value) => ({ value }) } },
  create: (_, env) => {
    const random = env.random('random-fit')
    let [candidates, pool, serial, last, moves]: [NodeId[], number, number, JobId, number] = [[], 0, -1, None as unknown as JobId, 0]
    return {
      pick(each, round) {
        if (round.nodes.length !== candidates.length) candidates = [...round.nodes]
        if (round.serial !== serial || each !== last || (round.savepoint() as number) < moves) pool = candidates.length
        ;[serial, last, moves] = [round.serial, each, round.savepoint()]
        for (; pool > 0; pool--) {
          const at = Math.floor(random() * pool)
          if (round.fits(each, candidates[at] as NodeId)) return candidates[at] as NodeId
          ;[candidates[at], candidates[pool - 1]] = [candidates[pool - 1] as NodeId, candidates[at] as NodeId]
        }
        return None
      },
    }
  },
}).plug({})

type Around = (placement: Plug<'placement'>) => Plug<'policy'>
const policies: readonly (readonly [string, Around])[] = [
  ['fifo', (placement) => greedy(fifo(), placement)],
  ['fair', (placement) => greedy(fair(), placement)],
  ['fair, with preemption', (placement) => preempting(greedy(fair(), placement), { fairTimeout: 5 })],
  ['jobs that are suspended', (placement) => slurmPreempting(greedy(fifo(), placement), { tiers: { q0: 1, q1: 2, q2: 3 }, mode: 'suspend' })],
  ['jobs that are cancelled', (placement) => slurmPreempting(greedy(fifo(), placement), { tiers: { q0: 1, q1: 2, q2: 3 }, mode: 'cancel' })],
]

const stage = fc.record({ tasks: fc.integer({ min: 1, max: 5 }), cpu: fc.integer({ min: 1, max: 3 }), mem: fc.integer({ min: 1, max: 3 }), duration: fc.integer({ min: 1, max: 40 }), hasData: fc.boolean(), gang: fc.boolean(), distinctNodes: fc.boolean() })
const jobs = fc.array(fc.record({ submit: fc.integer({ min: 0, max: 60 }), queue: fc.constantFrom('q0', 'q1', 'q2'), stages: fc.array(stage, { minLength: 1, maxLength: 2 }) }), { minLength: 4, maxLength: 20 })
const outages = fc.array(fc.record({ node: fc.nat({ max: 1 }), from: fc.integer({ min: 1, max: 60 }), length: fc.integer({ min: 1, max: 30 }) }), { maxLength: 2 })
const world = fc.record({ nodes: fc.integer({ min: 2, max: 8 }), racks: fc.integer({ min: 1, max: 3 }), jobs, outages })

describe('the search for the lowest node', () => {
  it.each(policies)('that remembers how far there was none finds what a look at every node does: %s', (_, around) => {
    let starts = 0
    fc.assert(
      fc.property(world, ({ nodes, racks, jobs: drawn, outages: away }) => {
        const cluster = instantCluster({ nodes: [{ count: nodes, racks: Math.min(racks, nodes), resources: { cpu: 4, mem: 5 } }], replicas: { factor: 2, placement: 'uniform' } })
        const all = drawn.map(({ stages, ...rest }, i) => {
          const specs = stages.map(({ tasks, cpu, mem, duration, hasData, gang, distinctNodes }, s) => ({ name: `s${s}`, tasks: distinctNodes || gang ? Math.min(tasks, 2) : tasks, demand: { cpu, mem }, duration, ...(hasData && { data: {} }), ...(gang && { gang }), ...(distinctNodes && { constraints: { distinctNodes } }) }))
          return job({ id: `j${i}`, ...rest, stages: specs })
        })
        const outage = nodes > 2 ? away.map(({ node, from, length }) => ({ node: node as NodeId, from, to: from + length })) : []
        const digestOf = (placement: Plug<'placement'>): string => {
          const { recorder, simulation } = run({ cluster, jobs: all, policy: around(placement), infeasible: 'reject', ...(outage.length > 0 && { outages: outage }) })
          starts += simulation.launches
          return digest(recorder)
        }
        expect(digestOf(firstFit())).toBe(digestOf(plain(lowest)))
        expect(digestOf(locality())).toBe(digestOf(plain(nearest)))
        expect(digestOf(randomFit())).toBe(digestOf(drawing))
      }),
      { seed: 5, numRuns: 120 },
    )
    expect(starts).toBeGreaterThan(10_000)
  })
})
