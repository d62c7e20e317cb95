import { withoutShares, type QueueTable, type SettingsRow } from '../queue-rows.js'
import { asWritten, type Setting } from '../setting.js'
import type { SlurmConf } from './conf.js'
import type { Entity } from './database.js'

/** Partitions, QOS, accounts, users and reservations as a table. */
export const slurmTable = (conf: SlurmConf): QueueTable => withoutShares([...partitionRows(conf), ...databaseRows(conf), ...reservationRows(conf)])

/** Settings of no single partition, by name, as written; each word of SchedulerParameters for itself. */
export const slurmGeneral = ({ general }: SlurmConf): Record<string, string> => asWritten([...general.values()].flatMap(eachParameter))

/** Settings under the spelling of Slurm's manual, by name in small letters. */
const partitionSettings = new Map(['PriorityTier', 'PriorityJobFactor', 'MaxTime', 'State', 'Nodes'].map((name) => [name.toLowerCase(), name]))

const partitionRows = ({ partitions }: SlurmConf): SettingsRow[] =>
  partitions.map(({ name, settings }) => {
    const tier = settings.get('priority')?.value
    const written = [...settings].map(([key, setting]) => [partitionSettings.get(key) ?? setting.name, setting.value] as const)
    const own = tier === undefined ? written : [['PriorityTier', tier] as const, ...written.filter(([key]) => key !== 'PriorityTier')]
    return { path: name.value, depth: 0, isParent: false, settings: Object.fromEntries(own) }
  })

const reservationRows = ({ reservations }: SlurmConf): SettingsRow[] =>
  reservations.map(({ name, settings }) => ({ path: `reservation ${name.value}`, depth: 0, isParent: false, settings: asWritten(settings.values()) }))

/** QOS, accounts, and users with a setting other than shares and administrative ones. */
const databaseRows = ({ database: { qos, accounts, users } }: SlurmConf): SettingsRow[] => [
  ...qos.map((each) => databaseRow(`QOS ${each.name}`, each)),
  ...accounts.map((each) => databaseRow(`account ${each.name}`, each)),
  ...users.map((each) => databaseRow(`user ${each.name} in ${each.parent}${each.partition === undefined ? '' : `, partition ${each.partition}`}`, each)).filter(({ settings }) =>
    Object.keys(settings).some((name) => !/^(fairshare|share|defaultaccount|adminlevel|cluster|partition)$/i.test(name))),
]

const databaseRow = (path: string, { settings }: Entity): SettingsRow => ({ path, depth: 0, isParent: false, settings: asWritten(settings) })

/** The setting itself, or for SchedulerParameters one entry for each word of the list; the value of a word without a number is `yes`. */
function eachParameter({ name, value }: Pick<Setting, 'name' | 'value'>): Pick<Setting, 'name' | 'value'>[] {
  if (name.toLowerCase() !== 'schedulerparameters') return [{ name, value }]
  return value.split(',').filter((each) => each.trim() !== '').map((each) => {
    const [parameter = '', set = 'yes'] = each.split('=').map((part) => part.trim())
    return { name: `${name} ${parameter}`, value: set }
  })
}
