import { randomStream, type LaneId, type NodeId, type Plug, type TaskId } from '@sched/core'
import { DecisionsOnly } from './decisions-only.js'
import type { DecisionHash } from '../harness/decision-hash.js'

const LANE = 0 as LaneId
/** Of CPU, memory, disk and network. Something of the first shape fits wherever there is room for the least of each. */
const SHAPES = [
  { cpu: 1, mem: 2, disk: 1, net: 1 },
  { cpu: 2, mem: 4, disk: 1, net: 1 },
  { cpu: 1, mem: 8, disk: 1, net: 2 },
  { cpu: 1, mem: 2, disk: 3, net: 1 },
]
const NODE = { cpu: 16, mem: 64, disk: 20, net: 20 }
const JOBS_PER_QUEUE = 10

/** How large a world of many tenants is. */
export interface Tenants {
  readonly queues: number
  readonly nodes: number
  /** Tasks started once the cluster is full. */
  readonly starts: number
  /** The jobs of every second queue come when those of the others have filled the cluster. */
  readonly isLate?: boolean
}

/** Path of a leaf among so many in a tree of 4 levels, as even as it goes. */
function queuePath(queue: number, queues: number): string {
  const fan = Math.ceil(queues ** (1 / 4) - 1e-9)
  return [fan ** 3, fan ** 2, fan, 1].map((size) => `q${Math.floor(queue / size) % fan}`).join('.')
}

/** A full cluster of many tenants: 10 jobs in each queue, all with tasks left. Running tasks end at random; their node is offered, and the policy fills it. */
export class FullCluster {
  readonly decisions: DecisionsOnly
  readonly #running: TaskId[] = []
  readonly #starts: number

  constructor({ queues, nodes, starts, isLate = false }: Tenants, policy: Plug<'policy'>) {
    this.decisions = new DecisionsOnly({ nodes: [{ count: nodes, resources: NODE }] }, policy, (task) => this.#running.push(task))
    const tasks = Math.ceil((2 * (starts + 16 * nodes)) / (queues * JOBS_PER_QUEUE))
    this.#submit(queues, tasks, (queue) => !isLate || queue % 2 === 0)
    for (let node = 0; node < nodes; node++) this.decisions.offer(LANE, [node as NodeId])
    if (isLate) this.#submit(queues, tasks, (queue) => queue % 2 === 1)
    this.#starts = this.decisions.starts + starts
  }

  /** Ends random tasks and lets the policy decide until so many more were started; returns how many. */
  run(hash?: DecisionHash): number {
    const { decisions } = this
    decisions.hash = hash
    const before = decisions.starts
    const draw = randomStream(1, 'ends')
    const running = this.#running
    while (decisions.starts < this.#starts) {
      const at = Math.floor(draw() * running.length)
      const task = running[at] as TaskId
      running[at] = running[running.length - 1] as TaskId
      running.pop()
      const node = decisions.work.nodeOf(task) as NodeId
      decisions.now++
      decisions.end(task, node)
      decisions.offer(LANE, [node])
    }
    return decisions.starts - before
  }

  /** Rounds in which nothing can start, so many and so many seconds apart: what a policy does at set times. */
  look(times: number, apart: number, hash?: DecisionHash): void {
    this.decisions.hash = hash
    for (let i = 0; i < times; i++) {
      this.decisions.now += apart
      this.decisions.offer(LANE, [])
    }
  }

  #submit(queues: number, tasks: number, comes: (queue: number) => boolean): void {
    const draw = randomStream(1, 'jobs')
    for (let i = 0; i < queues * JOBS_PER_QUEUE; i++) {
      const demand = SHAPES[Math.floor(draw() * SHAPES.length)] as (typeof SHAPES)[number]
      if (!comes(i % queues)) continue
      const queue = queuePath(i % queues, queues)
      this.decisions.submit({ id: `job${i}`, submit: 0, queue, user: queue, stages: [{ name: 'tasks', tasks, demand, duration: 1 }] })
    }
  }
}
