import type { Demand, JobSpec, StageSpec } from '@sched/core'
import type * as z from '@sched/bundled/zod'
import { toMillis } from '../generate/sampling.js'
import { numberIn, wholeIn } from '../job-table/values.js'
import { sizeClass } from '../size-class.js'
import { heldParser, type RowReader } from '../table/held-jobs.js'
import type { RuleCount } from '../trace/facts.js'
import { asText } from '../trace/fields.js'
import { BadLine, type TraceFormat } from '../trace/format.js'
import { rateModel } from './rate-model.js'

const columns = [
  'job id', 'job name', 'map input bytes', 'shuffle bytes', 'reduce output bytes', 'submit time', 'duration', 'map task seconds', 'reduce task seconds',
  'task seconds', 'maps', 'reduces',
] as const
/** The paths of input and output may follow. */
const MOST = columns.length + 2

const historyOptions = rateModel.pick({ demand: true, memory: true, vcores: true, slowstart: true })

/**
 * Summaries of Hadoop's job history in SWIM's form, from which its workloads are sampled and in which the traces of Cloudera's customers were
 * published: twelve tab-separated columns without a header, followed by the paths of input and output if known. A job has its recorded numbers of
 * maps and reduces, each as long as their mean; unknown bytes are 0. Times count from the first submission.
 *
 * Source: SWIM, `parse-hadoop-jobhistory.pl`; Chen, Alspaugh, Katz, "Interactive Analytical Processing in Big Data Systems", VLDB 2012.
 */
export const swimHistoryFormat: TraceFormat<typeof historyOptions> = {
  name: 'swim-history',
  summary: 'job history in SWIM\'s summary (tab-separated)',
  source: 'SWIM, parse-hadoop-jobhistory.pl',
  options: historyOptions,
  isModelled: true,
  isHeld: true,
  detect: (head) => head.split('\n', 5).some(isRow),
  create: (options, place) => heldParser(new HistoryRows(options), place, 'first'),
}

/** Fields of a line, split at tabs, or at blanks if the columns were aligned with blanks. */
function fieldsOf(line: string): string[] {
  const byTabs = line.split('\t').map((field) => field.trim())
  return byTabs.length >= columns.length ? byTabs : line.trim().split(/[ \t]+/)
}

const isNumber = (field: string) => /^\d+(\.\d+)?$/.test(field)

function isRow(line: string): boolean {
  const fields = fieldsOf(line)
  return fields.length >= columns.length && fields.length <= MOST && !isNumber(fields[1]!) && [5, 6, 9, 10, 11].every((column) => isNumber(fields[column]!))
}

class HistoryRows implements RowReader {
  readonly #map: Demand
  readonly #reduce: Demand
  readonly #after: NonNullable<StageSpec['after']>
  #without = 0

  constructor({ demand, memory, vcores, slowstart }: z.output<typeof historyOptions>) {
    const container = demand === 'slots' ? undefined : { vcores, 'memory-mb': memory }
    this.#map = container ?? { map: 1 }
    this.#reduce = container ?? { reduce: 1 }
    this.#after = [{ stage: 0, fraction: slowstart }]
  }

  job(bytes: Uint8Array, from: number, to: number): JobSpec | undefined {
    const fields = fieldsOf(asText(bytes, from, to))
    if (fields.length < columns.length || fields.length > MOST)
      throw new BadLine(undefined, `found ${fields.length} columns, expected ${columns.length} to ${MOST} (${columns.join(', ')}, paths).`)
    if (fields[0] === '') throw new BadLine(columns[0], 'is empty.')
    const number = (column: number) => (fields[column] === '' ? 0 : numberIn(fields[column]!, columns[column]!, 0))
    const whole = (column: number) => (fields[column] === '' ? 0 : wholeIn(fields[column]!, columns[column]!, 0))
    const [input, shuffle, output] = [number(2), number(3), number(4)]
    const maps = stage('map', whole(10), number(7), this.#map, input, shuffle > 0 ? shuffle : output)
    const reduces = stage('reduce', whole(11), number(8), this.#reduce, shuffle, output)
    if (maps === undefined && reduces === undefined) return void this.#without++
    const after = maps !== undefined && { after: this.#after }
    return {
      id: fields[0]!,
      submit: numberIn(fields[5]!, columns[5], 0),
      user: fields[0]!,
      ...(fields[1] !== '' && { application: fields[1]! }),
      label: sizeClass(Math.max(1, maps?.tasks ?? 0)),
      recorded: { runtime: number(6) },
      stages: [...(maps === undefined ? [] : [{ ...maps, ...(input > 0 && { data: {} }) }]), ...(reduces === undefined ? [] : [{ ...reduces, ...after }])],
    }
  }

  rules(): RuleCount[] {
    return [{ rule: 'noTasks', jobs: this.#without, text: 'without tasks: left out' }]
  }
}

/** A stage of tasks of equal length; one task if only their total time is known. `undefined` without tasks and time. */
function stage(name: string, count: number, seconds: number, demand: Demand, bytesIn: number, bytesOut: number): StageSpec | undefined {
  const tasks = count === 0 && seconds > 0 ? 1 : count
  if (tasks === 0) return undefined
  return { name, tasks, demand, duration: toMillis(seconds / tasks), bytesIn, bytesOut }
}
