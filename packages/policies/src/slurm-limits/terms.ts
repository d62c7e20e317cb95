import { ownValue, type ClusterView, type Env, type FairShareView, type Seconds } from '@sched/core'
import { DecayedUsage } from '../fair-share/decayed-usage.js'
import { NO_RESETS, resetsOf } from '../fair-share/usage-resets.js'
import { amountsOf, secondsOf, type Amount } from './amounts.js'
import { Associations, inherited, mayAskFor, type Association } from './associations.js'
import { Bills, type Bill } from './bills.js'
import { Counted, leastLimit, never, nodesLimit, sizeLimit, timeLimit, widthLimit, type Limit, type Piece } from './counted.js'
import type { PartitionOptions, ReadOptions } from './options.js'
import { reasonOf } from './reasons.js'
import { MINUTE } from './slurm-time.js'
import { LimitsOfJob, type PastUse, type Qos, type SubmitLimit } from './limits-of-job.js'

/** The facts of a job on which its limits depend. An empty account or QOS is not named. */
export interface Claimant {
  readonly user: string
  readonly account: string
  readonly qos: string
  readonly partition: string
  readonly licenses: Readonly<Record<string, number>>
}

/** The number of licences of a kind that a job holds. */
interface HeldLicense {
  readonly of: Counted
  readonly amount: number
}

/** The limits for jobs of a user in an account with a QOS and licences in a partition. */
export interface Terms {
  /** The groups in which the jobs count, whether or not these limit them. */
  readonly counted: readonly Counted[]
  /** The groups with a limit that holds for the jobs. */
  readonly limiting: readonly Counted[]
  /** The limits that may keep a job from starting; the first one that does is reported. */
  readonly limits: readonly Limit[]
  /** Whether some of `limits` are about what one job asks for and holds. */
  readonly areOwn: boolean
  /** Those of `limits` that are of QOS and associations. */
  readonly accounting: ReadonlySet<Limit>
  /** The names of the groups of all jobs of their QOS, as in `Counted`. */
  readonly qos: readonly string[]
  /** Those of `limits` that are about nodes, of which jobs that share nodes are told what they may have. */
  readonly ofNodes: readonly Limit[]
  /** The limits on the number of jobs in the system, which refuse a job when it is submitted. */
  readonly submits: readonly SubmitLimit[]
  /** The limits on what one job asks for that refuse it. */
  readonly strict: readonly Limit[]
  /** Those of `strict` that are of QOS and associations. */
  readonly strictAccounting: readonly Limit[]
  /** The factor with which past and remaining usage of the jobs counts: UsageFactor of their own QOS. */
  readonly factor: number
  /** How the jobs are billed; undefined: no limit is about billing. */
  readonly bill: Bill | undefined
  /** The licences that each job holds while it runs. */
  readonly licenses: readonly HeldLicense[]
  /** Why the jobs are always refused; undefined: they are not. */
  readonly refusal: string | undefined
  /** Why the partition takes no new jobs; undefined: it does. */
  readonly closed: string | undefined
}

/**
 * Finds the limits of Slurm's partitions, QOS and associations that hold for a job. A limit (on a resource) is looked for at the QOS of the partition, the QOS
 * of the job, the association of the user and the accounts around it, and the first that has it counts. Of associations, however, every `Grp` limit on the
 * way to the root counts, and `Max` limits of accounts hold for each of their users.
 *
 * Source: Slurm, resource_limits.html and acct_policy.c.
 */
export class TermsBook {
  readonly past: PastUse
  readonly #options: ReadOptions
  readonly #cluster: ClusterView
  readonly #now: () => Seconds
  readonly #associations: Associations
  /** Whether any limit is about nodes. */
  readonly areOfNodes: boolean
  /** Undefined: no limit is about billing. */
  readonly #bills: Bills | undefined
  /** The factors of an order by past usage, for UsageThreshold. */
  readonly fairShare: FairShareView | undefined
  /** The groups of jobs that wait where fair share adds too little to their priority. */
  readonly thresholds = new Set<Counted>()
  readonly #counted = new Map<string, Counted>()
  readonly #terms = new Map<string, Terms>()
  readonly #warn: (message: string) => void

