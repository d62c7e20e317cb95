import { randomStream, type LaneId, type NodeId, type Plug, type TaskId } from '@sched/core'
import { jobsOf } from '@sched/workload'
import { DecisionsOnly } from './decisions-only.js'
import type { DecisionHash } from '../harness/decision-hash.js'
import type { World } from './w1-world.js'

/** Seconds between two slots coming free: 5,000 map slots of 20 s and 5,000 reduce slots of 40 s free 375 a second. */
const STEP = 1 / 375
/** Map slots of a node, and reduce slots. */
const PER_NODE = 2

/** W1 with all jobs submitted and nothing running yet, whose slots come free in random order. */
export class W1Slots {
  readonly decisions: DecisionsOnly
  readonly #tasks: number
  /** Task in each slot, `[(lane * nodes + node) * PER_NODE + i]`, -1 when idle. */
  readonly #slots: Int32Array

  constructor({ cluster, workload, tasks }: World, policy: Plug<'policy'>) {
    this.decisions = new DecisionsOnly(cluster, policy, (task, node) => this.#take(task, node))
    this.#tasks = tasks
    const { cell } = this.decisions
    this.#slots = new Int32Array(cell.lanes.length * cell.nodes * PER_NODE).fill(-1)
    for (const job of jobsOf(workload)) this.decisions.submit(job)
  }

  /** Frees random slots and lets the policy decide until every task was launched; returns the launches. */
  runAll(hash?: DecisionHash): number {
    const { decisions } = this
    const { cell, work, policy } = decisions
    decisions.hash = hash
    const draw = randomStream(1, 'slots')
    const slots = this.#slots.length
    const ofLane = slots / cell.lanes.length
    const nodes: NodeId[] = [0 as NodeId]
    while (decisions.starts < this.#tasks) {
      const slot = Math.floor(draw() * slots)
      const lane = Math.floor(slot / ofLane) as LaneId
      const node = Math.floor((slot % ofLane) / PER_NODE) as NodeId
      decisions.now += STEP
      this.#free(slot, node)
      policy.onHeartbeat?.(node, decisions.now)
      if (work.pending(0, lane) === 0 || !cell.hasRoom(lane, node)) continue
      nodes[0] = node
      decisions.offer(lane, nodes)
    }
    return decisions.starts
  }

  #take(task: TaskId, node: NodeId): void {
    const { cell, work } = this.decisions
    let slot = (work.laneOf(task) * cell.nodes + node) * PER_NODE
    while (this.#slots[slot] !== -1) slot++
    this.#slots[slot] = task
  }

  #free(slot: number, node: NodeId): void {
    const task = this.#slots[slot] as TaskId
    if (task < 0) return
    this.#slots[slot] = -1
    this.decisions.end(task, node)
  }
}
