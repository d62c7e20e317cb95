import type { Play } from './play.js'

/**
 * Where a job has a master, its other tasks start only while that is up, run only while it runs, and it ends with the last of them, or at a
 * later heartbeat.
 */
export function masters({ recorder, specs, model }: Play): string | undefined {
  const jobs = new Map<string, { since: number; readonly running: Set<string> }>()
  for (const event of recorder.events) {
    if (event.kind !== 'launch' && event.kind !== 'end') continue
    const { job, stage, task, time } = event
    const [first] = specs.get(job)?.stages ?? []
    if (first?.master !== true) continue
    const state = jobs.get(job) ?? { since: NaN, running: new Set<string>() }
    jobs.set(job, state)
    const key = `${stage}.${task}`
    if (stage > 0 && event.kind === 'launch') {
      if (!(time >= state.since)) return `${job}.${key} starts at ${time} s, its master ${Number.isNaN(state.since) ? 'does not run' : `since ${state.since} s`}`
      state.running.add(key)
    } else if (stage > 0) state.running.delete(key)
    else if (event.kind === 'launch') state.since = time
    else {
      state.since = NaN
      const left = [...state.running]
      if (event.how === 'done' && left.length > 0) return `the master of ${job} ends at ${time} s, before ${left.join()}`
      if (event.how === 'done'
        && model.heartbeat === undefined
        && time !== Math.max(...recorder.ends.filter((end) => end.job === job).map((end) => end.time)))
        return `the master of ${job} ends at ${time} s, not with the last task`
    }
  }
  return undefined
}
