import { SchedError, suggest, withoutUndefined } from '@sched/core'
import { divideAmongQueues, queueShares, type ShareEntry } from '@sched/policies'
import { clusterName, type NamedAmounts } from './yarn/amounts.js'
import type { CapacityQueue, CapacityValue } from './yarn/capacity-model.js'
import type { FairFile, FairQueue } from './yarn/fair-model.js'
import { kaiSettings } from './kai/kai-file.js'
import { ROOT, volcanoSettings, type VolcanoFile } from './volcano/volcano-file.js'
import type { YunikornQueue } from './yunikorn/yunikorn-queue.js'
import { yunikornSettings } from './yunikorn/yunikorn-policy.js'
import { nameOf, type KueueFile } from './kueue/kueue-file.js'
import { queueSettings } from './kueue/queue-settings.js'
import type { QueueFile } from './read-queues.js'
import type { SparkFile, SparkPool } from './spark/pools-file.js'
import type { SlurmConf } from './slurm/conf.js'
import type { Entity } from './slurm/database.js'
import type { Given } from './setting.js'

/** A queue as people see it: its settings as written, and what it would get of each resource. */
export interface QueueRow {
  /** Full path of the queue. */
  readonly path: string
  /** 0 for the root, 1 for the queues inside it, ... */
  readonly depth: number
  /** Whether it holds queues and no jobs. */
  readonly isParent: boolean
  /** Settings of the queue itself, as written, by name. */
  readonly settings: Readonly<Record<string, string>>
  /** Instantaneous share by resource: amounts where the cluster is known, otherwise parts of it. */
  readonly shares: Readonly<Record<string, number>>
}

/** The cluster that shares are of: amounts by resource. */
export type Totals = Readonly<Record<string, number>>

/** The queues of a file as rows, parents before their children. */
export interface QueueTable {
  /** Parents before their children. */
  readonly rows: readonly QueueRow[]
  /** Absent: shares are parts of a cluster that is not known, where amounts of the file cannot count. */
  readonly totals: Totals | undefined
  /** Whether the file has amounts that did not count since the cluster is not known. */
  readonly leavesOutAmounts: boolean
}

/** A queue on the way to its rows: what it may have of one resource, given what its parent may. */
interface Node {
  readonly path: string
  readonly isParent: boolean
  readonly settings: Readonly<Record<string, string>>
  readonly children: readonly Node[]
  bounds(resource: string, total: number, parent: Bounds): Bounds
}
interface Bounds {
  readonly weight: number
  readonly min: number
  readonly max: number
}

/**
 * The tree of a queue file with instantaneous shares: what each queue gets when all leaves that take jobs, or those named, have more work
 * than there is room for. Fair: by weight between minimum and maximum. Capacity: the guarantee, and what idle queues leave
 * by guarantee, up to the maximum. Pools of Spark: by weight above the minimum, which counts where tasks ask for one resource. Partitions
 * of Slurm and queues of Kueue, KAI and YuniKorn have no shares. Throws `BAD_OPTION` for a name that is no queue.
 */
export function queueTable(file: QueueFile, totals?: Totals, active?: readonly string[]): QueueTable {
  if (file.kind === 'slurm') return { rows: [...partitionRows(file), ...databaseRows(file)], totals: {}, leavesOutAmounts: false }
  if (file.kind === 'kueue') return { rows: clusterQueueRows(file), totals: {}, leavesOutAmounts: false }
  if (file.kind === 'kai')
    return {
      rows: file.queues.map((queue) => ({
        path: queue.path,
        depth: queue.path.split('.').length - 1,
        isParent: queue.isParent,
        settings: kaiSettings(queue),
        shares: {},
      })),
      totals: {},
      leavesOutAmounts: false,
    }
  if (file.kind === 'volcano') return { rows: volcanoRows(file), totals: {}, leavesOutAmounts: false }
  if (file.kind === 'yunikorn') return { rows: yunikornRows(file.root, 0), totals: {}, leavesOutAmounts: false }
  let leavesOutAmounts = false
  const leaveOut = () => (leavesOutAmounts = true)
  const top = file.kind === 'fair'
    ? fairNode(file.root, file, totals, leaveOut)
    : file.kind === 'spark'
      ? sparkNode(file, totals, leaveOut)
      : capacityNode(file.root, totals, leaveOut)
  const isActive = activity(top, active)
  const shares = new Map<string, Record<string, number>>()
  for (const [resource, total] of Object.entries(totals ?? { cluster: 1 })) divide(top, resource, total, isActive, shares, file.kind === 'fair' && totals !== undefined)
  const rows: QueueRow[] = []
  const list = ({ path, isParent, settings, children }: Node, depth: number): void => {
    rows.push({ path, depth, isParent, settings, shares: shares.get(path) ?? {} })
    for (const child of children) list(child, depth + 1)
  }
  list(top, 0)
  return { rows, totals, leavesOutAmounts }
}

