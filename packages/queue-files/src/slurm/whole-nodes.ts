import type { Demand, JobSpec, StageSpec } from '@sched/core'
import { slurmResource } from '@sched/policies'
import type { Verdict } from '../finding.js'
import type { ClusterFacts } from '../queue-policy.js'
import type { SlurmConf } from './conf.js'
import type { Declared } from './declared.js'
import { ofOneNode } from './one-node.js'
import { WHOLE_NODES } from './other-settings.js'
import { labelOf, markedPartitions } from './partition-nodes.js'

/** The capacity of nodes of one size, by resource. */
type Size = Readonly<Record<string, number>>
type Facts = Pick<ClusterFacts, 'nodes' | 'nodeNames' | 'nodesWith' | 'sizesWith'>

/** How jobs of a partition get whole nodes. */
interface Whole {
  /** The sizes of its nodes, each once; empty: its jobs get no whole nodes here. */
  readonly sizes: readonly Size[]
  readonly verdict: Verdict
  readonly note: string
}

/** Whether SelectType is select/linear, which gives jobs whole nodes. */
export const isLinear = ({ general }: SlurmConf): boolean => /^select\/linear$/i.test(general.get('selecttype')?.value ?? '')

/** Whether the file gives jobs of a partition whole nodes. */
export function isExclusive({ settings }: Declared, conf: SlurmConf): boolean {
  const value = (settings.get('oversubscribe') ?? settings.get('shared'))?.value ?? ''
  return isLinear(conf) ? !/^force(?!:1$)/i.test(value) : /^exclusive$/i.test(value)
}

/**
 * A resource of nodes that differ in size, needed if jobs of one partition get them whole and jobs of another share them. Each node has as many as the largest
 * node has processors. A task that shares its node asks for one, a task that gets its node whole for all.
 */
export const TENANTS = 'tenants'

const HONOURED = 'jobs get whole nodes: all processors and GPUs of each'
const BY_SMALLEST = 'a job has its nodes for itself; these differ, so it holds only the processors that it asks for, and single processors are on as many nodes as if all were the smallest'
const SHARED = `its nodes differ, and jobs of other partitions may be on them, too, beside its own: ${WHOLE_NODES}`

/**
 * Tells which jobs get whole nodes, and how. With select/linear these are the jobs of all partitions but those with OverSubscribe=FORCE, otherwise those of
 * partitions with OverSubscribe=EXCLUSIVE. If the nodes of the partition have the same number of processors, a task asks for all of them and so fits only on
 * an empty node. If they differ, a task asks for one of the resource `nodes`, of which a node has one. If jobs of other partitions may be on these nodes too, a
 * task asks for all `tenants` of a node and the others for one each; without `tenants` nothing is done, and the finding says so.
 *
 * Source: Slurm, OverSubscribe in slurm.conf(5), `--exclusive` in sbatch(1) (all CPUs and GRES of nodes, memory as it is asked for), `_cpus_to_use` of select/cons_tres.
 */
export class WholeNodes {
  readonly #marked: ReadonlySet<string>
  readonly #nodesWith: (label: string) => readonly string[]
  readonly #found = new Map<string | undefined, Whole | undefined>()
  /** Sizes of nodes by the label of a partition; under undefined those of all nodes. */
  readonly #sizes = new Map<string | undefined, readonly Size[]>()
  readonly #isLinear: boolean
  #tenants: number | undefined
  /** Whether jobs of any partition get whole nodes, once that is asked. */
  #isAny: boolean | undefined

  constructor(private readonly conf: SlurmConf, private readonly facts: Facts) {
    this.#nodesWith = facts.nodesWith ?? (() => [])
    this.#marked = markedPartitions(conf, facts)
    this.#isLinear = isLinear(conf)
  }

