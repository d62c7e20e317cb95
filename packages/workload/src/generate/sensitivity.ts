import type { JobSource, JobSpec } from '@sched/core'
import * as z from '@sched/bundled/zod'
import { count, callable, seconds, spread } from './callable.js'
import { around } from './sampling.js'

/**
 * A closed loop of equal jobs (DS-F15): `active` jobs are submitted at the start, and whenever one ends the next is submitted, until `jobs` have
 * been. It cannot be written to a file, because its submit times depend on the run. Only durations are random, and the run draws them.
 *
 * Source: Zaharia et al., "Delay Scheduling", EuroSys 2010, figure 15 (EC2, 4 or 12 maps per job, 50 jobs active).
 *
 * Choice: local maps take 15 s, as in `facebook`.
 */
export const sensitivity = callable({
  name: 'sensitivity',
  summary: 'a closed loop of 200 small jobs, 50 at a time',
  source: 'Zaharia et al., EuroSys 2010, figure 15',
  options: z.strictObject({
    maps: count.default(4).describe('Maps per job; the paper has 4 and 12.'),
    jobs: count.default(200).describe('Number of jobs in total.'),
    active: count.default(50).describe('Number of jobs in the system at a time.'),
    localMapTime: seconds.default(15).describe('Duration of a map with its data on the node, seconds.'),
    spread,
  }),
  create({ maps, jobs, active, localMapTime, spread }) {
    const stages = [{ name: 'map', tasks: maps, demand: { map: 1 }, duration: around(localMapTime, spread), data: {} }]
    const jobAt = (index: number, submit: number): JobSpec => (
      { id: `job${index}`, submit, user: `job${index}`, label: `${maps} maps`, stages })
    return {
      name: `sensitivity ${maps} maps`,
      jobs,
      chained: false,
      open(): JobSource {
        let submitted = 0
        return {
          next: () => (submitted < Math.min(active, jobs) ? jobAt(submitted++, 0) : undefined),
          ended: (_, now) => (submitted < jobs ? jobAt(submitted++, now) : undefined),
        }
      },
    }
  },
})
