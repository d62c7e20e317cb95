import { prefix, type CapacityQueue } from './capacity-model.js'
import { numberOf } from './site.js'
import type { Setting } from '../setting.js'

/** What settings of flexible creation of queues begin with, behind the path of a queue. */
export const FLEXIBLE = 'auto-queue-creation-v2'
/** Whether a queue that was made so goes when it is empty. */
export const REMOVAL = `${FLEXIBLE}.queue-auto-removal.enable`
const depthKey = `${FLEXIBLE}.maximum-queue-depth`

/** How a queue makes others at first use: leaves alone (`auto-create-child-queue`), or leaves and queues around them; undefined: not at all. The first goes before. */
export function makes({ properties }: CapacityQueue): 'leaves' | 'any' | undefined {
  const isOn = (key: string) => properties.get(key)?.value.trim().toLowerCase() === 'true'
  return isOn('auto-create-child-queue.enabled') ? 'leaves' : isOn(`${FLEXIBLE}.enabled`) ? 'any' : undefined
}

type Settings = ReadonlyMap<string, Setting>
const noSettings: Settings = new Map()

/** Levels of queues that may be made below a queue with these settings, which is as many names of a path as may be * in what it takes its templates from. */
export function depthBelow(own: Settings | undefined, general: Settings): number {
  const given = own?.get(depthKey) ?? general.get(`${prefix}${depthKey}`)
  return given === undefined ? 2 : numberOf(given, { least: 0, whole: true })
}

/** Whether a path that is not listed, which may end in *, is that of queues that make others: of listed ones, or of those made at first use. */
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
