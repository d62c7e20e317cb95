import type { CellState, DynamicSlotsRule, Work } from '@sched/cluster'
import { ownValue, to40Bits, type JobId, type LaneId, type NodeId, type Observer, type ResourceId, type Seconds, type StageSpec, type TaskEnd, type TaskId } from '@sched/core'
import { EventKind, type EventQueue } from './event-queue.js'

/** Timer token of the checks on slots; the tokens of architectures are not negative. */
export const LOOK_AT_SLOTS = -1

/** A node as an adjuster of slots sees it. */
export interface SlotsState {
  /** What the running tasks use of each kind of hardware, as a fraction of the node's amount; may exceed 1. */
  readonly used: readonly number[]
  /** Names of the kinds of hardware. */
  readonly kinds: readonly string[]
  /** Slots of the type now. */
  readonly slots: number
  /** Fewest slots of the type. */
  readonly min: number
  /** Most slots of the type. */
  readonly max: number
}
/** By how many slots a node changes, positive for more; the result is limited to the range `min` to `max`. */
export type SlotsAdjuster = (state: SlotsState) => number

/**
 * Adds one slot when less than `below` of every kind of hardware is used, and removes one when more than `above` of any kind is. What differs from a
 * limit by rounding alone is equal to it.
 */
export const slotsByUse = (rule: Pick<DynamicSlotsRule, 'below' | 'above'>): SlotsAdjuster => {
  const [below, above] = [to40Bits(rule.below), to40Bits(rule.above)]
  return ({ used }) => (used.some((each) => to40Bits(each) > above) ? -1 : used.every((each) => to40Bits(each) < below) ? 1 : 0)
}

/** Use of a task whose stage gives none: one core, where nodes have cores. */
const USUAL = { cores: 1 } as const

/**
 * Changes the number of slots of nodes: at intervals an adjuster checks what the running tasks really use. No task is killed: a slot that is removed
 * from a busy node goes when a task there ends. A task counts until the master knows of its end.
 *
 * Source: SlotsAdjuster; Lin et al., survey of cluster resource scheduling, section 1 (no rule is published; this one is our choice).
 */
export class DynamicSlots implements Observer {
  readonly #cell: CellState
  readonly #work: Work
  readonly #queue: EventQueue
  readonly #rule: DynamicSlotsRule
  readonly #adjust: SlotsAdjuster
  /** By node: what each running task uses. */
  readonly #running: Map<TaskId, Readonly<Record<string, number>>>[]
  /** `[resource * nodes + node]`: slots to be removed as soon as they are free. */
  readonly #owed: Int32Array

  constructor(
    { cell, work, queue }: { readonly cell: CellState; readonly work: Work; readonly queue: EventQueue },
    rule: DynamicSlotsRule,
    adjust: SlotsAdjuster = slotsByUse(rule),
  ) {
    this.#cell = cell
    this.#work = work
    this.#queue = queue
    this.#rule = rule
    this.#adjust = adjust
    this.#running = Array.from({ length: cell.nodes }, () => new Map<TaskId, Readonly<Record<string, number>>>())
    this.#owed = new Int32Array(cell.resources.length * cell.nodes)
    const { initial } = rule
    if (initial !== undefined) this.#each((node, resource) => this.#change(node, resource, initial - cell.total(node, resource)))
    this.#lookAgain(0)
  }

  /** Checks all nodes and sets the timer for the next check. */
  look(now: Seconds): void {
    this.#lookAtAll()
    this.#lookAgain(now)
  }

  #lookAgain(now: Seconds): void {
    this.#queue.push(now + this.#rule.interval, EventKind.Timer, LOOK_AT_SLOTS)
  }

  #lookAtAll(): void {
    const { kinds } = this.#cell.model.hardware
    for (let node = 0 as NodeId; node < this.#cell.nodes; node++) {
      const used = kinds.map((kind, k) => this.#usedOn(node, kind) / (this.#cell.model.hardware.amounts[k * this.#cell.nodes + node] as number))
      for (let resource = 0 as ResourceId; resource < this.#cell.resources.length; resource++) {
        const slots = this.#slots(node, resource)
        const { min } = this.#rule
        this.#change(node, resource, this.#adjust({ used, kinds, slots, min, max: this.#most(node, resource) }))
      }
    }
  }

  onTaskStart(task: TaskId, _job: JobId, _lane: LaneId, node: NodeId): void {
    this.#running[node]?.set(task, this.#stageOf(task).use ?? USUAL)
  }

  onTaskEnd(task: TaskId, _job: JobId, _lane: LaneId, node: NodeId, _how: TaskEnd): void {
    this.#running[node]?.delete(task)
    for (let resource = 0 as ResourceId; resource < this.#cell.resources.length; resource++) this.#collect(node, resource)
  }

  #stageOf(task: TaskId): StageSpec {
    const stage = this.#work.taskStage[task] as number
    const job = this.#work.jobOf(task)
    return this.#work.spec(job).stages[stage - (this.#work.jobFirstStage[job] as number)] as StageSpec
  }

  #usedOn(node: NodeId, kind: string): number {
    let sum = 0
    for (const use of (this.#running[node] as Map<TaskId, Readonly<Record<string, number>>>).values()) sum += ownValue(use, kind) ?? 0
    return sum
  }

  /** Slots of the node, without those that are to be removed. */
  #slots(node: NodeId, resource: ResourceId): number {
    return this.#cell.total(node, resource) - (this.#owed[resource * this.#cell.nodes + node] as number)
  }

  #most(node: NodeId, resource: ResourceId): number {
    return this.#cell.model.total[resource * this.#cell.nodes + node] as number
  }

  #change(node: NodeId, resource: ResourceId, by: number): void {
    const slots = this.#slots(node, resource)
    const most = this.#most(node, resource)
    const wanted = Math.max(Math.min(this.#rule.min, most), Math.min(most, slots + by))
    const at = resource * this.#cell.nodes + node
    const owed = (this.#owed[at] as number) + slots - wanted
    this.#owed[at] = Math.max(0, owed)
    if (owed < 0) this.#cell.withhold(node, resource, owed)
    this.#collect(node, resource)
  }

  #collect(node: NodeId, resource: ResourceId): void {
    const at = resource * this.#cell.nodes + node
    const taken = Math.min(this.#owed[at] as number, this.#cell.free(node, resource))
    if (taken === 0) return
    this.#owed[at] = (this.#owed[at] as number) - taken
    this.#cell.withhold(node, resource, taken)
  }

  #each(visit: (node: NodeId, resource: ResourceId) => void): void {
    for (let node = 0 as NodeId; node < this.#cell.nodes; node++) for (let resource = 0 as ResourceId; resource < this.#cell.resources.length; resource++) visit(node, resource)
  }
}

