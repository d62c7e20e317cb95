import { ownValue } from '@sched/core'
import type { Flavor } from './flavor.js'

/** Resources of a queue that a workload has of one flavor, and the possible flavors in the order in which they are tried. */
export interface ResourceGroup {
  readonly resources: readonly number[]
  readonly flavors: readonly number[]
}

/** The flavor of each resource; -1: the workload does not ask for the resource. */
export type FlavorOf = readonly number[]

/** The name of a flavor, or by resource the names of several. */
type Named = string | Readonly<Record<string, string>>
/** The flavors of a workload, or of each of its parts, by name. */
export type NamedChoice = Named | readonly Named[]

/** All flavors, and besides them the mixes of workloads whose resources, or parts, have different flavors; each has an index. */
export class FlavorChoices {
  readonly all: Flavor[]
  readonly #flavors: readonly Flavor[]
  readonly #capacityOf: (has: Uint8Array | undefined) => Float64Array
  readonly #mixes = new Map<string, number>()
  readonly #flavorsOf = new Map<number, FlavorOf>()

  /** `capacityOf`: the total of some nodes, by resource. */
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

  /** The index of a choice of parts, each of which has the flavor or mix of this index. */
  ofParts(choices: readonly number[]): number {
    const [first = 0] = choices
    if (choices.every((choice) => choice === first)) return first
    const key = `parts ${choices.join()}`
    const known = this.#mixes.get(key)
    if (known !== undefined) return known
    const names = new Set(choices.map((choice) => this.all[choice]?.name))
    const all = this.all.push({ name: [...names].join(' and '), has: undefined, capacity: this.#capacityOf(undefined), columns: NO_COLUMNS, ofParts: choices }) - 1
    this.#mixes.set(key, all)
    return all
  }

  /** The flavor or mix of one part of a choice. */
  partOf(choice: number, part: number): number {
    return this.all[choice]?.ofParts?.[part] ?? choice
  }

  /** The name of a flavor; for a mix the names of its flavors by resource; for a choice of parts the names of each part. */
  named(choice: number, resources: readonly string[]): NamedChoice {
    return this.all[choice]?.ofParts?.map((each) => this.#namedOne(each, resources)) ?? this.#namedOne(choice, resources)
  }

  #namedOne(choice: number, resources: readonly string[]): Named {
    const flavorOf = this.#flavorsOf.get(choice)
    if (flavorOf === undefined) return this.all[choice]?.name ?? ''
    const asked = resources.map((name, r) => [name, flavorOf[r] as number] as const).filter(([, flavor]) => flavor >= 0)
    return Object.fromEntries(asked.map(([name, flavor]) => [name, this.#flavors[flavor]?.name ?? '']))
  }

  /** The index of the choice with this name; that of the first flavor if there is none. */
  withName(name: NamedChoice, resources: readonly string[]): number {
    return isOfParts(name) ? this.ofParts(name.map((each) => this.#withName(each, resources))) : this.#withName(name, resources)
  }

  #withName(name: Named, resources: readonly string[]): number {
    const indexOf = (wanted: string | undefined): number => this.#flavors.findIndex((flavor) => flavor.name === wanted)
    return typeof name === 'string' ? Math.max(0, indexOf(name)) : this.of(resources.map((resource) => indexOf(ownValue(name, resource))))
  }

  /** Makes a mix; its nodes are those that are in all of its flavors. */
  #mix(flavorOf: FlavorOf, flavors: readonly Flavor[]): Flavor {
    const limited = flavors.flatMap(({ has }) => (has === undefined ? [] : [has]))
    const has = limited.length === 0 ? undefined : limited.reduce((both, other) => both.map((is, node) => is & (other[node] as number)))
    const columns = Int32Array.from(flavorOf, (flavor, r) => Math.max(0, flavor) * flavorOf.length + r)
    return { name: flavors.map(({ name }) => name).join(' with '), has, capacity: this.#capacityOf(has), columns }
  }
}

const NO_COLUMNS = new Int32Array(0)
const isOfParts = (name: NamedChoice): name is readonly Named[] => Array.isArray(name)

/** All choices for a workload that asks for these resources, in the order of the flavors of the first group, then of the next. */
export function choicesOf(groups: readonly ResourceGroup[], asks: (r: number) => boolean, resources: number, choices: FlavorChoices): readonly number[] {
  let found: FlavorOf[] = [Array.from({ length: resources }, () => -1)]
  for (const group of groups.filter((each) => each.resources.some(asks)))
    found = found.flatMap((before) => group.flavors.map((flavor) => before.map((known, r) => (asks(r) && group.resources.includes(r) ? flavor : known))))
  return found.map((flavorOf) => choices.of(flavorOf))
}
