import type { Plug } from '@sched/core'
import { delay, fair, fifo, greedy, preempting, skipDelay } from '@sched/policies'
import { cluster, digest, mapReduceJob, run } from '@sched/testkit'
import { describe, expect, it } from 'vitest'
import { naiveDelay, naiveGreedy, naiveSkipDelay } from './reference/disciplines.js'
import { naiveFair } from './reference/hfs.js'
import { naiveByRunning, naiveFifo } from './reference/orders.js'

// The digest of all decisions of one run: equal on every machine and every version of Node. A change here means that a
// policy, or the engine under it, decides otherwise than before; say in the commit why it should.

const pools = { ads: { minShare: 16 }, etl: { weight: 2, inner: 'fifo' as const } }
const waiting = { node: 3, rack: 2 }
const policies: Record<string, Plug<'policy'>> = {
  fifo: greedy(fifo()),
  'naive fair': greedy(fair({ pools: false })),
  fair: greedy(fair({ pools })),
  'skip-delay': skipDelay(fair({ pools: false }), { skips: 4 }),
  'skip-delay by levels': skipDelay(fair({ pools: false }), { skips: [4, 2] }),
  'delay over fifo': delay(fifo(), waiting),
  delay: delay(fair({ pools: false }), waiting),
  hfs: preempting(delay(fair({ pools }), waiting), { minTimeout: 3, fairTimeout: 9, interval: 3 }),
}

/** 16 jobs of 1 to 40 maps in three queues, four priorities, on 12 nodes of 3 racks: about twice what the slots can take. */
const jobs = Array.from({ length: 16 }, (_, i) =>
  mapReduceJob(1 + ((i * 11) % 40), 1 + (i % 4), {
    id: `j${i}`,
    submit: Math.floor(i / 2) * 4.5,
    queue: ['ads', 'etl', 'web'][i % 3] as string,
    priority: (i % 4) - 1,
    duration: i % 5 === 0 ? { kind: 'exponential', mean: 9, shift: 1 } : { kind: 'uniform', min: 8, max: 30 },
    ...(i % 4 === 1 && { data: { set: 'shared', first: i } }),
  }),
)
const nodes = cluster({ nodes: [{ name: 'old', count: 8, racks: 2, slots: { map: 2, reduce: 1 } }, { name: 'new', count: 4, racks: 1, slots: { map: 3, reduce: 2 }, speed: 1.5 }] })
const played = (policy: Plug<'policy'>) => run({ policy, jobs, cluster: nodes, seed: 2010, runtime: {} }).recorder

const golden: Record<string, string> = {
  fifo: 'f7ffa027a2058e12',
  'naive fair': 'ad33c4c4db4eb0ff',
  fair: 'a90340d85acc127a',
  'skip-delay': '7a920c7a01ab0d2a',
  'skip-delay by levels': '6b1a9ebad5b13583',
  'delay over fifo': '4ed28e26980a3253',
  delay: 'f36ab0e5b2094ddf',
  hfs: 'eb181837bc54bac2',
}

describe('one run under every policy', () => {
  const digests = Object.fromEntries(Object.entries(policies).map(([name, policy]) => [name, digest(played(policy))]))

  it('has the digests it had', () => {
    expect(digests).toEqual(golden)
  })

  it('has those of the pseudo-code', () => {
    const references = {
      fifo: naiveGreedy(naiveFifo),
      'naive fair': naiveGreedy(naiveByRunning),
      fair: naiveGreedy(naiveFair({ pools })),
      'skip-delay': naiveSkipDelay(naiveByRunning, 4),
      'skip-delay by levels': naiveSkipDelay(naiveByRunning, [4, 2]),
      'delay over fifo': naiveDelay(naiveFifo, [3, 2]),
      delay: naiveDelay(naiveByRunning, [3, 2]),
    }
    for (const [name, policy] of Object.entries(references)) expect([name, digest(played(policy))]).toEqual([name, golden[name]])
  })

  it('tells all policies apart', () => {
    expect(new Set(Object.values(digests)).size).toBe(Object.keys(policies).length)
  })

  it('preempts', () => {
    expect(played(policies['hfs'] as Plug<'policy'>).evictions.length).toBe(5)
  })
})
