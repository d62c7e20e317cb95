import {
  onceEach, SchedError, suggest, ownValue, type JobId, type JobSpec, type LaneId, type NodeId, type Policy, type Release, type Seconds, type TaskId, withoutUndefined,
} from '@sched/core'
import { hostedBlocks } from './block-places.js'
import { CellState } from './cell-state.js'
import { checkJob } from './check-job.js'
import { checkMemory } from './check-memory.js'
import { checkStages } from './check-stages.js'
import { CountedStreams } from './counted-streams.js'
import { MEMORY_VERSION, type Decisions, type DispatcherMemory, type Placed, type RunningTask } from './decisions.js'
import { DispatchedDecisions } from './dispatched-decisions.js'
import { DispatchedJobs } from './dispatched-jobs.js'
import { DispatchedRounds } from './dispatched-rounds.js'
import { checkOptions, type DispatcherOptions, type HeartbeatOptions, type SubmitOptions } from './dispatcher-options.js'
import { infeasible, refusedWhole } from './infeasible.js'
import { interruptedTasks, takeUpInterrupted } from './interrupted-tasks.js'
import { loseSuspendedOn } from './interruptions.js'
import { buildCluster, nodeIds, type ClusterModel } from './model.js'
import { giveBack } from './places.js'
import { Shapes } from './shapes.js'
import { Starts } from './starts.js'
import { toldPromises, type ToldPromises } from './told-promises.js'
import { withTimes, type SubmittedJob } from './submitted-job.js'
import { unplacedTask } from './task-name.js'
import { Unheeded } from './unheeded.js'
import { updatable, updateJob, type JobUpdate } from './update-job.js'
import { WaitingJobs, type Waiting } from './waiting-jobs.js'
import { Wakes } from './wakes.js'
import { Work } from './work.js'

/**
 * Runs a policy outside the simulator: the caller reports submissions, heartbeats and ended tasks, and carries out the decisions. The policy cannot
 * tell the difference. Times come from the caller, in seconds, and never go back.
 *
 * The blocks of a stage are where its `data.hosts` says.
 */
export function dispatcher(options: DispatcherOptions): Dispatcher {
  return new Dispatcher(options)
}

/**
 * The state of a cluster and its jobs under one policy; created by `dispatcher`. Its methods throw `BROKEN_CONTRACT` for a time before that of an earlier
 * call, and for the end of a task that does not run; `UNKNOWN_NAME` for a node or a job that there is not.
 */
export class Dispatcher {
  /** The jobs in the system, for reading. */
  readonly work: Work
  /** The nodes and what is free on them, for reading. */
  readonly cell: CellState
  /** The policy that it runs. */
  readonly policy: Policy
  readonly #model: ClusterModel
  readonly #nodes: ReadonlyMap<string, NodeId>
  readonly #wakes = new Wakes()
  readonly #policyName: string
  readonly #streams: CountedStreams
  readonly #warn: (message: string) => void
  readonly #unheeded: Unheeded
  readonly #rounds: DispatchedRounds
  readonly #jobs: DispatchedJobs
  readonly #starts: Starts
  readonly #waiting: WaitingJobs | undefined
  readonly #told: ToldPromises | undefined
  #now: Seconds = 0

