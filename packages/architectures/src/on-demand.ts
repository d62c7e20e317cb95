import {
  defineArchitecture, None, runningTasks, SchedError, type Architecture, type ArchitectureEnv, type Cell, type JobId, type JobSpec, type LaneId,
  type NodeId, type Plug, type Policy, type Scheduler, type Seconds, type StageSpec, type Trigger,
} from '@sched/core'
import * as z from '@sched/bundled/zod'
import { holds } from './holds.js'
import { VirtualCluster } from './on-demand-cluster.js'
import { WholeNodes } from './on-demand-nodes.js'
import { Requests } from './on-demand-requests.js'
import { AllocationRound } from './on-demand-round.js'
import { Sizes } from './on-demand-size.js'

const seconds = z.number().nonnegative()

const onDemandOptions = z.strictObject({
  nodes: z
    .union([z.int().positive(), z.literal('tasks')])
    .default('tasks')
    .describe('nodes of a virtual cluster; `tasks`: as many as hold all tasks of the largest stage at once'),
  waves: z.number().min(1).default(1).describe('with `nodes: tasks`: the tasks of a stage run in about so many waves, on as many fewer nodes; gangs in one'),
  maxNodes: z.int().positive().optional().describe('with `nodes: tasks`: most nodes of a virtual cluster'),
  walltime: z
    .union([z.number().positive(), z.literal('estimate')])
    .default('estimate')
    .describe('seconds for which nodes are asked for; `estimate`: those of the job, for as long as it takes where it has none or where jobs share nodes'),
  abandonAtWalltime: z
    .boolean()
    .default(true)
    .describe(
      'what runs when the walltime is over is killed and its jobs are given up, as Torque does; false: the nodes are kept until the jobs end',
    ),
  sharedBy: z
    .enum(['job', 'user'])
    .default('job')
    .describe('every job has a virtual cluster of its own, or the jobs of a user use one, one after the other and together; gangs have their own'),
  idleRelease: seconds.default(3600).describe(
    "seconds without work after which a user's virtual cluster gives its nodes back (HOD's idleness-limit); that of one job does so when it ends",
  ),
  setup: seconds.max(7 * 86_400).default(0).describe('seconds that it takes to build a virtual cluster on its nodes'),
  tasksPerHeartbeat: z.int().positive().optional().describe('most tasks of each slot type started per heartbeat; Hadoop 0.20 has 1; default all that fit'),
}).superRefine(({ walltime, setup, abandonAtWalltime }, context) => {
  if (abandonAtWalltime && typeof walltime === 'number' && walltime <= setup)
    context.addIssue({ code: 'custom', path: ['walltime'], message: `more than setup (${setup}), which counts for it: no task would ever start`, params: { wayOut: 'Raise walltime, lower setup, or write abandonAtWalltime: false.' } })
})
/** Options of `onDemand`; all may be left out. */
export type OnDemandOptions = z.input<typeof onDemandOptions>

/**
 * Virtual clusters on demand. A resource manager allocates whole nodes for a time, by any policy for rigid jobs. Each virtual cluster schedules its
 * jobs on its nodes by the run's policy, as if there were no others. Nodes are chosen without regard to where data is, and nodes that idle during the
 * last tasks of a job cannot be used by others; both show in the locality and the utilisation that a run reports.
 *
 * Source: Lin et al., survey of cluster resource scheduling, section 4 (Hadoop On Demand with Torque); Hadoop 1.x, HOD.
 */
export const onDemandArchitecture = defineArchitecture({
  name: 'on-demand',
  summary: 'virtual clusters of whole nodes, allocated by FCFS or backfilling',
  source: 'Lin et al., survey, section 4 (Hadoop On Demand with Torque)',
  options: onDemandOptions,
  inner: { allocation: 'policy' },
  defaults: { allocation: 'strict' },
  create: (options, env, { allocation }) => new OnDemand(options, env, allocation),
})

/** Virtual clusters on demand; the policy `allocation` decides which request gets its nodes next. */
export const onDemand = (allocation: Plug<'policy'>, options: OnDemandOptions = {}): Plug<'architecture'> => onDemandArchitecture.plug({ allocation }, options)

