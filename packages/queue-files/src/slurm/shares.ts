import type { Findings } from '../finding.js'
import type { SlurmConf } from './conf.js'
import { keyAndValue } from './database-settings.js'
import type { Entity } from './database.js'
import type { Setting } from '../setting.js'

/** Accounts and users with their shares, as `multifactor` takes them. */
interface Shares {
  shares?: Share
  users?: Record<string, Share>
  accounts?: Record<string, Shares>
}
type Share = number | 'parent'

/**
 * The tree of accounts with shares, `undefined` without one; `root` has the users that are in no account. A user has those of the association of no partition, or else of the first
 * (Slurm: an association of one partition has shares and usage of its own).
 */
export function sharesOf({ database: { accounts, users } }: SlurmConf, findings: Findings): Readonly<Record<string, Shares>> | undefined {
  const [first] = [...accounts, ...users].flatMap((each) => settingOf(each) ?? [])
  if (first === undefined) return undefined
  const made = new Map<string, Shares>([['root', {}]])
  for (const each of accounts) if (each.name !== 'root') made.set(each.name, { shares: shareOf(each) })
  for (const each of accounts) {
    const around = made.get(each.parent === '' ? 'root' : each.parent)
    if (each.name !== 'root' && around !== undefined) (around.accounts ??= {})[each.name] = made.get(each.name) as Shares
  }
  for (const each of users) {
    const around = made.get(each.parent)
    if (around === undefined) continue
    const inside = (around.users ??= {})
    if (each.partition === undefined || inside[each.name] === undefined) inside[each.name] = shareOf(each)
  }
  findings.add('honoured', first, `${first.name} of ${accounts.length + users.length} associations`, '')
  const { users: atRoot, accounts: inside = {} } = made.get('root') as Shares
  return { ...(atRoot !== undefined && { root: { users: atRoot } }), ...inside }
}

const settingOf = ({ settings }: Entity): Setting | undefined => settings.find((setting) => ['fairshare', 'share', 'shares'].includes(keyAndValue(setting)[0]))

function shareOf(entity: Entity): Share {
  const value = settingOf(entity)?.value ?? '1'
  if (/^parent$/i.test(value)) return 'parent'
  return /^\d+$/.test(value) ? Number(value) : 1
}
