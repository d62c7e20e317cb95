import { conservative, easy, fattened, fifo, strict } from '@sched/policies'
import { describe, expect, it } from 'vitest'
import { simulated, startsOf } from './machine.js'
import type { RigidJob } from './reference/machine.js'

const job = (size: number, length: number, submit = 0): RigidJob => ({ submit, runtime: length, estimate: length, size: [size] })

describe('the example of the survey, fact 8: 8 slots, all submitted at 0', () => {
  // running: R1 1 slot until 6, R2 4 until 3, R3 2 until 1, so 1 slot is free; then the queue J1 to J5
  const jobs = [job(1, 6), job(4, 3), job(2, 1), job(6, 3), job(8, 2), job(1, 1), job(1, 7), job(2, 3)]
  const rows = {
    // J1 needs 6: free are 1 + 2 (t=1) + 4 (t=3) = 7 at 3; J2 needs all 8: 6 = end of R1 and J1; then the rest together at 8
    FCFS: [strict(fifo()), [3, 6, 8, 8, 8], 6.6, 15],
    // J3 fits in the one free slot until 1 < 3; J4 (7 s) and J5 would delay J1 or J2
    Conservative: [conservative(), [3, 6, 0, 8, 8], 5.0, 15],
    // at 1: shadow of J1 is 3, extra 7 - 6 = 1: J4 takes it; J5 wants 2. J4 ends at 8, and only then J2 has all
    EASY: [easy(), [3, 8, 0, 1, 10], 4.4, 13],
    // at 1: J5 (2 slots until 4) would move the shadow of J1 from 3 to 4, a delay of 1 < AWT
    'Fattened, AWT 2': [fattened(fifo(), { awt: 2 }), [4, 8, 0, 1, 1], 2.8, 10],
    'Fattened, AWT 1.5': [fattened(fifo(), { awt: 1.5 }), [4, 8, 0, 1, 1], 2.8, 10],
    'Fattened, AWT 2, as the authors': [fattened(fifo(), { awt: 2, delayReference: 'currentShadow', delayingBackfillsPerHead: 1 }), [4, 8, 0, 1, 1], 2.8, 10],
    'Fattened, AWT 1.5, as the authors': [fattened(fifo(), { awt: 1.5, delayReference: 'currentShadow', delayingBackfillsPerHead: 1 }), [4, 8, 0, 1, 1], 2.8, 10],
    'Fattened, AWT 1 (1 < 1 is false)': [fattened(fifo(), { awt: 1 }), [3, 8, 0, 1, 10], 4.4, 13],
    'Fattened, AWT 1, as the authors': [fattened(fifo(), { awt: 1, delayReference: 'currentShadow', delayingBackfillsPerHead: 1 }), [3, 8, 0, 1, 10], 4.4, 13],
    'Fattened, AWT 0': [fattened(fifo(), { awt: 0 }), [3, 8, 0, 1, 10], 4.4, 13],
    'Fattened, no delaying backfill': [fattened(fifo(), { awt: 2, delayingBackfillsPerHead: 0 }), [3, 8, 0, 1, 10], 4.4, 13],
  } as const

  for (const [name, [policy, starts, meanWait, makespan]] of Object.entries(rows))
    it(`${name} starts J1 to J5 at ${starts.join(', ')}`, () => {
      const found = simulated(jobs, [8], policy)
      expect(found.slice(0, 3)).toEqual([0, 0, 0])
      const queue = found.slice(3)
      expect({
        starts: queue,
        meanWait: queue.reduce((a, b) => a + b, 0) / 5,
        makespan: Math.max(...found.map((start, i) => start + (jobs[i]?.runtime ?? 0))),
      }).toEqual({ starts, meanWait, makespan })
    })
})

describe('the examples of the survey, facts 7 and 9', () => {
  it('fact 9: B passes A where it does not delay it; C (5 s) would', () => {
    const jobs = [job(3, 4), job(4, 2), job(1, 4), job(1, 5)] // 4 slots: R1 holds 3 until 4, then A (all 4), B until 4, C
    expect({
      fcfs: simulated(jobs, [4], strict()),
      conservative: simulated(jobs, [4], conservative()),
      easy: simulated(jobs, [4], easy()),
    }).toEqual({ fcfs: [0, 4, 6, 6], conservative: [0, 4, 0, 6], easy: [0, 4, 0, 6] })
  })

  it('fact 7: virtual clusters on 10 nodes start at 0, 100, 100 by FCFS; by EASY the third at 20', () => {
    const jobs = [job(6, 100), job(5, 50, 10), job(3, 20, 20)]
    expect({ fcfs: simulated(jobs, [10], strict()), easy: simulated(jobs, [10], easy()) }).toEqual({ fcfs: [0, 100, 100], easy: [0, 100, 20] })
  })

  it('fact 7 again with whole nodes: gangs of one task per node', () => {
    const gang = (id: string, tasks: number, length: number, submit: number) => ({
      id,
      submit,
      estimate: length,
      stages: [{ name: 'nodes', tasks, gang: true, demand: { procs: 1 }, duration: length }],
    })
    const specs = [gang('A', 6, 100, 0), gang('B', 5, 50, 10), gang('C', 3, 20, 20)]
    expect(Object.fromEntries(startsOf(specs, [1], easy(), { nodes: 10 }))).toEqual({ A: 0, C: 20, B: 100 })
    expect(Object.fromEntries(startsOf(specs, [1], strict(), { nodes: 10 }))).toEqual({ A: 0, B: 100, C: 100 })
    expect(Object.fromEntries(startsOf(specs, [1], conservative(), { nodes: 10 }))).toEqual({ A: 0, C: 20, B: 100 })
  })
})
