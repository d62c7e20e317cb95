import { describe, expect, it } from 'vitest'
import { compareQueues, queuePolicy, queueTable, readQueues, type QueueFile, type SparkFile } from '@sched/queue-files'

const cluster = { resources: ['core'], nodes: 10, heartbeat: false }
const xml = (...pools: readonly string[]) => ({ file: 'fairscheduler.xml', text: `<?xml version="1.0"?>\n<allocations>\n${pools.join('\n')}\n</allocations>` })
const pool = (name: string, settings: Readonly<Record<string, string>>) => `<pool name="${name}">${Object.entries(settings).map(([key, value]) => `<${key}>${value}</${key}>`).join('')}</pool>`
const conf = (...lines: readonly string[]) => ({ file: 'spark-defaults.conf', text: lines.join('\n') })
const order = (file: QueueFile) => (queuePolicy(file, cluster).policy as { delay: { order: unknown; waits: number[] } }).delay

describe('pools of Spark', () => {
  it('become pools of `fair` with the defaults of Spark: FIFO inside, weight 1, no minimum', () => {
    const file = readQueues(xml(pool('pool1', { minShare: '3', weight: '1', schedulingMode: 'FIFO' }), pool('pool2', { minShare: '4', weight: '2', schedulingMode: 'FAIR' }), pool('pool3', { minShare: '2', schedulingMode: 'FAIR' }), pool('pool4', {})))
    expect(order(file)).toEqual({
      order: {
        fair: {
          pools: { pool1: { inner: 'fifo', weight: 1, minShare: 3 }, pool2: { inner: 'fair', weight: 2, minShare: 4 }, pool3: { inner: 'fair', minShare: 2 }, pool4: { inner: 'fifo' } },
          defaults: { inner: 'fifo' },
          flat: true,
          boundMinShares: false,
        },
      },
      waits: [3, 3],
      resetOnLaunch: false,
    })
    expect(queuePolicy(file, cluster).findings.every(({ verdict }) => verdict === 'honoured')).toBe(true)
  })

  // PoolSuite, SPARK-17663
  it.each<[string, Record<string, string>, object]>([
    ['a minimum that is none', { minShare: 'INVALID', weight: '2', schedulingMode: 'FAIR' }, { inner: 'fair', weight: 2 }],
    ['a weight that is none', { minShare: '1', weight: 'INVALID', schedulingMode: 'FAIR' }, { inner: 'fair', minShare: 1 }],
    ['a mode that is none', { minShare: '3', weight: '2', schedulingMode: 'INVALID' }, { inner: 'fifo', weight: 2, minShare: 3 }],
    ['a mode in small letters', { minShare: '2', weight: '1', schedulingMode: 'fair' }, { inner: 'fair', weight: 1, minShare: 2 }],
    ['NONE', { minShare: '1', weight: '2', schedulingMode: 'NONE' }, { inner: 'fifo', weight: 2, minShare: 1 }],
    ['blanks', { minShare: ' ', weight: ' ', schedulingMode: ' ' }, { inner: 'fifo' }],
    ['empty settings', { minShare: '', weight: '', schedulingMode: '' }, { inner: 'fifo' }],
    ['values among blanks', { minShare: ' 3 ', weight: ' 2 ', schedulingMode: ' FAIR ' }, { inner: 'fair', weight: 2, minShare: 3 }],
    ['a minimum below 0', { minShare: '-1' }, { inner: 'fifo', minShare: 0 }],
  ])('take the default, and tell it, for %s', (_, settings, expected) => {
    const file = readQueues(xml(pool('p', settings), pool('other', { minShare: '1' })))
    const { pools } = (order(file).order as { fair: { pools: Record<string, object> } }).fair
    expect(pools['p']).toEqual(expected)
    const given = Object.keys(expected).length + (settings['schedulingMode']?.trim().match(/^(fair|fifo)$/i) ? 0 : -1)
    const told = queuePolicy(file, cluster).findings.filter(({ setting, verdict }) => setting.startsWith('p ') && verdict === 'ignored')
    expect(told).toHaveLength(Object.keys(settings).length - given)
    for (const { note } of told) expect(note).toMatch(/^Spark takes its default, (FIFO|0|1), for what is not /)
  })

  it('are known by minShare, or by a schedulingMode in capitals; what else YARN could mean is its own', () => {
    const kindOf = (...pools: string[]) => readQueues(xml(...pools)).kind
    expect(kindOf(pool('a', { weight: '2' }), pool('b', { schedulingMode: 'FAIR' }))).toBe('spark')
    expect(kindOf(pool('a', { minShare: '2' }))).toBe('spark')
    expect(kindOf(pool('a', { minShare: '2' }), '<defaultFairSharePreemptionTimeout>60</defaultFairSharePreemptionTimeout>')).toBe('spark')
    expect(kindOf(pool('a', { schedulingMode: 'FAIR' }), '<userMaxAppsDefault>6</userMaxAppsDefault>')).toBe('fair')
    expect(kindOf(pool('a', { minShare: '2' }), '<queue name="b"/>')).toBe('fair')
    expect(queuePolicy(readQueues(xml(pool('a', { minShare: '2' }), '<timeout>60</timeout>')), cluster).findings.filter(({ verdict }) => verdict === 'ignored').map(({ setting, note }) => [setting, note])).toEqual([['timeout', 'Spark reads pools alone']])
    expect(kindOf(pool('a', { weight: '2' }))).toBe('fair')
    expect(kindOf(pool('a', { schedulingMode: 'fair' }))).toBe('fair')
    expect(kindOf(pool('a', { minShare: '2', minResources: '1 mb, 1 vcores' }))).toBe('fair')
    expect(kindOf('<queue name="a"><minShare>2</minShare></queue>')).toBe('fair')
  })

  it('stand beside a spark-defaults.conf, which says the mode and the waits for data', () => {
    const pools = xml(pool('a', { minShare: '2' }))
    const waits = (...lines: string[]) => order(readQueues(pools, conf(...lines))).waits
    expect(waits('# comment', '', 'spark.master yarn', 'spark.locality.wait   10s')).toEqual([10, 10])
    expect(waits('spark.locality.wait=1min', 'spark.locality.wait.rack: 250ms')).toEqual([60, 0.25])
    expect(waits('spark.locality.wait.node 0', 'spark.locality.wait 5', 'spark.locality.wait 7')).toEqual([0, 0.007]) // milliseconds; the last of equal ones
    const fifo = readQueues(pools, conf('spark.scheduler.mode\tfifo', 'spark.speculation true', 'spark.dynamicAllocation.enabled true', 'spark.excludeOnFailure.enabled true'))
    expect(order(fifo)).toEqual({ order: 'fifo', waits: [3, 3], resetOnLaunch: false })
    expect(queuePolicy(fifo, cluster).findings.map(({ file, line, setting, verdict, note }) => [file, line, setting, verdict, note])).toEqual([
      ['fairscheduler.xml', 3, 'a minShare', 'ignored', 'spark.scheduler.mode is FIFO: there are no pools'],
      ['spark-defaults.conf', 1, 'spark.scheduler.mode', 'honoured', ''],
      ['spark-defaults.conf', 2, 'spark.speculation', 'ignored', 'tasks are copied if the experiment says so: speculation: spark'],
      ['spark-defaults.conf', 3, 'spark.dynamicAllocation.enabled', 'ignored', 'the cluster is as large as it is'],
      ['spark-defaults.conf', 4, 'spark.excludeOnFailure.enabled', 'ignored', 'nodes are avoided if the experiment says so: avoid: spark'],
    ])
    const alone = readQueues(conf('', '# pools are made as jobs name them', 'spark.scheduler.mode FAIR')) as SparkFile
    expect([alone.kind, alone.pools]).toEqual(['spark', []])
  })

  it('wait for data anew with every launch only where the application asks for that of Spark before 3.1', () => {
    const legacy = (value: string) => queuePolicy(readQueues(xml(pool('a', { minShare: '2' })), conf(`spark.locality.wait.legacyResetOnTaskLaunch ${value}`, 'spark.locality.wait 1s')), cluster)
    expect(['true', 'false'].map((value) => (legacy(value).policy as { delay: { resetOnLaunch: boolean } }).delay.resetOnLaunch)).toEqual([true, false])
    expect(['true', 'false'].map((value) => legacy(value).findings.slice(1).map(({ verdict, note }) => [verdict, note]))).toEqual([
      [['honoured', ''], ['approximated', 'the wait of a job runs while it is passed over, not since a task of it last started']],
      [['honoured', ''], ['approximated', 'offers of all that is free are made as tasks end, or by heartbeats, not every second']],
    ])
    expect(() => legacy('no')).toThrow('line 1 spark.locality.wait.legacyResetOnTaskLaunch: found "no", expected true or false.')
  })

  it('have shares by weight above their minimums, and are compared', () => {
    const before = readQueues(xml(pool('a', { weight: '3' }), pool('b', { minShare: '20' })))
    const after = readQueues(xml(pool('a', { weight: '1' }), pool('b', { minShare: '20' })), conf('spark.scheduler.mode FAIR'))
    const shares = (file: QueueFile, totals?: Record<string, number>) => queueTable(file, totals).rows.map(({ path, shares }) => [path, ...Object.values(shares)])
    expect(shares(before)).toEqual([['root', 1], ['root.a', 0.75], ['root.b', 0.25]])
    expect(queueTable(before).leavesOutAmounts).toBe(true)
    expect(shares(before, { core: 40 })).toEqual([['root', 40], ['root.a', 20], ['root.b', 20]])
    expect(shares(after, { core: 60 })).toEqual([['root', 60], ['root.a', 30], ['root.b', 30]])
    const compared = compareQueues({ file: before, table: queueTable(before) }, { file: after, table: queueTable(after) })
    expect(compared.changed).toEqual([
      { path: '', setting: 'spark.scheduler.mode', before: undefined, after: 'FAIR' },
      { path: 'root.a', setting: 'weight', before: '3', after: '1' },
    ])
  })

  it.each<[string, () => unknown, string]>([
    ['no name', () => readQueues(xml('<pool><minShare>1</minShare></pool>')), '"fairscheduler.xml" line 3: a pool has no name. Write <pool name="...">.'],
    ['twins', () => readQueues(xml(pool('a', { minShare: '1' }), pool('a', {}))), '"fairscheduler.xml" line 4: pool "a" was declared before. Declare every pool once.'],
    ['a weight of 0', () => readQueues(xml(pool('a', { minShare: '1', weight: '0' }))), '"fairscheduler.xml" line 3 a weight: found 0, expected a weight of at least 1. Leave it out for 1.'],
    ['a time that is none', () => order(readQueues(xml(pool('a', { minShare: '1' })), conf('spark.locality.wait 3 apples'))), '"spark-defaults.conf" line 1 spark.locality.wait: found "3 apples", expected a time such as 3s or 500ms. Units are us, ms, s, m or min, h and d.'],
    ['a mode that is none', () => order(readQueues(conf('spark.scheduler.mode FIIR'))), '"spark-defaults.conf" line 1 spark.scheduler.mode: there is no scheduling mode "FIIR". Did you mean "FAIR"? Known: FAIR, FIFO.'],
    ['another property', () => readQueues(conf('spark.a b', 'yarn.c d')), '"spark-defaults.conf" line 2: found "yarn.c", expected a property that begins with spark. Write NAME VALUE in each line.'],
    ['other pools beside', () => readQueues(xml(pool('a', { minShare: '1' })), { ...xml(pool('b', { minShare: '1' })), file: 'other.xml' }), '"other.xml": stands beside pools of Spark. Beside them stands a spark-defaults.conf alone: fairscheduler.xml+spark-defaults.conf.'],
  ])('refuse %s', (_, read, message) => {
    expect(read).toThrow(expect.objectContaining({ message }))
  })
})
