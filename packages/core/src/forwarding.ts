import type { Commit, Policy } from './plugs.js'

/** An order, policy or placement apart from its decisions: its hooks and its declared properties. */
type Part = Omit<Policy, 'schedule'>

/** Hooks that return an answer. */
type Answer = 'admits' | 'queueFor' | 'promisedStart' | 'wantsLook' | 'wantsNode' | 'wantsRound' | 'memory'

/** Hooks without an answer, all required: a part is viewed as this type only for the hook that it was chosen for. */
type Told = Required<Omit<Part, Answer | 'recall' | 'sharing' | 'fairShare' | 'promises' | 'heedsStartTimes' | 'startsGangJobs' | 'asksForRoom' | 'startsInQueues'>>
type Hook = keyof Told

/** What the functions below run on: for each hook the part that hears it, and the parts whose answers are combined. */
type Targets = { [Name in Hook as `${Name}Of`]: Told } & { readonly answering: readonly Part[] }

/**
 * One function per hook, shared by all composed policies. Closures or bound functions per policy would be new call targets in every run, and V8 would
 * throw away what it has compiled for the run before.
 */
const passOn: { [Name in Hook]: (this: Targets, ...args: Parameters<Told[Name]>) => void } = {
  onSubmit(job) {
    this.onSubmitOf.onSubmit(job)
  },
  onReady(job, lane) {
    this.onReadyOf.onReady(job, lane)
  },
  onDrained(job, lane) {
    this.onDrainedOf.onDrained(job, lane)
  },
  onMore(job, lane) {
    this.onMoreOf.onMore(job, lane)
  },
  onClaim(job, lane, task, node) {
    this.onClaimOf.onClaim(job, lane, task, node)
  },
  onRelease(job, lane, task, node, why) {
    this.onReleaseOf.onRelease(job, lane, task, node, why)
  },
  onFinish(job) {
    this.onFinishOf.onFinish(job)
  },
  onNode(node, up) {
    this.onNodeOf.onNode(node, up)
  },
  onHeartbeat(node, now) {
    this.onHeartbeatOf.onHeartbeat(node, now)
  },
  onCommit(commit) {
    this.onCommitOf.onCommit(commit)
  },
}

/**
 * The same for hooks with an answer. `admits` gives the first reason against a job, `queueFor` and `promisedStart` the first queue and start for it; `wantsLook`, `wantsNode` and
 * `wantsRound` are true if they are for any part; `memory` lists the parts' memories, and `recall` hands them back.
 */
const answers: Required<Pick<Part, Answer | 'recall'>> & ThisType<Targets> = {
  admits(spec, again) {
    for (let i = 0; i < this.answering.length; i++) {
      const reason = this.answering[i]?.admits?.(spec, again)
      if (reason !== undefined) return reason
    }
    return undefined
  },
  queueFor(spec) {
    for (let i = 0; i < this.answering.length; i++) {
      const queue = this.answering[i]?.queueFor?.(spec)
      if (queue !== undefined) return queue
    }
    return undefined
  },
  promisedStart(job) {
    for (let i = 0; i < this.answering.length; i++) {
      const start = this.answering[i]?.promisedStart?.(job)
      if (start !== undefined) return start
    }
    return undefined
  },
  wantsLook(lane) {
    for (let i = 0; i < this.answering.length; i++) if (this.answering[i]?.wantsLook?.(lane) === true) return true
    return false
  },
  wantsNode(lane, node) {
    for (let i = 0; i < this.answering.length; i++) if (this.answering[i]?.wantsNode?.(lane, node) === true) return true
    return false
  },
  wantsRound(now) {
    for (let i = 0; i < this.answering.length; i++) if (this.answering[i]?.wantsRound?.(now) === true) return true
    return false
  },
  memory() {
    return this.answering.map((part) => part.memory?.() ?? null)
  },
  recall(memory) {
    for (const [i, part] of this.answering.entries()) if (part.memory !== undefined) part.recall?.((memory as readonly unknown[])[i])
  },
}

