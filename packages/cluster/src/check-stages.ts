import { isGangJob, SchedError, type JobSpec, type StageSpec } from '@sched/core'

/** What no job can be, wherever it comes from: without stages or tasks, with times that are none, or in a circle. Throws `BAD_INPUT` with job and field. */
export function checkStages(job: JobSpec): void {
  const { id, stages } = job
  if (!Array.isArray(stages) || stages.length === 0) throw bad(id, 'stages', 'none', 'Give at least one.')
  for (let i = 0; i < stages.length; i++) {
    const { tasks, minTasks, gang, demand, duration, after, master } = stages[i] as StageSpec
    const field = `stages[${i}]`
    if (!(Number.isInteger(tasks) && tasks >= 1)) throw bad(id, `${field}.tasks`, `${tasks}`, 'Give a whole number, at least 1.')
    if (minTasks !== undefined && gang !== true) throw bad(id, `${field}.minTasks`, `${minTasks}, and no gang`, 'Add `gang: true`.')
    if (minTasks !== undefined && !(Number.isInteger(minTasks) && minTasks >= 1 && minTasks <= tasks))
      throw bad(id, `${field}.minTasks`, `${minTasks}`, `Give a whole number from 1 to ${tasks}.`)
    if (typeof demand !== 'object' || demand === null) throw bad(id, `${field}.demand`, 'none', 'Give amounts per task by resource name.')
    if (typeof duration === 'number') checkTime(id, `${field}.duration`, duration)
    else if (typeof duration !== 'object' || duration === null)
      throw bad(id, `${field}.duration`, duration === undefined ? 'none' : JSON.stringify(duration), 'Give seconds, at least 0.')
    else if ('length' in duration) checkTimes(id, `${field}.duration`, duration, tasks)
    for (const { stage } of after ?? [])
      if (!(stage >= 0 && stage < i))
        throw bad(
          id,
          `${field}.after`,
          `a wait for stage ${stage}, which does not come before it`,
          'List stages so that each waits for earlier ones, counted from 0.',
        )
    if (master === true) checkMaster(id, field, stages, i)
  }
  if (isGangJob(job)) checkGangJob(job)
}

/** What starts together cannot wait for each other, nor be of another number than it says. */
function checkGangJob({ id, stages }: JobSpec): void {
  if (!stages.some(({ gang }) => gang === true)) throw bad(id, 'gang', 'no stage that is a gang, and is one itself', 'Add `gang: true` to its stages that start together.')
  for (const [i, { after, master, phases, shuffle }] of stages.entries()) {
    const [field, fact] = master === true
      ? ['master', 'a master']
      : phases !== undefined
        ? ['phases', 'a stage with phases']
        : shuffle !== undefined ? ['shuffle', 'a stage that fetches from another'] : ['after', 'a stage that waits for another']
    if (master === true || phases !== undefined || shuffle !== undefined || after?.some(({ fraction }) => fraction > 0) === true)
      throw bad(id, `stages[${i}].${field}`, `${fact}, and is one gang`, `Leave out \`gang\` of the job: each stage with \`gang: true\` is then a gang of its own.`)
  }
}

/** Nothing can wait for the end of a master, since it waits for the end of all else. */
function checkMaster(id: string, field: string, stages: readonly StageSpec[], index: number): void {
  const { tasks, phases } = stages[index] as StageSpec
  if (index > 0 || tasks !== 1 || stages.length === 1)
    throw bad(
      id,
      `${field}.master`,
      index > 0 ? 'a master that is not its first stage' : tasks !== 1 ? `a master of ${tasks} tasks` : 'a master and nothing else',
      'A master is one task, the first of several stages.',
    )
  if (phases !== undefined) throw bad(id, `${field}.phases`, 'a master with phases', 'Give its `duration`: from its start until other stages may open.')
  const waiting = stages.findIndex(({ after, shuffle }) => shuffle?.from === 0 || after?.some(({ stage, fraction }) => stage === 0 && fraction > 0) === true)
  if (waiting >= 0) throw bad(id, `stages[${waiting}]`, 'a stage that waits for its master', 'It opens when the master has started, without saying so.')
}

function checkTimes(id: string, field: string, durations: ArrayLike<number>, tasks: number): void {
  if (durations.length !== tasks) throw bad(id, field, `${durations.length} for ${tasks} tasks`, 'Give one per task.')
  for (let i = 0; i < tasks; i++) checkTime(id, field, durations[i] as number)
}

function checkTime(id: string, field: string, time: number): void {
  if (!(time >= 0 && time < Infinity)) throw bad(id, field, `${time}`, 'Give seconds, at least 0.')
}

const bad = (id: string, field: string, fact: string, wayOut: string) => new SchedError('BAD_INPUT', `job ${id} has ${fact}.`, { field }, wayOut)
