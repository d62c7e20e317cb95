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

/** Gives signals and drawing a turn, then goes on unless it is to stop. */
export async function breathe(mayGoOn: () => boolean): Promise<void> {
  await new Promise(setImmediate)
  if (!mayGoOn()) throw new Interruption()
}
