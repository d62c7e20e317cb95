import { describe, expect, it } from 'vitest'
import { queuePolicy, readQueues } from '../src/index.js'

const facts = { resources: ['procs'], nodes: 4, heartbeat: false }
const dump = ["Cluster - 'c':Fairshare=1", "Parent - 'root'", "Account - 'p':Fairshare=1:Priority=40", "Account - 'q':Fairshare=0", "Parent - 'p'", "User - 'bob':Priority=100", "Parent - 'q'", "User - 'ann':Priority=7"].join('\n')
const made = (conf: string, ...beside: readonly string[]) =>
  queuePolicy(readQueues({ file: 'slurm.conf', text: `ClusterName=c\n${conf}` }, ...beside.map((text) => ({ file: 'accounts.cfg', text }))), facts)
const found = (conf: string, ...beside: readonly string[]) =>
  made(conf, ...beside).findings.filter(({ setting }) => /PriorityWeightAssoc|^Priority of/.test(setting)).map(({ verdict, setting, note }) => [verdict, setting, note])

describe('priorities of associations', () => {
  it('are those of a dump, by account and user', () => {
    expect(made('PriorityWeightAssoc=10000', dump).policy).toMatchObject({
      replan: { order: { multifactor: { PriorityWeightAssoc: 10_000, associations: { p: { priority: 40, users: { bob: { priority: 100 } } }, q: { users: { ann: { priority: 7 } } } } } } },
    })
    expect(found('PriorityWeightAssoc=10000', dump)).toEqual([['honoured', 'PriorityWeightAssoc', ''], ['honoured', 'Priority of 3 associations', '']])
  })

  it('count for nothing without a weight, and a weight without associations', () => {
    expect(made('PriorityWeightAge=1', dump).policy).toMatchObject({ replan: { order: { multifactor: { PriorityWeightAge: 1 } } } })
    expect(JSON.stringify(made('PriorityWeightAge=1', dump).policy)).not.toContain('associations')
    expect(found('PriorityWeightAge=1', dump)).toEqual([['ignored', 'Priority of 3 associations', 'PriorityWeightAssoc is not given']])
    expect(found('PriorityWeightAssoc=10000')).toEqual([['ignored', 'PriorityWeightAssoc', 'associations are not in this file; give what `sacctmgr dump` writes, as slurm.conf+accounts.cfg']])
    expect(found('PriorityWeightAssoc=0')).toEqual([['honoured', 'PriorityWeightAssoc', '']])
  })
})
