import { randomStream, SchedError } from '@sched/core'
import { EventKind } from '@sched/sim'
import type { Outcome, Prepared, Size } from '../harness/benchmark.js'
import type { DecisionHash } from '../harness/decision-hash.js'

export type Gaps = 'exponential' | 'ties'

/** The queue under test: `pop` leaves what it took out in `time` and `subject`. */
export interface Queue {
  readonly time: number
  readonly subject: number
  push(time: number, kind: EventKind, subject: number): unknown
  pop(): boolean
}

/** Gaps are drawn beforehand: a table of this many, used over and over. */
const TABLE = 1 << 14

/**
 * The hold model: take the earliest event out, put one back a random time later, with a constant number pending.
 * `ties`: whole times, of which many are equal, as with heartbeats. A hashed run throws `INVARIANT` unless events of one
 * time come out as they went in.
 *
 * Source: Jones, "An Empirical Comparison of Priority-Queue and Event-Set Implementations", CACM 1986.
 */
export function hold(pending: number, gaps: Gaps, size: Size, make: () => Queue): Prepared {
  const operations = size === 'small' ? 20_000 : 1_000_000
  const held = size === 'small' ? Math.min(pending, 1000) : pending
  const gap = gaps === 'ties' ? (u: number) => Math.floor(100 * u) : (u: number) => -Math.log(1 - u)
  const table = drawn('gaps', TABLE, gap)
  const first = drawn('first', held, gap)
  let queue: Queue
  return {
    setUp() {
      queue = make()
      for (let i = 0; i < held; i++) queue.push(first[i] as number, EventKind.Ready, i)
    },
    run: (hash) => (hash === undefined ? timed(queue, table, held, operations) : checked(queue, table, held, operations, hash)),
  }
}

function drawn(stream: string, length: number, gap: (u: number) => number): Float64Array {
  const draw = randomStream(1, `hold:${stream}`)
  return Float64Array.from({ length }, () => gap(draw()))
}

function timed(queue: Queue, table: Float64Array, first: number, operations: number): Outcome {
  for (let i = 0; i < operations; i++) {
    queue.pop()
    queue.push(queue.time + (table[i & (TABLE - 1)] as number), EventKind.Ready, first + i)
  }
  return { work: operations, check: 0 }
}

/** The same with a look at every event: never back in time, first in first out among equal times. */
function checked(queue: Queue, table: Float64Array, first: number, operations: number, hash: DecisionHash): Outcome {
  let time = -1
  let subject = -1
  for (let i = 0; i < operations; i++) {
    queue.pop()
    if (queue.time < time || (queue.time === time && queue.subject < subject))
      throw new SchedError('INVARIANT', `event ${queue.subject} at ${queue.time} came out after event ${subject} at ${time}`)
    time = queue.time
    subject = queue.subject
    hash.add(subject, 0, time)
    queue.push(time + (table[i & (TABLE - 1)] as number), EventKind.Ready, first + i)
  }
  return { work: operations, check: 0 }
}
