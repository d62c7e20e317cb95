import * as z from '@sched/bundled/zod'
import { shownTime } from './shown-time.js'

/** What happens when a job outlives its estimate. */
export const overrunOptions = {
  overrun: z
    .enum(['extend', 'kill'])
    .default('extend')
    .describe('a job that outlives its estimate: its expected end moves by `extension` s, then twice that, ...; or it is an error, since the system kills such jobs'),
  extension: z.number().positive().default(60).describe('seconds by which the expected end of a job moves when it is outlived for the first time'),
}
export interface Overrun {
  readonly overrun: 'extend' | 'kill'
  readonly extension: number
}

/** Time that plans keep between jobs. */
export const marginOptions = {
  margin: z.number().nonnegative().default(0).describe('seconds by which each job is planned longer than its estimate, so that a job that ends late delays nobody (in OAR its security time and 1 s)'),
}

/** What a plan says of single nodes. */
export const nodesOptions = {
  nodes: z
    .enum(['counted', 'named'])
    .default('counted')
    .describe('what jobs and reservations hold: amounts over the whole cluster; or whole nodes by name, which no other job shares, the lowest that are free for the whole run when the start is found (batsched, OAR)'),
}

/** Reservations in advance and maintenance: amounts that no job may use for a time. */
export const windowOptions = {
  windows: z
    .array(
      z.strictObject({
        from: z.union([z.number().nonnegative(), shownTime]).describe('when it begins: seconds from the start of the run, or a local time of the workload such as 2026-03-01T08:00:00'),
        to: z.union([z.number().positive(), shownTime]).describe('when it has ended'),
        every: z.number().positive().optional().describe('seconds from one beginning to the next, such as 604800; default: it comes once'),
        times: z.number().int().positive().max(100_000).optional().describe('how often it comes in all, with `every`'),
        demand: z.union([z.literal('all'), z.record(z.string(), z.number().int().positive())]).describe('amounts by resource over the whole cluster, or all of it'),
      }),
    )
    .default([])
    .describe('reservations in advance and maintenance windows: amounts kept free from `from` to `to`'),
}
export type WindowOption = z.output<typeof windowOptions.windows>[number]
