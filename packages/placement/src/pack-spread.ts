import { definePlacement, type Env, type Placement, type Plug } from '@sched/core'
import * as z from '@sched/bundled/zod'
import { ByCompany } from './scored/by-company.js'

const placing = (env: Env, which: 'most' | 'fewest'): Placement => {
  const placement = new ByCompany(env, which)
  return { ...placement.hooks, pick: (job, round) => placement.pick(job, round) }
}

/** Tasks of a job as close together as there is room: in the rack, then on the node, with the most of them; ties to the lowest node. */
export const packPlacement = definePlacement({
  name: 'pack',
  summary: 'the rack, then the node, with most tasks of the job',
  options: z.strictObject({}),
  create: (_, env) => placing(env, 'most'),
})

/** Tasks of a job as far apart as there is room: in the rack, then on the node, with the fewest of them; ties to the lowest node. */
export const spreadPlacement = definePlacement({
  name: 'spread',
  summary: 'the rack, then the node, with fewest tasks of the job',
  options: z.strictObject({}),
  create: (_, env) => placing(env, 'fewest'),
})

/** Tasks of a job close together. */
export const pack = (): Plug<'placement'> => packPlacement.plug({})
/** Tasks of a job far apart. */
export const spread = (): Plug<'placement'> => spreadPlacement.plug({})
