import { portableExp2, type JobId, type NodeId, type Plug, type ResourceId, type Round, type Seconds, type TaskId } from '@sched/core'
import type { NegotiatorOptions } from '@sched/policies'
import { by, JobsInSystem, launch, naivePolicy } from './naive.js'

interface User {
  readonly name: string
  real: number
  used: number
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
    let ended: { user: string; node: NodeId; began: Seconds; asks: string }[] = []
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
    const waitingOf = (user: User, round: Round) => jobs.runnable(round).filter((job) => userOf(job) === user.name).sort(by((job) => -work.priority(job), (job) => work.rank(job)))
    const nodes = () => Array.from({ length: cluster.nodes }, (_, node) => node as NodeId).filter((node) => cluster.up(node))
    const sum = (values: readonly number[]) => values.reduce((all, value) => all + value, 0)

    const useAgain = (round: Round) => {
      for (const claim of ended) {
        if (worklife >= 0 && round.now - claim.began > worklife) continue
        const job = waitingOf(users.get(claim.user) as User, round).find((each) => asks(work.shape(each, round.lane)) === claim.asks && round.fits(each, claim.node))
        restarting = claim.began
        if (job !== undefined) launch(job, claim.node, cluster.levels, round)
        restarting = undefined
      }
      ended = []
    }

    /** Matches jobs of a user until it has had its turn; whether it asks for more. */
    const negotiate = (user: User, limit: number, most: number, offered: Set<NodeId>, round: Round): { matched: number; more: boolean } => {
      let matched = 0
      let limited = false
      let left = waitingOf(user, round)
      for (;;) {
        if (matched >= limit) return { matched, more: true }
        const job = left[0]
        if (job === undefined) return { matched, more: limited }
        const cost = (node: NodeId) => (options.CONSUMPTION_POLICY === true ? work.demand(work.shape(job, round.lane), cpu) : cluster.free(node, cpu))
        const fitting = [...offered].filter((node) => round.fits(job, node))
        const allowed = fitting.filter((node) => matched + cost(node) <= most || (matched <= 0 && most > 0))
        const [node] = allowed.sort(by((each) => cluster.free(each, cpu), ...cluster.resources.map((_, r) => (each: NodeId) => cluster.free(each, r as ResourceId)), (each) => each))
        if (node === undefined) {
          if (fitting.length > 0) limited = true
          left = left.slice(1)
          continue
        }
        const price = cost(node)
        launch(job, node, cluster.levels, round)
        if (options.CONSUMPTION_POLICY !== true) {
          offered.delete(node)
          if (options.CLAIM_PARTITIONABLE_LEFTOVERS !== false) while (waitingOf(user, round).some((each) => launch(each, node, cluster.levels, round) !== undefined));
        }
        matched += price
        user.used += price
        left = left.filter((each) => work.unplaced(each, round.lane) > 0)
      }
    }

    const cycle = (round: Round) => {
      const considers = options.NEGOTIATOR_CONSIDER_PREEMPTION !== false
      const total = sum(nodes().map((node) => cluster.total(node, cpu)))
      const smallest = Math.min(...nodes().map((node) => cluster.free(node, cpu)), ...[...began.keys()].map(weightOf))
      const offered = new Set(round.nodes)
      const idle = new Set([...users.values()].filter((user) => waitingOf(user, round).length > 0))
      const runs = (user: User) => jobs.jobs.some((job) => userOf(job) === user.name && tasksOf(job, round).length > 0)
      let list = [...users.values()].filter((user) => idle.has(user) || runs(user)).sort(by((user) => user.name))
      for (let spin = 1; ; spin++) {
        if (!considers) list = list.filter((user) => idle.has(user))
        const worst = Math.max(...list.map(priority))
        const normal = sum(list.map((user) => worst / priority(user)))
        const limits = new Map(list.map((user) => [user, Math.max(0, (worst / (priority(user) * normal)) * total - user.used)]))
        let pie = sum([...limits.values()])
        if (!considers && pie <= 0) return
        if (spin === 1) list = [...list].sort(by(priority, (user) => (user.used + (limits.get(user) ?? 0) > 0 ? user.used / (user.used + (limits.get(user) ?? 0)) : Infinity), (user) => user.name))
        const [pieBefore, listBefore] = [pie, list]
        for (const user of listBefore) {
          const limit = Math.min(limits.get(user) ?? 0, pie)
          if (idle.has(user) && spin > 1 && limit < smallest) continue
          const { matched, more } = idle.has(user) ? negotiate(user, limit, limits.get(user) ?? 0, offered, round) : { matched: 0, more: false }
          pie -= matched
          if (!more) list = list.filter((other) => other !== user)
        }
        if (!(pie < pieBefore || list.length < listBefore.length) || list.length === 0) return
      }
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
        if (why === 'ended') ended.push({ user: userOf(job), node, began: began.get(task) ?? 0, asks: asks(work.shapeOf(task)) })
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
