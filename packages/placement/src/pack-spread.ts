import { definePlacement, type Env, type Placement, type Plug } from '@sched/core'
import { z } from 'zod'
import { bestBy, type Score } from './scored/best-by.js'
import { TaskCounts } from './scored/task-counts.js'

/** Tasks of the job in the node's rack, then on the node, which count less than one in the rack. */
export const company = (counts: TaskCounts): Score => (node, job, { work, lane }) =>
  counts.inRack(job, node) + counts.onNode(job, node) / (work.running(job, lane) + 1)

const placing = (env: Env, sign: 1 | -1): Placement => {
  const counts = new TaskCounts(env.cluster)
  const score = company(counts)
  return { ...counts.hooks, pick: (job, round) => bestBy((node) => sign * score(node, job, round), job, round) }
}

/** Tasks of a job as close together as there is room: in the rack, then on the node, with most of them; the lowest of equals. */
export const packPlacement = definePlacement({
  name: 'pack',
  summary: 'the rack, then the node, with most tasks of the job',
  options: z.strictObject({}),
  create: (_, env) => placing(env, 1),
})

/** Tasks of a job as far apart as there is room: in the rack, then on the node, with fewest of them; the lowest of equals. */
export const spreadPlacement = definePlacement({
  name: 'spread',
  summary: 'the rack, then the node, with fewest tasks of the job',
  options: z.strictObject({}),
  create: (_, env) => placing(env, -1),
})

/** Tasks of a job close together. */
export const pack = (): Plug<'placement'> => packPlacement.plug({})
/** Tasks of a job far apart. */
export const spread = (): Plug<'placement'> => spreadPlacement.plug({})
