import { lowestBit, type NodeId } from '@sched/core'

/** The devices of a cluster, which never change. Devices of a node are numbered from 0 through all resources; those of one resource are adjacent. */
export class DeviceTable {
  /** By resource: the amount of one device, 0 for a resource that does not come in devices. */
  readonly sizes: readonly number[]
  /** Number of devices, `[resource * nodes + node]`. */
  readonly counts: Int32Array
  /** Number of a resource's first device on a node, `[resource * nodes + node]`. */
  readonly firsts: Int32Array
  /** Index of each node's first device in a column of all devices; one entry more than nodes. */
  readonly starts: Int32Array
  readonly nodes: number

  constructor(sizes: readonly number[], counts: Int32Array, nodes: number) {
    this.sizes = sizes
    this.counts = counts
    this.nodes = nodes
    this.firsts = new Int32Array(counts.length)
    this.starts = new Int32Array(nodes + 1)
    for (let node = 0; node < nodes; node++) {
      let count = 0
      for (let at = node; at < counts.length; at += nodes) {
        this.firsts[at] = count
        count += counts[at] as number
      }
      this.starts[node + 1] = (this.starts[node] as number) + count
    }
  }

  /** The resource that a device of a node is of. */
  resourceOf(node: number, device: number): number {
    return this.sizes.findIndex((size, resource) => {
      const at = resource * this.nodes + node
      return size > 0 && device >= (this.firsts[at] as number) && device < (this.firsts[at] as number) + (this.counts[at] as number)
    })
  }

  /** How many tasks that ask for `amount` of the resource an empty node could hold. */
  roomOn(node: number, resource: number, amount: number): number {
    const size = this.sizes[resource] as number
    const count = this.counts[resource * this.nodes + node] as number
    return amount < size ? count * Math.floor(size / amount) : Math.floor(count / (amount / size))
  }
}

/**
 * What is free on each device: shares of 500 and 600 do not fit on one device of 1000 together, whatever is free on others. A share goes to the
 * device with the least room that is enough (best fit, lowest number first); whole devices are the lowest free ones. The devices that a task holds
 * are a set, one bit per device of its node.
 */
export class DeviceCells {
  readonly #table: DeviceTable
  /** Free amount by device. */
  #free: Int32Array
  /** The largest free amount on one device, `[resource * nodes + node]`. */
  #most: Int32Array

  constructor(table: DeviceTable, isEmpty: boolean) {
    this.#table = table
    this.#free = new Int32Array(table.starts[table.nodes] as number)
    this.#most = new Int32Array(table.counts.length)
    if (isEmpty) return
    for (let resource = 0; resource < table.sizes.length; resource++)
      for (let node = 0; node < table.nodes; node++) {
        const [from, to] = this.#range(node, resource)
        this.#free.fill(table.sizes[resource] as number, from, to)
        this.#noteMost(node, resource)
      }
  }

