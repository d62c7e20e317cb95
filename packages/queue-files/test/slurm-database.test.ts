import { describe, expect, it } from 'vitest'
import { queuePolicy, readQueues, slurmDefaults, type SlurmConf } from '../src/index.js'
import { messageOf } from './message-of.js'

const facts = { resources: ['procs', 'mem', 'nodes'], nodes: 4, heartbeat: false }
const files = (conf: string, ...beside: readonly string[]) => [{ file: 'slurm.conf', text: `ClusterName=c\n${conf}` }, ...beside.map((text, i) => ({ file: `beside-${i + 1}`, text }))] as const
const made = (conf: string, ...beside: readonly string[]) => queuePolicy(readQueues(...files(conf, ...beside)), facts)
const limitsOf = (conf: string, ...beside: readonly string[]): unknown => (made(conf, ...beside).policy as { 'slurm-limits'?: { policy: unknown } })['slurm-limits']
const told = (conf: string, ...beside: readonly string[]) => made(conf, ...beside).findings.filter(({ file }) => file !== 'slurm.conf').map(({ verdict, line, setting, note }) => [verdict, line, setting, note])

const enforced = 'AccountingStorageEnforce=limits'
const inner = { replan: { order: 'fifo', twoPass: true, batch_sched_delay: 3, defer: true, nodes: 'named', select: 'cons_tres' } }
const dump = `# To edit this file start with a cluster line for the new cluster
Cluster - 'c':FairShare=1:GrpTRES=cpu=500:QOS='normal'
Parent - 'root'
User - 'root':DefaultAccount='root':AdminLevel='Administrator':FairShare=1
Account - 'science':Description='all of science: here':Organization="uni":FairShare=60:MaxJobs=10
Account - 'arts':FairShare=40:GrpSubmitJobs=100
Parent - 'science'
Account - 'physics':FairShare=2:GrpTRES='cpu=128,mem=1T,billing=9,license/fluent=3':GrpJobs=20:MaxWallDurationPerJob=1440:DefaultQOS='long':QOS='long,normal'
User - 'ann':DefaultAccount='physics':FairShare=parent
Parent - 'physics'
User - 'ann':FairShare=3:MaxJobs=4:MaxSubmitJobs=50:MaxCPUs=64
User - 'bob':GrpTRESMins=cpu=6000:GrpTRESRunMins=cpu=10
`
const qos = `Name|Priority|GraceTime|Preempt|Flags|UsageFactor|GrpTRES|GrpJobs|MaxTRES|MaxWall|MaxTRESPU|MaxJobsPU|MaxSubmitPU|MinTRES
normal|10|00:00:00||||cpu=400||||cpu=100,gres/gpu=2|8|100|
high|100|00:00:00|normal,scavenge|DenyOnLimit,NoReserve|2.000000||4|cpu=64|1-00:00:00||||
scavenge|0|00:00:00||OverPartQOS|1.000000|||||||-1|
`

