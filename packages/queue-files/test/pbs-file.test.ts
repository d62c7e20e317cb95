import type { JobSpec } from '@sched/core'
import { compareQueues, isQueueFile, jobPlace, queuePolicy, queueTable, readQueues, type ClusterFacts } from '@sched/queue-files'
import { describe, expect, it } from 'vitest'
import { messageOf } from './message-of.js'

const cluster: ClusterFacts = { resources: ['cpu', 'mem', 'gpu'], nodes: 4, heartbeat: false }
const qmgr = (...lines: readonly string[]) => ({ file: 'server.qmgr', text: `${lines.join('\n')}\n` })
const config = (...lines: readonly string[]) => ({ file: 'sched_config', text: `${lines.join('\n')}\n` })
const queue = (name: string, ...attributes: readonly string[]) => [`create queue ${name}`, ...['queue_type = Execution', ...attributes, 'enabled = True', 'started = True'].map((each) => `set queue ${name} ${each}`)]
const holidays = { file: 'holidays', text: 'YEAR 2026\nweekday 0600 1730\n' }
const policy = (first: ReturnType<typeof qmgr>, ...beside: ReturnType<typeof qmgr>[]) => queuePolicy(readQueues(first, ...beside), cluster).policy
const told = (first: ReturnType<typeof qmgr>, ...beside: ReturnType<typeof qmgr>[]) =>
  queuePolicy(readQueues(first, ...beside), cluster).findings.map(({ verdict, file, line, setting, note }) => `${verdict} ${file}:${line} ${setting}${note === '' ? '' : `: ${note}`}`)
const bySubmission = { score: { formula: '-submit' } }
const sorted = (options: object) => ({ 'pbs-sort': options })

