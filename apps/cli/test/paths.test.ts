import { describe, expect, it } from 'vitest'
import { valueAt } from '../src/experiment/field-path.js'
import { withPaths } from '../src/experiment/paths.js'

/** What an experiment may say that names files, by path, and the files. */
const named: readonly (readonly [path: string, value: unknown, files: readonly string[]])[] = [
  ['cluster', 'c.yaml', ['c.yaml']],
  ['workload', { trace: 't.swf', options: { trace: 'no file' } }, ['t.swf']],
  ['workload.trace', 't.swf', ['t.swf']],
  ['workload.distributions', { interarrival: 'i', csizes: 'c', runtimes: 'r', demand: { cpu: 1 } }, ['i', 'c', 'r']],
  ['workload.google.taskEvents', ['1.csv', '2.csv'], ['1.csv', '2.csv']],
  ['workload.google.machines', 'm.csv', ['m.csv']],
  ['prefill', 'running.csv', ['running.csv']],
  ['prefill', 'workload', []],
  ['prefill.from', 'running.csv', ['running.csv']],
  ['outages', ['a.csv', { file: 'b.csv', origin: '2024-01-31' }, { mtbf: 1, mttr: 1 }], ['a.csv', 'b.csv']],
  ['outages[0]', 'a.csv', ['a.csv']],
  ['outages[0].file', 'a.csv', ['a.csv']],
  ['queues', 'slurm.conf + qos.txt', ['slurm.conf', 'qos.txt']],
  ['queues[0]', 'fair.xml', ['fair.xml']],
  ['yarnSite', 'site.xml', ['site.xml']],
  ['yarnSite', 'site.xml+types.xml', ['site.xml', 'types.xml']],
  ['policies', ['fifo', { 'bayes-comm': { policy: 'fifo', model: 'm.json' } }], ['m.json']],
  ['policies[0].bayes-comm.model', 'm.json', ['m.json']],
  ['policies[0]', { name: 'mine', policy: { 'bayes-comm': { model: 'm.json', policy: { greedy: { order: 'fifo' } } } } }, ['m.json']],
  ['architecture', 'shared-state', []],
]

const moved = (text: string, files: readonly string[]) => files.reduce((all, each) => all.replaceAll(`"${each}"`, `"../${each}"`), text)

describe('the files of an experiment', () => {
  it.each(named)('are moved in a matrix as where they stand: %s: %j', (path, value, files) => {
    const found: string[] = []
    const at = (spec: object) => withPaths({ workload: {}, ...spec }, '/from', (each) => {
      found.push(each)
      return `../${each}`
    })
    const { matrix } = at({ matrix: { [path]: [value], any: { one: { [path]: value } } } })
    expect(found).toEqual([...files, ...files])
    const isJoined = typeof value === 'string' && value.includes('+')
    const expected: unknown = isJoined ? files.map((each) => `../${each}`).join('+') : JSON.parse(moved(JSON.stringify(value), files))
    expect(matrix).toEqual({ [path]: [expected], any: { one: { [path]: expected } } })
    if (/^[a-zA-Z]+$/.test(path)) expect(valueAt(at({ [path]: value }), path)).toEqual(expected)
  })

  it('are those of plug-ins that are paths, which begin with a period', () => {
    const { plugins } = withPaths({ workload: {}, plugins: ['./order.mjs', 'a-package'] }, '/from', () => 'order.mjs')
    expect(plugins).toEqual(['./order.mjs', 'a-package'])
  })
})
