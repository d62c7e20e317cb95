import { slurmResource } from '@sched/policies'
import { hasParameter } from './options.js'
import { isYes, type SlurmConf } from './conf.js'
import { ofOneNode } from './one-node.js'
import { BEST_FIT } from './other-settings.js'
import { timeSlices } from './time-slices.js'
import { isLinear } from './whole-nodes.js'

/** Whether jobs get the least loaded nodes first (CR_LLN), or the partitions whose jobs do (LLN), as the option `leastLoaded` of `replan`. */
export function leastLoaded(conf: SlurmConf, nodes: number): boolean | string[] {
  if (nodes === 1 || isLinear(conf) || timeSlices(conf) !== undefined) return false
  if (/(^|,)\s*CR_LLN\s*(,|$)/i.test(conf.general.get('selecttypeparameters')?.value ?? '')) return true
  const own = conf.partitions.flatMap(({ name, settings }) => (isYes(settings.get('lln')) ? [name.value] : []))
  return own.length > 0 && own
}

/** Why jobs of one processor do not get the last nodes although the file has pack_serial_at_end; empty: they do; undefined: the file does not have it. */
export function whyNotSerial(conf: SlurmConf, nodes: number, resources: readonly string[]): string | undefined {
  if (!hasParameter(conf, 'pack_serial_at_end')) return undefined
  if (nodes === 1) return ofOneNode(conf)
  return isLinear(conf) ? BEST_FIT : slurmResource('cpu', resources) < 0 ? 'jobs ask for no single processors' : ''
}
