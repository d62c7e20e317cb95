import type { NodeRequirement, PlacementRule, TaskSelector } from '@sched/core'

/** A task that runs, or is to. */
export interface PlainTask {
  readonly job: string
  readonly user: string
  readonly tags: Readonly<Record<string, string>>
  readonly rules: readonly PlacementRule[]
}
export interface PlainRun extends PlainTask {
  readonly node: number
}
/** The group of each node by what rules are over, `undefined`: in none. */
export type GroupsOver = (over: string, node: number) => string | undefined

type Among = Exclude<PlacementRule, { kind: 'nodes' }>

/** Where a task may be, as rules read, from all tasks that run: nothing is kept. */
export function mayBePlain(task: PlainTask, node: number, nodes: number, running: readonly PlainRun[], groupOf: GroupsOver): boolean {
  const required = task.rules.filter((rule): rule is Among => rule.kind === 'cardinality' || (rule.kind !== 'nodes' && rule.weight === undefined))
  const inGroup = (rule: Among) => running.filter((other) => groupOf(rule.over, node) !== undefined && groupOf(rule.over, other.node) === groupOf(rule.over, node))
  const mine = (rule: Among) => inGroup(rule).filter((other) => isOf(rule.of, other, task.job)).length
  for (const other of running)
    for (const rule of other.rules)
      if (rule.kind === 'antiAffinity' && rule.weight === undefined && groupOf(rule.over, node) !== undefined && groupOf(rule.over, other.node) === groupOf(rule.over, node) && isOf(rule.of, task, other.job)) return false
  const affinities = required.filter(({ kind }) => kind === 'affinity')
  const isNear = (other: PlainTask) => affinities.every(({ of }) => isOf(of, other, task.job))
  const anyWhere = affinities.some((rule) => running.some((other) => isNear(other) && groupOf(rule.over, other.node) !== undefined))
  for (const rule of affinities) {
    if (groupOf(rule.over, node) === undefined) return false
    if (!inGroup(rule).some(isNear) && (anyWhere || !isNear(task))) return false
  }
  return required.every((rule) => {
    if (rule.kind === 'antiAffinity') return mine(rule) === 0
    if (rule.kind === 'cardinality') return mine(rule) >= (rule.min ?? 0) && mine(rule) <= (rule.max ?? Infinity)
    if (rule.kind !== 'spread') return true
    const overs = required.filter(({ kind }) => kind === 'spread').map(({ over }) => over)
    const open = Array.from({ length: nodes }, (_, each) => each).filter((each) => overs.every((over) => groupOf(over, each) !== undefined))
    const groups = [...new Set(open.map((each) => groupOf(rule.over, each)))]
    const count = (group: string | undefined) => running.filter((other) => open.includes(other.node) && groupOf(rule.over, other.node) === group && isOf(rule.of, other, task.job)).length
    if (groupOf(rule.over, node) === undefined) return false
    const least = groups.length < (rule.minDomains ?? 1) ? 0 : Math.min(...groups.map(count))
    return count(groupOf(rule.over, node)) + Number(isOf(rule.of, task, task.job)) - least <= rule.maxSkew
  })
}

/** Whether a task is one that a rule of a job is about. */
function isOf({ tags = {}, matchExpressions = [], users, job }: TaskSelector = {}, task: PlainTask, owner: string): boolean {
  if (users !== undefined && !users.includes(task.user)) return false
  if ((job === 'own' && task.job !== owner) || (job === 'other' && task.job === owner)) return false
  return Object.entries(tags).every(([key, value]) => task.tags[key] === value) && matchExpressions.every((each) => holds(each, task.tags[each.key]))
}

const holds = ({ operator, values = [] }: NodeRequirement, value: string | undefined): boolean =>
  ({ In: value !== undefined && values.includes(value), NotIn: value === undefined || !values.includes(value), Exists: value !== undefined, DoesNotExist: value === undefined, Gt: false, Lt: false })[operator]
