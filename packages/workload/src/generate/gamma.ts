import { portableExp, portableLog, SchedError } from '@sched/core'

/**
 * Draws values of the gamma distribution with mean `shape` x `scale` from a stream: `gamma(4.2, 0.94)`. It uses only + - * /, `Math.sqrt`,
 * `portableExp` and `portableLog`, so equal streams give the same bits on every machine.
 *
 * Source: Marsaglia and Tsang, "A Simple Method for Generating Gamma Variables", ACM TOMS 26(3), 2000; normal values by the polar method (Marsaglia
 * and Bray, 1964).
 */
export function gammaOf(next: () => number): (shape: number, scale: number) => number {
  const normal = normalOf(next)
  const standard = (shape: number): number => {
    if (shape < 1) return standard(shape + 1) * portableExp(portableLog(1 - next()) / shape) // section 6 of the paper: times u^(1 / shape)
    const d = shape - 1 / 3
    const c = 1 / Math.sqrt(9 * d)
    for (;;) {
      const x = normal()
      const root = 1 + c * x
      if (root <= 0) continue
      const v = root * root * root
      const u = 1 - next() // in (0, 1]
      const x2 = x * x
      if (u < 1 - 0.0331 * x2 * x2 || portableLog(u) < 0.5 * x2 + d * (1 - v + portableLog(v))) return d * v
    }
  }
  return (shape, scale) => standard(shape) * scale
}

/** Draws a value of at most `most`; larger values are drawn again. Throws `BAD_OPTION` after 10,000 attempts. */
export function drawAtMost(most: number, draw: () => number, what: string): number {
  for (let attempt = 0; attempt < 10_000; attempt++) {
    const value = draw()
    if (value <= most) return value
  }
  throw new SchedError('BAD_OPTION', `${what} of more than e^${most} s, drawn 10000 times in a row.`, { field: 'lublin.parameters' }, 'Choose smaller values.')
}

/** Draws values of the standard normal distribution, which come in pairs. */
export function normalOf(next: () => number): () => number {
  let spare: number | undefined
  return () => {
    if (spare !== undefined) {
      const value = spare
      spare = undefined
      return value
    }
    for (;;) {
      const x = 2 * next() - 1
      const y = 2 * next() - 1
      const square = x * x + y * y
      if (square >= 1 || square === 0) continue
      const factor = Math.sqrt((-2 * portableLog(square)) / square)
      spare = y * factor
      return x * factor
    }
  }
}
