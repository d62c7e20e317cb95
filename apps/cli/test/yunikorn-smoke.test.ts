import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { directory, sched } from './sched.js'

// Cases of YuniKorn's own tests of a whole scheduler (smoke_test.go, golden_trace_scenarios_test.go, queue_starvation_test.go): its queues.yaml, jobs that come, and where they start.
// There so many cycles run, each of one start; here nodes have room for so many.

/** A job: its queue ('': none), when it comes, its tasks, millicores and MiB of each, and how long they run, seconds. */
type Job = readonly [id: string, queue: string, submit: number, tasks: number, cpu: number, mem: number, runs?: number]
interface Case {
  readonly queues: string
  readonly partition?: string
  readonly nodes: readonly [count: number, cpu: number, mem: number]
  readonly jobs: readonly Job[]
  /** Of jobs that do not say, seconds. */
  readonly runs?: number
}

/** By job and time: so many tasks, the numbers of their nodes, when they started, and that they were taken. */
async function starts({ queues, partition = '', nodes: [count, cpu, mem], jobs, runs = 1000 }: Case): Promise<string[]> {
  const cwd = directory({
    'queues.yaml': `partitions:\n- name: default\n${partition}  queues:\n  - name: root\n    submitacl: '*'\n    queues: [${queues}]\n`,
    'nodes.yaml': Array.from({ length: count }, (_, i) => `apiVersion: v1\nkind: Node\nmetadata: { name: n${i} }\nstatus: { allocatable: { cpu: ${cpu}m, memory: ${mem}Mi } }\n`).join('---\n'),
    'jobs.jsonl': ['{"format":"sched-workload","version":1}', ...jobs.map(([id, queue, submit, tasks, cpus, mebibytes, duration = runs]) =>
      JSON.stringify({ id, submit, ...(queue !== '' && { queue }), user: 'ann', stages: [{ name: 'pods', tasks, demand: { cpu: cpus, mem: mebibytes }, duration }] }))].join('\n'),
  })
  const { code, err } = await sched(['run', '--trace', 'jobs.jsonl', '--nodes', 'nodes.yaml', '--queues', 'queues.yaml', '--jitter', '0', '--quiet', '--schedule', '--out', 'out'], { cwd })
  expect([code, code === 0 ? '' : err]).toEqual([0, ''])
  const [header = [], ...rows] = readFileSync(join(cwd, 'out', 'schedule-queues.csv'), 'utf8').trim().split('\n').map((row) => row.split(','))
  const at = (row: readonly string[], name: string) => row[header.indexOf(name)]
  return rows.map((row) => `${at(row, 'id')} ${at(row, 'tasks')} on ${at(row, 'nodes')} at ${at(row, 'start')}${at(row, 'how') === 'done' ? '' : ` ${at(row, 'how')}`}`).sort()
}

const two = [2, 20_000, 100] as const
const sorted = (type: string) => `  nodesortpolicy: { type: ${type} }\n`
const four: readonly Job[] = [1, 2, 3, 4].map((i): Job => [`a${i}`, 'root.leaf', 0, 1, 25, 25])
const halves = ['app1 10 on 0 at 0', 'app1 10 on 0-1 at 1000', 'app2 10 on 0-1 at 1000', 'app2 10 on 1 at 0']
/** Others hold two of four places for a while, too short for a reservation; the first of these two has two then, the second one none. */
const contested: readonly Job[] = [['x', 'root.aside', 0, 1, 1, 10, 2], ['y', 'root.aside', 0, 1, 1, 10, 2.5], ['early', 'root.leaf', 1, 3, 1, 10], ['late', 'root.leaf', 1.5, 2, 1, 10]]
const memory = (name: string, guaranteed: string, max: string) => `{ name: ${name}, resources: { guaranteed: { memory: ${guaranteed} }, max: { memory: ${max} } } }`
const starved = `${memory('large', '360Gi', '400Gi')}, ${memory('small', '100Mi', '100Mi')}`

