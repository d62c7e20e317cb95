import { buildCluster, CellState, nodeIds, Shapes } from '@sched/cluster'
import { None, randomStream, type ClusterView, type JobId, type LaneId, type NodeId, type Placement, type ResourceId, type Round, type ShapeId } from '@sched/core'
import { nodeWeight } from '@sched/placement'
import type { Benchmark, Outcome, Prepared, Size } from '../harness/benchmark.js'
import type { DecisionHash } from '../harness/decision-hash.js'
import { rate } from '../harness/figures.js'

/** Groups of nodes by their weight. */
const weights: Readonly<Record<string, number>> = { fast: 3, middle: 2, slow: 1 }
const MEMORY = 64

/** Containers that start on the best node of a weighted order, one at a time, while others end. */
export const nodePicks: Benchmark = {
  name: 'node-picks',
  summary:
    'Weighted order of 10,000 nodes (`node-weight`), two thirds full: a container starts on the best node that has room, and a random one ends, so that two nodes ' +
    'change their place at every pick. Naive: all nodes compared anew at every pick.',
  variants: [
    { name: 'shipped', prepare: (size) => picking(size, size === 'small' ? 2000 : 500_000, shipped) },
    { name: 'shipped-few', processes: 1, prepare: (size) => picking(size, size === 'small' ? 500 : 20_000, shipped) },
    { name: 'naive', runs: 0, processes: 1, prepare: (size) => picking(size, size === 'small' ? 500 : 20_000, naive) },
  ],
  agree: [['shipped-few', 'naive']],
  figures: ({ shipped, naive }) => [
    rate('node-picks', 'picks/s', shipped!, { baseline: naive, goals: [{ of: 'warm', atLeast: 500_000 }] }),
    rate('node-picks/naive', 'picks/s', naive!),
  ],
}

/** What the placement sees of a round. */
interface World {
  readonly cell: CellState
  readonly round: Round
  readonly shape: ShapeId
}

const shipped = ({ cell }: World): Placement =>
  nodeWeight({ weights }).create({ cluster: cell, work: undefined as never, now: () => 0, random: () => () => 0, warn: () => undefined })

function worldOf(size: Size): World {
  const counts = size === 'small' ? [34, 33, 33] : [3334, 3333, 3333]
  const groups = Object.keys(weights).map((name, i) => ({ name, count: counts[i] as number, resources: { memory: MEMORY } }))
  const model = buildCluster({ nodes: groups })
  const shapes = new Shapes(model)
  const cell = new CellState(model, shapes)
  const shape = shapes.intern({ memory: 1 })
  const work = { shape: () => shape }
  const fits = (_: JobId, node: NodeId) => cell.fits(shape, node)
  const round = { cluster: cell, work, lane: 0 as LaneId, nodes: nodeIds(model), now: 0, fits } as unknown as Round
  return { cell, round, shape }
}

function picking(size: Size, picks: number, make: (world: World) => Placement): Prepared {
  let world: World
  let placement: Placement
  let running: NodeId[]
  return {
    setUp() {
      world = worldOf(size)
      placement = make(world)
      running = []
      const { cell, shape } = world
      for (let node = 0 as NodeId; node < cell.nodes; node++)
        for (let i = 0; i < (2 * MEMORY) / 3; i++) {
          cell.take(shape, node)
          running.push(node)
        }
      placement.pick(0 as JobId, world.round) // the index is made once
    },
    run: (hash) => pickAll(world, placement, running, picks, hash),
  }
}

function pickAll({ cell, round, shape }: World, placement: Placement, running: NodeId[], picks: number, hash: DecisionHash | undefined): Outcome {
  const draw = randomStream(1, 'node-picks')
  let check = 0
  for (let i = 0; i < picks; i++) {
    const node = placement.pick(0 as JobId, round)
    if (node === None) throw new Error('no node has room')
    hash?.add(i, node, 0)
    check = (check * 31 + node) % 1_000_003
    cell.take(shape, node)
    const at = Math.floor(draw() * running.length)
    cell.give(shape, running[at] as NodeId)
    running[at] = node
  }
  return { work: picks, check }
}

const naive = ({ cell }: World): Placement => {
  const weightOf = Float64Array.from({ length: cell.nodes }, (_, node) => weights[cell.name(node as NodeId).replace(/-\d+$/, '')] as number)
  return { pick: (_, { cluster }) => bestOfAll(cluster, weightOf) }
}

/** The order of the paper read anew: the highest available/total x weight, the lowest of equals. */
function bestOfAll(cluster: ClusterView, weightOf: Float64Array): NodeId | None {
  let best: NodeId | None = None
  let highest = -Infinity
  for (let node = 0 as NodeId; node < cluster.nodes; node++) {
    const free = cluster.free(node, MEMORY_ID)
    const score = (free * (weightOf[node] as number)) / cluster.total(node, MEMORY_ID)
    if (free < 1 || score <= highest) continue
    highest = score
    best = node
  }
  return best
}
const MEMORY_ID = 0 as ResourceId
