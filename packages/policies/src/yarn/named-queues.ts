import { SchedError } from '@sched/core'
import { underRoot } from './under-root.js'

/** A queue as it is declared, with those inside it by name. */
interface Declared<D> {
  readonly queues?: Readonly<Record<string, D>> | undefined
}

/** A tree of queues below one root, found by their paths. A queue is declared, or made at first use in one that holds queues. */
export abstract class NamedQueues<Queue extends { readonly path: string }, D extends Declared<D>> {
  /** By id, dense from 0; queue 0 is the root. */
  readonly queues: Queue[] = []
  readonly #byPath = new Map<string, Queue>()

  /** The queue of jobs of a name, with or without `root.`; made if it was not declared. Throws `BAD_INPUT` if it cannot be made or holds queues. */
  leaf(name: string): Queue {
    const path = underRoot(name)
    const known = this.#byPath.get(path)
    if (known === undefined) return this.#make(name, path)
    if (this.holdsQueues(known))
      throw new SchedError('BAD_INPUT', `jobs are submitted to queue "${path}", which holds queues and no jobs`, { field: 'queue' }, this.waysInside(known))
    return known
  }

  /** The declared or made queue of a path, `undefined` where there is none. */
  find(name: string): Queue | undefined {
    return this.#byPath.get(underRoot(name))
  }

  #make(name: string, path: string): Queue {
    const parts = path.split('.')
    let parent = this.queues[0] as Queue
    if (parts.includes('')) throw new SchedError('BAD_INPUT', `queue name "${name}" has an empty part.`, { field: 'queue' }, 'Write a name on both sides of each dot.')
    for (let depth = 2; depth <= parts.length; depth++) {
      const part = parts.slice(0, depth).join('.')
      const known = this.#byPath.get(part)
      if (known === undefined && !this.holdsQueues(parent))
        throw new SchedError('BAD_INPUT', `queue "${path}" would lie in "${parent.path}", which holds jobs itself`, { field: 'queue' }, this.wayToParents())
      const holdsQueues = depth < parts.length
      parent = known ?? this.#add(part, this.settingsIn(parent, holdsQueues), parent, holdsQueues, part)
    }
    return parent
  }

  /** Adds a queue and those inside it, in the order of their names. Throws `BAD_OPTION` for an invalid name. */
  protected declare(path: string, declared: D, parent: Queue | undefined, field: string): void {
    const inside = Object.entries(declared.queues ?? {})
    const queue = this.#add(path, declared, parent, parent === undefined || inside.length > 0 || this.saysParent(declared), field)
    for (const [name, each] of inside.sort(([a], [b]) => (a < b ? -1 : 1))) {
      if (name.includes('.') || name.trim() === '')
        throw new SchedError('BAD_OPTION', `"${name}" is no name of a queue.`, { field: `${field}.queues` }, 'Names have no periods; put queues inside each other.')
      this.declare(`${path}.${name}`, each, queue, `${field}.queues.${name}`)
    }
  }

  #add(path: string, declared: D, parent: Queue | undefined, holdsQueues: boolean, field: string): Queue {
    const queue = this.made(path, declared, parent, holdsQueues, field)
    this.queues.push(queue)
    this.#byPath.set(path, queue)
    return queue
  }

  protected abstract holdsQueues(queue: Queue): boolean
  /** Whether a queue is declared to hold queues although none is inside it yet. */
  protected abstract saysParent(declared: D): boolean
  /** The settings of a queue that is made at first use in `parent`. */
  protected abstract settingsIn(parent: Queue, holdsQueues: boolean): D
  /** Makes a queue with the next id; `field` is the path of its settings in the options. */
  protected abstract made(path: string, declared: D, parent: Queue | undefined, holdsQueues: boolean, field: string): Queue
  /** Advice, for a message, when a job names a queue that holds queues. */
  protected abstract waysInside(queue: Queue): string
  /** Advice, for a message, on how to make a queue hold queues. */
  protected abstract wayToParents(): string
}
