import { powerModels, wattsAt, type ClusterView, type JobSpec, type LaneId, type NodeId, type NodePower, type NodeState, type Observer, type TaskId, type WorkView, type Workload } from '@sched/core'
import type { Outage, SimulationOptions } from '@sched/sim'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Draw } from '../src/energy/draw.js'
import { energy, sleep, standardMetrics, type EnergyResult, type Period } from '../src/index.js'
import { simulateOn } from './simulated.js'
import { World } from './world.js'

type ClusterDescription = Extract<SimulationOptions['cluster'], { readonly nodes: readonly unknown[] }>
type NodeGroup = ClusterDescription['nodes'][number]

const JOULES = 3.6e6
const power = { idle: 100, busy: 200 }

type Row = readonly [submit: number, cpu: number, seconds: number, tasks?: number, others?: Readonly<Record<string, number>>]
const jobs = (...rows: readonly Row[]): Workload => {
  const specs = rows.map(([submit, cpu, duration, tasks = 1, others = {}], i): JobSpec => ({ id: `${i}`, submit, stages: [{ name: 'task', tasks, demand: { ...(cpu > 0 && { cpu }), ...others }, duration }] }))
  return { name: 'jobs', open: () => ({ next: ((i) => () => specs[i++])(0) }) }
}
const cluster = (group: Partial<NodeGroup> = {}, rest: Partial<ClusterDescription> = {}): ClusterDescription => ({ nodes: [{ count: 2, resources: { cpu: 4 }, power, ...group }], ...rest })

/** In joules and watts. */
function drawn(given: ClusterDescription, workload: Workload, { period, ...options }: { readonly period?: Period; readonly until?: number; readonly outages?: readonly Outage[] } = {}) {
  const metric = energy(period)
  simulateOn(given, workload, [metric], options)
  return inJoules(metric.result() as EnergyResult)
}
const inJoules = ({ span, nodes, meanPower, peakPower, ...energies }: EnergyResult) => {
  const { total, idle, base, dynamic, off, asleep, switching, perJob } = energies
  const joules = { total, idle, base, dynamic, off, asleep, switching, perJob }
  for (const [part, kWh] of Object.entries(joules)) joules[part as keyof typeof joules] = kWh * JOULES
  return { span, nodes, meanPower, peakPower, ...joules }
}

