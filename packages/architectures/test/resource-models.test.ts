import { readCluster, type ClusterInput } from '@sched/cluster'
import type { Demand, JobSpec } from '@sched/core'
import { fair, greedy } from '@sched/policies'
import { worlds } from '@sched/testkit'
import { slotsByUse, type SlotsAdjuster } from '@sched/sim'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { monolithic, onDemand, partitioned, twoLevel } from '../src/index.js'
import { play, type Outcome } from './world.js'

const tasks = (count: number, demand: Demand, duration = 10, use?: Readonly<Record<string, number>>): JobSpec => ({
  id: 'job',
  submit: 0,
  stages: [{ name: 'map', tasks: count, demand, duration, ...(use !== undefined && { use }) }],
})
const run = (cluster: ClusterInput, job: JobSpec, slotsAdjuster?: SlotsAdjuster): Outcome => play(monolithic(), [job], { cluster: readCluster(cluster), ...(slotsAdjuster !== undefined && { slotsAdjuster }) })
/** Tasks that run at a time, those that start then included. */
const running = ({ recorder: { launches, ends } }: Outcome, time: number) => launches.filter((each) => each.time <= time).length - ends.filter((each) => each.time <= time).length
const waves = (outcome: Outcome) => new Set(outcome.recorder.launches.map(({ time }) => time)).size

describe('the resource models (survey, fact 4)', () => {
  it('run 12 maps in 3 waves on 4 map and 2 reduce slots, in 2 on 6 slots for anything', () => {
    expect(waves(run({ nodes: 1, slots: { map: 4, reduce: 2 } }, tasks(12, { map: 1 })))).toBe(3)
    expect(waves(run({ nodes: 1, slots: { slot: 6 } }, tasks(12, { slot: 1 })))).toBe(2)
  })

  it('run 8 tasks of 1 CPU and 4 GB on a node of 8 CPUs and 16 GB by slots, twice its memory, and 4 by vectors', () => {
    expect(running(run({ nodes: 1, slots: { slot: 8 } }, tasks(20, { slot: 1 })), 0)).toBe(8)
    expect(running(run({ nodes: 1, resources: { cpu: 8, mem: 16 } }, tasks(20, { cpu: 1, mem: 4 })), 0)).toBe(4)
  })
})

describe('dynamic slots', () => {
  const hardware = { cores: 8, memory: 16 }
  const node = (dynamicSlots: ClusterInput['dynamicSlots'] = {}, slots = 8): ClusterInput => ({ nodes: 1, slots: { slot: slots }, hardware, dynamicSlots })
  const every10 = (outcome: Outcome, count: number) => Array.from({ length: count }, (_, i) => running(outcome, i * 10 + 5))

  it('are one more every 10 s while less than 70 % of everything is used', () => {
    // 2/8 of the cores, 3/8, 4/8, 5/8 = 0.625; 6/8 is not less than 0.7. Tasks of 1.1 s, so that all slots are in use at every look.
    const job = tasks(600, { slot: 1 }, 1.1, { cores: 1, memory: 1 })
    expect(every10(run(node({ initial: 2 }), job), 7)).toEqual([2, 3, 4, 5, 6, 6, 6])
    expect(every10(run(node({ initial: 2, interval: 20 }), job), 5)).toEqual([2, 2, 3, 3, 4])
    expect(every10(run(node({ initial: 2, below: 0.3 }), job), 4)).toEqual([2, 3, 3, 3])
    expect(every10(run(node({ initial: 2 }, 4), job), 5)).toEqual([2, 3, 4, 4, 4])
  })

  it('are one fewer every 10 s while more than 90 % of anything is used, as tasks end', () => {
    // 4 of memory each: 8 tasks use 200 %, 4 use 100 %, 3 use 75 %
    const job = tasks(600, { slot: 1 }, 1.1, { cores: 1, memory: 4 })
    expect(every10(run(node(), job), 8)).toEqual([8, 7, 6, 5, 4, 3, 3, 3])
    expect(every10(run(node({ min: 6 }), job), 5)).toEqual([8, 7, 6, 6, 6])
    expect(every10(run(node({ above: 1.2 }), job), 6)).toEqual([8, 7, 6, 5, 4, 4])
    // tasks of 24 s keep the slots that are to go until they end: 2 looks by then, 4 by 48 s
    expect([5, 15, 25, 49].map((time) => running(run(node(), tasks(40, { slot: 1 }, 24, { memory: 4 })), time))).toEqual([8, 8, 6, 4])
  })

  it('are as many as before where the use differs from a limit by rounding alone', () => {
    const state = (used: number) => ({ used: [used], kinds: ['cores'], slots: 2, min: 1, max: 8 })
    const by = (used: number) => slotsByUse({ below: 0.8, above: 0.9 })(state(used))
    expect([0.1 + 0.6 + 0.1, 0.8, 0.9, 0.2 + 0.4 + 0.3].map(by)).toEqual([0, 0, 0, 0]) // 0.7999999999999999 and 0.9000000000000001
    expect([0.79, 0.91].map(by)).toEqual([1, -1])
  })

  it('go by any other rule, within their limits', () => {
    const seen: number[] = []
    const adjuster: SlotsAdjuster = ({ slots, used, kinds, min, max }) => {
      seen.push(slots)
      if (seen.length <= 3) expect([kinds, min, max, used]).toEqual([['cores', 'memory'], 2, 8, [slots / 8, 0]])
      return -3
    }
    run(node({ min: 2 }), tasks(250, { slot: 1 }, 1.1, { cores: 1 }), adjuster)
    expect(seen.slice(0, 4)).toEqual([8, 5, 2, 2])
  })

  it('are counted in what nodes and the cluster have', () => {
    const { simulation } = run({ ...node({ initial: 3, interval: 1e6 }), nodes: 2 }, tasks(4, { slot: 1 }))
    expect([simulation.cell.total(0 as never, 0 as never), simulation.cell.capacity(0 as never)]).toEqual([3, 6])
  })

  it('need slots and hardware', () => {
    expect(() => readCluster({ nodes: 1, resources: { cpu: 1 }, hardware, dynamicSlots: {} })).toThrow('dynamicSlots: the nodes have no slots')
    expect(() => readCluster({ nodes: 1, slots: { slot: 1 }, dynamicSlots: {} })).toThrow('nothing says what the nodes really have')
  })

  it.each(Object.entries({ monolithic: () => monolithic(), 'two-level': () => twoLevel(), partitioned: () => partitioned({ partitions: 1 }), 'on-demand': () => onDemand(greedy(fair())) }))('run every small world to its end, every amount checked (%s)', (_, architecture) => {
    let changes = 0
    fc.assert(
      fc.property(worlds({ slots: true, jobs: 5 }), (world) => {
        const cluster = { ...world.cluster, nodes: world.cluster.nodes.map((each) => ({ ...each, hardware })), dynamicSlots: { min: 1, interval: 2, below: 0.3, above: 0.5 } }
        const { recorder } = play(architecture(), world.jobs, {
          cluster,
          seed: world.seed,
          infeasible: 'reject',
          slotsAdjuster: ({ slots, max, min, used }) => {
            const by = (used[0] as number) > 0.1 ? -1 : 1
            if (slots + by >= min && slots + by <= max) changes++
            return by
          },
        })
        const rejected = recorder.events.filter(({ kind }) => kind === 'reject').length
        expect(Object.keys(recorder.finishes()).length + rejected).toBe(world.jobs.length)
      }),
      { seed: 51, numRuns: 12 },
    )
    expect(changes).toBeGreaterThan(20)
  })
})

