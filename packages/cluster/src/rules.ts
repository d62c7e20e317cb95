import { SchedError, type Constraints, type NodeId, type Taint } from '@sched/core'
import type { Labels } from './labels.js'
import { asksAnything, requirement, type Selector } from './node-selector.js'
import { taintText, tolerates } from './taints.js'

/** Constraints as they are tested. */
export interface Rule {
  /** What is asked of labels and names of nodes; for messages. */
  readonly selector: Selector
  /** Taints that keep its tasks off, by their place among those of the nodes. */
  readonly untolerated: readonly number[]
  /** 1 where a task may be, by `at` of the node; `undefined`: anywhere. */
  readonly allowed: Uint8Array | undefined
  /** 1 where only taints keep it off, by `at` of the node. */
  readonly tainted: Uint8Array
  /** How many taints that keep nobody off its tasks do not tolerate, by `at` of the node; `undefined`: they tolerate all there are. */
  readonly disliked: Uint8Array | undefined
  /** The place of each node in the columns: its class, or itself where names matter. */
  readonly at: Int32Array
  readonly isDistinct: boolean
}

/** Interned constraints: equal ones are one rule. */
export class Rules {
  readonly #byKey = new Map<string, Rule>()
  readonly #known = new WeakMap<Constraints, Rule | false>()
  /** Of tasks without constraints, where nodes have taints. */
  readonly #usual: Rule | undefined

  constructor(private readonly labels: Labels) {
    this.#usual = this.intern({})
  }

  /** The rule of constraints, `undefined` where they forbid nothing and nothing is disliked. Throws `BAD_INPUT` for a label without a value. */
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

  /** What keeps a task off a node, in words; `undefined`: nothing. Of a node that lacks labels its taints are not told. */
  keepsOff({ selector, untolerated, allowed, tainted, at }: Rule, node: NodeId): string | undefined {
    const place = at[node] as number
    if (allowed === undefined || allowed[place] === 1) return undefined
    if (tainted[place] === 0) return `requires ${requirement(selector)}`
    return `taint ${taintText(this.labels.taints[this.labels.taintsOf(node).find((taint) => untolerated.includes(taint)) as number] as Taint)}`
  }

  /** Taints without which a rule would allow more nodes, as kubectl writes them, in their order. */
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

/** Of a program without types they may be no texts. */
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
