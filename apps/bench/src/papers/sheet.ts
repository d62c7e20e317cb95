import { SchedError, suggest } from '@sched/core'
import type { Claim, Experiment, Findings, Trial } from './claim.js'

/** All published results of one paper and how they are reproduced. */
export interface Sheet {
  /** As the command line and the file of the page have it. */
  readonly name: string
  readonly title: string
  readonly source: string
  readonly experiments: readonly Experiment[]
}

/** An experiment that was run, with those of its claims that were asked for. */
export interface Result {
  readonly title: string
  readonly setup: readonly string[]
  readonly claims: readonly Claim[]
  readonly findings: Findings
}

export const idsOf = ({ experiments }: Sheet): string[] => experiments.flatMap(({ claims }) => claims.map(({ id }) => id))

/** Runs the experiments behind the given rows, all rows by default. Throws `UNKNOWN_NAME` for a row that the sheet does not have. */
export function runSheet(
  sheet: Sheet, trials: readonly Trial[], only: readonly string[] = idsOf(sheet), onStart: (title: string) => void = () => undefined,
): Result[] {
  const known = idsOf(sheet)
  for (const id of only)
    if (!known.includes(id))
      throw new SchedError('UNKNOWN_NAME', `"${id}" is no row of ${sheet.name}.`, { field: '--only' }, suggest(id, known))
  return sheet.experiments.flatMap((experiment): Result[] => {
    const { title, setup } = experiment
    const claims = experiment.claims.filter(({ id }) => only.includes(id))
    if (claims.length === 0) return []
    onStart(title)
    return [{ title, setup, claims, findings: experiment.run(trials) }]
  })
}
