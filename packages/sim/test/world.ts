import {
  defineArchitecture,
  definePolicy,
  type JobId,
  type JobSpec,
  type LaneId,
  type NodeId,
  type Observer,
  type OptionsSchema,
  type Policy,
  type Round,
  type StageSpec,
  type TaskEnd,
  type TaskId,
  type Workload,
  type WorkView,
} from '@sched/core'
import type { ClusterDescription } from '@sched/cluster'
import { Simulation, type SimulationOptions } from '../src/index.js'

// The smallest scheduling system: the tests of the engine depend on no other package's policies.

/** Options of a definition that takes none. */
const noOptions: OptionsSchema<unknown> = { '~standard': { version: 1, vendor: 'test', validate: (value) => ({ value }) } }

/** A policy that does what a function says, with the jobs in the system by submission. */
export const policyOf = (schedule: (round: Round, jobs: readonly JobId[]) => void, also: Partial<Policy> = {}) =>
  definePolicy({
    name: 'test',
    summary: 'what the test says',
    options: noOptions,
    create: () => {
      const jobs: JobId[] = []
      return {
        ...also,
        onSubmit: (job) => void jobs.push(job),
        onFinish: (job) => void jobs.splice(jobs.indexOf(job), 1),
        schedule: (round) => schedule(round, jobs),
      }
    },
  }).plug({})

/** Starts the job's tasks on the round's nodes while they fit, the nearest first. */
export function startAll(round: Round, job: JobId): void {
  const { work, lane, nodes, cluster } = round
  for (const node of nodes)
    while (work.unplaced(job, lane) > 0 && round.fits(job, node) && round.claim(work.taskFor(job, lane, node, cluster.levels) as TaskId, node));
}

/** Jobs by submission, each as far as there is room. */
export const inOrder = policyOf((round, jobs) => {
  for (const job of jobs) startAll(round, job)
})

/** One round per lane on the live state; at most `claims` starts in it. */
export const serial = (claims = Infinity) =>
  defineArchitecture({
    name: 'serial',
    summary: 'one scheduler on the live state',
    options: noOptions,
    create: (_, { cell, addScheduler }) => {
      const scheduler = addScheduler('only')
      const { policy } = scheduler
      return {
      trigger: (trigger) => {
        const nodes = trigger.kind === 'heartbeat' ? [trigger.node] : trigger.kind === 'pass' ? cell.nodes : []
        for (let lane = 0 as LaneId; lane < cell.cluster.lanes.length; lane++) {
          const round = cell.draft(scheduler, lane, nodes, { claims })
          policy.schedule(round)
          const commit = round.commit({ conflict: 'none', atomic: false })
          policy.onCommit?.(commit)
        }
      },
      }
    },
  }).plug({})

/** What happened, as lines: `10 start a.0 node-1`, `12 done a.0`, `12 end a`. */
export class Log implements Observer {
  readonly lines: string[] = []
  readonly ends: Record<string, number> = {}
  ended: number | undefined
  work!: WorkView
  #first = new Map<JobId, number>()

  onRunStart({ work }: { readonly work: WorkView }): void {
    this.work = work
  }
  onSubmit(job: JobId, spec: JobSpec, now: number): void {
    this.lines.push(`${now} submit ${spec.id}`)
  }
  onTaskStart(task: TaskId, job: JobId, _lane: LaneId, node: NodeId, level: number, now: number): void {
    if (!this.#first.has(job)) this.#first.set(job, task)
    this.lines.push(`${now} start ${this.work.name(job)} on ${node}${level < 0 ? '' : ` at level ${level}`}`)
  }
  onTaskEnd(_task: TaskId, job: JobId, _lane: LaneId, node: NodeId, how: TaskEnd, _started: number, stopped: number, now: number): void {
    this.lines.push(`${now} ${how} ${this.work.name(job)} on ${node}${stopped === now ? '' : `, stopped at ${stopped}`}`)
  }
  onJobEnd(job: JobId, spec: JobSpec, now: number): void {
    this.ends[spec.id] = now
    this.#first.delete(job)
  }
  onReject(spec: JobSpec, reason: string, now: number): void {
    this.lines.push(`${now} reject ${spec.id}: ${reason}`)
  }
  onRunEnd(now: number): void {
    this.ended = now
  }
  starts(): string[] {
    return this.lines.filter((line) => line.includes(' start '))
  }
}

/** Two nodes with one slot and no heartbeats; tasks take their duration exactly. */
export const twoNodes: ClusterDescription = { nodes: [{ count: 2, slots: { slot: 1 } }] }
export const oneNode: ClusterDescription = { nodes: [{ count: 1, slots: { slot: 1 } }] }
export const exact = { jitter: 0, localityFactors: [1] }

export const stage = (change: Partial<StageSpec> = {}): StageSpec => ({ name: 'work', tasks: 1, demand: { slot: 1 }, duration: 10, ...change })
export const job = (id: string, change: Partial<JobSpec> & Partial<Pick<StageSpec, 'tasks' | 'duration' | 'data'>> = {}): JobSpec => {
  const { tasks = 1, duration = 10, data, ...rest } = change
  return { id, submit: 0, stages: [stage({ tasks, duration, ...(data && { data }) })], ...rest }
}
export const workloadOf = (jobs: readonly JobSpec[]): Workload => ({
  name: 'test',
  open: () => {
    let next = 0
    return { next: () => jobs[next++] }
  },
})

/** A simulation that checks itself, and its log. */
export function prepare(jobs: readonly JobSpec[] | Workload, change: Partial<SimulationOptions> = {}): { log: Log; simulation: Simulation } {
  const log = new Log()
  const simulation = new Simulation({
    cluster: twoNodes,
    workload: 'open' in jobs ? jobs : workloadOf(jobs),
    policy: inOrder,
    architecture: serial(),
    runtime: exact,
    validate: true,
    ...change,
    observers: [log, ...(change.observers ?? [])],
  })
  return { log, simulation }
}

export function run(jobs: readonly JobSpec[] | Workload, change: Partial<SimulationOptions> = {}, until?: number): Log {
  const { log, simulation } = prepare(jobs, change)
  simulation.run(until)
  return log
}
