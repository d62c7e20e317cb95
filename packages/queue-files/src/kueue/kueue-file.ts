import { kubernetesObjects, type KubernetesObject } from '@sched/cluster'
import { SchedError } from '@sched/core'
import { byName, fieldsOf, textOf } from '../fields.js'
import { pathOfText } from '../held-text.js'
import { innerObject } from '../inner-object.js'
import type { SourceText } from '../source-text.js'
import { refuseTemplate, templateError, templateMark } from '../template.js'

/** Objects of Kueue in a file, each with the places of its fields. */
export interface KueueFile {
  /** Tells the models of files apart. */
  readonly kind: 'kueue'
  /** Name of the file, for messages. */
  readonly file: string
  /** Objects of the kind ClusterQueue. */
  readonly clusterQueues: readonly KubernetesObject[]
  /** Objects of the kind Cohort. */
  readonly cohorts: readonly KubernetesObject[]
  /** Objects of the kind ResourceFlavor. */
  readonly flavors: readonly KubernetesObject[]
  /** Objects of the kind Topology. */
  readonly topologies: readonly KubernetesObject[]
  /** Objects of the kind LocalQueue. */
  readonly localQueues: readonly KubernetesObject[]
  /** Objects of the kind Namespace. */
  readonly namespaces: readonly KubernetesObject[]
  /** Objects of the kind PreemptionConfig. */
  readonly preemptionConfigs: readonly KubernetesObject[]
  /** The configuration of the controller kueue-priority-booster, in its ConfigMap; undefined: the file has none. */
  readonly booster: KubernetesObject | undefined
  /** Kueue's own Configuration, as an object, in its ConfigMap or in values of its Helm chart; undefined: the file has none. */
  readonly configuration: KubernetesObject | undefined
  /** Objects of other kinds. */
  readonly others: readonly KubernetesObject[]
}

const own = ['ClusterQueue', 'Cohort', 'ResourceFlavor', 'Topology', 'LocalQueue', 'PreemptionConfig']
const NAMESPACE = 'Namespace'
/** The ConfigMap of the controller kueue-priority-booster. */
const BOOSTER = 'kueue-priority-booster-config'
/** The key of Kueue's Configuration in the ConfigMap `kueue-manager-config`. */
const CONFIGURATION = 'controller_manager_config.yaml'
/** Its key in the values of Kueue's Helm chart. */
const OF_HELM = 'controllerManagerConfigYaml'

/** Whether a text has queues of Kueue, as manifests or as kubectl prints them. */
export const isKueue = (text: string): boolean => /kueue\.x-k8s\.io\//.test(text) && /\bkind["']?\s*:\s*["']?(ClusterQueue|Cohort)(List)?\b/.test(text)

/** Reads manifests of Kueue, from one file or several. Throws `BAD_INPUT` with the line. */
export function readKueue(...sources: readonly SourceText[]): KueueFile {
  const file = sources.map((each) => each.file).join('+')
  const read = sources.map((source) => ({ source, objects: objectsOf(source.text, source.file) }))
  const all = read.flatMap(({ objects }) => objects)
  const of = (kind: string): KubernetesObject[] => {
    const found = all.filter((each) => each.kind === kind)
    return kind === 'LocalQueue' ? found : [...byName(found, kind).values()] // LocalQueues of different namespaces may have the same name
  }
  const clusterQueues = of('ClusterQueue')
  if (clusterQueues.length === 0) throw new SchedError('BAD_INPUT', 'has no ClusterQueue.', { file }, 'Give all in one file: kubectl get clusterqueues,cohorts,resourceflavors,localqueues -A -o yaml')
  const configurationOf = new Map(read.flatMap(({ source, objects }) => objects.flatMap((each) => {
    const found = configurationIn(each, source)
    return found === undefined ? [] : [[each, found] as const]
  })))
  const boosters = new Map(read.flatMap(({ source, objects }) => objects.flatMap((each) => {
    const isBooster = each.kind === 'ConfigMap' && fieldsOf(each.object['metadata'])['name'] === BOOSTER
    const path = isBooster ? pathOfText(each.object, (_, key) => key === CONFIGURATION) : undefined
    const found = path === undefined ? undefined : innerObject(each, path, source)
    return found === undefined ? [] : [[each, found] as const]
  })))
  const [configuration, second] = configurationOf.values()
  if (second !== undefined) throw new SchedError('BAD_INPUT', 'is a second Configuration of Kueue.', second.place(), 'Give one.')
  return {
    kind: 'kueue', file, clusterQueues, cohorts: of('Cohort'), flavors: of('ResourceFlavor'), topologies: of('Topology'), localQueues: of('LocalQueue'), namespaces: of(NAMESPACE),
    preemptionConfigs: of('PreemptionConfig'), booster: [...boosters.values()].at(-1), configuration,
    others: all.filter((each) => each.kind !== NAMESPACE && !own.includes(each.kind) && !configurationOf.has(each) && !boosters.has(each)),
  }
}

/** Kueue's Configuration if the object is one or holds one as a text. Other controllers have objects of the kind Configuration too. */
function configurationIn(found: KubernetesObject, source: SourceText): KubernetesObject | undefined {
  const path = pathOfText(found.object, (_, key) => key === CONFIGURATION || key === OF_HELM)
  const inner = path === undefined ? found : innerObject(found, path, source)
  return inner?.kind === 'Configuration' && textOf(inner.object['apiVersion'] ?? '').startsWith('config.kueue.x-k8s.io/') ? inner : undefined
}

/** The objects of a text. Throws `BAD_INPUT` with the line if it is a template, which is often no valid YAML, or has another mistake. */
function objectsOf(text: string, file: string): KubernetesObject[] {
  let all: KubernetesObject[]
  try {
    all = [...kubernetesObjects(text, file)]
  } catch (error) {
    refuseTemplate({ text, file })
    const line = error instanceof SchedError ? error.place.line : undefined
    const mark = line === undefined ? undefined : templateMark(text.split('\n')[line - 1] ?? '', true)
    throw mark === undefined ? error : templateError(mark, file, line)
  }
  for (const { object, place } of all.filter(({ kind }) => own.includes(kind))) {
    const mark = templateMark([textOf(object['spec'] ?? ''), textOf(fieldsOf(object['metadata'])['name'] ?? '')].join(' '), true)
    if (mark !== undefined) throw templateError(mark, file, place().line)
  }
  return all
}
