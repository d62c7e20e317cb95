import { ownValue, type Env, type JobId, type NodeId } from '@sched/core'

/** Percent by queue, label of a node and value of the label. */
export type LabelScores = Readonly<Record<string, Readonly<Record<string, Readonly<Record<string, number>>>>>>

/** How well nodes suit jobs of single queues, by labels of the nodes: the sum of the percentages of those that a node has. */
export class QueueLabels {
  readonly #given: LabelScores
  readonly #env: Env
  /** By queue: the percentages of all nodes, or undefined for a queue of which nothing is said. */
  readonly #known: (Float64Array | undefined)[] = []

  constructor(given: LabelScores, env: Env) {
    this.#given = given
    this.#env = env
  }

  /** The percentages by node for jobs of the queue of this one; undefined if nothing is said of it. */
  of(job: JobId): Readonly<Float64Array> | undefined {
    const queue = this.#env.work.queue(job)
    if (!(queue in this.#known)) this.#known[queue] = this.#percentages(ownValue(this.#given, this.#env.work.queueName(queue)))
    return this.#known[queue]
  }

  #percentages(labels: LabelScores[string] | undefined): Float64Array | undefined {
    if (labels === undefined) return undefined
    const { cluster } = this.#env
    const entries = Object.entries(labels)
    return Float64Array.from({ length: cluster.nodes }, (_, node) => entries.reduce((sum, [label, percent]) => sum + (ownValue(percent, cluster.label(node as NodeId, label) ?? '') ?? 0), 0))
  }
}
