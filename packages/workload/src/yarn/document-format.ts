import type { JobSpec } from '@sched/core'
import { HeldJobs } from '../table/held-jobs.js'
import { ruleLine, type RuleCount } from '../trace/facts.js'
import { BadLine, type LineParser, type LinePlace } from '../trace/format.js'
import { Documents, Fields } from './documents.js'

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
          if (!(error instanceof BadLine) || line === place.line) throw error
          throw new BadLine(error.field, `in the object that begins on line ${line}: ${error.fact}`, error.wayOut)
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
