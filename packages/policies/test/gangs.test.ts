import { dispatcher, type Placed } from '@sched/cluster'
import { definePlacement, None, type JobSpec, type NodeId, type Plug } from '@sched/core'
import { capacityScheduler, fifo, greedy, kaiPreempting, kubeScheduler, las, yarnFair, yarnReserving, yunikornPreempting } from '@sched/policies'
import { instantCluster, run } from '@sched/testkit'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readyDisciplines } from './ready-disciplines.js'

const nodes: NonNullable<Parameters<typeof instantCluster>[0]>['nodes'] = [
  { name: 'plain', count: 2, resources: { cpu: 2 } },
  { name: 't4', count: 2, resources: { cpu: 2 }, devices: { gpu: 2 }, labels: { model: 'T4' } },
]
const stage = (change: Partial<JobSpec['stages'][number]> = {}) => ({ name: 's', tasks: 1, demand: { cpu: 1 }, duration: 10, ...change })
const job = (id: string, submit: number, change: Partial<JobSpec['stages'][number]> = {}): JobSpec => ({ id, submit, estimate: 10, stages: [stage(change)] })
const startsOf = (jobs: readonly JobSpec[], policy: Plug<'policy'>, id: string) => {
  const { recorder } = run({ cluster: instantCluster({ nodes }), policy, jobs })
  return recorder.launches.filter((each) => each.job === id)
}

describe('jobs that the placement will not have anywhere', () => {
  const nowhere = definePlacement({ name: 'nowhere', summary: 'names no node', create: () => ({ pick: () => None }) }).plug({})

  it.each<[string, Plug<'policy'>]>([['greedy', greedy(fifo(), nowhere)], ['kai-preempting', kaiPreempting({}, nowhere)], ['kube-scheduler', kubeScheduler({}, nowhere)], ['las', las({}, nowhere)], ['yunikorn-preempting', yunikornPreempting({ reservationDelay: 0 }, nowhere)]])('find no room, and that is no fault of the policy: %s', (name, policy) => {
    for (const gang of [true, false])
      expect(() => startsOf([job('j', 0, { tasks: 2, gang })], policy, 'j')).toThrow(expect.objectContaining({ code: 'INFEASIBLE', fact: `at 0 s policy "${name}" finds no room for job j although nothing runs.` }))
  })
})

describe.each(Object.entries(readyDisciplines))('%s', (_, policy) => {
  it('starts no gang in part when only some of the nodes that it requires have room', () => {
    // 5 tasks fill the plain nodes and one slot of t4-0 until 10 s: only 3 of 4 are free before
    const gang = job('gang', 1, { tasks: 4, gang: true, constraints: { require: { model: 'T4' } } })
    const starts = startsOf([job('first', 0, { tasks: 5 }), gang], policy(), 'gang')
    expect(starts.map(({ time }) => time)).toEqual([10, 10, 10, 10])
  })

  it('counts devices one by one for a gang of shares: 1200 free on two devices are no room for two of 600', () => {
    // 700 on one device of each pair leaves 300 + 1000 there: one share of 600 each, two in all, until the others end
    const before = [0, 1].map((i) => job(`a${i}`, 0, { demand: { cpu: 2, gpu: 700 } }))
    const gang = job('gang', 1, { tasks: 3, gang: true, demand: { gpu: 600 } })
    expect(startsOf([...before, gang], policy(), 'gang').map(({ time }) => time)).toEqual([10, 10, 10])
  })

  it('keeps the tasks of a gang on different nodes where they must be', () => {
    const starts = startsOf([job('gang', 0, { tasks: 4, gang: true, constraints: { distinctNodes: true } })], policy(), 'gang')
    expect(new Set(starts.map(({ node }) => node)).size).toBe(4)
  })

  it('starts all gangs of a job that are ready, and what follows them, in one pass', () => {
    const stages = [stage({ tasks: 2, gang: true }), stage({ tasks: 3, gang: true }), stage({ tasks: 2 })]
    expect(startsOf([{ id: 'job', submit: 1, estimate: 10, stages }], policy(), 'job').map(({ time }) => time)).toEqual([1, 1, 1, 1, 1, 1, 1])
  })

  it('starts every gang of any small mix at one instant, and all jobs end', { tags: 'long' }, () => {
    const jobs = fc.array(fc.record({ gap: fc.constantFrom(0, 1, 5), tasks: fc.integer({ min: 1, max: 5 }), gang: fc.boolean(), duration: fc.constantFrom(1, 4, 9), gpu: fc.constantFrom(0, 0, 400, 1000) }), { minLength: 1, maxLength: 9 })
    fc.assert(
      fc.property(jobs, (drafts) => {
        let submit = 0
        const all = drafts.map(({ gap, tasks, gang, duration, gpu }, i) => {
          submit += gap
          return job(`j${i}`, submit, { tasks: gpu > 0 ? Math.min(tasks, 4) : tasks, gang, duration, demand: { cpu: 1, ...(gpu > 0 && { gpu }) } })
        })
        const { recorder } = run({ cluster: instantCluster({ nodes }), policy: policy(), jobs: all })
        expect(Object.keys(recorder.finishes()).length).toBe(all.length)
        for (const { id, stages } of all)
          if (stages[0]!.gang === true) expect(new Set(recorder.launches.filter((each) => each.job === id).map(({ time }) => time)).size).toBe(1)
      }),
      { seed: 3, numRuns: 40 },
    )
  })
})

