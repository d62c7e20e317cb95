import { knownWords } from '@sched/core'
import type { Findings } from '../finding.js'
import { accountTree } from './account-tree.js'
import { wholeOf, type SlurmConf } from './conf.js'
import { NOT_ENFORCED } from './database-limits.js'
import { keyAndValue } from './database-settings.js'
import type { Entity } from './database.js'
import { areLimitsEnforced } from './limits.js'
import { flagsOf } from './options.js'
import { UNLIMITED } from './times.js'
import type { Setting } from '../setting.js'

type Names = Readonly<Record<string, string>>
type Options = Record<string, unknown>

const ofAssociation = knownWords<string>({ grpjobsaccrue: 'GrpJobsAccrue', maxjobsaccrue: 'MaxJobsAccrue' })
const ofQos = knownWords<string>({
  grpjobsaccrue: 'GrpJobsAccrue', maxjobsaccruepa: 'MaxJobsAccruePerAccount', maxjobsaccrueperaccount: 'MaxJobsAccruePerAccount', maxjobsaccrueperacct: 'MaxJobsAccruePerAccount',
  maxjobsaccrue: 'MaxJobsAccruePerUser', maxjobsaccruepu: 'MaxJobsAccruePerUser', maxjobsaccrueperuser: 'MaxJobsAccruePerUser',
})

/**
 * The limits on how many waiting jobs of a QOS or an association gain age priority at a time, as the order `multifactor` takes them; undefined if there are
 * none. Adds a finding for each setting of a QOS, and one for each setting of all associations together.
 */
export function accrualOf(conf: SlurmConf, findings: Findings): Options | undefined {
  const { qos, accounts, users } = conf.database
  const why = whyNot(conf)
  const tell = (setting: Setting, of: string, count = 1) =>
    findings.add(why === '' ? 'honoured' : 'ignored', setting, `${of}${setting.name}${count === 0 ? '' : ` of ${count} association${count === 1 ? '' : 's'}`}`, count > 1 ? '' : setting.value, why)
  for (const each of qos) for (const setting of settingsOf(each, ofQos)) tell(setting, `QOS ${each.name} `, 0)
  const ofAll = [...accounts, ...users].flatMap((each) => settingsOf(each, ofAssociation))
  for (const name of new Set(ofAll.map(({ name }) => name))) {
    const alike = ofAll.filter((setting) => setting.name === name)
    tell(alike[0] as Setting, '', alike.length)
  }
  if (why !== '') return undefined
  const options = {
    ...filled('qos', Object.fromEntries(qos.flatMap((each) => entryOf(each, ofQos)))),
    ...(ofAll.length > 0 && filled('accounts', treeOf(conf))),
  }
  return Object.keys(options).length === 0 ? undefined : options
}

/** Why these limits have no effect; empty if they have one. */
function whyNot(conf: SlurmConf): string {
  if (!areLimitsEnforced(conf)) return NOT_ENFORCED
  if (!(Number(conf.general.get('priorityweightage')?.value ?? 0) > 0)) return 'age counts for nothing: PriorityWeightAge is 0'
  return flagsOf(conf.general.get('priorityflags')).includes('ACCRUE_ALWAYS') ? 'all jobs grow older: PriorityFlags has ACCRUE_ALWAYS' : ''
}

/** The tree of all accounts. Users without a limit of their own are left out, but not those for a partition, which count apart from the user elsewhere. */
const treeOf = (conf: SlurmConf): Options =>
  accountTree(conf.database, {
    ofAccount: (each) => valuesOf(each, ofAssociation),
    ofUser: (each) => {
      const values = valuesOf(each, ofAssociation)
      return each.partition === undefined && Object.keys(values).length === 0 ? undefined : values
    },
  })

const filled = (key: string, options: Options): Options => (Object.keys(options).length === 0 ? {} : { [key]: options })

const entryOf = (entity: Entity, names: Names): [name: string, values: Options][] => {
  const values = valuesOf(entity, names)
  return Object.keys(values).length === 0 ? [] : [[entity.name, values]]
}

const valuesOf = (entity: Entity, names: Names): Options =>
  Object.fromEntries(settingsOf(entity, names).map((setting) => [names[keyAndValue(setting)[0]] as string, wholeOf(setting)]))

const settingsOf = ({ settings }: Entity, names: Names): Setting[] =>
  settings.filter((setting) => names[keyAndValue(setting)[0]] !== undefined && setting.value !== '' && !UNLIMITED.test(setting.value))
