import { definePolicy, forwarding, WrappedRound, WrappedWork, type JobId, type Plug, type Round, type TaskId, type WorkView } from '@sched/core'
import { capacityScheduler, conservative, drf, easy, fair, fifo, greedy, kaiPreempting, kueue, multifactor, replan, srtf, volcano, yarnFair } from '@sched/policies'
import { digest, instantCluster, job, play, run, worlds } from '@sched/testkit'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

class Believed extends WrappedWork {
  constructor(inner: WorkView, private readonly estimates: Readonly<Record<string, number>>) {
    super(inner)
  }

  override estimate(job: JobId) {
    return this.estimates[this.name(job)] ?? super.estimate(job)
  }

  override taskEstimate(task: TaskId) {
    return this.estimates[this.name(this.jobOf(task))] ?? super.taskEstimate(task)
  }
}

class BelievedRound extends WrappedRound {
  constructor(private readonly believed: WorkView) {
    super()
  }

  open(round: Round): this {
    this.inner = round
    return this
  }

  override get work() {
    return this.believed
  }
}

/** A policy that takes other estimates for those of some jobs. */
const believing = (policy: Plug<'policy'>, estimates: Readonly<Record<string, number>>): Plug<'policy'> =>
  definePolicy({
    name: 'believing',
    summary: 'other estimates',
    create(_, env) {
      const work = new Believed(env.work, estimates)
      const round = new BelievedRound(work)
      const inside = policy.create({ ...env, work })
      return { ...forwarding(inside), startsGangJobs: inside.startsGangJobs, schedule: (given) => inside.schedule(round.open(given)) }
    },
  }).plug({})

describe('what a policy inside another knows of jobs', () => {
  const policies: Readonly<Record<string, () => Plug<'policy'>>> = {
    greedy: () => greedy(fair()),
    drf: () => greedy(drf({ by: 'user' })),
    conservative: () => conservative(multifactor({ age: 5, fairShare: 5 })),
    replan: () => replan(fifo(), { nodes: 'named' }),
    srtf: () => srtf(),
    kai: () => kaiPreempting(),
    kueue: () => kueue(),
    volcano: () => volcano(),
    capacity: () => capacityScheduler({ queues: { a: { capacity: 40 }, b: { capacity: 60 } } }),
    yarn: () => greedy(yarnFair()),
  }

  it.each(Object.entries(policies))('is what %s knows, where nothing is overridden', { tags: 'long' }, (_, policy) => {
    fc.assert(
      fc.property(worlds({ heartbeats: false, gangs: true }), (world) => {
        expect(digest(play(world, () => believing(policy(), {})).recorder)).toBe(digest(play(world, policy).recorder))
      }),
      { seed: 5, numRuns: 20 },
    )
  })

  it('is what the one around it says otherwise', () => {
    const jobs = [job({ id: 'runs', tasks: 1, demand: { cpu: 6 }, estimate: 20, duration: 20 }), job({ id: 'head', demand: { cpu: 10 }, estimate: 20, duration: 20 }), job({ id: 'short', demand: { cpu: 4 }, estimate: 30, duration: 15 })]
    const starts = (policy: Plug<'policy'>) => run({ cluster: instantCluster({ nodes: 1, racks: 1, resources: { cpu: 10 } }), jobs, policy }).recorder.launches.map(({ job: id, time }) => `${id} ${time}`)
    expect(starts(easy(fifo()))).toEqual(['runs 0', 'head 20', 'short 40']) // 30 > 20
    expect(starts(believing(easy(fifo()), { short: 20 }))).toEqual(['runs 0', 'short 0', 'head 20'])
  })
})
