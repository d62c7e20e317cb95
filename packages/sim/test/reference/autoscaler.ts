import { randomStream } from '@sched/core'
import type { AutoscalerOptions } from '../../src/index.js'

/** A group of equal nodes; without `provision` all of them are always there. */
export interface PlainGroup {
  readonly count: number
  readonly cpu: number
  readonly mem: number
  readonly min?: number
  readonly initial?: number
  readonly provision?: number
  readonly priority?: number
  readonly price?: number
}
/** A job of equal tasks, in whole seconds. */
export interface PlainJob {
  readonly submit: number
  readonly tasks: number
  readonly cpu: number
  readonly mem: number
  readonly duration: number
  readonly isMovable: boolean
  readonly priority?: number | undefined
}

interface Node { readonly group: number; readonly cpu: number; readonly mem: number; state: 'off' | 'coming' | 'up'; upAt: number; since: number; again: number }
interface Task { readonly job: number; node: number; end: number; state: 'none' | 'waits' | 'runs' | 'done'; waits: number }

/**
 * What happens to jobs that start in order of submission, each task on the first node with room, under the autoscaler, second by second: it looks at
 * everything at every multiple of the scan interval. Lines such as `12 + job 3 on 4`, `-` for an end, `x` for an eviction, `up 4` and `down 4`.
 */
