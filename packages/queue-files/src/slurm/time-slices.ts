import type { Setting } from '../setting.js'
import { wholeOf, type SlurmConf } from './conf.js'
import { preemptionActs } from './preemption.js'

/** Time slices, in which jobs take turns on the same processors, as options of `gang-scheduling`. */
export interface TimeSlices {
  /** Number of jobs that share a processor. */
  readonly rows: number
  /** Length of a slice in seconds. */
  readonly slice: number
}

/** Slurm's defaults (slurm.conf(5): OverSubscribe, SchedulerTimeSlice). */
const DEFAULTS: TimeSlices = { rows: 4, slice: 30 }
/** The shortest and the longest slice that Slurm takes, in seconds. */
const [LEAST, MOST] = [5, 65_533]

/**
 * The time slices of PreemptMode=GANG; undefined: jobs do not take turns. They do if all partitions share their processors among the same number of jobs
 * (OverSubscribe=FORCE:n, at least 2) and nobody is preempted. Throws `BAD_INPUT` with the line for a slice that Slurm does not take.
 *
 * Source: Slurm, gang.c; slurm.conf(5).
 */
export function timeSlices(conf: SlurmConf): TimeSlices | undefined {
  if (!hasGang(conf.general.get('preemptmode')) || preemptionActs(conf)) return undefined
  const shared = new Set(conf.partitions.map(({ settings }) => sharedBy(settings.get('oversubscribe') ?? settings.get('shared'))))
  const [rows, ...others] = [...shared]
  if (rows === undefined || rows < 2 || others.length > 0) return undefined
  const slice = conf.general.get('schedulertimeslice')
  return { rows, slice: slice === undefined ? DEFAULTS.slice : wholeOf(slice, LEAST, MOST) }
}

const hasGang = (mode: Setting | undefined): boolean => /(^|,)\s*gang\s*(,|$)/i.test(mode?.value ?? '')

/** How many jobs share each processor of a partition, whether or not they ask for it; 1: they do not share. */
function sharedBy(setting: Setting | undefined): number {
  const given = /^force(?::(\d+))?$/i.exec(setting?.value.trim() ?? '')
  if (given === null) return 1
  return given[1] === undefined ? DEFAULTS.rows : Number(given[1])
}
