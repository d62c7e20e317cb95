import { randomStream } from '@sched/core'
import { fairshareFactor, FairshareTree, greedy, pbsSort, placesByUse, PythonFormula, readResourceGroup, treeUsage, type PbsSortOptions } from '@sched/policies'
import { instantCluster, job, run } from '@sched/testkit'
import { describe, expect, it } from 'vitest'
import { formulas, sortedCycles, type SortWorld } from './reference/pbs-sort.js'

// Tests of OpenPBS, named at each: TestFairshare (pbs_fairshare.py), TestJobSortFormula, the smoke tests.

const group = ['group1 10 root 40', 'group2 20 root 60', 'ann 11 group1 50', 'bob 12 group1 50', 'cyd 21 group2 60', 'dan 22 group2 40'].join('\n')
const usage = { ann: 100, bob: 100, dan: 1000 }
const refused = (line: number, fact: string) => Object.assign(new Error(`${line}: ${fact}`)) as never

/** The order in which jobs start, one after the other, that wait while another one runs on the only processor. */
function startOrder(jobs: Readonly<Record<string, Parameters<typeof job>[0]>>, options: PbsSortOptions, cpus = 1) {
  const { recorder } = run({
    cluster: instantCluster({ nodes: [{ count: 1, resources: { cpu: cpus } }] }),
    jobs: [job({ id: 'first', submit: 0, user: 'nobody', demand: { cpu: cpus }, duration: 1, estimate: 1 }), ...Object.entries(jobs).map(([id, more]) => job({ id, submit: 0.5, demand: { cpu: 1 }, duration: 1, estimate: 1, ...more }))],
    policy: greedy(pbsSort({ unknown_shares: 1, ...options })),
  })
  return recorder.ends.map(({ job: id, started }) => ({ id, started })).filter(({ id }) => id !== 'first').sort((a, b) => a.started - b.started).map(({ id }) => id)
}

