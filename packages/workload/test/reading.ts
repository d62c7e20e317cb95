import { SchedError } from '@sched/core'

export const bytesOf = (text: string) => new TextEncoder().encode(text)

/** The way out that a reader tells for a line it cannot use. */
export const skip = 'Correct the line, or drop such lines with onBadLine "skip".'

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
