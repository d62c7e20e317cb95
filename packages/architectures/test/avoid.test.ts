// @module-tag long
import type { ClusterView, JobId, JobSpec, NodeId, None, Observer, Plug, Seconds, StageSpec, TaskId, WorkView } from '@sched/core'
import { fifo, greedy, kaiPreempting } from '@sched/policies'
import type { AvoidOptions } from '@sched/sim'
import { digest, worlds, type World } from '@sched/testkit'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { monolithic } from '../src/index.js'
import { architectures, outagesOf, policies, tasksOf } from './rule-worlds.js'
import { play } from './world.js'

// Laws that hold for every rule by which nodes are avoided, under every architecture, on small random worlds.

const rules: readonly AvoidOptions[] = [
  { rule: 'hadoop', failures: 1, ignoreThreshold: -1 }, { rule: 'hadoop', failures: 2, ignoreThreshold: 60 }, { rule: 'hadoop1', failures: 1, mostOfJob: 1, blacklists: 2 }, { rule: 'hadoop1', failures: 2, mostOfJob: 0.6 },
  { rule: 'spark', abortAfter: 3, timeout: 8 }, { rule: 'spark', task: 2, stage: 1, application: 1, timeout: 5 }, { rule: 'drain', failures: 1, time: 6 },
]

const played = (architecture: () => Plug<'architecture'>, world: World, policy: () => Plug<'policy'>, avoid: AvoidOptions | undefined, observers: readonly Observer[] = []) => {
  const { cluster, seed, runtime, failures } = world
  return play(architecture(), world.jobs, { cluster, seed, runtime, ...(failures && { failures }), ...(avoid && { avoid }), outages: outagesOf(world), policy: policy(), infeasible: 'reject', observers }).recorder
}

/** What the engine says that jobs avoid, and tasks that start there all the same. */
class Reported implements Observer {
  readonly wrong: string[] = []
  count = 0
  starts = 0
  readonly now = new Map<JobId | None, Set<string>>()
  protected work!: WorkView
  protected cluster!: ClusterView
  onRunStart({ work, cluster }: Parameters<NonNullable<Observer['onRunStart']>>[0]): void {
    this.work = work
    this.cluster = cluster
  }
  onAvoid(...[node, job, stage, task, isAvoided]: Parameters<NonNullable<Observer['onAvoid']>>): void {
    const own = this.now.get(job) ?? new Set<string>()
    this.now.set(job, own)
    const what = `${stage}.${task} on ${node}`
    if (own.has(what) === isAvoided) this.wrong.push(`${what} is told twice`)
    if (isAvoided) own.add(what)
    else own.delete(what)
    if (isAvoided) this.count++
  }
  onTaskStart(...[task, job, , node, , now]: Parameters<NonNullable<Observer['onTaskStart']>>): void {
    this.starts++
    const [own, stage, index] = [this.now.get(job), this.work.stageOf(task), this.work.indexOf(task)]
    for (const what of [`-1.-1 on ${node}`, `${stage}.-1 on ${node}`, `${stage}.${index} on ${node}`]) if (own?.has(what) === true) this.wrong.push(`${this.work.name(job)}.${stage}.${index} starts at ${now} on ${node}, avoided as ${what}`)
  }
  onJobEnd(job: JobId): void {
    this.now.delete(job)
  }
}

interface Failed {
  readonly stage: number
  readonly task: number
  readonly node: NodeId
  readonly time: Seconds
  /** Number of nodes that were up. */
  readonly up: number
}

/** The plain reference: what a job avoids follows from all its failures so far, all of which are gone through at each start. */
class Reference extends Reported {
  readonly #rule: AvoidOptions
  readonly #failed = new Map<JobId, Failed[]>()
  readonly #done = new Map<JobId, { stage: number; time: Seconds }[]>()
  readonly #left = new Map<JobId, number[]>()
  #up = NaN
  compared = 0

  constructor(rule: AvoidOptions) {
    super()
    this.#rule = rule
  }

