import type { Constraints, Demand, DisruptionBudget, Seconds } from '@sched/core'
import type { Fields } from '../json/fields.js'
import type { LeastPods } from './least-pods.js'
import type { PodRule } from './placement-rules.js'
import type { Preemptible } from './preemptibility.js'
import type { AskedLevels, Subgroups } from './topology.js'

/** A pod, or pods that ask for the same. `start` is `Infinity` while it waits; `seconds` is how long it ran, or will run. */
export interface Task {
  readonly start: Seconds
  readonly seconds: Seconds
  readonly demand: Demand
  readonly constraints: Constraints | undefined
  /** Labels, by which rules of other pods select it. */
  readonly tags: Readonly<Record<string, string>>
  /** Its own placement rules. */
  readonly rules: readonly PodRule[]
  /** Its kind in a group of several kinds of pods. */
  readonly kind?: string | undefined
  /** Whether it may be preempted, if it says so. */
  readonly preemptible?: Preemptible | undefined
  /** Whether it may be moved elsewhere to make room, if it says so. */
  readonly movable?: boolean | undefined
  /** False if its node must not be removed for it to run elsewhere. */
  readonly drainable?: boolean | undefined
  /** Seconds for which it runs on after it was told to go, if it says so. */
  readonly gracePeriod?: Seconds | undefined
  /** Which groups of nodes it should share with the other pods of its stage. */
  readonly levels?: AskedLevels | undefined
  /** Whether the pod failed; its Job may have started another for it. */
  readonly hasFailed?: boolean
  /** Whether it waits behind scheduling gates. */
  readonly isGated?: boolean
}
/** A number of pods that are not listed. */
export interface Template extends Task {
  readonly tasks: number
}

/** What owns pods and becomes a job. What several objects tell about it is taken from the first that does. */
export interface Owner {
  readonly id: string
  readonly namespace: string
  line: number
  created: Seconds
  queue?: string | undefined
  /** Priority as a number; it counts before `priorityClass`. */
  priority?: number | undefined
  priorityClass?: string | undefined
  /** Priority of the whole in Kueue, and the class of its pod group, job of Volcano or Workload; these count before the priorities of its pods. */
  wholePriority?: number | undefined
  wholeClass?: string | undefined
  /** Labels of its Workload, or else of its Job. */
  labels?: Fields | undefined
  /** Whether it names a queue of Kueue. */
  isOfKueue?: boolean | undefined
  deadline?: Seconds | undefined
  /** Whether it may be preempted, if it says so; counts before what its pods say. */
  preemptible?: Preemptible | undefined
  /** Whether its pods may be moved elsewhere to make room, if it says so; counts before what they say. */
  movable?: boolean | undefined
  /** How many of its tasks may be taken at a time, if it says so. */
  budget?: DisruptionBudget | undefined
  /** The longest time that it should wait to be let in, if it says so. */
  longestWait?: Seconds | undefined
  /** Which groups of nodes all its pods together should share. */
  levels?: AskedLevels | undefined
  /** The subgroups of its pods, if it has some. */
  subgroups?: Subgroups | undefined
  isGang: boolean
  /** Whether one of its pods has not ended. */
  isGoing: boolean
  /** The fewest of its pods that start together, if it says so. */
  least?: LeastPods | undefined
  /** Key of its pod group, which may say so. */
  group?: string | undefined
  /** Number of pods of its Job, if known; more pods than that are further attempts. */
  size?: number | undefined
  /** Whether it failed as a whole, or one of its pods did. */
  hasFailed: boolean
  /** Whether it is complete nevertheless. */
  isComplete?: boolean
  /** Its pods by its Job, if none is listed. */
  templates: Template[]
  /** Its pods by its Workload of Kueue, if none is listed and its Job does not tell them. */
  workload: Template[]
  readonly pods: Task[]
}

