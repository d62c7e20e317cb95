import { randomStream, type NodeId, type NodeState, type Observer, type TaskId } from '@sched/core'
import { describe, expect, it } from 'vitest'
import type { Outage } from '../src/index.js'
import { exact, job, policyOf, prepare, run, stage, startAll } from './world.js'

const sleep = { after: 5, wake: 3, shutdown: 0 }
const cluster = (count = 1, rule: Partial<typeof sleep> = {}) => ({ nodes: [{ count, slots: { slot: 1 }, sleep: { ...sleep, ...rule } }] })
const away = (node: number, from: number, to: number, drain = false): Outage => ({ node: node as NodeId, from, to, drain })

/** What nodes became, as lines. */
class States implements Observer {
  readonly lines: string[] = []
  onNodeState(node: NodeId, state: NodeState, now: number): void {
    this.lines.push(`${now} ${node} ${state}`)
  }
}

describe('a node that sleeps', () => {
  it('does so when nothing has run there for a while, and a task that starts there waits for it', () => {
    const states = new States()
    const { ends } = run([job('a'), job('b', { submit: 20 })], { cluster: cluster(), observers: [states] })
    expect(ends).toEqual({ a: 10, b: 33 })
    expect(states.lines).toEqual(['15 0 stopping', '15 0 asleep', '20 0 waking', '23 0 awake'])
  })

  it('is awake for a task that comes in time', () => {
    expect(run([job('a'), job('b', { submit: 14 })], { cluster: cluster() }).ends).toEqual({ a: 10, b: 24 })
  })

  it('is asleep for one that comes in the instant in which its time is up', () => {
    expect(run([job('a'), job('b', { submit: 15 })], { cluster: cluster() }).ends).toEqual({ a: 10, b: 28 })
  })

  it('goes to sleep before it wakes again', () => {
    const states = new States()
    expect(run([job('a'), job('b', { submit: 17 })], { cluster: cluster(1, { shutdown: 4 }), observers: [states] }).ends).toEqual({ a: 10, b: 32 })
    expect(states.lines).toEqual(['15 0 stopping', '19 0 waking', '22 0 awake'])
  })

  it('has every task wait that starts before it is awake', () => {
    const two = { nodes: [{ count: 1, slots: { slot: 2 }, sleep }] }
    expect(run([job('a', { submit: 20 }), job('b', { submit: 22, duration: 1 })], { cluster: two }).ends).toEqual({ a: 33, b: 24 })
  })

  it('keeps the tasks of a gang waiting that start with one of its own', () => {
    // node 0 is awake at 14, node 1 has slept since 5
    const gang = { id: 'g', submit: 14, stages: [stage({ tasks: 2, gang: true })] }
    const stages = { id: 's', submit: 14, stages: [stage({ tasks: 2 })] }
    expect(run([job('a'), gang], { cluster: cluster(2) }).lines.filter((line) => line.includes('done g'))).toEqual(['27 done g on 0', '27 done g on 1'])
    expect(run([job('a'), stages], { cluster: cluster(2) }).lines.filter((line) => line.includes('done s'))).toEqual(['24 done s on 0', '27 done s on 1'])
  })

  it('is a matter of its group', () => {
    const groups = { nodes: [{ count: 1, slots: { slot: 1 } }, { count: 1, slots: { slot: 1 }, sleep }] }
    expect(run([job('a', { submit: 20, tasks: 2 })], { cluster: groups }).lines.filter((line) => line.includes('done'))).toEqual(['30 done a on 0', '33 done a on 1'])
  })

  it('stays awake for what the run is prefilled with', () => {
    const prefill = [{ node: 0 as NodeId, demand: { slot: 1 }, end: 18 }]
    expect(run([job('a', { submit: 20 })], { cluster: cluster(), prefill }).ends).toEqual({ a: 30 })
    expect(run([job('a', { submit: 25 })], { cluster: cluster(), prefill }).ends).toEqual({ a: 38 })
  })

  it('stays awake for a suspended task', () => {
    // suspended from 4 to 30, with 6 s to go
    const suspending = policyOf((round, [first]) => {
      const { work, lane, now } = round
      if (first === undefined) return
      const running: TaskId[] = []
      work.runningTasks(first, lane, running)
      if (now === 0 || now >= 30) startAll(round, first)
      else if (running[0] !== undefined) round.suspendTask(running[0], round.cluster.lanes[lane]?.resources ?? [])
      round.wakeAt(now < 4 ? 4 : 30)
    })
    expect(run([job('a')], { cluster: cluster(), policy: suspending }).ends).toEqual({ a: 36 })
  })

  it('is awake when it is back, and has lost no work that a task did not do while it woke', () => {
    const checkpoint = { interval: 2 }
    // awake at 23, lost at 28 with 4 of 5 s saved; from 29 on 6 s are left
    expect(run([job('a', { submit: 20 })], { cluster: cluster(), outages: [away(0, 28, 29)], checkpoint }).ends).toEqual({ a: 35 })
    expect(run([job('a', { submit: 20 })], { cluster: cluster(), outages: [away(0, 7, 16)] }).ends).toEqual({ a: 30 })
    expect(run([job('a', { submit: 20 })], { cluster: cluster(), outages: [away(0, 7, 15)] }).ends).toEqual({ a: 33 })
  })

  it('does not end the run, nor keep it going', () => {
    expect(run([job('a')], { cluster: cluster() }).ended).toBe(10)
    expect(run([job('a'), job('b', { submit: 1e6 })], { cluster: cluster() }).ends).toEqual({ a: 10, b: 1e6 + 13 })
  })

  it('does not go with tasks whose pace depends on others', () => {
    expect(() => prepare([], { cluster: { nodes: [{ ...cluster().nodes[0]!, hardware: { cores: 1 } }] }, runtime: { jitter: 0 } })).toThrow(
      'sleep: is for tasks that take their own time, and these depend on what else runs. Leave out `network` and the `hardware` of the nodes, or their sleep.',
    )
  })

  it('has its tasks end when one that is followed second by second does', { tags: 'long' }, () => {
    let waited = 0
    for (let seed = 1; seed <= 300; seed++) {
      const random = randomStream(seed, 'sleep')
      const whole = (least: number, most: number) => least + Math.floor(random() * (most - least + 1))
      const rule = { after: whole(0, 6), wake: whole(0, 5), shutdown: whole(0, 4) }
      let submit = 0
      const jobs = Array.from({ length: 12 }, (_, i) => job(`${i}`, { submit: (submit += whole(0, 12)), tasks: whole(1, 3), duration: whole(1, 9) }))
      const outages = Array.from({ length: whole(0, 3) }, () => away(whole(0, 2), whole(0, 30), whole(31, 60), random() < 0.5))
      const nodes = new FollowedNodes(3, rule, new Map(jobs.map(({ id, stages }) => [id, stages[0]?.duration as number])))
      run(jobs, { cluster: { nodes: [{ count: 3, slots: { slot: 2 }, sleep: rule }] }, runtime: exact, outages, observers: [nodes] })
      expect([seed, nodes.mistakes]).toEqual([seed, []])
      waited += nodes.waited
    }
    expect(waited).toBeGreaterThan(500)
  })
})

