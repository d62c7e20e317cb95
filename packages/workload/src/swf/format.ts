import type { TraceFormat } from '../trace/format.js'
import { BadLine } from '../trace/format.js'
import { ruleLine } from '../trace/facts.js'
import { machineOf } from '../rigid/machine.js'
import { Cell, cellsOf, lostRule, SwfJobs } from './cells.js'
import { headerOf, namesFields, startOf } from './header.js'
import { resourcesOf, swfOptions } from './options.js'
import { SwfReading } from './reading.js'
import { headerNotes, swfSizes } from './sizes.js'
import { readSwf } from './whole.js'

/**
 * The Standard Workload Format, version 2.2: logs of the Parallel Workloads Archive. A job is one task that takes all its processors of one aggregate
 * node. Rules say what the reader does about gaps in the log, and how often each applied is counted.
 *
 * Source: Chapin et al., "Benchmarks and Standards for the Evaluation of Parallel Job Schedulers", JSSPP 1999, and the archive's definition of
 * version 2.2.
 */
export const swfFormat: TraceFormat<typeof swfOptions> = {
  name: 'swf',
  summary: 'Standard Workload Format of parallel machines',
  source: 'Chapin et al., JSSPP 1999; version 2.2',
  options: swfOptions,
  chained: ({ dependencies }) => dependencies === 'keep',

  detect: looksLikeSwf,

  facts(options, head) {
    const header = headerOf(head).fields
    const machine = machineOf(resourcesOf(options), swfSizes(options, header), options.tasks)
    return { header, ...startOf(header), ...(machine !== undefined && { machine }) }
  },

  readWhole: readSwf,

  create(options, place) {
    const reading = new SwfReading(options, place, false)
    const jobs = new SwfJobs(options)
    const cells = new Float64Array(cellsOf(options))
    let latest = 0
    let ended = false
    return {
      line(bytes, from, to) {
        if (!reading.line(bytes, from, to)) return undefined
        reading.store(cells, 0)
        const submit = cells[Cell.submit]!
        if (submit < latest)
          throw new BadLine(
            'submit time',
            `submitted at ${submit} s, before the job above it (${latest} s).`,
            'Hold the log in memory (stream: false), where it is sorted, or sort its lines by their second field',
          )
        latest = submit
        return jobs.job(cells, 0)
      },
      end() {
        ended = true
      },
      report() {
        const rules = [...reading.rules(), ...lostRule(jobs.lost)]
        const { fields } = reading.header
        return { rules, notes: [...headerNotes(fields, swfSizes(options, fields), ended ? reading.rows : undefined, reading.late), ...rules.map(ruleLine)] }
      },
    }
  },
}

/**
 * Whether a file starts with a header comment or a line of about 18 numbers, also below one with their names. A missing or additional field, or
 * further fields of a simulator, are accepted here, so that the error names the bad line instead of an unknown format.
 */
function looksLikeSwf(head: string): boolean {
  const [first = '', second = ''] = head.split('\n', 200).map((each) => each.trim()).filter((each) => each !== '' && !each.startsWith('#'))
  if (first.startsWith(';')) return true
  const line = namesFields(first) ? second : first
  const fields = line.split(/[ \t]+/)
  // 29 fields are the Grid Workload Format
  return fields.length >= 15 && fields.length <= 28 && fields.slice(0, 18).every((field) => /^[-+]?\d+(\.\d*)?$/.test(field))
}
