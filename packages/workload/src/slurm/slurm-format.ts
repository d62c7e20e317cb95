import type { JobSpec } from '@sched/core'
import { BadLine, type TraceFormat } from '../trace/format.js'
import { ruleLine } from '../trace/facts.js'
import { machineOf } from '../rigid/machine.js'
import { slurmOptions, slurmResources, slurmSizes } from './options.js'
import { SlurmJobs, type SlurmRecord, type SlurmTable } from './records.js'
import { readSlurm } from './whole.js'

/** A trace format for a table of Slurm's records. Times count from the first submission. */
export function slurmFormat({ reader, sizes = () => ({}), ...table }: SlurmTable): TraceFormat<typeof slurmOptions> {
  return {
    ...table,
    options: slurmOptions,

    facts(options, head) {
      const machine = machineOf(slurmResources(options), slurmSizes(options, sizes(head)), options.tasks)
      return machine === undefined ? {} : { machine }
    },

    readWhole: (bytes, options, reading) => readSlurm({ name: table.name, reader, sizes }, bytes, options, reading),

    parser(options, place) {
      const lines = reader(place)
      const jobs = new SlurmJobs(options)
      let first = NaN
      let latest = -Infinity
      let waiting: JobSpec[] = []
      const take = (record: SlurmRecord | 'step') => {
        const job = jobs.job(record)
        if (job === undefined) return
        if (job.submit < latest)
          throw new BadLine('submit', 'submitted before the job above it.', 'Hold the table in memory (stream: false), where it is sorted, or sort its lines by submit time')
        if (Number.isNaN(first)) first = job.submit
        latest = job.submit
        waiting.push({ ...job, submit: job.submit - first })
      }
      return {
        line(bytes, from, to) {
          waiting = []
          lines.line(bytes, from, to, take)
          waiting.reverse()
          return waiting.pop()
        },
        end: () => lines.end?.(),
        more: () => waiting.pop(),
        report() {
          const rules = [...jobs.rules(), ...(lines.rules?.() ?? [])]
          return { rules, notes: rules.map(ruleLine) }
        },
      }
    },
  }
}
