import { dispatcher } from '@sched/cluster'
import type { JobSpec, Plug } from '@sched/core'
import { assetFairness, ceei, drf, greedy, maxMin, roundRobin, wfq } from '@sched/policies'
import { instantCluster, job } from '@sched/testkit'
import { describe, expect, it } from 'vitest'

type Amounts = Readonly<Record<string, number>>

/** One machine of so much, without heartbeats; jobs of 10 s at time 0. */
const master = (resources: Amounts, order: Plug<'order'>, jobs: readonly JobSpec[]) => {
  const made = dispatcher({ cluster: instantCluster({ nodes: [{ count: 1, resources }] }), policy: greedy(order) })
  for (const each of jobs) made.submit(each, 0)
  return made
}
const started = (resources: Amounts, order: Plug<'order'>, jobs: readonly JobSpec[]) => master(resources, order, jobs).pass(0).start.map((each) => each.job)
const count = (names: readonly string[]) => Object.fromEntries([...new Set(names)].sort().map((name) => [name, names.filter((each) => each === name).length]))
const user = (id: string, demand: Amounts, tasks = 500, change = {}) => job({ id, user: id, demand, tasks, ...change })
const pair = [user('A', { cpu: 1, mem: 4 }), user('B', { cpu: 3, mem: 1 })]

describe('a hundred machines of the paper as one: 900 CPU, 1,800 GB, A <1, 4> and B <3, 1>', () => {
  const large = { cpu: 900, mem: 1800 }

  it('is shared 300 and 200 by drf', () => expect(count(started(large, drf(), pair))).toEqual({ A: 300, B: 200 }))

  it('is shared 252 and 216 by asset fairness', () => expect(count(started(large, assetFairness(), pair))).toEqual({ A: 252, B: 216 }))

  it('is shared 408 and 164 by the market: 45/11 and 18/11 of 100, in whole tasks', () => {
    // 163.6 tasks of B, a started one counts: 164 of 3 CPU leave 408 of the 900 for A, which would buy 409.1
    expect(count(started(large, ceei(), pair))).toEqual({ A: 408, B: 164 })
  })

  it('is shared 415 and 140 by max-min of CPU, which does not see memory run out', () => {
    // x = 3 y until 4 x + y = 1800: 415 and 138; 1660 + 138 GB leave 2, for two more of B
    expect(count(started(large, maxMin(), pair))).toEqual({ A: 415, B: 140 })
  })
})

describe('drf that counts what comes next', () => {
  it('serves who would have least with it', () => {
    // A would have 4/18 and B 3/9; A 8/18; B 6/9; A 12/18, which is as much, by name; then B is left
    const paper = { cpu: 9, mem: 18 }
    expect(started(paper, drf({ countNext: true }), pair).join('')).toBe('ABAAB')
    expect(started(paper, drf(), pair).join('')).toBe('ABABA')
  })

  it('counts all of a gang', () => {
    const jobs = [user('A', { cpu: 1 }, 6, { stages: [{ name: 's', tasks: 6, gang: true, demand: { cpu: 1 }, duration: 10 }] }), user('B', { cpu: 1 }, 6)]
    expect(started({ cpu: 10 }, drf({ countNext: true }), jobs).join('')).toBe('BBBBBB')
    expect(started({ cpu: 10 }, drf(), jobs).join('')).toBe('AAAAAABBBB')
  })

  it('is refused where jobs share, and beside H-DRF', () => {
    for (const other of [{ by: 'job' }, { hierarchy: 'rescaled' }] as const)
      expect(() => started({ cpu: 10 }, drf({ countNext: true, ...other }), [])).toThrow(expect.objectContaining({ code: 'BAD_OPTION', place: { field: 'drf.countNext' } }))
  })
})

describe('sums that are rounded', () => {
  it('do not part users with equal parts of what they would buy', () => {
    // memory alone is dear, so both would buy half of it, and each task is half of that: ties by name
    expect(started({ cpu: 12, mem: 12 }, ceei(), [user('A', { cpu: 2, mem: 3 }), user('B', { cpu: 1, mem: 3 })]).join('')).toBe('ABAB')
  })

  it('do not part users whose tasks finish at one virtual time', () => {
    // A at 0.1, 0.2 and 0.1 + 0.1 + 0.1, which is 0.30000000000000004; B at 0.3
    expect(started({ cpu: 10 }, wfq(), [user('A', { cpu: 1 }, 3), user('B', { cpu: 3 }, 1)]).join('')).toBe('AAAB')
  })
})

