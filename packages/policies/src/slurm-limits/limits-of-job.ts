import type { ClusterView, FairShareView, NodeId, ResourceId, Seconds } from '@sched/core'
import type { DecayedUsage } from '../fair-share/decayed-usage.js'
import { amountsOf, secondsOf, type Amount } from './amounts.js'
import { inherited, type Association } from './associations.js'
import { amountLimit, jobsLimit, leastLimit, leftLimit, licenseLimit, nodesHeldLimit, pastLimit, safeLimit, sizeLimit, spanLimit, thresholdLimit, timeLimit, wallLimit, type Counted, type Length, type Limit } from './counted.js'
import type { QosOptions, UserOptions } from './options.js'
import { reasonOf, type Scope } from './reasons.js'
import { MINUTE } from './slurm-time.js'

/** A QOS with its name. */
export interface Qos extends QosOptions {
  readonly name: string
}

/** A limit on the number of jobs in the system. */
export interface SubmitLimit {
  readonly of: Counted
  readonly most: number
  readonly reason: string
}

/** The past usage of groups of jobs. */
export interface PastUse {
  /** Whether jobs must be able to run to their time limits within limits on it (AccountingStorageEnforce=safe). */
  readonly isSafe: boolean
  /** The usage of groups whose usage decays. */
  readonly usage: DecayedUsage
  /** The usage of groups whose usage does not (NoDecay). */
  readonly lasting: DecayedUsage
  /** Groups whose past usage is counted. */
  readonly charged: Counted[]
  /** Groups with a limit that depends on the remaining time of running jobs, and so changes as time passes. */
  readonly timed: Set<Counted>
}

/** The past usage among which that of a group is kept. */
export const usageOf = ({ lasts }: Counted, { usage, lasting }: PastUse): DecayedUsage => (lasts ? lasting : usage)

/** Stands for the time of jobs in place of a resource, for GrpWall. */
const WALL = -1

/** How the QOS of a job makes usage count. */
export interface Counts {
  /** Whether it counts for nothing (UsageFactor 0). */
  readonly isFree: boolean
  readonly lengthOf: Length
  /** The factor of amounts that associations limit (LimitFactor). */
  readonly limitFactor: number
}

/**
 * Collects the limits of a job: first those of its QOS, then those of its association and the accounts around it. `taken` has the limits that a QOS has set,
 * by kind and resource; later ones of the same kind do not count.
 */
export class LimitsOfJob {
  /** The groups in which the job counts. */
  readonly groups: Counted[] = []
  /** Limits that may keep the job from starting; the first one that does is reported. */
  readonly limits: Limit[] = []
  /** Limits on the number of jobs in the system. */
  readonly submits: SubmitLimit[] = []
  /** Limits on what one job asks for that refuse the job. */
  readonly strict: Limit[] = []

  constructor(
    private readonly cluster: ClusterView,
    private readonly group: (name: string) => Counted,
    private readonly past: PastUse,
    private readonly now: () => Seconds,
    /** How its own QOS makes usage count. */
    private readonly counts: Counts,
    /**
     * Whether the job is refused if it alone exceeds a limit of any QOS or association: its QOS or that of its
     * partition has the flag DenyOnLimit (`_acct_policy_validate` of Slurm).
     */
    private readonly isStrict: boolean,
  ) {}

