import { kubernetesResource, SchedError } from '@sched/core'
import type { NodeGroup } from './description.js'
import { HOSTNAME } from './node-selector.js'
import { taintsAt } from './kubernetes-taints.js'
import { hyperNodesIn } from './hyper-nodes.js'
import { labelsOf, racksOf, topologiesIn } from './kubernetes-topology.js'
import { kubernetesObjects, listIn, objectIn, quantityAt, type Json, type KubernetesObject } from './kubernetes-objects.js'

/** Whether a text is a list of nodes as printed by `kubectl get nodes -o yaml` (or json), or such nodes one after another. */
export const isKubernetesNodes = (text: string): boolean => /["']?\bapiVersion["']?\s*:/.test(text) && /["']?\bkind["']?\s*:\s*["']?Node(List)?["']?\s*([,}]|$)/m.test(text)

/**
 * The nodes of a Kubernetes cluster, by what is allocatable: `cpu` in millicores, `mem` in MiB, `gpu` as devices of 1000; besides `resources`, by their names in
 * Kubernetes, in the units of `kubernetesResource`.
 * - Labels and taints are those of the node. A hostname label equal to the node's name is left out, since every node has it. The type of its GPUs
 *   becomes the label `model`.
 * - Racks: with a Topology (of Kueue or KAI) in the file, the values of its labels; with HyperNodes (of Volcano), the groups of each tier. A node
 *   that lacks a label, or is in no group, is in a rack of its own.
 * - Nodes that are not ready, cordoned or kept for the control plane are left out.
 *
 * Throws `BAD_INPUT` with the place.
 */
export function kubernetesNodes(text: string, file?: string, resources: readonly string[] = []): { readonly name: string; readonly nodes: readonly NodeGroup[] } {
  const groups: { names: string[]; count: number; key: string; rest: Omit<NodeGroup, 'names' | 'count'> }[] = []
  const seen = new Set<string>()
  const objects = [...kubernetesObjects(text, file)]
  const topologies = topologiesIn(objects)
  const hyperNodes = hyperNodesIn(objects)
  const hasGroups = objects.some(({ kind }) => kind === 'HyperNode')
  let nodes = 0
  for (const found of objects) {
    if (found.kind !== 'Node') continue
    nodes++
    const name = nameOf(found)
    if (seen.has(name)) throw new SchedError('BAD_INPUT', `node "${name}" was listed before.`, found.place('metadata', 'name'), 'Give every node once.')
    seen.add(name)
    if (isAway(found.object)) continue
    const rest = { ...contents(found, resources), ...(hasGroups ? { racks: hyperNodes(name, labelsOf(found)) ?? [name] } : racksOf(found, name, topologies)) }
    const key = JSON.stringify(rest)
    const last = groups.at(-1)
    if (last?.key === key) {
      last.names.push(name)
      last.count++
    } else groups.push({ names: [name], count: 1, key, rest })
  }
  if (groups.length === 0)
    throw new SchedError(
      'BAD_INPUT',
      nodes === 0 ? 'lists no node.' : 'lists no node that takes pods.',
      { file },
      nodes === 0 ? 'Is it the right file, and whole?' : 'Those that are cordoned, not ready, or of the control plane do not.',
    )
  return { name: 'kubernetes', nodes: groups.map(({ names, count, rest }) => ({ names, count, ...rest })) }
}

function nameOf({ object, place }: KubernetesObject): string {
  const name = objectIn(object['metadata'])['name']
  if (typeof name !== 'string' || name === '') throw new SchedError('BAD_INPUT', 'is missing.', place('metadata', 'name'), 'Name the node, or give the list as kubectl get nodes -o yaml prints it.')
  return name
}

/** Taints of nodes that are not ready, cordoned, or part of the control plane. */
const AWAY = new RegExp(`^(node\\.kubernetes\\.io/(${[
  'not-ready', 'unreachable', 'unschedulable', '(memory|disk|pid)-pressure', 'network-unavailable', 'out-of-service', 'out-of-disk',
].join('|')})|node\\.cloudprovider\\.kubernetes\\.io/(uninitialized|shutdown)|node-role\\.kubernetes\\.io/(control-plane|master))$`)

function isAway(node: Json): boolean {
  const { unschedulable, taints } = objectIn(node['spec'])
  const ready = listIn(objectIn(node['status'])['conditions']).find(({ type }) => type === 'Ready')
  const isTainted = listIn(taints).some(({ key, effect }) => typeof key === 'string' && AWAY.test(key) && effect !== 'PreferNoSchedule')
  return unschedulable === true || isTainted || (ready !== undefined && ready['status'] !== 'True')
}

function contents(found: KubernetesObject, further: readonly string[]): Omit<NodeGroup, 'names' | 'count'> {
  const status = objectIn(found.object['status'])
  const key = status['allocatable'] === undefined ? 'capacity' : 'allocatable'
  const given = objectIn(status[key])
  const of = (name: string) => quantityAt(found, 'status', key, name)
  if (given['cpu'] === undefined) throw new SchedError('BAD_INPUT', 'is missing.', found.place('status', key, 'cpu'), 'Print nodes with their status: kubectl get nodes -o yaml.')
  const gpus = Object.keys(given).filter((name) => kubernetesResource(name).resource === 'gpu').reduce((sum, name) => sum + Math.floor(of(name)), 0)
  const others = further.map((name) => [name, amountIn(name, of(name))] as const).filter(([name, amount]) => amount > 0 && kubernetesResource(name).resource === name)
  const metadata = objectIn(found.object['metadata'])
  const labels = Object.entries(objectIn(metadata['labels'])).flatMap(([name, value]) =>
    ((name === HOSTNAME && value === metadata['name']) || typeof value !== 'string' ? [] : [[name, value] as const]))
  const taints = taintsAt(found, ['spec', 'taints'])
  const model = labels.find(([name]) => /(gpu-card-model|\/gpu\.product|gke-accelerator)$/.test(name))?.[1]
  return {
    resources: { cpu: amountIn('cpu', of('cpu')), mem: amountIn('memory', of('memory')), ...Object.fromEntries(others) },
    ...(gpus > 0 && { devices: { gpu: { count: gpus, milli: 1000 } } }),
    ...(labels.length > 0 && { labels: { ...Object.fromEntries(labels), ...(model !== undefined && { model }) } }),
    ...(taints.length > 0 && { taints }),
  }
}

/** An amount of Kubernetes in the unit of nodes, rounded down. */
const amountIn = (name: string, amount: number): number => Math.floor(amount * kubernetesResource(name).per + 1e-6)
