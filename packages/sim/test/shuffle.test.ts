import type { ClusterDescription } from '@sched/cluster'
import type { JobId, JobSpec, NodeId, Observer, Round, StageSpec, TaskId } from '@sched/core'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { NetworkOptions } from '../src/index.js'
import { exact, policyOf, run, stage } from './world.js'

/** Two racks of two nodes: 0 and 1, 2 and 3. Slots enough for all. */
const cluster: ClusterDescription = { nodes: [{ count: 4, racks: 2, slots: { map: 50, reduce: 50 } }] }
const network: NetworkOptions = { intra: 10, cross: 2.5 } // an uplink of two nodes: 5 bytes per second

/** Places the tasks of each lane, one after the other, on the nodes listed. */
const pinned = (...plan: readonly (readonly number[])[]) => {
  const next = plan.map(() => 0)
  return policyOf((round: Round, jobs: readonly JobId[]) => {
    for (const job of jobs)
      while (round.work.unplaced(job, round.lane) > 0) {
        const node = plan[round.lane]?.[next[round.lane]!++ % (plan[round.lane]?.length ?? 1)] as NodeId
        round.claim(round.work.taskFor(job, round.lane, node, round.cluster.levels) as TaskId, node)
      }
  })
}

const mapReduce = (maps: number, reduces: number, bytes: number, change: Partial<StageSpec> = {}): JobSpec => ({
  id: 'job',
  submit: 0,
  stages: [
    stage({ name: 'map', tasks: maps, demand: { map: 1 }, duration: 10 }),
    stage({ name: 'reduce', tasks: reduces, demand: { reduce: 1 }, duration: 7, after: [{ stage: 0, fraction: 1 }], shuffle: { from: 0, bytes }, ...change }),
  ],
})

/** Bytes by `from>to`, and when tasks had all their input. */
class Fetches implements Observer {
  readonly volumes: Record<string, number> = {}
  readonly ready: number[] = []
  onFetch(_job: JobId, from: NodeId, to: NodeId, bytes: number): void {
    this.volumes[`${from}>${to}`] = (this.volumes[`${from}>${to}`] ?? 0) + bytes
  }
  onTaskFetched(_task: TaskId, now: number): void {
    this.ready.push(now)
  }
}
function fetched(job: JobSpec, maps: readonly number[], reduces: readonly number[], options: NetworkOptions = network) {
  const fetches = new Fetches()
  const log = run([job], { cluster, policy: pinned(maps, reduces), runtime: { ...exact, network: options }, observers: [fetches] })
  return { fetches, log }
}

