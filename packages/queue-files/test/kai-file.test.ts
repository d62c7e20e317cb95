import { describe, expect, it } from 'vitest'
import { queuePolicy, queueTable, readQueues, type KaiPolicy } from '../src/index.js'
import { messageOf } from './message-of.js'

const facts = { resources: ['cpu', 'mem', 'gpu'], nodes: 4, heartbeat: false, totals: { cpu: 64_000, mem: 262_144, gpu: 8000 } }
const queue = (name: string, spec: string) => `apiVersion: scheduling.run.ai/v2\nkind: Queue\nmetadata: { name: ${name} }\nspec: ${spec}\n`
const source = (...queues: readonly string[]) => ({ file: 'kai.yaml', text: queues.join('---\n') })
const made = (...queues: readonly string[]) => queuePolicy(readQueues(source(...queues)), facts) as KaiPolicy
/** What KAI reads where nothing is given. */
const none = { quota: 0, limit: 0, overQuotaWeight: 0 }
const all = (quota: number, limit = -1) => `{ quota: ${quota}, limit: ${limit}, overQuotaWeight: 2 }`

describe('queues of KAI', () => {
  it('are those of kai-preempting, in the units of nodes: thousandths of GPUs, millicores, MiB', () => {
    const { policy, leaves } = made(
      queue('team', `{ priority: 200, resources: { gpu: ${all(8, 8)}, cpu: ${all(-1)}, memory: ${all(1_048_576)} } }`),
      queue('ann', `{ parentQueue: team, displayName: Ann, resources: { gpu: ${all(0.5, 4)} } }`),
    )
    expect(policy).toEqual({ 'kai-preempting': {
      nonPreemptiblePriority: 100,
      maxConsolidationPreemptees: 16,
      placement: { 'kai-scores': { gpu: 'binpack', cpu: 'binpack' } },
      queues: {
        team: { priority: 200, resources: { gpu: { quota: 8000, limit: 8000, overQuotaWeight: 2 }, cpu: { quota: -1, limit: -1, overQuotaWeight: 2 }, mem: { quota: 1_000_000, limit: -1, overQuotaWeight: 2 } } },
        'team.ann': { resources: { gpu: { quota: 500, limit: 4000, overQuotaWeight: 2 }, cpu: none, mem: none } },
      },
    } })
    expect([...leaves]).toEqual([['ann', 'team.ann']])
  })

  it('tell what is not as in KAI, and what the cluster does not have', () => {
    const { findings } = queuePolicy(readQueues(source(queue('a', '\n  preemptMinRuntime: 5m\n  resources:\n    gpu: { quota: 4 }\n    memory: { quota: 1, limit: -1, overQuotaWeight: 1, lendingLimit: 0 }\n'), 'apiVersion: v1\nkind: Node\nmetadata: { name: n }\n')), { ...facts, resources: ['cpu', 'gpu'], totals: { cpu: 1, gpu: 2000 } })
    expect(findings.map(({ verdict, line, setting, note }) => [verdict, line, setting, note])).toEqual([
      ['honoured', 5, 'a preemptMinRuntime', ''],
      ['honoured', 7, 'a quota of gpu', 'more than all nodes have together, 2000 gpu; it counts in thousandths'],
      ['honoured', 7, 'a gpu', 'without limit and overQuotaWeight: a limit of 0, so no job that asks for gpu starts (-1 is no limit), and nothing beyond the quota'],
      ['honoured', 7, 'a resources', 'without cpu: a limit of 0, so no job that asks for cpu starts (-1 is no limit)'],
      ['ignored', 8, 'a quota of memory', 'the cluster has no mem (in MiB)'],
      ['ignored', 8, 'a limit of memory', 'the cluster has no mem (in MiB)'],
      ['ignored', 8, 'a overQuotaWeight of memory', 'the cluster has no mem (in MiB)'],
      ['ignored', 8, 'a lendingLimit of memory', expect.stringContaining('not simulated') as string],
      ['ignored', 11, 'Node', 'no part of the scheduling here'],
    ])
  })

  it('are not compared by fair shares of everything where the cluster has not all that KAI divides', () => {
    const first = (...resources: readonly string[]) => (queuePolicy(readQueues(source(queue('a', '{}'))), { ...facts, resources }) as KaiPolicy).options.fairSharesFirst
    expect([first('cpu', 'mem', 'gpu'), first('cpu', 'mem'), first('gpu'), first('map')]).toEqual([undefined, false, false, undefined])
  })

  it('have least times to run, with days and weeks', () => {
    const { options } = made(queue('a', '{ preemptMinRuntime: 1m30s, reclaimMinRuntime: 1w2d4h }'))
    expect(options.queues?.['a']).toMatchObject({ preemptMinRuntime: 90, reclaimMinRuntime: 9 * 86_400 + 4 * 3600 })
    expect(messageOf(() => made(queue('a', '{ reclaimMinRuntime: soon }')))).toContain('spec.reclaimMinRuntime: found "soon", expected a duration such as 10m or 1h30m')
  })

  describe('with a SchedulingShard', () => {
    const shard = (spec: string, name = 'default') => `apiVersion: kai.scheduler/v1\nkind: SchedulingShard\nmetadata: { name: ${name} }\nspec: ${spec}\n`
    const of = (spec: string, resources: readonly string[] = facts.resources) => queuePolicy(readQueues(source(queue('a', '{}'), shard(spec))), { ...facts, resources }) as KaiPolicy
    const told = ({ findings }: KaiPolicy) => findings.filter(({ line }) => line > 5).map(({ verdict, setting, value, note }) => [verdict, setting, value, note].join(' | '))

    it('have its least times to run, but where arguments of the plug-in take their place', () => {
      const given = 'minRuntime: { preemptMinRuntime: 5m, reclaimMinRuntime: 1d }'
      expect(of(`{ ${given} }`).options).toMatchObject({ defaultPreemptMinRuntime: 300, defaultReclaimMinRuntime: 86_400 })
      const replaced = of(`{ ${given}, plugins: { minruntime: { arguments: { defaultReclaimMinRuntime: 10m, reclaimResolveMethod: queue } } } }`)
      expect(replaced.options).toMatchObject({ defaultReclaimMinRuntime: 600, reclaimResolveMethod: 'queue' })
      expect(replaced.options).not.toHaveProperty('defaultPreemptMinRuntime')
      expect(told(replaced)).toContain('ignored | default minRuntime.preemptMinRuntime | 5m | arguments of the plug-in minruntime take its place')
    })

    it('have nodes chosen as it says, packed where it says nothing, and where there is no shard (SetDefaultWhereNeeded)', () => {
      const placement = ({ policy }: KaiPolicy) => (policy as { readonly 'kai-preempting': { readonly placement?: unknown } })['kai-preempting'].placement
      const packed = { 'kai-scores': { gpu: 'binpack', cpu: 'binpack' } }
      expect(placement(of('{ placementStrategy: { gpu: binpack, cpu: spread } }'))).toEqual({ 'kai-scores': { gpu: 'binpack', cpu: 'spread' } })
      expect([of('{ placementStrategy: { cpu: binpack } }'), of('{}'), made(queue('a', '{}'))].map(placement)).toEqual([packed, packed, packed])
      expect(placement(of('{}', ['map']))).toBeUndefined()
      expect(told(of('{ placementStrategy: { gpu: binpack, cpu: spread, mem: spread } }', ['cpu', 'mem']))).toEqual([
        'ignored | default placementStrategy.gpu | binpack | the cluster has no gpu', 'honoured | default placementStrategy.cpu | spread | ', 'ignored | default placementStrategy.mem | spread | not simulated',
      ])
    })

    it('have nodes chosen as arguments of the plug-in say, which take the place of the strategy', () => {
      const replaced = of('{ placementStrategy: { gpu: binpack, cpu: spread }, plugins: { nodeplacement: { arguments: { gpu: spread } } } }')
      expect(replaced.policy).toMatchObject({ 'kai-preempting': { placement: { 'kai-scores': { gpu: 'spread', cpu: 'binpack' } } } })
      expect(told(replaced)).toEqual([
        'ignored | default placementStrategy.gpu | binpack | arguments of the plug-in nodeplacement take its place', 'ignored | default placementStrategy.cpu | spread | arguments of the plug-in nodeplacement take its place',
        'honoured | default plugins.nodeplacement.arguments.gpu | spread | ',
      ])
      expect(messageOf(() => of('{ plugins: { nodeplacement: { arguments: { cpu: pack } } } }'))).toContain('spec.plugins.nodeplacement.arguments.cpu: found "pack", expected binpack or spread. Write one of these.')
    })

    it('are moved but where something is spread, unless it says otherwise, and of so many jobs as its flag says (setDefaultActions)', () => {
      const moved = (spec: string) => of(spec).options.maxConsolidationPreemptees
      const flag = (most: string) => `args: { max-consolidation-preemptees: "${most}" }`
      expect([moved('{}'), moved('{ placementStrategy: { gpu: spread } }'), moved('{ placementStrategy: { cpu: spread } }'), moved('{ placementStrategy: { cpu: spread }, actions: { consolidation: { enabled: true } } }')]).toEqual([16, 0, 0, 16])
      expect([moved('{ actions: { consolidation: { enabled: false } } }'), moved(`{ ${flag('4')} }`), moved(`{ ${flag('-1')} }`), moved(`{ ${flag('4')}, actions: { consolidation: { enabled: false } } }`)]).toEqual([0, 4, -1, 0])
      expect(told(of(`{ ${flag('4')} }`))).toEqual(['honoured | default args.max-consolidation-preemptees | 4 | '])
      expect(told(of(`{ ${flag('4')}, placementStrategy: { gpu: spread } }`))).toContain('ignored | default args.max-consolidation-preemptees | 4 | the action consolidation is off')
      expect(messageOf(() => of(`{ ${flag('many')} }`))).toContain('spec.args.max-consolidation-preemptees: found "many", expected a whole number from -1 on')
    })

    it('says after what time a gang that lacks tasks goes', () => {
      const grace = (time: string) => of(`{ args: { default-staleness-grace-period: ${time} } }`).options.stalenessGracePeriod
      expect([grace('90s'), grace('2m'), grace('"0"'), grace('-1s')]).toEqual([90, 120, 0, -1])
      expect(told(of('{ args: { default-staleness-grace-period: 90s } }'))).toEqual(['honoured | default args.default-staleness-grace-period | 90s | '])
      expect(messageOf(() => of('{ args: { default-staleness-grace-period: soon } }'))).toContain('spec.args.default-staleness-grace-period: found "soon", expected a duration such as 10m or 1h30m')
    })

    it('order victims by their GPUs where the plug-in gpujoborder is named (mergePluginOverrides)', () => {
      const by = (spec: string, resources?: readonly string[]) => of(`{ plugins: { gpujoborder: ${spec} } }`, resources)
      const mode = (name: string) => `{ arguments: { mode: ${name} } }`
      expect(['{}', '{ enabled: true, priority: 950 }', mode('evict-smaller-first'), mode('prefer-smaller'), '{ enabled: false }'].map((spec) => by(spec).options.gpuJobOrder)).toEqual([
        'evict-larger-first', 'evict-larger-first', 'evict-smaller-first', 'evict-larger-first', undefined,
      ])
      expect(of('{ plugins: {} }').options.gpuJobOrder).toBeUndefined()
      expect(told(by('{ priority: 950, arguments: { mode: prefer-smaller, size: 2 } }'))).toEqual([
        'honoured | default plugins.gpujoborder |  | ', 'honoured | default plugins.gpujoborder.arguments.mode | prefer-smaller | KAI takes it as evict-larger-first',
        'ignored | default plugins.gpujoborder.arguments.size | 2 | not simulated',
      ])
      expect(told(by('{ enabled: false, arguments: { mode: evict-smaller-first } }'))).toEqual([
        'honoured | default plugins.gpujoborder |  | the plug-in is off', 'ignored | default plugins.gpujoborder.arguments.mode | evict-smaller-first | the plug-in is off',
      ])
      expect(told(by('{}', ['cpu', 'mem']))).toEqual(['ignored | default plugins.gpujoborder |  | the cluster has no gpu'])
    })

    it('order victims by the nodes that they are on where the plug-in gangcascadeorder is named', () => {
      const by = (plugins: string) => of(`{ plugins: { ${plugins} } }`)
      expect(['gangcascadeorder: {}', 'gangcascadeorder: { enabled: false }', 'elastic: {}'].map((plugins) => by(plugins).options.gangCascadeOrder)).toEqual([true, undefined, undefined])
      expect(told(by('gangcascadeorder: { enabled: true, priority: 5, arguments: { wide: 1 } }'))).toEqual(['honoured | default plugins.gangcascadeorder |  | ', 'ignored | default plugins.gangcascadeorder.arguments |  | not simulated'])
      expect(told(by('gangcascadeorder: { enabled: false }'))).toEqual(['honoured | default plugins.gangcascadeorder |  | the plug-in is off'])
      const second = (own: string, gpus: string) => told(by(`gangcascadeorder: ${own}, gpujoborder: ${gpus}`)).find((line) => line.includes('gangcascadeorder'))
      expect(second('{}', '{}')).toBe('honoured | default plugins.gangcascadeorder |  | ')
      expect(second('{ priority: 1 }', '{ priority: 2 }')).toBe('approximated | default plugins.gangcascadeorder |  | it comes before gpujoborder')
      expect(second('{ priority: 1 }', '{ priority: 2, enabled: false }')).toBe('honoured | default plugins.gangcascadeorder |  | ')
    })

    it('are due less the more they have had of late, where it says so (UsageParams)', () => {
      const past = (spec: string) => of(spec).options.pastUsage
      const params = 'usageParams: { windowSize: 2w, windowType: tumbling, halfLifePeriod: 12h, fetchInterval: 30s }'
      expect(past('{ usageDBConfig: { clientType: prometheus } }')).toEqual({})
      expect(past(`{ kValue: 0.5, usageDBConfig: { ${params} } }`)).toEqual({ kValue: 0.5, windowSize: 1_209_600, windowType: 'tumbling', halfLifePeriod: 43_200, fetchInterval: 30 })
      expect(past('{ usageDBConfig: { usageParams: { halfLifePeriod: 0s } } }')).toEqual({})
      expect([past('{}'), past('{ kValue: 2 }')]).toEqual([undefined, undefined])
      expect(past('{ usageDBConfig: {}, plugins: { proportion: { arguments: { kValue: "-1" } } } }')).toEqual({ kValue: 0 })
      expect(told(of('{ kValue: 2, usageDBConfig: { clientType: prometheus, usageParams: { windowType: cron, cronString: "0 0 * * 0", stalenessPeriod: 5m } }, plugins: { proportion: { arguments: { relcaimerSaturationMultiplier: "1.2" } } } }')).sort()).toEqual([
        'honoured | default plugins.proportion.arguments.relcaimerSaturationMultiplier | 1.2 | ',
        'ignored | default kValue | 2 | arguments of the plug-in proportion take its place',
        'ignored | default usageDBConfig.clientType | prometheus | past usage is measured in the run',
        'ignored | default usageDBConfig.usageParams.cronString | 0 0 * * 0 | windows of a cron expression are not simulated',
        'ignored | default usageDBConfig.usageParams.stalenessPeriod | 5m | past usage is measured in the run',
        'ignored | default usageDBConfig.usageParams.windowType | cron | the window is sliding',
      ])
      expect(of('{ plugins: { proportion: { arguments: { relcaimerSaturationMultiplier: "1.2" } } } }').options.reclaimerSaturationMultiplier).toBe(1.2)
      expect([true, false].map((says) => of(`{ plugins: { proportion: { arguments: { queuePriorityInQuotaReclaim: "${says}" } } } }`).options.queuePriorityInQuotaReclaim)).toEqual([true, false])
      expect(messageOf(() => of('{ plugins: { proportion: { arguments: { queuePriorityInQuotaReclaim: maybe } } } }'))).toContain('found "maybe", expected true or false. Write one of these.')
      expect([true, false].map((says) => of(`{ plugins: { proportion: { arguments: { steadyFairShareReclaim: "${says}" } } } }`).options.steadyFairShareReclaim)).toEqual([true, false])
      expect(told(of('{ plugins: { proportion: { arguments: { steadyFairShareReclaim: "true" } } } }'))).toEqual(['honoured | default plugins.proportion.arguments.steadyFairShareReclaim | true | '])
      expect(messageOf(() => of('{ usageDBConfig: { usageParams: { windowSize: 0s } } }'))).toContain('usageParams.windowSize: found "0s", expected a duration such as 10m or 1h30m, above 0')
      expect(messageOf(() => of('{ usageDBConfig: { usageParams: { windowType: Sliding } } }'))).toContain('windowType: found "Sliding", expected sliding, tumbling or cron. Did you mean "sliding"?')
      expect(messageOf(() => of('{ plugins: { proportion: { arguments: { relcaimerSaturationMultiplier: 0.5 } } } }'))).toContain('found 0.5, expected a number from 1 on')
    })

    it('have it from a file beside them', () => {
      const [queues, beside] = [source(queue('a', '{}')), { file: 'shard.yaml', text: shard('{ minRuntime: { preemptMinRuntime: 2m } }') }]
      const { options, findings } = queuePolicy(readQueues(queues, beside), facts) as KaiPolicy
      expect(options.defaultPreemptMinRuntime).toBe(120)
      expect(findings.at(-1)).toMatchObject({ file: 'shard.yaml', line: 4, setting: 'default minRuntime.preemptMinRuntime' })
    })

    it('are told what else it says, and of which of several it is', () => {
      expect(told(of('{ kValue: 0.5, args: { v: "4" }, actions: { consolidation: { enabled: false }, preempt: { enabled: false, priority: 3 }, reclaim: { enabled: true } }, plugins: { elastic: { enabled: false } } }'))).toEqual([
        'ignored | default args.v | 4 | flags of the scheduler',
        'ignored | default kValue | 0.5 | past usage does not count without usageDBConfig',
        'ignored | default plugins.elastic.enabled | false | not simulated',
        'honoured | default actions.consolidation.enabled | false | ',
        'ignored | default actions.preempt.enabled | false | it cannot be switched off',
        'ignored | default actions.preempt.priority | 3 | not simulated',
        'honoured | default actions.reclaim.enabled | true | ',
      ])
      const two = made(queue('a', '{}'), shard('{ partitionLabelValue: h100, minRuntime: { preemptMinRuntime: 1m } }', 'h100'), shard('{ minRuntime: { preemptMinRuntime: 2m } }'))
      expect(two.options.defaultPreemptMinRuntime).toBe(120)
      expect(told(two)).toContain('ignored | SchedulingShard h100 |  | all nodes, queues and jobs are in one shard')
    })

    it('are answered where it is wrong', () => {
      expect(messageOf(() => of('{ minRuntime: { preemptMinRuntime: soon } }'))).toContain('spec.minRuntime.preemptMinRuntime: found "soon", expected a duration')
      expect(messageOf(() => of('{ placementStrategy: { gpu: pack } }'))).toContain('spec.placementStrategy.gpu: found "pack", expected binpack or spread. Write one of these.')
      expect(messageOf(() => of('{ plugins: { minruntime: { arguments: { reclaimResolveMethod: up } } } }'))).toContain('reclaimResolveMethod: found "up", expected lca or queue. Write one of these.')
    })
  })

  it('are a tree with their settings', () => {
    const { rows } = queueTable(readQueues(source(queue('b', '{ parentQueue: a, priority: 5 }'), queue('a', `{ resources: { gpu: ${all(4)} } }`))))
    expect(rows.map(({ path, depth, isParent, settings }) => [path, depth, isParent, settings])).toEqual([['a', 0, true, { quota: 'gpu=4', limit: 'gpu=-1', overQuotaWeight: 'gpu=2' }], ['a.b', 1, false, { priority: '5' }]])
  })

  it('is refused without queues, with what it holds', () => {
    expect(messageOf(() => readQueues({ file: 'kai.yaml', text: 'apiVersion: kai.scheduler/v1\nkind: SchedulingShard\nmetadata: { name: default }\nspec: {}\n' })))
      .toBe('"kai.yaml": has objects of KAI Scheduler, and no Queue. Put the manifests of the queues into the same file.')
  })

  it.each([
    [queue('a', '{ parentQueue: b }'), '"kai.yaml" line 4 spec.parentQueue: names the queue "b", which is not there.'],
    [queue('a', '{ parentQueue: a }'), '"kai.yaml" line 4 spec.parentQueue: queue "a" lies in itself: a around a.'],
    [[queue('c', '{ parentQueue: a }'), queue('a', '{ parentQueue: b }'), queue('b', '{ parentQueue: a }')].join('---\n'), '"kai.yaml" line 9 spec.parentQueue: queue "a" lies in itself: a around b around a. Change one of them.'],
    [`${queue('a', '{}')}---\n${queue('a', '{}')}`, '"kai.yaml" line 8 metadata.name: queue "a" was declared before.'],
    [queue('a.b', '{}'), '"kai.yaml" line 3 metadata.name: the name of queue "a.b" has a period'],
    [queue('a', '{ resources: { gpu: { quota: -2 } } }'), '"kai.yaml" line 4 spec.resources.gpu.quota: found -2, expected a number of at least 0, or -1 for all there is.'],
    [queue('a', '{ resources: { gpu: { overQuotaWeight: -1 } } }'), 'spec.resources.gpu.overQuotaWeight: found -1, expected a number of at least 0.'],
    [queue('a', '{ priority: high }'), '"kai.yaml" line 4 spec.priority: found "high", expected a whole number.'],
  ])('are answered where they are wrong (%#)', (text, message) => {
    expect(messageOf(() => made(text))).toContain(message)
  })
})
