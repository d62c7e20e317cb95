import type { ClusterModel, Work } from '@sched/cluster'
import { streamKey, type JobId, type JobSpec, type NodeId, type StageSpec, type TaskId } from '@sched/core'
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
  /** Whether nodes differ in speed; otherwise their speeds need not be read. */
  readonly isUneven: boolean
  readonly #work: Work
  readonly #model: ClusterModel
  readonly #keys: JobKeys

  constructor(work: Work, model: ClusterModel, keys: JobKeys) {
    this.levels = model.groups.length
    this.isUneven = model.speed.some((speed) => speed !== 1)
    this.#work = work
    this.#model = model
    this.#keys = keys
  }

  /** Describes a task that starts on a node. `at`: the level of its data, -1 without data. */
  fill(task: TaskId, stage: number, job: JobId, at: number, node: NodeId): this {
    const work = this.#work
    const spec = work.spec(job)
    const stageIndex = stage - (work.jobFirstStage[job] as number)
    this.spec = spec
    this.stage = spec.stages[stageIndex] as StageSpec
    this.stageIndex = stageIndex
    this.task = work.indexOf(task)
    this.isCopy = work.isCopy(task)
    this.tasks = work.stageTasks[stage] as number
    this.job = job
    this.level = work.nearAnywhere.size > 0 && at > 0 && work.nearAnywhere.has(job) ? 0 : at
    if (this.isUneven) this.speed = this.#model.speed[node] as number
    return this
  }

  get key(): number {
    return this.#keys.of(this.job, this.spec)
  }
}

const NO_STAGE: StageSpec = { name: '', tasks: 1, demand: {}, duration: 0 }
const NO_JOB: JobSpec = { id: '', submit: 0, stages: [] }
