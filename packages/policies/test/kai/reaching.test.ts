// @module-tag long
import { WrappedRound, type JobId, type NodeId, type Plug, type Policy, type Round, type TaskId } from '@sched/core'
import { kaiPreempting, type KaiOptions } from '@sched/policies'
import { digest, prepare, worlds, type World } from '@sched/testkit'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

// At a heartbeat nothing is evicted in vain where no victim on the node is ever reached. A job that seems to fit wherever it looks is tried with all victims.

/** Counts evictions; with `isHopeful` every job seems to fit, and only its claims are refused. */
class Counting extends WrappedRound {
  evictions = 0
  readonly #isHopeful: boolean

  constructor(isHopeful: boolean) {
    super()
    this.#isHopeful = isHopeful
  }
  of(round: Round): this {
    this.inner = round
    return this
  }
  override fits(job: JobId, node: NodeId): boolean {
    return this.#isHopeful || super.fits(job, node)
  }
  override evict(task: TaskId): void {
    this.evictions++
    super.evict(task)
  }
}

function counting(plug: Plug<'policy'>, round: Counting): Plug<'policy'> {
  const create = (env: Parameters<typeof plug.create>[0]): Policy => {
    const policy = plug.create(env)
    const schedule = policy.schedule.bind(policy)
    policy.schedule = (inner) => { schedule(round.of(inner)) }
    return policy
  }
  return { ...plug, create }
}

function played({ cluster, jobs, seed, runtime }: World, options: KaiOptions, isHopeful: boolean) {
  const round = new Counting(isHopeful)
  const { recorder, simulation } = prepare({ policy: counting(kaiPreempting(options), round), cluster, jobs, seed, runtime, infeasible: 'reject' })
  simulation.run(3000)
  return { decisions: digest(recorder), evicted: recorder.evictions.length, tried: round.evictions }
}

const prior: KaiOptions = { queues: { a: { priority: 200 }, b: { priority: 50 } }, queuePriorityInQuotaReclaim: true }

describe('victims on a node that has beaten', () => {
  it('are looked for before any are evicted, which changes nothing', () => {
    let [evicted, tried, anew] = [0, 0, 0]
    fc.assert(
      fc.property(
        worlds({ jobs: 16, heartbeats: true, outages: true, masters: true, queues: ['a', 'b', 'd', 'e'] }),
        fc.constantFrom<KaiOptions>({}, prior, { reclaimerSaturationMultiplier: 2 }, { defaultReclaimMinRuntime: 20 }),
        (world, options) => {
          const known = played(world, options, false)
          const hopeful = played(world, options, true)
          evicted += known.evicted
          tried += known.tried
          anew += hopeful.tried
          expect(known.decisions).toBe(hopeful.decisions)
        },
      ),
      { seed: 13, numRuns: 150 },
    )
    expect(evicted).toBeGreaterThan(50)
    expect(tried).toBeLessThan(anew)
  })
})
