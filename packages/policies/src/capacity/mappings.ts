/** A rule that gives jobs their queue (Hadoop's `queue-mappings`). */
export interface Mapping {
  readonly kind: 'u' | 'g'
  /** The user or group it is for; `%user`: any user. */
  readonly source: string
  /** The queue; `%user`, `%primary_group` and `%secondary_group` stand for names. */
  readonly queue: string
}

/** Reads `u:USER:QUEUE` or `g:GROUP:QUEUE`; `undefined` for anything else. */
export function readMapping(text: string): Mapping | undefined {
  const [kind, source, queue, ...rest] = text.split(':').map((part) => part.trim())
  if ((kind !== 'u' && kind !== 'g') || source === undefined || source === '' || queue === undefined || queue === '' || rest.length > 0) return undefined
  return { kind, source, queue }
}

/** Who submits a job: a user and the group that the log names, if any. */
export interface Submitter {
  readonly user: string
  readonly group: string | undefined
}

/** The queue that the first mapping which applies gives; `undefined` if none does. */
export function mappedQueue(mappings: readonly Mapping[], submitter: Submitter): string | undefined {
  for (const { kind, source, queue } of mappings) {
    const applies = kind === 'g' ? source === submitter.group || (source === '%primary_group' && submitter.group !== undefined) : source === '%user' || source === submitter.user
    const target = applies ? filledIn(queue, submitter) : undefined
    if (target !== undefined) return target
  }
  return undefined
}

/** A job whose group is not known is not mapped by it. A log names one group per job: it stands for the secondary ones too. */
function filledIn(queue: string, { user, group }: Submitter): string | undefined {
  if (/%(primary|secondary)_group/.test(queue) && group === undefined) return undefined
  return queue.replaceAll('%user', user.replaceAll('.', '_dot_')).replaceAll(/%(primary|secondary)_group/g, (group ?? '').replaceAll('.', '_dot_'))
}
