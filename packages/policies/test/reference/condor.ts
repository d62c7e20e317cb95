import { portableExp2, type JobId, type NodeId, type Plug, type ResourceId, type Round, type Seconds, type TaskId } from '@sched/core'
import type { NegotiatorOptions } from '@sched/policies'
import { claimedSlots, inOrder, rankOf, type Held, type Slot } from './condor-slots.js'
import { by, JobsInSystem, launch, naivePolicy } from './naive.js'

interface User {
  readonly name: string
  real: number
  used: number
}

/** The nodes that are offered in a cycle, and the tasks that ran when it began. */
interface OnOffer {
  readonly offered: Set<NodeId>
  readonly held: readonly Held[]
}

/** The group of a user by its name: the innermost that is known, '' without one. */
function homeOf(name: string, { GROUP_NAMES = [] }: NegotiatorOptions): string {
  let group = name
  do group = group.split('.').slice(0, -1).join('.')
  while (group !== '' && !GROUP_NAMES.includes(group))
  return group
}

/** A table of numbers by group. */
type Table = Map<string, number>

interface Pool {
  readonly users: readonly User[]
  readonly asking: readonly User[]
  readonly total: number
  demand(user: User): number
}

/** Groups one after the other, up to three times: all in tables by name, the root is ''. */
function byGroups(options: NegotiatorOptions, { users, asking, total, demand }: Pool, negotiate: (members: readonly User[], group?: { members: readonly User[]; quota: number }) => void): void {
  const names = ['', ...[...(options.GROUP_NAMES ?? [])].sort(by((name) => name.split('.').length, (name) => name))]
  const above = (name: string) => name.split('.').slice(0, -1).join('.')
  const inside = (name: string) => names.filter((other) => other !== '' && above(other) === name)
  const members = (name: string, of = users) => of.filter((user) => homeOf(user.name, options) === name)
  const usage = (name: string): number => members(name).reduce((sum, { used }) => sum + used, 0)
  const usageInside = (name: string): number => usage(name) + inside(name).reduce((sum, each) => sum + usageInside(each), 0)
  const accepts = (name: string) => name === '' || (typeof options.GROUP_ACCEPT_SURPLUS === 'object' ? options.GROUP_ACCEPT_SURPLUS[name] === true : options.GROUP_ACCEPT_SURPLUS === true)
  const fixed = (name: string) => options.GROUP_QUOTA?.[name]
  const read = (table: Table, name: string) => table.get(name) ?? 0

  const subtree: Table = new Map([['', total]])
  const quota: Table = new Map()
  for (const name of names) {
    const given = read(subtree, name)
    const fixedSum = inside(name).reduce((sum, each) => sum + (fixed(each) ?? 0), 0)
    const partSum = inside(name).reduce((sum, each) => sum + (fixed(each) === undefined ? (options.GROUP_QUOTA_DYNAMIC?.[each] ?? 0) : 0), 0)
    const scale = fixedSum > given ? given / fixedSum : 1
    for (const each of inside(name)) {
      const asked = fixed(each)
      subtree.set(each, asked !== undefined ? asked * scale : ((options.GROUP_QUOTA_DYNAMIC?.[each] ?? 0) / Math.max(1, partSum)) * Math.max(0, given - Math.min(fixedSum, given)))
    }
    quota.set(name, Math.max(0, given - inside(name).reduce((sum, each) => sum + read(subtree, each), 0)))
  }
  const wants: Table = new Map(names.map((name) => [name, members(name, asking).reduce((sum, user) => sum + demand(user), 0)]))
  const had: Table = new Map(names.map((name) => [name, usage(name)]))
  for (let round = 0; round < 3; round++) {
    const gets: Table = new Map(names.map((name) => [name, Math.min(read(wants, name), read(quota, name))]))
    for (const name of names) wants.set(name, read(wants, name) - read(gets, name))
    const wantsInside = (name: string): number => read(wants, name) + inside(name).filter(accepts).reduce((sum, each) => sum + wantsInside(each), 0)
    /** Gives surplus to a group and those inside of it, and returns the rest. */
    const give = (name: string, surplus: number): number => {
      const takers = [...inside(name).filter(accepts).map((each) => ({ name: each, own: false, weight: read(subtree, each), lacks: wantsInside(each), part: 0 })), { name, own: true, weight: read(quota, name), lacks: read(wants, name), part: 0 }]
      let rest = surplus
      for (const weigh of [(taker: { weight: number }) => taker.weight, () => 1])
        for (;;) {
          const open = takers.filter(({ lacks }) => lacks > 0)
          const all = open.reduce((sum, taker) => sum + weigh(taker), 0)
          if (rest <= 0 || all <= 0) break
          const ready = rest
          for (const taker of open) {
            const part = Math.min(taker.lacks, (ready * weigh(taker)) / all)
            taker.part += part
            taker.lacks -= part
            if (taker.lacks < 1e-9) taker.lacks = 0
            rest -= part
          }
          if (rest < 1e-9) rest = 0
        }
      for (const taker of takers) {
        if (taker.own) {
          gets.set(name, read(gets, name) + taker.part)
          wants.set(name, read(wants, name) - taker.part)
        } else if (taker.part > 0) give(taker.name, taker.part)
      }
      return rest
    }
    /** From the inside outwards: what a group and those inside of it leave. */
    const left = (name: string): number => {
      const surplus = read(quota, name) - read(gets, name) + inside(name).reduce((sum, each) => sum + left(each), 0)
      return inside(name).length > 0 && surplus > 0 ? give(name, surplus) : surplus
    }
    left('')
    const opens = options.GROUP_AUTOREGROUP === true
    if (opens) {
      quota.set('', total)
      gets.set('', total)
    }
    const planned = [...gets.values()].reduce((sum, each) => sum + each, 0)
    const order = [...names].sort(by((name) => (name === '' ? Infinity : read(quota, name) > 0 ? usage(name) / read(quota, name) : 3.3e38), (name) => names.indexOf(name)))
    for (const name of order) {
      const list = opens && name === '' ? asking : members(name, asking)
      if (read(gets, name) <= 1e-6 || list.length === 0) continue
      if (options.NEGOTIATOR_CONSIDER_PREEMPTION === false && read(had, name) > read(gets, name) - 1e-6) continue
      let more = Math.max(read(gets, name), read(quota, name)) - read(had, name)
      for (let each: string | undefined = name; each !== undefined; each = each === '' ? undefined : above(each))
        if (!accepts(each)) more = Math.min(more, Math.max(0, (fixed(each) ?? read(subtree, each)) - usageInside(each)))
      if (opens && name === '') negotiate(list)
      else negotiate(list, { members: members(name), quota: Math.trunc(more + read(had, name) + 1e-6) })
    }
    let reached = 0
    for (const name of names) {
      had.set(name, usage(name))
      reached += Math.min(read(had, name), read(gets, name))
      wants.set(name, read(had, name) < read(gets, name) - 1e-6 ? read(had, name) : read(wants, name) + read(gets, name))
    }
    if (reached > planned - 1e-6) return
  }
}

