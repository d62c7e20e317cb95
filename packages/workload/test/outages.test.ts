import { describe, expect, it } from 'vitest'
import { parseTrace, readOutages, scaleLoad, timeWindow, workloadOf, type OutageReading } from '../src/index.js'

const nodes = ['n-0', 'n-1', 'n-2', 'n-3', 'n-4']
const read = (text: string, reading: OutageReading = {}) => readOutages(text, nodes, { file: 'outages', ...reading })
const trace = (text: string) => parseTrace(new TextEncoder().encode(text))
const outages = (text: string, reading?: OutageReading) => read(text, reading).outages.map(({ node, from, to, drain }) => [node, from, to, drain ? 'drain' : 'failure'])

describe('a list of outages', () => {
  it('names nodes, times and kinds, in any order of rows and columns', () => {
    expect(read('kind,to,node,from\r\ndrain,20.5,n-2,10\r\n,,n-0,3\r\n\r\nfailure,9,n-2,8\n')).toEqual({
      outages: [
        { node: 2, from: 10, to: 20.5, drain: true },
        { node: 0, from: 3, to: Infinity, drain: false },
        { node: 2, from: 8, to: 9, drain: false },
      ],
      notes: [],
    })
    expect(outages('node,from,to\nn-4,0,1')).toEqual([[4, 0, 1, 'failure']])
  })

  it('may have a clock of its own', () => {
    const list = 'node,from,to\nn-0,100,150\nn-1,190,210\nn-2,250,\nn-3,200,201\n'
    expect(outages(list, { origin: 200 })).toEqual([[1, 0, 10, 'failure'], [2, 50, Infinity, 'failure'], [3, 0, 1, 'failure']])
    expect(read(list, { origin: 200 }).notes).toEqual(['outages: 1 of 4 outages is over before the run begins: left out'])
    expect(() => read('node,from,to\nn-0,1,2\n', { origin: 5 })).toThrow('"outages": all 1 outages are over at 5, when the run begins.')
    expect(() => read(list, { origin: 'noon' })).toThrow('outages.origin: found "noon", expected a number of seconds or a date such as 2024-01-31T10:00:00. Give the time of the file at which the run begins.')
  })

  it.each([
    ['node,from,to\nn-7,1,2\n', '"outages" line 2 node: the cluster has no node "n-7". Nodes are called n-0, n-1, n-2 and so on.'],
    ['node,from,to\nn-1,1,2\n\nn-7,1,2\n', '"outages" line 4 node: the cluster has no node "n-7".'],
    ['node,from,to\nn-1,,2\n', '"outages" line 2 from: is empty.'],
    ['node,from,to\nn-1,2,2\n', '"outages" line 2 to: found 2, which is not after 2.'],
    ['node,from,to\nn-1,-2,2\n', '"outages" line 2 from: found "-2", expected a number of at least 0.'],
    ['node,from,to,kind\nn-1,1,2,crash\n', '"outages" line 2 kind: found "crash", expected failure or drain.'],
    ['node,from\nn-1,1\n', '"outages" line 1: column to is missing.'],
    ['node,from,to\nn-1,1\n', '"outages" line 2: found 2 columns, the header has 3.'],
    ['node,from,to\n', '"outages": lists no outage. Known are a CSV table'],
    ['', '"outages": lists no outage.'],
  ])('is refused where it is wrong: %j', (text, message) => {
    expect(() => read(text)).toThrow(message)
  })
})

