import type { JobSpec, StageSpec } from '@sched/core'

const WAY_OUT = 'Give the policy the placement `topology-tree` (racks as Slurm fills them) or `topology-aware` (as Kueue does).'

/** Tells the user of the first job with a `topology` where nothing of the run heeds it. */
export class UnheededTopology {
  #isDone = false
  readonly #warn: (message: string) => void

  constructor(warn: (message: string) => void) {
    this.#warn = warn
  }

  /** Who heeds it calls this. */
  readonly heeds = (): void => {
    this.#isDone = true
  }

  /** A job has come. */
  look({ id, topology, stages }: JobSpec): void {
    if (this.#isDone || (topology === undefined && !stages.some(saysItself))) return
    this.#isDone = true
    this.#warn(`job ${id} says by its topology how near its tasks are to each other, and no placement here heeds that: it goes anywhere. ${WAY_OUT}`)
  }
}

const saysItself = ({ topology }: StageSpec): boolean => topology !== undefined
