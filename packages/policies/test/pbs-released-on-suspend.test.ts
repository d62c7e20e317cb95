import type { JobSpec, Plug } from '@sched/core'
import { easy, fifo, greedy, pbsLevels, pbsPreempting, strict, type PbsPreemptingOptions } from '@sched/policies'
import { instantCluster, run } from '@sched/testkit'
import { describe, expect, it } from 'vitest'

// What suspended jobs give up: the tests of OpenPBS for restrict_res_to_release_on_suspend, by name.

const levels = { queues: { expressq: { Priority: 200 } } }

interface Asked {
  readonly queue?: string
  readonly submit?: number
  readonly walltime?: number
  readonly licenses?: Readonly<Record<string, number>>
  /** Processors and memory of each chunk. */
  readonly chunks: readonly (readonly [cpu: number, mem?: number])[]
}
const jobOf = (id: string, { queue = 'workq', submit = 0, walltime = 100, licenses, chunks }: Asked): JobSpec => ({
  id, submit, queue, estimate: walltime, ...(licenses !== undefined && { licenses }), ...(chunks.length > 1 && { gang: true }),
  stages: chunks.map(([cpu, mem = 0], i) => ({ name: `${i}`, tasks: 1, gang: true, demand: { cpu, ...(mem > 0 && { mem }) }, duration: walltime })),
})

/** From when to when each runs, under three disciplines alike. */
const played = (nodes: readonly (readonly [cpu: number, mem: number])[], jobs: Readonly<Record<string, Asked>>, options: PbsPreemptingOptions) => {
  const of = (make: (order: Plug<'order'>) => Plug<'policy'>) => {
    const { recorder } = run({
      cluster: instantCluster({ nodes: nodes.map(([cpu, mem]) => ({ count: 1, resources: { cpu, mem } })) }),
      jobs: Object.entries(jobs).map(([id, asked]) => jobOf(id, asked)),
      policy: pbsPreempting(make(pbsLevels(fifo(), levels)), { ...levels, ...options }),
    })
    const pieces: Record<string, Set<string>> = {}
    for (const { job: id, started, stopped } of recorder.ends) (pieces[id] ??= new Set()).add(`${started} to ${stopped}`)
    return Object.fromEntries(Object.entries(pieces).map(([id, times]) => [id, [...times].join(', ')]))
  }
  const first = of(greedy)
  expect(of(strict)).toEqual(first)
  expect(of(easy)).toEqual(first)
  return first
}

describe('suspended jobs', () => {
  const low: Asked = { chunks: [[4, 512]], walltime: 50 }
  const high = (mem: number): Asked => ({ queue: 'expressq', submit: 5, walltime: 10, chunks: [[2, mem]] })

  it('keep what is not named (test_do_not_release_mem_sched_susp), and give up all by default (test_default_restrict_res_released_on_suspend)', () => {
    expect(played([[4, 2048]], { low, high: high(1536) }, { restrict_res_to_release_on_suspend: ['ncpus'] })).toEqual({ low: '0 to 5, 15 to 60', high: '5 to 15' })
    // 512 of the memory are kept: one who needs more than is left has to wait
    expect(played([[4, 2048]], { low, high: high(1537) }, { restrict_res_to_release_on_suspend: ['ncpus'] })).toEqual({ low: '0 to 50', high: '50 to 60' })
    expect(played([[4, 2048]], { low, high: high(2048) }, {})).toEqual({ low: '0 to 5, 15 to 60', high: '5 to 15' })
  })

  it('give it up on all of their nodes (test_res_released_sched_susp_multi_vnode)', () => {
    const jobs = { low: { chunks: [[8, 512], [6, 256]], walltime: 50 }, high: { queue: 'expressq', submit: 5, walltime: 10, chunks: [[8, 256]] }, next: { queue: 'expressq', submit: 6, walltime: 5, chunks: [[6, 768]] } } as const
    expect(played([[8, 1024], [6, 1024]], jobs, { restrict_res_to_release_on_suspend: ['ncpus'] })).toEqual({ low: '0 to 5, 15 to 60', high: '5 to 15', next: '6 to 11' })
  })

  it('leave nobody the processors that they keep (test_if_node_gets_oversubscribed)', () => {
    const jobs = { j1: { chunks: [[2, 512]], walltime: 200 }, j2: { submit: 1, walltime: 50, chunks: [[3]] }, j3: { queue: 'expressq', submit: 2, walltime: 100, chunks: [[1, 2048]] } } as const
    expect(played([[4, 2048]], jobs, { restrict_res_to_release_on_suspend: ['mem'] })).toEqual({ j1: '0 to 2, 102 to 300', j2: '300 to 350', j3: '2 to 102' })
  })

  it('go on after the one for whom they gave up a part (test_suspended_job_gets_calendered)', () => {
    const jobs = { j1: { chunks: [[3, 1512]], walltime: 50 }, j2: { queue: 'expressq', submit: 2, walltime: 100, chunks: [[2, 2048]] } } as const
    expect(played([[5, 2048]], jobs, { restrict_res_to_release_on_suspend: ['mem'] })).toEqual({ j1: '0 to 2, 102 to 150', j2: '2 to 102' })
  })

  it('give up licences that are named (test_server_res_release_upon_suspension_using_preemption)', () => {
    const job = (foo: number, bar: number, change: Partial<Asked> = {}): Asked => ({ walltime: 50, chunks: [[1]], licenses: { foo, bar }, ...change })
    const options = { resources_available: { foo: 100, bar: 100 }, restrict_res_to_release_on_suspend: ['ncpus', 'foo'] }
    const high = (bar: number) => job(70, bar, { queue: 'expressq', submit: 5, walltime: 10 })
    expect(played([[4, 2048]], { j1: job(40, 20), j2: job(40, 20), high: high(20) }, options)).toEqual({ j1: '0 to 5, 15 to 60', j2: '0 to 5, 15 to 60', high: '5 to 15' })
  })
})

describe('requeued jobs', () => {
  it('give up all, whatever suspended ones would (test_preempt_requeue_release_all)', () => {
    const jobs = { low: { chunks: [[2]], walltime: 50 }, high: { queue: 'expressq', submit: 5, walltime: 10, chunks: [[1]] } } as const
    expect(played([[2, 1024]], jobs, { restrict_res_to_release_on_suspend: ['mem'], preempt_order: 'R' })).toEqual({ low: '0 to 5, 15 to 65', high: '5 to 15' })
  })
})