  constructor(options: ReadOptions, env: Pick<Env, 'cluster' | 'now' | 'start' | 'warn'>, fairShare: FairShareView | undefined) {
    this.#warn = (message) => env.warn(message)
    this.#options = options
    this.fairShare = fairShare
    this.#cluster = env.cluster
    this.#associations = new Associations(options.accounts)
    this.#now = env.now
    const { halfLife, calcPeriod, usageReset, safe } = options
    this.past = {
      isSafe: safe,
      usage: new DecayedUsage({ halfLife, calcPeriod, resets: resetsOf(usageReset, env) }),
      lasting: new DecayedUsage({ halfLife: 0, calcPeriod, resets: NO_RESETS }),
      charged: [],
      timed: new Set(),
    }
    const bills = new Bills(options, env.cluster)
    const amounts = this.#check()
    this.#bills = amounts.some(({ tres }) => tres === 'billing') ? bills : undefined
    this.areOfNodes = amounts.some(({ tres }) => tres === 'node')
  }

  /** The limits for a job. They are kept, so that equal jobs share them. */
  of(who: Claimant): Terms {
    const key = JSON.stringify([who.user, who.account, who.qos, who.partition, ...Object.entries(who.licenses).flat()])
    const known = this.#terms.get(key)
    if (known !== undefined) return known
    const made = this.#make(who)
    this.#terms.set(key, made)
    return made
  }

  /** The accounts of jobs that name none, by user. */
  get usual(): Readonly<Record<string, string>> {
    return this.#associations.usual
  }

  /** Takes them over from before a restart; terms of jobs that name no account may be others then. */
  recall(usual: Readonly<Record<string, string>>): void {
    if (this.#associations.recall(usual).size > 0) this.#terms.clear()
  }

  #make({ user, account, qos: asked, partition: queue, licenses: wanted }: Claimant): Terms {
    const { partitions, qos: declared, enforce, enforcePartLimits } = this.#options
    const association = this.#associations.of(user, account, queue)
    const own = asked !== '' ? asked : (inherited(association, 'DefaultQOS') ?? 'normal')
    const partition: PartitionOptions = ownValue(partitions, queue) ?? {}
    const qos = this.#qosOf(own, partition)
    const { UsageFactor: factor = 1, Flags = [] } = ownValue(declared, own) ?? {}
    const made = new LimitsOfJob(this.#cluster, (name) => this.#group(name), this.past, this.#now, {
      isFree: factor === 0, lengthOf: Flags.includes('UsageFactorSafe') ? times(factor) : ({ estimate }) => estimate, limitFactor: qos.find(({ LimitFactor }) => LimitFactor !== undefined)?.LimitFactor ?? 1,
    }, qos.some((each) => each.Flags?.includes('DenyOnLimit')))
    const { limits, strict } = made
    const checked = this.#ofPartition(partition, queue, association, own, qos)
    const inactive = partition.State === 'INACTIVE' ? [never('PartitionInactive')] : [] // new jobs are refused, those that it has wait
    limits.push(...inactive)
    ;(enforcePartLimits === 'NO' ? limits : strict).push(...checked)
    const ofPartition = [...inactive, ...checked, ...this.#thresholdOf(own, made)]
    const taken = new Set<string>()
    for (const each of qos) made.addQos(each, user, association.parent?.name ?? 'root', taken)
    made.addAssociation(association, taken)
    const accounting = new Set(limits.filter((limit) => !ofPartition.includes(limit)))
    const [licenses, tooMany] = this.#licensesOf(wanted, made)
    limits.sort((a, b) => rankOf(a, ofPartition, accounting) - rankOf(b, ofPartition, accounting))
    const isUnknown = enforce.includes('associations') && !association.isDeclared
    const isForbidden = enforce.includes('qos') && (!Object.hasOwn(declared, own) || !mayAskFor(association, own))
    return {
      counted: made.groups, limiting: [...new Set(limits.flatMap(({ of }) => (of === undefined ? [] : [of])))], limits, submits: made.submits, strict,
      strictAccounting: strict.filter((limit) => !ofPartition.includes(limit)), factor, licenses, bill: this.#bills?.of(queue),
      areOwn: limits.some(({ of }) => of === undefined), accounting, ofNodes: limits.filter(({ nodes }) => nodes !== undefined), qos: qos.map(({ name }) => `QOS ${name}`),
      refusal: isUnknown
        ? `user ${user} has no association with ${account === '' ? 'any account' : `account ${account}`}${this.#associations.isOfPartitions(user) ? ` in partition ${queue}` : ''}`
        : this.#isOfPartitionsAlone(own) ? `QOS ${own} is Relative and that of a partition, for which no job may ask (InvalidQOS)`
        : isForbidden ? `QOS ${own} is not one that user ${user} may ask for (InvalidQOS)` : tooMany,
      closed: closedOf(partition, queue),
    }
  }

