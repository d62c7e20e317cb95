import { nodesByName, SchedError, suggest, type Env, type JobId, type JobSpec, type NodeId, type Round, type Seconds } from '@sched/core'
import * as z from '@sched/bundled/zod'
import { ByBeginning } from './by-beginning.js'
import { bitsFor, hasBit, setBit, type NodeBits } from './node-bits.js'
import { queuesIn } from './partitions.js'
import { secondsOf, shownTime } from './shown-time.js'

const time = z.union([z.number(), shownTime])
/** Names of users, accounts, QOS or queues; those after a minus are the ones that may not. */
const names = z.array(z.string().min(1)).default([])

/** Schema of reservations of named nodes, which have Slurm's meaning. */
export const reservationOptions = {
  reservations: z
    .array(
      z.strictObject({
        name: z.string().min(1).describe('what jobs call it (`reservation` of a job); entries of one name are one reservation at several times'),
        from: time.describe('when it begins: seconds, or a local time of the workload such as 2026-03-01T08:00:00'),
        to: time.describe('when it ends'),
        every: z.number().positive().optional().describe('seconds from one beginning to the next (HOURLY, DAILY, WEEKLY); default: it comes once'),
        nodes: z.union([z.literal('all'), z.array(z.string())]).describe('names of its nodes, or all'),
        users: names.describe('who may use it; default: anybody, after a minus who may not'),
        accounts: names.describe('accounts of the jobs that may use it; of all that is given each must fit'),
        qos: names.describe('QOS of the jobs that may use it (QOS); a job without one has "normal"'),
        queues: names.describe('queues of the jobs that may use it (AllowedPartitions), of a job of several any'),
        flex: z.boolean().default(false).describe('its jobs may also start before and after it, and on other nodes (FLEX)'),
        maint: z.boolean().default(false).describe('its jobs may run on nodes of other reservations (MAINT)'),
        overlap: z.boolean().default(false).describe('its jobs may run on those of its nodes that other reservations have, too, but not on nodes of one with `maint` (OVERLAP)'),
      }),
    )
    .default([])
    .describe('named nodes that are kept for some jobs for a time, or from all (scontrol create reservation)'),
}
type Reservation = z.output<typeof reservationOptions.reservations>[number]

/** A reservation with its times in seconds of the run and its nodes. */
interface Reserved extends Omit<Reservation, 'from' | 'to' | 'nodes'> {
  readonly from: Seconds
  readonly to: Seconds
  readonly nodes: NodeBits
}

/**
 * Reservations of named nodes. A job that names one runs on its nodes while it lasts, and may outlast it; any other job may not start on nodes of which a
 * reservation begins before the job would end.
 *
 * Source: Slurm, `job_test_resv` of slurmctld/reservation.c. Deviations: of a recurring reservation all times count (Slurm: the next one); a job that names
 * several may be on nodes of more than one of them.
 */
export class NodeReservations {
  /** Those that come once, and those that come again. */
  readonly #once: ByBeginning<Reserved>
  readonly #recurring: readonly Reserved[]
  readonly #all: readonly Reserved[]
  /** By what jobs ask for: the reservations that it names. */
  readonly #asked = new Map<string, readonly Reserved[]>()
  readonly #env: Env
  readonly #own: NodeBits
  readonly #weights: Float64Array

  /** Throws `BAD_OPTION` for nodes that are not there and for times that cannot be. */
  constructor(reservations: readonly Reservation[], env: Env) {
    this.#env = env
    this.#own = bitsFor(env.cluster.nodes)
    this.#weights = new Float64Array(env.cluster.nodes)
    const ids = nodesByName(env.cluster)
    this.#all = reservations.map((reservation, i) => reserved(reservation, i, env, ids))
    this.#once = new ByBeginning(this.#all.filter(({ every }) => every === undefined))
    this.#recurring = this.#all.filter(({ every }) => every !== undefined)
  }

