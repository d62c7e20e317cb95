import { buildCluster, CellState, Draft, placeReplicas, Shapes, Work, type DraftSink } from '@sched/cluster'
import { randomStream, streamKey, type CommitMode, type JobId, type LaneId, type NodeId, type Plug, type Policy, type TaskId } from '@sched/core'
import { jobsOf } from '@sched/workload'
import type { DecisionHash } from '../harness/decision-hash.js'
import type { World } from './w1-world.js'

const SERIAL: CommitMode = { conflict: 'none', atomic: false }
/** Seconds between two slots coming free: 5,000 map slots of 20 s and 5,000 reduce slots of 40 s free 375 a second. */
const STEP = 1 / 375

/** The state and the policy of a world without its simulation. All jobs are submitted and open; nothing runs yet. */
export class DecisionsOnly implements DraftSink {
  now = 0
  readonly explained = false
  readonly #work: Work
  readonly #cell: CellState
  readonly #draft: Draft
  readonly #policy: Policy
  /** Task in each slot, `[(lane * nodes + node) * perNode + i]`, -1 when idle. */
  readonly #slots: Int32Array
  readonly #perNode = 2
  readonly #tasks: number
  #launches = 0
  #hash: DecisionHash | undefined

  constructor({ cluster, workload, tasks }: World, policy: Plug<'policy'>) {
    const model = buildCluster(cluster)
    const shapes = new Shapes(model)
    const { factor } = model.replicas
    this.#tasks = tasks
    this.#cell = new CellState(model, shapes)
    this.#work = new Work(model, shapes, (spec, stage) => {
      if (stage.data === undefined) return undefined
      const replicas = new Int32Array(stage.tasks * factor)
      const key = streamKey(1, `${spec.id}/${stage.name}`)
      for (let task = 0; task < stage.tasks; task++) placeReplicas(model, key, task, replicas, task * factor)
      return { replicas, factor }
    })
    this.#slots = new Int32Array(model.lanes.length * model.nodes * this.#perNode).fill(-1)
    this.#draft = new Draft(this.#cell, this.#work, this)
    this.#policy = policy.create({ cluster: this.#cell, work: this.#work, now: () => this.now, random: (name) => randomStream(1, name), warn: () => undefined })
    this.#work.addListener(this.#policy)
    for (const job of jobsOf(workload)) this.#work.open(this.#work.submit(job, 0, 0))
  }

  /** Frees random slots and lets the policy decide until every task was launched; returns the launches. */
  runAll(hash?: DecisionHash): number {
    this.#hash = hash
    const draw = randomStream(1, 'slots')
    const slots = this.#slots.length
    const ofLane = slots / this.#cell.lanes.length
    const nodes: NodeId[] = [0 as NodeId]
    while (this.#launches < this.#tasks) {
      const slot = Math.floor(draw() * slots)
      const lane = Math.floor(slot / ofLane) as LaneId
      const node = Math.floor((slot % ofLane) / this.#perNode) as NodeId
      this.now += STEP
      this.#free(slot, node)
      this.#policy.onHeartbeat?.(node, this.now)
      if (this.#work.pending(0, lane) === 0 || !this.#cell.hasRoom(lane, node)) continue
      nodes[0] = node
      const round = this.#draft.begin(this.now, lane, nodes)
      this.#policy.schedule(round)
      round.commit(SERIAL)
    }
    return this.#launches
  }

  #free(slot: number, node: NodeId): void {
    const task = this.#slots[slot] as TaskId
    if (task < 0) return
    const job = this.#work.jobOf(task)
    this.#slots[slot] = -1
    this.#work.release(task, 'ended')
    this.#cell.give(this.#work.shapeOf(task), node)
    if (this.#work.finish(task)) this.#work.remove(job)
  }

  // ---- what a round asks for ----

  start(tasks: readonly TaskId[], from: number): void {
    for (let i = from; i < tasks.length; i++) this.#start(tasks[i] as TaskId, this.#work.nodeOf(tasks[i] as TaskId) as NodeId)
  }
  #start(task: TaskId, node: NodeId): void {
    let slot = (this.#work.laneOf(task) * this.#cell.nodes + node) * this.#perNode
    while (this.#slots[slot] !== -1) slot++
    this.#slots[slot] = task
    this.#launches++
    this.#hash?.add(task, node, this.now)
  }
  kill(): never {
    throw new Error('no policy preempts here')
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
