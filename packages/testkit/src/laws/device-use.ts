import type { ClusterView, JobId, LaneId, NodeId, Observer, ResourceId, TaskId, WorkView } from '@sched/core'

/** Counts by itself what tasks hold of each device, apart from the engine's own counts. */
export class DeviceUse implements Observer {
  /** What was wrong first; `undefined`: nothing. */
  wrong: string | undefined
  /** Most tasks that had a share of one device at a time. */
  mostSharers = 0
  #cluster!: ClusterView
  #work!: WorkView
  readonly #used = new Map<string, number>()
  readonly #sharers = new Map<string, number>()
  readonly #held = new Map<TaskId, readonly (readonly [device: string, amount: number])[]>()

  onRunStart({ cluster, work }: { readonly cluster: ClusterView; readonly work: WorkView }): void {
    this.#cluster = cluster
    this.#work = work
  }

  onTaskStart(task: TaskId, job: JobId, _lane: LaneId, node: NodeId, _level: number, now: number): void {
    const held = this.#heldBy(task, node, (fact) => (this.wrong ??= `at ${now} s a task of ${this.#work.name(job)} ${fact}`))
    this.#held.set(task, held)
    this.#add(held, 1)
  }

  onTaskEnd(task: TaskId): void {
    this.#add(this.#held.get(task) ?? [], -1)
    this.#held.delete(task)
  }

  /** The devices that a task holds, and how much of each. */
  #heldBy(task: TaskId, node: NodeId, complain: (fact: string) => void): (readonly [device: string, amount: number])[] {
    const { resources } = this.#cluster
    const [bits, shape] = [this.#work.devicesOf(task), this.#work.shapeOf(task)]
    let first = 0
    return resources.flatMap((name, r) => {
      const count = this.#cluster.devices(node, r as ResourceId)
      const [amount, size] = [this.#work.demand(shape, r as ResourceId), this.#cluster.deviceSize(r as ResourceId)]
      const mine = Array.from({ length: count }, (_, i) => i).filter((i) => ((bits >> (first + i)) & 1) === 1)
      first += count
      if (size > 0 && mine.length !== Math.ceil(amount / size)) complain(`holds ${mine.length} devices of ${this.#cluster.name(node)} for ${amount} of ${name}`)
      return mine.map((i) => [`${name} ${i} of ${this.#cluster.name(node)}`, Math.min(amount, size)] as const)
    })
  }

  #add(held: readonly (readonly [device: string, amount: number])[], sign: 1 | -1): void {
    for (const [device, amount] of held) {
      const now = (this.#used.get(device) ?? 0) + sign * amount
      this.#used.set(device, now)
      const sharers = (this.#sharers.get(device) ?? 0) + sign
      this.#sharers.set(device, sharers)
      this.mostSharers = Math.max(this.mostSharers, sharers)
      const [name = ''] = device.split(' ')
      const size = this.#cluster.deviceSize(this.#cluster.resources.indexOf(name) as ResourceId)
      if (now > size) this.wrong ??= `${now} of ${size} of ${device} are in use`
    }
  }
}