describe('shares that are equal but for rounding', () => {
  it('are equal under asset fairness: 1/10 + 2/10 of A and 3/10 of B', () => {
    // after one task each A has 0.30000000000000004, B 0.3; the next by name
    expect(started({ cpu: 10, mem: 10 }, assetFairness(), [user('A', { cpu: 1, mem: 2 }, 2), user('B', { cpu: 3 }, 2)]).join('')).toBe('ABAB')
  })

  it('are equal with weights of 0.7 and 2.1, whose third is not 0.7 in binary', () => {
    for (const order of [drf({ weights: { A: 0.7, B: 2.1 } }), maxMin({ shares: { A: { weight: 0.7 }, B: { weight: 2.1 } } })])
      expect(started({ cpu: 7 }, order, [user('A', { cpu: 1 }, 2), user('B', { cpu: 1 }, 5)]).join('')).toBe('ABBBABB')
  })
})

describe('max-min', () => {
  const units = (id: string) => user(id, { mem: 1 })

  it('serves minimums first, as a part of them, and stops at maximums', () => {
    const shares = { A: { min: 4 }, B: { min: 2 }, C: {}, D: { max: 1 } }
    const order = started({ mem: 12 }, maxMin({ shares }), ['A', 'B', 'C', 'D'].map(units))
    // 6 go to the minimums, then amounts alike: C 1, D 1, C 2, B 3 (2 = 2, by name), C 3, B 4
    expect(order.slice(0, 6).sort().join('')).toBe('AAAABB')
    expect(count(order)).toEqual({ A: 4, B: 4, C: 3, D: 1 })
  })

  it('holds a maximum at every level of the queues', () => {
    const jobs = ['ads.x', 'ads.y', 'web'].map((queue) => job({ id: queue, queue, demand: { mem: 1 }, tasks: 20 }))
    expect(count(started({ mem: 12 }, maxMin({ by: 'queue', shares: { ads: { max: 4 }, 'root.ads.x': { max: 1 } } }), jobs))).toEqual({ 'ads.x': 1, 'ads.y': 3, web: 8 })
  })

  it('refuses a job that asks more than a maximum at once, with the maximum', () => {
    const order = maxMin({ by: 'queue', shares: { ads: { max: 4 } } })
    const sent = (change: object) => () => started({ mem: 12 }, order, [job({ id: 'j', queue: 'ads.x', demand: { mem: 5 }, ...change })])
    expect(sent({})).toThrow('job j: a task asks 5 mem, and the maximum of "ads" is 4.')
    expect(sent({ demand: { mem: 1 }, tasks: 5, gang: true })).toThrow('job j: a gang asks 5 mem, and the maximum of "ads" is 4.')
    expect(sent({ demand: { mem: 4 }, tasks: 5 })()).toEqual(['j'])
  })

  it('names a resource that the cluster does not have', () => {
    expect(() => started({ mem: 1 }, maxMin({ resource: 'men' }), [])).toThrow('Did you mean "mem"?')
  })
})

describe('drf over a tree of queues', () => {
  const tree = [job({ id: 'a', queue: 'root.eng.a', demand: { cpu: 1 }, tasks: 50 }), job({ id: 'b', queue: 'root.eng.b', demand: { cpu: 1 }, tasks: 50 }), job({ id: 'c', queue: 'root.ops', demand: { cpu: 1 }, tasks: 50 })]

  it('divides among siblings at every level', () => {
    expect(count(started({ cpu: 12 }, drf({ by: 'queue' }), tree))).toEqual({ a: 3, b: 3, c: 6 })
    expect(count(started({ cpu: 12 }, drf({ by: 'queue', weights: { 'root.eng': 2, 'eng/a': 3 } }), tree))).toEqual({ a: 6, b: 2, c: 4 })
  })

  it('shares between users, however many queues they have, by default', () => {
    const jobs = tree.map((each) => ({ ...each, user: each.id === 'c' ? 'cy' : 'ann' }))
    expect(count(started({ cpu: 12 }, drf({ inner: 'fair' }), jobs))).toEqual({ a: 3, b: 3, c: 6 })
    expect(count(started({ cpu: 12 }, drf({ by: 'job' }), jobs))).toEqual({ a: 4, b: 4, c: 4 })
  })

  it('weighs jobs by the workload and refuses weights of its own for them', () => {
    const jobs = [user('A', { cpu: 1 }, 50, { weight: 2 }), user('B', { cpu: 1 }, 50)]
    expect(count(started({ cpu: 9 }, drf({ by: 'job' }), jobs))).toEqual({ A: 6, B: 3 })
    expect(() => started({ cpu: 9 }, drf({ by: 'job', weights: { A: 2 } }), jobs)).toThrow('Give jobs their weights in the workload.')
    expect(() => started({ cpu: 9 }, drf({ weights: { A: { gpu: 2 } } }), jobs)).toThrow('Known: cpu.')
  })
})

