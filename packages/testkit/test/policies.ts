import { definePolicy, type JobId, type OptionsSchema, type Plug, type Policy, type Round, type TaskId } from '@sched/core'

// Policies to test the kit with: a sound one, and ones that each break one law.

const noOptions: OptionsSchema<unknown> = { '~standard': { version: 1, vendor: 'test', validate: (value) => ({ value }) } }

/** A policy that does in a round what the function says; `make` is called once per run. */
export function policyOf(make: () => (round: Round, jobs: readonly JobId[]) => void, also: Partial<Policy> = {}): Plug<'policy'> {
  return definePolicy({
    name: 'test',
    summary: 'what the test says',
    options: noOptions,
    create: () => {
      const jobs: JobId[] = []
      const schedule = make()
      return {
        ...also,
        onSubmit: (job) => void jobs.push(job),
        onFinish: (job) => void jobs.splice(jobs.indexOf(job), 1),
        schedule: (round) => schedule(round, jobs),
      }
    },
  }).plug({})
}

/** Starts a job's tasks on the nodes in sight while they fit. */
export function startAll(round: Round, job: JobId): void {
  const { work, lane, nodes, cluster } = round
  for (const node of nodes) {
    let starts = true
    while (starts && work.unplaced(job, lane) > 0 && round.fits(job, node)) starts = round.claim(work.taskFor(job, lane, node, cluster.levels) as TaskId, node)
  }
}

/** Jobs by submission, each as far as there is room. */
export const inOrder = (): Plug<'policy'> =>
  policyOf(() => (round, jobs) => {
    for (const job of jobs) startAll(round, job)
  })

/** Kills one running task of the first job now and then; the sound kind of eviction. */
export const evicting = (): Plug<'policy'> =>
  policyOf(() => {
    let evictions = 0
    return (round, jobs) => {
      const running: TaskId[] = []
      const [first] = jobs
      if (first !== undefined) round.work.runningTasks(first, round.lane, running)
      const [task] = running
      if (task !== undefined && evictions < 3 && round.now > round.work.started(task)) {
        evictions++
        round.evict(task)
      }
      for (const job of [...jobs].reverse()) startAll(round, job)
    }
  }, { wantsNode: () => true })
