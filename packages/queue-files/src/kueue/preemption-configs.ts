import type { KubernetesObject } from '@sched/cluster'
import type { KueueOptions } from '@sched/policies'
import { at, fieldsOf, listAt, nameOf, textOf, unexpected, where, wholeAt, type Path } from '../fields.js'
import type { Findings } from '../finding.js'
import { labelsAt, matchExpressionsAt } from '../label-selector.js'
import { CONFIGS_GATE, gate, GATES, readGate } from './gates.js'
import type { KueueFile } from './kueue-file.js'

type Configs = NonNullable<KueueOptions['preemptionConfigs']>
type Rule = NonNullable<Configs[string]['rules']>[number]
type Selector = NonNullable<Rule['candidateSelectors']>[number]

/** The annotation by which a ClusterQueue names its PreemptionConfig. */
const ANNOTATION = 'kueue.x-k8s.io/preemption-config-name'
const OFF = `off: \`${GATES}: { ${CONFIGS_GATE}: true }\` turns it on`
const TRIGGERS = ['Always', 'InsufficientQuota', 'QuotaFeasibleAndInsufficientTopology'] as const
const SCOPES = ['WithinLocalQueue', 'WithinClusterQueue', 'WithinParentCohort', 'WithinCohortTree', 'AnyClusterQueue'] as const
const COMPARISONS = ['LessThan', 'LessThanOrEqual', 'GreaterThan', 'GreaterThanOrEqual'] as const
const MODES = ['Base', 'Boosted'] as const
/** Where a Configuration says which labels of jobs their workloads have. */
export const COPIED = ['integrations', 'labelKeysToCopy'] as const
const INT32 = 2 ** 31

/** What PreemptionConfigs give: their rules, what these see of jobs, and which of them a queue uses, with its labels. */
interface PreemptionConfigs {
  readonly options: Pick<KueueOptions, 'preemptionConfigs' | 'labelKeysToCopy'>
  readonly of: (clusterQueue: KubernetesObject) => { readonly preemptionConfig?: string; readonly labels?: Readonly<Record<string, string>> }
}

/**
 * The rules of PreemptionConfigs, if the gate for them is open. Adds a finding for each rule, and for each queue that uses them. Throws `BAD_INPUT` with the line for
 * what Kueue does not take.
 *
 * Source: Kueue, preemptionconfig_types.go. Deviation: a config that is not there is left out; Kueue takes that as one without rules.
 */
export function preemptionConfigs({ preemptionConfigs: all, configuration }: KueueFile, findings: Findings): PreemptionConfigs {
  const isOpen = gate(configuration, CONFIGS_GATE) === true
  if (configuration !== undefined) readGate(configuration, CONFIGS_GATE, findings)
  const copied = configuration === undefined ? [] : listAt(configuration, COPIED).map(textOf)
  if (configuration !== undefined && copied.length > 0) findings.add(isOpen && all.length > 0 ? 'honoured' : 'ignored', where(configuration, COPIED), COPIED.join('.'), copied.join(', '), isOpen && all.length > 0 ? '' : 'only rules of PreemptionConfigs see labels')
  const made = new Map(all.map((each) => [nameOf(each), rulesOf(each, isOpen, copied, findings)]))
  const of = (found: KubernetesObject) => {
    const path = ['metadata', 'annotations', ANNOTATION]
    const name = at(found.object, path) ?? undefined
    const labels = isOpen && made.size > 0 ? Object.entries(fieldsOf(at(found.object, ['metadata', 'labels']))).map(([key, value]) => [key, textOf(value)] as const) : []
    const own = labels.length > 0 ? { labels: Object.fromEntries(labels) } : {}
    if (name === undefined) return own
    const isThere = made.has(textOf(name))
    findings.add(isOpen && isThere ? 'honoured' : 'ignored', where(found, path), `${nameOf(found)} ${ANNOTATION}`, textOf(name), !isOpen ? OFF : isThere ? '' : 'no PreemptionConfig has this name: it has no rules')
    return isOpen && isThere ? { ...own, preemptionConfig: textOf(name) } : own
  }
  return { options: isOpen && made.size > 0 ? { preemptionConfigs: Object.fromEntries(made), labelKeysToCopy: copied } : {}, of }
}

function rulesOf(found: KubernetesObject, isOpen: boolean, copied: readonly string[], findings: Findings): { readonly rules: Rule[] } {
  const rules = listAt(found, ['spec', 'rules']).map((each, i) => {
    const path = ['spec', 'rules', i]
    const { name } = fieldsOf(each)
    const selectors = listAt(found, [...path, 'candidateSelectors']).map((_, s) => selectorAt(found, [...path, 'candidateSelectors', s]))
    const trigger = wordAt(found, [...path, 'activationPolicy', 'trigger'], TRIGGERS)
    const classes = classesAt(found, [...path, 'preemptorPriorityClassSelector'])
    const rule: Rule = { ...(name !== undefined && { name: textOf(name) }), ...labelsBy(found, path, 'preemptorSelector'), ...(classes && { preemptorPriorityClassSelector: classes }), activationPolicy: { trigger }, candidateSelectors: selectors }
    const unseen = [...new Set(keysOf(rule))].filter((key) => !copied.includes(key))
    const note = !isOpen ? OFF : unseen.length > 0 ? `no workload has the label ${unseen.join(', ')}: put it into integrations.labelKeysToCopy` : ''
    findings.add(!isOpen ? 'ignored' : 'honoured', where(found, path), `PreemptionConfig ${nameOf(found)} rule`, textOf(name ?? String(i)), note)
    return rule
  })
  return { rules }
}

