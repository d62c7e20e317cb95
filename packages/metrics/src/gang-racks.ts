import { isGangJob, type ClusterView, type EndRow, type JobId, type JobSpec, type NodeId, type Observer, type StartRow } from '@sched/core'

/** On how many racks gangs ran. */
export interface GangRacksResult {
  /** Jobs with a gang of several tasks of which any started. */
  readonly jobs: number
  /** Largest number of racks that tasks of such a job were on at once, mean over these jobs. */
  readonly mean: number
  /** Fraction of these jobs that never used more than one rack. */
  readonly onOne: number
}

/** Measures over how many racks the tasks of gangs are spread, in a cluster with several racks. */
export const gangRacks = (): GangRacks => new GangRacks()

/** Tasks by rack, and the largest number of racks at once. */
interface Spread {
  readonly tasks: Map<number, number>
  most: number
}

export class GangRacks implements Observer {
  #cluster!: ClusterView
  #areRacks = false
  /** Jobs with gangs in the system. */
  readonly #gangs = new Map<JobId, Spread>()
  #jobs = 0
  #racks = 0
  #onOne = 0

  onRunStart({ cluster }: { readonly cluster: ClusterView }): void {
    this.#cluster = cluster
    this.#areRacks = cluster.levels > 1 && cluster.groups(1) > 1
  }

  onSubmit(job: JobId, spec: JobSpec): void {
    if (this.#areRacks && (isGangJob(spec) || spec.stages.some(({ gang, tasks }) => gang === true && tasks > 1))) this.#gangs.set(job, { tasks: new Map(), most: 0 })
  }

  onTasksStart(row: StartRow): void {
    this.#count(row, 1)
  }

  onTasksEnd(row: EndRow): void {
    this.#count(row, -1)
  }

  #count({ job, nodes, count }: StartRow | EndRow, by: 1 | -1): void {
    const gang = this.#gangs.size === 0 ? undefined : this.#gangs.get(job)
    if (gang === undefined) return
    for (let i = 0; i < count; i++) {
      const rack = this.#cluster.group(1, nodes[i] as NodeId)
      const tasks = (gang.tasks.get(rack) ?? 0) + by
      if (tasks > 0) gang.tasks.set(rack, tasks)
      else gang.tasks.delete(rack)
    }
    gang.most = Math.max(gang.most, gang.tasks.size)
  }

  onJobEnd(job: JobId): void {
    const gang = this.#gangs.get(job)
    if (gang === undefined) return
    this.#gangs.delete(job)
    this.#fold(gang)
  }

  onRunEnd(): void {
    for (const gang of this.#gangs.values()) this.#fold(gang)
  }

  /** `undefined` if there are no racks, or no gang started. */
  result(): GangRacksResult | undefined {
    return this.#jobs === 0 ? undefined : { jobs: this.#jobs, mean: this.#racks / this.#jobs, onOne: this.#onOne / this.#jobs }
  }

  #fold({ most }: Spread): void {
    if (most === 0) return
    this.#jobs++
    this.#racks += most
    if (most === 1) this.#onOne++
  }
}
