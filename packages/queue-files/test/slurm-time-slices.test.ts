import { queuePolicy, readQueues } from '@sched/queue-files'
import { describe, expect, it } from 'vitest'

const made = (text: string) => queuePolicy(readQueues({ file: 'slurm.conf', text: `ClusterName=c\n${text}` }), { resources: ['procs', 'mem'], nodes: 2, heartbeat: false })
const told = (text: string) => made(text).findings.filter(({ line }) => line > 1).map(({ verdict, setting, note }) => [verdict, setting, note])
const GANG = 'PreemptMode=GANG'
const FORCED = 'PartitionName=a OverSubscribe=FORCE:3\nPartitionName=b Shared=force:3'

describe('time slices of a slurm.conf', () => {
  it('are those of partitions that all share by force among as many jobs', () => {
    const policyOf = (text: string) => JSON.stringify(made(text).policy)
    expect(made(`${GANG}\n${FORCED}`).policy).toEqual({ 'gang-scheduling': { order: 'fifo', rows: 3, slice: 30 } })
    expect(made(`${GANG}\nSchedulerTimeSlice=10\nPartitionName=a OverSubscribe=FORCE`).policy).toEqual({ 'gang-scheduling': { order: 'fifo', rows: 4, slice: 10 } })
    expect(made(`${GANG}\nPriorityType=priority/multifactor\nPriorityWeightAge=5\n${FORCED}`).policy).toMatchObject({ 'gang-scheduling': { order: { multifactor: { PriorityWeightAge: 5 } } } })
    for (const without of [FORCED, `${GANG}\n${FORCED}\nPartitionName=c`, `${GANG}\n${FORCED}\nPartitionName=c OverSubscribe=FORCE`, `${GANG}\nPartitionName=a OverSubscribe=FORCE:1`, `${GANG}\nPartitionName=a OverSubscribe=YES:4`])
      expect(policyOf(without)).not.toContain('gang-scheduling')
  })

  it('are not there where jobs are preempted', () => {
    const text = 'PreemptType=preempt/partition_prio\nPreemptMode=SUSPEND,GANG\nPartitionName=a OverSubscribe=FORCE:3 PriorityTier=2\nPartitionName=b OverSubscribe=FORCE:3'
    expect(made(text).policy).toMatchObject({ 'slurm-preempting': { mode: 'suspend' } })
  })

  it('are told with what they leave out', () => {
    expect(told(`${GANG}\nSchedulerTimeSlice=60\nSchedulerType=sched/backfill\nSchedulerParameters=bf_window=60\n${FORCED}`)).toEqual([
      ['approximated', 'PreemptMode', 'jobs take turns in rows over all nodes; in Slurm in each partition by itself'],
      ['honoured', 'SchedulerTimeSlice', ''],
      ['ignored', 'SchedulerType', 'jobs take turns, and start in order in the row that has its turn, without plans'],
      ['ignored', 'SchedulerParameters', 'jobs take turns, and start in order in the row that has its turn, without plans'],
      ['honoured', 'a OverSubscribe', 'its jobs take turns'],
      ['honoured', 'b Shared', 'its jobs take turns'],
    ])
  })

  it('refuses a slice that Slurm does not take', () => {
    expect(() => made(`${GANG}\nSchedulerTimeSlice=2\n${FORCED}`)).toThrow('slurm.conf" line 3 SchedulerTimeSlice: found "2", expected a whole number from 5 to 65533. Correct it, or leave it out for the default of Slurm.')
  })
})
