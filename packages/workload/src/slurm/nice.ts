import { ownOptions } from './submit-line.js'

/** The value of `--nice` without a number. */
const USUAL = 100

/**
 * By how much a job asked to stand behind, from the command that submitted it (`--nice=50` of SubmitLine, `--nice` alone is 100); 0 if it did not.
 *
 * Source: Slurm, manual page of `sbatch`.
 */
export function niceIn(command: string, id: string): number {
  const found = [...ownOptions(command, id).matchAll(/\s--nice(?:=(-?\d{1,10}))?(?=\s|$)/g)].at(-1)
  return found === undefined ? 0 : Number(found[1] ?? USUAL)
}