describe('external events of Batsim', () => {
  it('drain hosts by number, in any order of lines', () => {
    const events = [
      '{"type": "machine_available", "resources": "1", "timestamp": 30}',
      '{"type": "machine_unavailable", "resources": "0-1 4", "timestamp" : 10}',
      '{"type": "machine_unavailable", "resources": "0", "timestamp": 12}',
      '{"type": "machine_available", "resources": "0,3", "timestamp": 20.5}',
      '{"type": "generic", "timestamp": 25, "data": "{\\"type\\": \\"machine_unavailable\\", \\"resources\\": \\"2\\"}"}',
      '{"type": "generic", "timestamp": 26, "data": "lunch"}',
    ]
    expect(outages(events.join('\n'))).toEqual([[0, 10, 20.5, 'drain'], [1, 10, 30, 'drain'], [4, 10, Infinity, 'drain'], [2, 25, Infinity, 'drain']])
    expect(read(events.join('\n')).notes).toEqual(['outages: 1 event is of no host that goes or comes back: passed over'])
  })

  it.each([
    ['{"type": "machine_unavailable", "resources": "0-x", "timestamp": 1}', 'line 1 resources: found "0-x", expected numbers of hosts such as "0-3 5".'],
    ['{"type": "machine_unavailable", "resources": "0-99999999", "timestamp": 1}', 'line 1 resources: found 0-99999999, more than 1000000 hosts.'],
    ['{"type": "machine_unavailable", "resources": "0", "timestamp": "1"}', 'line 1 timestamp: found "1", expected a number of at least 0.'],
    ['{"type": "machine_unavailable", "resources": "0", "timestamp": 1}\n{"type": "mach', 'line 2: found "{\\"type\\": \\"mach", expected a JSON object.'],
    ['{"type": "machine_unavailable", "resources": "7-8", "timestamp": 1}', 'line 1: host 7 goes away, the cluster has 5 nodes.'],
    ['{"type": "machine_available", "resources": "1", "timestamp": 1}', '"outages": lists no outage.'],
  ])('are refused where they are wrong: %s', (text, message) => {
    expect(() => read(text)).toThrow(message)
  })
})

describe('events of nodes in Slurm', () => {
  const sacct = (first: string) => trace(`JobID|Submit|Start|End|NCPUS|State\n1|${first}|2024-01-31T10:00:00|2024-01-31T11:00:00|2|COMPLETED\n`)
  const events = [
    'Cluster|NodeName|TimeStart|TimeEnd|State|Reason|User',
    'c|n-1|2024-01-31T10:00:00|2024-01-31T10:10:00|DOWN*|Not responding|slurm(64030)',
    'c|n-1|2024-01-31T10:10:00|2024-01-31T10:20:00|DRAIN|memory|root(0)',
    'c|n-2|2024-01-31T08:00:00|2024-01-31T09:59:59|DOWN|old|root(0)',
    'c|n-3|2024-01-31T08:00:00|Unknown|DRNG||root(0)',
    'c||2024-01-31T08:00:00|2024-01-31T09:00:00||Cluster registered TRES|root(0)',
    'c|login|2024-01-31T10:00:00||FAIL||root(0)',
    'c|n-0|2024-01-31T10:30:00|2024-01-31T10:30:00|DOWN||root(0)',
  ].join('\n')

  it('are on the clock of the jobs', () => {
    const reading = { workload: () => sacct('2024-01-31T09:59:50') }
    expect(outages(events, reading)).toEqual([[1, 10, 610, 'failure'], [1, 610, 1210, 'drain'], [2, 0, 9, 'failure'], [3, 0, Infinity, 'drain']])
    expect(read(events, reading).notes).toEqual([
      'outages: 1 event is of the whole cluster: passed over',
      'outages: 1 of 5 outages is of nodes that the cluster does not have: left out',
    ])
    expect(outages(events, { origin: '2024-01-31T10:05:00' }).slice(0, 2)).toEqual([[1, 0, 300, 'failure'], [1, 300, 900, 'drain']])
  })

  it('follow a window of the jobs, and not a load of another size', () => {
    const workload = timeWindow(sacct('2024-01-31T09:00:00'), 3600, 7200)
    expect(outages(events, { workload: () => workload })[0]).toEqual([1, 0, 600, 'failure'])
    expect(() => read(events, { workload: () => scaleLoad(workload, 2) })).toThrow('the workload does not say when its time 0 was')
  })

  it.each([
    ['NodeName|TimeStart|TimeEnd\nn-1|soon|\n', 'line 2 TimeStart: found "soon", expected a time such as 2024-01-31T10:00:00.'],
    ['NodeName|TimeStart|TimeEnd\nn-1||\n', 'line 2 TimeStart: found "", expected a time'],
    ['NodeName|TimeStart|TimeEnd\nn-1|2024-01-31T10:00:00|2024-01-31T09:00:00\n', 'line 2 TimeEnd: found 2024-01-31T09:00:00, which is before 2024-01-31T10:00:00.'],
    ['NodeName|TimeStart|State\n', 'line 1: column TimeEnd is missing. Write it with `sacctmgr --parsable2 show event'],
    ['        NodeName           TimeStart             TimeEnd\n', 'line 1: column NodeName is missing. Write it with `sacctmgr --parsable2'],
    ['NodeName|TimeStart|TimeEnd\nlogin|2024-01-31T10:00:00|\n', 'line 2 node: the cluster has no node "login".'],
    ['NodeName|TimeStart|TimeEnd\nn-1|2024-01-31T10:00:00|\n', '"outages": has dates, and the workload does not say when its time 0 was. Give the time'],
  ])('are refused where they are wrong: %j', (text, message) => {
    expect(() => read(text, text.includes('login') ? { origin: 0 } : {})).toThrow(message)
  })

  it('are on the clock of a log whose header says when it starts', () => {
    const swf = (start: string) => trace(`; UnixStartTime: ${start}\n; MaxProcs: 4\n1 0 0 10 1 -1 -1 1 -1 -1 1 1 1 1 1 1 -1 -1\n`)
    const log = 'NodeName|TimeStart|TimeEnd\nn-1|1706695200|1706695260\n'
    expect(outages(log, { workload: () => swf('1706695190') })).toEqual([[1, 10, 70, 'failure']])
    expect(() => read(log, { workload: () => swf('0') })).toThrow('does not say when its time 0 was')
  })
})

