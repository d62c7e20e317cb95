import type { Setting } from '../setting.js'
import { wholeOf, type SlurmConf } from './conf.js'
import { preemptionActs } from './preemption.js'

/** What a `slurm.conf` says of jobs that take turns, as `gang-scheduling` takes it. */
export interface TimeSlices {
  /** Jobs that share a processor. */
  readonly rows: number
  /** Seconds. */
  readonly slice: number
}

/** Jobs that share, and seconds of a slice, where the file names none (slurm.conf(5): OverSubscribe, SchedulerTimeSlice). */
const DEFAULTS: TimeSlices = { rows: 4, slice: 30 }
/** The least and the most that Slurm takes for a slice. */
const [LEAST, MOST] = [5, 65_533]

/**
 * Time slices of PreemptMode=GANG, where all partitions share their processors among as many jobs (OverSubscribe=FORCE:n) and nobody is preempted;
 * `undefined`: nobody takes turns. Throws `BAD_INPUT` for a slice that Slurm does not take.
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

/** How many jobs share a processor of a partition whether or not they ask for it; 1: none. */
function sharedBy(setting: Setting | undefined): number {
  const given = /^force(?::(\d+))?$/i.exec(setting?.value.trim() ?? '')
  if (given === null) return 1
  return given[1] === undefined ? DEFAULTS.rows : Number(given[1])
}
