import { SchedError, type NodeId, type Observer, type ScaledGroup, type Seconds } from '@sched/core'
import { EventKind, type EventQueue } from '../event-queue.js'
import { changeNode, type NodeChangesEnv } from '../node-changes.js'
import { chosen, expansionOf, type Expansion } from './expansion.js'
import type { AutoscalerSettings } from './options.js'
import { Packing } from './packing.js'
import { UnneededNodes } from './unneeded-nodes.js'
import type { WaitingForRoom, WaitingTasks } from './waiting-tasks.js'

/** The token of timers that are the autoscaler's. */
export const SCALE = -2

/** Tasks younger than this do not make the autoscaler ask for nodes by themselves, since more may be about to come, seconds. */
const NEW = 2

export interface AutoscalerEnv extends NodeChangesEnv {
  readonly queue: EventQueue
  /** Draws of equal expansions. */
  readonly random: () => number
}

type State = 'off' | 'coming' | 'up'

/**
 * Asks for nodes where tasks wait for room, and removes nodes that are not needed. It looks at the cluster at multiples of the scan interval, after
 * the rounds of that instant, at those alone at which something may have changed since the last one.
 *
 * A look asks for nodes if any waiting task would have room on new nodes of a group and has none, neither on nodes that are up nor on those on their
 * way: of one group, as many as first fit needs. Otherwise it removes nodes that have been unneeded for long enough, idle ones first.
 *
 * Source: Kubernetes' Cluster Autoscaler (RunOnce of StaticAutoscaler). Deviations: a removed node is gone at once, nodes come up without fail, and
 * tasks wait for room by their demands and constraints alone, whatever partitions and rules a policy has.
 */
