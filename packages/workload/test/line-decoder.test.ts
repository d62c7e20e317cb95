import { facebookMixed, jobsOf, writeWorkload } from '../src/index.js'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { BadLine, type LineParser } from '../src/trace/format.js'
import { LineDecoder } from '../src/trace/line-decoder.js'
import { decoderFor } from '../src/trace/parse-trace.js'

/** One job per line, whose id is the line; the length of ids is what a test looks at. */
const echo: LineParser = {
  line(bytes, from, to) {
    const id = new TextDecoder().decode(bytes.subarray(from, to))
    if (id.startsWith('!')) throw new BadLine('id', 'is bad.')
    return { id, submit: 0, stages: [{ name: 's', tasks: 1, demand: { cpu: 1 }, duration: 1 }] }
  },
}
const start = () => new LineDecoder(() => echo, { onBadLine: 'skip' })

/** Ids in the order in which they come out when the bytes are pushed in the given pieces. */
function decode(decoder: LineDecoder, pieces: readonly Uint8Array[]): string[] {
  const ids: string[] = []
  const drain = () => {
    for (let job = decoder.next(); job !== undefined; job = decoder.next()) ids.push(job.id)
  }
  for (const piece of pieces) {
    decoder.push(piece)
    drain()
  }
  decoder.end()
  drain()
  return ids
}

function cut(bytes: Uint8Array, places: readonly number[]): Uint8Array[] {
  const at = [0, ...[...places].map((place) => place % (bytes.length + 1)).sort((a, b) => a - b), bytes.length]
  return at.slice(1).map((to, i) => bytes.slice(at[i], to))
}

describe('LineDecoder', () => {
  it('gives the same jobs and counts however the bytes are cut into chunks', () => {
    const text = fc.array(fc.constantFrom('a', 'ä€', '!bad', '', '\r', '\n', '\r\n', '\uFEFF', 'x'.repeat(50)), { maxLength: 40 })
    fc.assert(fc.property(text, fc.array(fc.nat(), { maxLength: 12 }), (parts, places) => {
      const lines = parts.map((part, i) => (part.trim() === '' ? part : `${part}${i}\n`)).join('')
      const bytes = new TextEncoder().encode(`first\n${lines}last`)
      const [whole, pieces] = [start(), start()]
      expect(decode(pieces, cut(bytes, places))).toEqual(decode(whole, [bytes]))
      expect([pieces.lines, pieces.jobs, pieces.skipped, pieces.problems]).toEqual([whole.lines, whole.jobs, whole.skipped, whole.problems])
    }), { numRuns: 200, seed: 78 })
  })

  it('gives the jobs of a native file in chunks of any size', () => {
    const bytes = new TextEncoder().encode([...writeWorkload(facebookMixed())].join(''))
    const ids = [...jobsOf(facebookMixed())].map((job) => job.id)
    for (const size of [7, 1000, 65_536]) {
      const places = Array.from({ length: Math.floor(bytes.length / size) }, (_, i) => (i + 1) * size)
      expect(decode(decoderFor(bytes, {}).start(), cut(bytes, places))).toEqual(ids)
    }
  })

  it('counts lines from 1, blank ones too', () => {
    const decoder = start()
    decode(decoder, [new TextEncoder().encode('a\n\n!b\n\nc')])
    expect(decoder.problems).toEqual(['line 3 id: is bad.'])
    expect(decoder.lines).toBe(5)
  })

  it('says where a file starts that is no text, also when its first bytes come one by one', () => {
    const decoder = start()
    decoder.push(new Uint8Array([0x50]))
    decoder.push(new Uint8Array([0x4b, 0x03]))
    expect(() => decoder.push(new Uint8Array([0x04]))).toThrow('looks like a zip archive, not like text. Unpack it first.')
  })

  it('goes on saying that there is nothing more', () => {
    const decoder = start()
    decode(decoder, [new TextEncoder().encode('a\n')])
    expect([decoder.next(), decoder.next()]).toEqual([undefined, undefined])
  })
})
