import { fieldsOf, textOf } from '../fields.js'
import type { Told } from '../finding.js'
import { NOT_OF_NODES, resourceOf } from '../kubernetes-resources.js'
import { listed } from '../setting.js'

/** The plug-in that keeps CPUs and memory for GPUs, as `resource-strategy-fit` does, and the prefix of its arguments. */
export const PREDICATES = 'predicates'
const PREFIX = 'predicate.'
const ENABLE = 'ProportionalEnable'
const RESOURCES = 'resources'
/** MiB for a thousandth of a GPU, of 1 in Volcano: 10^9 bytes for a GPU. */
const MIB = 1e9 / 2 ** 20 / 1000

/** What is kept for each unit of a resource that is free, by resource. */
type Kept = Readonly<Record<string, Readonly<Record<string, number>>>>

/** Reads a number of an argument. */
type NumberOf = (key: string, value: unknown) => number

/**
 * Collects what the plug-ins `predicates` and `resource-strategy-fit` keep of CPUs and memory for GPUs that are free. Where both do, the larger amounts count.
 *
 * Source: Volcano, predicates.go (enablePredicate) and proportional.go (calculateProportionalResources).
 */
export class Proportions {
  readonly #kept = new Map<string, { cpu: number, mem: number }>()

  /** Takes an argument of `predicates`, and returns what becomes of it. `all`: all its arguments; `numberOf` reads one. */
  takePredicate(argument: string, all: Readonly<Record<string, unknown>>, numberOf: NumberOf): Told {
    const name = argument.startsWith(PREFIX) ? argument.slice(PREFIX.length) : argument
    if (name !== ENABLE && name !== RESOURCES && !name.startsWith(`${RESOURCES}.`)) return ['ignored', 'not simulated']
    const isOn = isTrue(all[PREFIX + ENABLE])
    if (name === ENABLE) return ['honoured', isOn ? '' : 'nothing is kept for GPUs then']
    if (!isOn) return ['ignored', `it counts with ${PREFIX}${ENABLE}`]
    const named = listed(textOf(all[PREFIX + RESOURCES] ?? ''))
    if (name === RESOURCES) return this.#take(named, (key) => [`${PREFIX}${RESOURCES}.${key}`, all[`${PREFIX}${RESOURCES}.${key}`]], numberOf)
    const of = named.find((each) => name === `${RESOURCES}.${each}.cpu` || name === `${RESOURCES}.${each}.memory`)
    if (of === undefined) return ['ignored', `${PREFIX}${RESOURCES} does not list it`]
    return resourceOf(of) === undefined ? ['ignored', NOT_OF_NODES] : ['honoured', '']
  }

  /** Takes `proportional` of `resource-strategy-fit`, and returns what becomes of it. */
  takeFit(given: unknown, numberOf: NumberOf): Told {
    const { enable, resources, resourceProportion } = fieldsOf(given)
    if (enable !== true) return ['honoured', 'nothing is kept for GPUs: it is not enabled']
    return this.#take(listed(textOf(resources ?? '')), (key) => [`resourceProportion.${key}`, fieldsOf(resourceProportion)[key]], numberOf)
  }

  /** As `proportional` of the placement `weighted`, on a cluster with these resources; undefined: nothing is kept. */
  option(resources: readonly string[]): Kept | undefined {
    const here = [...this.#kept].filter(([name]) => resources.includes(name)).map(([name, amounts]) => {
      const counted = Object.entries(amounts).filter(([each, amount]) => amount > 0 && resources.includes(each) && each !== name)
      return [name, Object.fromEntries(counted.map(([each, amount]) => [each, each === 'mem' ? amount * MIB : amount]))] as const
    })
    return here.length === 0 ? undefined : Object.fromEntries(here)
  }

  #take(names: readonly string[], valueOf: (key: string) => readonly [place: string, value: unknown], numberOf: NumberOf): Told {
    const known = names.filter((name) => resourceOf(name) !== undefined)
    for (const name of known) {
      const rate = (key: string): number => {
        const [place, value] = valueOf(`${name}.${key}`)
        const number = value === undefined ? 1 : numberOf(place, value)
        return number < 0 ? 1 : number
      }
      const before = this.#kept.get(resourceOf(name) as string) ?? { cpu: 0, mem: 0 }
      this.#kept.set(resourceOf(name) as string, { cpu: Math.max(before.cpu, rate('cpu')), mem: Math.max(before.mem, rate('memory')) })
    }
    return known.length === 0 ? ['ignored', NOT_OF_NODES] : ['honoured', '']
  }
}

/** Whether a value is true for Volcano, which takes texts too. */
const isTrue = (value: unknown): boolean => value === true || value === 'true'
