import { leastTasks, ownValue, type ClusterView, type JobSpec, type StageSpec } from '@sched/core'
import type { Bill } from './bills.js'
import type { Limit, Piece } from './counted.js'
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
  const pieces = spec.stages.map((stage) => pieceOf(stage, spec, terms.bill, cluster))
  const over = terms.strict.find((limit) => pieces.some((piece) => limit.isOver(piece))) ?? overTogether(spec, pieces, terms.strictAccounting)
  return over === undefined ? undefined : `it asks for more, less or longer than it may (${over.reason})`
}

/**
 * The limit that the parts of a heterogeneous job exceed together: all of QOS and associations hold for what they ask for in all, too, those of single jobs
 * included, for the time limit of the first.
 *
 * Source: Slurm, `acct_policy_validate_het_job`.
 */
function overTogether({ gang }: JobSpec, pieces: readonly Piece[], limits: readonly Limit[]): Limit | undefined {
  const [first, ...others] = pieces
  if (gang !== true || first === undefined || others.length === 0) return undefined
  const amount = (resource: number) => pieces.reduce((sum, piece) => sum + piece.amount(resource), 0)
  return limits.find((limit) => limit.isOver({ ...first, amount, whole: amount }))
}

/** What a stage of the job asks for as it was submitted. */
function pieceOf(stage: StageSpec, { estimate = Infinity, minNodes = 1, maxNodes = Infinity }: JobSpec, bill: Bill | undefined, { resources }: ClusterView): Piece {
  const tasks = leastTasks(stage)
  const demand = (resource: number) => ownValue(stage.demand, resources[resource] as string) ?? 0
  const amount = (resource: number) => (resource === resources.length ? (bill?.(tasks, demand) ?? 0) : tasks * demand(resource))
  return { isFirst: true, amount, whole: amount, estimate: stage.estimate ?? estimate, mostNodes: maxNodes, leastNodes: Math.max(minNodes, stage.constraints?.distinctNodes === true ? tasks : 1) }
}
