import type { JobSpec } from '@sched/core'
import * as z from '@sched/bundled/zod'
import { numberIn, wholeIn } from '../job-table/values.js'
import { heldParser, type RowReader } from '../table/held-jobs.js'
import { lineText } from '../trace/fields.js'
import { BadLine, type TraceFormat } from '../trace/format.js'

const sparrowOptions = z.strictObject({
  demand: z
    .record(z.string().min(1), z.int().min(1))
    .refine((demand) => Object.keys(demand).length > 0, 'names no resource')
    .default({ map: 1 })
    .describe('What a task asks for. Default: one slot.'),
  estimate: z.enum(['mean', 'none']).default('none').describe('mean: the estimate of a job is the mean time of its tasks in the trace.'),
})

/**
 * Traces of the simulators of Sparrow, Hawk and Eagle: one job per line, with its submit time, number of tasks, mean time of a task and the time of
 * each task, separated by blanks. Times count from 0 of the trace, in seconds.
 *
 * Source: Delgado et al., "Hawk: Hybrid Datacenter Scheduling", USENIX ATC 2015, and the simulators published with it.
 */
export const sparrowFormat: TraceFormat<typeof sparrowOptions> = {
  name: 'sparrow',
  summary: 'jobs with the time of each task, of the simulators of Sparrow, Hawk and Eagle',
  source: 'Delgado et al., USENIX ATC 2015',
  options: sparrowOptions,
  isHeld: true,
  detect,
  create: (options, place) => heldParser(new Jobs(options), place, 'trace'),
}

const isNumber = (text: string) => /^\d+(\.\d*)?(e[-+]?\d+)?$/i.test(text)
const fieldsOf = (line: string) => line.trim().split(/[ \t]+/)
const isJob = (fields: readonly string[]) => fields.length > 3 && fields.length === 3 + Number(fields[1]) && fields.every(isNumber)

/**
 * Whether the first lines are such jobs. A single line of 18 fields is not enough: in the Standard Workload Format a job that is submitted at 15 s
 * looks the same.
 */
function detect(head: string): boolean {
  const lines = head.split('\n', 40)
  const whole = (lines.length < 40 && head.length >= 65_536 ? lines.slice(0, -1) : lines).map(fieldsOf).filter(([first]) => first !== '')
  return whole.length > 0 && whole.every(isJob) && (whole.length > 1 || whole[0]!.length !== 18)
}

class Jobs implements RowReader {
  #read = 0

  constructor(private readonly options: z.output<typeof sparrowOptions>) {}

  job(bytes: Uint8Array, from: number, to: number): JobSpec {
    const fields = fieldsOf(lineText(bytes, from, to))
    const submit = numberIn(fields[0]!, 'submission', 0)
    const tasks = wholeIn(fields[1] ?? '', 'number of tasks', 1)
    const mean = numberIn(fields[2] ?? '', 'mean time', 0)
    const times = fields.slice(3)
    if (times.length !== tasks) throw new BadLine('number of tasks', `found the times of ${times.length} tasks, expected ${tasks}.`, 'Was the file cut short? Copy it again')
    const { demand, estimate } = this.options
    return {
      id: `job-${++this.#read}`,
      submit,
      ...(estimate === 'mean' && { estimate: mean }),
      stages: [{ name: 'tasks', tasks, demand, duration: times.map((time) => numberIn(time, 'time of a task', 0)) }],
    }
  }
}
