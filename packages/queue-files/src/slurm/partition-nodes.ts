import { partsOfHosts, SchedError, type JobSpec, type StageSpec } from '@sched/core'
import { isUpIn } from './away.js'
import type { SlurmConf } from './conf.js'
import { hostNames } from './hosts.js'
import type { ClusterFacts } from '../queue-policy.js'
import type { Setting } from '../setting.js'

/** The label of the nodes of a partition that does not have all nodes. */
export const labelOf = (partition: string): string => `partition:${partition}`

/**
 * The hosts of each partition that are up, for partitions that have some but not all of the file's nodes. Throws `BAD_INPUT` with the line for a list that
 * cannot be read or has a node that is not declared.
 */
export function partitionNodes(conf: SlurmConf): ReadonlyMap<string, ReadonlySet<string>> {
  const all = hostsUp(conf)
  return new Map([...ownNodes(conf, all)].filter(([, own]) => own.size > 0 && own.size < all.length))
}

/** The partitions none of whose nodes is up, so that their jobs wait; none if the file declares no nodes. Throws like `partitionNodes`. */
export const withoutNodes = (conf: SlurmConf): readonly string[] => [...ownNodes(conf, hostsUp(conf))].flatMap(([name, own]) => (own.size === 0 ? [name] : []))

/** The hosts of each partition that lists nodes that are up; empty if the file declares no nodes. */
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

/** Whether a list has all nodes of the file that are up, or all of the cluster. `present`: names of the cluster's nodes, empty if not known. */
export function hasAllNodes(setting: Setting, conf: SlurmConf, present: readonly string[]): boolean {
  if (/^ALL$/i.test(setting.value)) return true
  const hosts = hostsOf(setting, conf)
  return [hostsUp(conf), present].some((all) => all.length > 0 && all.every((host) => hosts.has(host)))
}

/** The hosts of the file that are up, in its order. */
function hostsUp(conf: SlurmConf): string[] {
  const isUp = isUpIn(conf)
  return conf.nodes.flatMap((declared) => hostNames(declared.name).filter((host) => isUp(host, declared)))
}

/** The hosts of a list of names of hosts and NodeSets; a NodeSet stands for its nodes and for all nodes with its feature. Throws `BAD_INPUT` with the line. */
export function hostsOf(setting: Setting, { nodes, nodeSets }: Pick<SlurmConf, 'nodes' | 'nodeSets'>): Set<string> {
  return new Set(partsOfHosts(setting.value).flatMap((value) => {
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
 * The partitions whose nodes the cluster marks by a label, if these are exactly the partition's nodes in the file as far as the cluster has them. Nodes may
 * be missing in the cluster: a cluster made of the output of scontrol leaves out those that are down.
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

/** Stands for a partition with all nodes among labels of which all nodes of a job have the same one. */
const withAllNodes = (partition: string): string => `${labelOf(partition)}|*`

/**
 * Keeps the tasks of a job on the nodes of its partition, or of the partition of their stage, if that is one of `marked`. `several`: the partitions that the
 * job names, if these are more than one; all of its tasks are on nodes of the same one.
 */
export function onNodesOf(spec: JobSpec, marked: ReadonlySet<string>, several: readonly string[] = []): JobSpec {
  const onNodes = (stage: StageSpec): StageSpec => {
    const { partition = spec.queue, constraints } = stage
    if (several.length > 1 && stage.partition === undefined) {
      const alike = constraints?.alike ?? several.map((name) => (marked.has(name) ? labelOf(name) : withAllNodes(name)))
      const areMarked = several.every((name) => marked.has(name)) // if not, one of them has all nodes
      return { ...stage, constraints: { ...constraints, ...(areMarked && { require: { ...constraints?.require, [several.map(labelOf).join('|')]: 'true' } }), alike } }
    }
    if (partition === undefined || !marked.has(partition)) return stage
    return { ...stage, constraints: { ...constraints, require: { ...constraints?.require, [labelOf(partition)]: 'true' } } }
  }
  return { ...spec, stages: spec.stages.map(onNodes) }
}
