import { randomStream, type Demand } from '@sched/core'
import { easy, fifo, greedy, kubeScheduler, volcano } from '@sched/policies'
import { instantCluster, job, run } from '@sched/testkit'
import { describe, expect, it } from 'vitest'
import { weighted } from '../src/index.js'
import { Play } from './world.js'

const proportional = { gpu: { cpu: 4, mem: 4 } }
const scores = { 'least-allocated': 1 }

describe('proportional', () => {
  // Volcano, proportional_test.go: Test_checkNodeResourceIsProportional
  const six = { cpu: 30, mem: 30, gpu: 6 }
  it.each<[string, Demand, Demand, boolean]>([
    ['cpu_task_less_than_reserved_resource', { cpu: 4, mem: 4 }, six, true],
    ['cpu_task_greater_than_reserved_resource', { cpu: 10, mem: 10 }, six, false],
    ['gpu_task_no_proportional_check', { cpu: 10, mem: 10, gpu: 1 }, six, true],
    ['cpu_task_less_than_idle_resource', { cpu: 10, mem: 10 }, { cpu: 26, mem: 26, gpu: 2 }, true],
    ['one resource alone is too little', { cpu: 4, mem: 7 }, six, false],
    ['a node without the resource', { cpu: 30, mem: 30 }, { cpu: 30, mem: 30 }, true],
    ['a node on which it is in use', { cpu: 30, mem: 30 }, { cpu: 30, mem: 30, gpu: 0 }, true],
  ])('keeps amounts for what is free: %s', (_, asked, resources, fits) => {
    const nodes = [{ name: 'n', count: 1, resources }, { name: 'other', count: 1, resources: { cpu: 1, mem: 1, gpu: 1 } }]
    const started = new Play({ nodes }, weighted({ scores, proportional })).places(1, asked)
    expect(started).toEqual(fits ? ['n-0'] : [])
    expect(new Play({ nodes }, weighted({ scores })).places(1, asked)).toEqual(['n-0'])
  })

  it('chooses as a look at all nodes does, in random worlds', () => {
    const next = randomStream(11, 'proportional')
    const whole = (least: number, most: number): number => least + Math.floor(next() * (most - least + 1))
    let kept = 0
    for (let world = 0; world < 200; world++) {
      const all = Array.from({ length: 5 }, (_, i) => ({ name: `n${i}`, count: 1, resources: { cpu: whole(4, 16), gpu: i === 0 ? 1 : whole(0, 4) } }))
      const rate = whole(0, 4)
      const by = [{ scores }, { scores: { 'worst-fit': 1 } }, { scores: { ...scores, pack: 1 } }][world % 3] as { scores: Record<string, number> }
      const play = new Play({ nodes: all }, weighted({ ...by, proportional: { gpu: { cpu: rate } } }))
      const free = all.map(({ resources }) => ({ ...resources }))
      for (let id = 0; id < 10; id++) {
        const asked = { cpu: whole(1, 4), gpu: next() < 0.4 ? 1 : 0 }
        const fits = free.map(({ cpu, gpu }) => cpu >= asked.cpu && gpu >= asked.gpu)
        const may = free.map(({ cpu, gpu }, i) => fits[i] === true && (asked.gpu > 0 || (all[i] as typeof all[number]).resources.gpu === 0 || cpu - asked.cpu >= gpu * rate))
        if (fits.some((each, i) => each && !may[i])) kept++
        const [name] = play.places(1, asked)
        expect(name !== undefined, `world ${world}, job ${id}`).toBe(may.includes(true))
        if (name === undefined) { play.drop(); continue }
        const at = Number(/\d+/.exec(name)?.[0])
        expect(may[at], `world ${world}, job ${id} on ${name}`).toBe(true)
        const node = free[at] as (typeof free)[number]
        node.cpu -= asked.cpu
        node.gpu -= asked.gpu
      }
    }
    expect(kept).toBeGreaterThan(200)
  })

  it.each([
    ['volcano', 7.001, () => volcano({ actions: ['allocate'], tiers: [{ plugins: ['priority'] }] }, weighted({ scores, proportional: { gpu: { cpu: 2 } } }))],
    ['greedy', 7, () => greedy(fifo(), weighted({ scores, proportional: { gpu: { cpu: 2 } } }))],
  ])('lets a task in, a moment later at most, when others have taken what it was kept for, under %s', (_, later, policy) => {
    // 8 CPUs and 4 GPUs: cpu waits for a GPU task, which needs 1 CPU and frees what was kept for its GPU
    const jobs = [job({ id: 'cpu', demand: { cpu: 1 }, duration: 5 }), { ...job({ id: 'gpu', demand: { cpu: 1, gpu: 1 }, duration: 50 }), submit: 7 }]
    const { recorder } = run({ policy: policy(), cluster: instantCluster({ nodes: [{ count: 1, resources: { cpu: 8, gpu: 4 } }] }), jobs })
    expect(recorder.launches.map(({ job: id, time }) => [id, time])).toEqual([['gpu', 7], ['cpu', later]])
  })

  it('lets nobody who asks for no GPU take the place of others in volcano on a node with some: no CPUs are idle there before anybody goes', () => {
    const tiers = [{ plugins: ['priority' as const, 'gang' as const] }, { plugins: ['proportion' as const] }]
    const nodes = [{ name: 'gpu', count: 1, resources: { cpu: 4, gpu: 1 }, labels: { on: 'gpu' } }, { name: 'cpu', count: 1, resources: { cpu: 4, gpu: 0 }, labels: { on: 'cpu' } }]
    const runs = (id: string, on: string, demand: Demand) => ({ ...job({ id }), stages: [{ name: 's', tasks: 1, demand, duration: 99, constraints: { require: { on } } }] })
    const jobs = [runs('a', 'gpu', { cpu: 4, gpu: 1 }), runs('b', 'cpu', { cpu: 4 }), { ...job({ id: 'high', demand: { cpu: 4 }, duration: 5, priority: 1 }), submit: 7 }].map((each) => ({ ...each, queue: 'q' }))
    const where = (given: object) => run({ policy: volcano({ actions: ['allocate', 'preempt'], tiers }, weighted({ scores, ...given })), cluster: instantCluster({ nodes }), jobs })
      .recorder.launches.find(({ job: id }) => id === 'high')?.node
    expect([where({}), where({ proportional: { gpu: { cpu: 4 } } })]).toEqual(['gpu-0', 'cpu-0'])
  })

  it('refuses resources that no node has', () => {
    const nodes = [{ count: 1, resources: { cpu: 2 } }]
    expect(() => new Play({ nodes }, weighted({ proportional }))).toThrow('the cluster has no resource "gpu"')
    expect(() => new Play({ nodes }, weighted({ proportional: { cpu: { mem: 1 } } }))).toThrow('the cluster has no resource "mem"')
  })
})

