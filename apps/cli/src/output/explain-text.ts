import type { Interruption, JobWait } from '@sched/metrics'
import { NONE } from '@sched/report'
import type { ExplainedRun } from './explained-run.js'
import { heldText } from './held-text.js'
import { laterTasksText } from './later-tasks-text.js'
import { counted, number } from './number.js'
import { policyTable } from './policy-table.js'
import { decimals, partText, seconds } from './seconds.js'

/** So many parts of a wait, and so many interruptions, are printed, in order of time. */
const SPANS = 12

/** So many jobs that came in the place of evicted tasks are named. */
const NAMED = 5

const ENDED = { evicted: 'evicted', lost: 'lost with nodes', failed: 'failed' }

/** The waits of one job under several policies: seconds by reason beside each other, then what happened under each; the same of its later tasks, where they waited. */
export function explainText(runs: readonly ExplainedRun[], width?: number): string {
  const [first] = runs
  if (first === undefined) return ''
  const { id, user, queue, submit } = first.wait
  // where the workload names no queue, the jobs of a user are in the one of that name
  const owner = [user === '' || user === id ? '' : ` of ${isNumber(user) ? `user ${user}` : user}`, queue === '' || queue === user ? '' : ` in queue ${queue}`].join('')
  return `job ${id}${owner}, submitted at ${seconds(submit, Math.max(...runs.map(({ wait }) => decimalsOfTimes(wait))))} s\n\n${partsTable(runs, width)}${runs.map(storyText).join('')}${laterTasksText(runs, width)}`
}

/** As logs of parallel machines name users. */
const isNumber = (name: string) => /^\d+$/.test(name)

function partsTable(runs: readonly ExplainedRun[], width: number | undefined): string {
  const reasons = [...new Set(runs.flatMap(({ wait }) => Object.keys(wait.parts)))]
  const time = (value: number, wait: JobWait) => seconds(value, decimalsOfTimes(wait))
  const row = (title: string, cell: (wait: JobWait) => string) => [title, ...runs.map(({ wait }) => cell(wait))]
  const rows = [
    row('waited for its first task, s', ({ outcome, wait }) => (outcome === 'rejected' ? NONE : seconds(wait))),
    ...reasons.map((why) => row(`  ${why}`, ({ parts, wait }) => partText(parts[why] ?? 0, wait))),
    row('first task at, s', (wait) => (wait.outcome === 'started' ? time(wait.until, wait) : wait.outcome)),
    row('last task at, s', (wait) => time(wait.lastStart ?? NaN, wait)),
    row('ended at, s', (wait) => time(wait.end ?? NaN, wait)),
  ]
  return policyTable([''], runs.map(({ policy }) => policy), rows, width)
}

function storyText({ policy, wait }: ExplainedRun): string {
  const { outcome, rejection, spans, promises, attempts, conflicts, ahead, passedBy, passing, nodesAway, keptOff, interruptions } = wait
  const lines: string[] = []
  const time = (value: number) => seconds(value, decimalsOfTimes(wait))
  if (outcome === 'rejected') lines.push(`left out: ${rejection}`)
  for (const { from, to, why } of spans.slice(0, SPANS)) lines.push(`${time(from)} to ${time(to)} s: ${why}`)
  const rest = spans.length - SPANS
  if (rest > 0) lines.push(`and ${counted(rest, 'more change')} of the reason (--json has all)`)
  if (wait.wait > 0 && ahead > 0) lines.push(`${counted(ahead, 'job')} waited when it came`)
  if (passedBy > 0) lines.push(`${counted(passedBy, 'job')} submitted later started first: ${passing.join(', ')}${passedBy > passing.length ? ', ...' : ''}`)
  const held = heldText(wait, wait.queue)
  if (held !== '') lines.push(`held most meanwhile: ${held}`)
  if (wait.wait > 0) for (const { why, nodes } of keptOff) lines.push(`kept off ${counted(nodes, 'node')}: ${why}`)
  if (nodesAway > 0) lines.push(`nodes away meanwhile, on average: ${number(nodesAway)}`)
  for (const { at, start } of promises) lines.push(`at ${time(at)} s promised a start by ${time(start)} s`)
  if (attempts > 0) lines.push(`${counted(attempts, 'decision')} about it${conflicts > 0 ? `, ${conflicts} lost to others` : ''}`)
  if (lines.length === 0) lines.push('started at once')
  for (const each of interruptions.slice(0, SPANS)) lines.push(`at ${time(each.at)} s ${counted(each.tasks, 'task')} ${ENDED[each.how]}${each.how === 'evicted' ? `; ${nextText(each, wait)}` : ''}`)
  if (interruptions.length > SPANS) lines.push(`and ${counted(interruptions.length - SPANS, 'more time')} (--json has all)`)
  return `\n${policy}\n${lines.map((line) => `  ${line}\n`).join('')}`
}

/** Who started next where evicted tasks had run, with queues where these are not all the job's own. A policy does not say for whom it evicts. */
function nextText({ at, tasks, next }: Interruption, { id: own, queue: ownQueue }: JobWait): string {
  const place = `where ${tasks === 1 ? 'it' : 'they'} ran`
  if (next.length === 0) return `nothing started ${place} later`
  const tellsQueues = next.some(({ user, queue }) => queue !== ownQueue && queue !== user)
  const jobs = [...new Set(next.map(({ id }) => id))]
  const texts = jobs.slice(0, NAMED).map((job) => {
    const starts = next.filter(({ id }) => id === job)
    const [{ user, queue } = { user: '', queue: '' }] = starts
    const name = job === own ? 'the job itself' : `${job}${tellsQueues && queue !== user ? ` in ${queue}` : ''}`
    return `${name} (${laterText(starts.map((start) => start.at - at))})`
  })
  return `next to start ${place}: ${texts.join(', ')}${jobs.length > NAMED ? ', ...' : ''}`
}

/** How long after an eviction a job started on the nodes, of which it may have come to several one after another. */
function laterText(delays: readonly number[]): string {
  const [first, last] = [Math.min(...delays), Math.max(...delays)]
  if (last === 0) return 'at that instant'
  if (first === 0) return `at that instant to ${seconds(last)} s later`
  return `${first === last ? '' : `${seconds(first)} to `}${seconds(last)} s later`
}

/** Decimals that tell from each other the times at which a wait became another. */
const decimalsOfTimes = ({ spans }: JobWait) => Math.max(1, ...spans.map(({ from, to }) => decimals(to - from)))
