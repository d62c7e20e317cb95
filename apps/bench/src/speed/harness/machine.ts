import { availableParallelism, cpus, loadavg, totalmem } from 'node:os'
import { fromSource } from './variant-process.js'

/** What the figures were measured on, in one line. */
export function machine(): string {
  const [cpu] = cpus()
  const model = (cpu?.model ?? 'unknown processor').replace(/\s+/g, ' ').trim()
  const memory = Math.round(totalmem() / 2 ** 30)
  return `${model}, ${availableParallelism()} cores, ${memory} GiB; Node ${process.versions.node}, V8 ${process.versions.v8}, ${process.platform} ${process.arch}; ${fromSource ? 'from sources' : 'built'}`
}

/** How many processes wanted a core over the last minute, the measuring one included; 0 where the system does not say. */
export const load = (): number => loadavg()[0] ?? 0
