import { readCluster, type ClusterDescription } from '@sched/cluster'
import { withoutUndefined, type DataSpec, type Duration, type JobEvent, type JobSpec, type NodeId, type Seconds, type StageSpec } from '@sched/core'
import type { AvoidOptions, FailureOptions, Outage, RuntimeOptions, SpeculationOptions } from '@sched/sim'
import fc from 'fast-check'

/** A small random cluster, its jobs and how they run. */
export interface World {
  /** Its nodes. */
  readonly cluster: ClusterDescription
  /** In order of submission. */
  readonly jobs: readonly JobSpec[]
  /** Names of the queues that jobs may be submitted to, in some order of declaration. */
  readonly queues: readonly string[]
  /** Of all that is random in a run. */
  readonly seed: number
  /** How long tasks take. */
  readonly runtime: RuntimeOptions
  /** Most starts per round, as Hadoop 0.20 has; undefined: no limit. */
  readonly claims: number | undefined
  /** Whether Hadoop's bug is on, see `SimulationOptions`. */
  readonly commitPendingBug: boolean
  /** Nodes that are away for a time, counted from 0 and after the last one from the first again; default none. */
  readonly outages?: readonly Outage[]
  /** Tasks that fail by themselves; default none. */
  readonly failures?: FailureOptions | undefined
  /** Which nodes are avoided after failures; default none. */
  readonly avoid?: AvoidOptions | undefined
  /** Which slow tasks are copied; default none. */
  readonly speculation?: SpeculationOptions | undefined
}

/** The outages of a world, of its nodes. */
export const outagesOf = ({ outages: listed = [] }: World, nodes: number): readonly Outage[] =>
  listed.map((outage) => ({ ...outage, node: (outage.node % nodes) as NodeId }))

/** Whether tasks start anew in the world because nodes go or they fail, which breaks promises. */
export const breaksPromises = ({ outages: listed = [], failures }: World): boolean => listed.length > 0 || failures !== undefined

/** Which worlds are drawn; all may be left out. */
export interface WorldOptions {
  /** Only clusters with heartbeats, or only ones without; default both. */
  readonly heartbeats?: boolean
  /** Only slots, or only resource vectors; default both. */
  readonly slots?: boolean
  /** Most jobs. Default 7. */
  readonly jobs?: number
  /** Default `a`, `b`, `c.x` and `c.y`; without a queue a job has that of its user. */
  readonly queues?: readonly string[]
  /** Whether nodes of every third world fail or are drained for a time. Default false. */
  readonly outages?: boolean
  /** Whether tasks of every third world fail by themselves. Default false. */
  readonly failures?: boolean
  /** Rules by which nodes are avoided; then tasks fail in all worlds, on some nodes more often. Default none. */
  readonly avoid?: readonly AvoidOptions[]
  /**
   * Whether slow tasks of most worlds are copied, and some tasks are stragglers; then without gangs, which are not. `true`: as Hadoop 2 and 3 copy them;
   * or by one of these rules. Default false.
   */
  readonly speculation?: boolean | readonly SpeculationOptions[]
  /** Whether some stages are gangs, whose tasks start together; then without heartbeats and limits of starts, which keep them from it. Default false. */
  readonly gangs?: boolean
  /** Whether some jobs are one gang of several stages, of so few tasks that they find room wherever amounts suffice; without heartbeats as with `gangs`. Default false. */
  readonly gangJobs?: boolean
  /** Whether some jobs wait for several others, for one of several, or for starts. Default false. */
  readonly events?: boolean
  /** Whether some jobs have masters; then without slots, and with room for all masters. Default false. */
  readonly masters?: boolean
  /** Whether nodes have devices (GPUs), of which some tasks ask for one, for two or for a share of one; then without slots. Default false. */
  readonly devices?: boolean
}

/**
 * Small worlds with all that a policy may meet: slots or vectors, racks, heartbeats in turn, together or none, stages
 * with slow start, shared data, priorities, weights, users, queues, chains, set-up costs, ties in submit times, tasks too
 * large for any node.
 */
