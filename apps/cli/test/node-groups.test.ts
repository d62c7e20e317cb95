import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { directory, sched } from './sched.js'

const affinity = (...groups: string[]) => `{ affinity: { nodeGroupAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [${groups.join(', ')}] } } }`
const queue = (name: string, spec: string) => `apiVersion: scheduling.volcano.sh/v1beta1\nkind: Queue\nmetadata: { name: ${name} }\nspec: ${spec}\n---\n`
const conf = (plugin: string) => `apiVersion: v1\nkind: ConfigMap\nmetadata: { name: volcano-scheduler-configmap }\ndata:\n  volcano-scheduler.conf: |\n    actions: "allocate"\n    tiers:\n    - plugins:\n      - name: priority\n      - { name: nodegroup${plugin} }\n`
const node = (name: string, labels: string) => `apiVersion: v1\nkind: Node\nmetadata: { name: ${name}, labels: { ${labels} } }\nstatus: { allocatable: { cpu: "4", memory: 8Gi } }\n---\n`
const nodes = [node('n0', 'volcano.sh/nodegroup-name: fast, disk: ssd'), node('n1', 'volcano.sh/nodegroup-name: fast, disk: hdd'), node('n2', 'volcano.sh/nodegroup-name: slow, disk: ssd'), node('n3', 'disk: ssd')].join('')
const ssd = { matchExpressions: [{ key: 'disk', operator: 'In', values: ['ssd'] }] }
const job = (id: string, of: string, constraints?: object) => ({ id, submit: 0, queue: of, stages: [{ name: 's', tasks: 1, demand: { cpu: 4000 }, duration: 10, ...(constraints !== undefined && { constraints }) }] })

/** Where and when jobs run: `id node start`. */
async function runs(plugin: string, jobs: readonly object[]) {
  const trace = [{ format: 'sched-workload', version: 1, name: 'groups', jobs: jobs.length }, ...jobs].map((line) => JSON.stringify(line)).join('\n')
  const cwd = directory({ 'queues.yaml': queue('fast', affinity('fast')) + queue('both', affinity('fast', 'slow')) + queue('none', '{}') + conf(plugin), 'nodes.yaml': nodes, 'jobs.jsonl': trace })
  const { code, err } = await sched(['run', '--trace', 'jobs.jsonl', '--nodes', 'nodes.yaml', '--queues', 'queues.yaml', '--jitter', '0', '--quiet', '--out', 'out', '--schedule'], { cwd })
  expect(code, err).toBe(0)
  const [header = '', ...rows] = readFileSync(join(cwd, 'out', 'schedule-queues.csv'), 'utf8').trim().split('\n')
  const at = ['id', 'nodes', 'start'].map((name) => header.split(',').indexOf(name))
  return rows.map((row) => at.map((i) => row.split(',')[i]).join(' ')).sort()
}

it('jobs run on nodes of the groups that their queue of Volcano allows', async () => {
  expect(await runs('', ['a', 'b', 'c'].map((id) => job(id, 'fast')))).toEqual(['a 0 0', 'b 1 0', 'c 0 10'])
  expect(await runs('', ['a', 'b', 'c', 'd'].map((id) => job(id, 'both')))).toEqual(['a 0 0', 'b 1 0', 'c 2 0', 'd 0 10'])
})

it('besides what they require of nodes themselves, term by term', async () => {
  expect(await runs('', [job('a', 'both', { nodeSelectorTerms: [ssd] }), job('b', 'both', { nodeSelectorTerms: [ssd] }), job('c', 'both', { nodeSelectorTerms: [ssd] })])).toEqual(['a 0 0', 'b 2 0', 'c 0 10'])
  const onHdd = { matchExpressions: [{ key: 'disk', operator: 'In', values: ['hdd'] }] }
  expect(await runs('', [job('a', 'fast', { nodeSelectorTerms: [{}, onHdd] }), job('b', 'fast', { nodeSelectorTerms: [{}, onHdd] })])).toEqual(['a 1 0', 'b 1 10']) // an empty term holds for no node
  expect(await runs('', [job('a', 'both', { require: { disk: 'ssd' } }), job('b', 'both', { require: { disk: 'ssd' } })])).toEqual(['a 0 0', 'b 2 0'])
})

it('of queues without a group none runs, or with `strict: false` on nodes without one', async () => {
  expect(await runs('', [job('a', 'none'), job('b', 'fast')])).toEqual(['b 0 0'])
  expect(await runs(', arguments: { strict: false }', [job('a', 'none'), job('b', 'none')])).toEqual(['a 3 0', 'b 3 10'])
})
