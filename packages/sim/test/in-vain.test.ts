import type { JobId, TaskEnd, TaskId } from '@sched/core'
import { describe, expect, it } from 'vitest'
import { InVain } from '../src/in-vain.js'
import { Simulation } from '../src/index.js'
import { exact, job, oneNode, policyOf, serial, startAll, workloadOf } from './world.js'

const MOST = 1_000_000
/** A run in which tasks go in vain, one a second, each after it was started. */
function losing(): { readonly run: { done: number; launches: number; jobs: number }; readonly vain: InVain; readonly go: (how: TaskEnd, times?: number, saved?: number) => void } {
  const run = { done: 0, launches: 0, jobs: 2 }
  const vain = new InVain(run)
  let now = 0
  return {
    run,
    vain,
    go: (how, times = 1, saved = 0) => {
      for (let i = 0; i < times; i++) {
        run.launches++
        vain.killed(how, saved, now++)
      }
    },
  }
}
const FOR_EVER = 'tasks have been evicted 1000000 times in a row, and none was done: jobs take from each other for ever.'

describe('evictions and losses in vain', () => {
  it('end a run after a million in a row', () => {
    const { go } = losing()
    go('evicted', MOST - 1)
    expect(() => go('evicted')).toThrow(`at 999999 s ${FOR_EVER} Change whom the policy may preempt, let tasks save their work (checkpoint), or end the run (until).`)
  })

  it.each([
    ['a task is done', ({ run }: ReturnType<typeof losing>) => void run.done++],
    ['a job comes or ends', ({ run }: ReturnType<typeof losing>) => void run.jobs++],
    ['some work is saved', ({ go }: ReturnType<typeof losing>) => go('evicted', 1, 5)],
  ])('do not where %s', (_, good) => {
    const each = losing()
    each.go('evicted', MOST - 1)
    good(each)
    expect(() => each.go('evicted', 2)).not.toThrow()
  })

  it('count once where nothing was started meanwhile, and not by tasks that fail by themselves', () => {
    const { go, run, vain } = losing()
    go('evicted', MOST - 1)
    expect(() => vain.killed('evicted', 0, MOST - 2)).not.toThrow() // a large cluster is emptied at once
    expect(() => go('failed')).not.toThrow()
    run.launches++
    expect(() => vain.killed('evicted', 0, MOST - 2)).toThrow(FOR_EVER) // but jobs may take from each other for ever in one instant, too
  })

  it('are losses where nodes fail', () => {
    const { go } = losing()
    go('lost', MOST - 1)
    expect(() => go('lost')).toThrow('outages: take all tasks with them: 1000000 in a row, and none was done.')
  })

  it('are no losses where the run ends at a time, but evictions', () => {
    const { go, vain } = losing()
    vain.hasEnd = true
    expect(() => go('lost', MOST)).not.toThrow()
    expect(() => go('evicted', MOST)).toThrow(`${FOR_EVER} Change whom the policy may preempt, or let tasks save their work (checkpoint).`)
  })

  it('are found in a run of two jobs that take the only slot from each other whenever one has it', { tags: 'long' }, () => {
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
