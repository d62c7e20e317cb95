import type { LaterPeriod, LaterTasks } from '@sched/metrics'
import { integer, NONE, percent } from '@sched/report'
import type { ExplainedRun } from './explained-run.js'
import { heldText } from './held-text.js'
import { counted, number } from './number.js'
import { policyTable } from './policy-table.js'
import { decimals, partText, seconds } from './seconds.js'

/** So many changes of the reason, and starts, are told one by one; more by periods of equal length. */
const MOST = 12
/** A reason with a smaller part of a period is not named beside another. */
const LEAST = 0.1

interface LaterRun extends ExplainedRun {
  readonly later: LaterTasks
}

/** Why the tasks of a job after its first started later, where any did: a table for all policies, then what happened under each. */
export function laterTasksText(runs: readonly ExplainedRun[], width?: number): string {
  const told = runs.flatMap(({ policy, wait }): LaterRun[] => (wait.later === null ? [] : [{ policy, wait, later: wait.later }]))
  return told.length === 0 ? '' : `\nafter its first task, until its last started\n\n${partsTable(runs, width)}${told.map(storyText).join('')}`
}

function partsTable(runs: readonly ExplainedRun[], width: number | undefined): string {
  const all = runs.map(({ wait }) => wait.later)
  const row = (title: string, cell: (later: LaterTasks) => string) => [title, ...all.map((later) => (later === null ? NONE : cell(later)))]
  const reasons = [...new Set(all.flatMap((later) => Object.keys(later?.parts ?? {})))]
  const rows = [
    row('last task after the first, s', ({ wait }) => seconds(wait)),
    ...reasons.map((why) => row(`  ${why}`, ({ parts, wait }) => partText(parts[why] ?? 0, wait))),
    row('waits of tasks, task-seconds', ({ taskSeconds }) => seconds(taskSeconds)),
    ...ofTasks(all).map(([stage, why]) => row(`  ${stage === '' ? '' : `${stage}: `}${why}`, (later) => partText(taskPart(later, stage, why), later.taskSeconds))),
    row('tasks that waited, on average', ({ taskSeconds, wait }) => number(taskSeconds / wait)),
    row('tasks that ran, on average', ({ running }) => number(running)),
  ]
  return policyTable([''], runs.map(({ policy }) => policy), rows, width)
}

/** Stages and reasons of their waits, in the order of stages; a single stage is not named. */
function ofTasks(all: readonly (LaterTasks | null)[]): (readonly [stage: string, why: string])[] {
  const stages = all.flatMap((later) => later?.stages ?? [])
  const names = [...new Set(stages.map(({ stage }) => stage))]
  const reasonsOf = (name: string) => [...new Set(stages.filter(({ stage }) => stage === name).flatMap(({ taskParts }) => Object.keys(taskParts)))]
  return names.flatMap((name) => reasonsOf(name).map((why) => [names.length === 1 ? '' : name, why] as const))
}

/** Stages of one name count together. */
const taskPart = ({ stages, taskParts }: LaterTasks, stage: string, why: string): number =>
  stage === '' ? (taskParts[why] ?? 0) : stages.filter((each) => each.stage === stage).reduce((sum, each) => sum + (each.taskParts[why] ?? 0), 0)

function storyText({ policy, wait, later }: LaterRun): string {
  const { stages, starts, unstarted, others, starters, nodesAway, avoided = [] } = later
  const areMany = Math.max(starts, later.spans.length) > MOST
  const periods = areMany ? later.periods.map((period) => ({ ...period, why: reasonsText(period) })) : later.spans
  const places = Math.max(1, ...periods.map(({ from, to }) => decimals(to - from)))
  const time = (value: number) => seconds(value, places)
  const lines: string[] = []
  if (stages.length > 1)
    for (const { stage, tasks, firstStart, lastStart } of stages)
      lines.push(`${stage}, ${counted(tasks, 'task')}: ${firstStart === null || lastStart === null ? 'none started' : `first at ${time(firstStart)} s, last at ${time(lastStart)} s`}`)
  for (const { from, to, why, waiting, running } of periods) lines.push(`${time(from)} to ${time(to)} s: ${why}; ${waiting > 0 ? `${number(waiting)} waited, ` : ''}${number(running)} ran`)
  if (later.spans.length > MOST) lines.push(`the reason changed ${counted(later.spans.length - 1, 'time')} (--json has all)`)
  const ofOthers = others.tasks === 0 ? '' : ` and ${number(others.tasks)} of ${counted(others.jobs, 'other job')}`
  const names = starters.map(({ id, tasks }) => `${id} (${integer(tasks)})`).join(', ')
  lines.push(`${counted(starts, 'task')} of it${ofOthers} started meanwhile${names === '' ? '' : `: ${names}`}${others.jobs > starters.length ? ', ...' : ''}`)
  const held = heldText(later, wait.queue)
  if (held !== '') lines.push(`others held most meanwhile: ${held}`)
  if (nodesAway > 0) lines.push(`nodes away meanwhile, on average: ${number(nodesAway)}`)
  if (avoided.length > 0) lines.push(`avoided, since tasks of it had failed there: ${avoided.slice(0, MOST).join(', ')}${avoided.length > MOST ? ', ...' : ''}`)
  if (unstarted > 0) lines.push(`${counted(unstarted, 'task')} did not start`)
  return `\n${policy}\n${lines.map((line) => `  ${line}\n`).join('')}`
}

/** The reasons that had most of a period. */
function reasonsText({ from, to, parts }: LaterPeriod): string {
  const named = Object.entries(parts).filter(([, part], i) => i === 0 || part >= LEAST * (to - from))
  return named.map(([why, part]) => (named.length === 1 && part > (1 - LEAST) * (to - from) ? why : `${why} (${percent(part / (to - from), 0)})`)).join(', ')
}
