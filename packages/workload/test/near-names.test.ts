import { describe, expect, it } from 'vitest'
import { detectFormatOf, parseTrace } from '../src/index.js'
import { guess, guessMapping } from '../src/job-table/guess.js'
import { bytesOf, messageOf } from './reading.js'

describe('columns of names that are near to known ones', () => {
  it.each([
    ['job,submitted_at,run_time,ncpus,team', '{ columns: { submit: submitted_at, duration: run_time, id: job, queue: team }, demands: { cpu: ncpus } }'],
    ['name,enqueue_ts,wallclock_secs,n_cores,gpu_req,owner', '{ columns: { submit: enqueue_ts, duration: wallclock_secs, id: name, user: owner }, demands: { cpu: n_cores, gpu: gpu_req } }'],
    ['job_identifier,time_submitted,time_started,time_completed,cpu_count,memory_gb,user_name', '{ columns: { submit: time_submitted, start: time_started, end: time_completed, id: job_identifier, user: user_name }, demands: { cpu: cpu_count, mem: memory_gb } }'],
    ['jobUuid,submittedAt,startedAt,completedAt,timeLimitMinutes,numReplicas', '{ columns: { submit: submittedAt, start: startedAt, end: completedAt, id: jobUuid, tasks: numReplicas, estimate: timeLimitMinutes }, defaults: { demand: { cpu: 1 } } }'],
    ['id;submission time;exec secs;cpu used;cpus asked', '{ columns: { submit: "submission time", duration: "exec secs", id: id }, demands: { cpu: "cpus asked" } }'],
  ])('%s are suggested', (header, mapping) => {
    expect(guessMapping(`${header}\n`)).toBe(mapping)
  })

  it('are told with what they lack where they do not tell times', () => {
    expect(messageOf(() => detectFormatOf(bytesOf('job,run_time,ncpus,owner\n1,30,2,a\n'), 't.csv'))).toBe(
      '"t.csv": looks like a table of 4 comma-separated columns, which is no trace format known here. Any table of jobs is read with a mapping of its columns (`--mapping FILE`, options of the format job-table). It may be { columns: { duration: run_time, id: job, user: owner } }, with a column for submit (when a job was submitted).')
    expect(guess('job,submitted_at,ncpus\n').lacks).toBe('duration (or start and end)')
  })

  it.each(['{"job":1,"run time":2,"owner":3}', 'city,people,area', 'It was submitted by the owner of the job, who left', '1,2,3,4'])('are none in %j', (text) => {
    expect(guess(`${text}\n`)).toEqual({})
  })

  it('are suggested for what jobs ask, where the rest is known', () => {
    expect(messageOf(() => parseTrace(bytesOf('id,submit,duration,ncpus,ram\n1,5,10,2,4\n'), { file: 't.csv' }))).toBe(
      'job-table.demands: nothing says what a job asks for. It may be `demands: { cpu: ncpus, mem: ram }`, or `defaults: { demand: { cpu: 1 } }`.')
  })
})
