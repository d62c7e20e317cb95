/** A job of some processors that may run for less than its estimate. Times in whole milliseconds. */
export interface LoweredJob {
  readonly submit: number
  readonly size: number
  readonly runtime: number
  readonly estimate: number
  /** The least estimate; `undefined`: it is not lowered. */
  readonly least?: number | undefined
  /** By when it must have ended, or else it is given up; `undefined`: whenever. */
  readonly deadline?: number | undefined
}

/** Processors that are taken for a time. */
interface Hold {
  readonly size: number
  readonly from: number
  readonly to: number
}

/** Start and end of each job, `undefined` for one that never starts. */
type LoweredSchedule = ([start: number, end: number] | undefined)[]

/** Starts jobs that wait, in order: `start` says for how long. `running`: what is expected to run. */
type LoweredPass = (now: number, waiting: readonly number[], running: () => readonly Hold[], start: (job: number, limit: number) => void) => void

const MINUTE = 60_000
const latestStart = ({ deadline = Infinity, estimate, least = estimate }: LoweredJob) => deadline - least

/** From one event to the next: what has ended leaves, what is late is given up a millisecond later, and a pass is made. */
export function lowered(jobs: readonly LoweredJob[], pass: LoweredPass): LoweredSchedule {
  const schedule: LoweredSchedule = jobs.map(() => undefined)
  let running: (Hold & { readonly end: number })[] = []
  let waiting: number[] = []
  for (let now = 0; now < Infinity; ) {
    running = running.filter(({ end }) => end > now)
    waiting = [...waiting, ...jobs.flatMap(({ submit }, i) => (submit === now ? [i] : []))].filter((job) => now <= latestStart(jobs[job] as LoweredJob))
    pass(now, [...waiting], () => running, (index, limit) => {
      const { size, runtime } = jobs[index] as LoweredJob
      const end = now + Math.min(runtime, limit)
      schedule[index] = [now, end]
      waiting = waiting.filter((each) => each !== index)
      running.push({ size, from: now, to: now + limit, end })
    })
    const times = [...running.map(({ end }) => end), ...jobs.map(({ submit }) => submit), ...waiting.map((job) => latestStart(jobs[job] as LoweredJob) + 1)]
    now = Math.min(...times.filter((time) => time > now))
  }
  return schedule
}

const freeAt = (time: number, slots: number, holds: readonly Hold[]) => slots - holds.reduce((sum, { size, from, to }) => sum + (from <= time && time < to ? size : 0), 0)
const hasRoom = (size: number, from: number, to: number, slots: number, holds: readonly Hold[]) =>
  [from, ...holds.map((hold) => hold.from).filter((time) => from < time && time < to)].every((time) => freeAt(time, slots, holds) >= size)
const earliest = (now: number, size: number, length: number, slots: number, holds: readonly Hold[]) =>
  [now, ...holds.map(({ to }) => to).filter((time) => time > now)].sort((a, b) => a - b).find((time) => hasRoom(size, time, time + length, slots, holds)) as number

/** EASY: the first that must wait has a shadow time; who passes it with a lower estimate ends then. */
export const easyPass = (jobs: readonly LoweredJob[], slots: number): LoweredPass => (now, waiting, running, start) => {
  const queue = [...waiting]
  const most = ({ estimate, least, deadline = Infinity }: LoweredJob) => (least === undefined ? estimate : Math.min(estimate, deadline - now))
  for (;;) {
    const next = jobs[queue[0] ?? -1]
    if (next === undefined) return
    if (freeAt(now, slots, running()) < next.size) break
    start(queue.shift() as number, most(next))
  }
  const head = jobs[queue.shift() as number] as LoweredJob
  const shadow = earliest(now, head.size, Infinity, slots, running())
  let extra = freeAt(shadow, slots, running()) - head.size
  for (const index of queue) {
    const job = jobs[index] as LoweredJob
    if (freeAt(now, slots, running()) < job.size) continue
    if (now + job.estimate <= shadow) start(index, most(job))
    else if (job.size <= extra) {
      extra -= job.size
      start(index, most(job))
    } else if (now + (job.least ?? Infinity) <= shadow) start(index, Math.min(most(job), shadow - now))
  }
}

/**
 * Slurm's backfill by amounts: everybody gets a place in a plan, in order, jobs with a least limit for that alone; who starts gets as many whole minutes as there
 * are. With a deadline, too, a job needs room for all of its limit, and starts with what is left until then.
 */
export const planPass = (jobs: readonly LoweredJob[], slots: number): LoweredPass => (now, waiting, running, start) => {
  const plan: Hold[] = [...running()]
  for (const index of waiting) {
    const { size, estimate, least, deadline } = jobs[index] as LoweredJob
    const asked = least === undefined || deadline !== undefined ? estimate : least
    const at = earliest(now, size, asked, slots, plan)
    if (at > now) {
      plan.push({ size, from: Math.floor(at / MINUTE) * MINUTE, to: Math.ceil((at + asked) / MINUTE) * MINUTE })
      continue
    }
    const left = least === undefined || deadline === undefined ? Infinity : Math.floor((deadline - now) / MINUTE) * MINUTE
    let limit = Math.min(estimate, left)
    if (least !== undefined) while (limit > least && !hasRoom(size, now, now + limit, slots, plan)) limit -= MINUTE
    if (least !== undefined) limit = Math.max(limit, least)
    plan.push({ size, from: now, to: now + limit })
    start(index, limit)
  }
}
