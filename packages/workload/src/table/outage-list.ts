import { SchedError, type NodeId, type Seconds } from '@sched/core'
import { BadLine } from '../trace/format.js'
import { eachRow } from './header-rows.js'

/** A time in which a node is away: see `Outage` of `@sched/sim`. */
export interface ListedOutage {
  readonly node: NodeId
  readonly from: Seconds
  readonly to: Seconds
  readonly drain: boolean
}

const WAY_OUT = 'A list of outages is CSV with the columns node, from, to and, if need be, kind.'

/**
 * Outages of a CSV table with the columns `node` (its name in the cluster), `from` and `to` (seconds from the start of the run; `to` empty:
 * never back) and `kind` (`failure`, the default, or `drain`). Throws `BAD_INPUT` with file and line.
 */
export function readOutages(text: string, nodes: readonly string[], file?: string): ListedOutage[] {
  const ids = new Map(nodes.map((name, node) => [name, node as NodeId]))
  const outages: ListedOutage[] = []
  eachRow(text, ['node', 'from', 'to'], WAY_OUT, file, (row) => {
    const name = row.text('node')
    const node = ids.get(name)
    if (node === undefined) throw new BadLine('node', `the cluster has no node "${name}".`, `Nodes are called ${nodes.slice(0, 3).join(', ')}${nodes.length > 3 ? ' and so on' : ''}`)
    const from = row.number('from')
    if (Number.isNaN(from)) throw new BadLine('from', 'is empty.')
    const to = row.text('to') === '' ? Infinity : row.number('to')
    if (!(from < to)) throw new BadLine('to', `found ${to}, which is not after ${from}.`)
    const kind = row.has('kind') ? row.text('kind') : ''
    if (kind !== '' && kind !== 'failure' && kind !== 'drain') throw new BadLine('kind', `found "${kind}", expected failure or drain.`)
    outages.push({ node, from, to, drain: kind === 'drain' })
  })
  if (outages.length === 0) throw new SchedError('BAD_INPUT', 'lists no outage.', { file }, WAY_OUT)
  return outages
}
