import type { SchedError } from '@sched/core'

/** A line of a resource_group file: an entity or a group, the group that it lies in, and its shares there. */
export interface ResourceGroup {
  readonly name: string
  readonly parent: string
  readonly shares: number
}

/** Name of the group of all whom no line names. */
const UNKNOWN_NAME = 'unknown'
/** Name of the whole tree, and how lines name it as the group around others. */
const ROOT_NAME = 'TREEROOT'
const OUTERMOST = 'root'
const [ROOT, UNKNOWN] = [0, 1]
const LINE = /^(\S+)\s+(\d+)\s+(\S+)\s+(\d+)$/

/**
 * The lines of a resource_group file: name, a number of its own that decides nothing, the group around it or `root`, and shares. `refused` makes the error for a line that
 * is none, that names somebody again, or whose group comes later.
 *
 * Source: OpenPBS, `parse_group` of fairshare.cpp, which passes over such lines.
 */
export function readResourceGroup(text: string, refused: (line: number, fact: string, wayOut: string) => SchedError): ResourceGroup[] {
  const known = new Set([ROOT_NAME, UNKNOWN_NAME])
  return text.split(/\r?\n/).flatMap((content, i) => {
    const trimmed = content.trim()
    if (trimmed === '' || trimmed.startsWith('#')) return []
    const [found, name = '', , parent = '', shares = ''] = LINE.exec(trimmed) ?? []
    if (found === undefined) throw refused(i + 1, `found "${trimmed}", expected a name, a number, a group and shares`, 'Write for example ann 60 physics 40.')
    if (known.has(name)) throw refused(i + 1, `"${name}" is there before`, 'Name everybody once.')
    if (parent !== OUTERMOST && !known.has(parent)) throw refused(i + 1, `"${name}" is in the group "${parent}", which no line before it names`, 'Put the group before it, or write root.')
    known.add(name)
    return [{ name, parent, shares: Number(shares) }]
  })
}

/**
 * The tree of fairshare entities and groups as columns by id; groups come before what lies in them. Entities that no line names come into the group `unknown`, with 1 share
 * each.
 *
 * Source: OpenPBS, `preload_tree`, `find_alloc_ginfo` and `calc_fair_share_perc` of fairshare.cpp.
 */
export class FairshareTree {
  readonly names: string[] = [ROOT_NAME, UNKNOWN_NAME]
  readonly parent: number[] = [-1, ROOT]
  readonly #shares: number[]
  readonly #ids = new Map([[ROOT_NAME, ROOT], [UNKNOWN_NAME, UNKNOWN]])
  /** The part of the whole that each should have, in [0, 1] (fairshare_perc); and its part of the group. */
  ofTree: number[] = []
  ofGroup: number[] = []

  constructor(groups: readonly ResourceGroup[], unknownShares: number) {
    this.#shares = [1, unknownShares]
    for (const { name, parent, shares } of groups) this.#add(name, parent === OUTERMOST ? ROOT : (this.#ids.get(parent) as number), shares)
    this.#share()
  }

  get size(): number {
    return this.names.length
  }

  /** The id of an entity; who is not known yet comes into the group `unknown`. */
  entity(name: string): number {
    const known = this.#ids.get(name)
    if (known !== undefined) return known
    const id = this.#add(name, UNKNOWN, 1)
    this.#share()
    return id
  }

  /** Whether an entity has any part of the whole, known or not. */
  hasShares(name: string): boolean {
    for (let id = this.#ids.get(name) ?? UNKNOWN; id > ROOT; id = this.parent[id] as number) if (this.#shares[id] === 0) return false
    return true
  }

  /** All whom no line and nobody else has named, in the order in which they came. */
  get unknown(): string[] {
    return this.names.filter((_, id) => this.parent[id] === UNKNOWN)
  }

  #add(name: string, parent: number, shares: number): number {
    const id = this.names.push(name) - 1
    this.#ids.set(name, id)
    this.parent.push(parent)
    this.#shares.push(shares)
    return id
  }

  #share(): void {
    const sums = this.names.map(() => 0)
    for (let id = 1; id < this.size; id++) sums[this.parent[id] as number] = (sums[this.parent[id] as number] as number) + (this.#shares[id] as number)
    this.ofTree = [1]
    this.ofGroup = [1]
    for (let id = 1; id < this.size; id++) {
      const around = this.parent[id] as number
      const ofParent = this.ofTree[around] as number
      const part = (sums[around] as number) * ofParent === 0 ? 0 : (this.#shares[id] as number) / (sums[around] as number)
      this.ofGroup[id] = part
      this.ofTree[id] = part * ofParent
    }
  }
}

/**
 * Places of all in the tree by use over shares, the most deserving first, from 0 on; those alike have the same. Level by level from the root, who has the smaller use over
 * its part of the whole comes first; who has no part comes last.
 *
 * Source: OpenPBS, `compare_path` of fairshare.cpp. Deviation: of two that are alike until one of them has no further level, that one comes first; there they are alike, which
 * is no order where others lie between them.
 */
export function placesByUse({ size, parent, ofTree }: Pick<FairshareTree, 'size' | 'parent' | 'ofTree'>, use: ArrayLike<number>): Int32Array {
  const keys: (readonly number[])[] = []
  for (let id = 0; id < size; id++) keys[id] = id === ROOT ? [] : [...(keys[parent[id] as number] as readonly number[]), (ofTree[id] as number) > 0 ? (use[id] as number) / (ofTree[id] as number) : Infinity]
  const compared = (a: number, b: number): number => {
    const [first, second] = [keys[a] as readonly number[], keys[b] as readonly number[]]
    for (const [level, key] of first.entries()) {
      const other = second[level]
      if (other === undefined) return 1
      if (key !== other) return key < other ? -1 : 1
      if (key === Infinity) return 0
    }
    return first.length - second.length
  }
  const ids = Array.from({ length: size }, (_, id) => id).sort(compared)
  const places = new Int32Array(size)
  for (let i = 1; i < size; i++) places[ids[i] as number] = (places[ids[i - 1] as number] as number) + (compared(ids[i - 1] as number, ids[i] as number) < 0 ? 1 : 0)
  return places
}

/**
 * Use of each as a part of all use, with a part of that of its group in it, by which whole branches of the tree can be compared (fairshare_tree_usage).
 *
 * Source: OpenPBS, `calc_usage_factor` of fairshare.cpp.
 */
export function treeUsage({ size, parent, ofGroup }: Pick<FairshareTree, 'size' | 'parent' | 'ofGroup'>, use: ArrayLike<number>): Float64Array {
  const factors = new Float64Array(size)
  for (let id = 1; id < size; id++) {
    const own = (use[id] as number) / (use[ROOT] as number)
    const around = parent[id] as number
    factors[id] = around === ROOT ? own : own + ((factors[around] as number) - own) * (ofGroup[id] as number)
  }
  return factors
}
