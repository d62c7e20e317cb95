import { describe, expect, it } from 'vitest'
import { directory, sched } from './sched.js'

const small = 'workload: { generate: { small-jobs: { span: 30, slots: 8 } } }\nseeds: 1\npolicies: [fifo, fair]\n'
const slots = 'cluster: { nodes: 4, slots: { map: 2 } }\n'
const beating = 'cluster: { nodes: 4, slots: { map: 2 }, heartbeat: { interval: 3 } }\n'
const measured = 'cluster: { nodes: [{ count: 4, slots: { map: 2 }, hardware: { cores: 2 } }] }\n'
const shuffled = 'cluster: { nodes: 4, slots: { map: 2, reduce: 1 } }\nworkload: { generate: { hibench: { input: 1 } } }\nseeds: 1\npolicies: [fifo]\n'

/** What a comparison tells beside its results. */
const told = async (experiment: string) => {
  const { code, err } = await sched(['compare', 'x.yaml', '--quiet'], { cwd: directory({ 'x.yaml': experiment }) })
  expect(code).toBe(0)
  return err
}

describe('a setting that changes nothing', () => {
  it.each([
    ['passes per event with heartbeats', 'passPerEvent: ends-first\n', small + beating, small + slots, 'passPerEvent is of no use with heartbeats: rounds are opened at these, not after events.'],
    ['a bug of heartbeats without them', 'commitPendingBug: true\n', small + slots, small + beating, 'commitPendingBug has no effect: it delays what heartbeats tell, and this cluster has none.'],
    ['a network without a shuffle', 'runtime: { network: true }\n', small + slots, shuffled, 'runtime.network has no effect: no task fetched anything, for want of a `shuffle` of its stage.'],
    ['samples without hardware', 'metrics: { samples: 5 }\n', small + slots, small + measured, 'metrics.samples has no effect: the nodes describe no `hardware` that could be sampled.'],
  ])('is told once, %s', { tags: 'long' }, async (_, setting, without, withEffect, note) => {
    expect(await told(without + setting)).toBe(`note: ${note}\n`)
    expect(await told(withEffect + setting)).not.toContain('effect')
    expect(await told(withEffect + setting)).not.toContain('no use')
  })

  it('is told of placements, which have nothing to choose at heartbeats', async () => {
    const two = (cluster: string) => cluster + 'workload: { generate: { small-jobs: { span: 30, slots: 8 } } }\nseeds: 1\npolicies: [fifo, { greedy: { placement: worst-fit } }]\n'
    expect(await told(two(beating))).toBe('note: fifo, greedy(placement=worst-fit) gave the same: at a heartbeat one node is in sight, and a placement has nothing to choose. Without heartbeats it has (`--heartbeat 0`).\n')
    expect(await told(two(slots))).toBe('')
    expect(await told(two(beating) + 'architecture: { shared-state: {} }\n')).not.toContain('gave the same')
    expect(await told(beating + small.replace('fifo, fair', 'fifo, { name: again, policy: fifo }'))).toBe('')
    // of two policies without a placement it says nothing, though a third has one
    const third = (own: string) => beating + small.replace('fifo, fair', `fifo, { name: again, policy: fifo }, ${own}`)
    expect(await told(third('{ name: other, policy: { greedy: { order: fair, placement: worst-fit } } }'))).toBe('')
    expect(await told(third('{ name: other, policy: { greedy: { placement: worst-fit } } }'))).toMatch(/^note: fifo, again, other gave the same: /)
  })
})
