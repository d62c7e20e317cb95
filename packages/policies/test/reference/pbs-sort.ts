/** A job of one piece, which runs for `duration` and asks for `walltime`. */
export interface SortedJob {
  readonly id: string
  readonly submit: number
  readonly user: string
  readonly ncpus: number
  readonly walltime: number
  readonly duration: number
  readonly priority: number
}

export interface SortWorld {
  readonly jobs: readonly SortedJob[]
  readonly ncpus: number
  readonly fairShare: boolean
  /** Name, group around it and shares. */
  readonly groups: readonly (readonly [string, string, number])[]
  readonly unknownShares: number
  readonly usage: Readonly<Record<string, number>>
  readonly counts: 'cput' | 'ncpus*walltime' | 'walltime'
  readonly decayTime: number
  readonly decayFactor: number
  readonly iteration: number
  readonly formula: string | undefined
  readonly threshold: number | undefined
  readonly keys: readonly (readonly ['ncpus' | 'walltime' | 'job_priority', 'HIGH' | 'LOW'])[]
}

interface Group {
  readonly name: string
  readonly parent: Group | undefined
  readonly shares: number
  readonly children: Group[]
  use: number
  drafted: number
}

/** Formulas by text, as functions of what they name. */
export const formulas: Readonly<Record<string, (job: SortedJob, waited: number, perc: number, treeUsage: number) => number>> = {
  'pow(2, -(fairshare_tree_usage / fairshare_perc))': (_job, _waited, perc, use) => (perc === 0 ? 0 : 2 ** -(use / perc)),
  fairshare_factor: (_job, _waited, perc, use) => (perc === 0 ? 0 : 2 ** -(use / perc)),
  '10 * ncpus + eligible_time // 7': (job, waited) => 10 * job.ncpus + Math.floor(waited / 7),
  'walltime / 60 if ncpus > 2 else eligible_time': (job, waited) => (job.ncpus > 2 ? job.walltime / 60 : waited),
  ncpus: (job) => job.ncpus,
}

