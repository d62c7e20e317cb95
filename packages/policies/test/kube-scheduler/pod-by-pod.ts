/** A pod of the reference. */
interface Pod {
  readonly id: string
  readonly priority: number
  /** What it asks for, by resource. */
  readonly asks: readonly number[]
  /** Its place in the order of submission. */
  readonly rank: number
  node?: number | undefined
  started?: number | undefined
  /** When its grace time ends. */
  leaves?: number | undefined
  nominated?: number | undefined
}

/**
 * kube-scheduler's scheduling cycles, pod by pod, as its source reads and without any memory of what it has looked at: nominated nodes, grace times and the
 * choice of victims, where a pod takes the lowest node with room. Pods that have started in the same sweep are left alone.
 *
 * Source: kube-scheduler, schedule_one.go (schedulePod, evaluateNominatedNode), runtime/framework.go (RunFilterPluginsWithNominatedPods), default_preemption.go
 * (PodEligibleToPreemptOthers, SelectVictimsOnNode), preemption.go (pickOneNodeForPreemption, prepareCandidate).
 */
export class PodByPod {
  readonly pods: Pod[] = []
  readonly #nodes: readonly (readonly number[])[]
  readonly #grace: number
  /** Pods that have started in this sweep. */
  readonly #new = new Set<Pod>()

  constructor(nodes: readonly (readonly number[])[], grace: number) {
    this.#nodes = nodes
    this.#grace = grace
  }

  /** What goes, and what starts where. */
  sweep(now: number): { readonly kill: string[]; readonly start: string[] } {
    const gone = this.pods.filter(({ leaves = Infinity }) => leaves <= now)
    for (const pod of gone) pod.node = pod.started = pod.leaves = undefined
    this.#new.clear()
    const start: string[] = []
    const pending = this.pods.filter((pod) => pod.node === undefined && !gone.includes(pod))
    for (const pod of pending.sort((a, b) => b.priority - a.priority || a.rank - b.rank)) {
      const node = [pod.nominated, ...this.#nodes.keys()].find((each) => each !== undefined && this.#fits(pod, each, this.#on(each)))
      if (node === undefined) {
        this.#preempt(pod, now)
        continue
      }
      Object.assign(pod, { node, started: now, nominated: undefined })
      this.#new.add(pod)
      start.push(`${pod.id} on ${node}`)
    }
    return { kill: gone.map(({ id }) => id), start }
  }

  #on = (node: number): Pod[] => this.pods.filter((pod) => pod.node === node)

  /** Whether the pod fits beside these and what is nominated there for others of its priority or above. */
  #fits(pod: Pod, node: number, beside: readonly Pod[]): boolean {
    const counted = [...beside, ...this.pods.filter((each) => each !== pod && each.nominated === node && each.priority >= pod.priority)]
    return pod.asks.every((asked, r) => asked + counted.reduce((sum, each) => sum + (each.asks[r] as number), 0) <= (this.#nodes[node]?.[r] as number))
  }

  #preempt(pod: Pod, now: number): void {
    const isBelow = (each: Pod) => each.priority < pod.priority
    if (pod.nominated !== undefined && this.#on(pod.nominated).some((each) => isBelow(each) && each.leaves !== undefined)) return
    pod.nominated = undefined
    const candidates = [...this.#nodes.keys()].flatMap((node) => {
      const all = this.#on(node)
      const below = all.filter((each) => isBelow(each) && !this.#new.has(each))
      let beside = all.filter((each) => !below.includes(each))
      if (below.length === 0 || !this.#fits(pod, node, beside)) return []
      const victims: Pod[] = []
      for (const each of below.sort((a, b) => b.priority - a.priority || (a.started as number) - (b.started as number) || a.rank - b.rank))
        if (this.#fits(pod, node, [...beside, each])) beside = [...beside, each]
        else victims.push(each)
      const highest = victims[0]?.priority as number
      const firstStart = Math.min(...victims.filter(({ priority }) => priority === highest).map(({ started }) => started as number))
      return [{ node, victims, key: [highest, victims.reduce((sum, { priority }) => sum + priority + 2 ** 31, 0), victims.length, -firstStart, node] }]
    })
    const [best] = candidates.sort((a, b) => a.key.map((value, i) => value - (b.key[i] as number)).find((difference) => difference !== 0) ?? 0)
    if (best === undefined) return
    for (const each of this.pods) if (each.nominated === best.node && each.priority < pod.priority) each.nominated = undefined
    for (const each of best.victims) each.leaves ??= now + this.#grace
    pod.nominated = best.node
  }
}
