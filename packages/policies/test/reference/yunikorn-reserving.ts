import type { JobId, LaneId, NodeId, Plug, Policy, Round, ShapeId, TaskId } from '@sched/core'
import { by, launch, naivePolicy, type MakeOrder } from './naive.js'

interface Reservation {
  readonly job: JobId
  readonly node: NodeId
  readonly lane: LaneId
  readonly shape: ShapeId
}

/**
 * YuniKorn cycle by cycle, each with one start or one reservation: reserved tasks on their nodes, then on others that are not reserved, then all tasks. For jobs
 * without gangs, and limits of amounts alone; without heartbeats on the lowest node with room.
 */
export const naiveYunikornReserving = (order: MakeOrder, delay: number): Plug<'policy'> =>
  naivePolicy((env): Policy => {
    const jobs = order(env)
    const { cluster, work } = env
    let reservations: Reservation[] = []
    const since = new Map<string, number>()
    const end = (which: (each: Reservation) => boolean) => void (reservations = reservations.filter((each) => !which(each)))
    const of = (job: JobId, lane: LaneId) => reservations.filter((each) => each.job === job && each.lane === lane).sort(by(({ node }) => node))

    const isReserved = (node: NodeId, lane: LaneId) => reservations.some((each) => each.node === node && each.lane === lane)
    const open = ({ nodes, lane }: Round) => nodes.filter((node) => cluster.up(node) && !isReserved(node, lane))
    const startOn = (job: JobId, nodes: readonly NodeId[], round: Round) => {
      const node = nodes.find((each) => launch(job, each, cluster.levels, round) !== undefined)
      if (node === undefined) return false
      const own = of(job, round.lane)
      const given = own.find((each) => each.node === node) ?? own[0]
      end((each) => each === given)
      return true
    }

    const tryReserved = (round: Round) =>
      jobs.list(round).some((job) => of(job, round.lane).length > 0 && (startOn(job, of(job, round.lane).map(({ node }) => node), round) || startOn(job, open(round), round)))

    const lacking = (shape: ShapeId, node: NodeId, lane: LaneId) =>
      (cluster.lanes[lane]?.resources ?? []).map((r) => [work.demand(shape, r), cluster.free(node, r)] as const).reduce((sum, [asked, free]) => sum + (asked > free ? (asked - free) / asked : 0), 0)
    const isOnIt = (job: JobId, node: NodeId, lane: LaneId) => {
      const tasks: TaskId[] = []
      work.runningTasks(job, lane, tasks)
      return tasks.some((task) => work.nodeOf(task) === node)
    }
    const reserve = (job: JobId, round: Round) => {
      const { lane } = round
      const shape = work.shape(job, lane)
      const due = (since.get(`${job} ${lane}`) ?? 0) + delay
      if (round.now < due) round.wakeAt(due)
      if (round.now < due || of(job, lane).length >= work.unplaced(job, lane)) return false
      const couldHold = (node: NodeId) => (cluster.lanes[lane]?.resources ?? []).every((r) => work.demand(shape, r) <= cluster.total(node, r))
      const [node] = open(round).filter(couldHold).sort(by((each) => lacking(shape, each, lane), (each) => each))
      if (node === undefined || !work.mayRunOn(shape, node) || round.fits(job, node) || (work.isDistinct(shape) && isOnIt(job, node, lane))) return false
      reservations.push({ job, node, lane, shape })
      return true
    }
    const tryAll = (round: Round) => jobs.list(round).some((job) => startOn(job, open(round), round) || reserve(job, round))
    const isOver = ({ job, lane, shape }: Reservation) => work.unplaced(job, lane) === 0 || work.shape(job, lane) !== shape
    const cycle = (round: Round) => {
      end((each) => each.lane === round.lane && isOver(each))
      return tryReserved(round) || tryAll(round)
    }
    const startSomewhere = (round: Round) => jobs.list(round).some((job) => startOn(job, round.nodes, round))

    return {
      ...jobs,
      onReady: (job, lane) => void since.set(`${job} ${lane}`, env.now()),
      onFinish: (job) => {
        jobs.onFinish?.(job)
        end((each) => each.job === job)
      },
      onNode: (node, up) => end((each) => !up && each.node === node),
      schedule: (round) => {
        if (cluster.heartbeat > 0) while (startSomewhere(round));
        while (cluster.heartbeat === 0 && cycle(round));
      },
    }
  })
