import { SchedError } from '@sched/core'

/**
 * The map tasks of one job that are planned on each node: a list for every rack with one entry for each of its nodes. `null`: there is no such node, or it is
 * down. All lists are as long as that of the largest rack.
 */
export type Plan = readonly (readonly (number | null)[])[]

/** The shape of a cluster. */
export interface ClusterShape {
  /** Number of racks. */
  readonly racks: number
  /** Nodes of the largest rack. */
  readonly nodes: number
}

/** A shape as text, for messages. */
export const shapeText = ({ racks, nodes }: ClusterShape): string => `${racks} rack${racks === 1 ? '' : 's'} x ${nodes} node${nodes === 1 ? '' : 's'}`

/** The shape of a plan. Throws `BAD_INPUT` for a plan without racks or nodes, and for racks of different lengths. */
export function shapeOf(plan: Plan, field = 'plan'): ClusterShape {
  const nodes = plan[0]?.length ?? 0
  if (nodes === 0) throw new SchedError('BAD_INPUT', 'has no nodes.', { field }, 'Write one list of numbers per rack.')
  const other = plan.findIndex((rack) => rack.length !== nodes)
  if (other >= 0)
    throw new SchedError('BAD_INPUT', `has ${plan[other]?.length} entries, rack 0 has ${nodes}.`, { field: `${field}[${other}]` }, 'Write null for nodes that a rack has not.')
  return { racks: plan.length, nodes }
}

/** Throws `BAD_INPUT` for a plan of another shape than this one, the model's. */
export function checkShape(plan: Plan, { racks, nodes }: ClusterShape, field = 'plan'): void {
  if (plan.length === racks && plan.every((rack) => rack.length === nodes)) return
  const found = shapeText(shapeOf(plan, field))
  throw new SchedError('BAD_INPUT', `is of a cluster of ${found}, the model of one of ${shapeText({ racks, nodes })}.`, { field }, 'Train a model on runs of this cluster.')
}

/** The tasks on a node, 0 for an absent one. Throws `BAD_INPUT` for an entry that is missing or no number of tasks. */
export function tasksAt(plan: Plan, rack: number, node: number, field = 'plan'): number {
  const tasks = plan[rack]?.[node]
  if (tasks === null) return 0
  if (typeof tasks !== 'number') throw new SchedError('BAD_INPUT', 'is missing.', { field: `${field}[${rack}][${node}]` }, 'Write null for an absent node.')
  if (!(tasks >= 0 && tasks < Infinity)) throw new SchedError('BAD_INPUT', `is ${tasks}.`, { field: `${field}[${rack}][${node}]` }, 'Use a number of tasks, at least 0.')
  return tasks
}

/** The number of tasks in a plan. */
export const totalTasks = (plan: Plan): number => plan.reduce((sum, rack) => rack.reduce<number>((inRack, tasks) => inRack + (tasks ?? 0), sum), 0)
