import type { AccountingRecord } from './records.js'

/** A job as equal parts, as it asked for them. */
export interface PartsAsked {
  readonly tasks: number
  /** Whether no two parts may be on one node. */
  readonly areApart: boolean
  /** Fewest nodes that the parts must be on together; absent where they are apart. */
  readonly leastNodes?: number
  /** Most nodes that the parts may be on together. */
  readonly mostNodes?: number
}

/**
 * The equal parts that a job of `procs` processors asked for: one for each node where it asked for nodes, otherwise one for each task. `undefined` if its
 * record does not tell, or tells parts that need not be equal: such a job is as it ran, on as many nodes.
 */
export function partsAsked({ layout = {}, nodes: used, exclusive }: AccountingRecord, procs: number): PartsAsked | undefined {
  const { nodes = 1, mostNodes, tasks, tasksPerNode, isMemByNode = false, areGpusByNode = false } = layout
  const whole = (parts: number): PartsAsked | undefined => (parts >= 1 && procs % parts === 0 ? { tasks: parts, areApart: parts > 1 } : undefined)
  if (tasksPerNode !== undefined) return whole(Math.max(nodes, tasks === undefined ? 1 : Math.ceil(tasks / tasksPerNode)))
  if (mostNodes === nodes && (nodes === 1 || tasks === undefined || tasks === nodes)) return whole(nodes)
  if (nodes > 1 && tasks === undefined) return mostNodes === undefined ? whole(nodes) : undefined
  if (exclusive === 'job' || isMemByNode || areGpusByNode) return undefined
  const { procsPerTask = tasks === undefined ? (used === 1 ? procs : 1) : procs / tasks } = layout
  const parts = procs / procsPerTask
  if (!Number.isInteger(parts) || !Number.isInteger(procsPerTask) || parts < nodes) return undefined
  return { tasks: parts, areApart: false, ...(parts > 1 && { leastNodes: nodes }), ...(mostNodes !== undefined && mostNodes < parts && { mostNodes }) }
}
