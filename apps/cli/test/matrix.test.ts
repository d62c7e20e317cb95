import { describe, expect, it } from 'vitest'
import { builtIns } from '../src/registry.js'
import { optionsSchema } from '../src/schema/json-schema.js'
import { directory, sched } from './sched.js'

const registry = builtIns()
/** Options without which a policy cannot be. */
const needed: Readonly<Record<string, object>> = { 'skip-delay': { skips: 5 } }

/** No architecture may give a job up: every one has to end. */
const patient = (architecture: string) => {
  const schema = optionsSchema(registry.get('architecture', architecture).options)
  const limits = Object.keys(schema?.['properties'] ?? {}).filter((option) => option.startsWith('abandon'))
  return { [architecture]: Object.fromEntries(limits.map((option) => [option, false])) }
}

const disciplines = registry.list('policy').flatMap(({ name, inner }) =>
  'order' in inner ? registry.names('order').map((order) => ({ [name]: { ...needed[name], order } })) : [{ [name]: needed[name] ?? {} }],
)
const placed = registry.names('placement').map((placement) => ({ greedy: { order: 'fair', placement } }))
const presets = registry.presets('policy').map(({ name }) => ({ [name]: {} }))
const policies = [...disciplines, ...placed, ...presets].map((policy, i) => ({ name: `${i} ${JSON.stringify(policy)}`, policy }))

const clusters = {
  'slots and heartbeats': { cluster: { nodes: 6, racks: 3, slots: { map: 2, reduce: 1 }, heartbeat: { interval: 3 } }, demand: { map: 1 } },
  'resources, known at once': { cluster: { nodes: 6, resources: { cpu: 4, mem: 8 } }, demand: { cpu: 1, mem: 3 } },
}

describe.each(registry.names('architecture'))('%s', (architecture) => {
  it.each(Object.entries(clusters))('runs every policy, order and placement to the end on %s, breaking no law', async (_, { cluster, demand }) => {
    const generate = { 'poisson-jobs': { jobs: 30, rate: 0.5, tasks: { min: 1, max: 12 }, users: 3, demand } }
    const cwd = directory({ 'matrix.json': JSON.stringify({ seeds: 1, cluster, workload: { generate }, policies, architecture: patient(architecture), validate: true }) })
    const { code, out, err } = await sched(['compare', 'matrix.json', '--threads', '1', '--json', '-'], { cwd })
    expect({ code, err }).toEqual({ code: 0, err: '' })
    const { runs } = JSON.parse(out) as { runs: { policy: string; summary: { counts: { finished: number; tasks: number; tasksDone: number } } }[] }
    expect(runs.map(({ policy }) => policy)).toEqual(policies.map(({ name }) => name))
    for (const { policy, summary: { counts } } of runs) expect({ policy, finished: counts.finished, left: counts.tasks - counts.tasksDone }).toEqual({ policy, finished: 30, left: 0 })
  })
})
