import type { Workload } from './workload.js'

/** The nodes as a workload finds them that must have some. */
export interface Nodes {
  /** Whether it replaces lost tasks of a gang that runs on: nobody is preempted for its nodes then. */
  readonly isReplacing: boolean
  /** Whether they have room for it if some others are gone. */
  haveRoom(gone: readonly Workload[]): boolean
  /** Whether they have room although `each` is back: if it runs on none of those that were found last, or if others are found with just `gone()` gone. */
  haveRoomBeside(each: Workload, gone: () => readonly Workload[]): boolean
}
