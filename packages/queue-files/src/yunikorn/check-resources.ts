import type { Quantities } from './quantities.js'
import type { YunikornQueue } from './yunikorn-queue.js'

type Amounts = ReadonlyMap<string, number>

/**
 * Refuses what YuniKorn refuses: a queue that is guaranteed more than it may have, or may have more than one around it, queues that are together guaranteed
 * more than the one around them, and more jobs in a queue than in the one around it.
 *
 * Source: YuniKorn, configvalidator.go (checkQueueResource, checkQueueMaxApplications).
 */
export function checkResources(root: YunikornQueue): void {
  guaranteedIn(root, new Map())
  checkApplications(root)
}

const amountsOf = (quantities: Quantities): Amounts => new Map([...quantities].map(([name, { amount }]) => [name, amount]))

/** What of the first exceeds the second, where that says anything. */
const above = (amounts: Amounts, most: Amounts): string | undefined => [...amounts].find(([name, amount]) => amount > (most.get(name) ?? Infinity))?.[0]

function guaranteedIn(queue: YunikornQueue, maxAround: Amounts): Amounts {
  const { path, found } = queue
  const own = amountsOf(queue.guaranteed)
  const max = amountsOf(queue.max)
  const resources = found.at('resources')
  const beyond = above(own, max)
  if (beyond !== undefined) throw resources.at('guaranteed').at(beyond).error(`queue "${path}" is guaranteed more ${beyond} than its max.`)
  const wide = above(max, maxAround)
  if (wide !== undefined) throw resources.at('max').at(wide).error(`queue "${path}" may have more ${wide} than a queue around it.`)
  const most = new Map([...maxAround, ...max])
  const sum = new Map<string, number>()
  for (const child of queue.queues) for (const [name, amount] of guaranteedIn(child, most)) sum.set(name, (sum.get(name) ?? 0) + amount)
  const short = above(sum, own) ?? above(sum, most)
  if (short !== undefined) throw found.at('name').error(`queues in "${path}" are together guaranteed more ${short} than it ${above(sum, own) === undefined ? 'may have' : 'is'}.`)
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
