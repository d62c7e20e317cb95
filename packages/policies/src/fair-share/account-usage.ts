import { ownValue, runningTasks, type Env, type JobId, type LaneId, type Round, type Seconds, type TaskId, type WorkListener } from '@sched/core'
import * as z from '@sched/bundled/zod'
import { accountOptions, AssociationTree } from './association-tree.js'
import { addedUp, billingOf, maxTresOption } from './billing.js'
import { DecayedUsage, type UsageMemory } from './decayed-usage.js'
import { classicFairShare, depthObliviousFairShare } from './factors.js'
import { FairTree, siblingHalvings } from './fair-tree.js'
import { resetsOf, usageResetOption } from './usage-resets.js'

const WEEK = 604_800
const FIVE_MINUTES = 300

/** Options of all orders by past usage. */
export const usageOptions = {
  accounts: z.record(z.string(), accountOptions).default({}).describe('accounts with their shares, users and the accounts inside them; those not declared have 1 share'),
  billing: z
    .record(z.string(), z.number().nonnegative())
    .optional()
    .describe('what an amount of a resource is charged per second (TRESBillingWeights); default: 1 for a slot or a processor, 0 for all else'),
  partitionBilling: z
    .record(z.string(), z.record(z.string(), z.number().nonnegative()))
    .default({})
    .describe('the same of jobs in some queues (TRESBillingWeights of partitions); others: `billing`'),
  usageFactors: z
    .record(z.string(), z.number().nonnegative())
    .default({})
    .describe('how much of the use of jobs of a QOS is charged (UsageFactor); default 1; jobs that name none have `normal`'),
}
export const decayOptions = {
  algorithm: z
    .enum(['fair-tree', 'classic', 'depth-oblivious'])
    .default('fair-tree')
    .describe(
      'fair-tree: users by rank, level by level; classic: 2^(-usage / shares), with that of the accounts above; depth-oblivious: the same, however deep in the tree (PriorityFlags=DEPTH_OBLIVIOUS)',
    ),
  halfLife: z.number().nonnegative().default(WEEK).describe('seconds in which past usage halves, 0: it does not (PriorityDecayHalfLife); default 7 days'),
  calcPeriod: z
    .number()
    .min(1)
    .default(FIVE_MINUTES)
    .describe('seconds: usage is charged, decays and changes priorities at multiples of it (PriorityCalcPeriod); default 5 minutes'),
  chargeEnds: z
    .boolean()
    .default(true)
    .describe('whether what runs is charged for the period in which it ends; Slurm does so only where AccountingStorageEnforce has limits'),
  dampening: z.number().positive().default(1).describe('divides the usage of `classic` and `depth-oblivious` (FairShareDampeningFactor)'),
  usageReset: usageResetOption,
  maxTres: maxTresOption.describe('true: charges the largest of the billed amounts instead of their sum (PriorityFlags=MAX_TRES); gres: the largest of processors, memory and nodes, and the sum of all else (MAX_TRES_GRES)'),
}
export interface AccountUsageOptions extends z.output<z.ZodObject<typeof usageOptions>>, z.output<z.ZodObject<typeof decayOptions>> {}

/** State of `AccountUsage`: usage, the users and accounts that have come, and the version of the factors. */
interface AccountMemory extends UsageMemory {
  /** All users and accounts that have come so far, each by its path. */
  readonly known: readonly string[]
  readonly version: number
  readonly asOf: Seconds
}

/**
 * Follows what the users of accounts use and have used, and computes their fair-share factors as of the end of the last calculation
 * period. A task is charged from its claim to its release, as far as the scheduler knows.
 */
export class AccountUsage implements WorkListener {
  readonly #env: Env
  readonly #options: AccountUsageOptions
  #tree: AssociationTree
  #fairTree: FairTree
  #usage: DecayedUsage
  readonly #isAdded: readonly boolean[]
  /** By resource: the charge for one unit per second. */
  readonly #billing: Float64Array
  /** The same by name of the queue, for queues that have their own charges. */
  readonly #billingOf: ReadonlyMap<string, Float64Array>
  readonly #associationOf: number[] = []
  /** The factors of this version; `undefined` until they are first asked for. */
  #factors: Float64Array | undefined
  /** The same of `halving`. */
  #halvings: Float64Array | undefined
  #version = 0
  /** The end of the period to which the version belongs; -1: another user has come since. */
  #asOf: Seconds = -1

  constructor(options: AccountUsageOptions, env: Env) {
    this.#env = env
    this.#options = options
    this.#tree = new AssociationTree(options.accounts)
    this.#fairTree = new FairTree(this.#tree)
    this.#usage = this.#nothingUsed()
    this.#isAdded = addedUp(options.maxTres, env.cluster.resources)
    this.#billing = billingOf(options.billing, env.cluster, 'billing')
    this.#billingOf = new Map(Object.entries(options.partitionBilling).map(([queue, billing]) => [queue, billingOf(billing, env.cluster, `partitionBilling.${queue}`)]))
    this.#follow()
  }

  /** The fair-share factor of the job's user in this version, in [0, 1]; 1 is the most deserving. */
  factor(job: JobId): number {
    this.#factors ??= this.#compute()
    return this.#factors[this.#associationOf[job] as number] as number
  }

