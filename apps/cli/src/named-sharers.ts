import { nearest, type JobId, type JobSpec, type Observer } from '@sched/core'
import { queuePath } from '@sched/policies'

/** Orders that have settings of users or queues by name, and where these stand. */
const settings: Readonly<Record<string, string>> = { drf: 'weights', 'asset-fairness': 'weights', ceei: 'weights', wfq: 'weights', 'round-robin': 'weights', 'max-min': 'shares' }

/** Names for which a policy has settings. */
interface Named {
  readonly order: string
  readonly field: string
  readonly by: 'user' | 'queue'
  readonly names: readonly string[]
}

/** Whose jobs were submitted in a run: for names in a policy of which there are none, most often slips. */
export class NamedSharers implements Observer {
  readonly #users = new Set<string>()
  readonly #queues = new Set<string>()
  readonly #named: readonly Named[]

  /** For the names in the configuration of a policy. */
  constructor(config: unknown) {
    this.#named = namedIn(config)
  }

  /** Whether there are any. */
  get hasNames(): boolean {
    return this.#named.length > 0
  }

  onSubmit(_: JobId, job: JobSpec): void {
    this.#note(job)
  }

  onReject(job: JobSpec): void {
    this.#note(job)
  }

  /** What to say of names that are of no job, by order. */
  warnings(): string[] {
    if (this.#users.size + this.#queues.size === 0) return [] // there was none at all, which is told by itself
    return this.#named.flatMap(({ order, field, by, names }) => {
      const seen = by === 'user' ? this.#users : this.#queues
      const stray = names.filter((name) => !seen.has(by === 'queue' ? queuePath(name) : name))
      if (stray.length === 0) return []
      const close = nearest(stray[0] as string, [...seen].filter((name) => !names.some((each) => queuePath(each) === name || each === name)).map((name) => name.replaceAll('/', '.')))
      return [`${field} of ${order}: no job is of ${by}${stray.length > 1 ? 's' : ''} ${stray.map((name) => `"${name}"`).join(', ')}${close === undefined ? '' : `; did you mean "${close}"?`}`]
    })
  }

  #note({ user, queue }: JobSpec): void {
    this.#users.add(user ?? 'user')
    const parts = queuePath(queue ?? user ?? 'default').split('/')
    for (let length = 1; length <= parts.length; length++) this.#queues.add(parts.slice(0, length).join('/'))
  }
}

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value)

/** Settings by name anywhere in a configuration. */
function namedIn(config: unknown): Named[] {
  if (!isRecord(config)) return []
  return Object.entries(config).flatMap(([order, options]) => {
    const field = settings[order]
    const given = field === undefined || !isRecord(options) ? undefined : options[field]
    const by = isRecord(options) && options['by'] === 'queue' ? 'queue' : 'user'
    return [...(field !== undefined && isRecord(given) ? [{ order, field, by, names: Object.keys(given) } as const] : []), ...namedIn(options)]
  })
}
