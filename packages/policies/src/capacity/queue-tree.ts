import { partitionPoint, SchedError } from '@sched/core'
import { allOrNothing, isSomething, ownCapacity, withCapacity } from './first-come.js'
import { fullPath, lastName, parentPath } from './queue-paths.js'
import type { ReadCapacityOptions, ReadQueueOptions, Templates } from './queue-options.js'
import { TemplatesByPath } from './templates.js'

/** A queue with its settings, own or inherited. Ids are dense, in the order in which queues were made; queue 0 is the root. */
export interface Queue {
  readonly id: number
  readonly path: string
  readonly name: string
  /** -1 for the root. */
  readonly parent: number
  readonly depth: number
  readonly children: number[]
  readonly isDeclared: boolean
  /** Its own options, as configured; capacity and labels are read from here, since they are not inherited. */
  readonly own: ReadQueueOptions
  readonly userLimitPercent: number
  /** `Infinity`: no such limit. */
  readonly userLimitFactor: number
  readonly ordering: 'fifo' | 'priority' | 'fair'
  readonly isSizeBased: boolean
  readonly byPriority: boolean
  readonly priority: number
  readonly maxRunningJobs: number
  readonly maximumAmResourcePercent: number
  /** Absent: its part of the maximum of the system, or of the default maximum of queues if there is one. */
  readonly maximumApplications: number | undefined
  /** Weights of single users; its own take precedence over those of the queues around it. */
  readonly userWeights: ReadonlyMap<string, number>
  readonly maximumAllocation: Readonly<Record<string, number>>
  /** The path of the stopped queue, this one or one around it; absent if none is stopped. */
  readonly stoppedBy: string | undefined
  readonly accessibleLabels: '*' | readonly string[]
  readonly defaultLabel: string
  readonly isPreemptable: boolean
  /** Whether tasks of its jobs may be preempted for other jobs of the same queue. */
  readonly isPreemptableInside: boolean
}

type TreeOptions = Pick<ReadCapacityOptions, 'queues' | 'defaults' | 'templates' | 'legacyQueueMode'>

/** Default limits on the levels of queues that are made below a declared one, and on the number of queues in one: as in Hadoop. */
const USUAL_DEPTH = 2
const USUAL_QUEUES = 1000

/** The options of all queues that are made without a template: one object, by which they are known to be alike. */
const PLAIN: ReadQueueOptions = {}

/** The queues of a capacity scheduler: declared ones, and ones made at first use below queues with `autoCreate`, which may be removed again. */
export class QueueTree {
  /** All queues by id. A removed queue keeps its id, which it gets back when its path is used again. */
  readonly queues: Queue[] = []
  /** How often queues were made, were removed, or got another capacity so far. */
  changes = 0
  /** Whether amounts of a resource, by name, are counted. */
  readonly isCounted: (resource: string) => boolean
  readonly isGone: boolean[] = []
  /**
   * Columns by queue for the loops of a decision: its parent; whether it has queues inside; whether priority counts in its order among its
   * siblings; whether its jobs are in fair order.
   */
  readonly parents: number[] = []
  readonly isInner: boolean[] = []
  readonly isByPriority: boolean[] = []
  readonly isFair: boolean[] = []
  /** The queues in each queue, sorted by path. */
  readonly sorted: number[][] = []
  readonly #byPath = new Map<string, number>()
  /** Leaves by their last name, `null` if several have it: as in Hadoop, a leaf may be named by its short name. */
  readonly #byName = new Map<string, number | null>()
  readonly #gone = new Map<string, number>()
  readonly #defaults: TreeOptions['defaults']
  readonly #templates: TemplatesByPath
  readonly #isLegacy: boolean
  /** Whether no queue is declared; every name then makes a queue. */
  readonly isOpen: boolean
  /** Whether nothing at all is declared, so that the defaults are those of the queues that are made. */
  readonly #isEmpty: boolean

  constructor({ queues, defaults, templates, legacyQueueMode }: TreeOptions, isCounted: (resource: string) => boolean) {
    this.isCounted = isCounted
    this.#isLegacy = legacyQueueMode
    this.#defaults = defaults
    this.#templates = new TemplatesByPath(templates)
    const declared = new Map(Object.entries(queues).map(([key, options]) => [fullPath(key), options]))
    this.isOpen = [...declared.keys()].every((path) => path === 'root')
    this.#isEmpty = declared.size === 0
    this.#add('root', -1, declared.get('root') ?? {}, true)
    // the options contain the parents of all declared queues
    for (const path of [...declared.keys()].sort(byDepth)) if (path !== 'root') this.#add(path, this.#byPath.get(parentPath(path)) as number, declared.get(path) ?? {}, true)
    for (const queue of this.queues) if (queue.id > 0 && this.isLeaf(queue.id)) this.#byName.set(queue.name, this.#byName.has(queue.name) ? null : queue.id)
  }

