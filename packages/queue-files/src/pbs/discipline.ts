import type { Config } from '@sched/core'
import { wholeOf } from './attributes.js'
import type { PbsFile } from './pbs-file.js'
import { executionQueues } from './queues.js'
import type { Status } from './sched-config.js'
import type { Verdicts } from './verdicts.js'

/** How many top jobs there are: of the server, and of queues with a number of their own. Throws `BAD_INPUT` with the line for what is no whole number. */
function depthsOf(file: PbsFile): { readonly ofServer: number; readonly ofQueues: Readonly<Record<string, number>> } {
  const ofQueues = Object.fromEntries(executionQueues(file).flatMap(({ name, attributes }) => {
    const depth = wholeOf(attributes.get('backfill_depth'))
    return depth === undefined ? [] : [[name, depth]]
  }))
  return { ofServer: wholeOf(file.server.get('backfill_depth')) ?? 1, ofQueues }
}

/** Whether jobs are backfilled around top jobs under strict_ordering. */
function backfills(file: PbsFile): boolean {
  const { ofServer, ofQueues } = depthsOf(file)
  return ofServer > 0 || Object.values(ofQueues).some((depth) => depth > 0)
}

/**
 * The discipline: without strict_ordering whoever has room starts (`greedy`), and nobody is protected; with it the first backfill_depth jobs get reservations (`easy`), or
 * with 0 the first job blocks all others (`strict`).
 *
 * Source: OpenPBS, `should_backfill_with_job` and `main_sched_loop` of fifo.cpp.
 */
export function disciplineOf(file: PbsFile, status: Status, order: Config, placement: Config | undefined): Config {
  const parts = { order, ...(placement !== undefined && { placement }) }
  if (!file.config.isOn('strict_ordering', status)) return { greedy: parts }
  if (!backfills(file)) return { strict: parts }
  const { ofServer, ofQueues } = depthsOf(file)
  // where the server has 0, queues without a number of their own have that
  const depths = ofServer > 0 ? ofQueues : { ...Object.fromEntries(executionQueues(file).map(({ name }) => [name, 0])), ...ofQueues }
  return { easy: { ...parts, reservations: ofServer, ...(Object.keys(depths).length > 0 && { depths }), passOn: true, perArray: 1 } }
}

/** Whether there are plans at this time. */
export const makesPlans = (file: PbsFile, status: Status): boolean => file.config.isOn('strict_ordering', status) && backfills(file)

/** Tells what becomes of backfill_depth. `isStrict`: whether jobs are in strict order at any time. */
export function tellDepths(file: PbsFile, isStrict: boolean, verdicts: Verdicts): void {
  depthsOf(file) // a wrong number is refused, whether it counts or not
  const whyNot = isStrict ? '' : 'strict_ordering is off, so there are no top jobs'
  for (const attributes of [file.server, ...executionQueues(file).map((queue) => queue.attributes)]) verdicts.honour(attributes.get('backfill_depth'), whyNot)
}
