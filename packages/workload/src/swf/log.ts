import type { Workload } from '@sched/core'
import { factsOf } from '../trace/facts.js'
import { refuseClosedLoop, streamJobs } from '../workload.js'
import { LogSurvey } from './log-survey.js'
import { SwfNumbers } from './numbers.js'
import { swfRows } from './rows.js'
import { swfResultHeader, writeSwfStream } from './write.js'

/** A workload of rigid jobs that was read once and fits the Standard Workload Format. */
export interface SwfLog {
  /** Number of jobs. */
  readonly jobs: number
  /** What the lines cannot express and what changes when they are read again, as sentences with counts. */
  readonly notes: readonly string[]
  /** The lines of the log; the workload is read again for them. `comments` become notes in the header. */
  lines(comments: readonly string[]): AsyncGenerator<string, void, undefined>
}

/**
 * A workload as a log in the Standard Workload Format: its jobs with their recorded waits and use, processors, memory and predecessors. Names of
 * users, queues and the like become numbers, and the header lists the names. Times keep their fractions of a second, which version 2.2 allows. A run
 * time that was cut at the estimate is written as it was recorded, since readers cut it again. Throws `BAD_INPUT` for a job that the format cannot
 * express, and `BAD_OPTION` for a closed loop.
 */
export async function swfLog(workload: Workload): Promise<SwfLog> {
  refuseClosedLoop(workload, 'written to a file')
  const { machine, header, start } = factsOf(workload)
  const numbers = new SwfNumbers()
  const rowOf = swfRows({ numbers, machine })
  const survey = new LogSurvey(machine)
  for await (const job of streamJobs(workload)) survey.add(job, rowOf(job))
  async function* rows() {
    for await (const job of streamJobs(workload)) yield rowOf(job, { wait: job.recorded?.wait, runtime: survey.runtimeOf(job), cpuTime: job.recorded?.cpuTime, mem: job.recorded?.mem })
  }
  const { jobs } = survey
  return {
    jobs,
    notes: survey.notes(),
    lines: (comments) => writeSwfStream(rows(), { header: swfResultHeader({ header, machine, start, jobs, names: numbers.names(), note: comments }), fractions: true }),
  }
}
