import type { JobSpec, NodeId } from '@sched/core'
import { fifo, greedy } from '@sched/policies'
import { describe, expect, it } from 'vitest'
import { monolithic, sharedState, type SharedStateOptions } from '../src/index.js'
import { cpuJob, cpus, custom, play, putOn } from './world.js'

// Acceptance facts of Schwarzkopf et al., EuroSys 2013, and of the authors' simulator

describe('decision time', () => {
  const times = (architecture: ReturnType<typeof monolithic>, tasks: readonly number[]) =>
    tasks.map((count) => {
      const { decided } = play(architecture, [cpuJob('j', { tasks: count })], { cluster: cpus(1000, 1) })
      return Number(((decided.all[0]?.closed ?? NaN) - (decided.all[0]?.opened ?? NaN)).toFixed(9))
    })

  it('is 0.1 s and 0.005 s per task by default', () => {
    expect(times(monolithic({ decision: {} }), [1, 10, 100, 1000])).toEqual([0.105, 0.15, 0.6, 5.1])
  })

  it('follows t_job and t_task: 10 + 10 x 0.005, 0.1 + 10 x 1', () => {
    expect(times(monolithic({ decision: { job: 10 } }), [10])).toEqual([10.05])
    expect(times(monolithic({ decision: { task: 1 } }), [10])).toEqual([10.1])
  })

  it('is the class of a job in a multi path scheduler, and other jobs wait behind it', () => {
    const jobs = [cpuJob('s', { class: 'service' }), cpuJob('b', { class: 'batch', submit: 1 })]
    const { decided } = play(monolithic({ classes: { service: { job: 10, task: 0 } }, decision: { job: 1, task: 0 } }), jobs)
    expect(decided.lines()).toEqual(['scheduler s#1 0-10: 1 claimed, 1 accepted, 0 conflicted, 0 left', 'scheduler b#1 10-11: 1 claimed, 1 accepted, 0 conflicted, 0 left'])
  })
})

describe('timing', () => {
  it('of one shared-state scheduler: 40 jobs of 2 s decisions, one per second, are placed at 2i + 1, the last ends at 121', () => {
    const jobs = Array.from({ length: 40 }, (_, i) => cpuJob(`j${i + 1}`, { submit: i + 1, duration: i + 1 }))
    const { recorder } = play(sharedState({ schedulers: 1, decision: { job: 1, task: 1 } }), jobs, { cluster: cpus(1000, 1) })
    expect(recorder.launches.map(({ time }) => time)).toEqual(jobs.map((_, i) => 2 * (i + 1) + 1))
    expect(recorder.ended).toBe(121) // 81 + 40
  })

  it('of a monolithic scheduler: job i of i tasks at t = i waits 0, 1, 3, 6 s and takes 2, 3, 4, 5 s', () => {
    const jobs = [1, 2, 3, 4].map((i) => cpuJob(`j${i}`, { submit: i, tasks: i, duration: 1 }))
    const { decided } = play(monolithic({ decision: { job: 1, task: 1 } }), jobs)
    expect(decided.all.map(({ opened }, i) => opened - (i + 1))).toEqual([0, 1, 3, 6]) // mean 2.5
    expect(decided.all.map(({ opened, closed }) => closed - opened)).toEqual([2, 3, 4, 5])
  })

  it('of a monolithic scheduler with all jobs at 0: decisions end at 2, 5, 9, 14, the last task at 14 + 4', () => {
    const jobs = [1, 2, 3, 4].map((i) => cpuJob(`j${i}`, { tasks: i, duration: i }))
    expect(play(monolithic({ decision: { job: 1, task: 1 } }), jobs).recorder.ended).toBe(18)
  })
})

/** Machines m0 to m2 with 4 CPUs; a and b sync at 0, a commits at 1, b at 2. */
function commits(a: { jobs: JobSpec; on: readonly number[] } | undefined, b: { jobs: JobSpec; on: readonly number[] }, options: SharedStateOptions) {
  const architecture = sharedState({ schedulers: { a: { decision: { job: 1, task: 0 } }, b: { decision: { job: 2, task: 0 } } }, ...options })
  const jobs = [...(a === undefined ? [] : [a.jobs]), b.jobs]
  const { recorder, decided } = play(architecture, jobs, { cluster: cpus(3, 4), policy: putOn(), policies: { a: putOn(...(a?.on ?? [])), b: putOn(...b.on) }, until: 2.5 })
  const told = decided.all.filter(({ scheduler }) => scheduler === 'b').map(({ claimed, accepted, conflicted }) => [claimed, accepted, conflicted])
  return { told, started: recorder.launches.filter(({ job }) => job === 'b').map(({ node }) => node) }
}
const of = (id: string, ...sizes: readonly number[]): JobSpec => ({
  id, submit: 0, class: id, stages: sizes.map((cpu, i) => ({ name: `${i}`, tasks: 1, demand: { cpu }, duration: 100 })),
})

describe('a job that is tried again', () => {
  it('goes before younger ones, or with `again: last` behind them as in the queue of the simulator', () => {
    // 4 CPUs: a has 6 tasks of 10 s and is left with 2 at 1; it comes back at 2, when the decision about b ends and c waits
    const jobs = [cpuJob('a', { tasks: 6, duration: 10 }), cpuJob('b', { submit: 0.5 }), cpuJob('c', { submit: 0.6 })]
    const attempts = (again: 'place' | 'last') => play(monolithic({ decision: { job: 1, task: 0 } }), jobs, { cluster: cpus(1, 4), policy: greedy(fifo({ again })), until: 5.5 }).decided.all.map(({ job, opened }) => `${job} ${opened}`)
    expect(attempts('place')).toEqual(['a 0', 'b 1', 'a 2', 'b 3', 'a 4'])
    expect(attempts('last')).toEqual(['a 0', 'b 1', 'c 2', 'a 3', 'b 4'])
  })
})

