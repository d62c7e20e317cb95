import { SchedError, type JobSource, type JobSpec, type Workload } from '@sched/core'

/** Most jobs, and most tasks of a job, as in traces; more would be a mistake. */
const MOST = 10_000_000

/**
 * The workload with a check of each job as it is drawn, because options may have values that give invalid times or numbers. The check throws
 * `BAD_OPTION`.
 */
export function checkedJobs<W extends Workload>(generator: string, workload: W): W {
  return { ...workload, open: () => new CheckedSource(generator, workload.open()) }
}

class CheckedSource implements JobSource {
  readonly ended?: NonNullable<JobSource['ended']>
  #jobs = 0

  constructor(
    private readonly generator: string,
    private readonly source: JobSource,
  ) {
    if (source.ended !== undefined) this.ended = (id, now) => this.#checked(source.ended?.(id, now))
  }

  next(): JobSpec | undefined {
    return this.#checked(this.source.next())
  }

  #checked(job: JobSpec | undefined): JobSpec | undefined {
    const slip = job === undefined ? undefined : ++this.#jobs > MOST ? `more than ${MOST} jobs` : slipOf(job)
    if (slip === undefined) return job
    throw new SchedError('BAD_OPTION', `draws ${slip}.`, { field: this.generator }, 'Choose options that are nearer to their defaults.')
  }
}

function slipOf({ id, submit, stages }: JobSpec): string | undefined {
  if (!isTime(submit)) return `job "${id}" that is submitted at ${submit} s`
  const tasks = stages.reduce((sum, stage) => sum + stage.tasks, 0)
  if (!(tasks <= MOST)) return `job "${id}" of ${tasks} tasks`
  const times = stages.flatMap(({ duration }) => (typeof duration === 'number'
    ? [duration]
    : 'kind' in duration
      ? (duration.kind === 'uniform' ? [duration.min, duration.max] : [duration.mean, duration.shift ?? 0])
      : [...duration]))
  const time = times.find((each) => !isTime(each))
  return time === undefined ? undefined : `job "${id}" with a task of ${time} s`
}

const isTime = (seconds: number): boolean => seconds >= 0 && seconds <= Number.MAX_SAFE_INTEGER
