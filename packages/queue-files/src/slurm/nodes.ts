import { SchedError } from '@sched/core'
import type { SourceText } from '../source-text.js'
import { isUpIn } from './away.js'
import { readSlurmConf, wholeOf } from './conf.js'
import type { Declared } from './declared.js'
import { compareNames, hostNames } from './hosts.js'
import type { Setting } from '../setting.js'
import { labelOf, partitionNodes } from './partition-nodes.js'
import { switchPaths } from './switches.js'
import { tenantsOf } from './tenants.js'
import { TENANTS } from './whole-nodes.js'

/** The nodes of a slurm.conf in the form of a description of a cluster. */
export interface SlurmNodes {
  /** Name of the cluster (ClusterName), by default `slurm`. */
  readonly name: string
  /** Groups of equal nodes. */
  readonly nodes: readonly { readonly names: string[]; readonly count: number; readonly racks?: readonly string[]; readonly resources: Record<string, number>; readonly labels?: Record<string, string> }[]
}

/**
 * The nodes of a slurm.conf. Resources: `procs` (CPUs, or sockets x cores x threads) and `mem` in MiB (RealMemory), both without what is kept for the system
 * (CoreSpecCount, MemSpecLimit), `gpus` (Gres), and one `nodes`, for which jobs ask that take whole nodes. If nodes differ and jobs of one partition get them
 * whole while those of another share them, each has `tenants` (`TENANTS`). Features are labels, the type of the GPUs is the label `model`, and a node of a
 * partition `p` that does not have all nodes has the label `partition:p`. With switches or blocks, those above a node are its racks. Nodes that are down,
 * draining or for the future are left out. Nodes stand in the order of their names, as in Slurm, whichever line declares them. Throws `BAD_INPUT` with the line.
 */
export function slurmNodes(source: SourceText): SlurmNodes {
  const conf = readSlurmConf(source)
  const isUp = isUpIn(conf)
  const partitions = partitionNodes(conf)
  const switches = switchPaths(conf)
  const seen = new Set<string>()
  const tenants = tenantsOf(conf, new Map(conf.nodes.flatMap((each) => hostNames(each.name).filter((host) => isUp(host, each)).map((host) => [host, procsOf(each)]))), partitions)
  const hosts = conf.nodes.flatMap((declared) => hostNames(declared.name).flatMap((name) => {
    if (seen.has(name)) throw bad(declared, `node "${name}" was declared before.`, 'Give every node once.')
    seen.add(name)
    return isUp(name, declared) ? [{ name, declared }] : []
  }))
  const all = new Map(conf.nodes.map((declared) => [declared, contents(declared, tenants)]))
  const nodes = runsOf(hosts.sort((a, b) => compareNames(a.name, b.name)), partitions, switches).map(({ names, declared, labels, racks }) => withLabels(
    { names, count: names.length, ...(racks !== undefined && { racks }), ...(all.get(declared) as ReturnType<typeof contents>) },
    labels,
  ))
  if (nodes.length === 0)
    throw new SchedError(
      'BAD_INPUT',
      seen.size === 0 ? 'declares no nodes.' : 'declares no node that is up.',
      { file: source.file },
      seen.size === 0 ? 'Nodes stand in lines such as NodeName=n[1-8] CPUs=32.' : 'Give one another State than DOWN, or take it out of DownNodes.',
    )
  return { name: conf.general.get('clustername')?.value ?? 'slurm', nodes }
}

/** A node, and the line that declares it. */
interface Host {
  readonly name: string
  readonly declared: Declared
}

/** Consecutive hosts of one line with the same labels of partitions and the same switches above them. */
interface Run {
  readonly names: string[]
  readonly declared: Declared
  readonly labels: readonly string[]
  readonly racks: readonly string[] | undefined
}

/** Divides hosts into runs. They keep their order, since Slurm prefers consecutive nodes. */
function runsOf(hosts: readonly Host[], partitions: ReadonlyMap<string, ReadonlySet<string>>, switches: ReadonlyMap<string, readonly string[]>): Run[] {
  const runs: Run[] = []
  for (const { name: host, declared } of hosts) {
    const labels = [...partitions].flatMap(([name, own]) => (own.has(host) ? [labelOf(name)] : []))
    const racks = switches.get(host)
    const last = runs.at(-1)
    if (last?.declared === declared && last.labels.join() === labels.join() && last.racks?.join() === racks?.join()) last.names.push(host)
    else runs.push({ names: [host], declared, labels, racks })
  }
  return runs
}

const withLabels = (group: SlurmNodes['nodes'][number], labels: readonly string[]): SlurmNodes['nodes'][number] =>
  labels.length === 0 ? group : { ...group, labels: { ...group.labels, ...Object.fromEntries(labels.map((label) => [label, 'true'])) } }

