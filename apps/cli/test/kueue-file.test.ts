import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { directory, sched } from './sched.js'

/** Two queues of 4 CPUs in one cohort, on a node of 8. */
const queue = (name: string, preemption: string) => `apiVersion: kueue.x-k8s.io/v1beta1
kind: ClusterQueue
metadata: { name: ${name} }
spec:
  cohort: all
  preemption: ${preemption}
  resourceGroups: [{ coveredResources: [cpu], flavors: [{ name: f, resources: [{ name: cpu, nominalQuota: 4 }] }] }]
---
`
const local = 'apiVersion: kueue.x-k8s.io/v1beta1\nkind: LocalQueue\nmetadata: { name: team }\nspec: { clusterQueue: b }\n'
const spares = 'apiVersion: config.kueue.x-k8s.io/v1beta2\nkind: Configuration\nfeatureGates: { PreemptionProtection: true }\npreemptionProtection: { reclaimWithinCohort: { minAdmitDuration: 50s } }\n'
const nodes = 'apiVersion: v1\nkind: Node\nmetadata: { name: n1 }\nstatus: { allocatable: { cpu: "8", memory: 8Gi } }\n'
/** The first job takes all 8 CPUs; the second comes at 10 and has a quota of 4. */
const jobs = 'id,submit,duration,queue,cores\nx,0,100,a,8\ny,10,20,team,4\nz,10,20,nobody,1\n'
const mapping = 'demands: { cpu: { column: cores, scale: 1000 } }\n'
/** Id, start and end of each job that a run wrote. */
function starts(cwd: string): string[] {
  const [header = [], ...rows] = readFileSync(join(cwd, 'out', readdirSync(join(cwd, 'out')).find((file) => /^jobs.*csv$/.test(file)) ?? ''), 'utf8').trim().split('\n').map((row) => row.split(','))
  const at = ['id', 'start', 'end'].map((name) => header.indexOf(name))
  return rows.map((row) => at.map((i) => row[i]).join())
}

