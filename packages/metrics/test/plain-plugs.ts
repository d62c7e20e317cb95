import { defineArchitecture, definePolicy, type LaneId, type OptionsSchema, type TaskId } from '@sched/core'

export const noOptions: OptionsSchema<unknown> = { '~standard': { version: 1, vendor: 'test', validate: (value) => ({ value }) } }

/** Starts the tasks of jobs by submission, each on the first node that has room. */
export const inOrder = definePolicy({
  name: 'in-order',
  summary: 'jobs by submission',
  options: noOptions,
  create: () => ({
    schedule(round) {
      for (const job of round.work.jobs())
        for (const node of round.nodes) while (round.work.unplaced(job, round.lane) > 0 && round.fits(job, node) && round.claim(round.work.taskFor(job, round.lane, node, 9) as TaskId, node));
    },
  }),
}).plug({})

/** One scheduler, with a round at every pass. */
export const serial = defineArchitecture({
  name: 'serial',
  summary: 'one round per pass',
  options: noOptions,
  create: (_, { cell, addScheduler }) => {
    const scheduler = addScheduler('only')
    return {
      trigger: () => {
        const round = cell.draft(scheduler, 0 as LaneId, cell.nodes)
        scheduler.policy.schedule(round)
        round.commit({ conflict: 'none', atomic: false })
      },
    }
  },
}).plug({})
