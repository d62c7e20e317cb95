import { dispatcher } from '@sched/cluster'
import { definePolicy, type ClusterView, type Constraints, type JobId, type NodeId, type PlacementRule, type TaskId, type TaskSelector } from '@sched/core'
import { job } from '@sched/testkit'
import type { Mates } from '../../src/rules/mates.js'
import { TaskRules } from '../../src/rules/task-rules.js'
import { TaskCounts } from '../../src/scored/task-counts.js'

/** A pod, and where it runs if it does. */
export interface Pod {
  readonly on?: string
  readonly tags?: Readonly<Record<string, string>>
  readonly namespace?: string
  readonly rules?: readonly PlacementRule[]
  readonly constraints?: Constraints
}
/** Labels by node; one that has {@link TAINTED} is tainted too. */
export type Nodes = Readonly<Record<string, Readonly<Record<string, string>>>>

export const TAINTED = 'tainted'

/** What is made of rules for one pod more. */
export interface Seen {
  readonly mates: Mates
  readonly nodes: readonly NodeId[]
  readonly cluster: ClusterView
}

/** Runs pods where they are said to be, whatever their rules, and returns what `look` makes of one more. */
export function beside<T>(nodes: Nodes, pods: readonly Pod[], one: Pod, look: (seen: Seen) => T): T {
  let found: T | undefined
  const names = Object.keys(nodes)
  const waiting: JobId[] = []
  const policy = definePolicy({
    name: 'forced',
    summary: 'pods where they are said to be',
    options: { '~standard': { version: 1, vendor: 'test', validate: (value) => ({ value }) } },
    create: (_, env) => {
      const counts = new TaskCounts(env.cluster)
      const rules = new TaskRules('test', env, counts)
      return {
        ...counts.hooks, ...rules.hooks,
        onSubmit: (id) => void waiting.push(id),
        schedule: (round) => {
          for (const id of waiting.splice(0)) {
            const on = env.work.name(id).split(' ')[1] as string
            const node = names.indexOf(on) as NodeId
            if (node >= 0) round.claim(round.work.taskFor(id, round.lane, node, round.cluster.levels) as TaskId, node)
            else found = look({ mates: rules.of(id, round) as Mates, nodes: round.nodes, cluster: env.cluster })
          }
        },
      }
    },
  })
  const cluster = { nodes: Object.entries(nodes).map(([name, labels]) => ({ count: 1, names: [name], resources: { cpu: 100 }, labels, ...(TAINTED in labels && { taints: [{ key: TAINTED, effect: 'NoSchedule' as const }] }) })) }
  const run = dispatcher({ cluster, policy: policy.plug({}) })
  for (const [i, { on = '', tags, namespace = 'default', rules, constraints }] of [...pods, one].entries()) {
    const stage = { name: 's', tasks: 1, demand: { cpu: 1 }, duration: 1, ...(constraints !== undefined && { constraints }) }
    run.submit(job({ id: `${i} ${on}`, user: namespace, ...(tags !== undefined && { tags }), ...(rules !== undefined && { placementRules: rules }), stages: [stage] }))
    run.pass(0)
  }
  if (found === undefined) throw new Error('the last pod was not seen')
  return found
}

/** The nodes on which one pod more may be. */
export const mayBeOn = (nodes: Nodes, pods: readonly Pod[], one: Pod): string[] =>
  beside(nodes, pods, one, ({ mates, nodes: all }) => Object.keys(nodes).filter((_, i) => mates.mayBeOn(all[i] as NodeId)))

type Among = Pick<TaskSelector, 'tags' | 'matchExpressions' | 'users'>

/** Selectors as the tests of kube-scheduler have them, of pods in the namespace of the pod unless others are said. */
export const having = (key: string, ...values: string[]): Among => ({ matchExpressions: [{ key, operator: values.length === 0 ? 'Exists' : 'In', ...(values.length > 0 && { values }) }], users: ['default'] })
export const without = (key: string, ...values: string[]): Among => ({ matchExpressions: [{ key, operator: values.length === 0 ? 'DoesNotExist' : 'NotIn', ...(values.length > 0 && { values }) }], users: ['default'] })
export const all = (...selectors: Among[]): Among => ({ matchExpressions: selectors.flatMap(({ matchExpressions = [] }) => matchExpressions), users: ['default'] })

export const to = (of: Among, over: string, weight?: number): PlacementRule => ({ kind: 'affinity', of, over, ...(weight !== undefined && { weight }) })
export const from = (of: Among, over: string, weight?: number): PlacementRule => ({ kind: 'antiAffinity', of, over, ...(weight !== undefined && { weight }) })
