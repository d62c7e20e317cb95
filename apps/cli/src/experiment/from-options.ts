import { YamlSource } from '@sched/cluster'
import { describeIssues, fieldOf, SchedError } from '@sched/core'
import { resolve } from 'node:path'
import type { Description } from './experiment.js'
import { policyList } from './policies.js'
import { readExperiment } from './read-experiment.js'
import { experimentSchema, type ExperimentInput } from './schema.js'
import { hasOwnCell } from './workload.js'

/** What the command line says of an experiment; each overrides what the file says, if there is one. */
export interface ExperimentOptions {
  readonly trace?: string
  readonly format?: string
  readonly generate?: string
  readonly onBadLine?: 'fail' | 'skip'
  readonly take?: number
  readonly window?: { readonly from: number; readonly to: number }
  readonly load?: number
  readonly cluster?: string
  readonly nodes?: number
  readonly racks?: number
  readonly slots?: Readonly<Record<string, number>>
  readonly resources?: Readonly<Record<string, number>>
  readonly heartbeat?: number
  readonly policies?: string
  readonly policy?: string
  readonly architecture?: string
  readonly seed?: number
  readonly seeds?: number
  readonly until?: number
  readonly validate?: boolean
}

export const DEFAULT_POLICIES = 'fifo,naive-fair,delay'

/** Nodes of a cluster that nobody described: those of Facebook's for a trace, of the EC2 runs of EuroSys 2010 for generated jobs. */
export const DEFAULT_NODES = { trace: 600, generate: 100 } as const
const NODES_PER_RACK = 20
const DEFAULT_SLOTS = { map: 4, reduce: 2 }
const DEFAULT_HEARTBEAT = 3

/** The experiment of a command line: a file with overrides, or options alone. */
export function describeExperiment(file: string | undefined, options: ExperimentOptions, cwd: string): Description {
  if (file === undefined && options.trace === undefined && options.generate === undefined)
    throw new SchedError('BAD_OPTION', 'no experiment.', {}, 'Give an experiment file (`sched init` writes one), or `--trace FILE` or `--generate KIND`.')
  const base = file === undefined ? undefined : readExperiment(file, cwd)
  const given = overrides(options, base?.spec, cwd)
  if (base !== undefined && Object.keys(given).length === 0) return base
  const spec = checked({ ...base?.spec, ...given })
  return base === undefined ? { spec, directory: cwd } : { ...base, spec, overridden: Object.keys(given) }
}

function overrides(options: ExperimentOptions, spec: ExperimentInput | undefined, cwd: string): Partial<ExperimentInput> {
  const { seed, seeds, until, validate, architecture, policy } = options
  const policies = options.policies ?? (spec === undefined && policy === undefined ? DEFAULT_POLICIES : undefined)
  return defined({
    workload: workloadOf(options, spec, cwd),
    cluster: clusterOf(options, spec, cwd),
    policies: policies === undefined ? undefined : chosen(policyList(policies), spec),
    policy: policy === undefined ? undefined : chosen([onePolicy(policy)], spec)[0],
    architecture: architecture === undefined ? undefined : yaml(architecture, '--architecture'),
    seed,
    seeds,
    until,
    validate,
  })
}

function onePolicy(text: string): unknown {
  const [policy, ...others] = policyList(text, '--policy')
  if (others.length > 0) throw new SchedError('BAD_OPTION', `found ${others.length + 1} policies.`, { field: '--policy' }, 'Give one, or compare them with `sched compare`.')
  return policy
}

/** A name on the command line means the policy that the file calls so, if there is one. */
function chosen(configs: readonly unknown[], spec: ExperimentInput | undefined): unknown[] {
  const named = (spec?.policies ?? []).filter((each): each is { name: string; policy: string } => typeof each === 'object' && 'policy' in each && 'name' in each)
  return configs.map((config) => named.find(({ name }) => name === config) ?? config)
}

function workloadOf(options: ExperimentOptions, spec: ExperimentInput | undefined, cwd: string): ExperimentInput['workload'] | undefined {
  const { trace, generate, format, onBadLine, take, window, load } = options
  const given = defined({ format, onBadLine, take, window, load })
  if (trace === undefined && generate === undefined) return Object.keys(given).length === 0 || spec === undefined ? undefined : { ...spec.workload, ...given }
  const source = { trace: trace === undefined ? undefined : resolve(cwd, trace), generate: generate === undefined ? undefined : yaml(generate, '--generate') }
  const { window: inside, take: first, load: factor }: Partial<ExperimentInput['workload']> = spec?.workload ?? {} // other jobs are changed in the same way
  return { ...defined({ window: inside, take: first, load: factor }), ...defined(source), ...given }
}

function clusterOf(options: ExperimentOptions, spec: ExperimentInput | undefined, cwd: string): ExperimentInput['cluster'] | undefined {
  const { cluster, nodes, racks, slots, resources, heartbeat, trace, generate } = options
  const shape = defined({ nodes, racks, slots, resources, heartbeat })
  if (cluster !== undefined) {
    const [other] = Object.keys(shape)
    if (other !== undefined) throw new SchedError('BAD_OPTION', `stands beside --cluster.`, { field: `--${other}` }, 'Describe the cluster in the file, or by options.')
    return resolve(cwd, cluster)
  }
  if (Object.keys(shape).length === 0 && (spec !== undefined || (generate !== undefined && hasOwnCell(yaml(generate, '--generate'))))) return undefined
  const count = nodes ?? (trace === undefined ? DEFAULT_NODES.generate : DEFAULT_NODES.trace)
  const beats = heartbeat ?? (resources === undefined ? DEFAULT_HEARTBEAT : 0)
  return {
    nodes: count,
    racks: racks ?? Math.max(1, Math.ceil(count / NODES_PER_RACK)),
    ...(resources === undefined ? { slots: slots ?? DEFAULT_SLOTS } : { resources, ...(slots !== undefined && { slots }) }),
    ...(beats > 0 && { heartbeat: { interval: beats } }),
  }
}

/** A value of the command line that may be a name or, as in a file, a name with options. */
function yaml(text: string, option: string): unknown {
  try {
    return new YamlSource(text).value
  } catch (error) {
    throw error instanceof SchedError ? new SchedError('BAD_OPTION', error.fact, { field: option }, error.wayOut) : error
  }
}

function checked(input: unknown): Description['spec'] {
  const read = experimentSchema.safeParse(input)
  if (read.success) return read.data
  const { at, fact, wayOut } = describeIssues(experimentSchema, input, read.error.issues)
  throw new SchedError('BAD_OPTION', fact, { field: fieldOf(at) }, wayOut)
}

const defined = (values: object) => Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined))
