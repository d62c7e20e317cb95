import type { KubernetesObject } from '@sched/cluster'
import { SchedError, suggest } from '@sched/core'
import { fieldsOf, textOf } from './fields.js'

/** A queue that is a Kubernetes object of its own and names its parent. */
export interface NestedQueue {
  /** Name of the object. */
  readonly name: string
  /** Names of the queues around it, outermost first, and its own: `team.project`. */
  readonly path: string
  /** Whether other queues are inside it. The root always counts as a parent. */
  readonly isParent: boolean
  /** The object, with the places of its fields. */
  readonly found: KubernetesObject
}

/**
 * Queues with their paths, sorted by path, so that parents come before their children. The field `field` of the `spec` names the parent; a queue that
 * names none, or that names `root`, is at the top. Throws `BAD_INPUT` with the line if a parent does not exist or a queue lies in itself.
 */
export function nestedQueues(byName: ReadonlyMap<string, KubernetesObject>, field: string, root?: string): NestedQueue[] {
  const parents = new Map([...byName].map(([name, found]) => [name, name === root ? undefined : parentOf(found, byName, field, root)]))
  const around = new Set(parents.values())
  const pathOf = (name: string): string => {
    const path = [name]
    for (let parent = parents.get(name); parent !== undefined; parent = parents.get(parent)) {
      if (path.includes(parent)) {
        const circle = [parent, ...path.slice(0, path.indexOf(parent) + 1)]
        throw new SchedError('BAD_INPUT', `queue "${parent}" lies in itself: ${circle.join(' around ')}.`, byName.get(parent)?.place('spec', field), 'Change one of them.')
      }
      path.unshift(parent)
    }
    return path.join('.')
  }
  return [...byName]
    .map(([name, found]) => ({ name, path: pathOf(name), isParent: name === root || around.has(name), found }))
    .sort((a, b) => (a.path < b.path ? -1 : 1))
}

function parentOf({ object, place }: KubernetesObject, byName: ReadonlyMap<string, KubernetesObject>, field: string, root: string | undefined): string | undefined {
  const parent = fieldsOf(object['spec'])[field]
  if (parent === undefined || parent === null || parent === '' || parent === root) return undefined
  if (typeof parent === 'string' && byName.has(parent)) return parent
  throw new SchedError('BAD_INPUT', `names the queue ${JSON.stringify(parent)}, which is not there.`, place('spec', field), suggest(textOf(parent), [...byName.keys()]))
}
