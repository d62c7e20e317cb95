import type { NodeId } from '@sched/core'

/** What a job needs of blocks. */
interface AskedOfBlocks {
  readonly tasks: number
  /** Nodes that hold them at least. */
  readonly nodes: number
  /** Nodes of each part of the job, which is in one block by itself; 0, or more than all: the job is one part. They divide `nodes`. */
  readonly segment: number
}

/**
 * Nodes in blocks, of which those that follow each other are larger blocks together. A job is in one block, of the smallest size that holds it, and there in as few of the
 * blocks of the size below as would do if they were empty, or it waits; of several blocks it gets the one with the fewest nodes that have room, the last of them, and in it
 * the base blocks that hold what is left of it with the least to spare, otherwise the largest first. A job of segments has these one after another, each as if it were a job.
 *
 * Source: Slurm, `eval_nodes_block` and `_choose_best_bblock` of topology/block. Deviations: a job that does not ask for a number of nodes needs the fewest that hold its tasks (there
 * one); a block suits what is left by its room for tasks, too, there by its nodes alone; where the lightest
 * nodes are in too many blocks weights do not count, there it waits; without `--spread-segments` and `--consolidate-segments`.
 */
export class Blocks {
  readonly #blocks: readonly (readonly NodeId[])[]
  readonly #size: number
  /** How often the size doubles, from 0 up. */
  readonly #levels: readonly number[]
  readonly #blockOf: Int32Array
  // of the choice that is being made
  readonly #room: Int32Array
  #weights: ArrayLike<number> | undefined
  /** Nodes that are heavier do not count. */
  #heaviest = NaN
  /** By base block: nodes with room and room for tasks, of those that count, and whether it is used. */
  readonly #nodesIn: Int32Array
  readonly #roomIn: Int32Array
  readonly #isUsed: Uint8Array
  #nodesLeft = 0
  #tasksLeft = 0

