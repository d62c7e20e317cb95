import { notSimulated, type Verdict } from '../finding.js'
import { listed } from '../setting.js'
import type { SlurmConf } from './conf.js'
import { keyAndValue } from './database-settings.js'

/** What a flag of a QOS is about: its limits, their being percentages, limits of partitions, fair share, or backfill plans. */
type Subject = 'limits' | 'percentages' | 'partitions' | 'shares' | 'plans'

/** A flag: what it is about, or why it has no effect here. */
interface Flag {
  readonly name: string
  readonly about?: Subject
  readonly why?: string
}

/** All flags of QOS. Source: manual page of sacctmgr, Slurm 20 to 25. */
const FLAGS: readonly Flag[] = [
  { name: 'DenyOnLimit', about: 'limits' },
  { name: 'OverPartQOS', about: 'limits' },
  { name: 'NoDecay', about: 'limits' },
  { name: 'UsageFactorSafe', about: 'limits' },
  { name: 'PartitionTimeLimit', about: 'partitions' },
  { name: 'PartitionMaxNodes', about: 'partitions' },
  { name: 'PartitionMinNodes', about: 'partitions' },
  { name: 'NoReserve', about: 'plans' },
  { name: 'EnforceUsageThreshold', about: 'shares' },
  { name: 'RequiresReservation', why: 'there are no reservations in advance' },
  { name: 'Relative', about: 'percentages' },
]
const NAMES = FLAGS.map(({ name }) => name)
const flagOf = (written: string): Flag => FLAGS.find(({ name }) => name.toLowerCase() === written.toLowerCase()) ?? { name: written, why: notSimulated(written, NAMES) }

/** The flags of a list that are about a subject, as Slurm writes them. */
const flagsAbout = (value: string, subject: Subject): string[] => listed(value).map(flagOf).filter(({ about }) => about === subject).map(({ name }) => name)

/**
 * The flags that `slurm-limits` takes: those about the QOS's own limits if these are enforced, those about limits of partitions, that about fair share for a
 * QOS with a threshold, and Relative for a QOS that is the QOS of a partition, for which jobs then may not ask themselves.
 */
export const limitingFlags = (value: string, { isEnforced, isOfPartition, hasThreshold }: { readonly isEnforced: boolean; readonly isOfPartition: boolean; readonly hasThreshold: boolean }): string[] =>
  [...(isEnforced ? flagsAbout(value, 'limits') : []), ...flagsAbout(value, 'partitions'), ...(hasThreshold ? flagsAbout(value, 'shares') : []), ...(isOfPartition ? flagsAbout(value, 'percentages') : [])]

/** The names of the QOS that have a flag. */
export const withFlag = ({ database }: SlurmConf, flag: string): string[] =>
  database.qos.flatMap(({ name, settings }) =>
    (settings.some((setting) => keyAndValue(setting)[0] === 'flags' && listed(setting.value).some((each) => each.toLowerCase() === flag.toLowerCase())) ? [name] : []))

/** The names of the QOS whose jobs get no reservation in backfill plans. */
export const withoutReservations = (conf: SlurmConf): string[] => withFlag(conf, 'NoReserve')

/** What becomes of a list of flags. `idle`: why flags about a subject have no effect, empty if they have one. */
export function verdictOnFlags(value: string, idle: Readonly<Record<Subject, string>>): readonly [verdict: Verdict, note: string] {
  const flags = listed(value).map(flagOf)
  const left = flags.map(({ name, about, why = '' }) => ({ name, why: about === undefined ? why : idle[about] })).filter(({ why }) => why !== '')
  if (left.length === 0) return ['honoured', '']
  const note = flags.length === 1 ? left.map(({ why }) => why) : [`without ${left.map(({ name, why }) => `${name} (${why})`).join(', ')}`]
  return [left.length < flags.length ? 'approximated' : 'ignored', note.join()]
}
