import { dispatcher } from '@sched/cluster'
import { easy, fifo, greedy } from '@sched/policies'
import { job } from '@sched/testkit'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { bestFit, placementSets, type PlacementSetsOptions } from '../src/index.js'
import { Play } from './world.js'

/** Nodes n-0, n-1, ... with these labels and amounts. */
const clusterOf = (nodes: readonly { readonly labels?: Readonly<Record<string, string>>; readonly cpu?: number; readonly racks?: readonly string[] }[]) => ({
  nodes: nodes.map(({ labels, cpu = 4, racks }, i) => ({ names: [`n-${i}`], count: 1, ...(labels && { labels }), ...(racks && { racks }), resources: { cpu } })),
})
const on = (...switches: readonly string[]) => switches.map((name) => ({ labels: { switch: name } }))
const gang = { gang: true }
/** Three nodes at switch A, two at B and one at none, of 4 processors. */
const SWITCHES = clusterOf([...on('A', 'A', 'A', 'B', 'B'), {}])
const switches = (options: PlacementSetsOptions = {}) => new Play(SWITCHES, placementSets({ node_group_key: 'switch', ...options }))
const whole = { cpu: 4 }

describe('placement-sets', () => {
  it('takes the smallest set with room, nodes without the label among them (pbs_multi_sched, test_multi_sched_explicit_ps)', () => {
    const play = switches()
    expect(play.place(1, whole)).toEqual([5])
    expect(play.place(2, whole, gang)).toEqual([3, 4])
    expect(play.place(3, whole, gang)).toEqual([0, 1, 2])
  })

  it('takes labelled nodes alone with only_explicit_psets, and waits for a set that would hold the job (the same)', () => {
    const play = switches({ only_explicit_psets: true })
    expect(play.place(1, whole)).toEqual([3])
    expect(play.place(2, whole, gang)).toEqual([0, 1])
    expect(play.place(3, whole, gang)).toEqual([]) // A has one node left, and three in all
  })

  it('spans sets for a job that none could hold, unless told otherwise (test_jobs_do_not_span_ps)', () => {
    expect(switches().place(4, whole, gang)).toEqual([0, 1, 2, 3])
    expect(() => switches({ do_not_span_psets: true }).place(4, whole, gang)).toThrow('its 4 tasks at once are more than any placement set has room for (placement-sets.do_not_span_psets)')
    expect(switches({ do_not_span_psets: true }).place(3, whole, gang)).toEqual([0, 1, 2])
  })

  it('keeps jobs in a set each, of nodes that are there for their queue alone (pbs_nodes_queues, test_node_queue_assoc_ignored; pbs_node_buckets, test_psets_queue)', () => {
    const alternating = clusterOf(Array.from({ length: 8 }, (_, i) => ({ labels: { foo: i % 2 === 0 ? 'A' : 'B', queue: i < 4 ? 'second' : 'first' } })))
    const play = new Play(alternating, placementSets({ node_group_key: 'foo' }))
    const inSecond = (tasks: number) => ({ stages: [{ name: 's', tasks, gang: true, demand: { cpu: 1 }, duration: 1, constraints: { require: { queue: 'second' }, distinctNodes: true } }] })
    expect(play.place(1, {}, inSecond(2))).toEqual([0, 2])
    expect(play.place(1, {}, inSecond(3))).toEqual([0, 1, 2]) // no set has three nodes of that queue, so it spans
  })

  it('takes nodes with several values as one of several sets, label by label', () => {
    const nodes = clusterOf([{ labels: { ring: 'a,b', row: 'x' } }, { labels: { ring: 'a', row: 'x' } }, { labels: { ring: 'b, c', row: 'x' } }])
    const play = (node_group_key: string | string[]) => new Play(nodes, placementSets({ node_group_key }))
    expect(play('ring').place(2, whole, gang)).toEqual([0, 1])
    const both = play('ring')
    expect(both.place(1, whole)).toEqual([2]) // ring=c
    expect(both.place(2, whole, gang)).toEqual([0, 1])
    expect(play('ring, row').place(3, whole, gang)).toEqual([0, 1, 2])
    expect(play(['ring', 'row']).place(3, whole, gang)).toEqual([0, 1, 2])
  })

  it('tries the smallest sets first, of equals those with the least free, by processors and then by memory', () => {
    const set = (name: string, cpu: number, mem: number) => ({ names: [`n-${name.length}`], count: 1, labels: { set: name }, resources: { cpu, mem } })
    const play = (nodes: ReturnType<typeof set>[]) => new Play({ nodes }, placementSets({ node_group_key: 'set' }))
    expect(play([set('a', 4, 1), set('bb', 3, 9)]).place(1, { cpu: 1, mem: 1 })).toEqual([2])
    expect(play([set('a', 4, 9), set('bb', 4, 8)]).place(1, { cpu: 1, mem: 1 })).toEqual([2])
    const used = play([set('a', 4, 8), set('bb', 4, 8)])
    used.use(1, { cpu: 1, mem: 1 })
    expect(used.place(1, { cpu: 1, mem: 1 })).toEqual([2])
    used.use(0, { cpu: 2, mem: 7 }) // as many processors are free on both now, and less memory on the first
    expect(used.place(1, { cpu: 1, mem: 1 })).toEqual([1])
  })

  it('takes the label of the job\'s queue, racks where they are meant, and another choice of nodes inside', () => {
    const nodes = clusterOf([
      { labels: { switch: 'A' }, racks: ['r0'] }, { labels: { switch: 'B' }, racks: ['r0'] }, { labels: { switch: 'B' }, racks: ['r1'] }, { labels: { switch: 'A' }, racks: ['r1'] },
    ])
    const play = (options: PlacementSetsOptions) => new Play(nodes, placementSets(options))
    const options = { node_group_key: 'rack', queues: { wide: { node_group_key: 'switch' } } }
    expect(play(options).place(2, whole, { gang: true, queue: 'wide' })).toEqual([0, 3])
    expect(play(options).place(2, whole, { gang: true, queue: 'other' })).toEqual([0, 1])
    expect(play({ queues: options.queues }).place(2, whole, { gang: true, queue: 'other' })).toEqual([0, 1]) // it may be anywhere
    const inside = play({ node_group_key: 'rack', placement: bestFit() })
    inside.use(1, { cpu: 1 })
    expect(inside.place(1, { cpu: 1 })).toEqual([1])
    expect(() => play({ node_group_key: 'swicth' })).toThrow('placement-sets.node_group_key: no node has the label "swicth". Did you mean "switch"?')
  })

  it('keeps stages of a job that is one gang in one set, and brings later tasks of a gang where it is', () => {
    const control = (options: PlacementSetsOptions) => dispatcher({ cluster: SWITCHES, policy: greedy(fifo(), placementSets({ node_group_key: 'switch', ...options })) })
    const two = (...tasks: readonly number[]) => ({ id: `two${tasks.join('')}`, submit: 0, gang: true, stages: tasks.map((each, i) => ({ name: `s${i}`, tasks: each, gang: true, demand: { cpu: i === 0 ? 4 : 2 }, duration: 1 })) })
    const place = (spec: ReturnType<typeof two>, options: PlacementSetsOptions = {}) => {
      const made = control(options)
      made.submit(spec)
      return made.pass(0).start.map(({ node }) => node)
    }
    expect(place(two(1, 2))).toEqual(['n-3', 'n-4', 'n-4'])
    expect(place(two(1, 4))).toEqual(['n-0', 'n-1', 'n-1', 'n-2', 'n-2'])
    expect(place(two(1, 6))).toHaveLength(7)
    expect(() => place(two(1, 6), { do_not_span_psets: true })).toThrow('its 7 tasks at once')
    const elastic = control({})
    elastic.submit({ id: 'elastic', submit: 0, stages: [{ name: 's', tasks: 4, gang: true, minTasks: 2, demand: { cpu: 4 }, duration: 1 }] })
    expect(elastic.pass(0).start.map(({ node }) => node)).toEqual(['n-3', 'n-4']) // the other two would be beyond switch B
  })

  it('waits for a set when the nodes of others would be enough, and for none that has too few nodes up', () => {
    const made = dispatcher({ cluster: SWITCHES, policy: greedy(fifo(), placementSets({ node_group_key: 'switch' })), explained: true })
    const starts = (now: number) => made.pass(now).start.map(({ job: name, node }) => `${name} ${node}`)
    for (const [id, tasks] of [['a', 1], ['b', 1], ['c', 2], ['wide', 3]] as const) made.submit(job({ id, tasks, gang: true, demand: { cpu: 4 } }))
    const running = made.pass(0).start
    expect(running.map(({ job: name, node }) => `${name} ${node}`)).toEqual(['a n-5', 'b n-3', 'c n-0', 'c n-1'])
    expect(made.explain('wide')?.reason).toBe('no room')
    made.taskEnded({ id: running[0]?.id as number }, 1)
    expect(starts(1)).toEqual([])
    expect(made.explain('wide')?.reason).toBe('locality delay') // n-2, n-4 and n-5 are free
    made.nodeDown('n-2', 2)
    expect(starts(2)).toEqual([]) // none could hold it now, and two nodes are free
    made.taskEnded({ id: running[1]?.id as number }, 3)
    expect(starts(3)).toEqual(['wide n-3', 'wide n-4', 'wide n-5'])
  })

  it('is not known to plans of amounts: who waits for its set is planned for when there is room anywhere', () => {
    const made = dispatcher({ cluster: SWITCHES, policy: easy(fifo(), { placement: placementSets({ node_group_key: 'switch' }) }) })
    const submit = (id: string, tasks: number, estimate: number) => { made.submit(job({ id, tasks, gang: true, demand: { cpu: 4 }, estimate })) }
    for (const [id, tasks, estimate] of [['a', 1, 9], ['b', 3, 50], ['c', 3, 5], ['d', 2, 5]] as const) submit(id, tasks, estimate)
    expect(made.pass(0).start.map(({ job: name, node }) => `${name} ${node}`)).toEqual(['a n-5', 'b n-0', 'b n-1', 'b n-2', 'd n-3', 'd n-4'])
  })

  it('says that sets do not hold at heartbeats', () => {
    const warnings: string[] = []
    const cluster = { ...SWITCHES, heartbeat: { interval: 3 } }
    dispatcher({ cluster, policy: greedy(fifo(), placementSets({ node_group_key: 'switch' })), warn: (message) => warnings.push(message) })
    expect(warnings).toEqual(['placement-sets: at a heartbeat one node is in sight, where a task starts if it fits: sets do not hold on this cluster.'])
  })

  it('chooses as OpenPBS does, as written down plainly', { tags: 'long' }, () => {
    const value = fc.constantFrom(undefined, 'A', 'B', 'C', 'A,B')
    const nodes = fc.array(fc.record({ cpu: fc.integer({ min: 1, max: 4 }), mem: fc.integer({ min: 1, max: 4 }), s: value, t: value }), { minLength: 2, maxLength: 9 })
    const jobs = fc.array(fc.record({ tasks: fc.integer({ min: 1, max: 8 }), cpu: fc.integer({ min: 1, max: 2 }), mem: fc.integer({ min: 0, max: 2 }), isGang: fc.boolean(), ends: fc.integer({ min: 0, max: 2 }) }), { minLength: 1, maxLength: 15 })
    const options = fc.record({ keys: fc.constantFrom(['s'], ['t', 's']), explicit: fc.boolean(), spans: fc.boolean() })
    const told = { inSet: 0, waits: 0, spans: 0, refused: 0 }
    fc.assert(
      fc.property(nodes, jobs, options, (given, plan, { keys, explicit, spans }) => {
        fc.pre(keys.every((key) => given.some((node) => node[key as 's'] !== undefined)))
        const cluster = { nodes: given.map(({ cpu, mem, s, t }, i) => ({ names: [`n-${i}`], count: 1, labels: { ...(s && { s }), ...(t && { t }) }, resources: { cpu, mem } })) }
        const play = new Play(cluster, placementSets({ node_group_key: [...keys], only_explicit_psets: explicit, do_not_span_psets: !spans }))
        const plain = new Plain(given, keys, explicit, spans)
        const running: { readonly ids: number[]; readonly nodes: readonly number[]; readonly demand: Asked }[] = []
        for (const { tasks, cpu, mem, isGang, ends } of plan) {
          const demand = { cpu, mem }
          if (!given.some((node) => node.cpu >= cpu && node.mem >= mem)) continue // no node has room for a task
          if (isGang && plain.most(given.map((_, i) => i), demand) < tasks) continue
          const expected = plain.place(tasks, demand, isGang)
          if (expected === 'refused') {
            told.refused++
            expect(() => play.start(tasks, demand, { gang: isGang })).toThrow('than any placement set has room for')
            play.drop()
            continue
          }
          const started = play.start(tasks, demand, { gang: isGang })
          expect(started.map(({ node }) => node)).toEqual(expected.nodes)
          told[expected.how]++
          if (started.length > 0) running.push({ ids: started.map(({ id }) => id), nodes: expected.nodes, demand })
          play.drop()
          for (let i = 0; i < ends; i++) {
            const oldest = running.shift()
            for (const id of oldest?.ids ?? []) play.end(id)
            for (const node of oldest?.nodes ?? []) plain.give(node, oldest?.demand as Asked)
          }
        }
      }),
      { numRuns: 3_000, seed: 5 },
    )
    expect(Math.min(...Object.values(told))).toBeGreaterThan(300)
  })
})

