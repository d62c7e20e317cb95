import { None, type JobId, type Seconds, type StageSpec, type TaskId } from '@sched/core'
import type { Attempts } from './attempts.js'
import { checkAmounts, checkFractions, checkTimes } from './checks.js'
import { FreeNodes } from './free-nodes.js'
import { PeriodicRule } from './periodic-rule.js'
import type { Copy, SpeculationRule } from './rule.js'

/** Limits of the rule of Hadoop 0.20 and 1. */
export interface Hadoop1Speculation {
  readonly rule: 'hadoop1'
  /** Names of the stages of which tasks may be copied; default: all but masters. */
  readonly stages?: readonly string[] | undefined
  /** How far the progress of a task must be behind the mean of its stage, in [0, 1]; default 0.2. SPECULATIVE_GAP. */
  readonly gap?: number | undefined
  /** Seconds since the job was submitted, at least 0; default 60. SPECULATIVE_LAG. */
  readonly minAge?: Seconds | undefined
  /** Seconds between two looks at the tasks of a job, > 0; default 3, after which a node of Hadoop 0.20 asks for tasks again. */
  readonly interval?: Seconds | undefined
}

/**
 * Where no task of a stage waits, nodes with room get copies of tasks whose progress is at least 0.2 behind the mean of their stage. A task that is
 * done counts 1, and one with two attempts counts the better one. There is one copy of a task at a time, not on its node, and no other limit.
 *
 * Source: TaskInProgress.hasSpeculativeTask and JobInProgress.findSpeculativeTask of Hadoop 0.20 and 1.2.1. The age is that of the job, as there: the
 * start time that it is counted from is when the job's tasks were listed, not when the task started. Hadoop 0.21 had a rule of its own, made of that of
 * LATE, and became neither Hadoop 1 nor 2.
 * Deviations: progress is linear in time. Tasks are gone through by index, not by how near a node is. Nodes do not ask one by one: every few seconds
 * copies are made for those with room, and where the scheduler gives this room to others, they are taken back. Nodes where a task has failed may run it.
 */
export class Hadoop1Rule extends PeriodicRule implements SpeculationRule {
  readonly #attempts: Attempts
  readonly #gap: number
  readonly #minAge: Seconds

  /** Throws `BAD_INPUT` for invalid options. */
  constructor({ gap = 0.2, minAge = 60, interval = 3 }: Hadoop1Speculation, attempts: Attempts) {
    super(interval)
    checkFractions({ gap })
    checkAmounts({ minAge })
    checkTimes({ interval })
    this.#attempts = attempts
    this.#gap = gap
    this.#minAge = minAge
  }

  mostCopies({ tasks }: StageSpec): number {
    return tasks
  }

  copies(stage: number, now: Seconds): readonly Copy[] {
    const attempts = this.#attempts
    const { work, cell } = attempts
    if (work.stageUnplaced[stage] !== 0 || now - work.submitted(work.stageJob[stage] as JobId) < this.#minAge) return []
    const free = new FreeNodes(cell, attempts.asks(stage))
    if (!free.areAny) return []
    const mean = this.#meanProgress(stage, now)
    const copies: Copy[] = []
    for (const task of attempts.uncopied(stage)) {
      if (mean - attempts.progress(task, now) < this.#gap) continue
      const bars = new Set([attempts.nodeOf(task)])
      if (free.take(bars)) copies.push({ task, bars })
    }
    return copies
  }

  #meanProgress(stage: number, now: Seconds): number {
    const attempts = this.#attempts
    const { stageFirst, stageTasks, stageDone } = attempts.work
    const [first, tasks] = [stageFirst[stage] as number, stageTasks[stage] as number]
    let sum = stageDone[stage] as number
    for (let task = first as TaskId; task < first + tasks; task++) sum += Math.max(this.#progressOf(task, now), this.#progressOf(attempts.work.otherAttempt(task), now))
    return sum / tasks
  }

  #progressOf(task: TaskId | None, now: Seconds): number {
    return task !== None && this.#attempts.isRunning(task) ? this.#attempts.progress(task, now) : 0
  }
}
