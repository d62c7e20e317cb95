import { withoutShares, type QueueTable, type SettingsRow } from '../queue-rows.js'
import { asWritten, type Setting } from '../setting.js'
import type { SlurmConf } from './conf.js'
import type { Entity } from './database.js'

/** Partitions, and what the database says of QOS, accounts and users. */
export const slurmTable = (conf: SlurmConf): QueueTable => withoutShares([...partitionRows(conf), ...databaseRows(conf)])

/** Settings that are of no single queue, as written. */
export const slurmGeneral = ({ general }: SlurmConf): Record<string, string> => asWritten([...general.values()].flatMap(eachParameter))

/** Settings as Slurm's manual writes them, which may be written in any case. */
const partitionSettings = new Map(['PriorityTier', 'PriorityJobFactor', 'MaxTime', 'State', 'Nodes'].map((name) => [name.toLowerCase(), name]))

const partitionRows = ({ partitions }: SlurmConf): SettingsRow[] =>
  partitions.map(({ name, settings }) => {
    const tier = settings.get('priority')?.value
    const written = [...settings].map(([key, setting]) => [partitionSettings.get(key) ?? setting.name, setting.value] as const)
    const own = tier === undefined ? written : [['PriorityTier', tier] as const, ...written.filter(([key]) => key !== 'PriorityTier')]
    return { path: name.value, depth: 0, isParent: false, settings: Object.fromEntries(own) }
  })

/** QOS, accounts, and the users who have a setting of their own but shares. */
const databaseRows = ({ database: { qos, accounts, users } }: SlurmConf): SettingsRow[] => [
  ...qos.map((each) => databaseRow(`QOS ${each.name}`, each)),
  ...accounts.map((each) => databaseRow(`account ${each.name}`, each)),
  ...users.map((each) => databaseRow(`user ${each.name} in ${each.parent}${each.partition === undefined ? '' : `, partition ${each.partition}`}`, each)).filter(({ settings }) =>
    Object.keys(settings).some((name) => !/^(fairshare|share|defaultaccount|adminlevel|cluster|partition)$/i.test(name))),
]

const databaseRow = (path: string, { settings }: Entity): SettingsRow => ({ path, depth: 0, isParent: false, settings: asWritten(settings) })

/** The list of parameters of Slurm's schedulers is told one by one, as findings are; a flag is `yes`. */
function eachParameter({ name, value }: Pick<Setting, 'name' | 'value'>): Pick<Setting, 'name' | 'value'>[] {
  if (name.toLowerCase() !== 'schedulerparameters') return [{ name, value }]
  return value.split(',').filter((each) => each.trim() !== '').map((each) => {
    const [parameter = '', set = 'yes'] = each.split('=').map((part) => part.trim())
    return { name: `${name} ${parameter}`, value: set }
  })
}
