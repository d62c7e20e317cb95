import type { Constraints, Demand, Seconds, StageSpec } from '@sched/core'
import * as z from '@sched/bundled/zod'

/** How containers and tasks of YARN and Hadoop become tasks. */
export const containerOptions = z.strictObject({
  demand: z.enum(['containers', 'slots']).default('containers')
    .describe('What a task asks for: a container of vcores and memory-mb, or one slot of its type (map or reduce, as in Hadoop 1).'),
  memory: z.int().min(1).default(1024).describe('memory-mb of a container without an amount (yarn.sls.container.memory.mb).'),
  vcores: z.int().min(1).default(1).describe('vcores of a container without an amount (yarn.sls.container.vcores).'),
  slowStart: z.number().min(0).max(1).default(1)
    .describe('Fraction of the maps that must have ended before reduces may start. YARN\'s SLS asks for reduces when all maps have ended.'),
  hosts: z.boolean().default(false).describe('Whether a task reads its data on the host that the trace names, so that it is slower elsewhere.'),
})
/** Options for containers, checked. */
export type ContainerOptions = z.output<typeof containerOptions>

/** A task in a trace of YARN or Hadoop. */
export interface Container {
  readonly type: string
  readonly duration: Seconds
  readonly demand?: Demand
  readonly host?: string | undefined
}

/** Makes stages of containers: one per type and demand, in order of first occurrence, with reduces after maps. Equal demands share one object. */
export class Stages {
  readonly #demands = new Map<string, Demand>()

  constructor(private readonly options: ContainerOptions) {}

  of(containers: readonly Container[], constraints?: Constraints): StageSpec[] {
    const groups = new Map<string, Container[]>()
    for (const container of [...containers].sort((a, b) => rankOf(a) - rankOf(b))) {
      const key = `${container.type} ${JSON.stringify(this.#demandOf(container))}`
      const group = groups.get(key)
      if (group === undefined) groups.set(key, [container])
      else group.push(container)
    }
    const all = [...groups.values()]
    const maps = all.flatMap(([first], index) => (first !== undefined && rankOf(first) === 0 ? [index] : []))
    return all.map((group, index) => this.#stage(group, index, all, maps, constraints))
  }

  #stage(group: readonly Container[], index: number, all: readonly (readonly Container[])[], maps: readonly number[], constraints: Constraints | undefined): StageSpec {
    const { slowStart, hosts } = this.options
    const first = group[0] as Container
    const same = all.slice(0, index).filter(([other]) => other?.type === first.type).length
    const waits = rankOf(first) === 1 && maps.length > 0 && slowStart > 0
    return {
      name: same === 0 ? first.type : `${first.type}${same + 1}`,
      tasks: group.length,
      demand: this.#demandOf(first),
      duration: group.every(({ duration }) => duration === first.duration) ? first.duration : group.map(({ duration }) => duration),
      ...(waits && { after: maps.map((stage) => ({ stage, fraction: slowStart })) }),
      ...(hosts && group.some(({ host }) => host !== undefined) && { data: { hosts: group.map(({ host }) => (host === undefined ? [] : [host])) } }),
      ...(constraints !== undefined && { constraints }),
    }
  }

  #demandOf({ type, demand: own }: Container): Demand {
    const { demand, memory, vcores } = this.options
    const asked = demand === 'slots' ? { [rankOf({ type }) === 1 ? 'reduce' : 'map']: 1 } : { vcores, 'memory-mb': memory, ...own }
    const key = JSON.stringify(asked)
    const known = this.#demands.get(key) ?? asked
    this.#demands.set(key, known)
    return known
  }
}

const rankOf = ({ type }: Pick<Container, 'type'>) => (type === 'reduce' ? 1 : 0)

/** The node in `/rack/node`. */
export const nodeOf = (host: string | undefined): string | undefined => host?.slice(host.lastIndexOf('/') + 1)
