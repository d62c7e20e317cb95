import { None, type Constraints, type DisruptionBudget, type JobId, type JobSpec, type PlacementRule, type QueueId, type Seconds, type UserId } from '@sched/core'
import { Names } from './names.js'
import { WorkColumns } from './work-columns.js'

const NO_LICENSES: Readonly<Record<string, number>> = {}
const NO_TAGS: Readonly<Record<string, string>> = {}
const NO_RULES: readonly PlacementRule[] = []

/** What jobs say of themselves: a part of `WorkView`. It changes only if the job is updated (see `updateJob`) or, for `tasks`, moulded. */
export class JobFacts extends WorkColumns {
  protected readonly users = new Names()
  protected readonly queues = new Names()
  /** What jobs may run for whose estimate a policy has lowered, in seconds: see `Round.limitTo`. */
  readonly limits = new Map<JobId, Seconds>()
  /** The job that is being updated: see `updateJob`. */
  updated: JobId | None = None

  comesAgain(job: JobId): boolean {
    return job === this.updated
  }
  jobs(): JobId[] {
    const jobs: JobId[] = []
    for (let job = 0; job < this.jobSpec.length; job++) if (this.jobSpec[job] !== undefined) jobs.push(job as JobId)
    return jobs
  }
  rank(job: JobId): number {
    return this.jobRank[job] as number
  }
  spec(job: JobId): JobSpec {
    return this.jobSpec[job] as JobSpec
  }
  name(job: JobId): string {
    return this.spec(job).id
  }
  submitted(job: JobId): Seconds {
    return this.jobSubmit[job] as number
  }
  priority(job: JobId): number {
    return this.jobPriority[job] as number
  }
  weight(job: JobId): number {
    return this.spec(job).weight ?? 1
  }
  estimate(job: JobId): Seconds {
    return (this.limits.size === 0 ? undefined : this.limits.get(job)) ?? this.spec(job).estimate ?? Infinity
  }
  minEstimate(job: JobId): Seconds {
    return this.spec(job).minEstimate ?? Infinity
  }
  recordedWait(job: JobId): Seconds {
    return this.spec(job).recorded?.wait ?? NaN
  }
  deadline(job: JobId): Seconds {
    return this.spec(job).deadline ?? Infinity
  }
  isDeadlineFirm(job: JobId): boolean {
    return this.spec(job).firmDeadline === true
  }
  user(job: JobId): UserId {
    return this.jobUser[job] as UserId
  }
  userName(user: UserId): string {
    return this.users.name(user)
  }
  queue(job: JobId): QueueId {
    return this.jobQueue[job] as QueueId
  }
  queueName(queue: QueueId): string {
    return this.queues.name(queue)
  }
  account(job: JobId): string {
    return this.spec(job).account ?? ''
  }
  preemptible(job: JobId): boolean | 'semi' | undefined {
    return this.spec(job).preemptible
  }
  movable(job: JobId): boolean {
    return this.spec(job).movable !== false
  }
  disruptionBudget(job: JobId): DisruptionBudget | undefined {
    return this.spec(job).disruptionBudget
  }
  longestWait(job: JobId): Seconds | undefined {
    return this.spec(job).longestWait
  }
  gracePeriod(job: JobId): Seconds | undefined {
    return this.spec(job).gracePeriod
  }
  qos(job: JobId): string {
    return this.spec(job).qos ?? ''
  }
  array(job: JobId): string {
    return this.spec(job).array ?? ''
  }
  arrayThrottle(job: JobId): number {
    return this.spec(job).arrayThrottle ?? Infinity
  }
  isExclusiveToUser(job: JobId): boolean {
    return this.spec(job).exclusive === 'user'
  }
  nice(job: JobId): number {
    return this.spec(job).nice ?? 0
  }
  minNodes(job: JobId): number {
    return this.spec(job).minNodes ?? 1
  }
  maxNodes(job: JobId): number {
    return this.spec(job).maxNodes ?? Infinity
  }
  isContiguous(job: JobId): boolean {
    return this.spec(job).contiguous === true
  }
  reservation(job: JobId): string {
    return this.spec(job).reservation ?? ''
  }
  licenses(job: JobId): Readonly<Record<string, number>> {
    return this.spec(job).licenses ?? NO_LICENSES
  }
  classOf(job: JobId): string {
    return this.spec(job).class ?? ''
  }
  tasks(job: JobId): number {
    return this.jobTasks[job] as number
  }
  tags(job: JobId, stage: number): Readonly<Record<string, string>> {
    const { tags, stages } = this.spec(job)
    const own = stages[stage]?.tags
    return tags === undefined || own === undefined ? (own ?? tags ?? NO_TAGS) : { ...tags, ...own }
  }
  placementRules(job: JobId, stage: number): readonly PlacementRule[] {
    const { placementRules, stages } = this.spec(job)
    return stages[stage]?.placementRules ?? placementRules ?? NO_RULES
  }
  constraints(job: JobId, stage: number): Constraints | undefined {
    return this.spec(job).stages[stage]?.constraints
  }
}
