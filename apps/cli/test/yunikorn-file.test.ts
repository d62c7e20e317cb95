import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { directory, sched } from './sched.js'

/** Two queues that are guaranteed 2 of 4 CPUs each; the job of a takes all four, that of b comes at 10 s and takes back what is its own after 20 s. */
const queues = `partitions:
- name: default
  nodesortpolicy: { type: binpacking }
  placementrules:
  - { name: provided, filter: { type: deny, users: [eve, mallory] } }
  - { name: tag, value: namespace, create: true, parent: { name: fixed, value: others } }
  queues:
  - name: root
    submitacl: '*'
    properties: { preemption.delay: 20s }
    queues:
    - { name: a, resources: { guaranteed: { vcore: 2 } } }
    - { name: b, resources: { guaranteed: { vcore: 2 } } }
    - { name: others, parent: true, childtemplate: { resources: { max: { vcore: 1 } } } }
`
const files = {
  'queues.yaml': queues,
  'config.yaml': `apiVersion: v1\nkind: ConfigMap\nmetadata: { name: yunikorn-configs }\ndata:\n  queues.yaml: |\n${queues.replaceAll(/^/gm, '    ')}`,
  'other.yaml': queues.replace('20s', '40s'),
  'nodes.yaml': ['n1', 'n2'].map((name) => `apiVersion: v1\nkind: Node\nmetadata: { name: ${name} }\nstatus: { allocatable: { cpu: "2", memory: 8Gi } }\n`).join('---\n'),
  'jobs.csv': 'id,submit,duration,tasks,queue,user,cores\nx,0,100,4,a,ann,1\ny,10,20,2,root.b,bob,1\nz,120,20,2,b,eve,1\n',
  'mapping.yaml': 'demands: { cpu: { column: cores, scale: 1000 } }\n',
}
const args = ['--trace', 'jobs.csv', '--mapping', 'mapping.yaml', '--nodes', 'nodes.yaml', '--jitter', '0']

it.each(['queues.yaml', 'config.yaml'])('a %s of YuniKorn is a policy: its rules say where jobs go, and who waits takes back what is guaranteed', async (file) => {
  const cwd = directory(files)
  const { code } = await sched(['run', ...args, '--queues', file, '--out', 'out'], { cwd })
  expect(code).toBe(0)
  const [header = '', ...rows] = readFileSync(join(cwd, 'out', readdirSync(join(cwd, 'out')).find((name) => /^jobs.*csv$/.test(name)) ?? ''), 'utf8').trim().split('\n').map((row) => row.split(','))
  const at = ['id', 'start', 'end'].map((name) => header.indexOf(name))
  expect(rows.map((row) => at.map((i) => row[i]).join()).sort()).toEqual(['x,0,150', 'y,30,50', 'z,120,160'])
})

it('queues of YuniKorn are shown with what becomes of each setting, and compared', async () => {
  const cwd = directory(files)
  const shown = await sched(['queues', 'show', 'config.yaml'], { cwd })
  expect(shown.out).toMatch(/^queue +guaranteed\n[- ]+\nroot\n {2}a +vcore=2\n {2}b +vcore=2\n {2}others\n/)
  expect(shown.out).toContain('line 8: nodesortpolicy = binpacking')
  expect(shown.out).toContain('ignored: 1 setting\n  line 14: root submitacl = *: every user may submit to every queue')
  const { code, out } = await sched(['compare', ...args, '--queues', 'queues.yaml,other.yaml', '--seeds', '1'], { cwd })
  expect(code).toBe(0)
  expect(out).toMatch(/queues +other\n/)
})
