import { SchedError } from '@sched/core'
import type { SlurmConf } from './conf.js'
import type { Declared } from './declared.js'
import { hostNames } from './hosts.js'
import { hostsOf } from './partition-nodes.js'
import { listed, type Setting } from '../setting.js'

/** A topology and the nodes that it may name. */
type NodesAndSwitches = Pick<SlurmConf, 'switches' | 'blockSizes' | 'nodes' | 'nodeSets'>

/**
 * The switches above each node, from its own up, by name of the node, as the racks of a description of a cluster. All paths have the same length: in a tree
 * of unequal depth the own switch of a node comes several times. A switch above all nodes is left out. For a node on several switches the first counts. A
 * block counts as a switch, below the larger blocks that BlockSizes makes of consecutive blocks. Throws `BAD_INPUT` with the line if the switches are no tree.
 *
 * Source: Slurm, topology.conf(5); `_get_block_level` of topology/block.
 */
export function switchPaths(conf: NodesAndSwitches): ReadonlyMap<string, readonly string[]> {
  const parents = parentsOf(conf)
  const paths = new Map<string, string[]>()
  for (const [i, each] of conf.switches.filter(isLeaf).entries()) {
    const path = [...pathUp(each, parents), ...blocksAround(i, conf)]
    for (const host of nodesOf(each, conf)) if (!paths.has(host)) paths.set(host, path)
  }
  const depth = Math.max(0, ...[...paths.values()].map(({ length }) => length))
  const isOne = depth > 1 && new Set([...paths.values()].map((path) => path.at(-1))).size === 1
  return new Map([...paths].map(([host, path]) => {
    const whole = [...Array<string>(depth - path.length).fill(path[0] as string), ...path]
    return [host, isOne ? whole.slice(0, -1) : whole]
  }))
}

/** The nodes of the file that are below no switch; empty if no node is below one. */
export function nodesWithoutSwitch(conf: NodesAndSwitches): readonly string[] {
  const connected = new Set(conf.switches.filter(isLeaf).flatMap((each) => nodesOf(each, conf)))
  return connected.size === 0 ? [] : conf.nodes.flatMap(({ name }) => hostNames(name).filter((host) => !connected.has(host)))
}

/** The number of switches that are below no other. */
export const rootsOf = (conf: Pick<SlurmConf, 'switches'>): number => {
  const parents = parentsOf(conf)
  return conf.switches.filter(({ name }) => !parents.has(name.value)).length
}

/** The nodes of each block, and the sizes of blocks (BlockSizes) if the file gives them. Throws `BAD_INPUT` with the line. */
export const blocksIn = (conf: NodesAndSwitches): { readonly blocks: string[][]; readonly sizes?: number[] } =>
  ({ blocks: conf.switches.map((each) => nodesOf(each, conf)), ...(conf.blockSizes !== undefined && { sizes: sizesIn(conf.blockSizes) }) })

/** The larger blocks around the block at index `at`, smallest first: with `BlockSizes=18,72` four consecutive blocks make one. */
function blocksAround(at: number, { blockSizes }: NodesAndSwitches): string[] {
  const [least = NaN, ...more] = blockSizes === undefined ? [] : sizesIn(blockSizes)
  return more.map((size) => `${size}#${Math.floor((at * least) / size) + 1}`)
}

function sizesIn(blockSizes: Setting): number[] {
  const sizes = listed(blockSizes.value).map(Number)
  const [least = NaN] = sizes
  if (!sizes.every((size, i) => size > (sizes[i - 1] ?? 0) && isPowerOfTwo(size / least)))
    throw new SchedError('BAD_INPUT', `found ${JSON.stringify(blockSizes.value)}.`, { file: blockSizes.file, line: blockSizes.line, field: blockSizes.name }, 'Write the nodes of a block, and that number times 2, 4, 8, ...: 18,72.')
  return sizes
}

const isPowerOfTwo = (number: number): boolean => Number.isInteger(number) && (number & (number - 1)) === 0

/** Whether a switch has no others below it. Only its nodes are read: one with others may list all their nodes too, as `scontrol show topology` does. */
const isLeaf = (each: Declared): boolean => childrenOf(each).length === 0

const childrenOf = ({ settings }: Declared): string[] => listOf(settings.get('switches'))

/** The nodes that a switch or block lists, by names of hosts and NodeSets; ALL stands for all nodes of the file. */
function nodesOf({ settings }: Declared, conf: NodesAndSwitches): string[] {
  const setting = settings.get('nodes')
  if (setting === undefined) return []
  return /^ALL$/i.test(setting.value) ? conf.nodes.flatMap(({ name }) => hostNames(name)) : [...hostsOf(setting, conf)]
}

const listOf = (setting: Setting | undefined): string[] => (setting === undefined ? [] : hostNames(setting))

/** The switch above each switch, by name. Throws `BAD_INPUT` with the line for a switch that is declared or listed twice, and for one that is not declared. */
function parentsOf({ switches }: Pick<SlurmConf, 'switches'>): Map<string, Declared> {
  const names = new Set(switches.map(({ name }) => name.value))
  const twice = switches.find(({ name }, i) => switches.findIndex((other) => other.name.value === name.value) < i)
  if (twice !== undefined) throw bad(twice, 'was declared before.', 'Give every switch once, with all that is below it.')
  const parents = new Map<string, Declared>()
  for (const each of switches)
    for (const child of childrenOf(each)) {
      if (!names.has(child)) throw bad(each, `has the switch ${JSON.stringify(child)}, which no ${each.name.name} declares.`, 'Declare it, or take it from the list.')
      const other = parents.get(child)
      if (other !== undefined) throw bad(each, `has the switch "${child}", which is below "${other.name.value}".`, 'Put it below one of the two.')
      parents.set(child, each)
    }
  return parents
}

/** The names of a switch and of those above it. Throws `BAD_INPUT` with the line if one is above itself. */
function pathUp(leaf: Declared, parents: ReadonlyMap<string, Declared>): string[] {
  const path: string[] = []
  for (let at: Declared | undefined = leaf; at !== undefined; at = parents.get(at.name.value)) {
    if (path.includes(at.name.value)) throw bad(at, 'is above itself.', 'Switches are a tree: take it from the list of one of those below it.')
    path.push(at.name.value)
  }
  return path
}

const bad = ({ name }: Declared, fact: string, wayOut: string): SchedError =>
  new SchedError('BAD_INPUT', `switch "${name.value}" ${fact}`, { file: name.file, line: name.line, field: name.name }, wayOut)