describe('commit matrix', () => {
  const modes = [
    ['fine', 'incremental'],
    ['fine', 'all-or-nothing'],
    ['coarse', 'incremental'],
    ['coarse', 'all-or-nothing'],
  ] as const
  const cases = {
    'X: a has m0:2 and m1:2, b claims m0:3 and m2:1': {
      a: { jobs: of('a', 2, 2), on: [0, 1] },
      b: { jobs: of('b', 3, 1), on: [0, 2] },
      started: [['node-2'], [], ['node-2'], []],
    },
    'Y: a has m0:2 and m1:2, b claims m0:1 and m2:1, which fits': {
      a: { jobs: of('a', 2, 2), on: [0, 1] },
      b: { jobs: of('b', 1, 1), on: [0, 2] },
      started: [['node-0', 'node-2'], ['node-0', 'node-2'], ['node-2'], []],
    },
    'Z: nobody else, b claims m0:1 twice': {
      a: undefined,
      b: { jobs: of('b', 1, 1), on: [0, 0] },
      started: [['node-0', 'node-0'], ['node-0', 'node-0'], ['node-0', 'node-0'], ['node-0', 'node-0']],
    },
    'W: a has m0:1, b claims m0:1 twice': {
      a: { jobs: of('a', 1), on: [0] },
      b: { jobs: of('b', 1, 1), on: [0, 0] },
      started: [['node-0', 'node-0'], ['node-0', 'node-0'], [], []],
    },
  }
  for (const [name, { a, b, started }] of Object.entries(cases))
    it.each(modes.map(([conflict, commit], i) => ({ conflict, commit, expected: started[i] as string[] })))(`${name}: $conflict, $commit`, ({ conflict, commit, expected }) => {
      const outcome = commits(a, b, { conflict, commit })
      expect(outcome).toEqual({ told: [[2, expected.length, 2 - expected.length]], started: expected })
    })
})

describe('sequence numbers', () => {
  it('are raised by committed claims alone; a stale claim conflicts and changes nothing', () => {
    // a machine with 1 CPU and 2 of memory, claims of 0.25 and 0.75
    const seen: (readonly number[])[] = []
    const architecture = custom(['a', 'b'], ({ cell }, [a, b]) => {
      const state = () => [cell.cluster.version(0 as NodeId), cell.cluster.free(0 as NodeId, 0 as never), cell.cluster.free(0 as NodeId, 1 as never)]
      const draft = (scheduler: typeof a) => {
        const round = cell.draft(scheduler as NonNullable<typeof a>, 0 as never, cell.nodes)
        scheduler?.policy.schedule(round)
        return round
      }
      let isDone = false
      return {
        trigger: () => {
          if (isDone) return
          isDone = true
          const first = draft(a)
          seen.push(state()) // in the private copy
          first.suspend()
          seen.push(state())
          first.commit({ conflict: 'version', atomic: false })
          seen.push(state())
          const second = draft(a)
          second.suspend()
          const late = draft(b)
          late.suspend()
          second.commit({ conflict: 'version', atomic: false })
          seen.push(state())
          expect(late.commit({ conflict: 'version', atomic: false })).toMatchObject({ accepted: [], conflicted: { length: 1 } })
          seen.push(state())
        },
      }
    })
    const demand = { cpu: 250, mem: 750 }
    const jobs = [cpuJob('j0', { class: 'a', demand }), cpuJob('j1', { class: 'a', demand }), cpuJob('j2', { class: 'b', demand })]
    play(architecture, jobs, { cluster: { nodes: [{ count: 1, resources: { cpu: 1000, mem: 2000 } }] }, policy: putOn(0), until: 1 })
    expect(seen).toEqual([[0, 750, 1250], [0, 1000, 2000], [1, 750, 1250], [2, 500, 500], [2, 500, 500]])
  })
})

describe('three schedulers for one class', () => {
  const jobs = Array.from({ length: 60 }, (_, i) => cpuJob(`j${i}`, { submit: i * 0.05, tasks: 10, duration: 1 })) // 20 jobs/s, 3 x 1/0.15

  it('handle each job by exactly one of them, the same whatever else is submitted', () => {
    const architecture = sharedState({ schedulers: 3 })
    const owners = (some: readonly JobSpec[]) => {
      const { decided } = play(architecture, some, { cluster: cpus(1, 1000) })
      return new Map(some.map(({ id }) => [id, [...new Set(decided.all.filter(({ job }) => job === id).map(({ scheduler }) => scheduler))]]))
    }
    const all = owners(jobs)
    expect([...all.values()].every((each) => each.length === 1)).toBe(true)
    expect(new Set([...all.values()].flat()).size).toBe(3)
    const half = jobs.filter((_, i) => i % 2 === 0)
    expect([...owners(half)]).toEqual(half.map(({ id }) => [id, all.get(id)]))
  })

  it('bear three times the load where it is balanced', () => {
    const longestWait = (schedulers: number) => {
      const { decided } = play(sharedState({ schedulers, balance: 'round-robin' }), jobs, { cluster: cpus(1, 1000) })
      return Math.max(...decided.all.map(({ job, opened }) => opened - (jobs.find(({ id }) => id === job)?.submit ?? NaN)))
    }
    expect(longestWait(3)).toBeLessThan(0.01)
    expect(longestWait(2)).toBeGreaterThan(1) // 30 x 0.15 s of work for each in 3 s
  })
})

