import { Reason, reasonNames, type Seconds } from '@sched/core'
import { addSpan, type WaitSpan } from './wait-spans.js'

/** The reason that is told more exactly where an autoscaler says what a job waits for. */
export const NO_ROOM = reasonNames[Reason.NoRoom] as string

/** What an autoscaler said of a job that has no room, and the parts of its wait for which that accounts: until it says otherwise, or that is over. */
export class WaitsForNodes {
  readonly #said: { readonly at: Seconds; readonly why: string | undefined }[] = []

  /** It says so now; `undefined`: what it said is over, since nodes have come or nothing of the job waits. */
  says(why: string | undefined, now: Seconds): void {
    if (why !== this.#said.at(-1)?.why) this.#said.push({ at: now, why })
  }

  spans(from: Seconds, until: Seconds): WaitSpan[] {
    const spans: WaitSpan[] = []
    for (const [i, { at, why }] of this.#said.entries()) if (why !== undefined) addSpan(spans, Math.max(at, from), Math.min(this.#said[i + 1]?.at ?? until, until), why)
    return spans
  }
}
