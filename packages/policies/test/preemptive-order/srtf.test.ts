import { dispatcher } from '@sched/cluster'
import { srtf, type SrtfOptions } from '@sched/policies'
import { instantCluster, job, run, serialArchitecture, type JobChange, type RunOptions } from '@sched/testkit'
import { describe, expect, it } from 'vitest'

const warnings: string[] = []
/** On one node of 4 GPUs, where preempted tasks start anew. */
const played = (jobs: readonly JobChange[], options: SrtfOptions = {}, change: Partial<RunOptions> = {}) =>
  run({
    cluster: instantCluster({ nodes: [{ count: 1, resources: { gpu: 4 } }] }), jobs: jobs.map((each) => job(each)), policy: srtf(options),
    warn: (text) => void warnings.push(text), ...change,
  }).recorder
type Recorder = ReturnType<typeof played>
const gpus = (id: string, amount: number, seconds: number, change: JobChange = {}): JobChange => ({ id, demand: { gpu: amount }, duration: seconds, estimate: seconds, ...change })
const piecesOf = ({ ends }: Recorder) => ends.toSorted((a, b) => a.started - b.started || (a.job < b.job ? -1 : 1)).map(({ job: id, started, stopped }) => `${id} ${started}-${stopped}`)

describe('shortest remaining time first', () => {
  it('preempts for what is shorter than the rest, and not for what is shorter than the whole', () => {
    // a has 10 left at 10: b with 9 takes its place, and with 15, less than the 20 of a, waits
    expect(piecesOf(played([gpus('a', 4, 20), gpus('b', 4, 9, { submit: 10 })]))).toEqual(['a 0-10', 'b 10-19', 'a 19-39'])
    expect(piecesOf(played([gpus('a', 4, 20), gpus('b', 4, 15, { submit: 10 })]))).toEqual(['a 0-20', 'b 20-35'])
    expect(piecesOf(played([gpus('a', 4, 20), gpus('b', 4, 10, { submit: 10 })]))).toEqual(['a 0-20', 'b 20-30'])
  })

  it('counts what preempted tasks have behind them, where they go on from there', () => {
    // at 19 a has 10 left, if it goes on, and is before c with 15; where it starts anew it has 20, and is behind
    const jobs = [gpus('a', 4, 20), gpus('b', 4, 9, { submit: 10 }), gpus('c', 4, 15, { submit: 11 })]
    const change = { checkpoint: { whenPreempted: true } }
    expect(piecesOf(played(jobs, { checkpoints: true }, change))).toEqual(['a 0-10', 'b 10-19', 'a 19-29', 'c 29-44'])
    expect(piecesOf(played(jobs, {}, change))).toEqual(['a 0-10', 'b 10-19', 'c 19-34', 'a 34-44'])
  })

  it('tells the one that takes its place what preempted tasks have behind them', () => {
    const cluster = instantCluster({ nodes: [{ name: 'n', count: 1, resources: { gpu: 4 } }] })
    const make = () => dispatcher({ cluster, policy: srtf({ checkpoints: true }) })
    const [a, b, c] = [job(gpus('a', 4, 20)), job(gpus('b', 4, 9)), job(gpus('c', 4, 15))]
    const first = make()
    first.submit(a, 0)
    first.pass(0)
    first.submit(b, 10)
    expect(first.pass(10)).toMatchObject({ kill: [{ job: 'a' }], start: [{ job: 'b' }] })
    const next = (remembers: boolean) => {
      const second = make()
      second.submit(a, 0)
      second.submit(b, 10)
      const running = second.adopt({ job: 'b', task: 0, node: 'n-0' }, 10)
      if (remembers) second.recall(first.memory())
      second.submit(c, 11)
      second.taskEnded(running, 19)
      return second.pass(19).start.map(({ job: id }) => id)
    }
    expect([next(true), next(false)]).toEqual([['a'], ['c']])
  })

  it('multiplies the time with the amount of a resource, where one is named', () => {
    // at 10 a has 10 s left on 4 GPUs, and b 15 on 2: 40 and 30 GPU seconds; both do not fit beside each other
    const jobs = [gpus('a', 4, 20), gpus('b', 2, 15, { submit: 10 })]
    expect(piecesOf(played(jobs))).toEqual(['a 0-20', 'b 20-35'])
    expect(piecesOf(played(jobs, { resource: 'gpu' }))).toEqual(['a 0-10', 'b 10-25', 'a 25-45'])
    // of a job of two tasks the sum counts
    expect(piecesOf(played([gpus('a', 4, 20), gpus('b', 2, 25, { submit: 10, tasks: 2, gang: true })], { resource: 'gpu' }))).toEqual(['a 0-20', 'b 20-45', 'b 20-45'])
  })

  it('has jobs without an estimate come last, and says so once', () => {
    warnings.length = 0
    expect(piecesOf(played([{ id: 'a', demand: { gpu: 4 }, duration: 20 }, gpus('b', 4, 90, { submit: 5 }), { id: 'c', demand: { gpu: 4 }, duration: 5, submit: 6 }]))).toEqual(['a 0-5', 'b 5-95', 'a 95-115', 'c 115-120'])
    expect(warnings).toEqual(['jobs without an estimate come last under srtf, by submission.'])
  })

  it('leaves a job that outlives its estimate where it is: it has nothing left', () => {
    expect(piecesOf(played([gpus('a', 4, 20, { estimate: 5 }), gpus('b', 4, 1, { submit: 10 })]))).toEqual(['a 0-20', 'b 20-21'])
  })

  it('refuses a resource that the cluster does not have', () => {
    expect(() => played([gpus('a', 4, 20)], { resource: 'gpus' })).toThrow('srtf.resource: the cluster has no resource "gpus". Did you mean "gpu"?')
  })
})

