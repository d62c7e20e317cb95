import { randomStream } from '@sched/core'
import { FlowNetwork } from '@sched/sim'
import { NaiveFlows } from '../baselines/naive-flows.js'
import type { Benchmark, Outcome, Prepared, Size } from '../harness/benchmark.js'
import type { DecisionHash } from '../harness/decision-hash.js'
import { rate } from '../harness/figures.js'

/** The network under test. */
interface Flows {
  add(links: readonly number[], bytes: number): number
  remove(flow: number): void
  share(now: number): number
  ended(now: number, out: number[]): void
}

const RACKS = 100
const PER_RACK = 10
/** Of a node's link; a rack's uplink has a quarter of those of its nodes. */
const CAPACITY = 1
const UPLINK = (PER_RACK * CAPACITY) / 4

/** A shuffle that goes on: whenever a flow ends another begins, between two random nodes. */
export const flows: Benchmark = {
  name: 'flows',
  summary: `Shuffle network, ${RACKS} racks of ${PER_RACK} nodes, 1,000 flows at max-min fair rates: starts and ends of flows, one at a time. Naive: all rates found anew by progressive filling.`,
  variants: [
    { name: 'shipped', prepare: (size) => shuffling(size, size === 'small' ? 400 : 20_000, (links) => new FlowNetwork(links)) },
    { name: 'naive', runs: 0, processes: 1, prepare: (size) => shuffling(size, 200, (links) => new NaiveFlows(links)) },
  ],
  figures: ({ shipped, naive }) => [
    rate('flows', 'flow events/s', shipped!, { baseline: naive, goals: [{ of: 'cold', atLeast: 20_000 }] }),
    rate('flows/naive', 'flow events/s', naive!),
  ],
}

function shuffling(size: Size, events: number, make: (links: readonly number[]) => Flows): Prepared {
  const concurrent = size === 'small' ? 100 : 1000
  const nodes = RACKS * PER_RACK
  const links = [...Array.from({ length: 2 * nodes }, () => CAPACITY), ...Array.from({ length: 2 * RACKS }, () => UPLINK)]
  let network: Flows
  let draw: () => number
  const begin = () => {
    const [from, to] = [Math.floor(draw() * nodes), Math.floor(draw() * nodes)]
    const [up, down] = [Math.floor(from / PER_RACK), Math.floor(to / PER_RACK)]
    const path = up === down ? [from, nodes + to] : [from, nodes + to, 2 * nodes + up, 2 * nodes + RACKS + down]
    network.add(path, 1 + draw())
  }
  return {
    setUp() {
      network = make(links)
      draw = randomStream(1, 'flows')
      for (let i = 0; i < concurrent; i++) begin()
      network.share(0)
    },
    run: (hash) => shuffle(network, events, begin, hash),
  }
}

function shuffle(network: Flows, events: number, begin: () => void, hash: DecisionHash | undefined): Outcome {
  const done: number[] = []
  let now = 0
  let work = 0
  while (work < events) {
    now = network.share(now)
    done.length = 0
    network.ended(now, done)
    for (const flow of done) {
      hash?.add(flow, 0, now)
      network.remove(flow)
      begin()
      work += 2
    }
  }
  return { work, check: now }
}