describe('energy', () => {
  it('is what idle nodes draw, what busy ones draw anyway, and what tasks add', () => {
    // node 0: 2 of 4 cpu from 10 to 30, all 4 from 20 to 30, so 150 W and 200 W; node 1 is idle at 100 W all 20 s
    const found = drawn(cluster(), jobs([10, 2, 20], [20, 2, 10]))
    expect(found).toMatchObject({ span: 20, nodes: 2, idle: 2000, base: 2000, dynamic: 50 * 10 + 100 * 10, off: 0, total: 5500, perJob: 750, meanPower: 275, peakPower: 300 })
  })

  it('counts nodes that say what they draw, each with its own watts', () => {
    const nodes = [{ count: 1, resources: { cpu: 4 }, power: { idle: 40, busy: 80 } }, { count: 1, resources: { cpu: 4 } }, { count: 1, resources: { cpu: 4 }, power }]
    // four tasks of 3 cpu: one on each node, the fourth after 10 s on the first; 40 + 30 W for 20 s; 100 + 75 W for 10 s, then 100 W
    expect(drawn({ nodes }, jobs([0, 3, 10, 4]))).toMatchObject({ nodes: 2, base: 800 + 1000, dynamic: 600 + 750, idle: 1000, peakPower: 245 })
  })

  it.each([
    // half a node for 10 s: 100 W x 0.5, 0.25, 0.125, 0.707107
    ['linear', 500],
    ['square', 250],
    ['cubic', 125],
    ['sqrt', 707.10678],
  ] as const)('rises with use by the model %s', (model, dynamic) => {
    expect(drawn(cluster({ power: { ...power, model } }), jobs([0, 2, 10])).dynamic).toBeCloseTo(dynamic, 4)
  })

  it('follows the resource that it is told to, shares of devices too', () => {
    const gpus = cluster({ devices: { gpu: { count: 2, milli: 1000 } }, power: { ...power, resource: 'gpu' } })
    // 500 + 1000 of 2000 for 10 s: 75 W above idle
    expect(drawn(gpus, jobs([0, 1, 10, 1, { gpu: 500 }], [0, 1, 10, 1, { gpu: 1000 }]))).toMatchObject({ dynamic: 750, idle: 1000, base: 1000 })
  })

  it('is above idle only where a task holds what is followed, and a node that runs anything is not idle', () => {
    const found = drawn(cluster({ resources: { cpu: 4, memory: 8 } }), jobs([0, 0, 10, 1, { memory: 8 }]))
    expect(found).toMatchObject({ dynamic: 0, base: 1000, idle: 1000 })
  })

  it('ends with the work of a task, not with the heartbeat that tells of it', () => {
    // node 0 beats at 0, 30, 60; the task of 4 cpu runs from 0 to 10, and the run ends with the heartbeat at 30
    expect(drawn(cluster({}, { heartbeat: { interval: 30, stagger: false } }), jobs([0, 4, 10]))).toMatchObject({ span: 30, dynamic: 1000, base: 1000, idle: 2000 + 3000, peakPower: 300, meanPower: 7000 / 30 })
  })

  it('is of the run so far where the run is cut short', () => {
    expect(drawn(cluster(), jobs([0, 4, 10]), { until: 6 })).toMatchObject({ span: 6, dynamic: 600, total: 600 + 1200, perJob: NaN })
  })

  it('counts only what lies in the period, jobs that finished too', () => {
    // 150 W above idle from 15 to 20: 4 and 2 of 4 cpu; the job that ends at 20 is outside
    const found = drawn(cluster(), jobs([0, 4, 18], [0, 2, 20], [19, 4, 2]), { period: { from: 15, to: 20 } })
    expect(found).toMatchObject({ span: 5, dynamic: 300 + 250 + 100, total: 1000 + 650, perJob: 650, peakPower: 350 })
  })

  describe('of nodes that are away', () => {
    const away = (from: number, to: number, drain = false): Outage => ({ node: 0 as NodeId, from, to, drain })
    const [one, half] = [cluster({ count: 1, power: { ...power, off: 7 } }), jobs([0, 2, 10])]

    it('is what they draw when off, and what failed tasks had drawn', () => {
      // 4 s of the task that is lost, 6 s off, 10 s of its second run
      expect(drawn(one, half, { outages: [away(4, 10)] })).toMatchObject({ span: 20, off: 42, idle: 0, base: 1400, dynamic: 700, perJob: 700 })
    })

    it('is as before while a drained one has work, then off', () => {
      // the second job waits from 3 to 15 for the node, which has work until 10
      expect(drawn(one, jobs([0, 2, 10], [3, 4, 5]), { outages: [away(2, 15, true)] })).toMatchObject({ span: 20, off: 35, base: 1500, dynamic: 500 + 500, idle: 0 })
    })

    it('does not count before the first submission', () => {
      expect(drawn(one, jobs([10, 2, 10]), { outages: [away(4, 12)] })).toMatchObject({ span: 12, off: 14, base: 1000 })
    })
  })

  describe('of nodes that sleep', () => {
    const drowsy = (change: Partial<NonNullable<NodeGroup['power']>> = {}) => cluster({ count: 1, power: { ...power, off: 8, ...change }, sleep: { after: 5, wake: 3, shutdown: 2 } })

    it('is what they draw asleep, and on the way there and back', () => {
      // half a node from 0 to 10; idle to 15, asleep from 17, woken at 30, awake at 33; the task of 4 cpu works until 43
      const found = drawn(drowsy({ asleep: 4, switching: 150 }), jobs([0, 2, 10], [30, 4, 10]))
      expect(found).toMatchObject({ span: 43, idle: 500, base: 2000, dynamic: 500 + 1000, asleep: 13 * 4, switching: (2 + 3) * 150, off: 0, total: 4802, peakPower: 200 })
    })

    it('is that of nodes that are off, and of busy ones, where they do not say', () => {
      expect(drawn(drowsy(), jobs([0, 2, 10], [30, 4, 10]))).toMatchObject({ asleep: 13 * 8, switching: 5 * 200 })
    })

    it('tells how long they slept and how often they woke, of those that may sleep', () => {
      const nodes = [...drowsy().nodes, { count: 1, resources: { cpu: 1 } }]
      const metrics = standardMetrics()
      simulateOn({ nodes }, jobs([0, 2, 10], [30, 4, 10], [43, 4, 7]), [metrics])
      expect(metrics.result().sleep).toEqual({ wakes: 1, asleep: 13, share: 13 / 50, switching: 5 })
      expect(metrics.result().energy).toMatchObject({ nodes: 1 })
    })

    it('counts from the first submission on, and what lies in the period', () => {
      const [whole, part] = [sleep(), sleep({ from: 25, to: 31 })]
      simulateOn(drowsy(), jobs([20, 2, 10], [60, 4, 1]), [whole, part])
      // asleep since 7, woken at 20, awake from 23 to 38, asleep from 40 to 60, ends at 64
      expect(whole.result()).toEqual({ wakes: 2, asleep: 20, share: 20 / 44, switching: 3 + 2 + 3 })
      expect(part.result()).toEqual({ wakes: 0, asleep: 0, share: 0, switching: 0 })
    })

    it('is in summaries of clusters on which nodes sleep, also where none did, and of no others', () => {
      const [with_, without] = [standardMetrics(), standardMetrics()]
      simulateOn(drowsy(), jobs([0, 4, 36]), [with_])
      simulateOn(cluster(), jobs([0, 4, 36]), [without])
      expect(with_.result().sleep).toEqual({ wakes: 0, asleep: 0, share: 0, switching: 0 })
      expect(without.result()).not.toHaveProperty('sleep')
    })
  })

  it('leaves out what a suspended task does not do', () => {
    const metric = energy()
    const world = new World([metric], { cpu: 4 }, { together: true, nodes: 1 })
    Object.assign(world.cluster, { heartbeat: 0, power: [{ ...power, off: 0, asleep: 0, switching: 0, model: 'linear', resources: [0], total: 4 }] })
    metric.onRunStart(world)
    const job = world.submit(0, { stages: [{ name: 'task', tasks: 1, demand: { cpu: 4 }, duration: 10 }] })
    world.end(6, world.start(0, job), { how: 'evicted', saved: 6 })
    world.end(13, world.start(9, job))
    world.finish(13, job)
    world.close(13)
    expect(inJoules(metric.result() as EnergyResult)).toMatchObject({ idle: 300, base: 1000, dynamic: 1000, perJob: 1000 })
  })

  it('has no mean or peak of a run without jobs', () => {
    expect(drawn(cluster(), jobs())).toMatchObject({ total: 0, perJob: NaN, meanPower: NaN, peakPower: NaN })
  })

  it('is in summaries of clusters whose nodes say what they draw, and of no others', () => {
    const [with_, without] = [standardMetrics(), standardMetrics()]
    simulateOn(cluster(), jobs([0, 4, 36]), [with_])
    simulateOn({ nodes: [{ count: 2, resources: { cpu: 4 } }] }, jobs([0, 4, 36]), [without])
    expect(with_.result().energy).toMatchObject({ total: 0.003, idle: 0.001, base: 0.001, dynamic: 0.001 })
    expect(without.result()).not.toHaveProperty('energy')
  })
})

