/** A HiBench program as Cao and Wang ran it (table 1), in GB (1e9 bytes), with our choices of how fast it works. */
export interface JobType {
  /** Its two letters in the paper. */
  readonly code: string
  /** The name of the program. */
  readonly title: string
  /** What its maps read. */
  readonly input: number
  /** Map output that is shuffled. */
  readonly intermediate: number
  /** What its reduces write. */
  readonly output: number
  /** MB (1e6 bytes) per second that one map reads and one reduce takes in and writes, on a node of speed 1. */
  readonly mapRate: number
  /** MB (1e6 bytes) per second that one reduce takes in and writes. */
  readonly reduceRate: number
  /** What a task uses of its node while it runs alone. */
  readonly mapUse: Readonly<Record<'cores' | 'disks', number>>
  /** The same of a reduce. */
  readonly reduceUse: Readonly<Record<'cores' | 'disks', number>>
}

const disk = { cores: 0.3, disks: 0.7 }
const even = { cores: 0.5, disks: 0.5 }
const cpu = { cores: 0.9, disks: 0.1 }

/**
 * Volumes: table 1 of the paper; TeraSort's 140 GB is presumably compressed map output. Rates and use are ours: sorting
 * is bound by disks, counting words and clustering by processors.
 */
export const jobTypes = {
  st: { code: 'st', title: 'Sort', input: 120, intermediate: 120, output: 120, mapRate: 40, reduceRate: 40, mapUse: disk, reduceUse: disk },
  wc: { code: 'wc', title: 'WordCount', input: 200, intermediate: 11.23, output: 4.1, mapRate: 12, reduceRate: 20, mapUse: cpu, reduceUse: even },
  ts: { code: 'ts', title: 'TeraSort', input: 1000, intermediate: 140, output: 1000, mapRate: 40, reduceRate: 40, mapUse: disk, reduceUse: disk },
  bc: { code: 'bc', title: 'Bayesian classification', input: 78, intermediate: 49, output: 43, mapRate: 16, reduceRate: 20, mapUse: even, reduceUse: even },
  kc: { code: 'kc', title: 'K-means', input: 66, intermediate: 0.33, output: 0.0046, mapRate: 12, reduceRate: 20, mapUse: cpu, reduceUse: even },
} as const satisfies Record<string, JobType>

/** The programs, by the short names of the paper. */
export const jobCodes = ['st', 'wc', 'ts', 'bc', 'kc'] as const
/** A program of HiBench, by its short name. */
export type JobCode = (typeof jobCodes)[number]
