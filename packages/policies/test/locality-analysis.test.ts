import { SchedError } from '@sched/core'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { longTaskCeiling, stickySlotCeiling } from '../src/analysis/ceilings.js'
import {
  dataNodeFraction,
  expectedLocality,
  expectedLocalityBound,
  expectedLocalityExponentialBound,
  headOfLineLocality,
  localLaunchProbability,
  minimumSkips,
  taskLocality,
  taskLocalityBound,
} from '../src/analysis/locality.js'
import { relativeWait, secondsToCollect, skipsInWait, slotFreeRate, waitAtRate, waitForSkips } from '../src/analysis/waiting.js'

// Figures: Zaharia et al., "Delay Scheduling", EuroSys 2010, and arithmetic done on its formulas.
const hundred = { nodes: 100, replicas: 3 }
const facebook = { nodes: 620, replicas: 3 }

describe('local launch probability', () => {
  it('is 65 % after 10 skips and 99 % after 40 when a tenth of the nodes has data (DS-S35-p10)', () => {
    expect(localLaunchProbability(0.1, 10)).toBeCloseTo(0.6513215599, 10) // 1 - 0.9^10
    expect(localLaunchProbability(0.1, 40)).toBeCloseTo(0.9852191, 7) // 1 - 0.9^40
  })

  it('is certain with data on every node and impossible with none or without an offer', () => {
    expect([localLaunchProbability(1, 1), localLaunchProbability(0, 9), localLaunchProbability(0.5, 0)]).toEqual([1, 0, 0])
  })
})

describe('locality of one task', () => {
  it('has data on 1 - (1 - K/M)^R of the nodes', () => {
    expect(dataNodeFraction(hundred, 1)).toBeCloseTo(1 - 0.99 ** 3, 15)
    expect(dataNodeFraction({ nodes: 4, replicas: 2 }, 1)).toBe(0.4375) // 1 - (3/4)^2
  })

  it('is 73 % for a job of one map at D = 270 on 620 nodes (DS-S41-K1)', () => {
    expect(taskLocality(facebook, 1, 270)).toBeCloseTo(0.72950626, 8) // 1 - (619/620)^810
    expect(taskLocalityBound(facebook, 1, 270)).toBeCloseTo(0.7292, 4) // 1 - e^(-810/620)
  })

  it('is over 90 % for 10 maps, and 99.999 % for the first of them (DS-S41-K10)', () => {
    expect(expectedLocality(facebook, 10, 270)).toBeCloseTo(0.96296077, 8)
    expect(taskLocality(facebook, 10, 270)).toBeGreaterThan(0.99999)
  })

  it('counts every node as holding data when tasks outnumber nodes', () => {
    expect([dataNodeFraction(hundred, 150), taskLocality(hundred, 101, 1)]).toEqual([1, 1])
  })

  it('is the local launch probability at the fraction of nodes with data', () => {
    expect(taskLocality(hundred, 7, 12)).toBeCloseTo(localLaunchProbability(dataNodeFraction(hundred, 7), 12), 14)
  })
})

describe('head-of-line locality without delay', () => {
  it.each([
    [1, 0.029701],
    [3, 0.058612],
    [4, 0.072775],
    [10, 0.1537525],
    [12, 0.179257],
    [100, 0.754975],
  ])('for a job of %i maps on 100 nodes is %f', (tasks, locality) => {
    expect(headOfLineLocality(hundred, tasks)).toBeCloseTo(locality, 11)
  })
})

describe('expected locality l(D) and the least D', () => {
  it('needs 0.23 M skips for 95 % of 20 maps (DS-S35-Dmin)', () => {
    // (1 - 0.95) 20 = 1, so D/M = -(1/3) ln(1/2) = ln 2 / 3
    expect(minimumSkips({ nodes: 1, replicas: 3 }, 20, 0.95)).toBeCloseTo(0.2310490602, 10)
    expect(minimumSkips({ nodes: 1, replicas: 3 }, 20, 0.95)).toBeCloseTo(Math.LN2 / 3, 14)
  })

  it('reaches 95 % at 24 skips on 100 nodes, by the sum and by its bound, and at 23 by the sum alone', () => {
    expect(Math.ceil(minimumSkips(hundred, 20, 0.95))).toBe(24)
    expect(expectedLocality(hundred, 20, 24)).toBeCloseTo(0.9535314283, 10)
    expect(expectedLocalityBound(hundred, 20, 24)).toBeCloseTo(0.9525811597, 10)
    expect(expectedLocality(hundred, 20, 23)).toBeCloseTo(0.950718046, 10)
    expect(expectedLocalityBound(hundred, 20, 23)).toBeCloseTo(0.9496837894, 10)
  })

  it.each([
    [10, 0.9, 23.1049],
    [4, 0.95, 59.7253],
    [12, 0.95, 32.6943],
    [1, 0.9, 79.9298],
    [100, 0.95, 6.0774],
  ])('for %i maps and a target of %f on 100 nodes is %f', (tasks, target, skips) => {
    expect(minimumSkips(hundred, tasks, target)).toBeCloseTo(skips, 4)
  })

  it('adds up the job task by task', () => {
    // M = 4, R = 1, D = 1: p_1 = 1/4, p_2 = 2/4, mean 3/8
    expect(expectedLocality({ nodes: 4, replicas: 1 }, 2, 1)).toBe(0.375)
    // and the bound 1 - (e^(-1/4) + e^(-2/4)) / 2
    const bound = 1 - (Math.exp(-0.25) + Math.exp(-0.5)) / 2
    expect(expectedLocalityExponentialBound({ nodes: 4, replicas: 1 }, 2, 1)).toBeCloseTo(bound, 14)
  })

  it('gives 0 where the closed form says less than nothing', () => {
    expect([expectedLocalityBound(hundred, 1, 1), expectedLocalityBound(hundred, 20, 0)]).toEqual([0, 0])
  })

  it('is never below its exponential bound, nor that below the closed form; the least D meets its target exactly there', () => {
    const upTo = (max: number) => fc.integer({ min: 1, max })
    const job = fc.record({ nodes: upTo(500), replicas: upTo(5), tasks: upTo(60) })
    fc.assert(
      fc.property(job, fc.integer({ min: 0, max: 300 }), fc.double({ min: 0, max: 0.999, noNaN: true }), (blocks, skips, target) => {
        const { tasks } = blocks
        const sum = expectedLocality(blocks, tasks, skips)
        const exponential = expectedLocalityExponentialBound(blocks, tasks, skips)
        expect(sum).toBeGreaterThanOrEqual(exponential - 1e-12)
        expect(exponential).toBeGreaterThanOrEqual(expectedLocalityBound(blocks, tasks, skips) - 1e-12)
        expect(expectedLocalityBound(blocks, tasks, minimumSkips(blocks, tasks, target))).toBeCloseTo(target, 9)
      }),
      { seed: 20100413, numRuns: 300 },
    )
  })
})

