import { isRequired, ownValue, type JobSpec } from '@sched/core'
import type { ClusterModel } from './model.js'

const TREES = 'Give the policy the placement `topology-tree` (racks as Slurm fills them) or `topology-aware` (as Kueue does).'
const SLICES = 'Give the policy the placement `topology-aware`.'
const LOWERED = 'Use `easy` with counted nodes, or `replan`.'
const RULES = 'Give the policy the placement `weighted`.'
const SCORES = 'Give the policy the placement `kube-scores`, or `weighted` the scores `inter-pod-affinity`, `pod-topology-spread` and `node-affinity`.'

/** A device of at least so much is one that tasks share: fewer of it than a node has devices is less than a tenth of one. */
const SHARED = 100

/** Warns of the first job whose `topology`, `placementRules`, `minEstimate` or `contiguous` no part of the run heeds, or that seems to ask for devices by their number. */
export class Unheeded {
  /** Whether each is heeded, or has been warned of. */
  #topology = false
  #slices = false
  #rules = false
  #preferences = false
  #minEstimate = false
  #contiguous = false
  /** Whether a policy lowers the estimates of jobs to their least ones. */
  lowersEstimates = false
  readonly #warn: (message: string) => void

  /** By name, each resource of which devices are shared: the amount of one, and most devices of a node. Empty once a job has been warned of. */
  #devices: ReadonlyMap<string, { readonly size: number; readonly most: number }>

  constructor(warn: (message: string) => void, { devices, resources, nodes }: Pick<ClusterModel, 'devices' | 'resources' | 'nodes'>) {
    this.#warn = warn
    const shared = resources.map((name, r) => [name, { size: devices?.sizes[r] ?? 0, most: devices?.counts.subarray(r * nodes, (r + 1) * nodes).reduce((most, count) => Math.max(most, count), 0) ?? 0 }] as const)
    this.#devices = new Map(shared.filter(([, { size }]) => size >= SHARED))
  }

  /** Called by a part that heeds the topology of jobs; with `slices`, those of it, too. */
  readonly heedsTopology = (slices = false): void => {
    this.#topology = true
    this.#slices ||= slices
  }

  /** Called by a part that heeds the placement rules that must hold; with `preferences`, the other rules, too. */
  readonly heedsPlacementRules = (preferences: boolean): void => {
    this.#rules = true
    this.#preferences ||= preferences
  }

  /** Called by a policy that lowers the estimates of jobs to their least ones. */
  readonly heedsMinEstimate = (): void => {
    this.#minEstimate = this.lowersEstimates = true
  }

  /** Called by a part that gives jobs which ask for them consecutive nodes. */
  readonly heedsContiguous = (): void => {
    this.#contiguous = true
  }

  /** Checks a job that has come. */
  look(spec: JobSpec): void {
    if (spec.minEstimate !== undefined && !this.#minEstimate) {
      this.#minEstimate = true
      this.#warn(`job ${spec.id} may run for less than its estimate (minEstimate), and no policy here lowers that: it is planned, and runs, as one that may not. ${LOWERED}`)
    }
    if (spec.contiguous === true && !this.#contiguous) {
      this.#contiguous = true
      this.#warn(`job ${spec.id} asks for consecutive nodes (contiguous), and nothing here heeds that: it goes anywhere. Use \`replan\` with named nodes and the topology flat.`)
    }
    if (this.#devices.size > 0) this.#lookAtShares(spec)
    if (this.#topology && this.#slices && this.#rules && this.#preferences) return
    this.#lookAt(spec, spec)
    for (let i = 0; i < spec.stages.length; i++) this.#lookAt(spec, spec.stages[i] as JobSpec['stages'][number])
  }

  #lookAtShares({ id, stages }: JobSpec): void {
    for (const [name, { size, most }] of this.#devices)
      for (const { demand } of stages) {
        const amount = ownValue(demand, name) ?? 0
        if (amount === 0 || amount > most) continue
        this.#devices = new Map()
        return this.#warn(`job ${id} asks for ${amount} of ${name}, and one device has ${size} of it: that is a share of ${(100 * amount) / size} % of one. ${inDevices(name, amount, size)}`)
      }
  }

  #lookAt({ id }: JobSpec, { topology, placementRules }: Pick<JobSpec, 'topology' | 'placementRules'>): void {
    if (topology !== undefined && !this.#topology) {
      this.#topology = true
      this.#slices ||= topology.slices !== undefined
      this.#warn(`job ${id} says by its topology how near its tasks are to each other, and no placement here heeds that: it goes anywhere. ${TREES}`)
    }
    if (topology?.slices !== undefined && !this.#slices) {
      this.#slices = true
      this.#warn(`job ${id} says by the slices of its topology which of its tasks stay together, and no placement here heeds that. ${SLICES}`)
    }
    if (placementRules === undefined) return
    if (!this.#rules && placementRules.some(isRequired)) {
      this.#rules = true
      this.#warn(`job ${id} says by its placement rules where its tasks are to others, and no placement here heeds that: it goes anywhere. ${RULES}`)
    }
    if (!this.#preferences && !placementRules.every(isRequired)) {
      this.#preferences = true
      this.#warn(`job ${id} has placement rules that are preferences, and no placement here heeds them. ${SCORES}`)
    }
  }
}

const inDevices = (name: string, amount: number, size: number): string =>
  `Ask for ${amount * size} where ${amount === 1 ? 'a whole one is' : `${amount} are`} meant, or describe devices that are not shared: { ${name}: { count: ..., milli: 1 } }.`
