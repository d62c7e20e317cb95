import type { JobSpec } from '@sched/core'
import { instant } from '../slurm/times.js'
import { documentParser, type DocumentJobs } from '../yarn/document-format.js'
import type { Fields } from '../json/fields.js'
import type { RuleCount } from '../trace/facts.js'
import type { TraceFormat } from '../trace/format.js'
import { gpuStage, phillyOptions, type PhillyOptions } from './options.js'

/**
 * The job log of Microsoft's Philly clusters (`cluster_job_log`): a list of JSON objects with the attempts of each job and the GPUs of each attempt.
 * A job asks for the GPUs of its last attempt and runs as long as all its attempts together, without the pauses between them. Jobs that never ran, or of
 * which nobody knows when they were submitted, are left out; attempts without an end, or with an end before the start, do not count.
 *
 * Source: Jeon et al., "Analysis of Large-Scale Multi-Tenant GPU Clusters for DNN Training Workloads", USENIX ATC 2019.
 */
export const phillyFormat: TraceFormat<typeof phillyOptions> = {
  name: 'philly',
  summary: 'job log of Microsoft\'s Philly clusters (JSON)',
  source: 'Jeon et al., USENIX ATC 2019',
  options: phillyOptions,
  isHeld: true,
  detect: (head) => /^[\s[]*\{/.test(head) && /"submitted_time"\s*:/.test(head) && /"(attempts|vc|jobid)"\s*:/.test(head),
  create: (options, place) => documentParser(new PhillyJobs(options), place, { perSecond: 1 }),
}

class PhillyJobs implements DocumentJobs {
  #unknownSubmit = 0
  #neverRan = 0
  #open = 0
  #backwards = 0

  constructor(private readonly options: PhillyOptions) {}

  jobs(document: Fields): JobSpec[] {
    const id = document.text('jobid')
    if (id === undefined) throw document.bad('jobid', 'is missing.')
    const submit = timeOf(document, 'submitted_time')
    if (submit === undefined) {
      this.#unknownSubmit++
      return []
    }
    const attempts = document.list('attempts').flatMap((attempt) => this.#attempt(attempt))
    const [first, last] = [attempts[0], attempts.at(-1)]
    if (first === undefined || last === undefined) {
      this.#neverRan++
      return []
    }
    const [user, vc, status] = [document.text('user'), document.text('vc'), document.text('status')]
    const wait = first.start - submit
    return [{
      id,
      submit,
      ...(user !== undefined && { user }),
      ...(vc !== undefined && { queue: vc }),
      recorded: { ...(wait >= 0 && { wait }), ...(status !== undefined && { status: status.toLowerCase() }) },
      stages: [gpuStage(last.gpus, attempts.reduce((sum, { seconds }) => sum + seconds, 0), this.options)],
    }]
  }

  rules(): RuleCount[] {
    return [
      { rule: 'submit', jobs: this.#unknownSubmit, text: 'without submit time: left out' },
      { rule: 'neverRan', jobs: this.#neverRan, text: 'without an attempt that had GPUs, a start and an end: left out' },
      { rule: 'openAttempt', jobs: this.#open, text: 'attempts without start, end or GPUs: not counted' },
      { rule: 'backwards', jobs: this.#backwards, text: 'attempts with an end before the start: not counted' },
    ]
  }

  #attempt(attempt: Fields): { readonly start: number; readonly seconds: number; readonly gpus: number }[] {
    const [start, end] = [timeOf(attempt, 'start_time'), timeOf(attempt, 'end_time')]
    const gpus = attempt.list('detail').reduce((sum, machine) => sum + machine.size('gpus'), 0)
    if (start === undefined || end === undefined || gpus === 0) {
      this.#open++
      return []
    }
    if (end < start) {
      this.#backwards++
      return []
    }
    return [{ start, seconds: end - start, gpus }]
  }
}

/** Seconds since 1970; `undefined` if unknown, which the log writes as `None`. */
function timeOf(fields: Fields, key: string): number | undefined {
  const text = fields.text(key)
  if (text === undefined) return undefined
  const time = instant(text.replace(/ (PST|PDT|UTC)$/, ''))
  if (time === undefined) throw fields.bad(key, `found ${JSON.stringify(text)}, expected a time such as 2017-10-09 06:13:03.`)
  return Number.isNaN(time) ? undefined : time
}
