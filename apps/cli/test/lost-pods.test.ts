import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { directory, sched } from './sched.js'

const RACK = 'example.com/rack'
const kueue = `apiVersion: kueue.x-k8s.io/v1beta2
kind: Topology
metadata: { name: network }
spec: { levels: [{ nodeLabel: ${RACK} }, { nodeLabel: kubernetes.io/hostname }] }
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: ResourceFlavor
metadata: { name: all }
spec: { topologyName: network }
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata: { name: ml }
spec:
  namespaceSelector: {}
  resourceGroups: [{ coveredResources: [cpu], flavors: [{ name: all, resources: [{ name: cpu, nominalQuota: 24 }] }] }]
`
/** A node of 4 CPUs in a rack. */
const node = (name: string, rack: string) => `---
apiVersion: v1
kind: Node
metadata: { name: ${name}, labels: { ${RACK}: ${rack} } }
status: { allocatable: { cpu: 4, memory: 16Gi } }
`
/** A job of pods of 4 CPUs that run for 4 min from its submission at a second. */
const job = (name: string, second: number, pods: number, annotations: string) => `---
apiVersion: batch/v1
kind: Job
metadata: { name: ${name}, namespace: ml, creationTimestamp: "2026-05-04T10:00:0${second}Z", labels: { kueue.x-k8s.io/queue-name: ml } }
spec:
  parallelism: ${pods}
  completions: ${pods}
  template:
    metadata: { annotations: { ${annotations} } }
    spec: { containers: [{ resources: { requests: { cpu: 4 } } }] }
status: { startTime: "2026-05-04T10:00:0${second}Z", completionTime: "2026-05-04T10:04:0${second}Z" }
`
const inOneRack = `kueue.x-k8s.io/podset-required-topology: ${RACK}`
const inPairs = `kueue.x-k8s.io/podset-slice-required-topology: ${RACK}, kueue.x-k8s.io/podset-slice-size: "2"`

/** Job, start, end, how and nodes of what ran, where node n1 is away from 100 s to 200 s. */
async function runOf(jobs: string, ...options: readonly string[]) {
  const cluster = [kueue, ...['n1', 'n2', 'n3'].map((name) => node(name, 'r1')), ...['n4', 'n5', 'n6'].map((name) => node(name, 'r2')), jobs].join('')
  const cwd = directory({ 'cluster.yaml': cluster, 'away.csv': 'node,from,to,kind\nn1,100,200,failure\n' })
  const { code, err } = await sched(['run', '--trace', 'cluster.yaml', '--nodes', 'cluster.yaml', '--queues', 'cluster.yaml', '--outages', 'away.csv', '--jitter', '0', '--validate', '--quiet', '--out', 'out', '--schedule', ...options], { cwd })
  expect([code, err.includes('error')]).toEqual([0, false])
  return readFileSync(join(cwd, 'out', 'schedule-cluster.csv'), 'utf8').trim().split('\n').slice(1).map((line) => line.split(',')).map((fields) => [fields[1], ...fields.slice(4, 7), fields[8]].join())
}

describe('pods of a gang in Kueue that are lost with their node', () => {
  it('take the others with them, or not', async () => {
    expect(await runOf(job('a', 0, 2, inOneRack))).toEqual(['ml/a,0,100,lost,0-1', 'ml/a,100,340,done,1-2'])
    expect(await runOf(job('a', 0, 2, inOneRack), '--option', 'lost=pod')).toEqual(['ml/a,0,100,lost,0', 'ml/a,0,240,done,1', 'ml/a,100,340,done,2'])
  })

  it('take the others with them where the rack of these has no room for them', async () => {
    expect(await runOf(job('a', 0, 3, inOneRack), '--option', 'lost=pod')).toEqual(['ml/a,0,100,lost,0', 'ml/a,0,100,evicted,1-2', 'ml/a,100,340,done,3-5'])
  })

  it('start anew where their slice lacks one', async () => {
    expect(await runOf(job('a', 0, 4, inPairs), '--option', 'lost=pod')).toEqual(['ml/a,0,100,lost,0', 'ml/a,0,240,done,1 3-4', 'ml/a,100,340,done,2'])
  })
})