export function worlds(options: WorldOptions = {}): fc.Arbitrary<World> {
  const { heartbeats, slots, jobs = 7, queues = ['a', 'b', 'c.x', 'c.y'], outages = false, failures = false, avoid, speculation = false, events = false, masters = false, devices = false, gangJobs = false, gangs = gangJobs } = options
  const plain = (ofSlots: boolean) => jobDrafts(ofSlots, queues, gangs, devices)
  const drafts = (ofSlots: boolean) => (gangJobs ? fc.tuple(plain(ofSlots), fc.boolean()).map(asGang) : plain(ofSlots))
  const kind = masters || devices ? fc.constant(false) : slots === undefined ? fc.boolean() : fc.constant(slots)
  return kind.chain((ofSlots) =>
    fc.record({
      cluster: clusters(ofSlots, gangs ? false : heartbeats, devices).map((cluster) => (masters ? withRoomForMasters(cluster) : cluster)),
      jobs: fc.array(masters ? fc.tuple(drafts(ofSlots), oneOf(undefined, 0, 2, 7)).map(withMaster) : drafts(ofSlots), { minLength: 1, maxLength: jobs }).map(inOrder).chain((all) => (events ? waitingForEvents(all) : fc.constant(all))),
      queues: fc.constant(queues),
      seed: fc.nat({ max: 1000 }),
      runtime: fc.constantFrom<RuntimeOptions>({ jitter: 0 }, { jitter: 0.1 }, { jitter: 0, localityFactors: [1] }, ...(speculation !== false ? [straggling, straggling] : [])),
      claims: gangs ? fc.constant(undefined) : fc.constantFrom(undefined, undefined, undefined, 1),
      commitPendingBug: fc.constantFrom(false, false, false, true),
      outages: outages ? fc.oneof(fc.constant([]), fc.constant([]), outageLists()) : fc.constant([]),
      ...(failures && { failures: oneOf<(FailureOptions | undefined)[]>(undefined, undefined, undefined, undefined, { probability: 0.3 }, { mtbf: 12, maxAttempts: 2 }) }),
      ...(avoid !== undefined && { failures: oneOf<FailureOptions[]>(...failing), avoid: oneOf<AvoidOptions[]>(...avoid) }),
      ...(speculation !== false && { speculation: oneOf<(SpeculationOptions | undefined)[]>(undefined, ...(speculation === true ? asHadoop : speculation)) }),
    }),
  )
}

/** Failures that several tasks meet on the same nodes, and that few jobs are given up for. */
const failing: readonly FailureOptions[] = [
  { badNodes: { fraction: 0.3, probability: 0.8 }, maxAttempts: 30 }, { probability: 0.2, badNodes: { fraction: 0.2, mtbf: 3 }, maxAttempts: 30 }, { mtbf: 12, badNodes: { fraction: 0.5, probability: 0.5 }, maxAttempts: 4 },
]

const asHadoop: readonly SpeculationOptions[] = [{}, { retry: 0.5, retryAfterCopy: 0.5 }, { minimum: 1, retry: 0.25, retryAfterCopy: 3 }]

const straggling: RuntimeOptions = { jitter: 0, stragglers: { fraction: 0.3, factor: 6 } }

const oneOf = fc.constantFrom

function clusters(ofSlots: boolean, heartbeats: boolean | undefined, devices: boolean): fc.Arbitrary<ClusterDescription> {
  const beat = oneOf({ interval: 3, stagger: true }, { interval: 3, stagger: false }, { interval: 1.3, stagger: true })
  const amounts = ofSlots
    ? fc.record({ map: oneOf(1, 2, 3), reduce: oneOf(1, 2) }).map((slots) => ({ slots }))
    : fc.record({ cpu: oneOf(2, 4), mem: oneOf(3, 8) }).map((resources) => ({ resources }))
  const bare = fc.tuple(fc.integer({ min: 1, max: 4 }), oneOf(1, 2, 3), amounts, oneOf(1, 1, 0.5)).map(([count, racks, each, speed]) => ({
    count,
    racks: Math.min(racks, count),
    speed,
    ...each,
  }))
  /** Nodes with so many GPUs each, one of these numbers. */
  const group = (...gpus: readonly number[]) => (devices ? fc.tuple(bare, oneOf(...gpus)).map(([each, gpu]) => ({ ...each, ...(gpu > 0 && { devices: { gpu } }) })) : bare)
  return fc
    .record({
      nodes: fc.oneof(fc.tuple(group(1, 2, 3)), fc.tuple(group(1, 2), group(0, 1, 4))),
      beat: heartbeats === false ? fc.constant(undefined) : heartbeats === true ? beat : fc.option(beat, { nil: undefined, freq: 3 }),
      replicas: oneOf({ factor: 3, placement: 'hdfs' as const }, { factor: 1, placement: 'uniform' as const }),
    })
    .map(({ nodes, beat: heartbeat, replicas }) =>
      readCluster({ nodes: nodes.map((each, i) => ({ ...each, name: `n${i}` })), replicas, ...(heartbeat !== undefined && { heartbeat }) }),
    )
}

