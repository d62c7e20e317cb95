import type { JobSpec, Topology } from '@sched/core'
import type * as z from '@sched/bundled/zod'
import type { Sizes } from '../rigid/machine.js'
import type { RuleCount } from '../trace/facts.js'
import type { LinePlace, TraceFormat } from '../trace/format.js'
import type { Licenses } from '../slurm/amounts.js'
import type { Layout } from '../slurm/layout.js'
import type { AccountingRules } from './options.js'

/** The nodes that a job must have all of, and those of which it must have none, by name. */
export interface AskedHosts {
  readonly all: readonly string[]
  readonly none: readonly string[]
}

/**
 * What a resource manager recorded of a job. Times are in seconds since 1970, spans in seconds. Unknown numbers are -1 or NaN, unknown names are
 * empty.
 */
export interface AccountingRecord {
  readonly id: string
  readonly submit: number
  /** When the job became eligible to start: after its begin time, its holds and the jobs that it depends on. */
  readonly eligible?: number
  readonly start: number
  readonly end: number
  readonly elapsed: number
  readonly limit: number
  /** The least limit with which it would have started, seconds. */
  readonly minLimit?: number | undefined
  /** The nodes that it asked for by name. */
  readonly hosts?: AskedHosts | undefined
  /** Whether it asked for consecutive nodes. */
  readonly contiguous?: boolean | undefined
  /** By when it had to end, seconds since 1970; NaN: a time that is not known. */
  readonly deadline?: number | undefined
  readonly requested: number
  readonly allocated: number
  readonly nodes: number
  readonly mem: number
  readonly gpus: number
  /** CPU time of all its processors together in seconds, if recorded. */
  readonly cpuTime?: number
  /** Memory that all its tasks together used, MiB, if recorded. */
  readonly usedMem?: number
  readonly licenses?: Licenses | undefined
  /** `job`: it asked for nodes to itself; `user`: for nodes that it shares only with jobs of its user. */
  readonly exclusive?: 'job' | 'user' | undefined
  /** Most racks that it may use, or the size of its parts. */
  readonly topology?: Topology | undefined
  /** How it asked to be laid out on nodes. */
  readonly layout?: Layout | undefined
  /** Name of the job; Slurm's `singleton` goes by it. */
  readonly name?: string | undefined
  /** Dependencies in the form that sbatch takes: `afterok:12:13`. */
  readonly dependency?: string | undefined
  /** Features of nodes that it asked for, in the form that sbatch takes: `fast&ib`. */
  readonly features?: string | undefined
  /** Type of its GPUs, if recorded. */
  readonly gpuType?: string | undefined
  readonly reservation?: string | undefined
  /** NaN if unknown; of HTCondor also below 0. */
  readonly priority: number
  /** By how much it asked to stand behind. */
  readonly nice?: number | undefined
  readonly state: string
  readonly user: string
  readonly group: string
  readonly account: string
  readonly partition: string
  readonly qos: string
  /** Name of the job array that it belongs to. */
  readonly array?: string | undefined
  /** How many jobs of the array may run at once. */
  readonly arrayThrottle?: number | undefined
  /** Further names that a format may use for the queue. */
  readonly queue?: string
  readonly project?: string
  readonly department?: string
}

/** Called with each record of a line; `step` stands for a record about a step of a job. */
export type TakeRecord = (record: AccountingRecord | 'step') => void

/** Reads records of jobs from lines. */
export interface RecordReader {
  /** Reads one line. Throws `BadLine`, including those that `take` throws. */
  line(bytes: Uint8Array, from: number, to: number, take: TakeRecord): void
  /** Called after the last line, which may have completed a record. Throws `BadLine`. */
  end?(take: TakeRecord): void
  /** How many jobs of an array may run at once, by array, from the lines read so far. */
  throttles?(): ReadonlyMap<string, number>
  /** The rules of this reader that applied. */
  rules?(): RuleCount[]
}

/** Makes one job of several consecutive records. */
export interface JoinsJobs {
  /** Takes the job of the next record and the time at which that was submitted. Returns the jobs that are complete now, in order. */
  take(job: JobSpec, submitted: number): JobSpec[]
  /** The jobs held back, after the last record. */
  end(): JobSpec[]
  rules(): RuleCount[]
}

/** What a job waits for. */
export interface Followed {
  /** The fields of the job that say so. */
  readonly waits: Pick<JobSpec, 'after' | 'afterAll' | 'afterAny'>
  /** The earliest submit time at which it comes after the jobs that it waits for, in seconds since 1970. */
  readonly submit: number
  /** When everything that it waits for had happened in the log; `Infinity` if unknown. */
  readonly time: number
}

/** Knows which jobs of a table wait for which jobs above them. */
export interface FollowsJobs {
  /** What a job waits for; `undefined` if nothing, or nothing that is known. */
  of(record: AccountingRecord): Followed | undefined
  /** Adds a record for which a job was made, with the job's submit time. */
  add(record: AccountingRecord, submit: number): void
  rules(): RuleCount[]
}

/** Makes a job of each record. */
const eachAlone: JoinsJobs = { take: (job) => [job], end: () => [], rules: () => [] }

/** The object that joins records of a table to jobs. */
export const joining = <S extends z.ZodType<AccountingRules>>({ joins }: AccountingTable<S>, options: z.output<S>): JoinsJobs => joins?.(options) ?? eachAlone

/** How the records of a resource manager are read as a table. */
export interface AccountingTable<S extends z.ZodType<AccountingRules> = z.ZodType<AccountingRules>>
  extends Pick<TraceFormat<S>, 'name' | 'summary' | 'source' | 'detect' | 'options'> {
  /** Makes the reader of records. `isHeld`: all jobs are held, so records may come in any order; otherwise they must be in order of submission. */
  readonly reader: (place: LinePlace, options: z.output<S>, isHeld: boolean) => RecordReader
  /** Says which field tells GPUs, for the report: `AllocTRES tells them`. */
  readonly gpusIn: string
  /**
   * Records are in the order in which jobs ended, in one file or several, so jobs are sorted. Default: records are in order of submission, which a
   * file that is too large for memory must be.
   */
  readonly isByEnd?: boolean
  /**
   * Files of a directory are one log, although a single file may be complete. Without `isByEnd`, a file that is too large for memory is then read in
   * chunks. Default: as `isByEnd`.
   */
  readonly isOfFiles?: boolean
  /** Joins several records to one job. Default, and always if a file is read by its parser in the order of ends: each record is one job. */
  readonly joins?: (options: z.output<S>) => JoinsJobs | undefined
  /** Knows which jobs wait for others. Default: none does. */
  readonly follows?: (options: z.output<S>) => FollowsJobs
  /** What the start of the file says about the machine. Default: nothing. */
  readonly sizes?: (head: Uint8Array) => Sizes
}
