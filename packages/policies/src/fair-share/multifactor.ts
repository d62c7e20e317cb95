import { checkOptions, defineOrder, SchedError, ownValue, type Env, type JobId, type LaneId, type Plug } from '@sched/core'
import * as z from '@sched/bundled/zod'
import { LastingTerms } from '../orders/lasting-terms.js'
import { Accruals, accrualOptions } from './accrual.js'
import { AccountUsage, decayOptions, usageOptions } from './account-usage.js'
import { Ages } from './ages.js'
import { AssociationPriorities, associationPriorityOptions } from './association-priorities.js'
import { byUsage } from './by-usage.js'
import { sizeOf } from './job-size.js'
import { RisingScores } from './rising-scores.js'
import { fromSlurm, slurmOptions } from './slurm-options.js'
import { TresWeights } from './tres-weights.js'
import { weightedFactors } from './weighted-factors.js'

const WEEK = 604_800
/** The highest priority: in Slurm priorities have 32 bits. */
const HIGHEST = 2 ** 32 - 1
/** The priority before that of the first job, with `countDown`. Source: Slurm, `TOP_PRIORITY`. */
const TOP = 0xffff0000
const TIER = 2 ** 32
const weight = z.number().nonnegative()
const TERMS = 7
type Terms = readonly [association: number, size: number, partition: number, qos: number, tres: number, site: number, tier: number]

const ownOptions = {
  age: weight.default(0).describe('weight of the time it has waited, as a fraction of `maxAge` up to 1 (PriorityWeightAge)'),
  fairShare: weight.default(0).describe('weight of the fair-share factor of its user (PriorityWeightFairshare)'),
  jobSize: weight.default(0).describe('weight of its size, the mean of its fractions of the processors and of the nodes (PriorityWeightJobSize)'),
  partition: weight.default(0).describe('weight of the priority of its queue, as a fraction of the highest of all (PriorityWeightPartition)'),
  qos: weight.default(0).describe('weight of the priority of its QOS, as a fraction of the highest of all (PriorityWeightQOS)'),
  assoc: weight.default(0).describe('weight of the priority of its association, as a fraction of the highest of all (PriorityWeightAssoc)'),
  site: weight.default(0).describe("weight of the job's own priority, as a site factor; its nice value counts in any case"),
  tres: z
    .record(z.string(), weight)
    .default({})
    .describe(
      'weights of the amounts that it asks for, each as a fraction of what the nodes of its partition have (PriorityWeightTRES), by resource; `node`: of the number of nodes',
    ),
  countDown: z.boolean().default(false).describe('a job has 1 less than the one submitted before it, less its nice value; without weights this is priority/basic'),
  raw: z
    .array(z.enum(['partition', 'qos', 'assoc', 'tres']))
    .default([])
    .describe('what counts as it is instead of as a fraction: priorities of queues, QOS or associations, amounts asked for (PriorityFlags=NO_NORMAL_PART, _QOS, _ASSOC, _TRES)'),
  onlyUp: z.boolean().default(false).describe('priorities rise and never fall (PriorityFlags=INCR_ONLY)'),
  maxAge: z.number().nonnegative().default(WEEK).describe('seconds after which a job gets no older (PriorityMaxAge), 0: it has the whole weight at once; default 7 days'),
  accrue: accrualOptions.optional().describe('how many waiting jobs of a QOS, an account or a user grow older at once (JobsAccrue limits); default: all'),
  requeueDelay: z.number().nonnegative().default(0).describe('seconds after which a preempted job begins to grow older, anew (the `requeueDelay` of `slurm-preempting`)'),
  favorSmall: z.boolean().default(false).describe('counts 1 less the size instead of the size (PriorityFavorSmall)'),
  relativeToTime: z.boolean().default(false).describe('counts the size over the estimate in minutes (PriorityFlags=SMALL_RELATIVE_TO_TIME)'),
  partitions: z.record(z.string(), z.number().int().nonnegative()).default({}).describe('priorities of queues (PriorityJobFactor); default 1'),
  qosPriorities: z.record(z.string(), z.int().nonnegative()).default({}).describe('priorities of QOS (Priority of sacctmgr); default 0; jobs that name none have `normal`'),
  associations: associationPriorityOptions.default({}).describe('priorities of the tree of accounts with their users (Priority of sacctmgr); `root` is around all'),
  tiers: z
    .record(z.string(), z.int().min(0).max(65_533))
    .default({})
    .describe('tiers of queues (PriorityTier): whoever is in a higher one comes first, whatever the priority; default 1'),
  ...usageOptions,
  ...decayOptions,
}
const settings = z.strictObject(ownOptions)
type Settings = z.output<typeof settings>
/** Options of `multifactor`, under names of its own or Slurm's; all may be left out. */
export type MultifactorOptions = Partial<z.input<typeof settings>> & z.input<z.ZodObject<typeof slurmOptions>>

