import { dispatcher, type Decisions, type Dispatcher, type DispatcherMemory, type JobUpdate, type Placed, type TaskName } from '@sched/cluster'
import { SchedError, type JobSpec, type Plug, type Seconds } from '@sched/core'
import { HeartbeatRing } from '@sched/sim'
import { modelOf } from './build.js'
import { outagesOf, type World } from './laws/world.js'
import { mustBePlain } from './plain-data.js'

/** Options of a `Program`; all may be left out. */
export interface ProgramOptions {
  /** Whether a new dispatcher is given the memory of the one before. Default true. */
  readonly remembers?: boolean
  /** Nodes that are described and not there. Default none. */
  readonly missing?: readonly string[]
}

/** A task that runs, or has, of a job that is in the system: since when, and until when. */
interface Run extends TaskName {
  readonly node: string
  /** Its place among all starts. */
  readonly order: number
  readonly start: Seconds
  readonly end: Seconds
}

/** A node goes (1) or comes back (-1). */
interface NodeChange {
  readonly time: Seconds
  readonly node: string
  readonly by: 1 | -1
  /** Whether what runs there runs on. */
  readonly drain: boolean
}

/** Instants after which a program gives up: where nodes report, and where ends are known at once. */
const MOST_LOOKS = { withHeartbeats: 50_000, atOnce: 5000 }

/**
 * A program with the jobs of a world, which tells a dispatcher of them and of nodes that go and come back, carries out what it decides, and can begin
 * again with another one. No task fails by itself, and nothing is random: a task whose duration is a distribution takes a second. The world has to be
 * one that a dispatcher can be told of, see `tellable`.
 */
export class Program {
  /** What was decided, in order: `12 start j1.0.3 on n0-1`, or `kill`, `suspend`, `resume`. */
  readonly lines: string[] = []
  /** The time that it has come to, in seconds. */
  now: Seconds = 0
  #master: Dispatcher
  readonly #ring: HeartbeatRing | undefined
  readonly #waiting: JobSpec[]
  /** When nodes go and come back, in order of time. */
  readonly #changes: NodeChange[]
  /** By node, how many outages it has now. */
  readonly #away = new Map<string, number>()
  #running = new Map<number, Run>()
  #started = 0
  /** What a new dispatcher has to be told of, by job. */
  readonly #known = new Map<string, { readonly submit: Seconds; readonly runs: Run[] }>()
  readonly #updated = new Map<string, JobSpec>()
  /** Of suspended tasks: for how long they have to run yet. */
  readonly #left = new Map<string, Seconds>()

