import type { Constraints, Demand, Seconds } from '@sched/core'
import type { Fields } from '../json/fields.js'
import type { LeastPods } from './least-pods.js'
import type { PodRule } from './placement-rules.js'
import type { AskedLevels } from './topology.js'

/** Pods that ask alike, when they started, `Infinity` where they wait still, and how long they ran or are to run. */
export interface Task {
  readonly start: Seconds
  readonly seconds: Seconds
  readonly demand: Demand
  readonly constraints: Constraints | undefined
  /** Its labels, by which rules of others select it, and rules of its own. */
  readonly tags: Readonly<Record<string, string>>
  readonly rules: readonly PodRule[]
  /** Its kind in a group of pods of several. */
  readonly kind?: string | undefined
  /** Whether it may be preempted, where it says so. */
  readonly preemptible?: boolean | undefined
  /** Which groups of nodes it and the others of its stage should share. */
  readonly levels?: AskedLevels | undefined
  /** Whether it was a pod that failed, for which its Job may have started another. */
  readonly hasFailed?: boolean
  /** Whether it waits behind scheduling gates. */
  readonly isGated?: boolean
}
/** So many of them, of which no pod is listed. */
export interface Template extends Task {
  readonly tasks: number
}

/** Who has pods: what is told of a job by the first that tells it. */
export interface Owner {
  readonly id: string
  readonly namespace: string
  line: number
  created: Seconds
  queue?: string | undefined
  /** As a number, and by its class, which counts where there is none. */
  priority?: number | undefined
  priorityClass?: string | undefined
  /** What Kueue says of all of it, and the class of its pod group, job of Volcano or Workload: these count before what its pods have. */
  wholePriority?: number | undefined
  wholeClass?: string | undefined
  deadline?: Seconds | undefined
  /** Whether it may be preempted, where it says so, whatever its pods do. */
  preemptible?: boolean | undefined
  /** Which groups of nodes its pods should share, all together. */
  levels?: AskedLevels | undefined
  isGang: boolean
  /** Whether a pod of it has not ended. */
  isGoing: boolean
  /** The fewest of its pods that start together, where it says so, and the key of the pod group that may. */
  least?: LeastPods | undefined
  group?: string | undefined
  /** How many pods its Job has, where it says so: others are further attempts of those. */
  size?: number | undefined
  /** Whether a pod of it failed, or it as a whole, and whether it is complete even so. */
  hasFailed: boolean
  isComplete?: boolean
  /** What would be its tasks if no pod of it is listed: of a Job, and of its Workload of Kueue. */
  templates: Template[]
  workload: Template[]
  readonly pods: Task[]
}

/** What any other object tells of the pods that it controls. */
export interface Header {
  readonly created: Seconds
  readonly queue: string | undefined
  readonly isGang: boolean
  readonly least: LeastPods | undefined
  readonly priorityClass: string | undefined
  readonly preemptible: boolean | undefined
  readonly levels: AskedLevels | undefined
}

/** Controllers whose Jobs, sets of them, or clusters are parts of one job. */
const WHOLES = ['JobSet', 'MPIJob', 'TrainJob', 'RayJob', 'AppWrapper']

export const keyOf = (namespace: string, kind: string, name: string): string => `${namespace}/${kind}/${name}`

/** The object that controls another, or the first that it belongs to. */
export const controllerOf = (metadata: Fields): Fields | undefined =>
  metadata.list('ownerReferences').find((each) => each.value('controller') === true) ?? metadata.list('ownerReferences')[0]

/** Jobs by who has their pods, with what is around these. */
export class Owners {
  readonly #all = new Map<string, Owner>()
  readonly #headers = new Map<string, Header>()
  /** Of parts, by key, the key of the whole. */
  readonly #wholes = new Map<string, string>()
  /** By key, the application that pods of it say they are of. */
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

