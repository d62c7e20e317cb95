import { prefix, type CapacityQueue } from './capacity-model.js'
import type { Options } from './capacity-use.js'
import { FLEXIBLE, makes } from './made-queues.js'
import type { Setting } from '../setting.js'

const monitorPrefix = 'yarn.resourcemanager.scheduler.monitor.'
/** Monitors that look after queues made at first use: the option that is their interval, its default, which queues they look after, and what is said of the interval where they do not run. */
const monitors = [
  { name: 'AutoCreatedQueueDeletionPolicy', option: 'queueExpiration', usual: 300, kind: 'any', property: `${prefix}${FLEXIBLE}.queue-expiration-time` },
  { name: 'QueueManagementDynamicEditPolicy', option: 'queueManagementInterval', usual: 1.5, kind: 'leaves', property: 'yarn.resourcemanager.monitor.capacity.queue-management.monitoring-interval' },
] as const
/** Monitors that are simulated, by the name of their class. */
export const knownMonitors: readonly string[] = ['ProportionalCapacityPreemptionPolicy', ...monitors.map(({ name }) => name)]

type Files = readonly ReadonlyMap<string, Setting>[]

/** Whether the resource manager runs a monitor. */
function runs(files: Files, name: string): boolean {
  const has = (key: string, part: string) => files.some((file) => file.get(`${monitorPrefix}${key}`)?.value.includes(part))
  return has('enable', 'true') && has('policies', name)
}

/** Why the interval of a monitor does not count; undefined: it does, or the property is another one. */
export function idleMonitor(property: string, files: Files): string | undefined {
  const monitor = monitors.find((each) => each.property === property)
  return monitor === undefined || runs(files, monitor.name) ? undefined : `${monitor.name} is not among the monitors (${monitorPrefix}enable and ${monitorPrefix}policies)`
}

/** The intervals of the monitors that run and have queues to look after; capacities are managed in the legacy mode alone. */
export function setIntervals(options: Options, files: Files, root: CapacityQueue): void {
  const isMade = (kind: ReturnType<typeof makes>, queue: CapacityQueue): boolean => makes(queue) === kind || queue.queues.some((each) => isMade(kind, each))
  for (const { name, option, usual, kind } of monitors) {
    if (runs(files, name) && isMade(kind, root) && (kind === 'any' || options.legacyQueueMode !== false)) options[option] ??= usual
    else delete options[option]
  }
}
