/** A job of equal tasks, which start together or one by one; `size` is the demand of each, and without an estimate it is taken as endless. Whole numbers only. */
export interface TaskJob {
  readonly user: string
  readonly queue: string
  readonly submit: number
  readonly runtime: number
  readonly estimate: number | undefined
  readonly tasks: number
  readonly gang: boolean
  readonly size: readonly number[]
}

/** A time in which a node is away: what ran there is lost, or with `drain` runs on. */
export interface Away {
  readonly node: number
  readonly from: number
  readonly to: number
  readonly drain: boolean
}

/** Amounts that nobody may use for a time. */
interface Kept {
  readonly from: number
  readonly to: number
  readonly size: readonly number[] | 'all'
}

export interface ClusterWorld {
  readonly nodes: number
  /** Of each node, by resource. */
  readonly capacity: readonly number[]
  /** In the order of submission. */
  readonly jobs: readonly TaskJob[]
  readonly outages: readonly Away[]
  readonly windows: readonly Kept[]
}

/** What has started together: a gang, or one task of another job. */
export interface Piece {
  readonly job: TaskJob
  readonly start: number
  /** Start + planned length, until it is outlived. */
  expected: number
  /** The node of each task. */
  readonly nodes: readonly number[]
}

/** Decides at one instant, when all of it has happened; may say when it wants to be asked again. */
export type ClusterPass = (cluster: Cluster) => readonly number[]

const times = (size: readonly number[], count: number) => size.map((amount) => amount * count)
const less = (amounts: readonly number[], taken: readonly (readonly number[])[]) => amounts.map((amount, r) => taken.reduce((left, each) => left - (each[r] ?? 0), amount))
/** Who asks none of a resource may go where it is short. */
export const hasRoom = (size: readonly number[], free: readonly number[]) => size.every((amount, r) => amount === 0 || amount <= (free[r] ?? 0))

/** A cluster as a reference discipline sees it: plain arrays. */
export class Cluster {
  now = 0
  readonly world: ClusterWorld
  /** How long a job is planned for. */
  readonly length: (job: TaskJob) => number
  /** In the order of submission, also of who has started and was lost. */
  waiting: TaskJob[] = []
  running: Piece[] = []
  /** Since the last pass: pieces that have left nodes which are there, waits of jobs that are done, and whether a node has come or gone. */
  gaveBack: Piece[] = []
  waits: number[] = []
  isChanged = false
  /** Seconds since the last pass in which jobs came or ended, or nodes came or went. */
  events: number[] = []
  /** By job: tasks to start, tasks that are done, pieces started so far, and when the first did. */
  readonly left = new Map<TaskJob, number>()
  readonly done = new Map<TaskJob, number>()
  readonly pieces = new Map<TaskJob, number>()
  readonly first = new Map<TaskJob, number>()
  /** Second and job of each start of a task. */
  readonly log: string[] = []
  /** Outages of each node that last. */
  readonly #away: number[]

  constructor(world: ClusterWorld, length: (job: TaskJob) => number) {
    this.world = world
    this.length = length
    this.#away = Array<number>(world.nodes).fill(0)
  }

