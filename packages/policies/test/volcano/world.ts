import { dispatcher, type Placed } from '@sched/cluster'
import type { JobSpec } from '@sched/core'
import { volcano, type VolcanoOptions } from '@sched/policies'
import { instantCluster, job } from '@sched/testkit'
import { firstNode } from '../first-node.js'

export type Amounts = Readonly<Record<string, number>>
/** So many CPUs and as much memory. */
export const both = (amount: number): Amounts => ({ cpu: amount, mem: amount })
/** Nodes by name: what they have, and their labels. */
export type Nodes = Readonly<Record<string, Amounts>>

/** A job of a queue: tasks of which so many must run at once (default 1). */
export const wants = (id: string, queue: string, demand: Amounts, { tasks = 1, min = 1, priority = 0, on }: { tasks?: number; min?: number; priority?: number; on?: string } = {}): JobSpec => ({
  ...job({ id, queue, priority, tasks, demand }),
  stages: [
    {
      name: 'pods', tasks, demand, duration: 1000,
      ...(min > 1 && { gang: true, ...(min < tasks && { minTasks: min }) }),
      ...(on !== undefined && { constraints: { require: { node: on } } }),
    },
  ],
})

/** Jobs under the scheduler; those of a call come together, a second after the call before. `zones`: the revocable zones of nodes. */
export function world(nodes: Nodes, options: VolcanoOptions, zones: Readonly<Record<string, string>> = {}) {
  const names = Object.keys(nodes)
  const cluster = instantCluster({ nodes: names.map((node) => ({ count: 1, resources: nodes[node] as Amounts, labels: { node, ...(zones[node] !== undefined && { 'volcano.sh/revocable-zone': zones[node] }) } })) })
  const master = dispatcher({ cluster, policy: volcano(options, firstNode()) })
  let now = 0
  const running: Placed[] = []
  const pass = () => {
    const { start, kill } = master.pass(now)
    for (const { id } of kill) running.splice(running.findIndex((each) => each.id === id), 1)
    running.push(...start)
    return { started: start.map((each) => `${each.job}@${names[Number(/\d+/.exec(each.node)?.[0])]}`), killed: kill.map((each) => each.job).sort() }
  }
  return {
    come: (...specs: readonly JobSpec[]) => {
      now++
      for (const spec of specs) master.submit(spec, now)
      return pass()
    },
    /** The job's first task that runs has ended, as others come. */
    end: (job: string, ...specs: readonly JobSpec[]) => {
      now++
      for (const spec of specs) master.submit(spec, now)
      const at = running.findIndex((each) => each.job === job)
      for (const task of running.splice(at, 1)) master.taskEnded(task, now)
      return pass()
    },
    /** Time goes by. */
    pass: (seconds = 1) => {
      now += seconds
      return pass()
    },
  }
}

/** What happens when `coming` come together to a cluster where the others, which came one after the other, all run. */
export function outcome(nodes: Nodes, options: VolcanoOptions, held: readonly JobSpec[], ...coming: readonly JobSpec[]) {
  const { come } = world(nodes, options)
  for (const spec of held) {
    const tasks = spec.stages.reduce((sum, stage) => sum + stage.tasks, 0)
    const { started, killed } = come(spec)
    if (started.length !== tasks || killed.length > 0) throw new Error(`${spec.id} was to start wholly: started ${started.join()}, killed ${killed.join()}`)
  }
  const { started, killed } = come(...coming)
  return [...killed.map((id) => `-${id}`), ...started.map((each) => `+${each}`)]
}
