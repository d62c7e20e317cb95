import { definePlacement, LowestNodes, None, type Env, type JobId, type NodeId, type Placement, type Plug, type Random, type Round } from '@sched/core'
import * as z from '@sched/bundled/zod'

/**
 * Randomised first fit: a random node in sight; if the job's next task does not fit there, the node is dropped for the
 * rest of the attempt and another one is drawn. A node on which a task fits stays a candidate for the next.
 *
 * Source: the Omega authors' simulator (Schwarzkopf et al., EuroSys 2013), as the monolithic, two-level and shared-state
 * schedulers of it place their tasks.
 */
export const randomFitPlacement = definePlacement({
  name: 'random-fit',
  summary: 'a random node on which the task fits',
  source: 'Schwarzkopf et al., EuroSys 2013, lightweight simulator',
  options: z.strictObject({}),
  create: (_, env) => new RandomFit(env),
})

/** A random node on which the task fits. */
export const randomFit = (): Plug<'placement'> => randomFitPlacement.plug({})

/**
 * Keeps one permutation of the nodes in sight from attempt to attempt. The first `pool` of them are the candidates; a
 * misfit is swapped behind them, so dropping costs nothing and nothing is copied when the next attempt starts.
 */
class RandomFit implements Placement {
  readonly #random: Random
  #nodes: readonly NodeId[] | undefined
  #candidates = new Int32Array(0)
  #pool = 0
  #serial = -1
  #job: JobId | None = None
  #moves = 0
  /** Knows shapes that fit nowhere: for these nodes are still drawn, so that random numbers are the same, but not asked. */
  readonly #byShape = new LowestNodes()

  constructor(env: Env) {
    this.#random = env.random('random-fit')
  }

  pick(job: JobId, round: Round): NodeId | None {
    const moves = round.savepoint() as number
    if (round.serial !== this.#serial || job !== this.#job || moves < this.#moves) this.#begin(job, round)
    this.#moves = moves
    const { cluster, lane, nodes, work } = round
    const candidates = this.#candidates
    let pool = this.#pool
    const isVain = nodes.length === cluster.nodes && !this.#byShape.areAny(work.shape(job, lane), job, round)
    while (pool > 0) {
      const at = Math.floor(this.#random() * pool)
      const node = candidates[at] as NodeId
      if (!isVain && round.fits(job, node)) {
        this.#pool = pool
        return node
      }
      pool--
      candidates[at] = candidates[pool] as number
      candidates[pool] = node
    }
    this.#pool = 0
    return None
  }

  /** Another attempt: all nodes in sight are candidates again. */
  #begin(job: JobId, round: Round): void {
    if (round.nodes !== this.#nodes || round.nodes.length === 1) {
      this.#nodes = round.nodes
      this.#candidates = Int32Array.from(round.nodes)
    }
    this.#pool = this.#candidates.length
    this.#serial = round.serial
    this.#job = job
  }
}
