import { SchedError } from '@sched/core'
import { slurmResource } from '@sched/policies'
import type { Findings, Verdict } from '../finding.js'
import type { ClusterFacts } from '../queue-policy.js'
import { listed, type Setting } from '../setting.js'
import { accountTree } from './account-tree.js'
import { wholeOf, type SlurmConf } from './conf.js'
import { keyAndValue, limitsOfAssociation, limitsOfQos, whyIgnoredOfAssociation, whyIgnoredOfQos } from './database-settings.js'
import type { Entity } from './database.js'
import { makesPlans } from './options.js'
import { labelOf, markedPartitions } from './partition-nodes.js'
import { limitingFlags, verdictOnFlags, withFlag } from './qos-flags.js'
import { haveThresholds, whyNoThreshold } from './quality.js'
import { checkedLimit, UNLIMITED } from './times.js'
import { isExclusive, isLinear } from './whole-nodes.js'

type Options = Record<string, unknown>

/** How settings of a QOS or an association are read. */
interface Names {
  /** The name that `slurm-limits` has for each setting. */
  readonly names: Readonly<Record<string, string>>
  /** Why each of the other settings has no effect here; empty: there is nothing to say. */
  readonly whyIgnored: Readonly<Record<string, string>>
  /** Amounts are percentages of these totals; absent: they are amounts. */
  readonly ofAll?: Readonly<Record<string, number>> | undefined
}
const OF_QOS: Names = { names: limitsOfQos, whyIgnored: whyIgnoredOfQos }
const OF_ASSOCIATION: Names = { names: limitsOfAssociation, whyIgnored: whyIgnoredOfAssociation }

/** A limit of amounts: its name in `slurm-limits`, its value, and the totals that its amounts are percentages of (undefined: they are amounts). */
interface Amounts {
  readonly name: string
  readonly value: string
  readonly ofAll: Readonly<Record<string, number>> | undefined
}

/** Makes the options of `slurm-limits` of the limits of QOS and associations. Adds findings for all settings. Throws `BAD_INPUT` with the line. */
export class DatabaseLimits {
  readonly #conf: SlurmConf
  readonly #facts: ClusterFacts
  readonly #findings: Findings
  readonly #isEnforced: boolean
  /** Whether shares and past usage count for more than limits. */
  readonly #isByUse: boolean
  /** Findings of settings of associations. There may be thousands of associations, so equal findings are counted and told once. */
  readonly #told = new Map<string, { readonly setting: Setting; readonly verdict: Verdict; readonly note: string; count: number }>()

  constructor(conf: SlurmConf, facts: ClusterFacts, findings: Findings, isEnforced: boolean) {
    this.#conf = conf
    this.#facts = facts
    this.#findings = findings
    this.#isEnforced = isEnforced
    this.#isByUse = conf.general.has('priorityweightfairshare') || haveThresholds(conf)
  }

  /** The limits of each QOS, by name. */
  qos(): Options {
    const relative = withFlag(this.#conf, 'Relative')
    return Object.fromEntries(this.#conf.database.qos.map((entity) => {
      const { name, settings } = entity
      const noThreshold = whyNoThreshold(entity, this.#conf)
      const limits: Options = {}
      const ofAll = relative.includes(name) ? this.#totalsOf(name) : undefined
      for (const setting of settings) {
        const tell = (verdict: Verdict, note = '') => this.#findings.add(verdict, setting, `QOS ${name} ${setting.name}`, setting.value, note)
        if (keyAndValue(setting)[0] === 'flags') this.#flags(setting, { isOfPartition: this.#partitionOf(name) !== undefined, noThreshold }, limits, tell)
        else if (noThreshold !== '' && limitsOfQos[keyAndValue(setting)[0]] === 'UsageThreshold') this.#noThreshold(setting, noThreshold, tell)
        else this.#limit(setting, { ...OF_QOS, ofAll }, limits, tell)
      }
      return [name, limits]
    }))
  }

