/** The user has asked to stop. */
export class Interruption extends Error {
  override readonly name = 'Interruption'

  constructor() {
    super('interrupted')
  }
}

/** Throws when the user has asked to stop. */
export function heed(signal: AbortSignal): void {
  if (signal.aborted) throw new Interruption()
}

/** Gives signals and drawing a turn, then goes on unless the user has asked to stop. */
export async function breathe(signal: AbortSignal): Promise<void> {
  await new Promise(setImmediate)
  heed(signal)
}