describe('manifests of Kueue', () => {
  it.each([
    ['waits', '{ reclaimWithinCohort: Never }', '', ['x,0,100', 'y,100,120']],
    ['takes back what is its own', '{ reclaimWithinCohort: Any }', '', ['y,10,30', 'x,0,130']],
    ['takes it back once who has it is spared no longer', '{ reclaimWithinCohort: Any }', '---\n' + spares, ['y,50,70', 'x,0,170']],
  ])('are a policy on nodes of Kubernetes, by LocalQueue: who has quota %s', async (_, preemption, configuration, expected) => {
    const cwd = directory({ 'queues.yaml': `${queue('a', '{}')}${queue('b', preemption)}${local}${configuration}`, 'nodes.yaml': nodes, 'jobs.csv': jobs, 'mapping.yaml': mapping })
    const { code } = await sched(['run', '--trace', 'jobs.csv', '--mapping', 'mapping.yaml', '--nodes', 'nodes.yaml', '--queues', 'queues.yaml', '--jitter', '0', '--out', 'out', '--quiet'], { cwd })
    expect([code, starts(cwd)]).toEqual([0, expected])
  })

  it.each([
    ['true', ['y,10,30', 'x,0,130']],
    ['false', ['x,0,100', 'y,100,120']],
  ])('preempt by the rules of a PreemptionConfig with the gate ConfigurablePreemptions %s', async (gate, expected) => {
    const uses = queue('b', '{}').replace('{ name: b }', '{ name: b, annotations: { kueue.x-k8s.io/preemption-config-name: take } }')
    const rules = 'apiVersion: kueue.x-k8s.io/v1alpha1\nkind: PreemptionConfig\nmetadata: { name: take }\nspec: { rules: [{ name: all, activationPolicy: { trigger: InsufficientQuota }, candidateSelectors: [{ scope: WithinCohortTree }] }] }\n'
    const configuration = `apiVersion: config.kueue.x-k8s.io/v1beta2\nkind: Configuration\nfeatureGates: { ConfigurablePreemptions: ${gate} }\n`
    const cwd = directory({ 'queues.yaml': `${queue('a', '{}')}${uses}${local}---\n${rules}---\n${configuration}`, 'nodes.yaml': nodes, 'jobs.csv': jobs, 'mapping.yaml': mapping })
    const { code } = await sched(['run', '--trace', 'jobs.csv', '--mapping', 'mapping.yaml', '--nodes', 'nodes.yaml', '--queues', 'queues.yaml', '--jitter', '0', '--out', 'out', '--quiet'], { cwd })
    expect([code, starts(cwd)]).toEqual([0, expected])
  })

  it.each([
    ['asks for memory, of which its queue has no quota, is refused', '{}', ['m1,0,100', 'm2,100,200']],
    ['borrows no memory from a queue of which none is declared', '{ quotaCheckStrategy: IgnoreUndeclared }', ['c,0,10', 'm1,0,100', 'm2,100,200']],
    ['asks for memory that does not count', '{ excludeResourcePrefixes: [memory] }', ['c,0,10', 'm1,0,100', 'm2,0,100']],
    // 2 GiB are 2148 millicores then: 3148 for each of m1 and m2, and 5295 for c, of 8000
    ['asks for memory that counts as CPUs', '{ transformations: [{ input: memory, strategy: Replace, outputs: { cpu: 1n } }] }', ['m1,0,100', 'm2,0,100', 'c,100,110']],
  ])('count what the Configuration lets count: who %s', async (_, resources, expected) => {
    const both = queue('b', '{}').replace('[cpu]', '[cpu, memory]').replace('nominalQuota: 4 }', 'nominalQuota: 4 }, { name: memory, nominalQuota: 2Gi }')
    const configuration = `---\napiVersion: config.kueue.x-k8s.io/v1beta2\nkind: Configuration\nresources: ${resources}\n`
    const csv = 'id,submit,duration,queue,cores,mem\nc,0,10,a,1,4096\nm1,0,100,team,1,2048\nm2,0,100,team,1,2048\n'
    const cwd = directory({ 'queues.yaml': `${queue('a', '{}')}${both}${local}${configuration}`, 'nodes.yaml': nodes, 'jobs.csv': csv, 'mapping.yaml': 'demands: { cpu: { column: cores, scale: 1000 }, mem: { column: mem } }\n' })
    const { code } = await sched(['run', '--trace', 'jobs.csv', '--mapping', 'mapping.yaml', '--nodes', 'nodes.yaml', '--queues', 'queues.yaml', '--jitter', '0', '--out', 'out', '--quiet'], { cwd })
    expect([code, starts(cwd)]).toEqual([0, expected])
  })

  it('have classes of LocalQueues, with the namespaces of those that share their name', async () => {
    const inBoth = ['a', 'b'].map((name) => local.replace('name: team', `name: team, namespace: ${name}`).replace('clusterQueue: b', `clusterQueue: ${name}`)).join('---\n')
    const csv = 'id,submit,duration,queue,user,cores\nx,0,100,team,a,4\ny,0,20,team,b,4\nz,0,20,b,b,4\n'
    const cwd = directory({ 'queues.yaml': `${queue('a', '{}')}${queue('b', '{}')}${inBoth}`, 'nodes.yaml': nodes, 'jobs.csv': csv, 'mapping.yaml': mapping })
    const { out } = await sched(['run', '--trace', 'jobs.csv', '--mapping', 'mapping.yaml', '--nodes', 'nodes.yaml', '--queues', 'queues.yaml', '--jitter', '0'], { cwd })
    expect(out.match(/^(a\/team|b\/team|team|b) +1 +\d+/gm)?.map((row) => row.split(/ +/))).toEqual([['a/team', '1', '100'], ['b', '1', '40'], ['b/team', '1', '20']])
  })

  it('refuse jobs of no queue and of one that is not there, and say which', async () => {
    const cwd = directory({ 'queues.yaml': `${queue('a', '{}')}${queue('b', '{}')}${local}`, 'nodes.yaml': nodes, 'jobs.csv': `${jobs}w,10,20,,1\n`, 'mapping.yaml': mapping })
    const { err } = await sched(['run', '--trace', 'jobs.csv', '--mapping', 'mapping.yaml', '--nodes', 'nodes.yaml', '--queues', 'queues.yaml', '--quiet'], { cwd })
    expect(err).toBe('warning: queues: 2 of 4 jobs rejected on seed 1:\n  z: no ClusterQueue or LocalQueue is called "nobody"\n  w: it names no queue, and those of the file are a, b\n  Jobs without a queue get one by `--queue-mix prod=70,adhoc=30` (`queueMix` of the workload).\n  Queues get the names that they have there by `--queue-names theirs=ours,*=other` (`queueNames` of the workload).\n')
  })

  it('refuse jobs of a namespace, their user, that the selector of their ClusterQueue does not select', async () => {
    const selecting = queue('a', '{}').replace('spec:', 'spec:\n  namespaceSelector: { matchLabels: { team: ml } }')
    const namespaces = ['ml', 'web'].map((name) => `---\napiVersion: v1\nkind: Namespace\nmetadata: { name: ${name}, labels: { team: ${name} } }\n`).join('')
    const cwd = directory({ 'queues.yaml': `${selecting}${namespaces}`, 'nodes.yaml': nodes, 'jobs.csv': 'id,submit,duration,queue,user,cores\nx,0,100,a,ml,4\ny,10,20,a,web,4\n', 'mapping.yaml': mapping })
    const { err } = await sched(['run', '--trace', 'jobs.csv', '--mapping', 'mapping.yaml', '--nodes', 'nodes.yaml', '--queues', 'queues.yaml', '--quiet'], { cwd })
    expect(err).toContain('1 of 2 jobs rejected on seed 1:\n  y: the namespaceSelector of ClusterQueue "a" does not select its namespace web\n')
  })

  it('ask for the nodes where none were given', async () => {
    const cwd = directory({ 'queues.yaml': queue('a', '{}'), 'jobs.csv': jobs, 'mapping.yaml': mapping })
    const { err } = await sched(['run', '--trace', 'jobs.csv', '--mapping', 'mapping.yaml', '--queues', 'queues.yaml', '--quiet'], { cwd })
    expect(err).toContain('the cluster has no resource "cpu". Known: map, reduce. Say what its nodes have: by a list of machines (--nodes FILE), or by --nodes and --resources.\n')
  })

  it('say that a quota is more than all nodes have, where the cluster counts CPUs and not millicores', async () => {
    const cwd = directory({ 'queues.yaml': queue('a', '{}') })
    const { code, out } = await sched(['queues', 'show', 'queues.yaml', '--nodes', '2', '--resources', 'cpu=8'], { cwd })
    expect([code, out]).toEqual([0, expect.stringContaining('line 7: a nominalQuota of cpu = 4: more than all nodes have together, 16 cpu; it counts in millicores\n')])
  })

  it('are refused with the line of a mistake', async () => {
    const cwd = directory({ 'queues.yaml': `${queue('a', '{ reclaimWithinCohort: Always }')}`, 'nodes.yaml': nodes.replace('"8"', 'all'), 'jobs.csv': jobs, 'mapping.yaml': mapping })
    expect((await sched(['queues', 'show', 'queues.yaml'], { cwd })).err).toContain('"queues.yaml" line 6 spec.preemption.reclaimWithinCohort: found "Always", expected Never, LowerPriority or Any.')
    expect((await sched(['run', '--trace', 'jobs.csv', '--mapping', 'mapping.yaml', '--nodes', 'nodes.yaml'], { cwd })).err).toContain('nodes.yaml" line 4 status.allocatable.cpu: found "all", expected a quantity')
  })

  it.each([
    ['', ['x spot', 'y demand']], [', tolerations: [{ key: spot, operator: Exists }]', ['x spot', 'y spot']],
  ])('put a job into the first flavor whose taints it tolerates, by itself or with the flavor%s', async (tolerations, expected) => {
    const node = (name: string, taints: string) => `apiVersion: v1\nkind: Node\nmetadata: { name: ${name}-1, labels: { type: ${name} } }\nspec: { taints: [${taints}] }\nstatus: { allocatable: { cpu: '8', memory: 8Gi } }\n---\n`
    const flavor = (name: string, spec: string) => `apiVersion: kueue.x-k8s.io/v1beta1\nkind: ResourceFlavor\nmetadata: { name: ${name} }\nspec: { nodeLabels: { type: ${name} }${spec} }\n---\n`
    const taint = '{ key: spot, effect: NoSchedule }'
    const quota = (name: string) => `{ name: ${name}, resources: [{ name: cpu, nominalQuota: 8 }] }`
    const cwd = directory({
      'nodes.yaml': `${node('spot', taint)}${node('demand', '')}`,
      'queues.yaml': `${flavor('spot', `, nodeTaints: [${taint}]${tolerations}`)}${flavor('demand', '')}${queue('a', '{}').replace(/flavors: .*/, `flavors: [${quota('spot')}, ${quota('demand')}] }]`)}`,
      'jobs.csv': 'id,submit,duration,queue,cores,tolerations\nx,0,100,a,1,spot\ny,0,100,a,1,\n', 'mapping.yaml': mapping,
    })
    const { code, err } = await sched(['run', '--trace', 'jobs.csv', '--mapping', 'mapping.yaml', '--nodes', 'nodes.yaml', '--queues', 'queues.yaml', '--jitter', '0', '--out', 'out', '--schedule', '--quiet'], { cwd })
    const [header = '', ...rows] = readFileSync(join(cwd, 'out', 'schedule-queues.csv'), 'utf8').trim().split('\n').map((row) => row.split(','))
    const [id, nodes] = ['id', 'nodes'].map((name) => header.indexOf(name)) as [number, number]
    expect([code, err, rows.map((row) => `${row[id]} ${row[nodes] === '0' ? 'spot' : 'demand'}`)]).toEqual([0, '', expected])
  })

  it('are read with nodes and workloads from one file, and LocalQueues of one name by the namespace of jobs', async () => {
    const at = (seconds: number) => `2024-01-31T10:0${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}Z`
    const workload = (namespace: string, created: number) => `apiVersion: kueue.x-k8s.io/v1beta1
kind: Workload
metadata: { name: w, namespace: ${namespace}, creationTimestamp: '${at(created)}' }
spec: { queueName: default, podSets: [{ count: 4, template: { spec: { containers: [{ resources: { requests: { cpu: '1' } } }] } } }] }
status: { conditions: [{ type: Admitted, status: 'True', lastTransitionTime: '${at(created + 5)}' }, { type: Finished, status: 'True', lastTransitionTime: '${at(created + 105)}' }] }
---
`
    const own = (namespace: string, of: string) => local.replace('name: team', `name: default, namespace: ${namespace}`).replace('clusterQueue: b', `clusterQueue: ${of}`)
    const cwd = directory({ 'cluster.yaml': `${queue('a', '{}')}${queue('b', '{}')}${own('ml', 'a')}---\n${own('web', 'b')}---\n${workload('ml', 0)}${workload('web', 1)}${nodes}` })
    const { code, out, err } = await sched(['run', '--trace', 'cluster.yaml', '--nodes', 'cluster.yaml', '--queues', 'cluster.yaml', '--jitter', '0'], { cwd })
    expect([code, out.split('\n')[0], out.includes('2 of 2 jobs finished')]).toEqual([0, 'cluster.yaml: 2 jobs on one node of 8,000 cpu + 8,192 mem', true])
    expect(err).toContain('Workload: workloads are read by --trace FILE (2 of them)')
  })
})
