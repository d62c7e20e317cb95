import { SchedError, suggest } from '@sched/core'
import { prefix, type CapacityFile, type CapacityQueue } from './capacity-model.js'
import { jsonMappings } from './json-mappings.js'
import { depthBelow, makes } from './made-queues.js'
import type { Setting } from '../setting.js'

/** What a mapping stands in for a name of its path, filled in for each job. */
const variables: ReadonlySet<string> = new Set(['%user', '%primary_group', '%secondary_group', '%specified', '%default', '%application'])

/**
 * Throws `BAD_INPUT` with the line for a mapping that gives no job a queue: one to a queue that neither is listed nor may be made at first use, to a queue
 * that holds queues, or to a path that begins with a name of several queues. Of a path with names of jobs in it, the part before them is checked.
 *
 * Source: Hadoop 3.4, MappingRuleValidationContextImpl, MappingRuleValidationHelper.
 */
export function checkMappings({ general, root }: CapacityFile, isJson: boolean): void {
  const property = general.get(`${prefix}${isJson ? 'mapping-rule-json' : 'queue-mappings'}`)
  if (property === undefined) return
  const all = [...within(root)]
  const { file, line, name } = property
  for (const { what, target } of isJson ? jsonTargets(property) : targets(property)) {
    const parts = target?.split('.') ?? []
    const dynamic = parts.findIndex((part) => variables.has(part))
    if (target === undefined || dynamic === 0) continue
    const bad = (queues: string, fact: string, wayOut?: string) => new SchedError('BAD_INPUT', `${what} maps to ${queues}, ${fact}.`, { file, line, field: name }, wayOut)
    const isStatic = dynamic < 0
    const named = isStatic ? target : parts.slice(0, dynamic).join('.')
    const queues = isStatic ? `queue "${named}"` : `queues in "${named}"`
    const first = parts[0] as string
    const beginnings = first === 'root' ? [root] : all.filter(({ path }) => path.endsWith(`.${first}`))
    if (beginnings.length > 1) throw bad(queues, `and several queues are called "${first}": ${beginnings.map(({ path }) => path).join(', ')}`, 'Write the whole path.')
    const path = beginnings.length === 0 ? undefined : `${(beginnings[0] as CapacityQueue).path}${named.slice(first.length)}`
    const queue = all.find((each) => each.path === path)
    const isLeaf = queue !== undefined && queue.queues.length === 0 && makes(queue) === undefined
    if (queue !== undefined && isLeaf !== isStatic)
      throw isStatic ? bad(queues, 'which holds queues and no jobs', 'Name a queue inside it.') : bad(queues, 'which holds jobs and no queues', 'Name a queue that makes queues.')
    if (queue !== undefined || (path !== undefined && mayMake(path, all, general))) continue
    const near = all.filter((each) => !isStatic || each.queues.length === 0).map((each) => (named.includes('.') ? each.path : (each.path.split('.').at(-1) as string)))
    throw bad(queues, 'which is not there', suggest(named, near))
  }
}

const targets = ({ value }: Setting) => value.split(',').map((mapping) => ({ what: `"${mapping.trim()}"`, target: mapping.trim().split(':')[2] }))
const jsonTargets = (property: Setting) =>
  jsonMappings(property).mappings.flatMap((rule) =>
    typeof rule === 'string' ? [] : [{ what: `the rule of ${rule.group === undefined ? `user ${rule.user ?? '*'}` : `group ${rule.group}`}`, target: rule.queue }])

function* within(queue: CapacityQueue): Generator<CapacityQueue> {
  yield queue
  for (const each of queue.queues) yield* within(each)
}

/** Whether a queue that is not listed may be made at first use, in the lowest listed one around it. */
function mayMake(path: string, all: readonly CapacityQueue[], general: CapacityFile['general']): boolean {
  const names = path.split('.')
  for (let levels = 1; levels < names.length; levels++) {
    const around = all.find((queue) => queue.path === names.slice(0, -levels).join('.'))
    if (around === undefined) continue
    const kind = makes(around)
    return kind !== undefined && levels <= (kind === 'leaves' ? 1 : depthBelow(around.properties, general))
  }
  return false
}
