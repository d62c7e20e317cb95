import { SchedError, suggest, withoutUndefined } from '@sched/core'
import * as z from '@sched/bundled/zod'
import { inWholeMinutes } from '../slurm-limits/slurm-time.js'
import { tresWeights } from './tres-weights.js'
import { usageResetOf, usageResetPeriods } from './usage-resets.js'

const weight = z.number().nonnegative()
const time = z.union([z.number().nonnegative(), z.string()])

/** The options of `multifactor` under Slurm's names and in Slurm's units: a time is minutes, or `days-hours`, `hours:minutes:00` and the like. */
export const slurmOptions = {
  PriorityWeightAge: weight.optional().describe('Slurm\'s name of `age`'),
  PriorityWeightFairshare: weight.optional().describe('Slurm\'s name of `fairShare`'),
  PriorityWeightJobSize: weight.optional().describe('Slurm\'s name of `jobSize`'),
  PriorityWeightPartition: weight.optional().describe('Slurm\'s name of `partition`'),
  PriorityWeightQOS: weight.optional().describe('Slurm\'s name of `qos`'),
  PriorityWeightAssoc: weight.optional().describe('Slurm\'s name of `assoc`'),
  PriorityWeightTRES: z.union([z.string(), z.record(z.string(), weight)]).optional().describe('Slurm\'s name of `tres`, also as CPU=1000,Mem=2000,GRES/gpu=3000'),
  PriorityMaxAge: time.optional().describe('Slurm\'s name of `maxAge`, in minutes or as a time string'),
  PriorityFavorSmall: z.union([z.boolean(), z.enum(['YES', 'NO'])]).optional().describe('Slurm\'s name of `favorSmall`'),
  PriorityDecayHalfLife: time.optional().describe('Slurm\'s name of `halfLife`, in minutes or as a time string'),
  PriorityCalcPeriod: time.optional().describe('Slurm\'s name of `calcPeriod`, in minutes'),
  PriorityUsageResetPeriod: z.enum(usageResetPeriods).optional().describe('Slurm\'s name of `usageReset`; NOW: as NONE, since nothing was used before the run'),
  FairShareDampeningFactor: z.number().positive().optional().describe('Slurm\'s name of `dampening`'),
  PriorityFlags: z
    .string()
    .optional()
    .describe('NO_FAIR_TREE and DEPTH_OBLIVIOUS: `algorithm`; SMALL_RELATIVE_TO_TIME: `relativeToTime`; MAX_TRES and MAX_TRES_GRES: `maxTres`; NO_NORMAL_...: `raw`; INCR_ONLY: `onlyUp`; separated by commas'),
}
type SlurmOptions = z.output<z.ZodObject<typeof slurmOptions>>

/** The factors that each NO_NORMAL_... flag leaves unnormalised. */
const RAW = { PART: ['partition'], QOS: ['qos'], TRES: ['tres'], ASSOC: ['assoc'], ALL: ['partition', 'qos', 'assoc', 'tres'] }

/**
 * The known PriorityFlags. ACCRUE_ALWAYS switches `accrue` off; apart from that it and CALCULATE_RUNNING change nothing, since what they choose is always so
 * here. An exception are jobs that a reader of logs submits at the time when they became eligible: their age counts from then.
 */
export const priorityFlags: readonly string[] = [
  'ACCRUE_ALWAYS', 'CALCULATE_RUNNING', 'NO_FAIR_TREE', 'DEPTH_OBLIVIOUS', 'SMALL_RELATIVE_TO_TIME', 'MAX_TRES', 'MAX_TRES_GRES', 'INCR_ONLY',
  ...Object.keys(RAW).map((name) => `NO_NORMAL_${name}`),
]

/** Slurm's options under the names that they have here. Throws `BAD_OPTION` for an unreadable time and an unknown flag. */
export function fromSlurm(given: SlurmOptions): Readonly<Record<string, unknown>> {
  const flags = (given.PriorityFlags ?? '').split(',').map((flag) => flag.trim().toUpperCase()).filter((flag) => flag !== '')
  for (const flag of flags)
    if (!priorityFlags.includes(flag))
      throw new SchedError(
        'BAD_OPTION',
        `PriorityFlags has ${flag}, which is not modelled.`,
        { field: 'multifactor.PriorityFlags' },
        suggest(flag, priorityFlags),
      )
  const raw = Object.entries(RAW).flatMap(([name, factors]) => (flags.includes(`NO_NORMAL_${name}`) ? factors : []))
  const known = {
    age: given.PriorityWeightAge,
    fairShare: given.PriorityWeightFairshare,
    jobSize: given.PriorityWeightJobSize,
    partition: given.PriorityWeightPartition,
    qos: given.PriorityWeightQOS,
    assoc: given.PriorityWeightAssoc,
    tres: given.PriorityWeightTRES === undefined ? undefined : tresWeights(given.PriorityWeightTRES, 'multifactor.PriorityWeightTRES'),
    maxAge: secondsOf('PriorityMaxAge', given.PriorityMaxAge),
    favorSmall: given.PriorityFavorSmall === undefined ? undefined : given.PriorityFavorSmall === true || given.PriorityFavorSmall === 'YES',
    halfLife: secondsOf('PriorityDecayHalfLife', given.PriorityDecayHalfLife),
    calcPeriod: secondsOf('PriorityCalcPeriod', given.PriorityCalcPeriod),
    usageReset: usageResetOf(given.PriorityUsageResetPeriod),
    dampening: given.FairShareDampeningFactor,
    algorithm: flags.includes('DEPTH_OBLIVIOUS') ? 'depth-oblivious' : flags.includes('NO_FAIR_TREE') ? 'classic' : undefined,
    relativeToTime: flags.includes('SMALL_RELATIVE_TO_TIME') || undefined,
    maxTres: maxTresOf(flags),
    raw: raw.length > 0 ? [...new Set(raw)] : undefined,
    onlyUp: flags.includes('INCR_ONLY') || undefined,
  }
  return withoutUndefined(known)
}

/** `maxTres` of PriorityFlags; `undefined`: amounts are added up. */
export const maxTresOf = (flags: readonly string[]): true | 'gres' | undefined => (flags.includes('MAX_TRES') ? true : flags.includes('MAX_TRES_GRES') ? 'gres' : undefined)

/** Seconds of a number of minutes, or of a time as Slurm writes it. Throws `BAD_OPTION` for anything else. */
function secondsOf(name: string, time: number | string | undefined): number | undefined {
  if (time === undefined) return undefined
  const seconds = typeof time === 'number' ? time * 60 : inWholeMinutes(time)
  if (seconds !== undefined) return seconds
  throw new SchedError('BAD_OPTION', `the time "${time}" is not one that Slurm reads.`, { field: `multifactor.${name}` }, 'Write minutes, or days-hours, for example 7-0.')
}
