import type { JobId, ResourceId, Round } from '@sched/core'
import type { DrfOptions } from '@sched/policies'
import { by, JobsInSystem, pathAbove, pathOf, pathsTo, usedBy, type MakeOrder } from './naive.js'

// H-DRF (Bhattacharya et al., SoCC 2013) from nothing but the tasks that run: the tree is built, and every share computed, at every decision.

interface Node {
  readonly path: string
  readonly children: Node[]
  readonly jobs: JobId[]
}
interface Share {
  /** What counts for it, by resource. */
  readonly amounts: readonly number[]
  readonly share: number
  readonly isBlocked: boolean
}

/** Queues by H-DRF, jobs of one by priority and submission. */
export const naiveRescaledDrf =
  ({ weights = {} }: DrfOptions): MakeOrder =>
  ({ cluster, work }) => {
    const all = new JobsInSystem()
    const seen: string[] = []
    const named = new Map(Object.entries(weights).map(([name, weight]) => [pathOf(name), weight]))
    const queueOf = (job: JobId) => pathOf(work.queueName(work.queue(job)))

    function tree(): Node {
      const root: Node = { path: '', children: [], jobs: [] }
      const nodes = new Map([['', root]])
      for (const path of seen) {
        const node: Node = { path, children: [], jobs: all.jobs.filter((job) => queueOf(job) === path) }
        nodes.set(path, node)
        nodes.get(pathAbove(path))?.children.push(node)
      }
      return root
    }

    function shareOf({ path }: Node, amounts: readonly number[]): number {
      const weight = named.get(path) ?? 1
      const of = (name: string) => (typeof weight === 'number' ? weight : (weight[name] ?? 1))
      return Math.max(0, ...amounts.map((amount, r) => (amount === 0 ? 0 : amount / (cluster.capacity(r as ResourceId) * of(cluster.resources[r] ?? '')))))
    }

    return {
      onSubmit: (job) => {
        all.add(job)
        for (const path of pathsTo(queueOf(job))) if (!seen.includes(path)) seen.push(path)
      },
      onFinish: all.remove,
      list: (round: Round) => {
        const { lane } = round
        const runnable = all.runnable(round)
        const inUse = usedBy(all.jobs, lane, { cluster, work })
        const inOrder = (jobs: readonly JobId[]) => jobs.filter((job) => runnable.includes(job)).sort(by<JobId>((job) => -work.priority(job), (job) => work.rank(job)))
        const fits = (job: JobId) => (cluster.lanes[lane]?.resources ?? []).every((r) => work.demand(work.shape(job, lane), r) <= cluster.capacity(r) - (inUse[r] ?? 0))
        const shares = new Map<Node, Share>()
        const compute = (node: Node): Share => {
          if (node.children.length === 0) {
            const amounts = usedBy(node.jobs, lane, { cluster, work })
            const [first] = inOrder(node.jobs)
            const leaf = { amounts, share: shareOf(node, amounts), isBlocked: first === undefined || !fits(first) }
            shares.set(node, leaf)
            return leaf
          }
          const inside = node.children.map(compute)
          const smallest = Math.min(Infinity, ...inside.filter((each) => !each.isBlocked).map(({ share }) => share))
          const scaled = inside.filter(({ share }) => share > 0).map(({ amounts, share }) => amounts.map((amount) => (share <= smallest ? amount : (amount * smallest) / share)))
          const amounts = cluster.resources.map((_, r) => scaled.reduce((sum, each) => sum + (each[r] ?? 0), 0))
          const own = { amounts, share: shareOf(node, amounts), isBlocked: smallest === Infinity }
          shares.set(node, own)
          return own
        }
        const root = tree()
        root.children.forEach(compute)
        const listed = (node: Node): JobId[] => {
          if (node.path !== '' && node.children.length === 0) return inOrder(node.jobs)
          const key = (child: Node) => {
            const each = shares.get(child)
            return each === undefined || each.isBlocked ? Infinity : each.share
          }
          return [...node.children].sort(by<Node>(key, ({ path }) => path)).flatMap(listed)
        }
        return listed(root)
      },
    }
  }
