import type { Play } from './play.js'

/** A job fails when one of its tasks has failed as often as one may, or, under a rule that lets it, has failed on all nodes; nothing of it runs on. Tasks that fail do it after they started, and only where there are failures. */
export function failures({ recorder, world, specs }: Play): string | undefined {
  const { maxAttempts = 4 } = world.failures ?? {}
  const failed = new Map<string, number>()
  const gone = new Map<string, number>()
  for (const event of recorder.events) {
    if (event.kind === 'abandon') {
      const most = Math.max(0, ...[...failed].filter(([key]) => key.startsWith(`${event.job} `)).map(([, count]) => count))
      if (most < (world.avoid?.rule === 'spark' ? 1 : maxAttempts))
        return `job ${event.job} is given up at ${event.time} s, and no task of it has failed ${maxAttempts} times`
      gone.set(event.job, event.time)
    }
    if (event.kind === 'launch' && gone.has(event.job)) return `a task of job ${event.job} starts at ${event.time} s, it has failed at ${gone.get(event.job)} s`
    if (event.kind !== 'end' || event.how !== 'failed') continue
    if (world.failures === undefined) return `a task of job ${event.job} fails at ${event.time} s`
    const key = `${event.job} ${event.stage}.${event.task}`
    const count = (failed.get(key) ?? 0) + 1
    failed.set(key, count)
    const stage = specs.get(event.job)?.stages[event.stage]
    if (count >= maxAttempts
      && stage?.gang !== true
      && stage?.master !== true
      && !recorder.events.some(({ kind, job, time }) => kind === 'abandon' && job === event.job && time === event.time))
      return `task ${event.stage}.${event.task} of job ${event.job} has failed ${count} times, and the job runs on`
  }
  return undefined
}