/** Reads whole numbers of a line of nodes, with a default. */
const counting = ({ settings }: Declared) => (name: string, otherwise: number): number => {
  const setting = settings.get(name)
  return setting === undefined ? otherwise : wholeOf(setting)
}

/** The processors of a node. */
interface Processors {
  /** Number of CPUs that Slurm schedules. */
  readonly cpus: number
  /** CPUs of one core: its threads if these are scheduled, otherwise 1. */
  readonly ofCore: number
  /** The setting CPUs or Procs if it gives another number, which then has no effect; otherwise undefined. */
  readonly overruled: Setting | undefined
}

/**
 * The processors of a node. CPUs may be the number of sockets, of cores or of threads that are declared; with any other number the threads count. If CPUs are
 * no more than the cores, cores are scheduled and not their threads.
 *
 * Source: Slurm, `_parse_nodename` and `create_node_record`.
 */
export function processorsOf(declared: Declared): Processors {
  const { settings } = declared
  const count = counting(declared)
  const [boards, cores, threads] = [count('boards', 1), count('corespersocket', 1), count('threadspercore', 1)]
  const setting = settings.get('cpus') ?? settings.get('procs')
  const given = setting && wholeOf(setting)
  const inferred = given !== undefined && given > 0 && given % (cores * threads) === 0 ? given / (cores * threads) : boards
  const sockets = settings.has('socketsperboard') ? boards * count('socketsperboard', 1) : count('sockets', inferred)
  const all = sockets * cores * threads
  const cpus = given === undefined || ![sockets, sockets * cores].includes(given) ? all : given
  return { cpus, ofCore: sockets * cores >= cpus ? 1 : threads, overruled: given === cpus ? undefined : setting }
}

/** The number of CPUs of each of these nodes that jobs may use: without those of cores kept for the system (CoreSpecCount). */
export function procsOf(declared: Declared): number {
  const { cpus, ofCore } = processorsOf(declared)
  return cpus - counting(declared)('corespeccount', 0) * ofCore
}

/** Resources and labels of each node of a line. */
function contents(declared: Declared, tenants: number) {
  const { settings } = declared
  const count = counting(declared)
  const procs = procsOf(declared)
  const mem = count('realmemory', 0) - count('memspeclimit', 0)
  if (procs < 1) throw bad(declared, `has ${procs} CPUs for jobs.`, 'Give it CPUs, more than CoreSpecCount keeps for the system.')
  if (mem < 0) throw bad(declared, `has ${mem} MiB for jobs.`, 'Give it more RealMemory than MemSpecLimit keeps for the system.')
  const features = [settings.get('features') ?? settings.get('feature')].flatMap((setting) => setting?.value.split(/[,&]/) ?? [])
  return contentsOf(procs, mem, settings.get('gres')?.value ?? '', features.filter((feature) => feature !== ''), tenants)
}

/** Resources and labels of a node with these processors, MiB of memory, Gres and features; `tenants`: how many jobs it may hold at once, 0 for any number. */
export function contentsOf(procs: number, mem: number, gres: string, features: readonly string[], tenants = 0) {
  const gpus = gpusOf(gres)
  const labels = { ...Object.fromEntries(features.map((feature) => [feature, 'true'])), ...(gpus.model !== undefined && { model: gpus.model }) }
  return {
    resources: { procs, ...(mem > 0 && { mem }), ...(gpus.count > 0 && { gpus: gpus.count }), nodes: 1, ...(tenants > 0 && { [TENANTS]: tenants }) },
    ...(Object.keys(labels).length > 0 && { labels }),
  }
}

/** The number of GPUs in a Gres such as `gpu:4`, `gpu` or `gpu:a100:2(S:0-1),gpu:v100:1`, and their type if all have the same. */
function gpusOf(gres: string): { readonly count: number; readonly model?: string } {
  const kinds = gres
    .replace(/\([^)]*\)/g, '')
    .split(',')
    .map((each) => each.trim().split(':'))
    .filter(([name]) => name === 'gpu')
  const count = kinds.reduce((sum, parts) => sum + (/^\d+$/.test(parts.at(-1) ?? '') ? Number(parts.at(-1)) : 1), 0)
  const types = [...new Set(kinds.map((parts) => parts.slice(1).find((part) => !/^\d+$/.test(part) && part !== 'no_consume')))]
  return types.length === 1 && types[0] !== undefined ? { count, model: types[0] } : { count }
}

const bad = ({ name: { file, line, name } }: Declared, fact: string, wayOut: string): SchedError => new SchedError('BAD_INPUT', fact, { file, line, field: name }, wayOut)