describe('energy of any run', () => {
  const group = fc.record({
    idle: fc.constantFrom(0, 70, 100.5), above: fc.constantFrom(0, 33.3, 150), off: fc.constantFrom(0, 4), model: fc.constantFrom(...powerModels), resource: fc.constantFrom(undefined, 'cpu', 'gpu'), isDescribed: fc.constantFrom(true, true, true, false),
  })
  const world = fc.record({
    groups: fc.tuple(group, group),
    heartbeat: fc.constantFrom(undefined, 0.7, 5),
    sleep: fc.constantFrom(undefined, { after: 1.5, wake: 0.4 }, { after: 0, wake: 1, shutdown: 0.3 }),
    commitPendingBug: fc.boolean(),
    evictions: fc.constantFrom(0, 0.1),
    until: fc.constantFrom(Infinity, 15),
    period: fc.constantFrom(undefined, { from: 4.5, to: 12 }, { from: 3, to: Infinity }),
    jobs: fc.array(fc.record({ gap: fc.constantFrom(0, 0.5, 3), cpu: fc.integer({ min: 0, max: 3 }), gpu: fc.constantFrom(0, 300, 1000), seconds: fc.constantFrom(0.3, 1, 2.5, 7), tasks: fc.integer({ min: 1, max: 4 }) }), { minLength: 1, maxLength: 10 }),
    outages: fc.array(fc.record({ node: fc.integer({ min: 0, max: 3 }), from: fc.constantFrom(0, 1, 2.2, 6), seconds: fc.constantFrom(0.5, 4, 20), drain: fc.boolean() }), { maxLength: 3 }),
  })

  it('is what an integral over the list of starts, stops and outages gives, and its parts add up', { tags: 'long' }, () => {
    const seen = { late: 0, later: 0, off: 0, evicted: 0, drained: 0, asleep: 0 }
    fc.assert(
      fc.property(world, ({ groups, heartbeat, sleep: rule, commitPendingBug, evictions, until, period, jobs: given, outages }) => {
        const nodes = groups.map(({ idle, above, off, model, resource, isDescribed }, i) => ({
          name: `g${i}`, count: 2, resources: { cpu: 4 }, devices: { gpu: { count: 1, milli: 1000 } },
          ...(heartbeat === undefined && rule !== undefined && { sleep: rule }),
          ...(isDescribed && { power: { idle, busy: idle + above, off, asleep: off + 1, switching: 55.5, model, ...(resource !== undefined && { resource }) } }),
        }))
        const rows = given.reduce<Row[]>((rows, { gap, cpu, gpu, seconds, tasks }) => [...rows, [(rows.at(-1)?.[0] ?? 1) + gap, cpu + (gpu === 0 ? 1 : 0), seconds, tasks, gpu === 0 ? {} : { gpu }]], [])
        const [metric, log] = [energy(period), new Log()]
        simulateOn({ nodes, ...(heartbeat !== undefined && { heartbeat: { interval: heartbeat } }) }, jobs(...rows), [metric, log], {
          evictions, commitPendingBug, until: outages.length > 0 ? Math.min(until, 60) : until, outages: outages.map(({ node, from, seconds, drain }) => ({ node: node as NodeId, from, to: from + seconds, drain })),
        })
        const found = metric.result()
        if (groups.every(({ isDescribed }) => !isDescribed)) return void expect(found).toBeUndefined()
        const expected = log.integral(period ?? { from: -Infinity, to: Infinity })
        const { total, idle, base, dynamic, off, asleep, switching, span, meanPower, peakPower } = inJoules(found as EnergyResult)
        for (const [part, joules] of Object.entries({ idle, base, dynamic, off, asleep, switching })) expect([part, joules]).toEqual([part, expect.closeTo(expected[part as keyof typeof expected], 4)])
        expect(total).toBeCloseTo(idle + base + dynamic + off + asleep + switching, 6)
        if (span > 0) {
          expect(peakPower).toBeCloseTo(expected.peak, 4)
          expect(meanPower).toBeCloseTo(total / span, 6)
          expect(meanPower).toBeLessThanOrEqual(peakPower + 1e-4)
        }
        seen.late += log.late
        if (log.latest > (heartbeat ?? 0)) seen.later++ // by more than a heartbeat: commit pending
        seen.evicted += log.evicted
        if (off > 0) seen.off++
        if (asleep > 0 && switching > 0) seen.asleep++
        if (outages.some(({ drain }) => drain)) seen.drained++
      }),
      { seed: 3, numRuns: 150 },
    )
    for (const [what, count] of Object.entries(seen)) expect([what, count > 10]).toEqual([what, true])
  })

  it('is the same, to the last bit, in whatever order the changes of an instant are told', () => {
    const change = fc.record({ time: fc.constantFrom(0.1, 0.3, 0.7, 1.9), node: fc.integer({ min: 0, max: 2 }), amount: fc.integer({ min: 0, max: 5 }), order: fc.nat() })
    const nodes = powerModels.slice(0, 3).map((model): NodePower => ({ idle: 10.1, busy: 33.3, off: 0, asleep: 0, switching: 33.3, model, resources: [], total: 7 }))
    fc.assert(
      fc.property(fc.array(change, { maxLength: 20 }), (changes) => {
        const drawn = (order: (a: (typeof changes)[number], b: (typeof changes)[number]) => number) => {
          const draw = new Draw(nodes, { from: -Infinity, to: Infinity })
          draw.begin(0)
          for (const { time, node, amount } of [...changes].sort((a, b) => a.time - b.time || order(a, b))) draw.change(time, node as NodeId, amount, 1, 0)
          draw.end(2.3)
          return [draw.joules(), draw.peak]
        }
        expect(drawn((a, b) => a.order - b.order)).toEqual(drawn((a, b) => b.order - a.order))
      }),
      { seed: 4, numRuns: 200 },
    )
  })
})

