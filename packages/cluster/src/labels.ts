import { ownValue, type NodeId, type Taint } from '@sched/core'
import { asksNames, HOSTNAME, selects, type Selector } from './node-selector.js'
import { isHard, taintKey } from './taints.js'

type Named = Readonly<Record<string, string>>

/** The labels and taints of a node in its description. */
export interface Marks {
  readonly labels?: Named | undefined
  readonly taints?: readonly Taint[] | undefined
}

/** Labels and taints of a class of nodes. Taints are indices into `Labels.taints` and `Labels.softTaints`, ascending. */
interface Class {
  readonly labels: Named
  readonly taints: readonly number[]
  readonly softTaints: readonly number[]
}

const NONE: Named = {}

/** The labels and taints of all nodes. Nodes with the same labels and taints form a class, so that a constraint is evaluated once per class. */
export class Labels {
  /** Names of the labels of any node, in order of first mention. */
  readonly keys: readonly string[]
  /** The class of each node. */
  readonly classOf: Int32Array
  /** Taints that keep tasks off a node (`NoSchedule`, `NoExecute`), in order of first mention. */
  readonly taints: readonly Taint[]
  /** Taints that tasks only prefer to avoid (`PreferNoSchedule`). */
  readonly softTaints: readonly Taint[]
  readonly #names: readonly string[]
  readonly #classes: Class[] = []
  #own: Int32Array | undefined

  /** `marks[node]`; one object may stand for many nodes. */
  constructor(marks: readonly Marks[], names: readonly string[]) {
    this.#names = names
    const taints = new Map<string, Taint>()
    for (const each of new Set(marks)) for (const taint of each.taints ?? []) if (!taints.has(taintKey(taint))) taints.set(taintKey(taint), taint)
    this.taints = [...taints.values()].filter(isHard)
    this.softTaints = [...taints.values()].filter((taint) => !isHard(taint))
    const ids = new Map<string, number>()
    const known = new Map<Marks, number>()
    this.classOf = Int32Array.from(marks, (each) => {
      const id = known.get(each) ?? this.#classId(each, ids)
      known.set(each, id)
      return id
    })
    this.keys = [...new Set(this.#classes.flatMap(({ labels }) => Object.keys(labels)))]
  }

  /** The value of a node's label. Every node has a label `kubernetes.io/hostname`: its name, unless it is given another value. */
  of(node: NodeId, key: string): string | undefined {
    return this.#value(this.classOf[node] as number, key) ?? (key === HOSTNAME ? this.#names[node] : undefined)
  }

  /** Values of a label over all nodes, in order of first mention. */
  values(key: string): string[] {
    return [...new Set(this.#classes.flatMap((_, id) => this.#value(id, key) ?? []))]
  }

  /** The taints that keep tasks off the node, as indices into `taints`. */
  taintsOf(node: NodeId): readonly number[] {
    return (this.#classes[this.classOf[node] as number] as Class).taints
  }

  /** How many of the given soft taints a node has; both are indices into `softTaints`. */
  softTaintsAmong(places: readonly number[], node: NodeId): number {
    return (this.#classes[this.classOf[node] as number] as Class).softTaints.filter((taint) => places.includes(taint)).length
  }

  /**
   * Evaluates a selector, once per class or, if it depends on node names, once per node. `at[node]` is the node's index in the columns `selected` (1:
   * the selector selects it) and `tainted` (1: it has one of the untolerated taints). `nodes` has one node for each index.
   */
  select(selector: Selector, untolerated: readonly number[]): { readonly at: Int32Array; readonly nodes: readonly number[]; readonly selected: Uint8Array; readonly tainted: Uint8Array } {
    const isByName = asksNames(selector)
    const at = isByName ? (this.#own ??= Int32Array.from(this.classOf.keys())) : this.classOf
    const nodes = isByName ? [...this.classOf.keys()] : this.#firsts()
    return {
      at,
      nodes,
      selected: Uint8Array.from(nodes, (node) => Number(selects(selector, (key) => this.of(node as NodeId, key), this.#names[node] ?? ''))),
      tainted: Uint8Array.from(nodes, (node) => Number(this.taintsOf(node as NodeId).some((taint) => untolerated.includes(taint)))),
    }
  }

  /** The first node of each class. */
  #firsts(): number[] {
    const firsts: number[] = []
    for (const [node, id] of this.classOf.entries()) if (id === firsts.length) firsts.push(node)
    return firsts
  }

  #value(id: number, key: string): string | undefined {
    return ownValue((this.#classes[id] as Class).labels, key)
  }

  #classId({ labels = NONE, taints = [] }: Marks, ids: Map<string, number>): number {
    const keys = new Set(taints.map(taintKey))
    const among = (all: readonly Taint[]): number[] => [...all.keys()].filter((i) => keys.has(taintKey(all[i] as Taint)))
    const [own, soft] = [among(this.taints), among(this.softTaints)]
    const key = JSON.stringify([Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : 1)), own, soft])
    const id = ids.get(key) ?? this.#classes.push({ labels, taints: own, softTaints: soft }) - 1
    ids.set(key, id)
    return id
  }
}
