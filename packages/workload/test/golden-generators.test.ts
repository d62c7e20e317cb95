import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { lublin, tsafrirEstimates, writeWorkload } from '../src/index.js'

const digest = (lines: Iterable<string>) => createHash('sha256').update([...lines].join('')).digest('hex').slice(0, 16)

describe('generators that need more than + - * / give the same bytes on every machine', () => {
  it('lublin, with all its distributions, a load and estimates', () => {
    expect(digest(writeWorkload(lublin({ jobs: 3_000, kind: 'both', load: 0.9 })))).toMatchInlineSnapshot(`"f039a10e823b2ad8"`)
    expect(digest(writeWorkload(lublin({ jobs: 3_000, procs: 1000, parameters: { a1: 0.7 } })))).toMatchInlineSnapshot(`"9f9a8856d3965af0"`)
  })

  it('tsafrirEstimates', () => {
    const workload = lublin({ jobs: 3_000, estimates: 'unknown', seed: 9 })
    expect(digest(writeWorkload(tsafrirEstimates(workload, { maxEstimate: 86_400, maxShare: 0.15 })))).toMatchInlineSnapshot(`"7284bf2205dc2af1"`)
  })
})
