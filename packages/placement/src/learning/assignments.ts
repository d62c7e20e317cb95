import type { NodeId, Seconds, TaskId } from '@sched/core'

/** An assigned task whose pair of job and node has not been judged yet. */
interface Assignment {
  readonly pair: number
  readonly task: TaskId
  readonly node: NodeId
  readonly since: Seconds
  state: 'waits' | 'ended' | 'gone'
}

/**
 * The assignments that wait to be judged. A task that has ended is judged too, but one that was taken back is not. A task that is drafted but has not started
 * is judged later.
 */
export class Assignments {
  readonly #ofTask = new Map<TaskId, Assignment>()
  readonly #byNode = new Map<NodeId, Assignment[]>()
  readonly #isStarted: (task: TaskId) => boolean
  readonly #delay: Seconds
  /** If assignments are judged by time: all in the order of time. Those before `#head` have been read. */
  #queue: Pick<Assignment, 'node' | 'since'>[] = []
  #head = 0

  /** `delay`: seconds from an assignment to its judgement; 0: it is judged when the node reports. */
  constructor(delay: Seconds, isStarted: (task: TaskId) => boolean) {
    this.#delay = delay
    this.#isStarted = isStarted
  }

  add(task: TaskId, node: NodeId, pair: number, since: Seconds): void {
    const assignment: Assignment = { pair, task, node, since, state: 'waits' }
    this.#ofTask.set(task, assignment)
    const list = this.#byNode.get(node)
    if (list === undefined) this.#byNode.set(node, [assignment])
    else list.push(assignment)
    if (this.#delay > 0) this.#queue.push(assignment)
  }

  /** A task has ended (`hasEnded`), or was taken back. */
  release(task: TaskId, hasEnded: boolean): void {
    const assignment = this.#ofTask.get(task)
    if (assignment === undefined) return
    this.#ofTask.delete(task)
    assignment.state = hasEnded ? 'ended' : 'gone'
  }

  /** Calls `judged` with the pair of each assignment on a node that is due, in the order of assignment. Returns whether some are due but have not started. */
  judge(node: NodeId, now: Seconds, judged: (pair: number) => void): boolean {
    const list = this.#byNode.get(node)
    if (list === undefined) return false
    let kept = 0
    let isDrafted = false
    for (const each of list) {
      if (each.state === 'gone') continue
      const isTime = each.since + this.#delay <= now && each.since < now
      const isDue = isTime && (each.state === 'ended' || this.#isStarted(each.task))
      if (isTime && !isDue) isDrafted = true
      if (!isDue) list[kept++] = each
      else {
        if (each.state === 'waits') this.#ofTask.delete(each.task)
        judged(each.pair)
      }
    }
    list.length = kept
    if (kept === 0) this.#byNode.delete(node)
    return isDrafted
  }

  /** Whether an assignment is due by time. */
  isDue(now: Seconds): boolean {
    const next = this.#queue[this.#head]
    return next !== undefined && next.since + this.#delay <= now && next.since < now
  }

  /** The nodes of all assignments that are due by time, in the order of assignment; a node may come several times. */
  *due(now: Seconds): Generator<NodeId> {
    for (; this.#head < this.#queue.length; this.#head++) {
      const { node, since } = this.#queue[this.#head] as Assignment
      if (since + this.#delay > now || since >= now) break
      yield node
    }
    if (this.#head < 1000) return
    this.#queue = this.#queue.slice(this.#head)
    this.#head = 0
  }

  /** Has a node looked at again later, because a draft on it was not committed yet. */
  again(node: NodeId, since: Seconds): void {
    this.#queue.push({ node, since })
  }
}