describe('fair share of OpenPBS', () => {
  const tree = new FairshareTree(readResourceGroup(group, refused), 0)
  const use = new Float64Array(tree.size).fill(1)
  for (const [name, amount] of Object.entries(usage)) {
    const id = tree.entity(name)
    for (let at = tree.parent[id] as number; at >= 0; at = tree.parent[at] as number) use[at] = (use[at] as number) + amount
    use[id] = amount
  }
  const of = (column: ArrayLike<number>) => ['ann', 'bob', 'cyd', 'dan'].map((name) => column[tree.entity(name)] as number)

  it('has the parts, the tree usage and the factors of test_fairshare_formula to test_fairshare_formula4', () => {
    expect(of(tree.ofTree).map((part) => part.toFixed(2))).toEqual(['0.20', '0.20', '0.36', '0.24'])
    expect(of(treeUsage(tree, use)).map((part) => part.toFixed(4))).toEqual(['0.1253', '0.1253', '0.5004', '0.8330'])
    const factors = of(treeUsage(tree, use)).map((usage, i) => fairshareFactor(of(tree.ofTree)[i] as number, usage).toFixed(4))
    expect(factors).toEqual(['0.6477', '0.6477', '0.3816', '0.0902'])
  })

  it('compares use over shares level by level: who has used less in a group that has used more comes later', () => {
    // group1 201 / 0.4 = 502.5, group2 1001 / 0.6 = 1668.3; there cyd 1 / 0.36, dan 1000 / 0.24
    expect(of(placesByUse(tree, use)).map((place) => place - (placesByUse(tree, use)[tree.entity('ann')] as number))).toEqual([0, 0, 2, 3])
  })

  it.each<[string, string]>([['test_fairshare_formula3', 'pow(2,-(fairshare_tree_usage/fairshare_perc))'], ['test_fairshare_formula4', 'fairshare_factor']])('starts jobs in the order of %s', (_, formula) => {
    const jobs = { j1: { user: 'cyd' }, j2: { user: 'dan' }, j3: { user: 'ann' }, j4: { user: 'bob' } }
    expect(startOrder(jobs, { resource_group: group, usage, job_sort_formula: formula })).toEqual(['j3', 'j4', 'j1', 'j2'])
    expect(startOrder(jobs, { resource_group: group, usage, job_sort_formula: formula, fair_share: true })).toEqual(['j3', 'j4', 'j1', 'j2']) // test_fairshare_formula5
  })

  it('adds what else is in the formula (test_fairshare_formula6)', () => {
    // 60.3816, 30.0902, 40.6477, 30.6477
    const jobs = { j1: { user: 'cyd', estimate: 60 }, j2: { user: 'dan', demand: { cpu: 2 }, estimate: 60 }, j3: { user: 'ann', demand: { cpu: 3 }, estimate: 120 }, j4: { user: 'bob', demand: { cpu: 4 }, estimate: 120 } }
    const { recorder } = run({
      cluster: instantCluster({ nodes: [{ count: 1, resources: { cpu: 10 } }] }), jobs: Object.entries(jobs).map(([id, each]) => job({ id, submit: 0, duration: 1, demand: { cpu: 1 }, ...each })),
      policy: greedy(pbsSort({ resource_group: group, usage, job_sort_formula: 'fairshare_factor + (walltime/ncpus)' })),
    })
    expect(recorder.launches.map(({ job: id }) => id)).toEqual(['j1', 'j3', 'j4', 'j2'])
  })

  it('counts what a user, an account or a queue uses, as fairshare_entity says', () => {
    // ann of physics in short runs from 1 to 9; what is used until 2.5, the last cycle, is counted
    const jobs = { ran: { user: 'ann', account: 'physics', queue: 'short', duration: 8 }, u: { user: 'ann', account: 'biology', queue: 'long', submit: 2 }, a: { user: 'bob', account: 'physics', queue: 'other', submit: 2.25 }, q: { user: 'cyd', account: 'law', queue: 'short', submit: 2.5 } }
    const last = (entity: PbsSortOptions['fairshare_entity']) => startOrder(jobs, { fair_share: true, fairshare_entity: entity, fairshare_usage_res: 'walltime' }).at(-1)
    expect([last('euser'), last('egroup'), last('Account_Name'), last('queue'), last('egroup:euser')]).toEqual(['u', 'a', 'a', 'q', 'q']) // ann of biology has used nothing herself
  })

  it('lets those come first who have used nothing (test_pbsfs, and test_fairshare of the smoke tests)', () => {
    const two = 'ann 11 root 10\nbob 12 root 10'
    expect(startOrder({ j1: { user: 'ann' }, j2: { user: 'bob' } }, { resource_group: two, fair_share: true, usage: { ann: 100 } })).toEqual(['j2', 'j1'])
    expect(startOrder({ j3: { user: 'ann' }, j4: { user: 'bob' } }, { resource_group: two, fair_share: true, usage: { bob: 50 } })).toEqual(['j3', 'j4'])
    const ten = Object.fromEntries(Array.from({ length: 6 }, (_, i) => [`a${i}`, { user: 'ann' }]))
    const [first] = startOrder({ ...ten, last: { user: 'bob', submit: 2.5 } }, { fair_share: true, unknown_shares: 10, fairshare_usage_res: 'ncpus*walltime' }).slice(2)
    expect(first).toBe('last')
  })

  it('refuses jobs without any shares under fairshare_enforce_no_shares alone', () => {
    const refusals = (options: PbsSortOptions) => {
      const why: string[] = []
      run({ cluster: instantCluster({ nodes: [{ count: 1, resources: { cpu: 1 } }] }), jobs: [job({ id: 'j', user: 'eve', duration: 1, demand: { cpu: 1 } })], policy: greedy(pbsSort(options)), observers: [{ onReject: (_job, reason) => void why.push(reason) }] })
      return why
    }
    const reason = '"eve" has no shares (fairshare_enforce_no_shares)'
    expect(refusals({ fair_share: true })).toEqual([reason])
    expect(refusals({ fair_share: true, resource_group: 'g 1 root 0\neve 2 g 5' })).toEqual([reason])
    for (const options of [{ fair_share: true, unknown_shares: 1 }, { fair_share: true, fairshare_enforce_no_shares: false }, {}, { fair_share: true, resource_group: 'eve 1 root 1' }]) expect(refusals(options)).toEqual([])
  })

  it.each<[string, string, string]>([
    ['a line that is none', 'ann 1 root', 'line 1: found "ann 1 root", expected a name, a number, a group and shares. Write for example ann 60 physics 40.'],
    ['somebody again', '# people\nann 1 root 2\nann 2 root 3', 'line 3: "ann" is there before. Name everybody once.'],
    ['a group that comes later', 'ann 1 g 2\ng 2 root 3', 'line 1: "ann" is in the group "g", which no line before it names. Put the group before it, or write root.'],
  ])('refuses %s in resource_group', (_, text, expected) => {
    expect(() => startOrder({}, { resource_group: text, fair_share: true })).toThrow(expected)
  })
})

