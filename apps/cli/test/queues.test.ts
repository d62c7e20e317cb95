import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { directory, sched } from './sched.js'

/** A fair-scheduler.xml, by line. */
const fair = `<?xml version="1.0"?>
<allocations>
  <queue name="ads">
    <weight>2.0</weight>
    <minResources>20000 mb, 10 vcores</minResources>
    <schedulingPolicy>fifo</schedulingPolicy>
    <aclSubmitApps>ann</aclSubmitApps>
  </queue>
  <queue name="research">
    <maxResources>50%</maxResources>
    <maxRuningApps>5</maxRuningApps>
    <queue name="ml"/>
    <queue name="bio"><weight>3</weight></queue>
  </queue>
  <queuePlacementPolicy>
    <rule name="specified" create="false"/>
    <rule name="reject"/>
  </queuePlacementPolicy>
</allocations>
`
const site = (...properties: readonly [string, string][]) => `<configuration>${properties.map(([name, value]) => `\n<property><name>${name}</name><value>${value}</value></property>`).join('')}\n</configuration>\n`
/** A capacity-scheduler.xml with one property a line, from line 2. */
const capacity = (...properties: readonly [string, string][]) => site(...properties.map(([name, value]): [string, string] => [`yarn.scheduler.capacity.${name}`, value]))
const plain: readonly [string, string][] = [['root.queues', 'ads,research'], ['root.ads.capacity', '40'], ['root.research.capacity', '60'], ['root.research.queues', 'ml,bio'], ['root.research.ml.capacity', '1w'], ['root.research.bio.capacity', '3w']]

const work = (id: string, queue: string, mem = 1000, user = 'ann') => ({ id, submit: 0, queue, user, stages: [{ name: 't', tasks: 4, demand: { mem, cpu: 1 }, duration: 10 }] })
const jobs = (...all: readonly object[]) => `${[{ format: 'sched-workload', version: 1, name: 'some jobs' }, ...all].map((each) => JSON.stringify(each)).join('\n')}\n`
const cluster = ['--nodes', '4', '--resources', 'mem=10000,cpu=8']
const files = { 'fair.xml': fair, 'capacity.xml': capacity(...plain), 'jobs.jsonl': jobs(work('a', 'ads'), work('b', 'research.ml'), work('c', 'nowhere')) }

const lines = (text: string) => text.split('\n').map((line) => line.trimEnd())

