import { SchedError, streamKey, suggest, type ArchitectureEnv, type JobSpec, type Scheduler, type WorkListener } from '@sched/core'
import * as z from '@sched/bundled/zod'

/** Options that say which jobs a kind of scheduler gets. */
export const groupOptions = {
  classes: z.array(z.string().min(1)).min(1).optional().describe('classes of the jobs it takes, "*" for all that no other takes; default: the class of its name'),
  count: z.int().positive().optional().describe('schedulers of this kind, among which its jobs are divided; default 1'),
}
export const balance = z.enum(['hash', 'round-robin']).default('hash').describe('how jobs are divided among schedulers of one kind: by a hash of their id, or in turn')
export type Balance = z.output<typeof balance>

export interface GroupOptions {
  readonly classes?: readonly string[] | undefined
  readonly count?: number | undefined
}

/** A kind of scheduler with its schedulers. */
export interface Group<Options> {
  readonly name: string
  readonly options: Options
  readonly schedulers: readonly Scheduler[]
}

const REST = '*'

/**
 * The kinds of schedulers with their options. A number means one kind of that many schedulers that takes all jobs, with the `usual` options;
 * otherwise kinds are given by name, and sorted by it.
 */
export function groupsOf<Options extends GroupOptions>(given: number | Readonly<Record<string, Options>>, name: string, usual: Options): [string, Options][] {
  if (typeof given === 'number') return [[name, { ...usual, classes: [REST], count: given }]]
  return Object.entries(given).sort(([a], [b]) => (a < b ? -1 : 1))
}

/**
 * Assigns jobs to schedulers: to a kind by the job's class, then to a scheduler of the kind by hash or in turn.
 *
 * Source: Schwarzkopf et al., EuroSys 2013, section 2.1 (specialised schedulers, load balancing, or both) and section 5.1 (hash of the job id).
 */
export class Router {
  readonly #what: string
  readonly #byClass = new Map<string, { readonly name: string; readonly schedulers: readonly Scheduler[]; jobs: number }>()
  readonly #balance: Balance
  readonly #warn: (message: string) => void
  #jobs = 0

  constructor(what: string, groups: readonly Group<GroupOptions>[], balance: Balance, env: ArchitectureEnv) {
    this.#what = what
    this.#balance = balance
    this.#warn = (message) => env.warn(message)
    if (groups.length === 0) throw new SchedError('BAD_OPTION', `there is no ${what}.`, { field: `${what}s` }, 'Name at least one, or give their number.')
    for (const { name, options, schedulers } of groups) {
      const route = { name, schedulers, jobs: 0 }
      for (const each of options.classes ?? [name]) this.#add(each, route)
    }
  }

  /** The scheduler of a new job. Throws `BAD_INPUT` for a class that no scheduler takes. */
  route(spec: JobSpec): Scheduler {
    const route = this.#byClass.get(spec.class ?? REST) ?? this.#byClass.get(REST)
    if (route === undefined) throw this.#unknown(spec)
    this.#jobs++
    const turn = route.jobs++
    const { schedulers } = route
    if (schedulers.length === 1) return schedulers[0] as Scheduler
    return schedulers[(this.#balance === 'hash' ? streamKey(0, spec.id) >>> 0 : turn) % schedulers.length] as Scheduler
  }

  /** Warns at the end of a run of schedulers that never got a job. */
  finish(): void {
    if (this.#jobs === 0) return
    for (const route of new Set(this.#byClass.values())) {
      const classes = [...this.#byClass].filter(([, each]) => each === route).map(([name]) => (name === REST ? 'a class that no other takes' : `class "${name}"`))
      if (route.jobs === 0) this.#warn(`${this.#what} "${route.name}" got no job: none was of ${classes.join(' or ')}`)
    }
  }

  #add(each: string, route: { readonly name: string; readonly schedulers: readonly Scheduler[]; jobs: number }): void {
    const other = this.#byClass.get(each)
    if (other !== undefined && other !== route)
      throw new SchedError(
        'BAD_OPTION',
        `both "${other.name}" and "${route.name}" take jobs of class "${each}".`,
        { field: `${this.#what}s.${route.name}.classes` },
        'Let one of them take it; `count` puts several schedulers to one class.',
      )
    this.#byClass.set(each, route)
  }

  #unknown({ id, class: own }: JobSpec): SchedError {
    const known = [...this.#byClass.keys()]
    const fact = own === undefined ? `job ${id} has no class, and no ${this.#what} takes jobs without one.` : `job ${id} is of class "${own}", which no ${this.#what} takes.`
    return new SchedError(
      'BAD_INPUT',
      fact,
      { field: 'class' },
      `${own === undefined ? `Known: ${known.join(', ')}.` : suggest(own, known)} With \`classes: ['*']\` a ${this.#what} takes all others.`,
    )
  }
}

/**
 * Throws `BAD_OPTION` if one of several schedulers has a policy that promises starts (backfilling): it plans over all nodes of the cluster, but
 * others use them, too.
 */
export function refusePromises(what: string, schedulers: readonly Scheduler[]): void {
  const promising = schedulers.find(({ policy }) => policy.promises === true)
  if (schedulers.length < 2 || promising === undefined) return
  const fact = `the policy of ${what} "${promising.name}" promises jobs when they start, planning over all nodes, but there are other ${what}s on them, so no promise could be kept.`
  throw new SchedError('BAD_OPTION', fact, { field: `${what}s` }, `Backfill under monolithic, or with one ${what} alone.`)
}

/** Adds the schedulers of a kind. A single one has the kind's name; several are called `name-0`, `name-1`, ... */
export function addSchedulers(env: ArchitectureEnv, group: string, count: number, listeners: (index: number) => readonly WorkListener[]): Scheduler[] {
  return Array.from({ length: count }, (_, index) => env.addScheduler(count === 1 ? group : `${group}-${index}`, { group, listeners: listeners(index) }))
}
