import type { JobSpec } from '@sched/core'
import { fifo, replan, type ReplanOptions } from '@sched/policies'
import { describe, expect, it } from 'vitest'
import { startsOf } from './machine.js'

const job = (id: string, tasks: number, minutes: number, submit: number): JobSpec => ({
  id, submit, estimate: minutes * 60, stages: [{ name: 'job', tasks, gang: true, demand: { procs: 1 }, duration: minutes * 60 }],
})

describe.each<[string, ReplanOptions]>([['counted', {}], ['named', { nodes: 'named' }]])('entries of a plan, nodes %s', (_, options) => {
  // 4 nodes, 3 of them until 600 s; a and b need all: entries at the present, 600, 1200 and 1800 s. `small` fits before 600
  const jobs = [job('before', 3, 10, 0), job('a', 4, 10, 1), job('b', 4, 10, 1), job('small', 1, 5, 1)]
  const small = (more: ReplanOptions) => startsOf(jobs, [1], replan(fifo(), { ...options, ...more }), { nodes: 4 }).get('small')

  it('end the pass where there are as many as may be', () => {
    expect([small({ bf_node_space_size: 4 }), small({ bf_node_space_size: 3 })]).toEqual([1, 1800])
  })

  it('let those start that are before the next that would get a reservation', () => {
    const order = [jobs[0], jobs[1], job('small', 1, 5, 1), job('b', 4, 10, 1)] as JobSpec[]
    expect(startsOf(order, [1], replan(fifo(), { ...options, bf_node_space_size: 3 }), { nodes: 4 }).get('small')).toBe(1)
  })

  it('may be as many as jobs are looked at, unless said otherwise', () => {
    expect([small({ bf_max_job_test: 4 }), small({ bf_max_job_test: 3 }), small({ bf_max_job_test: 3, bf_node_space_size: 4 })]).toEqual([1, 1800, 1])
  })

  it('are not those of windows', () => {
    const windows = [{ from: 90_000, to: 90_100, demand: 'all' as const }, { from: 91_000, to: 91_100, demand: 'all' as const }]
    expect(small({ bf_node_space_size: 4, windows })).toBe(1)
  })
})
