import { dispatcher } from '@sched/cluster'
import type { JobSpec } from '@sched/core'
import { kueue, type KueueOptions } from '@sched/policies'
import { instantCluster, job } from '@sched/testkit'

type Amounts = number | Readonly<Record<string, number>>
/** A workload of one task: its name (of which the part before `-` or a digit is its queue), what it asks (CPUs where it is a number), its priority. */
export type Load = readonly [id: string, asks: Amounts, priority?: number]

const queueOf = (id: string): string => id.split('_')[0] as string
const cpu = (asks: Amounts) => (typeof asks === 'number' ? { cpu: asks } : asks)

/** Workloads `queue_name` that come one after the other on a cluster with more of everything than any quota. */
export function world(options: KueueOptions, resources: Readonly<Record<string, number>> = { cpu: 1000, mem: 1000 }) {
  const master = dispatcher({ cluster: instantCluster({ nodes: [{ count: 1, resources }] }), policy: kueue(options) })
  let now = 0
  const running = new Map<string, ReturnType<typeof master.pass>['start'][number]>()
  const pass = () => {
    const { start, kill } = master.pass(now)
    for (const each of kill) running.delete(each.job)
    for (const each of start) running.set(each.job, each)
    return { started: start.map((each) => each.job), killed: kill.map((each) => each.job).sort() }
  }
  const submit = (...specs: readonly JobSpec[]) => {
    now++
    for (const spec of specs) master.submit(spec, now)
    return pass()
  }
  return {
    running: () => [...running.keys()].sort(),
    submit,
    /** How often the policy is asked again at this time before nothing happens any more. */
    passes: (most = 100) => {
      for (let count = 0; ; count++) {
        const { started, killed } = pass()
        if (started.length + killed.length === 0) return count
        if (count === most) throw new Error(`${most} passes at one time: ${killed.join()} make room for ${started.join()}`)
      }
    },
    /** Submits together. */
    come: (...loads: readonly Load[]) => submit(...loads.map(([id, asks, priority = 0]) => job({ id, queue: queueOf(id), priority, demand: cpu(asks) }))),
    /** It leaves while it waits. */
    leave: (id: string) => {
      master.cancel(id, ++now)
      return pass()
    },
    /** They end. */
    end: (...ids: readonly string[]) => {
      now++
      for (const id of ids) {
        const task = running.get(id)
        if (task === undefined) throw new Error(`${id} does not run`)
        running.delete(id)
        master.taskEnded(task, now)
      }
      return pass()
    },
  }
}

/** Those that are preempted when `incoming` comes to a cluster where the others were admitted one after the other; undefined: it is not admitted. */
export function preempted(options: KueueOptions, admitted: readonly Load[], incoming: Load): readonly string[] | undefined {
  const { come } = world(options)
  for (const load of admitted) {
    const { started, killed } = come(load)
    if (started.join() !== load[0] || killed.length > 0) throw new Error(`${load[0]} was to be admitted without preemption: started ${started.join()}, killed ${killed.join()}`)
  }
  const { started, killed } = come(incoming)
  return started.includes(incoming[0]) ? killed : undefined
}

/** As `world`, with a node of each flavor; calls return who is preempted, `-id`, and where others start, `+id@flavor`. */
export function flavored(flavors: readonly string[], options: Omit<KueueOptions, 'flavors'>) {
  const nodes = flavors.map((type) => ({ count: 1, resources: { cpu: 1000, mem: 1000 }, labels: { type } }))
  const labels = Object.fromEntries(flavors.map((type) => [type, { type }]))
  const master = dispatcher({ cluster: instantCluster({ nodes }), policy: kueue({ ...options, flavors: labels }) })
  const running = new Map<string, ReturnType<typeof master.pass>['start'][number]>()
  let now = 0
  const pass = () => {
    const { start, kill } = master.pass(now)
    for (const each of start) running.set(each.job, each)
    return [...kill.map((each) => `-${each.job}`), ...start.map((each) => `+${each.job}@${flavors[Number(/\d+/.exec(each.node)?.[0])]}`)]
  }
  return {
    come: (...loads: readonly Load[]) => {
      now++
      for (const [id, asks, priority = 0] of loads) master.submit(job({ id, queue: queueOf(id), priority, demand: cpu(asks) }), now)
      return pass()
    },
    end: (id: string) => {
      now++
      master.taskEnded(running.get(id) as NonNullable<ReturnType<typeof running.get>>, now)
      return pass()
    },
  }
}
