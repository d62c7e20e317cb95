import { describe, expect, it } from 'vitest'
import { detectFormatOf, jobsOf, parseTrace, readMachines } from '../src/index.js'
import { textKind } from '../src/trace/looks-like.js'
import { bytesOf, messageOf, skip } from './reading.js'

type Json = Readonly<Record<string, unknown>>

/** An application submitted at 100 s, launched at 105 s and finished at 705 s, that held 40 containers of 4096 MB and 1 vcore all the time. */
const app = (change: Json = {}): Json => ({
  id: 'application_17_0001', user: 'ann', name: 'etl', queue: 'ads', state: 'FINISHED', finalStatus: 'SUCCEEDED', applicationType: 'SPARK', priority: 0,
  startedTime: 100_000, launchTime: 105_000, finishedTime: 705_000, memorySeconds: 40 * 4096 * 600, vcoreSeconds: 40 * 600, ...change,
})
const list = (...apps: readonly Json[]) => JSON.stringify({ apps: { app: apps } })
const read = (text: string, options: object = {}) => parseTrace(bytesOf(text), { file: 'apps.json', options })
const jobs = (text: string, options?: object) => [...jobsOf(read(text, options))]
const stages = (change: Json, options?: object) => jobs(list(app(change)), options)[0]!.stages

describe('applications of YARN\'s resource manager', () => {
  it('are as many containers as they held on average, which together hold what they held', () => {
    expect(jobs(list(app()))).toEqual([{
      id: 'application_17_0001', submit: 0, user: 'ann', queue: 'ads', application: 'etl', class: 'SPARK', recorded: { wait: 5, runtime: 600, status: 'completed' },
      stages: [{ name: 'containers', tasks: 40, demand: { 'memory-mb': 4096, vcores: 1 }, duration: 600 }],
    }])
    // 1,500 vcore-seconds in 600 s are 2.5 containers on average: 3, of 500 s each
    expect(stages({ vcoreSeconds: 1500, memorySeconds: 1500 * 2048 })).toEqual([{ name: 'containers', tasks: 3, demand: { 'memory-mb': 2048, vcores: 1 }, duration: 500 }])
  })

  it('have containers of the vcores or of the memory that options say', () => {
    expect(stages({}, { vcores: 4 })).toEqual([{ name: 'containers', tasks: 10, demand: { 'memory-mb': 16_384, vcores: 4 }, duration: 600 }])
    expect(stages({}, { memory: 8192 })).toEqual([{ name: 'containers', tasks: 20, demand: { 'memory-mb': 8192, vcores: 2 }, duration: 600 }])
    expect(stages({}, { memory: 8192, vcores: 1 })[0]!.demand).toEqual({ 'memory-mb': 8192, vcores: 1 })
  })

  it('have a master where its container is said, and of others what is left', () => {
    // 40 - 1 vcores; 40 x 4096 MB less 2 x 1024 MB over 39 containers
    expect(stages({}, { masterMemory: 2048 })).toEqual([
      { name: 'master', tasks: 1, demand: { 'memory-mb': 2048, vcores: 1 }, duration: 0, master: true },
      { name: 'containers', tasks: 39, demand: { 'memory-mb': Math.ceil((40 * 4096 - 2048) / 39), vcores: 1 }, duration: 600 },
    ])
    expect(stages({ memorySeconds: 600 * 2048, vcoreSeconds: 600 }, { masterMemory: 2048 })).toEqual([{ name: 'containers', tasks: 1, demand: { 'memory-mb': 2048, vcores: 1 }, duration: 600 }])
  })

  it('ask for GPUs by the resource-seconds, also where JSON has one entry alone, and for a partition by their label', () => {
    const entry = [{ key: 'memory-mb', value: '1' }, { key: 'vcores', value: '1' }, { key: 'yarn.io/gpu', value: String(2 * 40 * 600) }]
    expect(stages({ resourceSecondsMap: { entry }, appNodeLabelExpression: 'gpu' })[0]).toMatchObject({ demand: { gpu: 2, vcores: 1 }, constraints: { require: { partition: 'gpu' } } })
    const shared = read(list(app({ resourceSecondsMap: { entry: { key: 'yarn.io/gpu', value: 600 } }, appNodeLabelExpression: '<DEFAULT_PARTITION>' })))
    expect([...jobsOf(shared)][0]!.stages[0]).toEqual({ name: 'containers', tasks: 40, demand: { 'memory-mb': 4096, vcores: 1, gpu: 1 }, duration: 600 })
    expect(shared.report.notes).toEqual(['1 job whose containers held fractions of other resources on average: each asks for whole ones (rounded)'])
  })

  it('are left out, and counted, where they have not ended, held nothing, or come again', () => {
    const more = [app({ id: 'application_17_0002', state: 'RUNNING', finalStatus: 'UNDEFINED', finishedTime: 0 }), app({ id: 'application_17_0003', state: 'KILLED', launchTime: 0, memorySeconds: 0, vcoreSeconds: 0 })]
    const trace = read(`${list(app(), ...more)}\n${list(app(), app({ id: 'application_17_0004', startedTime: 90_000, launchTime: undefined, finalStatus: 'FAILED' }))}`)
    expect([...jobsOf(trace)].map(({ id, submit, recorded }) => [id, submit, recorded])).toEqual([
      ['application_17_0004', 0, { runtime: 615, status: 'failed' }], ['application_17_0001', 10, { wait: 5, runtime: 600, status: 'completed' }]])
    expect(trace.report.notes).toEqual([
      '1 job listed before: left out (twice)', '1 job still running or pending: left out (going)', '1 job that held no memory or no vcores: left out (nothing)',
      '1 job without a launch time (Hadoop before 3.3): taken as running since their submission (launchTime)', '1 job submitted before one above: sorted (sorted)',
    ])
  })

  it('are known in lists, over many lines, and alone', () => {
    for (const text of [list(app()), JSON.stringify({ apps: { app: [app()] } }, null, 2), JSON.stringify(app()), JSON.stringify({ app: app() }), `${JSON.stringify(app())}\n${JSON.stringify(app({ id: 'application_17_0002' }))}`]) {
      expect(detectFormatOf(bytesOf(text)).name).toBe('yarn-apps')
      expect(jobs(text)[0]!.id).toBe('application_17_0001')
    }
  })

  it.each<[string, string]>([
    [list(app({ startedTime: undefined })), 'line 1 startedTime: is missing.'],
    [list(app({ finishedTime: 1000 })), 'line 1 finishedTime: it ends 104000 ms before it was launched.'],
    [list(app({ vcoreSeconds: 'many' })), 'line 1 vcoreSeconds: found "many", expected a number of at least -1.'],
    [list(app()).slice(0, -4), 'line 1: the object that begins on line 1 has no end. Was the file cut short? Copy it again, or drop such lines with onBadLine "skip".'],
  ])('tell what is wrong (%#)', (text, message) => {
    expect(messageOf(() => jobs(text))).toBe(`"apps.json" ${message}${message.includes('copy') || message.includes('Copy') ? '' : ` ${skip}`}`)
  })

  it('printed otherwise are known for what they are', () => {
    expect(textKind('<?xml version="1.0" encoding="UTF-8"?><apps><app><id>application_1_1</id></app></apps>')).toContain('in XML')
    expect(textKind('Total number of applications (application-types: [] and states: [FINISHED]):1\n                Application-Id\t    Application-Name\t    Application-Type\n')).toContain('tells no times')
    expect(textKind('Total Nodes:1\n         Node-Id\t     Node-State\tNode-Http-Address\n')).toContain('ws/v1/cluster/nodes')
  })
})

