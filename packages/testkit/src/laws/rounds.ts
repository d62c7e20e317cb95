import type { Play } from './play.js'

/** What a commit accepts is what starts, in that order; the hooks of a job's unplaced work come in pairs. */
export function commits({ rounds }: Play): string | undefined {
  const { accepted, started, complaints } = rounds
  const at = started.findIndex((task, i) => accepted[i] !== task)
  if (at >= 0) return `start ${at} is of task ${started[at]}, commit ${at} of task ${accepted[at] ?? 'none'}`
  if (accepted.length !== started.length) return `${accepted.length} tasks were committed, ${started.length} started`
  return complaints[0]
}
