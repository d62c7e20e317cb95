import type { ClusterDescription } from '@sched/cluster'
import type { ClusterView, JobId, JobSpec, LaneId, NodeId, Observer, TaskId, WorkView } from '@sched/core'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { exact, policyOf, run, stage, startAll } from './world.js'

const world = fc.record({
  nodes: fc.integer({ min: 1, max: 6 }),
  racks: fc.integer({ min: 1, max: 3 }),
  heartbeat: fc.boolean(),
  overlap: fc.boolean(),
  contention: fc.boolean(),
  evictions: fc.array(fc.integer({ min: 1, max: 200 }), { maxLength: 6 }),
  jobs: fc.array(
    fc.record({
      submit: fc.integer({ min: 0, max: 60 }),
      maps: fc.integer({ min: 1, max: 6 }),
      reduces: fc.integer({ min: 1, max: 4 }),
      bytes: fc.integer({ min: 0, max: 500 }),
      slowstart: fc.constantFrom(0, 0.5, 1),
      disks: fc.double({ min: 0, max: 1, noNaN: true }),
    }),
    { minLength: 1, maxLength: 5 },
  ),
})
type World = typeof world extends fc.Arbitrary<infer T> ? T : never

const jobsOf = ({ jobs }: World): JobSpec[] =>
  [...jobs].sort((a, b) => a.submit - b.submit).map(({ submit, maps, reduces, bytes, slowstart, disks }, i) => ({
    id: `job${i}`,
    submit,
    stages: [
      stage({ name: 'map', tasks: maps, demand: { map: 1 }, duration: 10, use: { cores: 1, disks } }),
      stage({ name: 'reduce', tasks: reduces, demand: { reduce: 1 }, duration: 5, use: { disks: 1 }, after: [{ stage: 0, fraction: slowstart }], shuffle: { from: 0, bytes } }),
    ],
  }))

/** Starts what fits, and evicts a running task once at each of some times. */
function evicting(times: readonly number[]) {
  const due = [...times].sort((a, b) => a - b)
  return policyOf((round, jobs) => {
    const [next = Infinity] = due
    const running: TaskId[] = []
    for (const job of jobs) round.work.runningTasks(job, round.lane, running)
    const chosen = running.find((task) => round.nodes.includes(round.work.nodeOf(task) as NodeId))
    if (round.now >= next && chosen !== undefined) {
      due.shift()
      round.evict(chosen)
    } else if (round.now < next && next < Infinity) round.wakeAt(next)
    for (const job of jobs) startAll(round, job)
  })
}

/** Bytes by job, of tasks that got all of theirs; and the use of hardware when the run ends. */
class Watch implements Observer {
  readonly fetched = new Map<string, number>()
  left: number[] = []
  /** What each task that fetched had got by then. A node has one reduce at a time, so its bytes are that task's. */
  readonly parts = new Map<string, number[]>()
  readonly #got: number[] = []
  #work!: WorkView
  #cluster!: ClusterView
  #names: string[] = []
  onRunStart({ cluster, work }: { readonly cluster: ClusterView; readonly work: WorkView }): void {
    this.#cluster = cluster
    this.#work = work
  }
  onSubmit(job: JobId, spec: JobSpec): void {
    this.#names[job] = spec.id
  }
  onFetch(job: JobId, _from: NodeId, to: NodeId, bytes: number): void {
    this.#got[to] = (this.#got[to] ?? 0) + bytes
    const name = this.#names[job] as string
    this.fetched.set(name, (this.fetched.get(name) ?? 0) + bytes)
  }
  onTaskFetched(task: TaskId): void {
    const name = this.#names[this.#work.jobOf(task)] as string
    this.parts.set(name, [...(this.parts.get(name) ?? []), this.#got[this.#work.nodeOf(task) as NodeId] ?? NaN])
  }
  onTaskEnd(_task: TaskId, _job: JobId, lane: LaneId, node: NodeId): void {
    if (lane === 1) this.#got[node] = 0
  }
  onRunEnd(): void {
    const { hardware, nodes } = this.#cluster
    this.left = Array.from({ length: nodes }, (_, node) => [hardware.runnable(node as NodeId), ...hardware.kinds.map((_kind, k) => hardware.use(node as NodeId, k))]).flat()
  }
}

describe('runs with contention, a network and evictions', () => {
  it('end all jobs, fetch every byte, each task its part once, and leave nothing in use', { tags: 'long' }, () => {
    fc.assert(
      fc.property(world, (given) => {
        const jobs = jobsOf(given)
        const cluster: ClusterDescription = {
          nodes: [{ count: given.nodes, racks: Math.min(given.racks, given.nodes), slots: { map: 2, reduce: 1 }, hardware: { cores: 1, disks: 1 } }],
          ...(given.heartbeat && { heartbeat: { interval: 3, stagger: true } }),
        }
        const watch = new Watch()
        const runtime = { ...exact, contention: given.contention, network: { intra: 20, cross: 5, overlap: given.overlap } }
        const log = run(jobs, { cluster, policy: evicting(given.evictions), runtime, observers: [watch] })
        expect(Object.keys(log.ends).length).toBe(jobs.length)
        for (const { id, stages } of jobs) {
          const bytes = stages[1]?.shuffle?.bytes ?? 0
          const found = watch.fetched.get(id) ?? 0
          if (given.evictions.length === 0) expect(found).toBeCloseTo(bytes, 6)
          else expect(found).toBeGreaterThanOrEqual(bytes * (1 - 1e-9))
          for (const part of watch.parts.get(id) ?? []) expect(part).toBeCloseTo(bytes / (stages[1]?.tasks ?? 1), 6)
        }
        expect(new Set(watch.left)).toEqual(new Set([0]))
      }),
      { seed: 6, numRuns: 120 },
    )
  })
})
