import { knownWords, SchedError } from '@sched/core'
import type { SourceText } from '../source-text.js'
import type { Database } from './database.js'
import type { Declared } from './declared.js'
import { readLines, type Statement } from './lines.js'
import { isShownSettings, shownSettings } from './shown-settings.js'
import { readTopologies, type Topologies } from './topology-yaml.js'
import type { Setting } from '../setting.js'

/** What a slurm.conf says. */
export interface SlurmConf {
  /** Tells the models of files apart. */
  readonly kind: 'slurm'
  /** Name of the file, for messages. */
  readonly file: string
  /** Whether there is a slurm.conf, and not the database of accounts alone. */
  readonly isConf: boolean
  /** QOS and associations, from files beside it. */
  readonly database: Database
  /** Settings that are of no node and no partition, by name in small letters; the last of equal ones, as in Slurm. */
  readonly general: ReadonlyMap<string, Setting>
  /** Lines that begin with PartitionName. */
  readonly partitions: readonly Declared[]
  /** Lines that begin with NodeName. */
  readonly nodes: readonly Declared[]
  /** Nodes that are declared to be down. */
  readonly downNodes: readonly Declared[]
  /** Names of several nodes. */
  readonly nodeSets: readonly Declared[]
  /** What the topology of the cluster is, that of partitions that name none: `other`, of a plug-in that is not simulated. */
  readonly topology: 'tree' | 'block' | 'flat' | 'other'
  /** Those of a topology.yaml beside the file. */
  readonly topologies?: Topologies | undefined
  /** Switches of a tree, or blocks, of that of the cluster: of a topology.yaml, or of a topology.conf beside the file where it has none itself. */
  readonly switches: readonly Declared[]
  /** Nodes of a block, and of several together, for topology/block. */
  readonly blockSizes?: Setting | undefined
  /** Settings of partitions as they are written, once each, with whom they are of. */
  readonly written: readonly Written[]
  /** The same of nodes. */
  readonly writtenOfNodes: readonly Written[]
}
interface Written {
  readonly of: string
  readonly setting: Setting
}

type Kind = 'nodes' | 'partitions' | 'downNodes' | 'nodeSets' | 'switches' | 'blocks' | 'others'

/** Lines about one thing each, by the name that comes first. */
const kinds = knownWords<Kind>({
  nodename: 'nodes', partitionname: 'partitions', downnodes: 'downNodes', frontendname: 'others', nodeset: 'nodeSets', switchname: 'switches', blockname: 'blocks',
})

