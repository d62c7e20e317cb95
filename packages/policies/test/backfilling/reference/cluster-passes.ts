import { hasRoom, type Cluster, type ClusterPass, type Piece, type TaskJob } from './cluster.js'

/** What a plan keeps free for somebody from `at` on. */
interface Entry {
  readonly at: number
  readonly seconds: number
  readonly size: readonly number[]
}
type Plan = readonly Entry[]

export const asEstimated = ({ estimate = Infinity }: TaskJob) => estimate
export const atLeastASecond = (job: TaskJob) => Math.max(1, asEstimated(job))

const roomAt = (cluster: Cluster, plan: Plan, t: number) =>
  cluster.freeAt(t).map((free, r) => plan.filter(({ at, seconds }) => at <= t && t < at + seconds).reduce((left, { size }) => left - (size[r] ?? 0), free))

/** When plans change after now, in order. */
function changesOf(cluster: Cluster, plan: Plan): number[] {
  const times = [...cluster.running.map(({ expected }) => expected), ...cluster.world.windows.flatMap(({ from, to }) => [from, to]), ...plan.flatMap(({ at, seconds }) => [at, at + seconds])]
  return times.filter((time) => time > cluster.now && time < Infinity).sort((a, b) => a - b)
}

/** Whether there is room for so many seconds from a time on. */
const fitsAt = (cluster: Cluster, plan: Plan, start: number, seconds: number, size: readonly number[], changes = changesOf(cluster, plan)) =>
  [start, ...changes.filter((time) => time > start && time < start + seconds)].every((time) => hasRoom(size, roomAt(cluster, plan, time)))

/** The earliest start; `Infinity`: there is none. */
function earliest(cluster: Cluster, plan: Plan, seconds: number, size: readonly number[]): number {
  const changes = changesOf(cluster, plan)
  return [cluster.now, ...changes].find((start) => fitsAt(cluster, plan, start, seconds, size, changes)) ?? Infinity
}

const isLeft = (cluster: Cluster, job: TaskJob) => cluster.waiting.includes(job)
const goesNow = (cluster: Cluster, plan: Plan, job: TaskJob) => hasRoom(cluster.asks(job), cluster.free()) && fitsAt(cluster, plan, cluster.now, asEstimated(job), cluster.asks(job))
const windowEnd = (cluster: Cluster) => Math.min(...cluster.world.windows.map(({ to }) => to).filter((to) => to > cluster.now))

/** The first starts while it may; returns the one that must wait, and the others. */
function startHeads(cluster: Cluster): TaskJob[] {
  for (let head = cluster.waiting[0]; head !== undefined && goesNow(cluster, [], head) && cluster.start(head); ) head = cluster.waiting[0]
  return cluster.waiting
}

export const strictOn: ClusterPass = (cluster) => {
  startHeads(cluster)
  return [windowEnd(cluster)]
}

/** EASY by its shadow time and what is extra then; a first job without a shadow time protects nobody. Of worlds without windows. */
export const easyOn: ClusterPass = (cluster) => {
  const [head, ...others] = startHeads(cluster)
  if (head === undefined) return []
  const size = cluster.asks(head)
  const ends = cluster.running.map(({ expected }) => expected).filter((end) => end > cluster.now && end < Infinity)
  const shadow = [cluster.now, ...ends.sort((a, b) => a - b)].find((t) => hasRoom(size, cluster.freeAt(t))) ?? Infinity
  let extra = cluster.freeAt(shadow).map((free, r) => free - (size[r] ?? 0))
  for (const job of others)
    while (isLeft(cluster, job) && hasRoom(cluster.asks(job), cluster.free())) {
      const isBefore = cluster.now + asEstimated(job) <= shadow
      if (!(isBefore || hasRoom(cluster.asks(job), extra)) || !cluster.start(job)) break
      if (!isBefore) extra = extra.map((amount, r) => amount - (cluster.asks(job)[r] ?? 0))
    }
  return []
}