/**
 * The hooks and properties that a composed policy gets from its parts, to be assigned to the policy.
 * - Each hook goes to all parts in order; it is absent if no part has it. The memory is the list of the parts' memories.
 * - `sharing` and `fairShare` are those of the first part that has them. `promises` and `heedsStartTimes` are true if any part's are; `startsGangJobs` is false if any part's is.
 * - Left for the composed policy to set itself: `startsGangJobs: true` and `readsAll`.
 */
export function forwarding(...given: readonly (Part | undefined)[]): Part {
  const parts = given.filter((part) => part !== undefined)
  const made: Record<string, unknown> = {}
  for (const hook of Object.keys(answers) as (keyof typeof answers)[]) if (parts.some((part) => part[hook] !== undefined)) made[hook] = answers[hook]
  made['answering'] = parts
  if (parts.some(({ promises }) => promises === true)) made['promises'] = true
  if (parts.some(({ heedsStartTimes }) => heedsStartTimes === true)) made['heedsStartTimes'] = true
  if (parts.some(({ startsGangJobs }) => startsGangJobs === false)) made['startsGangJobs'] = false
  const sharing = parts.find((part) => part.sharing !== undefined)?.sharing
  if (sharing !== undefined) made['sharing'] = sharing
  const fairShare = parts.find((part) => part.fairShare !== undefined)?.fairShare
  if (fairShare !== undefined) made['fairShare'] = fairShare
  for (const hook of Object.keys(passOn) as Hook[]) {
    const listeners = parts.filter((part) => part[hook] !== undefined).map((part) => targetOf(part as Told, hook))
    if (listeners.length === 0) continue
    made[hook] = passOn[hook]
    made[`${hook}Of`] = listeners.length === 1 ? listeners[0] : new Several(listeners)
  }
  return made
}

/** The part that hears the hook in the end: where a part only forwards the hook, the one it forwards to. */
const targetOf = (part: Told, hook: Hook): Told => (part[hook] === passOn[hook] ? (part as unknown as Targets)[`${hook}Of`] : part)

/** Several parts that all have the hook they are kept for. */
class Several implements Told {
  constructor(private readonly parts: readonly Told[]) {}

  onSubmit(...args: Parameters<Told['onSubmit']>): void {
    for (let i = 0; i < this.parts.length; i++) (this.parts[i] as Told).onSubmit(...args)
  }
  onReady(...args: Parameters<Told['onReady']>): void {
    for (let i = 0; i < this.parts.length; i++) (this.parts[i] as Told).onReady(...args)
  }
  onDrained(...args: Parameters<Told['onDrained']>): void {
    for (let i = 0; i < this.parts.length; i++) (this.parts[i] as Told).onDrained(...args)
  }
  onMore(...args: Parameters<Told['onMore']>): void {
    for (let i = 0; i < this.parts.length; i++) (this.parts[i] as Told).onMore(...args)
  }
  onClaim(...args: Parameters<Told['onClaim']>): void {
    for (let i = 0; i < this.parts.length; i++) (this.parts[i] as Told).onClaim(...args)
  }
  onRelease(...args: Parameters<Told['onRelease']>): void {
    for (let i = 0; i < this.parts.length; i++) (this.parts[i] as Told).onRelease(...args)
  }
  onFinish(...args: Parameters<Told['onFinish']>): void {
    for (let i = 0; i < this.parts.length; i++) (this.parts[i] as Told).onFinish(...args)
  }
  onNode(...args: Parameters<Told['onNode']>): void {
    for (let i = 0; i < this.parts.length; i++) (this.parts[i] as Told).onNode(...args)
  }
  onHeartbeat(...args: Parameters<Told['onHeartbeat']>): void {
    for (let i = 0; i < this.parts.length; i++) (this.parts[i] as Told).onHeartbeat(...args)
  }
  onCommit(commit: Commit): void {
    for (let i = 0; i < this.parts.length; i++) (this.parts[i] as Told).onCommit(commit)
  }
}
