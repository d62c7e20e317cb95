import { isGangJob, SchedError, type Duration, type JobSpec, type Slice, type StageSpec, type Topology } from '@sched/core'
import { checkRules } from './check-rules.js'

/**
 * Throws `BAD_INPUT`, with job and field, for what no job can be, wherever it comes from: a job without stages or tasks, with impossible times, or
 * with stages that wait for themselves or later ones.
 */
export function checkStages(job: JobSpec): void {
  const { id, stages } = job
  if (!Array.isArray(stages) || stages.length === 0) throw bad(id, 'stages', 'none', 'Give at least one.')
  for (let i = 0; i < stages.length; i++) {
    const { tasks, minTasks, minNonPreemptible, gang, demand, duration, after, master, topology, placementRules } = stages[i] as StageSpec
    if (!(Number.isInteger(tasks) && tasks >= 1)) throw badStage(id, i, 'tasks', `${tasks}`, 'Give a whole number, at least 1.')
    if (minTasks !== undefined && gang !== true) throw badStage(id, i, 'minTasks', `${minTasks}, and no gang`, 'Add `gang: true`.')
    if (minTasks !== undefined && !(Number.isInteger(minTasks) && minTasks >= 1 && minTasks <= tasks))
      throw badStage(id, i, 'minTasks', `${minTasks}`, `Give a whole number from 1 to ${tasks}.`)
    if (minNonPreemptible !== undefined && !(Number.isInteger(minNonPreemptible) && minNonPreemptible >= 0 && minNonPreemptible <= tasks))
      throw badStage(id, i, 'minNonPreemptible', `${minNonPreemptible}`, `Give a whole number from 0 to ${tasks}.`)
    checkGroup(job, i)
    if (typeof demand !== 'object' || demand === null) throw badStage(id, i, 'demand', 'none', 'Give amounts per task by resource name.')
    if (typeof duration === 'number') checkTime(id, i, duration)
    else if (typeof duration !== 'object' || duration === null)
      throw badStage(id, i, 'duration', duration === undefined ? 'none' : JSON.stringify(duration), 'Give seconds, at least 0.')
    else if ('length' in duration) checkTimes(id, i, duration, tasks)
    else if (!isDistribution(duration))
      throw badStage(id, i, 'duration', JSON.stringify(duration), "Give { kind: 'exponential', mean, shift } or { kind: 'uniform', min, max }: seconds of at least 0, `min` at most `max`.")
    if (after !== undefined) checkBefore(id, i, after)
    if (topology !== undefined) checkTopology(id, `stages[${i}].topology`, topology)
    if (placementRules !== undefined) checkRules(id, `stages[${i}].placementRules`, placementRules)
    if (master === true) checkMaster(id, stages, i)
  }
  if (isGangJob(job)) checkGangJob(job)
  if (job.topology !== undefined) checkTopology(id, 'topology', job.topology)
  if (job.placementRules !== undefined) checkRules(id, 'placementRules', job.placementRules)
}

/** Checks a stage that its gang does without. */
function checkGroup(job: JobSpec, index: number): void {
  const { optionalGroup, gang } = job.stages[index] as StageSpec
  if (optionalGroup === undefined) return
  const bad = (fact: string, wayOut: string) => badStage(job.id, index, 'optionalGroup', `${optionalGroup}, and ${fact}`, wayOut)
  if (typeof optionalGroup !== 'string' || optionalGroup === '') throw bad('no name', 'Give a name.')
  if (gang !== true) throw bad('no gang', 'Add `gang: true`.')
  if (!isGangJob(job)) throw bad('is not one gang of several stages', 'Add `gang: true` to the job.')
  if (index === 0) throw bad('begins with it', 'List first the stages that the gang needs.')
}

function checkBefore(id: string, index: number, after: NonNullable<StageSpec['after']>): void {
  const bad = (found: string, wayOut: string) => badStage(id, index, 'after', found, wayOut)
  for (const wait of after) {
    if (typeof (wait as unknown) !== 'object') throw bad(JSON.stringify(wait), 'Write for example { stage: 0, fraction: 1 }: all tasks of the first stage have ended.')
    if (!(wait.stage >= 0 && wait.stage < index)) throw bad(`a wait for stage ${wait.stage}, which does not come before it`, 'List stages so that each waits for earlier ones, counted from 0.')
  }
}

function checkTopology(id: string, field: string, { required, preferred, racks, segment, slices, wait }: Topology): void {
  const isLevel = (level: number | undefined) => level === undefined || (Number.isInteger(level) && level >= 0)
  if ([required, preferred, racks, segment, slices].every((each) => each === undefined))
    throw bad(id, field, 'a topology that asks nothing', 'Give `required`, `preferred`, `racks`, `segment` or `slices`.')
  if (!isLevel(required) || !isLevel(preferred)) throw bad(id, field, `a topology of level ${required ?? preferred}`, 'Give a whole number: 0 one node, 1 one rack, 2 what racks stand in.')
  if (racks !== undefined && !(Number.isInteger(racks) && racks >= 1)) throw bad(id, field, `a topology of ${racks} racks`, 'Give a whole number, at least 1.')
  if (segment !== undefined && !(Number.isInteger(segment) && segment >= 1)) throw bad(id, field, `a topology with segments of ${segment} nodes`, 'Give a whole number, at least 1.')
  if (slices !== undefined) checkSlices(id, field, slices)
  if (slices !== undefined && (racks ?? segment) !== undefined) throw bad(id, field, `a topology with slices and ${racks === undefined ? 'a segment' : 'racks'}`, 'Give one of them.')
  if (wait !== undefined && !(wait >= 0)) throw bad(id, field, `a topology with a wait of ${wait}`, 'Give seconds, at least 0.')
}

