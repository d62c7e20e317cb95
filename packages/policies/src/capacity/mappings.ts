import * as z from '@sched/bundled/zod'

/** A rule in the form of Hadoop's JSON format. */
const mappingRule = z.strictObject({
  user: z.string().optional().describe('user it is for, * for all; default, without a group: all'),
  group: z.string().optional().describe('group it is for'),
  queue: z.string().optional().describe('queue that it gives, with %user, %primary_group, %specified and %default for names; absent, without a defaultQueue: the job is refused'),
  defaultQueue: z.string().optional().describe('queue that %default and a fallback to default mean in the rules behind this one, which gives no queue itself; names of the job as in queue'),
  create: z.boolean().default(true).describe('whether the queue may be made for it, where its parent makes queues'),
  fallback: z.enum(['skip', 'default', 'reject']).default('skip').describe('what happens where there is no such queue: the next rule, the default queue, or the job is refused'),
})
export const mappingOption = z.union([z.string(), mappingRule])
export type MappingOption = z.output<typeof mappingOption>

/** A rule that gives jobs their queue. */
export interface Mapping extends z.output<typeof mappingRule> {
  readonly kind: 'u' | 'g'
  /** The user or group it is for; `%user`: any user. */
  readonly source: string
}

/** Reads `u:USER:QUEUE` or `g:GROUP:QUEUE` (Hadoop's `queue-mappings`), or a rule; `undefined` for anything else. */
export function readMapping(option: MappingOption): Mapping | undefined {
  if (typeof option === 'object') {
    const { user = '*', group } = option
    return group === undefined ? { ...option, kind: 'u', source: user === '*' ? '%user' : user } : { ...option, kind: 'g', source: group }
  }
  const [kind, source, queue, ...rest] = option.split(':').map((part) => part.trim())
  if ((kind !== 'u' && kind !== 'g') || source === undefined || source === '' || queue === undefined || queue === '' || rest.length > 0) return undefined
  return { kind, source, queue, create: true, fallback: 'default' }
}

/** Who submits a job: the user, the group that the log names, and the queue that the job names, if any; `default` counts as none, `root.default` as one. */
export interface Submitter {
  readonly user: string
  readonly group: string | undefined
  readonly specified: string | undefined
}
export type Mapped = { readonly queue: string } | { readonly refused: string } | undefined

/**
 * The queue given by the first mapping that applies; `undefined` if none does. `isThere` says whether jobs may go to a
 * queue, or (`create`) to one that would be made.
 *
 * Source: Hadoop 3, CSMappingPlacementRule.
 */
export function mappedQueue(mappings: readonly Mapping[], submitter: Submitter, isThere: (queue: string, create: boolean) => boolean): Mapped {
  let defaultQueue = 'root.default'
  for (const { kind, source, queue, create, fallback, ...rule } of mappings) {
    const applies = kind === 'g' ? source === submitter.group || (source === '%primary_group' && submitter.group !== undefined) : source === '%user' || source === submitter.user
    if (!applies) continue
    if (rule.defaultQueue !== undefined) {
      defaultQueue = [...namesOf(submitter, defaultQueue)].reduce((path, [name, value]) => path.replaceAll(name, value), rule.defaultQueue)
      continue
    }
    if (queue === undefined) return { refused: 'a mapping refuses it' }
    const target = filledIn(queue, submitter, defaultQueue)
    if (target === undefined) continue
    if (isThere(target, create)) return { queue: target }
    const named = target === '' ? queue : target
    if (fallback === 'reject') return { refused: `a mapping gives it queue ${named}, where it cannot be, and refuses it then` }
    if (fallback === 'default') return { queue: isThere(defaultQueue, false) ? defaultQueue : named }
  }
  return undefined
}

/**
 * Fills in the names of a path: of its parts that are a variable as a whole, as in Hadoop (VariableContext.replacePathVariables). A job whose group is unknown
 * is not mapped by its group. A log names one group per job, which stands for the secondary groups, too. Where a job names no queue, that name is missing
 * from the path, and so no such queue exists.
 */
function filledIn(queue: string, submitter: Submitter, defaultQueue: string): string | undefined {
  const names = namesOf(submitter, defaultQueue)
  const parts = queue.split('.')
  return submitter.group === undefined && parts.some((part) => ofGroup.includes(part)) ? undefined : parts.map((part) => names.get(part) ?? part).join('.')
}

function namesOf({ user, group, specified = '' }: Submitter, defaultQueue: string): ReadonlyMap<string, string> {
  const clean = (name: string) => name.replaceAll('.', '_dot_')
  const names = new Map([['%user', clean(user)], ['%specified', specified], ['%default', defaultQueue]])
  if (group !== undefined) for (const variable of ofGroup) names.set(variable, clean(group))
  return names
}
const ofGroup = ['%primary_group', '%secondary_group']
