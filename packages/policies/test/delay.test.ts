import { dispatcher, type Dispatcher, type Placed } from '@sched/cluster'
import type { NodeId } from '@sched/core'
import { delay, fair, fifo, skipDelay, type DelayOptions } from '@sched/policies'
import { cluster, instantCluster, job, playScript, run, type JobChange, type Script } from '@sched/testkit'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

/** n-0 and n-1 on one rack, n-2 on another, heartbeats as given. */
const racks = (interval: number) => cluster({ nodes: [{ name: 'n', count: 3, racks: 2, slots: { map: 9 } }], heartbeat: { interval, stagger: true } })
const reading = (id: string, hosts: readonly string[], change: JobChange = {}) => job({ id, tasks: hosts.length, data: { hosts: hosts.map((host) => [host]) }, ...change })

/** Seconds until a job with data on n-0 starts on a node of its rack (`rack`) and on one of another (`far`), asked every 0.25 s. */
function waitsOf(options: DelayOptions, interval = 3): { rack: number; far: number } {
  const until = (node: string) => {
    const slots = dispatcher({ cluster: racks(interval), policy: delay(fifo(), options) })
    slots.submit(reading('a', ['n-0']), 0)
    for (let now = 0; now < 100; now += 0.25) if (slots.heartbeat(node, now, { free: 1 }).start.length > 0) return now
    return Infinity
  }
  return { rack: until('n-1'), far: until('n-2') }
}

describe('delay waits', () => {
  it('W1 for the node and W2 more for the rack', () => {
    expect(waitsOf({ node: 4, rack: 7 })).toEqual({ rack: 4, far: 11 })
  })

  it('W1 for the rack as well when only that is given', () => {
    expect(waitsOf({ node: 4 })).toEqual({ rack: 4, far: 8 })
  })

  it('by default 1.5 heartbeat intervals, at most 15 s', () => {
    expect(waitsOf({}, 3)).toEqual({ rack: 4.5, far: 9 })
    expect(waitsOf({ node: 1, rack: 'auto' }, 3)).toEqual({ rack: 1, far: 5.5 })
    expect(waitsOf({}, 60)).toEqual({ rack: 15, far: 30 })
  })

  it('as many levels as are given', () => {
    expect(waitsOf({ waits: [2, 3] })).toEqual({ rack: 2, far: 5 })
    expect(waitsOf({ waits: [2] })).toEqual({ rack: 2, far: 2 })
  })

  it('on a network of three levels one after another', () => {
    const paths = [['r0', 'x'], ['r0', 'x'], ['r1', 'x'], ['r2', 'y']]
    const deep = cluster({ nodes: paths.map((path, i) => ({ name: `n${i}`, count: 1, racks: path, slots: { map: 9 } })) })
    const step = (at: number, node: string, ...starts: string[]) => ({ at, node, starts })
    const script: Script = {
      source: 'Algorithm 3 with W1 = 1, W2 = 2, W3 = 4',
      cluster: deep,
      jobs: [reading('a', ['n0-0', 'n0-0', 'n0-0', 'n0-0'])],
      steps: [
        step(0, 'n1-0'), step(1, 'n1-0', 'a.0 at 1'), // W1: the rack
        step(2, 'n2-0'), step(4, 'n2-0', 'a.1 at 2'), // W2 more: the row
        step(5, 'n3-0'), step(8.5, 'n3-0'), step(9, 'n3-0', 'a.2 at 3'), // W3 more: anywhere
        step(9, 'n3-0', 'a.3 at 3'),
      ],
    }
    expect(playScript(script, delay(fifo(), { waits: [1, 2, 4] }))).toEqual(script.steps.map(({ starts }) => starts))
  })

  describe('only while it is skipped: from such a heartbeat to the next one of any node', () => {
    /** n-1 holds the data; it is busy, n-0 and n-2 are free or busy. When the waiting job starts, W1 = 5 s. */
    const startOf = (stagger: boolean, free: readonly string[]) => {
      const slots = dispatcher({ cluster: cluster({ nodes: [{ name: 'n', count: 3, slots: { map: 1 } }], heartbeat: { interval: 3, stagger } }), policy: delay(fifo(), { node: 5 }) })
      slots.submit(job({ id: 'busy', tasks: 3 - free.length }), 0)
      for (const node of ['n-0', 'n-1', 'n-2']) if (!free.includes(node)) slots.heartbeat(node, 0)
      slots.submit(reading('a', ['n-1']), 0)
      const beats = Array.from({ length: 60 }, (_, i) => ({ node: `n-${i % 3}`, now: 3 * Math.floor(i / 3) + (stagger ? i % 3 : 0) }))
      return beats.find(({ node, now }) => slots.heartbeat(node, now).start.length > 0)?.now
    }

    it('with one free node of three that beat in turn, a third of the time', () => {
      expect(startOf(true, ['n-0'])).toBe(15) // skipped at 0, 3, 6, 9, 12 for 1 s each
      expect(startOf(true, ['n-0', 'n-2'])).toBe(8) // 0 to 1, 2 to 3 to 4, 5 to 6 to 7: five seconds at 7, when n-1 beats
    })

    it('with nodes that beat together, all the time, whichever is free', () => {
      expect([startOf(false, ['n-0']), startOf(false, ['n-2']), startOf(false, ['n-0', 'n-2'])]).toEqual([6, 6, 6])
    })
  })

  it('until their very end, also where the sum of the gaps between heartbeats is rounded', () => {
    // ten nodes beat 0.3 s apart; n-0 holds the data. Skipped by n-1 first, the job has waited 2.4 s when n-9 beats
    const started = Array.from({ length: 30 }, (_, cycle) => {
      const slots = dispatcher({ cluster: cluster({ nodes: [{ name: 'n', count: 10, slots: { map: 1 } }], heartbeat: { interval: 3, stagger: true } }), policy: delay(fifo(), { node: 2.4 }) })
      slots.submit(reading('a', ['n-0']), 3 * cycle + 0.1)
      return Array.from({ length: 9 }, (_, i) => `n-${i + 1}`).find((node, i) => slots.heartbeat(node, 3 * cycle + ((i + 1) * 3) / 10).start.length > 0)
    })
    expect(new Set(started)).toEqual(new Set(['n-9']))
  })

  it('not at all for a job without located data', () => {
    const slots = dispatcher({ cluster: racks(3), policy: delay(fifo(), { node: 100 }) })
    slots.submit(job({ tasks: 2 }), 0)
    expect(slots.heartbeat('n-2', 0).start).toHaveLength(2)
  })

  it('for each slot type by itself', () => {
    const both = cluster({ nodes: [{ name: 'n', count: 2, slots: { map: 9, reduce: 9 } }] })
    const slots = dispatcher({ cluster: both, policy: delay(fifo(), { node: 5 }) })
    const stages = ['map', 'reduce'].map((name) => ({ name, tasks: 2, demand: { [name]: 1 }, duration: 1, data: { hosts: [['n-0'], ['n-0']] } }))
    slots.submit({ id: 'a', submit: 0, stages }, 0)
    const started = (now: number, node: string) => slots.heartbeat(node, now, { free: 1 }).start.map(({ stage, level }) => [stage, level])
    expect([started(0, 'n-1'), started(4, 'n-0'), started(5, 'n-1')]).toEqual([[], [[0, 0], [1, 0]], []])
    expect([started(9, 'n-1'), started(10, 'n-1')]).toEqual([[], [[0, 1], [1, 1]]])
  })

  it.each([{ node: -1 }, { rack: 'soon' }, { waits: [NaN] }, { nodes: 5 }])('refuses %j', (options) => {
    expect(() => delay(fifo(), options as DelayOptions)).toThrow(expect.objectContaining({ code: 'BAD_OPTION' }))
  })
})

