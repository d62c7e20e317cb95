import type { Architecture, ClusterView, JobId, NodeId, StageSpec } from '@sched/core'

/** What a wait for room is called where nodes with room are avoided, since tasks have failed there. */
export const AVOIDED = 'avoided nodes'

/** The nodes that tasks of one job avoid: all of it, or those of a stage, or single ones. */
export class Avoided {
  readonly #job: JobId
  readonly #cluster: ClusterView
  readonly #architecture: Architecture
  /** By stage (-1: all) and task (-1: all of the stage). */
  readonly #nodes = new Map<string, Set<NodeId>>()
  readonly #all = new Set<NodeId>()

  constructor(job: JobId, cluster: ClusterView, architecture: Architecture) {
    this.#job = job
    this.#cluster = cluster
    this.#architecture = architecture
  }

  told(node: NodeId, stage: number, task: number, isAvoided: boolean): void {
    const key = `${stage}.${task}`
    const nodes = this.#nodes.get(key) ?? new Set<NodeId>()
    this.#nodes.set(key, nodes)
    if (!isAvoided) nodes.delete(node)
    else {
      nodes.add(node)
      this.#all.add(node)
    }
  }

  /** Names of all nodes that tasks of the job have avoided, in the order of the cluster. */
  get names(): readonly string[] {
    return [...this.#all].sort((a, b) => a - b).map((node) => this.#cluster.name(node))
  }

  /** Whether so many tasks of a stage could start at once on nodes that are not avoided by all of its tasks that wait, `isWaiting` by index. */
  holds(stage: StageSpec, at: number, isWaiting: Uint8Array, tasks: number): boolean {
    const nodes = this.#of(at, isWaiting)
    let room = 0
    for (let node = 0 as NodeId; node < this.#cluster.nodes && room < tasks; node++)
      if (!nodes.has(node) && this.#architecture.mayUse?.(this.#job, node) !== false) room += this.#cluster.couldStart(stage, node)
    return room >= tasks
  }

  /** Whether all tasks of a stage that wait avoid some node. */
  areOf(at: number, isWaiting: Uint8Array): boolean {
    return this.#all.size > 0 && this.#of(at, isWaiting).size > 0
  }

  #of(at: number, isWaiting: Uint8Array): Set<NodeId> {
    const nodes = new Set([...(this.#nodes.get('-1.-1') ?? []), ...(this.#nodes.get(`${at}.-1`) ?? [])])
    let common: Set<NodeId> | undefined
    for (const [task, waits] of isWaiting.entries()) {
      if (waits === 0) continue
      const own = this.#nodes.get(`${at}.${task}`)
      if (own === undefined || own.size === 0) return nodes
      common = new Set([...own].filter((node) => common?.has(node) !== false))
    }
    for (const node of common ?? []) nodes.add(node)
    return nodes
  }
}
