import { SchedError, withoutUndefined } from '@sched/core'
import * as z from '@sched/bundled/zod'
import { slurmSeconds } from '../slurm-limits/slurm-time.js'
import { tresWeights } from './tres-weights.js'

const weight = z.number().nonnegative()
const time = z.union([z.number().nonnegative(), z.string()])

/** The options of `multifactor` under Slurm's names and in Slurm's units: a time is minutes, or `days-hours`, `hours:minutes:00` and the like. */
export const slurmOptions = {
  PriorityWeightAge: weight.optional().describe('Slurm\'s name of `age`'),
  PriorityWeightFairshare: weight.optional().describe('Slurm\'s name of `fairShare`'),
  PriorityWeightJobSize: weight.optional().describe('Slurm\'s name of `jobSize`'),
  PriorityWeightPartition: weight.optional().describe('Slurm\'s name of `partition`'),
  PriorityWeightQOS: weight.optional().describe('Slurm\'s name of `qos`'),
  PriorityWeightTRES: z.union([z.string(), z.record(z.string(), weight)]).optional().describe('Slurm\'s name of `tres`, also as CPU=1000,Mem=2000,GRES/gpu=3000'),
  PriorityMaxAge: time.optional().describe('Slurm\'s name of `maxAge`, in minutes or as a time string'),
  PriorityFavorSmall: z.union([z.boolean(), z.enum(['YES', 'NO'])]).optional().describe('Slurm\'s name of `favorSmall`'),
  PriorityDecayHalfLife: time.optional().describe('Slurm\'s name of `halfLife`, in minutes or as a time string'),
  PriorityCalcPeriod: time.optional().describe('Slurm\'s name of `calcPeriod`, in minutes'),
  PriorityUsageResetPeriod: z.enum(['NONE', 'DAILY', 'WEEKLY']).optional().describe('Slurm\'s name of `usageReset`'),
  FairShareDampeningFactor: z.number().positive().optional().describe('Slurm\'s name of `dampening`'),
  PriorityFlags: z.string().optional().describe('NO_FAIR_TREE: `algorithm: classic`; SMALL_RELATIVE_TO_TIME: `relativeToTime`; MAX_TRES: `maxTres`; NO_NORMAL_PART, _QOS, _TRES, _ALL: `raw`; separated by commas'),
}
type SlurmOptions = z.output<z.ZodObject<typeof slurmOptions>>

/** Flags that change nothing here: what they choose is always so. */
const HERE_ALWAYS = ['ACCRUE_ALWAYS', 'CALCULATE_RUNNING', 'NO_NORMAL_ASSOC']
/** Flags with which factors count as they are. */
const RAW = { NO_NORMAL_PART: 'partition', NO_NORMAL_QOS: 'qos', NO_NORMAL_TRES: 'tres' } as const
const FLAGS = ['NO_FAIR_TREE', 'SMALL_RELATIVE_TO_TIME', 'MAX_TRES', ...Object.keys(RAW), 'NO_NORMAL_ALL']

/** Slurm's options under the names that they have here. Throws `BAD_OPTION` for a time or a flag that is not known. */
export function fromSlurm(given: SlurmOptions): Readonly<Record<string, unknown>> {
  const flags = (given.PriorityFlags ?? '').split(',').map((flag) => flag.trim().toUpperCase()).filter((flag) => flag !== '')
  for (const flag of flags)
    if (![...FLAGS, ...HERE_ALWAYS].includes(flag))
      throw new SchedError(
        'BAD_OPTION',
        `PriorityFlags has ${flag}, which is not modelled.`,
        { field: 'multifactor.PriorityFlags' },
        `Known: ${FLAGS.join(', ')}.`,
      )
  const raw = Object.entries(RAW).flatMap(([flag, factor]) => (flags.includes(flag) || flags.includes('NO_NORMAL_ALL') ? [factor] : []))
  const known = {
    age: given.PriorityWeightAge,
    fairShare: given.PriorityWeightFairshare,
    jobSize: given.PriorityWeightJobSize,
    partition: given.PriorityWeightPartition,
    qos: given.PriorityWeightQOS,
    tres: given.PriorityWeightTRES === undefined ? undefined : tresWeights(given.PriorityWeightTRES, 'multifactor.PriorityWeightTRES'),
    maxAge: secondsOf('PriorityMaxAge', given.PriorityMaxAge),
    favorSmall: given.PriorityFavorSmall === undefined ? undefined : given.PriorityFavorSmall === true || given.PriorityFavorSmall === 'YES',
    halfLife: secondsOf('PriorityDecayHalfLife', given.PriorityDecayHalfLife),
    calcPeriod: secondsOf('PriorityCalcPeriod', given.PriorityCalcPeriod),
    usageReset: given.PriorityUsageResetPeriod === 'DAILY' ? 86_400 : given.PriorityUsageResetPeriod === 'WEEKLY' ? 604_800 : undefined,
    dampening: given.FairShareDampeningFactor,
    algorithm: flags.includes('NO_FAIR_TREE') ? 'classic' : undefined,
    relativeToTime: flags.includes('SMALL_RELATIVE_TO_TIME') || undefined,
    maxTres: flags.includes('MAX_TRES') || undefined,
    raw: raw.length > 0 ? raw : undefined,
  }
  return withoutUndefined(known)
}

/** Seconds of minutes or of a time as Slurm writes it. Throws `BAD_OPTION`. */
function secondsOf(name: string, time: number | string | undefined): number | undefined {
  if (time === undefined) return undefined
  const seconds = typeof time === 'number' ? time * 60 : slurmSeconds(time)
  if (seconds !== undefined) return seconds
  throw new SchedError('BAD_OPTION', `the time "${time}" is not one that Slurm reads.`, { field: `multifactor.${name}` }, 'Write minutes, or days-hours, for example 7-0.')
}