/** Reservations for the first k waiting jobs, made anew; all others that can start at once beside them do. */
export const reservingOn =
  (k: number): ClusterPass =>
  (cluster) => {
    startHeads(cluster)
    const plan: Entry[] = []
    let made = 0
    for (const job of cluster.waiting) {
      while (isLeft(cluster, job) && goesNow(cluster, plan, job) && cluster.start(job));
      if (!isLeft(cluster, job) || made === k) continue
      made++
      const [size, seconds] = [cluster.asks(job), asEstimated(job) || 1]
      const at = earliest(cluster, plan, seconds, size)
      if (at < Infinity) plan.push({ at, seconds, size })
    }
    return [windowEnd(cluster)]
  }

/** A reservation for the next piece of every job, anew for all when a piece is outlived, a node comes or goes, or a start was missed; earlier ones when something ends early. */
export function conservativeOn(): ClusterPass {
  const reserved = new Map<TaskJob, Entry>()
  let expectations = new Map<Piece, number>()
  const place = (cluster: Cluster, job: TaskJob, latest = Infinity) => {
    reserved.delete(job)
    const [size, seconds] = [cluster.asks(job), atLeastASecond(job)]
    reserved.set(job, { at: Math.min(latest, earliest(cluster, [...reserved.values()], seconds, size)), seconds, size })
  }
  const at = (job: TaskJob) => reserved.get(job)?.at ?? NaN
  return (cluster) => {
    const { now } = cluster
    const isOutlived = cluster.running.some((piece) => piece.expected !== (expectations.get(piece) ?? piece.expected))
    if (isOutlived || cluster.isChanged || [...reserved.values()].some((entry) => entry.at < now)) reserved.clear()
    else if (cluster.gaveBack.some(({ expected }) => expected > now)) for (const job of cluster.waiting) if (at(job) > now) place(cluster, job, at(job))
    for (const job of cluster.waiting) if (!reserved.has(job)) place(cluster, job)
    for (const job of cluster.waiting)
      while (at(job) <= now && hasRoom(cluster.asks(job), cluster.free())) {
        const entry = reserved.get(job) as Entry
        reserved.delete(job)
        if (cluster.start(job)) {
          if (isLeft(cluster, job)) place(cluster, job)
          continue
        }
        reserved.set(job, entry) // the nodes have room in pieces only
        break
      }
    expectations = new Map(cluster.running.map((piece) => [piece, piece.expected]))
    return [Math.min(...cluster.waiting.map(at).filter((time) => time > now)), windowEnd(cluster)]
  }
}

/** As EASY, but others may delay the first job by less than the mean wait, counted from the first shadow time of its next piece. */
export function fattenedOn(): ClusterPass {
  const first = new Map<string, number>()
  return (cluster) => {
    const mean = cluster.waits.reduce((sum, wait) => sum + wait, 0) / Math.max(1, cluster.waits.length)
    const [head, ...others] = startHeads(cluster)
    if (head === undefined) return [windowEnd(cluster)]
    const shadowOf = (plan: Plan) => earliest(cluster, plan, asEstimated(head), cluster.asks(head))
    const piece = `${cluster.world.jobs.indexOf(head)}/${cluster.pieces.get(head) ?? 0}`
    let shadow = shadowOf([])
    if ((first.get(piece) ?? Infinity) === Infinity) first.set(piece, shadow)
    for (const job of others)
      while (isLeft(cluster, job) && goesNow(cluster, [], job)) {
        const after = shadowOf([{ at: cluster.now, seconds: asEstimated(job), size: cluster.asks(job) }])
        const delay = after - (first.get(piece) ?? NaN)
        if ((after > shadow && !(delay < mean)) || !cluster.start(job)) break
        shadow = after
      }
    return [windowEnd(cluster)]
  }
}

/** Options of `replan`, by their names. */
export interface ReplanChoice {
  readonly bf_resolution: number
  readonly bf_window: number
  readonly bf_job_part_count_reserve: number
  readonly bf_max_job_user: number
  readonly bf_interval: number
  readonly twoPass: boolean
}

export const wholeMinutes = (job: TaskJob) => 60 * Math.max(1, Math.ceil(asEstimated(job) / 60))

