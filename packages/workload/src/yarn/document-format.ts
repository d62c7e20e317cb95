import type { JobSpec } from '@sched/core'
import { HeldJobs } from '../table/held-jobs.js'
import { ruleLine, type RuleCount } from '../trace/facts.js'
import type { LineParser, LinePlace } from '../trace/format.js'
import { Documents, Fields, inObject } from './documents.js'

/** What a format of JSON objects makes of one. */
export interface DocumentJobs {
  /** The jobs of an object, their submit times in the unit of the trace. Throws `BadLine`. */
  jobs(document: Fields): readonly JobSpec[]
  rules(): readonly RuleCount[]
}

/** A parser of JSON objects one after another; the jobs are held and sorted, times count from the first. */
export function documentParser(reader: DocumentJobs, place: LinePlace, jobs: { readonly perSecond: number; readonly renames?: boolean }): LineParser {
  const documents = new Documents(place)
  const held = new HeldJobs('first', jobs)
  let isEnded = false
  return {
    line(bytes, from, to) {
      documents.line(bytes, from, to, ({ value, line }) => {
        try {
          for (const job of reader.jobs(new Fields(value))) held.add(job, line)
        } catch (error) {
          throw inObject(error, line, place)
        }
      })
      return undefined
    },
    end() {
      held.end()
      isEnded = true
      documents.end()
    },
    more: () => (isEnded ? held.more() : undefined),
    report() {
      const rules = [...reader.rules(), ...held.rules()].filter(({ jobs }) => jobs > 0)
      return { rules, notes: rules.map(ruleLine) }
    },
  }
}
