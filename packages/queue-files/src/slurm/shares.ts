import type { Findings } from '../finding.js'
import type { SlurmConf } from './conf.js'
import { keyAndValue } from './database-settings.js'
import type { Entity } from './database.js'
import type { Setting } from '../setting.js'

/** Accounts and users with their shares, as `multifactor` takes them. */
interface Shares {
  shares?: number
  users?: Record<string, number>
  accounts?: Record<string, Shares>
}

/** The tree of accounts with shares, `undefined` without one. A share that is that of the account (`parent`) counts as 1. */
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
    if (around !== undefined && each.parent !== 'root') (around.users ??= {})[each.name] = shareOf(each)
  }
  const isParent = [...accounts, ...users].some((each) => /^parent$/i.test(settingOf(each)?.value ?? ''))
  findings.add(isParent ? 'approximated' : 'honoured', first, `${first.name} of ${accounts.length + users.length} associations`, '', isParent ? 'whoever has the shares of the parent has 1' : '')
  return made.get('root')?.accounts ?? {}
}

const settingOf = ({ settings }: Entity): Setting | undefined => settings.find((setting) => ['fairshare', 'share', 'shares'].includes(keyAndValue(setting)[0]))

function shareOf(entity: Entity): number {
  const value = settingOf(entity)?.value ?? '1'
  return /^\d+$/.test(value) ? Number(value) : 1
}
