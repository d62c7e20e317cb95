/**
 * An order-sensitive digest of decisions (task, node, time): 32-bit FNV-1a over their bytes, so that one exchanged
 * launch or one changed bit of a time gives another digest.
 *
 * Source: Fowler, Noll, Vo, "The FNV Non-Cryptographic Hash Algorithm", section 2 (FNV-1a).
 */
export class DecisionHash {
  #hash = 0x811c9dc5
  readonly #bytes = new Uint8Array(16)
  readonly #view = new DataView(this.#bytes.buffer) // little endian on every machine

  add(task: number, node: number, time: number): void {
    this.#view.setInt32(0, task, true)
    this.#view.setInt32(4, node, true)
    this.#view.setFloat64(8, time, true)
    let hash = this.#hash
    for (let i = 0; i < 16; i++) hash = Math.imul(hash ^ (this.#bytes[i] as number), 0x01000193)
    this.#hash = hash
  }

  /** Eight hexadecimal digits. */
  get digest(): string {
    return (this.#hash >>> 0).toString(16).padStart(8, '0')
  }
}