/** What any other object tells about the pods that it controls. */
export interface Header {
  readonly created: Seconds
  readonly queue: string | undefined
  readonly isGang: boolean
  readonly isOfKueue: boolean
  readonly least: LeastPods | undefined
  readonly priorityClass: string | undefined
  readonly preemptible: Preemptible | undefined
  readonly movable: boolean | undefined
  readonly budget: DisruptionBudget | undefined
  readonly longestWait: Seconds | undefined
  readonly levels: AskedLevels | undefined
  readonly subgroups?: Subgroups | undefined
}

/** Controllers whose Jobs, sets of Jobs or clusters are parts of one job. */
const WHOLES = ['JobSet', 'MPIJob', 'TrainJob', 'RayJob', 'AppWrapper']

/** Levels of objects that may be part of each other. */
const MOST_LEVELS = 10

/** Key of an object. */
export const keyOf = (namespace: string, kind: string, name: string): string => `${namespace}/${kind}/${name}`

/** The object that controls another; without a controller, the first that owns it. */
export const controllerOf = (metadata: Fields): Fields | undefined =>
  metadata.list('ownerReferences').find((each) => each.value('controller') === true) ?? metadata.list('ownerReferences')[0]

/** Jobs by the owners of their pods, with the objects around them. */
export class Owners {
  readonly #all = new Map<string, Owner>()
  readonly #headers = new Map<string, Header>()
  /** By key of a part: key of the whole. */
  readonly #wholes = new Map<string, string>()
  /** By key of an owner: key of the application that its pods name. */
  readonly #applications = new Map<string, string>()

  get(key: string, make: () => Owner): Owner {
    const known = this.#all.get(key)
    if (known !== undefined) return known
    const made = make()
    this.#all.set(key, made)
    return made
  }

  describe(key: string, header: Header): void {
    this.#headers.set(key, header)
  }

  /** Notes that an object is a part of the JobSet that it names, or otherwise of its controller, if that is of a kind in `WHOLES`. */
  addPart(key: string, namespace: string, controller: Fields | undefined, jobSet: string | undefined): void {
    const [kind, name] = jobSet !== undefined ? ['JobSet', jobSet] : [controller?.text('kind'), controller?.text('name')]
    if (kind !== undefined && name !== undefined && WHOLES.includes(kind)) this.#wholes.set(key, keyOf(namespace, kind, name))
  }

  /** Notes that the pods of an owner belong to an application; everything that the owner is part of then belongs to it. */
  addToApplication(key: string, namespace: string, name: string): void {
    this.#applications.set(key, keyOf(namespace, 'Application', name))
  }

  /** The jobs, with parts joined, and the number of described objects that belong to none. */
  jobs(): { readonly owners: readonly Owner[]; readonly strangers: number } {
    this.#joinApplications()
    const joined = this.#joined()
    for (const [key, owner] of joined) complete(owner, this.#headers.get(key), this.#headers.get(owner.group ?? ''))
    return { owners: [...joined.values()], strangers: this.#strangers() }
  }

  /** Makes each application the whole of everything that its owners are part of. */
  #joinApplications(): void {
    for (const [key, application] of this.#applications) {
      const whole = this.#wholeOf(key)
      if (whole !== application) this.#wholes.set(whole, application)
    }
  }

  /** The jobs by key: each whole with the tasks of all its parts. */
  #joined(): Map<string, Owner> {
    const joined = new Map<string, Owner>()
    for (const [key, owner] of this.#all) {
      const whole = this.#wholeOf(key)
      const into = joined.get(whole)
      if (owner.size !== undefined && owner.pods.length > owner.size) owner.pods.splice(0, Infinity, ...withRetries(owner.pods, owner.size))
      const tasks = owner.pods.length > 0 ? owner.pods : owner.templates.flatMap(({ tasks: count, ...task }) => Array.from({ length: count }, () => task))
      if (into === undefined) joined.set(whole, key === whole ? owner : { ...owner, id: idOf(whole), least: undefined, templates: [], pods: [...tasks] })
      else join(into, key === whole ? owner.pods : tasks, owner)
    }
    return joined
  }