interface Run {
  readonly node: NodeId
  readonly amounts: readonly number[]
  readonly from: number
  to: number
}

/** What happened as a list, and energy by its definition: the power of every node between any two instants at which something happens. */
class Log implements Observer {
  late = 0
  latest = 0
  evicted = 0
  #cluster!: ClusterView
  #work!: WorkView
  #first = NaN
  #end = NaN
  readonly #runs: Run[] = []
  readonly #running = new Map<TaskId, Run>()
  readonly #away: { readonly node: NodeId; readonly from: number; to: number }[] = []
  readonly #states: { readonly node: NodeId; readonly state: NodeState; readonly from: number; to: number }[] = []

  onRunStart({ cluster, work }: { readonly cluster: ClusterView; readonly work: WorkView }): void {
    this.#cluster = cluster
    this.#work = work
  }
  onSubmit(_job: unknown, _spec: JobSpec, now: number): void {
    if (Number.isNaN(this.#first)) this.#first = now
  }
  onTaskStart(task: TaskId, _job: unknown, _lane: LaneId, node: NodeId, _level: number, now: number): void {
    const amounts = this.#cluster.resources.map((_, r) => this.#work.demand(this.#work.shapeOf(task), r as never))
    const run = { node, amounts, from: now, to: Infinity }
    this.#runs.push(run)
    this.#running.set(task, run)
  }
  onTaskEnd(task: TaskId, _job: unknown, _lane: unknown, _node: unknown, how: string, _started: number, stopped: number, now: number): void {
    ;(this.#running.get(task) as Run).to = stopped
    if (stopped < now) this.late++
    this.latest = Math.max(this.latest, now - stopped)
    if (how === 'evicted') this.evicted++
  }
  onNode(node: NodeId, up: boolean, now: number): void {
    if (!up) this.#away.push({ node, from: now, to: Infinity })
    else for (const outage of this.#away) if (outage.node === node && outage.to === Infinity) outage.to = now
  }
  onNodeState(node: NodeId, state: NodeState, now: number): void {
    for (const each of this.#states) if (each.node === node && each.to === Infinity) each.to = now
    if (state !== 'awake') this.#states.push({ node, state, from: now, to: Infinity })
  }
  onRunEnd(now: number): void {
    this.#end = now
  }

  integral(period: Period) {
    const parts = { idle: 0, base: 0, dynamic: 0, off: 0, asleep: 0, switching: 0, peak: -Infinity }
    const [from, to] = [Math.max(this.#first, period.from), Math.min(this.#end, period.to)]
    const times = [from, to, ...this.#runs.flatMap((run) => [run.from, run.to]), ...[...this.#away, ...this.#states].flatMap((each) => [each.from, each.to])].filter((time) => time >= from && time <= to).sort((a, b) => a - b)
    for (const [i, time] of times.slice(1).entries()) {
      const [begin, seconds] = [times[i] as number, time - (times[i] as number)]
      if (seconds === 0) continue
      let all = 0
      for (const [node, power] of (this.#cluster.power ?? []).entries()) {
        if (power === undefined) continue
        const lasts = (each: { readonly node: NodeId; readonly from: number; readonly to: number }) => each.node === node && each.from <= begin && begin < each.to
        const { part, watts } = this.#of(power, this.#runs.filter(lasts), this.#away.some(lasts), this.#states.find(lasts)?.state)
        parts[part] += seconds * (part === 'base' ? power.idle : watts)
        if (part === 'base') parts.dynamic += seconds * (watts - power.idle)
        all += watts
      }
      parts.peak = Math.max(parts.peak, all)
    }
    return parts
  }

  #of(power: NodePower, runs: readonly Run[], isAway: boolean, state?: NodeState): { readonly part: 'idle' | 'base' | 'off' | 'asleep' | 'switching'; readonly watts: number } {
    if (state !== undefined) return state === 'asleep' ? { part: 'asleep', watts: power.asleep } : { part: 'switching', watts: power.switching }
    if (runs.length === 0) return isAway ? { part: 'off', watts: power.off } : { part: 'idle', watts: power.idle }
    const held = runs.reduce((sum, { amounts }) => sum + power.resources.reduce((own, r) => own + (amounts[r] as number), 0), 0)
    return { part: 'base', watts: wattsAt(power, held / power.total) }
  }
}
