import { isGangJob, leastTasks, SchedError, ownValue, type ClusterView, type Demand, type JobSpec, type NodeId, type ResourceId, type StageSpec } from '@sched/core'

/**
 * The nodes that suit jobs of one kind: a task of each of their stages fits on each of these nodes. With heartbeats all tasks of a gang must fit on
 * one node, since they start at its heartbeat.
 */
export interface Suiting {
  readonly id: number
  /** By node: 1 if it suits. */
  readonly suits: Uint8Array
  readonly count: number
}

export interface SizeOptions {
  readonly nodes: number | 'tasks'
  readonly waves: number
  readonly maxNodes?: number | undefined
  readonly tasksPerHeartbeat?: number | undefined
}

export interface Size {
  readonly nodes: number
  readonly suiting: Suiting
  /** Whether the job has a stage whose tasks start together, so that it cannot share the virtual cluster. */
  readonly hasGang: boolean
}

/** How many nodes jobs ask for, and which nodes suit them. */
export class Sizes {
  readonly #cluster: ClusterView
  readonly #options: SizeOptions
  /** Known sets of suiting nodes, by the demands of a job's stages and by the nodes themselves. */
  readonly #ofDemands = new Map<string, Suiting>()
  readonly #ofNodes = new Map<string, Suiting>()

  constructor(cluster: ClusterView, options: SizeOptions) {
    this.#cluster = cluster
    this.#options = options
  }

  /** Number of nodes that a job asks for, and which suit it. Throws `INFEASIBLE` for a job that no virtual cluster of the machine can hold. */
  of(spec: JobSpec): Size {
    const suiting = this.#suitingOf(spec.stages)
    if (isGangJob(spec)) throw infeasible(spec, 'it is one gang of several stages, for which no size is known', 'Use another architecture, or leave out `gang` of the job.')
    const gangs = spec.stages.filter((stage) => leastTasks(stage) > 1)
    if (suiting.count === 0) {
      const beats = this.#cluster.heartbeat > 0 && gangs.length > 0
      throw infeasible(
        spec,
        `no node has room for ${beats ? 'all tasks of each gang, which start at one node\'s heartbeat, and ' : ''}one task of each of its stages`,
        `A virtual cluster is built of nodes that are large enough for all of them; describe larger nodes${beats ? ', or the cluster without heartbeats' : ''}.`,
      )
    }
    const nodes = this.#nodesOf(spec, suiting, gangs)
    for (const gang of gangs) this.#checkGang(spec, gang, nodes, suiting)
    for (const stage of masterOf(spec) === undefined ? [] : spec.stages)
      if (stage.master !== true && this.#roomIn(spec, stage, nodes, suiting) < 1)
        throw infeasible(spec, `its master leaves no room for stage "${stage.name}" on ${nodes} node${nodes === 1 ? '' : 's'}`, 'Ask for more nodes.')
    return { nodes, suiting, hasGang: gangs.length > 0 }
  }

  #nodesOf(spec: JobSpec, suiting: Suiting, gangs: readonly StageSpec[]): number {
    const { nodes, waves, maxNodes = Infinity } = this.#options
    if (nodes !== 'tasks') {
      if (nodes > suiting.count) throw infeasible(spec, `asks for ${nodes} nodes, ${suiting.count} are large enough for its tasks`, 'Ask for fewer `nodes`.')
      return nodes
    }
    const holding = (stage: StageSpec, tasks: number) => {
      const beside = this.#fewest(stage, suiting, stage.master === true ? undefined : masterOf(spec))
      return tasks <= beside ? 1 : 1 + Math.ceil((tasks - beside) / this.#fewest(stage, suiting))
    }
    const most = Math.max(...spec.stages.map((stage) => holding(stage, stage.tasks / waves)), ...gangs.map((stage) => holding(stage, leastTasks(stage))))
    return Math.min(most, maxNodes, suiting.count)
  }

  /** Throws `INFEASIBLE` unless the gang fits whichever of the suiting nodes the job gets. */
  #checkGang(spec: JobSpec, stage: StageSpec, nodes: number, suiting: Suiting): void {
    const { name } = stage
    const tasks = leastTasks(stage)
    const { tasksPerHeartbeat: most = Infinity } = this.#options
    if (tasks > most) throw infeasible(spec, `starts ${tasks} tasks of stage "${name}" together, and a heartbeat may start ${most} (tasksPerHeartbeat)`, 'Allow more.')
    const room = this.#roomIn(spec, stage, nodes, suiting)
    if (room < tasks)
      throw infeasible(
        spec,
        `starts ${tasks} tasks of stage "${name}" together, its virtual cluster of ${nodes} nodes may have room for ${room}`,
        'Ask for more nodes.',
      )
  }

