import type { NodeSleep, Seconds } from '@sched/core'
import * as z from '@sched/bundled/zod'

/** When a node goes to sleep, and how long the changes take. */
export interface SleepRule {
  /** Idle seconds after which a node goes to sleep, at least 0. */
  readonly after: Seconds
  /** Seconds to wake, at least 0; tasks that start on the node wait for it. */
  readonly wake: Seconds
  /** Seconds to go to sleep. A node that gets a task meanwhile finishes going to sleep first. Default 0. */
  readonly shutdown?: Seconds | undefined
}

/** At most a year: longer times are milliseconds by mistake, or a node that never sleeps. */
const seconds = z.number().min(0).max(366 * 86_400)

export const sleepSchema = z.strictObject({
  after: seconds.describe('seconds for which nothing runs on a node before it goes to sleep (Slurm: SuspendTime)'),
  wake: seconds.describe('seconds that it takes to wake; tasks that start there wait for it (Slurm: what ResumeTimeout bounds)'),
  shutdown: seconds.default(0).describe('seconds that it takes to go to sleep (Slurm: SuspendTimeout); a node that is needed meanwhile finishes that first'),
})

/** Sleep settings by node; `undefined` if no node ever sleeps. */
export function sleepOf(groups: readonly { readonly count: number; readonly sleep?: SleepRule }[]): readonly (NodeSleep | undefined)[] | undefined {
  if (groups.every(({ sleep }) => sleep === undefined)) return undefined
  return groups.flatMap(({ count, sleep }) => Array<NodeSleep | undefined>(count).fill(sleep === undefined ? undefined : { ...sleep, shutdown: sleep.shutdown ?? 0 }))
}
