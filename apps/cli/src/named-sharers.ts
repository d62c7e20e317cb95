import { nearest, type JobId, type JobSpec, type Observer } from '@sched/core'
import { queuePath } from '@sched/policies'

/** Orders that share among users or queues, and where their settings by name stand. */
const sharingOrders: Readonly<Record<string, string>> = {
  drf: 'weights',
  'asset-fairness': 'weights',
  ceei: 'weights',
  wfq: 'weights',
  'round-robin': 'weights',
  'max-min': 'shares',
  'lsf-fairshare': 'shares',
}

/** A part of a policy, and for whom it has settings. */
interface Sharing {
  /** Whether it shares among them, so that it needs some. */
  readonly shares: boolean
  readonly order: string
  readonly field: string
  readonly by: 'user' | 'queue'
  readonly names: readonly string[]
}

/**
 * Whose jobs were submitted in a run, for orders that share among users or queues: nobody's, where the workload names none, and names with
 * settings of which there are no jobs are most often slips; so are queues that pbs-preempting neither declares nor has jobs of, whose jobs are to be preempted.
 */
export class NamedSharers implements Observer {
  readonly #users = new Set<string>()
  readonly #queues = new Set<string>()
  readonly #sharing: readonly Sharing[]
  #namesUsers = false
  #namesQueues = false

  /** For the configuration of a policy. */
  constructor(config: unknown) {
    this.#sharing = sharingIn(config)
  }

  /** Whether there are such parts. */
  get isSharing(): boolean {
    return this.#sharing.length > 0
  }

  onSubmit(_: JobId, job: JobSpec): void {
    this.#note(job)
  }

  onReject(job: JobSpec): void {
    this.#note(job)
  }

  /** What the user should know, by order. */
  warnings(): string[] {
    if (this.#users.size + this.#queues.size === 0) return [] // there was none at all, which is told by itself
    return this.#sharing.flatMap((sharing) => this.#warningsOf(sharing))
  }

  #warningsOf({ shares, order, field, by, names }: Sharing): string[] {
    const seen = by === 'user' ? this.#users : this.#queues
    const stray = names.filter((name) => !seen.has(by === 'queue' ? queuePath(name) : name))
    if (shares && !this.#namesUsers && (by === 'user' || !this.#namesQueues))
      return [`no job names ${by === 'user' ? 'a user' : 'a queue or a user'}, so ${order} has nobody to share among; \`by\` says who shares`]
    if (stray.length === 0) return []
    const close = nearest(stray[0] as string, [...seen].filter((name) => !names.some((each) => queuePath(each) === name || each === name)).map((name) => name.replaceAll('/', '.')))
    return [`${field} of ${order}: no job is of ${by}${stray.length > 1 ? 's' : ''} ${stray.map((name) => `"${name}"`).join(', ')}${close === undefined ? '' : `; did you mean "${close}"?`}`]
  }

  #note({ user, queue }: JobSpec): void {
    this.#namesUsers ||= user !== undefined
    this.#namesQueues ||= queue !== undefined
    this.#users.add(user ?? 'user')
    const parts = queuePath(queue ?? user ?? 'default').split('/')
    for (let length = 1; length <= parts.length; length++) this.#queues.add(parts.slice(0, length).join('/'))
  }
}

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value)

/** The parts of a configuration that have settings for users or queues by name. */
function sharingIn(config: unknown): Sharing[] {
  return partsOf(config).flatMap(([order, options]) => {
    if (order === 'pbs-preempting') return targetsOf(options)
    const field = sharingOrders[order]
    const by = options['by'] ?? 'user'
    if (field === undefined || (by !== 'user' && by !== 'queue')) return []
    const given = options[field]
    return [{ shares: true, order, field, by, names: isRecord(given) ? Object.keys(given) : [] } as const]
  })
}

/** The queues in preempt_targets that are not among the queues of the policy. */
function targetsOf({ preempt_targets: targets, queues }: Readonly<Record<string, unknown>>): Sharing[] {
  if (!isRecord(targets)) return []
  const declared = new Set(isRecord(queues) ? Object.keys(queues) : [])
  const names = [...new Set([...Object.keys(targets), ...Object.values(targets).flat().map(String)])].filter((name) => !declared.has(name))
  return [{ shares: false, order: 'pbs-preempting', field: 'preempt_targets', by: 'queue', names }]
}

/** The parts of a configuration with their options, also those inside others: `drf`, or `{ name: mine, policy: { greedy: { order: { drf: {} } } } }`. */
function partsOf(config: unknown): [string, Readonly<Record<string, unknown>>][] {
  if (typeof config === 'string') return [[config, {}]]
  if (!isRecord(config)) return []
  if ('name' in config) return partsOf(config['policy'])
  return Object.entries(config).flatMap(([name, given]) => {
    const options = isRecord(given) ? given : {}
    return [[name, options] as [string, typeof options], ...['policy', 'order', 'backfillOrder'].flatMap((part) => partsOf(options[part]))]
  })
}