  /** Number of described objects that control no pods, neither directly nor as a whole or a pod group. */
  #strangers(): number {
    const used = new Set<string>()
    for (const [key, { group }] of this.#all) {
      if (group !== undefined) used.add(group)
      for (const each of this.#upwards(key)) used.add(each)
    }
    return [...this.#headers.keys()].filter((key) => !used.has(key)).length
  }

  /** The key of the outermost object that an object is part of. */
  #wholeOf(key: string): string {
    let whole = key
    for (const each of this.#upwards(key)) whole = each
    return whole
  }

  /** The key of an object, and of what it is part of, from the inside out; not endless if these are part of each other. */
  *#upwards(key: string): Generator<string> {
    let at: string | undefined = key
    for (let level = 0; at !== undefined && level <= MOST_LEVELS; at = this.#wholes.get(at), level++) yield at
  }
}

/** Adds what the object that controls the pods of a job, and their pod group, tell about it. */
function complete(owner: Owner, header: Header | undefined, group: Header | undefined): void {
  owner.least = header?.least ?? group?.least ?? owner.least
  owner.wholeClass ??= header?.priorityClass ?? group?.priorityClass
  owner.queue ??= header?.queue ?? group?.queue
  owner.preemptible = group?.preemptible ?? header?.preemptible ?? owner.preemptible
  owner.movable = group?.movable ?? header?.movable ?? owner.movable
  owner.budget = group?.budget ?? header?.budget ?? owner.budget
  owner.longestWait = group?.longestWait ?? header?.longestWait ?? owner.longestWait
  owner.levels = group?.levels ?? header?.levels ?? owner.levels
  owner.subgroups = header?.subgroups ?? group?.subgroups
  if (header === undefined) return
  owner.created = Math.min(owner.created, header.created)
  owner.isGang ||= header.isGang
  owner.isOfKueue ||= header.isOfKueue
}

/**
 * Joins failed pods with the pods that were started in their place to one task, which runs as long as all of them, while there are more than `size`
 * pods.
 *
 * Source: Kubernetes, Job (`backoffLimit`).
 */
function withRetries(pods: readonly Task[], size: number): Task[] {
  const tasks: Task[] = []
  let over = pods.length - size
  for (const pod of [...pods].sort((a, b) => a.start - b.start || 0)) {
    const before = over > 0 && pod.start < Infinity ? tasks.findIndex((each) => each.hasFailed === true && each.start + each.seconds <= pod.start && isAlike(each, pod)) : -1
    const failed = tasks[before]
    if (failed === undefined) tasks.push(pod)
    else {
      tasks[before] = { ...pod, start: failed.start, seconds: failed.seconds + pod.seconds }
      over--
    }
  }
  return tasks
}

const isAlike = (a: Task, b: Task): boolean => JSON.stringify([a.demand, a.constraints, a.rules, a.kind]) === JSON.stringify([b.demand, b.constraints, b.rules, b.kind])

/** `namespace/name` of a key. */
const idOf = (key: string): string => key.replace(/\/[^/]+\//, '/')

function join(into: Owner, tasks: readonly Task[], { created, queue, priority, priorityClass, wholePriority, wholeClass, deadline, preemptible, movable, budget, longestWait, levels, subgroups, isGang, isOfKueue, isGoing, group, hasFailed, isComplete, templates, workload }: Owner): void {
  into.pods.push(...tasks)
  into.created = Math.min(into.created, created)
  into.queue ??= queue
  into.priority ??= priority
  into.priorityClass ??= priorityClass
  into.wholePriority ??= wholePriority
  into.wholeClass ??= wholeClass
  into.deadline ??= deadline
  into.preemptible ??= preemptible
  into.movable ??= movable
  into.budget ??= budget
  into.longestWait ??= longestWait
  into.levels ??= levels
  into.subgroups ??= subgroups
  into.isGang ||= isGang
  into.isOfKueue ||= isOfKueue
  into.isGoing ||= isGoing
  into.group ??= group
  into.hasFailed ||= hasFailed && isComplete !== true
  if (into.templates.length === 0 && into.pods.length === 0) into.templates = templates
  if (into.workload.length === 0) into.workload = workload
}
