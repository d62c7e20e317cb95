import { grown, listOf, None, SchedError, type ClusterView, type JobId, type LaneId, type NodeId, type ResourceId, type Seconds, type ShapeId, type TaskId, type WorkView } from '@sched/core'
import { totalOfAll } from '../shares/all-nodes.js'
import { slurmResource } from '../slurm-limits/amounts.js'
import { RunningPieces } from './running-pieces.js'

/**
 * One lane as a discipline for rigid jobs plans it: the machine as one vector of amounts, what each waiting job asks,
 * and what runs until when. Amounts are those of the lane's resources, added up over all nodes.
 */
export class RigidLane {
  readonly lane: LaneId
  readonly resources: readonly ResourceId[]
  readonly width: number
  /** Index of the processors among the resources of the lane; of the first one where there are none. */
  readonly processors: number
  /** By resource of the lane: what the jobs of this policy may hold in total, and what of it is free now. */
  readonly capacity: Float64Array
  readonly free: Float64Array
  /** What the next piece of a waiting job asks for, `[job * width + resource]`, and how long it is planned to run, `[job]`, in seconds. */
  demand: Float64Array
  length = new Float64Array(64)
  /** `[job]`: the least that it may be planned to run (`WorkView.minEstimate`), in seconds; the same column as `length` until a job comes of which that is less. */
  shortest = this.length
  /** Lower bound on what the next pieces of waiting jobs ask of the first resource; a reader of all waiting jobs may set it to the least that it has seen. */
  least = NaN
  readonly running: RunningPieces
  /** By job: whether it waits. A limit may hold a job back when another one starts, so one that was read as waiting may not wait any more. */
  readonly waits = listOf<boolean>()
  /** How many jobs wait. */
  waiting = 0
  /** How many jobs became ready since the last pass, and the last of them. */
  newcomers = 0
  newcomer: JobId | None = None
  /** Incremented by whatever may let a job start that could not before: a release, a job that has become larger, more capacity, a job taken away. */
  changes = 0
  /** Incremented when a waiting job is found to ask for something else than before. */
  rereads = 0
  /** Incremented by what makes plans wrong: a piece has outlived its expected end, a node has come or gone, the capacity has changed. */
  surprises = 0
  /**
   * What pieces gave back since the last pass, as `[until, amounts...]` one after another: `until` is their expected end, `NaN` if they hold the amounts
   * again. `undefined` unless a discipline asks for it.
   */
  released: number[] | undefined
  /** Name of the discipline, if it plans by amounts and so knows nothing of single nodes; otherwise ''. */
  countedBy = ''
  /** Called for each waiting job that is planned as endless, because it has no estimate. */
  whenEndless: (() => void) | undefined
  readonly #work: WorkView
  readonly #total: Float64Array
  readonly #held: Float64Array
  readonly #unit: Float64Array
  readonly #names: readonly string[]
  readonly #planned: (estimate: Seconds) => Seconds

  /** `planned` gives the planned length for an estimate, both in seconds. */
  constructor({ cluster, work }: { readonly cluster: ClusterView; readonly work: WorkView }, lane: LaneId, planned: (estimate: Seconds) => Seconds) {
    this.lane = lane
    this.resources = cluster.lanes[lane]?.resources ?? []
    this.width = this.resources.length
    this.processors = Math.max(0, this.resources.indexOf(slurmResource('cpu', cluster.resources) as ResourceId))
    this.#work = work
    this.#planned = planned
    this.#names = this.resources.map((resource) => cluster.resources[resource] ?? '')
    this.#total = Float64Array.from(this.resources, (resource) => totalOfAll(cluster, resource))
    this.capacity = this.#total.slice()
    this.free = this.#total.slice()
    this.#held = new Float64Array(this.width)
    this.#unit = new Float64Array(this.width)
    this.demand = new Float64Array(64 * this.width)
    this.least = Infinity
    this.running = new RunningPieces(this.width)
  }

