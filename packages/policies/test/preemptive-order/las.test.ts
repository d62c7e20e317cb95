import { las, type LasOptions } from '@sched/policies'
import { instantCluster, job, run, type JobChange, type RunOptions } from '@sched/testkit'
import { describe, expect, it } from 'vitest'

/** On one node of 4 GPUs, where preempted tasks go on where they were. */
const played = (jobs: readonly JobChange[], options: LasOptions = {}, change: Partial<RunOptions> = { checkpoint: { whenPreempted: true } }) =>
  run({ cluster: instantCluster({ nodes: [{ count: 1, resources: { gpu: 4 } }] }), jobs: jobs.map((each) => job(each)), policy: las(options), ...change }).recorder
type Recorder = ReturnType<typeof played>
const gpus = (id: string, amount: number, duration: number, change: JobChange = {}): JobChange => ({ id, demand: { gpu: amount }, duration, ...change })
const piecesOf = ({ ends }: Recorder) => ends.toSorted((a, b) => a.started - b.started || a.stopped - b.stopped || (a.job < b.job ? -1 : 1)).map(({ job: id, started, stopped }) => `${id} ${started}-${stopped}`)

describe('least attained service', () => {
  it('lets a job that comes preempt one that has reached the threshold, and not before', () => {
    // a leaves the first queue at 10. What comes at 12 takes its place at once; what comes at 5 waits until 10
    expect(piecesOf(played([gpus('a', 4, 30), gpus('b', 4, 5, { submit: 12 })], { queues: [10] }))).toEqual(['a 0-12', 'b 12-17', 'a 17-35'])
    expect(piecesOf(played([gpus('a', 4, 30), gpus('b', 4, 5, { submit: 5 })], { queues: [10] }))).toEqual(['a 0-10', 'b 10-15', 'a 15-35'])
  })

  it('counts the amount of a resource times seconds, where one is named', () => {
    // a has 4 GPUs: 40 GPU seconds at 10 s. b has had 2 x 20 at 32 s, when it comes into the second queue behind a, which waits there
    const jobs = [gpus('a', 4, 30), gpus('b', 2, 30, { submit: 12 })]
    expect(piecesOf(played(jobs, { queues: [40], resource: 'gpu' }))).toEqual(['a 0-12', 'b 12-32', 'a 32-50', 'b 50-60'])
    expect(piecesOf(played([gpus('a', 2, 30), gpus('c', 2, 50), gpus('b', 4, 5, { submit: 12 })], { queues: [40], resource: 'gpu' }))).toEqual(['a 0-20', 'c 0-20', 'b 20-25', 'a 25-35', 'c 25-55'])
  })

  it('puts a job that comes into a queue behind those that wait there, and then lets it run to its end or the next threshold (dlas_sim_jobs)', () => {
    // at 10 b has the place of a, at 20 c that of b, and at 30 a that of c, since all have had 10: then a, b and c, each to its end.
    // With another threshold at 15 all of them leave the second queue, too: a at 35, b at 40, c at 45, and end in that order
    const jobs = [gpus('a', 4, 20), gpus('b', 4, 20), gpus('c', 4, 20)]
    expect(piecesOf(played(jobs, { queues: [10] }))).toEqual(['a 0-10', 'b 10-20', 'c 20-30', 'a 30-40', 'b 40-50', 'c 50-60'])
    expect(piecesOf(played(jobs, { queues: [10, 15] }))).toEqual(['a 0-10', 'b 10-20', 'c 20-30', 'a 30-35', 'b 35-40', 'c 40-45', 'a 45-50', 'b 50-55', 'c 55-60'])
    // where nobody waits in the queue it runs on, and those that come into it later are behind it
    expect(piecesOf(played([gpus('a', 4, 30), gpus('b', 4, 20, { submit: 15 })], { queues: [10, 25] }))).toEqual(['a 0-15', 'b 15-25', 'a 25-35', 'b 35-45', 'a 45-50'])
  })

  it('puts who is preempted before those that waited in its queue before, and who started earlier before who started later (dlas_sim_jobs)', () => {
    // a and b are in the second queue when c takes 2 GPUs at 12, those of b; d takes those of a at 14. At 17 there is room again: a, which goes before b, has it
    const jobs = [gpus('a', 2, 20), gpus('b', 2, 20), gpus('c', 2, 5, { submit: 12 }), gpus('d', 2, 9, { submit: 14 })]
    expect(piecesOf(played(jobs, { queues: [10] }))).toEqual(['b 0-12', 'a 0-14', 'c 12-17', 'd 14-23', 'a 17-23', 'b 23-31'])
  })

  it('has a job return to the first queue when it has waited so many times as long as it ran', () => {
    // a leaves the first queue at 10 and waits for the others until 40. With 1 it returns at 20, behind b, which comes then, and before c. With 0.5 it returns at 15, before b
    const jobs = [gpus('a', 4, 40), ...['x', 'b', 'c'].map((id, i) => gpus(id, 4, 10, { submit: 10 + 10 * i }))]
    expect(piecesOf(played(jobs, { queues: [10] }))).toEqual(['a 0-10', 'x 10-20', 'b 20-30', 'c 30-40', 'a 40-70'])
    expect(piecesOf(played(jobs, { queues: [10], promote: 1 }))).toEqual(['a 0-10', 'x 10-20', 'b 20-30', 'a 30-40', 'c 40-50', 'a 50-70'])
    expect(piecesOf(played(jobs, { queues: [10], promote: 0.5 }))).toEqual(['a 0-10', 'x 10-20', 'a 20-30', 'b 30-40', 'c 40-50', 'a 50-70'])
    expect(piecesOf(played(jobs, { queues: [10], promote: 3 }))).toEqual(['a 0-10', 'x 10-20', 'b 20-30', 'c 30-40', 'a 40-70'])
  })

  it('knows since when a job is in its queue, also where it has passed several unseen', () => {
    // nobody waits until 9: a is in the last queue since 8.5, b since 8.25, so a is behind b and goes
    const change = { checkpoint: { whenPreempted: true }, cluster: instantCluster({ nodes: [{ count: 1, resources: { gpu: 8 } }] }) }
    const jobs = [gpus('a', 2, 10), gpus('b', 4, 6, { submit: 4 }), gpus('c', 1, 4, { submit: 6 }), gpus('d', 2, 1, { submit: 9 })]
    expect(piecesOf(played(jobs, { queues: [1, 13, 17], resource: 'gpu' }, change))).toEqual(['a 0-9', 'b 4-10', 'c 6-10', 'd 9-10', 'a 10-11'])
  })

  it('counts what was lost as service, where tasks start anew', () => {
    // a has had 10 of its 12 s when b takes its place, and starts anew at 20 in the second queue, where c, which has had less, is before it
    const jobs = [gpus('a', 4, 12), gpus('b', 4, 8, { submit: 10 }), gpus('c', 4, 5, { submit: 21 })]
    expect(piecesOf(played(jobs, { queues: [10] }, {}))).toEqual(['a 0-10', 'b 10-18', 'a 18-21', 'c 21-26', 'a 26-38'])
  })

  it('puts a job with several tasks by all that it has had of the resource, and by the time in which any ran', () => {
    // two tasks of a run at a time, four in all: 10 s each, and 40 GPU seconds at 20 s; by time it has had 10 at 10 s
    const jobs = [gpus('a', 2, 10, { tasks: 4 }), gpus('b', 4, 5, { submit: 12 })]
    expect(piecesOf(played(jobs, { queues: [10] }))).toEqual(['a 0-10', 'a 0-10', 'a 10-12', 'a 10-12', 'b 12-17', 'a 17-25', 'a 17-25'])
    expect(piecesOf(played(jobs, { queues: [80], resource: 'gpu' }))).toEqual(['a 0-10', 'a 0-10', 'a 10-20', 'a 10-20', 'b 20-25'])
  })

  it('refuses thresholds that do not ascend, and a resource that the cluster does not have', () => {
    expect(() => played([gpus('a', 4, 1)], { queues: [10, 20, 20] })).toThrow('las.queues[2]: 20 comes after 20. Thresholds of queues ascend.')
    expect(() => played([gpus('a', 4, 1)], { resource: 'gpus' })).toThrow('las.resource: the cluster has no resource "gpus". Did you mean "gpu"?')
    expect(() => las({ queues: [] })).toThrow('las.queues')
  })
})