  /** Adds the limits of a QOS, but those in `taken`, to which it adds its own. */
  addQos(qos: Qos, user: string, account: string, taken: Set<string>): void {
    const { name, Flags = [] } = qos
    const field = `qos.${name}`
    const [all, ofUser, ofAccount] = [this.#count(`QOS ${name}`), this.#count(`user ${user} in QOS ${name}`), this.#count(`account ${account} in QOS ${name}`)]
    all.lasts = Flags.includes('NoDecay')
    this.#chargeAlways(all, qos, field)
    const isNew = (kind: string, value: unknown) => value !== undefined && !taken.has(kind) && Boolean(taken.add(kind))
    const amounts = (kind: string, written: UserOptions['GrpTRES']) => amountsOf(written, this.cluster, `${field}.${kind}`).filter(({ resource }) => isNew(`${kind} ${resource}`, true))
    if (isNew('GrpJobs', qos.GrpJobs)) this.#add(jobsLimit(all, qos.GrpJobs as number, 'QOSGrpJobsLimit'))
    if (isNew('GrpWall', qos.GrpWall)) this.#past(all, WALL, secondsOf(qos.GrpWall, `${field}.GrpWall`), 'QOSGrpWallLimit')
    if (isNew('MaxJobsPerAccount', qos.MaxJobsPerAccount)) this.#add(jobsLimit(ofAccount, qos.MaxJobsPerAccount as number, 'MaxJobsPerAccount'))
    if (isNew('MaxJobsPerUser', qos.MaxJobsPerUser)) this.#add(jobsLimit(ofUser, qos.MaxJobsPerUser as number, 'QOSMaxJobsPerUserLimit'))
    if (isNew('MaxWall', qos.MaxWall)) this.#own(timeLimit(secondsOf(qos.MaxWall, `${field}.MaxWall`), 'QOSMaxWallDurationPerJobLimit'))
    this.#pasts(amounts('GrpTRESMins', qos.GrpTRESMins), all, 'QOSGrpMins')
    this.#amounts(amounts('GrpTRES', qos.GrpTRES), all, 'QOSGrp')
    this.#groupLefts(amounts('GrpTRESRunMins', qos.GrpTRESRunMins), all, 'QOSGrpRunMins')
    for (const { resource, tres, most } of amounts('MaxTRESMinsPerJob', qos.MaxTRESMinsPerJob)) {
      this.#refuseSpan(resource, most * MINUTE, reasonOf('QOSMinsPerJob', tres))
      this.#add(spanLimit(resource, most * MINUTE, reasonOf('QOSMinsPerJob', tres), this.counts.lengthOf))
    }
    for (const { resource, tres, most } of amounts('MaxTRESPerJob', qos.MaxTRESPerJob)) this.#own(sizeLimit(resource, most, reasonOf('QOSPerJob', tres)))
    for (const { resource, tres, most } of amounts('MinTRESPerJob', qos.MinTRESPerJob)) this.#own(leastLimit(resource, most, reasonOf('QOSMin', tres), tres === 'node'))
    this.#amounts(amounts('MaxTRESPerAccount', qos.MaxTRESPerAccount), ofAccount, 'QOSPerAccount')
    this.#amounts(amounts('MaxTRESPerUser', qos.MaxTRESPerUser), ofUser, 'QOSPerUser')
    this.#lefts(amounts('MaxTRESRunMinsPerAccount', qos.MaxTRESRunMinsPerAccount), ofAccount, 'QOSRunMinsPerAccount')
    this.#lefts(amounts('MaxTRESRunMinsPerUser', qos.MaxTRESRunMinsPerUser), ofUser, 'QOSRunMinsPerUser')
    if (isNew('GrpSubmitJobs', qos.GrpSubmitJobs)) this.#submit(all, qos.GrpSubmitJobs as number, 'QOSGrpSubmitJobsLimit')
    if (isNew('MaxSubmitJobsPerAccount', qos.MaxSubmitJobsPerAccount)) this.#submit(ofAccount, qos.MaxSubmitJobsPerAccount as number, 'MaxSubmitJobsPerAccount')
    if (isNew('MaxSubmitJobsPerUser', qos.MaxSubmitJobsPerUser)) this.#submit(ofUser, qos.MaxSubmitJobsPerUser as number, 'QOSMaxSubmitJobPerUserLimit')
  }

  /** Adds the limits of an association and of the accounts around it, but those in `taken`. */
  addAssociation(from: Association, taken: ReadonlySet<string>): void {
    const has = (...kinds: string[]) => kinds.some((kind) => taken.has(kind))
    const amounts = (kind: string, written: UserOptions['GrpTRES']) => amountsOf(written, this.cluster, `accounts: ${kind}`).filter(({ resource }) => !taken.has(`${kind} ${resource}`))
    for (let each: Association | undefined = from; each !== undefined; each = each.parent) {
      const { GrpJobs, GrpSubmitJobs, GrpTRES, GrpTRESMins, GrpTRESRunMins, GrpWall } = each.settings
      const group = this.#count(nameOf(each))
      if (GrpJobs !== undefined && !has('GrpJobs')) this.#add(jobsLimit(group, GrpJobs, 'AssocGrpJobsLimit'))
      if (GrpSubmitJobs !== undefined && !has('GrpSubmitJobs')) this.#submit(group, GrpSubmitJobs, 'AssocGrpSubmitJobsLimit')
      this.#chargeAlways(group, each.settings, 'accounts')
      if (GrpWall !== undefined && !has('GrpWall')) this.#past(group, WALL, secondsOf(GrpWall, 'accounts: GrpWall'), 'AssocGrpWallLimit')
      this.#pasts(amounts('GrpTRESMins', GrpTRESMins), group, 'AssocGrpMins')
      this.#amounts(amounts('GrpTRES', GrpTRES).map((each) => ({ ...each, most: this.#factored(each.most) })), group, 'AssocGrp')
      this.#groupLefts(amounts('GrpTRESRunMins', GrpTRESRunMins), group, 'AssocGrpRunMins')
      if (each === from) this.#addMaxima(from, group, has, amounts)
    }
  }

  /** Adds limits on single jobs of an association and on the number of its jobs, which it has itself or inherits from the accounts around it. */
  #addMaxima(from: Association, own: Counted, has: (...kinds: string[]) => boolean, amounts: (kind: string, written: UserOptions['GrpTRES']) => Amount[]): void {
    const [maxJobs, maxSubmit, maxWall, maxTres] = [inherited(from, 'MaxJobs'), inherited(from, 'MaxSubmitJobs'), inherited(from, 'MaxWall'), inherited(from, 'MaxTRESPerJob')]
    if (maxJobs !== undefined && !has('MaxJobsPerUser', 'MaxJobsPerAccount')) this.#add(jobsLimit(own, maxJobs, 'AssocMaxJobsLimit'))
    if (maxSubmit !== undefined && !has('MaxSubmitJobsPerUser', 'MaxSubmitJobsPerAccount')) this.#submit(own, maxSubmit, 'AssocMaxSubmitJobLimit')
    if (maxWall !== undefined && !has('MaxWall')) this.#own(timeLimit(secondsOf(maxWall, 'accounts: MaxWall'), 'AssocMaxWallDurationPerJobLimit'))
    for (const { resource, tres, most } of amounts('MaxTRESMinsPerJob', inherited(from, 'MaxTRESMinsPerJob'))) {
      this.#refuseSpan(resource, most * MINUTE, reasonOf('AssocMinsPerJob', tres))
      this.#add(spanLimit(resource, most * MINUTE, reasonOf('AssocMinsPerJob', tres), this.counts.lengthOf))
    }
    for (const { resource, tres, most } of amounts('MaxTRESPerJob', maxTres)) this.#own(sizeLimit(resource, this.#factored(most), reasonOf('AssocPerJob', tres)))
  }

