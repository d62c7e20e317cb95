import { describe, expect, it } from 'vitest'
import { jobsOf, parseTrace } from '../src/index.js'
import { bytesOf, messageOf } from './reading.js'

interface Given {
  readonly nb_res?: number
  readonly jobs?: readonly object[]
  readonly profiles?: object
}
const text = (given: Given) => JSON.stringify({ description: 'made for this test', nb_res: 8, ...given }, undefined, 2)
const read = (given: Given, options: object = {}) => parseTrace(bytesOf(text(given)), { file: 'w.json', options })
const nap = { type: 'delay', delay: 12.5 }
const job = (more: object = {}) => ({ id: 'a', subtime: 0, res: 2, profile: 'p', walltime: 100, ...more })
/** Run time of the profile p on `res` hosts of 1 Mflop/s. */
const runtime = (profiles: object, res = 2) => [...jobsOf(read({ jobs: [job({ res })], profiles }, { speed: 1e6 }))][0]!.stages[0]!.duration

describe('a workload of Batsim', () => {
  it('holds rigid jobs for a machine of nb_res hosts, in order of submission, at its own times', () => {
    const trace = read({ jobs: [job({ id: 7, subtime: 30.5, walltime: -1, user_id: 3 }), job({ id: 'x', subtime: 4 })], profiles: { p: nap } })
    expect([...jobsOf(trace)]).toEqual([
      { id: 'x', submit: 4, estimate: 100, stages: [{ name: 'job', tasks: 1, demand: { procs: 2 }, duration: 12.5 }] },
      { id: '7', submit: 30.5, user: '3', estimate: 12.5, stages: [{ name: 'job', tasks: 1, demand: { procs: 2 }, duration: 12.5 }] },
    ])
    expect([trace.format, trace.machine?.resources, trace.report.rules?.map(({ rule }) => rule)]).toEqual(['batsim', { procs: 8 }, ['missingEstimate', 'sorted']])
    expect([...jobsOf(read({ jobs: [job()], profiles: { p: nap } }, { tasks: 'each' }))][0]!.stages).toEqual([{ name: 'job', tasks: 2, gang: true, demand: { procs: 1 }, duration: 12.5 }])
  })

  it.each<[string, object, number]>([
    ['computes the same on each host', { p: { type: 'parallel_homogeneous', cpu: 5e6, com: 1e9 } }, 5],
    ['computes a total on all hosts', { p: { type: 'parallel_homogeneous_total', cpu: 5e6, com: 0 } }, 2.5],
    ['computes a total by its strategy', { p: { type: 'ParallelTaskHomogeneousProfile', cpu: 5e6, generation_strategy: 'DefinedAmountsSpreadUniformly' } }, 2.5],
    ['computes a total by its strategy, in names of the versions between 4 and 5', { p: { type: 'sequential_composition', seq: ['q'] }, q: { type: 'ptask_homogeneous', cpu: 5e6, generation_strategy: 'defined_amount_spread_uniformly' } }, 2.5],
    ['computes as long as its slowest host, likewise', { p: { type: 'ptask', cpu: [1e6, 3e6], com: [0, 5, 5, 0] } }, 3],
    ['stores, likewise', { p: { type: 'ptask_on_storage_homogeneous', bytes_to_read: 5 } }, 0],
    ['computes as long as its slowest host', { p: { type: 'parallel', cpu: [1e6, 3e6], com: [0, 5, 5, 0] } }, 3],
    ['is a sequence of others, repeated', { p: { type: 'composed', repeat: 3, seq: ['q', 'r', 'q'] }, q: nap, r: { type: 'msg_par_hg', cpu: 2e6, com: 0 } }, 81], // 3 x (12.5 + 2 + 12.5)
    ['only sends', { p: { type: 'data_staging', nb_bytes: 1e9, from: 'x', to: 'y' } }, 0],
  ])('has a profile that %s', (_, profiles, expected) => {
    expect(runtime(profiles)).toBe(expected)
  })

  it('has computations at the speed that a platform file gives', () => {
    const given = { jobs: [job()], profiles: { p: { type: 'parallel_homogeneous', cpu: 3e9, com: 0 } } }
    expect([...jobsOf(read(given, { speed: '1.5Gf' }))][0]!.stages[0]!.duration).toBe(2)
    expect(messageOf(() => read(given))).toBe('batsim.speed: profile "p" computes 3000000000 flop, and nothing says how fast a host is. Give the speed of a host as in the platform file: speed=1Gf.')
  })

  it('has jobs killed at their walltime; what is not simulated is counted', () => {
    const jobs = [job({ walltime: 5 }), job({ id: 'b', profile: 'c', dependencies: ['a'] }), job({ id: 'd', profile: 's' })]
    const trace = read({ jobs, profiles: { p: nap, c: { type: 'msg_par_hg', cpu: 1, com: 1 }, s: { type: 'smpi', trace: 't.txt' } } }, { speed: 1 })
    expect([...jobsOf(trace)].map(({ id, stages, recorded }) => [id, stages[0]!.duration, recorded])).toEqual([['a', 5, { runtime: 12.5 }], ['b', 1, undefined]])
    expect(trace.report.rules?.map(({ rule, jobs: count }) => [rule, count])).toEqual([['data', 1], ['dependencies', 1], ['unknownRuntime', 1], ['overrun', 1]])
  })

  it.each<[string, Given, string]>([
    ['a job without hosts to ask for', { jobs: [{ id: 1, subtime: 0, profile: 'p' }], profiles: { p: nap } }, 'jobs[0].res: is missing.'],
    ['a job without a profile', { jobs: [job(), job({ id: 'b', profile: 'q' })], profiles: { p: nap } }, 'profiles.q: is missing, and a job has this profile.'],
    ['a profile that holds itself', { jobs: [job()], profiles: { p: { type: 'composed', seq: ['p'] } } }, 'profiles.p: is a sequence that contains itself.'],
    ['a delay that is no number', { jobs: [job()], profiles: { p: { type: 'delay', delay: 'long' } } }, 'profiles.p.delay: found "long", expected a number of at least 0.'],
    ['a job wider than the machine', { jobs: [job({ res: 9 })], profiles: { p: nap } }, 'the job asks for 9 procs, the machine has 8 (nb_res of the workload).'],
    ['two jobs of one id', { jobs: [job(), job()], profiles: { p: nap } }, 'job id "a" was used before'],
    ['no jobs', { jobs: [], profiles: { p: nap } }, 'jobs: is missing or empty.'],
    ['no profiles', { jobs: [job()] }, 'profiles: is missing or empty.'],
  ])('answers %s', (_, given, message) => {
    expect(messageOf(() => read(given))).toContain(message)
  })

  it('of no size is read where the size is given', () => {
    const whole = JSON.stringify({ jobs: [job()], profiles: { p: nap } })
    const open = (options: object) => parseTrace(bytesOf(whole), { file: 'w.json', options })
    expect(messageOf(() => open({}))).toContain('nb_res: is missing. Give the number of hosts with procs')
    expect(open({ procs: 4 }).machine).toEqual({ procs: 4, resources: { procs: 4 }, origin: '4 procs: option procs' })
  })
})
