import { askedTogether, leastTasks, startedTogether, type ClusterView, type JobSpec, type NodeId, type StageSpec } from '@sched/core'
import { holds, type Flavor } from './flavor.js'
import type { ClusterQueue } from './queues.js'

/** Why no flavor of the queue could ever have room for a workload of the job, in quota and on its nodes. */
export function tooLarge(job: JobSpec, queue: ClusterQueue, cluster: ClusterView): string | undefined {
  const { resources } = cluster
  const flavors = queue.choices.all
  for (const stages of startedTogether(job)) {
    const asked = resources.map((name) => askedTogether(stages, name))
    const columnOf = (flavor: number, r: number): number => flavors[flavor]?.columns[r] as number
    const lackIn = (flavor: number): number => asked.findIndex((amount, r) => amount > 0 && amount > queue.potential(columnOf(flavor, r)))
    const possible = queue.choicesFor(asked)
    const allowed = possible.filter((flavor) => lackIn(flavor) < 0)
    if (allowed.some((flavor) => couldHold(flavors[flavor] as Flavor, stages, asked, cluster))) continue
    const isTask = stages.every((stage) => leastTasks(stage) === 1) && stages.length === 1
    if (allowed.length > 0) return `queue ${queue.name}: no nodes of ${allowed.map((flavor) => `flavor ${flavors[flavor]?.name}`).join(' or ')} could hold ${isTask ? 'a task' : 'its gang'}`
    const r = lackIn(possible[0] as number)
    const alike = possible.filter((flavor) => lackIn(flavor) === r)
    return `queue ${queue.name}: ${asked[r]} ${resources[r]} of at most ${Math.max(...alike.map((flavor) => queue.potential(columnOf(flavor, r))))}`
  }
  return undefined
}

/** Whether the nodes of the flavor, empty, have room for as many tasks of each stage as must start, and together what these ask. */
function couldHold(flavor: Flavor, stages: readonly StageSpec[], asked: readonly number[], cluster: ClusterView): boolean {
  const roomFor = (stage: StageSpec) => (node: NodeId) => cluster.couldHold(stage, node)
  if (!stages.every((stage) => holds(flavor, leastTasks(stage), roomFor(stage)))) return false
  return stages.length === 1 || asked.every((amount, r) => amount <= (flavor.capacity[r] as number))
}
