import type { Located } from './located.js'
import type { Quantities } from './quantities.js'

/** A limit in a queue, which holds for each of the users and groups that it names. */
export interface YunikornLimit {
  readonly users: readonly string[]
  readonly groups: readonly string[]
  readonly maxResources: Quantities
  /** Applications that may run at a time; 0: any number. */
  readonly maxApplications: number
  /** The limit in the file. */
  readonly found: Located
}

/** Settings of a queue, or of the template for queues created in it. */
export interface YunikornSettings {
  readonly guaranteed: Quantities
  readonly max: Quantities
  /** Applications that may run at a time; 0: any number. */
  readonly maxApplications: number
  /** Properties, by name. */
  readonly properties: ReadonlyMap<string, Located>
  /** The queue or the template in the file. */
  readonly found: Located
}

/** A queue of YuniKorn. */
export interface YunikornQueue extends YunikornSettings {
  /** The last part of its path. */
  readonly name: string
  /** Full path: `root.team.project`. */
  readonly path: string
  /** Whether it holds queues and no jobs. */
  readonly isParent: boolean
  /** In the order of the file. */
  readonly limits: readonly YunikornLimit[]
  /** Settings of queues that placement rules create in it; undefined: the file gives none. */
  readonly template: YunikornSettings | undefined
  /** The queues inside it, in the order of the file. */
  readonly queues: readonly YunikornQueue[]
}
