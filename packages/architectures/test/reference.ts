import type { JobSpec } from '@sched/core'

/** A scheduler of the reference. */
export interface Scheduler {
  readonly name: string
  readonly job: number
  readonly task: number
}
export interface Mode {
  readonly conflict: 'fine' | 'coarse'
  readonly commit: 'incremental' | 'all-or-nothing'
  /** Where a job goes that is tried again: before the younger ones, or to the end of the queue. */
  readonly again: 'place' | 'last'
}

interface Job {
  readonly spec: JobSpec
  readonly rank: number
  readonly cpu: number
  readonly duration: number
  waiting: number
  attempts: number
  held: boolean
}
interface Event {
  readonly time: number
  /** 0 a task ends, 1 a job comes, 2 a timer. */
  readonly kind: number
  readonly order: number
  readonly run: () => void
}

/**
 * Shared state as the paper tells it: every transaction copies the whole cell, places on the copy, and its claims are
 * checked one by one when the decision time is over. First fit by node id; jobs of one stage, by submission; a job that is
 * not placed in full is tried again 1 s later, in its place or last. Returns a line for every decision.
 */
export function snapshotCopies(cpus: readonly number[], schedulers: readonly Scheduler[], specs: readonly JobSpec[], mode: Mode): string[] {
  const free = [...cpus]
  const sequence = cpus.map(() => 0)
  const lines: string[] = []
  const events: Event[] = []
  const queues = new Map<string, Job[]>(schedulers.map(({ name }) => [name, []]))
  const busy = new Set<string>()
  let order = 0
  const at = (time: number, kind: number, run: () => void) => void events.push({ time, kind, order: order++, run })
  let now = 0

  const commit = (scheduler: Scheduler, job: Job, opened: number, claims: readonly { node: number; seen: number }[]) => {
    const conflicts = (node: number, seen: number) => (mode.conflict === 'coarse' && sequence[node] !== seen) || (free[node] as number) < job.cpu
    const accepted: number[] = []
    let failed = 0
    for (const { node, seen } of claims) {
      if (conflicts(node, seen)) failed++
      else {
        free[node] = (free[node] as number) - job.cpu
        accepted.push(node)
      }
    }
    if (mode.commit === 'all-or-nothing' && failed > 0) for (const node of accepted.splice(0)) free[node] = (free[node] as number) + job.cpu
    for (const node of accepted) {
      sequence[node] = (sequence[node] as number) + 1
      at(now + job.duration, 0, () => void (free[node] = (free[node] as number) + job.cpu))
    }
    job.waiting -= accepted.length
    busy.delete(scheduler.name)
    lines.push(`${scheduler.name} ${job.spec.id}#${job.attempts} ${opened}-${now}: ${claims.length} claimed, ${accepted.length} accepted, ${claims.length - accepted.length} conflicted, ${job.waiting} left`)
    if (job.waiting === 0) return
    job.held = true
    at(now + 1, 2, () => {
      job.held = false
      const queue = queues.get(scheduler.name) as Job[]
      if (mode.again === 'last') queue.push(...queue.splice(queue.indexOf(job), 1))
    })
  }

  const begin = (scheduler: Scheduler, job: Job) => {
    const copy = [...free]
    const claims: { node: number; seen: number }[] = []
    for (let task = 0; task < job.waiting; task++) {
      const node = copy.findIndex((cpu) => cpu >= job.cpu)
      if (node < 0) break
      copy[node] = (copy[node] as number) - job.cpu
      claims.push({ node, seen: sequence[node] as number })
    }
    if (mode.commit === 'all-or-nothing' && claims.length < job.waiting) claims.length = 0
    job.attempts++
    busy.add(scheduler.name)
    const opened = now
    at(now + (scheduler.job + scheduler.task * job.waiting), 2, () => commit(scheduler, job, opened, claims))
  }

  for (const [rank, spec] of specs.entries()) {
    const [{ tasks, demand, duration }] = spec.stages as unknown as [{ tasks: number; demand: { cpu: number }; duration: number }]
    at(spec.submit, 1, () => queues.get(spec.class as string)?.push({ spec, rank, cpu: demand.cpu, duration, waiting: tasks, attempts: 0, held: false }))
  }
  while (events.length > 0) {
    events.sort((a, b) => a.time - b.time || a.kind - b.kind || a.order - b.order)
    now = (events[0] as Event).time
    while (events[0]?.time === now) {
      events.shift()?.run()
      events.sort((a, b) => a.time - b.time || a.kind - b.kind || a.order - b.order)
    }
    for (const scheduler of schedulers) {
      const job = busy.has(scheduler.name) ? undefined : queues.get(scheduler.name)?.find(({ waiting, held }) => waiting > 0 && !held)
      if (job !== undefined) begin(scheduler, job)
    }
  }
  return lines
}