/** Schemas without defaults. Defaults are filled in after Slurm's names have been read, so that until then it is visible what was given. */
const withoutDefaults = (shape: Readonly<Record<string, z.ZodType>>) =>
  Object.fromEntries(Object.entries(shape).map(([name, schema]) => [name, schema instanceof z.ZodDefault ? described(schema as z.ZodDefault<z.ZodType>) : schema]))

function described(schema: z.ZodDefault<z.ZodType>): z.ZodType {
  const text = schema.description ?? ''
  const usual = JSON.stringify(schema.def.defaultValue)
  return schema
    .unwrap()
    .optional()
    .describe(text.includes('default') ? text : `${text}; default ${usual}`)
}

const multifactorOptions = z.strictObject({ ...withoutDefaults(settings.shape), ...slurmOptions }) as unknown as z.ZodType<MultifactorOptions>

/**
 * By tier of the queue, then by Slurm's job priority, highest first, ties by submission. The priority is a weighted sum of factors from 0 to 1, as a whole
 * number of at least 1, as of the end of the last calculation period. Without weights the order is FIFO, like Slurm's default. A job that may start in several
 * queues has a priority in each, for a policy that has a place for it in each.
 *
 * Source: Slurm, priority_multifactor. Deviation: the size of a job is that of what starts together.
 */
export const multifactorOrder = defineOrder({
  name: 'multifactor',
  summary: "Slurm's job priority: age, fair share, size, partition, QOS",
  source: 'Slurm, priority_multifactor',
  options: multifactorOptions,
  create: (given, env) => {
    const options = settingsOf(given)
    const usage = new AccountUsage(options, env)
    const tres = new TresWeights(options.tres, options.raw.includes('tres'), env)
    const associations = new AssociationPriorities(options.associations, options.raw.includes('assoc'), env)
    const parts = { tres, associations, highestPartition: highestOf(options.partitions), highestQos: highestOf(options.qosPriorities), areTiered: Object.keys(options.tiers).length > 0 }
    const lasting = new LastingTerms(env.cluster, TERMS, (job, lane) => lastingTerms(job, lane, options, parts, env))
    const accruals = options.accrue === undefined ? undefined : new Accruals(options.accrue, options.requeueDelay, env)
    const ages = accruals ?? (options.age > 0 ? new Ages(options.requeueDelay, env) : undefined)
    const ranking = (job: JobId, lane: LaneId, queue?: string) => (queue === undefined
      ? jobPriority(job, lane, options, usage, lasting, ages)
      : placePriority(job, options, usage, lastingTerms(job, lane, options, parts, env, queue), ages))
    const listeners = ages === undefined ? [lasting] : [lasting, ages]
    const fairShare = weightedFactors(usage, options.fairShare)
    if (!options.onlyUp)
      return { ...byUsage(usage, env, (job, _, lane) => ranking(job, lane), listeners, accruals && (() => accruals.refill())), fairShare, priority: (job, lane, queue) => ranking(job, lane, queue) % TIER, scoreIn: ranking }
    const rising = new RisingScores(ranking, env)
    const order = byUsage(usage, env, (job, _, lane) => rising.of(job, lane), [...listeners, rising], () => {
      accruals?.refill()
      rising.raise(usage.version())
    })
    return { ...order, fairShare, priority: (job, lane, queue) => rising.of(job, lane, queue) % TIER, scoreIn: (job, lane, queue) => rising.of(job, lane, queue) }
  },
})

/** By Slurm's job priority. */
export const multifactor = (options: MultifactorOptions = {}): Plug<'order'> => multifactorOrder.plug({}, options)

function settingsOf(given: MultifactorOptions): Settings {
  const names: readonly string[] = Object.keys(slurmOptions)
  const [slurm, own] = [true, false].map((isSlurm) => Object.fromEntries(Object.entries(given).filter(([name, value]) => value !== undefined && names.includes(name) === isSlurm)))
  const translated = fromSlurm(slurm as Parameters<typeof fromSlurm>[0])
  if (/\baccrue_always\b/i.test(given.PriorityFlags ?? '')) delete (own as Settings).accrue
  const twice = Object.keys(translated).find((name) => name in (own as object))
  if (twice !== undefined) throw new SchedError('BAD_OPTION', `${twice} is given under its own name and Slurm's.`, { field: `multifactor.${twice}` }, 'Give it once.')
  return checkOptions('multifactor', settings, { ...own, ...translated })
}