describe('a dump of sacctmgr', () => {
  it('is the tree of accounts with their limits', () => {
    expect(limitsOf(enforced, dump)).toEqual({
      accounts: {
        root: { GrpTRES: 'cpu=500', QOS: ['normal'], users: { root: {} } },
        science: {
          MaxJobs: 10, users: { ann: {} },
          accounts: { physics: { GrpTRES: 'cpu=128,mem=1T,billing=9', GrpJobs: 20, MaxWall: '1440', DefaultQOS: 'long', QOS: ['long', 'normal'], users: { ann: { MaxJobs: 4, MaxSubmitJobs: 50, MaxTRESPerJob: 'cpu=64' }, bob: { GrpTRESMins: 'cpu=6000', GrpTRESRunMins: 'cpu=10' } } } },
        },
        arts: { GrpSubmitJobs: 100 },
      },
      enforce: ['associations'],
      policy: inner,
    })
  })

  it('may change the list of QOS of the account around, and name GrpJobs as sacctmgr reads it, too', () => {
    expect(limitsOf(enforced, "Account - 'a':GrpJob=20:QOS+=high,low\nAccount - 'b':QosLevel-=low")).toMatchObject({ accounts: { a: { GrpJobs: 20, QOS: ['+high', '+low'] }, b: { QOS: ['-low'] } } })
  })

  it.each([
    ["Parent - 'a'\nAccount - 'a':GrpJobs=2", '"beside-1" line 2: account "a" lies in itself. '],
    ["Account - 'a':GrpJobs=2\nParent - 'b'\nAccount - 'a':MaxJobs=1\nParent - 'a'\nAccount - 'b':MaxJobs=1", '"beside-1" line 3: account "a" lies in "b", which lies in it. '],
  ])('is refused where accounts lie in each other: %j', (text, message) => {
    expect(messageOf(() => made(enforced, text))).toContain(message)
  })

  it('is told setting by setting, each once for all associations', () => {
    expect(told(enforced, dump)).toEqual([
      ['approximated', 8, 'GrpTRES of 1 association', 'the cluster has no license/fluent'],
      ['honoured', 2, 'GrpTRES of 1 association', ''], ['honoured', 2, 'QOS of 2 associations', ''], ['honoured', 5, 'MaxJobs of 2 associations', ''], ['honoured', 6, 'GrpSubmitJobs of 1 association', ''],
      ['honoured', 8, 'GrpJobs of 1 association', ''], ['honoured', 8, 'MaxWallDurationPerJob of 1 association', ''], ['honoured', 8, 'DefaultQOS of 1 association', ''],
      ['honoured', 11, 'MaxSubmitJobs of 1 association', ''], ['honoured', 11, 'MaxCPUs of 1 association', ''], ['honoured', 12, 'GrpTRESMins of 1 association', ''], ['honoured', 12, 'GrpTRESRunMins of 1 association', ''],
    ].sort((a, b) => (a[1] as number) - (b[1] as number)))
  })

  it('limits what jobs cost by the weights of their partition, or processors', () => {
    const conf = `${enforced}\nPriorityFlags=MAX_TRES\nPartitionName=main\nPartitionName=gpu TRESBillingWeights=CPU=1.5,GRES/gpu=20`
    expect(limitsOf(conf, "Account - 'a':GrpTRES=billing=100:GrpTRESMins=cpu=9")).toMatchObject({ accounts: { a: { GrpTRES: 'billing=100' } }, partitionBilling: { gpu: { procs: 1.5 } }, maxTres: true })
    expect(limitsOf(conf.replace('MAX_TRES', 'NO_FAIR_TREE,max_tres_gres'), "Account - 'a':GrpTRES=billing=100")).toMatchObject({ maxTres: 'gres' })
    expect(made(conf, "Account - 'a':GrpTRES=billing=100").findings.find(({ setting }) => setting === 'gpu TRESBillingWeights')).toMatchObject({ verdict: 'approximated', note: 'the cluster has no GRES/gpu' })
    expect(limitsOf(conf, "Account - 'a':GrpTRES=cpu=100")).not.toHaveProperty('partitionBilling')
  })

  it('limits nobody where AccountingStorageEnforce does not say so', () => {
    expect(made('', dump).policy).toEqual(inner)
    expect(told('', dump)[0]).toEqual(['ignored', 2, 'GrpTRES of 2 associations', 'AccountingStorageEnforce does not have limits'])
    expect(limitsOf('AccountingStorageEnforce=associations', "Account - 'a':GrpJobs=2\nParent - 'a'\nUser - 'ann'")).toEqual({ accounts: { a: { users: { ann: {} } } }, enforce: ['associations'], policy: inner })
  })

  it('has the shares of multifactor', () => {
    const { policy, findings } = made('PriorityWeightFairshare=1000', dump)
    expect(policy).toEqual({ replan: { order: { multifactor: { PriorityWeightFairshare: 1000, chargeEnds: false, accounts: {
      root: { users: { root: 1 } }, science: { shares: 60, users: { ann: 'parent' }, accounts: { physics: { shares: 2, users: { ann: 3, bob: 1 } } } }, arts: { shares: 40 },
    } } }, twoPass: true, batch_sched_delay: 3, defer: true, nodes: 'named', select: 'cons_tres' } })
    expect(findings.filter(({ setting }) => setting.startsWith('FairShare')).map(({ verdict, note }) => [verdict, note])).toEqual([['honoured', '']])
  })

  it.each([['', false], ['associations,qos', false], ['limits', true], ['safe', true]])('charges the use of the period in which a job ends where limits are enforced (AccountingStorageEnforce=%s): %s', (enforce, charges) => {
    const { policy } = made(`PriorityWeightFairshare=1000\nAccountingStorageEnforce=${enforce}`, "Account - 'a'\nParent - 'a'\nUser - 'ann'")
    expect(/"chargeEnds":false/.test(JSON.stringify(policy))).toBe(!charges)
  })

  it.each(['parent', '2147483647'])('takes FairShare=%s for the shares of the account, as sacctmgr reads and as it dumps it', (value) => {
    const { policy } = made('PriorityWeightFairshare=1000', `Account - 'a':FairShare=${value}\nParent - 'a'\nUser - 'ann':FairShare=${value}`)
    expect(policy).toMatchObject({ replan: { order: { multifactor: { accounts: { a: { shares: 'parent', users: { ann: 'parent' } } } } } } })
  })

  it('keeps others back with assoc_limit_stop, where anything is limited', () => {
    const stop = 'SchedulerParameters=assoc_limit_stop'
    const toldOf = (conf: string, ...beside: readonly string[]) => made(conf, ...beside).findings.filter(({ setting }) => setting.endsWith('assoc_limit_stop')).map(({ verdict, note }) => [verdict, note])
    expect(limitsOf(`${enforced}\n${stop}`, dump)).toMatchObject({ assocLimitStop: true })
    expect(toldOf(`${enforced}\n${stop}`, dump)).toEqual([['honoured', '']])
    expect(limitsOf(`${enforced}\nPartitionName=a MaxTime=60\n${stop}`)).not.toHaveProperty('assocLimitStop')
    for (const [conf, ...beside] of [[`${stop}\nPartitionName=a MaxTime=60`], [stop, dump]] as const) expect(toldOf(conf, ...beside)).toEqual([['ignored', 'no limit of a QOS or an association holds a job back']])
  })

  it('lets jobs start that can end within their minutes, if asked to be safe', () => {
    const safe = limitsOf('AccountingStorageEnforce=safe', dump)
    expect(safe).toEqual({ ...(limitsOf(enforced, dump) as object), safe: true })
    expect(limitsOf('AccountingStorageEnforce=safe', "Account - 'a':GrpJobs=2")).toEqual({ accounts: { a: { GrpJobs: 2 } }, policy: inner })
  })

  it('forgets past use when that of priorities is', () => {
    const conf = `${enforced}\nPriorityUsageResetPeriod=MONTHLY\nPriorityDecayHalfLife=0`
    expect(limitsOf(conf, dump)).toMatchObject({ usageReset: 'monthly', halfLife: 0 })
    expect(limitsOf(conf.replace('MONTHLY', 'NOW'), dump)).not.toHaveProperty('usageReset')
    expect(limitsOf(conf, "Account - 'a':GrpJobs=2")).not.toHaveProperty('usageReset')
  })

  it('stands alone where there is no slurm.conf', () => {
    expect(queuePolicy(readQueues({ file: 'd', text: "Cluster - c\nParent - root\nAccount - a:MaxJobs=2\nQOS - 'normal':GrpJobs=3" }), facts).policy).toEqual({ 'slurm-limits': { qos: { normal: { GrpJobs: 3 } }, accounts: { a: { MaxJobs: 2 } }, policy: inner } })
  })

  it.each([
    ["Account - 'a'\nUsers - 'x'", '"beside-1" line 2: found "Users - \'x\'". Lines of a dump begin with Cluster, Parent, Account, User or QOS, as User - \'ann\':MaxJobs=4.'],
    ["Account - 'a':MaxJobs", '"beside-1" line 1: found "MaxJobs", expected NAME=VALUE. Put values with colons in quotes.'],
    ["Account - 'a':MaxJobs=many", '"beside-1" line 1 MaxJobs: found "many", expected a whole number from 0 to 2147483647. Correct it, or leave it out for the default of Slurm.'],
    ["Parent - 'a'\nUser - 'x':MaxJobs=1", '"beside-1" line 2: x is in account "a", which is not there. Print all accounts, or a dump of the cluster.'],
    ["Parent - 'a'\nUser - 'x'", '"beside-1" line 2: x is in account "a", which is not there. Print all accounts, or a dump of the cluster.'],
    ["Parent - 'a'\nAccount - 'a'", '"beside-1" line 2: account "a" lies in itself. Print the accounts again, or correct the Parent above it.'],
    ["Account - 'a':GrpTRES=cpu=x", '"beside-1" line 1 GrpTRES: found "cpu=x". Write amounts as cpu=64,mem=256G.'],
    ['Name|Priority|MaxWall\nnormal|1', '"beside-1" line 2: has 2 fields, the first line 3. Print the table with --parsable2.'],
    ['PartitionName=x', '"beside-1": stands beside another queue file. Beside a slurm.conf stand dumps and tables of sacctmgr and reservations that scontrol shows: slurm.conf+accounts.cfg+qos.txt.'],
  ])('%j is answered', (text, message) => {
    expect(messageOf(() => made(enforced, text))).toBe(message)
  })
})

