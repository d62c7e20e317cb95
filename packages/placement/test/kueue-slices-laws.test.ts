// @module-tag long
import { dispatcher } from '@sched/cluster'
import type { Plug, Slice, Topology } from '@sched/core'
import { conservative, easy, fattened, fifo, gangScheduling, greedy, kaiPreempting, kubeScheduler, kueue, las, strict, volcano, yunikornReserving } from '@sched/policies'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { topologyAware } from '../src/index.js'

/** A domain as in Kueue's snapshot: what it has room for, and later what it gets, in tasks and in slices. */
interface Domain {
  readonly path: readonly string[]
  readonly children: Domain[]
  state: number
  sliceState: number
  /** Whole slices beside the short one; -1: that has no room. */
  tailState: number
}

/** Kueue's findTopologyAssignment, of one pod set without a leader, written anew from tas_flavor_snapshot.go. Levels count from the top, as there. */
class Reference {
  readonly #levels: Domain[][] = [[], [], []]

  constructor(nodes: readonly { readonly path: readonly string[]; readonly procs: number }[], readonly slices: readonly Slice[], readonly isMixed: boolean, readonly tail = 0) {
    for (const { path, procs } of nodes) for (let level = 0; level < 3; level++) {
      if (this.#levels[level]!.some((each) => same(each.path, path.slice(0, level + 1)))) continue
      const domain: Domain = { path: path.slice(0, level + 1), children: [], state: level === 2 ? procs : 0, sliceState: 0, tailState: -1 }
      this.#levels[level]!.push(domain)
      this.#levels[level - 1]?.find((each) => same(each.path, path.slice(0, level)))?.children.push(domain)
    }
    for (const root of this.#levels[0]!) this.#fill(root, 0)
  }

  get #size() { return this.slices[0]!.size }
  get #sliceLevel() { return 2 - this.slices[0]!.level }
  /** Sizes of inner slices by level. */
  get #inner(): ReadonlyMap<number, number> {
    const sizes = new Map<number, number>()
    for (let i = 1; i < this.slices.length; i++)
      for (let level = 2 - this.slices[i - 1]!.level + 1; level <= 2 - this.slices[i]!.level; level++) sizes.set(level, this.slices[i]!.size)
    return sizes
  }

  #fill(domain: Domain, level: number): void {
    const inner = this.#inner.get(level + 1)
    let slices = 0
    if (domain.children.length > 0) domain.state = 0
    for (const child of domain.children) {
      this.#fill(child, level + 1)
      domain.state += inner === undefined ? child.state : Math.floor(child.state / inner) * inner
      slices += child.sliceState
    }
    domain.sliceState = level === this.#sliceLevel ? Math.floor(domain.state / this.#size) : slices
    const costs = domain.children.filter((each) => each.tailState >= 0).map((each) => each.sliceState - each.tailState)
    const own = domain.state < this.tail ? -1 : Math.floor((domain.state - this.tail) / this.#size)
    if (level <= this.#sliceLevel) domain.tailState = level === this.#sliceLevel ? own : costs.length === 0 ? -1 : Math.min(own, slices - Math.min(...costs))
  }

  #fits(domain: Domain, slices: number): boolean {
    return (this.tail > 0 ? domain.tailState : domain.sliceState) >= slices
  }

  /** findBestFitDomainForSlicesWithTail, or findBestFitDomainForSlices. */
  #best(domains: readonly Domain[], slices: number): Domain {
    if (this.tail === 0) return best(domains, slices, 'sliceState')
    const fitting = domains.filter((each) => this.#fits(each, slices))
    return fitting.sort((a, b) => a.tailState - b.tailState || a.sliceState - b.sliceState || domains.indexOf(a) - domains.indexOf(b))[0] ?? (domains[0] as Domain)
  }

  #sorted(domains: readonly Domain[], isFree: boolean): Domain[] {
    const sign = this.#isLeast(isFree) ? 1 : -1
    return [...domains].sort((a, b) => sign * (a.sliceState - b.sliceState) || a.state - b.state || (a.path.join() < b.path.join() ? -1 : 1))
  }

