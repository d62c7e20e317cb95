import { randomStream, type JobSpec, type NodeId, type Plug } from '@sched/core'
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
    // bar is kept: 60 are left, and a job that asks for more has to wait until those end that hold it
    expect(played([[4, 2048]], { j1: job(40, 20), j2: job(40, 20), high: high(60) }, options).high).toBe('5 to 15')
    expect(played([[4, 2048]], { j1: job(40, 20), j2: job(40, 20), high: high(61) }, options)).toEqual({ j1: '0 to 50', j2: '0 to 50', high: '50 to 60' })
  })

  it('keep licences and amounts of the cluster that are not named, which come back with their end', () => {
    const options = { resources_available: { foo: 2, ncpus: 6 }, restrict_res_to_release_on_suspend: ['mem'] }
    // the processors that low keeps count for the cluster, too: 2 of 6 are left, and next, who would need 3, waits until high and low have gone
    const jobs: Record<string, Asked> = {
      low: { chunks: [[4, 1024]], licenses: { foo: 1 }, walltime: 50 }, high: { queue: 'expressq', submit: 5, walltime: 10, chunks: [[2, 1536]], licenses: { foo: 1 } },
      next: { queue: 'expressq', submit: 8, walltime: 5, chunks: [[3]] }, last: { queue: 'expressq', submit: 7, walltime: 5, chunks: [[1]], licenses: { foo: 1 } },
    }
    expect(played([[12, 2048]], jobs, options)).toEqual({ low: '0 to 5, 15 to 60', high: '5 to 15', last: '15 to 20', next: '60 to 65' })
  })

  it('of which a node goes away start anew without what they have kept', () => {
    const jobs: Record<string, Asked> = {
      low: { chunks: [[2]], licenses: { foo: 1 }, walltime: 50 }, high: { queue: 'expressq', submit: 5, walltime: 10, chunks: [[2]] },
      other: { queue: 'expressq', submit: 8, walltime: 10, chunks: [[1]], licenses: { foo: 1 } },
    }
    const { recorder } = run({
      cluster: instantCluster({ nodes: [{ count: 1, resources: { cpu: 2, mem: 1 } }, { count: 1, resources: { cpu: 1, mem: 1 } }] }),
      jobs: Object.entries(jobs).map(([id, asked]) => jobOf(id, asked)), outages: [{ node: 0 as NodeId, from: 10, to: 20, drain: false }],
      policy: pbsPreempting(greedy(pbsLevels(fifo(), levels)), { ...levels, resources_available: { foo: 1 }, restrict_res_to_release_on_suspend: ['ncpus'] }),
    })
    // other waits for the licence that low keeps until low has lost its place
    expect(recorder.ends.map(({ job, started, stopped }) => `${job} ${started} to ${stopped}`)).toEqual(['low 0 to 5', 'high 5 to 10', 'other 10 to 20', 'high 20 to 30', 'low 30 to 80'])
  })
})

describe('what suspended jobs keep of the whole cluster', () => {
  /** How often jobs hold more than there is as they start or go on, by when each ran, was suspended, and what it asks for; and how many were suspended. */
  function tooMany(seed: number) {
    const random = randomStream(seed, 'kept')
    const draw = (from: number, to: number) => from + Math.floor(random() * (to - from + 1))
    const [foo, bar, ncpus] = [draw(1, 3), draw(1, 3), draw(6, 10)]
    const released = ['ncpus', 'foo', 'bar'].filter(() => random() < 0.5)
    const jobs = Array.from({ length: draw(4, 20) }, (_, i) => jobOf(`j${i}`, {
      queue: random() < 0.4 ? 'expressq' : 'workq', submit: draw(0, 40), walltime: draw(3, 30), licenses: { foo: draw(0, 1), bar: draw(0, 1) },
      chunks: Array.from({ length: draw(1, 2) }, () => [draw(1, 3)] as const),
    }))
    const { recorder } = run({
      cluster: instantCluster({ nodes: [{ count: 2, resources: { cpu: 6, mem: 1 } }] }), jobs: jobs.sort((a, b) => a.submit - b.submit),
      policy: pbsPreempting(greedy(pbsLevels(fifo(), levels)), { ...levels, resources_available: { foo, bar, ncpus }, restrict_res_to_release_on_suspend: ['mem', ...released] }),
    })
    const held = Object.entries({ foo, bar, ncpus }).flatMap(([name, most]) => {
      const spans = jobs.flatMap((each) => {
        const ends = recorder.ends.filter(({ job }) => job === each.id)
        const pieces = [...new Set(ends.map(({ started, stopped }) => `${started} ${stopped}`))].map((text) => text.split(' ').map(Number) as [number, number])
        const amount = name === 'ncpus' ? each.stages.reduce((sum, { demand }) => sum + (demand['cpu'] ?? 0), 0) : (each.licenses?.[name] ?? 0)
        return (released.includes(name) ? pieces : [[Math.min(...pieces.map(([from]) => from)), Math.max(...pieces.map(([, to]) => to))] as const]).map(([from, to]) => ({ from, to, amount }))
      })
      return spans.map(({ from: at }) => spans.reduce((sum, { from, to, amount }) => sum + (from <= at && at < to ? amount : 0), 0) > most)
    })
    return { tooMany: held.filter(Boolean).length, suspended: recorder.ends.filter(({ how }) => how === 'evicted').length, left: jobs.length - new Set(recorder.ends.map(({ job }) => job)).size }
  }

  it('is never more than there is, and all jobs end', { tags: 'long' }, () => {
    const all = Array.from({ length: 300 }, (_, seed) => ({ seed, ...tooMany(seed) }))
    expect(all.filter(({ tooMany: times, left }) => times + left > 0)).toEqual([])
    expect(all.reduce((sum, { suspended }) => sum + suspended, 0)).toBeGreaterThan(300)
  })
})

describe('requeued jobs', () => {
  it('give up all, whatever suspended ones would (test_preempt_requeue_release_all)', () => {
    const jobs = { low: { chunks: [[2]], walltime: 50 }, high: { queue: 'expressq', submit: 5, walltime: 10, chunks: [[1]] } } as const
    expect(played([[2, 1024]], jobs, { restrict_res_to_release_on_suspend: ['mem'], preempt_order: 'R' })).toEqual({ low: '0 to 5, 15 to 65', high: '5 to 15' })
  })
})
