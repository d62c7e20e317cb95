import type { Devices, NodeGroup } from '@sched/cluster'
import { askedTogether, leastTasks, startedTogether, type JobSpec, type Seconds } from '@sched/core'
import { gangJobs } from './gang-jobs.js'
import type { World } from './world.js'
import { keyOf, type Play } from './play.js'
import type { Recorder } from '../recorder.js'

/**
 * A task runs at most on one node at a time, ends where it was started, and after an eviction runs again to its end, unless its job fails. Where tasks
 * are copied, it may have two attempts at a time, of which the first that is done ends the other.
 */
export function once({ recorder, world }: Play): string | undefined {
  if (world.speculation !== undefined) return onceWithCopies(recorder, world)
  const state = new Map<string, string>()
  for (const event of recorder.events) {
    if (event.kind !== 'launch' && event.kind !== 'end') continue
    const key = keyOf(event)
    const was = state.get(key) ?? 'idle'
    if (event.kind === 'launch') {
      if (was !== 'idle') return `${key} starts at ${event.time} s, but it is ${was}`
      state.set(key, `running on ${event.node} since ${event.time}`)
    } else {
      if (was !== `running on ${event.node} since ${event.started}`) return `${key} ends at ${event.time} s on ${event.node}, started at ${event.started} s, but it is ${was}`
      state.set(key, event.how === 'done' ? 'done' : 'idle')
    }
  }
  const failed = new Set(recorder.events.filter(({ kind }) => kind === 'abandon').map(({ job }) => job))
  const open = [...state].find(([key, each]) => each !== 'done' && !(each === 'idle' && failed.has(key.split('.').slice(0, -2).join('.'))))
  return open === undefined ? undefined : `${open[0]} is ${open[1]} at the end`
}

function onceWithCopies({ events }: Pick<Recorder, 'events'>, { commitPendingBug }: Pick<World, 'commitPendingBug'>): string | undefined {
  const attempts = new Map<string, string[]>()
  const done = new Map<string, Seconds>()
  const superseded = new Map<string, Seconds>()
  for (const event of events) {
    if (event.kind !== 'launch' && event.kind !== 'end') continue
    const key = keyOf(event)
    const own = attempts.get(key) ?? []
    attempts.set(key, own)
    if (done.has(key)) return `${key} has an event at ${event.time} s, but it is done`
    if (event.kind === 'launch') {
      if (own.length === 2 || superseded.has(key)) return `${key} starts at ${event.time} s, but ${superseded.has(key) ? 'another attempt is done' : 'two attempts of it run'}`
      own.push(`${event.node} ${event.time}`)
      continue
    }
    const at = own.indexOf(`${event.node} ${event.started}`)
    if (at < 0) return `${key} ends at ${event.time} s on ${event.node}, started at ${event.started} s, but it does not run there`
    own.splice(at, 1)
    if (event.how === 'superseded') superseded.set(key, event.time)
    if (event.how !== 'done') continue
    done.set(key, event.time)
    if (own.length > 0) return `${key} is done at ${event.time} s, but another attempt of it runs on`
  }
  for (const [key, own] of attempts) if (own.length > 0) return `${key} runs at the end`
  for (const [key, time] of superseded) {
    const end = done.get(key) ?? Infinity
    if (time !== end && !(commitPendingBug && time < end && end < Infinity)) return `an attempt of ${key} ends at ${time} s for another one, which is done at ${end} s`
  }
  return undefined
}

/** Every job that fits the cluster ends, with all its tasks or because it has failed; every other one is rejected. */
export function completion({ recorder, world }: Play): string | undefined {
  const done = new Map<string, number>()
  for (const { job, how } of recorder.ends) if (how === 'done') done.set(job, (done.get(job) ?? 0) + 1)
  for (const job of world.jobs) {
    const kinds = recorder.events.filter((event) => event.job === job.id && ['finish', 'reject', 'abandon'].includes(event.kind)).map(({ kind }) => kind)
    const expected = !isFeasible(job, world) ? 'reject' : kinds.includes('abandon') ? 'abandon,finish' : 'finish'
    if (kinds.join() !== expected) return `job ${job.id} has events "${kinds.join()}", expected "${expected}"`
    const tasks = job.stages.reduce((sum, stage) => sum + stage.tasks, 0)
    if (expected === 'finish' && done.get(job.id) !== tasks) return `${done.get(job.id) ?? 0} of ${tasks} tasks of job ${job.id} are done`
  }
  return undefined
}

