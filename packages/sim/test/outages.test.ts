import type { Architecture, NodeId } from '@sched/core'
import { defineArchitecture } from '@sched/core'
import { describe, expect, it } from 'vitest'
import { Simulation, type Outage, type SimulationOptions } from '../src/index.js'
import { exact, inOrder, job, oneNode, policyOf, prepare, run, serial, stage, startAll, twoNodes, workloadOf } from './world.js'

const away = (node: number, from: number, to: number, drain = false): Outage => ({ node: node as NodeId, from, to, drain })

describe('a node that fails', () => {
  it('loses its tasks, which start again on other nodes, and takes new ones when it is back', () => {
    expect(run([job('a', { tasks: 4 })], { outages: [away(0, 4, 12)] }).lines).toEqual([
      '0 submit a', '0 start a on 0', '0 start a on 1', '4 lost a on 0',
      '10 done a on 1', '10 start a on 1', '12 start a on 0', '20 done a on 1', '20 start a on 1', '22 done a on 0', '30 done a on 1',
    ])
  })

  it('does not lose a task that ends at the same instant', () => {
    expect(run([job('a')], { outages: [away(0, 10, 12)] }).ends).toEqual({ a: 10 })
  })

  it('takes no task at the instant at which it fails, and one at the instant at which it is back', () => {
    expect(run([job('a'), job('b', { submit: 5 })], { cluster: oneNode, outages: [away(0, 0, 3), away(0, 13, 20)] }).starts()).toEqual(['3 start a on 0', '20 start b on 0'])
  })

  it('ends a run in which tasks are always lost before they are done, unless they save something of their work', { tags: 'long' }, () => {
    // one task of 10 s in e^50 is done; without `validate`, since a million rounds are made
    const options = { cluster: oneNode, workload: workloadOf([job('a')]), policy: inOrder, architecture: serial(), runtime: exact, outages: { mtbf: 0.2, mttr: 0.1 } }
    expect(() => new Simulation(options).run()).toThrow('outages: take all tasks with them: 1000000 in a row, and none was done. Make the mean time between failures longer,')
    expect(new Simulation({ ...options, checkpoint: { interval: 0.2, cost: 0 } }).run().launches).toBeGreaterThan(10)
  })

  it('does not end a run that ends at a time: services are never done', { tags: 'long' }, () => {
    const services = { cluster: oneNode, workload: workloadOf([job('a', { duration: 1e9 })]), policy: inOrder, architecture: serial(), runtime: exact, outages: { mtbf: 2, mttr: 1 } }
    expect(new Simulation(services).run(3_300_000).launches).toBeGreaterThan(1_050_000)
  })

  it('is away while any of its outages lasts', () => {
    expect(run([job('a')], { cluster: oneNode, outages: [away(0, 2, 6), away(0, 0, 4), away(0, 6, 8)] }).starts()).toEqual(['8 start a on 0'])
  })

  it('takes the whole gang with it', () => {
    const gang = { id: 'g', submit: 0, stages: [stage({ tasks: 2, gang: true })] }
    const together = policyOf((round, jobs) => { for (const each of jobs) if (round.nodes.filter((node) => round.room(node)).length >= 2) startAll(round, each) })
    expect(run([gang], { policy: together, outages: [away(1, 4, 5)] }).lines).toEqual([
      '0 submit g', '0 start g on 0', '0 start g on 1', '4 lost g on 0', '4 lost g on 1', '5 start g on 0', '5 start g on 1', '15 done g on 0', '15 done g on 1',
    ])
  })

  it('takes only its own tasks of a gang that replaces those', () => {
    const needed = policyOf((round, jobs) => { for (const each of jobs) if (round.nodes.filter((node) => round.room(node)).length >= round.work.together(each, round.lane)) startAll(round, each) }, { startsGangJobs: true })
    const lines = (change: object) => run([{ id: 'g', submit: 0, replacesLost: true, stages: [stage({ tasks: 2, gang: true })], ...change }], { policy: needed, outages: [away(1, 4, 5)] }).lines
    const alone = ['0 submit g', '0 start g on 0', '0 start g on 1', '4 lost g on 1', '5 start g on 1', '10 done g on 0', '15 done g on 1']
    expect([lines({}), lines({ gang: true, stages: [stage({ gang: true }), stage({ gang: true })] })]).toEqual([alone, alone])
    expect(lines({ replacesLost: false })).toContain('4 lost g on 0')
  })

  it('does not report any more: what it had ended since its last heartbeat is lost, too', () => {
    const heartbeats = { ...twoNodes, heartbeat: { interval: 3, stagger: true } }
    // node 0 beats at 0, 3, ..., 9, 12; its task stops at 10 and is lost at 11. Node 1 beats at 1.5, 4.5, ..., 10.5, 13.5
    expect(run([job('a')], { cluster: heartbeats, outages: [away(0, 11, 30)] }).lines).toEqual(['0 submit a', '0 start a on 0', '11 lost a on 0', '13.5 start a on 1', '25.5 done a on 1, stopped at 23.5'])
  })

  it('makes no heartbeats', () => {
    const beats: string[] = []
    const watching = policyOf((round, jobs) => { for (const each of jobs) startAll(round, each) }, { onHeartbeat: (node, now) => void beats.push(`${now} ${node}`) })
    run([job('a', { duration: 4 })], { cluster: { ...twoNodes, heartbeat: { interval: 3, stagger: true } }, policy: watching, outages: [away(1, 0, 4)] })
    expect(beats).toEqual(['0 0', '3 0', '4.5 1', '6 0'])
  })

  it('is told to policies and observers after what it lost', () => {
    const told: string[] = []
    const watching = policyOf((round, jobs) => { for (const each of jobs) startAll(round, each) }, { onRelease: (_job, _lane, _task, node, why) => void told.push(`${why} on ${node}`), onNode: (node, up) => void told.push(`${node} ${up ? 'up' : 'down'}`) })
    run([job('a')], { policy: watching, outages: [away(0, 4, 6)], observers: [{ onNode: (node, up, now) => void told.push(`observed ${node} ${up} at ${now}`) }] })
    expect(told).toEqual(['evicted on 0', '0 down', 'observed 0 false at 4', '0 up', 'observed 0 true at 6', 'ended on 1'])
  })

  it('for good ends the run with what cannot start', () => {
    const log = run([job('a')], { cluster: oneNode, outages: [away(0, 4, Infinity)] })
    expect([log.ends, log.ended]).toEqual([{}, 4])
  })

  it('does not bring back the tasks of a job that was given up', () => {
    const givingUp = defineArchitecture({
      name: 'giving up',
      summary: 'abandons every job at 2 s',
      options: { '~standard': { version: 1, vendor: 'test', validate: (value: unknown) => ({ value }) } },
      create: (_, { cell, addScheduler }): Architecture => {
        const scheduler = addScheduler('only')
        cell.after(2, 0)
        return {
          wake: () => { for (const each of cell.work.jobs()) cell.abandon(each) },
          trigger: () => {
            const round = cell.draft(scheduler, 0 as never, cell.nodes)
            scheduler.policy.schedule(round)
            round.commit({ conflict: 'none', atomic: false })
          },
        }
      },
    }).plug({})
    const log = run([job('a', { tasks: 3 })], { architecture: givingUp, outages: [away(0, 4, 5)] })
    expect(log.lines).toEqual(['0 submit a', '0 start a on 0', '0 start a on 1', '4 lost a on 0', '10 done a on 1'])
    expect(log.ends).toEqual({ a: 10 })
  })
})

