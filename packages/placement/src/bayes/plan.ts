import { SchedError } from '@sched/core'

/**
 * Planned map tasks of one job by rack and node of the rack; `null`: there is no such node, or it has failed. All racks have
 * as many entries as the largest has nodes.
 */
export type Plan = readonly (readonly (number | null)[])[]

/** Racks of a cluster, and nodes of its largest rack. */
export interface ClusterShape {
  /** Number of racks. */
  readonly racks: number
  /** Nodes of the largest rack. */
  readonly nodes: number
}

export const shapeText = ({ racks, nodes }: ClusterShape): string => `${racks} rack${racks === 1 ? '' : 's'} x ${nodes} node${nodes === 1 ? '' : 's'}`

/** The shape of a plan. Throws `BAD_INPUT` for one without racks or nodes, or with racks of different lengths. */
export function shapeOf(plan: Plan, field = 'plan'): ClusterShape {
  const nodes = plan[0]?.length ?? 0
  if (nodes === 0) throw new SchedError('BAD_INPUT', 'has no nodes.', { field }, 'Write one list of numbers per rack.')
  const other = plan.findIndex((rack) => rack.length !== nodes)
  if (other >= 0)
    throw new SchedError('BAD_INPUT', `has ${plan[other]?.length} entries, rack 0 has ${nodes}.`, { field: `${field}[${other}]` }, 'Write null for nodes that a rack has not.')
  return { racks: plan.length, nodes }
}

/** Throws `BAD_INPUT` for a plan of another cluster shape than the model's. */
export function checkShape(plan: Plan, { racks, nodes }: ClusterShape, field = 'plan'): void {
  if (plan.length === racks && plan.every((rack) => rack.length === nodes)) return
  const found = shapeText(shapeOf(plan, field))
  throw new SchedError('BAD_INPUT', `is of a cluster of ${found}, the model of one of ${shapeText({ racks, nodes })}.`, { field }, 'Train a model on runs of this cluster.')
}

/** Tasks on a node, 0 for an absent one. Throws `BAD_INPUT` for what is no number of tasks. */
export function tasksAt(plan: Plan, rack: number, node: number, field = 'plan'): number {
  const tasks = plan[rack]?.[node]
  if (tasks === null) return 0
  if (typeof tasks !== 'number') throw new SchedError('BAD_INPUT', 'is missing.', { field: `${field}[${rack}][${node}]` }, 'Write null for an absent node.')
  if (!(tasks >= 0 && tasks < Infinity)) throw new SchedError('BAD_INPUT', `is ${tasks}.`, { field: `${field}[${rack}][${node}]` }, 'Use a number of tasks, at least 0.')
  return tasks
}

/** Tasks in all. */
export const totalTasks = (plan: Plan): number => plan.reduce((sum, rack) => rack.reduce<number>((inRack, tasks) => inRack + (tasks ?? 0), sum), 0)
