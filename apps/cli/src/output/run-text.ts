import type { Distribution, QueueUse, Summary } from '@sched/metrics'
import { duration, percent, table } from '@sched/report'
import type { RunResult } from '../run-once.js'
import { columns } from './columns.js'
import { attemptTable, decidedTable, schedulerTable } from './decision-tables.js'
import { energyTable } from './energy-table.js'
import { counted, number } from './number.js'
import { hardwareTable, shuffleTable } from './network-tables.js'
import { rigidText } from './rigid-text.js'

/** So many queues are printed in a table by queue. */
export const MOST_QUEUES = 10

/** Everything that one run measured, as text: counts, use, also by queue, times, locality, and times by class of jobs. Tables are at most `width` wide where that is given. */
export function runText({ summary, decisions, prefilled, measured }: RunResult, width?: number): string {
  const ofDecisions = decisions === null ? [] : [schedulerTable, attemptTable, decidedTable].map((text) => text(decisions, width))
  return [
    countsText(summary) + prefilledText(prefilled), ...[useTable, queueUseTable, fragmentTable, hardwareTable, energyTable, shuffleTable, timesTable].map((text) => text(summary, width)),
    ...rigidText(summary, width), ...ofDecisions, localityTable(summary, width), classTable(summary, width), evictedText(summary, width), measuredTable(measured, width),
  ].filter((text) => text !== '').join('\n')
}

/** Figures of metrics of plug-ins, with their names in files. */
function measuredTable(measured: RunResult['measured'] = [], width?: number): string {
  if (measured.length === 0) return ''
  const rows = measured.map(({ name, title, unit, value }) => [unit === '' ? title : `${title}, ${unit}`, name, number(value * (unit === '%' ? 100 : 1), unit)])
  return table([{ title: 'measured', align: 'left' }, { title: 'figure', align: 'left' }, { title: '', align: 'right' }], rows, { width })
}

function countsText({ counts, times, preemption, outages, autoscaling, failures, avoidance, speculation, gangRacks: gangs }: Summary): string {
  const { jobs, finished, abandoned, rejected, tasks, launches, evicted } = counts
  const left = jobs - finished - abandoned
  const unfinished = `${abandoned === 0 ? '' : `, ${number(abandoned)} abandoned`}${left === 0 ? '' : `, ${number(left)} not finished`}`
  const refused = rejected === 0 ? '' : `, ${number(rejected)} rejected`
  const lost = evicted === 0 ? '' : `, ${number(evicted)} evicted after ${number(preemption.taskSeconds, 's')} task seconds`
  const away = outages === undefined
    ? ''
    : `${counted(outages.outages, 'outage')}, nodes available ${percent(outages.availability)} of the time, ${counted(outages.lost.tasks, 'task')} lost after ${number(outages.lost.taskSeconds, 's')} task seconds\n`
  const failed = failures === undefined ? '' : `${counted(failures.tasks, 'task')} failed after ${number(failures.taskSeconds, 's')} task seconds\n`
  const copied = speculation === undefined
    ? ''
    : `${counted(speculation.copies, 'slow task')} copied, ${number(speculation.won)} of the copies done first; ${counted(speculation.superseded.tasks, 'attempt')} superseded after ${number(speculation.superseded.taskSeconds, 's')} task seconds\n`
  const spread = gangs === undefined ? '' : `Gangs on racks: ${number(gangs.mean)} in the mean, ${percent(gangs.onOne)} of the gangs on one\n`
  return `${number(finished)} of ${counted(jobs, 'job')} finished${unfinished}${refused}; ${counted(tasks, 'task')}, ${counted(launches, 'start')}${lost}; makespan ${duration(times.makespan)}\n${away}${scaledText(autoscaling)}${failed}${avoidedText(avoidance)}${copied}${spread}`
}

function scaledText(autoscaling: Summary['autoscaling']): string {
  if (autoscaling === undefined) return ''
  const { added, removed, nodeSeconds, mean, most, busy, evicted, cost } = autoscaling
  const price = Number.isNaN(cost) ? '' : `, cost ${number(cost)}`
  const drained = evicted.tasks === 0 ? '' : `; ${counted(evicted.tasks, 'task')} evicted from removed nodes after ${number(evicted.taskSeconds, 's')} task seconds`
  return `Autoscaled nodes: ${number(mean)} in the mean, ${number(most)} at most, ${number(added)} added and ${number(removed)} removed; ${number(nodeSeconds / 3600)} node hours, in ${percent(busy)} of which something ran${price}${drained}\n`
}

function avoidedText(avoidance: Summary['avoidance']): string {
  if (avoidance === undefined) return ''
  const { times, jobs, nodes, seconds, ofTasks, drains, drainedSeconds } = avoidance
  const parts = [
    times > 0 && `${counted(jobs, 'job')} avoided ${counted(nodes, 'node')}, ${counted(times, 'time')} for ${number(seconds / times, 's')} s each`,
    ofTasks > 0 && `${counted(ofTasks, 'time')} a task avoided a node where it had failed`,
    drains > 0 && `${counted(drains, 'time')} a node was drained after failures, for ${number(drainedSeconds / drains, 's')} s each`,
  ]
  return `${parts.filter((part) => part !== false).join('; ')}\n`
}