const isFeasible = (job: JobSpec, { cluster }: World): boolean =>
  startedTogether(job).every((stages) => stages.flatMap(({ demand }) => Object.keys(demand)).every((name) => askedTogether(stages, name) <= totalOf(cluster, name))) &&
  job.stages.every((stage) => {
    const room = (group: NodeGroup) => Math.min(...Object.entries(stage.demand).map(([name, amount]) => holds(group, name, amount)))
    return cluster.nodes.reduce((sum, node) => sum + node.count * room(node), 0) >= leastTasks(stage)
  })

/** What all nodes have. */
const totalOf = ({ nodes }: World['cluster'], name: string): number => nodes.reduce((sum, { count, slots, resources, devices }) => sum + count * (amountOf(devices?.[name]) ?? (slots ?? resources)?.[name] ?? 0), 0)

const amountOf = (devices: Devices | undefined): number | undefined => (devices === undefined ? undefined : devices.count * devices.milli)

/** How many tasks that ask so much of a resource an empty node holds: of devices, shares fill one after the other, and whole ones are of one task each. */
function holds({ slots, resources, devices }: NodeGroup, name: string, amount: number): number {
  const { count, milli } = devices?.[name] ?? { count: 1, milli: (slots ?? resources)?.[name] ?? 0 }
  return amount < milli ? count * Math.floor(milli / amount) : Math.floor((count * milli) / amount)
}

/**
 * Tasks of a gang start at one instant; those of one that loses a task start again together. Of one with `minTasks` there are always as many
 * that run or have ended, or none runs; of a job that is one gang this is so of all its stages.
 */
export function gangs(play: Play): string | undefined {
  const { recorder, specs } = play
  const all = new Map<string, Gang>()
  let now = 0
  for (const event of recorder.events) {
    if (event.kind !== 'launch' && event.kind !== 'end') continue
    const { job, stage, task, time } = event
    if (time > now) {
      const wrong = apart(all, now)
      if (wrong !== undefined) return wrong
      now = time
    }
    const spec = specs.get(job)?.stages[stage]
    if (spec?.gang !== true) continue
    const name = `${job}.${stage}`
    const gang = all.get(name) ?? { first: time, least: leastTasks(spec), isElastic: leastTasks(spec) < spec.tasks, running: new Map(), lost: new Set(), ended: 0 }
    all.set(name, gang)
    if (event.kind === 'launch' && time > gang.first && !gang.isElastic && !gang.lost.has(task)) return `tasks of gang ${name} start at ${gang.first} and ${time} s`
    if (event.kind === 'launch') gang.running.set(task, time)
    else gang.running.delete(task)
    if (event.kind === 'end' && event.how !== 'done') gang.lost.add(task)
    else gang.lost.delete(task)
    if (event.kind === 'end' && event.how === 'done') gang.ended++
  }
  return apart(all, now) ?? gangJobs(play)
}

interface Gang {
  /** When the first of its tasks started. */
  readonly first: Seconds
  readonly least: number
  /** Whether it may run without some of its tasks. */
  readonly isElastic: boolean
  /** When they started, by task. */
  readonly running: Map<number, Seconds>
  readonly lost: Set<number>
  ended: number
}

function apart(gangs: ReadonlyMap<string, Gang>, now: Seconds): string | undefined {
  for (const [name, { running, lost, least, isElastic, ended }] of gangs) {
    if (isElastic && running.size > 0 && running.size + ended < least)
      return `${running.size} tasks of gang ${name} run at ${now} s and ${ended} have ended, at least ${least} must`
    if (isElastic) continue
    const starts = new Set(running.values())
    if (starts.size > 1) return `tasks of gang ${name} start at ${[...starts].join(' and ')} s`
    if (starts.size > 0 && lost.size > 0) return `tasks of gang ${name} run at ${now} s, others of it were lost`
  }
  return undefined
}
