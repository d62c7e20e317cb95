/**
 * A requirement on a label of a node, as in Kubernetes. `NotIn` and `DoesNotExist` also hold where the node has no label of that name. `Gt` and `Lt`
 * compare 64-bit integers, and are false for any other value.
 */
export interface NodeRequirement {
  /** Name of the label. */
  readonly key: string
  /** How it is compared. */
  readonly operator: 'In' | 'NotIn' | 'Exists' | 'DoesNotExist' | 'Gt' | 'Lt'
  /** Values to compare with: at least one for `In` and `NotIn`, exactly one for `Gt` and `Lt`, none for the others. */
  readonly values?: readonly string[]
}

/** Requirements that must all hold. A term without requirements holds for no node. */
export interface NodeSelectorTerm {
  /** Requirements on labels. */
  readonly matchExpressions?: readonly NodeRequirement[]
  /** Requirements on fields; the only field is `metadata.name`, the node's name. */
  readonly matchFields?: readonly NodeRequirement[]
}
