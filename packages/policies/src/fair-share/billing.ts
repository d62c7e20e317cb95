import { amountsByName, type ClusterView, type ResourceId } from '@sched/core'
import * as z from '@sched/bundled/zod'
import { isOfNode } from '../slurm-limits/amounts.js'

/**
 * Option that says how weighted amounts are combined into a bill: false: all are added up; true: the largest counts; 'gres': the
 * largest of processors, memory and nodes, and all others are added.
 *
 * Source: Slurm, slurm.conf(5), MAX_TRES and MAX_TRES_GRES of PriorityFlags.
 */
export const maxTresOption = z.union([z.boolean(), z.literal('gres')]).default(false)

/** By resource: whether its weighted amount is added up in a bill; of the others only the largest counts. */
export const addedUp = (maxTres: boolean | 'gres', resources: readonly string[]): readonly boolean[] =>
  resources.map((name) => maxTres === false || (maxTres === 'gres' && !isOfNode(name)))

/** Names of processors; if no resource has one of these, the first resource is charged. */
const PROCESSORS = ['cpu', 'cpus', 'procs', 'processors', 'cores', 'vcores', 'cpu-milli', 'millicores']

/** The index of the resource that is processors; -1: none is. */
export const processorsIn = (resources: readonly string[]): number => resources.findIndex((name) => PROCESSORS.includes(name.toLowerCase()))

/** By resource: the bill for one unit; without an option 1 for a slot or a processor, 0 for everything else. Throws `BAD_OPTION` for an unknown resource. */
export function billingOf(billing: Readonly<Record<string, number>> | undefined, { resources, lanes }: ClusterView, option: string): Float64Array {
  if (billing !== undefined) return amountsByName(billing, resources, option)
  if (lanes.length > 1) return new Float64Array(resources.length).fill(1)
  const processors = Math.max(0, processorsIn(resources))
  return Float64Array.from(resources, (_, r) => (r === (processors as ResourceId) ? 1 : 0))
}
