import { buildCluster, readCluster, YamlSource, clusterSchema } from '@sched/cluster'
import { describe, expect, it } from 'vitest'

const message = (run: () => unknown): string => {
  try {
    run()
  } catch (error) {
    return (error as Error).message
  }
  return 'accepted'
}
const refused = (value: unknown) => message(() => readCluster(value))

describe('a cluster description', () => {
  it('may be a number of nodes that the keys beside it describe', () => {
    const short = readCluster({ nodes: 6, racks: 3, slots: { map: 4 }, heartbeat: { interval: 3 } })
    expect(short).toEqual({ nodes: [{ count: 6, racks: 3, slots: { map: 4 } }], heartbeat: { interval: 3, stagger: true } })
    const model = buildCluster(short)
    expect([...(model.groups[1] ?? [])]).toEqual([0, 0, 1, 1, 2, 2])
    expect([...model.total]).toEqual([4, 4, 4, 4, 4, 4])
  })

  it('counts racks for all groups of nodes without a name together, and for one with a name by itself; named racks are for all', () => {
    const racksOf = (...groups: readonly object[]) => [...(buildCluster(readCluster({ nodes: groups.map((group) => ({ count: 2, slots: { map: 1 }, ...group })) })).groups[1] ?? [])]
    expect(racksOf({ name: 'old', racks: 1 }, { name: 'new', racks: 2 })).toEqual([0, 0, 1, 2])
    expect(racksOf({ racks: 1 }, { racks: 2 })).toEqual([0, 0, 0, 1])
    expect(racksOf({ names: ['a', 'b'], racks: 1 }, { names: ['c', 'd'], racks: 2 })).toEqual([0, 0, 0, 1])
    expect(racksOf({ racks: ['r1'] }, { racks: ['r1'] })).toEqual([0, 0, 0, 0])
    expect(racksOf({ racks: ['/d/r1', 'a'] }, { racks: ['/d/r1', 'b'] }, { racks: ['/d/r1'] })).toEqual([0, 0, 1, 1, 2, 2])
    expect(() => racksOf({ racks: ['a/b', 'c'] }, { racks: ['a', 'b/c'] })).toThrow('the groups ["a/b","c"] and ["a","b/c"] are both called "a/b/c"')
  })

  it('may hold groups of different nodes', () => {
    const model = buildCluster({ nodes: [{ name: 'old', count: 2, resources: { cpu: 4 } }, { name: 'new', count: 1, resources: { cpu: 8, gpu: 2 }, speed: 2 }] })
    expect(model.nodeNames).toEqual(['old-0', 'old-1', 'new-0'])
    expect(model.resources).toEqual(['cpu', 'gpu'])
    expect([...model.total]).toEqual([4, 4, 8, 0, 0, 2])
    expect([...model.speed]).toEqual([1, 1, 2])
  })

  it.each([
    [{ nodes: 2, resources: { mem: 1, 7: 1 } }, 'resources: "7" is no name of a resource. Begin it with a letter, as in r7.'],
    [{ nodes: [{ count: 2, slots: { 0: 1 } }] }, 'nodes[0].slots: "0" is no name of a resource. Begin it with a letter, as in r0.'],
    [{ nodes: 6, slots: { map: 1 }, hartbeat: 3 }, 'hartbeat: unknown key "hartbeat". Did you mean "heartbeat"? Known: name, nodes, racks, slots, resources, devices, speed, hardware, speeds, power, sleep, autoscale, labels, taints, heartbeat, replicas, dynamicSlots.'],
    [{ nodes: [{ count: 2, slot: { map: 1 } }] }, 'nodes[0].slot: unknown key "slot". Did you mean "slots"? Known: name, names, count, racks, slots, resources, devices, speed, hardware, speeds, power, sleep, autoscale, labels, taints.'],
    [{ procs: 128 }, 'procs: unknown key "procs". What a node has stands inside: resources: { procs: 128 }, by the names that the jobs use. Known: name, nodes, racks, slots, resources, devices, speed, hardware, speeds, power, sleep, autoscale, labels, taints, heartbeat, replicas, dynamicSlots.'],
    [{ nodes: [{ count: 2, cores: 8, mem: 4 }] }, 'nodes[0].cores: unknown key "cores". What a node has stands inside: resources: { cores: 8 }, by the names that the jobs use. Known: name, names, count, racks, slots, resources, devices, speed, hardware, speeds, power, sleep, autoscale, labels, taints.'],
    [{ nodes: [{ count: 2, gpu: 8 }] }, 'nodes[0].gpu: unknown key "gpu". What a node has stands inside: resources: { gpu: 8 }, or devices: { gpu: 8 } where tasks take shares of one. Known: name, names, count, racks, slots, resources, devices, speed, hardware, speeds, power, sleep, autoscale, labels, taints.'],
    [{ nodes: [{ count: 2, maps: 8 }] }, 'nodes[0].maps: unknown key "maps". What a node has stands inside: slots: { maps: 8 }. Known: name, names, count, racks, slots, resources, devices, speed, hardware, speeds, power, sleep, autoscale, labels, taints.'],
    [{ nodes: [{ count: 2, cores: 'many' }] }, 'nodes[0].cores: unknown key "cores". Known: name, names, count, racks, slots, resources, devices, speed, hardware, speeds, power, sleep, autoscale, labels, taints.'],
    [{ nodes: 6, interval: 3 }, 'interval: unknown key "interval". Did you mean "heartbeat.interval" or "dynamicSlots.interval"? Known: name, nodes, racks, slots, resources, devices, speed, hardware, speeds, power, sleep, autoscale, labels, taints, heartbeat, replicas, dynamicSlots.'],
    [{ nodes: [{ count: 2, heartbeat: { interval: 3 } }] }, 'nodes[0].heartbeat: unknown key "heartbeat". Did you mean "heartbeat" further out? Known: name, names, count, racks, slots, resources, devices, speed, hardware, speeds, power, sleep, autoscale, labels, taints.'],
    [{ nodes: 6, heartbeat: 3 }, 'heartbeat: found 3, expected a mapping. Its keys are interval, stagger.'],
    [undefined, 'cluster: is missing. Describe one, for example { nodes: [{ count: 10, resources: { cpu: 8 } }] }.'],
    [{ slots: { map: 1 } }, 'nodes: is missing, expected a number or a list.'],
    [{ nodes: -1, slots: { map: 1 } }, 'nodes: found -1, expected at least 1. "nodes" stands for a number of nodes, which the keys beside it describe; or groups of nodes.'],
    [{ nodes: 2.5, slots: { map: 1 } }, 'nodes: found 2.5, expected a whole number or a list.'],
    [{ nodes: 1e12, slots: { map: 1 } }, 'nodes: found 1000000000000, expected at most 1000000. "nodes" stands for a number of nodes, which the keys beside it describe; or groups of nodes.'],
    [{ nodes: NaN, slots: { map: 1 } }, 'nodes: found NaN, expected a number or a list.'],
    [{ nodes: [] }, 'nodes: found [], expected at least 1 element. "nodes" stands for a number of nodes, which the keys beside it describe; or groups of nodes.'],
    [{ nodes: [{ count: 600_000, slots: { map: 1 } }, { count: 600_000, slots: { map: 1 } }] }, 'nodes: more than 1000000 nodes. Simulate at most 1000000, a part of the cluster.'],
    [{ nodes: 2 }, 'nodes: no node has a slot or a resource. Add for example `slots: { map: 4, reduce: 2 }`.'],
    [{ nodes: 2, slots: { map: 0 } }, 'nodes: no node has a slot or a resource. Add for example `slots: { map: 4, reduce: 2 }`.'],
    [{ nodes: 2, slots: { map: -1 } }, 'slots.map: found -1, expected at least 0. "slots" stands for slots per node by type, for example { map: 4, reduce: 2 }: every type is scheduled on its own.'],
    [{ nodes: 2, racks: 3, slots: { map: 1 } }, 'racks: 3 racks for 2 nodes. Use at most one rack per node.'],
    [{ nodes: [{ count: 1, slots: { map: 1 } }, { count: 2, racks: 3 }] }, 'nodes[1].racks: 3 racks for 2 nodes. Use at most one rack per node.'],
    [{ nodes: [{ count: 2, slots: { map: 1 } }], racks: 2 }, 'racks: stands beside a list of node groups. Put it into the groups, or give `nodes` a number.'],
    [{ nodes: [{ name: 'a', count: 2, slots: { map: 1 } }, { name: 'a', count: 2 }] }, 'nodes: two node groups are called "a". Give every group a name of its own.'],
    [{ nodes: [{ count: 2, names: ['a', 'a'], slots: { map: 1 } }] }, 'nodes: two nodes are called "a". Give every node a name of its own.'],
    [{ nodes: [{ count: 1, slots: { map: 1 } }, { name: 'node0', count: 1 }] }, 'nodes: two nodes are called "node0-0". Give every node a name of its own.'],
    [{ nodes: 2, slots: { map: 1 }, speed: 0 }, 'speed: found 0, expected more than 0. "speed" stands for relative speed; default 1.'],
    [{ nodes: 2, slots: { map: 1 }, speed: 1e-320 }, 'speed: found 1e-320, expected at least 0.000001. "speed" stands for relative speed; default 1.'],
    [{ nodes: 2, slots: { map: 1 }, replicas: { placement: 'hdsf' } }, 'replicas.placement: found "hdsf", expected "hdfs" or "uniform". Did you mean "hdfs"?'],
    [{ nodes: 2, slots: { map: 1 }, heartbeat: { interval: 0 } }, 'heartbeat.interval: found 0, expected at least 0.001. "interval" stands for seconds between two heartbeats of a node; Hadoop on small clusters: 3.'],
    [{ nodes: 2, slots: { map: 1 }, heartbeat: { interval: 1e308 } }, 'heartbeat.interval: found 1e+308, expected at most 86400. "interval" stands for seconds between two heartbeats of a node; Hadoop on small clusters: 3.'],
    [[], 'found [], expected a mapping.'],
    [{ nodes: 2, slots: { map: 1 }, resources: { cpu: 1 } }, 'accepted'],
    [JSON.parse('{ "nodes": 2, "resources": { "cpu": 1, "__proto__": 3 } }'), 'resources.__proto__: nothing can be called "__proto__". Take another name.'],
    [JSON.parse('{ "nodes": [{ "count": 2, "resources": { "cpu": 1 }, "labels": { "__proto__": "x" } }] }'), 'nodes[0].labels.__proto__: nothing can be called "__proto__". Take another name.'],
    [{ nodes: 2, resources: { cpu: 1 }, speeds: { constructor: 2 } }, 'speeds: a speed of "constructor", which the nodes do not have. Name it in `hardware`, too.'],
    [{ nodes: 2, resources: { constructor: 1 }, labels: { toString: 'x' }, hardware: { valueOf: 2 }, speeds: { valueOf: 3 } }, 'accepted'],
  ])('%j is answered', (value, answer) => {
    expect(refused(value)).toBe(answer)
  })

  it('has slots or resources, not both', () => {
    expect(message(() => buildCluster({ nodes: [{ count: 2, slots: { map: 1 }, resources: { cpu: 1 } }] }))).toMatch('either slots or resources, not both')
  })
})

