import type { JobSpec } from '@sched/core'
import { HeldJobs, type Origin } from '../table/held-jobs.js'
import { ruleReport, type RuleCount } from '../trace/facts.js'
import type { LineParser, LinePlace } from '../trace/format.js'
import { Documents, inObject } from '../json/documents.js'
import { Fields } from '../json/fields.js'

/** Makes jobs of the JSON objects of a format. */
export interface DocumentJobs {
  /** The jobs of an object, with submit times in the unit of the trace. Throws `BadLine`. */
  jobs(document: Fields): readonly JobSpec[]
  rules(): readonly RuleCount[]
  /** What a file tells besides its jobs, for people. */
  notes?(): readonly string[]
}

/** A parser for consecutive JSON objects. Jobs are held and sorted; times count from the first submission, unless `origin` says otherwise. */
export function documentParser(
  reader: DocumentJobs,
  place: LinePlace,
  jobs: { readonly perSecond: number; readonly renames?: boolean },
  origin: Origin = 'first',
  documents = new Documents(place),
): LineParser {
  const held = new HeldJobs(origin, jobs)
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
      documents.end()
    },
    more: () => held.more(),
    report: () => ruleReport([...reader.rules(), ...held.rules()], reader.notes?.()),
  }
}

/** A note on the cluster that a file for YARN's SLS is made for, as command-line options. Its nodes have 10 vcores and 10240 MB. */
export const clusterNote = (nodes: number, racks: number): string =>
  `meant for ${nodes} node${nodes === 1 ? '' : 's'}: --nodes ${nodes} --racks ${Math.max(1, Math.min(racks, nodes))} --resources vcores=10,memory-mb=10240`
