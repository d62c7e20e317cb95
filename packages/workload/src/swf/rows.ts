import { knownWords, SchedError, type JobSpec, type Seconds } from '@sched/core'
import type { SwfRow } from './write.js'

/** What became of a job: from a simulation, or of the log itself. */
export interface JobRun {
  /** Seconds from submission to start. */
  readonly wait?: Seconds | undefined
  /** Seconds it ran; default: the job's duration. */
  readonly runtime?: Seconds | undefined
  /** How it ended, for example `completed`; default: as the log says. */
  readonly status?: string | undefined
}

const statusCodes = knownWords<number>({ failed: 0, completed: 1, cancelled: 5, timeout: 0 })

/**
 * Makes rows of rigid jobs, one after another. Names that are whole numbers stay what they are; others are numbered from
 * 1 in order of their first use. A job that is one gang of several stages has the processors of all, and runs as long as the longest. Throws
 * `BAD_INPUT` for a job that is more than one task and no gang, or asks for no processors.
 */
export function swfRows(): (job: JobSpec, run?: JobRun) => SwfRow {
  const number = { job: numbers(), user: numbers(), group: numbers(), application: numbers(), queue: numbers(), partition: numbers() }
  return (job, run = {}) => {
    const { procs, mem, duration } = rigid(job)
    return {
      job: number.job(job.id)!,
      submit: job.submit,
      wait: run.wait,
      runtime: run.runtime ?? duration,
      allocated: procs,
      requested: procs,
      requestedTime: job.estimate,
      requestedMemory: mem === undefined ? undefined : Math.ceil((mem * 1024) / procs),
      status: statusCodes[run.status ?? job.recorded?.status ?? ''],
      user: number.user(job.user),
      group: number.group(job.group),
      application: number.application(job.application),
      queue: number.queue(job.queue),
      partition: number.partition(job.partition),
      preceding: number.job(job.after),
      think: job.think,
    }
  }
}

function rigid(job: JobSpec): { readonly procs: number; readonly mem: number | undefined; readonly duration: number } {
  const { stages } = job
  const fail = (fact: string) => new SchedError(
    'BAD_INPUT',
    fact,
    { field: `job "${job.id}"` },
    'The Standard Workload Format holds rigid jobs only: one task, or a gang, with a fixed run time on so many processors.',
  )
  if (!startsAtOnce(job)) throw fail('is more than one task, and no gang.')
  let [procs, duration, mem] = [0, 0, undefined as number | undefined]
  for (const { tasks, demand, duration: seconds } of stages) {
    const each = demand['procs'] ?? demand['nodes']
    if (each === undefined) throw fail(`asks for ${Object.keys(demand).join(', ')}, not for procs or nodes.`)
    if (typeof seconds !== 'number') throw fail('has no fixed run time.')
    procs += tasks * each
    duration = Math.max(duration, seconds)
    if (demand['mem'] !== undefined) mem = (mem ?? 0) + tasks * demand['mem']
  }
  return { procs, mem, duration }
}

/** Whether all tasks of a job start together: it is one task, a gang, or one gang of stages that are. */
export const startsAtOnce = ({ stages, gang }: JobSpec): boolean =>
  stages.length === 1 ? stages[0]!.tasks === 1 || stages[0]!.gang === true : gang === true && stages.every((stage) => stage.gang === true)

/** A number for every name, never the same for two. */
function numbers(): (name: string | undefined) => number | undefined {
  const given = new Map<string, number>()
  const taken = new Set<number>()
  let next = 1
  return (name) => {
    if (name === undefined) return undefined
    let found = given.get(name)
    if (found !== undefined) return found
    found = /^(0|[1-9]\d{0,14})$/.test(name) && !taken.has(Number(name)) ? Number(name) : undefined
    while (found === undefined) if (!taken.has(next++)) found = next - 1
    given.set(name, found)
    taken.add(found)
    return found
  }
}
