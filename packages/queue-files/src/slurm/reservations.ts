import { SchedError } from '@sched/core'
import type { Findings } from '../finding.js'
import type { ClusterFacts } from '../queue-policy.js'
import { listed, type Setting } from '../setting.js'
import { linesOf, type SourceText } from '../source-text.js'
import type { SlurmConf } from './conf.js'
import type { Declared } from './declared.js'
import { hostNames } from './hosts.js'
import { ofOneNode } from './one-node.js'
import { preemptionActs } from './preemption.js'

/** A reservation as an option of `replan`. */
interface Reservation {
  readonly name: string
  readonly from: string
  readonly to: string
  readonly every?: number
  readonly nodes: readonly string[]
  readonly users?: readonly string[]
  readonly accounts?: readonly string[]
  readonly qos?: readonly string[]
  readonly queues?: readonly string[]
  readonly flex?: boolean
  readonly maint?: boolean
  readonly overlap?: boolean
}

const SHOWN = /^[ \t]*ReservationName=\S/m
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d)?$/

/** Whether a text is the output of `scontrol show reservation`, with several lines or one (-o) for each, or of `sacctmgr show reservation --parsable2`. */
export const isReservations = (text: string): boolean => SHOWN.test(text) || columnsOf(text) !== undefined

/** The columns of a table of sacctmgr, in small letters; `undefined`: it is no table of reservations. */
function columnsOf(text: string): readonly string[] | undefined {
  const names = (text.split(/\r?\n/, 1)[0] ?? '').toLowerCase().split('|')
  return ['name', 'start', 'end', 'nodenames'].every((name) => names.includes(name)) ? names : undefined
}

/** Columns of sacctmgr under the names of scontrol. Associations are numbers of no use here. */
const columnNames: Readonly<Record<string, string>> = { start: 'StartTime', end: 'EndTime', nodenames: 'Nodes', flags: 'Flags' }

/** The reservations that scontrol or sacctmgr prints. Throws `BAD_INPUT` with the line. */
export function readReservations({ text, file }: SourceText): Declared[] {
  const columns = columnsOf(text)
  const all: { readonly name: Setting; readonly settings: Map<string, Setting> }[] = []
  for (const [i, content] of linesOf(text).entries()) {
    const line = i + 1
    const pairs = columns === undefined ? [...content.matchAll(/(?:^|\s)(\w+)=(\S*)/g)].map(([, name = '', value = '']) => [name, value] as const) : i === 0 ? [] : cellsOf(content, columns)
    for (const [name, value] of pairs) {
      const setting = { name, value, file, line }
      if (name === 'ReservationName') all.push({ name: setting, settings: new Map() })
      else if (!/^(\(null\)|n\/a)?$/i.test(value)) all.at(-1)?.settings.set(name.toLowerCase(), setting)
    }
  }
  for (const { name, settings } of all)
    for (const key of ['starttime', 'endtime'])
      if (!TIME.test(settings.get(key)?.value ?? ''))
        throw new SchedError('BAD_INPUT', `reservation "${name.value}" has ${JSON.stringify(settings.get(key)?.value ?? '')}, expected a time such as 2026-03-01T08:00:00.`, { file, line: name.line, field: key }, 'Give what it prints, as it is.')
  return all
}

function cellsOf(content: string, columns: readonly string[]): (readonly [string, string])[] {
  if (content.trim() === '') return []
  const cells = content.split('|')
  return [['ReservationName', cells[columns.indexOf('name')] ?? ''], ...columns.flatMap((column, at) => (columnNames[column] === undefined ? [] : [[columnNames[column], cells[at] ?? ''] as const]))]
}

const HOUR = 3600
const DAY = 24 * HOUR
const WEEK = 7 * DAY
const REPEATS: Readonly<Record<string, number>> = { HOURLY: HOUR, DAILY: DAY, WEEKLY: WEEK }
/** Days of a week, from Sunday on, on which a reservation comes. */
const ON_DAYS: Readonly<Record<string, readonly number[]>> = { WEEKDAY: [1, 2, 3, 4, 5], WEEKEND: [0, 6] }
/** Flags that say how its nodes were chosen, or what was to be done when it was made. */
const WITHOUT_EFFECT = /^(IGNORE_JOBS|SPEC_NODES|PART_NODES|ALL_NODES|NODES)$/

