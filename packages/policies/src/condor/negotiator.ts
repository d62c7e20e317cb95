import { definePolicy, forwarding, type Env, type JobId, type LaneId, type NodeId, type Placement, type Plug, type Policy, type Release, type Round, type TaskId } from '@sched/core'
import { ConcurrencyLimits } from './concurrency-limits.js'
import { NegotiatorLane, type NegotiatorMemory } from './lane.js'
import { negotiatorOptions, type NegotiatorOptions, type NegotiatorSettings } from './options.js'

/**
 * The negotiator of HTCondor: in cycles, users get slices of the pool in inverse proportion to their effective priorities, what they have used on average
 * over time by their priority factors. Between cycles a job starts only where one of the same user ends that asks for the same.
 *
 * A node is a partitionable slot, a task a job of HTCondor, `JobPrio` the priority of a job. Jobs with an account belong to the accounting group of that
 * name, and their users have a priority of their own there.
 *
 * Source: HTCondor, matchmaker.cpp, Accountant.cpp and GroupEntry.cpp; for claims condor_schedd and condor_startd. Left out: ranks of jobs, floors and ceilings of
 * users, several schedds. Deviations: a cycle takes no time; a claim takes another job only if that asks for just as much, while HTCondor lets a smaller one have it
 * as a whole.
 */
export const negotiatorPolicy = definePolicy({
  name: 'negotiator',
  summary: "HTCondor's negotiator: cycles in which users get slices by effective priority, claims that are used again, group quotas, preemption, concurrency limits",
  source: 'HTCondor, condor_negotiator',
  options: negotiatorOptions,
  inner: { placement: 'placement?' },
  create: (options, env, { placement }) => new Negotiator(options, env, placement?.create(env)),
})

/** The negotiator of HTCondor. Default of the placement: the node with the least free. */
export const negotiator = (options: NegotiatorOptions = {}, placement?: Plug<'placement'>): Plug<'policy'> => negotiatorPolicy.plug({ placement }, options)

class Negotiator implements Policy {
  readonly startsGangJobs = true
  readonly #lanes: readonly NegotiatorLane[]

  constructor(settings: NegotiatorSettings, env: Env, placement: Placement | undefined) {
    const limits = new ConcurrencyLimits(settings, env)
    this.#lanes = env.cluster.lanes.map((_, lane) => new NegotiatorLane(settings, env, lane as LaneId, placement, limits))
    Object.assign(this, forwarding(limits, new Telling(this.#lanes), placement))
  }

  schedule(round: Round): void {
    const lane = this.#lanes[round.lane] as NegotiatorLane
    lane.run(round)
    if (round.explained) for (const [job, reason, limit, isPart] of lane.passedOver(round)) round.defer(job, reason, limit, isPart)
  }
}

/** Passes events on to the lanes. */
class Telling {
  readonly #lanes: readonly NegotiatorLane[]

  constructor(lanes: readonly NegotiatorLane[]) {
    this.#lanes = lanes
  }

  onSubmit(job: JobId): void {
    for (const lane of this.#lanes) lane.submit(job)
  }
  onReady(job: JobId, lane: LaneId): void {
    this.#lanes[lane]?.ready(job)
  }
  onDrained(job: JobId, lane: LaneId): void {
    this.#lanes[lane]?.drained(job)
  }
  onClaim(job: JobId, lane: LaneId, task: TaskId): void {
    this.#lanes[lane]?.claimed(job, task)
  }
  onRelease(job: JobId, lane: LaneId, task: TaskId, node: NodeId, why: Release): void {
    this.#lanes[lane]?.released(job, task, node, why)
  }
  memory(): readonly NegotiatorMemory[] {
    return this.#lanes.map((lane) => lane.memory())
  }
  recall(memory: unknown): void {
    for (const [lane, before] of (memory as readonly NegotiatorMemory[]).entries()) this.#lanes[lane]?.recall(before)
  }
}
