import { earliest, type Reserved } from './conservative.js'
import { everySecond, type Moments } from './disciplines.js'
import { fits, type Machine, type Pass } from './machine.js'

/**
 * Backfilling with reservations for the first k waiting jobs, all made anew at every pass: in queue order, a job starts if
 * it can beside what is reserved, else it gets the earliest start if fewer than k have one.
 */
export const reserving =
  (k: number, windows: Reserved = new Map(), moments: Moments = everySecond): Pass =>
  (machine: Machine) => {
    const reserved = new Map(windows)
    for (const job of machine.waiting) {
      const start = fits(job.size, machine.free()) || reserved.size < k + windows.size ? earliest(job, machine, reserved, moments) : Infinity
      if (start === machine.now && fits(job.size, machine.free())) machine.start(job)
      else if (reserved.size < k + windows.size) reserved.set(job, start)
    }
    return Math.min(...[...windows].map(([{ estimate }, from]) => from + estimate).filter((end) => end > machine.now))
  }