  free(node: NodeId, resource: number, index: number): number {
    const [from, to] = this.#range(node, resource)
    return index >= 0 && from + index < to ? (this.#free[from + index] as number) : 0
  }

  fits(node: number, resource: number, amount: number): boolean {
    const size = this.#table.sizes[resource] as number
    const most = this.#most[resource * this.#table.nodes + node] as number
    if (amount <= size) return most >= amount
    return most === size && this.#countWhole(node, resource, size) * size >= amount
  }

  /** How many tasks that ask for `amount` of the resource the node could take now. */
  roomOn(node: number, resource: number, amount: number): number {
    const size = this.#table.sizes[resource] as number
    if (amount >= size) return Math.floor(this.#countWhole(node, resource, size) / (amount / size))
    const [from, to] = this.#range(node, resource)
    let room = 0
    for (let at = from; at < to; at++) room += Math.floor((this.#free[at] as number) / amount)
    return room
  }

  /** Takes the amount from the devices in the set, or from devices that it chooses if the set has none of the resource. Returns the devices used. */
  take(node: number, resource: number, amount: number, devices: number): number {
    const given = devices === 0 ? 0 : devices & this.#all(node, resource)
    const chosen = given === 0 ? this.#choose(node, resource, amount) : given
    this.#move(node, resource, amount, chosen, -1)
    return chosen
  }

  give(node: number, resource: number, amount: number, devices: number): void {
    this.#move(node, resource, amount, devices & this.#all(node, resource), 1)
  }

  /** Moves what is free on a node to another state of the cluster, at most `most` of each resource, from the first device on. */
  moveNodeTo(other: DeviceCells, node: number, most?: ArrayLike<number>): void {
    const { sizes } = this.#table
    for (let resource = 0; resource < sizes.length; resource++) {
      const [from, to] = this.#range(node, resource)
      let left = most?.[resource] ?? Infinity
      for (let at = from; at < to; at++) {
        const moved = Math.min(this.#free[at] as number, left)
        other.#free[at] = (other.#free[at] as number) + moved
        this.#free[at] = (this.#free[at] as number) - moved
        left -= moved
      }
      this.#noteMost(node, resource)
      other.#noteMost(node, resource)
    }
  }

  swapWith(other: DeviceCells): void {
    const free = this.#free
    this.#free = other.#free
    other.#free = free
    const most = this.#most
    this.#most = other.#most
    other.#most = most
  }

  /** Whether the free amounts of a node's devices add up to what is free of each resource, with none below 0 or above the device's size. */
  addsUp(node: number, freeOf: (resource: number) => number): boolean {
    const { sizes } = this.#table
    for (const [resource, size] of sizes.entries()) {
      if (size === 0) continue
      const [from, to] = this.#range(node, resource)
      const each = this.#free.subarray(from, to)
      if (each.some((free) => free < 0 || free > size) || each.reduce((sum, free) => sum + free, 0) !== freeOf(resource)) return false
    }
    return true
  }

  #choose(node: number, resource: number, amount: number): number {
    const size = this.#table.sizes[resource] as number
    const [from, to] = this.#range(node, resource)
    const first = this.#table.firsts[resource * this.#table.nodes + node] as number
    if (amount > size) return this.#chooseWhole(from, to, first, size, amount / size)
    let best = -1
    for (let at = from; at < to; at++) if ((this.#free[at] as number) >= amount && (best < 0 || (this.#free[at] as number) < (this.#free[best] as number))) best = at
    return best < 0 ? 0 : 1 << (first + best - from)
  }

  #chooseWhole(from: number, to: number, first: number, size: number, count: number): number {
    let devices = 0
    for (let at = from; at < to && count > 0; at++) {
      if (this.#free[at] !== size) continue
      devices |= 1 << (first + at - from)
      count--
    }
    return count > 0 ? 0 : devices
  }

  #move(node: number, resource: number, amount: number, devices: number, sign: 1 | -1): void {
    const size = this.#table.sizes[resource] as number
    const each = sign * (amount < size ? amount : size)
    const start = this.#table.starts[node] as number
    for (let left = devices; left !== 0; left &= left - 1) {
      const at = start + lowestBit(left)
      this.#free[at] = (this.#free[at] as number) + each
    }
    this.#noteMost(node, resource)
  }

  #countWhole(node: number, resource: number, size: number): number {
    const [from, to] = this.#range(node, resource)
    let count = 0
    for (let at = from; at < to; at++) if (this.#free[at] === size) count++
    return count
  }

  #noteMost(node: number, resource: number): void {
    const [from, to] = this.#range(node, resource)
    let most = 0
    for (let at = from; at < to; at++) if ((this.#free[at] as number) > most) most = this.#free[at] as number
    this.#most[resource * this.#table.nodes + node] = most
  }

  /** The bits of the resource's devices on the node. */
  #all(node: number, resource: number): number {
    const at = resource * this.#table.nodes + node
    return ((1 << (this.#table.counts[at] as number)) - 1) << (this.#table.firsts[at] as number)
  }

  #range(node: number, resource: number): [number, number] {
    const at = resource * this.#table.nodes + node
    const from = (this.#table.starts[node] as number) + (this.#table.firsts[at] as number)
    return [from, from + (this.#table.counts[at] as number)]
  }
}