  /** Adds the limit of a licence and returns its group. */
  addLicense(name: string, asked: number, most: number): Counted {
    const group = this.#count(`licence ${name}`)
    this.#add(licenseLimit(group, name, asked, most))
    return group
  }

  /** Adds what fair share must add to the priority of a job with this QOS of its own, and returns it. */
  addThreshold(qos: string, least: number, fairShare: FairShareView): Limit {
    const limit = thresholdLimit(this.#count(`QOS ${qos}`), fairShare, least)
    this.#add(limit)
    return limit
  }

  /** The group of this name, in which the job counts even if none of the group's limits holds for it. */
  #count(name: string): Counted {
    const group = this.group(name)
    if (!this.groups.includes(group)) this.groups.push(group)
    return group
  }

  /** Source: Slurm, `_apply_limit_factor`. */
  #factored(most: number): number {
    return Math.floor(most * this.counts.limitFactor)
  }

  /** Adds a limit that may keep the job from starting. */
  #add(limit: Limit): void {
    this.limits.push(limit)
  }

  /** Adds a limit on the job alone, which refuses it with DenyOnLimit. */
  #own(limit: Limit): void {
    ;(this.isStrict ? this.strict : this.limits).push(limit)
  }

  /** With DenyOnLimit: refuses a job whose amount x time limit alone exceeds a limit, whatever its UsageFactor. */
  #refuseSpan(resource: number, most: number, reason: string): void {
    if (this.isStrict) this.strict.push(spanLimit(resource, most, reason, ({ estimate }) => estimate))
  }

  #submit(of: Counted, most: number, reason: string): void {
    this.submits.push({ of, most, reason })
  }

  #amounts(amounts: readonly Amount[], of: Counted, scope: Scope): void {
    for (const { resource, tres, most } of amounts) {
      const reason = reasonOf(scope, tres)
      if (this.isStrict) this.strict.push(sizeLimit(resource, most, reason))
      this.#add(tres === 'node' && hasSingleNodes(this.cluster, resource) ? nodesHeldLimit(of, resource, most, reason) : amountLimit(of, resource, most, reason))
    }
  }

  #pasts(amounts: readonly Amount[], of: Counted, scope: Scope): void {
    for (const { resource, tres, most } of amounts) this.#past(of, resource, most * MINUTE, reasonOf(scope, tres))
  }

  #past(of: Counted, resource: number, most: number, reason: string): void {
    const charge = { usage: usageOf(of, this.past), id: this.#charge(of, resource), resource, isFree: this.counts.isFree, lengthOf: this.counts.lengthOf }
    if (resource === WALL) {
      if (this.isStrict) this.strict.push(timeLimit(most, reason))
      return this.#add(wallLimit(of, charge, most, reason, this.past.isSafe))
    }
    this.#refuseSpan(resource, most, reason)
    if (!this.past.isSafe) return this.#add(pastLimit(of, charge, most, reason))
    this.#add(safeLimit(of, charge, most, reason, this.now))
    this.past.timed.add(of)
  }

  /** Has a group with a limit on past usage count the usage of all its jobs, even of those for which another group's limit holds. */
  #chargeAlways(of: Counted, { GrpTRESMins, GrpWall }: UserOptions | Qos, field: string): void {
    for (const { resource } of amountsOf(GrpTRESMins, this.cluster, `${field}: GrpTRESMins`)) this.#charge(of, resource)
    if (GrpWall !== undefined) this.#charge(of, WALL)
  }

  /** The id under which a group's past usage of a resource is kept. */
  #charge(of: Counted, resource: number): number {
    const known = of.charges.find((each) => each.resource === resource)
    if (known !== undefined) return known.id
    const id = usageOf(of, this.past).id(`${of.name}: ${this.cluster.resources[resource] ?? (resource === WALL ? 'time' : 'billing')}`)
    of.charges.push({ id, resource })
    if (!this.past.charged.includes(of)) this.past.charged.push(of)
    return id
  }

  /**
   * Adds limits on the remaining usage of a QOS or an association, which refuse jobs with DenyOnLimit. As in
   * Slurm, those of users and accounts in a QOS (`#lefts`) do not.
   */
  #groupLefts(amounts: readonly Amount[], of: Counted, scope: Scope): void {
    for (const { resource, tres, most } of amounts) this.#refuseSpan(resource, most * MINUTE, reasonOf(scope, tres))
    this.#lefts(amounts, of, scope)
  }

  #lefts(amounts: readonly Amount[], of: Counted, scope: Scope): void {
    for (const { resource, tres, most } of amounts) this.#add(leftLimit(of, resource, most * MINUTE, reasonOf(scope, tres), { ...this.counts, usage: this.past.usage }))
    if (amounts.length > 0) this.past.timed.add(of)
  }
}

const nameOf = ({ name, isUser, partition, parent }: Association): string =>
  isUser ? `user ${name} in account ${parent?.name ?? 'root'}${partition === undefined ? '' : ` and partition ${partition}`}` : `account ${name}`

/** Whether no node of the cluster stands for several. */
function hasSingleNodes(cluster: ClusterView, resource: ResourceId): boolean {
  for (let node = 0; node < cluster.nodes; node++) if (cluster.total(node as NodeId, resource) > 1) return false
  return true
}
