import { lowestBit, SchedError, suggest, type NodeId, type ResourceId, type ShapeId } from '@sched/core'
import type { CellState } from './cell-state.js'
import type { Work } from './work.js'

/** The devices of a task by resource: their numbers among the devices of that resource on the node, from 0, in order. */
export type HeldDevices = Readonly<Record<string, readonly number[]>>

/** Names the devices of a set of `CellState.take`; `undefined` for the empty set. */
export function namedDevices(devices: number, node: NodeId, { model }: CellState): HeldDevices | undefined {
  const table = model.devices
  if (devices === 0 || table === undefined) return undefined
  const named = new Map<string, number[]>()
  for (let left = devices; left !== 0; left &= left - 1) {
    const device = lowestBit(left)
    const resource = table.resourceOf(node, device)
    const name = model.resources[resource] as string
    const numbers = named.get(name) ?? []
    named.set(name, numbers)
    numbers.push(device - (table.firsts[resource * table.nodes + node] as number))
  }
  return Object.fromEntries(named)
}

/**
 * The set of these devices of a node, for a task of the shape; 0 where none are named. A resource that is not named may be given any device. The answer
 * is an error, `BAD_INPUT` for devices that there are not, or of another number than the task asks for, and `INFEASIBLE` for one that has no room.
 */
export function deviceSet(named: HeldDevices, shape: ShapeId, node: NodeId, { shapes }: Work, cell: CellState): number | SchedError {
  const { resources, amounts } = shapes.of(shape)
  const table = cell.model.devices
  let set = 0
  for (const [name, numbers] of Object.entries(named)) {
    const resource = cell.resources.indexOf(name) as ResourceId
    const amount = amounts[resources.indexOf(resource)] ?? 0
    const size = table?.sizes[resource] ?? 0
    const bad = (fact: string, wayOut: string) => new SchedError('BAD_INPUT', fact, { field: `devices.${name}` }, wayOut)
    if (size === 0 || amount === 0) return bad('no devices of it are asked for.', suggest(name, resources.filter((r) => shapes.isDevice(r)).map((r) => cell.resources[r] as string)))
    const count = Math.ceil(amount / size)
    if (!isList(numbers) || new Set(numbers).size !== numbers.length || numbers.length !== count) return bad(`is ${JSON.stringify(numbers)}, and ${amount} of it are on ${count} of the devices of ${size}.`, 'Give the number of each, as `start` told them.')
    const here = cell.devices(node, resource)
    for (const number of numbers) {
      if (!(Number.isInteger(number) && number >= 0 && number < here)) return bad(`node ${cell.name(node)} has ${here} and no device ${String(number)}.`, 'They are numbered from 0.')
      const free = cell.deviceFree(node, resource, number)
      const least = Math.min(amount, size)
      if (free < least) return new SchedError('INFEASIBLE', `device ${number} of ${name} on node ${cell.name(node)} has ${free} free of the ${least} that are asked for.`, {}, ENDS_FIRST)
      set |= 1 << ((table?.firsts[resource * cell.nodes + node] as number) + number)
    }
  }
  return set
}

/** Whether a program without types gave a list. */
const isList = (given: unknown): boolean => Array.isArray(given)
const ENDS_FIRST = 'Tell first of what has ended or failed there.'
