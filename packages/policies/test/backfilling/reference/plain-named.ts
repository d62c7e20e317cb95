import type { Part, RigidJob } from './machine.js'

interface Held {
  readonly job: RigidJob
  /** One entry per task: where it is, how much it holds there, and until when it really runs. */
  readonly tasks: readonly Task[]
  readonly start: number
  /** As planned: whole minutes after its start. */
  readonly expected: number
}
interface Task {
  readonly node: number
  readonly amount: number
  readonly end: number
}
interface Reserved {
  readonly nodes: readonly number[]
  readonly start: number
  readonly end: number
}

const MINUTE = 60
const range = (count: number) => Array.from({ length: count }, (_, i) => i)

/** Of a job without parts every task asks for 1. */
const partsOf = (job: RigidJob): readonly Part[] => job.parts ?? [{ runtime: job.runtime, tasks: job.size[0] ?? 0, size: [1] }]
const unit = ({ size }: Part) => size[0] ?? 0

/**
 * Starts and nodes of jobs under Slurm's backfill: sets of nodes and lists of times, with nothing kept from one
 * question to the next. `size[0]` tasks each, or those of its parts, each of which has nodes of its own and starts with the latest of the others, on `count` nodes for `slots` tasks; reservations take whole nodes, and begin and end at multiples of
 * `step`. With `windows` ends are looked at as select/cons_tres does: those up to a window after the next multiple of 30 s after the first one. A start
 * that is more than `ahead` seconds away is none. `told` hears of each pass how many times it has at which reservations begin or end, and now.
 */
export function plainNamed(jobs: readonly RigidJob[], count: number, slots: number, step: number, windows?: (window: number) => number, ahead = Infinity, told?: (now: number, times: number) => void): { readonly start: number; readonly nodes: readonly number[] }[] {
  const all = range(count)
  const placed = new Map<RigidJob, Held>()
  let waiting: RigidJob[] = []
  let running: Held[] = []
  let next = 0
  while (next < jobs.length || running.length > 0) {
    const now = Math.min(jobs[next]?.submit ?? Infinity, ...running.flatMap(({ tasks }) => tasks.map(({ end }) => end)))
    running = running.map((held) => ({ ...held, tasks: held.tasks.filter(({ end }) => end > now) })).filter(({ tasks }) => tasks.length > 0)
    for (let job = jobs[next]; job !== undefined && job.submit <= now; job = jobs[++next]) waiting.push(job)
    const reserved: Reserved[] = []
    const isPass = waiting.length > 0
    for (const job of waiting) {
      const found = together(job)
      if (found === undefined) continue
      const { start, nodes } = found
      if (start > now + ahead) continue
      const end = start + asked(job)
      if (start > now) reserved.push({ nodes, start: Math.floor(start / step) * step, end: Math.ceil(end / step) * step })
      else {
        const limit = limitOf(job, now, nodes, reserved)
        const tasks = partsOf(job).flatMap((part) => range(part.tasks).map(() => ({ amount: unit(part), end: start + Math.min(part.runtime, limit) }))).map((task, i) => ({ ...task, node: nodes[i] ?? NaN }))
        const held = { job, tasks, start, expected: start + limit }
        placed.set(job, held)
        running.push(held)
      }
    }
    waiting = waiting.filter((job) => !placed.has(job))
    if (isPass) told?.(now, edgesOf().length)

    function edgesOf(): number[] {
      const first = Math.floor(now / step) * step
      return [...new Set([first, ...reserved.flatMap(({ start, end }) => [start, end])])].filter((edge) => edge >= first).sort((a, b) => a - b)
    }

    /** All parts, each on nodes that those before it have not, at the first time at which none has to wait for longer. */
    function together(job: RigidJob): { start: number; nodes: readonly number[] } | undefined {
      const [only, ...others] = partsOf(job)
      if (only !== undefined && others.length === 0) return earliest(job, only, now, all)
      let from = now
      for (;;) {
        const nodes: number[] = []
        let latest = from
        for (const part of partsOf(job)) {
          const found = earliest(job, part, from, all.filter((node) => !nodes.includes(node)))
          if (found === undefined) return undefined
          latest = found.start
          if (latest > from) break
          nodes.push(...found.nodes)
        }
        if (latest === from) return { start: from, nodes }
        from = latest
      }
    }

    function earliest(job: RigidJob, part: Part, from: number, allowed: readonly number[]): { start: number; nodes: readonly number[] } | undefined {
      const length = asked(job)
      const edges = edgesOf()
      const freeIn = (i: number) => allowed.filter((node) => !reserved.some(({ nodes, start, end }) => nodes.includes(node) && start <= (edges[i] ?? 0) && (edges[i] ?? 0) < end))
      let usable = allowed
      let later = Infinity
      for (const i of range(edges.length)) {
        const end = edges[i + 1] ?? Infinity
        if (end <= from) continue
        if (later === Infinity && i + 1 < edges.length && freeIn(i + 1).some((node) => !usable.includes(node) || !freeIn(i).includes(node))) later = end
        if ((edges[i] ?? 0) > from + length) {
          if (later === Infinity && i + 2 < edges.length) later = edges[i + 2] ?? Infinity
          break
        }
        usable = usable.filter((node) => freeIn(i).includes(node))
      }
      const found = whenFree(part, usable, job.isContiguous === true)
      const start = Math.max(found?.time ?? Infinity, from)
      if (start > later) return earliest(job, part, later, allowed)
      if (found === undefined) return undefined
      const [begin, end] = [Math.floor(start / step) * step, Math.ceil((start + length) / step) * step]
      const isInTheWay = reserved.some((other) => other.start < end && begin < other.end && other.nodes.some((node) => found.nodes.includes(node)))
      return start > now && isInTheWay ? earliest(job, part, start === from ? start + step : start, allowed) : { start, nodes: found.nodes }
    }

    /** When so many of the nodes are free, as far as jobs end as planned, and which. */
    function whenFree(part: Part, usable: readonly number[], isOneRun: boolean): { time: number; nodes: readonly number[] } | undefined {
      const ends = [...running].sort((a, b) => a.expected - b.expected || jobs.indexOf(a.job) - jobs.indexOf(b.job))
      for (const { ended, time } of [{ ended: 0, time: now }, ...looks(ends, usable)]) {
        const tasks = ends.slice(ended).flatMap((held) => held.tasks)
        const free = (node: number) => slots - sum(tasks.filter((other) => other.node === node).map(({ amount }) => amount))
        const room = all.map((node) => (usable.includes(node) ? Math.floor(free(node) / unit(part)) : 0))
        if (sum(room) >= part.tasks && (!isOneRun || runsOf(room).some((run) => sum(run.map((node) => room[node] ?? 0)) >= part.tasks))) return { time, nodes: bestFit(room, part.tasks) }
      }
      return undefined
    }
  }

  /** How many of the jobs have ended at each look, and the time of the last of these that has a usable node. */
  function looks(ends: readonly Held[], usable: readonly number[]): { ended: number; time: number }[] {
    const counts = ({ tasks }: Held) => tasks.some(({ node }) => usable.includes(node))
    if (windows === undefined) return ends.flatMap((held, i) => (counts(held) ? [{ ended: i + 1, time: held.expected }] : []))
    const all: { ended: number; time: number }[] = []
    const origin = (Math.floor((ends.find(counts)?.expected ?? 0) / 30) + 1) * 30
    for (let window = 30, at = 0; ; ) {
      const first = ends.findIndex((held, i) => i >= at && counts(held))
      if (first < 0) return all
      at = first
      for (let isMore = true; isMore && at < ends.length; ) // only after a job with a usable node it is asked when the next one ends
        if (counts(ends[at++] as Held)) isMore = at < ends.length && (ends[at]?.expected ?? 0) <= origin + window
      all.push({ ended: at, time: Math.max(...ends.slice(first, at).filter(counts).map(({ expected }) => expected)) })
      const next = ends[at]?.expected
      do window = windows(window)
      while (next !== undefined && next > origin + window)
    }
  }
  return jobs.map((job) => ({ start: placed.get(job)?.start ?? NaN, nodes: (placed.get(job)?.tasks ?? []).map(({ node }) => node).sort((a, b) => a - b) }))
}

