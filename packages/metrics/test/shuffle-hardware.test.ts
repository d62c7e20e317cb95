import type { ClusterView, JobId, JobSpec, LaneId, NodeId, TaskId, WorkView } from '@sched/core'
import { describe, expect, it } from 'vitest'
import { hardwareUse, shuffle } from '../src/index.js'

const spec = (id: string, label: string, fetches = true): JobSpec => {
  const one = { name: 'map', tasks: 1, demand: { map: 1 }, duration: 1 }
  return { id, submit: 0, label, stages: fetches ? [one, { ...one, name: 'reduce', shuffle: { from: 0, bytes: 10 } }] : [one] }
}
const [task, job, node] = [(n: number) => n as TaskId, (n: number) => n as JobId, (n: number) => n as NodeId]

/** Nodes 0 and 1 are one rack, 2 and 3 the other; task t belongs to job t / 10. */
function world() {
  const started: number[] = []
  const cluster = { nodes: 4, levels: 2, group: (_level: number, n: number) => n >> 1 } as unknown as ClusterView
  const work = { jobOf: (t: TaskId) => Math.floor(t / 10), started: (t: TaskId) => started[t] } as unknown as WorkView
  const metric = shuffle()
  metric.onRunStart({ cluster, work })
  const start = (t: number, now: number) => {
    started[t] = now
    metric.onTasksStart({ job: job(Math.floor(t / 10)), lane: 0 as LaneId, count: 1, tasks: [task(t)], nodes: [node(0)], level: -1 }, now)
  }
  return { metric, start, fetch: (j: number, from: number, to: number, bytes: number, now: number) => metric.onFetch(job(j), node(from), node(to), bytes, now) }
}

describe('shuffle', () => {
  it('counts bytes by distance, and the time that tasks wait for their input', () => {
    const { metric, start, fetch } = world()
    metric.onSubmit(job(0), spec('a', 'x'))
    start(0, 0) // the map, to 10
    start(1, 5) // a reduce that waits for it
    for (const [from, bytes] of [[0, 3], [1, 4], [2, 13]] as const) fetch(0, from, 0, bytes, 10)
    start(2, 12) // another reduce, with all on its node
    metric.onTaskFetched(task(2), 12)
    metric.onTaskFetched(task(1), 20)
    metric.onJobEnd(job(0), spec('a', 'x'), 40)
    const { overall, classes } = metric.result()!
    // fetching from 10 to 20 in 40 s: not from 5 on, when there was nothing to fetch
    expect(overall).toEqual({ local: 3, intra: 4, cross: 13, crossShare: 0.65, tasks: 2, seconds: 10, jobs: 1, jobSeconds: 10, jobShare: 0.25 })
    expect(classes).toEqual([{ label: 'x', ...overall }])
  })

  it('counts seconds once in which several tasks of a job fetch', () => {
    const { metric, start, fetch } = world()
    metric.onSubmit(job(1), spec('b', 'y'))
    start(10, 0)
    fetch(1, 0, 2, 1, 0)
    start(11, 4)
    start(12, 20)
    metric.onTaskFetched(task(10), 6) // 0 to 6
    metric.onTaskFetched(task(11), 10) // 4 to 10
    metric.onTaskFetched(task(12), 25) // 20 to 25
    metric.onJobEnd(job(1), spec('b', 'y'), 30)
    const { seconds, jobSeconds, jobShare } = metric.result()!.overall
    expect([seconds, jobSeconds, jobShare]).toEqual([17, 15, 0.5])
  })

  it('is absent where nothing is fetched, and knows a used id for another job', () => {
    const { metric, start, fetch } = world()
    metric.onSubmit(job(0), spec('a', 'x', false))
    start(0, 0)
    metric.onJobEnd(job(0), spec('a', 'x', false), 5)
    expect(metric.result()).toBeUndefined()
    metric.onSubmit(job(0), spec('b', 'x'))
    start(1, 6)
    fetch(0, 1, 0, 8, 6)
    metric.onTaskFetched(task(1), 8)
    metric.onJobEnd(job(0), spec('b', 'x'), 10)
    metric.onSubmit(job(0), spec('c', 'x', false))
    start(2, 10)
    metric.onJobEnd(job(0), spec('c', 'x', false), 30)
    expect([metric.result()?.overall.jobs, metric.result()?.overall.jobShare]).toEqual([1, 0.5])
  })
})

/** Two nodes with 4 and 8 cores, of which the test says how many are used and by how many tasks. */
function machine(samples = 0) {
  const [cores, use, runnable] = [[4, 8], [0, 0], [0, 0]]
  const hardware = { isMeasured: true, kinds: ['cores'], amount: (n: number) => cores[n], use: (n: number) => use[n], runnable: (n: number) => runnable[n] }
  const metric = hardwareUse({ samples })
  metric.onRunStart({ cluster: { nodes: 2, hardware, name: (n: number) => `n${n}` } as unknown as ClusterView })
  metric.onSubmit(job(0), spec('a', 'x'), 0)
  const set = (n: number, cores: number, tasks: number, now: number) => {
    use[n] = cores
    runnable[n] = tasks
    metric.onUse(node(n), now)
  }
  return { metric, set }
}

describe('use of hardware', () => {
  it('is weighed by time and amount: means, peaks and load, of all and of each node', () => {
    const { metric, set } = machine()
    set(0, 6, 3, 0) // 6 of 4 cores for 10 s
    set(1, 4, 1, 5) // 4 of 8 cores for 10 s
    set(0, 0, 0, 10)
    set(1, 0, 0, 15)
    metric.onRunEnd(20)
    const { span, kinds, load, nodes } = metric.result()!
    expect(span).toBe(20)
    expect(kinds).toEqual([{ kind: 'cores', mean: (6 * 10 + 4 * 10) / (20 * 12), peak: 10 / 12 }])
    expect(nodes).toEqual([
      { node: 'n0', load: { mean: 1.5, peak: 3 }, kinds: [{ kind: 'cores', mean: 0.75, peak: 1.5 }] },
      { node: 'n1', load: { mean: 0.5, peak: 1 }, kinds: [{ kind: 'cores', mean: 0.25, peak: 0.5 }] },
    ])
    expect(load).toEqual({ mean: 1, peak: 3 })
  })

  it('has samples over time where they are asked for, at most so many however long the run is', () => {
    const { metric, set } = machine(4)
    set(0, 4, 1, 0)
    set(0, 2, 1, 100)
    metric.onRunEnd(200)
    const { times, use } = metric.result()!.samples!
    expect(times.length).toBeLessThanOrEqual(4)
    const steps = times.slice(1).map((time, i) => time - (times[i] as number))
    expect(new Set(steps).size).toBe(1)
    expect(use.map(({ node: name, kind }) => `${name} ${kind}`)).toEqual(['n0 cores', 'n0 load', 'n1 cores', 'n1 load'])
    expect(use[0]?.use).toEqual(times.map((time) => (time < 100 ? 1 : 0.5)))
  })

  it('is absent where no hardware is described', () => {
    const metric = hardwareUse()
    metric.onRunStart({ cluster: { nodes: 1, hardware: { isMeasured: false } } as unknown as ClusterView })
    metric.onSubmit(job(0), spec('a', 'x'), 0)
    metric.onRunEnd(9)
    expect(metric.result()).toBeUndefined()
  })
})