describe('a shuffle', () => {
  it('moves what fact 3 of the classifier\'s sheet says: M = [[2, 1], [1, 0]], 8 bytes, reducers on n_00 and n_10', () => {
    const { fetches } = fetched(mapReduce(4, 2, 8), [0, 0, 1, 2], [0, 2])
    expect(fetches.volumes).toEqual({ '0>0': 2, '0>2': 2, '1>0': 1, '1>2': 1, '2>0': 1, '2>2': 1 })
  })

  it('takes no time for what lies on the node of the reducer', () => {
    const { fetches, log } = fetched(mapReduce(2, 1, 100), [3, 3], [3])
    expect([fetches.ready, log.ends['job']]).toEqual([[10], 17])
  })

  it('goes at the speed of a node\'s link inside a rack, of the uplink between racks', () => {
    expect(fetched(mapReduce(1, 1, 100), [1], [0]).fetches.ready).toEqual([20]) // 100 bytes at 10
    expect(fetched(mapReduce(1, 1, 100), [2], [0]).fetches.ready).toEqual([30]) // at 5
  })

  it('shares links fairly, and the reduce works when the last flow has ended', () => {
    // one reducer on 0, 50 bytes each from 1 (its rack) and 2 (over the uplink): 5 + 5 = the reducer's link of 10
    expect(fetched(mapReduce(2, 1, 100), [1, 2], [0]).fetches.ready).toEqual([20])
    // two reducers on 0, each 25 bytes from 2 and 25 from 3: four flows share the 5 of the uplink, 100 bytes in 20 s
    const { fetches, log } = fetched(mapReduce(2, 2, 100), [2, 3], [0, 0])
    expect([fetches.ready, log.ends['job']]).toEqual([[30, 30], 37])
  })

  it('waits for the last map unless it may overlap, and then for the rest alone', () => {
    const slow = (change: Partial<StageSpec>): JobSpec => {
      const [map, reduce] = mapReduce(2, 1, 100, { after: [{ stage: 0, fraction: 0 }], ...change }).stages as [StageSpec, StageSpec]
      return { id: 'job', submit: 0, stages: [{ ...map, duration: [10, 40] }, reduce] }
    }
    // maps end at 10 and 40, 50 bytes each at 10 bytes per second when alone
    expect(fetched(slow({}), [1, 1], [0]).fetches.ready).toEqual([50])
    expect(fetched(slow({}), [1, 1], [0], { ...network, overlap: true }).fetches.ready).toEqual([45])
  })

  it('starts again on another node when its task was killed', () => {
    const fetches = new Fetches()
    let killed = false
    const policy = policyOf((round, jobs) => {
      for (const job of jobs) {
        const { work, lane } = round
        const running: TaskId[] = []
        work.runningTasks(job, lane, running)
        if (round.now >= 15 && lane === 1 && !killed && running[0] !== undefined) {
          killed = true
          round.evict(running[0])
        }
        if (lane === 1 && !killed) round.wakeAt(15)
        const node = (lane === 0 ? 1 : killed ? 2 : 0) as NodeId
        while (work.unplaced(job, lane) > 0) round.claim(work.taskFor(job, lane, node, 2) as TaskId, node)
      }
    })
    const log = run([mapReduce(1, 1, 100)], { cluster, policy, runtime: { ...exact, network }, observers: [fetches] })
    // 10 to 15 from 1 to 0; then all 100 bytes again over the uplink, 5 per second
    expect(fetches.ready).toEqual([35])
    expect(fetches.volumes).toEqual({ '1>0': 100, '1>2': 100 })
    expect(log.ends).toEqual({ job: 42 })
  })

  it('is free where the run has no network', () => {
    expect(run([mapReduce(2, 1, 100)], { cluster, policy: pinned([1, 2], [0]), runtime: exact }).ends).toEqual({ job: 17 })
  })

  it('may take longer than the week after which pending work counts as forgotten', () => {
    const two: JobSpec = { ...mapReduce(1, 1, 1e8), id: 'job' } // 1e8 bytes at 10 per second: 116 days
    expect(fetched(two, [1], [0]).fetches.ready).toEqual([1e7 + 10])
  })

  it.each([{ intra: 0 }, { cross: -1 }, { intra: NaN }, { cross: Infinity }])('refuses the bandwidths %j', (bad) => {
    expect(() => fetched(mapReduce(1, 1, 1), [0], [0], bad)).toThrow(/network\.(intra|cross): the bandwidth is .*above 0/)
  })

  it('moves every byte of a job exactly once, wherever its tasks run, and its jobs end', () => {
    const nodes = fc.array(fc.integer({ min: 0, max: 3 }), { minLength: 1, maxLength: 12 })
    fc.assert(
      fc.property(nodes, nodes, fc.integer({ min: 0, max: 1000 }), fc.boolean(), (maps, reduces, bytes, overlap) => {
        const { fetches, log } = fetched(mapReduce(maps.length, reduces.length, bytes), maps, reduces, { ...network, overlap })
        const sum = Object.values(fetches.volumes).reduce((all, each) => all + each, 0)
        expect(sum).toBeCloseTo(bytes, 6)
        for (const [pair, volume] of Object.entries(fetches.volumes)) {
          const [from, to] = pair.split('>').map(Number)
          const [held, read] = [maps, reduces].map((list, i) => list.filter((node) => node === [from, to][i]).length / list.length) as [number, number]
          expect(volume).toBeCloseTo(bytes * held * read, 6)
        }
        expect(log.ends['job']).toBeGreaterThanOrEqual(17)
      }),
      { seed: 6, numRuns: 100 },
    )
  })
})