const minutes = ({ estimate }: Pick<RigidJob, 'estimate'>) => Math.max(MINUTE, Math.ceil(estimate / MINUTE) * MINUTE)

/** For how long a plan must have room for a job. */
const asked = ({ estimate, least = estimate }: RigidJob) => minutes({ estimate: Math.min(estimate, least) })

/** How long a job may run that starts now: in whole minutes, until the first of its nodes is reserved. */
function limitOf(job: RigidJob, now: number, nodes: readonly number[], reserved: readonly Reserved[]): number {
  if (asked(job) === minutes(job)) return minutes(job)
  const until = Math.min(...reserved.filter((other) => other.start > now && other.nodes.some((node) => nodes.includes(node))).map(({ start }) => start))
  return Math.max(asked(job), Math.min(minutes(job), Math.floor((until - now) / MINUTE) * MINUTE))
}

const sum = (amounts: readonly number[]) => amounts.reduce((a, b) => a + b, 0)

/**
 * The run of consecutive nodes with the least room that is enough, else the one with the most and so on; of equal runs the lowest. In it the node
 * with the least room that is enough, else the lowest nodes.
 */
function bestFit(room: readonly number[], size: number): number[] {
  const of = (nodes: readonly number[]) => sum(nodes.map((node) => room[node] ?? 0))
  const runs = runsOf(room)
  const nodes: number[] = []
  while (nodes.length < size) {
    const left = size - nodes.length
    const enough = runs.filter((run) => of(run) >= left).sort((a, b) => of(a) - of(b))
    const run = enough[0] ?? [...runs].sort((a, b) => of(b) - of(a))[0] ?? []
    runs.splice(runs.indexOf(run), 1)
    const single = run.filter((node) => (room[node] ?? 0) >= left).sort((a, b) => (room[a] ?? 0) - (room[b] ?? 0))[0]
    const tasks = (single === undefined ? run : [single]).flatMap((node) => Array<number>(room[node] ?? 0).fill(node))
    nodes.push(...tasks.slice(0, left))
  }
  return nodes.sort((a, b) => a - b)
}

/** Consecutive nodes with room. */
function runsOf(room: readonly number[]): number[][] {
  const runs: number[][] = []
  for (const node of range(room.length).filter((each) => (room[each] ?? 0) > 0)) {
    const last = runs.at(-1)
    if (last?.at(-1) === node - 1) last.push(node)
    else runs.push([node])
  }
  return runs
}
