import { dispatcher } from '@sched/cluster'
import { conservative, easy, fattened, greedy, ljf, lxf, replan, sjf, strict } from '@sched/policies'
import { describe, expect, it } from 'vitest'

/** What a policy tells of jobs with these estimates. */
function toldBy(policy: ReturnType<typeof greedy>, estimates: readonly (number | undefined)[]): string[] {
  const warnings: string[] = []
  const master = dispatcher({ cluster: { nodes: [{ count: 1, resources: { cpu: 1 } }] }, policy, warn: (text) => warnings.push(text) })
  for (const [i, estimate] of estimates.entries()) master.submit({ id: `${i}`, ...(estimate !== undefined && { estimate }), stages: [{ name: 's', tasks: 1, demand: { cpu: 1 } }] }, 0)
  master.pass(0)
  return warnings
}

describe('an order by estimates', () => {
  const told = (order: ReturnType<typeof sjf>, ...estimates: (number | undefined)[]): string[] => toldBy(greedy(order), estimates)

  it('says once what becomes of jobs that have none', () => {
    expect([told(sjf(), 5, undefined, undefined), told(ljf(), undefined), told(lxf(), undefined, 3)]).toEqual([
      ['jobs without an estimate come last under sjf, by submission.'],
      ['jobs without an estimate come first under ljf, by submission.'],
      ['jobs without an estimate stay behind all others under lxf.'],
    ])
    expect(told(sjf(), 5, 3)).toEqual([])
  })
})

describe('a discipline that plans by estimates', () => {
  const plans = { easy: easy(), conservative: conservative(), fattened: fattened(), replan: replan() }

  it('says once that it is as good as greedy among jobs that have none', () => {
    for (const [name, policy] of Object.entries(plans))
      expect(toldBy(policy, [undefined, 5, undefined])).toEqual([
        `jobs without an estimate have no end in the plans of ${name}: where one of them runs, who waits for it has no reservation, and whatever fits passes.`,
      ])
  })

  it('says nothing where all have one, and neither does one without plans', () => {
    expect([...Object.values(plans).map((policy) => toldBy(policy, [5, 0, 3])), toldBy(strict(), [undefined, undefined])]).toEqual([[], [], [], [], []])
  })
})