describe('pbs-sort', () => {
  it('sorts negative values, too (test_job_sort_formula_negative_value)', () => {
    expect(startOrder({ j1: { licenses: { foo: 2 } }, j2: { licenses: { foo: 1 } } }, { job_sort_formula: '-foo', resources: ['foo'] })).toEqual(['j2', 'j1'])
  })

  it('goes on to the next key where the first one leaves jobs alike, and to submission at last', () => {
    const jobs = { a: { estimate: 5, priority: 1 }, b: { estimate: 9, priority: 2 }, c: { estimate: 9, priority: 3 }, d: { estimate: 9, priority: 3 } }
    expect(startOrder(jobs, { job_sort_key: ['walltime HIGH', 'job_priority LOW'] })).toEqual(['b', 'c', 'd', 'a'])
    expect(startOrder(jobs, { job_sort_key: ['walltime LOW', 'job_priority HIGH'] })).toEqual(['a', 'c', 'd', 'b'])
    expect(startOrder({ x: { user: 'cyd' }, y: { user: 'ann' }, z: { user: 'dan' } }, { job_sort_key: ['fair_share_perc LOW'], resource_group: group })).toEqual(['y', 'z', 'x'])
    expect(startOrder(jobs, {})).toEqual(['a', 'b', 'c', 'd'])
  })

  it.each<[string, PbsSortOptions]>([['a key', { job_sort_key: ['ncpus LOW'] }], ['the formula', { job_sort_formula: '-ncpus' }]])('goes by what a job asks for next, of several stages: by %s', (_, options) => {
    // 8 processors: wide takes one, and asks for 6 then, behind the 3 of other
    const { recorder } = run({
      cluster: instantCluster({ nodes: [{ count: 1, resources: { cpu: 8 } }] }), policy: greedy(pbsSort(options)),
      jobs: [job({ id: 'other', submit: 0, duration: 1, demand: { cpu: 3 } }), { id: 'wide', submit: 0, stages: [1, 6].map((cpu) => ({ name: `of ${cpu}`, tasks: 1, duration: 1, demand: { cpu }, after: [] })) }],
    })
    expect(recorder.launches.map(({ job: id, time }) => [id, time])).toEqual([['wide', 0], ['other', 0], ['wide', 1]])
  })

  it('knows the priorities of queues and jobs, and eligible time where it is enabled', () => {
    const jobs = { a: { queue: 'low', priority: 5 }, b: { queue: 'high', submit: 0.75 } }
    const queues = { high: { Priority: 10 }, low: { Priority: -3 } }
    expect(startOrder(jobs, { job_sort_formula: 'queue_priority + job_priority', queues })).toEqual(['b', 'a'])
    expect(startOrder(jobs, { job_sort_formula: 'queue_priority + 5 * job_priority', queues })).toEqual(['a', 'b'])
    expect(startOrder({ a: { submit: 0.5 }, b: { submit: 0.75 }, c: { submit: 1.75 } }, { job_sort_formula: 'eligible_time + accrue_type', eligible_time_enable: true })).toEqual(['a', 'b', 'c'])
  })

  it('holds jobs whose value is not above the threshold, until it is', () => {
    const { recorder } = run({
      cluster: instantCluster({ nodes: [{ count: 1, resources: { cpu: 4 } }] }), jobs: [job({ id: 'a', submit: 0, duration: 1, demand: { cpu: 1 } }), job({ id: 'b', submit: 0, duration: 1, demand: { cpu: 2 } })],
      policy: greedy(pbsSort({ job_sort_formula: 'eligible_time + 100 * ncpus', job_sort_formula_threshold: 150, eligible_time_enable: true, scheduler_iteration: 20 })),
    })
    expect(Object.fromEntries(recorder.ends.map(({ job: id, started }) => [id, started]))).toEqual({ a: 61, b: 0 }) // b ends at 1; in the cycles at 21 and 41 it is 100 + 41, and at 61 more than 150
  })

  it.each<[string, PbsSortOptions, string]>([
    ['a name that stands for nothing (test_formula_keyword)', { job_sort_formula: 'fair_share_factor' }, 'found the name "fair_share_factor". Did you mean "fairshare_factor"?'],
    ['a key of a name that stands for nothing', { job_sort_key: ['fairshare_perc HIGH'] }, 'found the name "fairshare_perc". Did you mean "fair_share_perc"?'],
    ['a direction that is none', { job_sort_key: ['ncpus UP'] }, 'found "ncpus UP". Write for example "ncpus HIGH".'],
    ['a formula that ends too soon', { job_sort_formula: '2 *' }, '"2 *" is no formula: it ends too soon.'],
    ['use that does not grow with time', { fair_share: true, fairshare_usage_res: 'ncpus' }, '"ncpus" does not grow evenly with time.'],
    ['use that grows faster', { fair_share: true, fairshare_usage_res: 'walltime ** 2' }, '"walltime ** 2" does not grow evenly with time.'],
  ])('refuses %s', (_, options, expected) => {
    expect(() => startOrder({}, options)).toThrow(expected)
  })

  const worldOf = (seed: number): SortWorld => {
    const random = randomStream(seed, 'pbs sort')
    const draw = (from: number, to: number) => from + Math.floor(random() * (to - from + 1))
    const oneOf = <T>(list: readonly T[]) => list[draw(0, list.length - 1)] as T
    const deep = random() < 0.7
    const jobs = Array.from({ length: draw(5, 40) }, (_, i) => {
      const walltime = draw(2, 60)
      return { id: `j${i}`, submit: draw(0, 120), user: oneOf(['ann', 'bob', 'cyd', 'dan', 'eve']), ncpus: draw(1, 4), walltime, duration: draw(1, walltime), priority: draw(-1, 1) }
    }).sort((a, b) => a.submit - b.submit)
    const shares = () => draw(random() < 0.1 ? 0 : 1, 4) * 8 // parts that are exact
    return {
      jobs, ncpus: draw(4, 8), fairShare: random() < 0.8, groups: deep ? [['g', 'root', shares()], ['ann', 'g', shares()], ['h', 'g', shares()], ['bob', 'h', shares()], ['cyd', 'root', shares()]] : [['ann', 'root', shares()], ['bob', 'root', shares()]],
      unknownShares: draw(0, 2) * 8, usage: random() < 0.5 ? { ann: draw(0, 200), eve: draw(1, 100) } : {}, counts: oneOf(['cput', 'ncpus*walltime', 'walltime'] as const),
      decayTime: oneOf([7, 30, 50, 86_400]), decayFactor: oneOf([0.5, 0.25]), iteration: oneOf([5, 20, 600]), formula: random() < 0.4 ? oneOf(Object.keys(formulas)) : undefined, threshold: undefined,
      keys: [...(random() < 0.5 ? [[oneOf(['ncpus', 'walltime', 'job_priority'] as const), oneOf(['HIGH', 'LOW'] as const)] as const] : []), ...(random() < 0.3 ? [['ncpus', 'LOW'] as const] : [])],
    }
  }
  const simulated = (world: SortWorld) => {
    const { recorder } = run({
      cluster: instantCluster({ nodes: [{ count: 1, resources: { cpu: world.ncpus } }] }),
      jobs: world.jobs.map(({ ncpus, walltime, ...each }) => job({ ...each, demand: { cpu: ncpus }, estimate: walltime })),
      policy: greedy(pbsSort({
        fair_share: world.fairShare, resource_group: world.groups.map(([name, parent, shares]) => `${name} 1 ${parent} ${shares}`).join('\n'), unknown_shares: world.unknownShares, fairshare_enforce_no_shares: false,
        usage: world.usage, fairshare_usage_res: world.counts, fairshare_decay_time: world.decayTime, fairshare_decay_factor: world.decayFactor, scheduler_iteration: world.iteration, eligible_time_enable: true,
        ...(world.formula !== undefined && { job_sort_formula: world.formula }), ...(world.threshold !== undefined && { job_sort_formula_threshold: world.threshold }), job_sort_key: world.keys.map((key) => key.join(' ')),
      })),
    })
    return Object.fromEntries(recorder.ends.map(({ job: id, started }) => [id, started]))
  }
  const sorted = (starts: Readonly<Record<string, number>>) => Object.entries(starts).sort(([a], [b]) => (a < b ? -1 : 1))

  it('starts jobs when cycles do in which everything is computed anew, and otherwise than by submission', { tags: 'long' }, () => {
    let others = 0
    for (let seed = 0; seed < 600; seed++) {
      const world = worldOf(seed)
      const expected = sorted(sortedCycles(world))
      expect(sorted(simulated(world)), `seed ${seed}`).toEqual(expected)
      const bySubmission = sorted(sortedCycles({ ...world, fairShare: false, formula: undefined, keys: [] }))
      if (JSON.stringify(bySubmission) !== JSON.stringify(expected)) others++
    }
    expect(others).toBeGreaterThan(300)
  })

  it('does so with a threshold, above which jobs come in cycles in which nothing else happens', { tags: 'long' }, () => {
    let held = 0
    for (let seed = 0; seed < 300; seed++) {
      const world = { ...worldOf(seed), formula: '10 * ncpus + eligible_time // 7', threshold: 12 + (seed % 20), iteration: 5 + (seed % 16) }
      const expected = sorted(sortedCycles(world))
      expect(sorted(simulated(world)), `seed ${seed}`).toEqual(expected)
      if (JSON.stringify(sorted(sortedCycles({ ...world, threshold: undefined }))) !== JSON.stringify(expected)) held++
    }
    expect(held).toBeGreaterThan(100)
  })
})

