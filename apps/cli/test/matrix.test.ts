// @module-tag long
import { SchedError } from '@sched/core'
import { trainBayes, type BayesModel } from '@sched/placement'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { prepare } from '../src/experiment/experiment.js'
import { experimentSchema } from '../src/experiment/schema.js'
import { builtIns } from '../src/registry.js'
import { runOnce } from '../src/run-once.js'
import { optionsSchema } from '../src/schema/json-schema.js'
import { directory } from './sched.js'

const registry = builtIns()
/** Options without which a policy or a placement cannot be. */
const needed: Readonly<Record<string, object>> = {
  'skip-delay': { skips: 5 },
  'node-weight': { weights: Object.fromEntries(Array.from({ length: 6 }, (_, node) => [`node-${node}`, 1 + (node % 3)])) },
}

/** A model by which `bayes-comm` moves every job, for a cluster of so many racks and nodes in each. */
function movesAll([racks, nodes]: readonly [number, number]): BayesModel {
  const plan = Array.from({ length: racks }, () => Array.from({ length: nodes }, () => 1))
  const model = trainBayes([{ plan, isActive: true }, { plan, isActive: false }], { kind: 'bernoulli' })
  const { C0, C1 } = model.classes
  return { ...model, classes: { C0: { ...C0, prior: 0.001 }, C1: { ...C1, prior: 0.999 } } } as BayesModel
}

const inWorld = (config: Combination['config'], { shape }: (typeof worlds)[keyof typeof worlds]) =>
  'bayes-comm' in config ? { 'bayes-comm': { ...(config['bayes-comm'] as object), model: movesAll(shape) } } : config

/** No architecture may give a job up: every one has to end. */
const patient = (architecture: string) => {
  const schema = optionsSchema(registry.get('architecture', architecture).options)
  const limits = Object.keys(schema?.['properties'] ?? {}).filter((option) => option.startsWith('abandon'))
  return { [architecture]: Object.fromEntries(limits.map((option) => [option, false])) }
}

const JOBS = 10

interface Combination {
  /** The discipline or preset, by which a refusal is listed. */
  readonly policy: string
  readonly config: Readonly<Record<string, unknown>>
}

const combinations: readonly Combination[] = [
  ...registry.list('policy').flatMap(({ name, inner }): Combination[] => {
    const orders = 'order' in inner ? registry.names('order') : [undefined]
    return orders.map((order) => ({ policy: name, config: { [name]: { ...needed[name], ...(order !== undefined && { order }) } } }))
  }),
  ...registry.list('policy').flatMap(({ name, inner }): Combination[] =>
    'placement' in inner ? registry.names('placement').map((placement) => ({ policy: name, config: { [name]: { ...needed[name], placement: { [placement]: needed[placement] ?? {} } } } })) : [],
  ),
  ...registry.presets('policy').map(({ name }): Combination => ({ policy: name, config: { [name]: {} } })),
  { policy: 'kube-scheduler', config: { 'kube-scheduler': { terminationGracePeriodSeconds: 5, backoff: { popFromBackoffQ: false } } } },
]

/** Slots with data and heartbeats, where a round is about one node; or resources that are known at once, and gangs among the jobs. */
const worlds = {
  'slots and heartbeats': { cluster: { nodes: 6, racks: 3, slots: { map: 2, reduce: 1 }, heartbeat: { interval: 3 } }, shape: [3, 2], demand: { map: 1 }, data: {} },
  'resources, known at once': { cluster: { nodes: 6, resources: { cpu: 4, mem: 8 } }, shape: [1, 6], demand: { cpu: 1, mem: 3 }, data: undefined },
} as const

function jobs({ demand, data }: (typeof worlds)[keyof typeof worlds]): string {
  const lines = Array.from({ length: JOBS }, (_, i) => {
    const stage = { name: 'tasks', tasks: 1 + ((i * 5) % (i % 6 === 0 ? 4 : 9)), demand, duration: 4 + ((i * 7) % 30), ...(data !== undefined && { data }), ...(data === undefined && i % 6 === 0 && { gang: true }) }
    return { id: `job${i}`, submit: i * 2, user: `user${i % 3}`, class: i % 5 === 0 ? 'service' : 'batch', estimate: 40, priority: i % 2, stages: [stage] }
  })
  return [{ format: 'sched-workload', version: 1, name: 'mixed', jobs: lines.length }, ...lines].map((line) => JSON.stringify(line)).join('\n')
}

/** Pairs that the page says are refused, `architecture x policy`. */
function documented(): string[] {
  const page = readFileSync(join(import.meta.dirname, '../../../docs/architectures.md'), 'utf8')
  const section = page.split(/^## /m).find((each) => each.startsWith('Refused pairs')) ?? ''
  return [...section.matchAll(/^\| `([^`]+)` \| (.+?) \|/gm)].flatMap(([, architecture = '', policies = '']) => [...policies.matchAll(/`([^`]+)`/g)].map(([, policy = '']) => `${architecture} x ${policy}`)).sort()
}

const refused = new Set<string>()
/** The architecture itself says that it will not have the policy. */
const isRefusal = (architecture: string, error: unknown) => error instanceof SchedError && error.code === 'BAD_OPTION' && error.place.field?.startsWith(`architecture.${architecture}`) === true

describe.each(registry.names('architecture'))('%s', (architecture) => {
  it.each(Object.entries(worlds))('runs every policy, order and placement to the end on %s, breaking no law, or says why not', async (_, world) => {
    const directoryOf = directory({ 'jobs.jsonl': jobs(world) })
    const policies = combinations.map(({ config }, i) => ({ name: String(i), policy: inWorld(config, world) }))
    const spec = experimentSchema.parse({ seeds: 1, cluster: world.cluster, workload: { trace: 'jobs.jsonl' }, policies, architecture: patient(architecture), validate: true })
    const experiment = await prepare({ spec, directory: directoryOf })
    for (const [i, policy] of experiment.policies.entries()) {
      const combination = combinations[i] as Combination
      const text = JSON.stringify(combination.config)
      try {
        const { summary } = await runOnce(experiment, policy, 1, { mayGoOn: () => true })
        expect({ text, finished: summary.counts.finished, left: summary.counts.tasks - summary.counts.tasksDone }).toEqual({ text, finished: JOBS, left: 0 })
      } catch (error) {
        if (!isRefusal(architecture, error)) throw new Error(`${architecture} under ${text}: ${String(error)}`, { cause: error })
        refused.add(`${architecture} x ${combination.policy}`)
      }
    }
  })
})

it('refuses the pairs that docs/architectures.md lists, and no others', () => {
  expect([...refused].sort()).toEqual(documented())
})

it('gives the same run twice', async () => {
  const [, world] = Object.entries(worlds)[1] as [string, (typeof worlds)['resources, known at once']]
  const directoryOf = directory({ 'jobs.jsonl': jobs(world) })
  for (const architecture of registry.names('architecture')) {
    const spec = experimentSchema.parse({ seeds: 1, cluster: world.cluster, workload: { trace: 'jobs.jsonl' }, policies: [{ greedy: { order: 'fair', placement: 'random-fit' } }], architecture })
    const experiment = await prepare({ spec, directory: directoryOf })
    const runs = [1, 2].map(() => runOnce(experiment, experiment.policies[0] as (typeof experiment.policies)[number], 1, { mayGoOn: () => true }))
    const [one, two] = await Promise.all(runs)
    expect(two).toEqual(one)
  }
})
