import { SchedError } from '@sched/core'
import { clusterName } from './amounts.js'
import type { Told } from './capacity-use.js'
import { numberOf } from './site.js'
import { listed, type Setting } from '../setting.js'

/** A least or largest amount of a resource. */
export interface Bound {
  /** The amount, in YARN's unit of the resource. */
  readonly value: number
  /** The setting that gives it, for messages. */
  readonly from: Setting
}

/** Bounds by resource of the cluster. */
export type Bounds = ReadonlyMap<string, Bound>

const MANDATORY = ['memory-mb', 'vcores']
const older: Readonly<Record<string, string>> = { 'memory-mb': 'mb', vcores: 'vcores' }
const property = /^yarn\.resource-types\.(.+)\.([^.]+)$/

/**
 * The resource types of a yarn-site.xml or resource-types.xml, with the least and the largest amount of each that a task gets. Deviation: an amount that is
 * not given is no limit; YARN's defaults, 1024 to 8192 MB and 1 to 4 vcores, are not used.
 *
 * Source: Hadoop 3.4, ResourceUtils.initializeResourcesMap.
 */
export class ResourceTypes {
  readonly least: Bounds
  readonly most: Bounds
  readonly #properties: ReadonlyMap<string, Setting>
  readonly #resources: readonly string[]
  readonly #listed: readonly string[]

  /** `resources`: those of the cluster. Throws `BAD_INPUT` with the line if the least amount of a type is above the largest, or a type is listed twice. */
  constructor(properties: ReadonlyMap<string, Setting>, resources: readonly string[]) {
    this.#properties = properties
    this.#resources = resources
    const list = properties.get('yarn.resource-types')
    this.#listed = [...MANDATORY, ...(list === undefined ? [] : this.#types(list))]
    this.least = this.#bounds('minimum')
    this.most = this.#bounds('maximum')
    for (const [name, { value, from }] of this.least) {
      const most = this.most.get(name)
      if (most !== undefined && value > most.value)
        throw new SchedError('BAD_INPUT', `found ${value}, more than ${most.from.name}, ${most.value} (${most.from.file} line ${most.from.line}).`, { file: from.file, line: from.line, field: from.name }, 'Lower the one or raise the other.')
    }
  }

  /**
   * Throws `BAD_INPUT` with the line if types besides memory and vcores are listed. To be called if the resource calculator compares only memory: Hadoop does
   * not start then (CapacityScheduler.initScheduler). `calculator`: the property that sets it.
   */
  refuseFurther(calculator: string): void {
    const list = this.#properties.get('yarn.resource-types')
    const [type] = this.#listed.slice(MANDATORY.length)
    if (list === undefined || type === undefined) return
    throw new SchedError('BAD_INPUT', `lists ${type}, and the resource calculator compares memory alone.`, { file: list.file, line: list.line, field: list.name }, `Set ${calculator} to org.apache.hadoop.yarn.util.resource.DominantResourceCalculator, or list no further types.`)
  }

  /**
   * Throws `BAD_INPUT` with the line if the least amount of memory or vcores is 0, with which Hadoop's capacity scheduler does not start
   * (CapacitySchedulerConfigValidator).
   */
  refuseNone(): void {
    for (const { value, from } of MANDATORY.flatMap((type) => this.#given(type, 'minimum') ?? []))
      if (value === 0) throw new SchedError('BAD_INPUT', 'found 0, with which the capacity scheduler does not start.', { file: from.file, line: from.line, field: from.name }, 'Write 1 or more, or leave it out.')
  }

  /** What becomes of a setting about a type; undefined: it is none. `least`: what to tell of the least amount, if the scheduler does more with it than round. */
  told({ name, value }: Setting, least?: Told): Told | undefined {
    if (name === 'yarn.resource-types') {
      const missing = this.#listed.filter((type) => !MANDATORY.includes(type) && clusterName(type, this.#resources) === undefined)
      return missing.length === 0 ? {} : { verdict: 'approximated', note: `the cluster has no ${missing.join(' and no ')}` }
    }
    const old = /^yarn\.scheduler\.(minimum|maximum)-allocation-(mb|vcores)$/.exec(name)
    const [, type = '', key = ''] = old === null ? (property.exec(name) ?? []) : ['', old[2] === 'mb' ? 'memory-mb' : 'vcores', `${old[1] ?? ''}-allocation`]
    if (type === '' || key === 'increment-allocation') return undefined
    if (!this.#listed.includes(type)) return { verdict: 'ignored', note: `yarn.resource-types does not list ${type}` }
    const newer = this.#properties.get(`yarn.resource-types.${type}.${key}`)
    if (old !== null && newer !== undefined) return { verdict: 'ignored', note: `${newer.name} goes before it (line ${newer.line})` }
    if (key === 'minimum-allocation' || key === 'maximum-allocation')
      return clusterName(type, this.#resources) === undefined ? { verdict: 'ignored', note: `the cluster has no ${type}` } : (key === 'minimum-allocation' ? least : undefined) ?? {}
    if (key === 'units') return { verdict: 'approximated', note: `amounts of ${type} are in ${value.trim() === '' ? 'single ones' : value.trim()}: those of nodes and jobs must be in the same unit` }
    return { verdict: 'ignored', note: key === 'minimum' || key === 'maximum' ? `YARN does not read it: it is ${key}-allocation` : 'only amounts of resources count here' }
  }

  #types(list: Setting): string[] {
    const types = listed(list.value)
    const twice = types.find((type, i) => types.indexOf(type) < i || MANDATORY.includes(type) || type === 'memory')
    if (twice !== undefined)
      throw new SchedError('BAD_INPUT', `names ${twice} ${MANDATORY.includes(twice) || twice === 'memory' ? 'which is there anyway' : 'twice'}.`, { file: list.file, line: list.line, field: list.name }, 'Name each further resource once.')
    return types
  }

  #bounds(which: 'minimum' | 'maximum'): Bounds {
    const bounds = new Map<string, Bound>()
    for (const type of this.#listed) {
      const given = this.#given(type, which)
      const name = clusterName(type, this.#resources)
      if (given !== undefined && name !== undefined) bounds.set(name, given)
    }
    return bounds
  }

  #given(type: string, which: 'minimum' | 'maximum'): Bound | undefined {
    const from = this.#properties.get(`yarn.resource-types.${type}.${which}-allocation`) ?? this.#properties.get(`yarn.scheduler.${which}-allocation-${older[type] ?? ''}`)
    return from === undefined ? undefined : { value: numberOf(from, { least: 0, whole: true }), from }
  }
}