describe('cost of waiting', () => {
  it('is 2.9 % of a task for 0.23 M skips on nodes of 8 slots (DS-S35-wait)', () => {
    expect(relativeWait(minimumSkips(hundred, 20, 0.95), 8 * 100)).toBeCloseTo(Math.LN2 / 24, 14) // 0.02888
    expect(waitForSkips(24, 800, 60)).toBeCloseTo(1.8, 14) // 24/800 of 60 s
  })

  it('collects 100 of 1000 slots in 3 s when tasks take 30 s', () => {
    expect(secondsToCollect(100, 1000, 30)).toBe(3) // 100 * 30 / 1000
    expect(waitAtRate(100, slotFreeRate(1000, 30))).toBeCloseTo(3, 14)
  })

  it('starts 271 maps or 30 reduces in 10 s at the rates seen at Facebook (DS-S32-launch10)', () => {
    expect([waitAtRate(271, 27.1), waitAtRate(30, 3)]).toEqual([10, 10])
  })

  it('turns a wait of 10 s at 27 free slots per second into D = 270 and back', () => {
    expect([skipsInWait(10, 27), waitAtRate(270, 27)]).toEqual([270, 10])
  })
})

describe('ceilings of locality', () => {
  it.each([
    [5, 0.9313],
    [10, 0.7176],
    [20, 0.4596],
    [30, 0.3342],
    [50, 0.2153],
  ])('of sticky slots is 1 - (1 - 1/n)^12 for %i equal jobs: %f', (jobs, ceiling) => {
    expect(stickySlotCeiling(1 / jobs, { replicas: 3, slotsPerNode: 4 })).toBeCloseTo(ceiling, 4)
  })

  it('of sticky slots is 27 % for 10 jobs on one-slot nodes', () => {
    expect(stickySlotCeiling(0.1, { replicas: 3, slotsPerNode: 1 })).toBeCloseTo(0.271, 14) // 1 - 0.9^3
  })

  it('of sticky slots is below 80 % for 15 jobs and below 50 % for 30 at R L = 18 (DS-F3)', () => {
    expect(stickySlotCeiling(1 / 15, { replicas: 3, slotsPerNode: 6 })).toBeCloseTo(0.711, 3)
    expect(stickySlotCeiling(1 / 30, { replicas: 3, slotsPerNode: 6 })).toBeCloseTo(0.457, 3)
  })

  it('of long tasks is 98.2 % when they hold 80 % of the slots', () => {
    expect(longTaskCeiling(0.8, { replicas: 3, slotsPerNode: 6 })).toBeCloseTo(0.98199, 5) // 1 - 0.8^18
  })
})

describe('arguments of the analysis', () => {
  it.each<[string, () => number]>([
    ['p', () => localLaunchProbability(1.1, 1)],
    ['p', () => localLaunchProbability(Number.NaN, 1)],
    ['skips', () => localLaunchProbability(0.1, -1)],
    ['skips', () => taskLocality(hundred, 1, Infinity)],
    ['skips', () => expectedLocalityBound(hundred, 1, -1)],
    ['nodes', () => dataNodeFraction({ nodes: 0, replicas: 3 }, 1)],
    ['replicas', () => dataNodeFraction({ nodes: 9, replicas: 1.5 }, 1)],
    ['tasksLeft', () => dataNodeFraction(hundred, 0)],
    ['tasksLeft', () => taskLocalityBound(hundred, 0, 1)],
    ['tasks', () => expectedLocality(hundred, 0, 1)],
    ['tasks', () => expectedLocalityBound(hundred, 0.5, 1)],
    ['target', () => minimumSkips(hundred, 1, 1)],
    ['slots', () => relativeWait(1, 0)],
    ['taskSeconds', () => waitForSkips(1, 1, 0)],
    ['share', () => secondsToCollect(-1, 1, 1)],
    ['wait', () => skipsInWait(-1, 1)],
    ['slotsPerSecond', () => waitAtRate(1, 0)],
    ['share', () => stickySlotCeiling(2, { replicas: 3, slotsPerNode: 1 })],
    ['slotsPerNode', () => stickySlotCeiling(0.1, { replicas: 3, slotsPerNode: 0 })],
    ['longFraction', () => longTaskCeiling(-0.1, { replicas: 3, slotsPerNode: 1 })],
  ])('names %s when it is out of range', (field, call) => {
    expect(call).toThrow(SchedError)
    expect(call).toThrow(expect.objectContaining({ code: 'BAD_OPTION', place: { field } }))
  })
})
