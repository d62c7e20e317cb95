import { knownWords, SchedError } from '@sched/core'
import type { SourceText } from '../source-text.js'
import type { Database } from './database.js'
import type { Declared } from './declared.js'
import { readLines, type Statement } from './lines.js'
import { isShownSettings, shownSettings } from './shown-settings.js'
import { readTopologies, type Topologies } from './topology-yaml.js'
import type { Setting } from '../setting.js'

/** A slurm.conf, with what stands beside it. */
export interface SlurmConf {
  /** Tells the models of files apart. */
  readonly kind: 'slurm'
  /** Name of the file, for messages. */
  readonly file: string
  /** Whether there is a slurm.conf; false: there is only the database of accounts. */
  readonly isConf: boolean
  /** QOS and associations, from files beside it. */
  readonly database: Database
  /** Reservations of nodes, from files beside it. */
  readonly reservations: readonly Declared[]
  /** Settings of no node and no partition, by name in small letters; of equal ones the last, as in Slurm. */
  readonly general: ReadonlyMap<string, Setting>
  /** Lines that begin with PartitionName. */
  readonly partitions: readonly Declared[]
  /** Lines that begin with NodeName. */
  readonly nodes: readonly Declared[]
  /** Lines that begin with DownNodes. */
  readonly downNodes: readonly Declared[]
  /** Lines that begin with NodeSet, which name several nodes together. */
  readonly nodeSets: readonly Declared[]
  /** The kind of topology of the cluster, which holds for partitions that name none; `other`: of a plug-in that is not simulated. */
  readonly topology: 'tree' | 'block' | 'flat' | 'other'
  /** The topologies of a topology.yaml beside the file; undefined: there is none. */
  readonly topologies?: Topologies | undefined
  /** The switches or blocks of the cluster's topology, from a topology.yaml, from the file itself or from a topology.conf beside it, whichever is found first. */
  readonly switches: readonly Declared[]
  /** Numbers of nodes of a block and of several blocks together, for topology/block. */
  readonly blockSizes?: Setting | undefined
  /** The settings of partitions as written, each once; one of a DEFAULT line is not repeated for the partitions below. */
  readonly written: readonly Written[]
  /** The same for nodes. */
  readonly writtenOfNodes: readonly Written[]
}
/** A setting with the name that its line begins with. */
interface Written {
  readonly of: string
  readonly setting: Setting
}

type Kind = 'nodes' | 'partitions' | 'downNodes' | 'nodeSets' | 'switches' | 'blocks' | 'others'

/** Lines that declare something, by the name that comes first. */
const kinds = knownWords<Kind>({
  nodename: 'nodes', partitionname: 'partitions', downnodes: 'downNodes', frontendname: 'others', nodeset: 'nodeSets', switchname: 'switches', blockname: 'blocks',
})

/** Whether a text is a slurm.conf, or a part of one with nodes or partitions. */
export const isSlurmConf = (text: string): boolean =>
  /^[ \t]*(NodeName|PartitionName|ClusterName|ControlMachine|SlurmctldHost|SchedulerType|SchedulerParameters|PriorityType|PriorityWeight\w+|PreemptType)[ \t]*=/im.test(text)
    && !/^\s*[<{[]/.test(text)

const NOTHING: Database = { qos: [], accounts: [], users: [] }

/** The model of a site of which only the database is known. */
export const withoutConf = (file: string, database: Database): SlurmConf => ({
  kind: 'slurm', file, isConf: false, database, reservations: [], general: new Map<string, Setting>(), partitions: [], nodes: [], downNodes: [], nodeSets: [], topology: 'flat', switches: [],
  written: [], writtenOfNodes: [],
})

/** Reads a slurm.conf, or the output of `scontrol show config` and `scontrol show partition`. Throws `BAD_INPUT` with the line. */
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
    kind: 'slurm', file: source.file, isConf: true, database: NOTHING, reservations: [], general, partitions, nodes: lists.nodes.all,
    downNodes: lists.downNodes.all, nodeSets: lists.nodeSets.all, ...topologyIn(source, general, lists), written, writtenOfNodes,
  }
}

type OfTopology = Pick<SlurmConf, 'topology' | 'topologies' | 'switches' | 'blockSizes'>

/** The topology of the cluster: that of a topology.yaml beside the file, or else that of TopologyPlugin. */
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

/** The lines of a topology.conf beside the file; none if there is no such file. */
const topologyBeside = ({ include }: SourceText): Statement[] => {
  const found = include?.('topology.conf')
  return found === undefined ? [] : readLines(found)
}

/** Throws `BAD_INPUT` with the line for texts that look like a slurm.conf but are none: a gres.conf, and the output of `scontrol show node`. */
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

/** Collects lines of one kind. The settings of a line named DEFAULT hold for the lines below it, until another DEFAULT line changes them. */
class Declarations {
  readonly all: Declared[] = []
  #defaults: ReadonlyMap<string, Setting> = new Map<string, Setting>()

  add([name, ...settings]: Statement): void {
    const own = new Map([...this.#defaults, ...settings.map((setting) => [setting.name.toLowerCase(), setting] as const)])
    if (name.value.toUpperCase() === 'DEFAULT') this.#defaults = own
    else this.all.push({ name, settings: own })
  }
}

/** Whether a setting is YES, in any of Slurm's spellings. */
export const isYes = (setting: Setting | undefined): boolean => /^(yes|up|true|1)$/i.test(setting?.value ?? '')

/** The whole number of a setting, from `least` to `most`. Throws `BAD_INPUT` with the line for any other value. */
export function wholeOf({ name, value, file, line }: Setting, least = 0, most = 2 ** 31 - 1): number {
  if (/^\d{1,10}$/.test(value) && Number(value) >= least && Number(value) <= most) return Number(value)
  throw new SchedError('BAD_INPUT', `found ${JSON.stringify(value)}, expected a whole number from ${least} to ${most}.`, { file, line, field: name }, 'Correct it, or leave it out for the default of Slurm.')
}
