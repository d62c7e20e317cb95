/**
 * What waiting costs, and how seconds and skips convert: one slot of S frees every T/S seconds.
 *
 * Source: Zaharia et al., "Delay Scheduling", EuroSys 2010: cost of waiting for a share, of D skips, choice of W1.
 * Symbols: F share of a job in slots, S slots of the cluster, T mean task duration in seconds, D skips.
 * All functions throw `BAD_OPTION` for an argument out of range.
 */
import type { Seconds } from '@sched/core'
import { requireNonNegative, requirePositive } from './arguments.js'

/** Slots that become free per second in a fully busy cluster: S/T. */
export function slotFreeRate(slots: number, taskSeconds: Seconds): number {
  requirePositive('slots', slots)
  requirePositive('taskSeconds', taskSeconds)
  return slots / taskSeconds
}

/** Seconds until a job has collected a share of F slots without killing anything: F T/S. */
export function secondsToCollect(share: number, slots: number, taskSeconds: Seconds): Seconds {
  requireNonNegative('share', share)
  requirePositive('slots', slots)
  requirePositive('taskSeconds', taskSeconds)
  return (share * taskSeconds) / slots
}

/** The most a job at the head of the queue waits for D skips, in mean task durations: D/S. */
export function relativeWait(skips: number, slots: number): number {
  requireNonNegative('skips', skips)
  requirePositive('slots', slots)
  return skips / slots
}

/** The most a job at the head of the queue waits for D skips: (D/S) T seconds. */
export function waitForSkips(skips: number, slots: number, taskSeconds: Seconds): Seconds {
  requirePositive('taskSeconds', taskSeconds)
  return relativeWait(skips, slots) * taskSeconds
}

/** D that a wait of W1 seconds amounts to at a slot-free rate r: r W1. */
export function skipsInWait(wait: Seconds, slotsPerSecond: number): number {
  requireNonNegative('wait', wait)
  requirePositive('slotsPerSecond', slotsPerSecond)
  return slotsPerSecond * wait
}

/** Seconds in which n slots become free at a rate r: n/r. With n = D it is the wait W1 that lets D slots pass. */
export function waitAtRate(slots: number, slotsPerSecond: number): Seconds {
  requireNonNegative('slots', slots)
  requirePositive('slotsPerSecond', slotsPerSecond)
  return slots / slotsPerSecond
}
