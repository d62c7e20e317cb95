import type { Located } from './located.js'
import type { Quantities } from './quantities.js'

/** Limits of some users and groups in a queue. */
export interface YunikornLimit {
  readonly users: readonly string[]
  readonly groups: readonly string[]
  readonly maxResources: Quantities
  readonly maxApplications: number
  readonly found: Located
}

/** What a queue, or the template of queues made in it, says. */
export interface YunikornSettings {
  readonly guaranteed: Quantities
  readonly max: Quantities
  readonly maxApplications: number
  /** By name. */
  readonly properties: ReadonlyMap<string, Located>
  readonly found: Located
}

/** A queue of YuniKorn. */
export interface YunikornQueue extends YunikornSettings {
  readonly name: string
  /** From the root on: `root.team.project`. */
  readonly path: string
  /** Whether it holds queues and no jobs. */
  readonly isParent: boolean
  readonly limits: readonly YunikornLimit[]
  readonly template: YunikornSettings | undefined
  readonly queues: readonly YunikornQueue[]
}
