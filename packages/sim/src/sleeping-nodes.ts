import type { Work } from '@sched/cluster'
import type { NodeId, NodeSleep, NodeState, Seconds, TaskId } from '@sched/core'
import { EventKind, type EventQueue } from './event-queue.js'
import type { Observers } from './observers.js'

const NONE = -1

/**
 * Nodes go to sleep when nothing has run on them for a while, and wake when a task starts there. The task holds its part of the node from its start,
 * and begins to work when the node is awake; tasks of a gang that start together all begin when the last of their nodes is awake. A node with a
 * suspended or prefilled task stays awake; a node that comes back from an outage is awake.
 *
 * Source: Slurm, power saving (SuspendTime, ResumeTimeout, SuspendTimeout); Batsim, `switch_on` and `switch_off` by idle time. Deviations: all nodes
 * that are due go to sleep at once (no SuspendRate), and schedulers do not consider which nodes are awake.
 */
export class SleepingNodes {
  readonly #rules: readonly (NodeSleep | undefined)[]
  readonly #work: Work
  readonly #queue: EventQueue
  readonly #observers: Observers
  readonly #state: NodeState[]
  /** By node: when its state changes by itself, and the event for it; `NONE`: it does not. */
  readonly #due: Float64Array
  readonly #event: Int32Array
  /** By node: number of runs and other things that keep it awake. */
  readonly #held: Int32Array
  readonly #away: Uint8Array
  /** By run that waits or has waited for its node: seconds waited, from its start. */
  readonly #waits = new Map<number, Seconds>()
  readonly #suspended = new Map<TaskId, NodeId>()

  constructor(rules: readonly (NodeSleep | undefined)[], work: Work, queue: EventQueue, observers: Observers) {
    this.#rules = rules
    this.#work = work
    this.#queue = queue
    this.#observers = observers
    this.#state = rules.map(() => 'awake')
    this.#due = new Float64Array(rules.length)
    this.#event = new Int32Array(rules.length).fill(NONE)
    this.#held = new Int32Array(rules.length)
    this.#away = new Uint8Array(rules.length)
    for (let node = 0; node < rules.length; node++) this.#rest(node as NodeId, 0)
  }

  /** Starts the tasks from index `from` on. Returns the seconds that each waits for its node, by index from 0. */
  start(tasks: readonly TaskId[], from: number, now: Seconds): Seconds[] {
    const work = this.#work
    const waits: Seconds[] = []
    const ofGang = new Map<number, Seconds>()
    for (let i = from; i < tasks.length; i++) {
      const task = tasks[i] as TaskId
      const wait = this.#wake(task, work.nodeOf(task) as NodeId, now)
      waits.push(wait)
      const gang = this.#gangOf(task)
      if (gang >= 0 && wait > (ofGang.get(gang) ?? 0)) ofGang.set(gang, wait)
    }
    for (let i = from; i < tasks.length; i++) {
      const task = tasks[i] as TaskId
      const wait = Math.max(waits[i - from] as number, ofGang.get(this.#gangOf(task)) ?? 0)
      waits[i - from] = wait
      if (wait > 0) this.#waits.set(work.taskRun[task] as number, wait)
    }
    return waits
  }

  /** Seconds of work in the first `seconds` of a run: without its wait for the node. */
  worked(run: number, seconds: Seconds): Seconds {
    return Math.max(0, seconds - (this.#waits.get(run) ?? 0))
  }

  /** A run has left its node. */
  stop(run: number, node: NodeId, now: Seconds): void {
    this.#waits.delete(run)
    this.release(node, now)
  }

  /** A run is suspended on its node. */
  suspend(run: number, task: TaskId, node: NodeId): void {
    this.#waits.delete(run)
    this.#suspended.set(task, node)
  }

  /** A suspended task will not resume on its node. */
  forget(task: TaskId, now: Seconds): void {
    const node = this.#suspended.get(task)
    if (node === undefined) return
    this.#suspended.delete(task)
    this.release(node, now)
  }

  /** Something other than a run keeps the node awake. */
  hold(node: NodeId): void {
    this.#held[node] = (this.#held[node] as number) + 1
    if (this.#state[node] === 'awake') this.#cancel(node)
  }

  /** Undoes one `hold`. */
  release(node: NodeId, now: Seconds): void {
    const held = (this.#held[node] as number) - 1
    this.#held[node] = held
    if (held === 0 && this.#state[node] === 'awake') this.#rest(node, now)
  }

  /** A node has gone down or come up. */
  setUp(node: NodeId, up: boolean, now: Seconds): void {
    this.#away[node] = up ? 0 : 1
    this.#cancel(node)
    if (this.#state[node] !== 'awake') this.#become(node, 'awake', now)
    if (this.#held[node] === 0) this.#rest(node, now)
  }

  /** Handles the event of a node's next change of state. */
  fired(node: NodeId, now: Seconds): void {
    const { shutdown, wake } = this.#rules[node] as NodeSleep
    const isNeeded = (this.#held[node] as number) > 0
    this.#event[node] = NONE
    switch (this.#state[node]) {
      case 'awake':
        this.#become(node, 'stopping', now)
        return this.#in(node, shutdown, now)
      case 'stopping':
        this.#become(node, isNeeded ? 'waking' : 'asleep', now)
        if (isNeeded) this.#in(node, wake, now)
        return
      default:
        this.#become(node, 'awake', now)
        if (!isNeeded) this.#rest(node, now)
    }
  }

  /** A task starts on the node; returns the seconds until the node is awake. */
  #wake(task: TaskId, node: NodeId, now: Seconds): Seconds {
    if (this.#suspended.delete(task)) return 0
    const rule = this.#rules[node]
    this.hold(node)
    if (rule === undefined) return 0
    switch (this.#state[node]) {
      case 'asleep':
        this.#become(node, 'waking', now)
        this.#in(node, rule.wake, now)
        return rule.wake
      case 'stopping':
        return (this.#due[node] as number) - now + rule.wake
      case 'waking':
        return (this.#due[node] as number) - now
      default:
        return 0
    }
  }

  /** A number shared by tasks that start together; -1 for a single task. */
  #gangOf(task: TaskId): number {
    const work = this.#work
    const { gang, stages } = work.spec(work.jobOf(task))
    return gang === true || stages[work.stageOf(task)]?.gang === true ? work.gangWith(work.taskStage[task] as number) : -1
  }

  /** Sets the timer for going to sleep: nothing runs on a node that is awake. */
  #rest(node: NodeId, now: Seconds): void {
    const rule = this.#rules[node]
    if (rule !== undefined && this.#away[node] === 0) this.#in(node, rule.after, now)
  }

  #in(node: NodeId, seconds: Seconds, now: Seconds): void {
    this.#due[node] = now + seconds
    this.#event[node] = this.#queue.push(now + seconds, EventKind.NodeState, node)
  }

  #cancel(node: NodeId): void {
    const event = this.#event[node] as number
    if (event === NONE) return
    this.#queue.cancel(event)
    this.#event[node] = NONE
  }

  #become(node: NodeId, state: NodeState, now: Seconds): void {
    this.#state[node] = state
    this.#observers.onNodeState(node, state, now)
  }
}
