import type { Commit, Policy } from './plugs.js'

/** What an order, a policy or a placement is besides what it decides: its hooks, and what it says of itself. */
type Part = Omit<Policy, 'schedule'>

/** Hooks with an answer. */
type Answer = 'admits' | 'wantsLook' | 'wantsNode' | 'wantsRound' | 'memory'

/** Hooks without an answer, all there: what a part is seen as by the hook for which it was chosen. */
type Told = Required<Omit<Part, Answer | 'recall' | 'sharing' | 'promises' | 'startsGangJobs'>>
type Hook = keyof Told

/** Whom a composed policy passes each hook on to, and its parts whose answers it gives. */
type Targets = { [Name in Hook as `${Name}Of`]: Told } & { readonly answering: readonly Part[] }

/**
 * One function per hook for all composed policies. Closures or bound functions of each policy would be new call targets in
 * every run, which make V8 throw away what it has compiled for the run before.
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

/** The same of hooks with an answer: the first reason against a job, whether any part wants a look, a node or a round, and what each remembers; and of what takes such a memory up. */
const answers: Required<Pick<Part, Answer | 'recall'>> & ThisType<Targets> = {
  admits(spec, again) {
    for (let i = 0; i < this.answering.length; i++) {
      const reason = this.answering[i]?.admits?.(spec, again)
      if (reason !== undefined) return reason
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
 * What a composed policy is by its parts; to be assigned to the policy, whose own it is then. Every hook is passed on to the
 * parts in order, and left out if none has it; its memory is a list of theirs. It shares as the first part does that divides capacity, promises starts if a
 * part does, starts no jobs that are one gang if a part says that it does not, and wants a look, a node or a round, if a part
 * does. Of what the whole must see to itself nothing is said: whether it starts such jobs, and whether it reads all that wait.
 */
export function forwarding(...given: readonly (Part | undefined)[]): Part {
  const parts = given.filter((part) => part !== undefined)
  const made: Record<string, unknown> = {}
  for (const hook of Object.keys(answers) as (keyof typeof answers)[]) if (parts.some((part) => part[hook] !== undefined)) made[hook] = answers[hook]
  made['answering'] = parts
  if (parts.some(({ promises }) => promises === true)) made['promises'] = true
  if (parts.some(({ startsGangJobs }) => startsGangJobs === false)) made['startsGangJobs'] = false
  const sharing = parts.find((part) => part.sharing !== undefined)?.sharing
  if (sharing !== undefined) made['sharing'] = sharing
  for (const hook of Object.keys(passOn) as Hook[]) {
    const listeners = parts.filter((part) => part[hook] !== undefined).map((part) => targetOf(part as Told, hook))
    if (listeners.length === 0) continue
    made[hook] = passOn[hook]
    made[`${hook}Of`] = listeners.length === 1 ? listeners[0] : new Several(listeners)
  }
  return made
}

/** Who hears the hook in the end, where a part only passes it on. */
const targetOf = (part: Told, hook: Hook): Told => (part[hook] === passOn[hook] ? (part as unknown as Targets)[`${hook}Of`] : part)

/** Parts that all have the hook for which they are kept. */
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