function prefilledText(prefilled: RunResult['prefilled']): string {
  if (prefilled === null) return ''
  const shares = Object.entries(prefilled.shares).filter(([, share]) => share > 0).map(([name, share]) => `${percent(share)} of ${name}`)
  return `At time 0 ${counted(prefilled.tasks, 'task')} of no job ${prefilled.tasks === 1 ? 'holds' : 'hold'} ${shares.join(', ')}; no figure below counts ${prefilled.tasks === 1 ? 'it' : 'them'}\n`
}

function useTable({ utilisation }: Summary, width?: number): string {
  const rows = utilisation.resources.map(({ resource, capacity, utilisation: use, usefulUtilisation }) => [resource, number(capacity), percent(use), percent(usefulUtilisation)])
  return table(columns('resource', 'in the cluster', 'in use', 'by work that counted'), rows, { width })
}

/** What queues held of the cluster, those that held most of any resource first; nothing where there is one queue. */
function queueUseTable({ utilisation: { resources, queues = [] } }: Summary, width?: number): string {
  if (queues.length < 2) return ''
  const largest = ({ utilisation }: QueueUse) => Math.max(...utilisation.map((use) => (Number.isNaN(use) ? 0 : use)))
  const most = queues.toSorted((a, b) => largest(b) - largest(a)).slice(0, MOST_QUEUES)
  const rows = most.map(({ queue, utilisation }) => [queue, ...utilisation.map((use) => percent(use))])
  return `${table(columns('in use, by queue', ...resources.map(({ resource }) => resource)), rows, { width })}${moreQueues(queues.length - most.length)}`
}

function fragmentTable({ fragmentation = [] }: Summary, width?: number): string {
  if (fragmentation.length === 0) return ''
  const rows = fragmentation.map(({ resource, capacity, free, fragmented, share, most }) => [
    resource,
    number(free),
    number(fragmented),
    percent(share),
    percent(fragmented / capacity),
    percent(most / capacity),
  ])
  return table(columns('fragments of', 'not allocated', 'of no use to a task', 'of what is free', 'of all', 'at most'), rows, { width })
}

function timesTable({ times: { response, wait, slowdown } }: Summary, width?: number): string {
  const row = (title: string, { mean, median, p90, p95, p99, max }: Distribution, unit: string) => [
    title,
    ...[mean, median, p90, p95, p99, max].map((value) => number(value, unit)),
  ]
  const rows = [row('response, s', response, 's'), row('wait for the first task, s', wait, 's'), row('bounded slowdown', slowdown, '')]
  return table(columns('', 'mean', 'median', 'p90', 'p95', 'p99', 'max'), rows, { width })
}

function localityTable({ locality, localityLevels }: Summary, width?: number): string {
  if (locality.jobs === 0) return ''
  const rows = localityLevels.map((level, i) => [level, number(locality.launches[i] ?? 0), percent(locality.share[i] ?? NaN), percent(locality.jobShare[i] ?? NaN)])
  return table(columns('data on', 'task starts', 'share', 'mean over jobs'), rows, { width })
}

function classTable({ classes }: Summary, width?: number): string {
  if (classes.length === 0) return ''
  const haveData = classes.some(({ locality }) => locality.jobs > 0)
  const haveRejected = classes.some(({ times }) => times.rejected > 0)
  const rows = classes.map(({ label, times, locality }) => [
    label,
    number(times.jobs),
    ...(haveRejected ? [number(times.rejected)] : []),
    ...[times.response.mean, times.response.median, times.response.p95, times.wait.mean, times.wait.p95].map((value) => number(value, 's')),
    ...(haveData ? [percent(locality.jobShare[0] ?? NaN)] : []),
  ])
  return table(columns('class', 'jobs', ...(haveRejected ? ['rejected'] : []), 'mean response, s', 'median', 'p95', 'mean wait, s', 'p95', ...(haveData ? ['node-local'] : [])), rows, { width })
}

/** Which queues tasks were evicted from, those that lost most work first; where the only one is that of jobs that name none, there is nothing to tell. */
function evictedText({ preemption: { queues } }: Summary, width?: number): string {
  if (queues.every(({ queue }) => queue === 'default')) return ''
  const most = queues.toSorted((a, b) => b.taskSeconds - a.taskSeconds).slice(0, MOST_QUEUES)
  const rows = most.map(({ queue, tasks, taskSeconds }) => [queue, number(tasks), number(taskSeconds, 's')])
  return `${table(columns('evicted from', 'tasks', 'task seconds'), rows, { width })}${moreQueues(queues.length - most.length)}`
}

/** What stands below a table that leaves so many queues out. */
export const moreQueues = (rest: number): string => (rest > 0 ? `and ${counted(rest, 'more queue')} (--json has all)\n` : '')
