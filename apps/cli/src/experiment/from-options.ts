import { YamlSource } from '@sched/cluster'
import { describeIssues, fieldOf, SchedError } from '@sched/core'
import { relative, resolve } from 'node:path'
import { withModels } from '../bayes/model-files.js'
import type { Description } from './experiment.js'
import { modulePath } from './plug-ins.js'
import { policyList } from './policies.js'
import { filesOf } from './queues.js'
import { readExperiment } from './read-experiment.js'
import { experimentSchema, type ExperimentInput } from './schema.js'
import { readMapping } from './mapping.js'
import { isRigidGenerator, isRigidTrace, takesProcs } from './rigid.js'
import { hasOwnCell } from './workload.js'

/** What the command line says of an experiment; each overrides what the file says, if there is one. */
export interface ExperimentOptions {
  readonly trace?: string
  readonly format?: string
  /** File of a mapping of columns. */
  readonly mapping?: string
  readonly generate?: string
  readonly onBadLine?: 'fail' | 'skip'
  readonly take?: number
  readonly window?: { readonly from: number; readonly to: number }
  readonly load?: number
  readonly cluster?: string
  /** A number of equal nodes, or the path of a list of machines. */
  readonly nodes?: number | string
  readonly racks?: number
  readonly slots?: Readonly<Record<string, number>>
  readonly resources?: Readonly<Record<string, number>>
  readonly heartbeat?: number
  readonly policies?: string
  readonly policy?: string
  readonly architecture?: string
  readonly queues?: string
  readonly yarnSite?: string
  readonly seed?: number
  readonly seeds?: number
  readonly until?: number
  readonly validate?: boolean
  readonly jitter?: number
  readonly infeasible?: 'fail' | 'reject'
  /** Modules of plug-ins: paths, or packages. */
  readonly plugin?: readonly string[]
  readonly option?: Readonly<Record<string, unknown>>
  readonly procs?: number
  readonly estimates?: string
  readonly queueMix?: Readonly<Record<string, number>>
  /** A list of outages, or `mtbf=...,mttr=...`. */
  readonly outages?: string
  readonly passPerEvent?: 'submits-first' | 'ends-first'
  readonly warmUp?: number
  readonly coolDown?: number
  readonly tau?: number
  readonly classes?: string
}

export const DEFAULT_POLICIES = 'fifo,naive-fair,delay'
/** For rigid jobs of a parallel machine. */
export const RIGID_POLICIES = 'strict,easy,conservative,fattened'

/** Nodes of a cluster that nobody described: those of Facebook's for a trace, of the EC2 runs of EuroSys 2010 for generated jobs. */
export const DEFAULT_NODES = { trace: 600, generate: 100 } as const
const NODES_PER_RACK = 20
const DEFAULT_SLOTS = { map: 4, reduce: 2 }
const DEFAULT_HEARTBEAT = 3

/** The experiment of a command line: a file with overrides, or options alone. */
export function describeExperiment(file: string | undefined, options: ExperimentOptions, cwd: string): Description {
  if (options.trace === '-') throw new SchedError('BAD_OPTION', 'a run cannot read standard input, since every run reads its trace anew.', { field: '--trace' }, 'Write it to a file first: `sched trace convert - jobs.jsonl`.')
  if (file === undefined && options.trace === undefined && options.generate === undefined)
    throw new SchedError('BAD_OPTION', 'no experiment.', {}, 'Give an experiment file (`sched init` writes one), or `--trace FILE` or `--generate KIND`.')
  const base = file === undefined ? undefined : readExperiment(file, cwd)
  if (options.queues !== undefined && options.policy !== undefined) throw new SchedError('BAD_OPTION', 'stands beside --queues.', { field: '--policy' }, 'The queue file is the policy.')
  const given = overrides(options, base, cwd)
  if (base !== undefined && Object.keys(given).length === 0) return base
  const spec = checked({ ...(options.queues === undefined ? base?.spec : withoutPolicies(base?.spec)), ...given })
  return base === undefined ? { spec, directory: cwd } : { ...base, spec, overridden: Object.keys(given) }
}

/** Queue files on the command line take the place of the policies of a file. */
function withoutPolicies(spec: ExperimentInput | undefined): Partial<ExperimentInput> {
  const { policy: _, policies: __, ...rest } = spec ?? ({} as Partial<ExperimentInput>)
  return rest
}