describe('a table of QOS', () => {
  it('tells where a limit of GPUs is of one type', () => {
    const facts = { resources: ['procs', 'gpus'], nodes: 4, heartbeat: false }
    const limit = (tres: string) => queuePolicy(readQueues(...files(enforced, `Name|MaxTRESPU\nnormal|${tres}`)), facts).findings.filter(({ setting }) => setting.endsWith('MaxTRESPU')).map(({ verdict, note }) => [verdict, note])
    expect(limit('cpu=4,gres/gpu=2')).toEqual([['honoured', '']])
    expect(limit('gres/gpu:a100=2')).toEqual([['approximated', 'GPUs of all types count, not of that one alone']])
  })

  it('has limits of users under the names that sacctmgr prints without saying whose they are', () => {
    expect(limitsOf(enforced, 'Name|MaxJobs|MaxSubmit|\nnormal|2|4|\n')).toMatchObject({ qos: { normal: { MaxJobsPerUser: 2, MaxSubmitJobsPerUser: 4 } } })
  })

  it('with the flag Relative has percentages of the cluster, or of the partition that it is the QOS of (assoc_mgr_set_qos_tres_cnt of Slurm)', () => {
    const known = { ...facts, totals: { procs: 90, mem: 1000, nodes: 4 }, totalsWith: () => ({ procs: 30, mem: 500, nodes: 2 }), nodesWith: (label: string) => (label === 'partition:a' ? ['n1', 'n2'] : []) }
    const conf = `${enforced}\nNodeName=n[1-4]\nPartitionName=a Nodes=n[1-2] QOS=PART\nPartitionName=b Nodes=ALL`
    const table = 'Name|Flags|GrpTRES|MaxTRESPU|GrpTRESMins|MaxJobsPU\nnormal|Relative|cpu=25,mem=50|node=50|cpu=200|7\npart|DenyOnLimit,relative|cpu=25|||\nplain||cpu=25|||'
    const { policy, findings } = queuePolicy(readQueues(...files(conf, table)), known)
    expect((policy as { 'slurm-limits': { qos: unknown } })['slurm-limits'].qos).toEqual({
      normal: { GrpTRES: 'cpu=22,mem=500', MaxTRESPerUser: 'node=2', GrpTRESMins: 'cpu=180', MaxJobsPerUser: 7 }, part: { GrpTRES: 'cpu=7', Flags: ['DenyOnLimit', 'Relative'] }, plain: { GrpTRES: 'cpu=25' },
    })
    expect(findings.filter(({ setting }) => setting.endsWith('Flags')).map(({ verdict, note }) => [verdict, note])).toEqual([['honoured', ''], ['honoured', '']])
  })

  it.each([['', 'approximated'], ['\nPartitionName=a OverSubscribe=EXCLUSIVE', 'honoured'], ['\nPartitionName=a OverSubscribe=EXCLUSIVE\nPartitionName=b', 'approximated'], ['\nSelectType=select/linear', 'honoured']])(
    'says of limits on nodes of single jobs that those which share them count for none: %j',
    (partitions, verdict) => {
      const note = verdict === 'honoured' ? '' : '; others count for none'
      const { findings } = queuePolicy(readQueues({ file: 'slurm.conf', text: `ClusterName=c\n${enforced}${partitions}` }, { file: 'qos', text: 'Name|GrpTRES|MaxTRES\nnormal|node=4|node=2\n' }), { resources: ['procs', 'nodes'], nodes: 4, heartbeat: false })
      expect(findings.find(({ setting }) => setting === 'QOS normal GrpTRES')).toMatchObject({ verdict: 'honoured', note: '' })
      expect(findings.find(({ setting }) => setting === 'QOS normal MaxTRES')).toMatchObject({ verdict, note: `where jobs ask for nodes (unit=nodes) or get whole ones${note}` })
    },
  )

  it('gives limits, flags and, with their weight, priorities', () => {
    expect(made(`${enforced},qos\nPriorityWeightQOS=500`, qos).policy).toEqual({ 'slurm-limits': {
      qos: { normal: { GrpTRES: 'cpu=400', MaxTRESPerUser: 'cpu=100', MaxJobsPerUser: 8, MaxSubmitJobsPerUser: 100 }, high: { GrpJobs: 4, MaxTRESPerJob: 'cpu=64', MaxWall: '1-00:00:00', UsageFactor: 2, Flags: ['DenyOnLimit'] }, scavenge: { Flags: ['OverPartQOS'] } },
      enforce: ['qos'],
      policy: { replan: { order: { multifactor: { PriorityWeightQOS: 500, qosPriorities: { normal: 10, high: 100 } } }, noReserve: ['high'], twoPass: true, batch_sched_delay: 3, defer: true, nodes: 'named', select: 'cons_tres' } },
    } })
    expect(told(enforced, qos).filter(([verdict]) => verdict !== 'honoured')).toEqual([
      ['ignored', 2, 'QOS normal Priority', 'PriorityWeightQOS is not given'], ['approximated', 2, 'QOS normal MaxTRESPU', 'the cluster has no gres/gpu'],
      ['ignored', 3, 'QOS high Priority', 'PriorityWeightQOS is not given'],
      ['ignored', 3, 'QOS high Preempt', 'nobody is preempted by QOS: that needs PreemptType=preempt/qos and a PreemptMode'],
    ])
  })

  it('has all flags of sacctmgr: those of limits where these are enforced, those of partitions and plans always, and says why the others do nothing', () => {
    const flags = (...all: string[]) => `Name|Flags\nnormal|${all.join(',')}`
    const ofFlags = (conf: string, ...all: string[]) => told(conf, flags(...all)).map(([verdict, , , note]) => [verdict, note])
    const all = ['denyonlimit', 'OverPartQOS', 'NoDecay', 'usagefactorsafe', 'PartitionTimeLimit', 'PartitionMaxNodes', 'PartitionMinNodes', 'NoReserve']
    expect(limitsOf(enforced, flags(...all))).toEqual({ qos: { normal: { Flags: ['DenyOnLimit', 'OverPartQOS', 'NoDecay', 'UsageFactorSafe', 'PartitionTimeLimit', 'PartitionMaxNodes', 'PartitionMinNodes'] } }, policy: { replan: { ...inner.replan, noReserve: ['normal'] } } })
    expect(ofFlags(enforced, ...all)).toEqual([['honoured', '']])
    expect(limitsOf('', flags(...all))).toMatchObject({ qos: { normal: { Flags: ['PartitionTimeLimit', 'PartitionMaxNodes', 'PartitionMinNodes'] } } })
    expect(ofFlags('', 'DenyOnLimit', 'PartitionMaxNodes')).toEqual([['approximated', 'without DenyOnLimit (AccountingStorageEnforce does not have limits)']])
    expect(['EnforceUsageThreshold', 'RequiresReservation', 'Relative', 'NoReserv'].map((flag) => ofFlags(enforced, flag)[0])).toEqual([
      ['ignored', 'it has no UsageThreshold'], ['ignored', 'there are no reservations in advance'],
      ['ignored', 'its limits are taken for amounts, not for percentages, since what nodes have is not known'], ['ignored', 'not simulated; did you mean NoReserve?'],
    ])
    expect(ofFlags(enforced, 'Relative', 'RequiresReservation')).toEqual([['ignored', 'without Relative (its limits are taken for amounts, not for percentages, since what nodes have is not known), RequiresReservation (there are no reservations in advance)']])
  })

  it.each(['GrpTRESMins', 'GrpTRESRunMins', 'MaxTRESRunMinsPU', 'MaxTRESRunMinsPA', 'GrpWall'])('has the periods of the file for %s, which depends on them', (limit) => {
    const table = `Name|${limit}\nnormal|${limit === 'GrpWall' ? '60' : 'cpu=9'}`
    expect((made(`${enforced}\nPriorityCalcPeriod=2`, table).policy as { 'slurm-limits': object })['slurm-limits']).toMatchObject({ calcPeriod: 120 })
    expect((made(`${enforced}\nPriorityCalcPeriod=2`, 'Name|GrpTRES\nnormal|cpu=9').policy as { 'slurm-limits': object })['slurm-limits']).not.toHaveProperty('calcPeriod')
  })

  it('gives UsageThreshold where the flag enforces it, whether limits are enforced or not, and the use that it goes by even without a weight', () => {
    const table = 'Name|Flags|UsageThres|UsageFactor\nnormal|EnforceUsageThreshold|0.600000|2.000000\nlow||0.500000|1.000000\nhigh|EnforceUsageThreshold|0.000000|1.000000'
    const multifactorOf = (conf: string) => (limitsOf(conf, table) as { policy: { replan: { order: unknown } } }).policy.replan.order
    expect(limitsOf('', table)).toMatchObject({ qos: { normal: { UsageThreshold: 0.6, Flags: ['EnforceUsageThreshold'] }, low: {}, high: {} } })
    expect(multifactorOf('')).toEqual({ multifactor: { usageFactors: { normal: 2 }, chargeEnds: false } })
    expect(multifactorOf(enforced)).toEqual({ multifactor: { usageFactors: { normal: 2 } } })
    expect(multifactorOf('PriorityWeightFairshare=9')).toEqual({ multifactor: { PriorityWeightFairshare: 9, usageFactors: { normal: 2 }, chargeEnds: false } })
    expect((made('', table, dump).policy as { 'slurm-limits': { policy: { replan: { order: object } } } })['slurm-limits'].policy.replan.order).toMatchObject({ multifactor: { accounts: { arts: { shares: 40 } } } })
    expect(told('', table).map(([verdict, line, setting, note]) => [verdict, line, String(setting).replace('QOS ', ''), note])).toEqual([
      ['honoured', 2, 'normal Flags', ''], ['honoured', 2, 'normal UsageThres', ''], ['honoured', 2, 'normal UsageFactor', 'for shares'],
      ['ignored', 3, 'low UsageThres', 'it does not have the flag EnforceUsageThreshold'], ['ignored', 4, 'high Flags', 'it has no UsageThreshold'],
    ])
    const basic = 'PriorityType is priority/basic, which has no fair-share factors'
    expect(told('PriorityType=priority/basic', table).slice(0, 2)).toEqual([['ignored', 2, 'QOS normal Flags', basic], ['ignored', 2, 'QOS normal UsageThres', basic]])
    expect(messageOf(() => made('', table.replace('0.600000', 'high')))).toContain('found "high", expected a number. Correct it')
  })

  it('has every setting of sacctmgr, or says why not', () => {
    // what `sacctmgr modify qos set` of Slurm 25 takes, but for names and what it resets
    const counts = ['GrpJobs', 'GrpSubmit', 'GrpSubmitJobs', 'MaxJobsPA', 'MaxJobsPerAccount', 'MaxJobsPU', 'MaxJobsPerUser', 'MaxSubmitJobsPA', 'MaxSubmitJobsPerAccount', 'MaxSubmitJobsPU', 'MaxSubmitJobsPerUser']
    const amounts = [
      'GrpTRES', 'GrpTRESMins', 'GrpTRESRunMins', 'MaxTRES', 'MaxTRESPJ', 'MaxTRESPerJob', 'MaxTRESMins', 'MaxTRESMinsPJ', 'MaxTRESMinsPerJob', 'MaxTRESPA', 'MaxTRESPerAccount', 'MaxTRESPU', 'MaxTRESPerUser', 'MaxTRESRunMinsPA', 'MaxTRESRunMinsPerAccount',
      'MaxTRESRunMinsPU', 'MaxTRESRunMinsPerUser', 'MinTRES', 'MinTRESPerJob',
    ]
    const idle = ['GrpJobsAccrue', 'MaxJobsAccruePA', 'MaxJobsAccruePerAccount', 'MaxJobsAccruePU', 'MaxJobsAccruePerUser', 'MaxTRESPN', 'MaxTRESPerNode', 'UsageThreshold']
    const values = [...counts.map((each) => [each, '9']), ...amounts.map((each) => [each, 'cpu=9']), ...[...idle, 'PreemptExemptTime', 'GraceTime', 'GrpWall', 'LimitFactor', 'MaxWall', 'MaxWallDurationPerJob', 'MinPrioThreshold', 'Priority', 'UsageFactor'].map((each) => [each, '9']), ['Flags', 'Relative'], ['Preempt', 'low'], ['PreemptMode', 'cancel']] as const
    const of = (header: string, row: string) => told(`${enforced}\nPriorityWeightQOS=1`, `${header}\n${row}`).filter(([, line]) => line === 2).map(([verdict, , setting, note]) => [verdict, String(setting).replace(/^QOS normal | of 1 association$/g, ''), note])
    const found = of(`Name|${values.map(([name]) => name).join('|')}`, `normal|${values.map(([, value]) => value).join('|')}`)
    expect(found.map(([, setting]) => setting).sort()).toEqual(values.map(([name]) => name).sort())
    expect(found.filter(([verdict]) => verdict === 'ignored').map(([, setting]) => setting).sort()).toEqual([...idle, 'Flags', 'GraceTime', 'Preempt', 'PreemptExemptTime', 'PreemptMode'].sort())
    expect(found.filter(([verdict, , note]) => verdict === 'ignored' && (note === '' || note === 'not simulated')).map(([, setting]) => setting)).toEqual([])
    // and `modify account` or `user`
    const ofAccounts = ['GrpJobs', 'GrpSubmitJobs', 'MaxJobs', 'MaxSubmitJobs', 'GrpWall', 'MaxWallDurationPerJob', 'DefaultQOS', 'QOS', 'MinPrioThresh']
    const tres = ['GrpTRES', 'GrpTRESMins', 'GrpTRESRunMins', 'MaxTRESPerJob', 'MaxTRESMinsPerJob']
    const none = ['GrpJobsAccrue', 'MaxJobsAccrue', 'MaxTRESPerNode', 'MaxTRESRunMins', 'Priority']
    const associations = of(`Account|ParentName|User|${[...ofAccounts, ...none, ...tres].join('|')}`, `a|root||${[...ofAccounts, ...none].map(() => '9').join('|')}|${tres.map(() => 'cpu=9').join('|')}`)
    expect(associations.filter(([verdict]) => verdict === 'honoured').map(([, setting]) => setting).sort()).toEqual([...ofAccounts, ...tres].sort())
    expect(associations.filter(([verdict, , note]) => verdict === 'ignored' && note !== '').map(([, setting]) => setting).sort()).toEqual(none)
  })

  it('plans jobs of QOS without reservations for a minute where PreemptMode is not OFF', () => {
    const policy = (conf: string) => (made(conf, 'Name|Flags\nlow|NoReserve\nnormal|').policy as { replan: object }).replan
    expect([policy(''), policy('PreemptMode=off')]).toEqual([{ ...inner.replan, noReserve: ['low'] }, { ...inner.replan, noReserve: ['low'] }])
    expect(policy('PreemptMode=SUSPEND,GANG')).toEqual({ ...inner.replan, noReserve: ['low'], noReserveMinute: true })
    expect(policy('SchedulerType=sched/builtin')).toEqual({ ...inner.replan, bf_interval: -1 })
    expect(told('SchedulerType=sched/builtin', 'Name|Flags\nlow|NoReserve\nnormal|')).toEqual([['ignored', 2, 'QOS low Flags', 'no plans are made']])
  })

  it('says what of the use of a QOS is charged', () => {
    expect(made('PriorityWeightFairshare=10', qos).policy).toEqual({ replan: { order: { multifactor: { PriorityWeightFairshare: 10, chargeEnds: false, usageFactors: { high: 2 } } }, noReserve: ['high'], twoPass: true, batch_sched_delay: 3, defer: true, nodes: 'named', select: 'cons_tres' } })
    expect(told('PriorityWeightFairshare=10', qos).find(([, , setting]) => setting === 'QOS high UsageFactor')).toEqual(['honoured', 3, 'QOS high UsageFactor', 'for shares'])
  })

  it('says how long preempted jobs run on', () => {
    const text = 'Name|GraceTime|Preempt\nnormal|00:01:30|\nhigh|00:00:00|normal\n'
    const conf = 'PreemptType=preempt/qos\nPreemptMode=REQUEUE'
    expect(made(conf, text).policy).toMatchObject({ 'slurm-preempting': { graceTime: { normal: 90 } } })
    expect(told(conf, text)[0]).toEqual(['approximated', 2, 'QOS normal GraceTime', 'plans count on the time limits of jobs that run on for it'])
    expect(told('', text)[0]).toEqual(['ignored', 2, 'QOS normal GraceTime', 'nobody is preempted by QOS: that needs PreemptType=preempt/qos and a PreemptMode'])
  })

  it('says what becomes of preempted jobs', () => {
    const text = 'Name|Preempt|PreemptMode\nnormal||cluster\nscavenge||cancel\nhigh|normal,scavenge|requeue\n'
    const conf = 'PreemptType=preempt/qos\nPreemptMode=SUSPEND,GANG'
    expect(made(conf, text).policy).toMatchObject({ 'slurm-preempting': { mode: 'suspend', modes: { scavenge: 'cancel', high: 'requeue' } } })
    expect(told(conf, text).filter(([, , setting]) => String(setting).endsWith('PreemptMode') && setting !== 'PreemptMode')).toEqual([['honoured', 3, 'QOS scavenge PreemptMode', ''], ['honoured', 4, 'QOS high PreemptMode', '']])
    expect(told('', text)).toContainEqual(['ignored', 3, 'QOS scavenge PreemptMode', 'nobody is preempted by QOS: that needs PreemptType=preempt/qos and a PreemptMode'])
  })

  it('says that jobs of one partition take turns in Slurm where their QOS preempt and suspend, and not where partitions do', () => {
    const modes = (type: string) => made(`PreemptType=${type}\nPreemptMode=SUSPEND,GANG\nPartitionName=a PriorityTier=2\nPartitionName=b`, 'Name|Preempt|PreemptMode\nlow||suspend\nhigh|low|cluster\n').findings.filter(({ setting, verdict }) => setting.endsWith('PreemptMode') && verdict === 'approximated')
    expect(modes('preempt/qos').map(({ setting, note }) => [setting, /take turns/.test(note)])).toEqual([['PreemptMode', true], ['QOS low PreemptMode', true]])
    expect(modes('preempt/partition_prio').map(({ setting, note }) => [setting, /take turns/.test(note)])).toEqual([['PreemptMode', false]])
  })

  it('says how long jobs are left alone, by tier and by QOS', () => {
    const text = 'Name|PreemptExemptTime|Preempt\nnormal|00:10:00|\nhigh||normal\nlow|00:00:00|\nother|-1|'
    const tiers = 'PreemptType=preempt/partition_prio\nPreemptMode=REQUEUE\nPreemptExemptTime=5\nPartitionName=a PriorityTier=2\nPartitionName=b'
    const byQos = 'PreemptType=preempt/qos\nPreemptMode=REQUEUE\nPartitionName=a QOS=low'
    expect(made(tiers, text).policy).toMatchObject({ 'slurm-preempting': { exemptTime: 300, exemptTimes: { normal: 600, low: 0 } } })
    expect(limitsOf(byQos, text)).toMatchObject({ policy: { 'slurm-preempting': { exemptTimes: { normal: 600, low: 0 }, exemptTimesOfQueues: { a: 0 } } } })
    const first = limitsOf(byQos, 'Name|PreemptExemptTime|Flags\nlow|60|\nbig|30|overpartqos') as { policy: object }
    expect(first.policy).toMatchObject({ 'slurm-preempting': { exemptTimes: { low: 3600, big: 1800 }, exemptTimesOfQueues: { a: 3600 }, ownQosFirst: ['big'] } })
    const ofTimes = (conf: string) => told(conf, text).filter(([, , setting]) => String(setting).endsWith('PreemptExemptTime')).map(([verdict, line, , note]) => [verdict, line, note])
    expect(ofTimes(tiers)).toEqual([['honoured', 2, ''], ['honoured', 4, '']])
    expect(ofTimes(byQos)).toEqual([['honoured', 2, ''], ['honoured', 4, '']])
    expect(ofTimes('')).toEqual([['ignored', 2, 'nobody is preempted'], ['ignored', 4, 'nobody is preempted']])
  })

  it('has the priorities from which on jobs of a QOS, or of a partition with it, keep others back', () => {
    const text = 'Name|MinPrioThreshold\nnormal|\nlow|500\nnone|0\n'
    expect(limitsOf(`${enforced}\nPartitionName=a QOS=LOW`, text)).toMatchObject({ policy: { replan: { minPriorities: { low: 500 }, minPrioritiesOfQueues: { a: 500 } } } })
    expect(told(enforced, text)).toEqual([['honoured', 3, 'QOS low MinPrioThreshold', '']])
    expect([made('', text).policy, told('', text)]).toEqual([inner, [['ignored', 3, 'QOS low MinPrioThreshold', 'AccountingStorageEnforce does not have limits']]])
  })

  it('has them of associations, those of the nearest account around for one that says none', () => {
    const text = 'Account|ParentName|User|MinPrioThresh\nroot|||\nscience|root||300\nphysics|science||\nbiology|science||0\nart|root||-1\nphysics||ann|50\nphysics||bob|\n'
    expect(limitsOf(enforced, text)).toMatchObject({ policy: { replan: { minPrioritiesOfAccounts: { science: 300, physics: 300, biology: 300 }, minPrioritiesOfUsers: { physics: { ann: 50 } } } } })
    const ofThresholds = (conf: string) => told(conf, text).filter(([, , setting]) => String(setting).startsWith('MinPrioThresh'))
    expect([ofThresholds(enforced), ofThresholds('')]).toEqual([
      [['honoured', 3, 'MinPrioThresh of 2 associations', '']], [['ignored', 3, 'MinPrioThresh of 2 associations', 'AccountingStorageEnforce does not have limits']],
    ])
  })

  it('has the factor of limits of associations', () => {
    expect(limitsOf(enforced, 'Name|LimitFactor\nnormal|2.500000\nlow|1.000000\nbad|-1\n')).toMatchObject({ qos: { normal: { LimitFactor: 2.5 }, low: {}, bad: {} } })
  })

  it('says whose jobs preempt each other', () => {
    const text = 'Name|PreemptMode\nnormal|within,requeue\nhigh|cluster\n'
    const within = (mode: string) => (made(`PreemptType=preempt/qos\nPreemptMode=${mode}`, text).policy as { 'slurm-preempting': { qos: object } })['slurm-preempting'].qos
    expect([within('REQUEUE'), within('REQUEUE,WITHIN')]).toEqual([{ normal: { within: true }, high: {} }, { normal: { within: true }, high: { within: true } }])
    expect(told('PreemptType=preempt/qos\nPreemptMode=REQUEUE,WITHIN', text)).toEqual([['honoured', 2, 'QOS normal PreemptMode', '']])
  })

  it('says who preempts whom', () => {
    expect(made('PreemptType=preempt/qos\nPreemptMode=REQUEUE', qos).policy).toEqual({
      'slurm-preempting': { qos: { normal: { priority: 10 }, high: { preempt: ['normal', 'scavenge'], priority: 100 }, scavenge: {} }, requeueDelay: 121, policy: { replan: { ...inner.replan, noReserve: ['high'], noReserveMinute: true } } },
    })
  })
})