function divide(top: Node, resource: string, total: number, isActive: (node: Node) => boolean, shares: Map<string, Record<string, number>>, isWhole: boolean): void {
  const visit = (node: Node, share: number, bounds: Bounds): void => {
    shares.set(node.path, { ...shares.get(node.path), [resource]: share })
    const inside = node.children.map((child) => child.bounds(resource, total, bounds))
    const entries = node.children.map((child, i): ShareEntry => ({ ...(inside[i] as Bounds), active: isActive(child) }))
    const own = isWhole ? wholeShares(entries, share) : new Float64Array(entries.length)
    if (!isWhole) divideAmongQueues(entries, share, own)
    for (const [i, child] of node.children.entries()) visit(child, own[i] as number, inside[i] as Bounds)
  }
  const whole = { weight: 1, min: total, max: total }
  visit(top, Math.min(total, top.bounds(resource, total, whole).max), { ...whole, ...top.bounds(resource, total, whole) })
}

/** The same in whole amounts, as YARN's fair scheduler has them. */
function wholeShares(entries: readonly ShareEntry[], total: number): Float64Array {
  const top = { weight: 1, min: 0, max: total, active: true }
  return queueShares({ parents: [-1, ...entries.map(() => 0)], entries: [top, ...entries] }, total).subarray(1)
}

