import { digest } from '../digest.js'
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
export function firstDifference(one: Recorder, other: Recorder, name = 'the other run'): string | undefined {
  if (digest(one) === digest(other)) return undefined
  const at = one.events.findIndex((event, i) => show(event) !== show(other.events[i]))
  const index = at < 0 ? one.events.length : at
  return `event ${index} is ${show(one.events[index])}, in ${name} ${show(other.events[index])}`
}

const show = (event: Recorded | undefined): string => (event === undefined ? 'nothing' : JSON.stringify(event))
