import { buildCluster } from '@sched/cluster'
import { describe, expect, it } from 'vitest'
import { cluster, digest, firstDifference, instantCluster, job, mapJob, mapReduceJob, prepare, run, serial, workloadOf, type Recorded } from '../src/index.js'
import { inOrder } from './policies.js'

describe('builders', () => {
  it('start valid: a job and a cluster run as they are', () => {
    expect(run({ policy: inOrder(), jobs: [job()] }).recorder.finishes()).toEqual({ job: 12 }) // 10 s, known at the node's heartbeat at 12 s
    expect(run({ policy: inOrder(), jobs: [job()], cluster: instantCluster() }).recorder.finishes()).toEqual({ job: 10 })
  })

  it('change one thing of a job, or of its only stage', () => {
    expect(job({ id: 'a', priority: 2 })).toMatchObject({ id: 'a', priority: 2, stages: [{ tasks: 1, duration: 10 }] })
    expect(job({ tasks: 3, duration: [1, 2, 3], gang: true }).stages).toEqual([{ name: 'map', tasks: 3, demand: { map: 1 }, duration: [1, 2, 3], gang: true }])
    expect(mapJob(4).stages[0]).toMatchObject({ tasks: 4, data: {} })
    expect(mapReduceJob(40, 2, { user: 'ann' })).toMatchObject({ user: 'ann', stages: [{ tasks: 40 }, { tasks: 2, demand: { reduce: 1 }, after: [{ stage: 0, fraction: 0.05 }] }] })
  })

  it('change one thing of a cluster', () => {
    const model = buildCluster(cluster())
    expect([model.nodes, model.groupNames[1]?.length, model.resources, model.heartbeat]).toEqual([4, 2, ['map', 'reduce'], { interval: 3, stagger: true }])
    expect(buildCluster(cluster({ nodes: 9, racks: 3 })).groupNames[1]).toHaveLength(3)
    expect(buildCluster(cluster({ resources: { cpu: 4 } })).resources).toEqual(['cpu'])
    expect(buildCluster(cluster({ nodes: [{ count: 1, slots: { only: 1 } }] })).resources).toEqual(['only'])
    expect(buildCluster(instantCluster({ nodes: 2, racks: 1 }))).toMatchObject({ nodes: 2, heartbeat: undefined })
  })

  it('sort jobs by submit time, and refuse two of one id', () => {
    const source = workloadOf([job({ id: 'late', submit: 5 }), job({ id: 'a' }), job({ id: 'b' })]).open()
    expect([source.next()?.id, source.next()?.id, source.next()?.id, source.next()]).toEqual(['a', 'b', 'late', undefined])
    expect(() => workloadOf([job(), job()])).toThrow(/two jobs are called "job"/)
  })
})

describe('a recorder', () => {
  const jobs = [mapReduceJob(2, 1, { id: 'a', submit: 1 }), job({ id: 'huge', demand: { map: 50 } })]
  const { recorder } = run({ policy: inOrder(), jobs, cluster: cluster({ nodes: 1, racks: 1 }), infeasible: 'reject' })

  it('writes down all that happens, in order', () => {
    expect(recorder.events).toEqual([
      { kind: 'reject', time: 0, job: 'huge' },
      { kind: 'submit', time: 1, job: 'a' },
      { kind: 'launch', time: 3, job: 'a', stage: 0, task: 0, node: 'node-0', level: 0 },
      { kind: 'launch', time: 3, job: 'a', stage: 0, task: 1, node: 'node-0', level: 0 },
      { kind: 'end', time: 15, job: 'a', stage: 0, task: 0, node: 'node-0', how: 'done', started: 3, stopped: 13 },
      { kind: 'end', time: 15, job: 'a', stage: 0, task: 1, node: 'node-0', how: 'done', started: 3, stopped: 13 },
      { kind: 'launch', time: 15, job: 'a', stage: 1, task: 0, node: 'node-0', level: -1 },
      { kind: 'end', time: 27, job: 'a', stage: 1, task: 0, node: 'node-0', how: 'done', started: 15, stopped: 25 },
      { kind: 'finish', time: 27, job: 'a' },
    ])
    expect([recorder.ended, recorder.evictions]).toEqual([27, []])
  })

  it('tells starts as short lines', () => {
    expect(recorder.launchLines()).toEqual(['3 a.0 on node-0', '3 a.1 on node-0', '15 a.1.0 on node-0'])
  })
})