  /**
   * Jobs that may not use each of the reservations which they name; one that nobody knows is warned of, and counts as not named.
   * Source: Slurm, `_get_resv_list` of slurmctld/reservation.c.
   */
  admits(spec: JobSpec): string | undefined {
    const { id, reservation = '', user = 'user', account = '', qos = '' } = spec
    if (reservation === '') return undefined
    const mine = this.#named(reservation)
    for (const name of reservation.split(','))
      if (!mine.some((each) => each.name === name)) this.#env.warn(`job ${id} names reservation "${name}", which is not among those of replan: ${mine.length === 0 ? 'such jobs run outside of all reservations' : 'it runs in the others that it names'}`)
    if (mine.every((each) => isFor(each, spec))) return undefined
    const who = `${user}${account === '' ? '' : ` of account ${account}`}${qos === '' ? '' : ` with QOS ${qos}`}`
    return `${who} may not use reservation ${reservation}${mine.some(({ queues }) => queues.length > 0) ? ` in ${queuesOf(spec).join()}` : ''} (ReservationAccess)`
  }

  /** Whether the job names a reservation. */
  has(job: JobId): boolean {
    const asked = this.#env.work.reservation(job)
    return asked !== '' && this.#named(asked).length > 0
  }

  /** Puts jobs that name a reservation before all others. Source: Slurm, `sort_job_queue2` of slurmctld/job_scheduler.c. */
  putFirst(queue: JobId[]): void {
    const others = queue.filter((job) => !this.has(job))
    if (others.length < queue.length) queue.splice(0, Infinity, ...queue.filter((job) => this.has(job)), ...others)
  }

  /** Whether the job has to wait for a reservation, or has come after it. */
  isClosed(job: JobId, now: Seconds): boolean {
    return this.has(job) && !this.#named(this.#env.work.reservation(job)).some((mine) => mine.flex || occurrence(mine, now).from <= now)
  }

  /**
   * Removes from `usable` the nodes on which the job may not start at `from`, if it is to run for `length` seconds. Returns the first time after `from` at
   * which there may be others, `Infinity` if there is none.
   */
  limit(usable: NodeBits, job: JobId, from: Seconds, length: Seconds): Seconds {
    const mine = this.#named(this.#env.work.reservation(job))
    const sharing = mine.length === 0 ? NONE : mine.filter(({ overlap }) => overlap) // what is theirs they may use whoever else has it
    let later = mine.length === 0 ? Infinity : this.#keepTo(mine, usable, from)
    const keepOff = (other: Reserved, end = other.to): void => {
      if (mine.some((own) => own.name === other.name || own.maint)) return
      let isAny = false
      for (let w = 0; w < usable.length; w++) {
        let closed = other.nodes[w] as number
        if (!other.maint) for (const { nodes } of sharing) closed &= ~(nodes[w] as number)
        if (closed !== 0) isAny = true
        usable[w] = (usable[w] as number) & ~closed
      }
      if (isAny) later = Math.min(later, end)
    }
    this.#once.eachIn(from, from + length, keepOff)
    for (const other of this.#recurring) {
      const { from: begin, to: end } = occurrence(other, from)
      if (begin < from + length) keepOff(other, end)
    }
    return later
  }

  /** When the first reservation that keeps a job off one of the nodes begins after a time; `Infinity`: none does. */
  firstAfter(nodes: readonly NodeId[], job: JobId, time: Seconds): Seconds {
    const mine = this.#named(this.#env.work.reservation(job))
    let first = Infinity
    for (const other of this.#all) {
      const { from } = other.every === undefined || time < other.from ? other : occurrence(other, time)
      if (from <= time || from >= first || mine.some((own) => own.name === other.name || own.maint)) continue
      const shared = other.maint ? NONE : mine.filter(({ overlap }) => overlap)
      if (nodes.some((node) => hasBit(other.nodes, node) && !shared.some((own) => hasBit(own.nodes, node)))) first = from
    }
    return first
  }

  /**
   * Weights of nodes for a job: with FLEX those of its reservation come before others of the same weight.
   * `weights`: those of all jobs, absent where they are equal.
   */
  weightsFor(job: JobId, weights: Float64Array | undefined): Float64Array | undefined {
    const mine = this.#named(this.#env.work.reservation(job)).filter(({ flex }) => flex)
    if (mine.length === 0) return weights
    return this.#weights.map((_, node) => 2 * (weights?.[node] ?? 1) + (mine.some((each) => hasBit(each.nodes, node)) ? 0 : 1))
  }

