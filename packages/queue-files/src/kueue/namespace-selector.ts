import type { KubernetesObject } from '@sched/cluster'
import { at, fieldsOf, nameOf, where, type Path } from '../fields.js'
import type { Findings } from '../finding.js'
import { labelsAt, matchExpressionsAt, type Requirement } from '../label-selector.js'
import type { KueueFile } from './kueue-file.js'

type Labels = Readonly<Record<string, unknown>>

/** The label that every namespace has: its name. */
const NAME = 'kubernetes.io/metadata.name'
const PATH = ['spec', 'namespaceSelector']

/**
 * The namespaces whose jobs a ClusterQueue does not admit, by ClusterQueue. The namespaces are those of the Namespaces and LocalQueues of the file; without
 * a Namespace only the name is known and no label, and jobs are admitted if the labels would decide. Adds a finding for each selector. Throws `BAD_INPUT`
 * with the line.
 *
 * Source: Kueue, ValidateAdmissibility; Kubernetes, LabelSelector. Deviation: a queue without a selector admits all jobs; in Kueue it admits none.
 */
export function barredNamespaces(file: KueueFile, findings: Findings): ReadonlyMap<string, ReadonlySet<string>> {
  const labels = new Map<string, Labels | undefined>()
  for (const { object } of file.localQueues) {
    const namespace = at(object, ['metadata', 'namespace'])
    if (typeof namespace === 'string' && namespace !== '') labels.set(namespace, undefined)
  }
  for (const each of file.namespaces) labels.set(nameOf(each), fieldsOf(at(each.object, ['metadata', 'labels'])))
  return new Map(file.clusterQueues.map((found) => [nameOf(found), barredBy(found, labels, findings)]))
}

function barredBy(found: KubernetesObject, labels: ReadonlyMap<string, Labels | undefined>, findings: Findings): ReadonlySet<string> {
  const setting = `${nameOf(found)} namespaceSelector`
  const selector = at(found.object, PATH) ?? undefined
  if (selector === undefined) {
    findings.add('ignored', where(found, ['metadata', 'name']), setting, 'none', 'Kueue admits nobody to it then: `{}` are all namespaces, as here')
    return new Set()
  }
  const wanted = requirementsAt(found, PATH)
  const answers = [...labels].map(([name, own]) => [name, selects(wanted, name, own)] as const)
  const unknown = answers.flatMap(([name, isSelected]) => (isSelected === undefined ? [name] : []))
  if (wanted.length === 0) findings.add('honoured', where(found, PATH), setting, '{}')
  else if (unknown.length === answers.length) findings.add('ignored', where(found, PATH), setting, '', `labels of namespaces are not known: jobs of all of them are admitted. ${WAY_OUT}`)
  else if (unknown.length > 0) findings.add('approximated', where(found, PATH), setting, '', `labels of ${unknown.join(', ')} are not known: jobs of these are admitted. ${WAY_OUT}`)
  else findings.add('honoured', where(found, PATH), setting, '')
  return new Set(answers.flatMap(([name, isSelected]) => (isSelected === false ? [name] : [])))
}

const WAY_OUT = 'Put Namespaces into the file: kubectl get namespaces -o yaml'

/** All requirements of the selector at a path. Throws `BAD_INPUT` with the line. */
export function requirementsAt(found: KubernetesObject, selector: Path): Requirement[] {
  const named = Object.entries(labelsAt(found, [...selector, 'matchLabels'])).map(([key, value]): Requirement => ({ key, operator: 'In', values: [value] }))
  return [...named, ...matchExpressionsAt(found, selector)]
}

/** Whether the requirements select a namespace; undefined: that depends on labels that are not known. */
export function selects(wanted: readonly Requirement[], name: string, labels: Labels | undefined): boolean | undefined {
  const answers = wanted.map(({ key, operator, values }) => {
    if (key !== NAME && labels === undefined) return undefined
    const value = key === NAME ? name : labels?.[key]
    const isOne = value !== undefined && values.includes(value)
    return { In: isOne, NotIn: !isOne, Exists: value !== undefined, DoesNotExist: value === undefined }[operator]
  })
  if (answers.includes(false)) return false
  return answers.includes(undefined) ? undefined : true
}