describe('a table of associations', () => {
  it.each([
    ['with ParentName', 'Cluster|Account|User|ParentName|Share|GrpTRES|MaxJobs|Def QOS\nc|root|||1|||\nc|a||root|5||3|long\nc|b||a|1|cpu=8||\nc|b|ann||1|||'],
    ['with that as sacctmgr heads it', 'ID|User|Account|Cluster|Def QOS|Share|GrpTRES|MaxJobs|QOS_RAW|Par ID|Par Name|LFT\n1||root|c||1|||1|0||1\n3||a|c|long|5||3|1|1|root|2\n4||b|c||1|cpu=8||1|3|a|3\n5|ann|b|c||1|||1|4||4'],
    ['as a tree', 'Account|User|Share|GrpTRES|MaxJobs|Def QOS|\nroot||1||||\n a||5||3|long|\n  b||1|cpu=8|||\n  b|ann|1||||'],
  ])('%s is the tree', (_, text) => {
    expect(limitsOf(enforced, text)).toEqual({ accounts: { a: { MaxJobs: 3, DefaultQOS: 'long', accounts: { b: { GrpTRES: 'cpu=8', users: { ann: {} } } } } }, enforce: ['associations'], policy: inner })
  })
})

describe('limits of jobs that grow older', () => {
  const table = 'Name|GrpJobsAccrue|MaxJobsAccruePA|MaxJobsAccruePU\nnormal|9||2\nlong||5|'
  const tree = "Cluster - 'c':GrpJobsAccrue=500\nParent - 'root'\nAccount - 'a':MaxJobsAccrue=3\nParent - 'a'\nAccount - 'b':MaxJobs=1\nParent - 'b'\nUser - 'ann':GrpJobsAccrue=1\nUser - 'bob'\nUser - 'bob':Partition='long'"
  const aging = `${enforced}\nPriorityWeightAge=100`
  const accrueOf = (conf: string, ...beside: readonly string[]) => /"accrue":(\{.*\}),"tiers"/.exec(JSON.stringify(made(`${conf}\nPartitionName=x PriorityTier=2`, ...beside).policy))?.[1]

  it('are those of the order, where age counts', () => {
    expect(JSON.parse(accrueOf(aging, table, tree)!)).toEqual({
      qos: { normal: { GrpJobsAccrue: 9, MaxJobsAccruePerUser: 2 }, long: { MaxJobsAccruePerAccount: 5 } },
      accounts: { root: { GrpJobsAccrue: 500 }, a: { MaxJobsAccrue: 3, accounts: { b: { users: { ann: { GrpJobsAccrue: 1 } }, usersOfPartitions: { long: { bob: {} } } } } } },
    })
    expect(told(aging, table, tree).filter(([, , setting]) => String(setting).includes('Accrue'))).toEqual([
      ['honoured', 2, 'QOS normal GrpJobsAccrue', ''], ['honoured', 2, 'QOS normal MaxJobsAccruePU', ''], ['honoured', 3, 'QOS long MaxJobsAccruePA', ''],
      ['honoured', 1, 'GrpJobsAccrue of 2 associations', ''], ['honoured', 3, 'MaxJobsAccrue of 1 association', ''],
    ])
    expect(accrueOf(aging, 'Name|MaxJobs\nnormal|3', "Account - 'a':MaxJobs=3")).toBeUndefined()
  })

  it.each([
    ['PriorityWeightAge=100', 'AccountingStorageEnforce does not have limits'], [enforced, 'age counts for nothing: PriorityWeightAge is 0'],
    [`${aging}\nPriorityFlags=ACCRUE_ALWAYS`, 'all jobs grow older: PriorityFlags has ACCRUE_ALWAYS'],
  ])('are none with %j', (conf, why) => {
    expect(accrueOf(conf, table)).toBeUndefined()
    expect(told(conf, table)).toContainEqual(['ignored', 2, 'QOS normal GrpJobsAccrue', why])
  })
})

