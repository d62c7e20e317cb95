import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { directory, sched } from './sched.js'

const at = (minute: number) => `2024-01-31T10:${String(minute).padStart(2, '0')}:00Z`
const ZONE = 'topology.kubernetes.io/zone'
const node = (name: string, zone: string) => ({ apiVersion: 'v1', kind: 'Node', metadata: { name, labels: { [ZONE]: zone } }, status: { allocatable: { cpu: '4', memory: '8Gi' } } })
const pod = (name: string, created: number, minutes: number, app: string, affinity: object) => ({
  apiVersion: 'v1', kind: 'Pod', metadata: { name, namespace: 'ml', creationTimestamp: at(created), labels: { app, name } }, spec: { affinity, containers: [{ resources: { requests: { cpu: '1', memory: '1Gi' } } }] },
  status: { phase: 'Succeeded', startTime: at(created), containerStatuses: [{ state: { terminated: { finishedAt: at(created + minutes) } } }] },
})
const term = (app: string, topologyKey: string) => ({ labelSelector: { matchLabels: { app } }, topologyKey })
const apart = { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term('db', ZONE)] } }
const near = { podAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 50, podAffinityTerm: term('db', 'kubernetes.io/hostname') }] } }
const items = [
  node('a1', 'a'), node('a2', 'a'), node('b1', 'b'), pod('db-1', 0, 10, 'db', apart), pod('db-2', 1, 10, 'db', apart), pod('db-3', 2, 10, 'db', apart), pod('probe', 3, 1, 'probe', near),
]

describe('pods with affinities, read and scheduled', () => {
  const run = async (policy: string) => {
    const cwd = directory({ 'cluster.json': JSON.stringify({ apiVersion: 'v1', kind: 'List', items }, undefined, 1) })
    const { err } = await sched(['run', '--trace', 'cluster.json', '--nodes', 'cluster.json', '--policy', policy, '--jitter', '0', '--out', 'results', '--schedule'], { cwd })
    const file = readdirSync(join(cwd, 'results')).find((name) => name.startsWith('schedule')) as string
    const rows = readFileSync(join(cwd, 'results', file), 'utf8').trim().split('\n').slice(1).map((line) => line.split(','))
    return { rows: rows.map(([, id, , , start, , , , nodes]) => `${id} ${start} ${nodes}`), err }
  }

  it('are each in a zone of its own, and near others where they prefer it, under kube-scheduler', async () => {
    const { rows, err } = await run('kube-scheduler')
    expect(rows).toEqual(['ml/probe 180 0', 'ml/db-1 0 0', 'ml/db-2 60 2', 'ml/db-3 600 0'])
    expect(err).not.toContain('placement')
  })

  it('are anywhere under a placement that heeds no rules, which is told', async () => {
    const { rows, err } = await run('greedy')
    expect(rows.map((row) => row.split(' ')[1])).toEqual(['180', '0', '60', '120'])
    expect(err).toContain('job ml/db-1 says by its placement rules where its tasks are to others, and no placement here heeds that')
  })
})
