import { hasLabels, type NodeId } from '@sched/core'

type Named = Readonly<Record<string, string>>
/** Label names with the values that will do, as constraints write them. */
export type Required = Readonly<Record<string, string | readonly string[]>>

/** The labels of all nodes. Nodes with equal labels are one class, so that a constraint is decided once per class. */
export class Labels {
  /** Names that some node has, in order of first mention. */
  readonly keys: readonly string[]
  /** The class of each node. */
  readonly classOf: Int32Array
  readonly #classes: Named[] = []

  /** `labels[node]`; one object may stand for many nodes. */
  constructor(labels: readonly Named[]) {
    const ids = new Map<string, number>()
    const known = new Map<Named, number>()
    this.classOf = Int32Array.from(labels, (each) => {
      const id = known.get(each) ?? this.#classId(each, ids)
      known.set(each, id)
      return id
    })
    this.keys = [...new Set(this.#classes.flatMap((each) => Object.keys(each)))]
  }

  of(node: NodeId, key: string): string | undefined {
    return this.#value(this.classOf[node] as number, key)
  }

  /** Values that nodes have for a label, in order of first mention. */
  values(key: string): string[] {
    return [...new Set(this.#classes.flatMap((_, id) => this.#value(id, key) ?? []))]
  }

  /** By class of nodes: 1 where all required labels have one of their values. */
  allowed(require: Required): Uint8Array {
    return Uint8Array.from(this.#classes, (_, id) => Number(hasLabels(require, (key) => this.#value(id, key))))
  }

  #value(id: number, key: string): string | undefined {
    const labels = this.#classes[id] as Named
    return Object.hasOwn(labels, key) ? labels[key] : undefined
  }

  #classId(labels: Named, ids: Map<string, number>): number {
    const key = JSON.stringify(Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : 1)))
    const id = ids.get(key) ?? this.#classes.push(labels) - 1
    ids.set(key, id)
    return id
  }
}
