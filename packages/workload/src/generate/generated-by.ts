import { SchedError, type GeneratedWorkload, type JobSource, type JobSpec, type Plug } from '@sched/core'
import { checkJob } from '../native/check-job.js'
import { BadLine } from '../trace/format.js'
import { JobSequence } from '../trace/job-sequence.js'
import { generators } from './generators.js'

/** What a generator makes on a seed. Each job of a plug-in is checked as it is drawn, as those of a trace are; the check throws `BAD_INPUT`. */
export function generatedBy(plug: Plug<'generator'>, seed: number): GeneratedWorkload {
  const workload = plug.create({ seed })
  if (generators.some(({ generator }) => generator === plug.name)) return workload
  return { ...workload, open: () => new CheckedSource(plug.name, workload.open()) }
}

class CheckedSource implements JobSource {
  readonly more?: NonNullable<JobSource['more']>
  readonly ended?: NonNullable<JobSource['ended']>
  readonly #sequence = new JobSequence(10_000_000)

  constructor(
    private readonly generator: string,
    private readonly source: JobSource,
  ) {
    if (source.more !== undefined) this.more = () => source.more!()
    if (source.ended !== undefined) this.ended = (id, now) => this.#checked(source.ended!(id, now), false)
  }

  next(): JobSpec | undefined {
    return this.#checked(this.source.next(), this.ended === undefined)
  }

  /** In a closed loop times follow the run, which checks their order itself. */
  #checked(job: JobSpec | undefined, inOrder: boolean): JobSpec | undefined {
    if (job === undefined) return undefined
    try {
      checkJob(job)
      if (inOrder) this.#sequence.check(job)
      return job
    } catch (error) {
      if (!(error instanceof BadLine)) throw error
      const { field = 'job', fact } = error
      throw new SchedError('BAD_INPUT', `a job of the generator "${this.generator}" is wrong: ${field}: ${fact}`, {}, 'That is for its author to mend.')
    }
  }
}
