import { ownValue, tagsMeet } from '@sched/core'
import { eligible, inOrder, type Preemptor } from './candidates.js'
import type { CandidateSelector, ClassSelector, Comparison, LabelSelector, PreemptionRule, Trigger } from './preemption-rules.js'
import type { ClusterQueue } from './queues.js'
import type { Taking } from './taking.js'
import type { Workload } from './workload.js'

type Tags = Readonly<Record<string, string>>

const ANY_CLASS: ClassSelector = { matchNames: [], notMatchNames: [] }

/**
 * Takes further workloads away, those that the rules of the preemptor's queue select, where those taken so far are not enough: first whom the rules select that
 * always hold; then, while there is no quota, those for that; then, once there is quota but no nodes, those for that. They go whatever their queues have.
 *
 * Source: Kueue, pkg/scheduler/preemption/config (FindCandidates, candidatesFor).
 */
export function takeConfigured(preemptor: Preemptor, taking: Taking): void {
  if (preemptor.rules.length === 0) return
  takeFor('Always', preemptor, taking)
  if (!taking.hasQuota) takeFor('InsufficientQuota', preemptor, taking)
  if (taking.hasQuota) takeFor('QuotaFeasibleAndInsufficientTopology', preemptor, taking)
}

function takeFor(trigger: Trigger, preemptor: Preemptor, taking: Taking): void {
  if (taking.isEnough()) return
  for (const each of candidatesFor(trigger, preemptor, taking)) if (taking.take(each)) return
}

/** Whom the rules select for a trigger, of other queues first; in each of both in the order in which they would be preempted. */
function candidatesFor(trigger: Trigger, preemptor: Preemptor, taking: Taking): Workload[] {
  const { workload: { queue }, rules, admitted } = preemptor
  const selectors = rules.filter((each) => holds(each, trigger, preemptor)).flatMap(({ candidateSelectors }) => candidateSelectors)
  const gone = new Set(taking.taken)
  const found: Workload[] = []
  for (const [other, those] of admitted) {
    const open = selectors.filter((selector) => isInScope(selector, queue, other) && meets(other.settings.labels ?? {}, selector.clusterQueueSelector))
    if (open.length > 0) found.push(...eligible(those, preemptor, (each) => !gone.has(each) && open.some((selector) => selects(selector, each, preemptor))))
  }
  const isOwn = (each: Workload): boolean => each.queue === queue
  return [...inOrder(found.filter((each) => !isOwn(each)), preemptor), ...inOrder(found.filter(isOwn), preemptor)]
}

const holds = ({ activationPolicy, preemptorSelector, preemptorPriorityClassSelector: classes }: PreemptionRule, trigger: Trigger, { workload, tagsOf, classOf }: Preemptor): boolean =>
  activationPolicy.trigger === trigger && meets(tagsOf(workload), preemptorSelector) && isOfClass(classOf(workload), classes)

/** Source: Kueue, priority_filters.go (MatchesPriorityClassSelector). */
const isOfClass = (name: string | undefined, { matchNames, notMatchNames }: ClassSelector = ANY_CLASS): boolean =>
  (matchNames.length === 0 || (name !== undefined && matchNames.includes(name))) && !(name !== undefined && notMatchNames.includes(name))

const meets = (labels: Tags, selector: LabelSelector | undefined): boolean => selector === undefined || tagsMeet(labels, { tags: selector.matchLabels, matchExpressions: selector.matchExpressions })

function isInScope({ scope }: CandidateSelector, queue: ClusterQueue, other: ClusterQueue): boolean {
  if (scope === 'AnyClusterQueue' || other === queue) return true
  if (scope === 'WithinParentCohort') return queue.parent !== undefined && other.parent === queue.parent
  return scope === 'WithinCohortTree' && other.root === queue.root
}

function selects({ scope, labelSelector, numericLabels, priority }: CandidateSelector, each: Workload, { workload, tagsOf, classOf }: Preemptor): boolean {
  if (scope === 'WithinLocalQueue' && each.user !== workload.user) return false
  if (priority !== undefined && !isOfClass(classOf(each), priority)) return false
  if (priority?.comparison !== undefined && !compares[priority.comparison](priority.mode === 'Base' ? each.priority : each.standing, workload.priority)) return false
  const tags = tagsOf(each)
  return meets(tags, labelSelector) && numericLabels.every((label) => isWithin(label, tags, tagsOf(workload)))
}

function isWithin({ key, fallbackValue, comparison, minValue = -Infinity, maxValue = Infinity }: CandidateSelector['numericLabels'][number], tags: Tags, own: Tags): boolean {
  const value = numberIn(tags, key) ?? fallbackValue
  if (value === undefined || value < minValue || value > maxValue) return false
  if (comparison === undefined) return true
  const mine = numberIn(own, key) ?? fallbackValue
  return mine !== undefined && compares[comparison](value, mine)
}

/** The whole number in a tag, as Kueue reads it (32 bits); `undefined`: there is none. */
function numberIn(tags: Tags, key: string): number | undefined {
  const text = ownValue(tags, key)
  const value = text !== undefined && /^[+-]?\d+$/.test(text) ? Number(text) : NaN
  return value >= -(2 ** 31) && value < 2 ** 31 ? value : undefined
}

const compares: Readonly<Record<Comparison, (candidate: number, preemptor: number) => boolean>> = {
  LessThan: (candidate, preemptor) => candidate < preemptor,
  LessThanOrEqual: (candidate, preemptor) => candidate <= preemptor,
  GreaterThan: (candidate, preemptor) => candidate > preemptor,
  GreaterThanOrEqual: (candidate, preemptor) => candidate >= preemptor,
}
