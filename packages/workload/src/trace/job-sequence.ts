import { followed, isFollower, type JobSpec } from '@sched/core'
import { DistinctIds } from './distinct-ids.js'
import { BadLine } from './format.js'

/** Checks what must hold between the jobs of a workload: order of submission, different ids, and jobs that are waited for stand above. */
export class JobSequence {
  readonly #ids = new DistinctIds()
  #latest = 0

  constructor(private readonly maxTasks: number) {}

  /** Throws `BadLine`. A refused job is not remembered. */
  check(job: JobSpec): void {
    if (job.submit < this.#latest)
      throw new BadLine('submit', `submitted at ${job.submit} s, before the job above it (${this.#latest} s).`, 'Sort the jobs by submit time')
    const tasks = countTasks(job)
    if (tasks > this.maxTasks)
      throw new BadLine(undefined, `job "${job.id}" has ${tasks} tasks, more than maxTasks (${this.maxTasks}).`, 'Raise maxTasks if that is meant')
    if (isFollower(job)) this.#checkFollowed(job)
    if (!this.#ids.add(job.id)) throw new BadLine('id', `job id "${job.id}" was used before.`, 'Give every job an id of its own')
    this.#latest = job.submit
  }

  #checkFollowed(job: JobSpec): void {
    for (const [field, id] of followed(job))
      if (!this.#ids.has(id)) throw new BadLine(field, `job "${job.id}" waits for "${id}", which no line above defines.`, 'Put the job it waits for first')
  }
}

function countTasks({ stages }: JobSpec): number {
  let tasks = 0
  for (let i = 0; i < stages.length; i++) tasks += stages[i]!.tasks
  return tasks
}
