import { SchedError, type JobSpec } from '@sched/core'
import { underRoot } from '@sched/policies'
import { allocated, type Allocation } from './allocation.js'
import { clusterName, queueAllocation } from './amounts.js'
import type { CapacityFile, CapacityQueue } from './capacity-model.js'
import { count, type Options } from './capacity-use.js'
import type { Bound, Bounds, ResourceTypes } from './resource-types.js'
import type { Place } from '../placed.js'
import type { Setting } from '../setting.js'

/**
 * The most that a task may ask for in each listed queue, by path: as the queue says, or else as its parent does. Throws `BAD_INPUT` with the line for a
 * queue that allows more than the maximum of all queues.
 */
export function largestByQueue({ root }: CapacityFile, { most }: ResourceTypes, resources: readonly string[]): Map<string, Bounds> {
  const byPath = new Map<string, Bounds>()
  const visit = (queue: CapacityQueue, around: Bounds): void => {
    const own = new Map(around)
    for (const [name, bound] of boundsOf(queue, resources)) {
      const all = most.get(name)
      if (all !== undefined && bound.value > all.value)
        throw new SchedError(
          'BAD_INPUT',
          `tasks in queue "${queue.path}" may ask ${bound.value} ${name}, more than ${all.from.name}, ${all.value} (${all.from.file} line ${all.from.line}).`,
          { file: bound.from.file, line: bound.from.line, field: bound.from.name },
          'Lower the one or raise the other.',
        )
      own.set(name, bound)
    }
    byPath.set(queue.path, own)
    for (const each of queue.queues) visit(each, own)
  }
  visit(root, most)
  return byPath
}

/** The bounds that a queue itself sets, by resource of the cluster. */
function boundsOf({ properties }: CapacityQueue, resources: readonly string[]): [string, Bound][] {
  const named = (name: string, value: number, from: Setting): [string, Bound][] => {
    const known = clusterName(name, resources)
    return known === undefined ? [] : [[known, { value, from }]]
  }
  const all = properties.get('maximum-allocation')
  if (all !== undefined) {
    const given = Object.entries(queueAllocation(all.value, { file: all.file, line: all.line, field: all.name })).flatMap(([name, value]) => named(name, value, all))
    const none = given.length === 0 ? [] : resources.map((name): [string, Bound] => [name, { value: 0, from: all }]) // a resource that it does not name is 0
    return [...none, ...given]
  }
  const older = (key: string, name: string) => {
    const from = properties.get(key)
    return from === undefined ? [] : named(name, count(from), from)
  }
  return [...older('maximum-allocation-mb', 'memory-mb'), ...older('maximum-allocation-vcores', 'vcores')]
}

/**
 * How the capacity scheduler rounds what tasks ask for: up to multiples of the least allocation. `isDominant`: whether its resource calculator compares all
 * resources. The default one compares and rounds only memory. Deviation: YARN then gives each task one vcore; here it gets those that it asks for.
 */
export function roundedBy({ least }: ResourceTypes, isDominant: boolean, resources: readonly string[]): Allocation {
  const memory = clusterName('memory-mb', resources)
  const counted = [...least].filter(([name, { value }]) => value > 0 && (isDominant || name === memory)).map(([name, { value }]) => [name, value] as const)
  return { least: Object.fromEntries(counted), steps: Object.fromEntries(counted) }
}

/**
 * Rounds what the tasks of a job ask for, and refuses a job that asks for more than its queue allows; undefined if nothing is rounded or limited. The queue
 * is the one that the job names. If mappings override that, only the bounds of the root are checked here; the policy checks those of the queue.
 */
export function allocating(allocation: Allocation, byPath: ReadonlyMap<string, Bounds>, { overrideWithMappings = false }: Options): Place | undefined {
  const isLimited = [...byPath.values()].some((bounds) => bounds.size > 0)
  if (!isLimited && Object.keys(allocation.least).length === 0) return undefined
  const shorts = new Map([...byPath.keys()].map((path) => [path.slice(path.lastIndexOf('.') + 1), path]))
  const boundsOf = ({ queue }: JobSpec): Bounds => {
    const root = byPath.get('root') as Bounds
    if (queue === undefined || overrideWithMappings) return root
    const written = queue.replaceAll('/', '.')
    for (let path = byPath.has(underRoot(written)) ? underRoot(written) : (shorts.get(written) ?? underRoot(written)); path.includes('.'); path = path.slice(0, path.lastIndexOf('.'))) {
      const bounds = byPath.get(path)
      if (bounds !== undefined) return bounds
    }
    return root
  }
  return (spec) => allocated(spec, allocation, boundsOf(spec))
}
