import type { JobSpec, StageSpec } from '@sched/core'
import { easy } from '@sched/policies'
import { describe, expect, it } from 'vitest'
import { monolithic, partitioned, sharedState, twoLevel, type PartitionedOptions, type SharedStateOptions } from '../src/index.js'
import { cpuJob, cpus, play, putOn } from './world.js'

const said = (run: () => unknown): string => {
  try {
    run()
  } catch (error) {
    return (error as Error).message
  }
  return 'nothing'
}
const none = { job: 0, task: 0 }

describe('decision times', () => {
  it.each([
    [-1, 'at least 0', true],
    [NaN, 'a number', false],
    [Infinity, 'a number', false],
    [1e300, 'at most 86400', true],
  ])('of %d are refused', (job, expected, isBound) => {
    const stands = (key: 'job' | 'task') => (isBound ? ` "${key}" stands for ${{ job: 't_job: seconds for an attempt at a job; default 0.1', task: 't_task: seconds more for every task that is still to be placed; default 0.005' }[key]}.` : '')
    expect(said(() => monolithic({ decision: { job } }))).toBe(`monolithic.decision.job: found ${job}, expected ${expected}.${stands('job')}`)
    expect(said(() => sharedState({ classes: { service: { task: job } } }))).toBe(`shared-state.classes.service.task: found ${job}, expected ${expected}.${stands('task')}`)
    expect(said(() => sharedState({ schedulers: { batch: { decision: { job } } } }))).toBe(`shared-state.schedulers.batch.decision.job: found ${job}, expected ${expected}.${stands('job')}`)
    expect(said(() => twoLevel({ frameworks: { batch: { decision: { job } } } }))).toBe(`two-level.frameworks.batch.decision.job: found ${job}, expected ${expected}.${stands('job')}`)
  })

  it('for a class that no job has are told', () => {
    const warnings = (architecture: ReturnType<typeof monolithic>) => play(architecture, [cpuJob('a', { class: 'service' })]).warnings
    expect(warnings(monolithic({ classes: { servcie: { job: 10 } } }))).toEqual(['no job was of class "servcie", for which a decision time is set'])
    expect(warnings(monolithic({ classes: { service: { job: 10 } } }))).toEqual([])
  })

  it('with an unknown part are refused', () => {
    expect(said(() => monolithic({ decision: { jobs: 1 } as never }))).toBe('monolithic.decision.jobs: unknown key "jobs". Did you mean "job"? Known: job, task.')
  })
})

describe('a job that commits all or nothing', () => {
  it('is told of when no state of the cell has room for all of it', () => {
    const warnings = (options: SharedStateOptions, tasks: number) => play(sharedState({ schedulers: 1, decision: none, ...options }), [cpuJob('a', { tasks })]).warnings
    expect(warnings({ commit: 'all-or-nothing' }, 17)).toEqual([
      'job a has 17 tasks of {"cpu":1} and the cell room for 16: with commit all-or-nothing such jobs never start, and are tried until they are given up (abandonAfter, abandonUnplacedAfter).',
    ])
    for (const [options, tasks] of [[{ commit: 'all-or-nothing' }, 16], [{}, 17], [{ commit: 'all-or-nothing', partialGangs: true }, 17]] as const) expect(warnings(options, tasks)).toEqual([])
  })

  it('is what the run ends with, and not its policy, where it is never given up', () => {
    const [one] = cpuJob('').stages as [StageSpec]
    const later = { ...cpuJob('a'), stages: [one, { ...one, tasks: 17, after: [{ stage: 0, fraction: 1 }] }] }
    // an attempt per hour, as a week of them goes by before the engine takes a job for forgotten
    const never = (spec: JobSpec, options: SharedStateOptions) => said(() => play(sharedState({ schedulers: 1, decision: none, requeue: 3600, commit: 'all-or-nothing', abandonAfter: false, ...options }), [spec]))
    const why = (what: string) => `1 job waits although nothing runs: job a has 17 tasks of {"cpu":1} and the cell room for 16: with commit all-or-nothing such ${what} never start, and are tried for ever (abandonAfter: false). Let them be given up, or end the run before (until).`
    expect(never(cpuJob('a', { tasks: 17 }), { abandonUnplacedAfter: false })).toContain(`s ${why('jobs')}`)
    expect(never(later, {})).toContain(`s ${why('stages')}`)
    expect(never(cpuJob('a', { tasks: 17 }), {})).toBe('nothing')
  })
})