describe('the policy of a server of OpenPBS', () => {
  it('is greedy by submission where nothing is set: nobody is protected without strict_ordering', () => {
    expect(policy(qmgr(...queue('workq')))).toEqual({ greedy: { order: bySubmission } })
    expect(policy(qmgr(...queue('workq')), config('strict_ordering: false ALL'))).toEqual({ greedy: { order: bySubmission } })
  })

  it('has reservations for backfill_depth jobs under strict_ordering, of queues with a number of their own for as many, and with 0 none passes the first', () => {
    const strict = config('strict_ordering: true all')
    const easy = { order: bySubmission, passOn: true, perArray: 1 }
    expect(policy(qmgr(...queue('workq')), strict)).toEqual({ easy: { ...easy, reservations: 1 } })
    expect(policy(qmgr(...queue('workq', 'backfill_depth = 5'), 'set server backfill_depth = 3'), strict)).toEqual({ easy: { ...easy, reservations: 3, depths: { workq: 5 } } })
    expect(policy(qmgr(...queue('workq'), 'set server backfill_depth = 0'), strict)).toEqual({ strict: { order: bySubmission } })
    expect(policy(qmgr(...queue('workq'), ...queue('deep', 'backfill_depth = 2'), 'set server backfill_depth = 0'), strict)).toEqual({ easy: { ...easy, reservations: 0, depths: { workq: 0, deep: 2 } } })
  })

  it('goes queue by queue, as the sched_config does that is shipped; of queues of one Priority the first created comes first', () => {
    const server = qmgr(...queue('a', 'Priority = 10'), ...queue('b', 'Priority = 30'), ...queue('c', 'Priority = 10'), 'create queue r', 'set queue r queue_type = Route')
    const queues = { a: { Priority: 10 }, b: { Priority: 30 }, c: { Priority: 10 } }
    expect(policy(server)).toEqual({ greedy: { order: { 'pbs-queues': { take: 'by_queue', queues, order: bySubmission } } } })
    expect(policy(server, config('by_queue: true all', 'round_robin: true all'))).toEqual({ greedy: { order: { 'pbs-queues': { take: 'round_robin', queues, order: bySubmission } } } })
    expect(told(server, config('by_queue: true all', 'round_robin: true all')).filter((each) => each.includes('sched_config'))).toEqual(['ignored sched_config:1 by_queue: round_robin counts', 'honoured sched_config:2 round_robin'])
    for (const lines of [['by_queue: false all'], ['strict_ordering: false all']]) expect(policy(server, config(...lines))).toEqual({ greedy: { order: bySubmission } })
  })

  it.each<[string, string[], string[], object | string]>([
    ['a formula', ['set server job_sort_formula = "2 * ncpus ** 2 - walltime / (1 + 3)"'], [], sorted({ job_sort_formula: '2 * ncpus ** 2 - walltime / (1 + 3)' })],
    ['the formula of the scheduler before that of the server', ['set server job_sort_formula = ncpus', 'set sched job_sort_formula = walltime'], [], sorted({ job_sort_formula: 'walltime' })],
    ['eligible time that counts', ['set server eligible_time_enable = True', 'set server job_sort_formula = eligible_time'], [], sorted({ job_sort_formula: 'eligible_time', eligible_time_enable: true })],
    ['eligible time that does not', ['set server job_sort_formula = eligible_time'], [], sorted({ job_sort_formula: 'eligible_time' })],
    ['a formula with what is not here', ['set server job_sort_formula = "queue_prio * ncpus"'], ['job_sort_key: "ncpus LOW"'], sorted({ job_sort_key: ['ncpus LOW'] })],
    ['priorities of queues', ['set queue workq Priority = 7', 'set server job_sort_formula = "queue_priority * ncpus"'], [], sorted({ job_sort_formula: 'queue_priority * ncpus', queues: { workq: { Priority: 7 } } })],
    ['a resource that the file creates, above a threshold', ['create resource foo', 'set server job_sort_formula = foo', 'set sched job_sort_formula_threshold = -0.5', 'set server scheduler_iteration = 60'], [], sorted({ job_sort_formula: 'foo', job_sort_formula_threshold: -0.5, resources: ['foo'], scheduler_iteration: 60 })],
    ['several keys, behind a formula, too', ['set server job_sort_formula = ncpus'], ['job_sort_key: "walltime  HIGH" ALL', 'job_sort_key: "job_priority LOW"'], sorted({ job_sort_formula: 'ncpus', job_sort_key: ['walltime HIGH', 'job_priority LOW'] })],
    ['a formula with a word that objects have', ['set server job_sort_formula = "constructor + ncpus"'], ['job_sort_key: "ncpus LOW"'], sorted({ job_sort_key: ['ncpus LOW'] })],
    ['a formula that is none', ['set server job_sort_formula = "max(ncpus)"'], [], bySubmission],
    ['the longest first', [], ['job_sort_key: "walltime HIGH" ALL'], sorted({ job_sort_key: ['walltime HIGH'] })],
    ['priorities of jobs', [], ['job_sort_key: "job_priority HIGH"'], sorted({ job_sort_key: ['job_priority HIGH'] })],
    ['a key that is not here', [], ['job_sort_key: "cput LOW"'], bySubmission],
  ])('goes by %s', (_, lines, settings, order) => {
    expect(policy(qmgr(...queue('workq'), ...lines), ...(settings.length > 0 ? [config(...settings)] : []))).toEqual({ greedy: { order } })
  })

  it('shares by what resource_group and the sched_config say, in prime time, too, or as formulas name it', () => {
    const group = { file: 'resource_group', text: '# people\nphysics 10 root 40\nann 11 physics 50\n' }
    const settings = config('fair_share: true ALL', 'unknown_shares: 10', 'fairshare_usage_res: "ncpus*walltime"', 'fairshare_entity: egroup', 'fairshare_decay_time: 12:00:00', 'fairshare_decay_factor: 0.25', 'fairshare_enforce_no_shares: false', 'job_sort_key: "fair_share_perc HIGH"')
    const options = { job_sort_key: ['fair_share_perc HIGH'], fair_share: true, resource_group: 'physics 10 root 40\nann 11 physics 50', unknown_shares: 10, fairshare_entity: 'egroup', fairshare_usage_res: 'ncpus*walltime', fairshare_decay_time: 43_200, fairshare_decay_factor: 0.25, fairshare_enforce_no_shares: false }
    expect(policy(group, settings, qmgr(...queue('workq')))).toEqual({ greedy: { order: sorted(options) } })
    expect(told(qmgr(...queue('workq')), settings, group).filter((each) => !each.startsWith('honoured'))).toEqual(['approximated sched_config:4 fairshare_entity: groups are the accounts of jobs'])
    expect(policy(qmgr(...queue('workq'), 'set server job_sort_formula = fairshare_factor'), config('unknown_shares: 10'))).toEqual({ greedy: { order: sorted({ job_sort_formula: 'fairshare_factor', unknown_shares: 10 }) } })
    expect(told(qmgr(...queue('workq')), config('unknown_shares: 10', 'fairshare_usage_res: cput'))).toEqual(expect.arrayContaining(['ignored sched_config:1 unknown_shares: fair_share is off, and no formula names it']))
    expect(policy(qmgr(...queue('workq')), config('fair_share: true prime'), holidays)).toMatchObject({ 'prime-time': { policy: { greedy: { order: sorted({ fair_share: true }) } }, nonPrime: { greedy: { order: bySubmission } } } })
    const alone = 'what is used in the other time counts, too, and who has no shares is refused at any time'
    expect(told(qmgr(...queue('workq')), config('fair_share: true prime'), holidays).filter((each) => each.includes('fair'))).toEqual([`approximated sched_config:1 fair_share: ${alone}`])
    expect(told(qmgr(...queue('workq')), config('strict_ordering: true', 'fair_share: true non_prime'), holidays).filter((each) => each.includes('fair'))).toEqual([`approximated sched_config:2 fair_share: jobs with reservations add nothing before they start; ${alone}`])
    expect(told(qmgr(...queue('workq')), config('fair_share: true'), holidays).filter((each) => each.includes('fair'))).toEqual(['honoured sched_config:1 fair_share'])
    expect(told(qmgr(...queue('workq')), config('strict_ordering: true', 'fair_share: true', 'fairshare_usage_res: ncpus', 'fairshare_usage_res: cput')).filter((each) => each.includes('fair'))).toEqual([
      'approximated sched_config:2 fair_share: jobs with reservations add nothing before they start', 'ignored sched_config:3 fairshare_usage_res: another line sets it again', 'approximated sched_config:4 fairshare_usage_res: cput is what processors could do in the time',
    ])
  })

  it.each<[string, string, string]>([
    ['a factor that is none', 'fairshare_decay_factor: 1', '"sched_config" line 2 fairshare_decay_factor: found "1", expected a number between 0 and 1.'],
    ['an entity that is none', 'fairshare_entity: user', '"sched_config" line 2 fairshare_entity: found "user", expected euser, egroup, Account_Name, queue, egroup:euser.'],
    ['no time', 'fairshare_decay_time: 1d', '"sched_config" line 2 fairshare_decay_time: found "1d", expected a time of hours:minutes:seconds.'],
    ['shares that are none', 'unknown_shares: few', '"sched_config" line 2 unknown_shares: found "few", expected a whole number from 0 on.'],
  ])('refuses %s of fair share', (_, line, expected) => {
    expect(messageOf(() => policy(qmgr(...queue('workq')), config('fair_share: true', line)))).toContain(expected)
  })

  it('knows processors by their own name, too', () => {
    const server = readQueues(qmgr(...queue('workq', 'max_run_res.ncpus = [u:PBS_GENERIC=2]', 'resources_max.ncpus = 3'), 'set server job_sort_formula = ncpus'), config('strict_ordering: false all'))
    const own = { ...cluster, resources: ['ncpus', 'mem'] }
    expect(JSON.stringify(queuePolicy(server, own).policy)).toBe(JSON.stringify(queuePolicy(server, cluster).policy))
    expect(queuePolicy(server, own).findings.filter(({ verdict }) => verdict === 'ignored')).toEqual([])
    const asked = (ncpus: number): JobSpec => ({ id: 'a', submit: 0, stages: [{ name: 'work', tasks: 1, demand: { ncpus }, duration: 1 }] })
    const placed = jobPlace(server, queuePolicy(server, own))
    expect(placed?.({ ...asked(3), queue: 'workq' })).toMatchObject({ queue: 'workq' })
    expect(placed?.({ ...asked(4), queue: 'workq' })).toMatchObject({ refused: 'queue "workq" has resources_max.ncpus = 3' })
  })

  it('takes words that objects have for nothing of its own', () => {
    const server = qmgr(...queue('constructor', 'constructor = 3', 'max_run_res.constructor = [u:PBS_GENERIC=2]'), 'set server toString = 5')
    expect(policy(server)).toMatchObject({ 'pbs-preempting': { queues: { constructor: { max_run_res: { constructor: '[u:PBS_GENERIC=2]' } } } } })
    expect(told(server).filter((line) => line.startsWith('ignored')).map((line) => line.split(' ')[2])).toEqual(['constructor', 'toString:'])
    expect(messageOf(() => readQueues(qmgr(...queue('workq'), 'create constructor x')))).toContain('found "create constructor x".')
  })

  it('preempts where there are jobs of several levels: of express queues, or over soft limits that preempt_prio names', () => {
    const express = [...queue('workq'), ...queue('expressq', 'Priority = 150')]
    const levels = { queues: { expressq: { Priority: 150 } } }
    const byQueue = { 'pbs-queues': { take: 'by_queue', queues: { workq: {}, expressq: { Priority: 150 } }, order: bySubmission } }
    expect(policy(qmgr(...express), config('round_robin: true', 'preemptive_sched: true'))).toMatchObject({ 'pbs-preempting': { policy: { greedy: { order: { 'pbs-queues': { take: 'round_robin', order: { 'pbs-levels': { ...levels, order: bySubmission } } } } } } } })
    expect(policy(qmgr(...express, 'set sched preempt_order = "SR 50 D"'))).toEqual({
      'pbs-preempting': { ...levels, preempt_order: 'SR 50 D', order: bySubmission, policy: { greedy: { order: { 'pbs-levels': { ...levels, order: byQueue } } } } },
    })
    expect(policy(qmgr(...express, 'set sched preempt_queue_prio = 151'))).toEqual({ greedy: { order: byQueue } })
    expect(policy(qmgr(...express), config('preemptive_sched: false ALL'))).toEqual({ greedy: { order: bySubmission } })
    expect(policy(qmgr(...express), config('by_queue: false ALL'))).toEqual({ greedy: { order: bySubmission } }) // what a sched_config leaves out is off

    const soft = qmgr(...queue('workq', 'max_run_res_soft.ncpus = [u:PBS_GENERIC=4]', 'resources_default.preempt_targets = NONE'), 'set sched preempt_prio = "normal_jobs, queue_softlimits"', 'set sched preempt_prio += fairshare')
    const softly = { preempt_prio: 'normal_jobs, queue_softlimits', queues: { workq: { max_run_res_soft: { ncpus: '[u:PBS_GENERIC=4]' } } } }
    expect(policy(soft)).toEqual({ 'pbs-preempting': { ...softly, preempt_targets: { workq: [] }, order: bySubmission, policy: { greedy: { order: { 'pbs-levels': { ...softly, order: bySubmission } } } } } })
    expect(told(soft).filter((each) => each.includes('preempt_'))).toEqual([
      'honoured server.qmgr:4 workq resources_default.preempt_targets',
      ...[7, 8].map((line) => `approximated server.qmgr:${line} preempt_prio: without levels that name fairshare`),
    ])
  })

  it('has hard limits and amounts of the server where nobody preempts, too', () => {
    const server = qmgr(
      ...queue('workq', 'max_user_run = 3', 'max_run_res.mem = [g:physics=4gb]', 'max_run_res.walltime = [o:PBS_ALL=9]'), 'set server max_run = [u:PBS_GENERIC=5]', 'set server max_run += [u:ann=2]',
      'set server resources_available.fluent = 30', 'set server resources_available.mem = 8gb', 'set server resources_available.arch = linux',
    )
    expect(policy(server)).toEqual({
      'pbs-preempting': {
        preempt_prio: 'normal_jobs', preempt_order: 'R', server: { max_run: '[u:PBS_GENERIC=5],[u:ann=2]' }, queues: { workq: { max_run: '[u:PBS_GENERIC=3]', max_run_res: { mem: '[g:physics=4gb]' } } },
        resources_available: { fluent: 30, mem: 8192 }, policy: { greedy: { order: bySubmission } },
      },
    })
    expect(told(server).filter((each) => each.startsWith('ignored'))).toEqual([
      'ignored server.qmgr:5 workq max_run_res.walltime: jobs have no walltime that is counted',
      'ignored server.qmgr:12 resources_available.arch: it is no amount',
    ])
    expect(queuePolicy(readQueues(server, config('resources: "ncpus, mem"')), cluster).policy).toMatchObject({ 'pbs-preempting': { resources_available: { mem: 8192 } } })
  })

  it('has placement sets by labels that nodes have, where node_group_enable is True', () => {
    const facts = { ...cluster, racks: 2, nodesWith: (label: string) => (label === 'switch' ? ['n1'] : []) }
    const lines = [...queue('workq', 'node_group_key = rack'), 'set server node_group_key = "switch,row"', 'set sched only_explicit_psets = True']
    const on = readQueues(qmgr(...lines, 'set server node_group_enable = True'))
    expect(queuePolicy(on, facts).policy).toEqual({ greedy: { order: bySubmission, placement: { 'placement-sets': { node_group_key: ['switch'], queues: { workq: { node_group_key: ['rack'] } }, only_explicit_psets: true } } } })
    expect(queuePolicy(on, facts).findings.find(({ line }) => line === 6)).toMatchObject({ verdict: 'approximated', note: 'no node has the label row' })
    expect(queuePolicy(readQueues(qmgr(...lines)), facts).policy).toEqual({ greedy: { order: bySubmission } })
  })

  it('takes nodes in turn where smp_cluster_dist says so, and there are no placement sets', () => {
    const turns = config('smp_cluster_dist: round_robin', 'by_queue: false')
    expect(policy(qmgr(...queue('workq')), turns)).toEqual({ greedy: { order: bySubmission, placement: { 'round-robin': {} } } })
    for (const line of ['smp_cluster_dist: pack', 'smp_cluster_dist: lowest_load', 'smp_cluster_dist: round_robin non_prime']) expect(policy(qmgr(...queue('workq')), config(line))).toEqual({ greedy: { order: bySubmission } })
    expect(told(qmgr(...queue('workq')), config('smp_cluster_dist: lowest_load')).at(0)).toBe('ignored sched_config:1 smp_cluster_dist: the lowest nodes with room come first, as with pack')
  })

  it('sorts nodes by node_sort_key and their Priority, inside placement sets, too', () => {
    const nodes = ['create node n1 Mom=n1', 'set node n1 Priority = 5', 'set node n2 priority = -3', 'set node n3 Priority = 0', 'set node n9 Priority = 1']
    const names = { ...cluster, nodeNames: ['n1', 'n2', 'n3'] }
    const of = (lines: readonly string[], ...beside: ReturnType<typeof qmgr>[]) => queuePolicy(readQueues(qmgr(...queue('workq'), ...lines), ...beside), names)
    const placed = (options: object) => ({ greedy: { order: bySubmission, placement: { 'node-sort': options } } })
    const priorities = { n1: { Priority: 5 }, n2: { Priority: -3 } }
    expect(of([], config('node_sort_key: "ncpus  HIGH unused" ALL', 'node_sort_key: "mem LOW"')).policy).toEqual(placed({ node_sort_key: ['cpu HIGH unused', 'mem LOW'] }))
    expect(of(nodes, config('node_sort_key: "sort_priority LOW"', 'node_sort_key: "ngpus HIGH assigned"')).policy).toEqual(placed({ node_sort_key: ['sort_priority LOW', 'gpu HIGH assigned'], nodes: priorities }))
    expect(of(nodes).policy).toEqual(placed({ node_sort_key: ['sort_priority HIGH'], nodes: priorities })) // as shipped
    for (const lines of [['node_sort_key: "sort_priority HIGH"'], ['node_sort_key: "last_used_time LOW"'], ['node_sort_key: "foo LOW"'], ['by_queue: false']]) expect(of([], config(...lines)).policy).toEqual({ greedy: { order: bySubmission } })
    expect(of(nodes, config('by_queue: false')).policy).toEqual({ greedy: { order: bySubmission } })
    expect(of([], config('node_sort_key: "ncpus HIGH" prime', 'node_sort_key: "ncpus LOW" non_prime'), holidays).policy).toMatchObject({ 'prime-time': { policy: placed({ node_sort_key: ['cpu HIGH'] }), nonPrime: placed({ node_sort_key: ['cpu LOW'] }) } })
    const sets = { ...cluster, nodesWith: () => ['n1'] }
    const inSets = ['set server node_group_enable = True', 'set server node_group_key = switch']
    expect(queuePolicy(readQueues(qmgr(...queue('workq'), ...inSets), config('node_sort_key: "ncpus HIGH"', 'smp_cluster_dist: round_robin')), sets).policy).toEqual({ greedy: { order: bySubmission, placement: { 'placement-sets': { node_group_key: ['switch'], placement: { 'node-sort': { node_sort_key: ['cpu HIGH'] } } } } } })
    const notes = (lines: readonly string[], ...beside: ReturnType<typeof qmgr>[]) => of(lines, ...beside).findings.flatMap(({ verdict, setting, note }) => (/node|Priority/.test(setting) ? [`${verdict} ${setting}${note === '' ? '' : `: ${note}`}`] : []))
    expect(notes([...nodes, 'set node n1 Priority = 6'], config('node_sort_key: "sort_priority HIGH"', 'node_sort_key: "last_used_time LOW"', 'node_sort_key: "foo LOW"'))).toEqual([
      'honoured node_sort_key', 'ignored node_sort_key: when a node was used last does not count', 'ignored node_sort_key: nodes have nothing that is foo',
      'ignored create node n1: nodes are those of the cluster', 'ignored n1 Priority: line 10 sets it again', 'honoured n2 Priority', 'honoured n3 Priority', 'ignored n9 Priority: no node has this name', 'honoured n1 Priority',
    ])
    expect(messageOf(() => of([], config('node_sort_key: "ncpus UP"')))).toContain('"sched_config" line 1 node_sort_key: found "ncpus UP". Write for example "ncpus HIGH unused".')
    expect(messageOf(() => of(['set node n1 Priority = 1025']))).toContain('line 5 n1 Priority: found "1025", expected a whole number from -1024 to 1023.')
  })

  it('is another one outside prime time, where there are holidays', () => {
    const files = [config('strict_ordering: true prime', 'strict_ordering: false non_prime', 'primetime_prefix: day_', 'backfill_prime: true non_prime', 'prime_spill: 1:00:00 PRIME'), holidays]
    const prime = { easy: { order: bySubmission, reservations: 1, passOn: true, perArray: 1 } }
    expect(policy(qmgr(...queue('workq')), ...files)).toEqual({
      'prime-time': {
        holidays: holidays.text, primetime_prefix: 'day_', nonprimetime_prefix: '', backfill_prime: ['true non_prime'], prime_spill: ['1:00:00 prime'], policy: prime, nonPrime: { greedy: { order: bySubmission } },
      },
    })
    expect(policy(qmgr(...queue('workq')), holidays)).toEqual({ 'prime-time': { holidays: holidays.text, policy: { greedy: { order: bySubmission } } } })
    const [settings] = files
    expect(policy(qmgr(...queue('workq')), settings as typeof holidays)).toEqual(prime)
    expect(told(qmgr(...queue('workq')), settings as typeof holidays).filter((each) => each.startsWith('ignored'))).toEqual([2, 3, 4, 5].map((line) =>
      expect.stringMatching(new RegExp(`^ignored sched_config:${line} \\w+: without a file of holidays it is prime time always$`)) as unknown as string))
  })
})

