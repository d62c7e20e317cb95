import { ownValue } from '@sched/core'
import type { Findings } from '../finding.js'
import { wholeOf, type SlurmConf } from './conf.js'
import { keyAndValue } from './database-settings.js'
import type { Entity } from './database.js'
import { UNLIMITED } from './times.js'
import type { Setting } from '../setting.js'

type Numbers = Readonly<Record<string, number>>

/**
 * The priority from which on a job of an account or user keeps later jobs back, as `replan` takes it. An association that gives none has that of the
 * nearest account around it. `why`: why these settings have no effect, empty if they have one. Adds a finding.
 */
export function minPrioritiesOfAssociations({ database: { accounts, users } }: SlurmConf, why: string, findings: Findings): Readonly<Record<string, unknown>> {
  const settings = [...accounts, ...users].flatMap((each) => settingOf(each) ?? [])
  const [first] = settings
  if (first === undefined) return {}
  const setting = `${first.name} of ${settings.length} association${settings.length === 1 ? '' : 's'}`
  findings.add(why === '' ? 'honoured' : 'ignored', first, setting, settings.length === 1 ? first.value : '', why)
  if (why !== '') return {}
  const ofAccounts = inherited(accounts)
  const ofUsers: Record<string, Record<string, number>> = {}
  const ofPartitions: Record<string, Record<string, Record<string, number>>> = {}
  for (const user of users) {
    const number = numberOf(user)
    if (user.partition !== undefined) under(under(ofPartitions, user.parent), user.partition)[user.name] = number ?? ownValue(ofAccounts, user.parent) ?? 0 // not what the user has in other partitions
    else if (number !== undefined) under(ofUsers, user.parent)[user.name] = number
  }
  return {
    ...(Object.keys(ofAccounts).length > 0 && { minPrioritiesOfAccounts: ofAccounts }),
    ...(Object.keys(ofUsers).length > 0 && { minPrioritiesOfUsers: ofUsers }),
    ...(Object.keys(ofPartitions).length > 0 && { minPrioritiesOfUsersOfPartitions: ofPartitions }),
  }
}

/** The priority of each account, its own or that of the nearest account around it. No account may lie in itself, which `DatabaseLimits` has checked. */
function inherited(accounts: readonly Entity[]): Numbers {
  const byName = new Map(accounts.map((account) => [account.name, account]))
  return Object.fromEntries(accounts.flatMap((account) => {
    let each: Entity | undefined = account
    while (each !== undefined && numberOf(each) === undefined) each = each.name === 'root' ? undefined : byName.get(each.parent === '' ? 'root' : each.parent)
    const number = each === undefined ? undefined : numberOf(each)
    return number === undefined ? [] : [[account.name, number]]
  }))
}

const settingOf = ({ settings }: Entity): Setting | undefined =>
  settings.find((setting) => /^minprio(thresh|threshold)$/.test(keyAndValue(setting)[0]) && setting.value !== '' && setting.value !== '0' && !UNLIMITED.test(setting.value))

function numberOf(entity: Entity): number | undefined {
  const setting = settingOf(entity)
  return setting === undefined ? undefined : wholeOf(setting, 0, 2 ** 32 - 1)
}

/** The record under a name, which is added if it is not there. */
const under = <T>(all: Record<string, Record<string, T>>, name: string): Record<string, T> => ownValue(all, name) ?? (all[name] = {})
