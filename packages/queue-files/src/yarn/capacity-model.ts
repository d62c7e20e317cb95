import type { CapacityOfResource } from '@sched/policies'
import type { Findings } from '../finding.js'
import type { Setting } from '../setting.js'

/**
 * The capacity, or maximum capacity, of a queue: a percentage of its parent's, a weight among its siblings, amounts under YARN's names of resources, or a
 * vector, which has an amount, a percentage or a weight for each resource.
 */
export type CapacityValue =
  | { readonly kind: 'percent'; readonly value: number }
  | { readonly kind: 'weight'; readonly value: number }
  | { readonly kind: 'amounts'; readonly value: Readonly<Record<string, number>> }
  | { readonly kind: 'vector'; readonly value: Readonly<Record<string, CapacityOfResource>> }

/** A queue of a capacity-scheduler.xml. */
export interface CapacityQueue {
  /** Full path: `root.ads.reports`. */
  readonly path: string
  /** The queue around it; undefined for the root. */
  readonly parent: CapacityQueue | undefined
  /** Name of the file that lists it, for messages. */
  readonly file: string
  /** Whether all siblings must have capacities of one kind (`legacy-queue-mode.enabled`, Hadoop's default); the same for all queues of a file. */
  readonly isLegacy: boolean
  /** Line on which it is listed, 1-based. */
  readonly line: number
  /** Its own properties, by the part of their names after its path. */
  readonly properties: Map<string, Setting>
  /** The queues inside it, in the order of the list. */
  readonly queues: CapacityQueue[]
  /** Its capacity; absent: not given. */
  capacity?: CapacityValue & { readonly file: string; readonly line: number }
  /** Its maximum capacity; absent: no limit. */
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
  /** Properties that concern all queues, by full name. */
  readonly general: ReadonlyMap<string, Setting>
  /**
   * Properties about queues made at first use (auto-queue-creation-v2) at paths that are not listed: by path, whose last names may be *, then by the part of
   * their names after the path.
   */
  readonly unlisted: ReadonlyMap<string, ReadonlyMap<string, Setting>>
  /** Findings of settings that were ignored while reading. */
  readonly ignored: Findings
}

/** The beginning of the capacity scheduler's properties. */
export const prefix = 'yarn.scheduler.capacity.'
/** The property that says whether siblings must have capacities of one kind. */
export const LEGACY = `${prefix}legacy-queue-mode.enabled`