describe('files of OpenPBS', () => {
  const server = qmgr('# Set server attributes.', ...queue('workq', 'Priority = 10'), 'set server default_queue = workq')

  it('are known by their first line, stand in any order, and may have a mark at the beginning and other ends of lines', () => {
    const settings = config('', '# by hand', 'strict_ordering:\ttrue\tALL')
    expect([server, settings, holidays].map(({ text }) => isQueueFile(text))).toEqual([true, true, false])
    const one = policy(server, settings, holidays)
    expect(policy(holidays, settings, server)).toEqual(one)
    const strange = [server, settings, holidays].map(({ file, text }) => ({ file, text: `\uFEFF${text.replaceAll('\n', '\r\n')}` })) as [typeof server, typeof server, typeof server]
    expect(policy(...strange)).toEqual(one)
    expect(told(...strange)).toEqual(told(server, settings, holidays))
  })

  it('tell every line once, with what becomes of it', () => {
    const lines = ['create resource foo', 'set resource foo type = long', ...queue('workq', 'Priority = 10', 'default_chunk.ncpus = 1', 'max_runn = 3'), 'set server scheduler_iteration = 60', 'set server default_queue = a', 'set server default_queue = workq', 'create sched other', 'set sched other preempt_order = R', 'import hook h', 'set node n1 Priority = 5']
    const settings = ['by_queue: True prime', 'by_queue: True', 'help_starving_jobs: true ALL', 'preempt_order: R', 'smp_cluster_dist: round_robin', 'no_such: 1', 'fair_share: false ALL', 'fair_share: true ALL', 'node_sort_key: "sort_priority HIGH" ALL', 'node_sort_key: "ncpus HIGH unused"']
    const all = told(qmgr(...lines), config(...settings))
    expect(all.filter((each) => !each.startsWith('honoured'))).toEqual([
      'ignored sched_config:1 by_queue: another line sets it again',
      'ignored sched_config:3 help_starving_jobs: obsolete, current versions of OpenPBS pass over it: jobs starve no more, and a formula goes by eligible_time',
      'ignored sched_config:4 preempt_order: obsolete, current versions of OpenPBS pass over it: it is set of the scheduler with qmgr',
      'approximated sched_config:5 smp_cluster_dist: each task goes behind the node used last, there each job of one chunk that is packed',
      'ignored sched_config:6 no_such: it decides nothing about which job is next',
      'ignored sched_config:7 fair_share: another line sets it again',
      'ignored sched_config:9 node_sort_key: smp_cluster_dist counts',
      'ignored sched_config:10 node_sort_key: smp_cluster_dist counts',
      'ignored server.qmgr:1 create resource foo: resources are those of the cluster, and licences of jobs',
      'ignored server.qmgr:2 set resource foo: resources are those of the cluster, and licences of jobs',
      'ignored server.qmgr:5 workq Priority: neither by_queue, an express queue nor the formula counts it',
      'ignored server.qmgr:6 workq default_chunk.ncpus: jobs ask for what the workload says',
      'ignored server.qmgr:7 workq max_runn: not simulated; did you mean max_run?',
      'approximated server.qmgr:10 scheduler_iteration: jobs are looked at whenever something changes, and in such cycles between',
      'ignored server.qmgr:11 default_queue: line 12 sets it again',
      'ignored server.qmgr:14 other preempt_order: of another scheduler: that called default is run',
      'ignored server.qmgr:15 import hook h: hooks are not run',
      'ignored server.qmgr:16 n1 Priority: nodes are not sorted by sort_priority',
    ])
    expect(all).toHaveLength(lines.length + settings.length - 1) // but for `create sched`
    expect(new Set(all.map((each) => each.split(' ')[1])).size).toBe(all.length)
  })

  it('tell that reservations reckon with no limits, and what by_queue is beside soft limits', () => {
    const limited = qmgr(...queue('a', 'max_run = [p:PBS_GENERIC=1]', 'max_run_soft = [u:PBS_GENERIC=1]'), ...queue('b'), 'set sched preempt_prio = "normal_jobs, queue_softlimits"')
    const notes = told(limited, config('strict_ordering: true all', 'by_queue: true all', 'preemptive_sched: true all')).filter((each) => each.startsWith('approximated'))
    expect(notes).toEqual([
      'approximated sched_config:2 by_queue: jobs over a soft limit come after those of all queues',
      'approximated server.qmgr:3 a max_run: projects are taken for accounts, as groups are; reservations of top jobs do not reckon with it',
    ])
    expect(told(limited, config('preemptive_sched: false all')).find((each) => each.includes('soft'))).toBe('ignored server.qmgr:4 a max_run_soft: preemptive_sched is off')
  })

  it.each<[string, string[], string]>([
    ['a line that is none', ['set queue workq enabled'], '"server.qmgr" line 5: found "set queue workq enabled", expected ATTRIBUTE = VALUE.'],
    ['another command', ['delete queue workq'], '"server.qmgr" line 5: found "delete queue workq".'],
    ['a queue that was not created', ['set queue wokq enabled = True'], '"server.qmgr" line 5: queue "wokq" is set, and was not created. Put create queue wokq before it.'],
    ['a queue that was created before', ['create queue workq'], '"server.qmgr" line 5: queue "workq" was created before, in line 1. Create every queue once.'],
    ['a Priority out of range', ['set queue workq Priority = 1024'], '"server.qmgr" line 5 workq Priority: found "1024", expected a whole number from -1024 to 1023.'],
    ['a depth that no number is large enough for', ['set server backfill_depth = 18446744073709551615'], '"server.qmgr" line 5 backfill_depth: found "18446744073709551615", expected a whole number from 0 to 9007199254740991.'],
    ['a depth that is no number', ['set server backfill_depth = some'], '"server.qmgr" line 5 backfill_depth: found "some", expected a whole number from 0 on.'],
    ['a limit that is none', ['set server max_run = [u:PBS_GENERIC=1]', 'set server max_run += 5'], '"server.qmgr" line 6 max_run: found the limit "5". Write [u:PBS_GENERIC=5]'],
    ['a time that is none', ['set queue workq resources_max.walltime = 1h'], '"server.qmgr" line 5 workq resources_max.walltime: found "1h", expected a time.'],
    ['a level that is none', ['set sched preempt_prio = "express_queue, normal_job"'], '"server.qmgr" line 5 preempt_prio: found the level "normal_job"; did you mean normal_jobs? Levels are'],
    ['an order of preemption that is none', ['set queue workq Priority = 200', 'set sched preempt_order = XY'], '"server.qmgr" line 6 preempt_order: found "XY". Write for example SCR'],
    ['neither true nor false', ['set queue workq from_route_only = maybe'], '"server.qmgr" line 5 workq from_route_only: found "maybe", expected True or False.'],
  ])('refuse %s', (_, lines, expected) => {
    const read = () => queuePolicy(readQueues(qmgr(...queue('workq'), ...lines)), cluster)
    expect(messageOf(read)).toContain(expected)
  })

  it.each<[string, string, string]>([
    ['no value', 'strict_ordering:', '"sched_config" line 2: found "strict_ordering:", expected NAME: VALUE.'],
    ['another word behind it', 'strict_ordering: true always', '"sched_config" line 2 strict_ordering: found "always" behind the value. Write prime, non_prime, all or none.'],
    ['neither true nor false', 'strict_ordering: maybe', '"sched_config" line 2 strict_ordering: found "maybe", expected True or False.'],
    ['a direction that is none', 'job_sort_key: "ncpus UP"', '"sched_config" line 2 job_sort_key: found "ncpus UP". Write for example "ncpus HIGH".'],
    ['a time that is none', 'prime_spill: 1h', '"sched_config" line 2 prime_spill: found "1h", expected a time.'],
  ])('refuse a sched_config with %s', (_, line, expected) => {
    expect(messageOf(() => queuePolicy(readQueues(qmgr(...queue('workq')), config('by_queue: false', line), holidays), cluster))).toContain(expected)
  })

  it('refuse files of others, and a second sched_config', () => {
    expect(messageOf(() => readQueues(server, { file: 'slurm.conf', text: 'PartitionName=a Nodes=ALL\n' }))).toContain('"slurm.conf": stands beside files of OpenPBS.')
    expect(messageOf(() => readQueues(server, config('by_queue: true'), { ...config('by_queue: true'), file: 'other' }))).toContain('"other": is a second sched_config.')
    expect(messageOf(() => readQueues(server, holidays, { ...holidays, file: 'other' }))).toContain('"other": is a second file of holidays.')
    const group = (text: string) => ({ file: 'resource_group', text })
    expect(messageOf(() => readQueues(server, group('ann 1 root 2'), group('# none\n')))).toContain('"resource_group": is a second resource_group.')
    expect(messageOf(() => readQueues(server, group('ann 1 root 2\nbob 2 g 3')))).toContain('"resource_group" line 2: "bob" is in the group "g", which no line before it names. Put the group before it, or write root.')
  })

  it('have a table of queues, and are compared', () => {
    expect(queueTable(readQueues(server)).rows).toEqual([{ path: 'workq', depth: 0, isParent: false, settings: { queue_type: 'Execution', Priority: '10', enabled: 'True', started: 'True' }, shares: {} }])
    const after = readQueues(qmgr(...queue('workq', 'Priority = 20'), 'set server default_queue = workq'), config('by_queue: false prime'))
    const withTable = (file: ReturnType<typeof readQueues>) => ({ file, table: queueTable(file) })
    expect(compareQueues(withTable(readQueues(server)), withTable(after))).toEqual({
      added: [], removed: [],
      changed: [{ path: '', setting: 'by_queue prime', before: undefined, after: 'false prime' }, { path: 'workq', setting: 'Priority', before: '10', after: '20' }],
    })
  })
})

