// @module-tag long
import type { Observer, Plug } from '@sched/core'
import { conservative, easy, fair, fifo, gangScheduling, greedy, kai, kueue, las, pbsPreempting, slurmPreempting, strict, yarnPreempting, yunikorn } from '@sched/policies'
import type { AutoscalerOptions } from '@sched/sim'
import { digest, worlds, type World } from '@sched/testkit'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { architectures, policies, tasksOf } from './rule-worlds.js'
import { play } from './world.js'

// Laws that hold where nodes come and go by demand, under every architecture and many policies, on small random worlds.

const more: readonly (() => Plug<'policy'>)[] = [
  () => easy(), () => conservative(), () => kueue(), () => greedy(kai()), () => greedy(yunikorn()), () => las(), () => pbsPreempting(strict(fifo())), () => slurmPreempting(strict(fifo())), () => yarnPreempting(greedy(fair())), () => gangScheduling(fifo()),
]
/** What runs is evicted only where tasks are shorter than the time before that, so that all of them are done at some time. */
const settings = fc.record({
  scanInterval: fc.constantFrom(1, 3), scaleDownDelayAfterAdd: fc.constantFrom(0, 8), expander: fc.constantFrom('least-waste', 'random' as const),
  ways: fc.constantFrom({ scaleDownUnneededTime: 0, maxDrainParallelism: 0 }, { scaleDownUnneededTime: 5, maxDrainParallelism: 0 }, { scaleDownUnneededTime: 60, maxDrainParallelism: 2 }),
}).map(({ ways, ...rest }): AutoscalerOptions => ({ ...rest, ...ways }))
const provision = fc.constantFrom(0, 1, 4.5)

class Scaled implements Observer {
  ups = 0
  onNode(_node: number, up: boolean, now: number): void {
    if (up && now > 0) this.ups++
  }
}

function played(architecture: () => Plug<'architecture'>, { cluster, seed, runtime, failures, jobs }: World, policy: () => Plug<'policy'>, autoscaler: AutoscalerOptions, seconds: number, observers: readonly Observer[] = []) {
  const nodes = cluster.nodes.map((group, i) => ({ ...group, autoscale: { min: i === 0 && seed % 2 === 0 ? 1 : 0, provision: seconds } }))
  return play(architecture(), jobs, { cluster: { ...cluster, nodes }, seed, runtime, ...(failures && { failures }), autoscaler, policy: policy(), infeasible: 'reject', observers }).recorder
}

const { 'on demand': onDemand, ...others } = architectures

describe.each(Object.entries(others))('%s', (name, architecture) => {
  it.each([...policies, ...(name === 'monolithic' ? more : [])].map((policy) => [policy().name, policy] as const))('with nodes by demand, under %s: every task is done once, every job ends, and all is the same in every run', (_, policy) => {
    let ups = 0
    fc.assert(
      fc.property(worlds({ heartbeats: false }), settings, provision, (world, autoscaler, seconds) => {
        const scaled = new Scaled()
        const recorder = played(architecture, world, policy, autoscaler, seconds, [scaled])
        const left = new Set(recorder.events.flatMap((event) => (event.kind === 'reject' || event.kind === 'abandon' ? [event.job] : [])))
        const done = recorder.ends.filter(({ how, job }) => how === 'done' && !left.has(job)).map(({ job, stage, task }) => `${job}.${stage}.${task}`)
        expect(done.sort()).toEqual(tasksOf(world.jobs.filter(({ id }) => !left.has(id))).sort())
        expect(digest(played(architecture, world, policy, autoscaler, seconds))).toBe(digest(recorder))
        ups += scaled.ups
      }),
      { seed: 61, numRuns: 40 },
    )
    expect(ups).toBeGreaterThan(40)
  })
})

it('is refused by virtual clusters, which hold nodes on which nothing runs', () => {
  const world = fc.sample(worlds({ heartbeats: false }), { seed: 1, numRuns: 1 })[0] as World
  expect(() => played(onDemand as () => Plug<'architecture'>, world, () => strict(fifo()), {}, 1)).toThrow('architecture: virtual clusters hold whole nodes')
})