/** Whether windows leave the job too little for as long as it would run from now on, whatever else runs, though there are nodes enough. */
function isKeptOut(cluster: Cluster, job: TaskJob): boolean {
  const [asks, end] = [cluster.asks(job), cluster.now + wholeMinutes(job)]
  const begins = cluster.world.windows.map(({ from }) => from).filter((from) => from > cluster.now && from < end)
  return hasRoom(asks, cluster.idleAt(NaN)) && ![cluster.now, ...begins].every((t) => hasRoom(asks, cluster.idleAt(t)))
}

/** Slurm's: every pass plans the whole queue anew; with `twoPass` when its loop does, and at all events the first jobs start that may, up to one that windows do not keep out. */
export function replanOn(choice: ReplanChoice): ClusterPass {
  let [last, due, event] = [-Infinity, Infinity, -Infinity] // the last plan, the next one, and the last event
  let silent = 0 // plans that Slurm makes although nothing happens
  const made = (time: number, count: number) => void ([last, due, silent] = [time, Infinity, count])
  const change = (now: number) => {
    if (due < now) made(due, Number(event === due)) // nobody waited then
    if (due < Infinity) return
    for (; silent > 0 && last + choice.bf_interval < now; silent--) last += choice.bf_interval
    due = Math.max(now, last + choice.bf_interval)
  }
  return (cluster) => {
    const { now } = cluster
    if (!choice.twoPass) return [...planAll(cluster, choice).again, windowEnd(cluster)]
    for (const time of cluster.events) {
      change(time)
      event = time
    }
    change(now)
    const starts = cluster.log.length
    const mayStart = (job: TaskJob) => hasRoom(cluster.asks(job), cluster.free()) && fitsAt(cluster, [], now, wholeMinutes(job), cluster.asks(job))
    for (const job of [...cluster.waiting]) {
      while (isLeft(cluster, job) && mayStart(job) && cluster.start(job));
      if (isLeft(cluster, job) && !isKeptOut(cluster, job)) break
    }
    if (now < due) return [due, windowEnd(cluster)]
    const { again, recurs } = planAll(cluster, choice)
    made(now, recurs ? Infinity : Number(event === now || cluster.log.length > starts))
    return [...again, windowEnd(cluster)]
  }
}

/**
 * Returns when to plan `again`, where a limit kept jobs from being looked at and others have started; `recurs`: whether somebody is planned behind others, or while
 * processors are free.
 */
function planAll(cluster: Cluster, choice: ReplanChoice): { again: number[]; recurs: boolean } {
  const { now } = cluster
  const plan: Entry[] = []
  const [looks, reservations] = [new Map<string, number>(), new Map<string, number>()]
  const isUsed = (counts: Map<string, number>, key: string, most: number) => most > 0 && (counts.get(key) ?? 0) >= most
  const use = (counts: Map<string, number>, key: string) => counts.set(key, (counts.get(key) ?? 0) + 1)
  const [step, seconds] = [choice.bf_resolution, wholeMinutes]
  let [isCut, hasStarted, isBehind, isPlanned] = [false, false, false, false]
  for (const job of cluster.waiting) {
    if (isUsed(looks, job.user, choice.bf_max_job_user)) {
      isCut = true
      continue
    }
    use(looks, job.user)
    let start = now
    while (start === now && isLeft(cluster, job)) {
      start = earliest(cluster, plan, seconds(job), cluster.asks(job))
      if (start > now + 60 * choice.bf_window) start = Infinity
      if (start > now || cluster.start(job)) continue
      plan.push({ at: now, seconds: seconds(job), size: cluster.asks(job) }) // room in pieces only, kept free all the same
      start = Infinity
    }
    if (!isLeft(cluster, job)) hasStarted = true
    if (!isLeft(cluster, job) || start === Infinity || isUsed(reservations, job.queue, choice.bf_job_part_count_reserve)) continue
    use(reservations, job.queue)
    isPlanned = true
    isBehind ||= !cluster.running.some(({ expected }) => expected === start)
    const at = Math.floor(start / step) * step
    plan.push({ at, seconds: Math.ceil((start + seconds(job)) / step) * step - at, size: cluster.asks(job) })
  }
  const next = choice.twoPass ? now + choice.bf_interval : (Math.floor(now / choice.bf_interval) + 1) * choice.bf_interval
  return { again: isCut && hasStarted ? [next] : [], recurs: isBehind || (isPlanned && (cluster.free()[0] ?? 0) > 0) }
}
