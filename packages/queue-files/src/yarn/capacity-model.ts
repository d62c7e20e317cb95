import type { CapacityOfResource } from '@sched/policies'
import type { Findings } from '../finding.js'
import type { Setting } from '../setting.js'

/** The capacity of one queue, by YARN's names; a vector has percentages or weights of single resources. */
export type CapacityValue =
  | { readonly kind: 'percent'; readonly value: number }
  | { readonly kind: 'weight'; readonly value: number }
  | { readonly kind: 'amounts'; readonly value: Readonly<Record<string, number>> }
  | { readonly kind: 'vector'; readonly value: Readonly<Record<string, CapacityOfResource>> }

/** A queue of a capacity-scheduler.xml with its own properties, by the part of their names behind the queue's path. */
export interface CapacityQueue {
  /** Full path: `root.ads.reports`. */
  readonly path: string
  /** The queue around it; undefined for the root. */
  readonly parent: CapacityQueue | undefined
  /** Name of the file, for messages. */
  readonly file: string
  /** Whether siblings have capacities of one kind (`legacy-queue-mode.enabled`, Hadoop's default): the same of all queues of a file. */
  readonly isLegacy: boolean
  /** Where it is declared, 1-based. */
  readonly line: number
  /** Its own properties, by the part of their names behind its path. */
  readonly properties: Map<string, Setting>
  /** The queues inside it, as listed. */
  readonly queues: CapacityQueue[]
  /** Absent: not given. */
  capacity?: CapacityValue & { readonly file: string; readonly line: number }
  /** Absent: no limit. */
  maximumCapacity?: CapacityValue & { readonly file: string; readonly line: number }
}

/** A capacity-scheduler.xml: its queues, and the properties that concern all of them. */
export interface CapacityFile {
  /** Tells the models of files apart. */
  readonly kind: 'capacity'
  /** Name of the file, for messages. */
  readonly file: string
  /** The root queue, with all others inside it. */
  readonly root: CapacityQueue
  /** By full name. */
  readonly general: ReadonlyMap<string, Setting>
  /** Settings of the making of queues at paths that are not listed, which may end in *: by path, then by the part of their names behind it. */
  readonly unlisted: ReadonlyMap<string, ReadonlyMap<string, Setting>>
  /** What was ignored at reading, each with its reason. */
  readonly ignored: Findings
}

export const prefix = 'yarn.scheduler.capacity.'
/** Whether siblings have capacities of one kind. */
export const LEGACY = `${prefix}legacy-queue-mode.enabled`
