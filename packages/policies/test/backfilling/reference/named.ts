import { extend, partsOf, type RigidJob, type Running } from './machine.js'

/** Where and when a job runs, or is planned to: `nodes` has one entry per task. */
interface Placed {
  readonly start: number
  readonly nodes: readonly number[]
}

/** Jobs in the order of their submission, of `size[0]` equal tasks each; node i holds `rooms[i]` of them. */
interface World {
  readonly jobs: readonly RigidJob[]
  readonly rooms: readonly number[]
}

/** Who has which nodes when, second by second from now on. */
class Calendar {
  constructor(private readonly now: number, private readonly rooms: readonly number[], private readonly busy: { nodes: readonly number[]; from: number; to: number }[]) {}

  #isFree(node: number, second: number): boolean {
    return this.busy.every(({ nodes, from, to }) => !nodes.includes(node) || second < from || second >= to)
  }

  /** The first second from which enough nodes are free for the whole run, and the lowest of these nodes. */
  first(job: RigidJob): Placed {
    for (let start = this.now; ; start++) {
      const seconds = Array.from({ length: lengthOf(job) }, (_, i) => start + i)
      const free = this.rooms.flatMap((room, node) => (seconds.every((second) => this.#isFree(node, second)) ? Array.from({ length: room }, () => node) : []))
      if (free.length >= (job.size[0] ?? 0)) return { start, nodes: free.slice(0, job.size[0]) }
    }
  }

  take(job: RigidJob, { start, nodes }: Placed): void {
    this.busy.push({ nodes, from: start, to: start + lengthOf(job) })
  }
}

const lengthOf = ({ estimate }: RigidJob) => Math.max(1, estimate)

type Runs = Running & { readonly nodes: readonly number[] }

/** What a discipline sees at one instant, after all its ends and submissions. */
export interface Now {
  readonly time: number
  readonly waiting: readonly RigidJob[]
  readonly ended: readonly Runs[]
  /** Whether a job has outlived its expected end. */
  readonly isOutlived: boolean
  /** A calendar with what runs, and these. */
  calendar(planned: ReadonlyMap<RigidJob, Placed>): Calendar
  start(job: RigidJob, nodes: readonly number[]): void
}

/** Starts and nodes of all jobs under a discipline. */
export function scheduleByName({ jobs, rooms }: World, pass: (now: Now) => number | void): Placed[] {
  const starts = new Map<RigidJob, Placed>()
  let running: Runs[] = []
  let waiting: RigidJob[] = []
  let came = 0
  let asked: number[] = []
  while (came < jobs.length || running.length > 0 || asked.length > 0) {
    const time = Math.min(...asked, jobs[came]?.submit ?? Infinity, ...running.map(({ job, start }) => start + job.runtime))
    const ended = running.filter(({ job, start }) => start + job.runtime <= time)
    running = running.filter((run) => !ended.includes(run))
    for (let job = jobs[came]; job !== undefined && job.submit <= time; job = jobs[++came]) waiting.push(job)
    const before = running.map(({ expected }) => expected)
    for (const run of running) extend(run, time, 60)
    const next = pass({
      time,
      waiting: [...waiting],
      ended,
      isOutlived: running.some(({ expected }, i) => expected !== before[i]),
      calendar: (planned) => {
        const calendar = new Calendar(time, rooms, running.map(({ nodes, expected }) => ({ nodes, from: time, to: expected })))
        for (const [job, place] of planned) calendar.take(job, place)
        return calendar
      },
      start: (job, nodes) => {
        waiting = waiting.filter((other) => other !== job)
        running.push({ job, start: time, expected: time + job.estimate, parts: partsOf(job), nodes })
        starts.set(job, { start: time, nodes })
      },
    })
    asked = [...asked, next ?? Infinity].filter((at) => at > time && at < Infinity)
  }
  return jobs.map((job) => starts.get(job) ?? { start: NaN, nodes: [] })
}

/** EASY, batsched: the first `reservations` jobs that cannot start keep the nodes where they can first; any other starts if its first place is now. */
export const easyByName = (reservations = 1) => (now: Now): void => {
  const planned = new Map<RigidJob, Placed>()
  let left = reservations
  for (const job of now.waiting) {
    const place = now.calendar(planned).first(job)
    if (place.start === now.time) now.start(job, place.nodes)
    else if (left-- > 0) planned.set(job, place)
  }
}

/** Conservative, batsched: when a job has ended each reservation is taken out in turn, and put back where it can be first. */
export function conservativeByName(atAnyEnd: boolean): (now: Now) => number {
  const planned = new Map<RigidJob, Placed>()
  const place = (job: RigidJob, now: Now) => {
    planned.delete(job)
    planned.set(job, now.calendar(planned).first(job))
  }
  return (now) => {
    if (now.isOutlived) planned.clear()
    if (now.ended.some(({ expected }) => atAnyEnd || expected > now.time)) for (const job of now.waiting) if (planned.has(job)) place(job, now)
    for (const job of now.waiting) if (!planned.has(job)) place(job, now)
    for (const job of now.waiting) {
      const { start, nodes } = planned.get(job) as Placed
      if (start > now.time) continue
      planned.delete(job)
      now.start(job, nodes)
    }
    return Math.min(...[...planned.values()].map(({ start }) => start))
  }
}
