import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { directory, sched } from './sched.js'

const experiment = `workload: { generate: { poisson-jobs: { jobs: 40, demand: { cpu: 2 } } } }
cluster: { nodes: 4, resources: { cpu: 8 } }
policies: [fifo, strict]
`
const world = () => {
  const cwd = directory()
  writeFileSync(join(cwd, 'e.yaml'), experiment)
  return cwd
}

interface Json {
  readonly runs: readonly { readonly summary: { readonly counts: { readonly failed: number; readonly abandoned: number; readonly finished: number; readonly launches: number; readonly tasks: number }; readonly failures?: { readonly tasks: number; readonly taskSeconds: number } } }[]
}

describe('tasks of an experiment that fail', () => {
  it('are told of a run, and compared on the same failures', async () => {
    const cwd = world()
    const { code, out, err } = await sched(['run', 'e.yaml', '--policy', 'fifo', '--failures', 'probability=0.1', '--validate', '--out', 'r'], { cwd })
    expect([code, err]).toEqual([0, ''])
    expect(out).toMatch(/\n\d+ tasks failed after [\d.,]+ task seconds\n/)
    expect(readFileSync(join(cwd, 'r', 'experiment.yaml'), 'utf8')).toContain('failures:\n  probability: 0.1\n')
    const compared = await sched(['compare', 'e.yaml', '--failures', 'mtbf=300,maxAttempts=1000', '--seeds', '2', '--json', 'r.json', '--validate'], { cwd })
    expect([compared.code, compared.err]).toEqual([0, ''])
    expect(compared.out).toContain('failed tasks')
    const { runs } = JSON.parse(readFileSync(join(cwd, 'r.json'), 'utf8')) as Json
    const failed = runs.map(({ summary: { counts, failures } }) => {
      expect([counts.finished, counts.launches - counts.tasks]).toEqual([40, failures?.tasks])
      return counts.failed
    })
    expect(Math.min(...failed)).toBeGreaterThan(0)
    expect([failed[1], failed[3]]).toEqual([failed[0], failed[2]]) // fifo and strict on equal seeds
  })

  it('fail their jobs after the last attempt', async () => {
    const cwd = world()
    const { out } = await sched(['run', 'e.yaml', '--failures', 'probability=0.05,maxAttempts=1', '--validate', '--json', 'r.json'], { cwd })
    const { counts } = (JSON.parse(readFileSync(join(cwd, 'r.json'), 'utf8')) as Json).runs[0]!.summary
    expect([counts.abandoned > 0, counts.finished + counts.abandoned]).toEqual([true, 40])
    expect(out).toContain(`${counts.finished} of 40 jobs finished, ${counts.abandoned} abandoned`)
  })

  it.each([
    ['0.1', /--failures: found "0\.1"\. Write for example probability=0\.01 or mtbf=864000,maxAttempts=4\./],
    ['probability=2', /failures\.probability: found 2, expected less than 1/],
    ['maxAttempts=2', /failures: .*either probability or mtbf/],
    ['probability=0.1,mtbf=5', /failures: .*either probability or mtbf/],
    ['probability=0.1,attempts=5', /failures\.attempts: unknown key "attempts"/],
  ])('as %s are refused', async (failures, message) => {
    const { code, err } = await sched(['run', 'e.yaml', '--failures', failures], { cwd: world() })
    expect([code, err]).toEqual([2, expect.stringMatching(message)])
  })
})
