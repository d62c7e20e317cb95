import type { JobSpec } from '@sched/core'
import { Fields } from '../json/fields.js'
import { ruleReport, type RuleCount } from '../trace/facts.js'
import { asText, lineText } from '../trace/fields.js'
import { BadLine, type LineParser, type LinePlace } from '../trace/format.js'
import { HeldJobs } from './held-jobs.js'

/** Takes a job whose times are in ms. Throws `BadLine`. */
export type TakeJob = (job: JobSpec) => void

/** Makes jobs of the events of a log, which may be several logs one after another. */
export interface EventReader {
  /** Whether to read a line that begins like this. Most lines of such logs are not needed. */
  wants(start: string): boolean
  /** Reads the event of a line that `wants` accepted. Throws `BadLine`. */
  event(event: Fields, take: TakeJob): void
  /** Reads a line that is not an event. */
  mark(start: string, take: TakeJob): void
  /** Called after the last line. Throws `BadLine`. */
  end(take: TakeJob): void
  rules(): readonly RuleCount[]
  notes?(): readonly string[]
}

const startBytes = 96

/**
 * A parser for logs of events, one JSON object per line, and for several such logs one after another. Jobs are held and sorted; repeated ids are
 * numbered.
 */
export function eventParser(reader: EventReader, place: LinePlace): LineParser {
  const held = new HeldJobs('first', { perSecond: 1000, renames: true })
  const take: TakeJob = (job) => held.add(job, place.line)
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
    },
    more: () => held.more(),
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
