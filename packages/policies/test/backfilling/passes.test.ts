import { dispatcher } from '@sched/cluster'
import type { JobSpec, Observer, Pass } from '@sched/core'
import { easy, fifo, replan, type ReplanOptions } from '@sched/policies'
import { expect, it, vi } from 'vitest'
import { NamedPlan } from '../../src/backfilling/named-plan.js'
import { startsOf } from './machine.js'

const job = (id: string, procs: number, minutes: number, submit: number): JobSpec => ({
  id, submit, estimate: minutes * 60, stages: [{ name: 'job', tasks: 1, demand: { procs }, duration: minutes * 60 }],
})
/** 4 processors: A runs from 0 to 600 s and leaves one idle, B waits for all until then, C runs on the idle one from 120 to 420 s. */
const jobs = [job('A', 3, 10, 0), job('B', 4, 10, 60), job('C', 1, 5, 120)]

/** What is told of passes: when, and in the order of `Pass`. */
function passesOf(policy = replan(), specs = jobs): unknown[][] {
  const told: unknown[][] = []
  const observer: Observer = { onPass: ({ kind, waiting, looked, tried, started, entries }: Pass, now) => void told.push([now, kind, waiting, looked, tried, started, entries]) }
  startsOf(specs, [4], policy, { observers: [observer] })
  return told
}
const planned = (options: ReplanOptions = {}) => replan(fifo(), { bf_resolution: 1, ...options })

it('replan tells of its plans: who waited, was looked at, tried and started, and the times in the plan', () => {
  expect(passesOf(planned())).toEqual([
    [0, 'plan', 1, 1, 1, 1, 2], // A until 600
    [60, 'plan', 1, 1, 1, 0, 3], // then B until 1200
    [120, 'plan', 2, 2, 2, 1, 4], // C until 420
    [420, 'plan', 1, 1, 1, 0, 3],
    [600, 'plan', 1, 1, 1, 1, 2],
  ])
})

it('and of the passes in order before them, with twoPass, of which a plan without anybody left is not told', () => {
  expect(passesOf(planned({ twoPass: true }))).toEqual([
    [0, 'first', 1, 1, 1, 1, undefined],
    [60, 'first', 1, 1, 1, 0, undefined],
    [60, 'plan', 1, 1, 1, 0, 3],
    [120, 'first', 2, 1, 1, 0, undefined],
    [120, 'plan', 2, 2, 2, 1, 4],
    [420, 'first', 1, 1, 1, 0, undefined],
    [420, 'plan', 1, 1, 1, 0, 3],
    [600, 'first', 1, 1, 1, 1, undefined],
  ])
})

it('no plan of what runs is made in a pass at events of which the first job does not fit by amounts', () => {
  const begins = vi.spyOn(NamedPlan.prototype, 'begin')
  const master = dispatcher({ cluster: { nodes: [{ count: 2, name: 'n', resources: { procs: 4 } }] }, policy: planned({ twoPass: true, nodes: 'named' }) })
  for (const [id, now] of [['A', 0], ['B', 3]] as const) {
    begins.mockClear()
    master.submit({ id, estimate: 600, stages: [{ name: 'job', tasks: 2, demand: { procs: 4 } }] }, now)
    master.pass(now)
  }
  expect(begins).not.toHaveBeenCalled() // at 3 s; the next plan is at 30 s
  begins.mockRestore()
})

it('counts jobs behind a limit as looked at and not as tried', () => {
  expect(passesOf(planned({ bf_max_job_user: 1 })).at(2)).toEqual([120, 'plan', 2, 2, 1, 0, 3])
  expect(passesOf(planned({ bf_max_job_test: 1, bf_node_space_size: 9 })).at(2)).toEqual([120, 'plan', 2, 1, 1, 0, 3])
  expect(passesOf(planned({ bf_max_job_test: 1 })).at(2)).toEqual([120, 'plan', 2, 1, 1, 0, 2]) // no room for a reservation in a plan of one entry
})

it('nobody else tells of any', () => {
  expect(passesOf(easy())).toEqual([])
})
