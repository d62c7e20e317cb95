import type { JobSpec, Seconds } from '@sched/core'
import { moved, waitingFor, withoutWait } from '../moved-job.js'
import type { User, UsersJob } from './users-of-log.js'

/** Collects the jobs of the new workload. */
export class Copies {
  readonly #placed: UsersJob[] = []
  readonly #names = new Names()

  constructor(private readonly period: Seconds, private readonly periods: number) {}

  /** Adds a user who is there all the time: the user's jobs in a log of `cycle` periods, moved by `shift` periods in a circle, and repeated. */
  stay(user: User, shift: number, cycle: number): void {
    const name = this.#names.of('user', user.jobs[0]?.job.user)
    const turned = ({ submit }: JobSpec) => (Math.floor(submit / this.period) + shift) % cycle
    for (let from = 0; from < this.periods; from += cycle) this.#add(user, name, (job) => from + turned(job))
  }

  /** Adds a user who begins in the period `start`. */
  come(user: User, start: number): void {
    this.#add(user, this.#names.of('user', user.jobs[0]?.job.user), ({ submit }) => (Math.floor(submit / this.period) - user.first + start) % this.periods)
  }

  /** Adds the jobs of a user, each in its new period; jobs whose period is beyond the workload are left out. */
  #add(user: User, name: string | undefined, periodOf: (job: JobSpec) => number): void {
    const submitted = new Map<string, { readonly id: string; readonly submit: Seconds }>()
    const arrays = new Map<string, string | undefined>()
    for (const { job, at } of user.jobs) {
      const to = periodOf(job)
      if (to >= this.periods) continue
      const submit = to * this.period + (job.submit - Math.floor(job.submit / this.period) * this.period)
      const id = this.#names.of('job', job.id) as string
      if (job.array !== undefined && !arrays.has(job.array)) arrays.set(job.array, this.#names.of('array', job.array))
      submitted.set(job.id, { id, submit })
      const array = job.array === undefined ? undefined : arrays.get(job.array)
      const copy = { ...withoutWait(moved(job, submit)), id, ...(name !== undefined && { user: name }), ...(array !== undefined && { array }) }
      this.#placed.push({ at, job: waitingFor(copy, (other) => {
        const before = submitted.get(other)
        return before !== undefined && before.submit <= submit ? before.id : undefined
      }) })
    }
  }

  /** All jobs in order of submission; jobs of one instant are in the order of the log. */
  jobs(): JobSpec[] {
    return this.#placed.sort((a, b) => a.job.submit - b.job.submit || a.at - b.at).map(({ job }) => job)
  }
}

/** Makes repeated names unique: `a`, then `a~2`, `a~3`, ... */
class Names {
  readonly #taken = new Set<string>()

  of(kind: 'user' | 'job' | 'array', name: string | undefined): string | undefined {
    if (name === undefined) return undefined
    let free = name
    for (let n = 2; this.#taken.has(`${kind} ${free}`); n++) free = `${name}~${n}`
    this.#taken.add(`${kind} ${free}`)
    return free
  }
}
