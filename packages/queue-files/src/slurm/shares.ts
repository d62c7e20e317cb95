import type { Findings } from '../finding.js'
import { accountTree } from './account-tree.js'
import type { SlurmConf } from './conf.js'
import { keyAndValue } from './database-settings.js'
import type { Entity } from './database.js'
import type { Setting } from '../setting.js'

/** The shares of an account, and of the users and accounts in it, as `multifactor` takes them. */
interface Shares {
  shares?: Share
  users?: Record<string, Share>
  usersOfPartitions?: Record<string, Record<string, Share>>
  accounts?: Record<string, Shares>
}
type Share = number | 'parent'

/**
 * The tree of accounts with shares (Fairshare); undefined if none is given. `root` has the users that are in no other account. A user with an association for
 * a partition has shares of its own for jobs in that partition. Adds a finding.
 */
export function sharesOf(conf: SlurmConf, findings: Findings): Readonly<Record<string, Shares>> | undefined {
  const { accounts, users } = conf.database
  const [first] = [...accounts, ...users].flatMap((each) => settingOf(each) ?? [])
  if (first === undefined) return undefined
  findings.add('honoured', first, `${first.name} of ${accounts.length + users.length} associations`, '')
  const values = { ofAccount: (each: Entity) => (each.name === 'root' ? {} : { shares: shareOf(each) }), ofUser: shareOf }
  return accountTree(conf.database, values) as Readonly<Record<string, Shares>>
}

const settingOf = ({ settings }: Entity): Setting | undefined => settings.find((setting) => ['fairshare', 'share', 'shares'].includes(keyAndValue(setting)[0]))

/** The number as which `sacctmgr dump` writes Fairshare=parent (SLURMDB_FS_USE_PARENT). */
const USE_PARENT = '2147483647'

function shareOf(entity: Entity): Share {
  const value = settingOf(entity)?.value ?? '1'
  if (value === USE_PARENT || /^parent$/i.test(value)) return 'parent'
  return /^\d+$/.test(value) ? Number(value) : 1
}
