import type { Architecture, ArchitectureEnv, Env, JobId, JobSpec, LaneId, NodeId, Observer, Plug, Policy, Round, TaskEnd, TaskId, Workload } from '@sched/core'
import { Simulation, type Outage, type SimulationOptions } from '@sched/sim'

/** A run small enough to be counted again by hand. */
export interface SmallRun {
  readonly seed: number
  readonly heartbeat: boolean
  /** Seconds after which the run is cut off. */
  readonly until: number
  /** Probability per round that one running task is evicted. */
  readonly evictions: number
  /** Of run times; default 0.1. */
  readonly jitter?: number
  readonly jobs: readonly { readonly gap: number; readonly maps: number; readonly reduces: number; readonly queue: string; readonly label: string | undefined }[]
}

/** What happened, as a list. */
export interface Recorded {
  readonly submits: { readonly job: string; readonly spec: JobSpec; readonly now: number }[]
  readonly starts: { readonly job: string; readonly lane: number; readonly level: number; readonly now: number }[]
  readonly ends: { readonly job: string; readonly lane: number; readonly how: TaskEnd; readonly started: number; readonly stopped: number; readonly now: number }[]
  readonly finishes: { readonly job: string; readonly now: number }[]
  end: number
}

/** Simulates the run, telling the observers; returns what a recorder saw beside them. */
export function simulated(run: SmallRun, observers: readonly Observer[]): Recorded {
  const recorded: Recorded = { submits: [], starts: [], ends: [], finishes: [], end: NaN }
  const names: string[] = []
  const recorder: Observer = {
    onSubmit(job, spec, now) {
      names[job] = spec.id
      recorded.submits.push({ job: spec.id, spec, now })
    },
    onTaskStart: (_task, job, lane, _node, level, now) => void recorded.starts.push({ job: names[job] as string, lane, level, now }),
    onTaskEnd: (_task, job, lane, _node, how, started, stopped, now) => void recorded.ends.push({ job: names[job] as string, lane, how, started, stopped, now }),
    onJobEnd: (_job, spec, now) => void recorded.finishes.push({ job: spec.id, now }),
    onRunEnd: (now) => void (recorded.end = now),
  }
  simulateUntil(run, [recorder, ...observers])
  return recorded
}

function simulateUntil(run: SmallRun, observers: readonly Observer[]): void {
  const cluster = { nodes: [{ count: 6, racks: 3, slots: { map: 1, reduce: 1 } }], heartbeat: run.heartbeat ? { interval: 3, stagger: true } : undefined }
  simulateOn(cluster, workloadOf(run), observers, { jitter: 0.1, ...run })
}

/** Simulates a workload on a cluster, first come, first served. */
export function simulateOn(
  cluster: SimulationOptions['cluster'], workload: Workload, observers: readonly Observer[],
  { seed = 1, evictions = 0, until = Infinity, jitter = 0, commitPendingBug = false, outages }: {
    readonly seed?: number
    readonly evictions?: number
    readonly until?: number
    readonly jitter?: number
    readonly commitPendingBug?: boolean
    readonly outages?: readonly Outage[]
  } = {},
): void {
  new Simulation({
    cluster,
    workload,
    policy: { kind: 'policy', name: 'rank', create: (env) => new ByRank(env, evictions) },
    architecture: serial,
    runtime: { jitter },
    seed,
    observers,
    validate: true,
    commitPendingBug,
    ...(outages !== undefined && { outages }),
  }).run(until)
}

function workloadOf({ jobs }: SmallRun): Workload {
  const specs: JobSpec[] = []
  for (const [i, { gap, maps, reduces, queue, label }] of jobs.entries())
    specs.push({
      id: `job ${i}`,
      submit: (specs.at(-1)?.submit ?? 2) + gap,
      queue,
      ...(label !== undefined && { label }),
      stages: [
        { name: 'map', tasks: maps, demand: { map: 1 }, duration: { kind: 'exponential', mean: 8, shift: 1 }, data: {} },
        ...(reduces === 0 ? [] : [{ name: 'reduce', tasks: reduces, demand: { reduce: 1 }, duration: 7.3, after: [{ stage: 0, fraction: 0.5 }] }]),
      ],
    })
  return { name: 'small', open: () => ({ next: ((i) => () => specs[i++])(0) }) }
}

/** First come, first served; now and then evicts a task of the first job. */
class ByRank implements Policy {
  readonly #env: Env
  readonly #random: () => number
  readonly #evictions: number
  readonly #jobs = new Set<JobId>()

  constructor(env: Env, evictions: number) {
    this.#env = env
    this.#evictions = evictions
    this.#random = env.random('evictions')
  }

  onSubmit(job: JobId): void {
    this.#jobs.add(job)
  }

  onFinish(job: JobId): void {
    this.#jobs.delete(job)
  }

  schedule(round: Round): void {
    if (this.#random() < this.#evictions) this.#evict(round)
    const { work } = this.#env
    for (const node of round.nodes)
      for (const job of [...this.#jobs].sort((a, b) => work.rank(a) - work.rank(b)))
        while (work.unplaced(job, round.lane) > 0 && round.take(job) && round.fits(job, node)) {
          const task = work.taskFor(job, round.lane, node, this.#env.cluster.levels) as TaskId
          if (!round.claim(task, node)) break
        }
  }

  #evict(round: Round): void {
    const running: TaskId[] = []
    for (const job of this.#jobs) this.#env.work.runningTasks(job, round.lane, running)
    const [first] = running
    if (first !== undefined) round.evict(first)
  }
}

const serial: Plug<'architecture'> = {
  kind: 'architecture',
  name: 'serial',
  create({ cell, addScheduler }: ArchitectureEnv): Architecture {
    const scheduler = addScheduler('only')
    return {
      trigger(trigger) {
        const nodes = trigger.kind === 'heartbeat' ? [trigger.node] : trigger.kind === 'pass' ? cell.nodes : ([] as NodeId[])
        for (const lane of cell.cluster.lanes.keys()) {
          const round = cell.draft(scheduler, lane as LaneId, nodes)
          scheduler.policy.schedule(round)
          round.commit({ conflict: 'none', atomic: false })
        }
      },
    }
  },
}
