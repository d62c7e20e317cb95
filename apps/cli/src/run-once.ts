import { resolve } from 'node:path'
import { SchedError, withoutUndefined, type ArchitectureEnv, type Env, type Observer, type Plug } from '@sched/core'
import { Simulation, type RunState, type RuntimeOptions, type SimulationOptions } from '@sched/sim'
import { lineOfJob } from '@sched/workload/node'
import { decisions, jobRows, standardMetrics, type DecisionsResult, type JobRow, type Summary } from '@sched/metrics'
import { explained, type Experiment } from './experiment/experiment.js'
import { periodOf } from './experiment/period.js'
import type { RunningTask } from '@sched/workload'
import type { NamedPolicy } from './experiment/policies.js'
import { drawing, type Draw, type Drawn } from './drawing.js'
import { breathe, interruptible, isTurnDue } from './interruption.js'
import { NamedSharers } from './named-sharers.js'

/** What one run measured, as plain data. */
export interface RunResult {
  readonly policy: string
  readonly seed: number
  /** What the user should know, each once. */
  readonly warnings: readonly string[]
  /** The first jobs that were rejected, one for each limit that forbids them and how many others it does; `summary.counts.rejected` counts all. */
  readonly rejections: readonly Rejection[]
  readonly summary: Summary
  /** What schedulers did with their time and how long jobs waited for them; null where no decision was told of. */
  readonly decisions: DecisionsResult | null
  /** What ran at time 0 and belongs to no job, which no other figure counts; null where nothing did. */
  readonly prefilled: Prefilled | null
  /** What charts are drawn from, where they are; no figure, and in no JSON. */
  readonly drawn?: Drawn
}

interface Rejection {
  readonly job: string
  readonly reason: string
  others: number
}

/** Tasks, and the parts of the cluster that they hold at time 0, by resource. */
interface Prefilled {
  readonly tasks: number
  readonly shares: Readonly<Record<string, number>>
}

/** Who is told while a run goes on. */
export interface RunWatch {
  /** Asked every few milliseconds; false stops the run. */
  mayGoOn(): boolean
  /** Jobs that have ended, of all where known, and tasks started so far. */
  onProgress?(ended: number, jobs: number | undefined, launches: number): void
  onJob?(row: JobRow): void
  readonly observers?: readonly Observer[]
  /** What is to be kept for charts. */
  readonly draw?: Draw | undefined
}

/** Most instants between two looks at the clock. */
const STEPS = 10_000
/** Milliseconds that instants between two looks at the clock may take, if there are several. */
const LOOK = 2
/** For so many causes a rejected job is named. */
const NAMED = 5

