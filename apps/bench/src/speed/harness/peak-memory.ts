import { readFileSync } from 'node:fs'

/**
 * Most resident memory that this process had, bytes. Linux hands the peak of the parent down through fork, so there the
 * kernel's figure for this program alone (`VmHWM`) is read.
 */
export function peakMemory(): number {
  return ownPeak() ?? process.resourceUsage().maxRSS * 1024
}

function ownPeak(): number | undefined {
  if (process.platform !== 'linux') return undefined
  const [, kilobytes] = /^VmHWM:\s*(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8')) ?? []
  return kilobytes === undefined ? undefined : Number(kilobytes) * 1024
}
