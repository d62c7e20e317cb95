import type { Demand, JobSource, JobSpec, Seconds, Workload } from '@sched/core'
import { toMillis } from '../generate/sampling.js'

/** Classes of jobs in Schwarzkopf et al., EuroSys 2013, section 2, in the order in which jobs with equal submit times come. */
export const jobClasses = ['batch', 'service'] as const
/** Class of a job. */
export type JobClass = (typeof jobClasses)[number]

/** How to draw the jobs of one class. Each call is one draw, from a stream of its own. */
export interface ClassLoad {
  /** Seconds since the previous job of the class. */
  gap(): Seconds
  /** Number of tasks of a job, at least 1. */
  tasks(): number
  /** Seconds that each task of a job runs. */
  duration(): Seconds
  /** Amounts per task: millicores and MiB. */
  readonly demand: Demand
}

/**
 * Jobs of both classes in order of submission, up to `horizon` seconds. A job has one stage, whose tasks have the same demand and the same duration,
 * as in the lightweight simulator (EuroSys 2013, section 4).
 */
export function classWorkload(name: string, horizon: Seconds, start: () => Readonly<Record<JobClass, ClassLoad>>): Workload {
  return { name, chained: false, open: () => merged(jobClasses.map((kind) => stream(kind, start()[kind], horizon))) }
}

function merged(streams: readonly Iterator<JobSpec, undefined>[]): JobSource {
  const heads = streams.map((each) => each.next().value)
  return {
    next() {
      let first = -1
      for (let i = 0; i < heads.length; i++) if (heads[i] !== undefined && (first === -1 || heads[i]!.submit < heads[first]!.submit)) first = i
      if (first === -1) return undefined
      const job = heads[first]
      heads[first] = streams[first]!.next().value
      return job
    },
  }
}

function* stream(kind: JobClass, load: ClassLoad, horizon: Seconds): Generator<JobSpec, undefined, undefined> {
  let now = 0
  for (let index = 0; ; index++) {
    now += load.gap()
    if (now > horizon) return undefined
    const stage = { name: 'tasks', tasks: load.tasks(), demand: load.demand, duration: atLeastMilli(load.duration()) }
    yield { id: `${kind}-${index}`, submit: toMillis(now), user: kind, class: kind, label: kind, stages: [stage] }
  }
}

const atLeastMilli = (seconds: Seconds): Seconds => Math.max(0.001, toMillis(seconds))
