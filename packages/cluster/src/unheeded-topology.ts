import type { JobSpec } from '@sched/core'

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
  look(spec: JobSpec): void {
    if (this.#isDone || !saysTopology(spec)) return
    this.#isDone = true
    this.#warn(`job ${spec.id} says by its topology how near its tasks are to each other, and no placement here heeds that: it goes anywhere. ${WAY_OUT}`)
  }
}

function saysTopology({ topology, stages }: JobSpec): boolean {
  if (topology !== undefined) return true
  for (let i = 0; i < stages.length; i++) if (stages[i]?.topology !== undefined) return true
  return false
}
