import { eachRow } from '../table/header-rows.js'
import { BadLine } from '../trace/format.js'
import type { Absence, AbsenceTable, OutageFormat } from './table.js'

const WAY_OUT = 'A list of outages is CSV with the columns node, from, to and, if need be, kind.'

/**
 * A CSV table with the columns `node`, `from` and `to` (seconds from the start of the run; empty `to`: never back) and `kind` (`failure`, the
 * default, or `drain`).
 */
export const outageList: OutageFormat = {
  title: 'a CSV table with the columns node, from, to and kind',
  detect: () => false, // used for everything that is not another format, so that its messages say what is missing
  read(text, file): AbsenceTable {
    const absences: Absence[] = []
    eachRow(text, ['node', 'from', 'to'], WAY_OUT, file, (row, line) => {
      const from = row.number('from')
      if (Number.isNaN(from)) throw new BadLine('from', 'is empty.')
      const to = row.text('to') === '' ? Infinity : row.number('to')
      if (!(from < to)) throw new BadLine('to', `found ${to}, which is not after ${from}.`)
      const kind = row.has('kind') ? row.text('kind') : ''
      if (kind !== '' && kind !== 'failure' && kind !== 'drain') throw new BadLine('kind', `found "${kind}", expected failure or drain.`)
      absences.push({ node: row.text('node'), from, to, drain: kind === 'drain', line })
    })
    return { absences, origin: 0, isOfThisCluster: true }
  },
}
