import { SchedError, type Constraints, type JobSpec, type NodeSelectorTerm, type StageSpec, type Workload } from '@sched/core'
import { factsOf, type Machine } from '../trace/facts.js'
import { BadLine } from '../trace/format.js'
import { JobSequence } from '../trace/job-sequence.js'
import { jobsOf, refuseClosedLoop, streamJobs } from '../workload.js'
import { checkJob } from './check-job.js'
import { requirementSchema, termSchema } from './node-terms.js'
import { orderedRule } from './placement-rules.js'
import {
  constraintsSchema, dataSchema, jobEventSchema, jobSchema, machineSchema, nativeFormat, nativeVersion, recordedSchema, stageSchema, tolerationSchema,
} from './schema.js'

/**
 * A workload as lines of the native format, each with a line feed. Reading them gives deeply equal jobs, except that durations in a typed array
 * become plain arrays. Throws `BAD_INPUT` for a job that a reader would refuse, `BAD_OPTION` for a closed loop (its submit times follow the run), and
 * `BROKEN_CONTRACT` for a source that reads on (use `writeWorkloadStream`) and if the number of jobs is not the announced one.
 */
export function* writeWorkload(workload: Workload): Generator<string, void, undefined> {
  const lines = new Lines(workload)
  yield lines.header()
  for (const job of jobsOf(workload)) yield lines.job(job)
  lines.end()
}

/** As `writeWorkload`, for any workload, including one that reads on. */
export async function* writeWorkloadStream(workload: Workload): AsyncGenerator<string, void, undefined> {
  const lines = new Lines(workload)
  yield lines.header()
  for await (const job of streamJobs(workload)) yield lines.job(job)
  lines.end()
}

/** Writes the lines of a workload and checks what must hold between them. */
class Lines {
  readonly #sequence = new JobSequence(Infinity)
  #jobs = 0

  constructor(private readonly workload: Workload) {
    refuseClosedLoop(workload, 'written to a file')
  }

  header(): string {
    const { name, jobs } = this.workload
    const { machine, header, start, timeZone } = factsOf(this.workload)
    const facts = { start, timeZone, machine: machine === undefined ? undefined : orderedMachine(machine), header } // JSON omits undefined values
    return `${JSON.stringify({ format: nativeFormat, version: nativeVersion, name, jobs, ...facts })}\n`
  }

  job(job: JobSpec): string {
    const plain = ordered(job)
    try {
      this.#sequence.check(checkJob(plain))
    } catch (error) {
      if (!(error instanceof BadLine)) throw error
      throw new SchedError('BAD_INPUT', error.fact, { field: `job "${job.id}" ${error.field ?? ''}`.trim() }, error.wayOut)
    }
    this.#jobs++
    return `${JSON.stringify(plain)}\n`
  }

  end(): void {
    const { name, jobs } = this.workload
    if (jobs !== undefined && jobs !== this.#jobs)
      throw new SchedError('BROKEN_CONTRACT', `workload "${name}" announces ${jobs} jobs and has ${this.#jobs}.`, {}, 'Let its `jobs` be what open() gives, or leave it out.')
  }
}

const jobKeys = Object.keys(jobSchema.shape)
const stageKeys = Object.keys(stageSchema.shape)
const durationKeys = ['kind', 'mean', 'shift', 'min', 'max']
const dataKeys = Object.keys(dataSchema.shape)
const recordedKeys = Object.keys(recordedSchema.shape)
type Fields = Record<string, unknown>

/** Resources keep their order: the first one that a job asks for tells its size. */
const orderedMachine = (machine: Machine): Fields => ({ ...inOrder(machine, Object.keys(machineSchema.shape)), resources: { ...machine.resources } })

/** The job with its keys in the order of the schema, so that equal jobs give equal bytes. */
function ordered(job: JobSpec): Fields {
  const plain = inOrder(job, jobKeys)
  plain['stages'] = job.stages.map(orderedStage)
  for (const key of ['afterAll', 'afterAny'] as const) if (job[key] !== undefined) plain[key] = job[key].map((each) => inOrder(each, Object.keys(jobEventSchema.shape)))
  orderRules(plain, job)
  if (job.licenses !== undefined) plain['licenses'] = byName(job.licenses)
  if (job.recorded !== undefined) plain['recorded'] = inOrder(job.recorded, recordedKeys)
  return plain
}

function orderedStage(stage: StageSpec): Fields {
  const { demand, duration, after, data, constraints, use, shuffle, phases } = stage
  const plain = inOrder(stage, stageKeys)
  plain['demand'] = byName(demand)
  if (typeof duration !== 'number') plain['duration'] = 'kind' in duration ? inOrder(duration, durationKeys) : [...duration]
  if (after !== undefined) plain['after'] = after.map((each) => inOrder(each, ['stage', 'fraction']))
  if (data !== undefined) plain['data'] = inOrder(data, dataKeys)
  if (constraints !== undefined) plain['constraints'] = orderedConstraints(constraints)
  orderRules(plain, stage)
  if (use !== undefined) plain['use'] = byName(use)
  if (shuffle !== undefined) plain['shuffle'] = inOrder(shuffle, ['from', 'bytes'])
  if (phases !== undefined) plain['phases'] = phases.map((each) => inOrder(each, ['activities', 'time']))
  return plain
}

function orderRules(plain: Fields, { tags, placementRules }: Pick<JobSpec, 'tags' | 'placementRules'>): void {
  if (tags !== undefined) plain['tags'] = byName(tags)
  if (placementRules !== undefined) plain['placementRules'] = placementRules.map((rule) => orderedRule(rule, inOrder, orderedTerm))
}

function orderedConstraints(constraints: Constraints): Fields {
  const { require, nodeSelectorTerms: terms, tolerations } = constraints
  const plain = inOrder(constraints, Object.keys(constraintsSchema.shape))
  if (require !== undefined) plain['require'] = byName(require)
  if (terms !== undefined) plain['nodeSelectorTerms'] = terms.map(orderedTerm)
  if (tolerations !== undefined) plain['tolerations'] = tolerations.map((each) => inOrder(each, Object.keys(tolerationSchema.shape)))
  return plain
}

function orderedTerm(term: NodeSelectorTerm): Fields {
  const plain = inOrder(term, Object.keys(termSchema.shape))
  for (const key of ['matchExpressions', 'matchFields'] as const)
    if (term[key] !== undefined) plain[key] = term[key].map((each) => inOrder(each, Object.keys(requirementSchema.shape)))
  return plain
}

const byName = (record: object): Fields => inOrder(record, Object.keys(record).sort())

/** A copy with the given keys first, in their order. Other keys come last, so that the check finds them. */
function inOrder(value: object, keys: readonly string[]): Fields {
  const from = value as Fields
  const copy: Fields = {}
  for (const key of keys) if (from[key] !== undefined) copy[key] = from[key]
  for (const key of Object.keys(from)) if (from[key] !== undefined && copy[key] === undefined) copy[key] = from[key]
  return copy
}
