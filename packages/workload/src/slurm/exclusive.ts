import { submitOptions } from './submit-line.js'

const ASKED = /\s--exclusive(?:=(\w+))?(?=\s|$)/

/**
 * Whose own the nodes of a job are to be, as the command says that submitted it (SubmitLine): its own (`--exclusive`), its user's (`--exclusive=user`),
 * or `undefined`. What stands in a script is not recorded.
 *
 * Source: Slurm, manual page of `sbatch`.
 */
export function exclusiveIn(command: string): 'job' | 'user' | undefined {
  const found = ASKED.exec(submitOptions(command))
  if (found === null) return undefined
  const [, what] = found
  return what === undefined || what === 'exclusive' ? 'job' : what === 'user' ? 'user' : undefined
}
