import type { Demand, JobSpec, StageSpec } from '@sched/core'
import { slurmResource } from '@sched/policies'
import type { Verdict } from '../finding.js'
import type { ClusterFacts } from '../queue-policy.js'
import type { SlurmConf } from './conf.js'
import type { Declared } from './declared.js'
import { WHOLE_NODES } from './other-settings.js'
import { labelOf, markedPartitions } from './partition-nodes.js'

/** What nodes of one size have, by resource. */
type Size = Readonly<Record<string, number>>
type Facts = Pick<ClusterFacts, 'nodes' | 'nodeNames' | 'nodesWith' | 'sizesWith'>

/** What jobs of a partition get whose nodes nobody shares. */
interface Whole {
  /** Of its nodes, each once. */
  readonly sizes: readonly Size[]
  readonly verdict: Verdict
  readonly note: string
}

export const isLinear = ({ general }: SlurmConf): boolean => /^select\/linear$/i.test(general.get('selecttype')?.value ?? '')

/** Whether the jobs of a partition get whole nodes. */
export function isExclusive({ settings }: Declared, conf: SlurmConf): boolean {
  const value = (settings.get('oversubscribe') ?? settings.get('shared'))?.value ?? ''
  return isLinear(conf) ? !/^force(?!:1$)/i.test(value) : /^exclusive$/i.test(value)
}

/**
 * The resource of nodes that differ, where jobs of some partitions get them whole and those of others share them: as many of each node as the largest has processors,
 * so that there is one for each task beside others, and a task that has its node for itself takes all.
 */
export const TENANTS = 'tenants'

const HONOURED = 'jobs get whole nodes: all processors and GPUs of each'
const BY_SMALLEST = 'no other job is on the nodes of a job; these differ, so it holds the processors that it asks for, and processors alone are on as many nodes as the smallest would have to be'
const SHARED = `its nodes differ, and jobs of other partitions may be on them, too, beside its own: ${WHOLE_NODES}`

/**
 * The partitions whose jobs get whole nodes: all with select/linear but for those with OverSubscribe=FORCE, otherwise those with
 * OverSubscribe=EXCLUSIVE. Where their nodes have the same processors a job asks for all of them, and so fits on empty nodes alone. Where
 * they differ each task asks for one of `nodes`, which keeps off others that do; where jobs of other partitions could be there, too, for all tenants of a node, of which those ask for one each, or nothing is done.
 *
 * Source: Slurm, OverSubscribe in slurm.conf(5), `--exclusive` in sbatch(1) (all CPUs and GRES of nodes, memory as it is asked for), `_cpus_to_use` of select/cons_tres.
 */
export class WholeNodes {
  readonly #marked: ReadonlySet<string>
  readonly #nodesWith: (label: string) => readonly string[]
  readonly #found = new Map<string | undefined, Whole | undefined>()
  /** By label of a partition; of all nodes without one. */
  readonly #sizes = new Map<string | undefined, readonly Size[]>()
  readonly #isLinear: boolean
  #tenants: number | undefined

  constructor(private readonly conf: SlurmConf, private readonly facts: Facts) {
    this.#nodesWith = facts.nodesWith ?? (() => [])
    this.#marked = markedPartitions(conf, facts)
    this.#isLinear = isLinear(conf)
  }