describe('queues of OpenPBS', () => {
  const lines = [
    ...queue('short', 'from_route_only = True', 'resources_max.walltime = 00:10:00', 'resources_max.ncpus = 4'),
    ...queue('gpuq', 'resources_min.ngpus = 1', 'resources_default.walltime = 60'),
    ...queue('long', 'acl_user_enable = True', 'acl_users = ann@*,bob', 'acl_users += -cyd'),
    ...queue('chem', 'acl_group_enable = True', 'acl_groups = chemistry', 'resources_max.mem = 2gb'),
    'create queue off', 'create queue stopped', 'set queue stopped enabled = True', 'set queue stopped started = False', 'create queue halted', 'set queue halted queue_type = Route', 'set queue halted enabled = True',
    'create queue in', 'set queue in queue_type = Route', 'set queue in route_destinations = short', 'set queue in route_destinations += gpuq,long', 'set queue in enabled = True', 'set queue in started = True',
    'create queue ring', 'set queue ring queue_type = Route', 'set queue ring route_destinations = ring', 'set queue ring enabled = True', 'set queue ring started = True',
    'set server default_queue = in', 'set server resources_max.walltime = 24:00:00', 'set server resources_max.ncpus = 64', 'set server resources_max.fluent = 2',
  ]
  const spec = ({ cpu = 1, gpu = 0, mem = 0, ...more }: Partial<JobSpec> & { readonly cpu?: number; readonly gpu?: number; readonly mem?: number }): JobSpec =>
    ({ id: 'j', submit: 0, user: 'ann', ...more, stages: [{ name: 't', tasks: 1, demand: { cpu, gpu, mem }, duration: 10 }] })
  const placed = (job: Parameters<typeof spec>[0], file = readQueues(qmgr(...lines))) => {
    const { refused, ...to } = jobPlace(file, queuePolicy(file, cluster))?.(spec(job)) ?? {}
    return refused ?? to
  }

  it('take jobs by what they ask for, in the order of route_destinations, and give them a walltime', () => {
    expect(placed({ estimate: 600 })).toEqual({ queue: 'short' })
    expect(placed({})).toEqual({ queue: 'short', estimate: 600 }) // resources_max is the default where there is no other
    expect(placed({ queue: 'in', cpu: 5, gpu: 1 })).toEqual({ queue: 'gpuq', estimate: 60, asked: 'in' })
    expect(placed({ queue: 'in', estimate: 601 })).toEqual({ queue: 'long', asked: 'in' })
    expect(placed({ queue: 'chem', account: 'chemistry', mem: 2048 })).toEqual({ queue: 'chem', estimate: 86_400, asked: 'chem' })
  })

  it.each<[string, Parameters<typeof spec>[0], string]>([
    ['that takes routed jobs alone', { queue: 'short' }, 'queue "short" takes jobs from routing queues alone (from_route_only)'],
    ['that is not enabled', { queue: 'off' }, 'queue "off" is not enabled'],
    ['that leads on and is not started', { queue: 'halted' }, 'queue "halted" is not started'],
    ['that is not there', { queue: 'lnog' }, 'there is no queue "lnog"'],
    ['that leads to itself', { queue: 'ring' }, 'queue "ring" leads to itself'],
    ['that keeps users out', { queue: 'long', user: 'cyd' }, 'queue "long" keeps user "cyd" out (acl_users)'],
    ['that keeps accounts out', { queue: 'chem', account: 'physics' }, 'queue "chem" keeps account "physics" out (acl_groups)'],
    ['with less memory', { queue: 'chem', account: 'chemistry', mem: 2049 }, 'queue "chem" has resources_max.mem = 2gb'],
    ['of a server with less', { queue: 'long', cpu: 65 }, 'queue "long" has resources_max.ncpus = 64'],
    ['of a server with fewer licences', { queue: 'long', licenses: { fluent: 3 } }, 'queue "long" has resources_max.fluent = 2'],
    ['with a minimum', { queue: 'gpuq' }, 'queue "gpuq" has resources_min.ngpus = 1'],
    ['behind which none takes it', { user: 'dan', estimate: 700 }, 'no queue behind "in" takes it'],
  ])('refuse a job of a queue %s', (_, job, expected) => {
    expect(placed(job)).toBe(expected)
  })

  it('hold their jobs where they are not started, or do not say so, and take none where they are not enabled or do not say so', () => {
    expect(placed({ queue: 'stopped' })).toMatchObject({ queue: 'stopped' })
    const server = qmgr(...queue('short'), 'create queue stopped', 'set queue stopped queue_type = Execution', 'set queue stopped enabled = True', 'set queue stopped started = False', 'create queue silent', 'set queue silent enabled = True')
    expect(policy(server, config('by_queue: false'))).toEqual({ greedy: { order: { 'pbs-queues': { queues: { stopped: { started: false }, silent: { started: false } }, order: bySubmission } } } })
    expect(told(server).filter((each) => each.includes('wait'))).toEqual(['honoured server.qmgr:8 stopped started: its jobs wait', 'honoured server.qmgr:9 create queue: silent is not started: its jobs wait'])
  })

  it('are those that jobs name where a sched_config stands alone, and there is one to begin with otherwise', () => {
    expect(placed({ queue: 'any' }, readQueues(config('by_queue: true')))).toEqual({})
    expect(placed({}, readQueues(qmgr(...queue('workq'))))).toBe('it names no queue, and the server has no default_queue')
  })
})