/** Slurm's priority of a job. Terms are added in this order; another one would change the last bit of some sums. */
function jobPriority(job: JobId, lane: LaneId, options: Settings, usage: AccountUsage, lasting: LastingTerms, ages: Pick<Ages, 'since'> | undefined): number {
  const { fairShare } = options
  let sum = ageTerm(job, options, usage, ages)
  const first = lasting.find(job, lane)
  const { values } = lasting
  sum += values[first] as number
  if (fairShare > 0) sum += fairShare * usage.factor(job)
  for (let at = first + 1; at < first + TERMS - 1; at++) sum += values[at] as number
  return ranked(sum, values[first + TERMS - 1] as number)
}

/**
 * The same in one of several queues, by what the job has there. Terms are added in the order of Slurm, in which those that are alike in all of them come first.
 *
 * Source: Slurm, `priority_array` in `_get_priority_internal` of priority/multifactor.
 */
function placePriority(job: JobId, options: Settings, usage: AccountUsage, [association, size, partition, qos, tres, site, tier]: Terms, ages: Pick<Ages, 'since'> | undefined): number {
  const fairShare = options.fairShare > 0 ? options.fairShare * usage.factor(job) : 0
  return ranked(partition + (ageTerm(job, options, usage, ages) + association + fairShare + size + qos + tres + site), tier)
}

/** Source: Slurm, `_set_priority_factors` of priority/multifactor, where what is as old as PriorityMaxAge has the whole weight, also if that is 0. */
function ageTerm(job: JobId, { age, maxAge }: Settings, usage: AccountUsage, ages: Pick<Ages, 'since'> | undefined): number {
  if (ages === undefined) return 0
  const since = ages.since(job)
  if (maxAge === 0) return since < Infinity ? age : 0
  return age * Math.min(1, Math.max(0, usage.tick - since) / maxAge)
}

const ranked = (priority: number, tier: number): number => tier * TIER + Math.min(HIGHEST, Math.max(1, Math.floor(priority)))

/** What terms of all jobs are computed from: there may be as many queues as jobs, so it is found once. */
interface Parts {
  readonly tres: TresWeights
  readonly associations: AssociationPriorities
  /** The highest priority of a queue and of a QOS, at least 1. */
  readonly highestPartition: number
  readonly highestQos: number
  readonly areTiered: boolean
}

const highestOf = (priorities: Readonly<Record<string, number>>): number => Object.values(priorities).reduce((most, each) => Math.max(most, each), 1)

/** The terms that its association, size, partition, QOS, amounts and site add to a job's priority, and its tier; `place`: in this one of several queues. */
function lastingTerms(job: JobId, lane: LaneId, options: Settings, parts: Parts, env: Env, place?: string): Terms {
  const { work } = env
  const { tres, associations, areTiered } = parts
  const queue = place ?? work.queueName(work.queue(job))
  return [
    options.assoc === 0 ? 0 : options.assoc * associations.of(job),
    options.jobSize === 0 ? 0 : options.jobSize * sizeOf(job, lane, options, env),
    options.partition === 0 ? 0 : options.partition * partitionFactor(queue, options, parts),
    options.qos * qosFactor(work.qos(job), options, parts),
    tres.of(job, lane, queue),
    options.site * work.priority(job) - work.nice(job) + (options.countDown ? TOP - 1 - work.rank(job) : 0),
    areTiered ? (ownValue(options.tiers, queue) ?? 1) : 0,
  ]
}

function qosFactor(qos: string, { qos: weight, qosPriorities, raw }: Settings, { highestQos }: Parts): number {
  if (weight === 0) return 0
  const own = ownValue(qosPriorities, qos === '' ? 'normal' : qos) ?? 0
  return raw.includes('qos') ? own : own / highestQos
}

/** The priority of a queue as a fraction of the highest one; queues that are not named have priority 1. */
function partitionFactor(queue: string, { partitions, raw }: Settings, { highestPartition }: Parts): number {
  const own = ownValue(partitions, queue) ?? 1
  return raw.includes('partition') ? own : own / highestPartition
}