describe('who goes', () => {
  const nodes = (count: number, gpu: number) => ({ cluster: instantCluster({ nodes: [{ name: 'n', count, resources: { gpu } }] }) })
  const evicted = (recorder: Recorder) => recorder.ends.filter(({ how }) => how === 'evicted').map(({ job: id, stopped }) => `${id} ${stopped}`)

  it('is who stands in the way alone, the last in order first', () => {
    // c needs two of the four: of d, the last in order, which is spared, and b, one is enough
    expect(evicted(played([gpus('a', 2, 50), gpus('b', 1, 60), gpus('d', 1, 70), gpus('c', 1, 5, { submit: 1 })]))).toEqual(['d 1'])
    expect(evicted(played([gpus('a', 1, 50), gpus('b', 2, 60), gpus('d', 1, 70), gpus('c', 2, 5, { submit: 1 })]))).toEqual(['b 1'])
  })

  it('is nobody beside whom there is room after all', () => {
    // on the first node are x, a and c, on the second one is free: by amounts c alone is passed over and goes first, and then a, which holds enough without c
    const before: JobChange[] = [gpus('x', 1, 4.5), gpus('a', 2, 60, { submit: 0.1 }), gpus('c', 1, 70, { submit: 0.2 }), gpus('y', 3, 4, { submit: 0.3 })]
    expect(evicted(played([...before, gpus('d', 2, 4, { submit: 1 })], {}, nodes(2, 4)))).toEqual(['a 1'])
  })

  it('is nobody on nodes where that helps nobody', () => {
    // the last in order, d, is on the second node, and c has room on the first when b goes: d and e, which went before b in vain, stay
    const change = nodes(2, 4)
    const jobs = [gpus('a', 2, 50), gpus('b', 2, 60), gpus('e', 3, 20), gpus('d', 1, 70), gpus('c', 2, 5, { submit: 1 })]
    expect(evicted(played(jobs, {}, change))).toEqual(['b 1'])
  })

  it('is nobody where not even all of them would help', () => {
    // one is free on the second node, and b holds one on the first: as much as c asks, but not on one node
    const recorder = played([gpus('x', 1, 6), gpus('b', 1, 90), gpus('y', 1, 3.5, { submit: 0.5 }), gpus('c', 2, 7, { submit: 1 })], {}, nodes(2, 2))
    expect([evicted(recorder), recorder.launches.at(-1)]).toEqual([[], expect.objectContaining({ job: 'c', time: 4, node: 'n-1' })])
  })

  it('is who was chosen by amounts, too, where amounts are not what is lacking', () => {
    // 2 and 2 are free on two nodes, as much as c asks; it needs them on one
    expect(evicted(played([gpus('a', 2, 50), gpus('x', 2, 2), gpus('b', 2, 60), gpus('c', 4, 5, { submit: 3 })], {}, nodes(2, 4)))).toEqual(['b 3'])
  })

  it('is a gang as a whole, and a job with its master', () => {
    const gang = played([gpus('g', 1, 90, { tasks: 4, gang: true }), gpus('c', 1, 5, { submit: 1 })])
    expect(evicted(gang)).toEqual(['g 1', 'g 1', 'g 1', 'g 1'])
    const stages = [{ name: 'master', master: true, tasks: 1, demand: { gpu: 1 }, duration: 0 }, { name: 's', tasks: 3, demand: { gpu: 1 }, duration: 90 }]
    expect(evicted(played([{ id: 'm', estimate: 90, stages }, gpus('c', 1, 5, { submit: 1 })]))).toEqual(['m 1', 'm 1', 'm 1', 'm 1'])
  })

  it('is no job that may not be preempted', () => {
    expect(evicted(played([gpus('a', 4, 90, { preemptible: false }), gpus('c', 1, 5, { submit: 1 })]))).toEqual([])
  })

  it('comes back a moment later where there is room elsewhere', () => {
    // two are free on each node; c evicts b from the second, and b has room beside a
    const recorder = played([gpus('a', 2, 50), gpus('x', 2, 2), gpus('b', 2, 60), gpus('c', 4, 5, { submit: 3 })], {}, nodes(2, 4))
    expect(recorder.launches.filter(({ job: id }) => id === 'b').map(({ time, node }) => `${time} ${node}`)).toEqual(['0 n-1', '3.001 n-0'])
  })
})

describe('without preemption', () => {
  it('starts jobs in its order where nodes report by heartbeat, and says so', () => {
    warnings.length = 0
    const cluster = instantCluster({ nodes: [{ count: 1, resources: { gpu: 4 } }] })
    const recorder = played([gpus('a', 4, 20), gpus('b', 4, 9, { submit: 1 }), gpus('c', 4, 5, { submit: 2 })], {}, { cluster: { ...cluster, heartbeat: { interval: 1, stagger: true } } })
    expect(recorder.launches.map(({ job: id }) => id)).toEqual(['a', 'c', 'b'])
    expect(warnings).toEqual(['srtf preempts only where all nodes are seen at once. This cluster has heartbeats, so jobs start in its order and run to their end.'])
  })

  it('does so, too, where decisions take time', () => {
    warnings.length = 0
    const recorder = played([gpus('a', 4, 20), gpus('b', 4, 9, { submit: 1 })], {}, { architecture: serialArchitecture.plug({}, { jobs: 1 }) })
    expect(piecesOf(recorder)).toEqual(['a 0-20', 'b 20-29'])
    expect(new Set(warnings)).toEqual(new Set(['srtf preempts only where decisions take no time. Here they take some, so jobs start in its order and run to their end.']))
  })
})
