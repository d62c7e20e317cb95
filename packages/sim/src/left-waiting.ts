import type { CellState, Work } from '@sched/cluster'
import { Reason, SchedError, type Architecture, type JobId, type LaneId, type NodeId, type Seconds } from '@sched/core'
import type { SimulationOptions } from './options.js'
import type { Outages } from './outages.js'
import type { Schedulers } from './schedulers.js'
import { jobsWithoutRoom, waitingReasons, type Told } from './waiting-reasons.js'

/** Most jobs to name in a message. */
const NAMED = 5

const PLACED_OTHERWISE = 'List stages first of which the tasks are hardest to place, use another placement, or larger nodes.'
const MORE_ROOM = 'Let fewer masters run at once (maximumAmResourcePercent of capacity-scheduler, maxAMShare of yarn-fair, limits of running jobs), or give the cluster more room.'

/** A run in which jobs wait although nothing more will happen. */
export interface LeftRun {
  readonly options: Pick<SimulationOptions, 'policy' | 'infeasible' | 'warn'>
  readonly schedulers: Pick<Schedulers, 'all' | 'drafts'>
  readonly architecture: Pick<Architecture, 'stuck'>
  readonly cell: CellState
  readonly work: Work
  /** Jobs whose master started again and again without any other task of the job starting. */
  readonly inVain: readonly JobId[]
  /** Number of prefilled tasks that never end. */
  readonly prefilled: number
  /** Absent where all nodes are always up. */
  readonly outages: Pick<Outages, 'away' | 'areEndless'> | undefined
  /** Number of nodes that the autoscaler has not asked for. */
  readonly off: number
  /** Number of jobs that are not submitted, since they wait for others. */
  readonly held: number
  readonly now: Seconds
}

/**
 * Decides whether the run may end while jobs wait. If nodes are down, if limits forbid the jobs, or if they can never start and such jobs may be left
 * out, it warns the user. Otherwise it throws `INFEASIBLE`, or `BROKEN_CONTRACT` if no policy says why they wait.
 */
export function leaveWaiting(run: LeftRun): void {
  const { options, work, inVain, now } = run
  const { away = 0, areEndless = false } = run.outages ?? {}
  if (away > 0 && areEndless) return
  const warn = (fact: string) => options.warn?.(fact + neverSubmitted(run))
  if (away > 0 && inVain.length === 0) return warn(waitingForNodes(run, away))
  const { name } = options.policy
  const why = blockedByMasters(run) ?? startedInVain(run) ?? blockedByOthers(run) ?? causeOf(run)
  if (why === undefined) throw forgotten(name, work.active, now)
  if (typeof why === 'string') warn(why)
  else if (options.infeasible === 'reject') warn(why.fact)
  else throw new SchedError(why.code, why.fact, why.place, `${why.wayOut} Or let the run end without them with \`infeasible: reject\`.`)
}

/**
 * Whether waiting jobs are blocked: by tasks that still run long after the last known end, and so run as long as the jobs wait; or by the
 * architecture.
 */
export const isBlocked = (work: Work, architecture: LeftRun['architecture']): boolean =>
  work.jobs().some((job) => work.startedOf(job)[Symbol.iterator]().next().done !== true) || architecture.stuck?.() !== undefined

/**
 * The warning for jobs that have waited through many outages, some of which still last: each node was up at some time, but perhaps never all at once.
 */
const waitingForNodes = ({ work, prefilled, now }: Pick<LeftRun, 'work' | 'prefilled' | 'now'>, away: number): string =>
  `at ${now} s ${named(work.jobs(), work)} wait${work.active === 1 ? 's' : ''} although nothing runs${butNoJob({ prefilled })}, with ${away} node${away === 1 ? '' : 's'} away that come${away === 1 ? 's' : ''} back.`

function blockedByMasters(run: LeftRun): SchedError | undefined {
  const masters = [...run.work.masters.values()].filter((state) => state === 'up').length
  return masters === 0 ? undefined : blocked(run, masters, running(run) - masters)
}

/** The error if all running tasks wait to fetch from tasks that cannot start. */
function blockedByOthers(run: LeftRun): SchedError | undefined {
  const tasks = running(run)
  return tasks === 0 ? undefined : blocked(run, 0, tasks)
}

const running = ({ work }: LeftRun): number => work.jobs().flatMap((job) => [...work.startedOf(job)]).length

