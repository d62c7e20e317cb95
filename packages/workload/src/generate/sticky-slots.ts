import type { JobSpec } from '@sched/core'
import * as z from '@sched/bundled/zod'
import { workloadOf } from '../workload.js'
import { count, callable, seconds, spread } from './callable.js'
import { around } from './sampling.js'

/**
 * Scan jobs that are submitted together and read the same blocks (DS-F13, DS-F14): the load that shows sticky slots. Only durations are random, and
 * the run draws them.
 *
 * Source: Zaharia et al., "Delay Scheduling", EuroSys 2010, figures 13 and 14 (EC2, a data set of 180 GB, 5 to 50 jobs).
 */
export const stickySlots = callable({
  name: 'sticky-slots',
  summary: 'scan jobs that are submitted together and read one data set',
  source: 'Zaharia et al., EuroSys 2010, figures 13 and 14',
  options: z.strictObject({
    jobs: count.default(10).describe('Number of concurrent jobs; the paper has 5, 10, 20 and 50.'),
    blocks: count.default(1440).describe('Blocks of the data set, one map each: 180 GB in blocks of 128 MB.'),
    taskTime: seconds.default(20).describe('Duration of a map with its data on the node, seconds.'),
    spread,
  }),
  create({ jobs, blocks, taskTime, spread }) {
    const data = { set: 'scanned' }
    const stages = [{ name: 'map', tasks: blocks, demand: { map: 1 }, duration: around(taskTime, spread), data }]
    return workloadOf('sticky slots', Array.from({ length: jobs }, (_, i): JobSpec => (
      { id: `scan${i}`, submit: 0, user: `scan${i}`, label: 'scan', stages })))
  },
})
