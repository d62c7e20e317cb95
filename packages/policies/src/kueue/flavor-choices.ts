import type { Flavor } from './flavor.js'

/** Resources of a queue that are of the same flavor, and the flavors that these may be, in the order in which they are tried. */
export interface ResourceGroup {
  readonly resources: readonly number[]
  readonly flavors: readonly number[]
}

/** By resource the flavor that it is of; -1: nothing of it is asked. */
export type FlavorOf = readonly number[]

/** Flavors, and with them what workloads have of which some resources are of another flavor than others: each by its index. */
export class FlavorChoices {
  readonly all: Flavor[]
  readonly #flavors: readonly Flavor[]
  readonly #capacityOf: (has: Uint8Array | undefined) => Float64Array
  readonly #mixes = new Map<string, number>()
  readonly #flavorsOf = new Map<number, FlavorOf>()

  /** `capacityOf`: amounts of nodes together, by resource. */
  constructor(flavors: readonly Flavor[], capacityOf: (has: Uint8Array | undefined) => Float64Array) {
    this.all = [...flavors]
    this.#flavors = flavors
    this.#capacityOf = capacityOf
  }

  of(flavorOf: FlavorOf): number {
    const asked = [...new Set(flavorOf.filter((flavor) => flavor >= 0))]
    if (asked.length <= 1) return asked[0] ?? 0
    const key = flavorOf.join()
    const known = this.#mixes.get(key)
    if (known !== undefined) return known
    const mix = this.all.push(this.#mix(flavorOf, asked.map((flavor) => this.#flavors[flavor] as Flavor))) - 1
    this.#mixes.set(key, mix)
    this.#flavorsOf.set(mix, flavorOf)
    return mix
  }

  /** The name of a flavor; of a mix those of its flavors by resource. */
  named(choice: number, resources: readonly string[]): string | Readonly<Record<string, string>> {
    const flavorOf = this.#flavorsOf.get(choice)
    if (flavorOf === undefined) return this.all[choice]?.name ?? ''
    const asked = resources.map((name, r) => [name, flavorOf[r] as number] as const).filter(([, flavor]) => flavor >= 0)
    return Object.fromEntries(asked.map(([name, flavor]) => [name, this.#flavors[flavor]?.name ?? '']))
  }

  /** The one of that name, the first flavor where there is none. */
  withName(name: string | Readonly<Record<string, string>>, resources: readonly string[]): number {
    const indexOf = (wanted: string | undefined): number => this.#flavors.findIndex((flavor) => flavor.name === wanted)
    return typeof name === 'string' ? Math.max(0, indexOf(name)) : this.of(resources.map((resource) => indexOf(name[resource])))
  }

  /** It is had on nodes that are of all its flavors. */
  #mix(flavorOf: FlavorOf, flavors: readonly Flavor[]): Flavor {
    const limited = flavors.flatMap(({ has }) => (has === undefined ? [] : [has]))
    const has = limited.length === 0 ? undefined : limited.reduce((both, other) => both.map((is, node) => is & (other[node] as number)))
    const columns = Int32Array.from(flavorOf, (flavor, r) => Math.max(0, flavor) * flavorOf.length + r)
    return { name: flavors.map(({ name }) => name).join(' with '), has, capacity: this.#capacityOf(has), columns }
  }
}

/** Everything that a workload may be admitted in that asks for these resources, in the order of the flavors of the first group, then of the next. */
export function choicesOf(groups: readonly ResourceGroup[], asks: (r: number) => boolean, resources: number, choices: FlavorChoices): readonly number[] {
  let found: FlavorOf[] = [Array.from({ length: resources }, () => -1)]
  for (const group of groups.filter((each) => each.resources.some(asks)))
    found = found.flatMap((before) => group.flavors.map((flavor) => before.map((known, r) => (asks(r) && group.resources.includes(r) ? flavor : known))))
  return found.map((flavorOf) => choices.of(flavorOf))
}
