import { dispatcher } from '@sched/cluster'
import { yunikornPreempting, type YunikornOptions } from '@sched/policies'
import { instantCluster, job } from '@sched/testkit'
import { describe, expect, it } from 'vitest'
import { nodeUsage } from '../src/index.js'

/** Nodes of 100 cpu and mem each; what starts, and what is taken for it, once a job has come that asks so much of both per task. */
function play(names: readonly string[], options: YunikornOptions, prefer: 'most' | 'least' = 'least') {
  const nodes = names.map((name) => ({ count: 1, names: [name], resources: { cpu: 100, mem: 100 } }))
  const master = dispatcher({ cluster: instantCluster({ nodes }), policy: yunikornPreempting(options, nodeUsage({ prefer })) })
  return (now: number, ...jobs: readonly (readonly [queue: string, tasks: number, each: number, priority: number])[]) => {
    for (const [queue, tasks, each, priority] of jobs) master.submit(job({ id: `${queue} ${now}`, queue, tasks, demand: { cpu: each, mem: each }, priority }), now)
    const { start, kill } = master.pass(now)
    return [...start.map(({ job: id, task, node }) => `${id} ${task} on ${node}`), ...kill.map(({ job: id, task }) => `not ${id} ${task}`)]
  }
}

describe('what YuniKorn decides (TestGoldenDecisionTraceScenarios)', () => {
  it.each([['most', 'aaaa'], ['least', 'abab']] as const)('goes to the nodes that are used %s', (prefer, expected) => {
    expect(play(['a', 'b'], { root: { queues: { leaf: {} } } }, prefer)(0, ['leaf', 4, 25, 5]).map((start) => start.at(-1)).join('')).toBe(expected)
  })

  it('takes the last of those of which nothing is guaranteed', () => {
    const both = (cpu: number) => ({ guaranteed: { cpu, mem: cpu }, max: { cpu: 100_000, mem: 100_000 } })
    const at = play(['n'], { root: { queues: { low: both(0), high: both(1000) } } })
    expect([at(0, ['low', 2, 50, 1]), at(1, ['high', 1, 50, 9]), at(31)]).toEqual([['low 0 0 on n', 'low 0 1 on n'], [], ['high 1 0 on n', 'not low 0 1']])
  })
})
