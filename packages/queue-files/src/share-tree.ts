import { SchedError, suggest } from '@sched/core'
import { divideAmongQueues, queueShares, type ShareEntry } from '@sched/policies'
import type { QueueRow, QueueTable, Totals } from './queue-rows.js'

/** A queue on the way to its rows: what it may have of one resource, given what its parent may. */
export interface QueueNode {
  readonly path: string
  readonly isParent: boolean
  readonly settings: Readonly<Record<string, string>>
  readonly children: readonly QueueNode[]
  bounds(resource: string, total: number, parent: Bounds): Bounds
}
interface Bounds {
  readonly weight: number
  readonly min: number
  readonly max: number
}

/** The cluster that shares are of. */
export interface ShownCluster {
  /** Absent: not known. */
  readonly totals: Totals | undefined
  /** Set by queues that have amounts which do not count since it is not known. */
  leavesOutAmounts: boolean
}

/** What is asked of the shares of a tree. */
export interface Asked {
  readonly totals: Totals | undefined
  /** Leaves that have work; absent: all that take jobs. */
  readonly active: readonly string[] | undefined
}

/**
 * The tree with instantaneous shares: what each queue gets when those that are active have more work than there is room for.
 * Throws `BAD_OPTION` for a name that is no queue.
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

/** What each queue gets of one resource, by path; `isWhole`: in whole amounts, as YARN's fair scheduler has them. */
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

function wholeShares(entries: readonly ShareEntry[], total: number): Float64Array {
  const top = { weight: 1, min: 0, max: total, active: true }
  return queueShares({ parents: [-1, ...entries.map(() => 0)], entries: [top, ...entries] }, total).subarray(1)
}

/** Which nodes have work: the leaves named, with all around them; a parent means all inside it. */
function activity(top: QueueNode, active: readonly string[] | undefined): (node: QueueNode) => boolean {
  if (active === undefined) {
    const stopped = new Set<QueueNode>() // with all in them they take no jobs
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
    if (found === undefined) throw new SchedError('BAD_OPTION', `there is no queue "${name}".`, { field: '--active' }, suggest(name, paths))
    return found
  })
  return ({ path }) => named.some((each) => each === path || each.startsWith(`${path}.`) || path.startsWith(`${each}.`))
}

const onlyOne = (paths: readonly string[]): string | undefined => (paths.length === 1 ? paths[0] : undefined)
