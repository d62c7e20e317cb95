import type { Duration, JobSpec, Seconds, StageSpec } from '@sched/core'
import type { Recorded } from '../recorder.js'
import type { Play } from './play.js'
import { firstDifference } from './repetition.js'
import type { World } from './world.js'

/**
 * What happens up to an instant depends on nothing that comes after it: neither on jobs that are submitted later, nor on nodes and tasks that fail later, nor
 * on when nodes come back. The instant is one of the run, by the seed of the world.
 */
export function causality(play: Play): string | undefined {
  const time = instantOf(play)
  return time === undefined ? undefined : differenceUpTo(time, play, endingAt(time, play), 'a world that has nothing more to come')
}

/**
 * What happens up to an instant does not depend on how long tasks really run of which nobody knows yet that they have ended: at most on their estimates. But
 * where slow tasks are copied: that is for who sees how far they are.
 */
export function nonClairvoyance(play: Play): string | undefined {
  const time = instantOf(play)
  if (time === undefined || play.world.speculation !== undefined) return undefined
  return differenceUpTo(time, play, runningOnAfter(time, play), 'a world in which tasks run longer of which no end was known yet')
}

/** An instant at which something happens; `undefined`: nothing ever does. */
function instantOf({ world, recorder: { events } }: Play): Seconds | undefined {
  return events[world.seed % Math.max(1, events.length)]?.time
}

function differenceUpTo(time: Seconds, { recorder, again, fresh }: Play, other: World, name: string): string | undefined {
  const upTo = ({ events }: { readonly events: readonly Recorded[] }) => ({ events: events.filter((event) => event.time <= time) })
  const difference = firstDifference(upTo(recorder), upTo(again(fresh(other), other, time)), name)
  return difference === undefined ? undefined : `up to ${time} s, ${difference}`
}

/** The world, but nothing of what comes after the time; nodes that are away then stay away longer. */
function endingAt(time: Seconds, { world, recorder: { events } }: Play): World {
  const isKnown = (kind: string) => kind === 'submit' || kind === 'reject'
  const known = new Set(events.filter((event) => isKnown(event.kind) && event.time <= time).map(({ job }) => job))
  const hasFailed = events.some((event) => event.kind === 'end' && event.how === 'failed' && event.time <= time)
  return {
    ...world,
    jobs: withPredecessors(world.jobs.filter(({ id, submit }) => known.has(id) || submit <= time), world.jobs),
    outages: (world.outages ?? []).filter(({ from }) => from <= time).map((outage) => (outage.to > time ? { ...outage, to: outage.to + 11 } : outage)),
    failures: hasFailed ? world.failures : undefined,
    avoid: hasFailed ? world.avoid : undefined,
  }
}

/** The jobs and all that they wait for, in the order of all. */
function withPredecessors(jobs: readonly JobSpec[], all: readonly JobSpec[]): JobSpec[] {
  const kept = new Set<string>()
  const specs = new Map(all.map((job) => [job.id, job]))
  const keep = (id: string): void => {
    const job = specs.get(id)
    if (job === undefined || kept.has(id)) return
    kept.add(id)
    for (const other of [job.after ?? [], ...[...(job.afterAll ?? []), ...(job.afterAny ?? [])].map((event) => event.job)].flat()) keep(other)
  }
  for (const { id } of jobs) keep(id)
  return all.filter(({ id }) => kept.has(id))
}

/** The world, but tasks without an end that is known at the time take longer. A master does not: it is known when it is up. */
function runningOnAfter(time: Seconds, { world, recorder: { ends } }: Play): World {
  const ended = new Set<string>()
  for (const { job, stage, task, time: known, stopped } of ends)
    if (known <= time || (world.commitPendingBug && stopped <= time)) ended.add(`${job}.${stage}.${task}`)
  const longer = (job: JobSpec) => (stage: StageSpec, index: number): StageSpec =>
    stage.master === true ? stage : { ...stage, duration: prolonged(stage, (task) => ended.has(`${job.id}.${index}.${task}`)) }
  return { ...world, jobs: world.jobs.map((job) => ({ ...job, stages: job.stages.map(longer(job)) })) }
}

/** Half as long again and a second more for tasks that have not ended; drawn ones all together or not at all. */
function prolonged({ duration, tasks }: StageSpec, hasEnded: (task: number) => boolean): Duration {
  const longer = (seconds: Seconds) => 1.5 * seconds + 1
  const all = Array.from({ length: tasks }, (_, task) => task)
  if (typeof duration === 'number') return all.map((task) => (hasEnded(task) ? duration : longer(duration)))
  if (!('kind' in duration)) return all.map((task) => (hasEnded(task) ? (duration[task] as Seconds) : longer(duration[task] as Seconds)))
  if (all.some(hasEnded)) return duration
  return duration.kind === 'uniform' ? { ...duration, min: longer(duration.min), max: longer(duration.max) } : { ...duration, mean: 1.5 * duration.mean, shift: longer(duration.shift ?? 0) }
}