/** Each node has room for as many masters as a world may have, so that these never keep each other's tasks from running. */
const withRoomForMasters = (cluster: ClusterDescription): ClusterDescription => ({
  ...cluster,
  nodes: cluster.nodes.map((group) => ({ ...group, resources: { ...group.resources, master: 100 } })),
})

/** A job with a master that is up after so many seconds; `undefined`: without. */
function withMaster([draft, startup]: [JobDraft, Seconds | undefined]): JobDraft {
  if (startup === undefined) return draft
  const stages = draft.rest.stages.map(({ after, ...stage }) => ({ ...stage, ...(after !== undefined && { after: after.map((each) => ({ ...each, stage: each.stage + 1 })) }) }))
  return { ...draft, rest: { ...draft.rest, stages: [{ name: 'master', tasks: 1, demand: { master: 1 }, duration: startup, master: true }, ...stages] } }
}

/**
 * A job that is one gang of its first two stages, one of which asks more than the other, with at most three tasks that must start together. It does without
 * its third stage, of which two must.
 */
function asGang([draft, isGang]: [JobDraft, boolean]): JobDraft {
  const [first, second, third] = draft.rest.stages
  if (!isGang || first === undefined || second === undefined) return draft
  const ofSlots = 'map' in first.demand || 'reduce' in first.demand
  const stages = [first, second, ...(third === undefined ? [] : [third])].map(({ after: _, gang: __, minTasks: ___, ...stage }, i) => {
    const tasks = i === 1 ? stage.tasks : Math.min(2, stage.tasks)
    return {
      ...stage,
      tasks,
      demand: ofSlots ? { map: 1 } : i === 1 ? { cpu: 1, mem: 1 } : { cpu: 1 },
      duration: Array.isArray(stage.duration) ? stage.duration.slice(0, tasks) : stage.duration,
      gang: true,
      ...(i === 1 && { minTasks: 1 }),
      ...(i === 2 && { optionalGroup: 'more' }),
    }
  })
  return { ...draft, rest: { ...draft.rest, gang: true, stages } }
}

const outageLists = (): fc.Arbitrary<Outage[]> => {
  const outage = fc.tuple(fc.nat({ max: 7 }), oneOf(0, 1, 3, 4.5, 6, 12, 30), oneOf(0.5, 3, 10, 60), fc.boolean())
  return fc.array(outage, { minLength: 1, maxLength: 4 }).map((each) => each.map(([node, from, length, drain]) => ({ node: node as NodeId, from, to: from + length, drain })))
}

/** A job but for its id, its submit time and the job it follows. */
interface JobDraft {
  readonly gap: Seconds
  readonly follows: boolean
  readonly rest: Omit<JobSpec, 'id' | 'submit'>
}

function jobDrafts(ofSlots: boolean, queues: readonly string[], withGangs: boolean, withDevices: boolean): fc.Arbitrary<JobDraft> {
  const optional = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined })
  return fc
    .record({
      gap: oneOf(0, 0, 0, 1, 2.5, 7, 40),
      follows: oneOf(false, false, false, true),
      think: oneOf(undefined, 2.5, 30),
      startup: oneOf(undefined, undefined, 2, 11),
      user: oneOf(undefined, 'ann', 'bob'),
      queue: optional(oneOf(...queues)),
      priority: oneOf(undefined, undefined, 1, 2, -1, -2),
      weight: oneOf(undefined, undefined, 2, 0.5),
      estimate: oneOf(undefined, 5, 20),
      stages: stages(ofSlots, withGangs, withDevices),
    })
    .map(({ gap, follows, ...fields }) => ({ gap, follows, rest: withoutUndefined(fields) }))
}

