import { submitOptions } from './submit-line.js'

const ASKED = /\s--exclusive(?:=(\w+))?(?=\s|$)/

/**
 * Whether a job asked for nodes to itself, from the command that submitted it (SubmitLine): `job` for `--exclusive`, `user` for `--exclusive=user`,
 * otherwise `undefined`. Options inside a batch script are not recorded.
 *
 * Source: Slurm, manual page of `sbatch`.
 */
export function exclusiveIn(command: string): 'job' | 'user' | undefined {
  const found = ASKED.exec(submitOptions(command))
  if (found === null) return undefined
  const [, what] = found
  return what === undefined || what === 'exclusive' ? 'job' : what === 'user' ? 'user' : undefined
}