/** The option `reservations` of `replan`. Adds a finding for each reservation. */
export function reservationsOf(conf: SlurmConf, { nodes, nodeNames = [] }: Pick<ClusterFacts, 'nodes' | 'nodeNames'>, findings: Findings): readonly Reservation[] {
  return conf.reservations.flatMap((declared) => {
    const { name, settings } = declared
    const text = (key: string) => settings.get(key)?.value ?? ''
    const flags = listed(text('flags').toUpperCase())
    const own = settings.has('nodes') ? hostNames(settings.get('nodes') as Setting) : []
    const present = own.filter((node) => nodeNames.includes(node))
    const why = nodes === 1 ? ofOneNode(conf)
      : flags.includes('TIME_FLOAT') ? 'a time that moves on (TIME_FLOAT) is not simulated'
        : own.length === 0 ? 'it has no nodes of its own' : present.length === 0 ? 'the cluster has none of its nodes' : undefined
    const times = `${text('starttime')} to ${text('endtime')}`
    if (why !== undefined) {
      findings.add('ignored', name, 'reservation', name.value, why)
      return []
    }
    const known = flags.filter((flag) => WITHOUT_EFFECT.test(flag) || flag in REPEATS || flag in ON_DAYS || ['FLEX', 'MAINT', 'OVERLAP'].includes(flag))
    const notes = [
      ...flags.filter((flag) => !known.includes(flag)).map((flag) => `${flag} is not simulated`),
      ...(settings.has('groups') ? ['groups are not known, so anybody may use it'] : []),
      ...(preemptionActs(conf) ? ['jobs that preempt do not mind it'] : []),
    ]
    findings.add(notes.length > 0 ? 'approximated' : 'honoured', name, 'reservation', name.value, [times, ...notes].join('; '))
    const rest = {
      name: name.value, nodes: present,
      ...(settings.has('users') && { users: listed(text('users')) }),
      ...(settings.has('accounts') && { accounts: listed(text('accounts')).flatMap((account) => withInner(account, conf)) }),
      ...(settings.has('qos') && { qos: listed(text('qos')) }),
      ...(settings.has('allowedpartitions') && { queues: listed(text('allowedpartitions')) }),
      ...(flags.includes('FLEX') && { flex: true }), ...(flags.includes('MAINT') && { maint: true }), ...(flags.includes('OVERLAP') && { overlap: true }),
    }
    return timesOf(text('starttime'), text('endtime'), flags).map((each) => ({ ...rest, ...each }))
  })
}

/** When a reservation comes: once, again after a span, or on some days of every week. */
function timesOf(from: string, to: string, flags: readonly string[]): Pick<Reservation, 'from' | 'to' | 'every'>[] {
  const days = flags.flatMap((flag) => ON_DAYS[flag] ?? [])
  const every = flags.flatMap((flag) => REPEATS[flag] ?? [])[0]
  if (days.length === 0) return [{ from, to, ...(every !== undefined && { every }) }]
  const weekday = new Date(`${from}Z`).getUTCDay()
  return days.map((day) => (day - weekday + 7) % 7).sort((a, b) => a - b).map((later) => ({ from: daysLater(from, later), to: daysLater(to, later), every: WEEK }))
}

const daysLater = (time: string, days: number): string => new Date(Date.parse(`${time}Z`) + days * DAY * 1000).toISOString().slice(0, 'yyyy-mm-ddThh:mm:ss'.length)

/** An account and those inside it, which may use what it may; after a minus, which may not use it. */
function withInner(account: string, conf: SlurmConf): string[] {
  const [minus, name] = account.startsWith('-') ? ['-', account.slice(1)] : ['', account]
  const found = new Set([name])
  for (const each of found) for (const inner of conf.database.accounts) if (inner.parent === each) found.add(inner.name)
  return [...found].map((each) => `${minus}${each}`)
}