describe('schedulers', () => {
  const run = (schedulers: SharedStateOptions['schedulers'], ...classes: readonly (string | undefined)[]) =>
    play(sharedState({ schedulers, decision: none }), classes.map((own, i) => cpuJob(`j${i}`, { ...(own !== undefined && { class: own }) })))

  it('that do not take the class of a job are told', () => {
    expect(said(() => run({ batch: {}, service: {} }, 'batch', 'srevice'))).toBe(
      'class: job j1 is of class "srevice", which no scheduler takes. Did you mean "service"? Known: batch, service. With `classes: [\'*\']` a scheduler takes all others.',
    )
    expect(said(() => run({ batch: {} }, undefined))).toBe("class: job j0 has no class, and no scheduler takes jobs without one. Known: batch. With `classes: ['*']` a scheduler takes all others.")
  })

  it('without work are told at the end', () => {
    expect(run({ batch: {}, service: {}, rest: { classes: ['*'] } }, 'batch').warnings).toEqual([
      'scheduler "rest" got no job: none was of a class that no other takes',
      'scheduler "service" got no job: none was of class "service"',
    ])
    expect(run({ batch: {} }, 'batch').warnings).toEqual([])
  })

  it('of two kinds for one class, of no kind or of one name are refused', () => {
    expect(said(() => run({ a: { classes: ['x'] }, b: { classes: ['y', 'x'] } }))).toBe(
      'schedulers.b.classes: both "a" and "b" take jobs of class "x". Let one of them take it; `count` puts several schedulers to one class.',
    )
    expect(said(() => run({}))).toBe('schedulers: there is no scheduler. Name at least one, or give their number.')
    expect(said(() => run({ a: { count: 2 }, 'a-1': {} }))).toBe('two schedulers are called "a-1". Give them different names.')
    expect(said(() => sharedState({ schedulers: { a: { classes: [] } } }))).toBe('shared-state.schedulers.a.classes: found [], expected at least 1 element. "classes" stands for classes of the jobs it takes, "*" for all that no other takes; default: the class of its name.')
    expect(said(() => sharedState({ schedulers: 0 }))).toBe('shared-state.schedulers: found 0, expected more than 0. "schedulers" stands for how many equal schedulers, or the kinds by name: { batch: { count: 4 }, service: {} } for jobs of these classes. Leave it out for 2.')
  })

  it('with limits on a resource that the cluster has not, and policies for schedulers that are not there, are refused', () => {
    expect(said(() => run({ a: { limits: { resources: { cpus: 3 } } } }, 'a'))).toBe('schedulers.a.limits.resources.cpus: the cluster has no resource "cpus". Did you mean "cpu"? Known: cpu.')
    expect(said(() => play(sharedState({ schedulers: { batch: { count: 2 } } }), [], { policies: { batsh: putOn() } }))).toBe('policies: no scheduler is called "batsh". Did you mean "batch"? Known: batch, batch-0, batch-1.')
  })
})

describe('modes', () => {
  it('that are misspelt are refused', () => {
    expect(said(() => sharedState({ conflict: 'course' as never }))).toBe('shared-state.conflict: found "course", expected "fine" or "coarse". Did you mean "coarse"?')
    expect(said(() => sharedState({ commit: 'gang' as never }))).toBe('shared-state.commit: found "gang", expected "incremental" or "all-or-nothing".')
    expect(said(() => twoLevel({ allocator: 'drv' as never }))).toContain('two-level.allocator: found "drv", expected "drf" or "fair" or "round-robin"')
    expect(said(() => sharedState({ requeue: 0 }))).toBe('shared-state.requeue: found 0, expected more than 0. "requeue" stands for seconds after which a job that is not placed in full may be tried again. Leave it out for 1.')
  })
  it('of offers by a resource that the cluster has not are refused', () => {
    expect(said(() => play(twoLevel({ minimumOffer: { ram: 1 } }), []))).toBe('minimumOffer.ram: the cluster has no resource "ram". Known: cpu.')
  })
})

