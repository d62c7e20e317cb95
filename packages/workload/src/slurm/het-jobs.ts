import { isFollower, ownValue, type JobEvent, type JobSpec } from '@sched/core'
import type { JoinsJobs } from '../accounting/records.js'
import { longestOf } from '../critical-path.js'
import type { RuleCount } from '../trace/facts.js'

const PART = /^(.+)\+(\d+)((?:#\d+)?)$/

/** A job that was made of the record of a part. */
interface Part {
  readonly base: string
  readonly offset: number
  /** Suffix that tells the runs of a requeued job apart. */
  readonly run: string
  /** When it was submitted; the same time for all parts of a run. */
  readonly submitted: number
  readonly job: JobSpec
}

/**
 * Joins heterogeneous jobs, whose parts (`123+0`, `123+1`) are consecutive in Slurm's records. They become one job that is one gang, `123`, with the
 * stages of its parts in the order of the records. Every part runs for its own time, on nodes of its own partition if these are known. The job's
 * estimate is the longest of its parts' estimates, if all have one; a part with a shorter one keeps its own. Licences are added up; everything else
 * is that of the first part. A part whose other parts were left out or are not consecutive is a job of its own.
 *
 * Source: Slurm, "Heterogeneous Job Support".
 */
export class HetJobs implements JoinsJobs {
  #parts: Part[] = []
  /** By the id of a part: the id of the whole job. */
  readonly #wholes = new Map<string, string>()
  #joined = 0
  #alone = 0
  #ofSeveral = 0

  take(job: JobSpec, submitted: number): JobSpec[] {
    const [, base = '', offset = '', run = ''] = PART.exec(job.id) ?? []
    const ended = this.#parts.length > 0 && this.#parts[0]!.base === base ? [] : this.end()
    const own = this.#behindWhole(job)
    if (base === '') return [...ended, own]
    this.#parts.push({ base, offset: Number(offset), run, submitted, job: own })
    return ended
  }

  end(): JobSpec[] {
    const runs = new Map<number, Part[]>() // every run of a requeued job has its own submit time
    for (const part of this.#parts) runs.set(part.submitted, [...(runs.get(part.submitted) ?? []), part])
    this.#parts = []
    return [...runs.values()].map((parts) => this.#jobOf(parts))
  }

  rules(): RuleCount[] {
    return [
      { rule: 'hetJobs', jobs: this.#joined, text: 'made of the parts of a heterogeneous one (<id>+0, <id>+1, ...), which start together; hetjobs: apart makes each part a job' },
      { rule: 'hetQueues', jobs: this.#ofSeveral, text: 'with parts in several queues: in that of the first; on nodes of their own partitions if a slurm.conf names these' },
      { rule: 'hetAlone', jobs: this.#alone, text: 'made of the only part of a heterogeneous one that is read' },
    ].filter(({ jobs }) => jobs > 0)
  }

  /** A job that waits for a part waits for the whole job. Which parts were joined is only known here, since a part may have remained alone. */
  #behindWhole(job: JobSpec): JobSpec {
    if (!isFollower(job) || this.#wholes.size === 0) return job
    const { after, afterAll, afterAny } = job
    const whole = (id: string) => this.#wholes.get(id) ?? id
    const named = (events: readonly JobEvent[]) => events.map((event) => ({ ...event, job: whole(event.job) }))
    return { ...job, ...(after !== undefined && { after: whole(after) }), ...(afterAll && { afterAll: named(afterAll) }), ...(afterAny && { afterAny: named(afterAny) }) }
  }

  #jobOf(parts: readonly Part[]): JobSpec {
    const [{ base, run, job: first }] = parts as [Part]
    if (parts.length === 1) {
      this.#alone++
      return first
    }
    this.#joined++
    const jobs = parts.map(({ job }) => job)
    for (const job of jobs) this.#wholes.set(job.id, `${base}${run}`)
    if (jobs.some(({ queue }) => queue !== first.queue)) this.#ofSeveral++
    const { estimate: _, recorded, topology: ___, ...rest } = first
    const estimates = jobs.map(({ estimate = Infinity }) => estimate)
    const longest = Math.max(...estimates)
    const ran = jobs.map((job) => job.recorded?.runtime ?? runtimeOf(job))
    const isCut = Math.max(...ran) !== Math.max(...jobs.map(runtimeOf))
    const { runtime: __, cpuTime: ____, mem: _____, ...record } = recorded ?? {}
    return {
      ...rest,
      id: `${base}${run}`,
      ...licensesOf(jobs),
      ...(longest < Infinity && { estimate: longest }),
      recorded: { ...record, ...(isCut && { runtime: Math.max(...ran) }) },
      gang: true,
      stages: parts.flatMap(({ offset, job: { partition, estimate, topology, stages } }) => {
        const own = partition === undefined || partition === first.partition ? {} : { partition }
        const limit = estimate === undefined || estimate === longest ? {} : { estimate }
        return stages.map((stage) => ({ ...stage, name: `+${offset}`, gang: true, ...limit, ...own, ...(topology !== undefined && { topology }) }))
      }),
    }
  }
}

const runtimeOf = ({ stages }: JobSpec): number => Math.max(...stages.map(({ duration }) => longestOf(duration)))

function licensesOf(jobs: readonly JobSpec[]): Pick<JobSpec, 'licenses'> {
  const sums: Record<string, number> = {}
  for (const { licenses = {} } of jobs) for (const [name, amount] of Object.entries(licenses)) sums[name] = (ownValue(sums, name) ?? 0) + amount
  return Object.keys(sums).length === 0 ? {} : { licenses: sums }
}
