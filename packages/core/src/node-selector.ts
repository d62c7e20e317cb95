/**
 * What a label of a node must be, as Kubernetes has it: `NotIn` and `DoesNotExist` hold where there is none of that name; `Gt` and `Lt`
 * compare whole numbers of 64 bits, and hold for nothing else.
 */
export interface NodeRequirement {
  /** Name of the label. */
  readonly key: string
  /** How it is compared. */
  readonly operator: 'In' | 'NotIn' | 'Exists' | 'DoesNotExist' | 'Gt' | 'Lt'
  /** Of `In` and `NotIn` at least one, of `Gt` and `Lt` one, of others none. */
  readonly values?: readonly string[]
}

/** Requirements that hold together; one without any holds for no node. */
export interface NodeSelectorTerm {
  /** Of labels. */
  readonly matchExpressions?: readonly NodeRequirement[]
  /** Of fields, of which there is one: `metadata.name`, the node's name. */
  readonly matchFields?: readonly NodeRequirement[]
}