  constructor(options: DispatcherOptions) {
    checkOptions(options)
    const { cluster, policy, seed = 1, promised, withdrawn, explained = false, warn = () => undefined } = options
    this.#policyName = policy.name
    this.#streams = new CountedStreams(seed)
    this.#warn = onceEach(warn)
    this.#model = buildCluster(cluster)
    this.#unheeded = new Unheeded(this.#warn, this.#model)
    const all = nodeIds(this.#model)
    this.#nodes = new Map(all.map((node) => [this.#model.nodeNames[node] as string, node]))
    const shapes = new Shapes(this.#model)
    this.cell = new CellState(this.#model, shapes, { validate: true })
    this.work = new Work(this.#model, shapes, hostedBlocks(this.#model))
    this.policy = policy.create({
      cluster: this.cell,
      work: this.work,
      now: () => this.#now,
      seesWholeInstants: this.#model.heartbeat === undefined,
      random: (stream) => this.#streams.of(`policy:scheduler:${stream}`),
      warn: this.#warn,
      heedsTopology: this.#unheeded.heedsTopology,
      heedsPlacementRules: this.#unheeded.heedsPlacementRules,
      heedsMinEstimate: this.#unheeded.heedsMinEstimate,
      heedsContiguous: this.#unheeded.heedsContiguous,
      hasRules: () => { this.work.areRules = true },
    })
    this.#waiting = explained ? new WaitingJobs(this.work, this.cell) : undefined
    this.#told = withdrawn === undefined ? undefined : toldPromises({ work: this.work, policy: this.policy, promised, withdrawn })
    this.#jobs = new DispatchedJobs(this.work, this.cell, this.#waiting, this.#told)
    this.#starts = new Starts(this.work, this.cell)
    const sink = new DispatchedDecisions({ work: this.work, jobs: this.#jobs, starts: this.#starts, wakes: this.#wakes, waiting: this.#waiting, promised, told: this.#told, now: () => this.#now })
    this.#rounds = new DispatchedRounds({ model: this.#model, policy: this.policy, work: this.work, cell: this.cell, jobs: this.#jobs, wakes: this.#wakes, all, warn: this.#warn }, sink)
  }

  /**
   * The earliest time at which the policy asked for a round; `Infinity`: none. Answer it by `pass` or, where nodes report by `heartbeat`, by `tick`.
   * A time that has come stays until one of these, or the next heartbeat, answers it. After a restart without a memory it is in the past: ask at once.
   */
  get nextWake(): Seconds {
    return this.#wakes.next
  }

  /**
   * Puts a job into the system; its first stages may start at once. After a restart submit jobs with `again`. Throws
   * - `BAD_INPUT` for an invalid job,
   * - `INFEASIBLE` for a job that can never run or that the policy refuses, and, where nodes report by `heartbeat`, for a gang that fits on no single
   *   node,
   * - `TAKEN_NAME` for an id that is in the system.
   */
  submit(submitted: SubmittedJob, now: Seconds = this.#now, { again = false }: SubmitOptions = {}): void {
    this.#beginAt(now)
    const { shapes } = this.work
    if (typeof submitted !== 'object' || (submitted as unknown) === null) throw new SchedError('BAD_INPUT', `it is ${JSON.stringify(submitted)}.`, { field: 'job' }, 'Give an object with `id` and `stages`.')
    const spec = withTimes(submitted, now)
    checkJob(spec)
    checkStages(spec)
    if (this.#jobs.byName.has(spec.id)) throw new SchedError('TAKEN_NAME', `a job called "${spec.id}" is in the system.`, {}, 'Give each an id of its own.')
    const why = infeasible(spec, this.#model, shapes) ?? refusedWhole(spec, this.policy)
    if (why !== undefined) throw why
    this.#rounds.check(spec)
    const refusal = this.policy.admits?.(spec, again)
    if (refusal !== undefined) throw new SchedError('INFEASIBLE', `job ${spec.id}: ${refusal}.`, {}, 'Change the job, or the options of the policy that refuses it.')
    this.#unheeded.look(spec)
    const job = this.work.submit(spec, now, 0)
    this.#jobs.add(spec.id, job)
    this.#rounds.changed()
    this.work.open(job)
    if (again) this.#wakes.add(now) // when the dispatcher before would have wanted to be asked, is known only once it was
  }

  /**
   * A node reports. Returns what to start on it now, and what to kill on any node. Nothing starts on a node that is down. Of a gang nothing starts
   * unless the node has room for all tasks that must start at once. Throws `BAD_INPUT` for a `free` that is negative or no number.
   */
  heartbeat(node: string, now: Seconds, { free }: HeartbeatOptions = {}): Decisions {
    if (free !== undefined && !(typeof free === 'number' && free >= 0))
      throw new SchedError('BAD_INPUT', `node ${node} has room for ${String(free)} starts.`, { field: 'free' }, 'Give a number, at least 0, or leave it out where all that fits may start.')
    this.#beginAt(now)
    this.#rounds.atNode(this.#node(node), now, free)
    return this.#decided(now)
  }

  /**
   * A pass over all nodes, for a dispatcher without heartbeats. If tasks were killed or suspended, call it again with the same time, which is then
   * `nextWake`: more may fit now.
   */
  pass(now: Seconds): Decisions {
    this.#beginAt(now)
    this.#rounds.overAll(now)
    if (this.#starts.hasStopped) this.#wakes.add(now)
    return this.#decided(now)
  }

  /**
   * A round that the policy asked for between heartbeats. Nothing can start in it, but tasks may have to be killed. Without heartbeats call `pass`
   * instead.
   */
  tick(now: Seconds): Decisions {
    this.#beginAt(now)
    this.#rounds.asked(now)
    return this.#decided(now)
  }

  #decided(now: Seconds): Decisions {
    this.#told?.compare(now)
    return this.#starts.decisions
  }

  /**
   * Takes over a running task that another dispatcher, or somebody else, started. The policy treats it as started at `now`, so report several tasks
   * in the order of their starts, each with its own start time.
   * Throws `UNKNOWN_NAME` for a job that is not in the system or an unknown node; `BAD_INPUT` for a task that does not exist, runs already, has
   * ended, or waits for other stages, and for devices or a limit that it cannot have; `INFEASIBLE` if the task has no room on the node or may not run there.
   */
  adopt({ job, stage = 0, task, node, devices = {}, limit }: RunningTask, now: Seconds = this.#now): Placed {
    this.#beginAt(now)
    const id = this.#jobs.named(job)
    const on = this.#node(node)
    const taken = unplacedTask(this.work, id, stage, task)
    if (limit !== undefined) this.#limit(id, limit)
    this.#rounds.takeOver(taken, on, devices, now)
    this.#rounds.changed()
    return this.#starts.placed(taken)
  }

  /** A task that is taken over was started with a lower estimate than that of its job. */
  #limit(job: JobId, limit: Seconds): void {
    const { work } = this
    if (!(limit > 0)) throw new SchedError('BAD_INPUT', `job ${work.name(job)} may run for ${limit} s.`, { field: 'limit' }, 'Give the seconds that its start told, or leave them out.')
    if (limit >= work.estimate(job)) return
    work.limits.set(job, limit)
    this.#comeAgain(job, work.spec(job))
  }

  /**
   * What cannot be restored otherwise after a restart, for `recall` of a successor: the policy's decisions about waiting jobs (promised starts,
   * admissions, turns), the suspended tasks, and the times at which the policy wants a round. It describes the present, so save it after each call
   * that decides.
   */
  memory(): DispatcherMemory {
    const remembered = this.policy.memory?.()
    return {
      version: MEMORY_VERSION,
      policy: this.#policyName,
      now: this.#now,
      wakes: this.#wakes.all,
      draws: this.#streams.draws,
      least: this.work.shapes.least.map(({ resources, amounts }) => Object.fromEntries(resources.map((r, i) => [this.#model.resources[r] as string, amounts[i] as number]))),
      interrupted: interruptedTasks(this.work, this.cell),
      ...withoutUndefined({ promises: this.#told?.memory(), remembered }),
    }
  }

  /**
   * Takes over the memory of another dispatcher with the same policy and options. Call it once, after `submit`, `adopt`, `nodeDown` and the like have
   * reported the state of that time, and before reporting anything later. A suspended task for which its node has no room any more starts anew.
   * Throws `BAD_INPUT` for a memory of another policy or version.
   */
  recall(memory: DispatcherMemory): void {
    checkMemory(memory, this.#policyName)
    this.#beginAt(memory.now)
    this.#wakes.asked(memory.now) // the memory knows
    for (const time of memory.wakes) this.#wakes.add(time)
    this.#streams.skipTo(memory.draws)
    for (const [lane, least] of memory.least.entries()) if (lane < this.#model.lanes.length) this.work.shapes.lowerLeast(lane as LaneId, (r) => ownValue(least, this.#model.resources[r] as string) ?? Infinity)
    // the policy expects the ends of these jobs at other times now
    for (const job of takeUpInterrupted(memory.interrupted, this.work, this.cell, this.#jobs.byName, this.#nodes)) this.#comeAgain(job, this.work.spec(job))
    if (memory.remembered !== undefined) this.policy.recall?.(memory.remembered)
    if (memory.promises !== undefined) this.#told?.recall(memory.promises)
  }

  /** Reports that a started task has ended; true if it was the last of its job. */
  taskEnded(placed: Pick<Placed, 'id'>, now: Seconds = this.#now): boolean {
    const { work } = this
    const task = this.#take(placed, 'ended', now)
    const job = work.jobOf(task)
    if (!work.finish(task)) return false
    this.#jobs.leave(job)
    return true
  }

  /** Reports that a started task has failed or was lost. The task is pending again, unless its job was cancelled. Other tasks of its gang run on. */
  taskFailed(placed: Pick<Placed, 'id'>, now: Seconds = this.#now): void {
    const task = this.#take(placed, 'evicted', now)
    const job = this.work.jobOf(task)
    this.work.suspended.forget(task)
    this.work.unclaim(task, 'evicted')
    if (this.#jobs.isCancelled(job)) this.#jobs.drop(job)
  }

  /** Reports that a node takes no more tasks: it is lost or drained. Its tasks count as running until `taskEnded` or `taskFailed` reports them. */
  nodeDown(node: string, now: Seconds = this.#now): void {
    this.#setUp(node, false, now)
  }

  /** Reports that a node takes tasks again. */
  nodeUp(node: string, now: Seconds = this.#now): void {
    this.#setUp(node, true, now)
  }

  /**
   * Stops starting tasks of a job. Returns its running tasks; report their ends when they have been killed, unless a decision says to kill them
   * before that. Suspended tasks of the job end at once and are not returned.
   */
  cancel(job: string, now: Seconds = this.#now): readonly Placed[] {
    this.#beginAt(now)
    const { work } = this
    const id = this.#jobs.named(job)
    const running: TaskId[] = []
    for (let lane = 0 as LaneId; lane < this.#model.lanes.length; lane++) work.runningTasks(id, lane, running)
    this.#jobs.cancel(id)
    return running.map((task) => this.#starts.placed(task))
  }

  /**
   * Why tasks of a job wait, as of the last decision and of what is free now; `undefined` if none does. Ask after a `pass`. Throws `UNKNOWN_NAME` for a
   * job that is not in the system, and `BROKEN_CONTRACT` if the dispatcher was not created with `explained`.
   */
  explain(job: string): Waiting | undefined {
    if (this.#waiting === undefined) throw new SchedError('BROKEN_CONTRACT', 'nobody noted why jobs wait.', {}, 'Create the dispatcher with `explained: true`.')
    return this.#waiting.of(this.#jobs.named(job))
  }

  /**
   * Changes the description of a job in the system: priority, queue, estimate and the like. The job keeps its place in submission order, and its
   * tasks run on. The policy decides anew what it had decided about the job (a promised start, an admission).
   * Throws `UNKNOWN_NAME` for a job that is not in the system, `BAD_INPUT` for a field that cannot change and for a cancelled job, and `INFEASIBLE`
   * if the policy refuses the changed job; the job then stays as it was.
   */
  update(job: string, changes: JobUpdate, now: Seconds = this.#now): void {
    this.#beginAt(now)
    const { work } = this
    const id = this.#jobs.named(job)
    const field = Object.keys(changes).find((key) => !(updatable as readonly string[]).includes(key))
    if (field !== undefined) throw new SchedError('BAD_INPUT', `job ${job} cannot be given another.`, { field }, `These may change: ${updatable.join(', ')}. Cancel it and submit it anew for others.`)
    if (this.#jobs.isCancelled(id)) throw new SchedError('BAD_INPUT', `job ${job} has been cancelled.`, {}, 'Nothing more of it starts.')
    const spec: JobSpec = withoutUndefined({ ...work.spec(id), ...changes })
    checkJob(spec)
    this.#rounds.changed()
    const refusal = this.#comeAgain(id, spec)
    if (refusal !== undefined) throw new SchedError('INFEASIBLE', `job ${job}: ${refusal}.`, {}, 'The job stays as it was. Give it other values, or the policy other options.')
  }

  #comeAgain(job: JobId, spec: JobSpec): string | undefined {
    this.#waiting?.leave(job)
    return updateJob(this.work, job, spec, (task) => this.#starts.of(task))
  }

  #setUp(name: string, up: boolean, now: Seconds): void {
    this.#beginAt(now)
    const node = this.#node(name)
    if (this.cell.up(node) === up) return
    if (!up) loseSuspendedOn(this.work, this.cell, node)
    this.cell.setUp(node, up)
    this.work.tellNode(node, up)
  }

  /** A program without types may pass `undefined`: what it finds where nothing was started. */
  #take(placed: Pick<Placed, 'id'> | undefined, how: Release, now: Seconds): TaskId {
    this.#beginAt(now)
    const { work, cell } = this
    const start = placed?.id as number
    const task = this.#starts.end(start)
    if (task === undefined)
      throw new SchedError(
        'BROKEN_CONTRACT',
        `start ${start} has ended but does not run.`,
        {},
        start === undefined ? 'Give what `start`, `resume` or `adopt` answered: its `id` is the number of the start.' : 'Tell each end once, and none of a task that was to be killed.',
      )
    giveBack(task, work, cell)
    work.release(task, how)
    return task
  }

  /** Begins a call at a time, which has decided nothing yet. Throws `BROKEN_CONTRACT` for a time before that of an earlier call. */
  #beginAt(now: Seconds): void {
    if (!(typeof now === 'number' && now >= this.#now && now < Infinity))
      throw new SchedError(
        'BROKEN_CONTRACT',
        `it is ${this.#now} s, and now ${typeof now === 'number' ? now : JSON.stringify(now)} s`,
        {},
        'Times are numbers that never go back.',
      )
    this.#now = now
    this.#starts.begin()
    this.#waiting?.begin()
    this.#wakes.come(now)
  }

  #node(name: string): NodeId {
    const id = this.#nodes.get(name)
    if (id === undefined) throw new SchedError('UNKNOWN_NAME', `no node is called "${name}".`, {}, suggest(String(name), this.#model.nodeNames))
    return id
  }
}
