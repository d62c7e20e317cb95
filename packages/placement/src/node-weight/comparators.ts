/** A node as a comparator sees it; amounts of one resource, memory in the paper. */
export interface NodeLoad {
  /** Amount that is free. */
  readonly available: number
  /** Amount that the node has. */
  readonly total: number
  /** Its performance, relative to that of others. */
  readonly weight: number
  /** Amount that was assigned and is in use. */
  readonly assigned: number
}

/**
 * Scores by which nodes are ordered: the node with the highest score gets the next container, ties go to the lower index.
 *
 * `absolute`: available memory, as in Hadoop 2.5; `ratio`: available / total; `weighted`: that times the node's
 * weight, the paper's rule; `proportional`: the least assigned / weight, our addition, since the paper's product is not
 * proportional sharing (section 3).
 *
 * Source: Feng and He 2017, section 3.
 */
export const comparators = {
  absolute: ({ available }: NodeLoad) => available,
  ratio: ({ available, total }: NodeLoad) => available / total,
  /** Divided last, so that equal scores of whole numbers are equal. */
  weighted: ({ available, total, weight }: NodeLoad) => (available * weight) / total,
  proportional: ({ assigned, weight }: NodeLoad) => -assigned / weight,
} as const
/** Which comparator of nodes, by name. */
export type Comparator = keyof typeof comparators

/** Below 0 when the first node comes first; a stable sort keeps equals in order. */
export const compareNodes = (comparator: Comparator) => (a: NodeLoad, b: NodeLoad): number => comparators[comparator](b) - comparators[comparator](a)
