import type { JobSpec, Seconds, StageSpec } from '@sched/core'
import * as z from '@sched/bundled/zod'
import type { Fields } from '../json/fields.js'
import type { RuleCount } from '../trace/facts.js'
import type { TraceFormat } from '../trace/format.js'
import { documentParser, type DocumentJobs } from '../yarn/document-format.js'
import { Demands, MILLI } from './demand.js'
import { circleIn, stagesInOrder } from './order.js'
import { isWfFormat, machinesOfWorkflow } from './wf-machines.js'
import { momentOf, needed, parentsOf, tasksApart, tasksTogether, type Task } from './wf-tasks.js'

const wfOptions = z.strictObject({
  submit: z
    .enum(['zero', 'executedAt', 'createdAt'])
    .default('zero')
    .describe('When a workflow is submitted: zero: all at 0, or `gap` seconds one after the other; executedAt: when it was executed; createdAt: when its file was made.'),
  gap: z.number().min(0).max(1e9).default(0).describe('Seconds from one workflow to the next in the order of the files, with submit: zero.'),
  cores: z
    .union([z.literal('recorded'), z.number().positive().max(1e9)])
    .default('recorded')
    .describe('Cores that a task asks for: recorded: those in the trace (1 if it does not say); a number: this many for every task.'),
  memory: z.enum(['none', 'used']).default('none').describe('Whether tasks ask for memory (mem, MiB): as much as they were measured to use.'),
  unknownRuntime: z
    .number()
    .min(0)
    .max(Number.MAX_SAFE_INTEGER)
    .optional()
    .describe('Run time in seconds of tasks for which none is known. Default: 0, and a workflow without any run time is an error.'),
})
type WfOptions = z.output<typeof wfOptions>

/**
 * Workflows of WfCommons, one JSON object each: several one after another, or the files of a directory. A workflow is a job; its tasks are stages of
 * one task each, which wait for their parents, including tasks that name them as children. Versions 1.5 and later have tasks and their execution
 * apart; in earlier ones a task has both and is identified by its name, and its memory is in kB up to version 1.3. A task asks for `cpu` in
 * thousandths of a core. Repeated ids, which are the names of the workflows, are numbered.
 *
 * Deviations: files take no time, and dependencies given only by files are unknown; priorities and machines of tasks are ignored.
 *
 * Source: Coleman et al., "WfCommons", FGCS 128, 2022; WfFormat 1.0 to 1.6.
 */
export const wfFormat: TraceFormat<typeof wfOptions> = {
  name: 'wfformat',
  summary: 'workflows of WfCommons (JSON), one file or many',
  source: 'WfCommons, WfFormat 1.0 to 1.6',
  options: wfOptions,
  isHeld: true,
  isHistory: true,
  detect: isWfFormat,
  create: (options, place) => documentParser(new Workflows(options), place, { perSecond: 1, renames: true }),
}

class Workflows implements DocumentJobs {
  readonly #demands = new Demands()
  readonly #machines = new Map<string, number>()
  readonly #counts = { cores: 0, memory: 0, unknownRuntime: 0 }
  #jobs = 0

  constructor(private readonly options: WfOptions) {}

