import type { Allocation } from './allocation.js'
import { clusterName } from './amounts.js'
import type { FairSite } from './fair-site.js'
import type { ResourceTypes } from './resource-types.js'

/** YARN's defaults of the least allocation: 1024 MiB and 1 vcore. They count only if the file says something about rounding the resource. */
const usualLeast: Readonly<Record<string, number>> = { 'memory-mb': 1024, vcores: 1 }

/**
 * How the fair scheduler rounds what tasks ask for. A resource is rounded if its least allocation or its increment is given; the one that is not given is
 * then YARN's default.
 */
export function inIncrements({ increments, stepped }: FairSite, { least }: ResourceTypes, resources: readonly string[]): Allocation {
  const allocation = { least: {} as Record<string, number>, steps: {} as Record<string, number> }
  for (const type of new Set([...Object.keys(usualLeast), ...stepped, ...resources])) {
    const name = clusterName(type, resources)
    if (name === undefined || name in allocation.least || !(stepped.includes(type) || least.has(name))) continue
    allocation.least[name] = least.get(name)?.value ?? usualLeast[type] ?? 0
    allocation.steps[name] = increments[type] ?? 0
  }
  return allocation
}
