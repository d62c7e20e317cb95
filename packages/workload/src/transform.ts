import { hashUnit, SchedError, streamKey, type Demand, type JobSource, type JobSpec, type Seconds, type StageSpec, type Workload } from '@sched/core'
import { moved, waitingFor } from './moved-job.js'
import { DistinctIds } from './trace/distinct-ids.js'
import { factsOf, withoutTimes } from './trace/facts.js'
import { refuseClosedLoop } from './workload.js'

/**
 * The same jobs with all submit times divided by `factor`: a factor of 2 doubles the load. Deadlines keep their distance from the submission;
 * durations, set-up costs and think times are unchanged. With a factor of 1 it is the workload itself; otherwise its times are no longer those of the clock,
 * so that it does not say when it began. Throws `BAD_OPTION` for a factor that is not above 0 and for a closed loop.
 */
export function scaleLoad(workload: Workload, factor: number): Workload {
  if (!(factor > 0 && factor < Infinity))
    throw new SchedError('BAD_OPTION', `found ${factor}, expected a number above 0.`, { field: 'scaleLoad.factor' }, 'Use 2 for twice the load, 0.5 for half of it.')
  refuseClosedLoop(workload, 'scaled')
  if (factor === 1) return workload
  const { start: _start, ...facts } = withoutTimes(factsOf(workload))
  return changed(workload, `${workload.name} x ${factor}`, workload.jobs, () => (job) => moved(job, job.submit / factor), facts)
}

/**
 * The jobs submitted in [from, to) seconds, with `from` as the new time 0. A job no longer waits for jobs that are left out. Throws `BAD_OPTION` for
 * an empty window and for a closed loop.
 */
export function timeWindow(workload: Workload, from: Seconds, to: Seconds): Workload {
  if (!(from >= 0 && from < to))
    throw new SchedError('BAD_OPTION', `found [${from}, ${to}), expected 0 <= from < to.`, { field: 'timeWindow' }, 'Give seconds from the first submission on, the earlier first; Infinity is the end of the workload.')
  refuseClosedLoop(workload, 'cut by time')
  const facts = withoutTimes(factsOf(workload))
  const start = () => {
    const kept = new Kept()
    return (job: JobSpec) => {
      if (job.submit >= to) return 'end'
      return job.submit < from ? undefined : kept.add(moved(job, job.submit - from))
    }
  }
  return changed(workload, `${workload.name} [${from}, ${to})`, undefined, start, { ...facts, ...(facts.start !== undefined && { start: facts.start + from }) })
}

/** The first `n` jobs. Throws `BAD_OPTION` if `n` is not a whole number of at least 0. */
export function take(workload: Workload, n: number): Workload {
  if (!(Number.isInteger(n) && n >= 0)) throw new SchedError('BAD_OPTION', `found ${n}, expected a whole number of at least 0.`, { field: 'take.n' }, 'Give the number of jobs to keep, for example 1000.')
  const jobs = workload.jobs === undefined ? undefined : Math.min(workload.jobs, n)
  return changed(workload, `${workload.name}, first ${n}`, jobs, () => {
    let left = n
    return (job) => (left-- > 0 ? job : 'end')
  })
}

/** The jobs that `keep` accepts. A job no longer waits for jobs that are left out. `keep` must always give the same answer for the same job. */
export function filter(workload: Workload, keep: (job: JobSpec) => boolean): Workload {
  return changed(workload, `${workload.name}, filtered`, undefined, () => {
    const kept = new Kept()
    return (job) => (keep(job) ? kept.add(job) : undefined)
  })
}

/**
 * The same jobs; each job without a queue gets one, drawn in proportion to `weights`. For traces without queues under policies that need them. With
 * one seed, job i of the workload is in the same queue in every reading. Throws `BAD_OPTION` if no weight is above 0.
 */
export function drawQueues(workload: Workload, weights: Readonly<Record<string, number>>, seed: number): Workload {
  const queues = Object.entries(weights).filter(([, weight]) => weight > 0)
  const sum = queues.reduce((total, [, weight]) => total + weight, 0)
  if (!(sum > 0 && sum < Infinity)) throw new SchedError('BAD_OPTION', 'has no weight above 0.', { field: 'drawQueues.weights' }, 'Give at least one queue a weight above 0.')
  const key = streamKey(seed, 'queues')
  const draw = (i: number) => {
    let left = hashUnit(key, i, 0) * sum
    return (queues.find(([, weight]) => (left -= weight) < 0) ?? queues.at(-1))?.[0] ?? ''
  }
  return changed(workload, workload.name, workload.jobs, () => {
    let read = 0
    return (job) => {
      const i = read++
      return job.queue === undefined ? { ...job, queue: draw(i) } : job
    }
  })
}

