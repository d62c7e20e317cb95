import { numberFact, plainNumber, splitFields, textField, wholeNumber } from '../trace/fields.js'
import { BadLine, type TraceFormat } from '../trace/format.js'
import { JobsOfBytes, rateModel } from './rate-model.js'

const columns = ['job id', 'submit time', 'gap', 'map input bytes', 'shuffle bytes', 'reduce output bytes'] as const
const tab = 9

/**
 * SWIM workload files: six tab-separated columns without a header (job id, submit time in seconds, gap since the previous job, bytes of map input,
 * shuffle and reduce output); one file has a seventh, the path of the input. The gap is redundant and only checked to be a number; the path is
 * ignored.
 *
 * Source: Chen, Ganapathi, Griffith, Katz, "The Case for Evaluating MapReduce Performance Using Workload Suites", MASCOTS 2011.
 */
export const swimFormat: TraceFormat<typeof rateModel> = {
  name: 'swim',
  summary: 'SWIM workload (tab-separated)',
  source: 'Chen et al., MASCOTS 2011',
  options: rateModel,
  isModelled: true,

  detect(head) {
    return head.split('\n', 5).some(isRow)
  },

  create(model) {
    const jobs = new JobsOfBytes(model)
    const ends = new Int32Array(columns.length + 1)
    const field = (bytes: Uint8Array, column: number, whole: boolean): number => {
      const from = ends[column - 1]! + 1
      const to = ends[column]!
      const value = whole ? wholeNumber(bytes, from, to) : plainNumber(bytes, from, to)
      if (value === -1) throw new BadLine(columns[column], numberFact(bytes, from, to, whole))
      return value
    }
    return {
      line(bytes, from, to) {
        const found = splitFields(bytes, from, to, tab, ends)
        if (!isCount(found))
          throw new BadLine(undefined, `found ${found} tab-separated column${found === 1 ? '' : 's'}, expected 6 (${columns.join(', ')}).`)
        const id = textField(bytes, from, ends[0]!, 'job id')
        const submit = field(bytes, 1, false)
        field(bytes, 2, false)
        return jobs.job(id, submit, field(bytes, 3, true), field(bytes, 4, true), field(bytes, 5, true))
      },
    }
  },
}

/** Whether a line has six columns, or seven with the path. */
const isCount = (found: number) => found === columns.length || found === columns.length + 1

/** Whether a line has the number of columns, and at least three of them after the id are numbers: one bad field should not hide what the file is. */
function isRow(line: string): boolean {
  const fields = line.trimEnd().split('\t')
  return isCount(fields.length) && fields.slice(1).filter((field) => /^-?\d+(\.\d+)?$/.test(field)).length >= 3
}
