import type { ClusterModel } from '@sched/cluster'
import { amountsOf } from '../cluster-amounts.js'
import type { Experiment } from '../experiment/experiment.js'
import { counted, number } from './number.js'

/** What ran, in words. */
export interface Ran {
  readonly title: string
  /** Absent where the trace is streamed. */
  readonly jobs?: number | undefined
  readonly cluster: string
  readonly policies: readonly string[]
  readonly seeds: readonly number[]
}

/** What an experiment runs. */
export function ranOf({ workload, cluster, seeds, description, policies }: Experiment): Ran {
  const { name, jobs } = workload.of(seeds[0] ?? 1)
  return { title: description.spec.name ?? name, jobs, cluster: clusterText(cluster), policies: policies.map((policy) => policy.name), seeds }
}

export const headline = (experiment: Experiment): string => headlineOf(ranOf(experiment))

/** What ran, in two lines. */
export function headlineOf({ title, jobs, cluster, policies, seeds }: Ran): string {
  const [first = 1] = seeds
  const runs = seeds.length === 1 ? `seed ${first}` : `seeds ${first} to ${seeds.at(-1) ?? first}: mean ± 95 % confidence interval, differences paired by seed`
  return `${title}${jobs === undefined ? '' : `: ${counted(jobs, 'job')}`} on ${cluster}\n${policies.map(listed).join(', ')} on ${runs}\n`
}

/** A name in a list of names: between quotes where a comma in it would make it look like two. */
const listed = (name: string): string => (name.replaceAll(/\(.*\)/g, '').includes(',') ? `"${name}"` : name)

/** A cluster on one line: nodes, racks, slots or resources per node, heartbeats. */
export function clusterText(cluster: ClusterModel): string {
  const { nodes, groups, resources, heartbeat } = cluster
  const racks = new Set(groups[1] ?? []).size
  const perNode = resources.map((name, r) => {
    const amounts = amountsOf(cluster, r)
    const least = amounts.reduce((a, b) => Math.min(a, b))
    const most = amounts.reduce((a, b) => Math.max(a, b))
    return `${least === most ? number(least) : `${number(least)} to ${number(most)}`} ${name}`
  })
  if (nodes === 1) return `one node of ${perNode.join(' + ')}`
  return `${number(nodes)} nodes${racks > 1 ? ` in ${number(racks)} racks` : ''}, each ${perNode.join(' + ')}${heartbeat === undefined ? '' : `, heartbeat ${heartbeat.interval} s`}`
}
