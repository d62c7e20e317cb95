import { kindOfHardware, powerModels, SchedError, suggest, type NodePower, type PowerModel, type ResourceId } from '@sched/core'
import * as z from '@sched/bundled/zod'

/** What a node draws, in watts. */
export interface PowerRule {
  /** Draw while the node is up and runs nothing. */
  readonly idle: number
  /** Draw while all of `resource` is held, at least `idle`. */
  readonly busy: number
  /** Draw while the node is down; default 0. */
  readonly off?: number | undefined
  /** Draw while it sleeps; default: `off`. */
  readonly asleep?: number | undefined
  /** Draw while it goes to sleep or wakes; default: `busy`. */
  readonly switching?: number | undefined
  /** How the draw rises with use; default `linear`. */
  readonly model?: PowerModel | undefined
  /**
   * Resource by which use is measured. Default: all slots together; on nodes without slots, processors, by their usual names, else the first
   * resource.
   */
  readonly resource?: string | undefined
}

/** The fields of a node group that matter here. */
interface Group {
  readonly count: number
  readonly slots?: Readonly<Record<string, number>>
  readonly resources?: Readonly<Record<string, number>>
  readonly devices?: Readonly<Record<string, { readonly count: number; readonly milli: number }>>
  readonly power?: PowerRule
}

/** More than a full rack draws is a typing error: milliwatts, for example. */
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

/** Throws `BAD_INPUT` if power falls with use, or goes by a resource that the nodes do not have; `field` is the path of the option. */
export function checkPower({ power, ...group }: Group, field: string): void {
  if (power === undefined) return
  const { idle, busy, resource } = power
  if (busy < idle)
    throw new SchedError('BAD_INPUT', `${busy} W busy, ${idle} W idle.`, { field: `${field}.busy` }, 'Give at least as many watts as of an idle node.')
  const amounts = amountsOf(group)
  if (resource !== undefined && !amounts.has(resource))
    throw new SchedError('BAD_INPUT', `the nodes have no "${resource}".`, { field: `${field}.resource` }, suggest(resource, [...amounts.keys()]))
}

/** Power model by node; `undefined` for nodes whose group gives none, and as a whole if no group does. */
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

/** The resources by which use is measured. Slots of all types count, since they use the same processors. */
function followed({ slots }: Group, names: readonly string[]): readonly string[] {
  if (slots !== undefined) return names
  const processors = kindOfHardware('cores', names)
  return names.slice(Math.max(0, processors)).slice(0, 1)
}

/** Amounts of a node of the group, without resources of which it has none. */
function amountsOf({ slots, resources, devices = {} }: Omit<Group, 'power' | 'count'>): Map<string, number> {
  const all = [...Object.entries({ ...slots, ...resources }), ...Object.entries(devices).map(([name, { count, milli }]) => [name, count * milli] as const)]
  return new Map(all.filter(([, amount]) => amount > 0))
}