  /** What is controlled by one of the wholes, or is said to be of a JobSet, is a part of that. */
  isPart(key: string, namespace: string, controller: Fields | undefined, jobSet: string | undefined): void {
    const [kind, name] = jobSet !== undefined ? ['JobSet', jobSet] : [controller?.text('kind'), controller?.text('name')]
    if (kind !== undefined && name !== undefined && WHOLES.includes(kind)) this.#wholes.set(key, keyOf(namespace, kind, name))
  }

  /** Its pods are of an application, with all that these are part of. */
  isOfApplication(key: string, namespace: string, name: string): void {
    this.#applications.set(key, keyOf(namespace, 'Application', name))
  }

  /** The jobs, parts joined, and how many objects that were described are of none. */
  jobs(): { readonly owners: readonly Owner[]; readonly strangers: number } {
    const joined = new Map<string, Owner>()
    for (const [key, application] of this.#applications) {
      const whole = this.#wholeOf(key)
      if (whole !== application) this.#wholes.set(whole, application)
    }
    for (const [key, owner] of this.#all) {
      const whole = this.#wholeOf(key)
      const into = joined.get(whole)
      if (owner.size !== undefined && owner.pods.length > owner.size) owner.pods.splice(0, Infinity, ...withRetries(owner.pods, owner.size))
      const tasks = owner.pods.length > 0 ? owner.pods : owner.templates.flatMap(({ tasks: count, ...task }) => Array.from({ length: count }, () => task))
      if (into === undefined) joined.set(whole, key === whole ? owner : { ...owner, id: idOf(whole), least: undefined, templates: [], pods: [...tasks] })
      else join(into, key === whole ? owner.pods : tasks, owner)
    }
    const used = new Set<string>()
    for (const { group } of this.#all.values()) if (group !== undefined) used.add(group)
    for (const key of this.#all.keys()) for (let at: string | undefined = key, steps = 0; at !== undefined && steps < 10; at = this.#wholes.get(at), steps++) used.add(at)
    for (const [key, owner] of joined) {
      const [header, group] = [this.#headers.get(key), this.#headers.get(owner.group ?? '')]
      owner.least = header?.least ?? group?.least ?? owner.least
      owner.wholeClass ??= header?.priorityClass ?? group?.priorityClass
      owner.queue ??= header?.queue ?? group?.queue
      owner.preemptible = group?.preemptible ?? header?.preemptible ?? owner.preemptible
      owner.levels = group?.levels ?? header?.levels ?? owner.levels
      if (header === undefined) continue
      owner.created = Math.min(owner.created, header.created)
      owner.isGang ||= header.isGang
    }
    return { owners: [...joined.values()], strangers: [...this.#headers.keys()].filter((key) => !used.has(key)).length }
  }

  #wholeOf(key: string): string {
    let at = key
    for (let steps = 0; steps < 10; steps++) {
      const next = this.#wholes.get(at)
      if (next === undefined) break
      at = next
    }
    return at
  }
}

/**
 * Pods that failed and those that were started for them are one task, which ran as long as all of them, while there are more than so many.
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

function join(into: Owner, tasks: readonly Task[], { created, queue, priority, priorityClass, wholePriority, wholeClass, deadline, preemptible, levels, isGang, isGoing, group, hasFailed, isComplete, templates, workload }: Owner): void {
  into.pods.push(...tasks)
  into.created = Math.min(into.created, created)
  into.queue ??= queue
  into.priority ??= priority
  into.priorityClass ??= priorityClass
  into.wholePriority ??= wholePriority
  into.wholeClass ??= wholeClass
  into.deadline ??= deadline
  into.preemptible ??= preemptible
  into.levels ??= levels
  into.isGang ||= isGang
  into.isGoing ||= isGoing
  into.group ??= group
  into.hasFailed ||= hasFailed && isComplete !== true
  if (into.templates.length === 0 && into.pods.length === 0) into.templates = templates
  if (into.workload.length === 0) into.workload = workload
}
