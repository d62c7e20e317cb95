import type { Machine } from '../trace/facts.js'
import type { RigidResource } from './resources.js'
import type { RigidTasks } from './stages.js'

/** An amount that the machine has, and a text that says where it comes from. */
export interface Size {
  readonly amount: number
  readonly origin: string
}
/** Sizes of the machine by resource. */
export type Sizes = { readonly [R in RigidResource]?: Size | undefined }

/** The size that an option of the reader gives; `undefined` if it is not set. */
export const optionSize = (amount: number | undefined, name: string): Size | undefined => (amount === undefined ? undefined : { amount, origin: `option ${name}` })

/** Largest amounts that a job may ask for, in the order of its resources, `Infinity` if unknown, and where they come from. */
export interface Limits {
  readonly amounts: readonly number[]
  readonly origins: readonly string[]
}

/** Limits of the resources that jobs ask for. */
export function limitsOf(resources: readonly RigidResource[], sizes: Sizes): Limits {
  return {
    amounts: resources.map((resource) => sizes[resource]?.amount ?? Infinity),
    origins: resources.map((resource) => sizes[resource]?.origin ?? ''),
  }
}

/** The machine as one node with these resources, or as nodes of one unit each; `undefined` if an amount is unknown. */
export function machineOf(resources: readonly RigidResource[], sizes: Sizes, tasks: RigidTasks): Machine | undefined {
  const known = resources.flatMap((resource) => (sizes[resource] === undefined ? [] : [[resource, sizes[resource]] as const]))
  if (known.length < resources.length) return undefined
  return {
    ...(sizes.procs !== undefined && { procs: sizes.procs.amount }),
    ...(sizes.nodes !== undefined && { nodes: sizes.nodes.amount }),
    resources: Object.fromEntries(known.map(([resource, { amount }]) => [resource, amount])),
    ...(tasks === 'each' && { separate: true as const }),
    origin: known.map(([resource, { amount, origin }]) => `${amount} ${resource}: ${origin}`).join('; '),
  }
}

/** What jobs used of one resource on the real machine, and when, as columns. Times are NaN if the start is unknown. */
export interface RecordedUse {
  readonly amounts: Float64Array
  readonly starts: Float64Array
  readonly ends: Float64Array
}

/** Of the resources that jobs may ask for the first, their unit, and each further one of which a size is known or that some job asks for. */
export const resourcesOfMachine = <R extends RigidResource>(resources: readonly R[], sizes: Sizes, useOf: (resource: R, at: number) => RecordedUse): R[] =>
  resources.filter((resource, at) => at === 0 || sizes[resource] !== undefined || useOf(resource, at).amounts.some((amount) => amount > 0))

/**
 * The smallest amount that is consistent with the jobs: the largest amount that one job asks for, or that jobs recorded as running together used, at
 * least 1.
 */
export function inferSize(resource: RigidResource, use: RecordedUse, wayOut = `give ${resource}`): Size {
  const widest = use.amounts.reduce((most, amount) => Math.max(most, amount), 0)
  const peak = recordedPeak(use)
  const said = peak > widest ? `up to ${peak} are recorded in use at once` : `the widest job asks for ${widest}`
  return { amount: Math.max(widest, peak, 1), origin: `inferred, the log does not say how many: ${said}; ${wayOut} if that is wrong` }
}

/** Below this, in seconds, two times are the same instant: tables print microseconds, of which a wait and a run time are rounded apart. */
const INSTANT = 1e-5

/** Largest amount in use at any time. Ends come before starts of the same instant. */
function recordedPeak({ amounts, starts, ends }: RecordedUse): number {
  const known = amounts.map((_, i) => i).filter((i) => ends[i]! - starts[i]! > INSTANT) // false for NaN
  const byStart = known.slice().sort((a, b) => starts[a]! - starts[b]!)
  const byEnd = known.slice().sort((a, b) => ends[a]! - ends[b]!)
  let used = 0
  let peak = 0
  let ended = 0
  for (const job of byStart) {
    while (ends[byEnd[ended]!]! <= starts[job]! + INSTANT) used -= amounts[byEnd[ended++]!]!
    used += amounts[job]!
    peak = Math.max(peak, used)
  }
  return peak
}
