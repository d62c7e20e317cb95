import * as z from '@sched/bundled/zod'

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
        from: z.number().nonnegative().describe('seconds from the start of the run at which it begins'),
        to: z.number().positive().describe('seconds from the start of the run at which it has ended'),
        demand: z.union([z.literal('all'), z.record(z.string(), z.number().int().positive())]).describe('amounts by resource over the whole cluster, or all of it'),
      }),
    )
    .default([])
    .describe('reservations in advance and maintenance windows: amounts kept free from `from` to `to`'),
}
export type Window = z.output<typeof windowOptions.windows>[number]