describe('greedy', () => {
  it('starts each gang for which there is room, in order, as if the nodes were counted anew for each', { tags: 'long' }, () => {
    const step = fc.record({ tasks: fc.integer({ min: 1, max: 6 }), cpu: fc.integer({ min: 1, max: 4 }), isApart: fc.boolean(), ends: fc.nat({ max: 2 }) })
    let refused = 0
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 8 }), { minLength: 1, maxLength: 5 }), fc.array(fc.array(step, { minLength: 1, maxLength: 5 }), { maxLength: 8 }), (sizes, plan) => {
        const master = dispatcher({ cluster: instantCluster({ nodes: sizes.map((cpu, i) => ({ name: `n${i}`, count: 1, resources: { cpu } })) }), policy: greedy(fifo()) })
        const free = [...sizes]
        const takes = (size: number, { cpu, isApart }: Omit<(typeof plan)[number][number], 'tasks' | 'ends'>) => Math.min(isApart ? 1 : Infinity, Math.floor(size / cpu))
        let waiting: { readonly id: string; readonly tasks: number; readonly cpu: number; readonly isApart: boolean }[] = []
        const asked = new Map<string, number>()
        const running: (Placed & { readonly cpu: number })[] = []
        for (const [now, arrivals] of plan.entries()) {
          for (const [i, { tasks, cpu, isApart, ends }] of arrivals.entries()) {
            if (sizes.reduce((sum, size) => sum + takes(size, { cpu, isApart }), 0) < tasks) continue // it could never start
            const spec = { name: 's', tasks, gang: true, demand: { cpu }, ...(isApart && { constraints: { distinctNodes: true } }) }
            master.submit({ id: `${now}-${i}`, stages: [spec] }, now)
            waiting.push({ id: `${now}-${i}`, tasks, cpu, isApart })
            asked.set(`${now}-${i}`, cpu)
            for (const task of running.splice(0, ends)) {
              master.taskEnded(task, now)
              free[Number(/\d+/.exec(task.node)?.[0])]! += task.cpu
            }
          }
          const expected = waiting.filter((gang) => {
            if (free.reduce((sum, size) => sum + takes(size, gang), 0) < gang.tasks) return ++refused === 0
            for (let left = gang.tasks, node = 0; left > 0; node++)
              for (let room = takes(free[node]!, gang); room > 0 && left > 0; room--, left--) free[node]! -= gang.cpu
            return true
          })
          waiting = waiting.filter((gang) => !expected.includes(gang))
          const { start } = master.pass(now)
          expect([...new Set(start.map((task) => task.job))]).toEqual(expected.map(({ id }) => id))
          running.push(...start.map((task) => ({ ...task, cpu: asked.get(task.job) as number })))
        }
      }),
      { seed: 8, numRuns: 200 },
    )
    expect(refused).toBeGreaterThan(300)
  })
})

describe('a node that is reserved for a task', () => {
  it.each([
    ['capacity-scheduler', () => capacityScheduler()],
    ['yarn-reserving', () => yarnReserving(greedy(yarnFair()), { threshold: { cpu: 1 } })],
  ])('starts no part of a gang that asks the same, under %s', (_, policy) => {
    const nodes = [{ name: 'n', count: 2, resources: { cpu: 2 } }, { name: 'large', count: 1, resources: { cpu: 4 } }] // the large one, which has room for the gang, is silent
    const master = dispatcher({ cluster: { nodes, heartbeat: { interval: 1 } }, policy: policy() })
    const submit = (id: string, ...stages: readonly (readonly [tasks: number, cpu: number, gang?: boolean])[]) =>
      master.submit({ id, queue: 'default', user: 'ann', stages: stages.map(([tasks, cpu, gang = false]) => ({ name: 's', tasks, demand: { cpu }, gang })) })
    const beat = (node: string, now: number) => master.heartbeat(node, now).start
    submit('x', [1, 1])
    const [x] = beat('n-0', 0) as [Placed]
    submit('y', [1, 2])
    const [y] = beat('n-1', 0) as [Placed]
    submit('j', [1, 2], [2, 2, true])
    expect(beat('n-0', 1)).toEqual([]) // too little: it is reserved
    master.taskEnded(y, 2)
    expect(beat('n-1', 2).map(({ job, stage }) => [job, stage])).toEqual([['j', 0]])
    master.taskEnded(x, 3)
    expect(beat('n-0', 3)).toEqual([])
  })
})

describe('a gang that replaces single tasks', () => {
  const gang = { ...job('g', 0, { tasks: 3, gang: true, demand: { cpu: 2 }, duration: 60 }), replacesLost: true }
  const cluster = instantCluster({ nodes: [{ name: 'n', count: 3, resources: { cpu: 2 } }] })
  const exact = { runtime: { jitter: 0 } } as const

  it('starts those together that it lacks', () => {
    const away = [[0, 20], [1, 40]].map(([node, to]) => ({ node: node as NodeId, from: 10, to: to as number }))
    const { recorder } = run({ cluster, policy: greedy(fifo()), jobs: [gang], outages: away, ...exact })
    expect(recorder.launchLines()).toEqual(['0 g.0 on n-0', '0 g.1 on n-1', '0 g.2 on n-2', '40 g.0 on n-0', '40 g.1 on n-1'])
    expect(recorder.finishes()).toEqual({ g: 100 })
  })

  it('stops whole where a task that it needs is preempted', () => {
    const urgent = { ...job('u', 10, { demand: { cpu: 2 }, duration: 5 }), priority: 1 }
    const { recorder } = run({ cluster, policy: kubeScheduler(), jobs: [gang, urgent], ...exact })
    expect(recorder.launchLines()).toEqual(['0 g.0 on n-0', '0 g.1 on n-1', '0 g.2 on n-2', '10 u.0 on n-0', '15 g.0 on n-0', '15 g.1 on n-1', '15 g.2 on n-2'])
  })
})