describe('inside one user', () => {
  const own = (id: string, cpu: number, change = {}) => job({ id, user: 'ann', demand: { cpu }, tasks: 9, ...change })

  it.each([
    ['fifo', 'aaaaaa'],
    ['fair', 'ababa'], // tasks alike; 1 + 2 CPU in turn: 7 of 8 are used, then a
    ['share', 'abaaba'], // amounts alike
  ] as const)('jobs go by %s', (inner, starts) => {
    expect(started({ cpu: inner === 'fifo' ? 6 : inner === 'fair' ? 7 : 8 }, drf({ inner }), [own('a', 1), own('b', 2)]).join('')).toBe(starts)
  })
})

describe('weighted fair queueing', () => {
  it('starts by virtual finish: cost over weight, one task after the other', () => {
    // of 12: A 1 each, finish 1 2 3 4; B 2 each, 2 4; weight 2 for C of 2: 1 2 3. Ties by name
    const jobs = [user('A', { cpu: 1 }, 4), user('B', { cpu: 2 }, 2), user('C', { cpu: 2 }, 2)]
    expect(started({ cpu: 12 }, wfq({ weights: { C: 2 } }), jobs).join('')).toBe('ACABCAAB')
    expect(started({ cpu: 12 }, wfq({ cost: 'tasks' }), jobs).join('')).toBe('ABCABCAA')
  })

  it('lets nobody save up turns while it asks for nothing', () => {
    const made = master({ cpu: 1 }, wfq(), [user('B', { cpu: 1 }, 20)])
    for (let at = 0; at < 10; at++) for (const each of made.pass(at).start) made.taskEnded(each, at)
    made.submit(user('A', { cpu: 1 }, 20), 10)
    const names: string[] = []
    for (let at = 10; at < 16; at++)
      for (const each of made.pass(at).start) {
        names.push(each.job)
        made.taskEnded(each, at)
      }
    expect(names.join('')).toBe('ABABAB') // and not AAAAAA until A has had ten
  })

  it('gives back what a start has cost, however little of the cluster is there when it fails', () => {
    const made = master({ cpu: 2 }, wfq(), [user('A', { cpu: 1 }, 9), user('B', { cpu: 1 }, 9)])
    const [a, b] = made.pass(0).start // A and B finish at 1/2
    made.nodeDown('node-0', 1)
    made.pass(1)
    made.taskFailed(a!, 1) // A at 0 again, and not at 1/2 - 1/0
    made.nodeUp('node-0', 2)
    made.taskEnded(b!, 2)
    const names: string[] = []
    for (let at = 2; at < 6; at++)
      for (const each of made.pass(at).start) {
        names.push(each.job)
        made.taskEnded(each, at)
      }
    expect(names.join('')).toBe('AABABABA') // 1/2, 1 before B's 1, then in turn
  })
})

describe('round robin', () => {
  it('gives everybody a turn, as long as its weight', () => {
    const jobs = ['A', 'B', 'C'].map((id) => user(id, { cpu: 1 }, 5))
    expect(started({ cpu: 9 }, roundRobin(), jobs).join('')).toBe('ABCABCABC')
    expect(started({ cpu: 9 }, roundRobin({ weights: { B: 3 } }), jobs).join('')).toBe('ABBBCABBC')
  })

  it('keeps the turn of who cannot start', () => {
    const made = master({ cpu: 4 }, roundRobin(), [user('A', { cpu: 3 }, 5), user('B', { cpu: 1 }, 5)])
    const [first] = made.pass(0).start // A, B; then A's next does not fit, nor is there room for B
    expect(first?.job).toBe('A')
    made.taskEnded(first ?? { id: 0 }, 1)
    expect(made.pass(1).start.map((each) => each.job).join('')).toBe('A')
  })
})
