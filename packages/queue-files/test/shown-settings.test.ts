import { describe, expect, it } from 'vitest'
import { compareQueues, queuePolicy, queueTable, readQueues, type ClusterFacts } from '../src/index.js'
import { messageOf } from './message-of.js'

const facts: ClusterFacts = { resources: ['procs'], nodes: 4, heartbeat: false }
const CONFIG = `Configuration data as of 2024-05-02T10:12:13
AccountingStorageEnforce = none
InactiveLimit           = 0 sec
PreemptMode             = REQUEUE
PreemptType             = preempt/partition_prio
PriorityDecayHalfLife   = 14-00:00:00
PriorityFlags           = 
PriorityMaxAge          = 7-00:00:00
PriorityType            = priority/multifactor
PriorityWeightAge       = 1000
PriorityWeightFairShare = 8000
PriorityWeightTRES      = (null)
SchedulerParameters     = bf_max_job_user=20,bf_interval=60
SchedulerType           = sched/backfill
SelectType              = select/cons_tres
SlurmctldHost[0]        = head
SLURM_VERSION           = 23.11.4

Cgroup Support Configuration:
AllowedRAMSpace         = 100.0%
PriorityType            = none of this file

Slurmctld(primary) at head is UP
`
const PARTITIONS = `PartitionName=batch
   AllowGroups=ALL AllowAccounts=ALL AllowQos=ALL
   AllocNodes=ALL Default=YES QoS=N/A
   DefaultTime=NONE DisableRootJobs=NO ExclusiveUser=NO GraceTime=0 Hidden=NO
   MaxNodes=UNLIMITED MaxTime=2-00:00:00 MinNodes=0 LLN=NO
   NodeSets=ALL
   Nodes=n[1-4]
   PriorityJobFactor=1 PriorityTier=1 RootOnly=NO ReqResv=NO OverSubscribe=NO
   OverTimeLimit=NONE PreemptMode=REQUEUE
   State=UP TotalCPUs=64 TotalNodes=4 SelectTypeParameters=NONE
   JobDefaults=(null)
   TRES=cpu=64,node=4,billing=64

PartitionName=urgent
   AllowQos=ALL Nodes=n[1-4] PriorityTier=10 PreemptMode=OFF MaxTime=UNLIMITED State=UP TotalCPUs=64
`
const CONF = `PreemptType=preempt/partition_prio
PreemptMode=REQUEUE
PriorityType=priority/multifactor
PriorityDecayHalfLife=14-00:00:00
PriorityMaxAge=7-00:00:00
PriorityWeightAge=1000
PriorityWeightFairshare=8000
SchedulerType=sched/backfill
SchedulerParameters=bf_max_job_user=20,bf_interval=60
SelectType=select/cons_tres
PartitionName=batch Nodes=n[1-4] Default=YES MaxTime=2-00:00:00 MinNodes=0 PriorityJobFactor=1 PriorityTier=1 PreemptMode=REQUEUE State=UP
PartitionName=urgent Nodes=n[1-4] PriorityTier=10 PreemptMode=OFF MaxTime=UNLIMITED State=UP
`
const read = (text: string) => readQueues({ file: 'f', text })
const made = (text: string) => queuePolicy(read(text), facts)
const side = (text: string) => ({ file: read(text), table: queueTable(read(text)) })

describe('what scontrol shows of a slurm.conf', () => {
  it('is the policy of that file: settings, and partitions after them', () => {
    expect(made(CONFIG + PARTITIONS).policy).toEqual(made(CONF).policy)
    expect(made(PARTITIONS + CONFIG).policy).toEqual(made(CONF).policy)
  })

  it('has partitions on one line, too, and what is not set is not there', () => {
    const onOne = PARTITIONS.replace(/\n {3}/g, ' ')
    expect(made(CONFIG + onOne).policy).toEqual(made(CONF).policy)
    const said = made(onOne).findings.map(({ setting }) => setting)
    expect(said).toContain('batch PriorityTier')
    expect(said.filter((setting) => /TotalCPUs|NodeSets|TRES|QoS|OverTimeLimit|SelectTypeParameters|JobDefaults/.test(setting))).toEqual([])
  })

  it('is told with its lines; times are without their units', () => {
    const { findings } = made(CONFIG + PARTITIONS)
    expect(findings.find(({ setting }) => setting === 'InactiveLimit')).toMatchObject({ verdict: 'honoured', line: 3, value: '0' })
    expect(findings.find(({ setting }) => setting === 'urgent PriorityTier')).toMatchObject({ verdict: 'honoured', line: 38 })
  })

  it('differs from the file in what it shows, and not in how names are spelled', () => {
    const changed = compareQueues(side(CONF), side(CONFIG + PARTITIONS)).changed.filter(({ path }) => path === '')
    expect(changed.map(({ setting }) => setting)).toEqual(['AccountingStorageEnforce', 'InactiveLimit', 'SlurmctldHost[0]', 'SLURM_VERSION'])
  })

  it('has partitions of the nodes that the cluster marks, but for those that are down', () => {
    const shown = PARTITIONS.replace('Nodes=n[1-4]', 'Nodes=n[1-2,9]') // n9 is down
    const told = (nodes: readonly string[], marked: readonly string[]) => {
      const { findings } = queuePolicy(read(shown), { ...facts, nodeNames: nodes, nodesWith: (label) => (label === 'partition:batch' ? marked : []) })
      return findings.filter(({ setting }) => setting.endsWith(' Nodes')).map(({ setting, verdict }) => `${setting} ${verdict}`)
    }
    const all = ['n1', 'n2', 'n3', 'n4']
    expect(told(all, ['n1', 'n2'])).toEqual(['batch Nodes honoured', 'urgent Nodes honoured'])
    expect(told([...all, 'n9'], ['n1', 'n2'])).toEqual(['batch Nodes ignored', 'urgent Nodes ignored'])
    expect(told(all, ['n1', 'n2', 'n3'])).toEqual(['batch Nodes ignored', 'urgent Nodes honoured'])
  })

  it.each([
    ['a line of something else', `${PARTITIONS}Reservation of nobody\n`, '"f" line 16: found "Reservation of nobody", expected what scontrol show config or scontrol show partition prints. Give what it prints, as it is.'],
    ['nodes beside it', `${CONFIG}NodeName=a Arch=x86_64 CoresPerSocket=8 \n   CPUAlloc=3 CPUTot=8\n`, '"f" line 24: has what scontrol show node prints, which is a cluster (--nodes FILE) and no policy. Give the slurm.conf for that, or what scontrol show config and scontrol show partition print.'],
    ['a value that Slurm does not take', CONFIG.replace('= 1000', '= many'), '"f" line 10 PriorityWeightAge: found "many", expected a whole number from 0 to 4294967295. Correct it, or leave it out for the default of Slurm.'],
  ])('answers %s', (_, text, expected) => {
    expect(messageOf(() => made(text))).toBe(expected)
  })
})
