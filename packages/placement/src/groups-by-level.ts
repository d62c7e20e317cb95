import type { ClusterView, JobId, WorkView } from '@sched/core'
import { OneGroup } from './one-group.js'

/** The groups of a cluster by level, as far as somebody asks for them. */
export class GroupsByLevel {
  readonly #cluster: ClusterView
  readonly #groups: (OneGroup | undefined)[] = []

  constructor(cluster: ClusterView) {
    this.#cluster = cluster
  }

  /** `undefined` for a level above those of the cluster: all nodes are one group of it. */
  at(level: number): OneGroup | undefined {
    return level < this.#cluster.levels ? (this.#groups[level] ??= new OneGroup(this.#cluster, level)) : undefined
  }

  /** The job has ended. */
  forget(job: JobId, work: WorkView): void {
    for (const groups of this.#groups) groups?.forget(job, work)
  }
}
