import { amountsByName, askedTogether, SchedError, startedTogether, suggest, ownValue, type ArchitectureEnv, type JobSpec, type ResourceId } from '@sched/core'
import * as z from '@sched/bundled/zod'
import type { Ranking } from './allocator-order.js'
import type { Framework } from './framework.js'
import { reservedNodes } from './partition-nodes.js'
import type { Reservations } from './reservations.js'
import { Roles, type Member } from './roles.js'

const amount = z.record(z.string(), z.number().nonnegative())

export const roleOptions = z.strictObject({
  weight: z.number().positive().default(1).describe('part it may have relative to its siblings'),
  guarantee: amount.optional().describe('set aside for it, whether or not it wants it, by resource (quota of Mesos); outermost roles alone, with offers by node'),
  limit: amount.optional().describe('the most that it may have, by resource; outermost roles alone, with offers by node'),
  quotaInside: z.boolean().default(true).describe('whether roles inside it share in its guarantee and are kept to its limit; false: they do not and are not, though what they have counts (Mesos up to 1.11)'),
  reserved: reservedNodes.optional().describe('nodes that frameworks in it, or in roles inside it, alone are offered; they count towards its guarantee and limit, whether or not they are in use'),
})
export type RoleOptions = Readonly<Record<string, z.output<typeof roleOptions>>>

/** What all nodes have together, and which are reserved. */
export interface Whole {
  readonly resources: readonly string[]
  readonly totals: Float64Array
  readonly reservations: Reservations
}

/**
 * The frameworks in their roles. `byNode`: offers are made node by node, which quotas require. Throws `BAD_OPTION` for a role without a framework,
 * guarantee or reservation; for quotas of inner roles; for guarantees above a limit or, together, above what the cluster has; and for unknown
 * resources.
 */
export function rolesOf(options: RoleOptions, byNode: boolean, frameworks: readonly Framework[], ranking: Ranking, whole: Whole): Roles {
  const { resources } = whole
  const roles = new Roles(frameworks, resources.length, (path) => ownValue(options, path)?.weight ?? 1, ranking)
  const known = roles.paths
  for (const [path, own] of Object.entries(options)) {
    const field = `roles.${path}`
    if (!known.includes(path) && own.guarantee === undefined && own.reserved === undefined)
      throw new SchedError('BAD_OPTION', `no framework has the role "${path}".`, { field }, suggest(path, known))
    if (own.reserved !== undefined) roles.role(path)
    if (own.guarantee === undefined && own.limit === undefined) continue
    if (path.includes('/'))
      throw new SchedError(
        'BAD_OPTION',
        `"${path}" lies in another role, and only outermost roles have a guarantee or limit.`,
        { field },
        'Give it to the outermost role.',
      )
    if (!byNode) throw new SchedError('BAD_OPTION', `guarantees and limits are kept node by node.`, { field }, 'Say `offers: by-node`.')
    setQuota(roles.role(path), own, resources, field)
  }
  for (const [r, name] of resources.entries()) {
    const sum = setAside(roles, r, whole)
    const most = open(roles, r, whole)
    if (sum > most) throw new SchedError('BAD_OPTION', `roles are guaranteed ${sum} ${name} together${whole.reservations.isEmpty ? '' : ' beside what is reserved for them'}, and the cluster has ${most}${whole.reservations.isEmpty ? '' : ' that are not reserved'}.`, { field: 'roles' }, 'Lower the guarantees.')
  }
  return roles
}

function setQuota(role: Member, { guarantee, limit, quotaInside }: RoleOptions[string], resources: readonly string[], field: string): void {
  role.isForInside = quotaInside
  if (limit !== undefined) role.limit = amountsByName(limit, resources, `${field}.limit`, Infinity)
  if (guarantee !== undefined) role.guarantee = amountsByName(guarantee, resources, `${field}.guarantee`, 0)
  for (const [r, name] of resources.entries())
    if ((role.guarantee?.[r] ?? 0) > (role.limit?.[r] ?? Infinity))
      throw new SchedError('BAD_OPTION', `role "${role.name}" is guaranteed more ${name} than its limit.`, { field }, 'Raise the limit or lower the guarantee.')
}

/** Throws `INFEASIBLE` for a job with a task or a gang that asks for more than its role can ever be offered, with all nodes up. */
export function checkQuota(spec: JobSpec, framework: Framework, roles: Roles, whole: Whole): void {
  const role = roles.outermost(framework)
  const isBound = roles.isBound(framework)
  for (const stages of startedTogether(spec))
    for (const [r, name] of whole.resources.entries()) {
      const asked = askedTogether(stages, name)
      const reserved = reservedFor(role, r, whole)
      const spare = reserved + open(roles, r, whole) - setAside(roles, r, whole, isBound ? role : undefined)
      const most = Math.min(Math.max((isBound ? role.limit?.[r] : undefined) ?? Infinity, reserved), spare)
      if (asked > most)
        throw new SchedError(
          'INFEASIBLE',
          `job ${spec.id} asks ${asked} ${name} at once, and ${most} is the most that role "${role.name}" can be offered${most === spare ? ' beside what is guaranteed to others' : ''}.`,
          {},
          'Raise its limit, or lower the guarantees of other roles.',
        )
    }
}

/** Total of each resource over all nodes, including those that are down now. */
export const totalsOf = ({ cell: { cluster, nodes } }: ArchitectureEnv): Float64Array =>
  Float64Array.from(cluster.resources, (_, r) => nodes.reduce((sum, node) => sum + cluster.total(node, r as ResourceId), 0))

const reservedFor = ({ name, framework }: Member, r: number, { reservations }: Whole): number => (framework === undefined ? reservations.amount(name, r as ResourceId, 'total') : 0)

/** Total of a resource over all nodes that are not reserved. */
const open = (roles: Roles, r: number, whole: Whole): number => (whole.totals[r] as number) - roles.tops.reduce((sum, role) => sum + reservedFor(role, r, whole), 0)

/** What roles, except `but`, are guaranteed together, beyond what is reserved for them. */
const setAside = (roles: Roles, r: number, whole: Whole, but?: Member): number =>
  roles.tops.reduce((sum, role) => sum + (role === but ? 0 : Math.max(0, (role.guarantee?.[r] ?? 0) - reservedFor(role, r, whole))), 0)