  #suitingOf(stages: readonly StageSpec[]): Suiting {
    const key = JSON.stringify(stages.map((stage) => [stage.demand, stage.constraints, this.#atOnce(stage)]))
    const known = this.#ofDemands.get(key) ?? this.#findSuiting(stages)
    this.#ofDemands.set(key, known)
    return known
  }

  /** Tasks of a stage that must start in one round on one node. */
  #atOnce(stage: StageSpec): number {
    return this.#cluster.heartbeat > 0 ? leastTasks(stage) : 1
  }

  #findSuiting(stages: readonly StageSpec[]): Suiting {
    const suits = Uint8Array.from({ length: this.#cluster.nodes }, (_, node) => (stages.every((stage) => this.#room(stage, node as NodeId) >= this.#atOnce(stage)) ? 1 : 0))
    const key = suits.join('')
    const known = this.#ofNodes.get(key)
    if (known !== undefined) return known
    const suiting = { id: this.#ofNodes.size, suits, count: suits.reduce((sum, each) => sum + each, 0) }
    this.#ofNodes.set(key, suiting)
    return suiting
  }

  /** Tasks of the stage that fit on the smallest suiting node, next to the master if one is given. */
  #fewest(stage: StageSpec, { suits }: Suiting, master?: Demand): number {
    let least = Infinity
    for (let node = 0; node < suits.length; node++) if (suits[node] === 1) least = Math.min(least, this.#room(stage, node as NodeId, master))
    return least
  }

  /** Tasks of the stage that fit on any `nodes` suiting nodes, with the job's master on one of them. */
  #roomIn(spec: JobSpec, stage: StageSpec, nodes: number, suiting: Suiting): number {
    const master = masterOf(spec)
    if (nodes < suiting.count) return (nodes - 1) * this.#fewest(stage, suiting) + this.#fewest(stage, suiting, master)
    let [sum, lost] = [0, 0]
    for (let node = 0 as NodeId; node < suiting.suits.length; node++) {
      if (suiting.suits[node] !== 1) continue
      const room = this.#room(stage, node)
      sum += room
      lost = Math.max(lost, room - this.#room(stage, node, master))
    }
    return sum - lost
  }

  /** Tasks of the stage that fit on the node, next to the master if one is given, otherwise on the empty node. */
  #room({ demand, constraints }: StageSpec, node: NodeId, master: Demand = {}): number {
    const { resources } = this.#cluster
    let room = constraints?.distinctNodes === true ? 1 : Number.MAX_SAFE_INTEGER
    if (this.#cluster.keepsOff(constraints, node) !== undefined) room = 0
    for (let r = 0 as ResourceId; r < resources.length; r++) {
      const amount = ownValue(demand, resources[r] as string) ?? 0
      if (amount > 0) room = Math.min(room, Math.max(0, Math.floor((this.#cluster.total(node, r) - (ownValue(master, resources[r] as string) ?? 0)) / amount)))
    }
    return room
  }
}

/** Demand of the job's master, `undefined` for a job without one. */
const masterOf = ({ stages: [first] }: JobSpec): Demand | undefined => (first?.master === true ? first.demand : undefined)

const infeasible = ({ id }: JobSpec, fact: string, wayOut: string) => new SchedError(
  'INFEASIBLE',
  `job ${id} ${/^(asks|starts)/.test(fact) ? fact : `can have no virtual cluster: ${fact}`}.`,
  {},
  wayOut,
)
