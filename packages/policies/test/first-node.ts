import { definePlacement, None } from '@sched/core'

/** The lowest node in sight on which the job's next task fits: orders alone place nothing where there are no heartbeats. */
export const firstNode = () =>
  definePlacement({
    name: 'first-node',
    summary: 'the lowest node on which the task fits',
    options: { '~standard': { version: 1, vendor: 'test', validate: (value) => ({ value }) } },
    create: () => ({ pick: (job, round) => round.nodes.find((node) => round.fits(job, node)) ?? None }),
  }).plug({})
