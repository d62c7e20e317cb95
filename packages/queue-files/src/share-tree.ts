import { nearest, SchedError } from '@sched/core'
import { divideAmongQueues, queueShares, type ShareEntry } from '@sched/policies'
import type { QueueRow, QueueTable, Totals } from './queue-rows.js'

/** A queue of which a row of the table is made. */
export interface QueueNode {
  readonly path: string
  readonly isParent: boolean
  /** The queue's own settings, by name, as written. */
  readonly settings: Readonly<Record<string, string>>
  readonly children: readonly QueueNode[]
  /** Weight, minimum and maximum of the queue for one resource. `total`: what the cluster has of it; `parent`: the bounds of the parent. */
  bounds(resource: string, total: number, parent: Bounds): Bounds
}
/** How much of one resource a queue may get, in the unit of the total, and its weight among its siblings. */
interface Bounds {
  readonly weight: number
  readonly min: number
  readonly max: number
}

/** The cluster that the queues share. */
export interface ShownCluster {
  /** Capacity by resource; undefined: not known. */
  readonly totals: Totals | undefined
  /** Set by a queue with amounts that do not count because the capacity is not known. */
  leavesOutAmounts: boolean
}

/** For which cluster and which active queues shares are asked. */
export interface Asked {
  /** Capacity of the cluster by resource; undefined: not known. */
  readonly totals: Totals | undefined
  /** The same of the nodes with a label of YARN, by label; undefined, or without a label: not known. */
  readonly labelTotals?: Readonly<Record<string, Totals>> | undefined
  /** Names or paths of the queues that have work; undefined: all queues that take jobs. */
  readonly active: readonly string[] | undefined
}

/**
 * The rows of a tree of queues with their instantaneous shares: what each queue gets while the active ones have more work than there is room for.
 * `isWhole`: shares are whole amounts, as in YARN's fair scheduler. Throws `BAD_OPTION` if a name in `active` is no queue.
 */
export function sharesTable(treeOf: (cluster: ShownCluster) => QueueNode, { totals, active }: Asked, isWhole = false): QueueTable {
  const cluster: ShownCluster = { totals, leavesOutAmounts: false }
  const top = treeOf(cluster)
  const isActive = activity(top, active)
  const shares = Object.entries(totals ?? { cluster: 1 }).map(([resource, total]) => [resource, divided(top, resource, total, isActive, isWhole)] as const)
  const rows: QueueRow[] = []
  const list = ({ path, isParent, settings, children }: QueueNode, depth: number): void => {
    const own = shares.flatMap(([resource, of]) => (of.has(path) ? [[resource, of.get(path) as number] as const] : []))
    rows.push({ path, depth, isParent, settings, shares: Object.fromEntries(own) })
    for (const child of children) list(child, depth + 1)
  }
  list(top, 0)
  return { rows, totals, leavesOutAmounts: cluster.leavesOutAmounts }
}

/** The share of each queue in one resource, by path. */
function divided(top: QueueNode, resource: string, total: number, isActive: (node: QueueNode) => boolean, isWhole: boolean): Map<string, number> {
  const shares = new Map<string, number>()
  const visit = (node: QueueNode, share: number, bounds: Bounds): void => {
    shares.set(node.path, share)
    const inside = node.children.map((child) => child.bounds(resource, total, bounds))
    const entries = node.children.map((child, i): ShareEntry => ({ ...(inside[i] as Bounds), active: isActive(child) }))
    const own = isWhole ? wholeShares(entries, share) : new Float64Array(entries.length)
    if (!isWhole) divideAmongQueues(entries, share, own)
    for (const [i, child] of node.children.entries()) visit(child, own[i] as number, inside[i] as Bounds)
  }
  const whole = { weight: 1, min: total, max: total }
  visit(top, Math.min(total, top.bounds(resource, total, whole).max), { ...whole, ...top.bounds(resource, total, whole) })
  return shares
}

/** Divides `total` among siblings in whole amounts, by the rule of YARN's fair scheduler. */
function wholeShares(entries: readonly ShareEntry[], total: number): Float64Array {
  const top = { weight: 1, min: 0, max: total, active: true }
  return queueShares({ parents: [-1, ...entries.map(() => 0)], entries: [top, ...entries] }, total).subarray(1)
}

/**
 * Tells which queues are active: those named, all queues around them and all inside them. Without names all are, but for STOPPED queues and those inside
 * them. A queue may be named by its path, with or without the root, or by the end of its path if only one path ends so.
 */
function activity(top: QueueNode, active: readonly string[] | undefined): (node: QueueNode) => boolean {
  if (active === undefined) {
    const stopped = new Set<QueueNode>() // STOPPED themselves or inside a STOPPED queue
    const note = (node: QueueNode, isStopped: boolean): void => {
      const isOff = isStopped || /^STOPPED$/i.test(node.settings['state'] ?? '')
      if (isOff) stopped.add(node)
      for (const child of node.children) note(child, isOff)
    }
    note(top, false)
    return (node) => !stopped.has(node)
  }
  const paths: string[] = []
  const collect = ({ path, children }: QueueNode): void => {
    paths.push(path)
    children.forEach(collect)
  }
  collect(top)
  const named = active.map((name) => {
    const found = paths.find((path) => path === name || path === `root.${name}`) ?? onlyOne(paths.filter((path) => path.endsWith(`.${name}`)))
    if (found === undefined) throw new SchedError('BAD_OPTION', `there is no queue "${name}".`, { field: '--active' }, didYouMean(name, paths))
    return found
  })
  return ({ path }) => named.some((each) => each === path || each.startsWith(`${path}.`) || path.startsWith(`${each}.`))
}

/** The nearest path, also without the root, and all of them. */
function didYouMean(name: string, paths: readonly string[]): string {
  const close = nearest(name, paths.flatMap((path) => [path, path.replace(/^root\./, '')]))
  return `${close === undefined ? '' : `Did you mean "${close}"? `}Known: ${paths.join(', ')}.`
}

const onlyOne = (paths: readonly string[]): string | undefined => (paths.length === 1 ? paths[0] : undefined)
