import type { ClusterDescription } from '@sched/cluster'
import type { JobSpec, NodeId, Observer } from '@sched/core'
import type { AutoscalerOptions, SimulationOptions } from '../src/index.js'
import { inOrder, run } from './world.js'

class Told implements Observer {
  readonly sizes: string[] = []
  readonly downs: string[] = []
  onScale(group: number, nodes: number, now: number): void {
    this.sizes.push(`${now} ${group}: ${nodes}`)
  }
  onNode(node: NodeId, up: boolean, now: number): void {
    if (now > 0 && !up) this.downs.push(`${now} ${node}`)
  }
}

/** A group of nodes with these resources, which are there by demand. */
export const group = (count: number, resources: Record<string, number>, autoscale: Partial<NonNullable<ClusterDescription['nodes'][number]['autoscale']>> = {}, more: Partial<ClusterDescription['nodes'][number]> = {}) =>
  ({ count, resources, autoscale: { provision: 50, ...autoscale }, ...more })
export type Asked = Readonly<Record<string, number>>
/** A job of equal tasks. */
export const tasks = (id: string, submit: number, count: number, demand: Asked, duration = 1000, more: Partial<JobSpec['stages'][number]> = {}): JobSpec =>
  ({ id, submit, stages: [{ name: 'work', tasks: count, demand, duration, ...more }] })
/** What happens to nodes: sizes that groups are told to have, as `10 0: 2`, and nodes that go. */
export function told(nodes: ClusterDescription['nodes'], jobs: readonly JobSpec[], autoscaler: AutoscalerOptions = {}, more: Partial<SimulationOptions> = {}) {
  const watch = new Told()
  const log = run(jobs, { cluster: { nodes }, autoscaler, policy: inOrder, observers: [watch], ...more })
  return { ...watch, log }
}
