import { knownWords, SchedError } from '@sched/core'
import { clusterName, unitFactor } from './amounts.js'
import { didYouMean, type Findings } from '../finding.js'
import type { ResourceTypes } from './resource-types.js'
import { saidElsewhere } from './said-elsewhere.js'
import { booleanOf, numberOf } from './site.js'
import type { Setting } from '../setting.js'

/** The settings of the fair scheduler in a yarn-site.xml. Times are in seconds. */
export interface FairSite {
  userAsDefaultQueue: boolean
  allowUndeclaredPools: boolean
  preemption: boolean
  utilizationThreshold: number
  waitBeforeKill: number
  waitBeforeNextCheck: number
  updateInterval: number
  sizeBasedWeight: boolean
  assignMultiple: boolean
  dynamicMaxAssign: boolean
  maxAssign: number
  /** Part of the cluster's nodes that a job passes over while it waits for a node with its data, 0 to 1; -1: it does not wait. */
  localityNode: number
  /** The same while it waits for a rack with its data. */
  localityRack: number
  /** With continuous scheduling, seconds that a job waits for a node with its data; below 0: it does not wait. */
  localityNodeDelay: number
  /** The same for a rack with its data. */
  localityRackDelay: number
  /** Whether scheduling is continuous, not only at heartbeats. */
  continuous: boolean
  /** Part of the nodes that one job may reserve, 0 to 1. */
  reservableNodes: number
  /** A task reserves a node only if it asks for at least this many increments of a resource. */
  reservationMultiple: number
  /** Increments in which tasks get resources, by YARN's names; YARN's defaults where none is given, for reservations. */
  increments: Record<string, number>
  /** Names of the resources whose increment is given. */
  stepped: readonly string[]
}

const defaults: FairSite = {
  userAsDefaultQueue: true, allowUndeclaredPools: true, preemption: false, utilizationThreshold: 0.8, waitBeforeKill: 15, waitBeforeNextCheck: 10, updateInterval: 0.5, sizeBasedWeight: false,
  assignMultiple: false, dynamicMaxAssign: true, maxAssign: -1, localityNode: -1, localityRack: -1, localityNodeDelay: -1, localityRackDelay: -1, continuous: false, stepped: [],
  reservableNodes: 0.05, reservationMultiple: 2, increments: { 'memory-mb': 1024, vcores: 1 },
}

/** Sets a field of the site from a property. */
type Use = (site: FairSite, property: Setting) => void
/** A property of the fair scheduler. */
interface Known {
  /** Absent: ignored. */
  readonly use?: Use
  /** How it is approximated, or why it is ignored. */
  readonly note?: string
}

type Flag = 'userAsDefaultQueue' | 'allowUndeclaredPools' | 'preemption' | 'sizeBasedWeight' | 'assignMultiple' | 'dynamicMaxAssign' | 'continuous'
const flag = (key: Flag): Use => (site, property) => void (site[key] = booleanOf(property))
const part = (key: 'utilizationThreshold' | 'localityNode' | 'localityRack'): Use => (site, property) => void (site[key] = numberOf(property, { least: -1 }))
const milliseconds = (key: 'waitBeforeKill' | 'waitBeforeNextCheck' | 'localityNodeDelay' | 'localityRackDelay'): Use => (site, property) => {
  const value = numberOf(property, { least: -1 })
  site[key] = value < 0 ? value : value / 1000
}
const interval: Use = (site, property) => void (site.updateInterval = Math.max(numberOf(property), 0) / 1000 || defaults.updateInterval) // as in Hadoop, 0 or less is the default
const increment = (resource: string): Use => (site, property) => void (site.increments[resource] ??= numberOf(property, { least: 0 }))
/** Reads an increment that may have a unit, such as `1 Gi`. It overrides the older property of the same resource. */
const typedIncrement = (resource: string): Use => (site, { name, value, file, line }) => {
  const [, amount = '', unit = ''] = /^(\d+) ?([A-Za-z]*)$/.exec(value.trim()) ?? []
  const factor = amount === '' ? undefined : unitFactor(resource, unit)
  if (factor === undefined) throw new SchedError('BAD_INPUT', `found "${value}", expected a whole number and perhaps a unit.`, { file, line, field: name }, 'Write 512, or 1 Gi.')
  site.increments[resource] = Math.floor(Number(amount) * factor)
}