describe('sched queues show', () => {
  it('prints names of partitions with the periods that they have', async () => {
    const { out } = await sched(['queues', 'show', 'slurm.conf'], { cwd: directory({ 'slurm.conf': 'NodeName=n[1-2]\nPartitionName=std.q Nodes=ALL\nPartitionName=big Nodes=ALL Priority=5\n' }) })
    expect(lines(out).slice(0, 4)).toEqual(['queue  tier  nodes', '-----  ----  -----', 'std.q     1    ALL', 'big       5    ALL'])
  })

  it('has the limits of QOS and accounts beside the columns of partitions', async () => {
    const qos = 'Name|Priority|GraceTime|Preempt|PreemptMode|UsageFactor|MaxTRESPU\nnormal|0|00:00:00||cluster|1.000000|cpu=64\nhigh|10|00:01:00|normal|cancel|2.000000|\n'
    const accounts = "Cluster - 'c'\nParent - 'root'\nAccount - 'physics':Description='all of it':Fairshare=40\n"
    const { out } = await sched(['queues', 'show', 'slurm.conf+qos.txt+accounts.cfg'], { cwd: directory({ 'slurm.conf': 'NodeName=n[1-2]\nPartitionName=std Nodes=ALL\n', 'qos.txt': qos, 'accounts.cfg': accounts }) })
    expect(out.split('\n').filter((line, i) => i < 7 && !line.startsWith('-')).map((line) => line.trimEnd())).toEqual([
      'queue            tier  nodes  other settings',
      'std                 1    ALL',
      'QOS normal                    Priority=0 MaxTRESPU=cpu=64',
      'QOS high                      Priority=10 GraceTime=00:01:00 Preempt=normal PreemptMode=cancel UsageFactor=2.000000',
      'account root',
      'account physics               Fairshare=40',
    ])
  })

  it('prints the tree of a fair-scheduler.xml with shares, and what becomes of each line', async () => {
    const { code, out } = await sched(['queues', 'show', 'fair.xml'], { cwd: directory(files) })
    // ads 2 of 3 parts, research 1 (its 50 % is no bound); of that ml 1/4, bio 3/4
    expect({ code, lines: lines(out) }).toEqual({ code: 0, lines: [
      'queue       weight  policy                  min  max  share',
      '----------  ------  ------  -------------------  ---  -----',
      'root             1    fair                             100%',
      '  ads          2.0    fifo  20000 mb, 10 vcores       66.7%',
      '  research       1    fair                       50%  33.3%',
      '    bio          3    fair                            25.0%',
      '    ml           1    fair                             8.3%',
      'Amounts of the file did not count for shares: give the cluster with --cluster, or --nodes and --resources.',
      '',
      'honoured: 7 settings',
      '  line 4: root.ads weight = 2.0',
      '  line 5: root.ads minResources = 20000 mb, 10 vcores',
      '  line 6: root.ads schedulingPolicy = fifo',
      '  line 10: root.research maxResources = 50%',
      '  line 13: root.research.bio weight = 3',
      '  line 16: rule specified',
      '  line 17: rule reject',
      'ignored: 2 settings',
      '  line 7: root.ads aclSubmitApps = ann: everybody may submit in a simulation',
      '  line 11: root.research maxRuningApps = 5: no such setting; did you mean maxRunningApps?',
      '',
    ] })
  })

  it('gives amounts on a cluster, to the queues with work alone', async () => {
    const { out } = await sched(['queues', 'show', 'fair.xml', ...cluster, '--active', 'research.ml,bio'], { cwd: directory(files) })
    // 50 % of 40,000 and 32 for ml and bio, 1 : 3
    expect(lines(out).slice(2, 7).map((line) => line.replace(/^.*? (?=0 \(|[\d,]+ \()/, ''))).toEqual([
      '40,000 (100%)   32 (100%)', '0 (0%)      0 (0%)', '20,000 (50.0%)  16 (50.0%)', '15,000 (37.5%)  12 (37.5%)', '5,000 (12.5%)   4 (12.5%)',
    ])
  })

  it('prints a capacity-scheduler.xml with its own settings', async () => {
    const { code, out } = await sched(['queues', 'show', 'capacity.xml'], { cwd: directory({ 'capacity.xml': capacity(...plain, ['root.ads.user-limit-facter', '2'], ['root.adds.capacity', '1']) }) })
    expect({ code, lines: lines(out) }).toMatchObject({ code: 0, lines: [
      'queue       capacity  share',
      '----------  --------  -----',
      'root                   100%',
      '  ads             40  40.0%',
      '  research        60  60.0%',
      '    ml            1w  15.0%',
      '    bio           3w  45.0%',
      '',
      'honoured: 6 settings',
      ...plain.map(([name, value], i) => `  line ${i + 2}: yarn.scheduler.capacity.${name} = ${value}`),
      'ignored: 2 settings',
      '  line 8: yarn.scheduler.capacity.root.ads.user-limit-facter = 2: no such property; did you mean user-limit-factor?',
      '  line 9: yarn.scheduler.capacity.root.adds.capacity = 1: there is no queue "root.adds": yarn.scheduler.capacity.root.queues does not list it; did you mean root.ads?',
      '',
    ] })
  })

  it('reads a yarn-site.xml beside it and names files where there are two', async () => {
    const cwd = directory({ ...files, 'site.xml': site(['yarn.scheduler.fair.preemption', 'true'], ['yarn.scheduler.fair.max.asign', '3'], ['yarn.scheduler.fair.locality.threshold.node', '0.5']) })
    const { out } = await sched(['queues', 'show', 'fair.xml', '--yarn-site', 'site.xml'], { cwd })
    expect(lines(out).filter((line) => line.includes('site.xml'))).toEqual([
      '  site.xml line 2: yarn.scheduler.fair.preemption = true',
      '  site.xml line 4: yarn.scheduler.fair.locality.threshold.node = 0.5: as opportunities skipped by the job, in whole nodes of the cluster',
      '  site.xml line 3: yarn.scheduler.fair.max.asign = 3: no such property; did you mean yarn.scheduler.fair.max.assign?',
    ])
    expect(out).toContain('  fair.xml line 4: root.ads weight = 2.0')
  })

  it('prints all of it as JSON, with the policy that runs it', async () => {
    const { out } = await sched(['queues', 'show', 'fair.xml', ...cluster, '--json'], { cwd: directory(files) })
    expect(JSON.parse(out)).toMatchObject({
      file: 'fair.xml',
      scheduler: 'fair',
      totals: { mem: 40000, cpu: 32 },
      queues: [{ path: 'root' }, { path: 'root.ads', settings: { weight: '2.0' } }, { path: 'root.research' }, { path: 'root.research.bio' }, { path: 'root.research.ml' }],
      policy: { greedy: { order: { 'yarn-fair': { root: { queues: { ads: { weight: 2, policy: 'fifo', minResources: { mem: 20000, cpu: 10 } }, research: { maxResources: { mem: '50%', cpu: '50%' } } } } } } } },
      findings: [{ verdict: 'honoured', file: 'fair.xml', line: 4, setting: 'root.ads weight', value: '2.0', note: '' }, ...Array.from({ length: 8 }, () => ({}))],
    })
  })
})

describe('sched queues diff', () => {
  const diff = async (before: string, after: string, ...more: string[]) => (await sched(['queues', 'diff', 'before.xml', 'after.xml', ...more], { cwd: directory({ 'before.xml': before, 'after.xml': after }) })).out

  it('names queues, settings and shares that differ', async () => {
    // 3 : 1 instead of 2 : 1; all of research is now bio's
    expect(lines(await diff(fair, fair.replace('2.0', '3.0').replace('<queue name="ml"/>', '')))).toEqual([
      'Removed: root.research.ml',
      '',
      'queue     setting  before  after',
      '--------  -------  ------  -----',
      'root.ads  weight   2.0     3.0',
      '',
      'queue             share of  before  after',
      '----------------  --------  ------  -----',
      'root.ads          cluster   66.7%   75.0%',
      'root.research     cluster   33.3%   25.0%',
      'root.research.ml  cluster   8.3%    -',
      '',
    ])
  })

  it('says so when nothing differs, whatever the order of queues and the layout', async () => {
    expect(await diff(fair, fair.replace('<queue name="ml"/>\n    <queue name="bio"><weight>3</weight></queue>', '<queue name="bio">\n<weight>3</weight>\n</queue>\n<!-- moved --><queue name="ml"/>'))).toBe('No difference.\n')
  })

  it('compares shares across schedulers', async () => {
    expect(lines(await diff(fair, files['capacity.xml']))).toEqual(expect.arrayContaining(['The files are of different schedulers: their settings are not compared.', 'root.ads           cluster   66.7%   40.0%', 'root.research.ml   cluster   8.3%    15.0%']))
  })

  it('leaves out queues that have a share on neither side', async () => {
    const out = await diff(fair, 'PartitionName=main Nodes=ALL\n')
    expect(out).toContain('Added: main\n')
    expect(out).toMatch(/^root.ads +cluster +66.7% +-$/m)
    expect(out).not.toMatch(/^main /m)
  })

  it('is JSON for a program, amounts where the cluster is given', async () => {
    expect(JSON.parse(await diff(fair, fair.replace('50%', '10%'), ...cluster, '--active', 'ads,ml', '--json'))).toMatchObject({
      changed: [{ path: 'root.research', setting: 'maxResources', before: '50%', after: '10%' }],
      shares: expect.arrayContaining([{ path: 'root.research', resource: 'mem', before: 13333, after: 4000 }]),
    })
  })
})

describe('--queues', () => {
  it('runs a production file unchanged: findings, refused jobs with the rule that refuses them', async () => {
    const { code, out, err } = await sched(['run', '--queues', 'fair.xml', '--trace', 'jobs.jsonl', ...cluster, '--validate'], { cwd: directory(files) })
    expect(code).toBe(0)
    expect(out).toContain('fair on seed 1\n\n2 of 2 jobs finished, 1 rejected; 8 tasks, 8 starts')
    expect(lines(err).filter((line) => !line.startsWith('  line'))).toEqual(['fair:', 'honoured: 7 settings', 'ignored: 2 settings', 'warning: fair: 1 of 3 jobs rejected on seed 1:', '  c: rule "reject" in line 17 refuses it', ''])
    expect(lines(err)).toContain('  line 11: root.research maxRuningApps = 5: no such setting; did you mean maxRunningApps?')
  })

  it('tells of another version of a file what is not as in the first, and counts the settings where a wait is explained or a matrix run', async () => {
    const versions = { ...files, 'later.xml': fair.replace('50%', '60%') }
    const options = ['--trace', 'jobs.jsonl', ...cluster]
    const { err } = await sched(['compare', '--queues', 'fair.xml,later.xml', ...options, '--seeds', '1'], { cwd: directory(versions) })
    const told = lines(err)
    expect(told.slice(told.indexOf('later:'), told.indexOf('later:') + 4)).toEqual(['later:', 'honoured: 7 settings, 6 of them as above', '  line 10: root.research maxResources = 60%', 'ignored: 2 settings, as above'])
    const one = 'later: settings 2 ignored (`sched queues show` lists them)\n'
    expect((await sched(['explain', '--queues', 'fair.xml,later.xml', ...options], { cwd: directory(versions) })).err).toContain(one)
    const matrix = 'workload: { trace: jobs.jsonl }\nqueues: later.xml\nmatrix: { until: [100, 200] }'
    expect((await sched(['sweep', 'm.yaml', ...cluster], { cwd: directory({ ...versions, 'm.yaml': matrix }) })).err).toBe(`${one}${'warning: later: 1 of 3 jobs rejected on seed 1:\n  c: rule "reject" in line 17 refuses it\n'}`)
  })

  it('names a job for each cause of rejections, and counts the others', async () => {
    const many = jobs(work('a', 'ads'), ...['b', 'c', 'd'].map((id) => work(id, 'nowhere')), work('e', 'research.ml', 9999))
    const { err } = await sched(['run', '--queues', 'fair.xml', '--trace', 'jobs.jsonl', ...cluster], { cwd: directory({ ...files, 'fair.xml': fair.replace('50%', '9000 mb, 8 vcores'), 'jobs.jsonl': many }) })
    expect(lines(err.slice(err.indexOf('warning')))).toEqual([
      'warning: fair: 4 of 5 jobs rejected on seed 1:', '  b: rule "reject" in line 17 refuses it, and 2 more like it (c, d)', '  e: a task asks 9999 mem, and maxResources of queue "root.research" is 9000 mem', '',
    ])
  })

  it('joins rejections that differ in the id and the amounts alone', async () => {
    const many = jobs(...['a', 'b', 'c', 'd', 'e', 'f'].map((id, i) => work(id, 'ads', 70_000 + i)), work('g', 'ads'))
    const { err } = await sched(['run', '--policy', 'fifo', '--infeasible', 'reject', '--trace', 'jobs.jsonl', ...cluster], { cwd: directory({ ...files, 'jobs.jsonl': many }) })
    expect(lines(err)).toEqual(['warning: fifo: 6 of 7 jobs rejected on seed 1:', expect.stringMatching(/^ {2}a: a task asks \{.*70000.*\}, more than any node of cluster has, and 5 more like it \(b, c, d, \.\.\.\)$/), ''])
  })

  it('compares files under their names', async () => {
    const { code, out } = await sched(['compare', '--queues', 'fair.xml,capacity.xml', '--trace', 'jobs.jsonl', '--seeds', '1', '--json', '-', ...cluster], { cwd: directory(files) })
    expect(code).toBe(0)
    expect((JSON.parse(out) as { runs: { policy: string }[] }).runs.map(({ policy }) => policy)).toEqual(['fair', 'capacity'])
  })

  it('changes what happens as the file says: half of the cluster is all that a capped queue gets', async () => {
    // 32 tasks of 10 s, one CPU each, on 32: at once, or 16 at a time
    const many = { ...work('m', 'research.ml'), stages: [{ name: 't', tasks: 32, demand: { mem: 1000, cpu: 1 }, duration: 10 }] }
    const cwd = directory({ 'fair.xml': fair, 'open.xml': fair.replace('50%', '100%'), 'jobs.jsonl': jobs(many) })
    const { out } = await sched(['compare', '--queues', 'fair.xml,open.xml', '--trace', 'jobs.jsonl', '--seeds', '1', '--json', '-', ...cluster], { cwd })
    const [capped = 0, free = 0] = (JSON.parse(out) as { runs: { summary: { times: { makespan: number } } }[] }).runs.map(({ summary }) => summary.times.makespan)
    expect(capped / free).toBeGreaterThan(1.7)
  })

  it('gives tasks what they ask in steps of the smallest allocation, and refuses those above the largest, of a resource-types.xml too', async () => {
    // 8 tasks of 10 s that ask 1000 of 10000: 8 on the node; as 2500, 4 at a time; as 6000, one at a time
    const eight = (mem = 1000) => ({ ...work('e', 'ads', mem), stages: [{ name: 't', tasks: 8, demand: { mem, cpu: 1 }, duration: 10 }] })
    const cwd = directory({
      'capacity.xml': files['capacity.xml'].replace('40', '100').replace('60', '0').replaceAll(/\dw/g, '0'), 'jobs.jsonl': jobs(eight(), work('big', 'ads', 7001)),
      'site.xml': site(['yarn.scheduler.minimum-allocation-mb', '2500'], ['yarn.scheduler.maximum-allocation-mb', '7000']), 'types.xml': site(['yarn.resource-types.memory-mb.minimum-allocation', '6000']),
    })
    const run = async (...yarnSite: readonly string[]) => {
      const { out, err } = await sched(['run', '--queues', 'capacity.xml', ...yarnSite.flatMap((file) => ['--yarn-site', file]), '--trace', 'jobs.jsonl', '--nodes', '1', '--resources', 'mem=10000,cpu=8', '--json', '-'], { cwd })
      return { time: (JSON.parse(out) as { runs: { summary: { times: { makespan: number } } }[] }).runs[0]?.summary.times.makespan ?? 0, err }
    }
    const [plain, rounded, typed] = [await run(), await run('site.xml'), await run('site.xml+types.xml')]
    expect([plain.time, rounded.time, typed.time].map(Math.floor)).toEqual([50, 20, 80]) // without the limit the big one runs too
    expect(rounded.err).toContain('\n  big: a task asks 7001 mem, more than the 7000 of yarn.scheduler.maximum-allocation-mb (site.xml line 3)\n')
    expect(typed.err).toContain('line 2: yarn.scheduler.minimum-allocation-mb = 2500: yarn.resource-types.memory-mb.minimum-allocation goes before it (line 2)\n')
  })

  it('makes queues at first use with the template of their path, where * is any name, and no deeper than the file says', async () => {
    const made = capacity(
      ['root.queues', 'default,users'], ['root.default.capacity', '1w'], ['root.users.capacity', '3w'], ['root.users.auto-queue-creation-v2.enabled', 'true'],
      ['root.users.*.auto-queue-creation-v2.leaf-template.maximum-capacity', '25'],
    )
    // 32 tasks of 10 s, one CPU each, on 32: at once in users.ann, 8 at a time in users.dev.ann
    const many = (id: string, queue: string) => ({ ...work(id, queue), stages: [{ name: 't', tasks: 32, demand: { mem: 1000, cpu: 1 }, duration: 10 }] })
    const makespan = async (...all: readonly object[]) => {
      const { out, err } = await sched(['run', '--queues', 'made.xml', '--trace', 'jobs.jsonl', '--json', '-', ...cluster], { cwd: directory({ 'made.xml': made, 'jobs.jsonl': jobs(...all) }) })
      return { time: (JSON.parse(out) as { runs: { summary: { times: { makespan: number } } }[] }).runs[0]?.summary.times.makespan ?? 0, err }
    }
    const [above, below] = [await makespan(many('a', 'users.ann')), await makespan(many('a', 'users.dev.ann'), many('b', 'users.dev.x.ann'))]
    expect(below.time / above.time).toBeGreaterThan(3)
    expect(above.err).toContain('line 6: yarn.scheduler.capacity.root.users.*.auto-queue-creation-v2.leaf-template.maximum-capacity = 25\n')
    expect(below.err).toContain('\n  b: queue root.users.dev.x.ann would be 3 levels below root.users, in which queues are made 2 deep\n')
  })

  it.each([
    ['a job larger than the maximum of a queue', fair.replace('50%', '900 mb, 8 vcores'), 'b', 'a task asks 1000 mem, and maxResources of queue "root.research" is 900 mem'],
    ['a job larger than the largest container', fair.replace('<queue name="ml"/>', '<queue name="ml"><maxContainerAllocation>500 mb, 8 vcores</maxContainerAllocation></queue>'), 'b', 'a task asks 1000 mem, more than the 500 of maxContainerAllocation of queue "root.research.ml" (fair.xml line 12)'],
  ])('reports %s and goes on', async (_, text, job, reason) => {
    const { code, out, err } = await sched(['run', '--queues', 'fair.xml', '--trace', 'jobs.jsonl', ...cluster], { cwd: directory({ ...files, 'fair.xml': text }) })
    expect(code).toBe(0)
    expect(out).toContain('1 of 1 job finished, 2 rejected')
    expect(err).toContain(`\n  ${job}: ${reason}\n`)
  })
})

describe('queue files on the command line', () => {
  const run = async (...args: string[]) => (await sched([...args, '--trace', 'jobs.jsonl', ...cluster], { cwd: directory({ ...files, 'fair.xml': fair }) })).err

  it('are refused twice, and a site file without one', async () => {
    expect(await run('compare', '--queues', 'fair.xml,./fair.xml')).toBe('error: queues: "./fair.xml" is there twice. Name each file once.\n')
    for (const policy of [['--policy', 'fifo'], []]) expect(await run('run', '--yarn-site', 'fair.xml', ...policy)).toBe('error: yarnSite: stands without a queue file. Give one with `queues`.\n')
  })
})

describe('a policy that refuses every job', () => {
  it('takes no figure from the others', async () => {
    const cwd = directory({ ...files, 'none.xml': fair.replaceAll('create="false"', 'create="false" ignore=""').replace(/<queue name="ads">[^]*?<\/queue>/, ''), 'ads.jsonl': jobs(work('a', 'ads')) })
    const { out } = await sched(['compare', '--queues', 'fair.xml,none.xml', '--trace', 'ads.jsonl', ...cluster, '--seeds', '2', '--quiet', '--csv', '-'], { cwd })
    expect(out).toMatch(/^all,response,s,fair,2,/m)
    expect(out).toMatch(/^all,response,s,none,0,/m)
  })
})

describe('a queue file with a mistake', () => {
  const refused = async (file: string, text: string, command: readonly string[] = ['queues', 'show', file]) => {
    const { code, out, err } = await sched(command, { cwd: directory({ ...files, [file]: text }) })
    return { code, out, err }
  }
  const withLine = (...more: readonly [string, string][]) => capacity(...plain, ...more)

  it.each<[string, string, string, string]>([
    ['capacities that do not sum to 100', 'c.xml', withLine(['root.ads.capacity', '30']), '"c.xml" line 4 yarn.scheduler.capacity.root.research.capacity: the capacities of the queues in "root" sum to 90, not 100: ads 30 (line 8), research 60 (line 4). Change one of them.'],
    ['a capacity above the maximum', 'c.xml', withLine(['root.ads.maximum-capacity', '30']), '"c.xml" line 8 yarn.scheduler.capacity.root.ads.maximum-capacity: the maximum capacity of queue "root.ads" is 30, less than its capacity, 40 (line 3). Raise the one or lower the other.'],
    ['a minimum above the maximum', 'f.xml', fair.replace('<maxResources>50%</maxResources>', '<maxResources>5 mb, 1 vcores</maxResources><minResources>6 mb, 1 vcores</minResources>'), '"f.xml" line 10 root.research: minResources has 6 memory-mb, more than maxResources, 5 (line 10). Raise the one or lower the other.'],
    ['an unknown parent', 'c.xml', withLine(['root.reserch.queues', 'x']), '"c.xml" line 8 yarn.scheduler.capacity.root.reserch.queues: it lists queues inside "root.reserch", and there is no such queue. Did you mean "root.research"? Known: root, root.ads, root.research, root.research.ml, root.research.bio.'],
    ['a queue listed twice', 'c.xml', capacity(['root.queues', 'ads,ads'], ['root.ads.capacity', '100']), '"c.xml" line 2 yarn.scheduler.capacity.root.queues: queue "ads" is listed twice. List it once.'],
    ['a user that maps to no queue', 'c.xml', withLine(['queue-mappings', 'u:ann:adz']), '"c.xml" line 8 yarn.scheduler.capacity.queue-mappings: "u:ann:adz" maps to queue "adz", which is not there. Did you mean "ads"? Known: ads, ml, bio.'],
    ['a negative weight', 'f.xml', fair.replace('2.0', '-2'), '"f.xml" line 4 root.ads weight: found "-2", expected a number of at least 0. Correct it, or remove the element for the default.'],
    ['a negative weight of capacity', 'c.xml', withLine(['root.research.ml.capacity', '-1w']), '"c.xml" line 8 yarn.scheduler.capacity.root.research.ml.capacity: the weight -1 is negative. Use a number of at least 0.'],
    ['an external entity', 'f.xml', fair.replace('<allocations>', '<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/hostname">]>\n<allocations>'), '"f.xml" line 2: a document type (<!DOCTYPE) is not read: entities could name other files or expand without end. Remove it; queue files need none.'],
    ['a billion laughs', 'f.xml', `<!DOCTYPE a [<!ENTITY a "ha">${Array.from({ length: 20 }, (_, i) => `<!ENTITY b${i} "${'&a;'.repeat(10)}">`).join('')}]>\n<allocations/>`, '"f.xml" line 1: a document type (<!DOCTYPE) is not read: entities could name other files or expand without end. Remove it; queue files need none.'],
    ['text that is no XML', 'f.xml', 'queues: none', '"f.xml": is no queue file. Give a fair-scheduler.xml, a capacity-scheduler.xml, a slurm.conf, manifests of Kueue with a ClusterQueue, queues of KAI, a queues.yaml of YuniKorn, Queues of Volcano, a fairscheduler.xml of Spark, what qmgr prints of OpenPBS, or a KubeSchedulerConfiguration.'],
    ['nothing', 'f.xml', ' \n', '"f.xml": is empty. Give a fair-scheduler.xml, a capacity-scheduler.xml, a slurm.conf, manifests of Kueue with a ClusterQueue, queues of KAI, a queues.yaml of YuniKorn, Queues of Volcano, a fairscheduler.xml of Spark, what qmgr prints of OpenPBS, or a KubeSchedulerConfiguration.'],
  ])('%s: one line with its place, exit 2', async (_, file, text, expected) => {
    expect(await refused(file, text)).toEqual({ code: 2, out: '', err: `error: ${expected}\n` })
    // the same where it is to be run
    expect(await refused(file, text, ['run', '--queues', file, '--trace', 'jobs.jsonl', ...cluster])).toEqual({ code: 2, out: '', err: `error: ${expected}\n` })
  })

  it('a label that no node has is told where the cluster is known', async () => {
    const text = withLine(['root.accessible-node-labels.gpu.capacity', '100'], ['root.ads.accessible-node-labels', 'gpu'], ['root.ads.accessible-node-labels.gpu.capacity', '100'])
    expect((await refused('c.xml', text)).code).toBe(0)
    const message = 'error: "c.xml" line 9 yarn.scheduler.capacity.root.ads.accessible-node-labels: no node has the label "gpu". Describe nodes with `labels: { partition: gpu }` in the file of the cluster.\n'
    expect(await refused('c.xml', text, ['queues', 'show', 'c.xml', ...cluster])).toEqual({ code: 2, out: '', err: message })
    expect(await refused('c.xml', text, ['run', '--queues', 'c.xml', '--trace', 'jobs.jsonl', ...cluster])).toEqual({ code: 2, out: '', err: message })
  })

  it('shares of the nodes with a label go by the capacities for it, up to its maxima, and differences tell them', async () => {
    // of gpu: ads 75 and research 25 % of the nodes; inside research, of the weights 0 and 1, bio has none and ml all of the 25
    const label = (ads: string, research: string): [string, string][] => [
      ['root.ads.accessible-node-labels.gpu.capacity', ads], ['root.research.accessible-node-labels.gpu.capacity', research],
      ['root.research.bio.accessible-node-labels.gpu.capacity', '0w'], ['root.research.ml.accessible-node-labels.gpu.capacity', '1w'],
    ]
    const cwd = directory({ ...files, 'c.xml': withLine(...label('75', '25')), 'd.xml': withLine(...label('50', '50')) })
    const shown = JSON.parse((await sched(['queues', 'show', 'c.xml', '--json'], { cwd })).out) as { queues: { path: string; labelShares: unknown }[] }
    expect(Object.fromEntries(shown.queues.map(({ path, labelShares }) => [path, labelShares]))).toEqual({
      'root': { gpu: 1 }, 'root.ads': { gpu: 0.75 }, 'root.research': { gpu: 0.25 }, 'root.research.bio': { gpu: 0 }, 'root.research.ml': { gpu: 0.25 },
    })
    expect((await sched(['queues', 'show', 'c.xml'], { cwd })).out).toMatch(/^queue .* share, label gpu\n/)
    expect((await sched(['queues', 'diff', 'c.xml', 'd.xml'], { cwd })).out).toMatch(/root\.ads +label gpu +75.0% +50.0%/)
  })

  it('shares of the nodes with a label go by the amounts for it where the cluster is known: the largest of any resource', async () => {
    const nodes = 'nodes:\n  - { count: 4, resources: { memory-mb: 1000, vcores: 4 } }\n  - { count: 2, resources: { memory-mb: 1000, vcores: 4 }, labels: { partition: gpu } }\n'
    const label = 'accessible-node-labels'
    const amounts: [string, string] = ['capacity', '[memory=500,vcores=4]']
    const queue = (path: string): [string, string][] => [[`${path}.${amounts[0]}`, amounts[1]], [`${path}.${label}`, 'gpu'], [`${path}.${label}.gpu.${amounts[0]}`, amounts[1]]]
    // of 2000 MB and 8 vcores: a 500 and 4 and no more, and b what is left, all of it for x
    const text = capacity(['root.queues', 'a,b'], ...queue('root.a'), [`root.a.${label}.gpu.maximum-capacity`, amounts[1]], ...queue('root.b'), ['root.b.queues', 'x'], ...queue('root.b.x'))
    const cwd = directory({ 'c.xml': text, 'nodes.yaml': nodes })
    const shown = async (...more: string[]) => (await sched(['queues', 'show', 'c.xml', ...more], { cwd })).out
    const labelShares = (out: string) => (JSON.parse(out) as { queues: { labelShares: { gpu: number } }[] }).queues.map((queue) => queue.labelShares.gpu)
    expect(labelShares(await shown('--json', '--cluster', 'nodes.yaml'))).toEqual([1, 0.5, 0.75, 0.75])
    expect(await shown('--cluster', 'nodes.yaml')).not.toContain('Amounts of the file did not count')
    expect(labelShares(await shown('--json'))).toEqual([1, 0, 0, 0])
    expect(await shown()).toContain('Amounts of the file did not count for shares: give the cluster')
  })

  it('shares of a capacity scheduler are of the default partition', async () => {
    const text = withLine(['root.accessible-node-labels.gpu.capacity', '100'], ['root.ads.accessible-node-labels', 'gpu'], ['root.ads.accessible-node-labels.gpu.capacity', '100'])
    const nodes = 'nodes:\n  - { count: 3, resources: { mem: 10000, cpu: 8 } }\n  - { count: 1, resources: { mem: 10000, cpu: 8 }, labels: { partition: gpu } }\n'
    const cwd = directory({ ...files, 'c.xml': text, 'cluster.yaml': nodes })
    expect((await sched(['queues', 'show', 'c.xml', '--cluster', 'cluster.yaml'], { cwd })).out).toMatch(/^root +30,000 \(100%\) +24 \(100%\) +100%\n {2}ads +40 +12,000 \(40.0%\)/m)
    for (const option of ['--cluster', '--nodes']) expect((await sched(['queues', 'show', 'fair.xml', option, 'cluster.yaml'], { cwd })).out).toMatch(/^root .* 40,000 \(100%\)/m)
  })

  it.each([
    [['queues', 'show', 'fair.xml', '--active', 'adz'], '--active: there is no queue "adz". Did you mean "ads"? Known: root, root.ads, root.research, root.research.bio, root.research.ml.'],
    [['run', '--queues', 'fair.xml', '--policy', 'fifo', '--trace', 'jobs.jsonl'], '--policy: stands beside --queues. The queue file is the policy.'],
    [['run', '--yarn-site', 'fair.xml', '--trace', 'jobs.jsonl', ...cluster], 'yarnSite: stands without a queue file. Give one with `queues`.'],
    [['run', '--queues', 'slurm.conf', '--yarn-site', 'fair.xml', '--trace', 'jobs.jsonl', ...cluster], 'yarnSite: is for queue files of YARN, and none is given. Leave it out.'],
    [['queues', 'show', 'fair.xml', '--yarn-site', 'fair.xml'], '"fair.xml" line 2: begins with <allocations>, expected <configuration>. Is it the right file? Properties of Hadoop stand in <configuration>.'],
  ])('%s is refused', async (args, expected) => {
    expect(await sched(args, { cwd: directory({ ...files, 'slurm.conf': 'PartitionName=main Nodes=ALL\n' }) })).toEqual({ code: 2, out: '', err: `error: ${expected}\n` })
  })
})

describe('pools of Spark', () => {
  it('are those of jobs that name them, periods and all, or with `root.` before', async () => {
    const file = '<allocations><pool name="etl.nightly"><minShare>3</minShare></pool><pool name="a"><weight>1</weight></pool></allocations>\n'
    const cwd = directory({ 'spark.xml': file, 'jobs.jsonl': jobs(work('x', 'root.a'), work('y', 'etl.nightly'), work('z', 'etl')) })
    const { code, err } = await sched(['compare', '--trace', 'jobs.jsonl', '--nodes', '1', '--resources', 'mem=10000,cpu=3', '--queues', 'spark.xml', '--seeds', '1', '--out', 'results', '--quiet'], { cwd })
    const rows = readFileSync(join(cwd, 'results', 'jobs-spark.csv'), 'utf8').trim().split('\n').slice(1)
    expect({ code, err, order: rows.map((row) => row.split(',')[1]).slice(0, 3) }).toEqual({ code: 0, err: '', order: ['y', 'x', 'z'] })
  })

  const pools = '<allocations><pool name="a"><weight>1</weight></pool><pool name="default"><minShare>3</minShare></pool></allocations>\n'
  const two = jobs(work('x', 'a'), { ...work('y', ''), queue: undefined })

  it('run as policies: jobs without a queue are in the pool `default`, unless the mode is FIFO', async () => {
    const cwd = directory({ 'spark.xml': pools, 'fifo.conf': 'spark.scheduler.mode FIFO\n', 'jobs.jsonl': two })
    const { code } = await sched(['compare', '--trace', 'jobs.jsonl', '--nodes', '1', '--resources', 'mem=10000,cpu=3', '--queues', 'spark.xml,spark.xml+fifo.conf', '--out', 'results', '--quiet'], { cwd })
    const rows = (policy: string) => readFileSync(join(cwd, 'results', `jobs-${policy}.csv`), 'utf8').trim().split('\n').slice(1)
    expect({ code, spark: rows('spark').slice(0, 2), fifo: rows('spark-fifo').slice(0, 2) }).toEqual({
      code: 0,
      spark: ['1,y,,ann,default,0,0,20,0,20,4,40000,40', '1,x,,ann,a,0,10,30,10,30,4,40000,40'], // `default` lacks its minimum
      fifo: ['1,x,,ann,a,0,0,20,0,20,4,40000,40', '1,y,,ann,default,0,10,30,10,30,4,40000,40'],
    })
  })
})
