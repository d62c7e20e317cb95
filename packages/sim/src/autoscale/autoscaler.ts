import { SchedError, type NodeId, type Observer, type ScaledGroup, type Seconds, type ShapeId } from '@sched/core'
import { EventKind, type EventQueue } from '../event-queue.js'
import { changeNode, type NodeChangesEnv } from '../node-changes.js'
import { chosen, expansionOf, unitPrices, type Expansion } from './expansion.js'
import type { AutoscalerSettings } from './options.js'
import { Packing } from './packing.js'
import { ScaledNodes } from './scaled-nodes.js'
import { areSimilar, balanced } from './similar-groups.js'
import { ToldWaits } from './told-waits.js'
import { TotalLimits } from './total-limits.js'
import { UnneededNodes } from './unneeded-nodes.js'
import type { WaitingForRoom, WaitingTasks } from './waiting-tasks.js'

/** The token of timers that are the autoscaler's. */
export const SCALE = -2

/** Tasks younger than this do not make the autoscaler ask for nodes by themselves, since more may be about to come, seconds. */
const NEW = 2
/** The same of tasks that ask for devices, whose nodes are dear: while all such tasks are as young, nothing is asked for, seconds. */
const NEW_WITH_DEVICES = 30

export interface AutoscalerEnv extends NodeChangesEnv {
  readonly queue: EventQueue
  /** Draws of equal expansions. */
  readonly random: () => number
}

/**
 * Asks for nodes where tasks wait for room, and removes nodes that are not needed. It looks at the cluster at multiples of the scan interval, after
 * the rounds of that instant, at those alone at which something may have changed since the last one.
 *
 * A look asks for nodes if any waiting task would have room on new nodes of a group and has none, neither on nodes that are up nor on those on their
 * way: of one group, as many as first fit needs. Otherwise it removes nodes that have been unneeded for long enough, idle ones first.
 *
 * Source: Kubernetes' Cluster Autoscaler (RunOnce of StaticAutoscaler). Deviations: a removed node is gone at once, nodes come up without fail, looks are
 * at multiples of the interval alone (there also soon after nodes were asked for or removed), and tasks wait for room by their demands and constraints
 * alone, whatever partitions and rules a policy has.
 */
export class Autoscaler {
  /** To be told of what happens in the run. */
  readonly observer: Observer
  readonly #settings: AutoscalerSettings
  readonly #groups: readonly ScaledGroup[]
  readonly #env: AutoscalerEnv
  readonly #waiting: WaitingForRoom
  readonly #unneeded: UnneededNodes
  readonly #nodes: ScaledNodes
  readonly #limits: TotalLimits
  /** What a unit of each resource is worth, for the expander `price`. */
  readonly #unit: readonly number[]
  /** The time of the next look and its event, if there is one. */
  #next: { readonly time: Seconds; readonly event: number } | undefined
  #looked: Seconds = 0
  #lastUp: Seconds = -Infinity
  #lastDown: Seconds = -Infinity

  constructor(settings: AutoscalerSettings, groups: readonly ScaledGroup[], waiting: WaitingForRoom, env: AutoscalerEnv) {
    this.#settings = settings
    this.#groups = groups
    this.#env = env
    this.#waiting = waiting
    this.observer = waiting
    this.#unneeded = new UnneededNodes(env.cell, env.work, settings, (job) => waiting.isExpendable(job))
    this.#nodes = new ScaledNodes(env.cell.nodes, groups)
    this.#unit = unitPrices(env.cell, groups)
    const { maxNodesTotal, resourcesTotal, expander } = settings
    if ([expander].flat().includes('price') && groups.some(({ price }) => price === undefined))
      throw new SchedError('BAD_OPTION', 'the expander price needs the price of every group.', { field: 'autoscaler.expander' }, 'Give each group with `autoscale` a `price`.')
    const { up } = this.#nodes
    if (maxNodesTotal < up) throw new SchedError('BAD_OPTION', `the cluster has ${up} nodes at the start.`, { field: 'autoscaler.maxNodesTotal' }, 'Allow more, or describe fewer.')
    this.#limits = new TotalLimits(env.cell, groups, this.#nodes, resourcesTotal)
  }

  /** Number of nodes that are neither there nor on their way. */
  get off(): number {
    return this.#nodes.off
  }

