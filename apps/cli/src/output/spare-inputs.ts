import { SchedError } from '@sched/core'
import { realpathSync } from 'node:fs'
import { basename, resolve, sep } from 'node:path'

type Paths = readonly (string | undefined)[]

/**
 * Throws `BAD_OPTION` where an output of a command would take the place of a file that it reads, whatever its name or link: of the file,
 * of a directory that it is in, or of a file in a directory that is read. The experiment.yaml of such a directory may be the command's own, which is written again with the same
 * settings. Paths are relative to `cwd`; what is undefined or `-` is none.
 */
export function spareInputs(outputs: Paths, inputs: Paths, cwd: string): void {
  const read = inputs.flatMap((path) => realPath(path, cwd) ?? [])
  for (const file of outputs) {
    const target = realPath(file, cwd)
    if (file === undefined || target === undefined) continue
    const wayOut = 'Choose another name for what it writes.'
    if (read.includes(target)) throw new SchedError('BAD_OPTION', 'is read by this command.', { file }, wayOut)
    const around = read.find((path) => target.startsWith(path + sep))
    if (around !== undefined) throw new SchedError('BAD_OPTION', `is in "${basename(around)}", all of which this command reads.`, { file }, wayOut)
    const inside = read.find((path) => path.startsWith(target + sep) && basename(path) !== 'experiment.yaml')
    if (inside !== undefined) throw new SchedError('BAD_OPTION', `holds "${inside.slice(target.length + 1)}", which this command reads.`, { file }, wayOut)
  }
}

/** The path behind all links; undefined where there is nothing yet. */
function realPath(path: string | undefined, cwd: string): string | undefined {
  if (path === undefined || path === '-') return undefined
  try {
    return realpathSync.native(resolve(cwd, path))
  } catch {
    return undefined
  }
}
