import { everySecond, type Moments } from './disciplines.js'
import { fits, sum, type Machine, type Pass, type RigidJob } from './machine.js'

/**
 * Survey, section 8: every job has a reservation from its arrival on; when a job ends early, each waiting job in queue
 * order (or by reserved starts, of equal ones the shorter first) moves to its earliest start, never a later one; with `atAnyEnd` also when one ends as expected. When a running
 * job outlives its estimate, or a job could not start at its time, all are placed anew.
 */
export function conservative(moments: Moments = everySecond, windows: Reserved = new Map(), atAnyEnd = false, byStart = false): Pass {
  const reserved = new Map<RigidJob, number>()
  let expectations = new Map<RigidJob, number>()
  const place = (job: RigidJob, machine: Machine, latest: number) => {
    reserved.delete(job)
    reserved.set(job, Math.min(latest, earliest(job, machine, new Map([...reserved, ...windows]), moments)))
  }
  return (machine) => {
    const { now } = machine
    const isOutlived = machine.running.some(({ job, expected }) => expected > (expectations.get(job) ?? expected))
    if (isOutlived || [...reserved.values()].some((start) => start < now)) {
      for (const job of machine.waiting) reserved.delete(job)
      for (const job of machine.waiting) place(job, machine, Infinity)
    } else if (machine.gaveBack.some(({ expected }) => atAnyEnd || expected > now)) {
      const planned = machine.waiting.filter((job) => reserved.has(job))
      const start = (job: RigidJob) => reserved.get(job) ?? NaN
      if (byStart) planned.sort((a, b) => start(a) - start(b) || a.estimate - b.estimate)
      for (const job of planned) place(job, machine, start(job))
    }
    for (const job of machine.waiting) if (!reserved.has(job)) place(job, machine, Infinity)
    for (const job of machine.waiting)
      if ((reserved.get(job) ?? NaN) <= now && fits(job.size, machine.free())) {
        reserved.delete(job)
        machine.start(job)
      }
    const next = [...reserved.values()].filter((start) => start > now)
    expectations = new Map(machine.running.map(({ job, expected }) => [job, expected]))
    return Math.min(...next)
  }
}

/** Reserved starts; a window is a job that is not there, of its length and size. */
export type Reserved = ReadonlyMap<RigidJob, number>

/** The earliest time from now on from which the job fits, second by second, for all of its estimated run. */
export function earliest(job: RigidJob, machine: Machine, reserved: Reserved, moments: Moments): number {
  const ends = [...machine.running.map(({ expected }) => expected), ...[...reserved].map(([other, start]) => start + other.estimate)]
  const begins = [...reserved.values()]
  const freeAt = (t: number) =>
    machine.freeAt(t).map((free, r) => free - sum([...reserved].filter(([other, start]) => start <= t && t < start + other.estimate).map(([other]) => other.size[r] ?? 0)))
  for (const start of moments(machine.now, ends)) {
    const end = start + job.estimate
    const during = [start, ...begins.filter((t) => t > start && t < end)] // free amounts fall only where a reservation begins
    if (during.every((t) => fits(job.size, freeAt(t)))) return start
  }
  throw new Error('the job is larger than the machine')
}