  /** The limit of a job's own QOS on what fair share adds to its priority, added to `made`. Slurm checks it last of those of the partition. */
  #thresholdOf(qos: string, made: LimitsOfJob): Limit[] {
    const { UsageThreshold, Flags = [] } = ownValue(this.#options.qos, qos) ?? {}
    if (UsageThreshold === undefined || !Flags.includes('EnforceUsageThreshold')) return []
    if (this.fairShare === undefined) {
      this.#warn(`UsageThreshold of QOS ${qos} holds nobody back: the policy in slurm-limits has no fair-share factors; give it the order multifactor or fair-share`)
      return []
    }
    const limit = made.addThreshold(qos, UsageThreshold, this.fairShare)
    if (limit.of !== undefined) this.thresholds.add(limit.of)
    return [limit]
  }

  /** Whether jobs may not ask for a QOS since it is Relative and that of a partition. Source: Slurm, `_determine_and_validate_qos`. */
  #isOfPartitionsAlone(qos: string): boolean {
    const { partitions, qos: declared } = this.#options
    return ownValue(declared, qos)?.Flags?.includes('Relative') === true && Object.values(partitions).some(({ QOS }) => QOS === qos)
  }

  /** The licences that a job holds, with their limits added to `made`, and why it can never get them; undefined: it can. */
  #licensesOf(wanted: Claimant['licenses'], made: LimitsOfJob): [held: HeldLicense[], refusal: string | undefined] {
    const held: HeldLicense[] = []
    let refusal: string | undefined
    for (const [name, amount] of Object.entries(wanted)) {
      const most = ownValue(this.#options.licenses, name)
      if (most === undefined) {
        if (this.#options.licenses !== undefined) this.#warn(`licence "${name}" is not among the licenses of slurm-limits: jobs hold as many as they ask for`)
        continue
      }
      held.push({ of: made.addLicense(name, amount, most), amount })
      if (amount > most) refusal ??= `it asks for ${amount} of licence ${name}, and there ${most === 1 ? 'is' : 'are'} ${most} (InvalidLicenses)`
    }
    return [held, refusal]
  }

  /** The declared QOS whose limits hold for a job: that of the partition and its own, in the order in which they count. */
  #qosOf(own: string, { QOS: ofPartition }: PartitionOptions): Qos[] {
    const found = [ofPartition, own].flatMap((name) => (name !== undefined && Object.hasOwn(this.#options.qos, name) ? [{ name, ...this.#options.qos[name] }] : []))
    if (found.length === 2 && found[0]?.name === found[1]?.name) found.pop()
    return found.length === 2 && found[1]?.Flags?.includes('OverPartQOS') === true ? found.reverse() : found
  }

  /** The limits of a partition. `all`: the QOS of the job, whose flags may lift some. */
  #ofPartition(partition: PartitionOptions, queue: string, association: Association, qos: string, all: readonly Qos[]): Limit[] {
    const { State, AllowAccounts, DenyAccounts, AllowQos, DenyQos, MaxTime, MaxTRESPerJob, MinTRESPerJob, MinNodes = 0, MaxNodes = Infinity } = partition
    const field = `partitions.${queue}`
    const isOpen = (flag: string) => all.some(({ Flags }) => Flags?.includes(flag) === true)
    const [most, least] = [isOpen('PartitionMaxNodes') ? undefined : MaxTRESPerJob, isOpen('PartitionMinNodes') ? undefined : MinTRESPerJob]
    return [
      ...(State === 'DOWN' ? [never('PartitionDown')] : []),
      ...(isKeptOut(accountsOf(association), AllowAccounts, DenyAccounts) ? [never('AccountNotAllowed')] : []),
      ...(isKeptOut([qos], AllowQos, DenyQos) ? [never('QOSNotAllowed')] : []),
      ...(MaxTime === undefined || isOpen('PartitionTimeLimit') ? [] : [timeLimit(secondsOf(MaxTime, `${field}.MaxTime`), 'PartitionTimeLimit')]),
      ...amountsOf(most, this.#cluster, `${field}.MaxTRESPerJob`).map(({ resource, most, tres }) => sizeLimit(resource, most, reasonOf('Partition', tres))),
      ...(MaxNodes === Infinity || isOpen('PartitionMaxNodes') ? [] : [widthLimit(MaxNodes, 'PartitionNodeLimit')]),
      ...(MinNodes <= 1 || isOpen('PartitionMinNodes') ? [] : [nodesLimit(MinNodes, 'PartitionNodeLimit')]),
      ...amountsOf(least, this.#cluster, `${field}.MinTRESPerJob`).map(({ resource, most, tres }) => leastLimit(resource, most, reasonOf('Partition', tres), tres === 'node')),
    ]
  }

  /** The group of this name, which is made at first use. */
  #group(name: string): Counted {
    const found = this.#counted.get(name) ?? new Counted(name, this.#cluster.resources.length + 1)
    this.#counted.set(name, found)
    return found
  }

  /** Reads all amounts and times of the options and returns the amounts. So a mistake in them is reported at once, not when a job comes. */
  #check(): Amount[] {
    const { partitions, qos, accounts } = this.#options
    const settings: [string, object][] = [...Object.entries(partitions).map(([name, each]) => [`partitions.${name}`, each] as [string, object]), ...Object.entries(qos).map(([name, each]) => [`qos.${name}`, each] as [string, object])]
    const visit = (path: string, { users = {}, usersOfPartitions = {}, accounts: inside = {}, ...own }: (typeof accounts)[string]): void => {
      settings.push([path, own], ...Object.entries(users).map(([name, each]) => [`${path}.users.${name}`, each] as [string, object]))
      for (const [partition, within] of Object.entries(usersOfPartitions))
        settings.push(...Object.entries(within).map(([name, each]) => [`${path}.usersOfPartitions.${partition}.${name}`, each] as [string, object]))
      for (const [name, each] of Object.entries(inside)) visit(`${path}.accounts.${name}`, each)
    }
    for (const [name, each] of Object.entries(accounts)) visit(`accounts.${name}`, each)
    const amounts: Amount[] = []
    for (const [path, each] of settings)
      for (const [name, value] of Object.entries(each) as [string, string][]) {
        if (name.includes('TRES')) amounts.push(...amountsOf(value, this.#cluster, `slurm-limits.${path}.${name}`))
        else if (name === 'MaxWall' || name === 'MaxTime' || name === 'GrpWall') secondsOf(value, `slurm-limits.${path}.${name}`)
      }
    return amounts
  }
}

/** The time limit of a piece times a factor, in whole minutes, as in Slurm (`acct_policy_job_runnable_post_select`). */
const times = (factor: number) => ({ estimate }: Piece): Seconds => Math.floor((estimate / MINUTE) * factor) * MINUTE

/**
 * The rank of a limit in the order in which Slurm checks them: those of the partition, then those of QOS and associations on numbers of jobs and time, then
 * licences, and after nodes are found those on amounts.
 */
const rankOf = (limit: Limit, ofPartition: readonly Limit[], accounting: ReadonlySet<Limit>): number =>
  ofPartition.includes(limit) ? 0 : limit.isOfNumbers === true ? 1 : accounting.has(limit) ? 3 : 2

/** Whether none of the names is allowed, or without a list of allowed ones, one of them is denied. */
const isKeptOut = (names: readonly string[], allowed: readonly string[] | undefined, denied: readonly string[] | undefined): boolean =>
  allowed !== undefined ? !allowed.some((each) => names.includes(each)) : denied?.some((each) => names.includes(each)) === true

/** The names of the account of an association and of those around it. */
function accountsOf({ name, isUser, parent }: Association): string[] {
  return [...(isUser ? [] : [name]), ...(parent === undefined ? [] : accountsOf(parent))]
}

/** Why a partition takes no new jobs; undefined: it does. Those that it has are started in the state DRAIN, and wait in INACTIVE. */
const closedOf = ({ State }: PartitionOptions, queue: string): string | undefined =>
  State === 'DRAIN' || State === 'INACTIVE' ? `partition ${queue} is ${State} and takes no jobs` : undefined
