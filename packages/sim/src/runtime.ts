import { hashUnit, phasesTime, portableLog, SchedError, streamKey, type Duration, type JobSpec, type Phase, type Seconds, type StageSpec } from '@sched/core'
import type { NetworkOptions } from './progress/shuffle.js'

/** What is known of a task at its start. */
export interface Start {
  /** The job. */
  readonly spec: JobSpec
  /** The stage of the task. */
  readonly stage: StageSpec
  /** Index of the stage in the job. */
  readonly stageIndex: number
  /** Index of the task in its stage. */
  readonly task: number
  /** Number of tasks of the stage: as specified, unless a scheduler has chosen another number. */
  readonly tasks: number
  /** Hash key of the job; the same for every policy of a seed. */
  readonly key: number
  /** Locality level, -1 for a task without data. */
  readonly level: number
  /** Number of locality levels of the cluster; `level === levels` is anywhere. */
  readonly levels: number
  /** Relative speed of the node; 1 is nominal. */
  readonly speed: number
}

/** How long a task takes on the node where it was placed. */
export interface RuntimeModel {
  /** Run time of the task in seconds. */
  runtime(start: Start): Seconds
  /** Whether all tasks of the stage take the same time at the same level and speed; default: no. */
  isEven?(stage: StageSpec): boolean
}

/** What changes the run times of tasks, apart from their own durations. */
export interface RuntimeOptions {
  /** Slow-down factors by distance of the data: node, rack, ..., anywhere; the last one holds for all further levels. Default 1, 1.7, 2. */
  readonly localityFactors?: readonly number[]
  /** Half width of the uniform jitter of run times, as a fraction in [0, 1). Default 0.1. */
  readonly jitter?: number
  /**
   * Whether tasks that use more of a node's `hardware` than there is slow each other down. Default true; no effect where no hardware is described.
   */
  readonly contention?: boolean
  /** The network over which stages with a `shuffle` fetch. Default: none, fetching takes no time of its own. */
  readonly network?: NetworkOptions | true
}

/**
 * Run time = base duration x locality factor / node speed x jitter. The base duration of a mouldable stage depends on its number of tasks. Durations
 * and jitter depend only on the seed, the job and the task, so every policy compared on one seed meets the same tasks.
 */
export function runtimeModel(seed: number, options: RuntimeOptions = {}): RuntimeModel {
  const { localityFactors = [1, 1.7, 2], jitter = 0.1 } = options
  if (!(jitter >= 0 && jitter < 1)) throw new SchedError('BAD_OPTION', `jitter is ${jitter}`, { field: 'runtime.jitter' }, 'Use a fraction from 0 up to 1.')
  for (const factor of localityFactors)
    if (!(factor > 0 && factor < Infinity)) throw new SchedError('BAD_OPTION', `a locality factor is ${factor}`, { field: 'runtime.localityFactors' }, 'Use positive numbers.')
  return new StandardRuntime(seed, localityFactors, jitter)
}

class StandardRuntime implements RuntimeModel {
  readonly #localityFactors: readonly number[]
  readonly #jitter: number
  readonly #durations: number
  readonly #jitters: number

  constructor(seed: number, localityFactors: readonly number[], jitter: number) {
    this.#localityFactors = localityFactors
    this.#jitter = jitter
    this.#durations = streamKey(seed, 'duration')
    this.#jitters = streamKey(seed, 'jitter')
  }

  isEven({ duration }: StageSpec): boolean {
    return this.#jitter === 0 && typeof duration === 'number'
  }

  runtime(start: Start): Seconds {
    const { stage, level, levels, speed } = start
    const { duration } = stage
    const isPerTask = Array.isArray(duration) || ArrayBuffer.isView(duration)
    const own = typeof duration === 'number' ? duration : isPerTask ? ((duration as ArrayLike<number>)[start.task] as number) : drawn(duration as Drawn, this.#durations, start)
    const base = stage.phases === undefined ? own : own * moulded(stage, stage.phases, start.tasks)
    const luck = this.#jitter === 0 ? 1 : 1 + this.#jitter * (2 * hashUnit(this.#jitters ^ start.key, start.task, start.stageIndex) - 1)
    return ((base * localityFactor(stage.localityFactors ?? this.#localityFactors, level, levels)) / speed) * luck
  }
}

/** Run time with another number of workers, as a multiple of the run time with the number asked for. */
function moulded({ tasks }: StageSpec, phases: readonly Phase[], workers: number): number {
  return workers === tasks ? 1 : phasesTime(phases, workers) / phasesTime(phases, tasks)
}

/** The factor of a level: the first for the node, the last for anywhere, and those between for the levels between. */
function localityFactor(factors: readonly number[], level: number, levels: number): number {
  if (level <= 0) return level === 0 ? (factors[0] ?? 1) : 1
  if (level >= levels) return factors[factors.length - 1] ?? 1
  return factors[Math.min(level, factors.length - 1)] ?? 1
}

type Drawn = Extract<Duration, { readonly kind: string }>

function drawn(duration: Drawn, stream: number, start: Start): Seconds {
  const u = hashUnit(stream ^ start.key, start.task, start.stageIndex)
  if (duration.kind === 'uniform') return duration.min + (duration.max - duration.min) * u
  return (duration.shift ?? 0) - duration.mean * portableLog(1 - u)
}
