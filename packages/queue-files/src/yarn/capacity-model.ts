import type { Findings } from '../finding.js'
import type { Setting } from '../setting.js'

/** Amounts of one queue by YARN's names. */
export type CapacityValue =
  | { readonly kind: 'percent'; readonly value: number }
  | { readonly kind: 'weight'; readonly value: number }
  | { readonly kind: 'amounts'; readonly value: Readonly<Record<string, number>> }

/** A queue of a capacity-scheduler.xml with its own properties, by the part of their names behind the queue's path. */
export interface CapacityQueue {
  readonly path: string
  readonly parent: CapacityQueue | undefined
  readonly file: string
  readonly line: number
  readonly properties: Map<string, Setting>
  readonly queues: CapacityQueue[]
  /** Absent: not given. */
  capacity?: CapacityValue & { readonly file: string; readonly line: number }
  /** Absent: no limit. */
  maximumCapacity?: CapacityValue & { readonly file: string; readonly line: number }
}

/** A capacity-scheduler.xml: its queues, and the properties that concern all of them. */
export interface CapacityFile {
  readonly kind: 'capacity'
  readonly file: string
  readonly root: CapacityQueue
  /** By full name. */
  readonly general: ReadonlyMap<string, Setting>
  readonly ignored: Findings
}

export const prefix = 'yarn.scheduler.capacity.'