describe('partitions', () => {
  const divide = (partitions: PartitionedOptions['partitions'], nodes = 4) => said(() => play(partitioned({ partitions }), [], { cluster: cpus(nodes, 4) }))

  it('that do not cover the cluster, overlap or are empty are refused', () => {
    expect(divide({ a: { nodes: { names: ['node-0'] } } })).toBe('partitions: node node-1 and 2 more are in no partition. Give one partition `nodes: rest`, or name them.')
    expect(divide({ a: { nodes: { fraction: 0.75 } } })).toBe('partitions: node node-3 is in no partition. Give one partition `nodes: rest`, or name them.')
    expect(divide({ a: { nodes: { names: ['node-0'] } }, b: { nodes: { names: ['node-0'] } }, c: { nodes: 'rest' } })).toBe('partitions.b.nodes: node node-0 is in both "a" and "b". A node belongs to one partition.')
    expect(divide({ a: { nodes: { fraction: 1 } }, b: { nodes: 'rest' } })).toBe('partitions.b.nodes: partition "b" has no nodes. Give it some, or leave it out.')
    expect(divide(5)).toBe('partitions.part-2.nodes: partition "part-2" has no nodes. Give it some, or leave it out.')
    expect(divide({ a: { nodes: { fraction: 0.75 } }, b: { nodes: { fraction: 0.5 } } })).toBe('partitions: the fractions of the partitions add up to 1.25. Together they may be at most 1.')
  })

  it('of nodes, racks or shapes that are unknown are refused', () => {
    expect(divide({ a: { nodes: { names: ['nod-1'] } }, b: { nodes: 'rest' } })).toBe('partitions.a.nodes: no node is called "nod-1". Did you mean "node-1"? Known: node-0, node-1, node-2, node-3.')
    expect(divide({ a: { nodes: { names: ['nod-1'] } }, b: { nodes: 'rest' } }, 100)).toBe('partitions.a.nodes: no node is called "nod-1". Did you mean "node-1"?')
    expect(divide({ a: { nodes: { names: ['machine'] } }, b: { nodes: 'rest' } }, 100)).toBe('partitions.a.nodes: no node is called "machine". There are 100, such as node-0, node-1, node-2.')
    expect(divide({ a: { nodes: { groups: ['rack7'] } }, b: { nodes: 'rest' } })).toBe('partitions.a.nodes: no rack or group is called "rack7". Known: none.')
    expect(said(() => partitioned({ partitions: { a: { nodes: { fraction: 0 } } } }))).toBe('partitioned.partitions.a.nodes.fraction: found 0, expected more than 0. "fraction" stands for part of the nodes, by id after those of the partitions named before it.')
  })

  it('for classes that no job has, or too few, are told', () => {
    const partitions = { batch: { nodes: { fraction: 0.5 } }, service: { nodes: 'rest' as const } }
    expect(play(partitioned({ partitions }), [cpuJob('a', { class: 'batch' })]).warnings).toEqual(['partition "service" got no job: none was of class "service"'])
    expect(said(() => play(partitioned({ partitions }), [cpuJob('a', { class: 'web' })]))).toContain('job a is of class "web", which no partition takes.')
  })
})

describe('combinations without meaning', () => {
  it('of backfilling, which plans over all nodes, with several schedulers are refused; with one alone they are not', () => {
    const under = (architecture: Parameters<typeof play>[0]) => said(() => play(architecture, [cpuJob('a', {})], { policy: easy() }))
    expect(under(sharedState())).toBe(
      'schedulers: the policy of scheduler "scheduler-0" promises jobs when they start, planning over all nodes, but there are other schedulers on them, so no promise could be kept. Backfill under monolithic, or with one scheduler alone.',
    )
    expect(under(twoLevel())).toContain('the policy of framework "framework-0" promises jobs')
    expect(under(partitioned())).toContain('the policy of partition "part-0" promises jobs')
    for (const alone of [sharedState({ schedulers: 1 }), twoLevel({ frameworks: 1 }), partitioned({ partitions: 1 })]) expect(() => play(alone, [cpuJob('a', {})], { policy: easy() })).not.toThrow()
  })

  it('of decision times with a limit per heartbeat are refused', () => {
    expect(said(() => play(monolithic({ decision: { job: 1 }, tasksPerHeartbeat: 1 }), []))).toBe('tasksPerHeartbeat: is for decisions that take no time. Leave it out, or leave out `decision` and `classes`.')
  })

  it('of a gang with a partition that never has room for it are refused', () => {
    const gang = { ...cpuJob('a', {}), stages: [{ name: 'tasks', tasks: 9, demand: { cpu: 1 }, duration: 1, gang: true }] }
    expect(said(() => play(partitioned(), [gang], { cluster: cpus(4, 4) }))).toBe('job a starts 9 tasks of {"cpu":1} together, and partition "part-0" has room for 8. Give the partition more nodes. Or leave such jobs out with `infeasible: reject`.')
  })
})
