import { definePolicy, type NodeId, type TaskId } from '@sched/core'
import { simulate, type CheckpointOptions, type Outage } from '@sched/sim'
import { describe, expect, it } from 'vitest'
import { standardMetrics } from '../src/index.js'
import { inOrder, noOptions, serial } from './plain-plugs.js'

const away = (node: number, from: number, to: number, drain = false): Outage => ({ node: node as NodeId, from, to, drain })

/** Two nodes of 4 cpu and 8 gb; four tasks of 2 cpu and 1 gb that take 10 s each, at time 0. */
function summaryOf(outages: readonly Outage[], checkpoint?: CheckpointOptions) {
  const metrics = standardMetrics({ rigid: {} })
  const spec = { id: 'a', submit: 0, stages: [{ name: 'work', tasks: 4, demand: { cpu: 2, gb: 1 }, duration: 10 }] }
  let given = false
  simulate({
    cluster: { nodes: [{ count: 2, resources: { cpu: 4, gb: 8 } }] },
    workload: { name: 'one job', open: () => ({ next: () => (given ? undefined : ((given = true), spec)) }) },
    policy: inOrder,
    architecture: serial,
    runtime: { jitter: 0 },
    observers: [metrics],
    outages,
    ...(checkpoint !== undefined && { checkpoint }),
  })
  return metrics.result()
}

describe('outages', () => {
  it('are counted, with the time that nodes were away and what was lost with them', () => {
    // node 1 fails at 4 with two tasks, which run from 6 to 16 there; node 0 is drained from 9 on, past the end of the run
    const { outages, counts, preemption, utilisation } = summaryOf([away(1, 4, 6), away(0, 9, 60, true)])
    expect(outages).toEqual({ outages: 2, nodeSeconds: 2 + 7, availability: 1 - 9 / 32, lost: { tasks: 2, taskSeconds: 8, lost: { cpu: 16, gb: 8 } } })
    expect(counts).toMatchObject({ launches: 6, tasksDone: 4, lost: 2, failed: 0, evicted: 0, end: 16 })
    expect(preemption.tasks).toBe(0)
    // of 8 cpu for 16 s, four tasks of 2 cpu for 10 s counted, and 8 task seconds were in vain
    expect(utilisation.resources[0]).toMatchObject({ utilisation: (4 * 2 * 10 + 16) / 128, usefulUtilisation: 80 / 128 })
  })

  it('lose only what was not saved', () => {
    // the two tasks save 3 s of the 4 that they ran, and run from 6 to 13
    const { outages, utilisation, rigid } = summaryOf([away(1, 4, 6)], { interval: 1.5 })
    expect(outages?.lost).toEqual({ tasks: 2, taskSeconds: 2, lost: { cpu: 4, gb: 2 } })
    expect(utilisation.resources[0]).toMatchObject({ utilisation: (4 * 2 * 10 + 4) / (8 * 13), usefulUtilisation: 80 / (8 * 13) })
    expect(rigid?.jobs.overall.area).toBe(80)
  })

  it('leave the loss of capacity a part of all that there is, also where nodes are away as the first job comes', () => {
    // the job waits for 5 s in which all idles, then all four tasks run for 10 s
    expect(summaryOf([away(0, 0, 5), away(1, 0, 5)]).rigid?.queue).toMatchObject({ lossOfCapacity: 5 / 15, lossUpToDemand: 5 / 15 })
  })

  it('that overlap on a node are one', () => {
    expect(summaryOf([away(1, 2, 6), away(1, 4, 8)]).outages).toMatchObject({ outages: 1, nodeSeconds: 6 })
  })

  it('are absent where all nodes stayed', () => {
    expect('outages' in summaryOf([])).toBe(false)
  })
})

describe('what a suspended task had done', () => {
  /** Runs a job of tasks of 10 s on the only node, of which the first is suspended at 6 s and goes on at 9 s, if the job is not given up then. */
  const suspended = (outages: readonly Outage[], { checkpoint, cancels = false }: { readonly checkpoint?: CheckpointOptions; readonly cancels?: boolean } = {}) => {
    const metrics = standardMetrics({ rigid: {} })
    const policy = definePolicy({
      name: 'suspends',
      summary: 'suspends what runs at 6 s, and goes on from 9 s on',
      options: noOptions,
      create: () => ({
        schedule(round) {
          const { work, lane, now, cluster } = round
          for (const job of work.jobs()) {
            const running: TaskId[] = []
            work.runningTasks(job, lane, running)
            const [first] = running
            if (now === 6 && first !== undefined && running.length === work.tasks(job)) round.suspendTask(first, cluster.lanes[lane]?.resources ?? [])
            if (now >= 9 && cancels && first !== undefined) round.cancelJob(job)
            else if (now < 6 || now >= 9)
              while (work.unplaced(job, lane) > 0) round.claim(work.taskFor(job, lane, 0 as NodeId, 9) as TaskId, 0 as NodeId)
          }
          for (const time of [6, 9]) round.wakeAt(time)
        },
      }),
    }).plug({})
    simulate({
      cluster: { nodes: [{ count: 1, resources: { cpu: 4 } }] },
      workload: { name: 'one', open: () => ({ next: ((jobs) => () => jobs.pop())([{ id: 'a', submit: 0, stages: [{ name: 'work', tasks: cancels ? 2 : 1, demand: { cpu: 2 }, duration: 10 }] }]) }) },
      policy, architecture: serial, outages, observers: [metrics], runtime: { jitter: 0 }, validate: true,
      ...(checkpoint !== undefined && { checkpoint }),
    })
    const { utilisation, outages: gone, preemption, rigid } = metrics.result()
    const [{ busy, useful, lost } = { busy: 0, useful: 0, lost: 0 }] = utilisation.resources
    return { busy, useful, lost, area: rigid?.jobs.overall.area, gone: gone?.lost, evicted: preemption.taskSeconds }
  }

  it('is lost with its node, and does not count', () => {
    // 6 s to the suspension, 10 s from 9 s on, with 2 cpu each
    expect(suspended([away(0, 8, 9)])).toEqual({ busy: 32, useful: 20, lost: 12, area: 20, gone: { tasks: 1, taskSeconds: 6, lost: { cpu: 12 } }, evicted: 0 })
    expect(suspended([])).toEqual({ busy: 20, useful: 20, lost: 0, area: 20, gone: undefined, evicted: 0 })
  })

  it('is lost as far as it was not saved', () => {
    // 4 of the 6 s are saved, 6 are left
    const checkpoint = { interval: 4, cost: 0 }
    expect(suspended([away(0, 8, 9)], { checkpoint })).toEqual({ busy: 24, useful: 20, lost: 4, area: 20, gone: { tasks: 1, taskSeconds: 2, lost: { cpu: 4 } }, evicted: 0 })
    expect(suspended([], { checkpoint })).toMatchObject({ busy: 20, useful: 20, lost: 0 })
  })
  it('is lost with its job', () => {
    // 6 s of the one, 9 s of the other
    expect(suspended([], { cancels: true })).toMatchObject({ busy: 30, useful: 0, lost: 30, evicted: 15 })
  })
})
