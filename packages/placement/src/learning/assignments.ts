import type { NodeId, Seconds, TaskId } from '@sched/core'

/** A task that was assigned and whose pair has not been judged yet. */
interface Assignment {
  readonly pair: number
  readonly task: TaskId
  readonly node: NodeId
  readonly since: Seconds
  state: 'waits' | 'ended' | 'gone'
}

/**
 * What was assigned and waits to be judged. A task that has ended is judged all the same; one that was taken back, never.
 * Tasks that are drafted and not started wait on.
 */
export class Assignments {
  readonly #ofTask = new Map<TaskId, Assignment>()
  readonly #byNode = new Map<NodeId, Assignment[]>()
  readonly #isStarted: (task: TaskId) => boolean
  readonly #delay: Seconds
  /** In order of time, where they are judged by time; read up to `#head`. */
  #queue: Pick<Assignment, 'node' | 'since'>[] = []
  #head = 0

  /** `delay`: seconds from an assignment to its judgement; 0: when the node reports. */
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

  /** The task has ended, or was taken back. */
  release(task: TaskId, hasEnded: boolean): void {
    const assignment = this.#ofTask.get(task)
    if (assignment === undefined) return
    this.#ofTask.delete(task)
    assignment.state = hasEnded ? 'ended' : 'gone'
  }

  /** Hands out the pairs on a node that are due, each once, in order of assignment. Returns whether some were not started yet. */
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

  /** The nodes of all assignments that are due by time, in order. */
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

  /** Looks at a node again later: a draft on it was not committed yet. */
  again(node: NodeId, since: Seconds): void {
    this.#queue.push({ node, since })
  }
}
