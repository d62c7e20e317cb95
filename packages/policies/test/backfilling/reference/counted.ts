import type { RigidJob } from './machine.js'

/** A job in plain numbers, with what becomes of it; `planned` is its reserved start. */
interface Counted {
  readonly submit: number
  readonly runtime: number
  readonly estimate: number
  readonly size: number
  start: number
  planned: number
}

/** What a discipline does at an instant at which something has happened: sets `start` of those that start now. */
type Decide = (now: number, waiting: readonly Counted[], running: readonly Counted[], ended: readonly Counted[]) => void

/**
 * Start times of jobs of one resource that never outlive their estimates, for whole logs: plain numbers and lists, built
 * without anything of the other references. At each instant: ends, submissions, one pass.
 */
export function scheduleCounted(jobs: readonly RigidJob[], decide: Decide): number[] {
  const all = jobs.map(({ submit, runtime, estimate, size }): Counted => ({ submit, runtime, estimate, size: size[0] ?? 0, start: NaN, planned: NaN }))
  const endOf = ({ start, runtime }: Counted) => start + runtime
  let waiting: Counted[] = []
  let running: Counted[] = []
  let next = 0
  while (next < all.length || waiting.length + running.length > 0) {
    let now = all[next]?.submit ?? Infinity
    for (const job of running) now = Math.min(now, endOf(job))
    for (const { planned } of waiting) if (planned < now) now = planned
    const ended = running.filter((job) => endOf(job) <= now)
    if (ended.length > 0) running = running.filter((job) => endOf(job) > now)
    for (let job = all[next]; job !== undefined && job.submit <= now; job = all[++next]) waiting.push(job)
    decide(now, waiting, running, ended)
    const started = waiting.filter(({ start }) => start === now)
    if (started.length === 0) continue
    running.push(...started)
    waiting = waiting.filter(({ start }) => start !== now)
  }
  return all.map(({ start }) => start)
}

const held = (jobs: readonly Counted[]) => jobs.reduce((sum, { size }) => sum + size, 0)

/** Heads start while they fit; with `backfill` others do that end before the shadow time of the head, or leave it its processors. */
export const fcfsOrEasy =
  (procs: number, backfill: boolean): Decide =>
  (now, waiting, running) => {
    let free = procs - held(running)
    const holders = running.map((job) => ({ end: job.start + job.estimate, size: job.size }))
    const start = (job: Counted) => {
      job.start = now
      free -= job.size
      holders.push({ end: now + job.estimate, size: job.size })
    }
    let first = 0
    for (let head = waiting[0]; head !== undefined && head.size <= free; head = waiting[++first]) start(head)
    const head = waiting[first]
    if (!backfill || head === undefined || free === 0) return
    let shadow = now
    let then = free
    for (const { end, size } of holders.sort((a, b) => a.end - b.end)) if (then < head.size || end === shadow) [shadow, then] = [end, then + size]
    let extra = then - head.size
    for (let i = first + 1; i < waiting.length && free > 0; i++) {
      const job = waiting[i] as Counted
      const isBefore = now + job.estimate <= shadow
      if (job.size > free || !(isBefore || job.size <= extra)) continue
      start(job)
      if (!isBefore) extra -= job.size
    }
  }

/** Reservations in one list of steps that is kept from pass to pass: `free[i]` from `times[i]` on. */
export function conservativeCounted(procs: number): Decide {
  let times = [-Infinity]
  let free = [procs]
  const split = (time: number) => {
    let at = times.findLastIndex((step) => step <= time)
    if (times[at] !== time) {
      times.splice(++at, 0, time)
      free.splice(at, 0, free[at - 1] as number)
    }
    return at
  }
  const change = (from: number, to: number, by: number) => {
    const begin = split(from)
    const end = split(to)
    for (let i = begin; i < end; i++) free[i] = (free[i] as number) + by
  }
  const earliest = ({ size, estimate }: Counted): number => {
    let from = 0
    for (let i = 0; i < times.length; i++) {
      if ((times[i] as number) >= (times[from] as number) + estimate) break
      if ((free[i] as number) < size) from = i + 1
    }
    return times[from] as number
  }
  const place = (job: Counted) => {
    job.planned = earliest(job)
    change(job.planned, job.planned + job.estimate, -job.size)
  }
  return (now, waiting, _running, ended) => {
    const first = split(now)
    const isStep = (_: number, i: number) => i === first || (i > first && free[i] !== free[i - 1])
    times = times.filter(isStep)
    free = free.filter(isStep)
    for (const { start, estimate, size } of ended) if (start + estimate > now) change(now, start + estimate, size)
    if (ended.some(({ start, estimate }) => start + estimate > now))
      for (const job of waiting) {
        if (Number.isNaN(job.planned)) continue
        change(job.planned, job.planned + job.estimate, job.size)
        place(job)
      }
    for (const job of waiting) {
      if (Number.isNaN(job.planned)) place(job)
      if (job.planned === now) job.start = now
    }
  }
}