  /** Whether jobs of any partition get whole nodes. */
  get any(): boolean {
    return this.areSizesKnown && (this.#isLinear || this.conf.partitions.some((each) => isExclusive(each, this.conf)))
  }

  /** What becomes of a partition, declared or, with select/linear, not; `undefined`: its jobs share nodes. */
  of(name: string | undefined): Whole | undefined {
    if (!this.#found.has(name)) this.#found.set(name, this.#find(name))
    return this.#found.get(name)
  }

  #find(name: string | undefined): Whole | undefined {
    const declared = this.conf.partitions.find((each) => each.name.value === name)
    if (declared === undefined ? !this.#isLinear : !isExclusive(declared, this.conf)) return undefined
    if (!this.areSizesKnown) return { sizes: [], verdict: 'ignored', note: this.facts.nodes === 1 ? 'there is one node, of which amounts are reserved' : WHOLE_NODES }
    const sizes = this.#sizesOf(name)
    if (processorsOfAll(sizes) !== undefined) return { sizes, verdict: 'honoured', note: HONOURED }
    const isAlone = sizes.every((size) => size['nodes'] === 1) && this.conf.partitions.every((other) => isExclusive(other, this.conf) || !this.#meet(name, other.name.value))
    return isAlone || this.tenants > 0 ? { sizes, verdict: 'approximated', note: BY_SMALLEST } : { sizes: [], verdict: 'ignored', note: SHARED }
  }

  /** Tenants of a node, 0 where there are none. */
  get tenants(): number {
    return (this.#tenants ??= Math.max(0, ...(this.areSizesKnown ? this.#sizesOf(undefined) : []).map((size) => size[TENANTS] ?? 0)))
  }

  /**
   * The nodes of a partition with room for a task, for a job that asks for nodes of its own: without tenants the smallest, on larger ones others may be beside it,
   * where those get no whole nodes.
   */
  ownFor(name: string | undefined, demand: Demand): readonly Size[] {
    const cpu = (size: Size) => size[nameOf('cpu', size)] ?? 0
    const withRoom = this.areSizesKnown ? this.#sizesOf(name).filter((size) => Object.entries(demand).every(([resource, amount]) => amount <= (size[resource] ?? 0))) : []
    if (this.tenants > 0) return withRoom
    const least = Math.min(...withRoom.map(cpu))
    return withRoom.filter((size) => cpu(size) === least)
  }

  /** Of the nodes of a partition, which are looked through once, not for each of its jobs. */
  #sizesOf(name: string | undefined): readonly Size[] {
    const label = name !== undefined && this.#marked.has(name) ? labelOf(name) : undefined
    const known = this.#sizes.get(label)
    if (known !== undefined) return known
    const found = this.facts.sizesWith?.(label) ?? []
    this.#sizes.set(label, found)
    return found
  }

  /** What becomes of select/linear: of the partition of which least is kept. */
  ofAll(): Pick<Whole, 'verdict' | 'note'> {
    const names = this.conf.partitions.map(({ name }) => name.value)
    const all = (names.length === 0 ? [undefined] : names).flatMap((name) => this.of(name) ?? [])
    const least = (['ignored', 'approximated'] as const).flatMap((verdict) => all.filter((each) => each.verdict === verdict))[0]
    return least === undefined ? { verdict: 'honoured', note: HONOURED } : { verdict: 'approximated', note: least.note }
  }

  /** Whether there are nodes that a job could have for itself: one that is the whole of a machine, and so not a node of it, is none. */
  get areSizesKnown(): boolean {
    return this.facts.sizesWith !== undefined && (this.facts.nodes > 1 || this.facts.sizesWith().every((size) => size['nodes'] === 1))
  }

  /** Whether partitions have nodes in common. */
  #meet(one: string | undefined, other: string): boolean {
    const marks = [one, other].filter((name): name is string => name !== undefined && this.#marked.has(name)).map((name) => new Set(this.#nodesWith(labelOf(name))))
    const [first, second] = marks
    return first === undefined || second === undefined || [...first].some((node) => second.has(node))
  }
}

/** Has the tasks of a job take whole nodes, stage by stage, where its partition or the job says so. One that asks for nodes does already. */
export const onWholeNodes = (spec: JobSpec, whole: WholeNodes): JobSpec => ({ ...spec, stages: spec.stages.map((stage) => wholeStage(spec, stage, whole)) })

function wholeStage(spec: JobSpec, stage: StageSpec, whole: WholeNodes): StageSpec {
  const name = stage.partition ?? spec.queue
  const ofAll = whole.of(name)?.sizes ?? []
  const sizes = ofAll.length === 0 && spec.exclusive === true ? whole.ownFor(name, stage.demand) : ofAll
  const [size] = sizes
  const asksNodes = (stage.demand['nodes'] ?? 0) > 0
  if (size === undefined || asksNodes) return whole.tenants === 0 ? stage : { ...stage, demand: { ...stage.demand, [TENANTS]: asksNodes ? whole.tenants : 1 } }
  const [cpu, gpu] = [nameOf('cpu', size), nameOf('gres/gpu', size)]
  const [procs, gpus] = [processorsOfAll(sizes), sameIn(sizes, gpu)]
  const { tasks, demand } = isOfProcessors(spec, stage, cpu) ? filling(stage, Math.min(...sizes.map((each) => each[cpu] ?? 0)), cpu) : stage
  if (procs !== undefined && (demand[cpu] ?? 0) > procs) return stage // it fits nowhere, which is told as such
  const all = { ...demand, ...(procs !== undefined && { [cpu]: procs }), ...(gpus !== undefined && { [gpu]: gpus }), ...(sameIn(sizes, 'nodes') === 1 && { nodes: 1 }), ...(whole.tenants > 0 && { [TENANTS]: whole.tenants }) }
  return { ...stage, tasks, demand: all }
}

/** Whether the tasks are processors, wherever they are: a gang of tasks that ask for one each and nothing else. */
const isOfProcessors = ({ gang }: JobSpec, { gang: own, minTasks, demand, duration, data, use, phases, constraints }: StageSpec, cpu: string): boolean =>
  (gang === true || own === true) && minTasks === undefined && typeof duration === 'number' && data === undefined && use === undefined && phases === undefined
  && constraints?.distinctNodes !== true && demand[cpu] === 1 && Object.keys(demand).length === 1

/** So many processors as tasks of one node each. */
function filling({ tasks }: StageSpec, most: number, cpu: string): { readonly tasks: number; readonly demand: Demand } {
  const nodes = Math.ceil(tasks / most)
  return { tasks: nodes, demand: { [cpu]: Math.ceil(tasks / nodes) } }
}

/** The amount of a resource that all sizes have, where it is one, and not 0. */
function sameIn(sizes: readonly Size[], name: string): number | undefined {
  const amount = sizes[0]?.[name] ?? 0
  return amount > 0 && sizes.every((size) => size[name] === amount) ? amount : undefined
}

const processorsOfAll = (sizes: readonly Size[]): number | undefined => sameIn(sizes, nameOf('cpu', sizes[0] ?? {}))

/** What resources of a size are called that Slurm calls so. */
const nameOf = (tres: string, size: Size): string => Object.keys(size)[slurmResource(tres, Object.keys(size))] ?? tres
