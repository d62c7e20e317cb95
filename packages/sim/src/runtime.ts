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
  /** Whether it is a copy of that task, made because the task is slow. */
  readonly isCopy: boolean
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
  /** Tasks that take longer than they should, whatever their node. Default: none. */
  readonly stragglers?: StragglerOptions | undefined
  /**
   * Whether tasks that use more of a node's `hardware` than there is slow each other down. Default true; no effect where no hardware is described.
   */
  readonly contention?: boolean
  /** The network over which stages with a `shuffle` fetch. Default: none, fetching takes no time of its own. */
  readonly network?: NetworkOptions | true
}

/** Tasks that are slow for reasons that no model here knows: a worn disk, a wrong setting, a busy neighbour. */
export interface StragglerOptions {
  /** Fraction of the tasks that are, drawn one by one; in [0, 1]. */
  readonly fraction: number
  /** How many times longer each of them takes, at least 1. */
  readonly factor: number
}

/**
 * Run time = base duration x locality factor / node speed x jitter, and x factor for stragglers. The base duration of a mouldable stage depends on its
 * number of tasks. Durations, jitter and who straggles depend only on the seed, the job and the task, so every policy compared on one seed meets the
 * same tasks. A copy of a task has its base duration, and draws of its own for the rest. Throws `BAD_OPTION` for an option out of its range.
 */
export function runtimeModel(seed: number, options: RuntimeOptions = {}): RuntimeModel {
  const { localityFactors = [1, 1.7, 2], jitter = 0.1, stragglers } = options
  if (!(jitter >= 0 && jitter < 1)) throw new SchedError('BAD_OPTION', `jitter is ${jitter}`, { field: 'runtime.jitter' }, 'Use a fraction from 0 up to 1.')
  for (const factor of localityFactors)
    if (!(factor > 0 && factor < Infinity)) throw new SchedError('BAD_OPTION', `a locality factor is ${factor}`, { field: 'runtime.localityFactors' }, 'Use positive numbers.')
  if (stragglers !== undefined) checkStragglers(stragglers)
  return new StandardRuntime(seed, localityFactors, jitter, stragglers)
}

function checkStragglers({ fraction, factor }: StragglerOptions): void {
  const bad = (field: string, value: number, wayOut: string) => new SchedError('BAD_OPTION', `${field} is ${value}`, { field: `runtime.stragglers.${field}` }, wayOut)
  if (!(fraction >= 0 && fraction <= 1)) throw bad('fraction', fraction, 'Use a fraction, from 0 to 1.')
  if (!(factor >= 1 && factor < Infinity)) throw bad('factor', factor, 'Use a number of at least 1.')
}

class StandardRuntime implements RuntimeModel {
  readonly #localityFactors: readonly number[]
  readonly #jitter: number
  readonly #durations: number
  readonly #jitters: number
  readonly #jittersOfCopies: number
  readonly #stragglers: StragglerOptions | undefined
  readonly #straggling: number
  readonly #stragglingOfCopies: number

  constructor(seed: number, localityFactors: readonly number[], jitter: number, stragglers: StragglerOptions | undefined) {
    this.#localityFactors = localityFactors
    this.#jitter = jitter
    this.#durations = streamKey(seed, 'duration')
    this.#jitters = streamKey(seed, 'jitter')
    this.#jittersOfCopies = streamKey(seed, 'jitter of copies')
    this.#stragglers = stragglers
    this.#straggling = streamKey(seed, 'stragglers')
    this.#stragglingOfCopies = streamKey(seed, 'stragglers among copies')
  }

  isEven({ duration }: StageSpec): boolean {
    return this.#jitter === 0 && this.#stragglers === undefined && typeof duration === 'number'
  }

  runtime(start: Start): Seconds {
    const { stage, level, levels, speed } = start
    const { duration } = stage
    const isPerTask = Array.isArray(duration) || ArrayBuffer.isView(duration)
    const own = typeof duration === 'number' ? duration : isPerTask ? ((duration as ArrayLike<number>)[start.task] as number) : drawn(duration as Drawn, this.#durations, start)
    const base = stage.phases === undefined ? own : own * moulded(stage, stage.phases, start.tasks)
    const jitters = start.isCopy ? this.#jittersOfCopies : this.#jitters
    const luck = this.#jitter === 0 ? 1 : 1 + this.#jitter * (2 * hashUnit(jitters ^ start.key, start.task, start.stageIndex) - 1)
    const seconds = ((base * localityFactor(stage.localityFactors ?? this.#localityFactors, level, levels)) / speed) * luck
    return this.#stragglers === undefined ? seconds : seconds * this.#slowness(start, this.#stragglers)
  }

  #slowness(start: Start, { fraction, factor }: StragglerOptions): number {
    const straggling = start.isCopy ? this.#stragglingOfCopies : this.#straggling
    return hashUnit(straggling ^ start.key, start.task, start.stageIndex) < fraction ? factor : 1
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
