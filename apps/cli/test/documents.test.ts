import { trainBayes } from '@sched/placement'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parse, stringify } from 'yaml'
import { directory, sched } from './sched.js'

const docs = join(import.meta.dirname, '../../../docs')

/** Parts of experiments on the pages, by place. */
const parts = readdirSync(docs).filter((page) => page.endsWith('.md')).flatMap((page) => {
  const text = readFileSync(join(docs, page), 'utf8')
  const blocks = [...text.matchAll(/^```yaml\n([^]*?)^```/gm)].map(({ 1: yaml = '', index }) => [`${page}:${text.slice(0, index).split('\n').length}`, parse(yaml) as Record<string, unknown>] as const)
  return blocks.filter(([, part]) => !('columns' in part)) // how tables of jobs are read
})

const racks = 8
const plan = Array.from({ length: racks }, () => [1, 1, 1, 1, 1, 1])
const resources = { cpu: 2_000_000, mem: 64, disk: 9 }
/** What the parts are in; their fields take the place of these. */
const around = {
  name: 'page',
  cluster: { nodes: [{ count: 40, racks, resources }, { count: 8, racks, resources: { ...resources, gpu: 8 } }] },
  workload: { trace: 'jobs.jsonl' },
  policies: ['fifo'],
}
const schedulers = { architecture: { 'shared-state': { schedulers: { service: {}, mapreduce: {}, batch: {} } } } }

/** Twelve jobs of two classes over five days. */
function trace(demand: string): string {
  const jobs = Array.from({ length: 12 }, (_, i) => ({ id: `job${i}`, submit: i * 40_000, class: i % 3 === 0 ? 'service' : 'batch', queue: 'root.prod', stages: [{ name: 'work', tasks: 2, demand: { [demand]: 1 }, duration: 60 }] }))
  return [{ format: 'sched-workload', version: 1, name: 'page', jobs: jobs.length }, ...jobs].map((line) => JSON.stringify(line)).join('\n')
}

describe('a part of an experiment on a page', () => {
  it.each(parts)('%s runs', async (_, { policy, ...part }) => {
    const files = {
      'page.yaml': stringify({ ...around, ...(JSON.stringify(part).includes('"schedulers"') && schedulers), ...(policy !== undefined && { policies: [policy] }), ...part }),
      'jobs.jsonl': trace('cluster' in part ? 'map' : 'cpu'),
      'model.json': JSON.stringify(trainBayes([{ plan, isActive: true }, { plan, isActive: false }], { kind: 'bernoulli' })),
    }
    const { code, err, out } = await sched(['compare', 'page.yaml', '--seeds', '1'], { cwd: directory(files) })
    expect({ code, errors: err.split('\n').filter((line) => line.startsWith('error')) }).toEqual({ code: 0, errors: [] })
    expect(out).toContain('12 jobs')
  })
})