  /** Whether jobs of any partition get whole nodes and the sizes of nodes are known. */
  get any(): boolean {
    return this.areSizesKnown && (this.#isAny ??= this.#isLinear || this.conf.partitions.some((each) => isExclusive(each, this.conf)))
  }

  /** How jobs of a partition get whole nodes; undefined: they share nodes. With select/linear the partition need not be declared. */
  of(name: string | undefined): Whole | undefined {
    if (!this.#found.has(name)) this.#found.set(name, this.#find(name))
    return this.#found.get(name)
  }

  #find(name: string | undefined): Whole | undefined {
    const declared = this.conf.partitions.find((each) => each.name.value === name)
    if (declared === undefined ? !this.#isLinear : !isExclusive(declared, this.conf)) return undefined
    if (!this.areSizesKnown) return { sizes: [], verdict: 'ignored', note: this.facts.nodes === 1 ? ofOneNode(this.conf) : WHOLE_NODES }
    const sizes = this.#sizesOf(name)
    if (processorsOfAll(sizes) !== undefined) return { sizes, verdict: 'honoured', note: HONOURED }
    const isAlone = sizes.every((size) => size['nodes'] === 1) && this.conf.partitions.every((other) => isExclusive(other, this.conf) || !this.#meet(name, other.name.value))
    return isAlone || this.tenants > 0 ? { sizes, verdict: 'approximated', note: BY_SMALLEST } : { sizes: [], verdict: 'ignored', note: SHARED }
  }

  /** The amount of `tenants` that nodes have; 0: they have none. */
  get tenants(): number {
    return (this.#tenants ??= Math.max(0, ...(this.areSizesKnown ? this.#sizesOf(undefined) : []).map((size) => size[TENANTS] ?? 0)))
  }

  /**
   * The sizes of a partition's nodes that have room for a task, for a job that itself asks for whole nodes. Without `tenants` only the smallest of them: the
   * task then asks for all processors of such a node, and on a larger one other jobs may be beside it.
   */
  ownFor(name: string | undefined, demand: Demand): readonly Size[] {
    const cpu = (size: Size) => size[nameOf('cpu', size)] ?? 0
    const withRoom = this.areSizesKnown ? this.#sizesOf(name).filter((size) => Object.entries(demand).every(([resource, amount]) => amount <= (size[resource] ?? 0))) : []
    if (this.tenants > 0) return withRoom
    const least = Math.min(...withRoom.map(cpu))
    return withRoom.filter((size) => cpu(size) === least)
  }

  /** The sizes of a partition's nodes. They are kept, so that the nodes are looked through once and not for each job. */
  #sizesOf(name: string | undefined): readonly Size[] {
    const label = name !== undefined && this.#marked.has(name) ? labelOf(name) : undefined
    const known = this.#sizes.get(label)
    if (known !== undefined) return known
    const found = this.facts.sizesWith?.(label) ?? []
    this.#sizes.set(label, found)
    return found
  }

  /** What becomes of select/linear: the worst of what becomes of the partitions. */
  ofAll(): Pick<Whole, 'verdict' | 'note'> {
    const names = this.conf.partitions.map(({ name }) => name.value)
    const all = (names.length === 0 ? [undefined] : names).flatMap((name) => this.of(name) ?? [])
    const least = (['ignored', 'approximated'] as const).flatMap((verdict) => all.filter((each) => each.verdict === verdict))[0]
    return least === undefined ? { verdict: 'honoured', note: HONOURED } : { verdict: 'approximated', note: least.note }
  }

  /** Whether the sizes of nodes are known. A single node without the resource `nodes` stands for a whole machine, whose nodes are not known. */
  get areSizesKnown(): boolean {
    return this.facts.sizesWith !== undefined && (this.facts.nodes > 1 || this.facts.sizesWith().every((size) => size['nodes'] === 1))
  }

  /** Whether two partitions have nodes in common. */
  #meet(one: string | undefined, other: string): boolean {
    const marks = [one, other].filter((name): name is string => name !== undefined && this.#marked.has(name)).map((name) => new Set(this.#nodesWith(labelOf(name))))
    const [first, second] = marks
    return first === undefined || second === undefined || [...first].some((node) => second.has(node))
  }
}

/** The job with tasks that ask for whole nodes, stage by stage, if its partition or the job itself demands it. Tasks that ask for `nodes` do so already. */
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
  const { tasks, demand } = mayShareNodes(spec, stage, cpu) ? filling(stage, sizes, spec.minNodes) : stage
  if (procs !== undefined && (demand[cpu] ?? 0) > procs) return stage // it fits on no node; left as it is, the job is reported as such
  const all = { ...demand, ...(procs !== undefined && { [cpu]: procs }), ...(gpus !== undefined && { [gpu]: gpus }), ...(sameIn(sizes, 'nodes') === 1 && { nodes: 1 }), ...(whole.tenants > 0 && { [TENANTS]: whole.tenants }) }
  return { ...stage, tasks, demand: all }
}

/**
 * Whether tasks may be on one node: those of a job that says on how many nodes it must be at least, and those of a gang which ask for one processor each and
 * nothing else, which stand for single processors.
 */
const mayShareNodes = ({ gang, minNodes }: JobSpec, { gang: own, minTasks, demand, duration, data, use, phases, constraints }: StageSpec, cpu: string): boolean =>
  (gang === true || own === true) && minTasks === undefined && typeof duration === 'number' && data === undefined && use === undefined && phases === undefined
  && constraints?.distinctNodes !== true && (minNodes !== undefined || (demand[cpu] === 1 && Object.keys(demand).length === 1))

/** Tasks as one for each node: of as few nodes as possible that are each as small as any of `sizes`, but at least `fewest`, with equal parts, rounded up. */
function filling({ tasks, demand }: StageSpec, sizes: readonly Size[], fewest = 1): { readonly tasks: number; readonly demand: Demand } {
  const most = Math.min(...sizes.map((size) => Math.min(...Object.entries(demand).map(([resource, amount]) => Math.floor((size[resource] ?? 0) / amount)))))
  if (most < 1) return { tasks, demand } // it fits on no node
  const nodes = Math.max(Math.ceil(tasks / most), Math.min(fewest, tasks))
  return { tasks: nodes, demand: Object.fromEntries(Object.entries(demand).map(([resource, amount]) => [resource, amount * Math.ceil(tasks / nodes)])) }
}

/** The amount of a resource if all sizes have the same and it is above 0; otherwise undefined. */
function sameIn(sizes: readonly Size[], name: string): number | undefined {
  const amount = sizes[0]?.[name] ?? 0
  return amount > 0 && sizes.every((size) => size[name] === amount) ? amount : undefined
}

const processorsOfAll = (sizes: readonly Size[]): number | undefined => sameIn(sizes, nameOf('cpu', sizes[0] ?? {}))

/** The name that the resources of a size have for one of Slurm's resources (TRES). */
const nameOf = (tres: string, size: Size): string => Object.keys(size)[slurmResource(tres, Object.keys(size))] ?? tres
