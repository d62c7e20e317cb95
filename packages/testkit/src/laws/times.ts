import type { ClusterModel, Heartbeat } from '@sched/cluster'
import type { JobEvent, Seconds } from '@sched/core'
import type { End, Launch } from '../recorder.js'
import type { Play } from './play.js'
import { breaksPromises, outagesOf, type World } from './world.js'

/** A job is submitted at its time, or when what it waits for has happened to others if that is later; no task starts before submission and set-up. */
export function earliest({ recorder, specs }: Play): string | undefined {
  const submitted = new Map<string, number>()
  const happened = { start: new Map<string, number>(), end: new Map<string, number>() }
  const timeOf = ({ job, on = 'end', think = 0 }: JobEvent) => (happened[on].get(job) ?? Infinity) + think
  for (const { kind, time, job } of recorder.events) {
    const { submit = 0, after, think = 0, afterAll = [], afterAny = [], startup = 0 } = specs.get(job) ?? {}
    const isOver = kind === 'finish' || kind === 'reject'
    if (isOver) happened.end.set(job, time)
    if ((isOver || kind === 'launch') && !happened.start.has(job)) happened.start.set(job, time)
    if (kind === 'submit') {
      const all = after === undefined ? afterAll : [{ job: after, think }, ...afterAll]
      const unmet = all.find((event) => timeOf(event) === Infinity) ?? (afterAny.every((event) => timeOf(event) === Infinity) ? afterAny[0] : undefined)
      if (unmet !== undefined) return `job ${job} is submitted at ${time} s, before ${unmet.job} has ${unmet.on === 'start' ? 'started' : 'ended'}`
      const due = Math.max(submit, ...all.map(timeOf), afterAny.length === 0 ? 0 : Math.min(...afterAny.map(timeOf)))
      if (time !== due) return `job ${job} is submitted at ${time} s instead of ${due} s`
      submitted.set(job, time)
    }
    if (kind === 'launch' && !(time >= (submitted.get(job) ?? Infinity) + startup)) return `a task of job ${job} starts at ${time} s, before submission and set-up`
  }
  return undefined
}

/** A stage starts when the fraction of tasks it waits for has ended. */
export function slowStart({ recorder, specs }: Play): string | undefined {
  const done = new Map<string, number>()
  for (const event of recorder.events) {
    if (event.kind === 'end' && event.how === 'done') done.set(`${event.job}.${event.stage}`, (done.get(`${event.job}.${event.stage}`) ?? 0) + 1)
    if (event.kind !== 'launch') continue
    const stages = specs.get(event.job)?.stages ?? []
    for (const { stage, fraction } of stages[event.stage]?.after ?? []) {
      const count = done.get(`${event.job}.${stage}`) ?? 0
      if (count / (stages[stage]?.tasks ?? 1) < fraction)
        return `stage ${event.stage} of job ${event.job} starts at ${event.time} s after ${count} tasks of stage ${stage}, fraction ${fraction}`
    }
  }
  return undefined
}

/**
 * Where nodes have heartbeats, tasks start and are known to have ended only at those of their node, at the first one
 * after they stopped (the second where ends are committed late, or when the node fails before). Elsewhere an end is known at once.
 */
export function heartbeats({ recorder, model, world, specs }: Play): string | undefined {
  for (const event of recorder.events) {
    if (event.kind !== 'launch' && event.kind !== 'end') continue
    if (event.kind === 'end' && event.how !== 'done') continue // killed on another node's heartbeat, or at a time the policy asked for
    const known = (each: Launch | End) =>
      model.heartbeat === undefined
        ? instantly(each)
        : atHeartbeat(each, model.heartbeat, offsetOf(each.node, model), world.commitPendingBug ? failuresOf(each.node, model, world) : undefined)
    const expected = known(event)
    if (event.time === expected) continue
    const isMaster = event.stage === 0 && specs.get(event.job)?.stages[0]?.master === true
    if (event.kind === 'end' && isMaster && event.time === known({ ...event, stopped: event.stopped + 1e-9 })) continue // stopped by what was reported at this very heartbeat
    const what = event.kind === 'end' ? `has stopped at ${event.stopped} s; this is known` : 'starts'
    return `a task of job ${event.job} on ${event.node} ${what} at ${event.time} s instead of ${expected} s`
  }
  return undefined
}

const instantly = (event: Launch | End): Seconds => (event.kind === 'end' ? event.stopped : event.time)

function offsetOf(node: string, { heartbeat, nodeNames, nodes }: ClusterModel): Seconds {
  return heartbeat !== undefined && heartbeat.stagger !== false ? (nodeNames.indexOf(node) * heartbeat.interval) / nodes : 0
}

/** When the node fails. */
const failuresOf = (node: string, { nodeNames, nodes }: ClusterModel, world: World): Seconds[] =>
  outagesOf(world, nodes).flatMap((outage) => (outage.drain !== true && nodeNames[outage.node] === node ? [outage.from] : []))

/**
 * When it should have happened: at the heartbeat nearest to a start, or the first one after a task has started and stopped; the one after,
 * or a failure before that, where ends are committed late.
 */
function atHeartbeat(event: Launch | End, { interval }: Heartbeat, offset: Seconds, failures: readonly Seconds[] | undefined): Seconds {
  const time = (beat: number) => beat * interval + offset
  if (event.kind === 'launch') return time(Math.round((event.time - offset) / interval))
  let beat = Math.max(0, Math.floor((event.stopped - offset) / interval) - 1)
  while (time(beat) < event.stopped || time(beat) <= event.started) beat++
  return failures === undefined ? time(beat) : Math.min(time(beat + 1), ...failures.filter((failure) => failure > time(beat)))
}

/** A job starts no later than was promised, as long as no node and no task fails. */
export function reservations({ recorder, world }: Play): string | undefined {
  if (breaksPromises(world)) return undefined
  const promised = new Map<string, number>()
  for (const event of recorder.events) {
    if (event.kind === 'reserve') promised.set(event.job, Math.min(event.start, promised.get(event.job) ?? Infinity))
    const start = promised.get(event.job)
    if (event.kind !== 'launch' || start === undefined) continue
    if (event.time > start) return `job ${event.job} starts at ${event.time} s, promised for ${start} s`
    promised.delete(event.job)
  }
  const [forgotten] = promised
  return forgotten === undefined ? undefined : `job ${forgotten[0]} was promised to start at ${forgotten[1]} s and never does`
}
