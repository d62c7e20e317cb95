import { SchedError, type JobSpec } from '@sched/core'
import { streamJobs, type Trace } from '../src/index.js'

export const bytesOf = (text: string) => new TextEncoder().encode(text)

/** The way out that a reader tells for a line it cannot use. */
export const skip = 'Correct the line, or drop such lines with onBadLine "skip".'

/** The jobs of a trace as they come by streaming. */
export async function streamed(trace: Trace): Promise<JobSpec[]> {
  const jobs: JobSpec[] = []
  for await (const job of streamJobs(trace)) jobs.push(job)
  return jobs
}

/** What is thrown, in words; it must be one of ours. */
export function messageOf(doing: () => unknown): string {
  try {
    doing()
  } catch (error) {
    if (!(error instanceof SchedError)) throw error
    return error.message
  }
  return 'nothing was thrown'
}

/** The same of what is awaited, without the folder in its paths. */
export async function messageAfter(run: Promise<unknown>, folder: string): Promise<string> {
  try {
    await run
  } catch (error) {
    if (!(error instanceof SchedError)) throw error
    return error.message.replaceAll(folder, '')
  }
  return 'nothing was thrown'
}
