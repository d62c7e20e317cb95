import type { RuleCount } from '../trace/facts.js'
import { BadLine } from '../trace/format.js'

/** Most tasks that Slurm allows an array to have (`MaxArraySize`). */
const MOST_TASKS = 4_000_001

/**
 * Splits the record of the waiting tasks of an array: Slurm keeps one record for all, and `123_[4-7,9%2]` stands for `123_4` to `123_7` and `123_9`.
 * `ArrayThrottles` reads how many of them may run at once (`%2`). If Slurm has cut the list short (`...`), the record counts as one job.
 *
 * Source: Slurm, `src/sacct/print.c` (`PRINT_JOBID`), job arrays.
 */
export class WaitingArrays {
  #tasks = 0
  #cut = 0

  /** Ids of the jobs that a record stands for; mostly only its own. Throws `BadLine` for more tasks than an array may have. */
  idsOf({ id, state }: { readonly id: string; readonly state: string }): readonly string[] {
    const at = id.indexOf('_[')
    if (at < 0 || state !== 'pending') return [id]
    const tasks = tasksOf(id.slice(at + 2))
    if (tasks === undefined) {
      this.#cut++
      return [id]
    }
    this.#tasks += tasks.length
    return tasks.map((task) => `${id.slice(0, at)}_${task}`)
  }

  rules(): RuleCount[] {
    return [
      { rule: 'waitingTasks', jobs: this.#tasks, text: 'that are tasks of a waiting array, which has one record for all' },
      { rule: 'cutArrays', jobs: this.#cut, text: 'that stand for a waiting array whose record does not list all tasks: one job each' },
    ].filter(({ jobs }) => jobs > 0)
  }
}

/** Id of the array of which an id names a task: 123 of `123_4`. */
export const arrayOf = (id: string): string | undefined => /^(\d+)_\d+$/.exec(id)?.[1]

/** The tasks in a list such as `4-7,9]` or `0-20:5%2]`; `undefined` if it is something else. */
function tasksOf(text: string): number[] | undefined {
  const list = /^([\d,:-]+)(?:%\d+)?\]$/.exec(text)?.[1]
  if (list === undefined) return undefined
  const tasks: number[] = []
  for (const range of list.split(',')) {
    const [, from, to = from, step = '1'] = /^(\d{1,8})(?:-(\d{1,8})(?::(\d{1,8}))?)?$/.exec(range) ?? []
    if (from === undefined || Number(step) === 0) return undefined
    if (tasks.length + (Number(to) - Number(from)) / Number(step) > MOST_TASKS) throw new BadLine('JobID', `found ${range}, more tasks than an array may have (${MOST_TASKS}).`)
    for (let task = Number(from); task <= Number(to); task += Number(step)) tasks.push(task)
  }
  return tasks
}