describe('nodes of YARN\'s resource manager', () => {
  const node = (name: string, change: Json = {}): Json => ({
    rack: '/r1', state: 'RUNNING', id: `${name}:8041`, nodeHostName: name, usedMemoryMB: 1024, availMemoryMB: 64_512, usedVirtualCores: 1, availableVirtualCores: 15,
    totalResource: { memory: 65_536, vCores: 16, resourceInformations: { resourceInformation: [{ name: 'memory-mb', value: 65_536 }, { name: 'vcores', value: 16 }, { name: 'yarn.io/gpu', value: 4 }] } }, ...change,
  })
  const nodes = (...all: readonly Json[]) => JSON.stringify({ nodes: { node: all } }, null, 1)

  it('have what they have in all, their rack and their label; those that take no containers are left out', () => {
    expect(readMachines(nodes(node('a'), node('b'), node('c', { totalResource: undefined, nodeLabels: ['fast'] }), node('d', { state: 'LOST' })))).toEqual({
      name: 'yarn',
      nodes: [
        { names: ['a', 'b'], count: 2, racks: ['/r1'], resources: { 'memory-mb': 65_536, vcores: 16, gpu: 4 } },
        { names: ['c'], count: 1, racks: ['/r1'], resources: { 'memory-mb': 65_536, vcores: 16 }, labels: { partition: 'fast' } },
      ],
    })
    expect(readMachines(nodes(node('a'), node('a', { id: 'a:1' }))).nodes[0]!.names).toEqual(['a:8041', 'a:1'])
  })

  it.each(['{"apps":null}', '{ "apps": {} }\n'])('are none where the resource manager answers %s', (text) => {
    expect(detectFormatOf(bytesOf(text)).name).toBe('yarn-apps')
    expect(messageOf(() => jobs(text))).toBe('"apps.json": the trace holds no jobs. Is it the right file, and whole?')
  })

  it.each([
    [nodes(node('a'), node('a')), 'id: node "a:8041" was listed before. Give every node once.'],
    [nodes(node('a', { state: 'LOST' })), 'lists no node that takes containers.'],
    [nodes(node('a', { totalResource: { memory: 'much' } })), 'totalResource.memory: found "much", expected a number of at least 0.'],
  ])('tell what is wrong (%#)', (text, message) => {
    expect(messageOf(() => readMachines(text, 'nodes.json'))).toContain(message)
  })
})