describe('a node that is drained', () => {
  it('ends what runs there and takes nothing new until it is back', () => {
    expect(run([job('a', { tasks: 3 })], { outages: [away(0, 4, 12, true)] }).lines).toEqual([
      '0 submit a', '0 start a on 0', '0 start a on 1', '10 done a on 0', '10 done a on 1', '10 start a on 1', '20 done a on 1',
    ])
  })

  it('may fail meanwhile', () => {
    expect(run([job('a')], { cluster: oneNode, outages: [away(0, 2, 12, true), away(0, 5, 6)] }).lines).toEqual(['0 submit a', '0 start a on 0', '5 lost a on 0', '12 start a on 0', '22 done a on 0'])
  })
})

describe('failures that are drawn', () => {
  const jobs = Array.from({ length: 400 }, (_, i) => job(`j${i}`, { submit: 20 * i, duration: 8 }))
  const failures = (seed: number, policy = inOrder) => {
    const seen: string[] = []
    const since = [NaN, NaN]
    let down = 0
    const back = (node: number, now: number) => { down += Number.isNaN(since[node]) ? 0 : now - (since[node] as number) }
    const observer = {
      onNode: (node: NodeId, up: boolean, now: number) => { seen.push(`${now} ${node} ${up}`); back(node, now); since[node] = up ? NaN : now },
      onRunEnd: (now: number) => { for (const node of [0, 1]) back(node, now) },
    }
    const simulation = new Simulation({ cluster: twoNodes, workload: workloadOf(jobs), policy, architecture: serial(), runtime: exact, seed, outages: { mtbf: 90, mttr: 10 }, observers: [observer], validate: true }).run()
    return { seen, down, now: simulation.now }
  }

  it('depend on the seed alone, not on the policy', () => {
    const other = policyOf((round, jobs) => { for (const each of [...jobs].reverse()) startAll(round, each) })
    expect(failures(1).seen.slice(0, 100)).toEqual(failures(1, other).seen.slice(0, 100))
    expect(failures(2).seen).not.toEqual(failures(1).seen)
  })

  it('leave a node away for mttr / (mtbf + mttr) of the time', () => {
    const all = Array.from({ length: 10 }, (_, seed) => failures(seed + 1))
    const share = all.reduce((sum, { down }) => sum + down, 0) / (2 * all.reduce((sum, { now }) => sum + now, 0))
    expect(share).toBeGreaterThan(0.09) // about 1,600 repairs: a standard error of 0.003
    expect(share).toBeLessThan(0.11)
  })
})