/** Of what tasks of worlds with devices ask: shares that fill a device together or do not, and whole ones. */
const ofDevices = [{ cpu: 1, gpu: 500 }, { cpu: 1, gpu: 300 }, { mem: 1, gpu: 700 }, { gpu: 1000 }, { cpu: 1, mem: 1, gpu: 2000 }]

function stages(ofSlots: boolean, withGangs: boolean, withDevices: boolean): fc.Arbitrary<StageSpec[]> {
  const demand = ofSlots
    ? fc.oneof({ weight: 30, arbitrary: oneOf({ map: 1 }, { map: 1 }, { reduce: 1 }) }, { weight: 1, arbitrary: fc.constant({ map: 99 }) })
    : fc.oneof({ weight: 30, arbitrary: oneOf<StageSpec['demand'][]>({ cpu: 1 }, { cpu: 1, mem: 2 }, { cpu: 2, mem: 1 }, { mem: 3 }, ...(withDevices ? ofDevices : [])) }, { weight: 1, arbitrary: fc.constant({ cpu: 99 }) })
  const draft = fc.tuple(
    fc.integer({ min: 1, max: 5 }),
    demand,
    durations(),
    dataSpecs(),
    oneOf(undefined, 0, 0.05, 0.5, 1),
    withGangs ? oneOf('none', 'none', 'all', 'some') : fc.constant('none'),
  )
  return fc.array(draft, { minLength: 1, maxLength: 3 }).map((drafts) =>
    drafts.map(([tasks, asked, duration, data, fraction, gang], index) => ({
      name: `stage${index}`,
      tasks,
      demand: asked,
      duration: duration(tasks),
      ...(data !== undefined && { data }),
      ...(gang !== 'none' && { gang: true }),
      ...(gang === 'some' && { minTasks: Math.ceil(tasks / 2) }),
      ...(fraction !== undefined && index > 0 && { after: [{ stage: index - 1, fraction }] }),
    })),
  )
}

function durations(): fc.Arbitrary<(tasks: number) => Duration> {
  const each = oneOf(0, 1, 3, 4.5, 10, 25)
  return fc.oneof(
    each.map((seconds) => () => seconds),
    fc.array(each, { minLength: 5, maxLength: 5 }).map((list) => (tasks: number) => list.slice(0, tasks)),
    oneOf<Duration>({ kind: 'uniform', min: 1, max: 9 }, { kind: 'exponential', mean: 5, shift: 0.5 }).map((distribution) => () => distribution),
  )
}

const dataSpecs = (): fc.Arbitrary<DataSpec | undefined> => oneOf<(DataSpec | undefined)[]>(undefined, {}, {}, { set: 'shared' }, { set: 'shared', first: 3 })

/** Gives jobs their ids, submit times and predecessors. */
function inOrder(drafts: readonly JobDraft[]): JobSpec[] {
  let submit = 0
  return drafts.map(({ gap, follows, rest }, index) => {
    submit += gap
    return { id: `j${index}`, submit, ...rest, ...(follows && index > 0 && { after: `j${index - 1}` }) }
  })
}

/** The jobs, some of which wait for events of up to three of those before them. */
function waitingForEvents(jobs: readonly JobSpec[]): fc.Arbitrary<JobSpec[]> {
  const event = fc.record({ back: fc.integer({ min: 1, max: 3 }), on: oneOf('end' as const, 'start' as const), think: oneOf(0, 1, 4.5) })
  const list = fc.oneof({ weight: 2, arbitrary: fc.constant([]) }, { weight: 1, arbitrary: fc.array(event, { minLength: 1, maxLength: 3 }) })
  const named = (events: readonly (Omit<JobEvent, 'job'> & { readonly back: number })[], index: number): JobEvent[] =>
    events.filter(({ back }) => back <= index).map(({ back, ...rest }) => ({ job: `j${index - back}`, ...rest }))
  return fc.tuple(...jobs.map(() => fc.tuple(list, list))).map((lists) =>
    jobs.map((job, i) => {
      const [afterAll = [], afterAny = []] = (lists[i] ?? []).map((events) => named(events, i))
      return { ...job, ...(afterAll.length > 0 && { afterAll }), ...(afterAny.length > 0 && { afterAny }) }
    }),
  )
}
