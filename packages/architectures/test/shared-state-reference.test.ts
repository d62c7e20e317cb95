import fc from 'fast-check'
import { fifo, greedy } from '@sched/policies'
import { describe, expect, it } from 'vitest'
import { sharedState } from '../src/index.js'
import { snapshotCopies, type Mode, type Scheduler } from './reference.js'
import { cpuJob, play } from './world.js'

const duration = fc.constantFrom(0.5, 1, 2, 3.25, 7, 20)
const world = fc.record({
  cpus: fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 5 }),
  schedulers: fc.array(fc.record({ job: fc.constantFrom(0.25, 0.5, 1, 3), task: fc.constantFrom(0, 0.125, 0.5) }), { minLength: 1, maxLength: 4 }),
  jobs: fc.array(fc.record({ gap: fc.constantFrom(0, 0, 0.25, 1, 4), tasks: fc.integer({ min: 1, max: 6 }), cpu: fc.integer({ min: 1, max: 3 }), duration, of: fc.nat({ max: 3 }) }), { minLength: 1, maxLength: 14 }),
})

describe('shared state without copies', () => {
  const modes: Mode[] = (['fine', 'coarse'] as const).flatMap((conflict) => (['incremental', 'all-or-nothing'] as const).flatMap((commit) => (['place', 'last'] as const).map((again) => ({ conflict, commit, again }))))

  it.each(modes)('decides, commit by commit, as copies of the whole cell do: $conflict, $commit, again $again', { tags: 'long' }, ({ again, ...mode }) => {
    let conflicts = 0
    fc.assert(
      fc.property(world, ({ cpus, schedulers, jobs }) => {
        const named: Scheduler[] = schedulers.map((each, i) => ({ name: `s${i}`, ...each }))
        const most = Math.max(...cpus)
        const room = (cpu: number) => cpus.reduce((sum, each) => sum + Math.floor(each / cpu), 0)
        let submit = 0
        const specs = jobs.map(({ gap, tasks, cpu, duration, of }, i) => {
          submit += gap
          const asked = Math.min(cpu, most)
          return cpuJob(`j${i}`, { submit, class: `s${of % named.length}`, tasks: Math.min(tasks, room(asked)), demand: { cpu: asked }, duration })
        })
        const options = Object.fromEntries(named.map(({ name, job, task }) => [name, { decision: { job, task } }]))
        const cluster = { nodes: cpus.map((cpu, i) => ({ name: `n${i}`, count: 1, resources: { cpu } })) }
        const { decided } = play(sharedState({ ...mode, schedulers: options, abandonAfter: false, abandonUnplacedAfter: false }), specs, { cluster, policy: greedy(fifo({ again })) })
        expect(decided.lines()).toEqual(snapshotCopies(cpus, named, specs, { ...mode, again }))
        conflicts += decided.all.reduce((sum, { conflicted }) => sum + conflicted, 0)
      }),
      { seed: 4, numRuns: 150 },
    )
    expect(conflicts).toBeGreaterThan(100) // otherwise it shows little
  })
})
