import type { ClusterView } from '@sched/core'
import { yunikornOptions, type Amounts, type QueueOptions } from '../../src/yunikorn/options.js'
import { fenceAround, giversTo, Ledger, type Queues } from '../../src/yunikorn/guarantees.js'
import { QueueTree, type Queue } from '../../src/yunikorn/queue-tree.js'
import { inTakingOrder, solutionsFor, type Candidate } from '../../src/yunikorn/victims.js'

/** A task that runs; `age` is larger of those that came earlier. */
export interface Running {
  readonly queue: string
  readonly node: string
  readonly has: Amounts
  readonly age: number
  readonly priority?: number
  readonly isMaster?: boolean
  readonly isUnwilling?: boolean
}
export interface World {
  readonly nodes: Readonly<Record<string, Amounts>>
  /** By full path below the root. */
  readonly queues: Readonly<Record<string, Omit<QueueOptions, 'queues'>>>
  readonly running?: Readonly<Record<string, Running>> | undefined
}

/** The queues of a world with what runs in them, and what preemption makes of that. */
export function worldOf({ nodes, queues, running = {} }: World) {
  const resources = [...new Set([...Object.values(nodes), ...Object.values(running).map(({ has }) => has)].flatMap(Object.keys))].sort()
  const root: QueueOptions = nested(queues)
  const tree = new QueueTree(yunikornOptions.parse({ root }).root, { resources } as unknown as ClusterView)
  const names = Object.keys(running)
  const tasks = Object.values(running)
  const idOf = (path: string) => (tree.queues.find((queue) => queue.path === `root.${path}`) as Queue).id
  const row = (amounts: Amounts) => Float64Array.from(resources, (name) => amounts[name] ?? 0)
  const of: Queues = {
    queues: tree.queues, resources: resources.map((_, r) => r),
    used: (queue, r) => tasks.filter((task) => tree.queues[idOf(task.queue)]?.around.includes(queue)).reduce((sum, { has }) => sum + (row(has)[r] as number), 0),
  }
  const freeOn = (name: string) => row(nodes[name] as Amounts).map((total, r) => total - tasks.filter(({ node }) => node === name).reduce((sum, { has }) => sum + (row(has)[r] as number), 0))

  return {
    givers: (queue: string, priority = 0): Readonly<Record<string, number>> => Object.fromEntries([...giversTo(idOf(queue), fenceAround(of, idOf(queue), priority), of)].map(([id, most]) => [(tree.queues[id] as Queue).path.replace('root.', ''), most])),
    remaining: (queue: string, asking: string) => {
      const left = new Ledger(of, idOf(asking)).remaining(idOf(queue))
      return left === undefined ? undefined : Object.fromEntries(resources.flatMap((name, r) => (Number.isNaN(left[r] as number) ? [] : [[name, left[r] as number]])))
    },
    /** Where a task that asks so much would start, of the nodes that it may be on, and the names of whom that takes. */
    take: (queue: string, asks: Amounts, { on = Object.keys(nodes), priority = 0, isForNode = false }: { on?: readonly string[]; priority?: number; isForNode?: boolean } = {}) => {
      const givers = giversTo(idOf(queue), fenceAround(of, idOf(queue), priority), of)
      const asked = row(asks)
      const candidates = tasks.flatMap((task, i): Candidate[] =>
        (task.priority ?? 0) <= (givers.get(idOf(task.queue)) ?? -Infinity) && row(task.has).some((amount, r) => amount > 0 && (asked[r] as number) > 0)
          ? [{ task: i, node: Object.keys(nodes).indexOf(task.node), queue: idOf(task.queue), amounts: row(task.has), isMaster: task.isMaster === true, isUnwilling: task.isUnwilling === true, rank: -task.age }]
          : [],
      )
      const targets = on.map((name) => ({ node: Object.keys(nodes).indexOf(name), free: freeOn(name) }))
      const [best] = solutionsFor({ queue: idOf(queue), amounts: asked, isForNode }, candidates.sort(inTakingOrder), targets, of)
      return best && { on: Object.keys(nodes)[best.node], taken: best.victims.map(({ task }) => names[task]).sort() }
    },
  }
}

function nested(queues: World['queues']): QueueOptions {
  const root: Record<string, QueueOptions> = {}
  for (const [path, settings] of Object.entries(queues)) {
    let inside = root
    const parts = path.split('.')
    for (const [depth, name] of parts.entries()) {
      const known = (inside[name] ??= { queues: {} })
      if (depth === parts.length - 1) inside[name] = { ...settings, queues: known.queues }
      inside = inside[name].queues as Record<string, QueueOptions>
    }
  }
  return { queues: root }
}