describe('delay without heartbeats', () => {
  const two = instantCluster({ nodes: [{ name: 'n', count: 2, slots: { map: 1, reduce: 1 } }] })
  const hosts = (...names: string[]) => ({ data: { hosts: names.map((name) => [name]) } })
  /** A pass after each of these times, with submissions and ends before it; what starts. */
  const passes = (slots: Dispatcher, now: number) => slots.pass(now).start.map(({ job, node }) => `${job} on ${node}`)

  it('asks for a round when a wait is over', () => {
    const slots = dispatcher({ cluster: two, policy: delay(fifo(), { node: 5 }) })
    slots.submit(job({ id: 'a', tasks: 2, ...hosts('n-0', 'n-0') }), 0)
    expect([passes(slots, 0), slots.nextWake, passes(slots, 5)]).toEqual([['a on n-0'], 5, ['a on n-1']])
  })

  it('does not let the round of another slot type at the same time end the wait', () => {
    const slots = dispatcher({ cluster: two, policy: delay(fifo(), { node: 5 }) })
    slots.submit(job({ id: 'maps', tasks: 2, ...hosts('n-0', 'n-0') }), 0)
    slots.submit(job({ id: 'reduces', tasks: 2, demand: { reduce: 1 }, ...hosts('n-1', 'n-1') }), 0)
    expect([passes(slots, 0), passes(slots, 5)]).toEqual([['maps on n-0', 'reduces on n-1'], ['maps on n-1', 'reduces on n-0']])
  })

  it('does not count the wait of a job that has ended for one that gets its number', () => {
    const slots = dispatcher({ cluster: two, policy: delay(fifo(), { node: 5 }) })
    slots.submit(job({ id: 'a', ...hosts('n-1') }), 0) // skipped on n-0, then started on n-1
    const [a] = slots.pass(0).start
    slots.taskEnded(a as Placed, 10)
    slots.submit(job({ id: 'b', tasks: 2, ...hosts('n-1', 'n-1') }), 10)
    expect([passes(slots, 10), passes(slots, 14), passes(slots, 15)]).toEqual([['b on n-1'], [], ['b on n-0']])
  })

  it('starts a waiting job when its time has come, whatever the rounding of times', () => {
    const time = fc.double({ min: 0, max: 1e5, noNaN: true })
    const seconds = fc.double({ min: 0.001, max: 100, noNaN: true })
    fc.assert(
      fc.property(time, seconds, fc.double({ min: 0, max: 1, noNaN: true }), (start, wait, part) => {
        const slots = dispatcher({ cluster: two, policy: delay(fifo(), { node: wait }) })
        slots.submit(job({ id: 'long' }), start)
        slots.submit(job({ id: 'a', ...hosts('n-0') }), start)
        expect(passes(slots, start)).toEqual(['long on n-0'])
        let now = start + part * wait // an event in between, after which the rest of the wait is a sum of its own
        let started = passes(slots, now)
        for (let rounds = 0; started.length === 0 && rounds < 3; rounds++) {
          now = slots.nextWake
          started = passes(slots, now)
        }
        expect(started).toEqual(['a on n-1'])
        expect(Math.abs(now - start - wait)).toBeLessThan(1e-9)
      }),
      { seed: 4, numRuns: 300 },
    )
  })
})

