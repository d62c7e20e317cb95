import { randomStream } from '@sched/core'
import { FlowNetwork } from '@sched/sim'
import { NaiveFlows } from '../baselines/naive-flows.js'
import type { Benchmark, Goal, Outcome, Prepared, Size } from '../harness/benchmark.js'
import type { DecisionHash } from '../harness/decision-hash.js'
import { rate } from '../harness/figures.js'

/** The network under test. */
interface Flows {
  add(links: readonly number[], bytes: number): number
  remove(flow: number): void
  share(now: number): number
  ended(now: number, out: number[]): void
}
type MakeFlows = (capacity: readonly number[]) => Flows

const RACKS = 100
const PER_RACK = 10
const NODES = RACKS * PER_RACK
const FLOWS = 1000
/** Of a node's link; a rack's uplink has a quarter of those of its nodes. */
const CAPACITY = 1
const UPLINK = (PER_RACK * CAPACITY) / 4
const capacities = [...Array.from({ length: 2 * NODES }, () => CAPACITY), ...Array.from({ length: 2 * RACKS }, () => UPLINK)]

const goals: readonly Goal[] = [{ of: 'cold', atLeast: 20_000 }]
const shipped: MakeFlows = (capacity) => new FlowNetwork(capacity)

/** Reduces that fetch from 40 nodes each, and flows between random nodes, of which nearly every one bears on every other. */
export const flows: Benchmark = {
  name: 'flows',
  summary:
    `Network of ${RACKS} racks of ${PER_RACK} nodes with 1,000 flows at max-min fair rates: starts and ends of flows. \`flows\`: shuffles, a reduce fetches from 40 nodes, and another begins when there ` +
    'is room for its flows. `flows/random`: single flows between random nodes. Naive: all rates found anew by progressive filling.',
  variants: [
    { name: 'shuffle', prepare: (size) => going(size, 40, 40_000, shipped) },
    { name: 'random', prepare: (size) => going(size, 1, 20_000, shipped) },
    { name: 'naive', runs: 0, processes: 1, prepare: (size) => going(size, 1, 200, (capacity) => new NaiveFlows(capacity)) },
  ],
  figures: ({ shuffle, random, naive }) => [
    rate('flows', 'flow events/s', shuffle!, { goals }),
    rate('flows/random', 'flow events/s', random!, { baseline: naive, goals }),
    rate('flows/naive', 'flow events/s', naive!),
  ],
}

/** Flows come in groups to one node each, whenever there is room for a group. */
function going(size: Size, group: number, events: number, make: MakeFlows): Prepared {
  const most = size === 'small' ? FLOWS / 5 : FLOWS
  let network: Flows
  let draw: () => number
  const node = () => Math.floor(draw() * NODES)
  const begin = () => {
    const to = node()
    for (let i = 0; i < group; i++) network.add(path(node(), to), 1 + draw())
  }
  return {
    setUp() {
      network = make(capacities)
      draw = randomStream(1, 'flows')
      for (let i = 0; i < most; i += group) begin()
      network.share(0)
    },
    run: (hash) => run(network, group, size === 'small' ? Math.min(events, 400) : events, begin, hash),
  }
}

function path(from: number, to: number): number[] {
  const [up, down] = [Math.floor(from / PER_RACK), Math.floor(to / PER_RACK)]
  return up === down ? [from, NODES + to] : [from, NODES + to, 2 * NODES + up, 2 * NODES + RACKS + down]
}

function run(network: Flows, group: number, events: number, begin: () => void, hash: DecisionHash | undefined): Outcome {
  const done: number[] = []
  let now = 0
  let work = 0
  for (let room = 0; work < events; ) {
    now = network.share(now)
    done.length = 0
    network.ended(now, done)
    for (const flow of done) {
      hash?.add(flow, 0, now)
      network.remove(flow)
    }
    work += done.length
    room += done.length
    for (; room >= group; room -= group) {
      begin()
      work += group
    }
  }
  return { work, check: now }
}
