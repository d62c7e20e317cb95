import type { JobSpec } from '@sched/core'
import { fifo, replan, type ReplanOptions } from '@sched/policies'
import { instantCluster, run } from '@sched/testkit'
import { describe, expect, it } from 'vitest'

// Slurm's own tests of reservations, named at each.

type Reservation = NonNullable<ReplanOptions['reservations']>[number]
const hosts = ['n1', 'n2', 'n3', 'n4']
const cluster = instantCluster({ nodes: hosts.map((host) => ({ name: host, count: 1, resources: { procs: 4, nodes: 1 }, labels: { host } })) })
const HOUR = 3600

/** A job that has a node for itself for an hour, any one or that of a name (`--exclusive -N1`, `-w`). */
const whole = (id: string, reservation: string, host?: string, of: Partial<JobSpec> = {}): JobSpec => ({
  id, submit: 0, user: 'test', estimate: HOUR, reservation, ...of,
  stages: [{ name: 's', tasks: 1, gang: true, demand: { procs: 4 }, duration: HOUR, ...(host !== undefined && { constraints: { require: { host: [host] } } }) }],
})
const reserved = (name: string, nodes: readonly string[], flags: Partial<Reservation> = {}): Reservation => ({ name, from: 0, to: 10 * HOUR, nodes: nodes.map((host) => `${host}-0`), ...flags })

/** The nodes of those that start at once, by job. */
function atOnce(jobs: readonly JobSpec[], reservations: readonly Reservation[]): Record<string, string> {
  const policy = replan(fifo(), { nodes: 'named', select: 'cons_tres', reservations: [...reservations] })
  const { launches } = run({ cluster, jobs, policy }).recorder
  return Object.fromEntries(launches.filter(({ time }) => time === 0).map(({ job, node }) => [job, node.slice(0, 2)]))
}

describe('nodes of other reservations (test_123_14)', () => {
  const flex = { flex: true }
  const overlap = { overlap: true }
  const both = { ...flex, ...overlap }

  it('are not for those that may leave their own and share none with them (test_overlap_flex_does_not_steal_non_overlapping)', () => {
    const jobs = ['a', 'b', 'c', 'd'].map((id) => whole(id, 'res1'))
    expect(atOnce(jobs, [reserved('res1', ['n1', 'n2'], both), reserved('res2', ['n3'], flex)])).toEqual({ a: 'n1', b: 'n2', c: 'n4' })
  })

  it('are for them where they are their own, too, whichever of the others these are (test_pure_overlap_preserves_shared_node_access)', () => {
    const jobs = ['a', 'b', 'c', 'd'].map((id) => whole(id, 'res1'))
    expect(Object.values(atOnce(jobs, [reserved('res1', hosts, overlap), reserved('res2', ['n2'])])).sort()).toEqual(hosts)
  })

  const maint = { maint: true }
  it.each<[string, readonly string[], Partial<Reservation>, readonly string[], Partial<Reservation>, string, boolean]>([
    ['test_flex_does_not_steal_full_node', ['n1'], flex, ['n2'], {}, 'n2', false],
    ['test_overlap_flex_preserves_shared_node_access', ['n1', 'n2'], both, ['n2'], {}, 'n2', true],
    ['test_overlap_flex_partially_overlapping_res2: of the other alone', ['n1', 'n2'], both, ['n2', 'n3'], {}, 'n3', false],
    ['test_overlap_flex_partially_overlapping_res2: of both', ['n1', 'n2'], both, ['n2', 'n3'], {}, 'n2', true],
    ['test_flex_without_overlap_loses_shared_node', ['n1', 'n2'], flex, ['n2'], overlap, 'n2', false],
    ['test_overlap_does_not_steal_from_maint_resv', ['n1', 'n2'], overlap, ['n2'], maint, 'n2', false],
    ['test_overlap_does_not_steal_from_maint_resv, FLEX', ['n1', 'n2'], both, ['n2'], maint, 'n2', false],
    ['test_maint_bypasses_overlap_guard', ['n1', 'n2'], maint, ['n2'], {}, 'n2', true],
  ])('%s', (_, own, flags, others, otherFlags, host, isFree) => {
    expect(atOnce([whole('job', 'res1', host)], [reserved('res1', own, flags), reserved('res2', others, otherFlags)])).toEqual(isFree ? { job: host } : {})
  })
})

describe('who may use a reservation (test_reservation_user of test_123_4, test_reservation_access of test_123_9)', () => {
  it.each<[string, Partial<Reservation>, boolean]>([
    ['user_match1', { users: ['test'] }, true],
    ['user_match2', { users: ['test', 'slurm'] }, true],
    ['user_match3', { users: ['slurm', 'test'] }, true],
    ['no_user_match, test_reservation_user', { users: ['slurm'] }, false],
    ['account_match1', { accounts: ['acct'] }, true],
    ['account_match2', { accounts: ['acct', 'restricted'] }, true],
    ['account_match3', { accounts: ['restricted', 'acct'] }, true],
    ['no_account_match', { accounts: ['restricted'] }, false],
    ['deny_user1', { users: ['-test'] }, false],
    ['deny_user2', { users: ['-test', '-slurm'] }, false],
    ['deny_user3', { users: ['-slurm'] }, true],
    ['acct_match_deny_user', { accounts: ['acct'], users: ['-test'] }, false],
    ['deny_acct', { accounts: ['-acct'] }, false],
    ['user_match_deny_acct', { users: ['test'], accounts: ['-acct'] }, false],
    ['test_show_matches_submit, of another account', { users: ['test'], accounts: ['-other'] }, true],
  ])('%s', (_, access, may) => {
    expect(atOnce([whole('job', 'r', undefined, { account: 'acct' })], [reserved('r', ['n3'], access)])).toEqual(may ? { job: 'n3' } : {})
  })
})
