import type { JobSpec } from '@sched/core'
import { underRoot } from '@sched/policies'
import type { Placed } from '../placed.js'
import type { FairQueue, PlacementRule } from './fair-model.js'
import { find } from './placement-rules.js'

/**
 * The queue of a job by the first placement rule that gives it one, or a refusal. The group of a job is its primary group; secondary groups are not known,
 * so `secondaryGroupExistingQueue` never gives a queue.
 *
 * Source: Hadoop 3, FairScheduler.md, queuePlacementPolicy.
 */
export function placeJob(spec: JobSpec, rules: readonly PlacementRule[], root: FairQueue): Placed {
  for (const rule of rules) {
    if (rule.name === 'reject') return { refused: `rule "reject" in line ${rule.line} refuses it` }
    const queue = wanted(rule, spec, root)
    if (queue === undefined) continue
    const found = find(root, queue)
    if (found === undefined && !rule.create) continue
    if (queue.split('.').some((part) => part === '' || part !== part.trim())) return { refused: `queue "${queue}" has a part without a name, or spaces around one` }
    if (found?.isParent === true) return { refused: `queue "${queue}" holds queues and no jobs` }
    const leaf = leafAround(root, queue)
    if (leaf !== undefined) return { refused: `queue "${queue}" would lie in "${leaf}", which holds jobs itself` }
    return { queue }
  }
  return { refused: 'no placement rule gives it a queue' }
}

/** The full path of the queue that a rule gives a job; undefined: none, the next rule is tried. */
function wanted({ name, queue, nested }: PlacementRule, spec: JobSpec, root: FairQueue): string | undefined {
  switch (name) {
    case 'specified':
      return spec.queue === undefined || spec.queue === 'default' ? undefined : underRoot(spec.queue)
    case 'user':
    case 'nestedUserQueue':
      return inside(nested, spec.user ?? 'default', spec, root)
    case 'primaryGroup':
      return spec.group === undefined ? undefined : inside(nested, spec.group, spec, root)
    case 'default':
      return queue
    default:
      return undefined
  }
}

/** The queue of a user or group inside the queue that a nested rule gives, by default inside the root; undefined if that queue can hold no queues. */
function inside(nested: PlacementRule | undefined, name: string, spec: JobSpec, root: FairQueue): string | undefined {
  const around = nested === undefined ? 'root' : wanted(nested, spec, root)
  if (around === undefined) return undefined
  const mayHold = find(root, around)?.isParent ?? nested?.create
  return mayHold === true ? `${around}.${clean(name)}` : undefined
}

/** A name of a user or group as the name of a queue: without blanks around it, and with _dot_ for a period, which would be a level of the tree. */
const clean = (name: string): string => name.trim().replaceAll('.', '_dot_')

/** The path of a declared queue around a path that holds jobs and thus can hold no queue; undefined if there is none. */
function leafAround(root: FairQueue, path: string): string | undefined {
  const parts = path.split('.')
  for (let depth = 2; depth < parts.length; depth++) {
    const around = find(root, parts.slice(0, depth).join('.'))
    if (around !== undefined && !around.isParent) return around.path
  }
  return undefined
}
