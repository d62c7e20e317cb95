import type { JobSpec } from '@sched/core'
import { Fields } from '../json/fields.js'
import { ruleReport, type RuleCount } from '../trace/facts.js'
import { asText, lineText } from '../trace/fields.js'
import { BadLine, type LineParser, type LinePlace } from '../trace/format.js'
import { HeldJobs } from './held-jobs.js'

/** Takes a job, its times in ms. Throws `BadLine`. */
export type TakeJob = (job: JobSpec) => void

/** Makes jobs of the events of a log, which tell of one after another. */
export interface EventReader {
  /** Whether a line that begins so is read: logs are mostly of what is not. */
  wants(start: string): boolean
  /** The event of a line that `wants` wanted. Throws `BadLine`. */
  event(event: Fields, take: TakeJob): void
  /** A line that is no event. */
  mark(start: string, take: TakeJob): void
  /** After the last line. Throws `BadLine`. */
  end(take: TakeJob): void
  rules(): readonly RuleCount[]
  notes?(): readonly string[]
}

const startBytes = 96

/** A parser of logs of events, a JSON object each line, also several logs one after another; jobs are held and sorted, an id that comes again is numbered. */
export function eventParser(reader: EventReader, place: LinePlace): LineParser {
  const held = new HeldJobs('first', { perSecond: 1000, renames: true })
  const take: TakeJob = (job) => held.add(job, place.line)
  let isEnded = false
  return {
    line(bytes, from, to) {
      const start = asText(bytes, from, Math.min(to, from + startBytes))
      if (!start.startsWith('{')) reader.mark(start, take)
      else if (reader.wants(start)) reader.event(new Fields(parsed(lineText(bytes, from, to))), take)
      return undefined
    },
    end() {
      reader.end(take)
      held.end()
      isEnded = true
    },
    more: () => (isEnded ? held.more() : undefined),
    report: () => ruleReport([...reader.rules(), ...held.rules()], reader.notes?.()),
  }
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    throw new BadLine(undefined, 'is not JSON.', 'Was the file cut short? Copy it again')
  }
}
