import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { directory, sched } from './sched.js'

/** Digests of every job's submission, start and end under each policy of a command line. */
async function digests(...args: string[]): Promise<Record<string, string>> {
  const cwd = directory()
  const { code, err } = await sched([...args, '--out', 'results', '--quiet'], { cwd })
  expect({ code, err }).toEqual({ code: 0, err: '' })
  const files = readdirSync(join(cwd, 'results')).filter((name) => name.startsWith('jobs-')).sort()
  return Object.fromEntries(files.map((name) => [name, createHash('sha256').update(withoutHeld(readFileSync(join(cwd, 'results', name), 'utf8'))).digest('hex').slice(0, 16)]))
}

/** What jobs held follows from the rest, and has as many columns as the cluster has resources. */
const withoutHeld = (text: string) => text.split('\n').map((line) => line.split(',').slice(0, 11).join(',')).join('\n')

// A digest changes when a decision, a random draw or the order of events does. If that is meant, say why in the commit.
describe('the same seed gives the same bytes', () => {
  it('in the demo', async () => {
    expect(await digests('demo', '--seeds', '2')).toMatchInlineSnapshot(`
      {
        "jobs-delay.csv": "e10f7c65aef40e79",
        "jobs-fifo.csv": "5f4a2653fdf5c901",
        "jobs-naive-fair.csv": "769d744daa79255e",
      }
    `)
  })

  it('with reduces, racks, pools and preemption', async () => {
    const policies = '{hfs: {minTimeout: 15, fairTimeout: 30}},{delay: {node: 3, rack: 3, order: {fair: {pools: {pool0: {weight: 3}}}}}}'
    const load = '{scheduler-overhead: {jobs: 12, maps: 60, reduces: 20, pools: 4}}'
    expect(await digests('compare', '--generate', load, '--nodes', '30', '--racks', '3', '--policies', policies, '--seeds', '2')).toMatchInlineSnapshot(`
      {
        "jobs-delay-node-3-rack-3-order-fair-pools-pool0-weight-3.csv": "b7dcb51826cf2894",
        "jobs-hfs-minTimeout-15-fairTimeout-30.csv": "a2c69559cb5679f3",
      }
    `)
  })

  it('on resources without heartbeats', async () => {
    const load = '{poisson-jobs: {demand: {cpu: 2, mem: 3}, rate: 1, users: 4}}'
    expect(await digests('compare', '--generate', load, '--nodes', '20', '--resources', 'cpu=8,mem=10', '--policies', 'fifo,fair', '--seeds', '2')).toMatchInlineSnapshot(`
      {
        "jobs-fair.csv": "0c951174b3913430",
        "jobs-fifo.csv": "1f4c2a42595ed20e",
      }
    `)
  })
})