/** The labels of jobs of which a rule asks something. */
const keysOf = ({ preemptorSelector, candidateSelectors = [] }: Rule): string[] =>
  [preemptorSelector, ...candidateSelectors.map(({ labelSelector }) => labelSelector)].flatMap((each) => [...Object.keys(each?.matchLabels ?? {}), ...(each?.matchExpressions ?? []).map(({ key }) => key)])
    .concat(candidateSelectors.flatMap(({ numericLabels = [] }) => numericLabels.map(({ key }) => key)))

function selectorAt(found: KubernetesObject, path: Path): Selector {
  const numeric = listAt(found, [...path, 'numericLabels']).map((each, i) => numericAt(found, [...path, 'numericLabels', i], fieldsOf(each)))
  const { mode, comparison } = fieldsOf(at(found.object, [...path, 'priority']))
  const priority = [...path, 'priority']
  const classes = classesAt(found, priority)
  if ((mode === undefined) !== (comparison === undefined)) throw unexpected(found, [...priority, mode === undefined ? 'mode' : 'comparison'], mode === undefined ? MODES : COMPARISONS)
  return {
    scope: wordAt(found, [...path, 'scope'], SCOPES), ...labelsBy(found, path, 'clusterQueueSelector'), ...labelsBy(found, path, 'labelSelector'),
    ...(numeric.length > 0 && { numericLabels: numeric }),
    ...((mode !== undefined || classes !== undefined) && { priority: { ...(mode !== undefined && { mode: wordAt(found, [...priority, 'mode'], MODES), comparison: wordAt(found, [...priority, 'comparison'], COMPARISONS) }), ...classes } }),
  }
}

/** Names of priority classes; `undefined`: none are given. */
function classesAt(found: KubernetesObject, path: Path): Rule['preemptorPriorityClassSelector'] {
  const [matchNames, notMatchNames] = ['matchNames', 'notMatchNames'].map((key) => listAt(found, [...path, key]).map(textOf)) as [string[], string[]]
  if (matchNames.length + notMatchNames.length === 0) return undefined
  return { ...(matchNames.length > 0 && { matchNames }), ...(notMatchNames.length > 0 && { notMatchNames }) }
}

function numericAt(found: KubernetesObject, path: Path, { key, comparison }: Readonly<Record<string, unknown>>): NonNullable<Selector['numericLabels']>[number] {
  if (typeof key !== 'string' || key === '') throw unexpected(found, [...path, 'key'], 'a label')
  const numbers = (['fallbackValue', 'minValue', 'maxValue'] as const).map((name) => [name, wholeAt(found, [...path, name], name === 'fallbackValue' ? -INT32 : 0, INT32 - 1)] as const)
  const given = Object.fromEntries(numbers.filter(([, value]) => value !== undefined)) as Partial<Record<(typeof numbers)[number][0], number>>
  if ((given.minValue ?? 0) > (given.maxValue ?? Infinity)) throw unexpected(found, [...path, 'minValue'], 'at most maxValue')
  return { key, ...(comparison !== undefined && { comparison: wordAt(found, [...path, 'comparison'], COMPARISONS) }), ...given }
}

/** The selector of labels in a field, under the name of that; nothing if it is not there. */
function labelsBy<K extends string>(found: KubernetesObject, around: Path, key: K): { readonly [each in K]?: NonNullable<Selector['labelSelector']> } {
  const path = [...around, key]
  if ((at(found.object, path) ?? undefined) === undefined) return {}
  const matchLabels = Object.fromEntries(Object.entries(labelsAt(found, [...path, 'matchLabels'])).map(([name, value]) => [name, textOf(value)]))
  const matchExpressions = matchExpressionsAt(found, path).map(({ values, ...each }) => ({ ...each, ...(values.length > 0 && { values: values.map(textOf) }) }))
  return { [key]: { ...(Object.keys(matchLabels).length > 0 && { matchLabels }), ...(matchExpressions.length > 0 && { matchExpressions }) } } as { [each in K]?: NonNullable<Selector['labelSelector']> }
}

function wordAt<W extends string>(found: KubernetesObject, path: Path, words: readonly W[]): W {
  const given = at(found.object, path)
  const word = words.find((each) => each === given)
  if (word === undefined) throw unexpected(found, path, words)
  return word
}