/** Why the architecture asked to be woken; packed with the id of the virtual cluster concerned into the token of `cell.after`. */
const Alarm = { Allocate: 0, Built: 1, Idle: 2, Walltime: 3, Look: 4 } as const
const ALARMS = 5
/** Seconds after which a virtual cluster on which nothing runs checks its waiting jobs again. */
const AGAIN = 1
/** Marks a free entry among the times. */
const NEVER = -1
const alarm = (kind: number, id: number): number => id * ALARMS + kind
/** Group of all virtual clusters: policies may be configured under this name. */
const GROUP = 'virtual'

class OnDemand implements Architecture {
  readonly #env: ArchitectureEnv
  readonly #cell: Cell
  readonly #options: z.output<typeof onDemandOptions>
  readonly #sizes: Sizes
  readonly #nodes: WholeNodes
  readonly #requests: Requests
  readonly #round: AllocationRound
  readonly #allocation: Policy
  readonly #allocationName: string
  /**
   * Virtual clusters: by scheduler id; those without jobs and nodes; shared ones by key; those that are up, by request; and those that wait for
   * nodes, by request.
   */
  readonly #clusters: VirtualCluster[] = []
  readonly #unused: VirtualCluster[] = []
  readonly #ofKey = new Map<string, VirtualCluster>()
  readonly #up = new Map<JobId, VirtualCluster>()
  readonly #asking = new Map<JobId, VirtualCluster>()
  readonly #ownerOf: (VirtualCluster | undefined)[]
  /** The beating node, as the list of nodes of a round. */
  readonly #one: NodeId[] = [0 as NodeId]
  /** Whether something has changed since the last allocation; and whether nodes were busy then with tasks of no virtual cluster. */
  #mustAllocate = false
  #hasForeign = false
  /** Times at which to allocate, by number of the alarm; `NEVER` for a free entry. */
  readonly #times: Seconds[] = []
  /** When the next check of waiting jobs is due. */
  #looks: Seconds = -1

