import type { Fields } from '../json/fields.js'

/** A class of Kueue's own, which may have the name of one of Kubernetes. */
export const workloadClass = (name: string | undefined): string | undefined => (name === undefined ? undefined : `WorkloadPriorityClass ${name}`)

/** Instead of a name: there is no class, whatever pods say. */
export const NO_CLASS = ''

/** Priorities by the names of their classes, of which each cluster has two. Source: Kubernetes API, scheduling.k8s.io/v1; Kueue, kueue.x-k8s.io. */
export class PriorityClasses {
  readonly #values = new Map([['system-cluster-critical', 2_000_000_000], ['system-node-critical', 2_000_001_000]])
  /** Of what names no class. */
  #usual = 0

  /** Reads a PriorityClass, or one of Kueue by its own name. Throws `BadLine`. */
  add(object: Fields, name: string): void {
    const value = object.number('value', -Infinity)
    if (value === undefined) throw object.bad('value', 'is missing.')
    this.#values.set(name, value)
    if (object.value('globalDefault') === true) this.#usual = value
  }

  /** `undefined` for a class that is not known. */
  priorityOf(name: string | undefined): number | undefined {
    return name === undefined || name === NO_CLASS ? this.#usual : this.#values.get(name)
  }
}
