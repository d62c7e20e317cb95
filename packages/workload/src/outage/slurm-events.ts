import { Columns } from '../slurm/columns.js'
import { isUnknown } from '../slurm/times.js'
import { lineText } from '../trace/fields.js'
import { BadLine } from '../trace/format.js'
import { eachTextLine } from '../table/header-rows.js'
import { separatorIn, splitLine } from '../table/separators.js'
import type { Absence, AbsenceTable, OutageFormat } from './table.js'

const WAY_OUT = 'Write it with `sacctmgr --parsable2 show event All_Time format=NodeName,TimeStart,TimeEnd,State`.'

/**
 * When nodes were down or drained, from Slurm's accounting (`sacctmgr --parsable2 show event`), with times as dates. States that begin with DRAIN,
 * DRNG, MAINT or FAIL (about to fail) let jobs run on; in any other state they are lost. Events of the whole cluster, which have no node, and events
 * without duration are ignored.
 */
export const slurmEvents: OutageFormat = {
  title: 'events of nodes as `sacctmgr --parsable2 show event` lists them',
  detect: (head) => /^[^\n]*\bnode ?name\b[^\n]*\btime ?start\b/i.test(head),
  read(text, file): AbsenceTable {
    const absences: Absence[] = []
    const place = { file, line: 0, checked: false }
    let separator = ''
    let columns: Columns | undefined
    let ofCluster = 0
    eachTextLine(text, place, (bytes, from, to) => {
      const line = lineText(bytes, from, to)
      if (columns === undefined) {
        separator = separatorIn(line)
        columns = new Columns(splitLine(line, separator).map((name) => name.replaceAll(' ', '')))
        for (const name of ['NodeName', 'TimeStart', 'TimeEnd']) columns.require(place, WAY_OUT, name)
        return
      }
      columns.take(splitLine(line, separator), WAY_OUT.slice(0, -1))
      const node = columns.text('NodeName')
      if (node === '') return void ofCluster++
      const start = columns.instant('TimeStart')
      if (Number.isNaN(start)) throw new BadLine('TimeStart', `found ${JSON.stringify(columns.text('TimeStart'))}, expected a time such as 2024-01-31T10:00:00.`)
      const end = isUnknown(columns.text('TimeEnd')) ? Infinity : columns.instant('TimeEnd')
      if (end < start) throw new BadLine('TimeEnd', `found ${columns.text('TimeEnd')}, which is before ${columns.text('TimeStart')}.`)
      const drain = /^(drain|drng|maint|fail)/i.test(columns.text('State'))
      if (start < end) absences.push({ node, from: start, to: end, drain, line: place.line })
    })
    return { absences, isOnClock: true, notes: ofCluster === 0 ? [] : [`${ofCluster} ${ofCluster === 1 ? 'event is' : 'events are'} of the whole cluster: passed over`] }
  },
}
