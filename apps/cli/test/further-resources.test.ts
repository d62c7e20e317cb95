import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { directory, sched } from './sched.js'

// Resources of Kubernetes besides CPU, memory and GPUs count of pods, nodes and queues where a run names them.

const at = (seconds: number) => new Date(Date.UTC(2024, 0, 31, 10) + seconds * 1000).toISOString()
const node = (name: string) => ({
  apiVersion: 'v1', kind: 'Node', metadata: { name }, status: { allocatable: { cpu: '8', memory: '32Gi', pods: '2', 'google.com/tpu': '4', 'ephemeral-storage': '10Gi' } },
})
const pod = (i: number, requests: object) => ({
  apiVersion: 'v1', kind: 'Pod', metadata: { name: `p${i}`, namespace: 'ml', creationTimestamp: at(i), labels: { 'kueue.x-k8s.io/queue-name': 'main' } },
  spec: { containers: [{ resources: { requests: { cpu: '1', memory: '1Gi', ...requests } } }] },
  status: { phase: 'Succeeded', startTime: at(i), containerStatuses: [{ state: { terminated: { finishedAt: at(i + 100) } } }] },
})
const kueue = (tpus: number) => [
  { apiVersion: 'kueue.x-k8s.io/v1beta1', kind: 'ResourceFlavor', metadata: { name: 'plain' } },
  { apiVersion: 'kueue.x-k8s.io/v1beta1', kind: 'LocalQueue', metadata: { name: 'main', namespace: 'ml' }, spec: { clusterQueue: 'all' } },
  { apiVersion: 'kueue.x-k8s.io/v1beta1', kind: 'ClusterQueue', metadata: { name: 'all' }, spec: { resourceGroups: [{
    coveredResources: ['cpu', 'memory', 'google.com/tpu'],
    flavors: [{ name: 'plain', resources: [{ name: 'cpu', nominalQuota: 100 }, { name: 'memory', nominalQuota: '100Gi' }, { name: 'google.com/tpu', nominalQuota: tpus }] }],
  }] } },
]
const volcano = (tpus: number) => [
  { apiVersion: 'scheduling.volcano.sh/v1beta1', kind: 'Queue', metadata: { name: 'main' }, spec: { capability: { cpu: 100, memory: '100Gi', 'google.com/tpu': tpus } } },
]

/** The mean wait of pods that are created one second after the other and run for 100 s, on two nodes. */
async function meanWait(requests: readonly object[], args: readonly string[], objects: readonly object[] = []): Promise<number> {
  const cwd = directory()
  writeFileSync(join(cwd, 'all.json'), JSON.stringify({ apiVersion: 'v1', kind: 'List', items: [node('n1'), node('n2'), ...objects, ...requests.map((each, i) => pod(i, each))] }, undefined, 1))
  const queues = objects.length > 0 ? ['--queues', 'all.json'] : ['--policy', 'fifo']
  const { code, out, err } = await sched(['run', '--trace', 'all.json', '--nodes', 'all.json', ...queues, '--validate', '--json', '-', ...args], { cwd })
  expect({ code }, err).toEqual({ code: 0 })
  return (JSON.parse(out) as { runs: { summary: { times: { wait: { mean: number } } } }[] }).runs[0]!.summary.times.wait.mean
}
const named = ['--option', 'resources=[google.com/tpu, pods]']

describe('further resources of Kubernetes', () => {
  it('are the number of pods on a node, and devices, where a run names them', async () => {
    const five = [{}, {}, {}, {}, {}]
    expect([await meanWait(five, []), await meanWait(five, named)]).toEqual([0, 96 / 5])
    const three = five.slice(0, 3).map(() => ({ 'google.com/tpu': '3' }))
    expect([await meanWait(three, []), await meanWait(three, named)]).toEqual([0, 98 / 3])
  })

  it.each([['Kueue', kueue], ['Volcano', volcano]])('have quotas of %s', async (_, queues) => {
    const two = [{ 'google.com/tpu': '4' }, { 'google.com/tpu': '4' }]
    expect([await meanWait(two, named, queues(8)), await meanWait(two, named, queues(4)), await meanWait(two, [], queues(4))]).toEqual([0, 99 / 2, 0])
  })

  it('are told of where they do not count', async () => {
    const cwd = directory()
    writeFileSync(join(cwd, 'pods.json'), JSON.stringify({ items: [pod(0, { 'google.com/tpu': '4' })] }))
    const run = (...args: string[]) => sched(['run', '--trace', 'pods.json', '--nodes', '2', '--resources', 'cpu=8000,mem=8192', '--policy', 'fifo', ...args], { cwd })
    expect((await run()).err).toContain("1 pod that ask for google.com/tpu: not counted, unless `--option 'resources=[google.com/tpu]'` names them (resources)")
    const { code, err } = await run(...named)
    expect([code, err]).toEqual([2, expect.stringContaining('the cluster has no resource "google.com/tpu"')])
  })
})
