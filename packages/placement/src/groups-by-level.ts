import type { ClusterView, JobId, WorkView } from '@sched/core'
import { OneGroup } from './one-group.js'

/** The groups of a cluster by level, made when they are first asked for. */
export class GroupsByLevel {
  readonly #cluster: ClusterView
  readonly #groups: (OneGroup | undefined)[] = []

  constructor(cluster: ClusterView) {
    this.#cluster = cluster
  }

  /** The groups of a level; `undefined` for a level above those of the cluster, of which all nodes are one group. */
  at(level: number): OneGroup | undefined {
    return level < this.#cluster.levels ? (this.#groups[level] ??= new OneGroup(this.#cluster, level)) : undefined
  }

  /** Forgets a job that has ended. */
  forget(job: JobId, work: WorkView): void {
    for (const groups of this.#groups) groups?.forget(job, work)
  }
}
