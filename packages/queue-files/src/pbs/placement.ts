import type { Config } from '@sched/core'
import type { ClusterFacts } from '../queue-policy.js'
import { listed } from '../setting.js'
import { withoutEmpty } from '../slurm/without-empty.js'
import { isTrue, type Attribute } from './attributes.js'
import { nodeSortOf, tellNodeSort } from './node-sort.js'
import type { PbsFile } from './pbs-file.js'
import { executionQueues } from './queues.js'
import type { Status } from './sched-config.js'
import type { Verdicts } from './verdicts.js'

/** The label that stands for the racks of the cluster. */
const RACK = 'rack'
type Labels = Pick<ClusterFacts, 'racks' | 'nodesWith'>
type Facts = Labels & Pick<ClusterFacts, 'resources' | 'nodeNames'>

/**
 * Placement sets by node_group_key, where node_group_enable is True and nodes have such labels; nodes in turn where smp_cluster_dist says so; else, and inside
 * sets, nodes as node_sort_key sorts them; `undefined`: the lowest nodes with room.
 */
export function placementOf(file: PbsFile, status: Status, facts: Facts): Config | undefined {
  const [sets, placement] = [setsOf(file, facts), nodeSortOf(file, status, facts)]
  if (sets !== undefined) return { 'placement-sets': { ...sets, ...(placement !== undefined && { placement }) } }
  return isInTurn(file, status) ? { 'round-robin': {} } : placement
}

const isInTurn = (file: PbsFile, status: Status): boolean => distributionAt(file, status) === 'round_robin'

const distributionAt = ({ config }: PbsFile, status: Status): string | undefined => config.last('smp_cluster_dist', status)?.value

function setsOf(file: PbsFile, facts: Labels): Readonly<Record<string, unknown>> | undefined {
  const { server, sched } = file
  if (isTrue(server.get('node_group_enable')) !== true) return undefined
  const ofAll = labelsOf(server.get('node_group_key'), facts).known
  const queues = Object.fromEntries(executionQueues(file).flatMap(({ name, attributes }) => {
    const { known } = labelsOf(attributes.get('node_group_key'), facts)
    return known.length === 0 ? [] : [[name, { node_group_key: known }]]
  }))
  const flags = Object.fromEntries(['only_explicit_psets', 'do_not_span_psets'].map((name) => [name, isTrue(sched.get(name)) === true]))
  return ofAll.length === 0 && Object.keys(queues).length === 0 ? undefined : withoutEmpty({ node_group_key: ofAll, queues, ...flags })
}

function labelsOf(attribute: Attribute | undefined, { racks = 0, nodesWith }: Labels): { readonly known: string[]; readonly missing: string[] } {
  const labels = listed(attribute?.value ?? '')
  const isKnown = (label: string) => nodesWith === undefined || nodesWith(label).length > 0 || (label === RACK && racks > 0)
  return { known: labels.filter(isKnown), missing: labels.filter((label) => !isKnown(label)) }
}

/** Tells what becomes of the settings that choose nodes. `statuses`: those that there are. */
export function tellPlacement(file: PbsFile, facts: Facts, statuses: readonly Status[], verdicts: Verdicts): void {
  const { server, sched } = file
  const acts = setsOf(file, facts) !== undefined
  const isOn = isTrue(server.get('node_group_enable')) === true
  const off = isOn ? '' : 'node_group_enable is not True'
  for (const attributes of [server, ...executionQueues(file).map((queue) => queue.attributes)]) {
    const key = attributes.get('node_group_key')
    const { known, missing } = labelsOf(key, facts)
    const lacks = missing.length === 0 ? '' : `no node has the label ${missing.join(', ')}`
    if (off === '' && known.length > 0 && lacks !== '') verdicts.tell(key, 'approximated', lacks)
    verdicts.honour(key, off || (known.length === 0 ? lacks : ''))
  }
  verdicts.honour(server.get('node_group_enable'), acts || !isOn ? '' : 'there is no node_group_key of labels that nodes have')
  for (const setting of file.config.settings.filter(({ name }) => name === 'smp_cluster_dist')) {
    const counts = setting.holds.some((status) => file.config.last(setting.name, status) === setting)
    if (setting.value === 'pack' || !counts || acts) verdicts.honour(setting, !counts ? 'another line sets it again' : setting.value === 'pack' ? '' : 'placement sets count')
    else if (setting.value === 'round_robin') verdicts.tell(setting, 'approximated', 'each task goes behind the node used last, there each job of one chunk that is packed')
    else verdicts.tell(setting, 'ignored', 'the lowest nodes with room come first, as with pack')
  }
  tellNodeSort(file, facts, statuses.filter((status) => acts || !isInTurn(file, status)), verdicts)
  for (const name of ['only_explicit_psets', 'do_not_span_psets']) verdicts.honour(sched.get(name), acts ? '' : 'there are no placement sets')
}
