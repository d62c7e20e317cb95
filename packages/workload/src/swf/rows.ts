import { knownWords, SchedError, type JobSpec, type Seconds } from '@sched/core'
import type { Machine } from '../trace/facts.js'
import { SwfNumbers } from './numbers.js'
import type { SwfRow } from './write.js'

/** How a job ran, in a simulation or in the log itself. */
export interface JobRun {
  /** Seconds from submission to start. */
  readonly wait?: Seconds | undefined
  /** Seconds that it ran. Default: the duration of the job. */
  readonly runtime?: Seconds | undefined
  /** CPU time per processor in seconds. Default: unknown. */
  readonly cpuTime?: Seconds | undefined
  /** Memory used per processor, MiB. Default: unknown. */
  readonly mem?: number | undefined
  /** How it ended, for example `completed`. Default: as recorded. */
  readonly status?: string | undefined
}

/** What the rows of a log share. */
export interface SwfRowsOf {
  /** Numbers for names. Default: new ones for these rows. */
  readonly numbers?: SwfNumbers | undefined
  /** The machine, which tells how many processors a whole node stands for. Default: one. */
  readonly machine?: Machine | undefined
}

const statusCodes = knownWords<number>({ failed: 0, completed: 1, cancelled: 5, timeout: 0, out_of_memory: 0, node_fail: 0, boot_fail: 0, deadline: 0 })

/**
 * Makes rows of rigid jobs, one after another. Names that are whole numbers keep them; others are numbered from 1 in order of first use. A job that
 * is a gang of several stages has the processors of all of them and runs as long as the longest. Throws `BAD_INPUT` for a job of several tasks that
 * is not a gang, that asks for no processors or nodes, or whose run time is not fixed.
 */
export function swfRows({ numbers = new SwfNumbers(), machine }: SwfRowsOf = {}): (job: JobSpec, run?: JobRun) => SwfRow {
  const perNode = procsPerNode(machine)
  return (job, run = {}) => {
    const { procs, mem, duration } = rigid(job, perNode)
    return {
      job: numbers.job.of(job.id)!,
      submit: job.submit,
      wait: run.wait,
      runtime: run.runtime ?? duration,
      allocated: procs,
      cpuTime: run.cpuTime,
      usedMemory: run.mem === undefined ? undefined : run.mem * KIB_PER_MIB,
      requested: procs,
      requestedTime: job.estimate,
      requestedMemory: mem === undefined ? undefined : kibPerProc(mem, procs),
      status: statusCodes[run.status ?? job.recorded?.status ?? ''],
      user: numbers.user.of(job.user),
      group: numbers.group.of(job.group),
      application: numbers.application.of(job.application),
      queue: numbers.queue.of(job.queue),
      partition: numbers.partition.of(job.partition),
      preceding: numbers.job.of(job.after),
      think: job.think,
    }
  }
}

const KIB_PER_MIB = 1024

/** Processors per node; 1 if unknown. */
const procsPerNode = (machine: Machine | undefined): number => (machine?.procs === undefined || machine.nodes === undefined ? 1 : machine.procs / machine.nodes)

/** KiB per processor for a number of MiB in total. A reader that rounds up to MiB gets the same total, if any whole number of KiB gives it. */
function kibPerProc(mem: number, procs: number): number {
  const least = Math.floor((mem * 1024) / procs)
  return Math.ceil((least * procs) / 1024) === mem ? least : least + 1
}

function rigid(job: JobSpec, perNode: number): { readonly procs: number; readonly mem: number | undefined; readonly duration: number } {
  const { stages } = job
  const fail = (fact: string) => new SchedError(
    'BAD_INPUT',
    fact,
    { field: `job "${job.id}"` },
    'The Standard Workload Format holds rigid jobs only: one task, or a gang, with a fixed run time on so many processors; the native one (JSON Lines) holds any.',
  )
  if (!startsAtOnce(job)) throw fail('is more than one task, and no gang.')
  let [procs, nodes, duration, mem] = [0, 0, 0, undefined as number | undefined]
  for (const { tasks, demand, duration: seconds } of stages) {
    if (demand['procs'] === undefined && demand['nodes'] === undefined) throw fail(`asks for ${Object.keys(demand).join(', ')}, not for procs or nodes.`)
    if (typeof seconds !== 'number') throw fail('has no fixed run time.')
    if (demand['procs'] === undefined) nodes += tasks * demand['nodes']!
    else procs += tasks * demand['procs']
    duration = Math.max(duration, seconds)
    if (demand['mem'] !== undefined) mem = (mem ?? 0) + tasks * demand['mem']
  }
  // rounded down, so that a reader gets the same number of nodes
  if (nodes > 0) procs += Math.max(1, Math.floor(nodes * perNode))
  return { procs, mem, duration }
}

/** Whether all tasks of a job start together: it is one task, one stage that is a gang, or a gang of several stages. */
export const startsAtOnce = ({ stages, gang }: JobSpec): boolean =>
  stages.length === 1 ? stages[0]!.tasks === 1 || stages[0]!.gang === true : gang === true && stages.every((stage) => stage.gang === true)
