import { describeIssues, fieldOf, SchedError, type Registry } from '@sched/core'
import { statSync } from 'node:fs'
import { relative, resolve } from 'node:path'
import { withModels } from '../bayes/model-files.js'
import { clusterOf } from './cluster-from-options.js'
import { explained, registryOf, type Description } from './experiment.js'
import { defined, fieldsGiven, isWrittenOut, yaml, type ExperimentOptions } from './given-options.js'
import { addPlugIns, modulePath } from './plug-ins.js'
import { policyList } from './policies.js'
import { filesOf } from './queues.js'
import { readBase, type Base } from './read-experiment.js'
import { experimentSchema, type ExperimentInput } from './schema.js'
import { isRigid, workloadOf } from './workload-from-options.js'

export const DEFAULT_POLICIES = 'fifo,naive-fair,delay'
/** For rigid jobs of a parallel machine. */
export const RIGID_POLICIES = 'strict,easy,conservative,fattened'

/** The experiment of a command line: a file with overrides, or options alone. */
export async function describeExperiment(file: string | undefined, options: ExperimentOptions, cwd: string): Promise<Description> {
  const { trace } = options
  const hasJobs = trace !== undefined || options.generate !== undefined
  if (trace !== undefined && (trace === '-' || isPipe(resolve(cwd, trace))))
    throw new SchedError(
      'BAD_OPTION',
      `a run cannot read ${trace === '-' ? 'standard input' : `the pipe "${trace}"`}, since every run reads its trace anew.`,
      { field: '--trace' },
      'Write it to a file first: `sched trace convert - jobs.jsonl`.',
    )
  if (file === undefined && !hasJobs)
    throw new SchedError('BAD_OPTION', 'no experiment.', {}, 'Give an experiment file (`sched init` writes one), or `--trace FILE` or `--generate KIND`.')
  const base = file === undefined ? undefined : readBase(file, cwd)
  if (base !== undefined && base.spec.workload === undefined && !hasJobs)
    throw explained(base, [], new SchedError(
      'BAD_INPUT',
      'is missing, expected a mapping.',
      { field: 'workload' },
      'Say there which jobs run, for example `workload: { generate: facebook }`, or on the command line: --trace FILE or --generate KIND.',
    ))
  if (options.queues !== undefined && options.policy !== undefined)
    throw new SchedError('BAD_OPTION', 'stands beside --queues.', { field: '--policy' }, 'The queue file is the policy.')
  const given = await overrides(options, base, cwd)
  if (base !== undefined && isDescription(base) && Object.keys(given).length === 0) return base
  const spec = checked({ ...(options.queues === undefined ? base?.spec : withoutPolicies(base?.spec)), ...given })
  return base === undefined ? { spec, directory: cwd } : { ...base, spec, overridden: Object.keys(given) }
}

const isDescription = (base: Base): base is Description => base.spec.workload !== undefined

/** As `<(...)` of a shell is; in whole numbers of 64 bits for the reason that standard output has. */
function isPipe(path: string): boolean {
  try {
    return statSync(path, { bigint: true }).isFIFO()
  } catch {
    return false // reading it will say why
  }
}

/** Queue files on the command line take the place of the policies of a file. */
function withoutPolicies(spec: Base['spec'] = {}): Omit<Base['spec'], 'policy' | 'policies'> {
  const { policy: _, policies: __, ...rest } = spec
  return rest
}