/** One policy on one seed. Depends on its arguments alone, so that runs may go in any order and on any thread. */
export async function runOnce(experiment: Experiment, policy: NamedPolicy, seed: number, watch: RunWatch): Promise<RunResult> {
  const { spec } = experiment.description
  const jobs = experiment.workload.of(seed)
  const workload = policy.workload?.(jobs) ?? jobs
  const { exact, tau, samples, rigid = false, sizes, lengths } = spec.metrics ?? {}
  const period = await periodOf(workload, spec.metrics)
  const metrics = standardMetrics({ classOf: experiment.classOf, exact, tau, period, samples, rigid: rigid && { sizes, lengths } })
  const decided = decisions({ exact: spec.metrics?.exact })
  const kept = watch.draw === undefined ? undefined : drawing(watch.draw, seed, { exact, tau, period })
  const warnings: string[] = []
  const rejections = new Map<string, Rejection>()
  let ended = 0
  const progress: Observer = {
    onJobEnd: () => void ended++,
    onReject({ id }, reason) {
      const known = rejections.get(causeOf(reason))
      if (known !== undefined) known.others++
      else if (rejections.size < NAMED) rejections.set(causeOf(reason), { job: id, reason, others: 0 })
    },
  }
  const rows = watch.onJob === undefined ? [] : [jobRows((row) => watch.onJob?.(row))]
  const sharers = new NamedSharers(policy.path.reduce<unknown>((at, key) => (at as Record<string | number, unknown> | undefined)?.[key], spec))
  const { prefill, notes } = experiment.prefill.of(seed)
  const simulation = new PausingSimulation({
    cluster: experiment.cluster,
    workload,
    ...toldApart(policy, experiment.architecture),
    seed,
    prefill,
    ...(experiment.outages.list !== undefined && { outages: experiment.outages.list }),
    observers: [metrics, decided, progress, ...(sharers.isSharing ? [sharers] : []), ...rows, ...(watch.observers ?? []), ...(kept?.observers ?? [])],
    warn: (message) => warnings.push(message),
    ...(spec.runtime !== undefined && { runtime: runtimeOf(spec.runtime) }),
    ...withoutUndefined({
      validate: spec.validate,
      infeasible: spec.infeasible,
      commitPendingBug: spec.commitPendingBug,
      passPerEvent: spec.passPerEvent,
      checkpoint: spec.checkpoint,
      failures: spec.failures,
    }),
  })
  simulation.isOfOthers = (spec.plugins ?? []).length > 0
  const pause = () => {
    watch.onProgress?.(ended, workload.jobs, simulation.launches)
    return breathe(() => watch.mayGoOn())
  }
  if (isTurnDue() || simulation.isOfOthers) await pause() // what came while this was set up is heard first
  await simulation.runStream(spec.until, STEPS, pause)
  watch.onProgress?.(ended, workload.jobs, simulation.launches)
  const figures = decided.result()
  return {
    policy: policy.name, seed, warnings: [...notes, ...warnings, ...sharers.warnings()], rejections: [...rejections.values()],
    summary: metrics.result(), decisions: figures.schedulers.length === 0 ? null : figures, prefilled: prefilledOf(prefill, experiment),
    ...(kept !== undefined && { drawn: kept.result() }),
  }
}

/** What jobs are rejected for, whoever they belong to: the name of a limit where the reason ends in one. */
const causeOf = (reason: string): string => / \((\w+)\)$/.exec(reason)?.[1] ?? reason

/** Pauses when it is time for a look at signals, however long instants take. */
class PausingSimulation extends Simulation {
  /** Whether code of others runs, which may never pause. */
  isOfOthers = false
  #steps = 1

  override advance(limit: number, until?: number): RunState {
    const work = () => this.#untilTurn(limit, until)
    return this.isOfOthers ? interruptible(work) : work()
  }