  queue(id: number): Queue {
    return this.queues[id] as Queue
  }

  /** Whether jobs may be in the queue: it is not the root, holds no queues, and none may be made in it. */
  isLeaf(id: number): boolean {
    return id > 0 && this.isInner[id] === false && this.queue(id).own.autoCreate !== true
  }

  /** The leaf of a path or short name, the path of the leaf that it would make, or, in words, why there is none. Makes nothing. */
  find(written: string): { readonly leaf: number } | { readonly missing: string } | { readonly wouldMake: string } {
    const path = this.#pathOf(written)
    const known = this.#byPath.get(path) ?? this.#byName.get(written)
    if (known === null) return { missing: `queue "${written}" is not unique; give its whole path` }
    if (known !== undefined) return this.isLeaf(known) ? { leaf: known } : { missing: `queue ${path} has queues inside it` }
    if (path.split('.').includes('')) return { missing: `queue name "${written}" has an empty part` }
    const above = this.#lowestAbove(path)
    if (above.children.length === 0 && this.isLeaf(above.id)) return { missing: `queue ${path} would lie in ${above.path}, which holds jobs` }
    const mayMake = above.own.autoCreate ?? (!above.isDeclared || (this.isOpen && above.id === 0))
    const missing = mayMake ? this.#whyNotMade(path, above) : `there is no queue ${path}`
    return missing === undefined ? { wouldMake: path } : { missing }
  }

  /** The leaf of a queue name; it is made if it may be. Throws `BAD_INPUT` where there is none and none may be made. */
  leaf(written: string): number {
    const found = this.find(written)
    if ('leaf' in found) return found.leaf
    if ('missing' in found) throw new SchedError('BAD_INPUT', `${found.missing}.`, { field: 'queue' }, 'Declare it, or map its users elsewhere.')
    const parts = found.wouldMake.split('.')
    for (let depth = 2; depth < parts.length; depth++) this.#make(parts.slice(0, depth).join('.'), false)
    return this.#make(found.wouldMake, true)
  }