interface Asked {
  readonly cpu: number
  readonly mem: number
}

/** Placement sets as the guide of OpenPBS describes them, looked at anew for each task. */
class Plain {
  readonly free: { cpu: number; mem: number }[]
  readonly sets: number[][]

  constructor(readonly nodes: readonly (Asked & { readonly s: string | undefined; readonly t: string | undefined })[], keys: readonly string[], explicit: boolean, readonly spans: boolean) {
    this.free = nodes.map(({ cpu, mem }) => ({ cpu, mem }))
    this.sets = keys.flatMap((key) => {
      const values = nodes.map((node) => node[key as 's']?.split(',') ?? (explicit ? [] : ['']))
      return [...new Set(values.flat())].map((each) => values.flatMap((has, i) => (has.includes(each) ? [i] : [])))
    })
  }

  /** How many such tasks empty nodes hold. */
  most(set: readonly number[], asked: Asked): number {
    return set.reduce((sum, i) => sum + fits(this.nodes[i] as Asked, asked), 0)
  }

  give(node: number, { cpu, mem }: Asked, by = 1): void {
    const free = this.free[node] as { cpu: number; mem: number }
    free.cpu += by * cpu
    free.mem += by * mem
  }

  place(tasks: number, asked: Asked, isGang: boolean): { readonly how: 'inSet' | 'waits' | 'spans'; readonly nodes: number[] } | 'refused' {
    if (!isGang) {
      const nodes: number[] = []
      for (let left = tasks; left > 0; left--) {
        const one = this.place(1, asked, true)
        if (one === 'refused') return one
        if (one.nodes.length === 0) break
        nodes.push(...one.nodes)
      }
      return { how: nodes.length === 0 ? 'waits' : 'inSet', nodes }
    }
    const all = this.nodes.map((_, i) => i)
    if (this.sets.every((set) => this.most(set, asked) < tasks)) return this.spans ? { how: 'spans', nodes: this.#take(all, tasks, asked) ?? [] } : 'refused'
    const size = (set: readonly number[], of: readonly Asked[]) => [set.reduce((sum, i) => sum + (of[i] as Asked).cpu, 0), set.reduce((sum, i) => sum + (of[i] as Asked).mem, 0)]
    const keyed = this.sets.map((set, at) => ({ set, key: [...size(set, this.nodes), ...size(set, this.free), at] }))
    keyed.sort((a, b) => a.key.map((each, i) => each - (b.key[i] as number)).find((by) => by !== 0) ?? 0)
    for (const { set } of keyed) {
      const nodes = this.#take(set, tasks, asked)
      if (nodes !== undefined) return { how: 'inSet', nodes }
    }
    return { how: 'waits', nodes: [] }
  }

  /** Takes the lowest nodes of a set with room for all of these tasks. */
  #take(set: readonly number[], tasks: number, asked: Asked): number[] | undefined {
    const nodes = set.flatMap((i) => Array<number>(fits(this.free[i] as Asked, asked)).fill(i)).slice(0, tasks)
    if (nodes.length < tasks) return undefined
    for (const node of nodes) this.give(node, asked, -1)
    return nodes
  }
}

const fits = (node: Asked, asked: Asked): number => Math.floor(Math.min(node.cpu / asked.cpu, asked.mem === 0 ? Infinity : node.mem / asked.mem))
