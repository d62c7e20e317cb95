import { streamKey, type JobId, type JobSpec, type StageSpec } from '@sched/core'
import type { Start } from './runtime.js'

/** Hash keys of jobs, computed from their names alone, and only when first asked for, since many workloads draw nothing. */
export class JobKeys {
  readonly #keys: (number | undefined)[] = []

  /** Forgets the key of a job id that is about to be reused. */
  forget(job: JobId): void {
    this.#keys[job] = undefined
  }

  of(job: JobId, spec: JobSpec): number {
    return (this.#keys[job] ??= streamKey(0, spec.id))
  }
}

/** One object for all starts: a runtime model reads it only during its call. */
export class TaskStart implements Start {
  job = 0 as JobId
  spec: JobSpec = NO_JOB
  stage: StageSpec = NO_STAGE
  stageIndex = 0
  task = 0
  tasks = 1
  level = -1
  speed = 1
  isCopy = false
  readonly levels: number
  readonly #keys: JobKeys

  constructor(levels: number, keys: JobKeys) {
    this.levels = levels
    this.#keys = keys
  }

  get key(): number {
    return this.#keys.of(this.job, this.spec)
  }
}

const NO_STAGE: StageSpec = { name: '', tasks: 1, demand: {}, duration: 0 }
const NO_JOB: JobSpec = { id: '', submit: 0, stages: [] }
