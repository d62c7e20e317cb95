import { runningTasks, type JobId, type LaneId, type Seconds, type TaskId, type WorkView } from '@sched/core'
import type { Unit } from './victims.js'

/**
 * The units in which running tasks are preempted. A gang is one unit, with the tasks that it can do without; these may also go task by task. Of
 * other jobs each task is a unit. Valid until something starts or goes.
 *
 * Source: kube-scheduler, preemption/types.go (getCrossNodesVictims). Deviations: what a gang has beyond its `minTasks` goes task by task; in
 * kube-scheduler it is part of the group, or the whole group goes task by task, as its disruption mode says. A job of which one task must run goes
 * task by task, and preempts so, too; in kube-scheduler such a group (`minCount: 1`, or the policy `basic`) preempts as one.
 */
export class Units {
  readonly #work: WorkView
  readonly #lane: LaneId
  readonly #ofGangs = new Map<TaskId, Unit>()
  readonly #jobs = new Set<JobId>()

  constructor(work: WorkView, lane: LaneId) {
    this.#work = work
    this.#lane = lane
  }

  of(task: TaskId): Unit {
    const job = this.#work.jobOf(task)
    if (this.#work.areGangs && !this.#jobs.has(job)) this.#read(job)
    return this.#ofGangs.get(task) ?? this.#unit([task], false)
  }

  #read(job: JobId): void {
    this.#jobs.add(job)
    const gangs = new Map<number, TaskId[]>()
    for (const task of runningTasks(job, this.#lane, this.#work)) gangs.set(this.#work.gangOf(task), [...(gangs.get(this.#work.gangOf(task)) ?? []), task])
    for (const tasks of gangs.values()) this.#readGang(tasks)
  }

  #readGang(tasks: readonly TaskId[]): void {
    const core = tasks.filter((task) => this.#work.inGang(task))
    if (core.length === 0) return
    const others = tasks.filter((task) => !this.#work.inGang(task))
    const gang = { ...this.#unit(core, true), others }
    for (const task of core) this.#ofGangs.set(task, gang)
    for (const task of others) this.#ofGangs.set(task, { ...this.#unit([task], true), needs: core[0] as TaskId })
  }

  #unit(tasks: readonly TaskId[], isOfGang: boolean): Unit {
    const started = tasks.map((task) => this.#work.started(task)).reduce((first: Seconds, time) => (time < first || Number.isNaN(time) ? time : first), Infinity)
    const job = this.#work.jobOf(tasks[0] as TaskId)
    return { tasks, others: [], priority: this.#work.priority(job), rank: this.#work.rank(job), started, isOfGang }
  }
}
