import { SchedError } from '@sched/core'
import { LEGACY } from './capacity-model.js'
import { capacityValue } from './capacity-value.js'
import type { Setting } from '../setting.js'

/**
 * Throws `BAD_INPUT` with the line for a vector of capacities of several kinds, also for a label or in a template. To be called in legacy queue mode: Hadoop
 * 3.4 takes such vectors only outside it.
 */
export function checkVectors(...ofPaths: readonly Iterable<ReadonlyMap<string, Setting>>[]): void {
  for (const [suffix, property] of ofPaths.flatMap((each) => [...each]).flatMap((settings) => [...settings])) {
    const found = /(?:^|\.)(maximum-)?capacity$/.exec(suffix)
    const { file, line, name, value } = property
    if (found === null || !value.includes('[') || capacityValue(property, { isMaximum: found[1] !== undefined }).kind !== 'vector') continue
    throw new SchedError('BAD_INPUT', `"${value}" has a percentage or a weight of one resource.`, { file, line, field: name }, `Write one for all resources, or amounts, or set ${LEGACY} to false.`)
  }
}