  /** `blocks`: nodes of each base block, at least one of them; `sizes`: nodes of a base block and of larger ones, each a power of 2 times the first. */
  constructor(nodes: number, blocks: readonly (readonly NodeId[])[], sizes: readonly number[]) {
    this.#blocks = blocks.map((each) => [...each].sort((a, b) => a - b))
    this.#size = sizes[0] as number
    this.#levels = sizes.map((size) => doublings(size / this.#size))
    this.#blockOf = new Int32Array(nodes).fill(-1)
    for (const [block, members] of this.#blocks.entries()) for (const node of members) if (this.#blockOf[node] === -1) this.#blockOf[node] = block
    this.#room = new Int32Array(nodes)
    this.#nodesIn = new Int32Array(blocks.length)
    this.#roomIn = new Int32Array(blocks.length)
    this.#isUsed = new Uint8Array(blocks.length)
  }

  /** Whether any node of a block has room: jobs that find none have no blocks to be in. */
  has(room: ArrayLike<number>): boolean {
    for (let node = 0; node < this.#blockOf.length; node++) if ((room[node] as number) > 0 && (this.#blockOf[node] as number) >= 0) return true
    return false
  }

  /**
   * Nodes for all tasks into `places`, one entry per task; false, and what is in `places` means nothing, where no blocks hold them. `room[node]` is how many tasks a node can
   * take. `weights`, by node: those of the least are used up before any other, unless no blocks hold the job then.
   */
  choose(room: ArrayLike<number>, asked: AskedOfBlocks, places: NodeId[], weights?: ArrayLike<number>): boolean {
    return this.#choose(room, asked, places, weights) || (weights !== undefined && this.#choose(room, asked, places, undefined))
  }

  #choose(room: ArrayLike<number>, { tasks, nodes, segment }: AskedOfBlocks, places: NodeId[], weights: ArrayLike<number> | undefined): boolean {
    places.length = 0
    this.#weights = weights
    for (let node = 0; node < this.#room.length; node++) this.#room[node] = (this.#blockOf[node] as number) >= 0 ? (room[node] as number) : 0
    const segments = segment > 0 && segment < nodes ? nodes / segment : 1
    for (let i = 0; i < segments; i++) {
      this.#nodesLeft = nodes / segments
      this.#tasksLeft = Math.floor((tasks * (i + 1)) / segments) - Math.floor((tasks * i) / segments)
      if (!this.#place(places)) return false
    }
    return true
  }

  #place(places: NodeId[]): boolean {
    const sizes = this.#sizesFor(this.#nodesLeft)
    this.#heaviest = Infinity
    this.#isUsed.fill(0)
    this.#count()
    const block = this.#tightest(sizes)
    if (block < 0) return false
    const range = { from: block * sizes.perBlock, to: Math.min((block + 1) * sizes.perBlock, this.#blocks.length), perPart: sizes.perPart }
    const begun = this.#weights === undefined ? 0 : this.#useLightest(range, this.#weights, places)
    if (begun > sizes.parts) return false
    for (let at = range.from; at < range.to; at++) if (this.#isUsed[at] === 1) this.#use(at, places)
    return this.#fill(range, sizes, sizes.parts - begun, places)
  }

  #sizesFor(nodes: number): Sizes {
    const level = doublings(Math.ceil(nodes / this.#size))
    const own = this.#levels.find((each) => each >= level)
    const perBlock = own === undefined ? this.#blocks.length : 2 ** own
    const perPart = 2 ** this.#levels.reduce((below, each) => (each < level ? each : below), 0)
    const parts = Math.ceil(nodes / (perPart * this.#size))
    return { perBlock, perPart, parts, isConfined: perBlock !== perPart * parts }
  }

  #count(): void {
    for (const [block, nodes] of this.#blocks.entries()) {
      let [count, room] = [0, 0]
      for (const node of nodes) {
        if (!this.#counts(node, block)) continue
        count++
        room += this.#room[node] as number
      }
      this.#nodesIn[block] = count
      this.#roomIn[block] = room
    }
  }

  /** Whether a node has room, and is of this block, if it is in several. */
  #counts(node: NodeId, block: number): boolean {
    return this.#room[node] !== 0 && this.#blockOf[node] === block && (this.#weights === undefined || (this.#weights[node] as number) <= this.#heaviest)
  }

  /** The block of those that hold all with the lightest node, of these with the fewest nodes, the last; -1: none. */
  #tightest({ perBlock, perPart, parts, isConfined }: Sizes): number {
    let best = -1
    let [lightest, fewest] = [Infinity, Infinity]
    for (let block = 0, from = 0; from < this.#blocks.length; block++, from += perBlock) {
      const to = Math.min(from + perBlock, this.#blocks.length)
      const nodes = sum(this.#nodesIn, from, to)
      if ((isConfined ? this.#mostOf(parts, perPart, from, to) : nodes) < this.#nodesLeft || sum(this.#roomIn, from, to) < this.#tasksLeft) continue
      const weight = this.#weights === undefined ? 0 : this.#lightest(from, to, this.#weights)
      if (weight > lightest || (weight === lightest && nodes > fewest)) continue
      best = block
      lightest = weight
      fewest = nodes
    }
    return best
  }

  #lightest(from: number, to: number, weights: ArrayLike<number>): number {
    return this.#membersOf(from, to).reduce((least, node) => Math.min(least, weights[node] as number), Infinity)
  }

  /** Nodes of as many parts of a block, the largest. */
  #mostOf(parts: number, perPart: number, from: number, to: number): number {
    const counts: number[] = []
    for (let at = from; at < to; at += perPart) counts.push(sum(this.#nodesIn, at, Math.min(at + perPart, to)))
    return counts.sort((a, b) => b - a).slice(0, parts).reduce((all, each) => all + each, 0)
  }

  /** Nodes of some base blocks that count, by id. */
  #membersOf(from: number, to: number): NodeId[] {
    return this.#blocks.slice(from, to).flatMap((nodes, i) => nodes.filter((node) => this.#counts(node, from + i))).sort((a, b) => a - b)
  }

  /** All nodes that are lighter than the heaviest ones needed; of the others only these count from then on. Returns in how many parts they are. */
  #useLightest({ from, to, perPart }: Range, weights: ArrayLike<number>, places: NodeId[]): number {
    const members = this.#membersOf(from, to).sort((a, b) => (weights[a] as number) - (weights[b] as number) || a - b)
    let [nodes, room] = [0, 0]
    let last = 0
    while (last < members.length && (nodes < this.#nodesLeft || room < this.#tasksLeft)) {
      nodes++
      room += this.#room[members[last++] as NodeId] as number
    }
    this.#heaviest = weights[members[last - 1] as NodeId] as number
    const parts = new Set<number>()
    for (const node of members.filter((each) => (weights[each] as number) < this.#heaviest).sort((a, b) => a - b)) {
      const block = this.#blockOf[node] as number
      this.#isUsed[block] = 1
      parts.add(Math.floor(block / perPart))
      this.#useNode(node, places)
    }
    this.#count()
    return parts.size
  }

  /** One base block after another, as long as parts may be begun. */
  #fill(range: Range, { isConfined }: Sizes, parts: number, places: NodeId[]): boolean {
    const inParts = isConfined ? this.#nodesInParts(range) : undefined
    for (let more = parts; this.#tasksLeft > 0 || this.#nodesLeft > 0; ) {
      const { block, isBegun } = this.#best(range, inParts)
      if (block < 0 || this.#nodesIn[block] === 0 || (!isBegun && more <= 0)) return false
      this.#isUsed[block] = 1
      this.#use(block, places)
      if (!isBegun) more--
    }
    return true
  }

  /** By part: nodes of base blocks that are not used yet. */
  #nodesInParts({ from, to, perPart }: Range): Int32Array {
    const inParts = new Int32Array(Math.ceil(this.#blocks.length / perPart))
    for (let block = from; block < to; block++) if (this.#isUsed[block] === 0) add(inParts, Math.floor(block / perPart), this.#nodesIn[block] as number)
    return inParts
  }

  /** The base block for what is left, and whether its part is begun, or no matter; -1: none. A later one of two that are alike. */
  #best({ from, to, perPart }: Range, inParts: Int32Array | undefined): { readonly block: number; readonly isBegun: boolean } {
    let block = -1
    let isBegun = true
    for (let each = from; each < to; each++) {
      if (this.#isUsed[each] === 1) continue
      const part = Math.floor(each / perPart)
      if (inParts === undefined || (block >= 0 && Math.floor(block / perPart) === part)) {
        if (block < 0 || this.#suitsBetter(each, block)) block = each
        continue
      }
      const begun = this.#isUsed.subarray(part * perPart, (part + 1) * perPart).includes(1)
      if (block >= 0 && isBegun !== begun ? !begun : block >= 0 && !this.#isBetterIn(inParts, part, Math.floor(block / perPart), each, block)) continue
      block = each
      isBegun = begun
    }
    return { block, isBegun }
  }

  /** Whether a base block of one part is better than one of another: in the part that holds all that is left, the tighter of two, otherwise in the larger; in two that are alike by itself. */
  #isBetterIn(inParts: Int32Array, part: number, best: number, block: number, bestBlock: number): boolean {
    const [nodes, most] = [inParts[part] as number, inParts[best] as number]
    const [fits, bestFits] = [nodes >= this.#nodesLeft, most >= this.#nodesLeft]
    if (fits !== bestFits) return fits
    if (nodes !== most) return fits ? nodes < most : nodes > most
    return this.#suitsBetter(block, bestBlock)
  }

  /** Whether a base block suits what is left better than one before it: one that holds it, with the fewest nodes; otherwise the one with most. */
  #suitsBetter(block: number, best: number): boolean {
    const [nodes, most] = [this.#nodesIn[block] as number, this.#nodesIn[best] as number]
    const [fits, bestFits] = [this.#holds(block), this.#holds(best)]
    if (fits !== bestFits) return fits
    return fits ? nodes <= most : nodes >= most
  }

  #holds(block: number): boolean {
    return (this.#nodesIn[block] as number) >= this.#nodesLeft && (this.#roomIn[block] as number) >= this.#tasksLeft
  }

  #use(block: number, places: NodeId[]): void {
    for (const node of this.#blocks[block] as NodeId[]) {
      if (this.#tasksLeft <= 0 && this.#nodesLeft <= 0) return
      if (this.#counts(node, block)) this.#useNode(node, places)
    }
  }

  #useNode(node: NodeId, places: NodeId[]): void {
    for (let i = Math.min(this.#room[node] as number, this.#tasksLeft); i > 0; i--, this.#tasksLeft--) places.push(node)
    this.#nodesLeft--
    this.#room[node] = 0
  }
}

/** How many base blocks a block for so many nodes has, and the parts of it, blocks of the size below, of which a job is in so many at most. */
interface Sizes {
  readonly perBlock: number
  readonly perPart: number
  readonly parts: number
  /** Whether a block has more parts. */
  readonly isConfined: boolean
}

/** The base blocks of a block, and how many of them a part has. */
interface Range {
  readonly from: number
  readonly to: number
  readonly perPart: number
}

/** How often 1 is to be doubled to be at least this. */
function doublings(number: number): number {
  let count = 0
  while (2 ** count < number) count++
  return count
}

function sum(counts: Int32Array, from: number, to: number): number {
  let all = 0
  for (let i = from; i < to; i++) all += counts[i] as number
  return all
}

const add = (counts: Int32Array, at: number, by: number): void => void (counts[at] = (counts[at] as number) + by)
