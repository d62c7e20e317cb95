import type { Architecture, ClusterView, JobId, NodeId, StageSpec } from '@sched/core'

/** Whether there is room for tasks of a job on the nodes that its scheduler may use. */
export class Room {
  readonly #job: JobId
  readonly #cluster: ClusterView
  readonly #architecture: Architecture
  /** A node that had room for a task at the last look. */
  #witness = 0 as NodeId
  /** The stage for which no node had room at the last look, and the number of changes to nodes until then. */
  #none: StageSpec | undefined
  #noneAt = 0

  constructor(job: JobId, cluster: ClusterView, architecture: Architecture) {
    this.#job = job
    this.#cluster = cluster
    this.#architecture = architecture
  }

  /** Whether so many tasks of a stage could start at once. */
  holds(stage: StageSpec, tasks: number): boolean {
    return this.#architecture.hasRoom?.(this.#job, stage, tasks) ?? (tasks > 1 ? this.#holdsSome(stage, tasks) : this.#holdsOne(stage))
  }

  #holdsOne(stage: StageSpec): boolean {
    const cluster = this.#cluster
    const log = cluster.changeLog
    const isKnown = log !== undefined && this.#none === stage && log.count - this.#noneAt <= log.kept
    if (isKnown) for (let change = this.#noneAt; change < log.count; change++) if (this.#isOn(log.node(change), stage)) return true
    if (!isKnown) {
      if (this.#isOn(this.#witness, stage)) return true
      for (let node = 0 as NodeId; node < cluster.nodes; node++) if (this.#isOn(node, stage)) return true
    }
    this.#none = stage
    this.#noneAt = log?.count ?? 0
    return false
  }

  #isOn(node: NodeId, stage: StageSpec): boolean {
    if (this.#cluster.couldStart(stage, node) === 0) return false
    this.#witness = node
    this.#none = undefined
    return true
  }

  #holdsSome(stage: StageSpec, tasks: number): boolean {
    let room = 0
    for (let node = 0 as NodeId; node < this.#cluster.nodes && room < tasks; node++) room += this.#cluster.couldStart(stage, node)
    return room >= tasks
  }
}
