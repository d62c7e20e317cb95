import type { KubernetesObject } from '@sched/cluster'
import { SchedError, suggest } from '@sched/core'
import { fieldsOf, textOf } from './fields.js'

/** A queue that is an object of its own and names the one around it. */
export interface NestedQueue {
  /** As its object has it. */
  readonly name: string
  /** With the names of those around it, from the outside: `team.project`. */
  readonly path: string
  /** Whether other queues are inside it. */
  readonly isParent: boolean
  /** The object, with the places of its fields. */
  readonly found: KubernetesObject
}

/**
 * Queues by their paths, parents before their children. `field` of the `spec` names the queue around one; those that name none, or the one called `root`, are
 * on top. Throws `BAD_INPUT` with the line for one in a queue that is not there, or in itself.
 */
export function nestedQueues(byName: ReadonlyMap<string, KubernetesObject>, field: string, root?: string): NestedQueue[] {
  const parents = new Map([...byName].map(([name, found]) => [name, name === root ? undefined : parentOf(found, byName, field, root)]))
  const around = new Set(parents.values())
  const pathOf = (name: string, { place }: KubernetesObject): string => {
    const path = [name]
    for (let parent = parents.get(name); parent !== undefined; parent = parents.get(parent)) {
      if (path.includes(parent))
        throw new SchedError('BAD_INPUT', `queue "${name}" lies in itself: ${[...path].reverse().join(' around ')}.`, place('spec', field), 'Change one of them.')
      path.unshift(parent)
    }
    return path.join('.')
  }
  return [...byName]
    .map(([name, found]) => ({ name, path: pathOf(name, found), isParent: name === root || around.has(name), found }))
    .sort((a, b) => (a.path < b.path ? -1 : 1))
}

function parentOf({ object, place }: KubernetesObject, byName: ReadonlyMap<string, KubernetesObject>, field: string, root: string | undefined): string | undefined {
  const parent = fieldsOf(object['spec'])[field]
  if (parent === undefined || parent === null || parent === '' || parent === root) return undefined
  if (typeof parent === 'string' && byName.has(parent)) return parent
  throw new SchedError('BAD_INPUT', `names the queue ${JSON.stringify(parent)}, which is not there.`, place('spec', field), suggest(textOf(parent), [...byName.keys()]))
}
