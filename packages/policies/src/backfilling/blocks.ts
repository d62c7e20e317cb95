import type { NodeId } from '@sched/core'

/** What a job asks of blocks. */
interface AskedOfBlocks {
  readonly tasks: number
  /** The fewest nodes that the job takes. */
  readonly nodes: number
  /** Nodes of each segment of the job; each segment is placed in one block by itself. It divides `nodes`; 0, or `nodes` and more: the job is one segment. */
  readonly segment: number
}

/**
 * Chooses nodes in blocks. Base blocks that follow each other form larger blocks. A job gets nodes of one block, of the smallest size that holds it.
 * Within it the job uses no more blocks of the size below than it would need if they were empty; if that cannot be, it waits. Of several blocks it
 * gets the one with the fewest nodes that have room, the last one in a tie. In that block it first fills the base block that holds all that is left of
 * it with the least to spare, or, if none does, the largest one, and so on. The segments of a job are placed one after another, each like a job of its own.
 *
 * Source: Slurm, `eval_nodes_block` and `_choose_best_bblock` of topology/block. Deviations: a job that does not ask for a number of nodes needs the
 * fewest that hold its tasks (in Slurm one); a base block must also have room for the tasks that are left (in Slurm only the nodes count); where the
 * lightest nodes are in too many blocks, weights are ignored (in Slurm the job waits); `--spread-segments` and `--consolidate-segments` are left out.
 */
export class Blocks {
  readonly #blocks: readonly (readonly NodeId[])[]
  readonly #size: number
  /** Of each size: how often the size of a base block is doubled to get it, from 0 up. */
  readonly #levels: readonly number[]
  readonly #blockOf: Int32Array
  // state of the choice under way
  readonly #room: Int32Array
  #weights: ArrayLike<number> | undefined
  /** Nodes of a larger weight do not count. */
  #heaviest = NaN
  /** By base block: its nodes that count, the tasks for which these have room, and whether the job uses the block. */
  readonly #nodesIn: Int32Array
  readonly #roomIn: Int32Array
  readonly #isUsed: Uint8Array
  #nodesLeft = 0
  #tasksLeft = 0

  /**
   * `blocks`: the nodes of each base block, of which there is at least one; `sizes`: nodes of a base block and of larger blocks, each a power of 2
   * times the first.
   */
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

  /** Whether any node of any block has room; if none has, blocks do not restrict the job. */
  has(room: ArrayLike<number>): boolean {
    for (let node = 0; node < this.#blockOf.length; node++) if ((room[node] as number) > 0 && (this.#blockOf[node] as number) >= 0) return true
    return false
  }

  /**
   * Writes the nodes of all tasks to `places`, one entry per task. Returns false where no blocks hold them; `places` is meaningless then.
   * `room[node]` is the number of tasks that a node can take. `weights`, by node: nodes of the least weight are used up before any others, unless
   * no blocks hold the job that way.
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

  /** Whether a node counts: it has room, this is its block (the first one, if it is named in several), and it is not too heavy. */
  #counts(node: NodeId, block: number): boolean {
    return this.#room[node] !== 0 && this.#blockOf[node] === block && (this.#weights === undefined || (this.#weights[node] as number) <= this.#heaviest)
  }

  /** Of the blocks that hold all that is left: the one with the lightest node, then with the fewest nodes, then the last; -1 if none holds it. */
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

  /** Nodes in the largest parts of a block, of which `parts` are taken. */
  #mostOf(parts: number, perPart: number, from: number, to: number): number {
    const counts: number[] = []
    for (let at = from; at < to; at += perPart) counts.push(sum(this.#nodesIn, at, Math.min(at + perPart, to)))
    return counts.sort((a, b) => b - a).slice(0, parts).reduce((all, each) => all + each, 0)
  }

  /** The nodes that count of the base blocks `from` to `to - 1`, by id. */
  #membersOf(from: number, to: number): NodeId[] {
    return this.#blocks.slice(from, to).flatMap((nodes, i) => nodes.filter((node) => this.#counts(node, from + i))).sort((a, b) => a - b)
  }

  /**
   * Takes the lightest nodes first as far as they are needed: all that are lighter than the heaviest weight needed are used at once; of the others
   * only nodes of that weight count from then on. Returns the number of parts that the used nodes are in.
   */
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

  /** Fills one base block after another until all is placed; `parts`: how many more parts may be begun. */
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

  /** By part: its nodes that count, in base blocks that are not used yet. */
  #nodesInParts({ from, to, perPart }: Range): Int32Array {
    const inParts = new Int32Array(Math.ceil(this.#blocks.length / perPart))
    for (let block = from; block < to; block++) if (this.#isUsed[block] === 0) add(inParts, Math.floor(block / perPart), this.#nodesIn[block] as number)
    return inParts
  }

  /**
   * The best base block for what is left, -1 if there is none, and whether its part is begun already (true also where parts do not matter). Ties:
   * the later one.
   */
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

  /**
   * Whether a base block is better than one of another part: first if its part holds all that is left, of two such parts the one with fewer nodes;
   * if neither does, the one with more nodes. Equal parts go by the base blocks themselves.
   */
  #isBetterIn(inParts: Int32Array, part: number, best: number, block: number, bestBlock: number): boolean {
    const [nodes, most] = [inParts[part] as number, inParts[best] as number]
    const [fits, bestFits] = [nodes >= this.#nodesLeft, most >= this.#nodesLeft]
    if (fits !== bestFits) return fits
    if (nodes !== most) return fits ? nodes < most : nodes > most
    return this.#suitsBetter(block, bestBlock)
  }

  /**
   * Whether a base block suits what is left better than an earlier one: if it holds all that is left, with the fewest nodes; if neither does, with
   * the most.
   */
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

/**
 * Sizes for a number of nodes, in base blocks: of the block that holds them (`perBlock`) and of its parts, the blocks of the size below
 * (`perPart`); `parts` is the most parts that a job may use.
 */
interface Sizes {
  readonly perBlock: number
  readonly perPart: number
  readonly parts: number
  /** Whether a block has more than `parts` parts. */
  readonly isConfined: boolean
}

/** The base blocks `from` to `to - 1` of a block, and how many of them are a part. */
interface Range {
  readonly from: number
  readonly to: number
  readonly perPart: number
}

/** How often 1 must be doubled to be at least `number`. */
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
