import type { Decision, Seconds } from '@sched/core'
import { addSpan, type WaitSpan } from './wait-spans.js'

const DECISION = 'decision'
const BUSY = 'scheduler busy'
const AGAIN = 'next attempt'

/** A decision that took time; its own if it was about the job that waits. Lost: all its claims conflicted. Vain: nothing started. */
interface Made extends Pick<Decision, 'opened' | 'closed'> {
  readonly scheduler: number
  readonly isOwn: boolean
  readonly isLost: boolean
  readonly isVain: boolean
}

/** The decisions made while a job waits, and the parts of its wait for which they account. */
export class WaitsForDecisions {
  readonly #made: Made[] = []

  add({ scheduler, opened, closed, accepted, conflicted }: Decision, isOwn: boolean): void {
    this.#made.push({ scheduler: scheduler.id, isOwn, isLost: conflicted > 0 && accepted === 0, isVain: accepted === 0, opened, closed })
  }

  /** Number of decisions about the job. */
  get attempts(): number {
    return this.#made.filter(({ isOwn }) => isOwn).length
  }

  /** Number of these of which all claims conflicted. */
  get conflicts(): number {
    return this.#made.filter(({ isOwn, isLost }) => isOwn && isLost).length
  }

  /** When its scheduler decided about it or about others, or it waited for its next attempt; nothing if there was no decision about it. */
  spans(submit: Seconds, until: Seconds): WaitSpan[] {
    const spans: WaitSpan[] = []
    const own = this.#made.find(({ isOwn }) => isOwn)
    if (own === undefined) return spans
    const ofScheduler = this.#made.filter(({ scheduler, closed }) => scheduler === own.scheduler && closed > submit)
    let at = submit
    let wasVain = false
    for (const { isOwn, isVain, opened, closed } of ofScheduler.sort((a, b) => a.opened - b.opened)) {
      if (wasVain) addSpan(spans, at, opened, AGAIN)
      addSpan(spans, Math.max(opened, at), Math.min(closed, until), isOwn ? DECISION : BUSY)
      at = Math.max(at, closed)
      if (isOwn) wasVain = isVain
    }
    return spans
  }
}
