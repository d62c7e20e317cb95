/** A job of one piece, which runs as long as its walltime. */
interface PbsJob {
  readonly id: string
  readonly submit: number
  readonly user: string
  readonly queue: string
  readonly ncpus: number
  readonly foo: number
  readonly walltime: number
}

export interface PbsWorld {
  readonly jobs: readonly PbsJob[]
  readonly ncpus: number
  /** Licences of the server. */
  readonly foo: number
  readonly method: 'R' | 'D'
  readonly youngestFirst: boolean
  /** Whether nobody preempts who could take what has started at the same time. */
  readonly sparesNew: boolean
  /** Priority of each queue; express from 150 on. */
  readonly priorities: Readonly<Record<string, number>>
  /** The levels, the highest first, each with all that a job must be. */
  readonly levels: readonly (readonly string[])[]
  /** Soft limits of users on jobs and on processors: of the server, and by queue. */
  readonly soft: Readonly<Record<string, { readonly run: number; readonly ncpus: number }>>
  /** Hard limits likewise; default none. */
  readonly hard?: Readonly<Record<string, { readonly run: number; readonly ncpus: number }>>
}

interface Live extends PbsJob {
  readonly rank: number
  started: number | undefined
  preempted: number | undefined
  canNotRun: boolean
}

/** Cycles of OpenPBS's scheduler on one node, as its main loop makes them, everything computed anew at every step. Returns from when to when each job ran. */
export function pbsCycles(world: PbsWorld): Record<string, [number, number][]> {
  const ran: Record<string, [number, number][]> = {}
  let live: Live[] = []
  let turn = 0
  let time = 0
  const running = () => live.filter((job) => job.started !== undefined)
  const sum = (of: readonly Live[], what: 'ncpus' | 'foo') => of.reduce((all, job) => all + job[what], 0)
  const isOver = (scope: string, user: string) => {
    const limits = world.soft[scope]
    const own = running().filter((job) => job.user === user && (scope === 'server' || job.queue === scope))
    return limits !== undefined && (own.length > limits.run || sum(own, 'ncpus') > limits.ncpus)
  }
  const levelOf = (job: Live) => {
    const priority = world.priorities[job.queue] ?? 0
    const is = [...(priority >= 150 ? ['express_queue'] : []), ...(isOver('server', job.user) ? ['server_softlimits'] : []), ...(isOver(job.queue, job.user) ? ['queue_softlimits'] : [])]
    if (is.length === 0) is.push('normal_jobs')
    const values = world.levels.map((all, i) => ({ all, value: (world.levels.length - i) * 1000 })).sort((a, b) => b.all.length - a.all.length || b.value - a.value)
    const found = values.find(({ all }) => all.every((each) => is.includes(each)))
    if (found === undefined) return values.find(({ all }) => all.join() === 'normal_jobs')?.value ?? 0
    return found.value + (found.all.includes('express_queue') ? priority : 0)
  }
  const isFree = (scope: string, job: Live) => {
    const limits = world.hard?.[scope]
    const own = running().filter(({ user, queue }) => user === job.user && (scope === 'server' || queue === scope))
    return limits === undefined || (own.length < limits.run && sum(own, 'ncpus') + job.ncpus <= limits.ncpus)
  }
  const fits = (job: Live) => sum(running(), 'ncpus') + job.ncpus <= world.ncpus && sum(running(), 'foo') + job.foo <= world.foo && isFree('server', job) && isFree(job.queue, job)
  /** Who goes for the job, from the state as it is now; the state is as before afterwards. */
  const victimsFor = (job: Live): Live[] | undefined => {
    const level = levelOf(job)
    const before = new Map(live.map((each) => [each, each.started]))
    const candidates = running().map((each) => ({ each, level: levelOf(each), started: each.started as number }))
    if (world.sparesNew && candidates.some(({ each, level: lower }) => each.started === time && lower < level)) return undefined
    candidates.sort((a, b) => a.level - b.level || (world.youngestFirst ? b.started - a.started : 0) || a.each.rank - b.each.rank)
    const chosen: Live[] = []
    for (const { each } of candidates) {
      if (fits(job)) break
      if (levelOf(each) >= level) continue
      const since = each.started
      each.started = undefined
      if ([...chosen, each].some((other) => levelOf(other) > level)) each.started = since
      else chosen.push(each)
    }
    let needed: Live[] | undefined
    if (fits(job)) {
      job.started = 0
      const isLower = levelOf(job) < level
      needed = isLower ? undefined : chosen
      for (const each of isLower ? [] : [...chosen].reverse())
        if (fits(each)) {
          each.started = 0
          needed = needed?.filter((other) => other !== each)
        }
    }
    for (const [each, started] of before) each.started = started
    return needed
  }
  const stop = (job: Live, now: number) => {
    ;(ran[job.id] ??= []).push([job.started as number, now])
    job.started = undefined
  }
  const cycle = (now: number): boolean => {
    let hasStarted = false
    for (const job of live) job.canNotRun = false
    time = now
    for (;;) {
      const [next] = live
        .filter((job) => job.started === undefined && !job.canNotRun)
        .sort((a, b) => levelOf(b) - levelOf(a) || (a.preempted ?? Infinity) - (b.preempted ?? Infinity) || a.rank - b.rank)
      if (next === undefined) return hasStarted
      const victims = fits(next) ? [] : victimsFor(next)
      if (victims === undefined) {
        next.canNotRun = true
        continue
      }
      for (const victim of victims) {
        stop(victim, now)
        victim.preempted = ++turn
        if (world.method === 'D') live = live.filter((job) => job !== victim)
      }
      if (victims.length > 0) for (const job of live) job.canNotRun = false // all are looked at again here, in OpenPBS in the next cycle
      next.started = now
      next.preempted = undefined
      hasStarted = true
    }
  }
  const submits = [...world.jobs].map((job, rank): Live => ({ ...job, rank, started: undefined, preempted: undefined, canNotRun: false }))
  let again = Infinity
  for (;;) {
    const endOf = (job: Live) => (job.started as number) + job.walltime
    const now = Math.min(submits[0]?.submit ?? Infinity, again, ...running().map(endOf))
    if (now === Infinity) return ran
    const ended = running().filter((job) => endOf(job) === now)
    for (const job of ended) stop(job, now)
    live = [...live.filter((job) => !ended.includes(job)), ...submits.splice(0, submits.filter(({ submit }) => submit === now).length)]
    const isSecond = now === again
    again = cycle(now) && !isSecond ? now + 0.001 : Infinity // who finds no room is looked at again beside what has started
  }
}
