import { listOf, ownValue, SchedError, suggest } from '@sched/core'
import * as z from '@sched/bundled/zod'

/** An amount for every lane, or one per lane (slot type) by name. */
const perLane = z.union([z.number().nonnegative(), z.record(z.string(), z.number().nonnegative())])

const poolFields = {
  weight: z.number().positive().optional().describe('share relative to sibling pools; default 1'),
  minShare: perLane.optional().describe('slots it is served up to before others, for all slot types or by type; default 0'),
  inner: z.enum(['fair', 'fifo']).optional().describe('order of the jobs of a leaf pool; default fair'),
  maxRunningJobs: z.number().int().nonnegative().optional().describe('jobs of the pool that may run at once; later ones wait; default unlimited'),
  parent: z.string().optional().describe('the declared pool it lies in, for a flat list of pools'),
  minTimeout: z.number().positive().optional().describe('Tmin: seconds below the minimum share before the pool may take tasks; default never'),
}

/** A pool as it is configured; a pool with pools inside it holds no jobs of its own. */
export interface PoolOptions {
  /** Share relative to sibling pools; default 1. */
  readonly weight?: number | undefined
  /** Minimum share: slots up to which the pool is served before others, for all slot types or by type; default 0. */
  readonly minShare?: number | Readonly<Record<string, number>> | undefined
  /** Order of the jobs of a leaf pool; default fair. */
  readonly inner?: 'fair' | 'fifo' | undefined
  /** Jobs of the pool that may run at once; later ones wait; default unlimited. */
  readonly maxRunningJobs?: number | undefined
  /** Tmin: seconds below the minimum share before the pool may take tasks; default never. */
  readonly minTimeout?: number | undefined
  /** The declared pool it lies in, for a flat list of pools. */
  readonly parent?: string | undefined
  /** Pools inside this one. */
  readonly pools?: Readonly<Record<string, PoolOptions>> | undefined
}

export const poolOptions: z.ZodType<PoolOptions> = z.lazy(() =>
  z.strictObject({ ...poolFields, pools: z.record(z.string(), poolOptions).optional().describe('pools inside this one') }),
)

/** Settings of pools that hold jobs, unless a pool has its own. */
export const poolDefaults = z.strictObject(poolFields).omit({ parent: true })

/** A node of the pool tree. Ids are dense; pool 0 is the root. */
export interface Pool {
  readonly id: number
  /** Path from below the root, for example `ads/batch`; the root's is empty. */
  readonly path: string
  readonly parent: number
  readonly depth: number
  readonly weight: number
  readonly fifo: boolean
  readonly declared: boolean
  readonly maxRunningJobs: number
  readonly minTimeout: number
  /** Minimum share per lane, as configured. */
  readonly minShare: readonly number[]
  readonly children: number[]
}

/** Path of a queue below the root: `root.ads.batch` and `ads/batch` both give `ads/batch`. */
export const queuePath = (name: string): string => name.replace(/^root(\.|\/|$)/, '').replaceAll('.', '/')

/**
 * The pools of a fair scheduler: a tree of any depth, declared in advance or made at first use. Hadoop's rule: a job
 * without a pool goes to the pool of its user.
 */
export class PoolTree {
  readonly pools = listOf<Pool>()
  readonly #byPath = new Map<string, Pool>()
  readonly #lanes: readonly string[]
  readonly #defaults: PoolOptions

  constructor(declared: Readonly<Record<string, PoolOptions>>, defaults: PoolOptions, lanes: readonly string[]) {
    this.#lanes = lanes
    this.#defaults = defaults
    this.#add('', -1, {}, true)
    this.#declare(nested(declared), this.pools[0] as Pool)
  }

  /** The leaf pool of a queue name, which is a path unless `isFlat`. A pool that was not declared is made with the default settings. */
  leaf(queue: string, isFlat = false): Pool {
    const path = isFlat ? queue : queuePath(queue)
    const known = this.#byPath.get(path)
    if (known !== undefined) {
      if (known.children.length > 0 || known.id === 0)
        throw new SchedError('BAD_INPUT', `jobs are submitted to pool "${queue}", which has pools inside it`, { field: 'queue' }, `Name one of: ${this.#inside(known)}.`)
      return known
    }
    return isFlat ? this.flat(path) : this.#make(queue, path.split('/'))
  }

  /** The pool of exactly this name right below the root; dots in it separate nothing, as in the name of a user. Made when there is none. */
  flat(name: string): Pool {
    return this.#byPath.get(name) ?? this.#add(name, 0, this.#defaults, false)
  }

