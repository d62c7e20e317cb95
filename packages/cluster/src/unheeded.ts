import { isRequired, type JobSpec } from '@sched/core'

const TREES = 'Give the policy the placement `topology-tree` (racks as Slurm fills them) or `topology-aware` (as Kueue does).'
const SLICES = 'Give the policy the placement `topology-aware`.'
const RULES = 'Give the policy the placement `weighted`.'
const SCORES = 'Give the policy the placement `kube-scores`, or `weighted` the scores `inter-pod-affinity`, `pod-topology-spread` and `node-affinity`.'

/** Warns of the first job whose `topology` or `placementRules` no part of the run heeds. */
export class Unheeded {
  /** Whether each is heeded, or has been warned of. */
  #topology = false
  #slices = false
  #rules = false
  #preferences = false
  readonly #warn: (message: string) => void

  constructor(warn: (message: string) => void) {
    this.#warn = warn
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

  /** Checks a job that has come. */
  look(spec: JobSpec): void {
    if (this.#topology && this.#slices && this.#rules && this.#preferences) return
    this.#lookAt(spec, spec)
    for (let i = 0; i < spec.stages.length; i++) this.#lookAt(spec, spec.stages[i] as JobSpec['stages'][number])
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