describe('a scheduler of YuniKorn', () => {
  it.each<[string, Case, readonly string[]]>([
    ['shares among queues (TestFairnessAllocationForQueues)', { queues: '{ name: leaf1 }, { name: leaf2 }', nodes: two, jobs: [['app1', 'root.leaf1', 0, 20, 1000, 10], ['app2', 'root.leaf2', 0, 20, 1000, 10]] }, halves],
    ['shares among applications (TestFairnessAllocationForApplications)', { queues: '{ name: leaf, properties: { application.sort.policy: fair } }', nodes: two, jobs: [['app1', 'root.leaf', 0, 20, 1000, 10], ['app2', 'root.leaf', 0, 20, 1000, 10]] }, halves],
    ['rejects an application of no queue (TestRejectApplications)', { queues: '{ name: leaf }', nodes: two, jobs: [['rejected', 'root.non-exist-queue', 0, 1, 1000, 10], ['added', 'root.leaf', 0, 1, 1000, 10]] }, ['added 1 on 0 at 0']],
    ['keeps the max of a queue around (TestSchedulingOverMaxCapacity)', { queues: '{ name: parent, resources: { max: { memory: 100Mi, vcore: 10 } }, queues: [{ name: child-1 }, { name: child-2 }] }', nodes: [1, 15_000, 150], jobs: [['app', 'root.parent.child-1', 0, 12, 1000, 10]] }, ['app 10 on 0 at 0', 'app 2 on 0 at 1000']],
    ['keeps the max of a queue (TestSchedulingOverMaxCapacity)', { queues: '{ name: default, resources: { max: { memory: 100Mi, vcore: 10 } } }', nodes: [1, 15_000, 150], jobs: [['app', 'root.default', 0, 12, 1000, 10]] }, ['app 10 on 0 at 0', 'app 2 on 0 at 1000']],
    ['fills one node with binpacking (TestBinPackingAllocationForApplications)', { queues: '{ name: leaf }', partition: sorted('binpacking'), nodes: two, jobs: [['app', 'root.leaf', 0, 9, 1000, 10]] }, ['app 9 on 0 at 0']],
    ['gives all nodes as many (TestFairnessAllocationForNodes)', { queues: '{ name: leaf }', nodes: [10, 20_000, 100], jobs: [['app1', 'root.leaf', 0, 10, 1000, 10], ['app2', 'root.leaf', 0, 10, 1000, 10]] }, ['app1 10 on 0-9 at 0', 'app2 10 on 0-9 at 0']],
    ['makes a queue of a rule (TestDynamicQueueCleanUp)', { queues: '{ name: leaf }', partition: '  placementrules: [{ name: fixed, value: cleanup_test, create: true }]\n', nodes: two, jobs: [['app', '', 0, 2, 1000, 10]] }, ['app 2 on 0-1 at 0']],
    ['packs nodes one by one (node-binpacking)', { queues: '{ name: leaf }', partition: sorted('binpacking'), nodes: [2, 100, 100], jobs: four }, ['a1 1 on 0 at 0', 'a2 1 on 0 at 0', 'a3 1 on 0 at 0', 'a4 1 on 0 at 0']],
    ['goes from node to node (node-fair)', { queues: '{ name: leaf }', partition: sorted('fair'), nodes: [2, 100, 100], jobs: four }, ['a1 1 on 0 at 0', 'a2 1 on 1 at 0', 'a3 1 on 0 at 0', 'a4 1 on 1 at 0']],
    [
      'starves a queue that has something beside one of 3600 times its guarantee (TestQueueStarvationWithPriorAllocation)', // 10/100 against 20/360
      { queues: starved, nodes: [1, 1000, 10 + 20 * 1024], jobs: [['prior', 'root.small', 0, 1, 1, 10], ['large', 'root.large', 1, 20, 1, 1024], ['pi', 'root.small', 1, 1, 1, 1]] },
      ['large 20 on 0 at 1', 'pi 1 on 0 at 1000', 'prior 1 on 0 at 0'],
    ],
    [
      'starves it not where it has nothing (TestQueueStarvationNoStarvationAtZero)',
      { queues: starved, nodes: [1, 1000, 5 * 1024], jobs: [['large', 'root.large', 0, 20, 1, 1024], ['pi', 'root.small', 0, 1, 1, 1]], runs: 10 },
      expect.arrayContaining(['large 4 on 0 at 0', 'pi 1 on 0 at 0']),
    ],
    [
      'serves it once the other has a larger part (TestQueueStarvationTiebreakerRecovery)', // 10/100 against 0/1000, 100/1000, which ask more, and 200/1000
      { queues: `${memory('large', '1000Mi', '10Gi')}, ${memory('small', '100Mi', '100Mi')}`, nodes: [1, 1000, 10 + 200 + 10], jobs: [['prior', 'root.small', 0, 1, 1, 10], ['large', 'root.large', 1, 3, 1, 100], ['pi', 'root.small', 1, 1, 1, 10]], runs: 100 },
      ['large 1 on 0 at 101', 'large 2 on 0 at 1', 'pi 1 on 0 at 1', 'prior 1 on 0 at 0'],
    ],
    [
      'lets neither of two wait that are guaranteed as much (TestStarvationWithEqualGuarantees)', // 0/100, 10/100, which asks more, and 20/100 against 10/100
      { queues: `${memory('queue-a', '100Mi', '500Mi')}, ${memory('queue-b', '100Mi', '500Mi')}`, nodes: [1, 1000, 10 + 20 + 1], jobs: [['prior', 'root.queue-b', 0, 1, 1, 10], ['a', 'root.queue-a', 1, 3, 1, 10], ['b', 'root.queue-b', 1, 1, 1, 1]], runs: 100 },
      ['a 1 on 0 at 100', 'a 2 on 0 at 1', 'b 1 on 0 at 1', 'prior 1 on 0 at 0'],
    ],
    ...([['fifo', 'first', ['early 1 on 0 at 2', 'early 2 on 0 at 1', 'late 1 on 0 at 1001', 'late 1 on 0 at 2.5']], ['fair', 'with less', ['early 1 on 0 at 1001', 'early 2 on 0 at 1', 'late 1 on 0 at 2', 'late 1 on 0 at 2.5']]] as const).map(([policy, who, expected]): [string, Case, readonly string[]] => [
      `serves the application that came ${who} (app-ordering-${policy})`,
      { queues: `{ name: leaf, properties: { application.sort.policy: ${policy} } }, { name: aside }`, nodes: [1, 100, 40], jobs: contested },
      [...expected, 'x 1 on 0 at 0', 'y 1 on 0 at 0'],
    ]),
    [
      'takes the later of two of a queue without guarantee (preemption)',
      { queues: `{ name: plow, resources: { guaranteed: { memory: 0 } } }, ${memory('phigh', '1000Mi', '100Gi')}`, nodes: [1, 1000, 100], jobs: [['low1', 'root.plow', 0, 1, 50, 50], ['low2', 'root.plow', 1, 1, 50, 50], ['high', 'root.phigh', 2, 1, 50, 50]], runs: 100 },
      ['high 1 on 0 at 32', 'low1 1 on 0 at 0', 'low2 1 on 0 at 1 evicted', 'low2 1 on 0 at 100'],
    ],
  ])('%s', async (_, given, expected) => {
    expect(await starts(given)).toEqual(expected)
  })
})