/**
 * The same jobs with renamed queues: `names` maps old names to new ones, and the name for `*` replaces all other names, if given; otherwise these
 * stay. Jobs without a queue still have none.
 */
export function renameQueues(workload: Workload, names: Readonly<Record<string, string>>): Workload {
  const known = new Map(Object.entries(names))
  const others = known.get('*')
  return changed(workload, workload.name, workload.jobs, () => (job) => {
    const name = job.queue === undefined ? undefined : (known.get(job.queue) ?? others)
    return name === undefined || name === job.queue ? job : { ...job, queue: name }
  })
}

/** What the master of a job asks for, and how long it runs before the job's other stages open. */
export interface MasterSpec {
  /** Amounts by resource. */
  readonly demand: Demand
  /** Seconds from the start of the master until the other stages open, at least 0. Default 0. */
  readonly startup?: Seconds | undefined
}

/**
 * The same jobs, each with a master unless it has one, like an application on YARN: the master is a stage before the others, which open when it has
 * run for `startup` seconds. It requires the node labels that all other stages require, since on YARN the label of an application holds for its
 * master too. Throws `BAD_OPTION` for a negative or infinite `startup`.
 */
export const addMasters = (workload: Workload, { demand, startup = 0 }: MasterSpec): Workload => {
  if (!(startup >= 0 && startup < Infinity)) throw new SchedError('BAD_OPTION', `found ${startup}, expected seconds of at least 0.`, { field: 'addMasters.startup' }, 'Leave it out where the other stages open at once.')
  const master: StageSpec = { name: 'master', tasks: 1, demand, duration: startup, master: true }
  return changed(workload, workload.name, workload.jobs, () => (job) => (job.stages[0]?.master === true
    ? job
    : { ...job, stages: [{ ...master, ...requiredByAll(job.stages) }, ...job.stages.map(afterMaster)] }))
}

/** Node labels that all stages of a job require, with the same values. */
function requiredByAll([first, ...others]: readonly StageSpec[]): Pick<StageSpec, 'constraints'> {
  const shared = Object.entries(first?.constraints?.require ?? {}).filter(([label, value]) =>
    others.every(({ constraints }) => JSON.stringify(constraints?.require?.[label]) === JSON.stringify(value)))
  return shared.length === 0 ? {} : { constraints: { require: Object.fromEntries(shared) } }
}

/** A stage whose index is one higher than before, because a master precedes it. */
function afterMaster(stage: StageSpec): StageSpec {
  const { after, shuffle, ...rest } = stage
  return {
    ...rest,
    ...(after !== undefined && { after: after.map((each) => ({ ...each, stage: each.stage + 1 })) }),
    ...(shuffle !== undefined && { shuffle: { ...shuffle, from: shuffle.from + 1 } }),
  }
}

/** The same workload, with all its facts, and with each job changed as it is read. `change` must keep ids, submit times and order. */
export const mapJobs = <Of extends Workload>(workload: Of, change: (job: JobSpec) => JobSpec): Of => ({ ...workload, open: () => changedSource(workload.open(), change) })

/** Returns the changed job, `undefined` to leave it out, or `end` to leave out this job and all that follow. */
type Change = (job: JobSpec) => JobSpec | undefined | 'end'

/** A workload of changed jobs. `start` returns a new change for every reading, so that a change may count the jobs it has seen. */
function changed(workload: Workload, name: string, jobs: number | undefined, start: () => Change, facts = factsOf(workload)): Workload {
  return { ...facts, name, ...(jobs !== undefined && { jobs }), chained: workload.chained ?? true, open: () => changedSource(workload.open(), start()) }
}

function changedSource(source: JobSource, change: Change): JobSource {
  let ended = false
  const firstKept = (job: JobSpec | undefined, following: (left: JobSpec) => JobSpec | undefined): JobSpec | undefined => {
    for (let next = job; next !== undefined && !ended; next = following(next)) {
      const result = change(next)
      if (result === 'end') ended = true
      else if (result !== undefined) return result
    }
    return undefined
  }
  const result: { -readonly [K in keyof JobSource]: JobSource[K] } = {
    next: () => (ended ? undefined : firstKept(source.next(), () => source.next())),
  }
  // a job that is left out counts as ended at once; otherwise the closed loop would stop
  if (source.ended !== undefined) result.ended = (id, now) => firstKept(source.ended?.(id, now), (left) => source.ended?.(left.id, now))
  if (source.more !== undefined) result.more = async () => !ended && (await source.more?.()) === true
  return result
}

/** Remembers which jobs were kept, so that a kept job does not wait for a job that was left out. */
class Kept {
  readonly #ids = new DistinctIds()

  add(job: JobSpec): JobSpec {
    this.#ids.add(job.id)
    return waitingFor(job, (id) => (this.#ids.has(id) ? id : undefined))
  }
}
