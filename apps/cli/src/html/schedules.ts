import type { ScheduleWindow } from '@sched/metrics'
import { figure, html, integer, type Html } from '@sched/report'
import { ganttChart, type GanttBar } from '@sched/report/charts'
import { startOfAxis } from './over-time.js'
import { GANTT, type Drawn } from '../drawing.js'

/** A Gantt chart per policy; of schedules that are too long, how to get one. */
export function scheduleCharts(runs: readonly { readonly policy: string; readonly drawn: Drawn }[]): Html {
  const long = runs.filter(({ drawn }) => drawn.schedule === undefined).map(({ policy }) => policy)
  const drawn = runs.flatMap(({ policy, drawn: { schedule } }) => (schedule === undefined ? [] : [figure(gantt(runs.length === 1 ? 'Schedule' : `Schedule: ${policy}`, schedule))]))
  if (long.length === 0) return html`${drawn}<p class="dim">Point at a bar for the whole of its name and times. Pale bars were evicted or failed; grey: the node was away.</p>\n`
  return html`${drawn}<p class="dim">No Gantt chart of ${long.join(', ')}: more than ${integer(GANTT.unasked)} bars, which would make the page large. With <code>--schedule</code> the beginning is drawn, up to ${integer(GANTT.most)} bars; with <code>--out</code> as well, all of the schedule is written as CSV.</p>\n`
}

function gantt(title: string, { rows, until, end, nodes, units, away }: ScheduleWindow): string {
  const isCut = until < Infinity
  const to = isCut ? until : end
  const bars = rows.map(({ id, user, start, end, how, tasks, nodes, units }): GanttBar => ({
    label: id,
    start,
    end,
    rows: rangesOf(units === '' ? nodes : units),
    ...(how !== 'done' && { isPale: true }),
    note: [user === '' || user === id ? '' : user, tasks === 1 ? '' : `${tasks} tasks`, how === 'done' ? '' : how].filter((text) => text !== '').join(', ') || undefined,
  }))
  return ganttChart({
    title,
    bars,
    from: startOfAxis(Math.min(...bars.map(({ start }) => start), to), to),
    to,
    ...(isCut && { note: `The beginning: a chart holds ${integer(GANTT.most)} bars.` }),
    ...(units === undefined
      ? { rowTitle: 'node', rows: nodes.length, names: nodes, away: away.map(({ node, ...when }) => ({ row: node, ...when })) }
      : { rowTitle: units.resource, rows: units.count }),
  })
}

/** `0-3 7` as ranges. */
const rangesOf = (text: string): [number, number][] =>
  text.split(' ').map((range) => {
    const [first = 0, last = first] = range.split('-').map(Number)
    return [first, last]
  })
