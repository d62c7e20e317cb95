import { askedTogether, SchedError, whatStarts, type ClusterView, type StageSpec } from '@sched/core'
import { underRoot } from '../yarn/under-root.js'
import { sparse, type Sparse } from './amounts.js'
import { yunikornOptions, type QueueSettings } from './options.js'

/** A queue of the tree; ids are dense, queue 0 is the root. */
export interface Queue {
  readonly id: number
  /** Full path, for example `root.ads.batch`. */
  readonly path: string
  /** -1 of the root. */
  readonly parent: number
  /** The root first, this one last. */
  readonly around: readonly number[]
  readonly isLeaf: boolean
  readonly guaranteed: Sparse
  readonly max: Sparse
  readonly settings: QueueSettings
  readonly template: QueueSettings['template']
}

/**
 * The queues of YuniKorn: named, or made at first use, those that hold jobs with the template of the nearest queue around them that has one.
 *
 * Source: YuniKorn, queue.go (NewConfiguredQueue, NewDynamicQueue, applyTemplate).
 */
export class QueueTree {
  readonly queues: Queue[] = []
  readonly #byPath = new Map<string, Queue>()
  readonly #cluster: ClusterView
  readonly #plain = yunikornOptions.parse({}).root

  constructor(root: QueueSettings, cluster: ClusterView) {
    this.#cluster = cluster
    if (Object.keys(root.guaranteed).length + Object.keys(root.max).length > 0)
      throw new SchedError('BAD_OPTION', 'the root queue has what all nodes have.', { field: 'root' }, 'Give `guaranteed` and `max` to the queues inside it.')
    this.#declare('root', root, undefined, 'root')
  }

  /** The queue of a name, with or without `root.`, that holds jobs; made where it is not named. Throws `BAD_INPUT` where it cannot be or holds queues. */
  leaf(name: string): Queue {
    const path = underRoot(name)
    const known = this.#byPath.get(path)
    if (known === undefined) return this.#make(name, path)
    if (!known.isLeaf) throw new SchedError('BAD_INPUT', `jobs are submitted to queue "${path}", which holds queues and no jobs`, { field: 'queue' }, 'Name a queue inside it.')
    return known
  }

  /** Why a task of a stage, or what starts together, can never run in a queue; `undefined` where no maximum forbids it. */
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

  #make(name: string, path: string): Queue {
    const parts = path.split('.')
    if (parts.includes('')) throw new SchedError('BAD_INPUT', `queue name "${name}" has an empty part`, { field: 'queue' })
    let parent = this.queues[0] as Queue
    for (let depth = 2; depth <= parts.length; depth++) {
      const part = parts.slice(0, depth).join('.')
      const known = this.#byPath.get(part)
      if (known === undefined && parent.isLeaf)
        throw new SchedError(
          'BAD_INPUT',
          `queue "${path}" would lie in "${parent.path}", which holds jobs itself`,
          { field: 'queue' },
          'Declare that with `parent: true`, or submit to one of them only.',
        )
      parent = known ?? this.#add(part, depth < parts.length ? this.#plain : { ...this.#plain, ...parent.template }, parent, depth === parts.length, part)
    }
    return parent
  }

  #declare(path: string, settings: QueueSettings, parent: Queue | undefined, field: string): void {
    const inside = Object.entries(settings.queues)
    const queue = this.#add(path, settings, parent, parent !== undefined && inside.length === 0 && !settings.parent, field)
    for (const [name, each] of inside.sort(([a], [b]) => (a < b ? -1 : 1))) {
      if (name.includes('.') || name.trim() === '')
        throw new SchedError(
          'BAD_OPTION',
          `"${name}" is no name of a queue.`,
          { field: `${field}.queues` },
          'Names have no periods; put queues inside each other.',
        )
      this.#declare(`${path}.${name}`, each, queue, `${field}.queues.${name}`)
    }
  }

  #add(path: string, settings: QueueSettings, parent: Queue | undefined, isLeaf: boolean, field: string): Queue {
    const id = this.queues.length
    const queue: Queue = {
      id, path, parent: parent?.id ?? -1, around: [...(parent?.around ?? []), id], isLeaf, settings, template: settings.template ?? parent?.template,
      guaranteed: sparse(settings.guaranteed, this.#cluster, `${field}.guaranteed`), max: sparse(settings.max, this.#cluster, `${field}.max`),
    }
    this.queues.push(queue)
    this.#byPath.set(path, queue)
    return queue
  }
}
