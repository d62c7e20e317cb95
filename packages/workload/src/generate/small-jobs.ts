import { randomStream, type JobSpec } from '@sched/core'
import * as z from '@sched/bundled/zod'
import { workloadFrom } from '../workload.js'
import { count, callable, positive, seconds, seed, spread, startup } from './callable.js'
import { around, arrivals } from './sampling.js'

/**
 * A steady stream of small filter jobs of one size, each with its own user and blocks (DS-F12, DS-T4). Throughput is the number of jobs over the time
 * until the last one has ended.
 *
 * Source: Zaharia et al., "Delay Scheduling", EuroSys 2010, figure 12 and table 4 (private cluster, 10 to 20 minutes).
 *
 * Choice: Poisson submissions whose local work is the fraction `load` of what `slots` can do during `span`, so that the time lost to non-local maps
 * limits throughput.
 */
export const smallJobs = callable({
  name: 'small-jobs',
  summary: 'a steady stream of filter jobs of 3, 10 or 100 maps',
  source: 'Zaharia et al., EuroSys 2010, figure 12 and table 4',
  options: z.strictObject({
    seed,
    maps: count.default(3).describe('Maps per job; the paper has 3, 10 and 100.'),
    span: seconds.default(900).describe('Time over which jobs are submitted, seconds.'),
    slots: count.default(600).describe('Map slots of the cluster to fill (private cluster: 100 nodes x 6).'),
    load: positive.default(1).describe('Work of the jobs, if all maps are local, over what the slots can do in the span.'),
    localMapTime: seconds.default(15).describe('Duration of a map with its data on the node, seconds.'),
    spread,
    startup,
  }),
  create({ seed, maps, span, slots, load, localMapTime, spread, startup }) {
    const jobs = Math.max(1, Math.round((span * slots * load) / (maps * localMapTime)))
    const stages = [{ name: 'map', tasks: maps, demand: { map: 1 }, duration: around(localMapTime, spread), data: {} }]
    return workloadFrom(`small jobs of ${maps}`, jobs, () => {
      const submits = arrivals(jobs, span / jobs, randomStream(seed, 'small-jobs/gaps'))
      return (i): JobSpec => ({
        id: `job${i}`, submit: submits[i]!, user: `job${i}`, ...(startup > 0 && { startup }), label: `${maps} maps`, stages,
      })
    })
  },
})
