import type { JobId, TaskId } from '@sched/core'
import { describe, expect, it } from 'vitest'
import { InVain } from '../src/in-vain.js'
import { Simulation } from '../src/index.js'
import { exact, job, oneNode, policyOf, serial, startAll, workloadOf } from './world.js'

const MOST = 1_000_000
/** So many evictions, one a second. */
const evict = (vain: InVain, times: number, from: number) => {
  for (let i = 0; i < times; i++) vain.killed('evicted', 0, 0, from + i)
}

describe('evictions and losses in vain', () => {
  it('end a run after a million instants in a row', () => {
    const vain = new InVain()
    evict(vain, MOST - 1, 0)
    expect(() => vain.killed('evicted', 0, 0, MOST)).toThrow('at 1000000 s tasks have been evicted 1000000 times in a row, and none was done: jobs take from each other for ever.')
  })

  it.each([
    ['a task is done', (vain: InVain) => vain.killed('evicted', 0, 1, MOST)],
    ['some work is saved', (vain: InVain) => vain.killed('evicted', 5, 0, MOST)],
  ])('do not where %s', (_, good) => {
    const vain = new InVain()
    evict(vain, MOST - 1, 0)
    good(vain)
    expect(() => evict(vain, 2, MOST + 1)).not.toThrow()
  })

  it('count losses once in an instant, and no task that fails by itself', () => {
    const vain = new InVain()
    evict(vain, MOST - 1, 0)
    expect(() => vain.killed('lost', 0, 0, MOST - 2)).not.toThrow()
    expect(() => vain.killed('failed', 0, 0, MOST)).not.toThrow()
    expect(() => vain.killed('lost', 0, 0, MOST)).toThrow('outages: take all tasks with them: 1000000 in a row, and none was done.')
  })

  it('are found in a run of two jobs that take the only slot from each other whenever one has it', () => {
    const taking = policyOf((round, jobs) => {
      const running: TaskId[] = []
      for (const each of jobs) round.work.runningTasks(each, round.lane, running)
      const last = running[0] === undefined ? undefined : round.work.jobOf(running[0])
      for (const task of running) round.evict(task)
      startAll(round, jobs.find((each) => each !== last) as JobId)
      round.wakeAt(1)
    })
    // without `validate`, since a million rounds are made
    const options = { cluster: oneNode, workload: workloadOf([job('a'), job('b')]), policy: taking, architecture: serial(), runtime: exact }
    expect(() => new Simulation(options).run()).toThrow('tasks have been evicted 1000000 times in a row, and none was done')
  })
})
