import { dispatcher } from '@sched/cluster'
import { fifo, replan } from '@sched/policies'
import { instantCluster, job } from '@sched/testkit'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

/** Eight nodes of one processor; partitions are sets of them, which may overlap. */
const NODES = 8
const partitions: Readonly<Record<string, readonly number[]>> = { all: [0, 1, 2, 3, 4, 5, 6, 7], left: [0, 1, 2, 3], right: [4, 5, 6, 7], middle: [2, 3, 4, 5] }
const nodes = Array.from({ length: NODES }, (_, node) => ({
  names: [`n${node}`], count: 1, resources: { procs: 1 }, labels: Object.fromEntries(Object.entries(partitions).flatMap(([name, own]) => (name !== 'all' && own.includes(node) ? [[`partition:${name}`, 'true']] : []))),
}))

interface Asked {
  readonly partition: string
  readonly tasks: number
}
const asked = fc.record({ partition: fc.constantFrom('all', 'left', 'right', 'middle'), tasks: fc.integer({ min: 1, max: 4 }) })
const steps = fc.array(fc.record({ come: fc.array(asked, { maxLength: 4 }), ends: fc.array(fc.nat(), { maxLength: 2 }) }), { minLength: 1, maxLength: 10 })

describe('the first pass of replan over partitions', () => {
  it('starts in order, and beside a job that does not fit only on nodes where that may not run, as a plain reading of it does', { tags: 'long' }, () => {
    fc.assert(
      fc.property(steps, fc.constantFrom(1e9, -1 as const), (script, bf_interval) => {
        const policy = replan(fifo(), { twoPass: true, nodes: 'named', bf_interval })
        const master = dispatcher({ cluster: instantCluster({ nodes }), policy })
        const tasks = new Map<string, ReturnType<typeof master.pass>['start'][number][]>()
        const busy = new Map<string, string[]>()
        let waiting: (Asked & { readonly id: string })[] = []
        let n = 0
        master.submit(job({ id: 'first', submit: 0, estimate: 60, stages: [{ name: 's', tasks: 1, demand: { procs: 1 }, duration: 60 }] }), 0)
        for (const task of master.pass(0).start) master.taskEnded(task, 0.5) // the last plan in a long time
        for (const [i, { come, ends }] of script.entries()) {
          const now = i + 1
          for (const end of ends) {
            const id = [...busy.keys()][end % Math.max(1, busy.size)]
            for (const task of (id !== undefined && tasks.get(id)) || []) master.taskEnded(task, now)
            if (id !== undefined) busy.delete(id)
          }
          for (const each of come) {
            const id = `J${n++}`
            const require = each.partition === 'all' ? {} : { constraints: { require: { [`partition:${each.partition}`]: 'true' } } }
            master.submit(job({ id, submit: now, estimate: 60, stages: [{ name: 's', tasks: each.tasks, gang: true, demand: { procs: 1 }, duration: 60, ...require }] }), now)
            waiting.push({ ...each, id })
          }
          const taken = new Set([...busy.values()].flat())
          const closed = new Set<number>()
          const { start } = master.pass(now)
          const started = new Set(start.map((task) => task.job))
          for (const { id, partition, tasks: wanted } of waiting) {
            const own = partitions[partition] as readonly number[]
            const free = own.filter((node) => !taken.has(`n${node}`) && !closed.has(node)).map((node) => `n${node}`)
            expect([id, started.has(id)]).toEqual([id, free.length >= wanted])
            if (!started.has(id)) for (const node of own) closed.add(node)
            for (const { node } of start.filter((task) => task.job === id)) {
              expect(free).toContain(node)
              taken.add(node)
            }
          }
          for (const task of start) {
            tasks.set(task.job, [...(tasks.get(task.job) ?? []), task])
            busy.set(task.job, [...(busy.get(task.job) ?? []), task.node])
          }
          waiting = waiting.filter(({ id }) => !started.has(id))
        }
      }),
      { seed: 51, numRuns: 200 },
    )
  })
})

describe('a job that asks for more nodes than closed partitions leave to its own', () => {
  // left has nodes 0 to 3, right 4 to 7, middle 2 to 5; node 0 is taken
  const come = (tasks: number, minNodes: number | undefined) => {
    const master = dispatcher({ cluster: instantCluster({ nodes }), policy: replan(fifo(), { twoPass: true, nodes: 'named', bf_interval: -1 }) })
    const each = (id: string, partition: string, tasks: number, more: object = {}) =>
      master.submit(job({ id, submit: 0, estimate: 60, ...more, stages: [{ name: 's', tasks, gang: true, demand: { procs: 1 }, duration: 60, constraints: { require: { [`partition:${partition}`]: 'true' } } }] }), 0)
    each('taken', 'left', 1)
    each('wide', 'left', 4)
    each('few', 'middle', tasks, minNodes === undefined ? {} : { minNodes })
    each('last', 'middle', 1)
    return [...new Set(master.pass(0).start.map((task) => task.job))]
  }

  it('is passed over and closes none (bit_overlap of schedule in slurmctld/job_scheduler.c of Slurm)', () => {
    expect(come(3, 3)).toEqual(['taken', 'last']) // 4 and 5 are left
    expect(come(3, 2)).toEqual(['taken']) // enough nodes are left, so that middle is closed
    expect(come(3, undefined)).toEqual(['taken'])
  })
})
