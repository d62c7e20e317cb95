import type { Demand, JobSpec, StageSpec } from '@sched/core'
import { z } from 'zod'
import { splitCsv } from '../slurm/csv.js'
import { HeldJobs } from '../table/held-jobs.js'
import { ruleLine } from '../trace/facts.js'
import { lineText } from '../trace/fields.js'
import { BadLine, type LineParser, type LinePlace, type TraceFormat } from '../trace/format.js'
import { numberIn, wholeIn } from '../job-table/values.js'

const columns = ['create time', 'end time', 'job id', 'task id', 'number of instances', 'status', 'CPU', 'memory'] as const

const batchTaskOptions = z.strictObject({
  status: z.array(z.string().min(1)).min(1).default(['Terminated']).describe('Which tasks to read, by their status: Terminated, Failed, Running, Waiting.'),
  memory: z.int().min(1).default(1_000_000).describe('Memory of a machine in the unit of the demand (mem): the trace has fractions of it.'),
  demand: z.strictObject({ cpu: z.int().min(0), mem: z.int().min(0) }).default({ cpu: 50, mem: 5000 })
    .describe('What an instance asks for that does not say it: cpu in 1/100 core, mem in the unit above.'),
})
type BatchTaskOptions = z.output<typeof batchTaskOptions>

/**
 * The table `batch_task` of Alibaba's trace of 2017, with or without a header: eight columns. The tasks of a job are its
 * stages, without dependencies, since the table has none; each stage is submitted with the job, whose submission is the
 * earliest of them. An instance asks `cpu` (1/100 core) and `mem` (millionths of a machine).
 *
 * Deviation: the table does not say how long an instance ran. An instance runs here as long as its whole task was there, which
 * is too long for tasks whose instances did not all run at once.
 *
 * Source: Alibaba Cluster Trace Program, cluster-trace-v2017.
 */
export const batchTaskFormat: TraceFormat<typeof batchTaskOptions> = {
  name: 'alibaba-2017',
  title: 'batch tasks of Alibaba\'s trace of 2017 (CSV)',
  source: 'Alibaba Cluster Trace Program, v2017',
  options: batchTaskOptions,
  isHeld: true,
  detect: (head) => isHeader(head.split('\n', 1)[0]!) || isRow(splitCsv(head.split('\n', 1)[0]!.trim())),
  parser: (options, place) => new BatchTasks(options, place),
}

const isHeader = (line: string) => /^\s*task_create_time\s*,\s*task_end_time\s*,/.test(line)
const isRow = (fields: readonly string[]) => fields.length === 8 && [0, 1, 2, 3, 4].every((i) => /^-?\d+$/.test(fields[i]!)) && /^[A-Za-z]+$/.test(fields[5]!)

interface Job {
  submit: number
  readonly line: number
  readonly stages: { readonly at: number; readonly stage: StageSpec }[]
}

class BatchTasks implements LineParser {
  readonly #jobs = new Map<string, Job>()
  readonly #demands = new Map<string, Demand>()
  #held: HeldJobs | undefined
  readonly #counts = { status: 0, backwards: 0, demand: 0, later: 0 }

  constructor(
    private readonly options: BatchTaskOptions,
    private readonly place: LinePlace,
  ) {}

  line(bytes: Uint8Array, from: number, to: number): undefined {
    const line = lineText(bytes, from, to)
    if (isHeader(line)) return
    const fields = splitCsv(line).map((field) => field.trim())
    if (fields.length !== columns.length) throw new BadLine(undefined, `found ${fields.length} columns, expected ${columns.length}: ${columns.join(', ')}.`, 'Was the file cut short? Copy it again')
    this.#task(fields)
  }

  end(): void {
    const held = new HeldJobs('first')
    for (const [id, job] of this.#jobs) {
      if (job.stages.some(({ at }) => at > job.submit)) this.#counts.later++
      held.add({ id, submit: job.submit, stages: job.stages.map(({ stage }) => stage) }, job.line)
    }
    held.end()
    this.#held = held
  }

  more(): JobSpec | undefined {
    return this.#held?.more()
  }

  report() {
    const { status, backwards, demand, later } = this.#counts
    const rules = [
      { rule: 'status', jobs: status, text: `tasks of a status other than ${this.options.status.join(', ')}: left out` },
      { rule: 'backwards', jobs: backwards, text: 'tasks that end before they start: left out' },
      { rule: 'demand', jobs: demand, text: 'tasks that do not say what they ask for: given the default' },
      { rule: 'later', jobs: later, text: 'with tasks created after the first: all submitted with it' },
    ].filter(({ jobs }) => jobs > 0)
    return { rules, notes: rules.map(ruleLine) }
  }

  #task([create, end, job, task, instances, status, cpu, memory]: readonly string[]): void {
    if (!this.options.status.includes(status!)) return void this.#counts.status++
    const at = wholeIn(create!, columns[0], -Infinity)
    const duration = wholeIn(end!, columns[1], -Infinity) - at
    if (job === '' || task === '') throw new BadLine(job === '' ? columns[2] : columns[3], 'is empty.')
    const tasks = wholeIn(instances!, columns[4], 1)
    if (duration < 0) return void this.#counts.backwards++
    const stage = { name: `task${task!}`, tasks, demand: this.#demandOf(cpu!, memory!), duration }
    const known = this.#jobs.get(job!)
    if (known === undefined) this.#jobs.set(job!, { submit: at, line: this.place.line, stages: [{ at, stage }] })
    else {
      known.submit = Math.min(known.submit, at)
      known.stages.push({ at, stage })
    }
  }

  #demandOf(cpu: string, memory: string): Demand {
    const { demand, memory: machine } = this.options
    if (cpu === '' || memory === '') this.#counts.demand++
    const asked = {
      cpu: cpu === '' ? demand.cpu : Math.ceil(numberIn(cpu, columns[6], 0)),
      mem: memory === '' ? demand.mem : Math.ceil(numberIn(memory, columns[7], 0) * machine),
    }
    if (asked.cpu + asked.mem === 0) throw new BadLine(undefined, 'an instance asks for nothing.')
    const key = `${asked.cpu} ${asked.mem}`
    const known = this.#demands.get(key) ?? asked
    this.#demands.set(key, known)
    return known
  }
}
