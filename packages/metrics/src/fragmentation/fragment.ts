import { ownValue } from '@sched/core'

/** A kind of task for the measure of fragmentation. */
export interface TaskKind {
  /** Its popularity among the tasks, on any scale; above 0. */
  readonly weight: number
  /** Its demand of devices: a share of one, or a multiple of the size of one; 0: none. */
  readonly devices: number
  /** Its demand of the node's other resources, by name. */
  readonly others?: Readonly<Record<string, number>>
}

/** What is free on a node. */
export interface NodeRest {
  /** Amount of one device: 1000 of a GPU in thousandths. */
  readonly size: number
  /** Free amount of each device. */
  readonly devices: readonly number[]
  /** Free amount of the other resources, by name. */
  readonly others?: Readonly<Record<string, number>>
}

/**
 * The free amount on the node's devices that is of no use to a task of the kind, in the unit of the devices. If the task does not fit on the node or
 * asks for no device, that is everything; otherwise it is what is free on devices that have too little.
 *
 * Source: Weng et al., "Beware of Fragmentation", USENIX ATC 2023, section 3 (F_n(m)).
 */
export function fragmentFor({ size, devices, others = {} }: NodeRest, kind: TaskKind): number {
  const isRoom = Object.entries(kind.others ?? {}).every(([name, amount]) => amount <= (ownValue(others, name) ?? 0))
  return strandedOn(devices, 0, devices.length, size, kind.devices, isRoom)
}

/**
 * Expected free amount on the node's devices that is of no use to a task drawn from a workload; NaN for a workload without tasks. The fragmentation
 * of a cluster is the sum over its nodes.
 *
 * Source: Weng et al., "Beware of Fragmentation", USENIX ATC 2023, section 3 (F_n(M)).
 */
export function expectedFragment(node: NodeRest, workload: readonly TaskKind[]): number {
  const weights = workload.reduce((sum, { weight }) => sum + weight, 0)
  return workload.reduce((sum, kind) => sum + kind.weight * fragmentFor(node, kind), 0) / weights
}

/** `fragmentFor` the devices `free[from]` to `free[to - 1]`; `isRoom`: whether everything but the devices is sufficient. */
export function strandedOn(free: ArrayLike<number>, from: number, to: number, size: number, amount: number, isRoom: boolean): number {
  const each = amount < size ? amount : size
  let all = 0
  let stranded = 0
  let enough = 0
  for (let at = from; at < to; at++) {
    const here = free[at] as number
    all += here
    if (here < each) stranded += here
    else enough++
  }
  return amount === 0 || !isRoom || enough * each < amount ? all : stranded
}
