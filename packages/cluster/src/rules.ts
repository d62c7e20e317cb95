import { SchedError, type Constraints, type NodeId, type Taint } from '@sched/core'
import type { Labels } from './labels.js'
import { asksAnything, requirement, type Selector } from './node-selector.js'
import { taintText, tolerates } from './taints.js'

/** Constraints, prepared for testing nodes. */
export interface Rule {
  /** Requirements on labels and names of nodes; for messages. */
  readonly selector: Selector
  /** Taints that keep its tasks off, as indices into `Labels.taints`. */
  readonly untolerated: readonly number[]
  /** By `at[node]`: 1 if a task may run there; `undefined`: it may run anywhere. */
  readonly allowed: Uint8Array | undefined
  /** By `at[node]`: 1 if only taints keep a task off. */
  readonly tainted: Uint8Array
  /** By `at[node]`: number of `PreferNoSchedule` taints that its tasks do not tolerate; `undefined`: they tolerate all of them. */
  readonly disliked: Uint8Array | undefined
  /** Index of each node in the columns: its class, or the node itself if names matter. */
  readonly at: Int32Array
  readonly isDistinct: boolean
}

/** Interned constraints: equal constraints share one rule. */
export class Rules {
  readonly #byKey = new Map<string, Rule>()
  readonly #known = new WeakMap<Constraints, Rule | false>()
  /** The rule for tasks without constraints, if nodes have taints. */
  readonly #usual: Rule | undefined

  /** Indices of nodes, for rules that tell every node apart. */
  readonly #everyNode: Int32Array

  constructor(private readonly labels: Labels, nodes: number) {
    this.#everyNode = Int32Array.from({ length: nodes }, (_, node) => node)
    this.#usual = this.intern({})
  }

  /**
   * The rule for constraints, `undefined` if they forbid no node and no taint is to be avoided. Throws `BAD_INPUT` for a required label without
   * values.
   */
  intern(constraints: Constraints | undefined): Rule | undefined {
    if (constraints === undefined) return this.#usual
    const known = this.#known.get(constraints)
    if (known !== undefined) return known === false ? undefined : known
    const { require = {}, nodeSelectorTerms: terms, tolerations = [], distinctNodes = false } = constraints
    const sorted = Object.entries(require).map(([label, values]) => [label, valuesOf(label, values)] as const).sort(([a], [b]) => (a < b ? -1 : 1))
    const among = (taints: readonly Taint[]): number[] => [...taints.keys()].filter((i) => !tolerations.some((each) => tolerates(each, taints[i] as Taint)))
    const [untolerated, disliked] = [among(this.labels.taints), among(this.labels.softTaints)]
    const key = JSON.stringify([sorted, terms, untolerated, disliked, distinctNodes])
    const selector = { require: Object.fromEntries(sorted), ...(terms !== undefined && { nodeSelectorTerms: terms }) }
    const asks = asksAnything(selector) || untolerated.length > 0 || disliked.length > 0 || distinctNodes
    const rule = asks ? (this.#byKey.get(key) ?? this.#make(selector, untolerated, disliked, distinctNodes)) : undefined
    if (rule !== undefined) this.#byKey.set(key, rule)
    this.#known.set(constraints, rule ?? false)
    return rule
  }

  /** The rule with some nodes less. Without a rule: for tasks that may run everywhere else. */
  barring(rule: Rule | undefined, nodes: readonly NodeId[]): Rule {
    const { selector = { require: {} }, untolerated = [], isDistinct = false } = rule ?? {}
    const byNode = (column: Uint8Array | undefined, otherwise: number): Uint8Array => {
      const values = new Uint8Array(this.#everyNode.length).fill(otherwise)
      if (rule !== undefined && column !== undefined) for (let node = 0; node < values.length; node++) values[node] = column[rule.at[node] as number] as number
      return values
    }
    const allowed = byNode(rule?.allowed, 1)
    for (const node of nodes) allowed[node] = 0
    return {
      selector, untolerated, isDistinct, allowed,
      at: this.#everyNode,
      tainted: byNode(rule?.tainted, 0),
      disliked: rule?.disliked && byNode(rule.disliked, 0),
    }
  }

  /** What keeps a task off a node, in words; `undefined`: nothing does. Taints are named only if the node has the required labels. */
  keepsOff({ selector, untolerated, allowed, tainted, at }: Rule, node: NodeId): string | undefined {
    const place = at[node] as number
    if (allowed === undefined || allowed[place] === 1) return undefined
    if (tainted[place] === 0) return `requires ${requirement(selector)}`
    return `taint ${taintText(this.labels.taints[this.labels.taintsOf(node).find((taint) => untolerated.includes(taint)) as number] as Taint)}`
  }

  /** Untolerated taints of nodes that the rule would otherwise allow, as kubectl writes them, in order. */
  taintsThatBar({ untolerated, tainted, at }: Rule): string[] {
    const barred = [...at.keys()].filter((node) => tainted[at[node] as number] === 1)
    const found = new Set(barred.flatMap((node) => this.labels.taintsOf(node as NodeId)))
    return untolerated.filter((taint) => found.has(taint)).map((taint) => taintText(this.labels.taints[taint] as Taint))
  }

  #make(selector: Selector, untolerated: readonly number[], disliked: readonly number[], isDistinct: boolean): Rule {
    const { at, nodes, selected, tainted } = this.labels.select(selector, untolerated)
    const forbids = untolerated.length > 0 || asksAnything(selector)
    return {
      selector, untolerated, isDistinct, at,
      allowed: forbids ? selected.map((is, place) => (is === 1 && tainted[place] === 0 ? 1 : 0)) : undefined,
      disliked: disliked.length > 0 ? Uint8Array.from(nodes, (node) => this.labels.softTaintsAmong(disliked, node as NodeId)) : undefined,
      tainted: tainted.map((is, place) => (is === 1 && selected[place] === 1 ? 1 : 0)),
    }
  }
}

/** The values as a list. Throws `BAD_INPUT` if they are not text, as a program without types may pass. */
function valuesOf(label: string, values: string | readonly string[]): readonly string[] {
  if (typeof values === 'string') return [values]
  if (!Array.isArray(values) || !values.every((value) => typeof value === 'string'))
    throw new SchedError('BAD_INPUT', `a task requires the label "${label}" to be ${JSON.stringify(values)}.`, { field: 'constraints.require' }, 'Give a text, or a list of texts.')
  if (values.length === 0)
    throw new SchedError(
      'BAD_INPUT',
      `a task requires the label "${label}" and no value of it.`,
      { field: 'constraints.require' },
      'List the values that will do.',
    )
  return [...new Set(values)].sort()
}
