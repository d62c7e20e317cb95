import { buildCluster, CellState, Draft, nodeIds, Shapes, Work, type DraftSink } from '@sched/cluster'
import { randomStream, type CommitMode, type JobId, type LaneId, type NodeId, type Plug, type Policy, type TaskId } from '@sched/core'
import type { DecisionHash } from '../harness/decision-hash.js'

const SERIAL: CommitMode = { conflict: 'none', atomic: false }
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

/**
 * The state and the policy of a full cluster without its simulation: 10 jobs in each queue, all with tasks left. Running
 * tasks end at random; their node is offered, and the policy fills it.
 */
export class TenantDecisions implements DraftSink {
  now = 0
  readonly explained = false
  readonly #work: Work
  readonly #cell: CellState
  readonly #draft: Draft
  readonly #policy: Policy
  readonly #running: TaskId[] = []
  readonly #starts: number
  #started = 0
  #hash: DecisionHash | undefined

  constructor({ queues, nodes, starts, isLate = false }: Tenants, policy: Plug<'policy'>) {
    const model = buildCluster({ nodes: [{ count: nodes, resources: NODE }] })
    const shapes = new Shapes(model)
    this.#starts = starts
    this.#cell = new CellState(model, shapes)
    this.#work = new Work(model, shapes)
    this.#draft = new Draft(this.#cell, this.#work, this)
    this.#policy = policy.create({ cluster: this.#cell, work: this.#work, now: () => this.now, random: (name) => randomStream(1, name), warn: () => undefined })
    this.#work.addListener(this.#policy)
    const tasks = Math.ceil((2 * (starts + 16 * nodes)) / (queues * JOBS_PER_QUEUE))
    this.#submit(queues, tasks, (queue) => !isLate || queue % 2 === 0)
    for (const node of nodeIds(model)) this.#offer(node)
    if (isLate) this.#submit(queues, tasks, (queue) => queue % 2 === 1)
    this.#started = 0
  }

  /** Ends random tasks and lets the policy decide until so many were started; returns how many. */
  run(hash?: DecisionHash): number {
    this.#hash = hash
    const draw = randomStream(1, 'ends')
    const running = this.#running
    while (this.#started < this.#starts) {
      const at = Math.floor(draw() * running.length)
      const task = running[at] as TaskId
      running[at] = running[running.length - 1] as TaskId
      running.pop()
      const node = this.#work.nodeOf(task) as NodeId
      this.now++
      this.#end(task, node)
      this.#offer(node)
    }
    return this.#started
  }

  /** Rounds in which nothing can start, so many and so many seconds apart: what a policy does at set times. */
  look(times: number, apart: number, hash?: DecisionHash): void {
    this.#hash = hash
    for (let i = 0; i < times; i++) {
      this.now += apart
      const round = this.#draft.begin(this.now, LANE, [])
      this.#policy.schedule(round)
      round.commit(SERIAL)
    }
  }

  #submit(queues: number, tasks: number, comes: (queue: number) => boolean): void {
    const draw = randomStream(1, 'jobs')
    for (let i = 0; i < queues * JOBS_PER_QUEUE; i++) {
      const demand = SHAPES[Math.floor(draw() * SHAPES.length)] as (typeof SHAPES)[number]
      if (!comes(i % queues)) continue
      const queue = queuePath(i % queues, queues)
      this.#work.open(this.#work.submit({ id: `job${i}`, submit: 0, queue, user: queue, stages: [{ name: 'tasks', tasks, demand, duration: 1 }] }, 0, 0))
    }
  }

  #offer(node: NodeId): void {
    const round = this.#draft.begin(this.now, LANE, [node])
    this.#policy.schedule(round)
    round.commit(SERIAL)
  }

  #end(task: TaskId, node: NodeId): void {
    const job = this.#work.jobOf(task)
    this.#work.release(task, 'ended')
    this.#cell.give(this.#work.shapeOf(task), node)
    if (this.#work.finish(task)) this.#work.remove(job)
  }

  // ---- what a round asks for ----

  start(tasks: readonly TaskId[], from: number): void {
    for (let i = from; i < tasks.length; i++) {
      const task = tasks[i] as TaskId
      this.#work.runStart[this.#work.taskRun[task] as number] = this.now
      this.#running.push(task)
      this.#started++
      this.#hash?.add(task, this.#work.nodeOf(task), this.now)
    }
  }
  kill(task: TaskId): void {
    this.#hash?.add(task, this.#work.nodeOf(task), this.now)
    this.#work.unclaim(task, 'evicted')
  }
  reserve(_job: JobId): void {
    // promises are for observers
  }
  defer(_job: JobId): void {
    // likewise
  }
  wakeAt(): void {
    // there is no clock
  }
}
