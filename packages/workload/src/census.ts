import { isFollower, type Constraints, type Duration, type JobSpec, type Seconds, type StageSpec, type Workload } from '@sched/core'
import type { Capacity, WorkloadSummary } from './workload-summary.js'
import { jobSize, sizeClass, sizeClasses, widthClass, widthClasses } from './size-class.js'
import { criticalPath, meanOf } from './critical-path.js'
import { DistinctIds } from './trace/distinct-ids.js'
import { WeightedValues } from './weighted-values.js'

interface ResourceCount { tasks: number; work: number; largest: number; readonly durations: WeightedValues }

interface ClassCount { jobs: number; tasks: number; readonly work: Record<string, number> }

/** Counts of jobs by class; jobs without a class are not counted. */
class Classes {
  jobs = 0
  readonly #counts: ReadonlyMap<string, ClassCount>

  constructor(labels: readonly string[]) {
    this.#counts = new Map(labels.map((label) => [label, { jobs: 0, tasks: 0, work: {} }]))
  }

  add(label: string | undefined, tasks: number): ClassCount | undefined {
    const count = label === undefined ? undefined : this.#counts.get(label)
    if (count === undefined) return undefined
    this.jobs++
    count.jobs++
    count.tasks += tasks
    return count
  }

  summary(): ({ readonly label: string } & ClassCount)[] {
    return [...this.#counts].flatMap(([label, count]) => (count.jobs === 0 ? [] : [{ label, ...count }]))
  }
}

/** Counts the jobs of a workload, read once. */
export class Census {
  #jobs = 0
  #stages = 0
  #tasks = 0
  #chained = 0
  #ruled = 0
  readonly #constrained = { labels: 0, tolerations: 0, apart: 0 }
  #first = Infinity
  #last = 0
  readonly #users = new DistinctCount()
  readonly #queues = new DistinctCount()
  readonly #gaps = new WeightedValues()
  readonly #sizes = new WeightedValues()
  readonly #paths = new WeightedValues()
  #longest = 0
  readonly #resources = new Map<string, ResourceCount>()
  readonly #classes = { tasks: new Classes(sizeClasses), procs: new Classes(widthClasses), nodes: new Classes(widthClasses) }

  constructor(private readonly workload: Workload) {}

  add(job: JobSpec): void {
    if (this.#jobs > 0) this.#gaps.add(job.submit - this.#last, 1)
    this.#first = Math.min(this.#first, job.submit)
    this.#last = job.submit
    this.#jobs++
    this.#stages += job.stages.length
    if (isFollower(job)) this.#chained++
    this.#addConstraints(job)
    if (job.user !== undefined) this.#users.add(job.user)
    if (job.queue !== undefined) this.#queues.add(job.queue)
    const tasks = job.stages.reduce((sum, stage) => sum + stage.tasks, 0)
    const counts = [
      this.#classes.tasks.add(sizeClass(jobSize(job)), tasks),
      this.#classes.procs.add(widthClass(job, 'procs'), tasks),
      this.#classes.nodes.add(widthClass(job, 'nodes'), tasks),
    ]
    for (const stage of job.stages) this.#addStage(stage, counts)
    this.#tasks += tasks
    this.#sizes.add(tasks, 1)
    const { seconds, stages } = criticalPath(job.stages)
    this.#paths.add(seconds, 1)
    this.#longest = Math.max(this.#longest, stages)
  }

  #addConstraints({ placementRules, stages }: JobSpec): void {
    if (placementRules !== undefined || stages.some((stage) => stage.placementRules !== undefined)) this.#ruled++
    const has = (isSuch: (constraints: Constraints) => boolean): number => Number(stages.some(({ constraints }) => constraints !== undefined && isSuch(constraints)))
    this.#constrained.labels += has(({ require = {}, nodeSelectorTerms }) => nodeSelectorTerms !== undefined || Object.keys(require).length > 0)
    this.#constrained.tolerations += has(({ tolerations = [] }) => tolerations.length > 0)
    this.#constrained.apart += has(({ distinctNodes }) => distinctNodes === true)
  }

  #addStage({ demand, duration, tasks }: StageSpec, classes: readonly (ClassCount | undefined)[]): void {
    for (const [resource, amount] of Object.entries(demand)) {
      if (amount === 0) continue
      const count = this.#resource(resource)
      count.tasks += tasks
      count.largest = Math.max(count.largest, amount)
      const seconds = addDurations(count.durations, duration, tasks)
      count.work += seconds * amount
      for (const each of classes) if (each !== undefined) each.work[resource] = (each.work[resource] ?? 0) + seconds * amount
    }
  }

  #resource(name: string): ResourceCount {
    let count = this.#resources.get(name)
    if (count === undefined) this.#resources.set(name, (count = { tasks: 0, work: 0, largest: 0, durations: new WeightedValues() }))
    return count
  }

  summary(capacity: Capacity): WorkloadSummary {
    const first = this.#jobs === 0 ? 0 : this.#first
    const span = this.#last - first
    const classesBy = (['procs', 'nodes'] as const).find((by) => this.#jobs > 0 && this.#classes[by].jobs === this.#jobs) ?? 'tasks'
    return {
      name: this.workload.name,
      jobs: this.#jobs,
      stages: this.#stages,
      tasks: this.#tasks,
      users: this.#users.size,
      queues: this.#queues.size,
      chained: this.#chained,
      ...(Object.values(this.#constrained).some((jobs) => jobs > 0) && { constrained: { ...this.#constrained } }),
      ...(this.#ruled > 0 && { ruled: this.#ruled }),
      closedLoop: this.workload.open().ended !== undefined,
      firstSubmit: first,
      lastSubmit: this.#last,
      span,
      gaps: { mean: this.#gaps.mean(), median: this.#gaps.median(), max: this.#gaps.max() },
      medianJobTasks: this.#sizes.median(),
      ...(this.#longest > 1 && { criticalPath: { median: this.#paths.median(), max: this.#paths.max(), stages: this.#longest } }),
      resources: [...this.#resources].map(([resource, { tasks, work, largest, durations }]) => {
        const there = capacity[resource]
        const load = there === undefined || span === 0 ? {} : { load: work / (there * span) }
        return { resource, tasks, work, medianDuration: durations.median(), largest, ...load }
      }),
      classesBy,
      classes: this.#classes[classesBy].summary(),
    }
  }
}

/** Adds the durations of a stage's tasks to `values` and returns their sum in seconds; a distribution counts with its mean. */
function addDurations(values: WeightedValues, duration: Duration, tasks: number): Seconds {
  if (typeof duration === 'object' && !('kind' in duration)) {
    let sum = 0
    for (let i = 0; i < duration.length; i++) {
      values.add(duration[i]!, 1)
      sum += duration[i]!
    }
    return sum
  }
  const mean = typeof duration === 'number' ? duration : meanOf(duration)
  values.add(mean, tasks)
  return mean * tasks
}

class DistinctCount {
  readonly #seen = new DistinctIds()
  size = 0

  add(id: string): void {
    if (this.#seen.add(id)) this.size++
  }
}