  override onRunStart(run: Parameters<NonNullable<Observer['onRunStart']>>[0]): void {
    super.onRunStart(run)
    this.#up = run.cluster.nodes
  }
  onSubmit(job: JobId, { stages }: JobSpec): void {
    this.#failed.set(job, [])
    this.#done.set(job, [])
    this.#left.set(job, stages.map(({ tasks }) => tasks))
  }
  onNode(_node: NodeId, up: boolean): void {
    this.#up += up ? 1 : -1
  }
  onTaskEnd(...[task, job, , node, how, , , now]: Parameters<NonNullable<Observer['onTaskEnd']>>): void {
    const [stage, index] = [this.work.stageOf(task), this.work.indexOf(task)]
    if (how === 'failed') this.#failed.get(job)?.push({ stage, task: index, node, time: now, up: this.#up })
    if (how !== 'done') return
    const left = this.#left.get(job) as number[]
    left[stage] = (left[stage] as number) - 1
    if (left[stage] === 0) this.#done.get(job)?.push({ stage, time: now })
  }
  override onTaskStart(task: TaskId, job: JobId, ...rest: [never, NodeId, number, Seconds]): void {
    super.onTaskStart(task, job, ...rest)
    const [told, known] = [[...(this.now.get(job) ?? [])].sort(), this.#avoided(job, rest[3]).sort()]
    if (told.join() !== known.join()) this.wrong.push(`at ${rest[3]} job ${this.work.name(job)} avoids ${told.join(', ')}, expected ${known.join(', ')}`)
    if (known.length > 0) this.compared++
  }

  #avoided(job: JobId, now: Seconds): string[] {
    const rule = this.#rule
    const failed = this.#failed.get(job) as Failed[]
    const specs = this.#left.get(job)?.map((_, stage) => this.#specOf(job, stage)) as StageSpec[]
    const isLeft = (stage: StageSpec, nodes: readonly NodeId[]) => this.#all().some((node) => !nodes.includes(node) && this.cluster.couldHold(stage, node) > 0)
    const text = (nodes: readonly NodeId[], what: string) => nodes.map((node) => `${what} on ${node}`)
    const nodesOf = (some: readonly Failed[], most: number) => this.#all().filter((node) => some.filter((each) => each.node === node).length >= most)
    switch (rule.rule) {
      case 'hadoop': {
        const listed = nodesOf(failed, rule.failures ?? 3)
        const isIgnored = rule.ignoreThreshold !== -1 && Math.floor(Math.fround(Math.fround(listed.length / this.#up) * 100)) >= (rule.ignoreThreshold ?? 33)
        return isIgnored || !specs.every((stage) => isLeft(stage, listed)) ? [] : text(listed, '-1.-1')
      }
      case 'hadoop1': {
        const [most, part] = [rule.failures ?? 4, rule.mostOfJob ?? 0.25]
        const counted: Failed[] = []
        for (const each of failed) if (nodesOf(counted, most).length < each.up * part) counted.push(each)
        const flaky = nodesOf(counted, most)
        const ofJob = flaky.length < this.#up * part && specs.every((stage) => isLeft(stage, flaky)) ? flaky : []
        const tasks = new Map(failed.map((each) => [`${each.stage}.${each.task}`, each]))
        return [...text(ofJob, '-1.-1'), ...[...tasks].flatMap(([name, { stage, task }]) => {
          const where = [...new Set(failed.filter((each) => each.stage === stage && each.task === task).map(({ node }) => node))]
          return where.length >= this.#up || !isLeft(specs[stage] as StageSpec, [...where, ...ofJob]) ? [] : text(where, name)
        })]
      }
      case 'spark': {
        const { task: attempts = 1, stage: ofStage = 2, application = 2, timeout = 3600 } = rule
        const done = this.#done.get(job) as { stage: number; time: Seconds }[]
        const names = new Set(failed.map(({ stage, task }) => `${stage}.${task}`))
        const tasksOn = (stage: number, node: NodeId) => [...new Map(failed.filter((each) => each.stage === stage && each.node === node).map((each) => [each.task, each.time])).entries()]
        const single = [...names].flatMap((name) => text(nodesOf(failed.filter((each) => `${each.stage}.${each.task}` === name), attempts), name))
        const stages = specs.flatMap((_, stage) => (done.some((each) => each.stage === stage) ? [] : text(this.#all().filter((node) => tasksOn(stage, node).length >= ofStage), `${stage}.-1`)))
        const all = this.#all().filter((node) => {
          let [times, until] = [[] as Seconds[], -1]
          for (const { stage, time } of done) {
            const own = tasksOn(stage, node).map(([, last]) => last)
            if (own.length === 0) continue
            times = [...times, ...own].filter((each) => each + timeout >= time)
            if (times.length < application || until > time) continue
            times = []
            until = time + timeout
          }
          return until > now
        })
        return [...single, ...stages, ...text(all, '-1.-1')]
      }
      case 'drain':
        return []
    }
  }

  #all(): NodeId[] {
    return Array.from({ length: this.cluster.nodes }, (_, node) => node as NodeId)
  }
  #specOf(job: JobId, stage: number): StageSpec {
    return (this.work as WorkView & { spec(job: JobId): JobSpec }).spec(job).stages[stage] as StageSpec
  }
}

describe('a job that is one gang of several stages', () => {
  it('is left enough nodes for all of it, where those of each stage alone would do with less', () => {
    const part = (name: string) => ({ name, tasks: 1, demand: { cpu: 2 }, duration: 10, gang: true })
    const jobs = [{ id: 'g', submit: 0, gang: true, stages: [part('a'), part('b')] }]
    const on = (count: number) => {
      const reported = new Reported()
      const cluster = { nodes: [{ count, resources: { cpu: 2 } }] }
      const { events } = play(monolithic(), jobs, { cluster, seed: 3, failures: { badNodes: { nodes: [1] as NodeId[], probability: 0.9 }, maxAttempts: 100 }, avoid: { rule: 'hadoop', failures: 1, ignoreThreshold: -1 }, policy: greedy(fifo()), observers: [reported] }).recorder
      return [reported.count, events.at(-1)?.kind]
    }
    expect([on(2), on(3)]).toEqual([[0, 'finish'], [1, 'finish']])
  })
})

describe.each(Object.entries(architectures))('%s', (name, architecture) => {
  it.each(rules)('avoids nodes by %o: no task starts on a node that it avoids, each is done once, every job ends, and all is the same in every run', (rule) => {
    let [avoided, starts] = [0, 0]
    fc.assert(
      fc.property(worlds({ avoid: [rule], outages: true, heartbeats: false }), fc.constantFrom(...policies), (world, policy) => {
        const reported = new Reported()
        const recorder = played(architecture, world, policy, rule, [reported])
        expect(reported.wrong).toEqual([])
        const left = new Set(recorder.events.flatMap((event) => (event.kind === 'reject' || event.kind === 'abandon' ? [event.job] : [])))
        const done = recorder.ends.filter(({ how, job }) => how === 'done' && !left.has(job)).map(({ job, stage, task }) => `${job}.${stage}.${task}`)
        expect(done.sort()).toEqual(tasksOf(world.jobs.filter(({ id }) => !left.has(id))).sort())
        expect(digest(played(architecture, world, policy, rule))).toBe(digest(recorder))
        avoided += reported.count
        starts += reported.starts
      }),
      { seed: 47, numRuns: 40 },
    )
    expect(starts).toBeGreaterThan(200)
    if (rule.rule !== 'drain') expect(avoided).toBeGreaterThan(name === 'on demand' ? 3 : 15)
  })

  it('decides as without the option where it never comes to that', () => {
    fc.assert(
      fc.property(worlds({ avoid: rules, heartbeats: false, outages: true }), fc.constantFrom(...policies), (world, policy) => {
        const without = digest(played(architecture, world, policy, undefined))
        for (const rule of [{ rule: 'hadoop', failures: 1000 }, { rule: 'spark', task: 1000, stage: 1000, application: 1000 }, { rule: 'drain', failures: 1000 }] as const) expect(digest(played(architecture, world, policy, rule))).toBe(without)
      }),
      { seed: 53, numRuns: 15 },
    )
  })
})

describe('what a job avoids', () => {
  const { 'on demand': _, ...others } = architectures
  it.each(Object.entries(others))('is what follows from all its failures, under %s, with heartbeats and without', (_name, architecture) => {
    let compared = 0
    fc.assert(
      fc.property(worlds({ avoid: rules, outages: true, ...(architecture === architectures['monolithic'] ? {} : { heartbeats: false }) }), fc.constantFrom(...rules), fc.constantFrom(...policies.slice(0, 4)), (world, rule, policy) => {
        const reference = new Reference(rule)
        played(architecture, world, policy, rule, [reference])
        expect(reference.wrong).toEqual([])
        compared += reference.compared
      }),
      { seed: 59, numRuns: 150 },
    )
    expect(compared).toBeGreaterThan(150)
  })
})

describe('a task that has failed on a node', () => {
  it('is not moved there to make room for others: they would move each other for ever', () => {
    const stage = (tasks: number, cpu: number, mem: number, duration: number, more: Partial<StageSpec> = {}): StageSpec => ({ name: 'map', tasks, demand: { cpu, mem }, duration, ...more })
    const jobs: JobSpec[] = [
      { id: 'j0', submit: 60.5, stages: [stage(2, 1, 2, 33.3)] }, { id: 'j1', submit: 61.5, queue: 'a', stages: [stage(4, 1, 3, 1, { gang: true })] },
      { id: 'j2', submit: 68.5, queue: 'root.a', stages: [stage(4, 2, 3, 10)] }, { id: 'j4', submit: 75.5, stages: [stage(1, 2, 3, 300)] },
      { id: 'j8', submit: 197.5, stages: [stage(2, 1, 3, 33.3), { ...stage(2, 2, 3, 10), name: 'reduce', after: [{ stage: 0, fraction: 0.05 }] }] },
    ]
    const seen = new Set<string>()
    const watch: Observer = {
      onTaskStart(task, _job, _lane, node, _level, now) {
        const what = `task ${task} on node ${node} at ${now}`
        if (seen.has(what)) throw new Error(what)
        seen.add(what)
      },
    }
    play(monolithic(), jobs, { cluster: { nodes: [{ count: 2, resources: { cpu: 2, mem: 7 } }] }, policy: kaiPreempting({ maxConsolidationPreemptees: 1 }), failures: { mtbf: 1 }, avoid: { rule: 'spark' }, runtime: { jitter: 0 }, outages: [{ node: 0 as NodeId, from: 43, to: 229 }], infeasible: 'reject', until: 260, observers: [watch] })
    expect(seen.size).toBeGreaterThan(10)
  })
})
