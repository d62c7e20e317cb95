import { randomStream, Reason, type Plug } from '@sched/core'
import { fifo, greedy, pbsLevels, pbsPreempting, pbsQueues, pbsSort, type PbsQueuesOptions } from '@sched/policies'
import { instantCluster, job, run } from '@sched/testkit'
import { describe, expect, it } from 'vitest'

interface Asked {
  readonly id: string
  readonly queue: string
  readonly submit?: number
  readonly ncpus?: number
  readonly duration?: number
}

function launches(jobs: readonly Asked[], cpus: number, options: PbsQueuesOptions) {
  const why = new Set<string>()
  const { recorder } = run({
    cluster: instantCluster({ nodes: [{ count: 1, resources: { cpu: cpus } }] }), policy: greedy(pbsQueues(fifo(), options)),
    jobs: jobs.map(({ ncpus = 1, duration = 1, ...each }) => job({ submit: 0, ...each, duration, demand: { cpu: ncpus } })), observers: [{ onDefer: (_job, _lane, reason, _now, limit) => void (reason === Reason.Limit && why.add(limit ?? '')) }],
  })
  return { ids: recorder.launches.map(({ job: id }) => id), starts: Object.fromEntries(recorder.launches.map(({ job: id, time }) => [id, time])), why: [...why] }
}

/** Cycles of round_robin as OpenPBS's next_job has them, on one node: columns of queues of one Priority, in which queues take turns; who has been looked at is done. */
function turns(jobs: readonly Required<Asked>[], cpus: number, priorities: Readonly<Record<string, number>>): Record<string, number> {
  const starts: Record<string, number> = {}
  const columns = [...new Set(Object.values(priorities))].sort((a, b) => b - a).map((priority) => Object.keys(priorities).filter((name) => priorities[name] === priority))
  const times = new Set(jobs.map(({ submit }) => submit))
  while (times.size > 0) {
    const now = Math.min(...times)
    times.delete(now)
    const done = new Set<string>()
    const next = (queue: string) => jobs.find(({ id, queue: own, submit }) => own === queue && submit <= now && starts[id] === undefined && !done.has(id))
    for (const column of columns)
      for (let at = 0; column.some((queue) => next(queue) !== undefined); at = (at + 1) % column.length) {
        const found = next(column[at] as string)
        if (found === undefined) continue
        const used = jobs.reduce((sum, { id, ncpus, duration }) => sum + (starts[id] !== undefined && starts[id] + duration > now ? ncpus : 0), 0)
        done.add(found.id)
        if (used + found.ncpus > cpus) continue
        starts[found.id] = now
        times.add(now + found.duration)
      }
  }
  return starts
}

describe('pbs-queues', () => {
  it('takes a job of each queue in turn (test_round_robin of the smoke tests)', () => {
    const jobs = ['p1', 'p2', 'p3'].flatMap((queue) => [1, 2, 3].map((i) => ({ id: `${queue}-${i}`, queue })))
    expect(launches(jobs, 9, { take: 'round_robin' }).ids).toEqual(['p1-1', 'p2-1', 'p3-1', 'p1-2', 'p2-2', 'p3-2', 'p1-3', 'p2-3', 'p3-3'])
    expect(launches(jobs, 9, { take: 'round_robin', queues: { p2: { Priority: 1 } } }).ids).toEqual(['p2-1', 'p2-2', 'p2-3', 'p1-1', 'p3-1', 'p1-2', 'p3-2', 'p1-3', 'p3-3'])
    expect(launches(jobs, 9, {}).ids).toEqual(jobs.map(({ id }) => id))
  })

  it('takes all jobs of the queue with the highest Priority first (test_by_queue of the smoke tests)', () => {
    const jobs = [{ id: 'j1', queue: 'p1' }, { id: 'j2', queue: 'p1', ncpus: 8 }, { id: 'j3', queue: 'p1', ncpus: 2 }, { id: 'j4', queue: 'p2' }, { id: 'j5', queue: 'p2', ncpus: 8 }, { id: 'j6', queue: 'p2', ncpus: 8 }]
    const queues = { p1: { Priority: 200 }, p2: { Priority: 400 } }
    // of the 8 processors j4, j1 and j3 have some at once; then each that takes them all, in that order
    expect(launches(jobs, 8, { take: 'by_queue', queues }).ids).toEqual(['j4', 'j1', 'j3', 'j5', 'j6', 'j2'])
  })

  it('lets jobs of queues wait that are not started, and says so', () => {
    const jobs = [{ id: 'a', queue: 'stopped' }, { id: 'b', queue: 'work' }]
    expect(launches(jobs, 1, { queues: { stopped: { started: false } } })).toEqual({ ids: ['b'], starts: { b: 0 }, why: ['started of stopped'] })
  })

  it('takes turns as plain cycles do', { tags: 'long' }, () => {
    let others = 0
    for (let seed = 0; seed < 400; seed++) {
      const random = randomStream(seed, 'queues in turn')
      const draw = (from: number, to: number) => from + Math.floor(random() * (to - from + 1))
      const names = ['a', 'b', 'c', 'd'].slice(0, draw(2, 4))
      const priorities = Object.fromEntries(names.map((name) => [name, draw(0, 3) === 0 ? 10 : 0]))
      const jobs = Array.from({ length: draw(15, 30) }, (_, i) => ({ id: `j${i}`, queue: names[draw(0, names.length - 1)] as string, submit: draw(0, 8), ncpus: draw(1, 3), duration: draw(1, 20) })).sort((x, y) => x.submit - y.submit)
      const cpus = draw(3, 6)
      const sorted = (starts: Readonly<Record<string, number>>) => Object.entries(starts).sort(([x], [y]) => (x < y ? -1 : 1))
      const queues = Object.fromEntries(names.map((name) => [name, { Priority: priorities[name] as number }]))
      const found = sorted(launches(jobs, cpus, { take: 'round_robin', queues }).starts)
      expect(found, `seed ${seed}`).toEqual(sorted(turns(jobs, cpus, priorities)))
      if (JSON.stringify(found) !== JSON.stringify(sorted(launches(jobs, cpus, { take: 'by_queue', queues }).starts))) others++
    }
    expect(others).toBeGreaterThan(200)
  })
})

describe('pbs-preempting', () => {
  it('lets jobs of a level preempt in the order that it is given, and none that the order holds back', () => {
    const preempting = (order: Plug<'order'>) => {
      const { recorder } = run({
        cluster: instantCluster({ nodes: [{ count: 1, resources: { cpu: 4 } }] }), policy: pbsPreempting(greedy(pbsLevels(order, { queues: { fast: { Priority: 150 } } })), { queues: { fast: { Priority: 150 } }, preempt_order: 'R', order }),
        jobs: [job({ id: 'low', submit: 0, queue: 'work', duration: 50, demand: { cpu: 4 } }), ...[1, 3, 2].map((cpu) => job({ id: `fast-${cpu}`, submit: 5, queue: 'fast', duration: 10, demand: { cpu } }))],
      })
      return recorder.launches.filter(({ time }) => time === 5).map(({ job: id }) => id)
    }
    expect(preempting(fifo())).toEqual(['fast-1', 'fast-3'])
    expect(preempting(pbsSort({ job_sort_key: ['ncpus HIGH'] }))).toEqual(['fast-3', 'fast-1'])
    expect(preempting(pbsSort({ job_sort_formula: 'ncpus', job_sort_formula_threshold: 2.5 }))).toEqual(['fast-3'])
    expect(preempting(pbsQueues(fifo(), { queues: { fast: { started: false } } }))).toEqual([])
  })
})