describe('a table of the Failure Trace Archive', () => {
  const header = '# event_id\tcomponent_id\tnode_id\tplatform_id\tnode_name\tevent_type\tevent_start_time\tevent_stop_time\tevent_end_reason\n'
  const rows = ['0\t1\t20\t0\tb\t1\t1000\t1100\tNULL', '1\t1\t20\t0\tb\t0\t1100\t1150.5\tNULL', '2\t1\t7\t0\ta\t0\t1010\tNULL\t3', '3\t1\t7\t0\ta\t2\t1010\t1020\tNULL'].join('\n')

  it.each([header + rows, rows])('gives its nodes to the cluster in their order, from its first event on', (text) => {
    expect(outages(text)).toEqual([[1, 100, 150.5, 'failure'], [0, 10, Infinity, 'failure']])
    expect(outages(text, { origin: 1100 })).toEqual([[1, 0, 50.5, 'failure'], [0, 0, Infinity, 'failure']])
    expect(read(text).notes).toEqual(['outages: 1 event is of a type other than 0 and 1: passed over'])
  })

  it('leaves nodes out that the cluster does not have', () => {
    const many = Array.from({ length: 7 }, (_, i) => `${i}\t1\t${i}\t0\tx\t0\t${10 * i}\t${10 * i + 5}\tNULL`).join('\n')
    expect(outages(header + many).map(([node]) => node)).toEqual([0, 1, 2, 3, 4])
    expect(read(header + many).notes).toEqual(['outages: 2 of 7 outages are of nodes that the cluster does not have: left out'])
  })

  it.each([
    [`${header}0\t1\t2\t0\tx\t0\t5\n`, 'line 2: found 7 columns, expected 9'],
    [`${header}0\t1\t2\t0\tx\t0\t5\t4\tNULL\n`, 'line 2 event_stop_time: found 4, which is before 5.'],
    [`${header}0\t1\tx\t0\tx\t0\t5\t6\tNULL\n`, 'line 2 node_id: found "x", expected a number of at least 0.'],
    [header, '"outages": lists no outage.'],
  ])('is refused where it is wrong: %j', (text, message) => {
    expect(() => read(text)).toThrow(message)
  })
})

describe('machine events of Google', () => {
  const google = (events: readonly string[], reading?: OutageReading) => readOutages(events.join('\n'), ['6', '15', '7'], reading).outages.map(({ node, from, to }) => [node, from, to])
  const events = ['0,6,0,p,0.5,0.25', '0,15,0,p,0.5,0.25', '700000000,6,1,p,,', '760000000,6,0,p,0.5,0.25', '800000000,15,2,p,0.5,0.5', '900000000,7,0,p,1,1', '950000000,15,1,p,0.5,0.5']

  it('are absences before the first addition and from a removal on, on the clock of the jobs', () => {
    expect(google(events)).toEqual([[0, 100, 160], [2, 0, 300], [1, 350, Infinity]])
    const jobs = { ...workloadOf('google', [{ id: 'a', submit: 150, stages: [{ name: 's', tasks: 1, demand: { cpu: 1 }, duration: 1 }] }]), start: 0 }
    expect(google(events, { workload: () => timeWindow(jobs, 120, 500) })).toEqual([[0, 0, 40], [2, 0, 180], [1, 230, Infinity]])
  })

  it('of 2019 are the same in JSON', () => {
    const json = ['{"time":"0","machine_id":"6","type":"1","capacity":{"cpus":0.5,"memory":0.25}}', '{"time":"650000000","machine_id":"6","type":"2","capacity":null}']
    expect(google(json)).toEqual([[0, 50, Infinity]])
  })
})