  /** Takes away the nodes that are not there at the start. */
  begin(): void {
    for (const { first, count, initial } of this.#groups) for (let node = first + initial; node < first + count; node++) changeNode(this.#env, node as NodeId, false, 0)
    this.#lookAt(this.#settings.scanInterval)
  }

  /** Handles a timer of the autoscaler; returns whether nodes have come up. */
  fired(now: Seconds): boolean {
    const nodes = this.#nodes.arrive(now)
    for (const node of nodes) changeNode(this.#env, node, true, now)
    return nodes.length > 0
  }

  /** The rounds of an instant are over; `hasChanged`: there may have been any. */
  passed(now: Seconds, hasChanged: boolean): void {
    const isDue = this.#next !== undefined && this.#next.time <= now
    if (isDue) this.#next = undefined
    const { scanInterval } = this.#settings
    if (isDue || (hasChanged && this.#looked < now && Math.round(now / scanInterval) * scanInterval === now)) {
      this.#looked = now
      this.#look(now)
    } else if (hasChanged) this.#lookAt(this.#nextScan(now))
  }

  // ---- looks ----

  /** The first scan not before a time. */
  #scanFrom(time: Seconds): Seconds {
    const { scanInterval } = this.#settings
    return Math.ceil(time / scanInterval) * scanInterval
  }

  /** The first scan after a time. */
  #nextScan(now: Seconds): Seconds {
    const { scanInterval } = this.#settings
    const scan = Math.floor(now / scanInterval + 1) * scanInterval
    return scan > now ? scan : scan + scanInterval
  }

  #lookAt(time: Seconds): void {
    if (this.#next !== undefined) {
      if (this.#next.time <= time) return
      this.#env.queue.cancel(this.#next.event)
    }
    this.#next = { time, event: this.#env.queue.push(time, EventKind.Timer, SCALE) }
  }

  #look(now: Seconds): void {
    const { newPodScaleUpDelay, maxNodesTotal, scaleDownEnabled } = this.#settings
    const packing = this.#packed()
    const told = new ToldWaits()
    told.expendable(this.#waiting.expendableWaits())
    const left = this.#waiting.tasks().map((each) => ({ ...each, count: each.count - this.#put(each, packing, told) })).filter(({ count }) => count > 0)
    const old = left.filter(({ since }) => since + newPodScaleUpDelay < now)
    const young = left.filter(({ since }) => since + newPodScaleUpDelay >= now)
    if (young.length > 0) this.#lookAt(this.#nextScan(Math.min(...young.map(({ since }) => since)) + newPodScaleUpDelay))
    const isFull = this.#nodes.up >= maxNodesTotal
    const areNew = old.length > 0 && !isFull && this.#areNew(old, now)
    if (areNew || (!isFull && this.#scaleUp(old, now, told))) this.#lookAt(this.#nextScan(now))
    else told.refused(old, ({ shape }) => this.#groups.some(({ first }) => this.#takes(shape, first)))
    if (this.#env.observers.scaleExplained) for (const [job, why] of told) this.#env.observers.onScaleWait(job, why, now)
    if (scaleDownEnabled && this.#lastUp !== now) this.#scaleDown(packing, !areNew, now)
  }

  /** Puts tasks onto the nodes; returns how many have room. */
  #put(tasks: WaitingTasks, packing: Packing, told: ToldWaits): number {
    const placed = packing.put(tasks, tasks.count)
    if (placed > 0 && packing.last >= this.#nodes.up) told.onTheWay(tasks.job, this.#groups[this.#nodes.groupOf(packing.nodes[packing.last] as NodeId)] as ScaledGroup)
    return placed
  }

  #takes(shape: ShapeId, node: NodeId): boolean {
    return this.#env.cell.shapes.roomOn(shape, node) > 0
  }

  /** The nodes that are up, then those on their way. */
  #packed(): Packing {
    const packing = new Packing(this.#env.cell, this.#env.work)
    for (const node of this.#nodes.upOf()) packing.add(node)
    const expendable = this.#waiting.expendableTasks()
    const rows = expendable.length === 0 ? undefined : new Map(packing.nodes.map((node, row) => [node, row]))
    for (const task of expendable) packing.disregard(task, rows?.get(this.#env.work.nodeOf(task) as NodeId) as number)
    for (const { node } of this.#nodes.coming) packing.add(node, true)
    return packing
  }

  /** Whether more such tasks may be about to come. */
  #areNew(waiting: readonly WaitingTasks[], now: Seconds): boolean {
    const { shapes } = this.#env.cell
    const ofDevices = waiting.filter(({ shape }) => shapes.of(shape).resources.some((r) => shapes.isDevice(r)))
    return waiting.every(({ since }) => since + NEW > now) || (ofDevices.length > 0 && ofDevices.every(({ since }) => since + NEW_WITH_DEVICES > now))
  }

  // ---- more nodes ----

  /** Asks for nodes for these tasks, if any help; returns whether they do. */
  #scaleUp(waiting: readonly WaitingTasks[], now: Seconds, told: ToldWaits): boolean {
    const [one, ...others] = waiting.length === 0 ? [] : this.#expansions(waiting)
    if (one === undefined) return false
    const { group, nodes } = chosen([one, ...others], this.#settings.expander, this.#env.random)
    const asked = this.#groups[group] as ScaledGroup
    for (const { job, shape } of waiting) if (this.#takes(shape, asked.first)) told.onTheWay(job, asked)
    this.#lastUp = now
    const growing = [group, ...this.#similarTo(group, waiting)].map((each) => ({ group: each, size: this.#nodes.sizeOf(each), most: (this.#groups[each] as ScaledGroup).count }))
    for (const each of balanced(growing, Math.min(nodes, this.#limits.left(group)))) this.#ask(each.group, Math.min(each.nodes, this.#limits.left(each.group)), now)
    return true
  }

  #ask(group: number, nodes: number, now: Seconds): void {
    if (nodes <= 0) return
    const time = now + (this.#groups[group] as ScaledGroup).provision
    this.#nodes.ask(group, nodes, time)
    this.#env.queue.push(time, EventKind.Timer, SCALE)
    this.#tellSize(group, now)
  }

  /** The groups among which new nodes of a group are divided, too: of equal nodes, that may have more, and whose nodes take all that its own do. */
  #similarTo(group: number, waiting: readonly WaitingTasks[]): number[] {
    const groups = this.#groups
    const { cell } = this.#env
    const own = groups[group] as ScaledGroup
    if (!this.#settings.balanceSimilarNodeGroups) return []
    const helped = waiting.filter(({ shape }) => this.#takes(shape, own.first))
    return [...groups.keys()].filter((each) => {
      const other = groups[each] as ScaledGroup
      return each !== group && this.#mayGrow(each) && areSimilar(cell, own, other) && helped.every(({ shape }) => this.#takes(shape, other.first))
    })
  }

  #mayGrow(group: number): boolean {
    return this.#nodes.sizeOf(group) < (this.#groups[group] as ScaledGroup).count && this.#limits.left(group) >= 1
  }

  #expansions(waiting: readonly WaitingTasks[]): Expansion[] {
    const { cell, work } = this.#env
    const { maxNodesPerScaleUp, maxNodesTotal } = this.#settings
    const more = Math.min(maxNodesPerScaleUp, maxNodesTotal - cell.nodes + this.off)
    return this.#groups.flatMap((group, index) => {
      if (more <= 0 || !this.#mayGrow(index)) return []
      const room = [index, ...this.#similarTo(index, waiting)].reduce((sum, each) => sum + (this.#groups[each] as ScaledGroup).count - this.#nodes.sizeOf(each), 0)
      return expansionOf(cell, work, group, index, waiting, Math.min(more, room), this.#unit) ?? []
    })
  }

  // ---- fewer nodes ----

  /** Notes which nodes are unneeded, and removes those that are due if any may be removed now. `packing` is used up. */
  #scaleDown(packing: Packing, mayRemove: boolean, now: Seconds): void {
    const { scaleDownUnneededTime, scaleDownDelayAfterAdd, scaleDownDelayAfterDelete } = this.#settings
    const candidates = this.#groups.flatMap((_, group) => (this.#nodes.mayShrink(group) ? this.#nodes.upOf(group) : []))
    for (let row = this.#nodes.up; row < packing.nodes.length; row++) packing.close(row) // what is on its way takes nothing from nodes that go
    if (this.#unneeded.update(candidates, packing, now)) this.#lookAt(this.#nextScan(now))
    const areDue: NodeId[] = []
    let later = Infinity
    for (const [node, since] of this.#unneeded.since) {
      if (since + scaleDownUnneededTime < now) areDue.push(node)
      else later = Math.min(later, since + scaleDownUnneededTime)
    }
    if (later < Infinity) this.#lookAt(this.#nextScan(later))
    const again = this.#unneeded.nextLook()
    if (again < Infinity) this.#lookAt(this.#scanFrom(again))
    if (areDue.length === 0 || !mayRemove) return
    const from = Math.max(this.#lastUp + scaleDownDelayAfterAdd, this.#lastDown + scaleDownDelayAfterDelete)
    if (from > now) this.#lookAt(this.#scanFrom(from))
    else if (this.#remove(areDue, now)) this.#lookAt(this.#nextScan(now))
  }

  /** Removes as many of the nodes as may go at once, idle ones first, then the last ones; returns whether any went. */
  #remove(nodes: readonly NodeId[], now: Seconds): boolean {
    const { maxScaleDownParallelism, maxDrainParallelism } = this.#settings
    const isIdle = (node: NodeId) => this.#unneeded.isIdle(node)
    let left = maxScaleDownParallelism
    let drains = maxDrainParallelism
    for (const node of [...nodes].sort((a, b) => Number(isIdle(b)) - Number(isIdle(a)) || b - a)) {
      const group = this.#nodes.groupOf(node)
      if (left === 0) break
      if ((!isIdle(node) && drains === 0) || !this.#nodes.mayShrink(group)) continue
      left--
      if (!isIdle(node)) drains--
      this.#takeAway(node, group, now)
    }
    return left < maxScaleDownParallelism
  }

  #takeAway(node: NodeId, group: number, now: Seconds): void {
    this.#env.observers.onScaleDown(node, now)
    this.#env.runs.lose(node, now, 'evicted')
    this.#nodes.remove(node, group)
    this.#unneeded.forget(node)
    this.#lastDown = now
    changeNode(this.#env, node, false, now)
    this.#tellSize(group, now)
  }

  #tellSize(group: number, now: Seconds): void {
    this.#env.observers.onScale(group, this.#nodes.sizeOf(group), now)
  }
}
