import { dispatcher, type Decisions, type Dispatcher, type Placed, type TaskName } from '@sched/cluster'
import { definePlacement, None, Registry, SchedError, type JobSpec, type NodeId, type Plug } from '@sched/core'
import { registerPolicies } from '@sched/policies'
import { HeartbeatRing } from '@sched/sim'
import { modelOf, prepare, type End, type JobEvent, type World } from '@sched/testkit'
import { monolithic } from '../src/index.js'

/** All policies, and two placements, of which one stands for a third. */
export const registry = registerPolicies(new Registry())
registry.add(definePlacement({ name: 'first-fit', summary: 'the lowest node', create: () => ({ pick: (job, round) => round.nodes.find((node) => round.fits(job, node)) ?? None }) }))
registry.add(
  definePlacement({
    name: 'random-fit',
    summary: 'any node, from a stream of its own',
    create(_, { random }) {
      const stream = random('fit')
      return {
        pick(job, round) {
          const fitting = round.nodes.filter((node) => round.fits(job, node))
          return fitting.length === 0 ? None : (fitting[Math.floor(stream() * fitting.length)] as NodeId)
        },
      }
    },
  }),
)
registry.addPreset({ kind: 'placement', name: 'kube-scores', summary: 'the default of kube-scheduler', config: { 'first-fit': {} } })

/** Tiers of Volcano's without the limit of `proportion`: a queue that deserves less than a task would start none, and a world not end. */
const unbound = [{ plugins: ['priority', 'gang', 'conformance'] }, { plugins: ['overcommit', 'drf', { name: 'proportion', enabledAllocatable: false, enabledOverused: false }] }]

/** The options that a policy must have here. */
export const neededBy = (policy: string): Record<string, unknown> => (policy === 'skip-delay' ? { skips: 5 } : policy === 'volcano' ? { tiers: unbound } : {})

const key = ({ job, stage, task }: TaskName) => `${job}.${stage}.${task}`
interface Line {
  readonly time: number
  readonly isKill: boolean
  readonly text: string
}
const line = (time: number, isKill: boolean, placed: TaskName & { readonly node: string }): Line => ({ time, isKill, text: `${time}${isKill ? ' kill' : ''} ${key(placed)} on ${placed.node}` })

/** What is killed in an instant comes first, and what started in it and was killed did not. Of starts and suspended tasks that go on, which a dispatcher lists apart, the order is not known. */
function told(lines: readonly Line[], isOrdered: boolean): string[] {
  const text = lines.toSorted((a, b) => a.time - b.time || Number(b.isKill) - Number(a.isKill) || (isOrdered ? 0 : a.text < b.text ? -1 : 1)).map((each) => each.text)
  const undone = new Set(lines.flatMap((each) => (each.isKill ? [each.text.replace(' kill', '')] : [])).filter((start) => text.includes(start)))
  return text.filter((each) => !undone.has(each.replace(' kill', '')))
}

/** What a simulation does, and what a dispatcher does that is told of the same ends at the same times: starts and kills. */
export function both(world: World, make: () => Plug<'policy'>): { readonly simulated: string[]; readonly dispatched: string[]; readonly wakes: number } {
  const { cluster, jobs, seed, runtime } = world
  const { recorder, simulation } = prepare({ policy: make(), cluster, jobs, seed, runtime, infeasible: 'reject', architecture: monolithic() })
  if (simulation.advance(200_000) !== 'done') throw new Error('the simulation goes on')
  const { events } = recorder
  const simulated = events.flatMap((event) => (event.kind === 'launch' ? [line(event.time, false, event)] : event.kind === 'end' && event.how === 'evicted' ? [line(event.time, true, event)] : []))
  const inputs = events.filter((event): event is Input => event.kind === 'submit' || event.kind === 'reject' || (event.kind === 'end' && event.how === 'done'))
  const service = new Service(dispatcher({ cluster, policy: make(), seed }), inputs, new Map(jobs.map((job) => [job.id, job])))
  service.run(cluster.heartbeat === undefined ? undefined : new HeartbeatRing(cluster.heartbeat, modelOf(cluster).nodes))
  return { simulated: told(simulated, !service.hasResumed), dispatched: told(service.lines, !service.hasResumed), wakes: service.wakes }
}

type Input = JobEvent | End

/** Tells a dispatcher of what happens, asks it when it wants to be asked, and writes down what it decides. */
class Service {
  readonly lines: Line[] = []
  wakes = 0
  hasResumed = false
  readonly #running = new Map<string, Placed>()
  #next = 0

  constructor(
    private readonly master: Dispatcher,
    private readonly inputs: readonly Input[],
    private readonly specs: ReadonlyMap<string, JobSpec>,
  ) {}

  /** Ends when all is done, or where what has ended was not started. */
  run(ring: HeartbeatRing | undefined): void {
    const { master } = this
    for (let left = 20_000; left > 0; left--) {
      const time = this.inputs[this.#next]?.time ?? Infinity
      if (time === Infinity && master.work.active === 0) return
      const now = Math.min(time, master.nextWake, ring?.next ?? Infinity)
      if (now === Infinity) return
      ring?.skipTo(now)
      const before = this.#next
      let isChanged = false // a job that is refused changes nothing, and a simulation looks no more for it
      for (let input = this.inputs[before]; input?.time === now && this.#tell(input); input = this.inputs[++this.#next]) if (input.kind !== 'reject') isChanged = true
      const isDue = master.nextWake <= now
      if (isDue) this.wakes++
      if (ring === undefined) {
        if (!isDue && this.#next === before) return
        if (isDue || isChanged) this.#carryOut(now, master.pass(now))
        continue
      }
      if (isDue) this.#carryOut(now, master.tick(now))
      for (; ring.next === now; ring.advance()) this.#carryOut(now, master.heartbeat(master.cell.name(ring.node), now))
      if (this.#next === before && time < now) return
    }
  }

  /** False for the end of what does not run yet. */
  #tell(input: Input): boolean {
    const { master } = this
    if (input.kind === 'end') {
      const placed = this.#running.get(key(input))
      if (placed === undefined) return false
      this.#running.delete(key(input))
      master.taskEnded(placed, input.time)
      return true
    }
    try {
      master.submit(this.specs.get(input.job) as JobSpec, input.time)
    } catch (error) {
      if (input.kind !== 'reject' || !(error instanceof SchedError)) throw error
    }
    return true
  }

  #carryOut(now: number, { start, kill, suspend = [], resume = [] }: Decisions): void {
    for (const placed of [...kill, ...suspend]) this.lines.push(line(now, true, placed))
    if (resume.length > 0) this.hasResumed = true
    for (const placed of [...start, ...resume]) {
      this.#running.set(key(placed), placed)
      this.lines.push(line(now, false, placed))
    }
  }
}
