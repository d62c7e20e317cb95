import { describe, expect, it } from 'vitest'
import type { Trial } from '../src/papers/claim.js'
import { nodeWeightSheet } from '../src/papers/node-weight/node-weight.js'
import { after, before, runWordCount, threeServers, wordCount } from '../src/papers/node-weight/three-servers.js'
import { rowOf } from '../src/papers/row.js'
import { idsOf } from '../src/papers/sheet.js'

const trials: readonly Trial[] = [1, 2].map((seed) => ({ seed, validate: true, quick: true }))

describe('the sheet of node weights', () => {
  it('has the rows of its table, each with a figure per measure', () => {
    expect(idsOf(nodeWeightSheet)).toEqual(['NW-E3', 'NW-E1', 'NW-E2-Slave2', 'NW-E2-Master', 'NW-E2-Slave1'])
    for (const { claims, run } of nodeWeightSheet.experiments) {
      const { byId } = run(trials)
      for (const claim of claims) expect([claim.id, byId[claim.id]?.length]).toEqual([claim.id, claim.measures.length])
      for (const claim of claims.filter((each) => each.class !== 'N')) expect([claim.id, rowOf(claim, byId[claim.id]).verdict]).toEqual([claim.id, expect.stringMatching(/^within|^direction holds/)])
    }
  })

  it('has the totals that are known: 18 cores and 17 GB', () => {
    const sum = (kind: string) => threeServers().nodes.reduce((total, { count, hardware }) => total + count * (hardware?.[kind] ?? 0), 0)
    expect([sum('cores'), sum('memory') / 1024]).toEqual([18, 17])
  })

  it('splits 16 maps as the comparators do by hand, and a server with n tasks takes n times as long', () => {
    // available memory: 6, 5, 5 of 8 each; weighted: 6 and 6 until 3 x 2/8 < 1, then Slave2 twice, then 7 and 7 at 0.75 each
    const [slow, fast] = [before, after].map((placement) => runWordCount({ placement }, { seed: 1, validate: true })) as [ReturnType<typeof runWordCount>, ReturnType<typeof runWordCount>]
    expect([slow.peaks, fast.peaks]).toEqual([[6, 5, 5], [7, 7, 2]])
    // without chance 5 maps of 90 s share Slave2's disk, of 1.1 parts that they use: 90 x (5 + 0.1) / 1.1, then the reduce on Master 60 / 2.1
    expect(Math.abs(slow.runTime - ((90 * 5.1) / 1.1 + 60 / 2.1))).toBeLessThan(45)
    expect(wordCount().stages.reduce((work, { tasks, duration }) => work + tasks * (duration as number), 0)).toBe(1500)
  })
})
