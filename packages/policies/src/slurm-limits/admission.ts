import { leastTasks, ownValue, type ClusterView, type JobSpec, type StageSpec } from '@sched/core'
import type { Bill } from './bills.js'
import type { Piece } from './counted.js'
import type { Terms } from './terms.js'

/**
 * Why a job is refused under its terms when it is submitted; undefined: it is not. `again`: it is in the system already, so that numbers of jobs and closed
 * partitions do not refuse it.
 */
export function refusalOf(spec: JobSpec, terms: Terms, cluster: ClusterView, again: boolean): string | undefined {
  const refusal = terms.refusal ?? (again ? undefined : terms.closed)
  if (refusal !== undefined) return refusal
  const full = again ? undefined : terms.submits.find(({ of, most }) => of.submitted >= most)
  if (full !== undefined) return `${full.of.name} has ${full.of.submitted} of ${full.most} jobs in the system (${full.reason})`
  const over = terms.strict.find((limit) => spec.stages.some((stage) => limit.isOver(pieceOf(stage, spec, terms.bill, cluster))))
  return over === undefined ? undefined : `it asks for more, less or longer than it may (${over.reason})`
}

/** What a stage of the job asks for as it was submitted. */
function pieceOf(stage: StageSpec, { estimate = Infinity, maxNodes = Infinity }: JobSpec, bill: Bill | undefined, { resources }: ClusterView): Piece {
  const tasks = leastTasks(stage)
  const demand = (resource: number) => ownValue(stage.demand, resources[resource] as string) ?? 0
  const amount = (resource: number) => (resource === resources.length ? (bill?.(tasks, demand) ?? 0) : tasks * demand(resource))
  return { isFirst: true, amount, whole: amount, estimate: stage.estimate ?? estimate, mostNodes: maxNodes }
}
