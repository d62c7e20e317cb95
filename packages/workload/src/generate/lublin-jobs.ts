import { portableExp, portableExp2, randomStream } from '@sched/core'
import { drawAtMost, gammaOf } from './gamma.js'
import type { LublinParameters } from './lublin-parameters.js'

// no run is longer than e^12 s = 45 h, as in the authors' program; larger values are drawn again
const longestLog = 12

/** Draws sizes in processors, at most `procs`. */
export function lublinSizes({ serial, powerOfTwo, low, medium, high, lowProbability }: LublinParameters, procs: number, seed: number, stream: string): () => number {
  const next = randomStream(seed, `${stream}/sizes`)
  return () => {
    const kind = next()
    if (kind <= serial) return 1
    const log = next() <= lowProbability ? low + next() * (medium - low) : medium + next() * (high - medium)
    const size = kind <= serial + powerOfTwo ? portableExp2(Math.floor(log + 0.5)) : Math.floor(portableExp2(log) + 0.5)
    return Math.min(size, procs)
  }
}

/** Draws run times in whole seconds, at least 1. Larger jobs have a higher probability of the longer distribution. */
export function lublinRuntimes({ a1, b1, a2, b2, pa, pb }: LublinParameters, seed: number, stream: string): (procs: number) => number {
  const next = randomStream(seed, `${stream}/runtimes`)
  const gamma = gammaOf(next)
  return (procs) => {
    const p = Math.min(1, Math.max(0, pa * procs + pb))
    return Math.floor(portableExp(drawAtMost(longestLog, () => (next() <= p ? gamma(a1, b1) : gamma(a2, b2)), 'run times')))
  }
}