function overrides(options: ExperimentOptions, base: Description | undefined, cwd: string): Partial<ExperimentInput> {
  const spec = base?.spec
  const { seed, seeds, until, validate, jitter, infeasible, architecture, policy, passPerEvent, plugin } = options
  const usual = isRigid(options, cwd) ? RIGID_POLICIES : DEFAULT_POLICIES
  const policies = options.policies ?? (spec === undefined && policy === undefined && options.queues === undefined ? usual : undefined)
  const named = (file: string) => (spec === undefined ? file : resolve(cwd, file)) // messages name files as they were written; those of an experiment lie beside it
  const model = (file: string) => (base === undefined ? file : relative(base.directory, resolve(cwd, file)))
  return defined({
    workload: workloadOf(options, base, cwd),
    cluster: clusterOf(options, base, cwd),
    policies: policies === undefined ? undefined : chosen(withModels(policyList(policies), model) as unknown[], spec),
    policy: policy === undefined ? undefined : chosen([withModels(onePolicy(policy), model)], spec)[0],
    architecture: architecture === undefined ? undefined : yaml(architecture, '--architecture'),
    queues: options.queues?.split(',').map((each) => filesOf(each.trim(), cwd).map(named).join('+')),
    yarnSite: options.yarnSite === undefined ? undefined : named(options.yarnSite),
    seed,
    seeds,
    until,
    validate,
    infeasible,
    outages: options.outages === undefined ? undefined : outagesGiven(options.outages, named),
    passPerEvent,
    plugins: plugin === undefined ? undefined : [...(spec?.plugins ?? []), ...plugin.map((module) => modulePath(module, cwd))],
    runtime: jitter === undefined ? undefined : { ...spec?.runtime, jitter },
    metrics: metricsOf(options, spec),
  })
}

/** A file, or numbers with names, which the schema checks. */
function outagesGiven(text: string, named: (file: string) => string): ExperimentInput['outages'] {
  if (!text.includes('=')) return named(text)
  return Object.fromEntries(text.split(',').map((each) => each.split('=')).map(([key = '', value = '']) => [key.trim(), Number(value)])) as ExperimentInput['outages']
}

/** Whether the workload that the command line names is of rigid jobs. */
function isRigid(options: ExperimentOptions, cwd: string): boolean {
  const { trace, generate } = options
  const { format, option } = mapped(options, cwd)
  if (trace !== undefined) return isRigidTrace(resolve(cwd, trace), format, option)
  return generate !== undefined && isRigidGenerator(yaml(generate, '--generate'))
}