/** The negotiator job by job, for jobs without gangs on a pool of one lane without heartbeats, where the first resource counts. */
export const naiveNegotiator = (options: NegotiatorOptions): Plug<'policy'> =>
  naivePolicy((env) => {
    const { work, cluster } = env
    const { NEGOTIATOR_INTERVAL: interval = 60, NEGOTIATOR_CYCLE_DELAY: delay = 20, PRIORITY_HALFLIFE: half = 86_400, DEFAULT_PRIO_FACTOR: factor = 1000, CLAIM_WORKLIFE: worklife = 1200 } = options
    const period = Math.max(interval, delay)
    const cpu = 0 as ResourceId
    const jobs = new JobsInSystem()
    const users = new Map<string, User>()
    const began = new Map<TaskId, Seconds>()
    let ended: { user: string; node: NodeId; began: Seconds; asks: string; limits: string }[] = []
    let restarting: Seconds | undefined
    let last = 0
    let next = 0

    const userOf = (job: JobId) => [work.account(job), work.userName(work.user(job))].filter((part) => part !== '').join('.')
    const tasksOf = (job: JobId, { lane }: Round) => { const out: TaskId[] = []; work.runningTasks(job, lane, out); return out }
    const weightOf = (task: TaskId) => work.demand(work.shapeOf(task), cpu)
    const asks = (shape: ReturnType<typeof work.shape>) => cluster.resources.map((_, r) => work.demand(shape, r as ResourceId)).join()
    const holds = (name: string) => [...began.keys()].filter((task) => userOf(work.jobOf(task)) === name).reduce((sum, task) => sum + weightOf(task), 0)
    const account = (now: Seconds) => {
      const a = portableExp2(-(now - last) / half)
      for (const user of users.values()) {
        user.real = Math.max(0.5, user.real * a + user.used * (1 - a))
        user.used = holds(user.name)
      }
      last = now
    }
    const tick = () => {
      const now = env.now()
      if (next >= now) return
      account(next)
      let latest = next
      while (latest + period < now) latest += period
      if (latest > next) account(latest)
      next = latest + period
    }
    const priority = ({ name, real }: User) => real * (options.PriorityFactor?.[name] ?? factor)
    const limitsOf = (job: JobId) => Object.entries(work.licenses(job)).map(([name, count]) => `${name}:${count}`).sort().join()
    const sameLimits = (job: JobId, limits: string) => limitsOf(job) === limits
    /** Whether a concurrency limit keeps a job that does not run from starting. */
    const isLimited = (job: JobId) => {
      const running = new Set([...began.keys()].map((task) => work.jobOf(task)))
      const inUse = (name: string) => sum([...running].map((each) => work.licenses(each)[name] ?? 0))
      return !running.has(job) && Object.entries(work.licenses(job)).some(([name, count]) => inUse(name) + count > (options.CONCURRENCY_LIMIT?.[name] ?? Infinity))
    }
    const waitingOf = (user: User, round: Round) => jobs.runnable(round).filter((job) => userOf(job) === user.name).sort(by((job) => -work.priority(job), (job) => work.rank(job)))
    const nodes = () => Array.from({ length: cluster.nodes }, (_, node) => node as NodeId).filter((node) => cluster.up(node))
    const sum = (values: readonly number[]) => values.reduce((all, value) => all + value, 0)

    const useAgain = (round: Round) => {
      for (const claim of ended) {
        if (worklife >= 0 && round.now - claim.began > worklife) continue
        const job = waitingOf(users.get(claim.user) as User, round).find((each) => asks(work.shape(each, round.lane)) === claim.asks && sameLimits(each, claim.limits) && !isLimited(each) && round.fits(each, claim.node))
        restarting = claim.began
        if (job !== undefined) launch(job, claim.node, cluster.levels, round)
        restarting = undefined
      }
      ended = []
    }

    /** Matches jobs of a user until it has had its turn; whether it asks for more. In the first spin nodes may prefer its jobs beyond its limit. */
    const negotiate = (user: User, limit: number, most: number, { offered, held }: OnOffer, round: Round, isFirst: boolean): { matched: number; more: boolean } => {
      let matched = 0
      let ofFree = 0
      let limited = false
      let left = waitingOf(user, round)
      const permits = (used: number, price: number, allowed: number) => used + price <= allowed || (used <= 0 && allowed > 0)
      for (;;) {
        const isOver = matched >= limit
        const job = left[0]
        if ((isOver && !isFirst) || job === undefined) return { matched, more: isOver || limited }
        left = left.slice(1)
        if (isLimited(job)) continue
        const asked = work.demand(work.shape(job, round.lane), cpu)
        const idle = isOver ? [] : [...offered].filter((node) => round.fits(job, node)).map((node): Slot =>
          ({ node, victims: [], state: 2, amounts: cluster.resources.map((_, r) => cluster.free(node, r as ResourceId)), rank: rankOf(options, env, node, user.name), preemptionRank: 0 }))
        const asking = { name: user.name, job, priority: (name: string) => priority(users.get(name) as User), group: (name: string) => homeOf(name, options) }
        const claimed = claimedSlots(options, env, held.filter(({ task }) => began.has(task)), (node) => !offered.has(node), asking, round).filter(({ state }) => !isOver || state === 1)
        const costOf = ({ amounts, victims }: Slot) => (options.CONSUMPTION_POLICY === true && (victims.length === 0 || options.ALLOW_PSLOT_PREEMPTION === true) ? asked : (amounts[0] as number))
        const allowed = [...idle, ...claimed].filter((slot) => slot.state === 1 || (slot.state === 2 ? permits(ofFree, costOf(slot), most) : permits(matched, costOf(slot), limit)))
        const found = inOrder(allowed, options, env).find(({ node, victims }) => {
          const before = round.savepoint()
          for (const { task } of victims) round.evict(task)
          if (launch(job, node, cluster.levels, round) !== undefined) return true
          round.rollback(before)
          return false
        })
        if (found === undefined) {
          if (allowed.length < idle.length + claimed.length) limited = true
          continue
        }
        const { node, victims, state } = found
        const isWhole = victims.length === 0 || options.ALLOW_PSLOT_PREEMPTION === true
        if (isWhole && options.CONSUMPTION_POLICY !== true) {
          offered.delete(node)
          if (options.CLAIM_PARTITIONABLE_LEFTOVERS !== false) while (waitingOf(user, round).some((each) => !isLimited(each) && launch(each, node, cluster.levels, round) !== undefined));
        }
        if (!isWhole) for (const each of victims) (users.get(each.user) as User).used -= costOf(found)
        matched += costOf(found)
        if (state === 2) ofFree += costOf(found)
        user.used += costOf(found)
        left = [job, ...left].filter((each) => work.unplaced(each, round.lane) > 0)
      }
    }

    const total = () => sum(nodes().map((node) => cluster.total(node, cpu)))
    const considers = options.NEGOTIATOR_CONSIDER_PREEMPTION !== false

    /** One pie: users get slices of the pool, or of the quota of a group. */
    const spinPie = (some: readonly User[], offered: OnOffer, idle: ReadonlySet<User>, round: Round, group?: { members: readonly User[]; quota: number }) => {
      const usage = () => sum((group?.members ?? []).map(({ used }) => used))
      const isFull = (spin: number) => group !== undefined && (spin > 1 || !considers) && usage() >= group.quota
      const size = Math.min(total(), group?.quota ?? Infinity)
      let list = [...some]
      for (let spin = 1; ; spin++) {
        if (isFull(spin)) return
        if (!considers) list = list.filter((user) => idle.has(user))
        const worst = Math.max(...list.map(priority))
        const normal = sum(list.map((user) => worst / priority(user)))
        const slices = new Map(list.map((user) => [user, Math.max(0, (worst / (priority(user) * normal)) * size - user.used)]))
        const room = group === undefined ? Infinity : Math.max(0, group.quota - usage())
        const limitOf = (user: User) => (considers ? (slices.get(user) ?? 0) : Math.min(slices.get(user) ?? 0, room))
        let pie = sum(list.map(limitOf))
        if (!considers && pie <= 0) return
        if (spin === 1) list = [...list].sort(by(priority, (user) => (user.used + limitOf(user) > 0 ? user.used / (user.used + limitOf(user)) : Infinity), (user) => user.name))
        const [pieBefore, listBefore, limits] = [pie, list, new Map(list.map((user) => [user, limitOf(user)]))]
        for (const user of listBefore) {
          if (isFull(spin)) break
          const limit = Math.min(limits.get(user) ?? 0, pie)
          if (idle.has(user) && spin > 1 && limit < smallest) continue
          const { matched, more } = idle.has(user) ? negotiate(user, limit, Math.min(slices.get(user) ?? 0, room), offered, round, spin === 1 && considers) : { matched: 0, more: false }
          pie -= matched
          if (!more) list = list.filter((other) => other !== user)
        }
        if (!(pie < pieBefore || list.length < listBefore.length) || list.length === 0) return
      }
    }
    let smallest = 0

    const cycle = (round: Round) => {
      smallest = Math.min(...nodes().map((node) => cluster.free(node, cpu)), ...[...began.keys()].map(weightOf))
      const held = [...began].filter(([task]) => !Number.isNaN(work.started(task))).map(([task, since]): Held => ({ task, since, node: work.nodeOf(task) as NodeId, job: work.jobOf(task), user: userOf(work.jobOf(task)) }))
      const offered = { offered: new Set(round.nodes), held }
      const idle = new Set([...users.values()].filter((user) => waitingOf(user, round).length > 0))
      const runs = (user: User) => jobs.jobs.some((job) => userOf(job) === user.name && tasksOf(job, round).length > 0)
      const asking = [...users.values()].filter((user) => idle.has(user) || runs(user)).sort(by((user) => user.name))
      if ((options.GROUP_NAMES ?? []).length === 0) spinPie(asking, offered, idle, round)
      else byGroups(options, { users: [...users.values()].sort(by((user) => user.name)), asking, total: total(), demand: (user) => holds(user.name) + sum(waitingOf(user, round).map((job) => work.unplaced(job, round.lane) * work.demand(work.shape(job, round.lane), cpu))) },
        (members, group) => { spinPie(members, offered, idle, round, group) })
    }

    return {
      onSubmit(job) {
        tick()
        jobs.add(job)
        if (!users.has(userOf(job))) users.set(userOf(job), { name: userOf(job), real: 0.5, used: 0 })
        next = Math.min(next, Math.max(env.now(), last + delay))
      },
      onFinish: jobs.remove,
      onClaim(_job, _lane, task) {
        tick()
        began.set(task, restarting ?? env.now())
      },
      onRelease(job, _lane, task, node, why) {
        tick()
        if (why === 'ended') ended.push({ user: userOf(job), node, began: began.get(task) ?? 0, asks: asks(work.shapeOf(task)), limits: limitsOf(job) })
        began.delete(task)
      },
      schedule(round) {
        tick()
        useAgain(round)
        if (next <= round.now) {
          account(round.now)
          next = round.now
          if (jobs.runnable(round).length > 0) cycle(round)
          next = round.now + period
        }
        if (jobs.runnable(round).length > 0) round.wakeAt(next)
      },
    }
  })
