import type { Findings } from '../finding.js'
import { accountTree } from './account-tree.js'
import { wholeOf, type SlurmConf } from './conf.js'
import { settingOf } from './database-settings.js'
import type { Entity } from './database.js'

/**
 * The priorities of associations (Priority) as the order `multifactor` takes them; undefined if none is given or they count for nothing. Adds a finding for all
 * together. `isWeighted`: whether PriorityWeightAssoc is above 0.
 */
export function associationPriorities(conf: SlurmConf, isWeighted: boolean, findings: Findings): Readonly<Record<string, unknown>> | undefined {
  const { accounts, users } = conf.database
  const given = [...accounts, ...users].flatMap((each) => settingOf(each, 'priority') ?? [])
  const [first] = given
  if (first === undefined) return undefined
  findings.add(isWeighted ? 'honoured' : 'ignored', first, `${first.name} of ${given.length} association${given.length === 1 ? '' : 's'}`, '', isWeighted ? '' : 'PriorityWeightAssoc is not given')
  return isWeighted ? accountTree(conf.database, { ofAccount: priorityOf, ofUser: priorityOf }) : undefined
}

function priorityOf(entity: Entity): { readonly priority?: number } {
  const setting = settingOf(entity, 'priority')
  return setting === undefined ? {} : { priority: wholeOf(setting, 0, 2 ** 32 - 1) }
}
