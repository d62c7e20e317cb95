import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { sched } from './sched.js'

const cwd = join(import.meta.dirname, '../../../examples')
const traces = process.env['SCHED_TRACES']
const trace = traces === undefined ? undefined : join(traces, 'swim/FB-2009_samples_24_times_1hr_0.tsv')
const experiments = readdirSync(cwd).filter((name) => name.endsWith('.yaml') && !name.endsWith('.cluster.yaml'))

describe('an example', () => {
  it.each(experiments.filter((name) => !/^facebook-trace|^omega-|^google-|^autoscaling/.test(name)))('%s runs, breaking no law', async (name) => {
    const { code, out, err } = await sched(['compare', name, '--seeds', '1', '--take', '20', '--validate'], { cwd })
    expect({ code, err }).toEqual({ code: 0, err: '' })
    expect(out).toContain(': 20 jobs')
  })

  it.each(experiments.filter((name) => /^omega-|^google-/.test(name) && name !== 'omega-sweep.yaml'))('%s runs, schedulers taking time, breaking no law', async (name) => {
    const { code, out, err } = await sched(['run', name, '--take', '20', '--validate'], { cwd })
    expect({ name, code, err: err.replace(/^note: .*\n/gm, '') }).toEqual({ name, code: 0, err: '' })
    expect(out).toMatch(/^At time 0 [\d,]+ tasks of no job hold [\d.]+% of cpu, .*; no figure below counts them$/m)
    expect(out).toContain('Schedulers\n')
  })

  it('omega-sweep.yaml runs: slow service decisions hold batch jobs up, but not under shared state', async () => {
    const { code, out, err } = await sched(['sweep', 'omega-sweep.yaml', '--seeds', '1', '--until', '600', '--json', '-'], { cwd })
    expect({ code, err }).toEqual({ code: 0, err: '' })
    const { points } = JSON.parse(out) as { points: { at: Record<string, unknown>; policies: { figures: Record<string, { mean: number }> }[] }[] }
    const slow = points.filter(({ at }) => at['architecture.*.classes.service.job'] === 100)
    const waits = Object.fromEntries(slow.map(({ at, policies }): [string, number] => [String(at['system']), policies[0]?.figures['first-attempt-batch']?.mean ?? NaN]))
    expect(Math.min(waits['multi path'] ?? NaN, waits['two-level'] ?? NaN)).toBeGreaterThan(20)
    expect(waits['shared state']).toBeLessThan(1)
  })

  it('autoscaling.yaml runs: nodes that are kept longer cost more, and jobs wait less for others', async () => {
    const { code, out, err } = await sched(['sweep', 'autoscaling.yaml', '--validate', '--json', '-'], { cwd })
    expect({ code, err }).toEqual({ code: 0, err: '' })
    const { points } = JSON.parse(out) as { points: { at: Record<string, unknown>; policies: { figures: Record<string, { mean: number }> }[] }[] }
    const [soon, late] = [60, 3600].map((seconds) => points.find(({ at }) => at['autoscaler.scaleDownUnneededTime'] === seconds && at['autoscaler.maxDrainParallelism'] === 0)?.policies[0]?.figures)
    expect(late!['node-hours']!.mean).toBeGreaterThan(soon!['node-hours']!.mean)
    expect(late!['wait']!.mean).toBeLessThan(soon!['wait']!.mean)
  })

  it.skipIf(trace === undefined || !existsSync(trace))('facebook-trace.yaml runs on the trace (needs SCHED_TRACES)', async () => {
    const { code, out, err } = await sched(['compare', 'facebook-trace.yaml', '--seeds', '1', '--window', '0:3600', '--trace', trace ?? ''], { cwd })
    expect({ code, err }).toEqual({ code: 0, err: '' })
    expect(out).toContain('on 600 nodes in 30 racks')
  })
})
