import type { CapacityQueueOptions, CapacitySchedulerOptions } from '@sched/policies'
import { clusterName } from './amounts.js'
import type { CapacityQueue } from './capacity-model.js'
import type { Verdict } from '../finding.js'
import { numberOf } from './site.js'
import type { Setting } from '../setting.js'
import type { ClusterFacts } from '../queue-policy.js'

type Mutable<T> = { -readonly [K in keyof T]: T[K] }
export type QueueOptions = Mutable<CapacityQueueOptions>
/** Of queues that are made at first use. */
export type MadeOptions = QueueOptions & { autoRemoval?: boolean }
export type Options = Mutable<CapacitySchedulerOptions>
export interface Told {
  readonly verdict?: Verdict
  readonly note?: string
}
/** Sets an option from a property; may say how it is approximated. */
export type UseInQueue = (options: QueueOptions, property: Setting, cluster: ClusterFacts, queue: CapacityQueue) => Told | undefined | void
export type UseInAll = (options: Options, property: Setting, cluster: ClusterFacts) => Told | undefined | void

export const count = (property: Setting) => numberOf(property, { least: 0, whole: true })
/** Hadoop takes 200 for 100. */
export const percentOfUsers = (property: Setting) => Math.min(100, numberOf(property, { least: 0 }))
export const ignored = (note: string) => (): Told => ({ verdict: 'ignored', note })
export const reservation = ignored('there is no reservation system')
/** What a setting for masters is good for. */
export const FOR_MASTERS = 'counts for jobs with masters: give jobs of traces some with --masters memory-mb=1536,vcores=1'
export const forMasters: Told = { verdict: 'approximated', note: FOR_MASTERS }
/** Hadoop takes any number: of less than 0, as of 0, one job at a time has its master. */
export const partOfMasters = (property: Setting) => Math.min(1, Math.max(0, numberOf(property)))

/** What of a property becomes of amounts, or other capacities, of the cluster's resources. */
export function amountsIn<T extends number | string>(cluster: ClusterFacts, byName: Readonly<Record<string, T>>): { amounts: Record<string, T>; told: Told | undefined } {
  const amounts: Record<string, T> = {}
  const missing: string[] = []
  for (const [name, amount] of Object.entries(byName)) {
    const known = clusterName(name, cluster.resources)
    if (known === undefined) missing.push(name)
    else amounts[known] = amount
  }
  const none = Object.keys(amounts).length === 0
  return { amounts, told: missing.length === 0 ? undefined : { verdict: none ? 'ignored' : 'approximated', note: `the cluster has no ${missing.join(' and no ')}` } }
}
