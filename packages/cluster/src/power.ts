import { kindOfHardware, powerModels, SchedError, suggest, type NodePower, type PowerModel, type ResourceId } from '@sched/core'
import * as z from '@sched/bundled/zod'

/** What a node draws, in watts. */
export interface PowerRule {
  /** While it is up and runs nothing. */
  readonly idle: number
  /** While all that `resource` names is held, at least `idle`. */
  readonly busy: number
  /** While it is away; default 0. */
  readonly off?: number | undefined
  /** While it sleeps; default as `off`. */
  readonly asleep?: number | undefined
  /** While it goes to sleep or wakes; default as `busy`. */
  readonly switching?: number | undefined
  /** How it rises with use; default `linear`. */
  readonly model?: PowerModel | undefined
  /** By which of its resources use is told. Default: all its slots together; otherwise processors, by their usual names, or what is named first. */
  readonly resource?: string | undefined
}

/** What of a group of nodes matters here. */
interface Group {
  readonly count: number
  readonly slots?: Readonly<Record<string, number>>
  readonly resources?: Readonly<Record<string, number>>
  readonly devices?: Readonly<Record<string, { readonly count: number; readonly milli: number }>>
  readonly power?: PowerRule
}

/** More than a full rack draws is a slip of the pen: milliwatts, for example. */
const watts = z.number().min(0).max(1_000_000)

export const powerSchema = z.strictObject({
  idle: watts.describe('watts of a node that is up and runs nothing'),
  busy: watts.describe('watts of a node whose resource is held in full, at least those of an idle one'),
  off: watts.default(0).describe('watts of a node that is away'),
  asleep: watts.optional().describe('watts of a node that sleeps; default as `off`'),
  switching: watts.optional().describe('watts of a node that goes to sleep or wakes; default as `busy`'),
  model: z.enum(powerModels).default('linear').describe('how power rises from idle to busy: with use, its square, its cube or its root'),
  resource: z.string().min(1).optional().describe('the resource or slot type that tells use; default: all slots together, otherwise processors (cpu, vcores, cores, ...) or what is named first'),
})

/** Throws `BAD_INPUT` for power that falls with use, or follows what the nodes do not have; `field` is where it stands. */
export function checkPower({ power, ...group }: Group, field: string): void {
  if (power === undefined) return
  const { idle, busy, resource } = power
  if (busy < idle)
    throw new SchedError('BAD_INPUT', `${busy} W busy, ${idle} W idle.`, { field: `${field}.busy` }, 'Give at least as many watts as of an idle node.')
  const amounts = amountsOf(group)
  if (resource !== undefined && !amounts.has(resource))
    throw new SchedError('BAD_INPUT', `the nodes have no "${resource}".`, { field: `${field}.resource` }, suggest(resource, [...amounts.keys()]))
}

/** By node, what it draws; `undefined` where no group says. */
export function powerOf(groups: readonly Group[], resources: readonly string[]): readonly (NodePower | undefined)[] | undefined {
  if (groups.every(({ power }) => power === undefined)) return undefined
  return groups.flatMap((group) => Array<NodePower | undefined>(group.count).fill(powerIn(group, resources)))
}

function powerIn(group: Group, resources: readonly string[]): NodePower | undefined {
  if (group.power === undefined) return undefined
  const { idle, busy, off = 0, asleep = off, switching = busy, model = 'linear', resource } = group.power
  const amounts = amountsOf(group)
  const names = resource !== undefined ? [resource] : followed(group, [...amounts.keys()])
  const total = names.reduce((sum, name) => sum + (amounts.get(name) ?? 0), 0)
  return { idle, busy, off, asleep, switching, model, resources: names.map((name) => resources.indexOf(name) as ResourceId), total }
}

/** Slots of all types use the same processors. */
function followed({ slots }: Group, names: readonly string[]): readonly string[] {
  if (slots !== undefined) return names
  const processors = kindOfHardware('cores', names)
  return names.slice(Math.max(0, processors)).slice(0, 1)
}

/** What each node of the group has, as far as it has some. */
function amountsOf({ slots, resources, devices = {} }: Omit<Group, 'power' | 'count'>): Map<string, number> {
  const all = [...Object.entries({ ...slots, ...resources }), ...Object.entries(devices).map(([name, { count, milli }]) => [name, count * milli] as const)]
  return new Map(all.filter(([, amount]) => amount > 0))
}
