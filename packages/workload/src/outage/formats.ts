import { SchedError, type NodeId, type Seconds, type Workload } from '@sched/core'
import { googleAbsences } from '../google/machine-events.js'
import { instant } from '../slurm/times.js'
import { factsOf } from '../trace/facts.js'
import { batsimEvents } from './batsim-events.js'
import { failureTrace } from './failure-trace.js'
import { outageList } from './list.js'
import { slurmEvents } from './slurm-events.js'
import type { Absence, AbsenceTable, OutageFormat } from './table.js'

/** A time during which a node is away: see `Outage` of `@sched/sim`. */
export interface ListedOutage {
  /** The node that is away. */
  readonly node: NodeId
  /** Start in seconds from the start of the run. */
  readonly from: Seconds
  /** When the node is back, in seconds from the start of the run; `Infinity` if it does not come back. */
  readonly to: Seconds
  /** Whether its tasks run on, and only new ones are kept away; otherwise its tasks are lost. */
  readonly drain: boolean
}

/** How to read a file of outages. */
export interface OutageReading {
  /** Name of the file in messages. */
  readonly file?: string | undefined
  /**
   * Time of the file at which the run begins, in seconds or as a date such as 2024-01-31T10:00:00. Default: depends on the format, see
   * docs/outages.md.
   */
  readonly origin?: Seconds | string | undefined
  /** Makes the workload of the run; called only if the run begins at the workload's time 0. */
  readonly workload?: (() => Workload) | undefined
}

/** The outages in a file, and notes for people about how they were obtained. */
export interface OutageList {
  /** Outages in the order of the file. */
  readonly outages: readonly ListedOutage[]
  /** Sentences about what was left out or cut. */
  readonly notes: readonly string[]
}

/** The formats that are detected from the content; any other file is read as a list. */
const formats: readonly OutageFormat[] = [batsimEvents, slurmEvents, failureTrace, googleAbsences]

/**
 * The outages in a file for a cluster with nodes of these names. Formats: a list (CSV), Batsim's external events, `sacctmgr show event` of Slurm, a
 * table of the Failure Trace Archive, and Google's machine events. What lies before the start of the run is cut off. Throws `BAD_INPUT` with file and
 * line.
 */
export function readOutages(text: string, nodes: readonly string[], reading: OutageReading = {}): OutageList {
  const { file } = reading
  const format = formats.find((each) => each.detect(text.replace(/^\uFEFF/, ''))) ?? outageList
  const table = format.read(text, file)
  if (table.absences.length === 0) throw new SchedError('BAD_INPUT', 'lists no outage.', { file }, `Known are ${[outageList, ...formats].map(({ title }) => title).join('; ')}.`)
  const zero = givenOrigin(reading) ?? originOf(table, reading)
  const ids = new Map(nodes.map((name, node) => [name, node]))
  const outages: ListedOutage[] = []
  let before = 0
  let elsewhere = 0
  for (const { node, from, to, drain, line } of table.absences) {
    const id = typeof node === 'number' ? node : (ids.get(node) ?? nodes.length)
    if (id >= nodes.length && table.isOfThisCluster === true) throw unknownNode(node, nodes, file, line)
    if (id >= nodes.length) elsewhere++
    else if (to <= zero) before++
    else outages.push({ node: id as NodeId, from: Math.max(0, from - zero), to: to - zero, drain })
  }
  const { length } = table.absences
  if (elsewhere === length) throw unknownNode(table.absences[0]!.node, nodes, file, table.absences[0]!.line)
  if (outages.length === 0)
    throw new SchedError(
      'BAD_INPUT',
      `all ${length} outages are over at ${zero}, when the run begins.`,
      { file },
      'Give the time of the file at which it begins as `origin`.',
    )
  const counted = (count: number, fact: string) => (count === 0 ? [] : [`${count} of ${length} outages ${count === 1 ? 'is' : 'are'} ${fact}`])
  const notes = [...(table.notes ?? []), ...counted(elsewhere, 'of nodes that the cluster does not have: left out'), ...counted(before, 'over before the run begins: left out')]
  return { outages, notes: notes.map((note) => `outages: ${note}`) }
}

function givenOrigin({ origin }: OutageReading): Seconds | undefined {
  const time = typeof origin === 'string' ? instant(origin) : origin
  if (origin === undefined || (time !== undefined && !Number.isNaN(time))) return time
  throw new SchedError('BAD_INPUT', `found ${JSON.stringify(origin)}, expected a number of seconds or a date such as 2024-01-31T10:00:00.`, { field: 'outages.origin' }, 'Give the time of the file at which the run begins.')
}

function originOf({ origin, isOnClock }: AbsenceTable, { file, workload }: OutageReading): Seconds {
  const zero = (isOnClock === true && workload !== undefined ? factsOf(workload()).start : undefined) ?? origin
  if (zero !== undefined) return zero
  const wayOut = 'Give the time at which the run begins: `outages: { file: ..., origin: 2024-01-31T10:00:00 }`, or `--outages file=...,origin=...`.'
  throw new SchedError('BAD_INPUT', 'has dates, and the workload does not say when its time 0 was.', { file }, wayOut)
}

function unknownNode(node: Absence['node'], nodes: readonly string[], file: string | undefined, line: number): SchedError {
  if (typeof node === 'number')
    return new SchedError(
      'BAD_INPUT',
      `host ${node} goes away, the cluster has ${nodes.length === 1 ? 'one node' : `${nodes.length} nodes`}.`,
      { file, line },
      'Jobs on a machine that is one node have `tasks: each` as an option of their trace to be on nodes of their own.',
    )
  const wayOut = `Nodes are called ${nodes.slice(0, 3).join(', ')}${nodes.length > 3 ? ' and so on' : ''}.`
  return new SchedError('BAD_INPUT', `the cluster has no node "${node}".`, { file, line, field: 'node' }, wayOut)
}
