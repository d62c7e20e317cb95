import type { ClusterModel } from '@sched/cluster'
import { percent, table } from '@sched/report'
import type { ProbedNode } from '@sched/sim'
import { mean } from '../mean.js'
import { counted } from './number.js'

/** A probed node, its parts of the cluster's hardware and of what was idle, its performance and its weight. */
export interface WeighedNode extends ProbedNode {
  readonly hardware: number
  readonly idle: number
  readonly performance: number
  readonly weight: number
}

/** The nodes with what was measured, those that are alike in one row. */
export function weightTable(nodes: readonly WeighedNode[], { name }: ClusterModel, job: string): string {
  const titles = ['nodes', 'job (s)', 'cpu', 'memory', 'hardware', 'idle', 'performance', 'weight']
  const rows = alike(nodes).map(([first, ...others]) => [
    others.length === 0 ? first.node : `${first.node} and ${others.length} like it`,
    first.seconds.toFixed(0), percent(mean(first.cpuUse), 0), percent(mean(first.memoryUse), 0),
    first.hardware.toFixed(4), first.idle.toFixed(4), first.performance.toFixed(4), first.weight,
  ])
  const looks = nodes[0]?.at.length ?? 0
  return `${name}: ${job} on each node alone, ${counted(looks, 'look')}\n\n${table(titles.map((title) => ({ title })), rows)}`
}

/** The samples as options of the placement, by group where a group was probed as a whole. */
export function weightsYaml(nodes: readonly WeighedNode[], { nodeNames }: ClusterModel): string {
  const lines = alike(nodes).flatMap((group) => {
    const { cpuUse, memoryUse } = group[0]
    const samples = `{ cpu: [${cpuUse.map(short).join(', ')}], memory: [${memoryUse.map(short).join(', ')}] }`
    return namesOf(group.map(({ node }) => node), nodeNames).map((name) => `    ${JSON.stringify(name)}: ${samples}`)
  })
  return `# Measured by sched weigh; the placement of a policy, for example { greedy: { placement: ... } }\nnode-weight:\n  probe:\n${lines.join('\n')}\n`
}

/** Runs of nodes that were measured alike. */
function alike(nodes: readonly WeighedNode[]): [WeighedNode, ...WeighedNode[]][] {
  const groups: [WeighedNode, ...WeighedNode[]][] = []
  for (const node of nodes) {
    const last = groups.at(-1)
    if (last !== undefined && last[0].cpuUse === node.cpuUse && last[0].cores === node.cores) last.push(node)
    else groups.push([node])
  }
  return groups
}

/** The name of the group that the nodes make up, or their own. */
function namesOf(names: readonly string[], all: readonly string[]): readonly string[] {
  const group = names[0]?.replace(/-\d+$/, '') ?? ''
  const members = all.filter((name) => name.replace(/-\d+$/, '') === group)
  return members.length === names.length && names.every((name) => members.includes(name) && name !== group) ? [group] : names
}

const short = (part: number): string => String(Number(part.toFixed(4)))