/** Cycles of OpenPBS's scheduler on one node without backfilling, second by second, with everything computed anew at every step. Returns when each job starts. */
export function sortedCycles(world: SortWorld): Record<string, number> {
  const { jobs, groups, usage, counts, decayTime, decayFactor, iteration, formula, threshold, keys } = world
  const group = (name: string, parent: Group | undefined, shares: number): Group => {
    const made = { name, parent, shares, children: [], use: 1, drafted: 1 }
    parent?.children.push(made)
    return made
  }
  const root = group('TREEROOT', undefined, 1)
  const all = [root, group('unknown', root, world.unknownShares)]
  const find = (name: string) => {
    const known = all.find((each) => each.name === name)
    if (known !== undefined) return known
    const made = group(name, all[1], 1)
    all.push(made)
    return made
  }
  for (const [name, parent, shares] of groups) all.push(group(name, parent === 'root' ? root : find(parent), shares))
  const path = (of: Group): Group[] => (of.parent === undefined ? [of] : [...path(of.parent), of])
  const ofGroup = (of: Group): number => {
    const sum = of.parent?.children.reduce((total, { shares }) => total + shares, 0) ?? 1
    return sum === 0 ? 0 : of.shares / sum
  }
  const perc = (of: Group): number => path(of).reduce((product, each) => product * ofGroup(each), 1)
  const factor = (of: Group): number => {
    const own = of.use / root.use
    return of.parent === root ? own : own + (factor(of.parent as Group) - own) * ofGroup(of)
  }
  for (const [name, use] of Object.entries(usage)) {
    const entity = find(name)
    for (const each of path(entity)) each.use += use
    entity.use = use
  }
  const comparePath = (a: Group, b: Group): number => {
    const [first, second] = [path(a), path(b)]
    for (let i = 0; i < Math.min(first.length, second.length); i++) {
      const [x, y] = [first[i] as Group, second[i] as Group]
      if (perc(x) <= 0 || perc(y) <= 0) return perc(x) <= 0 && perc(y) <= 0 ? 0 : perc(x) <= 0 ? 1 : -1
      const [left, right] = [x.drafted / perc(x), y.drafted / perc(y)]
      if (left !== right) return left < right ? -1 : 1
    }
    return first.length - second.length
  }
  const used = ({ ncpus }: SortedJob, seconds: number) => (counts === 'walltime' ? 1 : ncpus) * seconds
  const asked = ({ ncpus, walltime }: SortedJob) => (counts === 'cput' ? 0 : (counts === 'walltime' ? 1 : ncpus) * walltime)
  const six = (x: number) => Math.round(x * 1e6) / 1e6

  const starts: Record<string, number> = {}
  let waiting: SortedJob[] = []
  let running: SortedJob[] = []
  let lastRunning: { readonly job: SortedJob; readonly seconds: number }[] = []
  let [lastDecay, lastCycle] = [0, 0]
  const last = Math.max(...jobs.map(({ submit }) => submit))
  for (let now = 0; now <= last || waiting.length + running.length > 0; now++) {
    if (now > 20_000) break
    const ended = running.filter((job) => (starts[job.id] as number) + job.duration === now)
    const come = jobs.filter(({ submit }) => submit === now)
    if (ended.length + come.length === 0 && now !== lastCycle + iteration) continue
    lastCycle = now
    running = running.filter((job) => !ended.includes(job))
    waiting.push(...come)
    for (const { user } of come) find(user)
    if (world.fairShare)
      for (const { job, seconds } of lastRunning)
        if (running.includes(job)) for (const each of path(find(job.user))) each.use += used(job, now - (starts[job.id] as number)) - used(job, seconds)
    let time = now
    let decayed = false
    while (time - lastDecay > decayTime) {
      for (const each of all) each.use = Math.max(1, each.use * decayFactor)
      time -= decayTime
      decayed = true
    }
    if (decayed) lastDecay = now - ((now - lastDecay) % decayTime)
    for (const each of all) each.drafted = each.use
    const value = (job: SortedJob) => (formula === undefined ? 0 : (formulas[formula] as (typeof formulas)[string])(job, now - job.submit, six(perc(find(job.user))), six(factor(find(job.user)))))
    const shown = (job: SortedJob) => (formula === 'fairshare_factor' ? six(perc(find(job.user)) === 0 ? 0 : 2 ** -(factor(find(job.user)) / perc(find(job.user)))) : value(job))
    const values = new Map(waiting.map((job) => [job, shown(job)]))
    const amount = (job: SortedJob, key: 'ncpus' | 'walltime' | 'job_priority') => (key === 'job_priority' ? job.priority : job[key])
    const sort = () => waiting.sort((a, b) =>
      (values.get(b) as number) - (values.get(a) as number) || (world.fairShare ? comparePath(find(a.user), find(b.user)) : 0)
      || keys.reduce((sign, [key, direction]) => sign || (direction === 'HIGH' ? -1 : 1) * (amount(a, key) - amount(b, key)), 0) || jobs.indexOf(a) - jobs.indexOf(b))
    const cannotRun = new Set(waiting.filter((job) => threshold !== undefined && formula !== undefined && (values.get(job) as number) <= threshold))
    sort()
    for (let next = waiting.find((job) => !cannotRun.has(job)); next !== undefined; next = waiting.find((job) => !cannotRun.has(job))) {
      const job = next
      if (job.ncpus > world.ncpus - running.reduce((sum, { ncpus }) => sum + ncpus, 0)) {
        cannotRun.add(job)
        continue
      }
      starts[job.id] = now
      running.push(job)
      waiting = waiting.filter((each) => each !== job)
      if (world.fairShare) for (const each of path(find(job.user))) each.drafted += asked(job)
      sort()
    }
    lastRunning = world.fairShare ? running.map((job) => ({ job, seconds: now - (starts[job.id] as number) })) : []
  }
  return starts
}
