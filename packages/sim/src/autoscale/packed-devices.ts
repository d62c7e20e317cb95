import type { CellState } from '@sched/cluster'
import type { NodeId, ResourceId } from '@sched/core'

/**
 * What is free on each device of the nodes of a packing, by row: a share of one goes to the device with the least room that is enough, whole ones are
 * the first that are free, as on the nodes themselves.
 */
export class PackedDevices {
  readonly #cell: CellState
  /** Resources that come in devices, and how much one device has. */
  readonly #sizes: readonly (readonly [resource: ResourceId, size: number])[]
  /** By row and resource: what is free on each device. */
  readonly #free: ReadonlyMap<ResourceId, number[]>[] = []

  constructor(cell: CellState) {
    this.#cell = cell
    this.#sizes = (cell.model.devices?.sizes ?? []).flatMap((size, r) => (size > 0 ? [[r as ResourceId, size] as const] : []))
  }

  /** Adds a row behind the others: the devices of a node as they are, or with nothing on them. */
  add(node: NodeId, isEmpty: boolean): void {
    if (this.#sizes.length === 0) return
    const cell = this.#cell
    this.#free.push(new Map(this.#sizes.map(([r, size]) => {
      const count = cell.total(node, r) / size
      return [r, Array.from({ length: count }, (_, i) => (isEmpty ? size : cell.deviceFree(node, r, i)))]
    })))
  }

  /** Whether a row has a share of one device, or whole devices, of this amount. */
  fits(row: number, r: ResourceId, amount: number): boolean {
    return this.#chosen(row, r, amount) !== undefined
  }

  /** Takes the amount, which fits; returns the numbers of the devices. */
  take(row: number, r: ResourceId, amount: number): readonly number[] {
    const devices = this.#chosen(row, r, amount) as readonly number[]
    this.#move(row, r, -amount, devices)
    return devices
  }

  give(row: number, r: ResourceId, amount: number, devices: readonly number[]): void {
    this.#move(row, r, amount, devices)
  }

  #chosen(row: number, r: ResourceId, amount: number): readonly number[] | undefined {
    const free = this.#free[row]?.get(r) as number[]
    const size = this.#sizeOf(r)
    if (amount > size) {
      const whole = [...free.keys()].filter((i) => free[i] === size)
      return whole.length * size >= amount ? whole.slice(0, amount / size) : undefined
    }
    let best = -1
    for (const [i, each] of free.entries()) if (each >= amount && (best < 0 || each < (free[best] as number))) best = i
    return best < 0 ? undefined : [best]
  }

  #move(row: number, r: ResourceId, amount: number, devices: readonly number[]): void {
    const free = this.#free[row]?.get(r) as number[]
    for (const i of devices) free[i] = (free[i] as number) + amount / devices.length
  }

  #sizeOf(r: ResourceId): number {
    return this.#sizes.find(([each]) => each === r)?.[1] as number
  }
}
