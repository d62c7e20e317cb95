import { SchedError, type Place } from '@sched/core'
import { isNode, LineCounter, parseAllDocuments } from 'yaml'
import type { NodeGroup } from './description.js'

type Json = Readonly<Record<string, unknown>>
/** An object of Kubernetes, and where it stands in the file. */
interface Found {
  readonly object: Json
  readonly place: (field: string) => Place
}

const inBytes: Readonly<Record<string, number>> = {
  n: 1e-9, u: 1e-6, m: 1e-3, '': 1, k: 1e3, M: 1e6, G: 1e9, T: 1e12, P: 1e15, E: 1e18, Ki: 2 ** 10, Mi: 2 ** 20, Gi: 2 ** 30, Ti: 2 ** 40, Pi: 2 ** 50, Ei: 2 ** 60,
}
const MIB = 2 ** 20
/** Labels that tell nodes apart, or repeat what others say. */
const UNUSED = /^(kubernetes\.io\/hostname|beta\.kubernetes\.io\/.*)$/

/** Whether a text is a list of nodes as `kubectl get nodes -o yaml` (or json) prints them, or such nodes one after another. */
export const isKubernetesNodes = (text: string): boolean => /["']?\bapiVersion["']?\s*:/.test(text) && /["']?\bkind["']?\s*:\s*["']?Node(List)?["']?\s*([,}]|$)/m.test(text)

/**
 * The nodes of a Kubernetes cluster: `cpu` in millicores, `mem` in MiB, `gpu` as devices of 1000, of what is allocatable. The labels of a
 * node are its labels, the type of its GPUs is `model`. Nodes that are not ready, cordoned or kept for the control plane are
 * left out; other taints are not looked at. Throws `BAD_INPUT` with the place.
 */
export function kubernetesNodes(text: string, file?: string): { readonly name: string; readonly nodes: readonly NodeGroup[] } {
  const groups: { names: string[]; count: number; key: string; rest: Omit<NodeGroup, 'names' | 'count'> }[] = []
  const seen = new Set<string>()
  let nodes = 0
  for (const found of objectsOf(text, file)) {
    nodes++
    const name = nameOf(found)
    if (seen.has(name)) throw new SchedError('BAD_INPUT', `node "${name}" was listed before.`, found.place('metadata.name'), 'Give every node once.')
    seen.add(name)
    if (isAway(found.object)) continue
    const rest = contents(found)
    const key = JSON.stringify(rest)
    const last = groups.at(-1)
    if (last?.key === key) {
      last.names.push(name)
      last.count++
    } else groups.push({ names: [name], count: 1, key, rest })
  }
  if (groups.length === 0) throw new SchedError('BAD_INPUT', nodes === 0 ? 'lists no node.' : 'lists no node that takes pods.', { file })
  return { name: 'kubernetes', nodes: groups.map(({ names, count, rest }) => ({ names, count, ...rest })) }
}

/** The nodes of the file in their order, of lists too; objects of other kinds are passed over. */
function* objectsOf(text: string, file: string | undefined): Generator<Found> {
  for (const { value, place } of documentsOf(text, file)) {
    const top = objectIn(value)
    const isList = Array.isArray(top['items'])
    const items = isList ? (top['items'] as unknown[]) : [top]
    for (const [i, item] of items.entries()) {
      const object = objectIn(item)
      const path = isList ? ['items', i] : []
      const prefix = isList ? `items[${i}].` : ''
      if ((object['kind'] ?? (top['kind'] === 'NodeList' ? 'Node' : '')) === 'Node') yield { object, place: (field) => ({ ...place(path), field: `${prefix}${field}` }) }
    }
  }
}

interface Document {
  readonly value: unknown
  readonly place: (path: readonly (string | number)[]) => Place
}

