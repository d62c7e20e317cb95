import { askedTogether, leastTasks, startedTogether, type ClusterView, type JobSpec, type NodeId, type StageSpec } from '@sched/core'
import { isWithin } from '../shares/vectors.js'
import { holds, type Flavor } from './flavor.js'
import { Spread } from './part-flavors.js'
import type { QuotaDemand } from './quota-demand.js'
import type { ClusterQueue } from './queues.js'

/**
 * Why no flavor of the queue, or no flavors for the stages of a job that is one gang, could ever have room for a workload of the job, in quota and on
 * nodes; `undefined` if some could.
 */
export function tooLarge(job: JobSpec, queue: ClusterQueue, cluster: ClusterView, demand: QuotaDemand): string | undefined {
  for (const stages of startedTogether(job)) {
    const lack = stages.length > 1 && queue.hasChoice && job.topology === undefined ? lackOfParts(stages, queue, cluster, demand) : lackOf(stages, queue, cluster, demand)
    if (lack !== undefined) return `queue ${queue.name}: ${lack}`
  }
  return undefined
}

function lackOf(stages: readonly StageSpec[], queue: ClusterQueue, cluster: ClusterView, demand: QuotaDemand): string | undefined {
  const flavors = queue.choices.all
  const asked = demand.stages(stages, queue)
  const columnOf = (flavor: number, r: number): number => flavors[flavor]?.columns[r] as number
  const lackIn = (flavor: number): number => asked.findIndex((amount, r) => amount > 0 && amount > queue.potential(columnOf(flavor, r)))
  const possible = queue.choicesFor(asked)
  const allowed = possible.filter((flavor) => lackIn(flavor) < 0)
  if (allowed.some((flavor) => couldHold(flavors[flavor] as Flavor, stages, cluster))) return undefined
  const isTask = stages.every((stage) => leastTasks(stage) === 1) && stages.length === 1
  if (allowed.length > 0) return `no nodes of ${allowed.map((flavor) => `flavor ${flavors[flavor]?.name}`).join(' or ')} could hold ${isTask ? 'a task' : 'its gang'}`
  const r = lackIn(possible[0] as number)
  const alike = possible.filter((flavor) => lackIn(flavor) === r)
  return `${asked[r]} ${demand.resources[r]} of at most ${Math.max(...alike.map((flavor) => queue.potential(columnOf(flavor, r))))}`
}

/** The same for stages that may each have a flavor of their own. */
function lackOfParts(stages: readonly StageSpec[], queue: ClusterQueue, cluster: ClusterView, demand: QuotaDemand): string | undefined {
  const parts = stages.map((stage, index) => ({ stage: index, demand: demand.stages([stage], queue) }))
  const canHold = (choice: number, part = 0): boolean => holdsStage(queue.choices.all[choice] as Flavor, stages[part] as StageSpec, cluster)
  if (Spread.isPossible(queue, parts, canHold)) return undefined
  for (const stage of stages) {
    const lack = lackOf([stage], queue, cluster, demand)
    if (lack !== undefined) return `stage ${stage.name}: ${lack}`
  }
  return `no flavors have room for all ${stages.length} stages of its gang together`
}

/** Whether the nodes of the flavor, empty, hold as many tasks of each stage as must start, and have in total what all of these ask for. */
function couldHold(flavor: Flavor, stages: readonly StageSpec[], cluster: ClusterView): boolean {
  if (!stages.every((stage) => holdsStage(flavor, stage, cluster))) return false
  return stages.length === 1 || isWithin(cluster.resources.map((name) => askedTogether(stages, name)), flavor.capacity)
}

const holdsStage = (flavor: Flavor, stage: StageSpec, cluster: ClusterView): boolean => holds(flavor, leastTasks(stage), (node: NodeId) => cluster.couldHold(stage, node))
