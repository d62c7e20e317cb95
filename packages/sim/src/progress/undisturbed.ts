import type { Progress, ProgressHost } from './progress.js'

/** A progress model in which tasks take as long as they take alone, whatever else runs. */
export const undisturbed = (host: ProgressHost): Progress => ({
  start: ({ run, alone }, now) => host.setEnd(run, now + alone),
  stop: () => undefined,
})