/** JSON is read as such, which is quick; places are then told by fields alone. Throws `BAD_INPUT`. */
function documentsOf(text: string, file: string | undefined): Document[] {
  if (text.trimStart().startsWith('{')) {
    try {
      return [{ value: JSON.parse(text), place: () => ({ file }) }]
    } catch {
      // several objects, or a mistake that the other parser tells with its line
    }
  }
  const lines = new LineCounter()
  const at = (offset: number): Place => ({ file, line: lines.linePos(offset).line })
  const documents = parseAllDocuments(text, { lineCounter: lines, prettyErrors: false })
  return [...documents].map((document) => {
    const [error] = document.errors
    if (error !== undefined) throw new SchedError('BAD_INPUT', `${error.message.replace(/\.?$/, '')}.`, at(error.pos[0]))
    return {
      value: document.toJS({ maxAliasCount: 100 }) as unknown,
      place: (path) => {
        const node = document.getIn(path, true)
        const offset = (isNode(node) ? node : document.contents)?.range?.[0]
        return offset === undefined ? { file } : at(offset)
      },
    }
  })
}

function nameOf({ object, place }: Found): string {
  const name = objectIn(object['metadata'])['name']
  if (typeof name !== 'string' || name === '') throw new SchedError('BAD_INPUT', 'is missing.', place('metadata.name'))
  return name
}

/** Taints of nodes that are not ready, cordoned, or of the control plane. */
const AWAY = /^(node\.kubernetes\.io\/|node-role\.kubernetes\.io\/(control-plane|master)$)/

function isAway(node: Json): boolean {
  const { unschedulable, taints } = objectIn(node['spec'])
  const ready = listIn(objectIn(node['status'])['conditions']).find(({ type }) => type === 'Ready')
  const isTainted = listIn(taints).some(({ key, effect }) => typeof key === 'string' && AWAY.test(key) && effect !== 'PreferNoSchedule')
  return unschedulable === true || isTainted || (ready !== undefined && ready['status'] !== 'True')
}

function contents(found: Found): Omit<NodeGroup, 'names' | 'count'> {
  const status = objectIn(found.object['status'])
  const key = status['allocatable'] === undefined ? 'capacity' : 'allocatable'
  const given = objectIn(status[key])
  const of = (name: string) => quantity(given[name], `status.${key}.${name}`, found)
  if (given['cpu'] === undefined) throw new SchedError('BAD_INPUT', 'is missing.', found.place(`status.${key}.cpu`), 'Print nodes with their status: kubectl get nodes -o yaml.')
  const gpus = Object.keys(given).filter((name) => /\/gpu(-count)?$/.test(name)).reduce((sum, name) => sum + Math.floor(of(name)), 0)
  const labels = Object.entries(objectIn(objectIn(found.object['metadata'])['labels'])).flatMap(([name, value]) => (UNUSED.test(name) || typeof value !== 'string' ? [] : [[name, value] as const]))
  const model = labels.find(([name]) => /(gpu-card-model|\/gpu\.product|gke-accelerator)$/.test(name))?.[1]
  return {
    resources: { cpu: Math.floor(of('cpu') * 1000 + 1e-6), mem: Math.floor(of('memory') / MIB) },
    ...(gpus > 0 && { devices: { gpu: { count: gpus, milli: 1000 } } }),
    ...(labels.length > 0 && { labels: { ...Object.fromEntries(labels), ...(model !== undefined && { model }) } }),
  }
}

/** An amount as Kubernetes writes it: 8, 7910m, 16Gi, 1e3; 0 where it is absent. Throws `BAD_INPUT`. */
function quantity(value: unknown, field: string, { place }: Found): number {
  if (value === undefined) return 0
  const parts = /^(\d+(?:\.\d*)?|\.\d+)(?:[eE]([+-]?\d+)|([numkMGTPE]|[KMGTPE]i)?)$/.exec(typeof value === 'number' ? value.toFixed(9) : typeof value === 'string' ? value : '')
  if (parts === null) throw new SchedError('BAD_INPUT', `found ${JSON.stringify(value)}, expected a quantity such as 8, 7910m or 16Gi.`, place(field))
  return Number(parts[1]) * (parts[2] === undefined ? (inBytes[parts[3] ?? ''] as number) : 10 ** Number(parts[2]))
}

const objectIn = (value: unknown): Json => (typeof value === 'object' && value !== null ? (value as Json) : {})
const listIn = (value: unknown): readonly Json[] => (Array.isArray(value) ? value.map(objectIn) : [])
