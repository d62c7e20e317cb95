import { dispatcher, type DispatcherMemory, type Placed, type RunningTask } from '@sched/cluster'
import { randomStream } from '@sched/core'
import { instantCluster, Program, restartDifference, type World } from '@sched/testkit'
import { describe, expect, it } from 'vitest'
import { easy, fifo, greedy, priority, slurmPreempting } from '../src/index.js'

const job = (id: string, demand: Record<string, number>, change: object = {}) => ({ id, estimate: 50, stages: [{ name: 's', tasks: 1, demand }], ...change })
const begin = (policy = greedy(fifo())) => dispatcher({ cluster: { nodes: [{ count: 2, name: 'n', resources: { cpu: 8 }, devices: { fpga: 1, gpu: 3 } }] }, policy })
const held = (placed: readonly Placed[]) => placed.map(({ job, node, devices }) => [job, node, devices])

describe('a dispatcher of nodes with devices', () => {
  it('tells which of them a task gets: the fullest with room for a share, the lowest free ones whole', () => {
    const master = begin()
    for (const [id, gpu] of [['share', 600], ['two', 2000], ['rest', 400]] as const) master.submit(job(id, { gpu }), 0)
    master.submit(job('both', { gpu: 1000, fpga: 1000 }), 0)
    master.submit(job('none', { cpu: 1 }), 0)
    const { start } = master.pass(0)
    expect(held(start)).toEqual([
      ['share', 'n-0', { gpu: [0] }],
      ['two', 'n-0', { gpu: [1, 2] }],
      ['rest', 'n-0', { gpu: [0] }],
      ['both', 'n-1', { fpga: [0], gpu: [0] }],
      ['none', 'n-0', undefined],
    ])
    expect(held(master.cancel('two', 1))).toEqual([['two', 'n-0', { gpu: [1, 2] }]])
  })

  it('takes over a task with the devices that it has, on which another share finds no room', () => {
    const before = begin()
    for (const id of ['first', 'second']) before.submit(job(id, { gpu: 700 }), 0)
    const [first, second] = before.pass(0).start as [Placed, Placed]
    before.taskEnded(first, 1)
    const restarted = (running: RunningTask) => {
      const after = begin()
      after.submit(job('second', { gpu: 700 }), 0)
      const adopted = after.adopt(running, 0)
      after.submit(job('third', { gpu: 700 }), 2)
      return held([adopted, ...after.pass(2).start])
    }
    // the third goes to the free device 0, and would to 1, where the second is, if nobody said so
    expect(restarted(second)).toEqual([['second', 'n-0', { gpu: [1] }], ['third', 'n-0', { gpu: [0] }]])
    expect(restarted({ job: 'second', node: 'n-0' })).toEqual([['second', 'n-0', { gpu: [0] }], ['third', 'n-0', { gpu: [1] }]])
  })

  it.each<[string, RunningTask['devices'], string]>([
    ['a device that the node has not', { gpu: [3, 0] }, 'devices.gpu: node n-0 has 3 and no device 3. They are numbered from 0.'],
    ['more of them than it asks for', { gpu: [0, 1, 2] }, 'devices.gpu: is [0,1,2], and 2000 of it are on 2 of the devices of 1000. Give the number of each, as `start` told them.'],
    ['one of them twice', { gpu: [1, 1] }, 'devices.gpu: is [1,1], and 2000 of it are on 2 of the devices'],
    ['no list', { gpu: 1 } as never, 'devices.gpu: is 1, and'],
    ['others than it asks for', { gpus: [1] }, 'devices.gpus: no devices of it are asked for. Did you mean "gpu"?'],
    ['what does not come in devices', { cpu: [1] }, 'devices.cpu: no devices of it are asked for.'],
    ['one on which another runs', { gpu: [1, 0] }, 'device 0 of gpu on node n-0 has 900 free of the 1000 that are asked for. Tell first of what has ended or failed there.'],
  ])('refuses to take over a task with %s', (_, devices, message) => {
    const master = begin()
    master.submit(job('other', { gpu: 100 }), 0)
    master.submit(job('it', { gpu: 2000, cpu: 1 }), 0)
    master.adopt({ job: 'other', node: 'n-0', devices: { gpu: [0] } }, 0)
    expect(() => master.adopt({ job: 'it', node: 'n-0', ...(devices !== undefined && { devices }) }, 0)).toThrow(message)
    expect(held([master.adopt({ job: 'it', node: 'n-0', devices: { gpu: [2, 1] } }, 0)])).toEqual([['it', 'n-0', { gpu: [1, 2] }]])
  })

  it.each([['runs on', false], ['begins again', true]])('lets a suspended task go on with the device that it has kept, where it %s', (_, restarts) => {
    const make = () => begin(slurmPreempting(easy(priority()), { tiers: { high: 2, low: 1 }, mode: 'suspend' }))
    const jobs = { over: job('over', { gpu: 1000 }, { queue: 'low' }), low: job('low', { cpu: 8, gpu: 1000 }, { queue: 'low' }), high: job('high', { cpu: 8 }, { queue: 'high' }) }
    let master = make()
    master.nodeDown('n-1', 0)
    master.submit(jobs.over, 0)
    master.submit(jobs.low, 0)
    const [over] = master.pass(0).start as [Placed]
    master.taskEnded(over, 1)
    master.submit(jobs.high, 2)
    const { start, suspend } = master.pass(2)
    expect(held(suspend ?? [])).toEqual([['low', 'n-0', { gpu: [1] }]])
    let [high] = [...start, ...master.pass(2).start, ...master.pass(2.001).start] as [Placed]
    if (restarts) {
      const memory = JSON.stringify(master.memory())
      master = make()
      master.submit(jobs.low, 0)
      master.submit(jobs.high, 2)
      high = master.adopt(high, 2)
      master.nodeDown('n-1', 2)
      master.recall(JSON.parse(memory) as DispatcherMemory)
    }
    expect(high.job).toBe('high')
    master.taskEnded(high, 9)
    expect(held([...(master.pass(9).resume ?? []), ...(master.pass(9.001).resume ?? [])])).toEqual([['low', 'n-0', { gpu: [1] }]])
  })

  it('decides after restarts as one that has run on, where tasks have shares of devices', { tags: 'long' }, () => {
    for (let seed = 1; seed <= 30; seed++) {
      const next = randomStream(seed, 'test')
      const pick = <T>(of: readonly T[]) => of[Math.floor(next() * of.length)] as T
      const jobs = Array.from({ length: 25 }, (_, i) => ({
        id: `j${i}`, submit: Math.floor(next() * 20), estimate: 30,
        stages: [{ name: 's', tasks: pick([1, 2, 3]), demand: { cpu: 1, gpu: pick([200, 300, 500, 700, 1000, 2000]) }, duration: pick([1, 3, 5, 8, 13]) }],
      }))
      const world: World = { cluster: instantCluster({ nodes: [{ name: 'a', count: 2, resources: { cpu: 8 }, devices: { gpu: { count: 3, milli: 1000 } } }] }), jobs, queues: [], seed, runtime: { jitter: 0 }, claims: undefined, commitPendingBug: false }
      expect(restartDifference(world, () => easy(fifo()), [5, 9])).toBe(undefined)
      expect(new Program(world, () => greedy(fifo())).run()).toBe(true)
    }
  })
})