describe('a YAML text', () => {
  const read = (text: string) => message(() => new YamlSource(text, 'c.yaml').read(clusterSchema))

  it.each([
    ['nodes: 6\nslots: { map: 2 }\n', 'accepted'],
    ['{"nodes": 6, "slots": {"map": 2}}', 'accepted'],
    ['', '"c.yaml": is empty. Is it the right file, and whole?'],
    ['# nothing\n', '"c.yaml": is empty. Is it the right file, and whole?'],
    ['nodes: 6\nslots:\n  map: two\n', '"c.yaml" line 3 column 3 slots.map: found "two", expected a number.'],
    ['nodes: 6\nslots: { map: 2 }\nrack: 4\n', '"c.yaml" line 3 column 1 rack: unknown key "rack". Did you mean "racks"? Known: name, nodes, racks, slots, resources, devices, speed, hardware, speeds, power, sleep, autoscale, labels, taints, heartbeat, replicas, dynamicSlots.'],
    ['nodes:\n  - count: 3\n    slots: { map: 2 }\n  - slots: { map: 2 }\n', '"c.yaml" line 4 column 5 nodes[1].count: is missing, expected a number.'],
    ['nodes: 6\nnodes: 7\n', '"c.yaml" line 2 column 1: Map keys must be unique. Keep one of the equal keys.'],
    ['nodes: [6\n', '"c.yaml" line 2 column 1: Flow sequence in block collection must be sufficiently indented and end with a ]. Close every quote and bracket, and indent what belongs together alike.'],
    ['nodes: 6\n--- \nnodes: 7\n', '"c.yaml" line 2 column 1: holds several documents. Keep one.'],
    ['a: &a [*a]\n', '"c.yaml" line 1 column 8: an anchor holds itself. Write the value out.'],
    ['nodes: 6\n? { slots: 1 }\n: 2\n', '"c.yaml" line 2 column 3: a key is not a word. Write `key: value`.'],
    ['nodes: 6\nslots: { map: 2, __proto__: 3 }\n', '"c.yaml" line 2 column 18: nothing can be called "__proto__". Take another name.'],
    ['nodes: !count 6\n', '"c.yaml" line 1 column 8: Unresolved tag: !count. Leave it out, or put a text that begins with ! in quotes.'],
    ['nodes: *there\n', '"c.yaml" line 1 column 8: Unresolved alias (the anchor must be set before the alias): there. Write &name before the value that *name stands for.'],
  ])('%j is answered', (text, answer) => {
    expect(read(text)).toBe(answer)
  })

  it('refuses brackets in brackets in brackets', () => {
    expect(read('['.repeat(20_000))).toBe('"c.yaml": is nested too deeply. Is it the right file?')
  })

  it('refuses aliases that would fill the memory', () => {
    const level = (i: number) => `a${i}: &a${i} [${Array.from({ length: 10 }, () => `*a${i - 1}`).join(', ')}]`
    const bomb = ['a0: &a0 [x]', ...[1, 2, 3, 4, 5, 6, 7, 8, 9].map(level)].join('\n')
    expect(read(bomb)).toBe('"c.yaml" line 2 column 10: uses anchors more than 100 times, first here. Write the values out.')
  })

  it('finds the line of an option by its path as text, also where names hold dots', () => {
    const source = new YamlSource('policies:\n  five s:\n    delay:\n      order:\n        fair:\n          pools:\n            root.ads:\n              weight: 0\n')
    const line = (field: string, under: string[] = []) => source.placeOfField(field, under).line
    expect(line('policies.five s.delay.order.fair.pools.root.ads.weight')).toBe(8)
    expect(line('policies.five s.delay.nodes')).toBe(3) // not there: the innermost around it
    expect(line('pools.root.ads.minShare', ['policies', 'five s'])).toBe(7) // starts further inside
    expect(line('elsewhere', ['policies', 'five s'])).toBe(2)
  })
})