describe('a run', () => {
  it('stops after events of a time', () => {
    const { recorder } = run({ policy: inOrder(), jobs: [job({ tasks: 9 })], cluster: instantCluster({ nodes: 1, racks: 1 }), until: 10 })
    expect([recorder.launches.length, recorder.ended]).toEqual([4, 10])
  })

  it('can be prepared and moved by hand', () => {
    const { recorder, simulation } = prepare({ policy: inOrder(), jobs: [job()] })
    expect(recorder.events).toEqual([])
    simulation.advance(1)
    expect(recorder.events).toHaveLength(2)
  })

  it('is always checked by the engine', () => {
    const { simulation } = prepare({ policy: inOrder(), jobs: [job()] })
    simulation.cell.freeAmounts.fill(0)
    simulation.cell.freeAmounts[0] = 9 // more than there is: with validation the next move finds out
    expect(() => simulation.run()).toThrow(/node node-0 would have 8 of map free of 2/)
  })

  it('starts at most as many tasks per round as the architecture allows', () => {
    const options = { policy: inOrder(), jobs: [job({ tasks: 2 })], cluster: cluster({ nodes: 1, racks: 1 }) }
    expect(run(options).recorder.launchLines()).toEqual(['0 job.0 on node-0', '0 job.1 on node-0'])
    expect(run({ ...options, architecture: serial({ claims: 1 }) }).recorder.launchLines()).toEqual(['0 job.0 on node-0', '3 job.1 on node-0'])
  })
})

const events = () => structuredClone(run({ policy: inOrder(), jobs: [mapReduceJob(2, 1), job({ id: 'b' })] }).recorder.events)

/** Runs in which one field of one event is another, and what they were changed in. */
function* changed(): Generator<[event: number, field: string, events: Recorded[]]> {
  for (const [i, event] of events().entries())
    for (const [field, value] of Object.entries(event)) {
      const other = events()
      Object.assign(other[i] ?? {}, { [field]: typeof value === 'number' ? value + 1e-9 : field === 'kind' ? 'abandon' : `${String(value)}x` })
      yield [i, field, other]
    }
}

describe('the first difference of two runs', () => {
  it('is the event in which any field is another, or that one run lacks', () => {
    for (const [i, field, other] of changed())
      expect([i, field, firstDifference({ events: events() }, { events: other }, 'the copy')]).toEqual([i, field, expect.stringMatching(new RegExp(`^event ${i} is .+, in the copy .+`))])
    expect(firstDifference({ events: events() }, { events: events().slice(0, -1) })).toMatch(/in the other run nothing$/)
    expect(firstDifference({ events: [] }, { events: events() })).toMatch(/^event 0 is nothing/)
  })

  it('is none for equal runs', () => {
    expect(firstDifference({ events: events() }, { events: events() })).toBeUndefined()
  })
})

describe('a digest', () => {

  it('is FNV-1a of 64 bits over the decisions', () => {
    const bytes: number[] = []
    const number = (value: number) => void bytes.push(...new Uint8Array(new Float64Array([value]).buffer).reverse())
    const text = (value: string) => void bytes.push(...[...value].flatMap((char) => [char.charCodeAt(0) >> 8, char.charCodeAt(0) & 255]), 0)
    for (const event of [{ kind: 'submit', time: 1.5, job: 'jöb' }, { kind: 'finish', time: 1e300, job: 'b' }] as const) {
      text(event.kind)
      number(event.time)
      text(event.job)
    }
    let hash = 0xcbf29ce484222325n
    for (const byte of bytes) hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x100000001b3n)
    expect(digest({ events: [{ kind: 'submit', time: 1.5, job: 'jöb' }, { kind: 'finish', time: 1e300, job: 'b' }] })).toBe(hash.toString(16).padStart(16, '0'))
  })

  it('is equal for equal runs', () => {
    expect(digest({ events: events() })).toBe(digest({ events: events() }))
  })

  it('changes with every field of every event, and with their order', () => {
    const whole = digest({ events: events() })
    for (const [i, field, other] of changed()) expect([i, field, digest({ events: other }) === whole]).toEqual([i, field, false])
    expect(digest({ events: events().reverse() })).not.toBe(whole)
  })
})
