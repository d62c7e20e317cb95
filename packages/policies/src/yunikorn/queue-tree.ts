import { askedTogether, SchedError, whatStarts, type ClusterView, type ResourceId, type StageSpec } from '@sched/core'
import { NamedQueues } from '../yarn/named-queues.js'
import { sparse, type Sparse } from './amounts.js'
import { yunikornOptions, type QueueSettings } from './options.js'

/** A maximum of a queue: the most of a resource that it may have, with all queues inside it. */
interface Bound {
  readonly queue: number
  readonly resource: ResourceId
  readonly most: number
}

/** A queue of the tree; ids are dense, queue 0 is the root. */
export interface Queue {
  readonly id: number
  /** Full path, for example `root.ads.batch`. */
  readonly path: string
  /** -1 for the root. */
  readonly parent: number
  /** Ids of the queues around it and its own: the root first, this one last. */
  readonly around: readonly number[]
  readonly isLeaf: boolean
  readonly guaranteed: Sparse
  readonly max: Sparse
  /** Maxima of resources of these queues, those of the root first; and the queues among them with a maximum of running jobs. */
  readonly bounded: readonly Bound[]
  readonly capped: readonly number[]
  readonly settings: QueueSettings
  readonly template: QueueSettings['template']
}

/**
 * The queues of YuniKorn: named in the options, or made at first use; a leaf that is made gets the template of the nearest queue around it that has one.
 *
 * Source: YuniKorn, queue.go (NewConfiguredQueue, NewDynamicQueue, applyTemplate).
 */
export class QueueTree extends NamedQueues<Queue, QueueSettings> {
  /** Whether any queue has a maximum of a resource or of running jobs. */
  areLimits = false
  readonly #cluster: ClusterView
  readonly #plain = yunikornOptions.parse({}).root

  constructor(root: QueueSettings, cluster: ClusterView) {
    super()
    this.#cluster = cluster
    if (Object.keys(root.guaranteed).length + Object.keys(root.max).length > 0)
      throw new SchedError('BAD_OPTION', 'the root queue has what all nodes have.', { field: 'root' }, 'Give `guaranteed` and `max` to the queues inside it.')
    this.declare('root', root, undefined, 'root')
  }

  /** Why a task of a stage, or tasks that start together, can never run in a queue; `undefined` if no maximum forbids it. */
  tooLarge(stages: readonly StageSpec[], { around }: Queue): string | undefined {
    for (const id of around) {
      const { path, max } = this.queues[id] as Queue
      for (const [r, name] of this.#cluster.resources.entries()) {
        const asked = askedTogether(stages, name)
        if (asked > (max[r] as number)) return `${whatStarts(stages)} asks ${asked} ${name}, and the max of queue "${path}" is ${max[r] ?? 0} ${name}`
      }
    }
    return undefined
  }

  protected holdsQueues({ isLeaf }: Queue): boolean {
    return !isLeaf
  }

  protected saysParent({ parent }: QueueSettings): boolean {
    return parent
  }

  protected settingsIn({ template }: Queue, holdsQueues: boolean): QueueSettings {
    return holdsQueues ? this.#plain : { ...this.#plain, ...template }
  }

  protected made(path: string, settings: QueueSettings, parent: Queue | undefined, holdsQueues: boolean, field: string): Queue {
    const id = this.queues.length
    const max = sparse(settings.max, this.#cluster, `${field}.max`)
    if (settings.template !== undefined) this.#checkTemplate(settings.template, `${field}.template`)
    const own = [...max].flatMap((most, r) => (most < Infinity ? [{ queue: id, resource: r as ResourceId, most }] : []))
    this.areLimits ||= own.length > 0 || settings.maxApplications > 0
    return {
      id,
      path,
      parent: parent?.id ?? -1,
      around: [...(parent?.around ?? []), id],
      isLeaf: !holdsQueues,
      settings,
      template: settings.template ?? parent?.template,
      guaranteed: sparse(settings.guaranteed, this.#cluster, `${field}.guaranteed`),
      max,
      bounded: [...(parent?.bounded ?? []), ...own],
      capped: [...(parent?.capped ?? []), ...(settings.maxApplications > 0 ? [id] : [])],
    }
  }

  /** Throws `BAD_OPTION` for resources that the cluster does not have, before the first queue is made of it. */
  #checkTemplate({ guaranteed, max }: NonNullable<QueueSettings['template']>, field: string): void {
    sparse(guaranteed, this.#cluster, `${field}.guaranteed`)
    sparse(max, this.#cluster, `${field}.max`)
  }

  protected waysInside(): string {
    return 'Name a queue inside it.'
  }

  protected wayToParents(): string {
    return 'Declare that with `parent: true`, or submit to one of them only.'
  }
}
