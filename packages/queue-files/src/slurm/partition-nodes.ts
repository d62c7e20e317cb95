import { SchedError, type JobSpec, type StageSpec } from '@sched/core'
import { isUpIn } from './away.js'
import type { SlurmConf } from './conf.js'
import { hostNames, partsOf } from './hosts.js'
import type { ClusterFacts } from '../queue-policy.js'
import type { Setting } from '../setting.js'

/** The label of the nodes of a partition that has not all of them. */
export const labelOf = (partition: string): string => `partition:${partition}`

/** The hosts that are up of the partitions that have not all nodes of the file. Throws `BAD_INPUT` for a list that is none. */
export function partitionNodes(conf: SlurmConf): ReadonlyMap<string, ReadonlySet<string>> {
  const all = hostsUp(conf)
  return new Map([...ownNodes(conf, all)].filter(([, own]) => own.size > 0 && own.size < all.length))
}

/** Partitions that have none of the nodes that are up, where the file declares nodes: their jobs wait. Throws `BAD_INPUT` for a node that is not declared. */
export const withoutNodes = (conf: SlurmConf): readonly string[] => [...ownNodes(conf, hostsUp(conf))].flatMap(([name, own]) => (own.size === 0 ? [name] : []))

/** Hosts that are up of the partitions that list nodes, none where the file declares none at all. */
function ownNodes(conf: SlurmConf, up: readonly string[]): Map<string, Set<string>> {
  if (conf.nodes.length === 0) return new Map()
  const declared = new Set(conf.nodes.flatMap(({ name }) => hostNames(name)))
  return new Map(conf.partitions.flatMap(({ name, settings }) => {
    const setting = settings.get('nodes')
    if (setting === undefined || /^ALL$/i.test(setting.value)) return []
    const hosts = hostsOf(setting, conf)
    const stranger = [...hosts].find((host) => !declared.has(host))
    if (stranger !== undefined)
      throw new SchedError(
        'BAD_INPUT',
        `partition "${name.value}" has the node ${JSON.stringify(stranger)}, which no NodeName declares.`,
        { file: setting.file, line: setting.line, field: setting.name },
        'Declare it, or take it from the list; Slurm does not start with it either.',
      )
    return [[name.value, new Set(up.filter((host) => hosts.has(host)))]]
  }))
}

/** Whether a list has all nodes of the file that are up, or all of the cluster. */
export function hasAllNodes(setting: Setting, conf: SlurmConf, present: readonly string[]): boolean {
  if (/^ALL$/i.test(setting.value)) return true
  const hosts = hostsOf(setting, conf)
  return [hostsUp(conf), present].some((all) => all.length > 0 && all.every((host) => hosts.has(host)))
}

function hostsUp(conf: SlurmConf): string[] {
  const isUp = isUpIn(conf)
  return conf.nodes.flatMap((declared) => hostNames(declared.name).filter((host) => isUp(host, declared)))
}

/** Hosts by name, or by the name of a NodeSet: its nodes, and all with its feature. Throws `BAD_INPUT`. */
export function hostsOf(setting: Setting, { nodes, nodeSets }: Pick<SlurmConf, 'nodes' | 'nodeSets'>): Set<string> {
  return new Set(partsOf(setting.value).flatMap((value) => {
    const sets = nodeSets.filter(({ name }) => name.value === value)
    if (sets.length === 0) return hostNames({ ...setting, value })
    return sets.flatMap(({ settings }) => {
      const [own, feature] = [settings.get('nodes'), settings.get('feature')?.value]
      const withFeature = nodes.filter((each) => feature !== undefined
        && (each.settings.get('features') ?? each.settings.get('feature'))?.value.split(/[,&]/).includes(feature) === true)
      return [...(own === undefined ? [] : hostNames(own)), ...withFeature.flatMap(({ name }) => hostNames(name))]
    })
  }))
}

/**
 * The partitions of which the cluster marks the nodes that it has, and no others: those of the file that names its nodes are as here. Of what scontrol shows
 * nodes may be missing, which are down.
 */
export function markedPartitions(conf: SlurmConf, { nodesWith = () => [], nodeNames = hostsUp(conf) }: Pick<ClusterFacts, 'nodeNames' | 'nodesWith'>): ReadonlySet<string> {
  const present = new Set(nodeNames)
  return new Set(conf.partitions.flatMap(({ name: { value: name }, settings }) => {
    const marked = nodesWith(labelOf(name))
    const setting = settings.get('nodes')
    if (setting === undefined || marked.length === 0) return []
    const own = hostsOf(setting, conf)
    const count = [...own].filter((host) => present.has(host)).length
    return marked.length === count && marked.every((host) => own.has(host)) ? [name] : []
  }))
}

/** Keeps the tasks of a job on the nodes of its partition, or of that of their stage, if it is one of these. */
export function onNodesOf(spec: JobSpec, marked: ReadonlySet<string>): JobSpec {
  const onNodes = (stage: StageSpec): StageSpec => {
    const { partition = spec.queue, constraints } = stage
    if (partition === undefined || !marked.has(partition)) return stage
    return { ...stage, constraints: { ...constraints, require: { ...constraints?.require, [labelOf(partition)]: 'true' } } }
  }
  return { ...spec, stages: spec.stages.map(onNodes) }
}