  jobs(document: Fields): JobSpec[] {
    const id = needed(document, 'name')
    const workflow = document.object('workflow')
    if (workflow === undefined) throw document.bad('workflow', 'is missing.')
    const specification = workflow.object('specification')
    const execution = specification === undefined ? workflow : workflow.object('execution')
    const tasks = specification === undefined ? tasksTogether(workflow) : tasksApart(specification, execution)
    const stages = this.#stages(tasks)
    const makespan = execution?.number(execution.has('makespanInSeconds') ? 'makespanInSeconds' : 'makespan', -Infinity) ?? 0
    for (const { name, cores } of machinesOfWorkflow(document)) if (name !== undefined && cores !== undefined) this.#machines.set(name, cores)
    return [{ id, submit: this.#submit(document, execution), ...(makespan > 0 && { recorded: { runtime: makespan } }), stages }]
  }

  rules(): RuleCount[] {
    const { cores, memory, unknownRuntime } = this.#counts
    return [
      { rule: 'cores', jobs: cores, text: 'tasks that do not say how many cores they need: given 1' },
      { rule: 'memory', jobs: memory, text: 'tasks of unknown memory: they ask for none' },
      { rule: 'unknownRuntime', jobs: unknownRuntime, text: `tasks of unknown run time: run ${this.options.unknownRuntime ?? 0} s` },
    ]
  }

  notes(): string[] {
    if (this.#machines.size === 0) return []
    const cores = [...this.#machines.values()].reduce((sum, count) => sum + count, 0)
    return [`recorded on ${this.#machines.size} machine${this.#machines.size === 1 ? '' : 's'} of ${cores} cores in all, which --nodes FILE takes from the same file`]
  }

  #submit(document: Fields, execution: Fields | undefined): Seconds {
    const { submit, gap } = this.options
    if (submit === 'zero') return gap * this.#jobs++
    const fields = submit === 'createdAt' ? document : (execution ?? document)
    const time = momentOf(needed(fields, submit))
    if (time === undefined)
      throw fields.bad(
        submit,
        `found ${JSON.stringify(fields.text(submit))}, expected a date such as 2024-01-31T10:00:00Z.`,
        'Let all be submitted at once with submit=zero',
      )
    return time
  }

  #stages(tasks: readonly Task[]): StageSpec[] {
    if (this.options.unknownRuntime === undefined && tasks.every(({ run }) => runtimeOf(run) === undefined))
      throw tasks[0]!.fields.bad('runtimeInSeconds', 'no task says how long it ran.', 'Set it for all of them with unknownRuntime=SECONDS')
    const stages = tasks.map((task) => this.#stage(task))
    const before = parentsOf(tasks)
    const sorted = stagesInOrder(stages, before)
    if (sorted !== undefined) return sorted
    const circle = circleIn(before).map((i) => tasks[i]!)
    const names = [...circle, circle[0]!].slice(0, 6).map(({ name }) => `"${name}"`).join(' for ')
    throw circle[0]!.fields.bad('parents', `tasks wait for each other in a circle: ${names}${circle.length > 5 ? ' for ...' : ''}.`)
  }

  #stage({ name, run }: Task): StageSpec {
    const duration = runtimeOf(run)
    if (duration === undefined) this.#counts.unknownRuntime++
    const demand = this.#demands.of({ cpu: MILLI * this.#cores(run), ...(this.options.memory === 'used' && { mem: this.#memory(run) }) })!
    return { name, tasks: 1, demand, duration: duration ?? this.options.unknownRuntime ?? 0, ...bytesOf(run) }
  }

  #cores(run: Fields | undefined): number {
    if (this.options.cores !== 'recorded') return this.options.cores
    const said = run?.number('coreCount') ?? run?.number('cores') ?? 0
    if (said === 0) this.#counts.cores++
    return said === 0 ? 1 : said
  }

  /** Memory that a task used, MiB; 0 if unknown. */
  #memory(run: Fields | undefined): number {
    const bytes = run?.number('memoryInBytes') ?? (run?.number('memory') ?? 0) * 1000
    if (bytes === 0) this.#counts.memory++
    return bytes / 2 ** 20
  }
}

const runtimeOf = (run: Fields | undefined): Seconds | undefined => run?.number('runtimeInSeconds') ?? run?.number('runtime')

function bytesOf(run: Fields | undefined): Pick<StageSpec, 'bytesIn' | 'bytesOut'> {
  const [bytesIn, bytesOut] = [run?.number('readBytes'), run?.number('writtenBytes')]
  return { ...(bytesIn !== undefined && { bytesIn }), ...(bytesOut !== undefined && { bytesOut }) }
}
