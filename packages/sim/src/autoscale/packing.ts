import { namedDevices, type CellState, type Work } from '@sched/cluster'
import { None, type JobId, type NodeId, type ResourceId, type ShapeId, type TaskId } from '@sched/core'
import { PackedDevices } from './packed-devices.js'

/** More than shapes ever are; numbers of jobs times this are exact. */
const MOST_SHAPES = 2 ** 21

/** A task of a job; all of a shape are alike. */
export interface PackedTask {
  readonly job: JobId
  readonly shape: ShapeId
}

/** A task on a row, with its devices by the place of their resource among those that it asks for. */
interface Placed {
  readonly task: PackedTask
  readonly devices: ReadonlyMap<number, readonly number[]> | undefined
}

/**
 * Tasks that are put onto a list of nodes one after another, each onto the first with room, without anything happening there. Tasks that must be apart
 * from others of their job are.
 */
export class Packing {
  /** The nodes, in order. */
  readonly nodes: NodeId[] = []
  readonly #cell: CellState
  readonly #work: Work
  readonly #width: number
  /** By row and resource: what is free. */
  readonly #free: number[] = []
  /** By row: nothing may be put there. */
  readonly #closed: boolean[] = []
  /** By row: whether what runs on the node counts. */
  readonly #isReal: boolean[] = []
  /** By row, where there are any: tasks that were put there. */
  readonly #placed = new Map<number, Placed[]>()
  readonly #devices: PackedDevices
  /** The row onto which a task was put last, or `None`. */
  last: number = None
  /** By kind of task: no row before this one takes it. */
  readonly #from = new Map<number, number>()

  constructor(cell: CellState, work: Work) {
    this.#cell = cell
    this.#work = work
    this.#width = cell.resources.length
    this.#devices = new PackedDevices(cell)
  }

  /** Adds a node behind the others, with what is free there, or with nothing on it. */
  add(node: NodeId, isEmpty = false): void {
    const cell = this.#cell
    this.nodes.push(node)
    this.#closed.push(false)
    this.#isReal.push(!isEmpty)
    this.#devices.add(node, isEmpty)
    for (let r = 0; r < this.#width; r++) this.#free.push(isEmpty ? cell.total(node, r as ResourceId) : cell.free(node, r as ResourceId))
  }

  /** What a task that runs on the node of a row holds does not count. */
  disregard(task: TaskId, row: number): void {
    const shape = this.#work.shapeOf(task)
    this.#move(shape, row, 1)
    const cell = this.#cell
    const { resources, amounts } = cell.shapes.of(shape)
    for (const [name, numbers] of Object.entries(namedDevices(this.#work.devicesOf(task), this.nodes[row] as NodeId, cell) ?? {})) {
      const i = resources.indexOf(cell.resources.indexOf(name))
      this.#devices.give(row, resources[i] as ResourceId, amounts[i] as number, numbers)
    }
  }

  /** What is held on a row, of a resource. */
  held(row: number, r: ResourceId): number {
    return this.#cell.total(this.nodes[row] as NodeId, r) - (this.#free[row * this.#width + r] as number)
  }

  /** The tasks that were put onto a row. */
  placed(row: number): readonly PackedTask[] {
    return (this.#placed.get(row) ?? []).map(({ task }) => task)
  }

  /** Puts up to `count` tasks onto the nodes. Returns how many had room. */
  put(task: PackedTask, count: number): number {
    let left = count
    while (left > 0 && this.putOne(task) !== None) left--
    return count - left
  }

  /** The same, onto the last of the nodes alone. */
  putLast(task: PackedTask, count: number): number {
    const row = this.nodes.length - 1
    let left = count
    while (left > 0 && this.#takes(task, row)) left -= this.#place(task, row)
    return count - left
  }

  /** Puts one task onto the first row with room; returns the row, or `None`. */
  putOne(task: PackedTask): number {
    const kind = this.#kindOf(task)
    let row = this.#from.get(kind) ?? 0
    while (row < this.nodes.length && !this.#takes(task, row)) row++
    this.#from.set(kind, row)
    if (row === this.nodes.length) return None
    this.#place(task, row)
    return row
  }

  /** Takes back the task that was put onto a row last. */
  takeBack(row: number): void {
    const { task, devices } = (this.#placed.get(row) as Placed[]).pop() as Placed
    const { resources, amounts } = this.#cell.shapes.of(task.shape)
    for (const [i, numbers] of devices ?? []) this.#devices.give(row, resources[i] as ResourceId, amounts[i] as number, numbers)
    this.#move(task.shape, row, 1)
    this.#lookAgain(row)
  }

  /** Nothing more is put onto a row. */
  close(row: number): void {
    this.#closed[row] = true
  }

  isClosed(row: number): boolean {
    return this.#closed[row] === true
  }

  /** Tasks may be put onto a row again. */
  open(row: number): void {
    this.#closed[row] = false
    this.#lookAgain(row)
  }

  #lookAgain(row: number): void {
    for (const [kind, from] of this.#from) if (from > row) this.#from.set(kind, row)
  }

  /** Tasks of a kind are taken by the same rows: those of a shape, or of a shape and job where they must be apart. */
  #kindOf({ job, shape }: PackedTask): number {
    return this.#work.isDistinct(shape) ? (job + 1) * MOST_SHAPES + shape : shape
  }

  #takes(task: PackedTask, row: number): boolean {
    return this.#fits(task.shape, row) && this.#isApart(task, row)
  }

  #isApart({ job, shape }: PackedTask, row: number): boolean {
    const work = this.#work
    if (!work.isDistinct(shape)) return true
    if (this.#isReal[row] === true && !work.isApart(shape, job, this.nodes[row] as NodeId)) return false
    return !(this.#placed.get(row) ?? []).some(({ task }) => task.job === job && work.isDistinct(task.shape))
  }

  #fits(shape: ShapeId, row: number): boolean {
    if (this.#closed[row] === true) return false
    const { shapes } = this.#cell
    const { resources, amounts, count } = shapes.of(shape)
    for (let i = 0; i < count; i++) if ((this.#free[row * this.#width + (resources[i] as number)] as number) < (amounts[i] as number)) return false
    for (let i = 0; i < count; i++) if (shapes.isDevice(resources[i] as number) && !this.#devices.fits(row, resources[i] as ResourceId, amounts[i] as number)) return false
    return shapes.allows(shape, this.nodes[row] as NodeId)
  }

  #place(task: PackedTask, row: number): 1 {
    const placed = { task, devices: this.#take(task.shape, row) }
    this.last = row
    this.#move(task.shape, row, -1)
    const here = this.#placed.get(row)
    if (here === undefined) this.#placed.set(row, [placed])
    else here.push(placed)
    return 1
  }

  #take(shape: ShapeId, row: number): Placed['devices'] {
    const { shapes } = this.#cell
    const { resources, amounts } = shapes.of(shape)
    const devices = resources.flatMap((r, i) => (shapes.isDevice(r) ? [[i, this.#devices.take(row, r as ResourceId, amounts[i] as number)] as const] : []))
    return devices.length === 0 ? undefined : new Map(devices)
  }

  #move(shape: ShapeId, row: number, sign: 1 | -1): void {
    const { resources, amounts, count } = this.#cell.shapes.of(shape)
    for (let i = 0; i < count; i++) {
      const at = row * this.#width + (resources[i] as number)
      this.#free[at] = (this.#free[at] as number) + sign * (amounts[i] as number)
    }
  }
}
