import { kindOfHardware, SchedError, suggest, type ClusterView, type NodeId, type ResourceId } from '@sched/core'

/** The nodes with one value of a label, lowest first. */
export interface NodeSet {
  /** Label and value as OpenPBS writes them: `switch=A`. */
  readonly name: string
  readonly nodes: readonly NodeId[]
  readonly has: ReadonlySet<NodeId>
}

/** Name of what racks are called among labels, where no node has a label of that name. */
const RACK = 'rack'

/**
 * The sets of nodes with the same value of a label, for each of these labels: label by label, and for each by its lowest node. A node whose value is a list
 * (`A,B`) is in the set of each. Nodes without the label are a set of their own, unless `onlyExplicit`. Throws `BAD_OPTION` for a label that no node has.
 *
 * Source: OpenPBS, create_node_partitions of node_partition.cpp.
 */
export function nodeSets(labels: readonly string[], onlyExplicit: boolean, cluster: ClusterView, field: string): NodeSet[] {
  return labels.flatMap((label) => {
    const valuesOf = valuesBy(label, cluster, field)
    const sets = new Map<string, NodeId[]>()
    for (let node = 0 as NodeId; node < cluster.nodes; node++)
      for (const value of valuesOf(node) ?? (onlyExplicit ? [] : ['""'])) {
        const nodes = sets.get(value)
        if (nodes === undefined) sets.set(value, [node])
        else nodes.push(node)
      }
    return [...sets].map(([value, nodes]) => ({ name: `${label}=${value}`, nodes, has: new Set(nodes) }))
  })
}

function valuesBy(label: string, cluster: ClusterView, field: string): (node: NodeId) => readonly string[] | undefined {
  if (cluster.labels.includes(label)) return (node) => cluster.label(node, label)?.split(',').map((value) => value.trim()).filter((value, i, all) => value !== '' && all.indexOf(value) === i)
  if (label === RACK && cluster.levels > 1) return (node) => [cluster.groupName(1, cluster.group(1, node))]
  throw new SchedError('BAD_OPTION', `no node has the label "${label}".`, { field }, suggest(label, cluster.levels > 1 ? [...cluster.labels, RACK] : cluster.labels))
}

/**
 * Sets in the order in which they are tried: those with the fewest processors first, then with the least memory, then with the fewest free processors and the least free memory.
 * Nodes that are away do not count. Where the cluster has neither processors nor memory, all its resources count. Of equals that one comes first
 * which was made first.
 *
 * Source: OpenPBS, cmp_placement_sets of sort.cpp.
 */
export class SmallestFirst {
  readonly #sets: readonly NodeSet[]
  readonly #counted: readonly ResourceId[]
  #order: readonly number[] = []
  #seen: ClusterView | undefined
  #changes = NaN

  constructor(sets: readonly NodeSet[], { resources }: Pick<ClusterView, 'resources'>) {
    this.#sets = sets
    const usual = [kindOfHardware('cores', resources), kindOfHardware('memory', resources)].filter((id) => id >= 0)
    this.#counted = (usual.length > 0 ? usual : resources.map((_, r) => r)) as ResourceId[]
  }

  /** Forgets the order: a node has gone or come. */
  forget(): void {
    this.#seen = undefined
  }

  /** Indices of the sets in this order, as of now. */
  order(cluster: ClusterView): readonly number[] {
    const log = cluster.changeLog
    if (cluster === this.#seen && log?.count === this.#changes) return this.#order
    const sizes = this.#sets.map(({ nodes }) => this.#sizes(nodes, cluster))
    this.#order = this.#sets.map((_, s) => s).sort((a, b) => compare(sizes[a] as number[], sizes[b] as number[]) || a - b)
    this.#seen = log === undefined ? undefined : cluster
    this.#changes = log?.count ?? NaN
    return this.#order
  }

  /** What the set has of each resource that counts, and then what of that is free. */
  #sizes(nodes: readonly NodeId[], cluster: ClusterView): number[] {
    const sizes = new Array<number>(2 * this.#counted.length).fill(0)
    for (const node of nodes) {
      if (!cluster.up(node)) continue
      for (const [i, r] of this.#counted.entries()) {
        sizes[i] = (sizes[i] as number) + cluster.total(node, r)
        const free = this.#counted.length + i
        sizes[free] = (sizes[free] as number) + cluster.free(node, r)
      }
    }
    return sizes
  }
}

function compare(a: readonly number[], b: readonly number[]): number {
  const at = a.findIndex((each, i) => each !== b[i])
  return at < 0 ? 0 : (a[at] as number) - (b[at] as number)
}