  #isLeast(isFree: boolean): boolean {
    return isFree && this.isMixed
  }

  #fit(level: number, slices: number, required: boolean, isFree: boolean): readonly [number, Domain[]] | undefined {
    const sorted = this.#sorted(this.#levels[level]!, isFree)
    let [top] = sorted as [Domain]
    if (!this.#isLeast(isFree) && (this.#fits(top, slices) || this.tail > 0)) top = this.#best(sorted, slices)
    const least = this.#isLeast(isFree) ? sorted.find((each) => this.#fits(each, slices)) : undefined
    if (least !== undefined) return [level, [least]]
    if (this.#fits(top, slices)) return [level, [top]]
    if (required) return undefined
    if (level > 0 && !isFree) return this.#fit(level - 1, slices, required, isFree)
    const found: Domain[] = []
    const given: number[] = []
    let left = slices
    for (let i = 0; left > 0 && i < sorted.length; i++) {
      const next = !this.#isLeast(isFree) && sorted[i]!.sliceState >= left ? best(sorted.slice(i), left, 'sliceState') : sorted[i]!
      found.push(next)
      given.push(Math.min(next.sliceState, left))
      left -= next.sliceState
    }
    if (left > 0) return undefined
    if (this.tail > 0 && !found.some((each, i) => each.tailState >= given[i]!)) {
      const extra = sorted.find((each) => !found.includes(each) && each.tailState >= 0)
      if (extra === undefined) return undefined
      found.push(extra)
    }
    return [level, found]
  }

  #update(domains: readonly Domain[], count: number, size: number, isFree: boolean, slices: boolean, tail = 0): Domain[] {
    const key = slices ? 'sliceState' : 'state'
    const result: Domain[] = []
    let left = slices ? Math.floor(count / size) : count
    let isHosted = false
    for (const [i, next] of domains.entries()) {
      const closing = tail > 0 && !isHosted ? this.#closing(domains.slice(i), left, isFree) : undefined
      if (closing !== undefined) {
        closing.sliceState = left
        closing.state = left * size + tail
        return [...result, closing]
      }
      const domain = !this.#isLeast(isFree) && next[key] >= left ? best(domains.slice(i), left, key) : next
      result.push(domain)
      const takes = Math.min(domain[key], left)
      const isLast = domain[key] >= left
      domain.state = takes * size
      if (slices) domain.sliceState = takes
      if (isLast) return tail > 0 ? this.#placeTail(result, domains, tail) : result
      left -= takes
      isHosted ||= domain.tailState >= takes
    }
    throw new Error('assumptions violated')
  }

  #closing(domains: readonly Domain[], left: number, isFree: boolean): Domain | undefined {
    const [first] = domains as [Domain]
    if (first.sliceState < left) return undefined
    const [withTail, whole] = this.#isLeast(isFree) ? [first, first] : [this.#best(domains, left), best(domains, left, 'sliceState')]
    return withTail.tailState < left || withTail.sliceState > whole.sliceState ? undefined : withTail
  }

  #placeTail(used: readonly Domain[], all: readonly Domain[], tail: number): Domain[] {
    const host = used.find((each) => each.tailState >= each.sliceState)
    if (host !== undefined) host.state += tail
    const extra = host === undefined ? all.find((each) => each.tailState >= 0 && !used.includes(each)) : undefined
    if (extra !== undefined) [extra.sliceState, extra.state] = [0, tail]
    if (host === undefined && extra === undefined) throw new Error('no domain left for the short slice')
    return [...used, ...(extra === undefined ? [] : [extra])]
  }

  assign(count: number, { required, preferred }: Topology): Readonly<Record<string, number>> | undefined {
    const isFree = required === undefined && preferred === undefined
    const found = this.#fit(isFree ? 0 : 2 - ((required ?? preferred) as number), Math.floor(count / this.#size), required !== undefined, isFree)
    if (found === undefined) return undefined
    let [level, domains] = found
    domains = this.#update(domains, count, this.#size, isFree, true, this.tail)
    for (; level < this.#sliceLevel; level++) domains = this.#update(this.#sorted(domains.flatMap(({ children }) => children), isFree), count, this.#size, isFree, true, this.tail)
    for (; level < 2; level++) {
      const size = this.#inner.get(level + 1) ?? 1
      domains = domains.flatMap(({ children, state }) => {
        const sorted = this.#sorted(children, isFree)
        if (size > 1) for (const each of sorted) each.sliceState = Math.floor(each.state / size)
        return this.#update(sorted, state, size, isFree, size > 1)
      })
    }
    return Object.fromEntries(domains.filter(({ state }) => state > 0).map(({ path, state }) => [path.at(-1) as string, state]))
  }
}
const same = (a: readonly string[], b: readonly string[]) => a.join() === b.join()
function best(domains: readonly Domain[], needed: number, key: 'state' | 'sliceState'): Domain {
  return domains.reduce((found, each) => (each[key] >= needed && each[key] < found[key] ? each : found))
}