interface Followed {
  held: number
  away: boolean
  phase: NodeState
  /** Seconds until it changes by itself. */
  left: number
}

/** Nodes followed second by second by what is said of them: their states, and when tasks on them must end. Times are whole. */
class FollowedNodes implements Observer {
  readonly mistakes: string[] = []
  waited = 0
  #now = 0
  readonly #nodes: Followed[]
  readonly #ends = new Map<number, number>()

  constructor(count: number, private readonly rule: typeof sleep, private readonly durations: ReadonlyMap<string, number>) {
    this.#nodes = Array.from({ length: count }, () => ({ held: 0, away: false, phase: 'awake', left: rule.after }))
  }

  onTaskStart: NonNullable<Observer['onTaskStart']> = (task, job, _lane, id, _level, now) => {
    this.#passTo(now)
    this.#changeDue()
    const node = this.#nodes[id]!
    node.held++
    const { phase } = node
    if (phase === 'asleep') [node.phase, node.left] = ['waking', this.rule.wake]
    const wait = phase === 'awake' ? 0 : phase === 'stopping' ? node.left + this.rule.wake : node.left
    if (wait > 0) this.waited++
    this.#ends.set(task, now + wait + this.durations.get(this.#name(job))!)
  }
  onTaskEnd: NonNullable<Observer['onTaskEnd']> = (task, _job, _lane, id, how, _started, _stopped, now) => {
    this.#passTo(now)
    const node = this.#nodes[id]!
    if (--node.held === 0 && node.phase === 'awake') node.left = this.rule.after
    if (how === 'done' && this.#ends.get(task) !== now) this.mistakes.push(`${now}: task on ${id} should end at ${this.#ends.get(task)}`)
  }
  onNode(id: NodeId, up: boolean, now: number): void {
    this.#passTo(now)
    Object.assign(this.#nodes[id]!, { away: !up, phase: 'awake', left: this.rule.after })
  }
  onRunStart({ work }: Parameters<NonNullable<Observer['onRunStart']>>[0]): void {
    this.#name = (job) => work.name(job)
  }
  #name: (job: Parameters<NonNullable<Observer['onTaskStart']>>[1]) => string = () => ''

  #passTo(now: number): void {
    for (; this.#now < now; this.#now++) {
      this.#changeDue()
      for (const node of this.#nodes) if (!this.#isResting(node)) node.left--
    }
  }
  /** Whether nothing will change by itself. */
  #isResting({ phase, held, away }: Followed): boolean {
    return phase === 'asleep' || (phase === 'awake' && (held > 0 || away))
  }

  #changeDue(): void {
    for (const node of this.#nodes)
      while (!this.#isResting(node) && node.left === 0) {
        if (node.phase === 'awake') [node.phase, node.left] = ['stopping', this.rule.shutdown]
        else if (node.phase === 'stopping') [node.phase, node.left] = node.held > 0 ? ['waking', this.rule.wake] : ['asleep', 0]
        else [node.phase, node.left] = ['awake', this.rule.after]
      }
  }
}
