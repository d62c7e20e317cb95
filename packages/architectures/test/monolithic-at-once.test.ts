import { monolithic, partitioned } from '@sched/architectures'
import { definePolicy, forwarding, type Plug, type Round } from '@sched/core'
import { capacityScheduler, delay, fair, fifo, greedy, preempting, slurmLimits } from '@sched/policies'
import { checkPolicyLaws, cluster, digest, job, laws, mapReduceJob, play, run, type World } from '@sched/testkit'
import { describe, expect, it } from 'vitest'

describe('one scheduler that decides at once', () => {
  const jobs = [mapReduceJob(9, 2, { id: 'a' }), mapReduceJob(5, 1, { id: 'b', submit: 4 })]

  it('starts at most `tasksPerHeartbeat` tasks of each slot type at a heartbeat', () => {
    const starts = (tasksPerHeartbeat?: number) =>
      run({ policy: greedy(fifo()), jobs: [job({ tasks: 3 }), job({ id: 'r', tasks: 2, demand: { reduce: 1 } })], cluster: cluster({ nodes: 1, racks: 1, slots: { map: 3, reduce: 2 } }), architecture: monolithic({ ...(tasksPerHeartbeat && { tasksPerHeartbeat }) }) })
        .recorder.launches.map(({ time, job: id }) => `${time} ${id}`)
    expect(starts()).toEqual(['0 job', '0 job', '0 job', '0 r', '0 r'])
    expect(starts(2)).toEqual(['0 job', '0 job', '0 r', '0 r', '3 job'])
    expect(starts(1)).toEqual(['0 job', '0 r', '3 job', '3 r', '6 job'])
  })

  it('refuses a gang of more than `tasksPerHeartbeat`, which could never start, also without heartbeats', () => {
    const rejected = (tasks: number) =>
      run({ policy: greedy(fifo()), jobs: [job({ tasks, gang: true })], cluster: { nodes: [{ count: 3, slots: { map: 1 } }] }, architecture: monolithic({ tasksPerHeartbeat: 2 }), infeasible: 'reject' })
        .recorder.events.map(({ kind }) => kind)
    expect([rejected(2).includes('finish'), rejected(3)]).toEqual([true, ['reject']])
    expect(() => run({ policy: greedy(fifo()), jobs: [job({ tasks: 3, gang: true })], cluster: { nodes: [{ count: 3, slots: { map: 1 } }] }, architecture: monolithic({ tasksPerHeartbeat: 2 }) })).toThrow('job job starts 3 tasks of stage "map" together, and a round may start 2 (tasksPerHeartbeat). Allow more.')
  })

  it('decides as the plain architecture of the test kit, which opens a round whether or not anything can start', () => {
    const policy = delay(fair(), { node: 4 })
    expect(digest(run({ policy, jobs, architecture: monolithic() }).recorder)).toBe(digest(run({ policy, jobs }).recorder))
  })

  it('opens the round of a node without room where a policy would start tasks there in the place of others', () => {
    // a has all of two nodes; half of it may be killed from 6 s on, when b's tasks start in their place
    const policy = capacityScheduler({ queues: { a: { capacity: 50 }, b: { capacity: 50 } }, defaults: { userLimitFactor: -1 }, maximumOffswitchAssignments: 9, preemption: { maxWaitBeforeKill: 0, totalPreemptionPerRound: 1, naturalTerminationFactor: 1, lazyPreemption: true } })
    const asking = (id: string, submit: number, tasks: number) => job({ id, queue: id, submit, tasks, demand: { cpu: 1 }, duration: 50 })
    const { recorder } = run({ policy, jobs: [asking('a', 0, 8), asking('b', 2, 5)], cluster: cluster({ nodes: [{ count: 2, resources: { cpu: 4 } }], heartbeat: { interval: 1 } }), architecture: monolithic(), until: 20 })
    const starts = recorder.launches.filter(({ job: id }) => id === 'b').map(({ node, time }) => `${node} ${time}`)
    expect(starts).toHaveLength(4)
    expect(recorder.evictions.map(({ node, time }) => `${node} ${time}`)).toEqual(starts)
  })

  it('lets a policy that takes tasks away look at full nodes, also inside limits of Slurm that limit nothing', () => {
    // a has all slots of two nodes for 500 s; b is owed half of them from 42 s on, and nothing ends meanwhile
    const policy = preempting(greedy(fair()), { fairTimeout: 1, interval: 3 })
    const jobs = [job({ id: 'a', queue: 'a', tasks: 6, duration: 500 }), job({ id: 'b', queue: 'b', submit: 40, tasks: 6, duration: 500 })]
    const full = { nodes: [{ count: 2, resources: { map: 3 } }], heartbeat: { interval: 3 } }
    const evicted = (each: typeof policy) => run({ policy: each, jobs, cluster: full, architecture: monolithic(), until: 90 }).recorder.evictions.map(({ job: id, time }) => `${id} ${time}`)
    expect(evicted(policy)).toHaveLength(3)
    expect(evicted(slurmLimits(policy))).toEqual(evicted(policy))
  })

  it('gives a policy a round without nodes at a time that it asked for, although nothing waits', () => {
    const rounds: string[] = []
    const inner = greedy(fifo())
    const policy = definePolicy({
      name: 'watching',
      summary: 'looks 3 s after each start',
      options: { '~standard': { version: 1, vendor: 'test', validate: (value) => ({ value }) } },
      create: (_, env) => {
        const starts = inner.create(env)
        return {
          ...forwarding(starts, { wantsRound: (now: number) => now === 3 }),
          schedule: (round: Round) => {
            rounds.push(`${round.now} ${round.nodes.length}`)
            starts.schedule(round)
            if (round.now === 0) for (const time of [3, 4]) round.wakeAt(time)
          },
        }
      },
    }).plug({}, {})
    const roundsUnder = (architecture: Plug<'architecture'>) => {
      rounds.length = 0
      run({ policy, jobs: [job({ demand: { cpu: 1 } })], cluster: { nodes: [{ count: 2, resources: { cpu: 1 } }] }, architecture })
      return [...rounds]
    }
    expect(roundsUnder(monolithic())).toEqual(['0 2', '3 0'])
    // those who decide about a job at a time look whether there is another one
    expect(roundsUnder(partitioned({ partitions: 1, decision: { job: 0, task: 0 } }))).toEqual(['0 2', '3 0'])
    expect(roundsUnder(monolithic({ decision: { job: 1, task: 0 } }))).toEqual(['0 2', '1 2', '3 0'])
  })

  it('obeys the laws', { tags: 'long' }, () => {
    checkPolicyLaws(() => delay(fair(), { node: 2 }), { runs: 40, architecture: ({ claims }) => monolithic({ ...(claims && { tasksPerHeartbeat: claims }) }) })
  })

  it('is asked by the test kit all that it asks a policy: one that takes tasks away on full nodes does the same when it is watched', () => {
    const jobs = [job({ id: 'a', queue: 'a', tasks: 6, duration: 50 }), job({ id: 'b', queue: 'b', submit: 4, tasks: 6, duration: 50 })]
    const world: World = { cluster: { nodes: [{ count: 2, resources: { map: 3 } }], heartbeat: { interval: 3 } }, jobs, queues: ['a', 'b'], seed: 1, runtime: { jitter: 0 }, claims: undefined, commitPendingBug: false }
    const played = play(world, () => preempting(greedy(fair()), { fairTimeout: 1, interval: 3 }), () => monolithic())
    expect(played.recorder.evictions).toHaveLength(3)
    expect(laws.determinism(played)).toBeUndefined()
  })

  it.each([0, 1.5, -1])('refuses %d tasks per heartbeat', (tasksPerHeartbeat) => {
    expect(() => monolithic({ tasksPerHeartbeat })).toThrow(/tasksPerHeartbeat/)
  })
})
