import { SchedError } from '@sched/core'
import { linesOf, type SourceText } from '../source-text.js'
import { contentsOf, type SlurmNodes } from './nodes.js'
import { labelOf } from './partition-nodes.js'
import { listed } from '../setting.js'

/** A node as `scontrol show node` prints it. */
interface Shown {
  readonly name: string
  /** 1-based; undefined for JSON. */
  readonly line: number | undefined
  /** CPUs for jobs. */
  readonly procs: number
  /** Memory for jobs in MiB. */
  readonly mem: number
  readonly gres: string
  readonly features: readonly string[]
  readonly partitions: readonly string[]
  readonly states: readonly string[]
}

const isText = (text: string): boolean => /^NodeName=.*(?:\n[ \t]+.*)*?[ \t]CPUTot=/m.test(text)
const isJson = (text: string): boolean => /^\s*\{/.test(text) && /"nodes"\s*:\s*\[/.test(text) && /"real_memory"\s*:/.test(text)

/** Whether a text is the output of `scontrol show node`, with several lines for each node, with one (-o), or in JSON. */
export const isShownNodes = (text: string): boolean => isText(text) || isJson(text)

/** States in which a node takes no jobs, or does not exist yet. Cloud nodes that are powered off are not away. */
const AWAY = /^(DOWN|DRAIN|DRAINED|DRAINING|FAIL|FAILING|FUTURE|NOT_RESPONDING|UNKNOWN|ERROR)$/

/**
 * The nodes that `scontrol show node` prints, with the same resources and labels as `slurmNodes`: `procs` (CPUEfctv, or CPUTot without the cores kept for the
 * system), `mem` (RealMemory without MemSpecLimit, in MiB), `gpus`, features, and partitions that do not have all nodes. Nodes that are down, draining or for
 * the future are left out. Throws `BAD_INPUT` with the line.
 *
 * Source: manual page of scontrol, Slurm 20 to 25; data_parser v0.0.36 and later for JSON.
 */
export function shownNodes(source: SourceText): SlurmNodes {
  const all = isJson(source.text) ? fromJson(source) : fromText(source)
  const seen = new Set<string>()
  for (const { name, line } of all) {
    if (seen.has(name)) throw new SchedError('BAD_INPUT', `node "${name}" was listed before.`, { file: source.file, line }, 'Give every node once.')
    seen.add(name)
  }
  const up = all.filter(({ states }) => !states.some((state) => AWAY.test(state)))
  if (up.length === 0) throw new SchedError('BAD_INPUT', 'lists no node that is up.', { file: source.file }, 'Is it the right file, and whole? scontrol show node')
  const inAll = new Set(up[0]?.partitions.filter((partition) => up.every(({ partitions }) => partitions.includes(partition))))
  const groups: { names: string[]; key: string; rest: Omit<SlurmNodes['nodes'][number], 'names' | 'count'> }[] = []
  for (const node of up) {
    const rest = contents(node, inAll)
    const key = JSON.stringify(rest)
    const last = groups.at(-1)
    if (last?.key === key) last.names.push(node.name)
    else groups.push({ names: [node.name], key, rest })
  }
  return { name: 'slurm', nodes: groups.map(({ names, rest }) => ({ names, count: names.length, ...rest })) }
}

const contents = ({ procs, mem, gres, features, partitions }: Shown, inAll: ReadonlySet<string>): Omit<SlurmNodes['nodes'][number], 'names' | 'count'> =>
  contentsOf(procs, mem, gres, [...features, ...partitions.filter((partition) => !inAll.has(partition)).map(labelOf)])

const valuesOf = (text: string | undefined): string[] => listed(text ?? '').filter((each) => each !== '(null)')

function fromText({ text, file }: SourceText): Shown[] {
  const records: { readonly line: number; readonly fields: Map<string, string> }[] = []
  for (const [i, content] of linesOf(text).entries()) {
    if (content.startsWith('NodeName=')) records.push({ line: i + 1, fields: new Map() })
    else if (/^\S/.test(content) && content.trim() !== '')
      throw new SchedError(
        'BAD_INPUT',
        `found ${JSON.stringify(content.slice(0, 40))}, expected a line of scontrol show node.`,
        { file, line: i + 1 },
        'Give what it prints, as it is.',
      )
    const fields = records.at(-1)?.fields
    for (const [, key = '', value = ''] of content.matchAll(/(?:^|\s)(\w+)=(\S*)/g))
      if (fields?.has(key) === false) fields.set(key, value) // a reason or a system's name may hold NAME=VALUE too, but comes last
  }
  return records.map(({ line, fields }) => {
    const whole = (key: string) => {
      const value = fields.get(key)
      if (value === undefined || /^\d{1,12}$/.test(value)) return value === undefined ? undefined : Number(value)
      throw new SchedError('BAD_INPUT', `found ${JSON.stringify(value)}, expected a whole number.`, { file, line, field: key }, 'Give what scontrol prints, as it is.')
    }
    const total = whole('CPUTot')
    if (total === undefined) throw new SchedError('BAD_INPUT', 'is missing.', { file, line, field: 'CPUTot' }, 'Was the file cut short? Copy it again.')
    const cores = (whole('Sockets') ?? total) * (whole('CoresPerSocket') ?? 1)
    const ofCore = total <= cores ? 1 : (whole('ThreadsPerCore') ?? 1) // CPUs are cores or threads
    return {
      name: fields.get('NodeName') ?? '', line, procs: whole('CPUEfctv') ?? total - (whole('CoreSpecCount') ?? 0) * ofCore,
      mem: (whole('RealMemory') ?? 0) - (whole('MemSpecLimit') ?? 0), gres: fields.get('Gres') ?? '', features: valuesOf(
        fields.get('ActiveFeatures') ?? fields.get('AvailableFeatures') ?? fields.get('Features'),
      ),
      partitions: valuesOf(fields.get('Partitions')), states: (fields.get('State') ?? '').replace(/[*~#!%$@^-]+/g, '').toUpperCase().split('+'),
    }
  })
}

function fromJson({ text, file }: SourceText): Shown[] {
  const parsed = parsedJson(text, file)
  return parsed.nodes.map((node, i) => {
    const bad = (field: string, found: unknown, expected: string) => new SchedError(
      'BAD_INPUT',
      found === undefined ? 'is missing.' : `found ${JSON.stringify(found)}, expected ${expected}.`,
      { file, field: `nodes[${i}].${field}` },
      'Give what scontrol prints, as it is.',
    )
    const whole = (key: string, absent?: number): number => {
      const value = node[key] ?? absent
      if (typeof value === 'number' && Number.isInteger(value) && value >= 0) return value
      throw bad(key, value, 'a whole number')
    }
    /** A list of texts; older versions print one text with commas. */
    const texts = (key: string): string[] => {
      const value = node[key] ?? []
      if (typeof value === 'string') return valuesOf(value)
      if (Array.isArray(value) && value.every((each) => typeof each === 'string')) return value
      throw bad(key, value, 'a list')
    }
    const name = node['name']
    if (typeof name !== 'string' || name === '') throw bad('name', name, 'a name')
    return {
      name,
      line: undefined,
      procs: whole('effective_cpus', whole('cpus')),
      mem: whole('real_memory', 0) - whole('specialized_memory', 0),
      gres: texts('gres').join(','),
      features: node['active_features'] === undefined ? texts('features') : texts('active_features'),
      partitions: texts('partitions'),
      states: [...texts('state'), ...texts('state_flags')].map((state) => state.toUpperCase()),
    }
  })
}

function parsedJson(text: string, file: string): { readonly nodes: readonly Readonly<Record<string, unknown>>[] } {
  try {
    const { nodes } = JSON.parse(text) as { readonly nodes?: unknown }
    if (Array.isArray(nodes) && nodes.every((each) => typeof each === 'object' && each !== null)) return { nodes: nodes as Readonly<Record<string, unknown>>[] }
  } catch (error) {
    throw new SchedError('BAD_INPUT', `is not JSON: ${error instanceof Error ? error.message : String(error)}.`, { file }, 'Was the file cut short? Copy it again.')
  }
  throw new SchedError('BAD_INPUT', 'has no list of nodes.', { file, field: 'nodes' }, 'Print one with scontrol show node --json.')
}
