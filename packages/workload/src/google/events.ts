import { SchedError, type Seconds } from '@sched/core'

/** Event types of ClusterData 2011 by number. */
export const eventTypes = ['submit', 'schedule', 'evict', 'fail', 'finish', 'kill', 'lost', 'update pending', 'update running'] as const
/** Numbers of the event types. */
export const EventType = { Submit: 0, Schedule: 1, Evict: 2, Fail: 3, Finish: 4, Kill: 5, Lost: 6, UpdatePending: 7, UpdateRunning: 8 } as const

const taskColumns = [
  'time', 'missing info', 'job id', 'task index', 'machine id', 'event type', 'user', 'scheduling class', 'priority', 'CPU request',
  'memory request', 'disk request', 'different machines',
]
const jobColumns = ['time', 'missing info', 'job id', 'event type', 'user', 'scheduling class', 'job name', 'logical job name']

/** Start of the trace on its own clock, seconds; earlier events have time 0. */
export const traceStart: Seconds = 600
/** Time of events after the end of the trace: 2^63 - 1 microseconds. */
const afterEnd = '9223372036854775807'

/**
 * A row of a task events table. Times are in seconds since the start of the trace, 0 for what was before it. Ids are text, since they have 64 bits.
 * Requests are fractions of the largest machine, NaN if absent; an absent scheduling class is 0.
 */
export interface TaskEvent {
  readonly time: Seconds
  /** Whether the row tells the state at time 0. */
  readonly before: boolean
  readonly job: string
  readonly index: number
  readonly type: number
  readonly user: string
  readonly schedulingClass: number
  readonly priority: number
  readonly cpu: number
  readonly mem: number
  readonly disk: number
  readonly distinctNodes: boolean
}

/** Options of `EventReader`. */
export interface EventOptions {
  /** Seconds by which an event may be earlier than one above it. Default 0. */
  readonly maxDisorder?: number | undefined
}

/** Reads rows of event tables, one part after another. The caller sets `file` and `line` for messages. Throws `BAD_INPUT`. */
export class EventReader {
  file: string | undefined
  line = 0
  /** What `line` counts. */
  counted: 'line' | 'row' = 'line'
  /** Time of the latest event. */
  latest: Seconds = 0
  readonly #maxDisorder: number

  constructor({ maxDisorder = 0 }: EventOptions = {}) {
    if (!(maxDisorder >= 0)) throw new SchedError('BAD_OPTION', `maxDisorder is ${maxDisorder}.`, { field: 'maxDisorder' }, 'Use a number of seconds of at least 0.')
    this.#maxDisorder = maxDisorder
  }

  task(row: string): TaskEvent {
    const fields = this.#split(row, taskColumns)
    const type = this.#whole(fields, 5, taskColumns)
    if (type >= eventTypes.length) throw this.bad(`found "${fields[5]}", expected 0 to 8.`, 'event type')
    return {
      time: this.#time(fields[0]!),
      before: fields[0] === '0',
      job: this.#id(fields[2]!),
      index: this.#whole(fields, 3, taskColumns),
      type,
      user: fields[6]!,
      schedulingClass: fields[7] === '' ? 0 : this.#whole(fields, 7, taskColumns),
      priority: this.#whole(fields, 8, taskColumns),
      cpu: this.#request(fields, 9),
      mem: this.#request(fields, 10),
      disk: this.#request(fields, 11),
      distinctNodes: fields[12] === '1',
    }
  }

  /** Id and logical name of the job in a row of a job events table. */
  job(row: string): { readonly job: string; readonly name: string } {
    const fields = this.#split(row, jobColumns)
    this.#time(fields[0]!)
    if (this.#whole(fields, 3, jobColumns) >= eventTypes.length) throw this.bad(`found "${fields[3]}", expected 0 to 8.`, 'event type')
    return { job: this.#id(fields[2]!), name: fields[7]! }
  }

  #split(row: string, columns: readonly string[]): string[] {
    const fields = row.split(',')
    if (fields.length === columns.length) return fields
    throw this.bad(`found ${fields.length} columns, expected ${columns.length} (${columns.join(', ')}).`, undefined, `Is it a part of ${columns === taskColumns ? 'task_events' : 'job_events'}? If it was cut short, copy it again.`)
  }

  #time(text: string): Seconds {
    if (text === afterEnd) return Infinity
    const micros = Number(text)
    if (!Number.isSafeInteger(micros) || micros < 0 || text === '') throw this.bad(`found "${text}", expected whole microseconds.`, 'time')
    const time = Math.max(0, (micros - traceStart * 1e6) / 1e6)
    if (time < this.latest - this.#maxDisorder) throw this.#late(time)
    if (time > this.latest) this.latest = time
    return time
  }

  #late(time: Seconds): SchedError {
    const early = Number((this.latest - time).toFixed(6))
    return this.bad(`the event is ${early} s before one above it, more than maxDisorder (${this.#maxDisorder} s).`, 'time', 'Give the parts in their order, or raise maxDisorder.')
  }

  #id(text: string): string {
    if (/^\d+$/.test(text)) return text
    throw this.bad(`found "${text}", expected an id in digits.`, 'job id')
  }

  #whole(fields: readonly string[], column: number, columns: readonly string[]): number {
    const text = fields[column]!
    const value = Number(text)
    if (text !== '' && Number.isSafeInteger(value) && value >= 0) return value
    throw this.bad(`found "${text}", expected a whole number.`, columns[column])
  }

  #request(fields: readonly string[], column: number): number {
    const text = fields[column]!
    if (text === '') return NaN
    const value = Number(text)
    if (value >= 0 && value <= 1) return value
    throw this.bad(`found "${text}", expected a fraction of the largest machine, 0 to 1.`, taskColumns[column])
  }

  /** The error for the row that is read. */
  bad(fact: string, field?: string, wayOut = `Correct the ${this.counted}, or remove it.`): SchedError {
    return new SchedError('BAD_INPUT', fact, { file: this.file, [this.counted]: this.line, field }, wayOut)
  }
}
