// @module-tag long
import { multifactor, replan, slurmLimits, slurmPreempting } from '@sched/policies'
import { instantCluster, restartDifference, type World } from '@sched/testkit'
import type { JobSpec, Plug } from '@sched/core'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

/** Four nodes of two processors; partitions are sets of them, which overlap. */
const partitions: Readonly<Record<string, readonly number[]>> = { a: [0, 1], b: [1, 2, 3], c: [2, 3] }
const cluster = instantCluster({
  nodes: Array.from({ length: 4 }, (_, node) => ({
    count: 1, names: [`n${node}`], resources: { procs: 2 },
    labels: Object.fromEntries(Object.entries(partitions).flatMap(([name, own]) => (own.includes(node) ? [[`partition:${name}`, 'true']] : []))),
  })),
})

interface Asked {
  /** Seconds since the job before. */
  readonly gap: number
  readonly queues: string
  readonly tasks: number
  readonly procs: number
  readonly gang: boolean
  readonly duration: number
  /** By how many seconds its estimate is too long. */
  readonly over: number
  readonly user: string
}

const asked: fc.Arbitrary<Asked> = fc.record({
  gap: fc.integer({ min: 0, max: 40 }), queues: fc.constantFrom('a', 'b', 'c', 'a,b', 'b,a', 'b,c', 'a,c', 'c,b,a'), tasks: fc.integer({ min: 1, max: 3 }), procs: fc.integer({ min: 1, max: 2 }),
  gang: fc.boolean(), duration: fc.integer({ min: 1, max: 150 }), over: fc.integer({ min: 0, max: 100 }), user: fc.constantFrom('u', 'v'),
})

function jobOf({ gap: _, queues, tasks, procs, gang, duration, over, user }: Asked, id: string, submit: number): JobSpec {
  const named = queues.split(',')
  const labels = named.map((queue) => `partition:${queue}`)
  const constraints = { require: { [labels.join('|')]: 'true' }, ...(labels.length > 1 && { alike: labels }) }
  return { id, submit, user, queue: named[0] as string, estimate: duration + over, stages: [{ name: 's', tasks, demand: { procs }, duration, constraints, ...(gang && { gang }) }] }
}

const worlds = fc.record({ jobs: fc.array(asked, { minLength: 2, maxLength: 10 }), looks: fc.tuple(fc.integer({ min: 1, max: 8 }), fc.integer({ min: 1, max: 8 })) })

const policies: Readonly<Record<string, () => Plug<'policy'>>> = {
  'replan': () => replan(multifactor({ tiers: { a: 2 } }), { nodes: 'named' }),
  'replan in two passes': () => replan(multifactor({ tiers: { c: 2 } }), { nodes: 'named', twoPass: true, bf_interval: 30 }),
  'slurm-limits': () => slurmLimits(replan(multifactor({ age: 1000 }), { nodes: 'named' }), { qos: { q: { GrpTRES: 'procs=3' }, r: { MaxJobsPerUser: 1 } }, partitions: { a: { QOS: 'q' }, b: { QOS: 'r' } } }),
  'slurm-preempting': () => slurmPreempting(replan(multifactor({ tiers: { a: 3, b: 2 } }), { nodes: 'named' }), { tiers: { a: 3, b: 2 }, mode: 'requeue', graceTime: { c: 20 } }),
}

describe('a dispatcher with jobs of several partitions decides after restarts as one that has run on', () => {
  it.each(Object.entries(policies))('under %s', (_, make) => {
    fc.assert(fc.property(worlds, ({ jobs, looks }) => {
      let submit = 0
      const world: World = { cluster, jobs: jobs.map((each, i) => jobOf(each, `j${i}`, (submit += each.gap))), queues: ['a', 'b', 'c'], seed: 1, runtime: { jitter: 0 }, claims: undefined, commitPendingBug: false }
      expect(restartDifference(world, make, looks)).toBe(undefined)
    }), { numRuns: 150 })
  })
})