function startedInVain({ work, inVain, now }: LeftRun): SchedError | undefined {
  if (inVain.length === 0) return undefined
  const whose = inVain.length === 1 ? 'its master' : 'their masters'
  const fact = `at ${now} s ${named(inVain, work)} wait${inVain.length === 1 ? 's' : ''} although ${whose} came up again and again: nothing else found room before ${whose} went.`
  return new SchedError('INFEASIBLE', fact, {}, MORE_ROOM)
}

/**
 * Why all these jobs wait: a text, if limits forbid them; an error, if the architecture lets none start, or if a policy finds no place for them in an
 * idle cluster; `undefined` if nobody says why.
 */
function causeOf(run: LeftRun): SchedError | string | undefined {
  const { options, schedulers, architecture, cell, work, now } = run
  const policy = options.policy.name
  const told = [...waitingReasons(schedulers, cell, work, now)]
  const of = (...reasons: readonly Reason[]) => told.filter(([, { reason }]) => reasons.includes(reason))
  const [limited, unfit, kept] = [of(Reason.Limit), of(Reason.NoRoom), of(Reason.Locality, Reason.Rule, Reason.Reservation)]
  if (limited.length > 0 && unfit.length === 0) return forbidden(limited, policy, work)
  if (isPrefilled(run)) return besidePrefill(run)
  const why = architecture.stuck?.()
  if (why !== undefined)
    return new SchedError(
      'INFEASIBLE',
      `at ${now} s ${wait(work.active)} although nothing runs${butNoJob(run)}: ${why}`,
      {},
      'Let them be given up, or end the run before (until).',
    )
  const gangs = work.jobs().filter((job) => work.isGangJob(job))
  if (gangs.length > 0) return inPart(gangs, run)
  if (unfit.length > 0) return unfitting(jobsOf(unfit), run)
  if (kept.length === 0) {
    const unseen = jobsWithoutRoom(schedulers.drafts, cell, work)
    return unseen.length > 0 ? unfitting(unseen, run) : undefined
  }
  return new SchedError(
    'INFEASIBLE',
    `at ${now} s policy "${policy}" keeps ${named(jobsOf(kept), work)} waiting for reservations${work.areRules ? ', tasks of others' : ''} or nearer nodes although nothing runs.`,
    {},
    work.areRules ? 'Change the reservations, or the placement rules of jobs.' : 'Change the reservations.',
  )
}

/** The error for jobs that have no room on the nodes that their policy may use. */
function unfitting(jobs: readonly JobId[], run: LeftRun): SchedError {
  const { off, prefilled, options, work, now } = run
  return new SchedError(
    'INFEASIBLE',
    `at ${now} s policy "${options.policy.name}" finds no room for ${named(jobs, work)} although nothing runs${butNoJob(run)}${notAskedFor(run)}.`,
    {},
    `${off > 0 ? 'Let the autoscaler have more nodes (maxNodesTotal, resourcesTotal), let it count such jobs (expendablePodsPriorityCutoff), or change' : 'Change'} the labels, queues or partitions that keep such jobs from nodes${prefilled > 0 ? ', or prefill less' : ''}.`,
  )
}

/** Whether prefilled tasks that never end hold so much that no waiting task which starts by itself has room. */
function isPrefilled({ prefilled, cell, work }: LeftRun): boolean {
  if (prefilled === 0) return false
  const nodes = Array.from({ length: cell.nodes }, (_, node) => node as NodeId)
  const fits = (job: JobId, lane: LaneId) => work.together(job, lane) === 1 && nodes.some((node) => cell.fits(work.shape(job, lane), node))
  return !work.jobs().some((job) => cell.lanes.some((_, lane) => fits(job, lane as LaneId)))
}

function besidePrefill({ prefilled, work, now }: LeftRun): SchedError {
  const fact = `at ${now} s ${named(work.jobs(), work)} wait${work.active === 1 ? 's' : ''}, and all that runs is ${ofNoJob(prefilled)}, which never end${prefilled === 1 ? 's' : ''}.`
  return new SchedError('INFEASIBLE', fact, {}, 'Let what the cluster is prefilled with end (`remaining` of `prefill`), prefill less, or give the cluster more room.')
}

/**
 * The error for jobs that are one gang and find no nodes, although they ask for no more than there is: their tasks are placed one by one, or several
 * schedulers each have only a part of the cluster.
 */
