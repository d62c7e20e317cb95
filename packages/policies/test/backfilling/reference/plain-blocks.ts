/** What is asked of blocks in a plain reading: nodes of one task each. */
export interface PlainAsk {
  /** By base block: the nodes that are free, each with its weight. */
  readonly blocks: readonly (readonly { readonly id: number; readonly weight: number }[])[]
  readonly sizes: readonly number[]
  readonly nodes: number
  readonly segment: number
}

type Free = PlainAsk['blocks'][number][number]

/** The nodes of a job under topology/block of Slurm, read step by step from what `eval_nodes_block` says it does; `undefined`: no blocks hold it. */
export function plainBlocks({ blocks, sizes, nodes, segment }: PlainAsk): number[] | undefined {
  const cut = segment > 0 && segment < nodes ? segment : nodes
  if (nodes % cut > 0) return undefined
  const taken: Free[] = []
  for (let i = 0; i < nodes / cut; i++) {
    const part = oneSegment(blocks.map((each) => each.filter((node) => !taken.includes(node))), sizes, cut)
    if (part === undefined) return undefined
    taken.push(...part)
  }
  return taken.map(({ id }) => id)
}

function oneSegment(blocks: readonly (readonly Free[])[], sizes: readonly number[], nodes: number): Free[] | undefined {
  const base = sizes[0] as number
  // the smallest power of 2 of base blocks that would hold it, empty; of it the next size that is planned with, and the last one below
  let ideal = 1
  while (ideal * base < nodes) ideal *= 2
  const planned = sizes.map((size) => size / base)
  const perBlock = planned.find((count) => count >= ideal) ?? blocks.length
  const perPart = ideal === 1 ? 1 : Math.max(...planned.filter((count) => count <= ideal / 2))
  const mostParts = Math.ceil(nodes / (perPart * base))
  const isLimited = perBlock !== perPart * mostParts

  const groups = chunks(blocks.map((_, i) => i), perBlock)
  const suitable = groups.filter((group) => {
    const parts = chunks(group, perPart).map((part) => part.flatMap((i) => blocks[i] as Free[]).length).sort((a, b) => b - a)
    return (isLimited ? parts.slice(0, mostParts) : parts).reduce((a, b) => a + b, 0) >= nodes
  })
  const freeIn = (group: readonly number[]) => group.flatMap((i) => blocks[i] as Free[])
  const lightest = (group: readonly number[]) => Math.min(...freeIn(group).map(({ weight }) => weight))
  const [group] = [...suitable].sort((a, b) => lightest(a) - lightest(b) || freeIn(a).length - freeIn(b).length || (b[0] as number) - (a[0] as number))
  if (group === undefined) return undefined

  const byWeight = freeIn(group).sort((a, b) => a.weight - b.weight)
  const heaviest = (byWeight[nodes - 1] as Free).weight
  const usable = blocks.map((each) => each.filter(({ weight }) => weight <= heaviest))
  const got = freeIn(group).filter(({ weight }) => weight < heaviest).sort((a, b) => a.id - b.id)
  const used = new Set(group.filter((i) => (usable[i] as Free[]).some((node) => got.includes(node))))
  const partOf = (i: number) => Math.floor(i / perPart)
  let parts = mostParts - new Set([...used].map(partOf)).size
  if (parts < 0) return undefined
  const take = (i: number) => got.push(...(usable[i] as Free[]).filter((node) => !got.includes(node)).sort((a, b) => a.id - b.id).slice(0, nodes - got.length))
  for (const i of [...used].sort((a, b) => a - b)) take(i)
  const inPart = new Map<number, number>()
  for (const i of group) if (!used.has(i)) inPart.set(partOf(i), (inPart.get(partOf(i)) ?? 0) + (usable[i] as Free[]).length)

  while (got.length < nodes) {
    const left = nodes - got.length
    const begun = new Set([...used].map(partOf))
    // each level of preference by itself: parts that are begun, the part, the base block, the last of equals
    const rank = (i: number): number[] => {
      const [room, ofPart] = [(usable[i] as Free[]).length, inPart.get(partOf(i)) ?? 0]
      const ofBlock = room >= left ? [0, room] : [1, -room]
      if (!isLimited) return [...ofBlock, -i]
      return [begun.has(partOf(i)) ? 0 : 1, ...(ofPart >= left ? [0, ofPart] : [1, -ofPart]), ...ofBlock, -i]
    }
    const [next] = group.filter((i) => !used.has(i)).sort((a, b) => compare(rank(a), rank(b)))
    if (next === undefined || (usable[next] as Free[]).length === 0) return undefined
    if (isLimited && !begun.has(partOf(next)) && parts-- <= 0) return undefined
    used.add(next)
    take(next)
  }
  return got
}

const chunks = <T>(list: readonly T[], size: number): T[][] => Array.from({ length: Math.ceil(list.length / size) }, (_, i) => list.slice(i * size, (i + 1) * size))

const compare = (a: readonly number[], b: readonly number[]): number => a.map((each, i) => each - (b[i] as number)).find((difference) => difference !== 0) ?? 0
