import type { Fields } from '../json/fields.js'

/** The label by which jobs name a class of Kueue; as a tag it names the class that a job has, of Kueue or not. */
export const CLASS = 'kueue.x-k8s.io/priority-class'
const OF_KUEUE = 'WorkloadPriorityClass '

/** Key of a class of Kueue, which may have the same name as a PriorityClass. */
export const workloadClass = (name: string | undefined): string | undefined => (name === undefined ? undefined : `${OF_KUEUE}${name}`)

/** Key of the class that a Workload of Kueue has. Source: Kueue, workload_types.go (priorityClassRef; before v1beta2 priorityClassName and priorityClassSource). */
export function classOfWorkload(spec: Fields): string | undefined {
  const ref = spec.object('priorityClassRef')
  const name = ref?.text('name') ?? spec.text('priorityClassName')
  const source = ref?.text('kind') ?? spec.text('priorityClassSource') ?? ''
  return source.toLowerCase().endsWith('workloadpriorityclass') ? workloadClass(name) : name
}

/** Kueue's class of whoever is in a queue of Kueue and names none, if it is there. Source: Kueue, KEP-10765 (WorkloadPriorityClassDefaulting, on since 0.20). */
const USUAL_WORKLOAD_CLASS = `${OF_KUEUE}default`

/** Stands for no class, whatever pods say. */
export const NO_CLASS = ''

/** Priorities by class name; two classes exist in every cluster. Source: Kubernetes API, scheduling.k8s.io/v1; Kueue, kueue.x-k8s.io. */
export class PriorityClasses {
  readonly #values = new Map([['system-cluster-critical', 2_000_000_000], ['system-node-critical', 2_000_001_000]])
  /** Priority of objects that name no class. */
  #usual = 0
  #usualName: string | undefined

  /** Adds a PriorityClass, or one of Kueue under its own key. Throws `BadLine`. */
  add(object: Fields, name: string): void {
    const value = object.number('value', -Infinity)
    if (value === undefined) throw object.bad('value', 'is missing.')
    this.#values.set(name, value)
    if (object.value('globalDefault') === true) [this.#usual, this.#usualName] = [value, name]
  }

  /** The class that Kueue gives to its jobs without one; `undefined` if it is not there. */
  get ofKueue(): string | undefined {
    return this.#values.has(USUAL_WORKLOAD_CLASS) ? USUAL_WORKLOAD_CLASS : undefined
  }

  /** The name of a class by its key, or of the usual one; `undefined`: there is none. */
  nameOf(key: string | undefined): string | undefined {
    if (key === undefined || key === NO_CLASS) return this.#usualName
    return key.startsWith(OF_KUEUE) ? key.slice(OF_KUEUE.length) : key
  }

  /** Priority of a class; `undefined` for an unknown class. */
  priorityOf(name: string | undefined): number | undefined {
    return name === undefined || name === NO_CLASS ? this.#usual : this.#values.get(name)
  }
}
