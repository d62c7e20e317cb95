// @module-tag long
import { dispatcher } from '@sched/cluster'
import type { Slice, Topology } from '@sched/core'
import { fifo, greedy } from '@sched/policies'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { topologyAware } from '../src/index.js'

/** A domain as in Kueue's snapshot: what it has room for, and later what it gets, in workers and in slices, without and with the leader. */
interface Domain {
  readonly path: readonly string[]
  readonly children: Domain[]
  pods: number
  podsWith: number
  slices: number
  slicesWith: number
  /** Leaders for which it has room, or that it gets: 0 or 1. */
  leaders: number
}
type Key = 'slices' | 'pods'

/** Kueue's findTopologyAssignment, of a leader and its workers, written anew from tas_flavor_snapshot.go. Levels count from the top, as there. */
class Reference {
  readonly #levels: Domain[][] = [[], [], []]
  readonly #inner = new Map<number, number>()
  readonly #size: number
  readonly #sliceLevel: number

  constructor(nodes: readonly { readonly path: readonly string[]; readonly procs: number }[], slices: readonly Slice[], leader: number, readonly isLeast: boolean) {
    this.#size = slices[0]?.size ?? 1
    this.#sliceLevel = 2 - (slices[0]?.level ?? 0)
    for (let i = 1; i < slices.length; i++) for (let level = 3 - slices[i - 1]!.level; level <= 2 - slices[i]!.level; level++) this.#inner.set(level, slices[i]!.size)
    for (const { path, procs } of nodes) for (let level = 0; level < 3; level++) {
      if (this.#levels[level]!.some((each) => each.path.join() === path.slice(0, level + 1).join())) continue
      const leads = procs >= leader
      const domain: Domain = { path: path.slice(0, level + 1), children: [], pods: procs, podsWith: leads ? procs - leader : procs, slices: 0, slicesWith: 0, leaders: leads ? 1 : 0 }
      this.#levels[level]!.push(domain)
      this.#levels[level - 1]?.find((each) => each.path.join() === path.slice(0, level).join())?.children.push(domain)
    }
    for (const root of this.#levels[0]!) this.#fill(root, 0)
  }

  #fill(domain: Domain, level: number): void {
    const whole = (pods: number) => pods - (pods % (this.#inner.get(level + 1) ?? 1))
    if (domain.children.length > 0) {
      for (const child of domain.children) this.#fill(child, level + 1)
      const leading = domain.children.filter((each) => each.leaders > 0)
      const least = (of: (child: Domain) => number) => Math.min(...leading.map(of))
      domain.leaders = leading.length > 0 ? 1 : 0
      domain.pods = sum(domain.children, (each) => whole(each.pods))
      domain.slices = sum(domain.children, (each) => each.slices)
      domain.podsWith = leading.length === 0 ? 0 : domain.pods - least((each) => whole(each.pods) - whole(each.podsWith))
      domain.slicesWith = leading.length === 0 ? 0 : domain.slices - least((each) => each.slices - each.slicesWith)
    }
    if (level !== this.#sliceLevel) return
    domain.slices = Math.floor(domain.pods / this.#size)
    domain.slicesWith = Math.floor(domain.podsWith / this.#size)
  }

  #by(a: Domain, b: Domain, key: 'slices' | 'slicesWith'): number {
    return (this.isLeast ? 1 : -1) * (a[key] - b[key])
  }

  #sorted(domains: readonly Domain[]): Domain[] {
    return [...domains].sort((a, b) => this.#by(a, b, 'slices') || a.pods - b.pods || (a.path.join() < b.path.join() ? -1 : 1))
  }

  #sortedWithLeader(domains: readonly Domain[]): Domain[] {
    return [...domains].sort((a, b) => b.leaders - a.leaders || this.#by(a, b, 'slicesWith') || a.podsWith - b.podsWith || (a.path.join() < b.path.join() ? -1 : 1))
  }

  /** findBestFitDomain and findBestFitDomainForSlices. */
  #best(domains: readonly Domain[], needed: number, key: Key, leaders: number): Domain {
    const count = (each: Domain) => (leaders > 0 ? each[`${key}With`] : each[key])
    const fitting = domains.filter((each) => each.leaders >= leaders && count(each) >= needed)
    return fitting.sort((a, b) => count(a) - count(b) || domains.indexOf(a) - domains.indexOf(b))[0] ?? (domains[0] as Domain)
  }

  #prioritized(domains: readonly Domain[], needed: number, key: Key): Domain[] {
    const all = sum(domains, (each) => each[key])
    const at = domains.findIndex((each) => each.leaders > 0 && all - (each[key] - each[`${key}With`]) >= needed)
    return at <= 0 ? [...domains] : [domains[at] as Domain, ...domains.slice(0, at), ...domains.slice(at + 1)]
  }

  #fit(level: number, slices: number, required: boolean, isFree: boolean): readonly [number, Domain[]] | undefined {
    const fits = (each: Domain) => each.leaders > 0 && each.slicesWith >= slices
    let sorted = this.#sortedWithLeader(this.#levels[level]!)
    let [top] = sorted as [Domain]
    if (!this.isLeast && fits(top)) top = this.#best(sorted, slices, 'slices', 1)
    const first = this.isLeast ? sorted.find(fits) : undefined
    if (first !== undefined) return [level, [first]]
    if (fits(top)) return [level, [top]]
    if (required) return undefined
    if (level > 0 && !isFree) return this.#fit(level - 1, slices, required, isFree)
    sorted = this.#prioritized(sorted, slices, 'slices')
    if (sorted[0]!.leaders === 0) return undefined
    const found = [sorted[0]!]
    let left = slices - sorted[0]!.slicesWith
    sorted = this.#sorted(sorted.slice(1))
    for (let i = 0; left > 0 && i < sorted.length; i++) {
      const next = !this.isLeast && sorted[i]!.slices >= left ? this.#best(sorted.slice(i), left, 'slices', 0) : sorted[i]!
      found.push(next)
      left -= next.slices
    }
    return left > 0 ? undefined : [level, found]
  }

  /** updateCountsToMinimumGeneric with consumeWithLeadersGeneric. */
  #update(all: readonly Domain[], count: number, leaderCount: number, size: number, isSlices: boolean): Domain[] {
    const key: Key = isSlices ? 'slices' : 'pods'
    const result: Domain[] = []
    let left = isSlices ? Math.floor(count / size) : count
    let leaders = leaderCount
    const domains = leaders > 0 && all.length > 1 ? this.#prioritized(all, left, key) : all
    for (const [i, next] of domains.entries()) {
      let domain = next
      if (leaders > 0) {
        if (!this.isLeast && domain[`${key}With`] >= left && domain.leaders >= leaders) domain = this.#best(domains.slice(i), left, key, leaders)
        const takes = Math.min(domain[`${key}With`], left)
        const isLast = domain[`${key}With`] >= left && domain.leaders >= leaders
        domain.leaders = Math.min(domain.leaders, leaders)
        domain[key] = takes
        domain.pods = takes * size
        result.push(domain)
        if (isLast) return result
        leaders -= domain.leaders
        left -= takes
        continue
      }
      if (!this.isLeast && domain[key] >= left) domain = this.#best(domains.slice(i), left, key, 0)
      const takes = Math.min(domain[key], left)
      const isLast = domain[key] >= left
      domain.leaders = 0
      domain[key] = takes
      domain.pods = takes * size
      result.push(domain)
      if (isLast) return result
      left -= takes
    }
    throw new Error('assumptions violated')
  }

  assign(count: number, { required, preferred }: Topology): readonly [leader: string, workers: Readonly<Record<string, number>>] | undefined {
    const isFree = required === undefined && preferred === undefined
    const found = this.#fit(isFree ? 0 : 2 - ((required ?? preferred) as number), Math.floor(count / this.#size), required !== undefined, isFree)
    if (found === undefined) return undefined
    let [level, domains] = found
    domains = this.#update(domains, count, 1, this.#size, true)
    for (; level < this.#sliceLevel; level++) domains = this.#update(this.#sorted(domains.flatMap(({ children }) => children)), count, 1, this.#size, true)
    for (; level < 2; level++) {
      const size = this.#inner.get(level + 1) ?? 1
      domains = domains.flatMap(({ children, pods, leaders }) => {
        const sorted = this.#sorted(children)
        if (size > 1) for (const each of sorted) [each.slices, each.slicesWith] = [Math.floor(each.pods / size), Math.floor(each.podsWith / size)]
        return this.#update(sorted, pods, leaders, size, size > 1)
      })
    }
    return [domains.find(({ leaders }) => leaders > 0)!.path.at(-1) as string, Object.fromEntries(domains.filter(({ pods }) => pods > 0).map(({ path, pods }) => [path.at(-1) as string, pods]))]
  }
}
const sum = (domains: readonly Domain[], of: (domain: Domain) => number): number => domains.reduce((all, each) => all + of(each), 0)

const worlds = fc.record({
  blocks: fc.array(fc.array(fc.array(fc.integer({ min: 1, max: 6 }), { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 3 }),
  layers: fc.constantFrom<readonly Slice[]>([], [], [{ level: 0, size: 2 }], [{ level: 0, size: 3 }], [{ level: 1, size: 2 }], [{ level: 1, size: 5 }], [{ level: 2, size: 6 }], [{ level: 1, size: 4 }, { level: 0, size: 2 }], [{ level: 2, size: 6 }, { level: 0, size: 2 }], [{ level: 2, size: 8 }, { level: 1, size: 4 }]),
  count: fc.integer({ min: 1, max: 9 }),
  /** What the leader asks, of which a worker asks 1. */
  leader: fc.integer({ min: 1, max: 4 }),
  asked: fc.constantFrom<Topology>({}, { required: 0 }, { required: 1 }, { required: 2 }, { preferred: 0 }, { preferred: 1 }, { preferred: 2 }),
  isFirst: fc.boolean(),
  isMixed: fc.boolean(),
  seed: fc.integer({ min: 0, max: 99 }),
})

describe('a leader and its workers on random clusters', () => {
  it('go where a rewrite of Kueue puts them, or nowhere', () => {
    const outcomes = { placed: 0, refused: 0, sliced: 0 }
    fc.assert(fc.property(worlds, ({ blocks, layers, count, leader, asked, isFirst, isMixed, seed }) => {
      const level = asked.required ?? asked.preferred
      const [outer] = layers
      fc.pre(level === undefined ? outer !== undefined : outer === undefined || level >= outer.level)
      const nodes = blocks.flatMap((racks, b) => racks.flatMap((rack, r) => rack.map((procs, n) => ({ procs, path: [`b${b}`, `b${b}r${r}`, `b${b}r${r}n${(n * 7 + seed) % 10}`] }))))
      const cluster = { nodes: nodes.map(({ path: [block, rack, name], procs }) => ({ names: [name as string], count: 1, racks: [rack as string, block as string], resources: { procs } })) }
      const workers = Math.max(2, count * (outer?.size ?? 1))
      fc.pre(workers % (outer?.size ?? 1) === 0)
      const expected = new Reference(nodes, layers, leader, isMixed && level === undefined).assign(workers, asked)
      const control = dispatcher({ cluster, policy: greedy(fifo(), topologyAware({ profile: isMixed ? 'mixed' : 'best-fit' })) })
      const stage = (tasks: number, procs: number) => ({ name: 'pods', tasks, gang: true, demand: { procs }, duration: 1 })
      const stages = isFirst ? [stage(1, leader), stage(workers, 1)] : [stage(workers, 1), stage(1, leader)]
      const submit = () => { control.submit({ id: 'job', submit: 0, gang: true, topology: { ...asked, ...(outer && { slices: layers }) }, stages }) }
      outcomes[expected === undefined ? 'refused' : outer === undefined ? 'placed' : 'sliced']++
      if (expected === undefined) {
        try {
          submit()
        } catch {
          return
        }
        return void expect(control.pass(0).start).toEqual([])
      }
      submit()
      const counts: Record<string, number> = {}
      const { start } = control.pass(0)
      for (const { node, stage: of } of start) if ((of === 0) !== isFirst) counts[node] = (counts[node] ?? 0) + 1
      expect([start.find(({ stage: of }) => (of === 0) === isFirst)?.node, counts]).toEqual(expected)
    }), { seed: 31, numRuns: 3000 })
    expect(Math.min(outcomes.placed, outcomes.refused, outcomes.sliced)).toBeGreaterThan(300)
  })
})