describe('associations of one partition', () => {
  const table = 'Account|User|Partition|MaxJobs|QOS|DefaultQOS|FairShare\nroot||||||\na||||||\na|ann||9||usual|5\na|ann|lr6|3|debug,normal|debug|1\na|ann|es1|4|debug,es||2\na|bob|es1||||4'

  it('hold for the jobs there, and that of no partition for all others', () => {
    expect(limitsOf('AccountingStorageEnforce=limits,qos', table)).toMatchObject({ accounts: { a: {
      users: { ann: { MaxJobs: 9 } }, usersOfPartitions: { lr6: { ann: { MaxJobs: 3, QOS: ['debug', 'normal'] } }, es1: { ann: { MaxJobs: 4, QOS: ['debug', 'es'] }, bob: {} } },
    } } })
    const dump = "Account - 'a'\nParent - 'a'\nUser - 'ann':Partition='lr6':MaxJobs=3"
    expect(limitsOf(enforced, dump)).toMatchObject({ accounts: { a: { usersOfPartitions: { lr6: { ann: { MaxJobs: 3 } } } } } })
  })

  it('have a default QOS of their own', () => {
    const place = slurmDefaults(readQueues(...files('PartitionName=lr6\nPartitionName=es1', table)) as SlurmConf)!
    expect(['LR6', 'es1', 'lr7'].map((queue) => place({ id: '1', submit: 0, user: 'ann', account: 'a', queue, stages: [] }).qos)).toEqual(['debug', undefined, 'usual'])
    expect(place({ id: '1', submit: 0, user: 'ann', queue: 'lr6', stages: [] }).qos).toBe('debug')
  })

  it('are told, and have shares of their own', () => {
    const partitions = (conf: string) => told(conf, table).filter(([, , setting]) => String(setting).startsWith('Partition'))
    expect(partitions(enforced)).toEqual([['honoured', 5, 'Partition of 3 associations', '']])
    expect(partitions('')).toEqual([['ignored', 5, 'Partition of 3 associations', 'AccountingStorageEnforce does not have limits']])
    const weight = 'PriorityWeightFairshare=100'
    expect([partitions(`${enforced}\n${weight}`), partitions(weight)]).toEqual([
      [['honoured', 5, 'Partition of 3 associations', '']], [['honoured', 5, 'Partition of 3 associations', 'shares alone: AccountingStorageEnforce does not have limits']],
    ])
    expect(made(weight, table).policy).toMatchObject({ replan: { order: { multifactor: { accounts: { a: { users: { ann: 5 }, usersOfPartitions: { lr6: { ann: 1 }, es1: { ann: 2, bob: 4 } } } } } } } })
  })

  it('have priorities from which on they keep others back, or that of the account, whatever the user has elsewhere', () => {
    const thresholds = 'Account|User|Partition|MinPrioThresh\nroot|||\na|||7\nb|||\na|ann||9\na|ann|lr6|3\na|ann|es1|\nb|bob||5\nb|bob|es1|'
    expect(limitsOf(enforced, thresholds)).toMatchObject({ policy: { replan: {
      minPrioritiesOfAccounts: { a: 7 }, minPrioritiesOfUsers: { a: { ann: 9 }, b: { bob: 5 } }, minPrioritiesOfUsersOfPartitions: { a: { lr6: { ann: 3 }, es1: { ann: 7 } }, b: { es1: { bob: 0 } } },
    } } })
    const odd = limitsOf(enforced, 'Account|User|MinPrioThresh\nroot||\nconstructor||\nconstructor|ann|9\n')
    expect([JSON.stringify(odd).includes('"minPrioritiesOfUsers":{"constructor":{"ann":9}}'), Object.hasOwn(Object, 'ann')]).toEqual([true, false])
  })
})

