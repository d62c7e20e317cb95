import { definePlacement, ownValue, SchedError, suggest, type ClusterView, type Env, type NodeId, type Placement, type Plug, type ResourceId } from '@sched/core'
import * as z from '@sched/bundled/zod'
import { ByNode } from './scored/by-node.js'

const nodeSortOptions = z.strictObject({
  node_sort_key: z
    .array(z.string())
    .min(1)
    .default(['sort_priority HIGH'])
    .describe('keys as a sched_config has them, the first one counts most: sort_priority or a resource; HIGH or LOW; and of a resource total (default), assigned or unused: "cpu HIGH unused"'),
  nodes: z
    .record(z.string(), z.strictObject({ Priority: z.int().min(-1024).max(1023).default(0).describe('sort_priority of the node') }))
    .default({})
    .describe('nodes, or groups of nodes by their name, with their priorities; others have 0'),
})
/** Options of `nodeSort`; both may be left out. */
export type NodeSortOptions = z.input<typeof nodeSortOptions>
type ReadOptions = z.output<typeof nodeSortOptions>

/**
 * The first node with room of those sorted by several keys: their priority, and what they have, have in use, or have left of resources. They are sorted anew after each task.
 * Nodes that are alike come in the order of the cluster.
 *
 * Source: OpenPBS, `multi_node_sort` of sort.cpp, and where it is called: by `query_server` at the beginning of a cycle, and with `unused` or `assigned` by
 * `update_server_on_run` after each job and `eval_complex_selspec` of node_info.cpp after each chunk. Deviations: nodes that are alike stay there as they were sorted
 * before; chunks that are to be on different nodes (place=scatter) count there when all of them are placed, which chooses the same nodes.
 */
export const nodeSortPlacement = definePlacement({
  name: 'node-sort',
  summary: 'nodes by priority and by what they have, have in use or have left, in several keys (OpenPBS)',
  source: 'OpenPBS, node_sort_key',
  options: nodeSortOptions,
  create: (options, env): Placement => nodesSorted(options, env),
})

/** Nodes sorted by priority and resources. */
export const nodeSort = (options: NodeSortOptions = {}): Plug<'placement'> => nodeSortPlacement.plug({}, options)

const FIELD = 'node-sort.node_sort_key'
const KEY = /^(\S+)\s+(high|low)(?:\s+(total|assigned|unused))?$/i

/** A key: a value of a node, from 0 on and below `range`. Whole numbers; larger ones come first. */
interface Key {
  readonly range: number
  readonly value: (node: NodeId, view: ClusterView) => number
}

/** Keys are the digits of one number, the first one the highest. */
function nodesSorted({ node_sort_key: texts, nodes }: ReadOptions, { cluster }: Env): Placement {
  const priorities = prioritiesOf(nodes, cluster)
  const keys = texts.map((text) => keyOf(text, priorities, cluster))
  if (keys.reduce((product, { range }) => product * range, 1) > Number.MAX_SAFE_INTEGER)
    throw new SchedError('BAD_OPTION', `the ${keys.length} keys tell more kinds of nodes apart than can be numbered.`, { field: FIELD }, 'Leave out the last one.')
  return new ByNode((node, lane, view) => (view.hasRoom(lane, node) ? keys.reduce((sum, { range, value }) => sum * range + value(node, view), 0) : -Infinity))
}

/** Throws `BAD_OPTION` for a text that is no key, and for a name that stands for nothing. */
function keyOf(text: string, priorities: readonly number[], cluster: ClusterView): Key {
  const [found, name = '', direction = '', part = 'total'] = KEY.exec(text.trim()) ?? []
  if (found === undefined) throw new SchedError('BAD_OPTION', `found ${JSON.stringify(text)}.`, { field: FIELD }, 'Write for example "cpu HIGH unused".')
  const isHigh = direction.toLowerCase() === 'high'
  if (name === 'sort_priority') return ranked(priorities, isHigh)
  const resource = cluster.resources.indexOf(name) as ResourceId
  if (resource < 0) throw new SchedError('BAD_OPTION', `found the name "${name}".`, { field: FIELD }, suggest(name, ['sort_priority', ...cluster.resources]))
  const totals = Array.from({ length: cluster.nodes }, (_, node) => cluster.total(node as NodeId, resource))
  if (/total/i.test(part)) return ranked(totals, isHigh)
  const most = totals.reduce((max, total) => Math.max(max, total), 0)
  const isUnused = /unused/i.test(part)
  const amount = (node: NodeId, view: ClusterView) => (isUnused ? view.free(node, resource) : view.total(node, resource) - view.free(node, resource))
  return { range: most + 1, value: isHigh ? amount : (node, view) => most - amount(node, view) }
}

/** Nodes by values that stay: each by how many different values come behind its own. */
function ranked(values: readonly number[], isHigh: boolean): Key {
  const rising = [...new Set(values)].sort((a, b) => (isHigh ? a - b : b - a))
  const ranks = new Map(rising.map((value, rank) => [value, rank]))
  const ofNodes = values.map((value) => ranks.get(value) as number)
  return { range: rising.length, value: (node) => ofNodes[node] as number }
}

/** The priority of each node, by its name or that of its group. Throws `UNKNOWN_NAME` for a name that no node has. */
function prioritiesOf(nodes: ReadOptions['nodes'], cluster: ClusterView): number[] {
  const left = new Set(Object.keys(nodes))
  const priorities = Array.from({ length: cluster.nodes }, (_, node) => {
    const name = cluster.name(node as NodeId)
    const key = Object.hasOwn(nodes, name) ? name : name.replace(/-\d+$/, '')
    left.delete(key)
    return ownValue(nodes, key)?.Priority ?? 0
  })
  for (const name of left) throw new SchedError('UNKNOWN_NAME', `no node is called "${name}".`, { field: 'node-sort.nodes' }, suggest(name, priorities.slice(0, 1000).map((_, node) => cluster.name(node as NodeId))))
  return priorities
}
