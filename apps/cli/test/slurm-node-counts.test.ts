import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { directory, sched } from './sched.js'

// Slurm's own tests of MinNodes and MaxNodes of partitions, named at each: two nodes of 8 processors, and a job that says its tasks.

const HEADER = 'JobID|JobName|User|Partition|Submit|Start|End|Timelimit|State|NNodes|ReqCPUS|SubmitLine'

/** On how many nodes the job is, and what was told of it where it does not run. */
async function nodesOf(command: string, limit: string, enforce = 'ALL'): Promise<{ nodes: number; told: string }> {
  const day = '2026-01-01T00:0'
  const cwd = directory({
    'slurm.conf': `ClusterName=c\nEnforcePartLimits=${enforce}\nNodeName=n[1-2] CPUs=8\nPartitionName=part Nodes=ALL ${limit}\n`,
    'log.txt': `${HEADER}\n1|job|ann|part|${day}0:00|${day}0:00|${day}1:00|00:01:00|COMPLETED|1|${/-n(\d+)/.exec(command)?.[1] ?? ''}|sbatch -p part ${command} -t 1 script\n`,
  })
  const { err } = await sched(['run', '--trace', 'log.txt', '--option', 'tasks=asked', '--nodes', 'slurm.conf', '--queues', 'slurm.conf', '--schedule', '--out', 'out', '--quiet'], { cwd })
  const told = /\((Partition\w+)\)|waits although/.exec(err)
  const out = join(cwd, 'out')
  const file = existsSync(out) ? readdirSync(out).find((name) => name.startsWith('schedule')) : undefined
  const [header = '', row = ''] = file === undefined ? [] : readFileSync(join(out, file), 'utf8').trim().split('\n')
  const [first, last = first] = (row.split(',')[header.split(',').indexOf('nodes')] ?? '').split('-')
  return { nodes: row === '' ? 0 : Number(last) - Number(first) + 1, told: told?.[1] ?? told?.[0] ?? '' }
}

describe('MaxNodes of a partition (test_146_2)', () => {
  it.each([
    ['test_job_within_max_nodes', '-n2 --ntasks-per-node=2', 'MaxNodes=1', 1],
    ['test_job_roundup_within_max_nodes', '-n4 --ntasks-per-node=2', 'MaxNodes=2', 2], // there three tasks: jobs of unequal parts are as they ran
    ['test_implicit_max_nodes_not_enforced', '-n2', 'MaxNodes=1', 1],
  ])('%s', async (_, command, limit, nodes) => {
    expect(await nodesOf(command, limit)).toEqual({ nodes, told: '' })
    expect(await nodesOf(command, limit, 'NO')).toEqual({ nodes, told: '' })
  })

  // `req_nodes` of `get_node_cnts` (slurmctld/node_scheduler.c) is the most nodes of the job and of the partition
  it('holds for a job that would take more if it might', async () => {
    expect(await nodesOf('-N1-2 -n4', 'MaxNodes=1')).toEqual({ nodes: 1, told: '' })
    expect(await nodesOf('-N1-2 -n4', 'MaxNodes=2')).toEqual({ nodes: 2, told: '' })
    expect(await nodesOf('-N1-3 -n4', 'MaxNodes=2')).toEqual({ nodes: 2, told: '' })
  })

  it('refuses a job that needs more, or lets it wait for ever (test_job_exceeds_max_nodes, test_job_exceeds_max_nodes_pends)', async () => {
    expect(await nodesOf('-n2 --ntasks-per-node=1', 'MaxNodes=1')).toEqual({ nodes: 0, told: 'PartitionNodeLimit' })
    expect((await nodesOf('-n2 --ntasks-per-node=1', 'MaxNodes=1', 'NO')).nodes).toBe(0)
  })
})

describe('MinNodes of a partition (test_146_3)', () => {
  it.each(['-n2 --ntasks-per-node=2', '-n2'])('has a job of %s on so many nodes (test_job_meets_min_nodes)', async (command) => {
    expect(await nodesOf(command, 'MinNodes=2', 'NO')).toEqual({ nodes: 2, told: '' })
  })
})