describe('formulas of OpenPBS', () => {
  const value = (text: string, names: Readonly<Record<string, number>> = {}) => {
    const formula = new PythonFormula(text, 'formula')
    return formula.value(formula.names.map((name) => names[name] as number))
  }

  it.each<[string, number]>([
    ['-2 ** 2', -4], ['2 ** 3 ** 2', 512], ['2 ** -1', 0.5], ['7 // 2 + -7 // 2', -1], ['-7 % 3', 2], ['7 % -3', -2], ['1 + 2 * 3', 7], ['(1 + 2) * 3', 9], ['1 if 0 else 5 if 1 else 7', 5], ['1 < 2 < 3', 1], ['1 < 3 < 2', 0],
    ['0 or 4', 4], ['3 and 4', 4], ['not 3', 0], ['round(2.5) + round(3.5)', 6], ['max(1, 2, 3) - min(4, 2)', 1], ['pow(2, 10)', 1024], ['log(8, 2)', 3], ['sqrt(16) + abs(-3)', 7], ['ceil(1.2) + floor(1.8) + trunc(-1.5)', 2], ['True + 1e2', 101], ['5 - 3 - 1', 1], ['8 / 4 / 2', 1],
  ])('%s is %d, as in Python', (text, expected) => {
    expect(value(text)).toBeCloseTo(expected, 12)
  })

  it('are 0 where Python raises an exception, unless nobody looks there', () => {
    for (const text of ['1 / 0', '5 + 1 // 0', 'log(0) * 3', 'sqrt(-1)', '0 ** -1', '1 if 1 % 0 else 2', '1 / 0 > 0 or 3', 'not 1 / 0', 'pow(10, 400)']) expect([text, value(text)]).toEqual([text, 0])
    expect(value('2 if x > 0 else 1 / x', { x: 1 })).toBe(2)
  })

  it.each(['1 2', 'min(1)', 'log(1, 2, 3)', 'sin(1)', '(1', '1 +', '', 'if', 'a if b', 'x.y', '3(4)', 'constructor(2)'])('refuse %j', (text) => {
    expect(() => new PythonFormula(text, 'formula')).toThrow('is no formula')
  })
})
