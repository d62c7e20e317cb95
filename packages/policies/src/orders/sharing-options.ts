import { amountsByName, SchedError, type ClusterView } from '@sched/core'
import * as z from '@sched/bundled/zod'
import { queuePath, type Pool } from './pools.js'

const weight = z.union([z.number().positive(), z.record(z.string(), z.number().positive())])

/** Who shares, and how ties between them go: options of all orders that divide resources. */
export const sharingFields = {
  by: z.enum(['user', 'queue', 'job']).default('user').describe('who shares: users, queues at every level of their tree, or jobs'),
  inner: z
    .enum(['fifo', 'fair', 'share'])
    .default('fifo')
    .describe("order of one sharer's jobs: priority and submission; running tasks over weight; or the rule of the order itself"),
  ties: z
    .union([z.enum(['name', 'submission']), z.array(z.string())])
    .default('name')
    .describe('who goes first among equals: by name, by first submission, or as listed (others after these, by name); jobs: by submission'),
}
/** The same options for orders in which jobs do not share, only their users or queues. */
export const ownerFields = {
  by: z.enum(['user', 'queue']).default('user').describe('who shares: users, or queues at every level of their tree'),
  inner: z.enum(['fifo', 'fair']).default('fifo').describe("order of one sharer's jobs: priority and submission, or running tasks over weight"),
  ties: sharingFields.ties,
}
export const weights = z
  .record(z.string(), weight)
  .default({})
  .describe('weights of users or queues by name, one number or one per resource; default 1. Jobs have the weight of the workload')
export const plainWeights = z.record(z.string(), z.number().positive()).default({}).describe('weights of users or queues by name; default 1. Jobs have the weight of the workload')

/** The common part of the options, all of which may be left out. */
export interface SharingOptions {
  /** Who shares: users, queues at every level of their tree, or jobs. Default `user`. */
  readonly by?: 'user' | 'queue' | 'job'
  /** Order of one sharer's jobs: priority and submission; running tasks over weight; or the rule of the order itself. Default `fifo`. */
  readonly inner?: 'fifo' | 'fair' | 'share'
  /**
   * Ties between sharers: by name, by first submission, or in the order of a list (others after these, by name). Ties between jobs go by
   * submission. Default `name`.
   */
  readonly ties?: 'name' | 'submission' | readonly string[]
}
/** The same for orders in which jobs do not share. */
export interface OwnerOptions extends SharingOptions {
  /** Who shares: users, or queues at every level of their tree. Default `user`. */
  readonly by?: 'user' | 'queue'
  /** Order of one sharer's jobs: priority and submission, or running tasks over weight. Default `fifo`. */
  readonly inner?: 'fifo' | 'fair'
}
/** The options as the schema returns them, with defaults filled in. */
export type SharingChoice = Required<SharingOptions>

export type Weight = number | Readonly<Record<string, number>>
/** Weights of users or queues by name. */
export type PlainWeights = Readonly<Record<string, number>>
/** Weights of sharers by name: one number, or one per resource. */
export type Weights = Readonly<Record<string, Weight>>

/** Settings by the path of their pool. Throws `BAD_OPTION` where jobs share, since options cannot name jobs. */
export function settingsByPath<T>(field: string, settings: Readonly<Record<string, T>>, by: SharingChoice['by']): ReadonlyMap<string, T> {
  if (by === 'job' && Object.keys(settings).length > 0)
    throw new SchedError('BAD_OPTION', 'jobs share, not users or queues.', { field }, 'Give jobs their weights in the workload.')
  return new Map(Object.entries(settings).map(([name, value]) => [by === 'queue' ? queuePath(name) : name, value]))
}

/** Weight of a pool for each resource of the cluster. Throws `BAD_OPTION` for a resource that the cluster does not have. */
export function weightIn(path: string, weight: Weight | undefined, { resources }: ClusterView): number[] {
  if (typeof weight === 'number' || weight === undefined) return resources.map(() => weight ?? 1)
  return [...amountsByName(weight, resources, `weights.${path}`, 1)]
}

/** Whether pool a comes before its sibling b where their keys are equal. */
export function tieOrder(ties: SharingChoice['ties'], by: SharingChoice['by']): (a: Pool, b: Pool) => boolean {
  if (ties === 'name') return (a, b) => a.path < b.path
  if (ties === 'submission') return (a, b) => a.id < b.id
  const listed = new Map(ties.map((name, i) => [by === 'queue' ? queuePath(name) : name, i]))
  const placeOf = ({ path }: Pool) => listed.get(path) ?? Infinity
  return (a, b) => {
    const first = placeOf(a)
    const second = placeOf(b)
    return first === second ? a.path < b.path : first < second
  }
}
