import { dispatcher } from '@sched/cluster'
import { greedy, ljf, lxf, sjf } from '@sched/policies'
import { describe, expect, it } from 'vitest'

describe('an order by estimates', () => {
  const told = (order: ReturnType<typeof sjf>, ...estimates: (number | undefined)[]): string[] => {
    const warnings: string[] = []
    const master = dispatcher({ cluster: { nodes: [{ count: 1, resources: { cpu: 1 } }] }, policy: greedy(order), warn: (text) => warnings.push(text) })
    for (const [i, estimate] of estimates.entries()) master.submit({ id: `${i}`, ...(estimate !== undefined && { estimate }), stages: [{ name: 's', tasks: 1, demand: { cpu: 1 } }] }, 0)
    master.pass(0)
    return warnings
  }

  it('says once what becomes of jobs that have none', () => {
    expect([told(sjf(), 5, undefined, undefined), told(ljf(), undefined), told(lxf(), undefined, 3)]).toEqual([
      ['jobs without an estimate come last under sjf, by submission.'],
      ['jobs without an estimate come first under ljf, by submission.'],
      ['jobs without an estimate stay behind all others under lxf.'],
    ])
    expect(told(sjf(), 5, 3)).toEqual([])
  })
})
