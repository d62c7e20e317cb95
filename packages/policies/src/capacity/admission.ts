import { leastTasks, SchedError, ownValue, type ClusterView, type Constraints, type JobId, type JobSpec, type ResourceId, type WorkView } from '@sched/core'
import { mappedQueue, readMapping, type Mapped, type Mapping } from './mappings.js'
import type { ReadCapacityOptions } from './queue-options.js'
import { choosePartition, Pots } from './pots.js'
import type { Queue, QueueTree } from './queue-tree.js'
import { Quotas } from './quotas.js'

/**
 * Decides which queue a job goes to and whether it may be submitted at all. It refuses a job for the number of applications, for a
 * stopped queue, and for tasks that the limits of their queue would never let start. A user limit never forbids a first task, since it
 * is checked before the task is counted.
 */
export class Admission {
  readonly #options: ReadCapacityOptions
  readonly #tree: QueueTree
  readonly #pots: Pots
  readonly #cluster: ClusterView
  readonly #work: WorkView
  readonly #mappings: readonly Mapping[]
  /** Quotas with all nodes up, since nodes that are away come back; and the number of changes of the tree that they include. */
  readonly #quotas: Quotas
  #parted: number
  /** By the constraints of a stage: the partitions with nodes that meet them. */
  readonly #partitions = new Map<string, readonly number[]>()
  /** Jobs in the system by queue, and by queue and user. */
  readonly #inQueue: number[] = []
  readonly #ofUser = new Map<string, number>()
  #total = 0
  /** The last job given to `refusal`, and its queue: that job is submitted next, and only `refusal` knows its group. */
  #asked: { readonly id: string; readonly queue: string } | undefined

  /** To be made while no node of the cluster is away. */
  constructor(options: ReadCapacityOptions, tree: QueueTree, cluster: ClusterView, work: WorkView) {
    this.#options = options
    this.#tree = tree
    this.#pots = new Pots(cluster, work, options.resourceCalculator === 'dominant', options.partitionLabel)
    this.#quotas = new Quotas(tree, this.#pots, cluster, { isLegacy: options.legacyQueueMode })
    this.#parted = tree.changes
    this.#cluster = cluster
    this.#work = work
    this.#mappings = options.mappings.map((option) => readMapping(option) as Mapping)
  }

