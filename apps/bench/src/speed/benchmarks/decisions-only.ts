import { buildCluster, CellState, Draft, placedBlocks, Shapes, Work, type ClusterDescription, type DraftSink } from '@sched/cluster'
import { randomStream, type CommitMode, type JobSpec, type LaneId, type NodeId, type Plug, type Policy, type TaskId } from '@sched/core'
import type { DecisionHash } from '../harness/decision-hash.js'

const SERIAL: CommitMode = { conflict: 'none', atomic: false }

/** The state of a cluster and a policy over it without a simulation: whoever holds it says what comes, what ends and which nodes are offered. */
export class DecisionsOnly {
  now = 0
  /** Tasks started. */
  starts = 0
  /** Told of every start and kill. */
  hash: DecisionHash | undefined
  readonly work: Work
  readonly cell: CellState
  readonly policy: Policy
  readonly #draft: Draft

  /** `started` is told of each task and its node. */
  constructor(cluster: ClusterDescription, policy: Plug<'policy'>, started: (task: TaskId, node: NodeId) => void) {
    const model = buildCluster(cluster)
    const shapes = new Shapes(model)
    this.cell = new CellState(model, shapes)
    this.work = new Work(model, shapes, placedBlocks(model, 1))
    this.policy = policy.create({ cluster: this.cell, work: this.work, now: () => this.now, random: (name) => randomStream(1, name), warn: () => undefined })
    this.work.addListener(this.policy)
    this.#draft = new Draft(this.cell, this.work, this.#sink(started))
  }

  /** A job comes now, all its stages open. */
  submit(spec: JobSpec): void {
    this.work.open(this.work.submit(spec, this.now, 0))
  }

  /** Lets the policy start what it wants on these nodes. */
  offer(lane: LaneId, nodes: readonly NodeId[]): void {
    const round = this.#draft.begin(this.now, lane, nodes)
    this.policy.schedule(round)
    round.commit(SERIAL)
  }

  /** A task on this node has ended. */
  end(task: TaskId, node: NodeId): void {
    const { work } = this
    const job = work.jobOf(task)
    work.release(task, 'ended')
    this.cell.give(work.shapeOf(task), node)
    if (work.finish(task)) work.remove(job)
  }

  #sink(started: (task: TaskId, node: NodeId) => void): DraftSink {
    const { work } = this
    return {
      explained: false,
      start: (tasks, from) => {
        for (let i = from; i < tasks.length; i++) {
          const task = tasks[i] as TaskId
          const node = work.nodeOf(task) as NodeId
          work.setRunStart(work.taskRun[task] as number, this.now)
          this.starts++
          this.hash?.add(task, node, this.now)
          started(task, node)
        }
      },
      kill: (task) => {
        this.hash?.add(task, work.nodeOf(task), this.now)
        work.unclaim(task, 'evicted')
      },
      abandon: () => undefined,
      reserve: () => undefined,
      defer: () => undefined,
      wakeAt: () => undefined,
    }
  }
}