export function plainAutoscaler(groups: readonly PlainGroup[], jobs: readonly PlainJob[], settings: { readonly [K in keyof AutoscalerOptions]-?: NonNullable<AutoscalerOptions[K]> }, seed: number): string[] {
  const lines: string[] = []
  const nodes = groups.flatMap((group, g) => Array.from({ length: group.count }, (_, i): Node => {
    const isThere = group.provision === undefined || i < (group.initial ?? group.min ?? 0)
    return { group: g, cpu: group.cpu, mem: group.mem, state: isThere ? 'up' : 'off', upAt: 0, since: NaN, again: 0 }
  }))
  const tasks = jobs.flatMap(({ tasks }, job) => Array.from({ length: tasks }, (): Task => ({ job, node: -1, end: NaN, state: 'none', waits: 0 })))
  const random = randomStream(seed, 'autoscaler')
  let [lastUp, lastDown] = [-Infinity, -Infinity]
  const of = (task: Task) => jobs[task.job] as PlainJob
  const on = (node: number) => tasks.filter((task) => task.state === 'runs' && task.node === node)
  const sum = (some: readonly Task[], key: 'cpu' | 'mem') => some.reduce((all, task) => all + of(task)[key], 0)
  /** Free amounts of nodes as pairs, by node. */
  const freeOf = (node: number, some = on(node)) => ({ cpu: (nodes[node] as Node).cpu - sum(some, 'cpu'), mem: (nodes[node] as Node).mem - sum(some, 'mem') })
  /** Jobs of too low a priority count for nothing. */
  const counts = (task: Task) => (of(task).priority ?? Infinity) >= settings.expendablePodsPriorityCutoff
  const sizeOf = (group: number) => nodes.filter((node) => node.group === group && node.state !== 'off').length
  const minOf = (group: number) => groups[group]?.min ?? 0
  const isScaled = (group: number) => groups[group]?.provision !== undefined

  // a job is as young as the last of its tasks that came back
  const sinceOf = (task: Task) => Math.max(...tasks.filter(({ job }) => job === task.job).map(({ waits }) => waits))

  /** One look. Waiting tasks that have room are put where they have it, for what is then decided about nodes. */
  function look(now: number): void {
    const there = new Map([...nodes.keys()].filter((node) => nodes[node]?.state === 'up').map((node) => [node, on(node).filter(counts)]))
    const coming = nodes.filter(({ state }) => state === 'coming').sort((a, b) => a.upAt - b.upAt).map(({ cpu, mem }) => ({ cpu, mem }))
    const left = tasks.filter((task) => {
      if (task.state !== 'waits' || !counts(task)) return false
      const [, here] = [...there].find(([node, some]) => freeOf(node, some).cpu >= of(task).cpu && freeOf(node, some).mem >= of(task).mem) ?? []
      here?.push(task)
      return here === undefined && !placed(task, coming)
    })
    const old = left.filter((task) => sinceOf(task) + settings.newPodScaleUpDelay < now)
    const isFull = there.size >= settings.maxNodesTotal
    const areNew = old.length > 0 && !isFull && old.every((task) => sinceOf(task) > now - 2)
    if (old.length > 0 && !isFull && !areNew && scaleUp(old, now)) return
    if (settings.scaleDownEnabled) scaleDown(there, !areNew, now)
  }

  /** What a processor or a unit of memory is worth: half of a node of the group where that is least, of those that cost anything. */
  const unitOf = (key: 'cpu' | 'mem') => Math.min(...groups.flatMap((group, g) => (isScaled(g) && group.price !== 0 ? [(group.price ?? Infinity) / (2 * group[key])] : [])))
  /** Most nodes of a group that may be added by what all nodes may have together. */
  function quotaOf(g: number): number {
    const there = nodes.filter(({ state }) => state !== 'off')
    const of = (key: 'cpu' | 'mem') => Math.floor(((settings.resourcesTotal[key] ?? Infinity) - there.reduce((all, node) => all + node[key], 0)) / (groups[g] as PlainGroup)[key])
    return Math.min(of('cpu'), of('mem'))
  }
  const mayGrow = (g: number) => sizeOf(g) < (groups[g] as PlainGroup).count && quotaOf(g) >= 1

  function scaleUp(left: readonly Task[], now: number): boolean {
    const fits = (task: Task, g: number) => of(task).cpu <= (groups[g] as PlainGroup).cpu && of(task).mem <= (groups[g] as PlainGroup).mem
    const isLike = (a: PlainGroup, b: PlainGroup) => a.cpu === b.cpu && Math.abs(a.mem - b.mem) <= 0.015 * Math.max(a.mem, b.mem)
    const similarTo = (g: number) => [...groups.keys()].filter((h) =>
      settings.balanceSimilarNodeGroups && h !== g && isScaled(h) && mayGrow(h) && isLike(groups[g] as PlainGroup, groups[h] as PlainGroup) && left.every((task) => !fits(task, g) || fits(task, h)))
    const options = groups.flatMap((group, g) => {
      if (!isScaled(g) || !mayGrow(g)) return []
      const all = nodes.filter(({ state }) => state !== 'off').length
      const room = [g, ...similarTo(g)].reduce((total, each) => total + (groups[each] as PlainGroup).count - sizeOf(each), 0)
      const most = Math.min(room, settings.maxNodesPerScaleUp, settings.maxNodesTotal - all)
      const part = (task: Task) => of(task).cpu / group.cpu + of(task).mem / group.mem
      const fresh: { cpu: number; mem: number }[] = []
      const helped: Task[] = []
      for (const task of left.filter((each) => of(each).cpu <= group.cpu && of(each).mem <= group.mem).sort((a, b) => part(b) - part(a))) {
        if (!placed(task, fresh)) {
          if (fresh.length >= most) continue
          fresh.push({ cpu: group.cpu - of(task).cpu, mem: group.mem - of(task).mem })
        }
        helped.push(task)
      }
      if (helped.length === 0) return []
      const waste = 1 - sum(helped, 'cpu') / (fresh.length * group.cpu) + (1 - sum(helped, 'mem') / (fresh.length * group.mem))
      const value = sum(helped, 'cpu') * unitOf('cpu') + sum(helped, 'mem') * unitOf('mem')
      const price = group.price === 0 ? 0 : value === 0 ? -Infinity : -((fresh.length * (group.price ?? Infinity)) / value)
      return [{ g, nodes: fresh.length, worth: { 'least-waste': -waste, 'most-pods': helped.length, 'least-nodes': -fresh.length, priority: group.priority ?? 0, price, random: 0 } }]
    })
    const rules = [settings.expander].flat()
    const isBetter = (a: (typeof options)[number], b: (typeof options)[number]) => {
      const differs = rules.find((rule) => rule === 'random' || a.worth[rule] !== b.worth[rule])
      return differs !== undefined && a.worth[differs] > b.worth[differs]
    }
    const equal = options.filter((one) => !options.some((other) => isBetter(other, one)))
    const chosen = equal.length < 2 ? equal[0] : equal[Math.floor(random() * equal.length)]
    if (chosen === undefined) return false
    // each node to the smallest by then, of equal ones to that which was smaller before, then to the chosen group, then to the one that stands first
    const among = [chosen.g, ...similarTo(chosen.g)].sort((a, b) => sizeOf(a) - sizeOf(b)).map((g) => ({ g, before: sizeOf(g), size: sizeOf(g) }))
    for (let n = Math.min(chosen.nodes, quotaOf(chosen.g)); n > 0; n--) {
      const open = among.filter(({ g, size }) => size < (groups[g] as PlainGroup).count)
      const next = open.find(({ size }) => open.every((other) => size <= other.size))
      if (next !== undefined) next.size++
    }
    for (const { g, before, size } of among) {
      for (const node of nodes.filter(({ group, state }) => group === g && state === 'off').slice(0, Math.min(size - before, quotaOf(g)))) {
        node.state = 'coming'
        node.upAt = now + (groups[g]?.provision ?? 0)
      }
    }
    lastUp = now
    return true
  }

  function placed(task: Task, free: { cpu: number; mem: number }[]): boolean {
    const { cpu, mem } = of(task)
    const there = free.find((each) => each.cpu >= cpu && each.mem >= mem)
    if (there === undefined) return false
    there.cpu -= cpu
    there.mem -= mem
    return true
  }

  /** `there`: the nodes that are up, each with what runs there and what waits and would have room there. */
  function scaleDown(there: Map<number, Task[]>, mayRemove: boolean, now: number): void {
    const at = (node: number) => there.get(node) ?? []
    const isUsed = new Map([...there].map(([node, some]) => [node, some.length > 0]))
    const use = (node: number) => Math.max(sum(at(node), 'cpu') / (nodes[node] as Node).cpu, sum(at(node), 'mem') / (nodes[node] as Node).mem)
    const candidates = [...nodes.keys()].filter((n) => {
      const { state, group, again } = nodes[n] as Node
      return state === 'up' && again <= now && isScaled(group) && sizeOf(group) > minOf(group) && use(n) < settings.scaleDownUtilizationThreshold
    })
    const unneeded = new Set(candidates.filter((node) => isUsed.get(node) === false))
    const rest = candidates.filter((node) => !unneeded.has(node))
    const before = rest.filter((node) => !Number.isNaN(nodes[node]?.since)).reverse()
    for (const node of [...before, ...rest.filter((each) => !before.includes(each)).reverse()]) {
      ;(nodes[node] as Node).again = now + settings.unremovableNodeRecheckTimeout
      if (on(node).some((task) => counts(task) && !of(task).isMovable)) continue
      const trial = new Map([...there].map(([each, some]) => [each, [...some]]))
      const moves = (trial.get(node) ?? []).every((task) => {
        const to = [...trial].find(([other, some]) => other !== node && !unneeded.has(other) && freeOf(other, some).cpu >= of(task).cpu && freeOf(other, some).mem >= of(task).mem)
        to?.[1].push(task)
        return to !== undefined
      })
      if (!moves) continue
      ;(nodes[node] as Node).again = 0
      unneeded.add(node)
      for (const [each, some] of trial) there.set(each, some)
    }
    for (const [n, node] of nodes.entries()) node.since = unneeded.has(n) ? (Number.isNaN(node.since) ? now : node.since) : NaN
    if (!mayRemove || lastUp + settings.scaleDownDelayAfterAdd > now || lastDown + settings.scaleDownDelayAfterDelete > now) return
    let [left, drains] = [settings.maxScaleDownParallelism, settings.maxDrainParallelism]
    const due = [...unneeded].filter((n) => (nodes[n] as Node).since + settings.scaleDownUnneededTime < now).sort((a, b) => b - a)
    for (const n of [...due.filter((each) => isUsed.get(each) === false), ...due.filter((each) => isUsed.get(each) === true)]) {
      const isIdle = isUsed.get(n) === false
      const { group } = nodes[n] as Node
      if (left === 0 || (!isIdle && drains === 0) || sizeOf(group) <= minOf(group)) continue
      left--
      if (!isIdle) drains--
      for (const task of on(n)) {
        lines.push(`${now} x job ${task.job} on ${n}`)
        Object.assign(task, { state: 'waits', waits: now, node: -1 })
      }
      Object.assign(nodes[n] as Node, { state: 'off', since: NaN, again: 0 })
      lines.push(`${now} down ${n}`)
      lastDown = now
    }
  }

  function comeUp(now: number): void {
    for (const [n, node] of nodes.entries())
      if (node.state === 'coming' && node.upAt === now) {
        node.state = 'up'
        lines.push(`${now} up ${n}`)
      }
  }

  function pass(now: number): void {
    for (const task of tasks) {
      if (task.state !== 'waits') continue
      const node = [...nodes.keys()].find((n) => nodes[n]?.state === 'up' && freeOf(n).cpu >= of(task).cpu && freeOf(n).mem >= of(task).mem)
      if (node === undefined) continue
      Object.assign(task, { state: 'runs', node, end: now + of(task).duration })
      lines.push(`${now} + job ${task.job} on ${node}`)
    }
  }

  for (let now = 0; tasks.some(({ state }) => state !== 'done'); now++) {
    for (const task of tasks)
      if (task.state === 'runs' && task.end === now) {
        task.state = 'done'
        lines.push(`${now} - job ${task.job} on ${task.node}`)
      }
    for (const task of tasks) if (of(task).submit === now) Object.assign(task, { state: 'waits', waits: now })
    comeUp(now)
    pass(now)
    if (now === 0 || now % settings.scanInterval !== 0) continue
    look(now)
    comeUp(now)
    pass(now)
  }
  return lines
}
