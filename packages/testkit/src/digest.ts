import type { Recorded, Recorder } from './recorder.js'

/**
 * A hash of all decisions of a run in their order: one number or name different, another digest. 16 hexadecimal digits,
 * equal on every machine; for golden tests.
 */
export function digest(recorder: Pick<Recorder, 'events'>): string {
  const hash = new Fnv()
  for (const event of recorder.events) addEvent(hash, event)
  return hash.toString()
}

function addEvent(hash: Fnv, event: Recorded): void {
  hash.text(event.kind)
  hash.number(event.time)
  hash.text(event.job)
  switch (event.kind) {
    case 'launch':
      hash.number(event.stage)
      hash.number(event.task)
      hash.text(event.node)
      return hash.number(event.level)
    case 'end':
      hash.number(event.stage)
      hash.number(event.task)
      hash.text(event.node)
      hash.text(event.how)
      hash.number(event.started)
      return hash.number(event.stopped)
    case 'reserve':
      return hash.number(event.start)
    default:
  }
}

const WORD = 2 ** 32

/**
 * FNV-1a of 64 bits over the bytes of numbers (float64, big endian) and names (UTF-16, big endian, then a zero).
 *
 * Source: Fowler, Noll, Vo; draft-eastlake-fnv. The prime is 2^40 + 0x1b3.
 */
class Fnv {
  #high = 0xcbf29ce4
  #low = 0x84222325
  readonly #bytes = new DataView(new ArrayBuffer(8))

  number(value: number): void {
    this.#bytes.setFloat64(0, value)
    for (let i = 0; i < 8; i++) this.#byte(this.#bytes.getUint8(i))
  }

  text(value: string): void {
    for (let i = 0; i < value.length; i++) {
      this.#byte(value.charCodeAt(i) >> 8)
      this.#byte(value.charCodeAt(i) & 255)
    }
    this.#byte(0)
  }

  toString(): string {
    return [this.#high, this.#low].map((word) => word.toString(16).padStart(8, '0')).join('')
  }

  /** `>>> 0` is the remainder by 2^32, exact for whole numbers up to 2^53. */
  #byte(value: number): void {
    const low = (this.#low ^ value) >>> 0
    const product = low * 0x1b3 // below 2^41
    this.#low = product >>> 0
    this.#high = (this.#high * 0x1b3 + Math.floor(product / WORD) + ((low << 8) >>> 0)) >>> 0
  }
}