  /**
   * 2^(-usage / shares) of the job's user in this version, in [0, 1]. It is the factor, but with `fair-tree` usage and shares are fractions of those of the
   * siblings then.
   */
  halving(job: JobId): number {
    if (this.#options.algorithm !== 'fair-tree') return this.factor(job)
    this.#halvings ??= siblingHalvings(this.#fairTree.levels(this.#usage.charged), this.#options.dampening)
    return this.#halvings[this.#associationOf[job] as number] as number
  }

  /** The end of the last calculation period. */
  get tick(): Seconds {
    return this.#usage.tick
  }

  /** The version of the factors: a new number whenever a period has ended or a user has come. */
  version(): number {
    if (this.#asOf !== this.tick) {
      this.#asOf = this.tick
      this.#factors = this.#halvings = undefined
      this.#version++
    }
    return this.#version
  }

  /** The same after the periods that are over have been ended. */
  versionAt(now: Seconds): number {
    this.#usage.advance(now)
    return this.version()
  }

  /** When factors may change next, unless somebody comes or begins to use something; `Infinity`: never. */
  get changesAt(): Seconds {
    return this.#usage.changesAt
  }

  /** Ends the periods that are over, and asks for a round when factors change next: without heartbeats nothing else may happen then. */
  wake(round: Round): void {
    this.#usage.advance(round.now) // in a round at the end of a period, the next one
    if (round.cluster.heartbeat === 0) round.wakeAt(this.#usage.next)
  }

  #compute(): Float64Array {
    const usage = this.#usage.charged
    const { algorithm, dampening } = this.#options
    if (algorithm === 'fair-tree') return this.#fairTree.factors(usage)
    return (algorithm === 'classic' ? classicFairShare : depthObliviousFairShare)(this.#tree, usage, dampening)
  }

  onSubmit(job: JobId): void {
    const { work } = this.#env
    this.#associationOf[job] = this.#tree.user(work.userName(work.user(job)), work.account(job), work.queueName(work.queue(job)))
    this.#follow()
  }

  onClaim(job: JobId, lane: LaneId, task: TaskId): void {
    this.#change(job, lane, task, 1)
  }

  onRelease(job: JobId, lane: LaneId, task: TaskId): void {
    this.#change(job, lane, task, -1)
    if (this.#options.chargeEnds) return
    const started = this.#env.work.started(task)
    if (!Number.isNaN(started)) this.#usage.forgive(this.#associationOf[job] as number, this.#factorOf(job) * this.#chargeOf(task, lane), started, this.#env.now())
  }

  #change(job: JobId, lane: LaneId, task: TaskId, sign: 1 | -1): void {
    this.#usage.change(this.#associationOf[job] as number, sign * this.#factorOf(job) * this.#chargeOf(task, lane), this.#env.now())
  }

  #nothingUsed(): DecayedUsage {
    const { halfLife, calcPeriod, usageReset } = this.#options
    return new DecayedUsage({ halfLife, calcPeriod, resets: resetsOf(usageReset, this.#env) })
  }

  memory(): AccountMemory {
    const known = Array.from({ length: this.#tree.size }, (_, association) => this.#tree.path(association))
    return { ...this.#usage.memory(), known, version: this.#version, asOf: this.#asOf }
  }

  recall(memory: unknown): void {
    const { known, version, asOf, ...usage } = memory as AccountMemory
    this.#beginAgain(known)
    this.#usage.recall(usage)
    this.#version = version
    this.#asOf = asOf
    this.#factors = this.#halvings = undefined
  }

  /** Associates all jobs anew, after these users and accounts have come in this order: the first of a user's is that of jobs without an account. */
  #beginAgain(known: readonly string[]): void {
    const { work, cluster } = this.#env
    this.#tree = new AssociationTree(this.#options.accounts)
    this.#fairTree = new FairTree(this.#tree)
    this.#usage = this.#nothingUsed()
    for (const path of known) this.#tree.of(path)
    this.#follow()
    for (const job of work.jobs()) {
      this.onSubmit(job)
      for (let lane = 0 as LaneId; lane < cluster.lanes.length; lane++) for (const task of runningTasks(job, lane, work)) this.#change(job, lane, task, 1)
    }
  }

  /** Makes columns for new associations, which have no usage yet. */
  #follow(): void {
    for (let association = this.#usage.charged.length; association < this.#tree.size; association++) {
      this.#usage.id(this.#tree.path(association))
      this.#asOf = -1
    }
  }

  #factorOf(job: JobId): number {
    const { usageFactors } = this.#options
    const qos = this.#env.work.qos(job)
    return ownValue(usageFactors, qos === '' ? 'normal' : qos) ?? 1
  }

  #chargeOf(task: TaskId, lane: LaneId): number {
    const { work, cluster } = this.#env
    const shape = work.shapeOf(task)
    const billing = this.#billingOf.size === 0 ? this.#billing : (this.#billingOf.get(work.queueName(work.queue(work.jobOf(task)))) ?? this.#billing)
    let [largest, sum] = [0, 0]
    for (const resource of cluster.lanes[lane]?.resources ?? []) {
      const own = work.demand(shape, resource) * (billing[resource] as number)
      if (this.#isAdded[resource] === true) sum += own
      else largest = Math.max(largest, own)
    }
    return largest + sum
  }
}
