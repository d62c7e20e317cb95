import type { WorkloadSpec } from '../experiment/schema.js'

/**
 * Notes on a log of which so many jobs were read. Where only a part of these is used, a last one says so: jobs are cut out of what a reader makes, which
 * has counted by then.
 */
export function logNotes(notes: readonly string[], jobs: number, { window, take }: Pick<WorkloadSpec, 'window' | 'take'>): readonly string[] {
  const cuts = [...(window === undefined ? [] : ['window']), ...(take === undefined || (window === undefined && jobs <= take) ? [] : ['take'])]
  return notes.length === 0 || cuts.length === 0 ? notes : [...notes, `notes on the log are of all that was read of it, also of jobs left out (${cuts.join(', ')})`]
}