describe('a job that asks for devices by their number, where each is of a thousand', () => {
  const told = (devices: object, demand: Record<string, number>) => {
    const warnings: string[] = []
    const master = dispatcher({ cluster: { nodes: [{ count: 2, resources: { cpu: 8 }, devices }] } as never, policy: greedy(fifo()), warn: (message) => warnings.push(message) })
    for (const id of ['a', 'b']) master.submit(job(id, demand), 0)
    return warnings
  }

  it('is warned of once', () => {
    expect(told({ gpu: 8 }, { cpu: 1, gpu: 2 })).toEqual(['job a asks for 2 of gpu, and one device has 1000 of it: that is a share of 0.2 % of one. Ask for 2000 where 2 are meant, or describe devices that are not shared: { gpu: { count: ..., milli: 1 } }.'])
  })

  it.each<[string, object, Record<string, number>]>([
    ['a share', { gpu: 8 }, { gpu: 10 }],
    ['none', { gpu: 8 }, { cpu: 1, gpu: 0 }],
    ['whole ones that nobody shares', { gpu: { count: 8, milli: 1 } }, { gpu: 2 }],
    ['what does not come in devices', { gpu: 8 }, { cpu: 1 }],
  ])('is not, where it asks for %s', (_, devices, demand) => {
    expect(told(devices, demand)).toEqual([])
  })
})
