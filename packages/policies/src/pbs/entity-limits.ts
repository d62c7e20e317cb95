import { SchedError } from '@sched/core'

/** For whom a limit is: a user, a group, which is the account of jobs here, or all together. */
export type Entity = 'u' | 'g' | 'o'

/** Limits on a number or an amount. */
export interface EntityLimits {
  /** The limit of a user or group by its own name, else that of all who have none of their own; `Infinity`: none. */
  of(entity: Entity, name: string): number
}

/** The name that stands for everybody without a limit of his own. */
const GENERIC = 'PBS_GENERIC'
const LIMIT = /\[\s*([ugpo]):\s*"?([^="\]]+?)"?\s*=\s*(\d+(?:\.\d+)?)([kmgtp]?)([bw]?)\s*\]\s*,?/gi
/** Bytes of a word. */
const WORD = 8
const MIB = 2 ** 20

/**
 * Reads limits as `qmgr` takes them: `[u:PBS_GENERIC=5], [u:ann=2], [g:physics=20], [o:PBS_ALL=100]`. Amounts of memory and those with a unit are bytes or
 * words, and in MiB then. Projects (`p`) are taken for accounts, as groups are. Throws `BAD_OPTION`.
 */
export function entityLimits(text: string, field: string, isMemory = false): EntityLimits {
  const found = new Map<string, number>()
  const left = text.replaceAll(LIMIT, (_, kind: string, name: string, amount: string, unit: string, of: string) => {
    const bytes = 1024 ** ' kmgtp'.indexOf(unit.toLowerCase() || ' ') * (of.toLowerCase() === 'w' ? WORD : 1)
    found.set(keyOf(kind.toLowerCase(), name.trim()), Number(amount) * (isMemory || unit + of !== '' ? bytes / MIB : 1))
    return ''
  })
  if (left.trim() !== '' || found.size === 0)
    throw new SchedError('BAD_OPTION', `found the limit ${JSON.stringify(text)}.`, { field }, 'Write [u:PBS_GENERIC=5], [u:ann=2], [g:physics=20], [o:PBS_ALL=100].')
  return { of: (entity, name) => found.get(keyOf(entity, name)) ?? found.get(keyOf(entity, GENERIC)) ?? Infinity }
}

const keyOf = (kind: string, name: string): string => (kind === 'o' ? 'o' : `${kind === 'p' ? 'g' : kind} ${name}`)
