import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { directory, sched } from './sched.js'

/** Two queues that deserve 2 of 4 GPUs each; the job of a takes all four, that of b comes at 10 s and takes back what is its own. */
const queue = (name: string) => `apiVersion: scheduling.run.ai/v2
kind: Queue
metadata: { name: ${name} }
spec: { parentQueue: team, resources: { gpu: { quota: 2, limit: -1, overQuotaWeight: 1 } } }
---
`
const files = {
  'queues.yaml': `${queue('a')}${queue('b')}apiVersion: scheduling.run.ai/v2\nkind: Queue\nmetadata: { name: team }\nspec: { resources: { gpu: { quota: 4, limit: -1, overQuotaWeight: 1 } } }\n`,
  'nodes.yaml': 'apiVersion: v1\nkind: Node\nmetadata: { name: n1 }\nstatus: { allocatable: { cpu: "8", memory: 8Gi, nvidia.com/gpu: "4" } }\n',
  'jobs.csv': 'id,submit,duration,tasks,queue,gpus\nx,0,100,4,a,1\ny,10,20,2,team.b,1\nz,10,20,1,team,1\n',
  'mapping.yaml': 'demands: { gpu: { column: gpus, scale: 1000 } }\n',
}

it('queues of KAI are a policy: jobs name one by its name or path, and take back what it deserves', async () => {
  const cwd = directory(files)
  const { code, err } = await sched(['run', '--trace', 'jobs.csv', '--mapping', 'mapping.yaml', '--nodes', 'nodes.yaml', '--queues', 'queues.yaml', '--jitter', '0', '--out', 'out'], { cwd })
  const [header = '', ...rows] = readFileSync(join(cwd, 'out', readdirSync(join(cwd, 'out')).find((file) => /^jobs.*csv$/.test(file)) ?? ''), 'utf8').trim().split('\n').map((row) => row.split(','))
  const at = ['id', 'start', 'end'].map((name) => header.indexOf(name))
  const ends = rows.map((row) => at.map((i) => row[i]).join())
  expect(code).toBe(0)
  expect(ends.find((row) => row.startsWith('y,'))).toMatch(/^y,10(\.001)?,30/)
  expect(err).toContain('z: no queue that holds jobs is called "team": a, b')
  const shown = await sched(['queues', 'show', 'queues.yaml'], { cwd })
  expect(shown.out).toMatch(/^queue +quota +limit +weight\n[- ]+\nteam +gpu=4 +gpu=-1 +gpu=1\n {2}a +gpu=2/)
})

it.each([
  ['where its queue says so', 'reclaimMinRuntime: 1m, ', '', '60'],
  ['unless its queue says nothing', '', '', '10'],
  ['whatever its priority where it may be preempted', '', '"priority":100,"preemptible":true,', '10'],
])('a job of KAI runs for a while before another queue takes it, %s', async (_, runtime, says, expected) => {
  const gang = (id: string, submit: number, tasks: number, queue: string, more = '') =>
    `{"id":"${id}","submit":${submit},"queue":"${queue}",${more}"stages":[{"name":"pods","tasks":${tasks},"gang":true,"demand":{"gpu":1000},"duration":100}]}\n`
  const jobs = `{"format":"sched-workload","version":1}\n${gang('x', 0, 4, 'a', says)}${gang('y', 10, 2, 'b')}`
  const cwd = directory({ ...files, 'queues.yaml': files['queues.yaml'].replace('spec: {', `spec: { ${runtime}`), 'jobs.jsonl': jobs })
  const { code } = await sched(['run', '--trace', 'jobs.jsonl', '--nodes', 'nodes.yaml', '--queues', 'queues.yaml', '--out', 'out', '--quiet', '--schedule'], { cwd })
  const rows = readFileSync(join(cwd, 'out', 'schedule-queues.csv'), 'utf8').trim().split('\n').map((row) => row.split(','))
  const at = ['id', 'start', 'how'].map((name) => rows[0]!.indexOf(name))
  expect([code, rows.slice(1).map((row) => at.map((i) => row[i]).join(' '))]).toEqual([0, expect.arrayContaining(['x 0 evicted', `y ${expected} done`])])
})

it('a queue of KAI that says nothing of a resource has a limit of 0 of it', async () => {
  const cwd = directory({ ...files, 'mapping.yaml': 'demands: { gpu: { column: gpus, scale: 1000 }, cpu: { column: gpus, scale: 100 } }\n' })
  const { code, err } = await sched(['run', '--trace', 'jobs.csv', '--mapping', 'mapping.yaml', '--nodes', 'nodes.yaml', '--queues', 'queues.yaml', '--quiet'], { cwd })
  expect([code, err]).toEqual([0, expect.stringMatching(/never start|limit/)])
})

it('a job under queues of KAI is kept in the rack that it asks for', async () => {
  const node = (name: string, rack: string) => `---\napiVersion: v1\nkind: Node\nmetadata: { name: ${name}, labels: { rack: ${rack} } }\nstatus: { allocatable: { cpu: "8", memory: 8Gi, nvidia.com/gpu: "1" } }\n`
  const nodes = `apiVersion: kai.scheduler/v1alpha1\nkind: Topology\nmetadata: { name: network }\nspec: { levels: [{ nodeLabel: rack }, { nodeLabel: kubernetes.io/hostname }] }\n${node('n1', 'r1')}${node('n2', 'r1')}${node('n3', 'r2')}${node('n4', 'r2')}`
  const job = (id: string, tasks: number, more = '') => `{"id":"${id}","submit":0,"queue":"a",${more}"stages":[{"name":"pods","tasks":${tasks},"gang":true,"demand":{"gpu":1000},"duration":100}]}\n`
  const cwd = directory({ ...files, 'nodes.yaml': nodes, 'jobs.jsonl': `{"format":"sched-workload","version":1}\n${job('x', 1)}${job('y', 2, '"topology":{"required":1},')}` })
  const { code, err } = await sched(['run', '--trace', 'jobs.jsonl', '--nodes', 'nodes.yaml', '--queues', 'queues.yaml', '--out', 'out', '--schedule'], { cwd })
  const rows = readFileSync(join(cwd, 'out', 'schedule-queues.csv'), 'utf8').trim().split('\n').map((row) => row.split(','))
  const at = ['id', 'start', 'nodes'].map((name) => rows[0]!.indexOf(name))
  expect([code, rows.slice(1).map((row) => at.map((i) => row[i]).join(' ')).sort()]).toEqual([0, ['x 0 0', 'y 0 2-3']])
  expect(err).not.toContain('topology')
})