describe('failures of racks', () => {
  const racks = { nodes: [{ count: 4, racks: 2, slots: { slot: 1 } }] }
  const jobs = Array.from({ length: 400 }, (_, i) => job(`j${i}`, { submit: i * 5, duration: 7 }))
  const seen = (outages: NonNullable<SimulationOptions['outages']>) => {
    const told: string[] = []
    const observer = { onNode: (node: NodeId, up: boolean, now: number) => void told.push(`${now.toFixed(3)} ${node} ${up}`) }
    new Simulation({ cluster: racks, workload: workloadOf(jobs), policy: inOrder, architecture: serial(), runtime: exact, outages, observers: [observer], validate: true }).run()
    return told
  }

  it('take all nodes of a rack, and bring them back', () => {
    const told = seen({ mtbf: 200, mttr: 20, per: 'rack' }).map((line) => line.split(' '))
    expect(told.length).toBeGreaterThan(20)
    for (let i = 0; i < told.length; i += 2) {
      const [[time, first, up], [sameTime, second, sameUp]] = [told[i], told[i + 1]] as [string[], string[]]
      expect([sameTime, Number(second), sameUp]).toEqual([time, Number(first) + 1, up])
      expect(Number(first) % 2).toBe(0)
    }
  })

  it('come beside those of nodes and a list, each as it would alone', () => {
    const both = seen([away(3, 1, 2), { mtbf: 300, mttr: 5 }, { mtbf: 400, mttr: 1, per: 'rack' }])
    expect(both.slice(0, 2)).toEqual(['1.000 3 false', '2.000 3 true'])
    const alone = seen({ mtbf: 300, mttr: 5 })
    expect(alone.filter((line) => both.includes(line)).length).toBeGreaterThan(0.8 * alone.length) // some fall into an outage of their rack
    expect(both.length).toBeGreaterThan(alone.length + 10)
  })

  it('need racks, and means above 0', () => {
    expect(() => prepare([], { outages: { mtbf: 9, mttr: 9, per: 'rack' } })).toThrow('outages: are per rack, and the cluster has no racks.')
    expect(() => prepare([], { outages: { mtbf: 0, mttr: 9 } })).toThrow('outages: found mtbf 0 and mttr 9, expected means above 0. Give both in seconds, or leave the model out for nodes that never fail.')
  })
})

describe('an outage', () => {
  it('is of a node that there is', () => {
    expect(() => prepare([], { outages: [away(2, 0, 1)] })).toThrow(/an outage is of node 2, the cluster has 2/)
  })

  it('begins at 0 or later and ends after that', () => {
    for (const [from, to] of [[-1, 2], [3, 3], [5, 4], [NaN, 2]] as const) expect(() => prepare([], { outages: [away(0, from, to)] })).toThrow(/an outage lasts from/)
  })
})
