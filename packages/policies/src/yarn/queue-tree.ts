import { resourceNamed, SchedError, ownValue, type ClusterView, type ResourceId } from '@sched/core'
import { NamedQueues } from './named-queues.js'
import type { Amounts, QueueOptions } from './options.js'

type QueuePolicy = 'fair' | 'drf' | 'fifo'

/** A queue of the tree, with inherited settings filled in. Amounts are by `ResourceId`; ids are dense, queue 0 is the root. */
export interface Queue {
  readonly id: number
  /** Full path, for example `root.ads.batch`. */
  readonly path: string
  readonly parent: number
  readonly weight: number
  readonly policy: QueuePolicy
  minResources: readonly number[]
  /** Maximum; `Infinity`: no limit; never below the minimum. */
  maxResources: readonly number[]
  /** The maximum at the start of the run, with all nodes up. */
  readonly mostResources: readonly number[]
  /** By resource: whether the maximum is a percentage of the cluster. */
  readonly areParts: readonly boolean[]
  readonly maxContainer: readonly number[]
  readonly maxRunningJobs: number
  /** Part of the fair share for masters; below 0: no limit. */
  readonly maxAMShare: number
  readonly minTimeout: number
  readonly fairTimeout: number
  readonly fairThreshold: number
  readonly mayLose: boolean
  /** Whether the queue or one around it has a finite maximum. */
  readonly capped: boolean
  /** Whether it holds queues, not jobs. */
  isParent: boolean
  readonly options: QueueOptions
  readonly children: number[]
}

interface Defaults {
  readonly policy?: 'fair' | 'drf' | undefined
  readonly maxResources?: Amounts | undefined
  readonly maxRunningApps?: number | undefined
  readonly maxAMShare?: number | undefined
}

/**
 * The queues of YARN's fair scheduler: declared, or made at first use with the settings of `defaults` and the
 * `maxChildResources` of their parent. Timeouts, thresholds, the largest container and `allowPreemptionFrom` are inherited down the tree.
 * A maximum below the minimum is raised to the minimum.
 *
 * Source: Hadoop 3, FairScheduler.md, "Allocation file format"; FSQueue.getMaxShare.
 * Deviation: `defaults` do not limit the root; in Hadoop the defaults of queues limit it, too.
 */
export class QueueTree extends NamedQueues<Queue, QueueOptions> {
  /** Parent of each queue, -1 for the root; a column, since every decision walks up the tree. */
  readonly parents: number[] = []
  readonly #cluster: ClusterView
  readonly #defaults: Defaults
  readonly #scaled: (() => void)[] = []

  constructor(root: QueueOptions, defaults: Defaults, cluster: ClusterView) {
    super()
    this.#cluster = cluster
    this.#defaults = defaults
    this.#check(defaults.maxResources, 'defaults.maxResources')
    this.declare('root', root, undefined, 'root')
  }

  /** Computes the amounts of percentages anew for the cluster as it is now; returns whether there are any percentages. */
  resize(): boolean {
    for (const scale of this.#scaled) scale()
    return this.#scaled.length > 0
  }

  protected holdsQueues({ isParent }: Queue): boolean {
    return isParent
  }

  protected saysParent({ type }: QueueOptions): boolean {
    return type === 'parent'
  }

  protected settingsIn({ options: { maxChildResources } }: Queue): QueueOptions {
    return maxChildResources === undefined ? {} : { maxResources: maxChildResources }
  }

  protected waysInside({ children }: Queue): string {
    return children.length === 0 ? 'Name a queue inside it.' : `Name one of: ${children.map((child) => (this.queues[child] as Queue).path).join(', ')}.`
  }

  protected wayToParents(): string {
    return 'Declare it with `type: parent`, or submit to one of them only.'
  }

  protected made(path: string, options: QueueOptions, parent: Queue | undefined, isParent: boolean, field: string): Queue {
    const policy = options.policy ?? this.#defaults.policy ?? 'fair'
    checkPolicy(path, policy, parent, isParent, field)
    this.#check(options.maxChildResources, `${field}.maxChildResources`)
    const given = options.maxResources ?? (parent === undefined ? undefined : this.#defaults.maxResources)
    const bounds = () => {
      const minResources = this.#amounts(options.minResources, 0, `${field}.minResources`)
      return { minResources, maxResources: this.#amounts(given, Infinity, `${field}.maxResources`).map((max, r) => Math.max(max, minResources[r] as number)) }
    }
    const { minResources, maxResources } = bounds()
    const queue: Queue = {
      id: this.queues.length,
      path,
      parent: parent?.id ?? -1,
      weight: options.weight ?? 1,
      policy,
      minResources,
      maxResources,
      mostResources: maxResources,
      areParts: this.#cluster.resources.map((name) => typeof ownValue(given, name) === 'string'),
      maxContainer: options.maxContainerAllocation === undefined && parent !== undefined
        ? parent.maxContainer
        : this.#amounts(options.maxContainerAllocation, Infinity, `${field}.maxContainerAllocation`),
      maxRunningJobs: options.maxRunningApps ?? (parent === undefined ? Infinity : (this.#defaults.maxRunningApps ?? Infinity)),
      maxAMShare: options.maxAMShare ?? this.#defaults.maxAMShare ?? 0.5,
      minTimeout: options.minSharePreemptionTimeout ?? parent?.minTimeout ?? Infinity,
      fairTimeout: options.fairSharePreemptionTimeout ?? parent?.fairTimeout ?? Infinity,
      fairThreshold: options.fairSharePreemptionThreshold ?? parent?.fairThreshold ?? 0.5,
      mayLose: (options.allowPreemptionFrom ?? true) && (parent?.mayLose ?? true),
      capped: (parent?.capped ?? false) || maxResources.some((max) => max < Infinity),
      isParent,
      options,
      children: [],
    }
    if (hasPart(options.minResources) || hasPart(given)) this.#scaled.push(() => void Object.assign(queue, bounds()))
    this.parents.push(queue.parent)
    parent?.children.push(queue.id)
    return queue
  }

  /** Throws `BAD_OPTION` for a resource that the cluster does not have. */
  #check(amounts: Amounts | undefined, field: string): void {
    for (const name of Object.keys(amounts ?? {})) resourceNamed(name, this.#cluster.resources, field)
  }

  /** Amounts by resource id, `missing` for resources that are not named; a percentage is of the cluster as it is now. */
  #amounts(amounts: Amounts | undefined, missing: number, field: string): number[] {
    this.#check(amounts, field)
    return this.#cluster.resources.map((name, r) => {
      const amount = ownValue(amounts, name)
      if (typeof amount !== 'string') return amount ?? missing
      return Math.floor((Number.parseFloat(amount) / 100) * this.#cluster.capacity(r as ResourceId))
    })
  }
}

function checkPolicy(path: string, policy: QueuePolicy, parent: Queue | undefined, isParent: boolean, field: string): void {
  if (policy === 'fifo' && isParent && parent !== undefined)
    throw new SchedError('BAD_OPTION', `queue "${path}" has queues inside it and the policy fifo`, { field: `${field}.policy` }, 'fifo is for queues that hold jobs.')
  if (policy === 'drf' && parent?.policy === 'fair')
    throw new SchedError('BAD_OPTION', `queue "${path}" has the policy drf in "${parent.path}", which has fair`, { field: `${field}.policy` }, 'Give the queues around it drf too.')
}

const hasPart = (amounts: Amounts | undefined): boolean => Object.values(amounts ?? {}).some((amount) => typeof amount === 'string')
