import { prefix, type CapacityQueue } from './capacity-model.js'
import type { Options } from './capacity-use.js'
import { FLEXIBLE, makes } from './made-queues.js'
import type { Setting } from '../setting.js'

const monitorPrefix = 'yarn.resourcemanager.scheduler.monitor.'
/**
 * Monitors for queues made at first use: the option for their interval in seconds, its default, the kind of queues that they look after, and the property of
 * the interval.
 */
const monitors = [
  { name: 'AutoCreatedQueueDeletionPolicy', option: 'queueExpiration', usual: 300, kind: 'any', property: `${prefix}${FLEXIBLE}.queue-expiration-time` },
  { name: 'QueueManagementDynamicEditPolicy', option: 'queueManagementInterval', usual: 1.5, kind: 'leaves', property: 'yarn.resourcemanager.monitor.capacity.queue-management.monitoring-interval' },
] as const
/** Class names of the monitors that are simulated. */
export const knownMonitors: readonly string[] = ['ProportionalCapacityPreemptionPolicy', ...monitors.map(({ name }) => name)]

type Files = readonly ReadonlyMap<string, Setting>[]

/** Whether the resource manager runs the monitor of this class. */
function runs(files: Files, name: string): boolean {
  const has = (key: string, part: string) => files.some((file) => file.get(`${monitorPrefix}${key}`)?.value.includes(part))
  return has('enable', 'true') && has('policies', name)
}

/** Why a property that is the interval of a monitor does not count; undefined: it counts, or it is no such property. */
export function idleMonitor(property: string, files: Files): string | undefined {
  const monitor = monitors.find((each) => each.property === property)
  return monitor === undefined || runs(files, monitor.name) ? undefined : `${monitor.name} is not among the monitors (${monitorPrefix}enable and ${monitorPrefix}policies)`
}

/**
 * Sets the intervals of the monitors that run and have queues to look after, and deletes the others. QueueManagementDynamicEditPolicy acts only in legacy
 * queue mode.
 */
export function setIntervals(options: Options, files: Files, root: CapacityQueue): void {
  const isMade = (kind: ReturnType<typeof makes>, queue: CapacityQueue): boolean => makes(queue) === kind || queue.queues.some((each) => isMade(kind, each))
  for (const { name, option, usual, kind } of monitors) {
    if (runs(files, name) && isMade(kind, root) && (kind === 'any' || options.legacyQueueMode !== false)) options[option] ??= usual
    else delete options[option]
  }
}
