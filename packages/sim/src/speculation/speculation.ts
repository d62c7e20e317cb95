import { barsOf, type CellState, type Work } from '@sched/cluster'
import { SchedError, type JobId, type JobSpec, type NodeId, type Seconds, type StageSpec, type TaskId } from '@sched/core'
import { EventKind, type EventQueue } from '../event-queue.js'
import { Attempts } from './attempts.js'
import { bad } from './checks.js'
import type { SpeculationRule } from './rule.js'
import { ruleOf, type SpeculationOptions } from './rules.js'

/** What speculation acts on. */
export interface SpeculationEnv {
  readonly work: Work
  readonly cell: CellState
  readonly queue: EventQueue
  /** Whether the ends of tasks move with what else runs. */
  readonly movesEnds: boolean
}

/** A look at a job that is to come. */
interface Look {
  readonly event: number
  readonly time: Seconds
}

/**
 * Speculative execution: looks at the tasks of a job once in a while, and asks for the copies that a rule chooses. A copy is one more pending task of
 * the job, so schedulers need not know of it; whichever attempt is done first ends the other.
 */
export class Speculation {
  /** Names in `stages` that no stage so far has had. */
  readonly unknown: Set<string>
  readonly #stages: ReadonlySet<string> | undefined
  readonly #rule: SpeculationRule
  readonly #attempts: Attempts
  readonly #work: Work
  readonly #queue: EventQueue
  /** By job: the next look at it. */
  readonly #looks = new Map<JobId, Look>()
  /** Jobs that were given up. */
  readonly #over = new Set<JobId>()

  /** Throws `BAD_INPUT` for invalid options. */
  constructor(options: SpeculationOptions, { work, cell, queue, movesEnds }: SpeculationEnv) {
    this.#attempts = new Attempts(work, cell, movesEnds)
    this.#rule = ruleOf(options, this.#attempts)
    this.#stages = options.stages === undefined ? undefined : new Set(options.stages)
    this.unknown = new Set(options.stages)
    this.#work = work
    this.#queue = queue
    work.sparesOf = (spec, stage) => this.#sparesOf(spec, stage)
    if (this.#rule.barsNodes) barsOf(work)
  }

  /** The most copies that a stage may have at once. Throws `BAD_INPUT` for tasks that cannot be copied. */
  #sparesOf(spec: JobSpec, stage: StageSpec): number {
    this.unknown.delete(stage.name)
    if (stage.master === true || this.#stages?.has(stage.name) === false) return 0
    const isGang = stage.gang === true || spec.gang === true
    if (isGang || stage.phases !== undefined)
      throw bad(`stage ${stage.name} of job ${spec.id} ${isGang ? 'is part of a gang' : 'is mouldable'}.`, 'Name in `stages` those of which tasks may be copied, or leave speculation out.')
    return Math.min(stage.tasks, this.#rule.mostCopies(stage))
  }

  /** Forgets what is known under the id of a job that is submitted now. */
  open(job: JobId): void {
    this.#rule.open?.(job)
    this.#over.delete(job)
  }

  /**
   * Throws `BAD_INPUT` for a task that is suspended and may be copied: when its copy was done, it would be gone, and those who suspend tasks expect them
   * to wait.
   */
  refuseToSuspend(task: TaskId): void {
    const work = this.#work
    if (work.stageSpares[work.taskStage[task] as number] === 0) return
    throw new SchedError(
      'BAD_INPUT',
      `suspends tasks of job ${work.name(work.jobOf(task))}, of which others may be copied (speculation).`,
      { field: 'policy' },
      'Name in `stages` of `speculation` those of other jobs, or let preempted jobs start anew.',
    )
  }

  /** Looks at a job no more: it has left or was given up. */
  leave(job: JobId): void {
    const look = this.#looks.get(job)
    if (look !== undefined) this.#queue.cancel(look.event)
    this.#looks.delete(job)
    this.#over.add(job)
  }

  /** A run starts that ends at `end` if it does not fail. */
  starts(run: number, end: Seconds): void {
    this.#attempts.starts(run, end)
  }

  /** Tasks of a job have started. */
  started(job: JobId, now: Seconds): void {
    this.#lookAt(job, this.#rule.afterNews(now))
  }

  /** An attempt of a task has stopped before it was done. */
  stopped(job: JobId, now: Seconds): void {
    if (this.#rule.isPrompt) this.#lookAt(job, this.#rule.afterNews(now))
  }

  /** A task is done, by an attempt on this node that took so many seconds. */
  done(stage: number, node: NodeId, seconds: Seconds, now: Seconds): void {
    this.#rule.done?.(stage, node, seconds)
    this.#lookAt(this.#work.stageJob[stage] as JobId, this.#rule.afterNews(now))
  }

  #lookAt(job: JobId, time: Seconds): void {
    const next = this.#looks.get(job)
    if (next !== undefined && !(this.#rule.isPrompt && time < next.time)) return
    if (time === Infinity || this.#over.has(job) || !this.#isWorthALook(job)) return
    if (next !== undefined) this.#queue.cancel(next.event)
    this.#looks.set(job, { event: this.#queue.push(time, EventKind.Look, job), time })
  }

  /** Whether enough tasks of a stage that may be copied are done and others are not. */
  #isWorthALook(job: JobId): boolean {
    const { jobFirstStage, jobStages, stageSpares, stageDone, stageTasks } = this.#work
    const first = jobFirstStage[job] as number
    for (let stage = first; stage < first + (jobStages[job] as number); stage++) {
      const [done, tasks] = [stageDone[stage] as number, stageTasks[stage] as number]
      if ((stageSpares[stage] as number) > 0 && done < tasks && done >= this.#rule.leastDone(tasks)) return true
    }
    return false
  }

  /** Looks at the tasks of a job, and again after a while if any runs. Returns whether there are new copies. */
  look(job: JobId, now: Seconds): boolean {
    const work = this.#work
    const rule = this.#rule
    this.#looks.delete(job)
    let copies = 0
    for (const stage of this.#attempts.stagesOf(job)) {
      if (work.stageSpares[stage] === 0) continue
      if (rule.isForNow) work.retireWaitingCopies(stage)
      for (const { task, bars } of rule.copies(stage, now)) if (work.addCopy(task, bars)) copies++
    }
    const next = rule.afterLook(now, copies)
    if (work.startedOf(job)[Symbol.iterator]().next().done !== true) this.#lookAt(job, next)
    return copies > 0
  }
}