  /** The queue of a path, of which the parent exists; it is made if it is not there. */
  #make(path: string, isLeaf: boolean): number {
    const known = this.#byPath.get(path)
    if (known !== undefined) return known
    const id = this.#add(path, this.#byPath.get(parentPath(path)) as number, isLeaf ? this.#leafIn(path) : (this.#madeIn(parentPath(path)).parentTemplate ?? {}), false)
    const { name } = this.queue(id)
    if (isLeaf) this.#byName.set(name, this.#byName.has(name) ? null : id)
    else this.isInner[id] = true
    return id
  }

  /** The queues that were made at first use and are there: those around others before them, and siblings in the order in which they were made. */
  made(around = 0): Queue[] {
    return this.queue(around).children.map((id) => this.queue(id)).flatMap((queue) => [...(queue.isDeclared ? [] : [queue]), ...this.made(queue.id)])
  }

  /** Makes those of these queues that are not there, as far as they may be, and puts siblings in this order, which is that of `made`. Returns the ids by path. */
  restore(queues: readonly { readonly path: string; readonly isInner: boolean }[]): ReadonlyMap<string, number> {
    const may = ({ path }: { readonly path: string }) => this.#byPath.has(path) || 'wouldMake' in this.find(path)
    const ids = new Map<string, number>()
    for (const queue of queues) if (may(queue)) ids.set(queue.path, this.#make(queue.path, !queue.isInner))
    const place = new Map([...ids.values()].map((id, i) => [id, i]))
    for (const { children } of this.queues) children.sort((a, b) => (place.get(a) ?? -1) - (place.get(b) ?? -1)) // declared ones stay the first
    this.changes++
    return ids
  }

  /** The queues that were removed and have not been made again. */
  gone(): Iterable<number> {
    return this.#gone.values()
  }

  /** Takes a queue that was made at first use, and is empty, out of the tree. */
  remove(id: number): void {
    const { path, name, parent } = this.queue(id)
    const siblings = this.queue(parent).children
    siblings.splice(siblings.indexOf(id), 1)
    const sorted = this.sorted[parent] as number[]
    sorted.splice(sorted.indexOf(id), 1)
    this.isGone[id] = true
    this.#byPath.delete(path)
    this.#gone.set(path, id)
    this.changes++
    if (this.isInner[id] === true) return
    const others = this.queues.filter((queue) => queue.name === name && this.isGone[queue.id] === false && this.isLeaf(queue.id))
    if (others.length === 0) this.#byName.delete(name)
    else this.#byName.set(name, others.length > 1 ? null : (others[0] as Queue).id)
  }

  /** The options that its template gives a leaf that was made at first use. */
  templateOf(id: number): ReadQueueOptions {
    return this.#madeIn(parentPath(this.queue(id).path)).template ?? {}
  }

  /** Gives a queue other capacities. */
  change(id: number, own: ReadQueueOptions): void {
    this.queues[id] = { ...this.queue(id), own }
    this.changes++
  }

  /** The leaf that would be made for a full path, with the lowest existing queue around it as its parent. Makes nothing. */
  preview(path: string): Queue {
    return this.#read(path, this.#lowestAbove(path).id, this.#leafIn(path), false)
  }

  /** A queue and those above it, innermost first; the root last. */
  *chain(id: number): Generator<Queue> {
    for (let at = id; at >= 0; at = this.queue(at).parent) yield this.queue(at)
  }

  /**
   * The full path of a written one. As in Hadoop, a path may begin with the short name of a parent: `b.c`, where b is the only queue of that name,
   * wherever it lies.
   */
  #pathOf(written: string): string {
    const path = fullPath(written)
    const parent = parentPath(path)
    if (this.#byPath.has(parent) || this.#byName.has(written) || !written.includes('.')) return path
    const [around, ...others] = this.queues.filter((queue) => queue.isDeclared && queue.path.endsWith(parent.slice('root'.length)))
    return around === undefined || others.length > 0 ? path : `${around.path}.${lastName(path)}`
  }

  /**
   * Why a queue may not be made below a queue with `autoCreate`: it is too deep below a declared queue, there are too many, it would have a weight
   * beside other kinds in the legacy mode, or no capacity is left.
   */
  #whyNotMade(path: string, above: Queue): string | undefined {
    const declared = [...this.chain(above.id)].find(({ isDeclared }) => isDeclared) as Queue
    const levels = path.split('.').length - 1 - declared.depth
    const deepest = this.#depthBelow(declared)
    if (levels > deepest) return `queue ${path} would be ${levels} levels below ${declared.path}, in which queues are made ${deepest} deep`
    const { maximumQueues = this.isOpen ? -1 : USUAL_QUEUES } = above.own
    const { length } = above.children
    if (maximumQueues >= 0 && length >= maximumQueues) return `queue ${above.path} holds ${length} of ${maximumQueues} queues`
    const odd = this.#besideWeight(path, above)
    if (odd !== undefined) return `a queue made in ${above.path} would have a weight, and ${odd.path} has none`
    const isLeft = above.own.failOnExceedingCapacity !== true || !isSomething(above.own.template?.capacity) || isSomething(this.#leafIn(path).capacity)
    return isLeft ? undefined : `queue ${above.path} has no capacity left for queue ${path}`
  }

  /**
   * A declared queue with a percentage or amounts beside which one with a weight would be made; in the legacy mode
   * that may not be (AbstractParentQueue.addDynamicChildQueue).
   */
  #besideWeight(path: string, above: Queue): Queue | undefined {
    if (!this.#isLegacy) return undefined
    const { template, parentTemplate } = this.#madeIn(above.path)
    const { capacity } = (parentPath(path) === above.path ? template : parentTemplate) ?? {}
    if (capacity !== undefined && typeof capacity !== 'string') return undefined
    const hasParts = ({ own }: Queue) => ['', ...Object.keys(own.labels ?? {})].some((label) => isSomething(ownCapacity(own, label)))
    for (const id of above.children) {
      const child = this.queue(id)
      if (!child.isDeclared) return undefined // declared ones are the first, and there may be thousands of others
      if (hasParts(child)) return child
    }
    return undefined
  }

  #depthBelow({ own }: Pick<Queue, 'own'>): number {
    return own.maximumQueueDepth ?? this.#defaults.maximumQueueDepth ?? (this.isOpen ? Infinity : USUAL_DEPTH)
  }

  /** The templates of the queues that are made in a queue, by its full path. */
  #madeIn(path: string): Templates {
    const id = this.#byPath.get(path)
    const own = id === undefined ? {} : this.queue(id).own
    return own.template === undefined && own.parentTemplate === undefined ? this.#templates.of(path, this.#depthBelow({ own })) : own
  }

  /** Options of a leaf made at first use. In the legacy mode its percentage or amounts become 0 where its siblings leave less than that. */
  #leafIn(path: string): ReadQueueOptions {
    const template = this.#madeIn(parentPath(path)).template ?? PLAIN
    const parent = this.#byPath.get(parentPath(path))
    if (!this.#isLegacy || parent === undefined) return template
    const { own, children } = this.queue(parent)
    const inLabel = (made: ReadQueueOptions, label: string) => {
      const capacity = ownCapacity(template, label)
      if (!isSomething(capacity)) return made
      return withCapacity(made, label, allOrNothing(capacity, children.map((id) => ownCapacity(this.queue(id).own, label)), ownCapacity(own, label), this.isCounted))
    }
    return ['', ...Object.keys(template.labels ?? {})].reduce<ReadQueueOptions>(inLabel, template)
  }

  #lowestAbove(path: string): Queue {
    for (let above = parentPath(path); above !== ''; above = parentPath(above)) {
      const id = this.#byPath.get(above)
      if (id !== undefined) return this.queue(id)
      if (!above.includes('.')) break
    }
    return this.queue(0)
  }

  #read(path: string, parent: number, own: ReadQueueOptions, isDeclared: boolean, id = this.queues.length): Queue {
    const above = parent < 0 ? undefined : this.queue(parent)
    const with_ = { ...this.#defaults, ...own }
    const accessibleLabels = own.accessibleLabels ?? above?.accessibleLabels ?? '*'
    // a queue made at first use has neither of these two limits in Hadoop, unless its template has them
    const isUsual = isDeclared || this.#isEmpty
    const { userLimitFactor: factor = isDeclared ? 1 : -1, maximumAmResourcePercent = isUsual ? 0.1 : 1 } = isUsual ? with_ : own
    return {
      id,
      path,
      name: lastName(path),
      parent,
      depth: above === undefined ? 0 : above.depth + 1,
      children: [],
      isDeclared,
      own,
      userLimitPercent: with_.minimumUserLimitPercent ?? 100,
      userLimitFactor: factor === -1 ? Infinity : factor,
      ordering: with_.ordering ?? 'fifo',
      isSizeBased: with_.sizeBasedWeight ?? false,
      byPriority: own.queueOrdering === undefined && above !== undefined ? above.byPriority : with_.queueOrdering === 'priority-utilization',
      priority: own.priority ?? 0,
      maxRunningJobs: with_.maxParallelApps ?? Infinity,
      maximumAmResourcePercent,
      maximumApplications: own.maximumApplications ?? (typeof own.capacity === 'object' ? undefined : this.#defaults.maximumApplications),
      userWeights: new Map([...(above?.userWeights ?? []), ...Object.entries(own.userWeights ?? {})]),
      maximumAllocation: { ...(above?.maximumAllocation ?? this.#defaults.maximumAllocation), ...own.maximumAllocation },
      stoppedBy: own.state === 'STOPPED' ? path : above?.stoppedBy,
      accessibleLabels,
      defaultLabel: own.defaultLabelExpression ?? (above !== undefined && hasAll(accessibleLabels, above.accessibleLabels) ? above.defaultLabel : ''),
      isPreemptable: !(own.disablePreemption ?? (above === undefined ? false : !above.isPreemptable)),
      isPreemptableInside: !(own.disableIntraQueuePreemption ?? (above === undefined ? false : !above.isPreemptableInside)),
    }
  }

  #add(path: string, parent: number, own: ReadQueueOptions, isDeclared: boolean): number {
    const above = parent < 0 ? undefined : this.queue(parent)
    const id = this.#gone.get(path) ?? this.queues.length
    const queue = this.#read(path, parent, own, isDeclared, id)
    this.#gone.delete(path)
    this.queues[id] = queue
    this.isGone[id] = false
    this.parents[id] = parent
    this.isInner[id] = false
    this.isByPriority[id] = above?.byPriority ?? false
    this.isFair[id] = queue.ordering === 'fair'
    if (parent >= 0) this.isInner[parent] = true
    this.#byPath.set(path, id)
    this.sorted[id] = []
    above?.children.push(id)
    if (above !== undefined) this.#insert(id, this.sorted[parent] as number[])
    this.changes++
    return id
  }

  #insert(id: number, siblings: number[]): void {
    const { path } = this.queue(id)
    siblings.splice(partitionPoint(0, siblings.length, (i) => this.queue(siblings[i] as number).path < path), 0, id)
  }
}

type Labels = Queue['accessibleLabels']
const hasAll = (labels: Labels, others: Labels) => labels === '*' || (others !== '*' && others.every((label) => labels.includes(label)))

const byDepth = (a: string, b: string) => a.split('.').length - b.split('.').length || (a < b ? -1 : 1)
