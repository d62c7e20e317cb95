import { prefix, type CapacityQueue } from './capacity-model.js'
import { numberOf } from './site.js'
import type { Setting } from '../setting.js'

/** The beginning of settings of the flexible way to make queues at first use, after the path of a queue. */
export const FLEXIBLE = 'auto-queue-creation-v2'
/** The setting that says whether a queue made in this way is removed when it is empty. */
export const REMOVAL = `${FLEXIBLE}.queue-auto-removal.enable`
const depthKey = `${FLEXIBLE}.maximum-queue-depth`

/**
 * How a queue makes queues inside it at first use: only leaves (`auto-create-child-queue`), or leaves and parent queues around them
 * (`auto-queue-creation-v2`); undefined: not at all. If both are on, the first counts.
 */
export function makes({ properties }: CapacityQueue): 'leaves' | 'any' | undefined {
  const isOn = (key: string) => properties.get(key)?.value.trim().toLowerCase() === 'true'
  return isOn('auto-create-child-queue.enabled') ? 'leaves' : isOn(`${FLEXIBLE}.enabled`) ? 'any' : undefined
}

type Settings = ReadonlyMap<string, Setting>
const noSettings: Settings = new Map()

/** The number of levels of queues that may be made below a queue with these settings; at most as many last names of a path of templates may be *. */
export function depthBelow(own: Settings | undefined, general: Settings): number {
  const given = own?.get(depthKey) ?? general.get(`${prefix}${depthKey}`)
  return given === undefined ? 2 : numberOf(given, { least: 0, whole: true })
}

/**
 * Whether queues may be made at first use inside the queue of a path: a listed queue that makes others in the flexible way, or one that is itself made below
 * such a queue. Names in the path may be *.
 */
export function mayBeMade(path: string, listed: Iterable<CapacityQueue>, general: Settings = noSettings): boolean {
  const names = path.split('.')
  for (const queue of listed) {
    if (makes(queue) !== 'any') continue
    const around = queue.path.split('.')
    const levels = names.length - around.length
    if (levels >= 0 && levels < depthBelow(queue.properties, general) && around.every((name, i) => name === names[i] || (i > 0 && names[i] === '*'))) return true
  }
  return false
}
