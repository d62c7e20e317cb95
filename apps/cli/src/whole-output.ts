import { fstatSync, writeSync } from 'node:fs'
import { Writable } from 'node:stream'
import type { Sink } from './io.js'

/**
 * Standard output, or one that writes all where it is a file: Node takes a text for written of which the system had room for a part
 * only, as on a disk that is nearly full, and would leave a file cut short without an error.
 */
export const wholeOutput = (stdout: typeof process.stdout): Sink => (isFile(stdout.fd) ? new FileOutput(stdout.fd) : stdout)

class FileOutput extends Writable implements Sink {
  readonly #file: number

  constructor(file: number) {
    super()
    this.#file = file
  }

  override _write(text: Buffer, _encoding: string, done: (error?: Error) => void): void {
    try {
      for (let at = 0; at < text.length; ) at += writeSync(this.#file, text, at)
      done()
    } catch (error) {
      done(error as Error)
    }
  }
}

/**
 * In whole numbers of 64 bits: of what was looked at last in others Node keeps the kind, and where that was a pipe it no longer resolves the
 * links on the way to modules that are loaded later.
 */
function isFile(descriptor: number): boolean {
  try {
    return fstatSync(descriptor, { bigint: true }).isFile()
  } catch {
    return false // closed
  }
}