it('lets all jobs run to their end under policies that preempt, and keeps what it says at every start, in random worlds', () => {
  const next = randomStream(17, 'proportional')
  const whole = (least: number, most: number): number => least + Math.floor(next() * (most - least + 1))
  const rate = 2
  const by = weighted({ scores: { 'least-allocated': 1, 'scarcity-percentage': 1 }, resourceWeightsOf: { 'scarcity-percentage': { cpu: 0 } }, proportional: { gpu: { cpu: rate } } })
  const policies = [
    () => volcano({ actions: ['enqueue', 'allocate', 'preempt', 'reclaim'], defaults: { deserved: { cpu: 6 } }, tiers: [{ plugins: ['priority', 'gang'] }, { plugins: ['overcommit', 'capacity'] }] }, by),
    () => kubeScheduler({ terminationGracePeriodSeconds: 2 }, by),
    () => kubeScheduler({}, by),
    () => greedy(fifo(), by),
    () => easy(fifo(), { placement: by }),
  ]
  let evicted = 0
  for (let world = 0; world < 100; world++) {
    const gpus = [whole(1, 3), 0]
    const cpus = [3 + rate * (gpus[0] as number) + whole(0, 3), whole(3, 6)]
    const cluster = instantCluster({ nodes: cpus.map((cpu, i) => ({ name: `n${i}`, count: 1, resources: { cpu, gpu: gpus[i] as number } })) })
    const jobs = Array.from({ length: 12 }, (_, i) => ({
      ...job({ id: `j${i}`, queue: 'ab'[whole(0, 1)] as string, priority: whole(0, 2), tasks: whole(1, 3), demand: next() < 0.4 ? { cpu: whole(1, 2), gpu: 1 } : { cpu: whole(1, 3) }, duration: whole(3, 30) }), submit: whole(0, 40),
    })).sort((a, b) => a.submit - b.submit)
    const policy = policies[world % policies.length] as (typeof policies)[number]
    const { recorder } = run({ policy: policy(), cluster, jobs })
    const used = cpus.map(() => ({ cpu: 0, gpu: 0 }))
    const done = new Set<string>()
    for (const each of recorder.events) {
      if (each.kind !== 'launch' && each.kind !== 'end') continue
      const { cpu = 0, gpu = 0 } = jobs.find(({ id }) => id === each.job)?.stages[0]?.demand ?? {}
      const at = Number(each.node[1])
      const node = used[at] as { cpu: number, gpu: number }
      const sign = each.kind === 'launch' ? 1 : -1
      node.cpu += sign * cpu
      node.gpu += sign * gpu
      if (each.kind === 'end' && each.how === 'evicted') evicted++
      if (each.kind === 'end' && each.how === 'done') done.add(`${each.job} ${each.task}`)
      if (each.kind === 'launch' && gpu === 0) expect((cpus[at] as number) - node.cpu, `world ${world}, ${each.job} at ${each.time}`).toBeGreaterThanOrEqual(rate * ((gpus[at] as number) - node.gpu))
    }
    expect(done.size, `world ${world}`).toBe(jobs.reduce((sum, { stages }) => sum + (stages[0]?.tasks ?? 0), 0))
  }
  expect(evicted).toBeGreaterThan(50)
})
