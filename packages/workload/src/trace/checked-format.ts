import { checkMade, type Defined, type FormatTraits, type JobSpec } from '@sched/core'
import { checkJob } from '../native/check-job.js'
import type { KnownFormat } from './format.js'

/** A format of a plug-in, whose jobs are checked to be jobs. `BadLine` tells what is wrong with one, as of a line. */
export function checkedFormat(defined: Defined<'format'>): KnownFormat {
  const { name, summary, source, options, isHeld, isHistory, isModelled, chained, detect, facts } = defined as Defined<'format'> & FormatTraits
  const traits = Object.entries({ source, isHeld, isHistory, isModelled, chained, detect, facts }).filter(([, value]) => value !== undefined)
  return {
    ...(Object.fromEntries(traits) as FormatTraits),
    name,
    summary,
    options,
    create(given, place) {
      const parser = checkMade('format', name, defined.create(given, place, {}))
      return {
        line: (bytes, from, to) => checked(parser.line(bytes, from, to)),
        end: () => parser.end?.(),
        more: () => checked(parser.more?.()),
        report: () => parser.report?.() ?? {},
      }
    },
  }
}

const checked = (job: JobSpec | undefined): JobSpec | undefined => (job === undefined ? undefined : checkJob(job))
