import { buildCluster, clusterSchema, readCluster, YamlSource, type NodeGroup } from '@sched/cluster'
import { wattsAt, type NodePower } from '@sched/core'
import { describe, expect, it } from 'vitest'

const power = { idle: 100, busy: 250 }
const powerOf = (...nodes: readonly Omit<NodeGroup, 'count'>[]) => buildCluster({ nodes: nodes.map((group) => ({ count: 1, ...group })) }).power

describe('the power of a node', () => {
  it.each([
    // 200 + 150 x 0.9, x 0.81, x 0.729, x 0.948683
    ['linear', 335],
    ['square', 321.5],
    ['cubic', 309.35],
    ['sqrt', 342.302],
  ] as const)('rises by its model, %s, as PowerModelTest of OpenDC has it at a use of 0.9', (model, watts) => {
    const node: NodePower = { idle: 200, busy: 350, off: 0, asleep: 0, switching: 350, model, resources: [], total: 1 }
    expect(wattsAt(node, 0.9)).toBeCloseTo(watts, 3)
    expect([wattsAt(node, 0), wattsAt(node, 1)]).toEqual([200, 350])
  })

  it('follows all slots, otherwise processors, otherwise what is named first, or what it names', () => {
    expect(powerOf({ slots: { map: 4, reduce: 2 }, power })).toEqual([{ ...power, off: 0, asleep: 0, switching: power.busy, model: 'linear', resources: [0, 1], total: 6 }])
    expect(powerOf({ resources: { 'memory-mb': 4096, vcores: 8 }, power })).toMatchObject([{ resources: [1], total: 8 }])
    expect(powerOf({ resources: { memory: 64, licence: 2 }, power })).toMatchObject([{ resources: [0], total: 64 }])
    const node = { resources: { cpu: 8 }, devices: { gpu: { count: 2, milli: 1000 } } }
    expect(powerOf({ ...node, power: { ...power, resource: 'gpu' } })).toMatchObject([{ resources: [1], total: 2000 }])
    expect(powerOf({ ...node, power: { ...power, off: 5, model: 'sqrt' } })).toMatchObject([{ resources: [0], total: 8, off: 5, model: 'sqrt' }])
  })

  it('is that of its group, unknown where the group does not say, and absent where none does', () => {
    const cpu = { resources: { cpu: 8 } }
    expect(powerOf({ ...cpu, power }, cpu)).toMatchObject([{ idle: 100 }, undefined])
    expect(powerOf({ ...cpu, power }, cpu)).toHaveLength(2)
    expect(powerOf(cpu, cpu)).toBeUndefined()
    expect(buildCluster(readCluster({ nodes: 2, resources: { cpu: 8 }, power: { idle: 1, busy: 1 } })).power).toHaveLength(2)
  })

  it.each([
    [{ idle: 100, busy: 90 }, 'power.busy: 90 W busy, 100 W idle. Give at least as many watts as of an idle node.'],
    [{ idle: -1, busy: 90 }, 'power.idle: found -1, expected at least 0.'],
    [{ idle: 1, busy: NaN }, 'power.busy: found NaN, expected a number.'],
    [{ idle: 1, busy: Infinity }, 'power.busy: found Infinity, expected a number.'],
    [{ idle: 1, busy: 2e6 }, 'power.busy: found 2000000, expected at most 1000000.'],
    [{ idle: 1 }, 'power.busy: is missing, expected a number.'],
    [{ idle: 1, busy: 2, off: -3 }, 'power.off: found -3, expected at least 0.'],
    [{ idle: 1, busy: 2, model: 'cube' }, 'power.model: found "cube", expected "linear" or "square" or "cubic" or "sqrt".'],
    [{ idle: 1, busy: 2, model: 'cubik' }, 'power.model: found "cubik", expected "linear" or "square" or "cubic" or "sqrt". Did you mean "cubic"?'],
    [{ idle: 1, busy: 2, resource: 'cpus' }, 'power.resource: the nodes have no "cpus". Did you mean "cpu"?'],
    [{ idle: 1, max: 2 }, 'power.max: unknown key "max". Known: idle, busy, off, asleep, switching, model, resource.'],
  ])('is refused when it says %j', (power, message) => {
    expect(() => readCluster({ nodes: 2, resources: { cpu: 8, gpu: 0 }, power })).toThrow(message)
    expect(() => readCluster({ nodes: [{ count: 2, resources: { cpu: 8 } }, { count: 2, resources: { cpu: 8 }, power }] })).toThrow(`nodes[1].${message}`)
  })

  it('is refused with its line in a file', () => {
    const source = new YamlSource('nodes:\n  - count: 2\n    resources: { cpu: 8 }\n    power:\n      idle: 100\n      busy: -1\n', 'c.yaml')
    expect(() => source.read(clusterSchema)).toThrow('"c.yaml" line 6 column 7 nodes[0].power.busy: found -1, expected at least 0.')
  })
})

describe('the sleep of a node', () => {
  const sleep = { after: 600, wake: 120 }
  const cpu = { resources: { cpu: 8 } }

  it('is that of its group, and absent where no group has one', () => {
    const model = buildCluster({ nodes: [{ count: 2, ...cpu, sleep }, { count: 1, ...cpu }] })
    expect(model.sleep).toEqual([{ ...sleep, shutdown: 0 }, { ...sleep, shutdown: 0 }, undefined])
    expect(buildCluster({ nodes: [{ count: 2, ...cpu }] }).sleep).toBeUndefined()
    expect(buildCluster(readCluster({ nodes: 2, ...cpu, sleep: { ...sleep, shutdown: 30 } })).sleep).toEqual([{ ...sleep, shutdown: 30 }, { ...sleep, shutdown: 30 }])
  })

  it.each([
    [{ after: -1, wake: 1 }, 'sleep.after: found -1, expected at least 0.'],
    [{ after: 1 }, 'sleep.wake: is missing, expected a number.'],
    [{ after: 1, wake: 1e9 }, 'sleep.wake: found 1000000000, expected at most 31622400.'],
    [{ after: 1, wake: 1, boot: 3 }, 'sleep.boot: unknown key "boot". Known: after, wake, shutdown.'],
  ])('is refused when it says %j', (sleep, message) => {
    expect(() => readCluster({ nodes: 2, ...cpu, sleep })).toThrow(message)
  })

  it('does not go with heartbeats', () => {
    expect(() => readCluster({ nodes: 2, ...cpu, sleep, heartbeat: { interval: 3 } })).toThrow('sleep: nodes that sleep send no heartbeats. Leave out `heartbeat`, so that every change is known at once, or `sleep`.')
    expect(() => readCluster({ nodes: [{ count: 1, ...cpu }, { count: 1, ...cpu, sleep }], heartbeat: { interval: 3 } })).toThrow('nodes[1].sleep: nodes that sleep')
  })
})
