import { SchedError } from '@sched/core'
import { LEGACY } from './capacity-model.js'
import { capacityValue } from './capacity-value.js'
import type { Setting } from '../setting.js'

/** Capacities of several kinds, also of partitions and in templates, which Hadoop 3.4 takes outside its legacy mode alone. Throws `BAD_INPUT` with the line. */
export function checkVectors(...ofPaths: readonly Iterable<ReadonlyMap<string, Setting>>[]): void {
  for (const [suffix, property] of ofPaths.flatMap((each) => [...each]).flatMap((settings) => [...settings])) {
    const found = /(?:^|\.)(maximum-)?capacity$/.exec(suffix)
    const { file, line, name, value } = property
    if (found === null || !value.includes('[') || capacityValue(property, { isMaximum: found[1] !== undefined }).kind !== 'vector') continue
    throw new SchedError('BAD_INPUT', `"${value}" has a percentage or a weight of one resource.`, { file, line, field: name }, `Write one for all resources, or amounts, or set ${LEGACY} to false.`)
  }
}
