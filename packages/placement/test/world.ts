import { dispatcher, type Dispatcher } from '@sched/cluster'
import { definePolicy, type Demand, type JobId, type LaneId, type NodeId, type Placement, type Plug, type TaskId } from '@sched/core'
import { job, type JobChange } from '@sched/testkit'

type Cluster = Parameters<typeof dispatcher>[0]['cluster']

/** Jobs in order of submission, task by task, where the placement says. */
export const placing = (placement: Plug<'placement'>): Plug<'policy'> =>
  definePolicy({
    name: 'placing',
    summary: 'tasks of jobs in order of submission, where the placement says',
    options: { '~standard': { version: 1, vendor: 'test', validate: (value) => ({ value }) } },
    create: (_, env) => {
      const chosen: Placement = placement.create(env)
      const jobs: JobId[] = []
      return {
        onClaim: (...claim) => chosen.onClaim?.(...claim),
        onRelease: (...release) => chosen.onRelease?.(...release),
        onSubmit: (id) => {
          jobs.push(id)
          chosen.onSubmit?.(id)
        },
        admits: (spec) => chosen.admits?.(spec),
        onFinish: (id) => {
          jobs.splice(jobs.indexOf(id), 1)
          chosen.onFinish?.(id)
        },
        onNode: (...node) => chosen.onNode?.(...node),
        schedule: (round) => {
          for (const id of jobs) {
            const together = round.work.together(id, round.lane)
            const before = round.savepoint()
            let claimed = 0
            for (; round.work.unplaced(id, round.lane) > 0; claimed++) {
              const node = chosen.pick(id, round)
              if (node < 0 || !round.claim(round.work.taskFor(id, round.lane, node as never, round.cluster.levels) as TaskId, node as never)) break
            }
            if (claimed > 0 && claimed < together) round.rollback(before) // a gang starts as a whole
          }
        },
      }
    },
  }).plug({})

/** A cluster that jobs are placed on one after the other. */
export class Play {
  readonly dispatcher: Dispatcher
  /** Time of the next pass, seconds. */
  now = 0
  #jobs = 0

  constructor(cluster: Cluster, placement: Plug<'placement'>, seed = 1) {
    this.dispatcher = dispatcher({ cluster, policy: placing(placement), seed })
  }

  /** Submits a job; the numbers of the nodes of its tasks in order of their start. */
  place(tasks: number, demand: Demand, change: JobChange = {}): number[] {
    return this.places(tasks, demand, change).map((name) => Number(name.split('-').at(-1)))
  }

  /** The same by name. */
  places(tasks: number, demand: Demand, change: JobChange = {}): string[] {
    this.dispatcher.submit(job({ id: `job${this.#jobs++}`, tasks, demand, ...change }))
    return this.dispatcher.pass(this.now).start.map(({ node }) => node)
  }

  /** The same with the numbers of the starts. */
  start(tasks: number, demand: Demand, change: JobChange = {}): { readonly id: number; readonly node: number }[] {
    this.dispatcher.submit(job({ id: `job${this.#jobs++}`, tasks, demand, ...change }))
    return this.dispatcher.pass(this.now).start.map(({ id, node }) => ({ id, node: Number(node.split('-').at(-1)) }))
  }

  /** Gives up what could not be placed. */
  drop(): void {
    const { work } = this.dispatcher
    for (let id = 0 as JobId; id < this.#jobs; id++) if (work.jobSpec[id] !== undefined && work.unplaced(id, 0 as LaneId) > 0) work.drop(id)
  }

  end(id: number): void {
    this.dispatcher.taskEnded({ id })
  }

  /** Somebody else takes something of a node. */
  use(node: number, demand: Demand): void {
    const { cell, work } = this.dispatcher
    cell.take(work.shapes.intern(demand), node as NodeId)
  }
}
