import type { Located } from './located.js'
import type { Quantities } from './quantities.js'
import type { YunikornLimit, YunikornQueue } from './yunikorn-queue.js'

type Amounts = ReadonlyMap<string, number>

/**
 * Throws `BAD_INPUT` with the line for what YuniKorn refuses: a queue whose guaranteed resources exceed its maximum or whose maximum exceeds that of a queue
 * around it; queues that are together guaranteed more than their parent; a queue that may run more applications than its parent; and limits of users and
 * groups that exceed those of their queue, or the limits of the same user or group in a queue around it.
 *
 * Source: YuniKorn, configvalidator.go (checkQueueResource, checkQueueMaxApplications, checkLimit, checkLimitResource, checkLimitMaxApplications).
 */
export function checkResources(root: YunikornQueue): void {
  guaranteedIn(root, new Map())
  checkApplications(root)
  checkLimits(root, new Map(), new Map())
}

/** The amounts by resource, without their places. */
const amountsOf = (quantities: Quantities): Amounts => new Map([...quantities].map(([name, { amount }]) => [name, amount]))

/** The first resource of which there is more than `most` allows; undefined if there is none. A resource that `most` does not name is not limited. */
const above = (amounts: Amounts, most: Amounts): string | undefined => [...amounts].find(([name, amount]) => amount > (most.get(name) ?? Infinity))?.[0]

/** What a queue is guaranteed: what it says, or else the sum over the queues inside it. `maxAround`: the smallest maximum of the queues around it. */
function guaranteedIn(queue: YunikornQueue, maxAround: Amounts): Amounts {
  const { path, found } = queue
  const own = amountsOf(queue.guaranteed)
  const max = amountsOf(queue.max)
  const resources = found.at('resources')
  const beyond = above(own, max)
  if (beyond !== undefined) throw resources.at('guaranteed').at(beyond).error(`queue "${path}" is guaranteed more ${beyond} than its max.`, 'Lower the one or raise the other.')
  const wide = above(max, maxAround)
  if (wide !== undefined) throw resources.at('max').at(wide).error(`queue "${path}" may have more ${wide} than a queue around it.`, 'Lower the one or raise the other.')
  const most = new Map([...maxAround, ...max])
  const sum = new Map<string, number>()
  for (const child of queue.queues) for (const [name, amount] of guaranteedIn(child, most)) sum.set(name, (sum.get(name) ?? 0) + amount)
  const short = above(sum, own) ?? above(sum, most)
  if (short !== undefined)
    throw found.at('name').error(`queues in "${path}" are together guaranteed more ${short} than it ${above(sum, own) === undefined ? 'may have' : 'is'}.`, 'Lower theirs or raise its own.')
  return [...own.values()].some((amount) => amount > 0) ? own : sum
}

function checkApplications({ path, maxApplications, queues }: YunikornQueue): void {
  for (const child of queues) {
    if (maxApplications > 0 && (child.maxApplications === 0 || child.maxApplications > maxApplications))
      throw child.found.at(child.maxApplications === 0 ? 'name' : 'maxapplications').error(
        `queue "${child.path}" may run more applications than "${path}", ${child.maxApplications === 0 ? 'any number' : child.maxApplications}.`,
        'Give it maxapplications that are not more.',
      )
    checkApplications(child)
  }
}

/** Limits of users and groups, by `user ann` or `group dev`. */
type MostOf<T> = ReadonlyMap<string, T>

/**
 * Checks the limits of a queue and of all inside it against those around it, which hold in all queues inside. Whom none of these names has those of `*`.
 */
function checkLimits(queue: YunikornQueue, resourcesAround: MostOf<Amounts>, applicationsAround: MostOf<number>): void {
  const { limits, queues, max, maxApplications, path } = queue
  const resources = new Map(resourcesAround)
  const applications = new Map(applicationsAround)
  for (const limit of limits) {
    const amounts = amountsOf(limit.maxResources)
    const own = limit.maxApplications
    const wide = above(amounts, amountsOf(max))
    if (wide !== undefined) throw limit.found.at('maxresources').at(wide).error(`a limit has more ${wide} than queue "${path}" may have.`, 'Lower it, or raise the max of the queue.')
    if (maxApplications > 0 && own > maxApplications)
      throw limit.found.at('maxapplications').error(`a limit has more applications than queue "${path}" may run, ${maxApplications}.`, 'Lower it, or raise the maxapplications of the queue.')
    for (const [who, all, found] of namesIn(limit)) {
      const around = resourcesAround.get(who) ?? resourcesAround.get(all)
      const most = applicationsAround.get(who) ?? applicationsAround.get(all) ?? 0
      const more = around === undefined ? undefined : above(amounts, around)
      if (more !== undefined) throw limit.found.at('maxresources').at(more).error(`${who} may have more ${more} in queue "${path}" than in a queue around it.`, 'Lower the one or raise the other.')
      if (most > 0 && (own === 0 || own > most)) throw found.error(`${who} may run ${own === 0 ? 'any number of' : own} applications in queue "${path}", and ${most} in a queue around it.`, 'Give the limit maxapplications that are not more.')
      resources.set(who, new Map([...(around ?? []), ...amounts]))
      applications.set(who, own)
    }
  }
  for (const child of queues) checkLimits(child, resources, applications)
}

/** Users and groups of a limit, the name for all of their kind, and where they stand. */
const namesIn = ({ users, groups, found }: YunikornLimit): (readonly [who: string, all: string, found: Located])[] => [
  ...users.map((name, i) => [`user ${name}`, 'user *', found.at('users').at(i)] as const), ...groups.map((name, i) => [`group ${name}`, 'group *', found.at('groups').at(i)] as const),
]