  /**
   * Why a job may not be submitted, with the limit that forbids it; `undefined` if it may. A job that was submitted before (`again`) is not refused for a
   * stopped queue, nor for the number of applications (`addApplicationOnRecovery`).
   */
  refusal(spec: JobSpec, again = false): string | undefined {
    const { user = 'user', group, queue } = spec
    const placed = this.#queueOf(queue, user, group)
    if (placed === undefined) return 'it names no queue, no mapping applies to its user, and there is no root.default'
    if ('refused' in placed) return placed.refused
    const written = placed.queue
    this.#asked = { id: spec.id, queue: written }
    const found = this.#tree.find(written)
    if ('missing' in found) return found.missing
    if (!again && this.#total >= this.#options.maximumApplications) return `the system holds ${this.#total} of ${this.#options.maximumApplications} applications`
    const leaf = 'leaf' in found ? this.#tree.queue(found.leaf) : this.#tree.preview(found.wouldMake)
    if (!again && leaf.stoppedBy !== undefined) return `queue ${leaf.stoppedBy} is STOPPED`
    if (!('leaf' in found)) return this.#tooLarge(leaf, leaf.parent, spec)
    return (again ? undefined : this.#tooMany(leaf, user)) ?? this.#tooLarge(leaf, leaf.id, spec)
  }

  /** The path of the queue of the job that `refusal` was last asked about; `undefined` for any other job, or where none takes it. */
  queueFor(spec: JobSpec): string | undefined {
    if (this.#asked?.id !== spec.id) return undefined
    const found = this.#tree.find(this.#asked.queue)
    return 'leaf' in found ? this.#tree.queue(found.leaf).path : 'wouldMake' in found ? found.wouldMake : undefined
  }

  /** The leaf of a job that is submitted now; it is made if it may be. Throws `BAD_INPUT` for a job without a queue, which `refusal` would have refused. */
  enter(job: JobId): number {
    const work = this.#work
    const user = work.userName(work.user(job))
    const name = work.queueName(work.queue(job))
    const isNamed = name !== user && name !== 'default'
    const placed = this.#asked?.id === work.name(job) ? this.#asked : this.#queueOf(isNamed ? name : undefined, user, undefined)
    if (placed === undefined || 'refused' in placed)
      throw new SchedError(
        'BAD_INPUT',
        `job ${work.name(job)} names no queue and no mapping applies to its user "${user}".`,
        { field: 'queue' },
        'Declare `root.default`, or map the user to a queue.',
      )
    const leaf = this.#tree.leaf(placed.queue)
    this.#count(leaf, user, 1)
    return leaf
  }

  leave(leaf: number, user: string): void {
    this.#count(leaf, user, -1)
  }

  #count(leaf: number, user: string, change: 1 | -1): void {
    const key = `${leaf} ${user}`
    this.#total += change
    this.#inQueue[leaf] = (this.#inQueue[leaf] ?? 0) + change
    this.#ofUser.set(key, (this.#ofUser.get(key) ?? 0) + change)
  }

  #queueOf(named: string | undefined, user: string, group: string | undefined): Mapped {
    const isOpen = named === undefined || named === 'default' // `default` counts as no queue; a job may ask for root.default
    const isThere = (queue: string, create: boolean) => {
      const found = this.#tree.find(queue)
      return 'leaf' in found || (create && 'wouldMake' in found)
    }
    // a mapping to a short name makes no queue
    const isMapped = (queue: string, create: boolean) => isThere(queue, create && (queue.includes('.') || this.#tree.isOpen))
    const mapped = isOpen || this.#options.overrideWithMappings ? mappedQueue(this.#mappings, { user, group, specified: isOpen ? undefined : named }, isMapped) : undefined
    if (mapped !== undefined) return mapped
    if (named !== undefined) return { queue: named }
    if (isThere('root.default', false)) return { queue: 'root.default' }
    return isThere(user, true) ? { queue: user } : undefined
  }

  /** The quotas, including queues that were made since the last call. */
  #parts(): Quotas {
    const { changes } = this.#tree
    if (changes !== this.#parted) this.#quotas.compute()
    this.#parted = changes
    return this.#quotas
  }

  #tooMany(leaf: Queue, user: string): string | undefined {
    const { count } = this.#pots
    const { part } = this.#parts()
    const largest = Math.max(...Array.from({ length: count }, (_, pot) => part[leaf.id * count + pot] as number))
    const isLimited = leaf.isDeclared || (largest > 0 && !this.#tree.isOpen) // Hadoop makes no queue without a part
    const { maximumApplications: ofAll, defaults } = this.#options
    const most = leaf.maximumApplications ?? (isLimited ? wholePart(Math.min(ofAll, defaults.maximumApplications ?? ofAll), largest) : Infinity)
    const held = this.#inQueue[leaf.id] ?? 0
    if (held >= most) return `queue ${leaf.path} holds ${held} of ${most} applications`
    const ofUser = this.#ofUser.get(`${leaf.id} ${user}`) ?? 0
    const { userLimitPercent, userLimitFactor } = leaf
    const mostOfUser = userLimitFactor === Infinity ? most : Math.min(most, wholePart(most, userLimitPercent / 100, userLimitFactor))
    if (ofUser < mostOfUser) return undefined
    const ofThose = mostOfUser === most ? '' : ` (${userLimitPercent}% of ${most}${userLimitFactor === 1 ? '' : ` x ${userLimitFactor}`})`
    return `user ${user} has ${ofUser} of ${mostOfUser} applications in queue ${leaf.path}${ofThose}`
  }

  /**
   * Why a task, or tasks that start together, could never start; `lowest`: the lowest queue that exists already, the leaf or the one that it would
   * be made in.
   */
  #tooLarge(leaf: Queue, lowest: number, { stages }: JobSpec): string | undefined {
    for (const stage of stages) {
      const { demand, constraints } = stage
      for (const [name, most] of Object.entries(leaf.maximumAllocation))
        if ((ownValue(demand, name) ?? 0) > most) return `a task asks ${demand[name]} of ${name}, more than the maximum allocation of ${most} in queue ${leaf.path}`
      const together = leastTasks(stage)
      const partition = this.#partitionOf(constraints, leaf)
      for (const { id, path, isDeclared } of this.#tree.chain(lowest)) {
        const over = isDeclared ? this.#overCap(id, demand, together, partition) : undefined // a queue that is not declared may have all that its parent may
        if (over !== undefined)
          return `${together > 1 ? `${together} tasks at once ask` : 'a task asks'} ${over}, the maximum of queue ${path}${partition === 0 ? '' : ` in partition ${this.#pots.partitions[partition]}`}`
      }
    }
    return undefined
  }

  /** The partition that the tasks of a stage will be in: that of their leaf, or one that they require. */
  #partitionOf(constraints: Constraints | undefined, leaf: Queue): number {
    const { partitions } = this.#pots
    if (partitions.length === 1) return 0
    const key = JSON.stringify(constraints ?? {})
    const allowed = this.#partitions.get(key) ?? this.#pots.partitionsWith((node) => this.#cluster.keepsOff(constraints, node) === undefined)
    this.#partitions.set(key, allowed)
    return choosePartition(allowed, Math.max(0, partitions.indexOf(leaf.defaultLabel)))
  }

  /**
   * Which amount exceeds the maximum of a queue in a partition, in words; `undefined` if none does, or, from the default partition, if none does in
   * a partition that is lent.
   */
  #overCap(queue: number, demand: Readonly<Record<string, number>>, together: number, partition: number): string | undefined {
    const { exclusiveLabels } = this.#options
    let found: string | undefined
    for (let pot = 0; pot < this.#pots.count; pot++) {
      const at = this.#pots.partitionOf(pot)
      const isLent = partition === 0 && exclusiveLabels !== '*' && !exclusiveLabels.includes(this.#pots.partitions[at] as string)
      if (at !== partition && !isLent) continue
      const over = this.#overIn(queue, pot, demand, together)
      if (over === undefined) return undefined
      found ??= over === '' ? undefined : over
    }
    return found
  }

  /** Which amount exceeds the maximum of a queue in a pot, in words; '' for a pot of another lane, `undefined` for none. */
  #overIn(queue: number, pot: number, demand: Readonly<Record<string, number>>, together: number): string | undefined {
    const lane = this.#pots.laneOf(pot)
    const isHere = this.#cluster.lanes[lane]?.resources.some((r) => (ownValue(demand, this.#name(r)) ?? 0) > 0) === true
    if (!isHere) return ''
    const counted = this.#pots.counted[lane] ?? []
    let isNothing = true
    for (const [i, r] of counted.entries()) {
      const asked = together * (ownValue(demand, this.#name(r)) ?? 0)
      const at = (queue * this.#pots.count + pot) * this.#pots.width + i
      const most = this.#quotas.most[at] as number
      if (asked > most) return `${asked} of ${this.#name(r)}, more than ${most}`
      if (most > 0) isNothing = false
    }
    // a queue at a maximum of 0 is passed over, whatever the job asks for
    return isNothing ? `for room where there is 0 ${counted.map((r) => this.#name(r)).join(' and 0 ')}` : undefined
  }

  #name(resource: ResourceId): string {
    return this.#cluster.resources[resource] ?? ''
  }
}

/** The parts of a number of applications, one of the other, rounded down. In 32 bits, as in Hadoop, where 29 percent of 100 are 29. */
const wholePart = (applications: number, ...parts: readonly number[]): number =>
  Math.floor(parts.reduce((amount, part) => Math.fround(amount * Math.fround(part)), applications))