export class Autoscaler {
  /** To be told of what happens in the run. */
  readonly observer: Observer
  readonly #settings: AutoscalerSettings
  readonly #groups: readonly ScaledGroup[]
  readonly #env: AutoscalerEnv
  readonly #waiting: WaitingForRoom
  readonly #unneeded: UnneededNodes
  /** By node of the cluster; a node of no group is always up. */
  readonly #states: State[]
  /** Nodes on their way, in the order in which they come up. */
  #coming: { readonly node: NodeId; readonly time: Seconds }[] = []
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
    this.#unneeded = new UnneededNodes(env.cell, env.work)
    this.#states = Array.from({ length: env.cell.nodes }, () => 'up')
    const { maxNodesTotal } = settings
    const atFirst = env.cell.nodes - groups.reduce((sum, { count, initial }) => sum + count - initial, 0)
    if (maxNodesTotal < atFirst) throw new SchedError('BAD_OPTION', `the cluster has ${atFirst} nodes at the start.`, { field: 'autoscaler.maxNodesTotal' }, 'Allow more, or describe fewer.')
  }

  /** Number of nodes that are neither there nor on their way. */
  get off(): number {
    return this.#states.filter((state) => state === 'off').length
  }

  /** Takes away the nodes that are not there at the start. */
  begin(): void {
    for (const { first, count, initial } of this.#groups)
      for (let node = first + initial; node < first + count; node++) {
        this.#states[node] = 'off'
        changeNode(this.#env, node as NodeId, false, 0)
      }
    this.#lookAt(this.#settings.scanInterval)
  }

  /** Handles a timer of the autoscaler; returns whether nodes have come up. */
  fired(now: Seconds): boolean {
    let areUp = false
    for (; this.#coming.length > 0 && (this.#coming[0] as { time: Seconds }).time <= now; areUp = true) this.#comeUp((this.#coming.shift() as { node: NodeId }).node, now)
    return areUp
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
    const waiting = this.#waiting.tasks()
    if (waiting.length > 0 && waiting.every(({ since }) => since + NEW > now)) return this.#lookAt(this.#nextScan(now))
    if (this.#scaleUp(waiting, now)) return this.#lookAt(this.#nextScan(now))
    if (this.#settings.scaleDownEnabled) this.#scaleDown(now)
  }

  // ---- more nodes ----

  #scaleUp(waiting: readonly WaitingTasks[], now: Seconds): boolean {
    const old = waiting.filter(({ since }) => since + this.#settings.newPodScaleUpDelay <= now)
    const young = waiting.filter((each) => !old.includes(each))
    if (young.length > 0) this.#lookAt(this.#scanFrom(Math.min(...young.map(({ since }) => since)) + this.#settings.newPodScaleUpDelay))
    const left = old.length === 0 ? [] : this.#withoutRoom(old)
    const expansions = left.length === 0 ? [] : this.#expansions(left)
    const [one, ...others] = expansions
    if (one === undefined) return false
    const { expander } = this.#settings
    this.#add(chosen([one, ...others], expander, this.#env.random), now)
    return true
  }

  /** What of the waiting tasks has room neither on nodes that are up nor on those on their way. */
  #withoutRoom(waiting: readonly WaitingTasks[]): WaitingTasks[] {
    const packing = new Packing(this.#env.cell)
    for (const [node, state] of this.#states.entries()) if (state === 'up') packing.add(node as NodeId)
    for (const { node } of this.#coming) packing.add(node, true)
    return waiting.map((each) => ({ ...each, count: each.count - packing.put(each.shape, each.count, each.isApart) })).filter(({ count }) => count > 0)
  }

  #expansions(waiting: readonly WaitingTasks[]): Expansion[] {
    const { maxNodesPerScaleUp, maxNodesTotal } = this.#settings
    const more = Math.min(maxNodesPerScaleUp, maxNodesTotal - this.#states.length + this.off)
    return this.#groups.flatMap((group, index) => {
      const most = Math.min(more, group.count - this.#sizeOf(group))
      return most <= 0 ? [] : (expansionOf(this.#env.cell, group, index, waiting, most) ?? [])
    })
  }

  #add({ group, nodes }: Expansion, now: Seconds): void {
    const { first, count, provision } = this.#groups[group] as ScaledGroup
    let left = nodes
    for (let node = first as number; node < first + count && left > 0; node++) {
      if (this.#states[node] !== 'off') continue
      left--
      this.#states[node] = 'coming'
      this.#coming.push({ node: node as NodeId, time: now + provision })
    }
    this.#coming.sort((a, b) => a.time - b.time)
    this.#env.queue.push(now + provision, EventKind.Timer, SCALE)
    this.#lastUp = now
    this.#tellSize(group, now)
  }

  #comeUp(node: NodeId, now: Seconds): void {
    this.#states[node] = 'up'
    changeNode(this.#env, node, true, now)
  }

  // ---- fewer nodes ----

  #scaleDown(now: Seconds): void {
    const { scaleDownUtilizationThreshold, scaleDownUnneededTime, scaleDownDelayAfterAdd, scaleDownDelayAfterDelete } = this.#settings
    const isUp = (node: number): node is NodeId => this.#states[node] === 'up'
    const up = this.#states.flatMap((_, node) => (isUp(node) ? [node] : []))
    const candidates = this.#groups.flatMap((group) => (this.#sizeOf(group) > group.min ? nodesOf(group).filter(isUp) : []))
    this.#unneeded.update(candidates, up, scaleDownUtilizationThreshold, now)
    const unneeded = [...this.#unneeded.since]
    const areDue = unneeded.filter(([, since]) => since + scaleDownUnneededTime < now).map(([node]) => node)
    const from = Math.max(this.#lastUp + scaleDownDelayAfterAdd, this.#lastDown + scaleDownDelayAfterDelete)
    if (from > now) {
      if (areDue.length > 0) this.#lookAt(this.#scanFrom(from))
    } else if (this.#remove(areDue, now)) return this.#lookAt(this.#nextScan(now))
    const later = unneeded.flatMap(([node, since]) => (areDue.includes(node) ? [] : [since + scaleDownUnneededTime]))
    if (later.length > 0) this.#lookAt(this.#nextScan(Math.min(...later)))
  }

  /** Removes as many of the nodes as may go at once, idle ones first, then the last ones; returns whether any went. */
  #remove(nodes: readonly NodeId[], now: Seconds): boolean {
    const { maxScaleDownParallelism, maxDrainParallelism } = this.#settings
    const idle = nodes.filter((node) => this.#unneeded.isIdle(node))
    let left = maxScaleDownParallelism
    let drains = maxDrainParallelism
    for (const node of [...latestFirst(idle), ...latestFirst(nodes.filter((each) => !idle.includes(each)))]) {
      const isIdle = idle.includes(node)
      const group = this.#groups.findIndex(({ first, count }) => node >= first && node < first + count)
      if (left === 0 || (!isIdle && drains === 0) || this.#sizeOf(this.#groups[group] as ScaledGroup) <= (this.#groups[group] as ScaledGroup).min) continue
      left--
      if (!isIdle) drains--
      this.#takeAway(node, group, now)
    }
    return left < maxScaleDownParallelism
  }

  #takeAway(node: NodeId, group: number, now: Seconds): void {
    this.#env.runs.lose(node, now, 'evicted')
    this.#states[node] = 'off'
    this.#unneeded.since.delete(node)
    this.#lastDown = now
    changeNode(this.#env, node, false, now)
    this.#tellSize(group, now)
  }

  /** Nodes of a group that are there or on their way. */
  #sizeOf(group: ScaledGroup): number {
    return nodesOf(group).filter((node) => this.#states[node] !== 'off').length
  }

  #tellSize(group: number, now: Seconds): void {
    this.#env.observers.onScale(group, this.#sizeOf(this.#groups[group] as ScaledGroup), now)
  }
}

const nodesOf = ({ first, count }: ScaledGroup): NodeId[] => Array.from({ length: count }, (_, i) => (first + i) as NodeId)
const latestFirst = (nodes: readonly NodeId[]): NodeId[] => [...nodes].sort((a, b) => b - a)
