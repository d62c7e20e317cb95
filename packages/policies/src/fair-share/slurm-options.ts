import { SchedError, withoutUndefined } from '@sched/core'
import { z } from 'zod'

const weight = z.number().nonnegative()
const time = z.union([z.number().nonnegative(), z.string()])

/** The options of `multifactor` under Slurm's names and in Slurm's units: a time is minutes, or `days-hours`, `hours:minutes:00` and the like. */
export const slurmOptions = {
  PriorityWeightAge: weight.optional().describe('Slurm\'s name of `age`'),
  PriorityWeightFairshare: weight.optional().describe('Slurm\'s name of `fairShare`'),
  PriorityWeightJobSize: weight.optional().describe('Slurm\'s name of `jobSize`'),
  PriorityWeightPartition: weight.optional().describe('Slurm\'s name of `partition`'),
  PriorityWeightQOS: weight.optional().describe('Slurm\'s name of `qos`'),
  PriorityMaxAge: time.optional().describe('Slurm\'s name of `maxAge`, in minutes or as a time string'),
  PriorityFavorSmall: z.union([z.boolean(), z.enum(['YES', 'NO'])]).optional().describe('Slurm\'s name of `favorSmall`'),
  PriorityDecayHalfLife: time.optional().describe('Slurm\'s name of `halfLife`, in minutes or as a time string'),
  PriorityCalcPeriod: time.optional().describe('Slurm\'s name of `calcPeriod`, in minutes'),
  PriorityUsageResetPeriod: z.enum(['NONE', 'DAILY', 'WEEKLY']).optional().describe('Slurm\'s name of `usageReset`'),
  FairShareDampeningFactor: z.number().positive().optional().describe('Slurm\'s name of `dampening`'),
  PriorityFlags: z.string().optional().describe('NO_FAIR_TREE: `algorithm: classic`; SMALL_RELATIVE_TO_TIME: `relativeToTime`; MAX_TRES: `maxTres`; separated by commas'),
}
type SlurmOptions = z.output<z.ZodObject<typeof slurmOptions>>

/** Flags that change nothing here: what they choose is always so. */
const HERE_ALWAYS = ['ACCRUE_ALWAYS', 'CALCULATE_RUNNING']

/** Slurm's options under the names that they have here. Throws `BAD_OPTION` for a time or a flag that is not known. */
export function fromSlurm(given: SlurmOptions): Readonly<Record<string, unknown>> {
  const flags = (given.PriorityFlags ?? '').split(',').map((flag) => flag.trim().toUpperCase()).filter((flag) => flag !== '')
  for (const flag of flags)
    if (!['NO_FAIR_TREE', 'SMALL_RELATIVE_TO_TIME', 'MAX_TRES', ...HERE_ALWAYS].includes(flag))
      throw new SchedError('BAD_OPTION', `PriorityFlags has ${flag}, which is not modelled.`, { field: 'multifactor.PriorityFlags' }, 'Known: NO_FAIR_TREE, SMALL_RELATIVE_TO_TIME, MAX_TRES.')
  const known = {
    age: given.PriorityWeightAge,
    fairShare: given.PriorityWeightFairshare,
    jobSize: given.PriorityWeightJobSize,
    partition: given.PriorityWeightPartition,
    qos: given.PriorityWeightQOS,
    maxAge: secondsOf('PriorityMaxAge', given.PriorityMaxAge),
    favorSmall: given.PriorityFavorSmall === undefined ? undefined : given.PriorityFavorSmall === true || given.PriorityFavorSmall === 'YES',
    halfLife: secondsOf('PriorityDecayHalfLife', given.PriorityDecayHalfLife),
    calcPeriod: secondsOf('PriorityCalcPeriod', given.PriorityCalcPeriod),
    usageReset: given.PriorityUsageResetPeriod === 'DAILY' ? 86_400 : given.PriorityUsageResetPeriod === 'WEEKLY' ? 604_800 : undefined,
    dampening: given.FairShareDampeningFactor,
    algorithm: flags.includes('NO_FAIR_TREE') ? 'classic' : undefined,
    relativeToTime: flags.includes('SMALL_RELATIVE_TO_TIME') || undefined,
    maxTres: flags.includes('MAX_TRES') || undefined,
  }
  return withoutUndefined(known)
}

/** Seconds of `minutes`, `minutes:seconds`, `hours:minutes:seconds`, `days-hours`, `days-hours:minutes` or `days-hours:minutes:seconds`. */
function secondsOf(name: string, value: number | string | undefined): number | undefined {
  if (value === undefined || typeof value === 'number') return value === undefined ? undefined : value * 60
  const match = /^(?:(\d+)-)?(\d+)(?::(\d+))?(?::(\d+))?$/.exec(value.trim())
  if (match === null) throw new SchedError('BAD_OPTION', `the time "${value}" is not one that Slurm reads.`, { field: `multifactor.${name}` }, 'Write minutes, or days-hours, for example 7-0.')
  const [days, a = 0, b, c] = match.slice(1).map((part) => (part === undefined ? undefined : Number(part)))
  if (days !== undefined) return days * 86_400 + a * 3600 + (b ?? 0) * 60 + (c ?? 0)
  if (b === undefined) return a * 60
  return c === undefined ? a * 60 + b : a * 3600 + b * 60 + c
}
