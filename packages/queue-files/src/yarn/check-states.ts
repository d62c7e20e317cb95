import { SchedError } from '@sched/core'
import type { CapacityQueue } from './capacity-model.js'
import type { Setting } from '../setting.js'

/**
 * Throws `BAD_INPUT` with the line for a queue that is RUNNING inside one that is STOPPED: none of the queues inside that takes jobs.
 *
 * Source: Hadoop 3, AbstractCSQueue.initializeQueueState.
 */
export function checkStates(queue: CapacityQueue, stopped?: Setting): void {
  const own = queue.properties.get('state')
  const is = own?.value.trim().toUpperCase()
  if (own !== undefined && stopped !== undefined && is === 'RUNNING')
    throw new SchedError(
      'BAD_INPUT',
      `queue "${queue.path}" is RUNNING, and a queue around it is STOPPED (line ${stopped.line}).`,
      { file: own.file, line: own.line, field: own.name },
      'Stop it too, or leave out its state: it has that of the queue around it.',
    )
  for (const each of queue.queues) checkStates(each, is === 'STOPPED' ? own : stopped)
}
