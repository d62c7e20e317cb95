import { isFollower, SchedError, type JobSource, type JobSpec, type Workload } from '@sched/core'

/**
 * A workload of jobs in memory, which are in order of submission. Throws `BAD_OPTION` if a program without types passes something other than a list.
 */
export function workloadOf(name: string, jobs: readonly JobSpec[]): Workload {
  if (!Array.isArray(jobs)) throw new SchedError('BAD_OPTION', `is ${jobs === undefined ? 'missing' : 'no list'}.`, { field: 'jobs' }, "Write workloadOf('mine', [{ id: 'a', submit: 0, stages: [...] }]).")
  return {
    name,
    jobs: jobs.length,
    chained: jobs.some(isFollower),
    open: () => new ListSource(jobs),
  }
}

/** The jobs of a list in order. */
export class ListSource implements JobSource {
  readonly #jobs: readonly JobSpec[]
  #next = 0

  constructor(jobs: readonly JobSpec[]) {
    this.#jobs = jobs
  }

  next(): JobSpec | undefined {
    return this.#jobs[this.#next++]
  }
}

/**
 * A workload of `jobs` jobs that are made one by one. `start` is called for every reading; the function that it returns makes job i for i from 0 to
 * `jobs` - 1 and must make the same jobs each time. `chained`: whether jobs may wait for others. Throws `BAD_OPTION` if a program without types passes
 * something else.
 */
export function workloadFrom(name: string, jobs: number, start: () => (index: number) => JobSpec, { chained = false } = {}): Workload {
  const bad = (field: string, fact: string) => new SchedError('BAD_OPTION', fact, { field }, "Write workloadFrom('mine', 100, () => (index) => ({ id: `j${index}`, submit: index, stages: [...] })).")
  if (!(Number.isInteger(jobs) && jobs >= 0)) throw bad('jobs', 'is no number of jobs.')
  if (typeof start !== 'function') throw bad('start', 'is no function.')
  return {
    name,
    jobs,
    chained,
    open: () => {
      const make = start()
      if (typeof make !== 'function') throw bad('start', 'returns no function.')
      return new MadeSource(jobs, make)
    },
  }
}

class MadeSource implements JobSource {
  readonly #count: number
  readonly #job: (index: number) => JobSpec
  #next = 0

  constructor(count: number, job: (index: number) => JobSpec) {
    this.#count = count
    this.#job = job
  }

  next(): JobSpec | undefined {
    return this.#next < this.#count ? this.#job(this.#next++) : undefined
  }
}

/** Throws `BAD_OPTION` for a closed loop. `what` would be done to it, and `field` is the option that asked for that. */
export function refuseClosedLoop(workload: Workload, what: string, field?: string): void {
  if (workload.open().ended === undefined) return
  throw new SchedError('BAD_OPTION', `workload "${workload.name}" is a closed loop, its submit times follow the run.`, { field }, `Only open workloads can be ${what}.`)
}

/**
 * All jobs of a workload, for a change that needs them together. Throws `BAD_OPTION` with `field` for a workload that is too large for memory, and for
 * a closed loop.
 */
export function allJobs(workload: Workload, field: string): JobSpec[] {
  refuseClosedLoop(workload, 'changed so', field)
  if (workload.open().more !== undefined)
    throw new SchedError('BAD_OPTION', 'the log is too large to be held in memory, which this needs.', { field }, 'Cut the log into pieces.')
  return [...jobsOf(workload)]
}

/**
 * The jobs of a workload in order. In a closed loop every job counts as ended when it is submitted. Throws `BROKEN_CONTRACT` for a source that reads
 * on (use `streamJobs`).
 */
export function jobsOf(workload: Workload): Generator<JobSpec, void, undefined> {
  const source = workload.open()
  if (source.more !== undefined)
    throw new SchedError('BROKEN_CONTRACT', `workload "${workload.name}" is read as a stream.`, {}, 'Use streamJobs().')
  return ready(source)
}

/** The jobs of any workload, including one that reads on. In a closed loop every job counts as ended when it is submitted. */
export async function* streamJobs(workload: Workload): AsyncGenerator<JobSpec, void, undefined> {
  const source = workload.open()
  do yield* ready(source)
  while ((await source.more?.()) === true)
}

function* ready(source: JobSource): Generator<JobSpec, void, undefined> {
  for (let job = source.next(); job !== undefined; job = source.next()) {
    yield job
    for (let more = source.ended?.(job.id, job.submit); more !== undefined; more = source.ended?.(more.id, more.submit)) yield more
  }
}