function metricsOf({ warmUp, coolDown, tau, classes }: ExperimentOptions, spec: ExperimentInput | undefined): ExperimentInput['metrics'] {
  const given = defined({ warmUp, coolDown, tau, classes: classes === undefined ? undefined : yaml(classes, '--classes') })
  return Object.keys(given).length === 0 ? undefined : { ...spec?.metrics, ...given }
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

/** The format of the trace and its options, of which a mapping of columns is one. */
function mapped({ mapping, format, option }: ExperimentOptions, cwd: string): Pick<ExperimentOptions, 'format' | 'option'> {
  const read = mapping === undefined ? undefined : readMapping(mapping, cwd, format)
  return defined({ format: read?.format ?? format, option: read === undefined ? option : { ...read.options, ...option } })
}

function workloadOf(options: ExperimentOptions, base: Description | undefined, cwd: string): ExperimentInput['workload'] | undefined {
  const { trace, generate, onBadLine, take, window, load, queueMix } = options
  const { format, option } = mapped(options, cwd)
  const spec = base?.spec
  const estimates = options.estimates === undefined ? undefined : yaml(options.estimates, '--estimates')
  const resized = options.procs === undefined || trace !== undefined || !isRigidGenerator(spec?.workload.generate) ? undefined : withProcs(spec?.workload.generate, options.procs)
  const given = defined({ format, onBadLine, take, window, load, estimates, queueMix, options: formatOptions({ ...options, ...(option !== undefined && { option }) }, base, cwd), generate: generate === undefined ? resized : undefined })
  if (trace === undefined && generate === undefined) return Object.keys(given).length === 0 || spec === undefined ? undefined : { ...spec.workload, ...given }
  const source = { trace: trace === undefined ? undefined : resolve(cwd, trace), generate: generate === undefined ? undefined : withProcs(yaml(generate, '--generate'), options.procs) }
  const { window: inside, take: first, load: factor }: Partial<ExperimentInput['workload']> = spec?.workload ?? {} // other jobs are changed in the same way
  return { ...defined({ window: inside, take: first, load: factor }), ...defined(source), ...given }
}

/** Options of the trace's format; `--procs` is one of them where it reads logs of parallel machines. */
function formatOptions(options: ExperimentOptions, base: Description | undefined, cwd: string): Readonly<Record<string, unknown>> | undefined {
  const { option, procs, trace } = options
  const given = { ...option, ...(procs !== undefined && readerTakesProcs(options, base, cwd) && { procs }) }
  if (Object.keys(given).length === 0) return undefined
  return trace === undefined ? { ...base?.spec.workload.options, ...given } : given
}

/** Whether the jobs are read from a log whose format has an option `procs`. */
function readerTakesProcs({ trace, generate, format }: ExperimentOptions, base: Description | undefined, cwd: string): boolean {
  if (trace !== undefined) return takesProcs(resolve(cwd, trace), format)
  const file = generate === undefined ? base?.spec.workload.trace : undefined
  return file !== undefined && takesProcs(resolve(base?.directory ?? cwd, file), format ?? base?.spec.workload.format)
}

function withProcs(generate: unknown, procs: number | undefined): unknown {
  if (procs === undefined || !isRigidGenerator(generate)) return generate
  if (typeof generate === 'string') return { [generate]: { procs } }
  const [[name, options] = ['', {}]] = Object.entries(generate as Record<string, object>)
  return { [name]: { ...options, procs } }
}

/** The machine of rigid jobs: `undefined` for the one that their log says, null where a cluster is described otherwise. */
function machineOf(options: ExperimentOptions, shape: object, base: Description | undefined, cwd: string): ExperimentInput['cluster'] | null {
  const { procs, resources } = options
  const rigid = isRigid(options, cwd)
  const [other] = Object.keys(shape)
  if (procs !== undefined) {
    if (other !== undefined) throw new SchedError('BAD_OPTION', 'stands beside --procs.', { field: `--${other}` }, 'A machine of so many processors is one node; or describe nodes with --nodes and --resources.')
    return base?.spec.cluster === undefined && jobsTakeProcs(options, base, cwd) ? undefined : { nodes: 1, resources: { procs } }
  }
  if (rigid && resources === undefined && other !== undefined)
    throw new SchedError('BAD_OPTION', 'rigid jobs ask for processors, not for slots.', { field: `--${other}` }, 'Say how many the machine has with --procs, or what nodes have with --resources.')
  return rigid && other === undefined && base === undefined ? undefined : null
}

/** Whether the log or the generator is told the number of processors, and says what the machine is. */
function jobsTakeProcs(options: ExperimentOptions, base: Description | undefined, cwd: string): boolean {
  const { trace, generate = base?.spec.workload.generate } = options
  return readerTakesProcs(options, base, cwd) || (trace === undefined && generate !== undefined && isRigidGenerator(typeof generate === 'string' ? yaml(generate, '--generate') : generate))
}

function clusterOf(options: ExperimentOptions, base: Description | undefined, cwd: string): ExperimentInput['cluster'] | undefined {
  const spec = base?.spec
  const { racks, slots, resources, heartbeat, trace, generate } = options
  const [file, option] = typeof options.nodes === 'string' ? [options.nodes, '--nodes FILE'] : [options.cluster, '--cluster']
  const nodes = typeof options.nodes === 'string' ? undefined : options.nodes
  const shape = defined({ nodes, racks, slots, resources, heartbeat, ...(typeof options.nodes === 'string' && { cluster: options.cluster }) })
  if (file !== undefined) {
    const [other] = Object.keys(shape)
    if (other !== undefined) throw new SchedError('BAD_OPTION', `stands beside ${option}.`, { field: `--${other}` }, 'Describe the cluster in the file, or by options.')
    return resolve(cwd, file)
  }
  const machine = machineOf(options, shape, base, cwd)
  if (machine !== null) return machine
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

/** Without the keys whose value is undefined. The values are of any type: `checked` sees to them. */
const defined = (values: object) => Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined))