function inPart(gangs: readonly JobId[], { schedulers, work, now }: LeftRun): SchedError {
  const waiting = `at ${now} s ${named(gangs, work)} wait${gangs.length === 1 ? 's' : ''} although nothing runs:`
  if (schedulers.all.length > 1) {
    const fact = `${waiting} not all that starts together found room in what its scheduler has at once beside ${schedulers.all.length - 1} other${schedulers.all.length === 2 ? '' : 's'}.`
    return new SchedError('INFEASIBLE', fact, {}, `Let fewer schedulers share the nodes, or make offers and decisions shorter. ${PLACED_OTHERWISE}`)
  }
  const fact = `${waiting} placed task by task in the order of the stages, which start together, not all find room.`
  return new SchedError('INFEASIBLE', fact, {}, PLACED_OTHERWISE)
}

/** A message with the limits, how many jobs each forbids, and which jobs these are. */
function forbidden(limited: readonly (readonly [JobId, Told])[], policy: string, work: Work): string {
  const counts = new Map<string, number>()
  for (const [, { limit = `limits of ${policy}` }] of limited) counts.set(limit, (counts.get(limit) ?? 0) + 1)
  const one = limited.length === 1
  return `${limited.length} job${one ? '' : 's'} can never start, since limits forbid ${one ? 'it' : 'them'}: ${[...counts].map(([limit, jobs]) => `${limit} (${jobs})`).join(', ')}. Raise the limit${counts.size === 1 ? '' : 's'}, or change what ${named(jobsOf(limited), work)} ask${one ? 's' : ''} for.`
}

const jobsOf = (told: readonly (readonly [JobId, Told])[]) => told.map(([job]) => job)

function named(jobs: readonly JobId[], work: Work): string {
  const others = jobs.length > NAMED ? ` and ${jobs.length - NAMED} more` : ''
  return `job${jobs.length === 1 ? '' : 's'} ${jobs.slice(0, NAMED).map((job) => work.name(job)).join(', ')}${others}`
}

/**
 * The error for masters that hold so much that no other task of their jobs can run. `others` counts running tasks, besides masters or without any,
 * that wait for tasks which cannot start.
 */
function blocked({ work, now }: LeftRun, masters: number, others: number): SchedError {
  const masterly = masters === 0 ? [] : [`${masters === 1 ? 'a master' : `${masters} masters`}, which end${masters === 1 ? 's' : ''} with the last task of the job`]
  const waiting = others === 0 ? [] : [`${others} task${others === 1 ? ' that waits' : 's that wait'} for others`]
  const wayOut = masters === 0 ? 'Let stages that fetch start later (a larger fraction in `after`), or give the cluster more room.' : MORE_ROOM
  return new SchedError('INFEASIBLE', `at ${now} s ${wait(work.active)}, and all that runs is ${[...masterly, ...waiting].join(', and ')}.`, {}, wayOut)
}

/** That jobs which wait for others were never submitted, so that no figure counts them. */
const neverSubmitted = ({ held }: LeftRun): string =>
  held === 0 ? '' : ` ${held} job${held === 1 ? '' : 's'} that wait${held === 1 ? 's' : ''} for others ${held === 1 ? 'was' : 'were'} never submitted.`

/** The error for a policy that has forgotten pending jobs. */
const forgotten = (policy: string, unplaced: number, now: Seconds): SchedError =>
  new SchedError(
    'BROKEN_CONTRACT',
    `at ${now} s policy "${policy}" leaves ${unplaced} job${unplaced === 1 ? '' : 's'} unplaced although nothing runs.`,
    {},
    'A policy must place pending work when the cluster is idle, tell why it does not (defer), or ask for a round with wakeAt.',
  )

const butNoJob = ({ prefilled }: Pick<LeftRun, 'prefilled'>): string => (prefilled > 0 ? ` but ${ofNoJob(prefilled)}` : '')
const ofNoJob = (tasks: number): string => `${tasks} task${tasks === 1 ? '' : 's'} of no job`

const wait = (jobs: number): string => (jobs === 1 ? '1 job waits' : `${jobs} jobs wait`)

const notAskedFor = ({ off }: Pick<LeftRun, 'off'>): string => (off > 0 ? `, with ${off} node${off === 1 ? '' : 's'} that the autoscaler has not asked for` : '')