it('a table of associations that tells no tree says so', () => {
  const notes = (...rows: readonly string[]) => told(enforced, ['Account|User|MaxJobs', ...rows].join('\n')).filter(([, , setting]) => setting === 'Account')
  expect(notes('root||', 'a||3', 'b||', 'b|ann|')).toEqual([['approximated', 1, 'Account', 'which account lies in which is not told: all lie in the root; print the table with `tree`, or with the column ParentName']])
  expect([notes('root||', 'a||3', 'a|ann|'), notes('root||', ' a||3', '  b||')]).toEqual([[], []])
})

describe('limits of partitions', () => {
  it('are those of their QOS, named in letters of any case', () => {
    const { policy, findings } = made(`${enforced}\nPartitionName=a QOS=Part-A`, 'Name|GrpJobs\npart-a|3')
    expect(policy).toMatchObject({ 'slurm-limits': { partitions: { a: { QOS: 'part-a' } }, qos: { 'part-a': { GrpJobs: 3 } } } })
    expect(findings.find(({ setting }) => setting === 'a QOS')?.verdict).toBe('honoured')
  })

  it('are those of time, size, state and who may submit', () => {
    const conf = ['EnforcePartLimits=ALL', 'NodeName=n[1-4] CPUs=16', 'PartitionName=DEFAULT State=UP', 'PartitionName=a MaxTime=2-0 MaxNodes=2 AllowAccounts=x,y QOS=part', 'PartitionName=b MaxTime=UNLIMITED MaxNodes=UNLIMITED DenyQos=low', 'PartitionName=c State=DRAIN AllowAccounts=ALL'].join('\n')
    expect(limitsOf(conf)).toEqual({
      partitions: { a: { MaxTime: '2-0', MaxTRESPerJob: { node: 2, cpu: 32 }, MaxNodes: 2, AllowAccounts: ['x', 'y'], QOS: 'part' }, b: { DenyQos: ['low'] }, c: { State: 'DRAIN' } }, enforcePartLimits: 'ALL', policy: { replan: { ...inner.replan, maxNodes: { a: 2 } } },
    })
    expect(messageOf(() => made('PartitionName=a MaxTime=soon'))).toBe('"slurm.conf" line 2 MaxTime: found "soon", expected a time. Write minutes, hours:minutes:seconds, days-hours or UNLIMITED.')
  })
})