/** Which nodes have work: the leaves named, with all around them; a parent means all inside it. */
function activity(top: Node, active: readonly string[] | undefined): (node: Node) => boolean {
  if (active === undefined) {
    const stopped = new Set<Node>() // with all in them they take no jobs
    const note = (node: Node, isStopped: boolean): void => {
      const isOff = isStopped || /^STOPPED$/i.test(node.settings['state'] ?? '')
      if (isOff) stopped.add(node)
      for (const child of node.children) note(child, isOff)
    }
    note(top, false)
    return (node) => !stopped.has(node)
  }
  const paths: string[] = []
  const collect = ({ path, children }: Node): void => {
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

// ---- slurm ----

/** Settings as Slurm's manual writes them, which may be written in any case. */
const partitionSettings = new Map(['PriorityTier', 'PriorityJobFactor', 'MaxTime', 'State', 'Nodes'].map((name) => [name.toLowerCase(), name]))

const partitionRows = ({ partitions }: SlurmConf): QueueRow[] =>
  partitions.map(({ name, settings }) => ({
    path: name.value, depth: 0, isParent: false, settings: { ...(settings.has('priority')
      && { PriorityTier: settings.get('priority')?.value ?? '' }), ...Object.fromEntries([...settings].map(([key, setting]) =>
        [partitionSettings.get(key) ?? setting.name, setting.value])) }, shares: {},
  }))

/** QOS, accounts, and the users who have a setting of their own but shares. */
const databaseRows = ({ database: { qos, accounts, users } }: SlurmConf): QueueRow[] => [
  ...qos.map((each) => databaseRow(`QOS ${each.name}`, each)),
  ...accounts.map((each) => databaseRow(`account ${each.name}`, each)),
  ...users.map((each) => databaseRow(`user ${each.name} in ${each.parent}`, each)).filter(({ settings }) =>
    Object.keys(settings).some((name) => !/^(fairshare|share|defaultaccount|adminlevel|cluster)$/i.test(name))),
]

const databaseRow = (path: string, { settings }: Entity): QueueRow => ({
  path,
  depth: 0,
  isParent: false,
  settings: Object.fromEntries(settings.map(({ name, value }) => [name, value])),
  shares: {},
})

// ---- volcano ----

const volcanoRows = ({ queues }: VolcanoFile): QueueRow[] =>
  queues.filter(({ name }) => name !== ROOT).map((queue) => ({
    path: queue.path,
    depth: queue.path.split('.').length - 1,
    isParent: queue.isParent,
    settings: volcanoSettings(queue),
    shares: {},
  }))

// ---- yunikorn ----

const yunikornRows = (queue: YunikornQueue, depth: number): QueueRow[] => [
  { path: queue.path, depth, isParent: queue.isParent, settings: yunikornSettings(queue), shares: {} },
  ...queue.queues.flatMap((each) => yunikornRows(each, depth + 1)),
]

// ---- kueue ----

const clusterQueueRows = ({ clusterQueues }: KueueFile): QueueRow[] =>
  clusterQueues.map((found) => ({ path: nameOf(found), depth: 0, isParent: false, settings: queueSettings(found), shares: {} }))

// ---- fair ----

const fairSettings = [
  'weight', 'policy', 'minResources', 'maxResources', 'maxChildResources', 'maxContainerAllocation', 'maxRunningApps', 'minSharePreemptionTimeout', 'fairSharePreemptionTimeout', 'fairSharePreemptionThreshold', 'allowPreemptionFrom',
] as const

function fairNode(queue: FairQueue, file: FairFile, totals: Totals | undefined, left: () => void): Node {
  const settings: Record<string, string> = {}
  for (const key of fairSettings) if (queue[key] !== undefined) settings[key] = (queue[key] as Given<unknown>).text
  if (queue.policy === undefined && file.defaultPolicy !== undefined) settings['policy'] = file.defaultPolicy.value
  const maximum = queue.maxResources ?? (queue.path === 'root' ? undefined : file.queueMaxResourcesDefault)
  return {
    path: queue.path,
    isParent: queue.isParent,
    settings,
    children: [...queue.queues].sort((a, b) => (a.path < b.path ? -1 : 1)).map((each) => fairNode(each, file, totals, left)),
    bounds: (resource, total) => {
      const bound = (given: NamedAmounts | undefined, missing: number) => wholeOf(amountOf(given, resource, total, missing, totals, left), totals)
      const min = bound(queue.minResources?.value, 0)
      return { weight: queue.weight?.value ?? 1, min, max: Math.max(min, bound(maximum?.value, Infinity)) }
    },
  }
}

/** Rounded down where it is an amount and no part. */
const wholeOf = (amount: number, totals: Totals | undefined): number => (totals === undefined ? amount : Math.floor(amount))

/** What named amounts say of a resource of the cluster. */
function amountOf(amounts: NamedAmounts | undefined, resource: string, total: number, missing: number, totals: Totals | undefined, left: () => void): number {
  if (amounts === undefined) return missing
  if (amounts.all !== undefined) return (amounts.all / 100) * total
  if (totals === undefined) {
    const [part] = Object.values(amounts.byName)
    if (typeof part === 'string') return (Number.parseFloat(part) / 100) * total // memory, as the policy fair compares it
    left()
    return missing
  }
  const name = Object.keys(amounts.byName).find((each) => clusterName(each, Object.keys(totals)) === resource)
  if (name === undefined)
    return missing === Infinity && amounts.isOldStyle === true && Object.keys(amounts.byName).some((each) =>
      clusterName(each, Object.keys(totals)) !== undefined) ? 0 : missing
  const amount = amounts.byName[name] as number | string
  return typeof amount === 'number' ? amount : (Number.parseFloat(amount) / 100) * total
}

// ---- spark ----

function sparkNode({ pools }: SparkFile, totals: Totals | undefined, left: () => void): Node {
  const hasOne = totals === undefined || Object.keys(totals).length === 1
  const node = ({ name, mode, weight, minShare }: SparkPool): Node => ({
    path: `root.${name}`,
    isParent: false,
    settings: withoutUndefined({ schedulingMode: mode?.text, weight: weight?.text, minShare: minShare?.text }),
    children: [],
    bounds: () => {
      if (totals === undefined && minShare !== undefined) left()
      return { weight: weight?.value ?? 1, min: totals === undefined || !hasOne ? 0 : Math.max(0, minShare?.value ?? 0), max: Infinity }
    },
  })
  const children = [...pools].sort((a, b) => (a.name < b.name ? -1 : 1)).map(node)
  return { path: 'root', isParent: true, settings: { schedulingMode: 'FAIR' }, children, bounds: (_, total) => ({ weight: 1, min: total, max: total }) }
}

// ---- capacity ----

function capacityNode(queue: CapacityQueue, totals: Totals | undefined, left: () => void): Node {
  const settings = Object.fromEntries([...queue.properties].filter(([name]) => name !== 'queues').map(([name, { value }]) => [name, value]))
  const weights = (queue.parent?.queues ?? []).reduce((sum, { capacity }) => sum + (capacity?.kind === 'weight' ? capacity.value : 0), 0)
  const part = (value: CapacityValue | undefined, resource: string, total: number, parent: number, missing: number): number => {
    if (value === undefined) return missing
    if (value.kind === 'percent') return (value.value / 100) * parent
    if (value.kind === 'weight') return weights === 0 ? 0 : (value.value / weights) * parent
    return amountOf({ byName: value.value }, resource, total, missing, totals, left)
  }
  return {
    path: queue.path,
    isParent: queue.queues.length > 0,
    settings,
    children: queue.queues.map((each) => capacityNode(each, totals, left)),
    bounds: (resource, total, parent) => {
      if (queue.parent === undefined) return { weight: 1, min: total, max: total }
      const guarantee = part(queue.capacity, resource, total, parent.min, 0)
      return { weight: guarantee, min: guarantee, max: Math.max(part(queue.maximumCapacity, resource, total, parent.max, parent.max), 0) }
    },
  }
}