  constructor(
    private readonly world: World,
    private readonly make: () => Plug<'policy'>,
    private readonly options: ProgramOptions = {},
  ) {
    const { heartbeat, nodes, nodeNames } = modelOf(world.cluster)
    for (const node of options.missing ?? []) this.#away.set(node, 1)
    this.#master = this.#begun()
    for (const node of this.#away.keys()) this.#master.nodeDown(node, 0)
    const both = outagesOf(world, nodes).flatMap(({ node, from, to, drain = false }) => [{ time: from, by: 1 as const, node, drain }, { time: to, by: -1 as const, node, drain }])
    this.#changes = both.map((change) => ({ ...change, node: nodeNames[change.node] as string })).toSorted((a, b) => a.time - b.time || a.by - b.by)
    this.#ring = heartbeat === undefined ? undefined : new HeartbeatRing(heartbeat, nodes)
    this.#waiting = world.jobs.toSorted((a, b) => a.submit - b.submit)
  }

  /** Goes on until so many looks have been taken, or nothing is left to happen. True if all work is done. */
  run(looks = Infinity): boolean {
    const most = this.#ring === undefined ? MOST_LOOKS.atOnce : MOST_LOOKS.withHeartbeats
    for (let left = Math.min(looks, most); left > 0; left--) {
      const now = this.#next()
      if (now === Infinity) break
      this.now = now
      for (const [id, run] of [...this.#running].filter(([, { end }]) => end === now)) this.#end(id, run)
      while (this.#changes[0]?.time === now) this.#change(this.#changes.shift() as NodeChange)
      while (this.#waiting[0]?.submit === now) this.#submit(this.#waiting.shift() as JobSpec)
      this.look()
    }
    return this.#waiting.length === 0 && this.#master.work.active === 0
  }

  /** The memory of its dispatcher. */
  memory(): DispatcherMemory {
    return this.#master.memory()
  }

  /** Begins again: with a dispatcher that is told of the jobs in the system and of what runs and has run of them, in order of time. */
  restart(): void {
    const told = this.#master.memory()
    mustBePlain(told, 'memory')
    const memory = JSON.parse(JSON.stringify(told)) as DispatcherMemory
    const master = (this.#master = this.#begun())
    const placed = new Map<Run, Placed>()
    const isRunning = new Set(this.#running.values())
    const jobs = [...this.#known]
    const calls = [
      ...jobs.map(([job, { submit }]) => ({ time: submit, rank: 1, order: 0, call: () => void master.submit(this.#spec(job), submit, { again: true }) })),
      ...jobs.flatMap(([, { runs }]) => runs).flatMap((run) => [
        { time: run.start, rank: 2, order: run.order, call: () => void placed.set(run, master.adopt(run, run.start)) },
        ...(isRunning.has(run) ? [] : [{ time: run.end, rank: 0, order: 0, call: () => void master.taskEnded(placed.get(run) as Placed, run.end) }]),
      ]),
    ]
    for (const { call } of calls.toSorted((a, b) => a.time - b.time || a.rank - b.rank || a.order - b.order)) call()
    for (const node of this.#away.keys()) master.nodeDown(node, memory.now)
    if (this.options.remembers ?? true) master.recall(memory)
    this.#running = new Map([...isRunning].map((run) => [(placed.get(run) as Placed).id, run]))
  }

  /** A job in the system is another from now on, or cancelled (`null`): this dispatcher is told so, or the next one never hears anything else. */
  hear(pick: number, changes: JobUpdate | null, isLive: boolean): void {
    const job = [...this.#known.keys()][pick % this.#known.size]
    if (job === undefined) return
    if (changes === null) return this.#cancel(job, isLive)
    try {
      if (isLive) this.#master.update(job, changes, this.now)
      this.#updated.set(job, { ...this.#spec(job), ...changes } as JobSpec)
    } catch (error) {
      if (!isRefusal(error)) throw error
    }
  }

  /** A running task fails by itself, and is to be run again. */
  fail(pick: number): void {
    const failed = [...this.#running][pick % this.#running.size]
    if (failed === undefined) return
    this.#lose(...failed)
    this.#master.taskFailed({ id: failed[0] }, this.now)
  }

  /** Asks what to start and to kill now, and does it. */
  look(): void {
    const ring = this.#ring
    if (ring === undefined) return this.#carryOut(this.#master.pass(this.now))
    if (this.#master.nextWake <= this.now) this.#carryOut(this.#master.tick(this.now))
    for (ring.skipTo(this.now); ring.next === this.now; ring.advance()) this.#carryOut(this.#master.heartbeat(this.#master.cell.name(ring.node), this.now))
  }

  #begun(): Dispatcher {
    const { cluster, seed } = this.world
    return dispatcher({ cluster, policy: this.make(), seed })
  }

  /** When something happens next, now at the earliest: a dispatcher that is new may want to be asked at once. `Infinity`: never. */
  #next(): Seconds {
    const ends = [...this.#running.values()].map(({ end }) => end)
    const beat = this.#ring !== undefined && this.#master.work.active > 0 ? this.#ring.next : Infinity
    return Math.max(this.now, Math.min(this.#waiting[0]?.submit ?? Infinity, this.#changes[0]?.time ?? Infinity, this.#master.nextWake, beat, ...ends))
  }

  /** A node goes, with what runs there unless it is drained, or comes back. */
  #change({ node, by, drain }: NodeChange): void {
    const outages = (this.#away.get(node) ?? 0) + by
    if (outages > 0) this.#away.set(node, outages)
    else this.#away.delete(node)
    if (outages === 0) return this.#master.nodeUp(node, this.now)
    if (by > 0) this.#master.nodeDown(node, this.now)
    if (by < 0 || drain) return
    for (const [id, run] of [...this.#running].filter(([, each]) => each.node === node)) {
      this.#lose(id, run)
      this.#master.taskFailed({ id }, this.now)
    }
  }

  #cancel(job: string, isLive: boolean): void {
    const ids = isLive ? this.#master.cancel(job, this.now).map(({ id }) => id) : [...this.#running].filter(([, run]) => run.job === job).map(([id]) => id)
    for (const id of ids) {
      this.#running.delete(id)
      if (isLive) this.#master.taskEnded({ id }, this.now)
    }
    this.#known.delete(job)
  }

  #spec(id: string): JobSpec {
    return this.#updated.get(id) ?? (this.world.jobs.find((job) => job.id === id) as JobSpec)
  }

  #submit(spec: JobSpec): void {
    try {
      this.#master.submit(spec, this.now)
      this.#known.set(spec.id, { submit: this.now, runs: [] })
    } catch (error) {
      if (!isRefusal(error)) throw error
    }
  }

  #end(id: number, run: Run): void {
    this.#running.delete(id)
    if (this.#master.taskEnded({ id }, this.now)) this.#known.delete(run.job)
  }

  #carryOut({ start, kill, suspend = [], resume = [], cancelled = [] }: Decisions): void {
    for (const placed of kill) this.#stop(placed, 'kill')
    for (const placed of suspend) this.#left.set(name(placed), this.#stop(placed, 'suspend').end - this.now)
    for (const job of cancelled) this.#known.delete(job)
    for (const placed of start) this.#begin(placed, this.#duration(placed), 'start')
    for (const placed of resume) this.#begin(placed, this.#left.get(name(placed)) as Seconds, 'resume')
  }

  #stop(placed: Placed, how: string): Run {
    const run = this.#running.get(placed.id) as Run
    this.#lose(placed.id, run)
    this.lines.push(`${this.now} ${how} ${name(placed)}`)
    return run
  }

  #lose(id: number, run: Run): void {
    this.#running.delete(id)
    const runs = this.#known.get(run.job)?.runs ?? []
    runs.splice(runs.indexOf(run), 1)
  }

  #duration({ job, stage, task }: Placed): Seconds {
    const duration = this.#spec(job).stages[stage]?.duration
    if (typeof duration === 'number') return duration
    return Array.isArray(duration) ? (duration as number[])[task] as Seconds : 1
  }

  #begin(placed: Placed, seconds: Seconds, how: string): void {
    const run: Run = { ...placed, order: this.#started++, start: this.now, end: this.now + Math.max(seconds, 0.5) }
    this.#running.set(placed.id, run)
    this.#known.get(placed.job)?.runs.push(run)
    this.lines.push(`${this.now} ${how} ${name(placed)}`)
  }
}

const isRefusal = (error: unknown): boolean => error instanceof SchedError && error.code === 'INFEASIBLE'
const name = ({ job, stage, task, node }: Placed): string => `${job}.${stage}.${task} on ${node}`