  /** Tells why a UsageThreshold holds nobody back, where one is given. */
  #noThreshold({ value }: Setting, why: string, tell: (verdict: Verdict, note?: string) => void): void {
    if (value !== '' && !UNLIMITED.test(value) && Number(value) !== 0) tell('ignored', why)
  }

  #flags({ value }: Setting, { isOfPartition, noThreshold }: { readonly isOfPartition: boolean; readonly noThreshold: string }, limits: Options, tell: (verdict: Verdict, note?: string) => void): void {
    const known = limitingFlags(value, { isEnforced: this.#isEnforced, isOfPartition, hasThreshold: noThreshold === '' })
    if (known.length > 0) limits['Flags'] = known
    const percentages = this.#facts.totals === undefined ? 'its limits are taken for amounts, not for percentages, since what nodes have is not known' : ''
    tell(...verdictOnFlags(value, { limits: this.#isEnforced ? '' : NOT_ENFORCED, percentages: this.#isEnforced ? percentages : NOT_ENFORCED, partitions: '', shares: noThreshold, plans: makesPlans(this.#conf) ? '' : 'no plans are made' }))
  }

  /** The totals that amounts of a QOS with the flag Relative are percentages of: those of the partition whose QOS it is, or else of the cluster. */
  #totalsOf(name: string): Readonly<Record<string, number>> | undefined {
    const { totals, totalsWith } = this.#facts
    const partition = this.#partitionOf(name)
    return partition !== undefined && totalsWith !== undefined && markedPartitions(this.#conf, this.#facts).has(partition) ? totalsWith(labelOf(partition)) : totals
  }

  /** The first partition whose QOS this is; undefined if there is none. */
  #partitionOf(name: string): string | undefined {
    return this.#conf.partitions.find(({ settings }) => settings.get('qos')?.value.toLowerCase() === name.toLowerCase())?.name.value
  }

  /** The limits of accounts and of their users, as a tree by name. */
  accounts(): Options {
    const { flat, mixed } = this.#conf.database
    if (flat !== undefined)
      this.#findings.add('approximated', flat, flat.name, flat.value, 'which account lies in which is not told: all lie in the root; print the table with `tree`, or with the column ParentName')
    if (mixed !== undefined)
      this.#findings.add('approximated', mixed, mixed.name, mixed.value, 'associations of all these clusters are taken together, since ClusterName is none of them; print those of one with cluster=NAME')
    const tree = accountTree(this.#conf.database, { ofAccount: (each) => this.#association(each), ofUser: (each) => this.#association(each) })
    for (const { setting, verdict, note, count } of this.#told.values())
      this.#findings.add(verdict, setting, `${setting.name} of ${count} association${count === 1 ? '' : 's'}`, count === 1 ? setting.value : '', note)
    return tree
  }

  #association({ settings }: Entity): Options {
    const limits: Options = {}
    for (const setting of settings) {
      this.#limit(setting, OF_ASSOCIATION, limits, (verdict, note = '') => {
        const key = `${setting.name.toLowerCase()} ${verdict} ${note}`
        const known = this.#told.get(key)
        if (known === undefined) this.#told.set(key, { setting, verdict, note, count: 1 })
        else known.count++
      })
    }
    return limits
  }

  #limit(setting: Setting, { names, whyIgnored, ofAll }: Names, limits: Options, tell: (verdict: Verdict, note?: string) => void): void {
    const [key, value] = keyAndValue(setting)
    if (key === 'partition' && value !== '') return this.#isEnforced || this.#isByUse ? tell('honoured', this.#isEnforced ? '' : `shares alone: ${NOT_ENFORCED}`) : tell('ignored', NOT_ENFORCED)
    const name = names[key]
    if (name === undefined) {
      const why = whyIgnored[key]
      if (why !== '' && value !== '' && value !== '0' && value !== '0.000000' && value !== '1.000000' && value !== '00:00:00') tell('ignored', why ?? 'not simulated')
      return
    }
    if (value === '' || UNLIMITED.test(value) || (name === 'UsageFactor' && Number(value) === 1)) return
    if (!this.#isEnforced && name === 'UsageFactor' && this.#isByUse) return tell('honoured', 'for shares')
    if (name === 'LimitFactor' && !(Number(value) > 0 && Number(value) !== 1)) return
    if (!this.#isEnforced && name !== 'DefaultQOS' && name !== 'QOS' && name !== 'UsageThreshold') return tell('ignored', NOT_ENFORCED)
    if (name.includes('TRES')) return this.#amounts(setting, { name, value, ofAll }, limits, tell)
    limits[name] = name === 'QOS'
      ? listed(value)
      : name === 'DefaultQOS'
        ? value
        : name === 'MaxWall' || name === 'GrpWall'
          ? checkedLimit(setting)
          : name === 'UsageFactor' || name === 'LimitFactor' || name === 'UsageThreshold'
            ? factorOf(setting)
            : wholeOf({ ...setting, value })
    tell('honoured')
  }

  #amounts(setting: Setting, { name, value, ofAll }: Amounts, limits: Options, tell: (verdict: Verdict, note?: string) => void): void {
    const { resources } = this.#facts
    const parts = listed(value)
    const known = parts.filter((part) => /^billing=/i.test(part) || slurmResource(part.split('=')[0] as string, resources) >= 0)
    const bad = parts.find((part) => !/^[^=]+=(-1|\d+(\.\d+)?[KMGTP]?B?)$/i.test(part))
    if (bad !== undefined)
      throw new SchedError(
        'BAD_INPUT',
        `found ${JSON.stringify(bad)}.`,
        { file: setting.file, line: setting.line, field: setting.name },
        'Write amounts as cpu=64,mem=256G.',
      )
    const before = limits[name] as string | undefined
    if (known.length > 0) limits[name] = [...(before === undefined ? [] : [before]), ...known.map((part) => (ofAll === undefined ? part : percentOf(part, ofAll, resources)))].join(',')
    const left = parts.filter((part) => !known.includes(part)).map((part) => part.split('=')[0])
    if (left.length > 0) tell(known.length === 0 ? 'ignored' : 'approximated', `the cluster has no ${left.join(', ')}`)
    else if (known.some((part) => /^gres\/gpu:/i.test(part))) tell('approximated', 'GPUs of all types count, not of that one alone')
    else if (!known.some((part) => part.startsWith('node='))) tell('honoured')
    else if (this.#facts.nodes > 1 && HELD_TOGETHER.test(name)) tell('honoured')
    else if (areWhole(this.#conf)) tell('honoured', WHERE_WHOLE)
    else tell('approximated', `${WHERE_WHOLE}; others count for none`)
  }
}

/** The amount that a percentage means: `cpu=50` is half of the processors, rounded down. Billing has no total, so it stays as it is. */
function percentOf(part: string, ofAll: Readonly<Record<string, number>>, resources: readonly string[]): string {
  const [tres = '', percent = ''] = part.split('=')
  const total = ofAll[resources[slurmResource(tres, resources)] ?? '']
  return total === undefined || !/^\d+(\.\d+)?$/.test(percent) ? part : `${tres}=${Math.floor((total * Number(percent)) / 100)}`
}

function factorOf({ name, value, file, line }: Setting): number {
  if (/^\d+(\.\d+)?$/.test(value)) return Number(value)
  throw new SchedError('BAD_INPUT', `found ${JSON.stringify(value)}, expected a number.`, { file, line, field: name }, 'Correct it, for example 1.5, or leave it out.')
}

/** Whether all jobs get whole nodes. */
const areWhole = (conf: SlurmConf): boolean => (conf.partitions.length === 0 ? isLinear(conf) : conf.partitions.every((each) => isExclusive(each, conf)))

/** Limits on what jobs of a group hold together, of which a node that they share is held once. */
const HELD_TOGETHER = /^(GrpTRES|MaxTRESPerUser|MaxTRESPerAccount)$/
const WHERE_WHOLE = 'where jobs ask for nodes (unit=nodes) or get whole ones'

/** The note for limits of QOS and associations that are not enforced. */
export const NOT_ENFORCED = 'AccountingStorageEnforce does not have limits'
