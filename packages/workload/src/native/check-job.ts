import { describeIssues, fieldOf, followed, isGangJob, lostKey, type JobSpec, type StageSpec } from '@sched/core'
import { BadLine } from '../trace/format.js'
import { jobSchema } from './schema.js'

/** Returns the value itself, as a job. Throws `BadLine` with the field and what was expected. */
export function checkJob(value: unknown): JobSpec {
  const read = jobSchema.safeParse(value)
  if (!read.success) {
    const { at, fact, wayOut } = describeIssues(jobSchema, value, read.error.issues)
    throw new BadLine(at.length === 0 ? undefined : fieldOf(at), fact, wayOut)
  }
  const lost = lostKey(value)
  if (lost !== undefined) throw new BadLine(fieldOf(lost), 'nothing can be called "__proto__".', 'Take another name')
  const job = value as JobSpec
  for (const [field, other] of followed(job)) if (other === job.id) throw new BadLine(field, `job "${job.id}" waits for itself.`)
  job.stages.forEach((stage, index) => {
    checkStage(stage, index, job.stages.length)
    if (stage.optionalGroup !== undefined) checkGroup(job, index)
  })
  if (job.stages.some(({ master }) => master)) checkMaster(job)
  if (isGangJob(job)) checkGangJob(job)
  return job
}

/** Checks a stage that its gang does without. Throws `BadLine`. */
function checkGroup(job: JobSpec, index: number): void {
  const bad = (fact: string, wayOut: string) => new BadLine(`stages[${index}].optionalGroup`, fact, wayOut)
  if (!isGangJob(job)) throw bad('the job is not one gang of several stages.', 'Add "gang": true to the job')
  if (job.stages[index]?.gang !== true) throw bad('the stage is no gang.', 'Add "gang": true')
  if (index === 0) throw bad('it is the first stage.', 'List first the stages that the gang needs')
}

/** Checks that no stage of a gang waits for another, is a master or has phases, and that some stage is a gang. Throws `BadLine`. */
function checkGangJob({ stages }: JobSpec): void {
  if (!stages.some(({ gang }) => gang === true)) throw new BadLine('gang', 'none of its stages is a gang.', 'Add "gang": true to the stages that start together')
  stages.forEach(({ master, phases, shuffle, after }, i) => {
    const fact = master === true ? 'is a master' : phases !== undefined ? 'has phases' : shuffle !== undefined ? 'fetches from another' : 'waits for another'
    if (master === true || phases !== undefined || shuffle !== undefined || after?.some(({ fraction }) => fraction > 0) === true)
      throw new BadLine(`stages[${i}]`, `it ${fact}, and the job is one gang.`, 'Leave out "gang" of the job: each stage with "gang": true is then a gang of its own')
  })
}

/** Checks that the master is one task, the first of several stages, and that no stage waits for its end. Throws `BadLine`. */
function checkMaster({ stages }: JobSpec): void {
  stages.forEach(({ master, tasks, phases, after, shuffle }, i) => {
    if (master && (i > 0 || tasks > 1 || stages.length === 1 || phases !== undefined))
      throw new BadLine(
        `stages[${i}].master`,
        i > 0 ? 'it is not the first stage.' : tasks > 1
          ? `it has ${tasks} tasks.`
          : phases !== undefined
            ? 'it has phases.'
            : 'the job has no other stage.',
        'A master is one task, the first of several stages',
      )
    if (i > 0 && (shuffle?.from === 0 || after?.some(({ stage, fraction }) => stage === 0 && fraction > 0)))
      throw new BadLine(`stages[${i}]`, 'it waits for the end of the master, which is the last to end.', 'It opens when the master has started, without saying so')
  })
}

/** Checks what the schema cannot express: numbers of a stage that depend on each other. Throws `BadLine`. */
function checkStage(stage: StageSpec, index: number, stages: number): void {
  const at = `stages[${index}]`
  stage.after?.forEach(({ stage: earlier }, i) => {
    const field = `${at}.after[${i}].stage`
    if (earlier >= stages) throw new BadLine(field, `no stage ${earlier}, the job has ${stages} (counted from 0).`)
    if (earlier >= index)
      throw new BadLine(
        field,
        `stage ${index} waits for stage ${earlier}, which does not come before it.`,
        'List stages so that each waits only for earlier ones; a cycle can never start',
      )
  })
  if (stage.shuffle !== undefined && stage.shuffle.from >= index)
    throw new BadLine(`${at}.shuffle.from`, `stage ${index} fetches from stage ${stage.shuffle.from}, which does not come before it.`)
  if (stage.minTasks !== undefined && stage.gang !== true) throw new BadLine(`${at}.minTasks`, 'the stage is no gang.', 'Add "gang": true')
  if (stage.minTasks !== undefined && stage.minTasks > stage.tasks) throw new BadLine(`${at}.minTasks`, `found ${stage.minTasks}, more than its ${stage.tasks} tasks.`)
  if ((stage.minNonPreemptible ?? 0) > stage.tasks) throw new BadLine(`${at}.minNonPreemptible`, `found ${stage.minNonPreemptible}, more than its ${stage.tasks} tasks.`)
  perTask(`${at}.duration`, stage.duration, stage.tasks)
  perTask(`${at}.data.hosts`, stage.data?.hosts, stage.tasks)
}

function perTask(field: string, list: unknown, tasks: number): void {
  if (Array.isArray(list) && list.length !== tasks)
    throw new BadLine(field, `found ${list.length} elements for ${tasks} tasks.`, 'Give one per task')
}