describe('a table of the associations of several clusters', () => {
  const table = 'Cluster|Account|User|MaxJobs\nc|a||\nc|a|ann|4\nother|a||\nother|a|ann|5\n'

  it('is that of the cluster that the slurm.conf is of', () => {
    expect(limitsOf(enforced, table)).toMatchObject({ accounts: { a: { users: { ann: { MaxJobs: 4 } } } } })
    expect(told(enforced, table)).toEqual([['honoured', 3, 'MaxJobs of 1 association', '']])
  })

  it('says that it is taken for one where that is none of them', () => {
    expect(told(`${enforced}\nClusterName=third`, table)).toContainEqual(['approximated', 1, 'Cluster', 'associations of all these clusters are taken together, since ClusterName is none of them; print those of one with cluster=NAME'])
  })
})

describe('what is filled in at submission', () => {
  it('is the default partition, the default account of the user and the default QOS of the association, or of the accounts around it', () => {
    const fill = slurmDefaults(readQueues(...files('PartitionName=a\nPartitionName=b Default=YES', dump)) as SlurmConf)!
    const job = (change: object) => fill({ id: 'x', submit: 0, stages: [], ...change })
    expect([job({ user: 'ann', account: 'physics' }), job({ user: 'bob' }), job({ user: 'ann', queue: 'a' }), job({ user: 'bob', qos: 'normal' }), job({ user: 'eve', account: 'physics' })].map(({ queue, qos: given }) => [queue, given])).toEqual([['b', 'long'], ['b', 'long'], ['a', 'long'], ['b', 'normal'], ['b', 'long']])
    expect([job({ user: 'ann' }), job({ user: 'ann', account: 'science' }), job({ user: 'bob' })].map(({ account, qos: given }) => [account, given])).toEqual([['physics', 'long'], ['science', undefined], [undefined, 'long']])
    expect(slurmDefaults(readQueues(...files('PartitionName=a MaxTime=UNLIMITED')) as SlurmConf)).toBeUndefined()
  })

  it('gives jobs of a user called root the default QOS of the account around it', () => {
    const fill = slurmDefaults(readQueues(...files('PartitionName=a', "Cluster - 'c':DefaultQOS='normal'\nParent - 'root'\nUser - 'root':AdminLevel='Administrator'")) as SlurmConf)!
    expect(fill({ id: 'x', submit: 0, stages: [], user: 'root' }).qos).toBe('normal')
  })

  it('is a time limit for a job without one: the default of its partition, or its longest', () => {
    const fill = slurmDefaults(readQueues(...files('PartitionName=a DefaultTime=60 MaxTime=1-0\nPartitionName=b MaxTime=2:00:00 Default=YES\nPartitionName=c')) as SlurmConf)!
    expect([{ queue: 'a' }, {}, { queue: 'c' }, { queue: 'a', estimate: 5 }].map((change) => fill({ id: 'x', submit: 0, stages: [], ...change }).estimate)).toEqual([3600, 7200, undefined, 5])
  })

  it('has no default time where that is NONE, and takes no other word', () => {
    const fill = slurmDefaults(readQueues(...files('PartitionName=a DefaultTime=NONE MaxTime=10')) as SlurmConf)!
    expect(fill({ id: 'x', submit: 0, queue: 'a', stages: [] }).estimate).toBe(600)
    expect(() => queuePolicy(readQueues(...files('PartitionName=a DefaultTime=soon')), facts)).toThrow('line 2 DefaultTime: found "soon", expected a time.')
  })

  it('is where the job runs: on the nodes of its partition, if the cluster has marked these and no others', () => {
    const nodes = 'NodeName=n[1-4]\nPartitionName=a Nodes=n[1-2] Default=YES\nPartitionName=b Nodes=n[2-4]\nPartitionName=c Nodes=ALL'
    const marks: Readonly<Record<string, string[]>> = { 'partition:a': ['n1', 'n2'], 'partition:b': ['n3', 'n4'] }
    const fill = slurmDefaults(readQueues(...files(nodes)) as SlurmConf, { nodes: 4, nodesWith: (label) => marks[label] ?? [] })!
    const stage = { name: 's', tasks: 1, demand: { procs: 1 }, duration: 1 }
    const required = (queue?: string) => fill({ id: 'x', submit: 0, ...(queue !== undefined && { queue }), stages: [{ ...stage, constraints: { require: { ib: 'yes' } } }] }).stages[0]!.constraints!.require
    expect([required(), required('a'), required('b'), required('c')]).toEqual([{ ib: 'yes', 'partition:a': 'true' }, { ib: 'yes', 'partition:a': 'true' }, { ib: 'yes' }, { ib: 'yes' }])
    const parts = fill({ id: 'x', submit: 0, queue: 'c', gang: true, stages: [{ ...stage, partition: 'a' }, stage] }).stages // of which one is in a partition of its own
    expect(parts.map(({ constraints }) => constraints)).toEqual([{ require: { 'partition:a': 'true' } }, undefined])
    const { findings } = queuePolicy(readQueues(...files(nodes)), { ...facts, nodesWith: (label) => marks[label] ?? [] })
    expect(findings.filter(({ setting }) => setting.endsWith('Nodes')).map(({ verdict, setting }) => [verdict, setting])).toEqual([['honoured', 'a Nodes'], ['ignored', 'b Nodes'], ['honoured', 'c Nodes']])
  })
})
