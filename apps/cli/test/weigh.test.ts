import { monolithic } from '@sched/architectures'
import { YamlSource, type ClusterDescription } from '@sched/cluster'
import type { JobSpec, Plug } from '@sched/core'
import { jobRows } from '@sched/metrics'
import { nodeWeight } from '@sched/placement'
import { capacity, drf, fair, greedy } from '@sched/policies'
import { simulate } from '@sched/sim'
import { workloadOf } from '@sched/workload'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { directory, sched } from './sched.js'

const examples = join(import.meta.dirname, '../../../examples')
const servers = readFileSync(join(examples, 'three-servers.cluster.yaml'), 'utf8')

describe('sched weigh', () => {
  it('gives the illustrative three servers the weights of the paper, 3 : 3 : 1', async () => {
    const { code, out } = await sched(['weigh', 'three-servers.cluster.yaml', '--job', 'data/wordcount.jsonl'], { cwd: examples })
    expect(code).toBe(0)
    expect(out.split('\n').slice(4, 7).map((line) => [line.split(' ')[0], line.split(' ').at(-1)])).toEqual([['Master', '3'], ['Slave1', '3'], ['Slave2', '1']])
  })

  it('writes samples that the placement takes as they are, a group of nodes in one line', async () => {
    const cwd = directory({ 'c.yaml': 'nodes:\n  - { name: big, count: 3, resources: { cpu: 16, memory: 32 } }\n  - { name: small, count: 2, resources: { cpu: 4, memory: 8 } }\n' })
    expect(await sched(['weigh', 'c.yaml', '--out', 'w.yaml'], { cwd })).toMatchObject({ code: 0, err: '' })
    const written = new YamlSource(readFileSync(join(cwd, 'w.yaml'), 'utf8')).value as { 'node-weight': { probe: Record<string, { cpu: number[] }> } }
    expect(Object.keys(written['node-weight'].probe)).toEqual(['big', 'small'])
    expect(written['node-weight'].probe['big']?.cpu).toHaveLength(10)
    const policy = { greedy: { placement: written } }
    const { code, err } = await sched(['run', '--cluster', 'c.yaml', '--generate', '{poisson-jobs: {jobs: 5, rate: 1, tasks: {min: 1, max: 3}, demand: {cpu: 1, memory: 1}, data: false}}', '--policy', JSON.stringify(policy)], { cwd })
    expect({ code, err }).toEqual({ code: 0, err: '' })
  })

  it('prints JSON with what was measured', async () => {
    const { out } = await sched(['weigh', 'three-servers.cluster.yaml', '--only', 'Master,Slave2', '--samples', '2', '--json'], { cwd: examples })
    const { nodes } = JSON.parse(out) as { nodes: { node: string; at: number[]; hardware: number; weight: number }[] }
    expect(nodes.map(({ node, at }) => [node, at.length])).toEqual([['Master', 2], ['Slave2', 2]])
    expect(nodes.reduce((sum, { hardware }) => sum + hardware, 0)).toBeCloseTo(1, 12)
  })

  it('refuses absent nodes, clusters without processors, jobs that do not fit, and files that exist', async () => {
    const cwd = directory({
      'servers.yaml': servers,
      'slots.yaml': 'nodes: 2\nslots: { map: 2 }\n',
      'big.jsonl': '{"format":"sched-workload","version":1}\n{"id":"a","submit":0,"stages":[{"name":"s","tasks":1,"demand":{"memory":9000},"duration":1}]}\n',
    })
    const error = async (...args: readonly string[]) => (await sched(['weigh', ...args], { cwd })).err.split('\n')[0]
    expect(await error('servers.yaml', '--only', 'Slave3')).toBe('error: --only: no node is called "Slave3". Did you mean "Slave1"? Known: Master, Slave1, Slave2.')
    expect(await error('servers.yaml', '--samples', '0')).toBe('error: --samples: a probe looks 0 times. Use a whole number from 1 on.')
    expect(await error('slots.yaml')).toBe('error: cluster: nothing of the cluster stands for cores: it has map. Describe the `hardware` of its nodes, for example { cores: 8, memory: 16 }.')
    expect(await error('servers.yaml', '--job', 'big.jsonl')).toContain('9000')
    expect(await error('servers.yaml', '--out', 'slots.yaml')).toBe('error: "slots.yaml": exists already. Choose another name, or replace it with --force.')
  })
})

describe('weighted nodes', () => {
  // sixteen maps of a word count by each of two users, on the illustrative servers
  const jobs = ['ann', 'bob'].map((user, i): JobSpec => ({
    id: user, user, queue: user, submit: i * 1000,
    stages: [{ name: 'map', tasks: 16, demand: { memory: 1024 }, duration: 90, use: { disks: 1, cores: 0.1, memory: 64 } }],
  }))
  const cluster = new YamlSource(servers).value as ClusterDescription
  const orders: Record<string, () => Plug<'order'>> = {
    fair: () => fair(),
    capacity: () => capacity({ queues: { ann: { capacity: 50, userLimitFactor: 2 }, bob: { capacity: 50, userLimitFactor: 2 } } }),
    drf: () => drf(),
  }

  it.each(Object.entries(orders))('spare the weak server and finish sooner under %s', (_, order) => {
    const run = (comparator: 'absolute' | 'weighted') => {
      const on = [0, 0, 0]
      const times: number[] = []
      simulate({
        cluster, workload: workloadOf('word counts', jobs), architecture: monolithic(), runtime: { jitter: 0 }, validate: true,
        policy: greedy(order(), nodeWeight({ comparator, ...(comparator === 'weighted' && { weights: { Master: 3, Slave1: 3, Slave2: 1 } }) })),
        observers: [{ onTaskStart: (_task, _job, _lane, node) => void (on[node] = (on[node] ?? 0) + 1) }, jobRows(({ response }) => times.push(response))],
      })
      return { on, times }
    }
    // of each job: 6, 5 and 5 by available memory; 7, 7 and 2 by weights (2/8 of 3 is below 7/8 and equals 6/8 of 1)
    expect(run('absolute').on).toEqual([12, 10, 10])
    expect(run('weighted').on).toEqual([14, 14, 4])
    expect(Math.max(...run('weighted').times)).toBeLessThan(Math.min(...run('absolute').times))
  })
})
