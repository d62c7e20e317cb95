import type { JobSpec, Plug } from '@sched/core'
import { conservative, easy, fair, fattened, fifo, greedy, sjf, strict } from '@sched/policies'
import { digest, worlds, type World } from '@sched/testkit'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { monolithic, onDemand } from '../src/index.js'
import { cpuJob, cpus, play } from './world.js'

const architectures: Readonly<Record<string, () => Plug<'architecture'>>> = {
  'first come, first served, a virtual cluster per job': () => onDemand(strict(), { abandonAtWalltime: false }),
  'by EASY, with few nodes each': () => onDemand(easy(), { maxNodes: 2, setup: 1.5, abandonAtWalltime: false }),
  'one per user': () => onDemand(greedy(fair()), { sharedBy: 'user', waves: 2, idleRelease: 4 }),
  'one per user, killed at their walltime': () => onDemand(strict(), { sharedBy: 'user', walltime: 20, idleRelease: 0 }),
  'killed at their walltime': () => onDemand(conservative(), { walltime: 15 }),
}
const policies = fc.constantFrom(() => greedy(fifo()), () => greedy(fair()), () => easy())

const runIn = ({ cluster, jobs, seed, runtime, commitPendingBug }: World, architecture: Plug<'architecture'>, policy: Plug<'policy'>) =>
  play(architecture, jobs, { cluster, seed, runtime, policy, commitPendingBug, infeasible: 'reject' }).recorder

describe.each(Object.entries(architectures))('on-demand, %s', (name, architecture) => {
  it('runs every job of any small world to its end, the same in every run', { tags: 'long' }, () => {
    fc.assert(
      fc.property(worlds(), policies, (world, policy) => {
        const recorder = runIn(world, architecture(), policy())
        const rejected = recorder.events.flatMap((event) => (event.kind === 'reject' ? [event.job] : []))
        expect(Object.keys(recorder.finishes()).sort()).toEqual(world.jobs.map(({ id }) => id).filter((id) => !rejected.includes(id)).sort())
        if (!name.includes('killed')) expect([...recorder.evictions, ...recorder.events.filter(({ kind }) => kind === 'abandon')]).toEqual([])
        expect(digest(runIn(world, architecture(), policy()))).toBe(digest(recorder))
      }),
      { seed: 21, numRuns: 25 },
    )
  })

  it('never has tasks of two owners on a node', { tags: 'long' }, () => {
    let together = 0
    fc.assert(
      fc.property(worlds(), policies, (world, policy) => {
        const { launches, ends, evictions } = runIn(world, architecture(), policy())
        const owner = (id: string) => (name.includes('user') ? (world.jobs.find((job) => job.id === id)?.user ?? '') : id)
        const stops = [...ends, ...evictions]
        const runs = launches.map(({ job, stage, task, node, time }) => {
          const stop = stops.filter((end) => end.job === job && end.stage === stage && end.task === task && end.time >= time).sort((a, b) => a.time - b.time)[0]
          return { owner: owner(job), node, from: time, to: stop?.time ?? Infinity }
        })
        for (const a of runs)
          for (const b of runs) {
            if (a.node !== b.node || a.from >= b.to || b.from >= a.to) continue
            expect(a.owner).toBe(b.owner)
            if (a !== b) together++
          }
      }),
      { seed: 22, numRuns: 25 },
    )
    expect(together).toBeGreaterThan(0)
  })
})

describe('whole nodes', () => {
  const jobs = fc
    .array(fc.record({ gap: fc.constantFrom(0, 0, 1, 5, 20), tasks: fc.integer({ min: 1, max: 8 }), duration: fc.integer({ min: 1, max: 40 }), slack: fc.constantFrom(0, 0, 7, 30) }), { minLength: 1, maxLength: 30 })
    .map((drafts): JobSpec[] => {
      let submit = 0
      return drafts.map(({ gap, tasks, duration, slack }, i) => cpuJob(`j${i}`, { submit: (submit += gap), tasks, duration, estimate: duration + slack, gang: true }))
    })
  const allocations: Readonly<Record<string, () => Plug<'policy'>>> = { strict: () => strict(), easy: () => easy(), 'easy, shortest first behind': () => easy(fifo(), { backfillOrder: sjf() }), conservative: () => conservative(), fattened: () => fattened() }

  it.each(Object.entries(allocations))('start jobs of one wave as %s does on the machine itself', { tags: 'long' }, (_, allocation) => {
    fc.assert(
      fc.property(jobs, (each) => {
        const machine = play(monolithic(), each, { cluster: cpus(8, 1), policy: allocation() }).recorder
        const virtual = play(onDemand(allocation()), each, { cluster: cpus(8, 1) }).recorder
        const starts = ({ launches }: typeof machine) => launches.map(({ job, time }) => `${job} ${time}`).sort()
        expect(starts(virtual)).toEqual(starts(machine))
      }),
      { seed: 23, numRuns: 30 },
    )
  })
})