  /** Asks for a round when the next reservation begins or ends: nothing else need happen then. */
  wake(round: Round): void {
    const { now } = round
    let next = this.#once.nextChange(now)
    for (const each of this.#recurring) {
      const { from, to } = occurrence(each, now)
      next = Math.min(next, from > now ? from : to)
    }
    if (next < Infinity) round.wakeAt(next)
  }

  /** Leaves the nodes that a job's own reservations have at `from`. Returns when the next of them begins. */
  #keepTo(mine: readonly Reserved[], usable: NodeBits, from: Seconds): Seconds {
    if (mine.some(({ flex }) => flex)) return Infinity
    const own = this.#own.fill(0)
    let later = Infinity
    for (const each of mine) {
      const { from: begin } = occurrence(each, from)
      if (begin > from) later = Math.min(later, begin)
      else for (let w = 0; w < own.length; w++) own[w] = (own[w] as number) | (each.nodes[w] as number)
    }
    for (let w = 0; w < own.length; w++) usable[w] = (usable[w] as number) & (own[w] as number)
    return later
  }

  #named(asked: string): readonly Reserved[] {
    if (asked === '') return NONE
    let mine = this.#asked.get(asked)
    if (mine === undefined) {
      const wanted = asked.split(',')
      this.#asked.set(asked, (mine = this.#all.filter(({ name }) => wanted.includes(name))))
    }
    return mine
  }
}

const NONE: readonly Reserved[] = []
const NEVER = { from: Infinity, to: Infinity }

/** The first time span of a reservation that ends after `now`. */
function occurrence({ from, to, every }: Reserved, now: Seconds): { readonly from: Seconds; readonly to: Seconds } {
  if (now < to) return { from, to }
  if (every === undefined) return NEVER
  const shift = (Math.floor((now - to) / every) + 1) * every
  return { from: from + shift, to: to + shift }
}

/** Whether all that a reservation says of who may use it fits a job. Source: Slurm, scontrol(1), "access control fields". */
function isFor({ users, accounts, qos, queues }: Reserved, job: JobSpec): boolean {
  const own = job.qos ?? ''
  return isAmong(users, job.user ?? 'user') && isAmong(accounts, job.account ?? '') && isAmong(qos, own === '' ? 'normal' : own) && queuesOf(job).some((queue) => isAmong(queues, queue))
}

/** The queues in any of which a job may start. */
function queuesOf({ queue, user, stages }: JobSpec): readonly string[] {
  const several = queuesIn(stages[0]?.constraints?.alike) ?? []
  return several.length > 0 ? several : [queue ?? user ?? 'default']
}

function isAmong(list: readonly string[], name: string): boolean {
  if (list.includes(`-${name}`)) return false
  const allowed = list.filter((each) => !each.startsWith('-'))
  return allowed.length === 0 || allowed.includes(name)
}

function reserved({ from: begin, to: end, nodes, ...rest }: Reservation, index: number, env: Env, ids: ReadonlyMap<string, NodeId>): Reserved {
  const field = `replan.reservations[${index}]`
  const [from, to] = [secondsOf(begin, `${field}.from`, env), secondsOf(end, `${field}.to`, env)]
  if (!(to > from)) throw new SchedError('BAD_OPTION', `reservation ${rest.name} ends at ${end} and begins at ${begin}.`, { field: `${field}.to` }, 'Let it end after its beginning.')
  if (rest.every !== undefined && rest.every < to - from) throw new SchedError('BAD_OPTION', `reservation ${rest.name} lasts ${to - from} s and comes every ${rest.every} s.`, { field: `${field}.every` }, 'Let it end before it comes again.')
  return { ...rest, from, to, nodes: bitsOf(nodes, `${field}.nodes`, env, ids) }
}

function bitsOf(nodes: Reservation['nodes'], field: string, { cluster }: Env, ids: ReadonlyMap<string, NodeId>): NodeBits {
  const bits = bitsFor(cluster.nodes)
  for (const name of nodes === 'all' ? ids.keys() : nodes) {
    const node = ids.get(name)
    if (node === undefined) throw new SchedError('BAD_OPTION', `the cluster has no node "${name}".`, { field }, suggest(name, [...ids.keys()]))
    setBit(bits, node)
  }
  return bits
}