  /** Pools that hold jobs. */
  leaves(): Pool[] {
    return this.pools.filter((pool) => pool.children.length === 0 && pool.id !== 0)
  }

  /** Makes a pool and the missing ones above it. */
  #make(queue: string, parts: readonly string[]): Pool {
    let parent = this.pools[0] as Pool
    const known = this.pools.length
    for (let depth = 1; depth <= parts.length; depth++) {
      if (parts[depth - 1] === '') throw new SchedError('BAD_INPUT', `queue name "${queue}" has an empty part.`, { field: 'queue' }, 'Write a name on both sides of each separator.')
      const path = parts.slice(0, depth).join('/')
      const pool = this.#byPath.get(path)
      if (pool === undefined && parent.id !== 0 && parent.id < known && parent.children.length === 0)
        throw new SchedError('BAD_INPUT', `pool "${queue}" would lie in "${parent.path}", which holds jobs itself`, { field: 'queue' }, 'Submit to one of them only.')
      parent = pool ?? this.#add(path, parent.id, depth === parts.length ? this.#defaults : {}, false)
    }
    return parent
  }

  #declare(declared: Readonly<Record<string, PoolOptions>>, parent: Pool): void {
    for (const name of Object.keys(declared).sort()) {
      const options = declared[name] as PoolOptions
      const path = parent.id === 0 ? name : `${parent.path}/${name}`
      const hasInside = Object.keys(options.pools ?? {}).length > 0
      if (hasInside && options.inner !== undefined)
        throw new SchedError('BAD_OPTION', `pool "${path}" has pools inside it and an order for jobs`, { field: `pools.${path}.inner` }, 'Set `inner` on the pools that hold jobs.')
      const pool = this.#add(path, parent.id, hasInside ? options : { ...this.#defaults, ...options }, true)
      if (hasInside) this.#declare(options.pools ?? {}, pool)
    }
  }

  #add(path: string, parent: number, options: PoolOptions, declared: boolean): Pool {
    const pool: Pool = {
      id: this.pools.length,
      path,
      parent,
      depth: parent < 0 ? 0 : (this.pools[parent] as Pool).depth + 1,
      weight: options.weight ?? 1,
      fifo: options.inner === 'fifo',
      declared,
      maxRunningJobs: options.maxRunningJobs ?? Infinity,
      minTimeout: options.minTimeout ?? Infinity,
      minShare: this.#minShare(path, options.minShare),
      children: [],
    }
    this.pools.push(pool)
    this.#byPath.set(path, pool)
    if (parent >= 0) (this.pools[parent] as Pool).children.push(pool.id)
    return pool
  }

  #minShare(path: string, share: PoolOptions['minShare']): number[] {
    if (typeof share === 'object') {
      const unknown = Object.keys(share).find((name) => !this.#lanes.includes(name))
      if (unknown !== undefined)
        throw new SchedError('BAD_OPTION', `the cluster has no slots of type "${unknown}"`, { field: `pools.${path}.minShare` }, suggest(unknown, this.#lanes))
    }
    return this.#lanes.map((lane) => (typeof share === 'object' ? (ownValue(share, lane) ?? 0) : (share ?? 0)))
  }

  #inside(pool: Pool): string {
    return pool.children.map((child) => this.pools[child]?.path).join(', ')
  }
}

/** Moves every pool that names a parent into that pool. Throws `BAD_OPTION` for an unknown parent and for a cycle. */
function nested(declared: Readonly<Record<string, PoolOptions>>): Readonly<Record<string, PoolOptions>> {
  const names = Object.keys(declared)
  if (names.every((name) => declared[name]?.parent === undefined)) return declared
  const inside = (parent: string | undefined): Record<string, PoolOptions> =>
    Object.fromEntries(
      names
        .filter((name) => declared[name]?.parent === parent)
        .map((name) => [name, { ...declared[name], pools: { ...declared[name]?.pools, ...inside(name) } }]),
    )
  for (const name of names) checkParents(name, declared)
  return inside(undefined)
}

function checkParents(name: string, declared: Readonly<Record<string, PoolOptions>>): void {
  const path = [name]
  for (let parent = declared[name]?.parent; parent !== undefined; parent = declared[parent]?.parent) {
    const field = `pools.${path[path.length - 1] ?? name}.parent`
    if (!Object.hasOwn(declared, parent)) throw new SchedError('BAD_OPTION', `there is no pool "${parent}".`, { field }, suggest(parent, Object.keys(declared)))
    if (path.includes(parent)) throw new SchedError('BAD_OPTION', `pools lie in each other: ${[...path, parent].join(' in ')}.`, { field }, 'Let one of them name no parent.')
    path.push(parent)
  }
}
