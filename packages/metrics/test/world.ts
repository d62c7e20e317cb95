import {
  tellEnds,
  tellStarts,
  type ClusterView,
  type JobId,
  type JobSpec,
  type LaneId,
  type NodeId,
  type Observer,
  type Reason,
  type ResourceId,
  type ShapeId,
  type TaskEnd,
  type TaskId,
  type WorkView,
} from '@sched/core'

interface FakeTask {
  readonly job: JobId
  readonly stage: number
  readonly lane: LaneId
  started: number | undefined
}

/**
 * Tells observers a story written by hand: `submit`, `start`, `end` at given times. Every resource is a lane of its own
 * unless `together`; all stages of a job are open from the start; task and job ids are used again as in the simulator.
 */
export class World {
  readonly cluster: ClusterView
  readonly work: WorkView
  readonly #observers: readonly Observer[]
  readonly #resources: readonly string[]
  readonly #lanes: ClusterView['lanes']
  readonly #specs: (JobSpec | undefined)[] = []
  readonly #tasks: (FakeTask | undefined)[] = []
  readonly #queues: string[] = []
  readonly #shapes: JobSpec['stages'][number]['demand'][] = []
  readonly #unplaced = new Map<string, number>()

  constructor(observers: readonly Observer[], capacity: Readonly<Record<string, number>> = { map: 2 }, { levels = 2, together = false, nodes = 2 } = {}) {
    this.#observers = observers
    this.#resources = Object.keys(capacity)
    const ids = this.#resources.map((_, r) => r as ResourceId)
    this.#lanes = together ? [{ name: 'all', resources: ids }] : ids.map((r) => ({ name: this.#resources[r] as string, resources: [r] }))
    this.cluster = {
      nodes,
      levels,
      groups: () => 1,
      resources: this.#resources,
      lanes: this.#lanes,
      capacity: (resource: ResourceId) => capacity[this.#resources[resource] as string],
      deviceSize: () => 0,
      name: (node: NodeId) => `node ${node}`,
    } as unknown as ClusterView
    this.work = this.#view() as unknown as WorkView
    for (const observer of observers) observer.onRunStart?.({ cluster: this.cluster, work: this.work, architecture: { trigger: () => undefined } })
  }

  /** A job of one stage with one task and one map slot, unless told otherwise. */
  submit(now: number, change: Partial<JobSpec> & { readonly tasks?: number } = {}): JobId {
    const { tasks = 1, ...rest } = change
    const spec: JobSpec = { id: `job at ${now}`, submit: now, stages: [{ name: 'map', tasks, demand: { map: 1 }, duration: 1 }], ...rest }
    const free = this.#specs.indexOf(undefined)
    const job = (free < 0 ? this.#specs.length : free) as JobId
    this.#specs[job] = spec
    for (const [stage, { tasks }] of spec.stages.entries()) this.#unplaced.set(`${job}/${stage}`, tasks)
    this.#each((observer) => observer.onSubmit?.(job, spec, now))
    return job
  }

  start(now: number, job: JobId, { stage = 0, level = -1 } = {}): TaskId {
    const task = this.#freeTask()
    const lane = this.#laneOf(job, stage)
    this.#tasks[task] = { job, stage, lane, started: now }
    this.#place(job, stage, -1)
    const row = { job, lane, count: 1, tasks: [task], nodes: [0 as NodeId], level }
    this.#each((observer) => (observer.onTasksStart === undefined ? tellStarts(observer, row, now) : observer.onTasksStart(row, now)))
    return task
  }

  end(now: number, task: TaskId, { stopped = now, how = 'done', saved = 0 }: { readonly stopped?: number; readonly how?: TaskEnd; readonly saved?: number } = {}): void {
    const { job, lane, stage, started } = this.#task(task)
    this.#task(task).started = undefined
    if (how !== 'done') this.#place(job, stage, 1)
    const row = { job, lane, count: 1, tasks: [task], nodes: [0 as NodeId], how, started: started as number, stopped, saved }
    this.#each((observer) => (observer.onTasksEnd === undefined ? tellEnds(observer, row, now) : observer.onTasksEnd(row, now)))
    this.#tasks[task] = undefined
  }

  finish(now: number, job: JobId): void {
    this.#each((observer) => observer.onJobEnd?.(job, this.#spec(job), now))
    this.#specs[job] = undefined
  }

  abandon(now: number, job: JobId): void {
    this.#each((observer) => observer.onAbandon?.(job, this.#spec(job), 1, now))
  }

  reject(now: number, change: Partial<JobSpec> = {}): void {
    this.#each((observer) => observer.onReject?.({ id: 'huge', submit: now, stages: [], ...change }, 'too large', now))
  }

  defer(now: number, job: JobId, reason: Reason): void {
    this.#each((observer) => observer.onDefer?.(job, 0 as LaneId, reason, now))
  }

  reserve(now: number, job: JobId, start: number): void {
    this.#each((observer) => observer.onReserve?.(job, start, now))
  }

  close(now: number): void {
    this.#each((observer) => observer.onRunEnd?.(now))
  }

  #each(tell: (observer: Observer) => void): void {
    this.#observers.forEach(tell)
  }

  #view(): Partial<WorkView> {
    const queueOf = (job: JobId) => this.#spec(job).queue ?? 'default'
    return {
      jobs: () => [...this.#specs.keys()].filter((job) => this.#specs[job] !== undefined) as JobId[],
      tasks: (job) => this.#spec(job).stages.reduce((sum, { tasks }) => sum + tasks, 0),
      user: (job) => job as never,
      userName: (user) => this.#spec(user as unknown as JobId).user ?? 'user',
      queue: (job) => {
        if (!this.#queues.includes(queueOf(job))) this.#queues.push(queueOf(job))
        return this.#queues.indexOf(queueOf(job)) as never
      },
      queueName: (queue) => this.#queues[queue] as string,
      shapeOf: (task) => this.#shape(this.#task(task).job, this.#task(task).stage),
      demand: (shape, resource) => this.#shapes[shape]?.[this.#resources[resource] as string] ?? 0,
      unplaced: (job, lane) => this.#spec(job).stages.reduce((sum, _, s) => sum + (this.#laneOf(job, s) === lane ? this.#left(job, s) : 0), 0),
      shape: (job, lane) => this.#shape(job, this.#spec(job).stages.findIndex((_, s) => this.#laneOf(job, s) === lane && this.#left(job, s) > 0)),
      nodeOf: () => 0 as NodeId,
      started: (task) => this.#task(task).started ?? NaN,
      runningTasks: (job, lane, out) => {
        for (const [id, task] of this.#tasks.entries()) if (task?.job === job && task.lane === lane) out.push(id as TaskId)
      },
    }
  }

  #shape(job: JobId, stage: number): ShapeId {
    const demand = this.#spec(job).stages[stage]?.demand ?? {}
    const known = this.#shapes.findIndex((each) => JSON.stringify(each) === JSON.stringify(demand))
    return (known < 0 ? this.#shapes.push(demand) - 1 : known) as ShapeId
  }

  #laneOf(job: JobId, stage: number): LaneId {
    const names = Object.keys(this.#spec(job).stages[stage]?.demand ?? {})
    return this.#lanes.findIndex(({ resources }) => resources.some((r) => names.includes(this.#resources[r] as string))) as LaneId
  }

  #place = (job: JobId, stage: number, by: number) => this.#unplaced.set(`${job}/${stage}`, this.#left(job, stage) + by)
  #left = (job: JobId, stage: number): number => this.#unplaced.get(`${job}/${stage}`) as number
  #spec = (job: JobId): JobSpec => this.#specs[job] as JobSpec
  #task = (task: TaskId): FakeTask => this.#tasks[task] as FakeTask

  #freeTask(): TaskId {
    const free = this.#tasks.indexOf(undefined)
    return (free < 0 ? this.#tasks.length : free) as TaskId
  }
}
