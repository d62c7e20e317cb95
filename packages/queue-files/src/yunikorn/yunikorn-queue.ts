import type { Located } from './located.js'
import type { Quantities } from './quantities.js'

/** Limits of some users and groups in a queue. */
export interface YunikornLimit {
  readonly users: readonly string[]
  readonly groups: readonly string[]
  readonly maxResources: Quantities
  /** Running at a time; 0: any number. */
  readonly maxApplications: number
  readonly found: Located
}

/** What a queue, or the template of queues made in it, says. */
export interface YunikornSettings {
  readonly guaranteed: Quantities
  readonly max: Quantities
  /** Running at a time; 0: any number. */
  readonly maxApplications: number
  /** By name. */
  readonly properties: ReadonlyMap<string, Located>
  readonly found: Located
}

/** A queue of YuniKorn. */
export interface YunikornQueue extends YunikornSettings {
  /** The last part of its path. */
  readonly name: string
  /** From the root on: `root.team.project`. */
  readonly path: string
  /** Whether it holds queues and no jobs. */
  readonly isParent: boolean
  /** In the order of the file. */
  readonly limits: readonly YunikornLimit[]
  /** What queues get that placement rules make in it; undefined where the file has none. */
  readonly template: YunikornSettings | undefined
  /** The queues inside, in the order of the file. */
  readonly queues: readonly YunikornQueue[]
}