  constructor(options: z.output<typeof onDemandOptions>, env: ArchitectureEnv, allocation: Plug<'policy'>) {
    const { cluster, work } = env.cell
    if (cluster.autoscale !== undefined)
      throw new SchedError('BAD_OPTION', 'virtual clusters hold whole nodes, and those without a task would be removed under them.', { field: 'architecture' }, 'Choose another, or leave out `autoscale` of the nodes.')
    this.#env = env
    this.#cell = env.cell
    this.#options = options
    this.#ownerOf = Array.from({ length: cluster.nodes }, () => undefined)
    this.#sizes = new Sizes(cluster, options)
    this.#nodes = new WholeNodes(cluster)
    this.#requests = new Requests(work)
    this.#round = new AllocationRound(this.#nodes, this.#requests, (time) => this.#allocateLater(time))
    this.#allocationName = allocation.name
    this.#allocation = allocation.create({
      cluster: this.#nodes,
      work: this.#requests,
      now: () => this.#cell.now(),
      ...(env.start !== undefined && { start: env.start }),
      random: (stream) => env.random(`allocation:${stream}`),
      warn: (message) => env.warn(message),
    })
    this.#requests.listener = this.#allocation
    this.#unused.push(this.#add())
  }

  // ---- jobs ----

  /** The scheduler of a new job. Throws `INFEASIBLE` for a job that no virtual cluster of the machine can hold. */
  route(spec: JobSpec): Scheduler {
    const size = this.#sizes.of(spec)
    const isShared = this.#options.sharedBy === 'user' && !size.hasGang
    const key = isShared ? `${spec.user ?? ''}/${size.suiting.id}` : ''
    const cluster = (isShared ? this.#ofKey.get(key) : undefined) ?? this.#unused.pop() ?? this.#add()
    if (isShared) this.#ofKey.set(key, cluster)
    cluster.key = key
    cluster.next = size
    return cluster.scheduler
  }

  #add(): VirtualCluster {
    const { tasksPerHeartbeat } = this.#options
    const cluster = new VirtualCluster(this.#cell, tasksPerHeartbeat === undefined ? undefined : { claims: tasksPerHeartbeat }, this)
    cluster.scheduler = this.#env.addScheduler(`${GROUP}-${this.#clusters.length}`, { group: GROUP, listeners: [cluster] })
    this.#clusters[cluster.scheduler.id] = cluster
    return cluster
  }

  onJob(cluster: VirtualCluster, job: JobId): void {
    cluster.idleSince = -1
    if (cluster.request === None) this.#ask(cluster, job)
  }

  #ask(cluster: VirtualCluster, job: JobId): void {
    const { walltime } = this.#options
    const estimate = cluster.key === '' ? this.#cell.work.estimate(job) : Infinity
    const { nodes, suiting } = cluster.sizeOf(job)
    cluster.request = this.#requests.ask({ nodes, suiting, job, walltime: walltime === 'estimate' ? estimate : walltime }, this.#cell.now())
    this.#asking.set(cluster.request, cluster)
    this.#allocateSoon()
  }

  onQuiet(cluster: VirtualCluster): void {
    const now = this.#cell.now()
    if (cluster.jobs.some((job) => cluster.isOpen || cluster.hasStarted(job))) return
    if (cluster.key === '' || cluster.nodes.length === 0 || !cluster.isOpen || this.#options.idleRelease === 0) return this.#release(cluster)
    cluster.idleSince = now
    this.#cell.after(this.#options.idleRelease, alarm(Alarm.Idle, cluster.scheduler.id))
  }

  /** Ends the virtual cluster's request; if it still has jobs, the first of them makes a new request. */
  #release(cluster: VirtualCluster): void {
    const request = cluster.request as JobId
    for (const node of cluster.nodes) {
      this.#nodes.give(node)
      this.#ownerOf[node] = undefined
    }
    cluster.release()
    this.#asking.delete(request)
    this.#up.delete(request)
    this.#requests.end(request)
    cluster.request = None
    this.#allocateSoon()
    const [next] = cluster.jobs
    if (next !== undefined) return this.#ask(cluster, next)
    this.#ofKey.delete(cluster.key)
    this.#unused.push(cluster)
  }

  // ---- nodes ----

  /** Allocates at the next trigger. With heartbeats it sets an alarm for now, since the next trigger may be some time away. */
  #allocateSoon(): void {
    this.#mustAllocate = true
    if (this.#cell.cluster.heartbeat > 0) this.#allocateAt(this.#cell.now())
  }

  /** Allocates at a time that the policy asks for; a time that has come is ignored. */
  #allocateLater(time: Seconds): void {
    if (time > this.#cell.now()) this.#allocateAt(time)
  }

  #allocateAt(time: Seconds): void {
    const now = this.#cell.now()
    if (time < now || this.#times.includes(time)) return
    const free = this.#times.indexOf(NEVER)
    const id = free < 0 ? this.#times.length : free
    this.#times[id] = time
    this.#cell.after(time - now, alarm(Alarm.Allocate, id))
  }

  /** Whether the time of an alarm has come. Rounding may wake it slightly too early; then the alarm is set again. */
  #isDue(id: number): boolean {
    const now = this.#cell.now()
    const time = this.#times[id] as Seconds
    if (now < time) this.#cell.after(time - now, alarm(Alarm.Allocate, id))
    else this.#times[id] = NEVER
    return now >= time
  }

  #allocate(): void {
    this.#mustAllocate = false
    const round = this.#round.begin(this.#cell.now())
    do this.#allocation.schedule(round)
    while (round.refusePartial())
    const commit = round.commit()
    this.#allocation.onCommit?.(commit)
    for (const request of new Set(commit.accepted.map((task) => this.#requests.jobOf(task)))) this.#build(request)
    this.#hasForeign = this.#nodes.hasForeign()
  }

  #build(request: JobId): void {
    const cluster = this.#asking.get(request)
    if (cluster === undefined) throw new SchedError('INVARIANT', `request ${request} is nobody's`)
    const tasks = runningTasks(request, 0 as LaneId, this.#requests)
    const nodes = tasks.map((task) => this.#requests.nodeOf(task) as NodeId).sort((a, b) => a - b)
    for (const node of nodes) this.#ownerOf[node] = cluster
    this.#asking.delete(request)
    this.#up.set(request, cluster)
    const walltime = this.#requests.estimate(request)
    cluster.build(nodes, walltime)
    for (const job of cluster.jobs) this.#cell.forgetFailures(job)
    if (walltime < Infinity) this.#cell.after(walltime, alarm(Alarm.Walltime, cluster.scheduler.id))
    if (this.#options.setup === 0) cluster.open()
    else this.#cell.after(this.#options.setup, alarm(Alarm.Built, cluster.scheduler.id))
  }

  // ---- what happens ----

  trigger(trigger: Trigger): void {
    if (this.#mustAllocate || (this.#hasForeign && this.#requests.pending > 0)) this.#allocate()
    if (trigger.kind === 'heartbeat') {
      this.#one[0] = trigger.node
      this.#ownerOf[trigger.node]?.heartbeat(this.#one)
    } else
      for (const cluster of this.#up.values())
        if (trigger.kind === 'timer') cluster.timer()
        else if (!cluster.pass()) this.#lookAgain()
  }

  /** Sets an alarm for another pass: a policy that waits for scheduling opportunities gets them as from the heartbeats of an idle cluster. */
  #lookAgain(): void {
    const now = this.#cell.now()
    if (this.#looks > now) return
    this.#looks = now + AGAIN
    this.#cell.after(AGAIN, alarm(Alarm.Look, 0))
  }

  /** Checks the nodes of the job's virtual cluster; before it has any, the free nodes, if there are as many as it asks for. */
  hasRoom(job: JobId, stage: StageSpec, tasks: number): boolean {
    const cluster = this.#clusters[this.#cell.schedulerOf(job)] as VirtualCluster
    if (cluster.nodes.length > 0) return cluster.isOpen && cluster.holds(stage, tasks)
    const { nodes, suiting } = cluster.sizeOf(cluster.jobs[0] ?? job) // the request is that of its first job
    const free = this.#cell.nodes.filter((node) => suiting.suits[node] === 1 && this.#nodes.isFree(node))
    return free.length >= nodes && holds(this.#cell.cluster, free, stage, tasks)
  }

  /** Those of the job's virtual cluster; before it has any, those that it may ask for. */
  mayUse(job: JobId, node: NodeId): boolean {
    const cluster = this.#clusters[this.#cell.schedulerOf(job)] as VirtualCluster
    return cluster.nodes.length > 0 ? this.#ownerOf[node] === cluster : cluster.sizeOf(cluster.jobs[0] ?? job).suiting.suits[node] === 1
  }

  settingUp(job: JobId): { readonly from: Seconds; readonly to: Seconds } | undefined {
    const { nodes, built } = this.#clusters[this.#cell.schedulerOf(job)] as VirtualCluster
    return this.#options.setup > 0 && nodes.length > 0 ? { from: built, to: built + this.#options.setup } : undefined
  }

  /** No request gets its nodes: that is caused by the allocation policy, not by the policy inside. */
  stuck(): string | undefined {
    const waiting = this.#asking.size
    if (this.#up.size > 0 || waiting === 0) return undefined
    const requests = waiting === 1 ? 'the request that waits its nodes' : `any of the ${waiting} requests that wait its nodes`
    const why = this.#round.wasPartial ? 'some in each round where a request is for all at once: use one that knows gangs (strict, easy)' : 'none at all'
    return `the allocation policy "${this.#allocationName}" does not give ${requests}, ${why}.`
  }

  onNode(node: NodeId, up: boolean): void {
    this.#allocation.onNode?.(node, up)
    if (up) this.#ownerOf[node]?.onNodeBack(node)
    this.#allocateSoon()
  }

  wake(token: number): void {
    const kind = token % ALARMS
    const now = this.#cell.now()
    if (kind === Alarm.Allocate) {
      if (!this.#isDue(Math.floor(token / ALARMS))) return
      this.#mustAllocate = true
      if (this.#cell.cluster.heartbeat > 0) this.#allocate()
      return
    }
    if (kind === Alarm.Look) return // a pass follows anyway
    const cluster = this.#clusters[Math.floor(token / ALARMS)] as VirtualCluster
    if (kind === Alarm.Built && now === cluster.built + this.#options.setup && cluster.nodes.length > 0) cluster.open()
    else if (kind === Alarm.Idle && now === cluster.idleSince + this.#options.idleRelease && cluster.jobs.length === 0) this.#release(cluster)
    else if (kind === Alarm.Walltime && now === cluster.end) this.#endWalltime(cluster)
  }

  #endWalltime(cluster: VirtualCluster): void {
    if (!this.#options.abandonAtWalltime && cluster.jobs.length > 0) return
    const wasOpen = cluster.isOpen
    cluster.close()
    const started = cluster.jobs.filter((job) => cluster.key === '' || (wasOpen && cluster.hasStarted(job)))
    for (const job of started) cluster.kill(job)
    if (cluster.nodes.length > 0 && !cluster.jobs.some((job) => cluster.hasStarted(job))) this.#release(cluster)
  }
}