async function overrides(options: ExperimentOptions, base: Base | undefined, cwd: string): Promise<Partial<ExperimentInput>> {
  const spec = base?.spec
  const here = { cwd, registry: await registryOfOptions(options, base, cwd) }
  const { seed, seeds, until, validate, jitter, infeasible, architecture, policy, passPerEvent, plugin } = options
  const usual = (await isRigid(options, here)) ? RIGID_POLICIES : DEFAULT_POLICIES
  const policies = options.policies ?? (spec === undefined && policy === undefined && options.queues === undefined ? usual : undefined)
  const named = (file: string) => (spec === undefined ? file : resolve(cwd, file)) // messages name files as they were written; those of an experiment lie beside it
  const joined = (files: string) => filesOf(files, cwd).map(named).join('+')
  const model = (file: string) => (base === undefined ? file : relative(base.directory, resolve(cwd, file)))
  return defined({
    workload: await workloadOf(options, base, here),
    cluster: await clusterOf(options, base, here),
    policies: policies === undefined ? undefined : chosen(withModels(policyList(policies), model) as unknown[], spec),
    policy: policy === undefined ? undefined : chosen([withModels(onePolicy(policy), model)], spec)[0],
    architecture: architecture === undefined ? undefined : yaml(architecture, '--architecture'),
    queues: options.queues?.split(',').map((each) => joined(each.trim())),
    yarnSite: options.yarnSite === undefined ? undefined : joined(options.yarnSite),
    seed,
    seeds,
    until,
    validate,
    infeasible,
    checkpoint: options.checkpoint === undefined ? undefined : (fieldsGiven(options.checkpoint, '--checkpoint', 'interval=3600,cost=60') as ExperimentInput['checkpoint']),
    failures: options.failures === undefined
      ? undefined
      : (fieldsGiven(options.failures, '--failures', 'probability=0.01 or mtbf=864000,maxAttempts=4') as ExperimentInput['failures']),
    avoid: options.avoid === undefined ? undefined : (ruleGiven(options.avoid, '--avoid', 'rule=hadoop,failures=2') as ExperimentInput['avoid']),
    autoscaler: options.autoscaler === undefined ? undefined : (fieldsGiven(options.autoscaler, '--autoscaler', 'scaleDownUnneededTime=300') as ExperimentInput['autoscaler']),
    speculation: speculationGiven(options.speculation),
    outages: options.outages === undefined ? undefined : outagesGiven(options.outages, named),
    passPerEvent,
    plugins: plugin === undefined ? undefined : [...(spec?.plugins ?? []), ...plugin.map((module) => modulePath(module, cwd))],
    runtime: jitter === undefined ? undefined : { ...spec?.runtime, jitter },
    metrics: metricsOf(options, spec),
  })
}

/** What the file and the command line may name: what is built in, and the plug-ins of both. */
async function registryOfOptions({ plugin = [] }: ExperimentOptions, base: Base | undefined, cwd: string): Promise<Registry> {
  const registry = await registryOf(base ?? { spec: {}, directory: cwd })
  for (const module of plugin) await addPlugIns(registry, module, cwd)
  return registry
}

/** A file, a file and its origin, or means with names; the schema checks what they are. */
function outagesGiven(text: string, named: (file: string) => string): ExperimentInput['outages'] {
  if (!text.includes('=') && !isWrittenOut(text)) return named(text)
  const { file, ...others } = fieldsGiven(text, '--outages', 'mtbf=604800,mttr=3600')
  return (file === undefined ? others : { file: named(String(file)), ...others }) as ExperimentInput['outages']
}

/** `true`, the name of a rule, or fields; the schema checks what they are. */
function speculationGiven(given: string | true | undefined): ExperimentInput['speculation'] {
  if (given === undefined || given === true) return given
  return ruleGiven(given, '--speculation', 'rule=late,cap=0.2') as ExperimentInput['speculation']
}

const ruleGiven = (given: string, option: string, example: string) => (/^[a-z]\w*$/.test(given) ? given : fieldsGiven(given, option, example))

function metricsOf({ warmUp, coolDown, tau, classes, metrics }: ExperimentOptions, spec: Base['spec'] | undefined): ExperimentInput['metrics'] {
  const given = defined({ warmUp, coolDown, tau, classes: classes === undefined ? undefined : yaml(classes, '--classes'), more: metrics === undefined ? undefined : policyList(metrics, '--metrics') })
  return Object.keys(given).length === 0 ? undefined : { ...spec?.metrics, ...given }
}

function onePolicy(text: string): unknown {
  const [policy, ...others] = policyList(text, '--policy')
  if (others.length > 0) throw new SchedError('BAD_OPTION', `found ${others.length + 1} policies.`, { field: '--policy' }, 'Give one, or compare them with `sched compare`.')
  return policy
}

/** A name on the command line means the policy that the file calls so, if there is one. */
function chosen(configs: readonly unknown[], spec: Base['spec'] | undefined): unknown[] {
  const named = (spec?.policies ?? []).filter((each): each is { name: string; policy: string } => typeof each === 'object' && 'policy' in each && 'name' in each)
  return configs.map((config) => named.find(({ name }) => name === config) ?? config)
}

/** An experiment of options alone. Throws `BAD_OPTION`. */
export function checked(input: unknown): Description['spec'] {
  const read = experimentSchema.safeParse(input)
  if (read.success) return read.data
  const { at, fact, wayOut } = describeIssues(experimentSchema, input, read.error.issues)
  throw new SchedError('BAD_OPTION', fact, { field: fieldOf(at) }, wayOut)
}
