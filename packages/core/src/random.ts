import { SchedError } from './error.js'

/**
 * A named stream of numbers in [0, 1), 53 bits each, equal on every machine. Streams of one seed with different names
 * are independent, so that drawing more from one leaves the others as they were.
 *
 * Generator: sfc32 (C. Doty-Humphrey, PractRand), four 32-bit words, period at least 2^32; two draws per number.
 * Sample from it with + - * /, `Math.sqrt`, `portableLog` and its like only: functions of `Math` may differ between machines.
 */
export function randomStream(seed: number, name: string): () => number {
  const state = new Int32Array([streamKey(seed, name), digest(seed, name, 0x2545f491), seed | 0, 1])
  for (let i = 0; i < 8; i++) draw(state) // 16 steps spread the key over all words; the author asks for 12
  return () => draw(state)
}

/**
 * A number in [0, 1), 53 bits, computed from three 32-bit integers alone: the same arguments always give the same number. Use the key of a stream, a
 * task's number for `a` and what is drawn for it for `b`: two policies compared on one seed then meet equal luck. Distinct `(a, b)` of one key never
 * share their 64-bit state.
 *
 * Source: Threefry-2x32-13, Salmon et al., "Parallel Random Numbers: As Easy as 1, 2, 3", SC 2011, with the key's second word 0; 13 rounds are the
 * fewest that the paper found to pass BigCrush.
 */
export function hashUnit(key: number, a: number, b: number): number {
  const k0 = key | 0
  const k2 = 0x1bd11bda ^ k0 // the key schedule is k0, k1 = 0, k2
  let x = (a + k0) | 0
  let y = b | 0
  x = (x + y) | 0; y = ((y << 13) | (y >>> 19)) ^ x
  x = (x + y) | 0; y = ((y << 15) | (y >>> 17)) ^ x
  x = (x + y) | 0; y = ((y << 26) | (y >>> 6)) ^ x
  x = (x + y) | 0; y = ((y << 6) | (y >>> 26)) ^ x
  y = (y + k2 + 1) | 0
  x = (x + y) | 0; y = ((y << 17) | (y >>> 15)) ^ x
  x = (x + y) | 0; y = ((y << 29) | (y >>> 3)) ^ x
  x = (x + y) | 0; y = ((y << 16) | (y >>> 16)) ^ x
  x = (x + y) | 0; y = ((y << 24) | (y >>> 8)) ^ x
  x = (x + k2) | 0; y = (y + k0 + 2) | 0
  x = (x + y) | 0; y = ((y << 13) | (y >>> 19)) ^ x
  x = (x + y) | 0; y = ((y << 15) | (y >>> 17)) ^ x
  x = (x + y) | 0; y = ((y << 26) | (y >>> 6)) ^ x
  x = (x + y) | 0; y = ((y << 6) | (y >>> 26)) ^ x
  x = (x + k0) | 0; y = (y + 3) | 0
  x = (x + y) | 0; y = ((y << 17) | (y >>> 15)) ^ x
  return unit(x, y)
}

/** The key of a named stream for `hashUnit`: a 32-bit integer. Throws `BAD_OPTION` for a seed that is not a safe integer. */
export function streamKey(seed: number, name: string): number {
  if (!Number.isSafeInteger(seed)) throw new SchedError('BAD_OPTION', `seed is ${seed}.`, { field: 'seed' }, 'Use a whole number.')
  return digest(seed, name, 0x3c6ef372)
}

/**
 * Two steps of sfc32, one for the high word and one for the low word. Both are written out, because a second step that waits for the first to store
 * its state takes longer than both together.
 */
function draw(state: Int32Array): number {
  const a = state[0]!, b = state[1]!, c = state[2]!, d = state[3]!
  const high = (((a + b) | 0) + d) | 0
  const e = b ^ (b >>> 9)
  const f = (c + (c << 3)) | 0
  const g = (((c << 21) | (c >>> 11)) + high) | 0
  const low = (((e + f) | 0) + (d + 1)) | 0
  state[0] = f ^ (f >>> 9)
  state[1] = (g + (g << 3)) | 0
  state[2] = (((g << 21) | (g >>> 11)) + low) | 0
  state[3] = (d + 2) | 0
  return unit(high, low)
}

/** The top 27 bits of one word and the top 26 of another as a fraction. */
function unit(high: number, low: number): number {
  return ((high >>> 5) * 67_108_864 + (low >>> 6)) / 9_007_199_254_740_992 // 2^26, 2^53
}

/** A hash of both halves of the seed and every UTF-16 unit of the name, each mixed in before the next. */
function digest(seed: number, name: string, salt: number): number {
  let hash = mix(salt ^ (seed | 0))
  hash = mix(hash ^ Math.floor(seed / 4_294_967_296))
  for (let i = 0; i < name.length; i++) hash = mix((hash + name.charCodeAt(i) + 0x9e3779b9) | 0)
  return mix(hash ^ name.length)
}

/** An invertible 32-bit mixer of low bias (C. Wellons, "Prospecting for hash functions", lowbias32). */
function mix(value: number): number {
  let x = value ^ (value >>> 16)
  x = Math.imul(x, 0x7feb352d)
  x ^= x >>> 15
  x = Math.imul(x, 0x846ca68b)
  return x ^ (x >>> 16)
}
