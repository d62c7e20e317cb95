import type { Demand, Seconds, Workload } from '@sched/core'

/** The machine that a trace comes from. */
export interface Machine {
  /** Its processors, where it is known by them. */
  readonly procs?: number
  /** Its nodes, where it is known by them. */
  readonly nodes?: number
  /** All of it as one aggregate node, in what the jobs of the trace ask for: `{ procs: 240 }`. */
  readonly resources: Demand
  /** Each unit of it is a node of its own, and jobs are gangs of one task per unit. */
  readonly separate?: true
  /** Where each amount comes from, as a sentence. */
  readonly origin: string
}

/** Fields of a header in the order of the file; a field may come several times, a value may have several lines. */
export type HeaderFields = readonly (readonly [name: string, value: string])[]

/** What a trace says besides its jobs. */
export interface TraceFacts {
  /** Absent where the size is neither given nor found without reading all jobs. */
  readonly machine?: Machine
  /** Jobs ask for parts of a parallel machine, although only all of them together say how large it is. */
  readonly isRigid?: boolean
  /** Fields of its header, where it has one. */
  readonly header?: HeaderFields
  /** What time 0 is on the clock of the log: seconds since 1970, or since the start of Google's window. Absent where it does not say. */
  readonly start?: Seconds
  /** The time zone that its header names. */
  readonly timeZone?: string
}

/** What a workload says of the machine and the log that it comes from; nothing for one that does not say. */
export function factsOf(workload: Workload): TraceFacts {
  const { machine, header, start, timeZone } = workload as Workload & TraceFacts
  return { ...(machine !== undefined && { machine }), ...(header !== undefined && { header }), ...(start !== undefined && { start }), ...(timeZone !== undefined && { timeZone }) }
}

/** The same without the fields of a header which say when the log began and ended: they are not those of its jobs any more. */
export function withoutTimes(facts: TraceFacts): TraceFacts {
  const times = new Set(['unixstarttime', 'starttime', 'endtime'])
  return facts.header === undefined ? facts : { ...facts, header: facts.header.filter(([name]) => !times.has(name.toLowerCase())) }
}

/** How often a rule of the reader applied. */
export interface RuleCount {
  /** Name of the option, for example `overrun`. */
  readonly rule: string
  /** How many jobs; or how many of what `text` begins with: tasks, attempts, submissions, events, steps, pods, objects. */
  readonly jobs: number
  /** What was found and what was done about it: `longer than estimated: cut at the estimate`. */
  readonly text: string
}

/** What rules of a reader did to jobs, those that did nothing left out, for programs and for people; `notes` come after. */
export function ruleReport(all: readonly RuleCount[], notes: readonly string[] = []): { readonly rules: RuleCount[]; readonly notes: string[] } {
  const rules = all.filter(({ jobs }) => jobs > 0)
  return { rules, notes: [...rules.map(ruleLine), ...notes] }
}

/** A line for people: `475 jobs longer than estimated: cut at the estimate (overrun)`. */
export function ruleLine({ jobs, text, rule }: RuleCount): string {
  const [, kind = 'jobs', rest = text] = /^(tasks|attempts|submissions|events|steps|pods|objects) (.*)$/.exec(text) ?? []
  return `${jobs} ${jobs === 1 ? kind.slice(0, -1) : kind} ${rest} (${rule})`
}