  #untilTurn(limit: number, until: number | undefined): RunState {
    for (let before = performance.now(); ; ) {
      const state = super.advance(Math.min(limit, this.#steps), until)
      if (state !== 'paused' || isTurnDue()) return state
      const now = performance.now()
      this.#steps = now - before > LOOK ? Math.max(1, this.#steps >> 1) : Math.min(limit, this.#steps * 2)
      before = now
    }
  }
}

function prefilledOf(prefill: readonly RunningTask[], { cluster }: Experiment): Prefilled | null {
  if (prefill.length === 0) return null
  const share = (name: string, r: number) => {
    const total = cluster.total.subarray(r * cluster.nodes, (r + 1) * cluster.nodes).reduce((a, b) => a + b, 0)
    return prefill.reduce((sum, { demand }) => sum + (demand[name] ?? 0), 0) / total
  }
  return { tasks: prefill.length, shares: Object.fromEntries(cluster.resources.map((name, r) => [name, share(name, r)])) }
}

/** An architecture builds its schedulers' policies, so errors of its own are given its path, and those of a policy are left. */
function toldApart({ plug, ofSchedulers = {} }: NamedPolicy, architecture: Plug<'architecture'>): Pick<SimulationOptions, 'policy' | 'policies' | 'architecture'> {
  const ofPolicy = new WeakSet()
  const noted = (policy: Plug<'policy'>): Plug<'policy'> => ({
    ...policy,
    create(env: Env) {
      try {
        return policy.create(env)
      } catch (error) {
        if (error instanceof SchedError) ofPolicy.add(error)
        throw error
      }
    },
  })
  const build = (env: ArchitectureEnv) => {
    try {
      return architecture.create(env)
    } catch (error) {
      throw error instanceof SchedError && !ofPolicy.has(error) ? error.at({ field: `${pathOf(architecture)}.${error.place.field ?? ''}`.replace(/\.$/, '') }) : error
    }
  }
  const policies = Object.fromEntries(Object.entries(ofSchedulers).map(([name, policy]) => [name, noted(policy)]))
  return { policy: noted(plug), policies, architecture: { ...architecture, create: build } }
}

/** A job that can never run is one of the trace's, if there is one. */
function explainedInfeasible({ source, spec, directory }: Experiment['description'], { code, fact, place, wayOut }: SchedError): SchedError {
  const { trace, format, options } = spec.workload
  const [, id] = /^(?:a task of |the master of )?job (\S+) /.exec(fact) ?? [] // or it is about what runs and waits
  const file = trace === undefined || id === undefined ? undefined : resolve(directory, trace)
  const line = file === undefined || id === undefined ? undefined : lineOfJob(file, { format, options }, id)
  return new SchedError(code, fact, withoutUndefined({ file, line, ...place }), source === undefined ? wayOut.replace('infeasible: reject', '--infeasible reject') : wayOut)
}

const pathOf = ({ name }: Plug<'architecture'>) => `architecture.${name}`

/** What the user is told of an error in a run: where the experiment configures what it is about. */
export function explainRun({ description, policies }: Pick<Experiment, 'description' | 'policies'>, policy: number, error: Error): Error {
  if (!(error instanceof SchedError)) return error
  const { field = '' } = error.place
  if (error.code === 'INFEASIBLE') return explainedInfeasible(description, error)
  if (error.code === 'BAD_INPUT' && /^demand\b/.test(field))
    return new SchedError(
      error.code,
      error.fact,
      error.place,
      `${error.wayOut.slice(0, -1)}${askedOtherwise(error.fact, description.spec.workload.trace !== undefined)}.`,
    )
  if (error.code === 'BAD_OPTION' && description.source === undefined && /^the cluster has no resource "/.test(error.fact) && error.wayOut.endsWith('Known: map, reduce.'))
    return new SchedError(error.code, error.fact, error.place, `${error.wayOut} Say what its nodes have: by a list of machines (--nodes FILE), or by --nodes and --resources.`)
  if (/^architecture\./.test(field)) return explained(description, ['architecture'], error)
  if (/^metrics\b/.test(field)) return explained(description, [], error)
  const path = policies[policy]?.path ?? []
  if (error.code === 'UNKNOWN_NAME' && field === 'policies')
    return explained(description, [...path.slice(0, -1), 'schedulers'], error.at({ field: `policies[${policy}].schedulers` }))
  if (error.code === 'BAD_OPTION' && description.source === undefined && policies.length > 1) return error.at({ field: `policies[${policy}]: ${field}` })
  const isOfPolicy = error.code === 'BAD_OPTION' || field === 'queue'
  return isOfPolicy ? explained(description, path, error) : error
}

/** Traces of Hadoop can be read either way. */
function askedOtherwise(fact: string, isTrace: boolean): string {
  const [, name] = /has no resource "([^"]*)"/.exec(fact) ?? []
  if (name === undefined) return ''
  if ((name === 'map' || name === 'reduce') && !isTrace) return ', for example `--slots map=4,reduce=2`'
  if (name === 'map' || name === 'reduce') return ', or read tasks of the trace as containers (`--option demand=containers`)'
  return name === 'vcores' || name === 'memory-mb'
    ? ', for example `--resources vcores=16,memory-mb=65536`, or read tasks of the trace as slots (`--option demand=slots`)'
    : ', for example with --resources, or with a description of the cluster or a list of machines (--cluster, --nodes)'
}

function runtimeOf({ network, ...rest }: NonNullable<Experiment['description']['spec']['runtime']>): RuntimeOptions {
  return { ...withoutUndefined(rest), ...(network !== undefined && { network: network === true ? true : withoutUndefined(network) }) }
}