const prefix = 'yarn.scheduler.fair.'
const known = knownWords<Known>({
  [`${prefix}allocation.file`]: { note: 'the queue file is the one given' },
  [`${prefix}user-as-default-queue`]: { use: flag('userAsDefaultQueue') },
  [`${prefix}allow-undeclared-pools`]: { use: flag('allowUndeclaredPools') },
  [`${prefix}preemption`]: { use: flag('preemption') },
  [`${prefix}preemption.cluster-utilization-threshold`]: { use: part('utilizationThreshold') },
  [`${prefix}waitTimeBeforeKill`]: { use: milliseconds('waitBeforeKill') },
  [`${prefix}waitTimeBeforeNextStarvationCheck`]: { use: milliseconds('waitBeforeNextCheck') },
  [`${prefix}preemptionInterval`]: { note: 'Hadoop 3 does not read it' },
  [`${prefix}sizebasedweight`]: { use: flag('sizeBasedWeight') },
  [`${prefix}assignmultiple`]: { use: flag('assignMultiple') },
  [`${prefix}dynamic.max.assign`]: { use: flag('dynamicMaxAssign') },
  [`${prefix}max.assign`]: { use: (site, property) => void (site.maxAssign = numberOf(property, { least: -1, whole: true })) },
  [`${prefix}locality.threshold.node`]: { use: part('localityNode'), note: 'as opportunities skipped by the job, in whole nodes of the cluster' },
  [`${prefix}locality.threshold.rack`]: { use: part('localityRack'), note: 'as opportunities skipped by the job, in whole nodes of the cluster' },
  [`${prefix}locality-delay-node-ms`]: { use: milliseconds('localityNodeDelay'), note: 'waited with continuous scheduling' },
  [`${prefix}locality-delay-rack-ms`]: { use: milliseconds('localityRackDelay'), note: 'waited with continuous scheduling' },
  [`${prefix}continuous-scheduling-enabled`]: { use: flag('continuous'), note: 'use a cluster without heartbeats: every change is then acted on at once, first on the node with the largest part free' },
  [`${prefix}continuous-scheduling-sleep-ms`]: { note: 'a cluster without heartbeats acts on every change at once' },
  [`${prefix}update-interval-ms`]: { use: interval, note: 'for starvation and reservations; the order of queues is always current' },
  [`${prefix}reservable-nodes`]: { use: (site, property) => void (site.reservableNodes = numberOf(property, { least: 0, most: 1 })) },
  [`${prefix}am.preemption`]: { note: 'masters of jobs are always preempted last' },
  [`${prefix}eventlog.enabled`]: { note: 'a log is no part of a simulation' },
  [`${prefix}eventlog.dir`]: { note: 'a log is no part of a simulation' },
  'yarn.scheduler.increment-allocation-mb': { use: increment('memory-mb') },
  'yarn.scheduler.increment-allocation-vcores': { use: increment('vcores') },
  'yarn.scheduler.reservation-threshold.increment-multiple': { use: (site, property) => void (site.reservationMultiple = numberOf(property, { least: 0 })) },
  'yarn.resourcemanager.scheduler.class': { note: 'the queue file says which scheduler it is' },
})

/** Reads the fair scheduler's settings of a yarn-site.xml and adds a finding for each; properties that have nothing to do with scheduling get none. */
export function readFairSite(properties: ReadonlyMap<string, Setting>, types: ResourceTypes, resources: readonly string[], findings: Findings): FairSite {
  const site: FairSite = { ...defaults, increments: {} }
  for (const property of properties.values()) {
    const { name, value } = property
    const told = types.told(property)
    if (told !== undefined) {
      findings.add(told.verdict ?? 'honoured', property, name, value, told.note)
      continue
    }
    const each = known[name] ?? pattern(name, resources)
    if (each === undefined) {
      const why = unknown(name)
      if (why !== undefined) findings.add('ignored', property, name, value, why)
      continue
    }
    each.use?.(site, property)
    findings.add(each.use === undefined ? 'ignored' : each.note === undefined ? 'honoured' : 'approximated', property, name, value, each.note)
  }
  site.stepped = Object.keys(site.increments)
  site.increments = { ...defaults.increments, ...site.increments }
  return site
}

function pattern(name: string, resources: readonly string[]): Known | undefined {
  const type = /^yarn\.resource-types\.(.+)\.increment-allocation$/.exec(name)?.[1]
  if (type !== undefined) return clusterName(type, resources) === undefined ? { note: `the cluster has no ${type}` } : { use: typedIncrement(type) }
  if (name.startsWith(`${prefix}am.preemption.`)) return { note: 'masters of jobs are always preempted last' }
  return undefined
}

/** Why a property is ignored; undefined: it has nothing to do with scheduling. */
function unknown(name: string): string | undefined {
  const elsewhere = saidElsewhere(name)
  if (elsewhere !== undefined) return elsewhere
  if (name.startsWith(prefix)) return `no such property${didYouMean(name, Object.keys(known))}`
  return ofCapacity.test(name) ? 'not of the fair scheduler' : undefined
}

/** Properties that the capacity scheduler reads outside its own file. */
const ofCapacity = /^yarn\.(scheduler\.|cluster\.max-application-priority$|resourcemanager\.(scheduler\.monitor|monitor\.capacity)\.)/
