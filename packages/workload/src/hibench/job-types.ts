/** A HiBench program with its volumes as measured by Cao and Wang (table 1), in GB (1e9 bytes), and with our choice of its speed. */
export interface JobType {
  /** Two letters that stand for it in the paper. */
  readonly code: string
  /** Name of the program. */
  readonly title: string
  /** Input of its maps, GB. */
  readonly input: number
  /** Map output that is shuffled, GB. */
  readonly intermediate: number
  /** Output of its reduces, GB. */
  readonly output: number
  /** MB (1e6 bytes) per second that a map reads on a node of speed 1. */
  readonly mapRate: number
  /** MB (1e6 bytes) per second that a reduce reads and writes together, on a node of speed 1. */
  readonly reduceRate: number
  /** What a map uses of its node while it runs alone there. */
  readonly mapUse: Readonly<Record<'cores' | 'disks', number>>
  /** What a reduce uses of its node while it runs alone there. */
  readonly reduceUse: Readonly<Record<'cores' | 'disks', number>>
}

const disk = { cores: 0.3, disks: 0.7 }
const even = { cores: 0.5, disks: 0.5 }
const cpu = { cores: 0.9, disks: 0.1 }

/**
 * The programs. Volumes are from table 1 of the paper; TeraSort's 140 GB is presumably compressed map output. Rates and use are our choice: sorting
 * is bound by disks, counting words and clustering by processors.
 */
export const jobTypes = {
  st: { code: 'st', title: 'Sort', input: 120, intermediate: 120, output: 120, mapRate: 40, reduceRate: 40, mapUse: disk, reduceUse: disk },
  wc: { code: 'wc', title: 'WordCount', input: 200, intermediate: 11.23, output: 4.1, mapRate: 12, reduceRate: 20, mapUse: cpu, reduceUse: even },
  ts: { code: 'ts', title: 'TeraSort', input: 1000, intermediate: 140, output: 1000, mapRate: 40, reduceRate: 40, mapUse: disk, reduceUse: disk },
  bc: { code: 'bc', title: 'Bayesian classification', input: 78, intermediate: 49, output: 43, mapRate: 16, reduceRate: 20, mapUse: even, reduceUse: even },
  kc: { code: 'kc', title: 'K-means', input: 66, intermediate: 0.33, output: 0.0046, mapRate: 12, reduceRate: 20, mapUse: cpu, reduceUse: even },
} as const satisfies Record<string, JobType>

/** Codes of the programs, as in the paper. */
export const jobCodes = ['st', 'wc', 'ts', 'bc', 'kc'] as const
/** Code of a HiBench program. */
export type JobCode = (typeof jobCodes)[number]