/** Whether a text is a slurm.conf, or a part of one with nodes or partitions. */
export const isSlurmConf = (text: string): boolean =>
  /^[ \t]*(NodeName|PartitionName|ClusterName|ControlMachine|SlurmctldHost|SchedulerType|SchedulerParameters|PriorityType|PriorityWeight\w+|PreemptType)[ \t]*=/im.test(text)
    && !/^\s*[<{[]/.test(text)

const NOTHING: Database = { qos: [], accounts: [], users: [] }

/** The conf of a site of which only the database is known. */
export const withoutConf = (file: string, database: Database): SlurmConf => ({
  kind: 'slurm', file, isConf: false, database, general: new Map<string, Setting>(), partitions: [], nodes: [], downNodes: [], nodeSets: [], topology: 'flat', switches: [],
  written: [], writtenOfNodes: [],
})

/** Reads a slurm.conf, or what scontrol shows of one. Throws `BAD_INPUT` with the line. */
export function readSlurmConf(source: SourceText): SlurmConf {
  const lists = { nodes: new Declarations(), partitions: new Declarations(), downNodes: new Declarations(), nodeSets: new Declarations(), switches: new Declarations(), blocks: new Declarations(), others: new Declarations() }
  const general = new Map<string, Setting>()
  const [written, writtenOfNodes]: [Written[], Written[]] = [[], []]
  refuseOthers(source)
  for (const statement of isShownSettings(source.text) ? shownSettings(source) : readLines(source, refuseOthers)) {
    const kind = kinds[statement[0].name.toLowerCase()]
    if (kind === undefined) for (const setting of statement) general.set(setting.name.toLowerCase(), setting)
    else lists[kind].add(statement)
    const into = kind === 'partitions' ? written : kind === 'nodes' ? writtenOfNodes : undefined
    for (const setting of into === undefined ? [] : statement.slice(1)) into?.push({ of: statement[0].value, setting })
  }
  const partitions = lists.partitions.all
  const twice = partitions.find(({ name }, i) => partitions.findIndex((other) => other.name.value === name.value) < i)
  if (twice !== undefined)
    throw new SchedError(
      'BAD_INPUT',
      `partition "${twice.name.value}" was declared before.`,
      { file: twice.name.file, line: twice.name.line, field: twice.name.name },
      'Give every partition once.',
    )
  return {
    kind: 'slurm', file: source.file, isConf: true, database: NOTHING, general, partitions, nodes: lists.nodes.all,
    downNodes: lists.downNodes.all, nodeSets: lists.nodeSets.all, ...topologyIn(source, general, lists), written, writtenOfNodes,
  }
}

type OfTopology = Pick<SlurmConf, 'topology' | 'topologies' | 'switches' | 'blockSizes'>

/** That of a topology.yaml, beside which nothing else counts, or of TopologyPlugin. */
function topologyIn(source: SourceText, general: SlurmConf['general'], lists: Readonly<Record<Kind, Declarations>>): OfTopology {
  const yaml = source.include?.('topology.yaml')
  if (yaml !== undefined) {
    const topologies = readTopologies(yaml)
    const { kind, switches, blockSizes } = topologies.ofOthers
    return { topology: kind, topologies, switches, blockSizes }
  }
  const [, plugin = 'other'] = /^topology\/(tree|block|default|flat|none)$/.exec(general.get('topologyplugin')?.value.toLowerCase() ?? 'topology/flat') ?? []
  const joined = plugin === 'tree' ? lists.switches : plugin === 'block' ? lists.blocks : undefined
  const beside = joined?.all.length === 0 ? topologyBeside(source) : []
  for (const statement of beside) if (joined === lists[kinds[statement[0].name.toLowerCase()] ?? 'others']) joined.add(statement)
  const blockSizes = beside.flat().find(({ name }) => /^blocksizes$/i.test(name)) ?? general.get('blocksizes')
  const topology = plugin === 'tree' || plugin === 'block' || plugin === 'other' ? plugin : 'flat'
  return { topology, switches: (topology === 'block' ? lists.blocks : lists.switches).all, blockSizes }
}

/** The lines of a topology.conf, none where there is no such file. */
const topologyBeside = ({ include }: SourceText): Statement[] => {
  const found = include?.('topology.conf')
  return found === undefined ? [] : readLines(found)
}

/** Files that look like one: a gres.conf, and nodes as scontrol shows them, with what is going on. */
function refuseOthers({ text, file }: SourceText): void {
  const gres = /^[ \t]*NodeName=\S+[ \t](?:.*[ \t])?Name=\w+/im.exec(text)
  if (gres !== null)
    throw new SchedError(
      'BAD_INPUT',
      'has lines of a gres.conf, which is not read.',
      { file, line: text.slice(0, gres.index).split('\n').length },
      'Give the slurm.conf, where Gres of a node says how many GPUs it has.',
    )
  const found = /^NodeName=.*(?:\n[ \t]+.*)*?[ \t]CPUAlloc=/m.exec(text)
  if (found !== null)
    throw new SchedError(
      'BAD_INPUT',
      'has what scontrol show node prints, which is a cluster (--nodes FILE) and no policy.',
      { file, line: text.slice(0, found.index).split('\n').length },
      'Give the slurm.conf for that, or what scontrol show config and scontrol show partition print.',
    )
}

/** What a line called DEFAULT says is true of those below it, until another such line says otherwise. */
class Declarations {
  readonly all: Declared[] = []
  #defaults: ReadonlyMap<string, Setting> = new Map<string, Setting>()

  add([name, ...settings]: Statement): void {
    const own = new Map([...this.#defaults, ...settings.map((setting) => [setting.name.toLowerCase(), setting] as const)])
    if (name.value.toUpperCase() === 'DEFAULT') this.#defaults = own
    else this.all.push({ name, settings: own })
  }
}

/** Whether a setting that may be YES or NO is the first, in any of Slurm's spellings. */
export const isYes = (setting: Setting | undefined): boolean => /^(yes|up|true|1)$/i.test(setting?.value ?? '')

/** A whole number of a setting. Throws `BAD_INPUT`. */
export function wholeOf({ name, value, file, line }: Setting, least = 0, most = 2 ** 31 - 1): number {
  if (/^\d{1,10}$/.test(value) && Number(value) >= least && Number(value) <= most) return Number(value)
  throw new SchedError('BAD_INPUT', `found ${JSON.stringify(value)}, expected a whole number from ${least} to ${most}.`, { file, line, field: name })
}
