import type { Recorded, Recorder } from '../recorder.js'
import type { Play } from './play.js'

/** The same world gives the same decisions, in one process: nothing depends on a clock, a hash or a run before. */
export const determinism = ({ recorder, again, fresh }: Play): string | undefined => firstDifference(recorder, again(fresh()), 'a second run')

/** A plug is built once per run: a run leaves nothing behind in it. */
export const freshness = ({ recorder, again, plug }: Play): string | undefined => firstDifference(recorder, again(plug), 'a second run of the same plug')

/** The order in which queues are declared decides nothing. */
export function declaration({ world, recorder, again, fresh }: Play): string | undefined {
  const reversed = { ...world, queues: [...world.queues].reverse() }
  return firstDifference(recorder, again(fresh(reversed), reversed), 'queues declared in the other order')
}

/** The first event in which two runs differ, `undefined` for equal ones. */
export function firstDifference({ events }: Pick<Recorder, 'events'>, other: Pick<Recorder, 'events'>, name = 'the other run'): string | undefined {
  for (let at = 0; at < Math.max(events.length, other.events.length); at++)
    if (!isSame(events[at], other.events[at])) return `event ${at} is ${show(events[at])}, in ${name} ${show(other.events[at])}`
  return undefined
}

function isSame(one: Recorded | undefined, other: Recorded | undefined): boolean {
  if (one === undefined || other === undefined || one.kind !== other.kind) return false
  for (const field in one) if (!Object.is(one[field as keyof Recorded], other[field as keyof Recorded])) return false // one kind, one set of fields
  return true
}

const show = (event: Recorded | undefined): string => (event === undefined ? 'nothing' : JSON.stringify(event))
