import {
  defineArchitecture,
  definePolicy,
  SchedError,
  type Decision,
  type JobId,
  type JobSpec,
  type NodeId,
  type Observer,
  type OptionsSchema,
  type Plug,
  type Round,
  type Scheduler,
  type TaskId,
  type WorkView,
} from '@sched/core'
import { fifo, greedy } from '@sched/policies'
import type { Simulation } from '@sched/sim'
import { job, run, type JobChange, type Recorder, type RunOptions } from '@sched/testkit'
import fc from 'fast-check'
import { monolithic, partitioned, sharedState, twoLevel } from '../src/index.js'

/** So many nodes with so many CPUs, no heartbeats. */
export const cpus = (nodes: number, cpu: number) => ({ nodes: [{ count: nodes, resources: { cpu } }] })
/** A job of tasks of one CPU. */
export const cpuJob = (id: string, change: JobChange = {}): JobSpec => job({ id, demand: { cpu: 1 }, ...change })

/** A decision by names. */
interface Told extends Omit<Decision, 'scheduler' | 'job'> {
  readonly scheduler: string
  readonly job: string
}

/** Writes down all decisions. */
class Decided implements Observer {
  readonly all: Told[] = []
  #work!: WorkView

  onRunStart({ work }: { readonly work: WorkView }): void {
    this.#work = work
  }
  onDecision({ scheduler, job, ...rest }: Decision): void {
    this.all.push({ scheduler: scheduler.name, job: this.#work.name(job), ...rest })
  }
  /** `service j1#2 3-8.5: 4 claimed, 3 accepted, 1 conflicted, 2 left`: scheduler, job, attempt, from when to when. */
  lines(): string[] {
    return this.all.map(({ scheduler, job, attempt, opened, closed, claimed, accepted, conflicted, unplaced }) => `${scheduler} ${job}#${attempt} ${opened}-${closed}: ${claimed} claimed, ${accepted} accepted, ${conflicted} conflicted, ${unplaced} left`)
  }
}

export interface Outcome {
  readonly simulation: Simulation
  readonly recorder: Recorder
  readonly decided: Decided
  readonly warnings: readonly string[]
}

/** Runs FIFO with first fit, everything checked. */
export function play(architecture: Plug<'architecture'>, jobs: readonly JobSpec[], change: Partial<RunOptions> = {}): Outcome {
  const decided = new Decided()
  const warnings: string[] = []
  const { recorder, simulation } = run({ policy: greedy(fifo()), cluster: cpus(4, 4), architecture, jobs, warn: (text) => void warnings.push(text), ...change, observers: [decided, ...(change.observers ?? [])] })
  return { recorder, simulation, decided, warnings }
}

const noOptions: OptionsSchema<unknown> = { '~standard': { version: 1, vendor: 'test', validate: (value) => ({ value }) } }

/** A policy that puts the tasks of its first job on these nodes, in order. */
export const putOn = (...nodes: readonly number[]): Plug<'policy'> =>
  definePolicy({
    name: 'put-on',
    summary: 'what the test says',
    options: noOptions,
    create: () => {
      const jobs: JobId[] = []
      return {
        onReady: (job) => void jobs.push(job),
        onDrained: (job) => void jobs.splice(jobs.indexOf(job), 1),
        schedule: (round: Round) => {
          const [first] = jobs
          if (first === undefined || !round.take(first)) return
          for (const node of nodes) {
            const task = round.work.taskFor(first, round.lane, node as NodeId, round.cluster.levels)
            if (task >= 0) round.claim(task as TaskId, node as NodeId)
          }
        },
      }
    },
  }).plug({})

/** An architecture of one test: what it is asked is done by functions, with schedulers a and b. */
export const custom = (names: readonly string[], play: (env: Parameters<Parameters<typeof defineArchitecture>[0]['create']>[1], schedulers: readonly Scheduler[]) => { readonly trigger: () => void; readonly wake?: (token: number) => void }) =>
  defineArchitecture({
    name: 'custom',
    summary: 'what the test says',
    options: noOptions,
    create: (_, env) => {
      const schedulers = names.map((name) => env.addScheduler(name))
      return { route: (spec: JobSpec) => schedulers.find(({ name }) => name === spec.class) as Scheduler, ...play(env, schedulers) }
    },
  }).plug({})

const common = { decision: { job: 0.5, task: 0.125 }, abandonAfter: false, abandonUnplacedAfter: false } as const
/** Every way in which decisions become real, for what starts together. */
export const forGangs: Readonly<Record<string, () => Plug<'architecture'>>> = {
  'monolithic at once': () => monolithic(),
  'monolithic, single path': () => monolithic(common),
  'two-level': () => twoLevel(common),
  'two-level that hoards': () => twoLevel({ ...common, hoard: 6 }),
  'shared state, fine': () => sharedState({ ...common, schedulers: 3 }),
  'shared state, coarse': () => sharedState({ ...common, schedulers: 3, conflict: 'coarse' }),
  'shared state with preemption': () => sharedState({ ...common, preemption: true, schedulers: { one: { classes: ['*'], count: 2 }, two: { classes: ['high'], precedence: 1 } } }),
  'one partition': () => partitioned({ ...common, partitions: 1 }),
}

/** What is played, or another world is drawn where two frameworks keep from each other for ever what their gangs need. */
export function unlessStuck(play: () => Outcome): Outcome {
  try {
    return play()
  } catch (error) {
    fc.pre(!(error instanceof SchedError && /keep from each other what they collect for gangs/.test(error.message)))
    throw error
  }
}
