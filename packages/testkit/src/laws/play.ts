import type { ClusterModel } from '@sched/cluster'
import { forwarding, SchedError, type JobId, type JobSpec, type LaneId, type Plug, type Policy, type Round, type Seconds, type TaskId } from '@sched/core'
import type { Simulation } from '@sched/sim'
import { modelOf } from '../build.js'
import type { End, Launch, Recorder } from '../recorder.js'
import { prepare } from '../run.js'
import { serial } from '../serial.js'
import { DeviceUse } from './device-use.js'
import { outagesOf, type World } from './world.js'

/** Instants after which a run of a small world counts as endless. */
const ENDLESS = 200_000
const ENDS = 'A policy must not take tasks for ever, nor ask for rounds in which nothing comes of it. Worlds in which it may are named by `mayBeEndless`.'

/** A run of a small world has had so many instants that it will hardly end. */
export class EndlessRun extends SchedError {}

/** A run of a world, written down. */
export interface Play {
  /** What was run. */
  readonly world: World
  /** Its cluster. */
  readonly model: ClusterModel
  /** What happened. */
  readonly recorder: Recorder
  /** The simulation, with its state at the end. */
  readonly simulation: Simulation
  /** What the policy was told of its rounds. */
  readonly rounds: Rounds
  /** Jobs by id. */
  readonly specs: ReadonlyMap<string, JobSpec>
  /** Runs the world again, or another one; all of it, or up to a time. */
  readonly again: (plug: Plug<'policy'>, world?: World, until?: Seconds) => Recorder
  /** The policy, as a new plug. */
  readonly fresh: (world?: World) => Plug<'policy'>
  /** The policy that ran. */
  readonly plug: Plug<'policy'>
}

/** What a policy was told of its rounds. */
export interface Rounds {
  /** Tasks of all commits, in order, and of all starts. */
  readonly accepted: TaskId[]
  /** Tasks that started, in order. */
  readonly started: TaskId[]
  /** `onClaim` less `onRelease` calls. */
  claims: number
  /** Hooks that were called out of turn. */
  readonly complaints: string[]
  /** What tasks held of devices. */
  readonly devices: DeviceUse
}

/** How a policy under test is made: anew for every run. A policy that declares queues gets their names in some order. */
export type MakePolicy = (world: World) => Plug<'policy'>
/** How the architecture is made that runs it. */
export type MakeArchitecture = (world: World) => Plug<'architecture'>

/** Runs a policy on a world; default: one scheduler that decides at once. */
export function play(world: World, make: MakePolicy, architecture: MakeArchitecture = ({ claims }) => serial({ ...(claims !== undefined && { claims }) })): Play {
  const rounds: Rounds = { accepted: [], started: [], claims: 0, complaints: [], devices: new DeviceUse() }
  const plug = make(world)
  const { recorder, simulation } = execute(world, watched(plug, rounds), architecture, { rounds })
  return {
    world,
    model: modelOf(world.cluster),
    recorder,
    simulation,
    rounds,
    specs: new Map(world.jobs.map((job) => [job.id, job])),
    again: (other, elsewhere = world, until = Infinity) => execute(elsewhere, other, architecture, { until }).recorder,
    fresh: (elsewhere = world) => make(elsewhere),
    plug,
  }
}

/** What of a run is to be told, and until when it goes. */
interface Extent {
  readonly rounds?: Rounds
  readonly until?: Seconds
}

function execute(world: World, policy: Plug<'policy'>, architecture: MakeArchitecture, { rounds, until = Infinity }: Extent): { recorder: Recorder; simulation: Simulation } {
  const { jobs, seed, runtime, commitPendingBug, failures, avoid, speculation } = world
  const cluster = modelOf(world.cluster)
  const made = prepare({
    policy, cluster, jobs, seed, runtime, commitPendingBug, outages: outagesOf(world, cluster.nodes),
    ...(failures !== undefined && { failures }), ...(avoid !== undefined && { avoid }), ...(speculation !== undefined && { speculation }), infeasible: 'reject', architecture: architecture(world), observers: rounds === undefined ? [] : [{ onTaskStart: (task: TaskId) => void rounds.started.push(task) }, rounds.devices],
  })
  if (made.simulation.advance(ENDLESS, until) !== 'done') throw new EndlessRun('BROKEN_CONTRACT', `the run goes on after ${ENDLESS} instants.`, {}, ENDS)
  return made
}

/** The policy, with its hooks counted. */
function watched(plug: Plug<'policy'>, rounds: Rounds): Plug<'policy'> {
  return { ...plug, create: (env) => watch(plug.create(env), rounds) }
}

function watch(policy: Policy, rounds: Rounds): Policy {
  const ready = new Set<string>()
  const expectReady = (job: JobId, lane: LaneId, is: boolean, hook: string) => {
    if (ready.has(`${job} ${lane}`) !== is) rounds.complaints.push(`${hook} for job ${job} in lane ${lane}, which is ${is ? 'not ' : ''}ready`)
  }
  return {
    ...forwarding(policy),
    startsGangJobs: policy.startsGangJobs,
    get sharing() {
      return policy.sharing
    },
    schedule: (round) => scheduled(policy, round),
    onCommit: (commit) => {
      rounds.accepted.push(...commit.accepted)
      policy.onCommit?.(commit)
    },
    onReady: (job, lane) => {
      expectReady(job, lane, false, 'onReady')
      ready.add(`${job} ${lane}`)
      policy.onReady?.(job, lane)
    },
    onMore: (job, lane) => {
      expectReady(job, lane, true, 'onMore')
      policy.onMore?.(job, lane)
    },
    onDrained: (job, lane) => {
      expectReady(job, lane, true, 'onDrained')
      ready.delete(`${job} ${lane}`)
      policy.onDrained?.(job, lane)
    },
    onClaim: (...claim) => {
      rounds.claims++
      policy.onClaim?.(...claim)
    },
    onRelease: (...release) => {
      rounds.claims--
      policy.onRelease?.(...release)
    },
  }
}

/** What the engine says of a job that has no task in the lane is of no use to an author. */
function scheduled(policy: Policy, round: Round): void {
  try {
    policy.schedule(round)
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    throw new Error(
      `a round threw "${error.message}". Are there jobs among those read that do not wait in the lane of the round? \`onReady\` and \`onDrained\` tell the lane.`,
      { cause: error },
    )
  }
}

export const keyOf = ({ job, stage, task }: Launch | End): string => `${job}.${stage}.${task}`
