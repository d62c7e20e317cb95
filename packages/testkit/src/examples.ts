import { dispatcher, type ClusterDescription } from '@sched/cluster'
import type { JobSpec, Plug, Seconds } from '@sched/core'
import { cluster, job } from './build.js'

/** A heartbeat of a script and what must start in it, as `job.task at level`: level 0 is the node of the task's data. */
export interface ScriptStep {
  /** When, seconds. */
  readonly at: Seconds
  /** The node that reports. */
  readonly node: string
  /** Free slots that the node reports; default 1. */
  readonly free?: number
  /** What starts there, in order. */
  readonly starts: readonly string[]
}

/** A worked example: jobs submitted at time 0 in this order, then heartbeats by hand. No task ends. */
export interface Script {
  /** Where the example is from. */
  readonly source: string
  /** Its nodes. */
  readonly cluster: ClusterDescription
  /** In order of submission. */
  readonly jobs: readonly JobSpec[]
  /** What is expected, in order of time. */
  readonly steps: readonly ScriptStep[]
}

/** What a policy starts at each step of a script, to be compared with `steps[i].starts`. */
export function playScript({ cluster, jobs, steps }: Script, policy: Plug<'policy'>): string[][] {
  const master = dispatcher({ cluster, policy })
  for (const each of jobs) master.submit(each, 0)
  return steps.map(({ at, node, free = 1 }) => master.heartbeat(node, at, { free }).start.map(({ job, task, level }) => `${job}.${task} at ${level}`))
}

/** Nodes n-0 to n-3 without racks: a task runs on its data (level 0) or anywhere (level 1). */
const flat = cluster({ nodes: [{ name: 'n', count: 4, slots: { map: 9 } }] })
/** n-0 and n-1 on one rack, n-2 on another: node 0, rack 1, anywhere 2. */
const racks = cluster({ nodes: [{ name: 'n', count: 3, racks: 2, slots: { map: 9 } }] })

/** A map job whose tasks' blocks have one replica each, on these nodes. */
const reading = (id: string, hosts: readonly string[]): JobSpec => job({ id, tasks: hosts.length, data: { hosts: hosts.map((host) => [host]) } })

/** Job a's block is on n-3, both of b are on n-1; heartbeats of n-1, n-2, n-3, n-3, n-2 with one free slot each. */
const skips = (source: string, starts: readonly (readonly string[])[]): Script => ({
  source,
  cluster: flat,
  jobs: [reading('a', ['n-3']), reading('b', ['n-1', 'n-1'])],
  steps: ['n-1', 'n-2', 'n-3', 'n-3', 'n-2'].map((node, i) => ({ at: i, node, starts: starts[i] ?? [] })),
})

/** One job, all its blocks on n-0. */
const waits = (source: string, steps: readonly ScriptStep[]): Script => ({ source, cluster: racks, jobs: [reading('a', Array<string>(6).fill('n-0'))], steps })
const step = (at: Seconds, node: string, ...starts: string[]): ScriptStep => ({ at, node, starts })

/** Traces of published algorithms, for policies that claim to be one of them. Jobs are ordered by running tasks, ties by submission. */
export const examples = {
  /** Nobody waits. */
  naiveFair: skips('Zaharia et al., EuroSys 2010, Algorithm 1', [['a.0 at 1'], ['b.0 at 1'], ['b.1 at 1'], [], []]),
  /** D = 1: at n-1 a is skipped once, so it starts on n-2; b is skipped on n-3, then starts there. */
  skipOnce: skips('Zaharia et al., EuroSys 2010, Algorithm 2, D = 1', [['b.0 at 0'], ['a.0 at 1'], [], ['b.1 at 1'], []]),
  /** D = 2: a is skipped twice, b once, then a finds its data; b is skipped again and starts anywhere. */
  skipTwice: skips('Zaharia et al., EuroSys 2010, Algorithm 2, D = 2', [['b.0 at 0'], [], ['a.0 at 0'], [], ['b.1 at 1']]),
  /** W1 = 5, W2 = 10. Waits: 3 s at 3, 6 at 6, 7 at 7: rack; 10 at 18: anywhere, again at 19; back to 0 at its node. */
  delay: waits('Zaharia et al., EuroSys 2010, Algorithm 3, W1 = 5 s, W2 = 10 s', [
    step(0, 'n-2'),
    step(3, 'n-1'),
    step(6, 'n-2'),
    step(7, 'n-1', 'a.0 at 1'),
    step(8, 'n-2'),
    step(18, 'n-2', 'a.1 at 2'),
    step(19, 'n-2', 'a.2 at 2'),
    step(20, 'n-0', 'a.3 at 0'),
    step(21, 'n-2'),
  ]),
  /** A job that has not left its node's level needs W1 + W2 = 15 s to go anywhere. */
  delayFromNode: waits('Zaharia et al., EuroSys 2010, Algorithm 3, W1 = 5 s, W2 = 10 s', [step(0, 'n-2'), step(14, 'n-2'), step(15, 'n-2', 'a.0 at 2')]),
  /** At 3 s no slot is free, so the job is not skipped, and the time to 6 s does not count: it has waited 3 s there. */
  delayGap: waits('Zaharia et al., EuroSys 2010, Algorithm 3, W1 = 5 s, W2 = 10 s', [
    step(0, 'n-2'),
    { at: 3, node: 'n-1', free: 0, starts: [] },
    step(6, 'n-1'),
    step(9, 'n-1', 'a.0 at 1'),
  ]),
} satisfies Readonly<Record<string, Script>>
