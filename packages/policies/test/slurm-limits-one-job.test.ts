import { dispatcher } from '@sched/cluster'
import { fifo, slurmLimits, strict, type SlurmLimitsOptions } from '@sched/policies'
import { instantCluster, job } from '@sched/testkit'
import { describe, expect, it } from 'vitest'

/** A node of 8 processors, and a job of three tasks that ask for 2 each and do not start together, before one of a single task. */
function twoJobs(options: SlurmLimitsOptions) {
  const master = dispatcher({ cluster: instantCluster({ nodes: [{ count: 1, name: 'n', resources: { procs: 8 } }] }), policy: slurmLimits(strict(fifo()), options) })
  for (const [id, tasks] of [['wide', 3], ['small', 1]] as const) master.submit(job({ id, tasks, demand: { procs: 2 }, estimate: 60 }), 0)
  return master
}

describe('the fewest nodes of a partition', () => {
  const started = (options: SlurmLimitsOptions, qos = 'normal') => {
    const master = dispatcher({ cluster: instantCluster({ nodes: [{ count: 2, name: 'n', resources: { procs: 8 } }] }), policy: slurmLimits(strict(fifo()), options) })
    for (const maxNodes of [1, 2, undefined]) master.submit(job({ id: `j${maxNodes ?? ''}`, queue: 'wide', qos, demand: { procs: 1 }, ...(maxNodes !== undefined && { maxNodes }) }), 0)
    return master.pass(0).start.map(({ job: id }) => id)
  }
  it('keep a job from starting that may only be on fewer (-N1)', () => {
    expect(started({ partitions: { wide: { MinNodes: 2 } } })).toEqual(['j2', 'j'])
    expect(started({ partitions: { wide: { MinNodes: 1 } } })).toEqual(['j1', 'j2', 'j'])
    expect(started({ partitions: { wide: { MinNodes: 2 } }, qos: { few: { Flags: ['PartitionMinNodes'] } } }, 'few')).toEqual(['j1', 'j2', 'j'])
  })
  it('refuse such a job with EnforcePartLimits', () => {
    expect(() => started({ partitions: { wide: { MinNodes: 2 } }, enforcePartLimits: 'ALL' })).toThrow('PartitionNodeLimit')
  })
})

describe('the most nodes of a partition', () => {
  // `apart` has two tasks that share no node, `wide` says that it is on two nodes at least, `any` has two tasks that may be on one
  const jobs = ['apart', 'wide', 'any'].map((id) => {
    const { stages, ...rest } = job({ id, queue: 'main', demand: { procs: 1 }, tasks: 2, gang: true })
    return { ...rest, ...(id === 'wide' && { minNodes: 2 }), stages: stages.map((stage) => ({ ...stage, ...(id === 'apart' && { constraints: { distinctNodes: true } }) })) }
  })
  const started = (options: SlurmLimitsOptions) => {
    const master = dispatcher({ cluster: instantCluster({ nodes: [{ count: 2, name: 'n', resources: { procs: 8 } }] }), policy: slurmLimits(strict(fifo()), options) })
    for (const each of jobs) master.submit(each, 0)
    return [...new Set(master.pass(0).start.map((task) => task.job))]
  }
  it('keep a job from starting that needs more', () => {
    expect(started({ partitions: { main: { MaxNodes: 1 } } })).toEqual(['any'])
    expect(started({ partitions: { main: { MaxNodes: 2 } } })).toEqual(['apart', 'wide', 'any'])
    expect(started({ partitions: { main: { MaxNodes: 1 } }, qos: { normal: { Flags: ['PartitionMaxNodes'] } } })).toEqual(['apart', 'wide', 'any'])
  })
  it('refuse such a job with EnforcePartLimits', () => {
    expect(() => started({ partitions: { main: { MaxNodes: 1 } }, enforcePartLimits: 'ALL' })).toThrow('PartitionNodeLimit')
  })
})

describe('a limit on what one job holds', () => {
  it.each([['MaxTRESPerJob', 'cpu=4'], ['MaxTRESMinsPerJob', 'cpu=4']])('lets the next of its tasks start when another has ended, and nobody wait for it: %s', (name, most) => {
    // 2 x 2 processors, or 2 x 2 x 1 minute, are all that the job may have at once
    const master = twoJobs({ accounts: { root: { [name]: most } } })
    const { start } = master.pass(0)
    expect(start.map(({ job: id, task }) => `${id}.${task}`)).toEqual(['wide.0', 'wide.1', 'small.0'])
    master.taskEnded(start[0] as (typeof start)[0], 10)
    expect(master.pass(10).start.map(({ job: id, task }) => `${id}.${task}`)).toEqual(['wide.2'])
  })

  it('holds for what another scheduler has started of it, too', () => {
    const master = twoJobs({ accounts: { root: { MaxTRESPerJob: 'cpu=4' } } })
    master.adopt({ job: 'wide', node: 'n-0' }, 0)
    const second = master.adopt({ job: 'wide', node: 'n-0' }, 0)
    expect(master.pass(0).start.map(({ job: id }) => id)).toEqual(['small'])
    master.taskEnded(second, 10)
    expect(master.pass(10).start.map(({ job: id }) => id)).toEqual(['wide'])
  })
})
