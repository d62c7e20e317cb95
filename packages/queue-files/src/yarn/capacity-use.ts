import type { CapacityQueueOptions, CapacitySchedulerOptions } from '@sched/policies'
import { clusterName } from './amounts.js'
import type { CapacityQueue } from './capacity-model.js'
import type { Verdict } from '../finding.js'
import { numberOf } from './site.js'
import type { Setting } from '../setting.js'
import type { ClusterFacts } from '../queue-policy.js'

type Mutable<T> = { -readonly [K in keyof T]: T[K] }
export type QueueOptions = Mutable<CapacityQueueOptions>
/** Options of queues made at first use. */
export type MadeOptions = QueueOptions & { autoRemoval?: boolean }
export type Options = Mutable<CapacitySchedulerOptions>
/** What becomes of a property. */
export interface Told {
  /** Absent: honoured. */
  readonly verdict?: Verdict
  readonly note?: string
  /** What the property lists, each with what becomes of it; absent: it is one setting. */
  readonly each?: readonly (Omit<Told, 'each'> & { readonly value: string })[]
}
/** Sets options of a queue from a property, and returns what becomes of it; nothing: it is honoured. Throws `BAD_INPUT` with the line. */
export type UseInQueue = (options: QueueOptions, property: Setting, cluster: ClusterFacts, queue: CapacityQueue) => Told | undefined | void
/** The same for a property that concerns all queues. */
export type UseInAll = (options: Options, property: Setting, cluster: ClusterFacts) => Told | undefined | void

/** A whole number of at least 0. */
export const count = (property: Setting) => numberOf(property, { least: 0, whole: true })
/** A percentage of at least 0; Hadoop takes more than 100 as 100. */
export const percentOfUsers = (property: Setting) => Math.min(100, numberOf(property, { least: 0 }))
/** Ignores a property, with a note. */
export const ignored = (note: string) => (): Told => ({ verdict: 'ignored', note })
export const reservation = ignored('there is no reservation system')
/** The note for a setting about application masters. */
export const FOR_MASTERS = 'counts for jobs with masters: give jobs of traces some with --masters memory-mb=1536,vcores=1'
export const forMasters: Told = { verdict: 'approximated', note: FOR_MASTERS }
/** The part that masters may take, cut to 0 to 1. Hadoop takes any number; with 0 or less one job at a time has its master. */
export const partOfMasters = (property: Setting) => Math.min(1, Math.max(0, numberOf(property)))

/** Amounts, or other capacities, under the cluster's names of resources, and what is told of resources that it does not have. */
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