describe('skip-delay', () => {
  /** Opportunities that a job with data on n-0 lets pass on a node of its rack and on one of another. */
  const skipsOf = (skips: number | number[]) => {
    const until = (node: string) => {
      const slots = dispatcher({ cluster: racks(3), policy: skipDelay(fifo(), { skips: skips }) })
      slots.submit(reading('a', ['n-0']), 0)
      for (let skipped = 0; skipped < 50; skipped++) if (slots.heartbeat(node, skipped, { free: 1 }).start.length > 0) return skipped
      return Infinity
    }
    return { rack: until('n-1'), far: until('n-2') }
  }

  it('goes anywhere after D opportunities, or after D1 to the rack and D2 more anywhere', () => {
    expect([skipsOf(0), skipsOf(3), skipsOf([2, 5])]).toEqual([{ rack: 0, far: 0 }, { rack: 3, far: 3 }, { rack: 2, far: 7 }])
  })

  it('is not skipped where the node has no slot, or where the scan does not come to it', () => {
    const slots = dispatcher({ cluster: racks(3), policy: skipDelay(fair({ pools: false }), { skips: 2 }) })
    slots.submit(reading('first', ['n-2', 'n-2', 'n-2']), 0)
    slots.submit(reading('a', ['n-0']), 0)
    slots.heartbeat('n-2', 0, { free: 0 })
    slots.heartbeat('n-2', 1, { free: 1 }) // first starts, so the scan ends before a
    const starts = [2, 3, 4].map((now) => slots.heartbeat('n-1', now, { free: 1 }).start.map((each) => each.job))
    expect(starts).toEqual([[], [], ['a']]) // two skips first, at 2 and 3
  })

  it('lets a job that has waited start far away until it meets its data again', () => {
    const slots = dispatcher({ cluster: racks(3), policy: skipDelay(fifo(), { skips: 1 }) })
    slots.submit(reading('a', ['n-0', 'n-0', 'n-0', 'n-0']), 0)
    const levels = ['n-2', 'n-2', 'n-2', 'n-0', 'n-2', 'n-2'].map((node, now) => slots.heartbeat(node, now, { free: 1 }).start.map((each) => each.level))
    expect(levels).toEqual([[], [2], [2], [0], [], [2]])
  })

  it('goes on where no heartbeat comes, and no end of a task of its own: level by level, once all nodes have been seen', () => {
    const starts = (running: string[]) => {
      const { heartbeat: _, ...instant } = racks(3)
      const slots = dispatcher({ cluster: instant, policy: skipDelay(fifo(), { skips: [9, 9] }) })
      for (const id of running) slots.submit(reading(id, ['n-1']), 0)
      slots.pass(0)
      slots.nodeDown('n-0', 0)
      slots.submit(reading('a', ['n-0']), 1)
      return slots.pass(1).start.map(({ job, node, level }) => `${job} on ${node} at ${level}`)
    }
    expect([starts([]), starts(['b'])]).toEqual([['a on n-1 at 1'], []])
  })

  it('goes on, too, where only masters run, which end after all others', () => {
    const cluster = instantCluster({ nodes: [{ name: 'n', count: 2, resources: { cpu: 2, master: 9 } }] })
    const { stages } = job({ demand: { cpu: 1 }, data: { hosts: [['n-0']] }, duration: 1 })
    const mastered = { id: 'a', submit: 0, stages: [{ name: 'master', tasks: 1, demand: { master: 1 }, duration: 2, master: true }, ...stages] }
    const { recorder } = run({ policy: skipDelay(fifo(), { skips: 9 }), jobs: [mastered], cluster, outages: [{ node: 0 as NodeId, from: 1, to: 1e6, drain: true }] })
    expect(recorder.launches.map(({ stage, time, node }) => `${stage} at ${time} on ${node}`)).toEqual(['0 at 0 on n-0', '1 at 2 on n-1'])
  })

  it.each([{ skips: -1 }, { skips: 1.5 }, { skips: [] }, {}])('refuses %j', (options) => {
    expect(() => skipDelay(fifo(), options as { skips: number })).toThrow(expect.objectContaining({ code: 'BAD_OPTION' }))
  })
})