function checkSlices(id: string, field: string, slices: readonly Slice[]): void {
  if (slices.length === 0) throw bad(id, `${field}.slices`, 'no slices in a list of them', 'Give at least one, or leave out `slices`.')
  for (const [i, { level, size }] of slices.entries()) {
    const at = `${field}.slices[${i}]`
    const around = slices[i - 1]
    if (!(Number.isInteger(level) && level >= 0)) throw bad(id, at, `slices of level ${level}`, 'Give a whole number: 0 one node, 1 one rack, 2 what racks stand in.')
    if (!(Number.isInteger(size) && size >= 1)) throw bad(id, at, `slices of ${size} tasks`, 'Give a whole number, at least 1.')
    if (around !== undefined && level >= around.level) throw bad(id, at, `slices of level ${level} inside those of level ${around.level}`, 'Give the highest level first.')
    if (around !== undefined && around.size % size !== 0) throw bad(id, at, `slices of ${size} tasks inside those of ${around.size}`, `Give a size that divides ${around.size}.`)
  }
}

/** Checks a job that is one gang: stages that start together cannot wait for each other, and their number of tasks must be fixed. */
function checkGangJob({ id, stages, topology }: JobSpec): void {
  if (topology?.slices !== undefined && (stages.length > 2 || (stages.length === 2 && stages.every(({ tasks }) => tasks > 1)))) throw bad(id, 'topology', 'slices of all its stages, and is one gang', 'Give each stage a `topology`.')
  if (!stages.some(({ gang }) => gang === true)) throw bad(id, 'gang', 'no stage that is a gang, and is one itself', 'Add `gang: true` to its stages that start together.')
  for (const [i, { after, master, phases, shuffle }] of stages.entries()) {
    const [field, fact]: [keyof StageSpec, string] = master === true
      ? ['master', 'a master']
      : phases !== undefined
        ? ['phases', 'a stage with phases']
        : shuffle !== undefined ? ['shuffle', 'a stage that fetches from another'] : ['after', 'a stage that waits for another']
    if (master === true || phases !== undefined || shuffle !== undefined || after?.some(({ fraction }) => fraction > 0) === true)
      throw badStage(id, i, field, `${fact}, and is one gang`, `Leave out \`gang\` of the job: each stage with \`gang: true\` is then a gang of its own.`)
  }
}

/** Checks a master. No stage can wait for its end, because the master itself waits for the end of all others. */
function checkMaster(id: string, stages: readonly StageSpec[], index: number): void {
  const { tasks, phases } = stages[index] as StageSpec
  if (index > 0 || tasks !== 1 || stages.length === 1)
    throw badStage(
      id,
      index,
      'master',
      index > 0 ? 'a master that is not its first stage' : tasks !== 1 ? `a master of ${tasks} tasks` : 'a master and nothing else',
      'A master is one task, the first of several stages.',
    )
  if (phases !== undefined) throw badStage(id, index, 'phases', 'a master with phases', 'Give its `duration`: from its start until other stages may open.')
  const waiting = stages.findIndex(({ after, shuffle }) => shuffle?.from === 0 || after?.some(({ stage, fraction }) => stage === 0 && fraction > 0) === true)
  if (waiting >= 0) throw bad(id, `stages[${waiting}]`, 'a stage that waits for its master', 'It opens when the master has started, without saying so.')
}

function checkTimes(id: string, index: number, durations: ArrayLike<number>, tasks: number): void {
  if (durations.length !== tasks) throw badStage(id, index, 'duration', `${durations.length} for ${tasks} tasks`, 'Give one per task.')
  for (let i = 0; i < tasks; i++) checkTime(id, index, durations[i] as number)
}

function checkTime(id: string, index: number, time: number): void {
  if (!isTime(time)) throw badStage(id, index, 'duration', typeof time === 'number' ? `${time}` : JSON.stringify(time), 'Give seconds, at least 0.')
}

/** Whether a distribution of run times is valid. */
function isDistribution(drawn: Extract<Duration, { readonly kind: string }>): boolean {
  if (drawn.kind === 'exponential') return isTime(drawn.mean) && (drawn.shift === undefined || isTime(drawn.shift))
  return (drawn.kind as string) === 'uniform' && isTime(drawn.min) && isTime(drawn.max) && drawn.min <= drawn.max
}

const isTime = (time: number) => typeof time === 'number' && time >= 0 && time < Infinity

/** Builds the field's path only on an error: a string per stage of every good job would cost as much as all checks. */
const badStage = (id: string, index: number, field: keyof StageSpec, fact: string, wayOut: string) => bad(id, `stages[${index}].${field}`, fact, wayOut)

const bad = (id: string, field: string, fact: string, wayOut: string) => new SchedError('BAD_INPUT', `job ${id} has ${fact}.`, { field }, wayOut)