const worlds = fc.record({
  blocks: fc.array(fc.array(fc.array(fc.integer({ min: 1, max: 6 }), { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 3 }),
  layers: fc.constantFrom<readonly Slice[]>([{ level: 0, size: 1 }], [{ level: 0, size: 2 }], [{ level: 0, size: 3 }], [{ level: 1, size: 2 }], [{ level: 1, size: 5 }], [{ level: 2, size: 6 }], [{ level: 1, size: 4 }, { level: 0, size: 2 }], [{ level: 2, size: 6 }, { level: 0, size: 2 }], [{ level: 2, size: 8 }, { level: 1, size: 4 }], [{ level: 2, size: 12 }, { level: 1, size: 6 }, { level: 0, size: 3 }]),
  count: fc.integer({ min: 1, max: 6 }),
  /** Tasks that a last slice lacks, of those of one layer. */
  lacking: fc.integer({ min: 0, max: 4 }),
  asked: fc.constantFrom<Topology>({}, { required: 0 }, { required: 1 }, { required: 2 }, { preferred: 0 }, { preferred: 1 }, { preferred: 2 }),
  isMixed: fc.boolean(),
  seed: fc.integer({ min: 0, max: 99 }),
})

describe('slices on random clusters', () => {
  it('go where a rewrite of Kueue puts them, or nowhere', () => {
    const outcomes = { placed: 0, refused: 0 }
    fc.assert(fc.property(worlds, ({ blocks, layers, count, lacking, asked, isMixed, seed }) => {
      const level = asked.required ?? asked.preferred
      fc.pre(level === undefined || level >= layers[0]!.level)
      const nodes = blocks.flatMap((racks, b) => racks.flatMap((rack, r) => rack.map((procs, n) => ({ procs, path: [`b${b}`, `b${b}r${r}`, `b${b}r${r}n${(n * 7 + seed) % 10}`] }))))
      const cluster = { nodes: nodes.map(({ path: [block, rack, name], procs }) => ({ names: [name as string], count: 1, racks: [rack as string, block as string], resources: { procs } })) }
      const { size } = layers[0]!
      const tasks = count * size - (layers.length > 1 ? 0 : lacking % size)
      const expected = new Reference(nodes, layers, isMixed, tasks % size).assign(tasks, asked)
      const control = dispatcher({ cluster, policy: greedy(fifo(), topologyAware({ profile: isMixed ? 'mixed' : 'best-fit' })) })
      const submit = () => { control.submit({ id: 'job', submit: 0, topology: { ...asked, slices: layers }, stages: [{ name: 'pods', tasks, gang: true, demand: { procs: 1 }, duration: 1 }] }) }
      outcomes[expected === undefined ? 'refused' : 'placed']++
      if (expected === undefined) return void expect(submit).toThrow()
      submit()
      const counts: Record<string, number> = {}
      for (const { node } of control.pass(0).start) counts[node] = (counts[node] ?? 0) + 1
      expect(counts).toEqual(expected)
    }), { seed: 23, numRuns: 1000 })
    expect(Math.min(outcomes.placed, outcomes.refused)).toBeGreaterThan(100)
  })
})

describe('slices under all policies', () => {
  const racks = [[2, 1], [1, 2, 2], [3], [1, 1]]
  const cluster = { nodes: racks.flatMap((nodes, rack) => nodes.map((procs, i) => ({ names: [`${rack}-${i}`], count: 1, racks: [`r${rack}`, `b${rack >> 1}`], resources: { procs } }))) }
  const placement = topologyAware()
  const policies: Record<string, Plug<'policy'>> = {
    greedy: greedy(fifo(), placement), strict: strict(fifo(), { placement }), easy: easy(fifo(), { placement }), conservative: conservative(fifo(), { placement }),
    fattened: fattened(fifo(), { placement }), kueue: kueue({}, placement), volcano: volcano({}, placement), 'kai-preempting': kaiPreempting({}, placement),
    'kube-scheduler': kubeScheduler({}, placement), las: las({}, placement), 'yunikorn-reserving': yunikornReserving({}, placement), 'gang-scheduling': gangScheduling(fifo(), { rows: 1, placement }),
  }
  /** The group of a node by level. */
  const groupOf = (node: string, level: number) => (level === 0 ? node : level === 1 ? node.split('-')[0] : Number(node.split('-')[0]) >> 1)
  const asked = fc.constantFrom<readonly [most: number, topology: Topology]>([4, { slices: [{ level: 1, size: 2 }] }], [4, { slices: [{ level: 0, size: 2 }] }], [2, { required: 2, slices: [{ level: 1, size: 3 }] }], [2, { preferred: 2, slices: [{ level: 1, size: 2 }] }], [1, { slices: [{ level: 2, size: 4 }, { level: 0, size: 2 }] }])
  const plans = fc.array(fc.record({ asked, slices: fc.integer({ min: 1, max: 4 }), length: fc.integer({ min: 1, max: 9 }), gap: fc.integer({ min: 0, max: 4 }), isGang: fc.boolean() }), { minLength: 1, maxLength: 10 })

  it.each(Object.entries(policies))('are whole: %s', (_, policy) => {
    fc.assert(fc.property(plans, (plan) => {
      const control = dispatcher({ cluster, policy })
      const placesOf = plan.map((): string[] => [])
      const running: { readonly id: number; readonly end: number }[] = []
      const sliceOf = ({ asked: [, { slices }] }: (typeof plan)[number]) => slices as readonly Slice[]
      const tasksOf = (each: (typeof plan)[number]) => Math.min(each.asked[0], each.slices) * (sliceOf(each)[0] as Slice).size
      let submit = 0
      const submits = plan.map(({ gap }) => (submit += gap))
      for (let now = 0; now <= submit + 20 * plan.length; now++) {
        for (const { id } of running.filter(({ end }) => end === now)) control.taskEnded({ id }, now)
        for (const [i, each] of plan.entries())
          if (submits[i] === now) control.submit({ id: `${i}`, submit: now, topology: each.asked[1], estimate: each.length, stages: [{ name: 'pods', tasks: tasksOf(each), gang: each.isGang, demand: { procs: 1 }, duration: each.length }] }, now)
        for (const { id, job, node } of control.pass(now).start) {
          placesOf[Number(job)]?.push(node)
          running.push({ id, end: now + (plan[Number(job)]?.length ?? 0) })
        }
      }
      expect(placesOf.map((places) => places.length)).toEqual(plan.map(tasksOf))
      for (const [i, each] of plan.entries()) for (const { level, size } of each.isGang ? sliceOf(each) : []) {
        const counts = new Map<unknown, number>()
        for (const node of placesOf[i] ?? []) counts.set(groupOf(node, level), (counts.get(groupOf(node, level)) ?? 0) + 1)
        expect([...counts.values()].filter((count) => count % size !== 0)).toEqual([])
      }
    }), { seed: 29, numRuns: 20 })
  })
})
