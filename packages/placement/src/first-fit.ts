import { definePlacement, FirstFit, type Plug } from '@sched/core'
import * as z from '@sched/bundled/zod'

/** The lowest node in sight on which the job's next task fits. */
export const firstFitPlacement = definePlacement({
  name: 'first-fit',
  summary: 'the lowest node on which the task fits',
  options: z.strictObject({}),
  create: () => new FirstFit(),
})

/** The lowest node on which the task fits. */
export const firstFit = (): Plug<'placement'> => firstFitPlacement.plug({})