  #isUp(node: number): boolean {
    return this.#away[node] === 0
  }

  /** What the piece holds on nodes that are there. */
  #held({ job, nodes }: Piece): number[] {
    return times(job.size, nodes.filter((node) => this.#isUp(node)).length)
  }

  #capacity(): number[] {
    return times(this.world.capacity, this.#away.filter((outages) => outages === 0).length)
  }

  free(): number[] {
    return less(this.#capacity(), this.running.map((piece) => this.#held(piece)))
  }

  /** What will be free at second t beside windows, as far as all end as expected: also below 0. */
  freeAt(t: number): number[] {
    return less(this.idleAt(t), this.running.filter(({ expected }) => expected > t).map((piece) => this.#held(piece)))
  }

  /** What windows leave at second t of the nodes that are there; of no second: all that these have. */
  idleAt(t: number): number[] {
    return less(this.#capacity(), this.world.windows.filter(({ from, to }) => from <= t && t < to).map(({ size }) => (size === 'all' ? this.#capacity() : size)))
  }

  /** What the next piece asks. */
  asks({ gang, tasks, size }: TaskJob): number[] {
    return times(size, gang ? tasks : 1)
  }


  /** Starts the next piece on the lowest nodes with room for its tasks; false where they have none for all of them. */
  start(job: TaskJob): boolean {
    const count = job.gang ? job.tasks : 1
    const nodes: number[] = []
    for (let node = 0; node < this.world.nodes; node++) {
      const on = this.running.map((piece) => times(piece.job.size, piece.nodes.filter((each) => each === node).length))
      let free = this.#isUp(node) ? less(this.world.capacity, on) : this.world.capacity.map(() => -1)
      for (; nodes.length < count && job.size.every((amount, r) => amount <= (free[r] ?? 0)); free = less(free, [job.size])) nodes.push(node)
    }
    if (nodes.length < count) return false
    this.running.push({ job, start: this.now, expected: this.now + this.length(job), nodes })
    this.#count(this.left, job, -count)
    if (this.left.get(job) === 0) this.waiting = this.waiting.filter((other) => other !== job)
    this.#count(this.pieces, job, 1)
    if (!this.first.has(job)) this.first.set(job, this.now)
    this.log.push(...nodes.map(() => `${this.now} J${this.world.jobs.indexOf(job)}`))
    return true
  }

  submit(job: TaskJob): void {
    this.left.set(job, job.tasks)
    this.waiting.push(job)
  }

  /** All pieces that end at this instant leave; whether there were any. */
  end(): boolean {
    const over = this.running.filter(({ job, start }) => start + job.runtime <= this.now)
    for (const piece of over) {
      this.#leave(piece)
      this.#count(this.done, piece.job, piece.nodes.length)
      if (this.done.get(piece.job) === piece.job.tasks) this.waits.push((this.first.get(piece.job) ?? NaN) - piece.job.submit)
    }
    return over.length > 0
  }

  goes({ node, drain }: Away): void {
    if (!drain)
      for (const piece of this.running.filter(({ nodes }) => nodes.includes(node))) {
        this.#leave(piece)
        this.#count(this.left, piece.job, piece.nodes.length)
        if (!this.waiting.includes(piece.job)) this.waiting.push(piece.job)
        this.waiting.sort((a, b) => this.world.jobs.indexOf(a) - this.world.jobs.indexOf(b))
      }
    this.#move(node, 1)
  }

  comesBack({ node }: Away): void {
    this.#move(node, -1)
  }

  #leave(piece: Piece): void {
    this.running = this.running.filter((other) => other !== piece)
    if (piece.nodes.some((node) => this.#isUp(node))) this.gaveBack.push(piece)
  }

  #move(node: number, by: 1 | -1): void {
    const wasUp = this.#isUp(node)
    this.#away[node] = (this.#away[node] ?? 0) + by
    if (wasUp !== this.#isUp(node)) this.isChanged = true
  }

  #count(counts: Map<TaskJob, number>, job: TaskJob, by: number): void {
    counts.set(job, (counts.get(job) ?? 0) + by)
  }

  /** A piece that still runs at its expected end is given 60 s more, then 120 s, and so on. */
  outlive(): void {
    for (const piece of this.running)
      if (piece.start < this.now) for (let more = 60, end = piece.start + this.length(piece.job); piece.expected <= this.now; more *= 2) piece.expected = end += more
  }
}

/** Second and job of each start of a task, in order. At each instant: ends, nodes that go and come back, submissions, one pass. */
export function scheduleOnNodes(world: ClusterWorld, pass: ClusterPass, length: (job: TaskJob) => number): string[] {
  const cluster = new Cluster(world, length)
  const coming = [...world.jobs]
  let changes = world.outages.flatMap((outage) => [{ time: outage.from, outage, goes: true }, { time: outage.to, outage, goes: false }])
  let asked: number[] = []
  while (coming.length + cluster.running.length + cluster.waiting.length > 0) {
    cluster.now = Math.min(coming[0]?.submit ?? Infinity, ...cluster.running.map(({ start, job }) => start + job.runtime), ...changes.map(({ time }) => time), ...asked)
    const { now } = cluster
    let happens = asked.includes(now)
    asked = asked.filter((time) => time > now)
    let isEvent = cluster.end()
    happens ||= isEvent
    for (const { outage, goes } of changes.filter(({ time }) => time === now)) {
      if (goes) cluster.goes(outage)
      else cluster.comesBack(outage)
      happens = true
      isEvent ||= cluster.isChanged
    }
    changes = changes.filter(({ time }) => time > now)
    for (let job = coming[0]; job !== undefined && job.submit <= now; job = coming[0]) {
      cluster.submit(job)
      coming.shift()
      happens = isEvent = true
    }
    if (isEvent) cluster.events.push(now)
    if (!happens || cluster.waiting.length === 0) continue
    cluster.outlive()
    asked.push(...pass(cluster).filter((time) => time > now && time < Infinity))
    cluster.gaveBack = []
    cluster.isChanged = false
    cluster.events = []
  }
  return cluster.log
}
