import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const folder = process.env['SCHED_TRACES'] ?? fileURLToPath(new URL('../../../../shared/traces', import.meta.url))

/** The path of a real trace, and whether it is there; tests that need it say so when they are passed over. */
export function realTrace(file: string): { readonly path: string; readonly there: boolean; readonly title: string } {
  const path = `${folder}/${file}`
  const there = existsSync(path)
  return { path, there, title: there ? file : `${file} (absent: set SCHED_TRACES to the folder that has it)` }
}