  /**
   * Notes what the job's next piece asks for. Throws `INFEASIBLE` for a piece that the whole cluster cannot hold. Under a plan by
   * amounts it throws `BAD_OPTION` for one that may not run on all nodes, since a reservation of amounts would not protect it.
   */
  read(job: JobId): void {
    const { width } = this
    if (job >= this.length.length) {
      const areEqual = this.shortest === this.length
      this.length = grown(this.length, job + 1)
      this.shortest = areEqual ? this.length : grown(this.shortest, this.length.length)
      this.demand = grown(this.demand, this.length.length * width)
    }
    const work = this.#work
    const tasks = work.together(job, this.lane)
    if (tasks === 0) return
    const shape = work.shape(job, this.lane)
    const isGang = work.isGangJob(job)
    if (this.countedBy !== '' && (work.requiresLabels(shape) || (isGang && work.parts(job, this.lane).some((part) => work.requiresLabels(part.shape))))) this.#unplannable(job, shape)
    for (let r = 0; r < width; r++) {
      const resource = this.resources[r] as ResourceId
      const amount = isGang ? work.asked(job, this.lane, resource) : tasks * work.demand(shape, resource)
      if (amount > (this.#total[r] as number)) this.#infeasible(job, r, amount)
      this.demand[job * width + r] = amount
      if (r === 0 && amount < this.least) this.least = amount
    }
    const length = this.#planned(work.estimate(job))
    this.length[job] = length
    if (length === Infinity) this.whenEndless?.()
    const least = work.minEstimate(job)
    const shortest = least < Infinity && length < Infinity && !isGang && tasks === work.tasks(job) ? Math.min(length, this.#planned(least)) : length
    if (shortest < length && this.shortest === this.length) this.shortest = this.length.slice()
    if (this.shortest !== this.length) this.shortest[job] = shortest
  }

  /** Whether any job has come that may be planned to run for less than its estimate. */
  get areShorter(): boolean {
    return this.shortest !== this.length
  }

  /** The planned length for an estimate, both in seconds. */
  lengthOf(estimate: Seconds): Seconds {
    return this.#planned(estimate)
  }

  /** For how many seconds a job that may run for less than its estimate may do so if it must end by its deadline; `Infinity`: it need not. */
  untilDeadline(job: JobId, now: Seconds): Seconds {
    if (!this.areShorter || !((this.shortest[job] as number) < (this.length[job] as number)) || !this.#work.isDeadlineFirm(job)) return Infinity
    return Math.max(this.#work.minEstimate(job), this.#work.deadline(job) - now)
  }

  /** Notes anew what the next piece of a job that waits already asks for. */
  reread(job: JobId): void {
    this.read(job)
    this.rereads++
  }

  /** Whether the next piece of a waiting job still asks for what was read last. */
  isAsRead(job: JobId): boolean {
    const { width, demand } = this
    for (let r = 0; r < width; r++) if (this.#work.asked(job, this.lane, this.resources[r] as ResourceId) !== demand[job * width + r]) return false
    return true
  }

  /** Whether the job's next piece asks for no more than the amounts, by resource of the lane. */
  fitsIn(amounts: Float64Array, job: JobId | number): boolean {
    const { width, demand } = this
    const from = job * width
    for (let r = 0; r < width; r++) if ((demand[from + r] as number) > (amounts[r] as number)) return false
    return true
  }

  /** A task of a piece has started. */
  hold(task: TaskId, piece: number): void {
    const unit = this.#unitOf(task)
    this.running.join(task, piece)
    this.#move(piece, unit, 0, 1)
  }

  /** A piece of one task has started. */
  holdAll(job: JobId, task: TaskId, piece: number): void {
    this.running.join(task, piece)
    this.#move(piece, this.demand, job * this.width, 1)
  }

  /** A task has ended, or its claim was taken back. Without `isChange` it is as if the claim had never been made: plans are not told. */
  release(task: TaskId, isChange: boolean): void {
    const { running, width } = this
    const piece = running.pieceOf(task)
    const isLast = running.tasksOf(piece) === 1
    const unit = isLast ? running.held : this.#unitOf(task)
    const from = isLast ? piece * width : 0
    if (isChange) {
      this.changes++
      if (this.released !== undefined) {
        this.released.push(running.endOf(piece))
        for (let r = 0; r < width; r++) this.released.push(unit[from + r] as number)
      }
    }
    this.#move(piece, unit, from, -1)
    running.leave(task, piece)
  }

  /** A task has left that was in no plan. */
  forget(task: TaskId): void {
    this.release(task, false)
    this.changes++
  }

  /** The amounts that were given back at index `at` of `released` are held again. */
  takeBack(at: number): void {
    if (this.released !== undefined) this.released[at] = NaN
  }

  /** Whether pieces gave something back since the last pass that they were expected to hold beyond `now`; with `atAnyEnd` whatever was expected. */
  hasReleased(now: Seconds, atAnyEnd: boolean): boolean {
    const released = this.released ?? []
    for (let i = 0; i < released.length; i += this.width + 1) if (atAnyEnd ? !Number.isNaN(released[i]) : (released[i] as number) > now) return true
    return false
  }

  /** Whether the lane has these amounts in total, as in a memory: where it has others, no plan holds. */
  hasCapacity(amounts: readonly number[]): boolean {
    return amounts.length === this.width && amounts.every((amount, r) => amount === this.capacity[r])
  }

  /** Counts the free amounts of the cluster anew; amounts that others hold are not part of the capacity. */
  measure(cluster: ClusterView): void {
    for (let r = 0; r < this.width; r++) {
      const resource = this.resources[r] as ResourceId
      let free = 0
      for (let node = 0 as NodeId; node < cluster.nodes; node++) if (cluster.up(node)) free += cluster.free(node, resource)
      const capacity = free + (this.#held[r] as number)
      this.free[r] = free
      if (capacity === this.capacity[r]) continue
      this.capacity[r] = capacity
      this.changed()
    }
  }

  /** Notes that what plans rely on has changed. */
  changed(): void {
    this.changes++
    this.surprises++
  }

  /** Whether others hold some of the cluster, or a node is down. */
  get isShared(): boolean {
    for (let r = 0; r < this.width; r++) if (this.capacity[r] !== this.#total[r]) return true
    return false
  }

  /** Amounts of one task, valid until the next call. */
  #unitOf(task: TaskId): Float64Array {
    const shape = this.#work.shapeOf(task)
    for (let r = 0; r < this.width; r++) this.#unit[r] = this.#work.demand(shape, this.resources[r] as ResourceId)
    return this.#unit
  }

  #move(piece: number, unit: Float64Array, from: number, sign: 1 | -1): void {
    const { width, free } = this
    const { held } = this.running
    for (let r = 0; r < width; r++) {
      const amount = sign * (unit[from + r] as number)
      free[r] = (free[r] as number) - amount
      this.#held[r] = (this.#held[r] as number) + amount
      held[piece * width + r] = (held[piece * width + r] as number) + amount
    }
  }

  #unplannable(job: JobId, shape: ShapeId): never {
    const work = this.#work
    const plain = work.shapeOf(work.taskAt(job, work.frontStage(job, this.lane), 0) as TaskId)
    const [fact, also] = work.avoids(job)
      ? ['avoids nodes on which its tasks have failed (avoid)', ' The rule `drain` keeps nodes from all jobs alike.']
      : work.areCopies && shape !== plain
        ? ['has copies of slow tasks that are kept off some nodes (speculation)', ' Copies of the rule `hadoop` may run on any node.']
        : ['may run on some nodes only, by labels that it requires, by taints, or since its virtual cluster needs larger ones', '']
    throw new SchedError(
      'BAD_OPTION',
      `job ${work.name(job)} ${fact}, and ${this.countedBy} plans by amounts over the whole cluster`,
      { field: 'policy' },
      `Use \`replan\` with \`nodes: named\`, or \`easy\` or \`conservative\` with it where jobs share no nodes, or a policy without plans such as \`greedy\` or \`strict\`.${also}`,
    )
  }

  #infeasible(job: JobId, r: number, amount: number): never {
    throw new SchedError(
      'INFEASIBLE',
      `job ${this.#work.name(job)} asks ${amount} ${this.#names[r] ?? ''} at once, the whole cluster has ${this.#total[r] ?? 0}`,
      {},
      'Leave such jobs out of the workload, or describe a larger cluster.',
    )
  }
}
