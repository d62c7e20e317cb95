import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { sched } from './sched.js'

const cwd = join(import.meta.dirname, '../../../examples')
const traces = process.env['SCHED_TRACES']
const trace = traces === undefined ? undefined : join(traces, 'swim/FB-2009_samples_24_times_1hr_0.tsv')
const experiments = readdirSync(cwd).filter((name) => name.endsWith('.yaml') && !name.endsWith('.cluster.yaml'))

describe('an example', () => {
  it.each(experiments.filter((name) => name !== 'facebook-trace.yaml'))('%s runs, breaking no law', async (name) => {
    const { code, out, err } = await sched(['compare', name, '--seeds', '1', '--take', '40', '--validate'], { cwd })
    expect({ code, err }).toEqual({ code: 0, err: '' })
    expect(out).toContain(': 40 jobs')
  })

  it.skipIf(trace === undefined || !existsSync(trace))('facebook-trace.yaml runs on the trace (needs SCHED_TRACES)', async () => {
    const { code, out, err } = await sched(['compare', 'facebook-trace.yaml', '--seeds', '1', '--window', '0:3600', '--trace', trace ?? ''], { cwd })
    expect({ code, err }).toEqual({ code: 0, err: '' })
    expect(out).toContain('on 600 nodes in 30 racks')
  })
})
