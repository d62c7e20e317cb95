import { wholeOf } from './attributes.js'
import type { PbsFile } from './pbs-file.js'
import type { PbsQueue } from './qmgr.js'

/** Whether a queue passes jobs on to others (queue_type Route). */
export const isRoute = ({ attributes }: PbsQueue): boolean => /^r/i.test(attributes.get('queue_type')?.value ?? '')

/** The queues in which jobs run. */
export const executionQueues = ({ queues }: Pick<PbsFile, 'queues'>): PbsQueue[] => queues.filter((queue) => !isRoute(queue))

/** The Priority of a queue. Throws `BAD_INPUT` with the line for one that PBS does not take. */
export const priorityOf = ({ attributes }: PbsQueue): number => wholeOf(attributes.get('priority'), -1024, 1023) ?? 0
