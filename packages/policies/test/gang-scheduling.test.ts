import { randomStream, reasonNames, type JobId, type JobSpec, type LaneId, type NodeId, type Reason } from '@sched/core'
import { fifo, gangScheduling, sjf, type GangSchedulingOptions } from '@sched/policies'
import { checkPolicyLaws, cluster, instantCluster, job, run, serial, serialArchitecture, type JobChange, type RunOptions } from '@sched/testkit'
import { describe, expect, it } from 'vitest'

/** A run to its end on nodes of 4 CPUs. */
const played = (jobs: readonly JobChange[], options: GangSchedulingOptions = {}, change: Partial<RunOptions> = {}) =>
  run({ cluster: instantCluster({ nodes: [{ count: 1, resources: { cpu: 4 } }] }), jobs: jobs.map((each) => job(each)), policy: gangScheduling(fifo(), options), ...change }).recorder
type Recorder = ReturnType<typeof played>
const cpu = (id: string, amount: number, duration: number, change: JobChange = {}): JobChange => ({ id, demand: { cpu: amount }, duration, ...change })
const piecesOf = ({ ends }: Recorder) => ends.map(({ job: id, started, stopped }) => `${id} ${started}-${stopped}`)

describe('gang scheduling', () => {
  it('gives two jobs of the whole machine its slices in turns (Ousterhout 1982)', () => {
    // 50 s each: a has 0 to 30, b 30 to 60, a its last 20 to 80, and then b is alone
    expect(piecesOf(played([cpu('a', 4, 50), cpu('b', 4, 50)]))).toEqual(['a 0-30', 'b 30-60', 'a 60-80', 'b 80-100'])
    expect(piecesOf(played([cpu('a', 4, 50), cpu('b', 4, 50)], { slice: 20 }))).toEqual(['a 0-20', 'b 20-40', 'a 40-60', 'b 60-80', 'a 80-90', 'b 90-100'])
  })

  it('lets jobs that fit beside each other have their turn together', () => {
    // a and b are a row. Nobody passes c, although d would fit beside a and b: it starts in the row of c, and runs on beside a and b
    const recorder = played([cpu('a', 2, 40), cpu('b', 1, 40), cpu('c', 3, 40), cpu('d', 1, 40)])
    expect(piecesOf(recorder)).toEqual(['a 0-30', 'b 0-30', 'c 30-60', 'd 30-70', 'a 60-70', 'b 60-70', 'c 70-80'])
  })

  it('lets jobs of other rows run on what the row leaves free, those whose turn comes next first', () => {
    // b stops a alone: c runs on beside it, and when a has its turn again b stops, so that all of c is done at 60
    expect(piecesOf(played([cpu('a', 3, 40), cpu('c', 1, 60), cpu('b', 3, 40)]))).toEqual(['a 0-30', 'c 0-60', 'b 30-60', 'a 60-70', 'b 70-80'])
  })

  it('makes one row of two that run beside each other', () => {
    // from 30 s on a and b take turns; d ends at 40 beside b, so a goes on there, and nobody is stopped any more
    expect(piecesOf(played([cpu('a', 2, 100), cpu('d', 2, 100), cpu('b', 2, 20)]))).toEqual(['d 0-30', 'b 30-50', 'a 0-100', 'd 50-120'])
  })

  it('has as many jobs share a processor as there are rows', () => {
    const whole = (id: string) => cpu(id, 4, 50)
    const startsOf = (rows: number) => Object.fromEntries(played(['a', 'b', 'c', 'd'].map(whole), { rows }).launches.filter(({ job: id }, i, all) => all.findIndex((other) => other.job === id) === i).map(({ job: id, time }) => [id, time]))
    expect(startsOf(1)).toEqual({ a: 0, b: 50, c: 100, d: 150 })
    expect(startsOf(2)).toEqual({ a: 0, b: 30, c: 100, d: 130 })
    expect(startsOf(4)).toEqual({ a: 0, b: 30, c: 60, d: 90 })
  })

  it('gives those that wait together a turn each before anyone has a second one (Ousterhout 1982: a row of the matrix for each)', () => {
    const jobs = ['a', 'b', 'c', 'd', 'e'].map((id) => cpu(id, 4, 60))
    const turns = ({ ends }: ReturnType<typeof played>) => ends.toSorted((a, b) => a.started - b.started).map(({ job: id }) => id).join('')
    expect(turns(played(jobs, { slice: 30 }))).toBe('abcdabcde') // the fifth waits for a row, and then runs alone
    expect(turns(played(jobs, { slice: 30, rows: 5 }))).toBe('abcdeabcde')
    // who comes in the turn of b has one before b has another
    expect(turns(played([...jobs.slice(0, 2), cpu('c', 4, 60, { submit: 40 }), cpu('d', 4, 60, { submit: 50 })], { slice: 30 }))).toBe('abacdbcd')
  })

  it('takes who waits in the order', () => {
    const jobs = [cpu('a', 4, 50), cpu('long', 4, 90, { submit: 1, estimate: 90 }), cpu('short', 4, 20, { submit: 2, estimate: 20 })]
    expect(piecesOf(played(jobs, {}, { policy: gangScheduling(sjf()) }))).toEqual(['a 0-31', 'short 31-51', 'long 51-81', 'a 81-100', 'long 100-160'])
  })

  it('keeps the memory of jobs that do not have their turn: who finds none waits until one of them has ended', () => {
    const change = { cluster: instantCluster({ nodes: [{ count: 1, resources: { cpu: 4, memory: 10 } }] }) }
    const memory = (id: string, amount: number, duration: number) => cpu(id, 4, duration, { demand: { cpu: 4, memory: amount } })
    const piecesWith = (...amounts: [number, number, number]) => piecesOf(played([memory('a', amounts[0], 100), memory('b', amounts[1], 40), memory('c', amounts[2], 10)], {}, change))
    expect(piecesWith(6, 3, 1)).toEqual(['a 0-30', 'b 30-60', 'c 60-70', 'a 70-100', 'b 100-110', 'a 110-150'])
    expect(piecesWith(6, 4, 1)).toEqual(['a 0-30', 'b 30-60', 'a 60-90', 'b 90-100', 'c 100-110', 'a 110-150'])
  })

  it('stops and continues the tasks of a gang at once, on their nodes', () => {
    const nodes = { cluster: instantCluster({ nodes: [{ count: 3, resources: { cpu: 4 } }] }) }
    const gang = (id: string, tasks: number): JobChange => cpu(id, 4, 40, { tasks, gang: true })
    const pieces = played([gang('a', 2), gang('b', 2)], {}, nodes).ends.map(({ job: id, node, started, stopped }) => `${id} ${node} ${started}-${stopped}`)
    // b could have one free node and one of a's; it gets those that it would have alone, and a stops as a whole
    expect(pieces.sort()).toEqual([
      'a node-0 0-30', 'a node-0 60-70', 'a node-1 0-30', 'a node-1 60-70', 'b node-0 30-60', 'b node-0 70-80', 'b node-1 30-60', 'b node-1 70-80',
    ])
  })

  it('starts anew what was lost with its node while it did not have its turn', () => {
    // c stops a at 30; at 35 both are lost. It is the turn of c, so it begins anew in the place of b; when the node is back a begins anew there, too
    const outages = [{ node: 0 as NodeId, from: 35, to: 45, drain: false }]
    const nodes = { cluster: instantCluster({ nodes: [{ count: 2, resources: { cpu: 4 } }] }) }
    const pieces = piecesOf(played([cpu('a', 4, 50), cpu('b', 4, 200), cpu('c', 4, 10)], {}, { ...nodes, outages }))
    expect(pieces).toEqual(['a 0-30', 'c 30-35', 'b 0-35', 'c 35-45', 'a 45-95', 'b 45-210'])
  })

  it('starts a job that is one gang of several stages anew as a whole where a part of it was lost so', () => {
    // h, of all 4 nodes, stops g at 31; at 35 one node of g is lost, and with it the turn of h: g begins anew on the 3 others, whichever of its stages was there
    const part = (name: string, tasks: number) => ({ name, tasks, gang: true, demand: { cpu: 4 }, duration: 50 })
    const g: JobSpec = { id: 'g', gang: true, submit: 0, stages: [part('a', 1), part('b', 2)] }
    const cluster = instantCluster({ nodes: [{ count: 4, resources: { cpu: 4 } }] })
    const piecesWithout = (node: number) => piecesOf(run({
      cluster, jobs: [g, job(cpu('h', 4, 20, { submit: 1, tasks: 4, gang: true }))], policy: gangScheduling(fifo()), outages: [{ node: node as NodeId, from: 35, to: 500, drain: false }],
    }).recorder)
    const three = (piece: string) => [piece, piece, piece]
    const expected = [...three('g 0-31'), ...three('h 31-35'), 'h 31-35', ...three('g 35-85'), ...three('h 500-520'), 'h 500-520']
    for (const node of [0, 1, 2]) expect(piecesWithout(node)).toEqual(expected)
  })

  it('tells whom the first that waits keeps waiting', () => {
    const told: string[] = []
    const observer = { onDefer: (each: JobId, _: LaneId, reason: Reason) => void told.push(`${each} ${reasonNames[reason]}`) }
    played([cpu('a', 4, 10), cpu('b', 2, 10), cpu('c', 2, 10)], {}, { observers: [observer] })
    expect([...new Set(told)]).toEqual(['1 no room', '2 behind others'])
  })

  it('gives nobody turns where nodes report by heartbeat, and says so', () => {
    const warnings: string[] = []
    const beating = { cluster: { ...instantCluster({ nodes: [{ count: 1, resources: { cpu: 4 } }] }), heartbeat: { interval: 1 } } }
    const recorder = played([cpu('a', 4, 50), cpu('b', 4, 50)], {}, { ...beating, warn: (text) => void warnings.push(text) })
    expect(recorder.ends).toHaveLength(2)
    expect(warnings).toEqual([expect.stringContaining('so the first that fits starts and runs to its end')])
  })

  it('lets a gang wait for the next round where this one may start no more', () => {
    const jobs = [job({ id: 'a', tasks: 2 }), job({ id: 'b', tasks: 2, gang: true })]
    const startsOf = (cluster: RunOptions['cluster']) => run({ policy: gangScheduling(fifo()), jobs, architecture: serial({ claims: 2 }), ...(cluster !== undefined && { cluster }) }).recorder.launchLines()
    expect(startsOf(cluster({ nodes: 1, racks: 1, slots: { map: 5 } }))).toEqual(['0 a.0 on node-0', '0 a.1 on node-0', '3 b.0 on node-0', '3 b.1 on node-0'])
    expect(startsOf(instantCluster({ nodes: 1, racks: 1, slots: { map: 5 } }))).toEqual(['0 a.0 on node-0', '0 a.1 on node-0', '10 b.0 on node-0', '10 b.1 on node-0'])
  })

  it('gives nobody turns in rounds for single jobs, and says so', () => {
    const warnings: string[] = []
    const recorder = played([cpu('a', 4, 50), cpu('b', 4, 50)], {}, { architecture: serialArchitecture.plug({}, { jobs: 1 }), warn: (text) => void warnings.push(text) })
    expect(piecesOf(recorder)).toEqual(['a 0-50', 'b 50-100'])
    expect(warnings).toEqual([expect.stringContaining('jobs take turns only where decisions take no time')])
  })

  it('runs every task for as long as it takes, in pieces on one node, whatever comes on random machines', { tags: 'long' }, () => {
    let pieces = 0
    for (let seed = 1; seed <= 60; seed++) {
      const random = randomStream(seed, 'turns')
      const whole = (least: number, most: number) => least + Math.floor(random() * (most - least + 1))
      const nodes = whole(1, 4)
      const jobs = Array.from({ length: whole(5, 25) }, (_, i) => ({
        id: `${i}`, submit: whole(0, 60), tasks: whole(1, nodes), gang: random() < 0.7, duration: whole(1, 40), demand: { cpu: whole(1, 4), memory: whole(1, 4) },
      }))
      const cluster = instantCluster({ nodes: [{ count: nodes, resources: { cpu: 4, memory: 9 } }] })
      const { ends } = played(jobs, { rows: whole(1, 4), slice: whole(1, 15) }, { cluster })
      const ofTask = new Map<string, (typeof ends)[number][]>()
      for (const end of ends) ofTask.set(`${end.job} ${end.task}`, [...(ofTask.get(`${end.job} ${end.task}`) ?? []), end])
      expect(ofTask.size).toBe(jobs.reduce((sum, { tasks }) => sum + tasks, 0))
      for (const [key, parts] of ofTask) {
        const seconds = parts.reduce((sum, { started, stopped }) => sum + stopped - started, 0)
        const { duration } = jobs[Number(key.split(' ')[0])] as { duration: number }
        expect([seed, key, Math.round(seconds * 1e6) / 1e6, new Set(parts.map(({ node }) => node)).size]).toEqual([seed, key, duration, 1])
        pieces += parts.length - 1
      }
    }
    expect(pieces).toBeGreaterThan(200)
  })

  it.each([{}, { gangs: true }, { gangJobs: true }, { masters: true }])('obeys the laws of policies: %j', { tags: 'long' }, (worlds) => {
    const { evictions } = checkPolicyLaws(() => gangScheduling(fifo(), { slice: 1 }), { runs: 60, worlds: { heartbeats: false, outages: true, failures: true, ...worlds } })
    expect(evictions).toBeGreaterThan(20)
  })
})
