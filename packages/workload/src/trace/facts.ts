import type { Demand, Seconds } from '@sched/core'

/** The machine that a trace was recorded on. */
export interface Machine {
  /** Its number of processors, if known. */
  readonly procs?: number
  /** Its number of nodes, if known. */
  readonly nodes?: number
  /** The whole machine as one node, in the resources that the jobs of the trace ask for: `{ procs: 240 }`. */
  readonly resources: Demand
  /** Each unit of the machine is a node of its own, and jobs are gangs of one task per unit. */
  readonly separate?: true
  /** Sentence that says where each amount comes from. */
  readonly origin: string
}

/** Fields of a header in the order of the file. A field may occur several times; a value may have several lines. */
export type HeaderFields = readonly (readonly [name: string, value: string])[]

/** What a trace tells besides its jobs. */
export interface TraceFacts {
  /** The machine; absent if its size is neither given nor known without reading all jobs. */
  readonly machine?: Machine
  /** Jobs ask for parts of a parallel machine whose size is known only after all jobs are read. */
  readonly isRigid?: boolean
  /** Fields of the header, if there is one. */
  readonly header?: HeaderFields
  /**
   * What time 0 is on the clock of the log, in seconds since 1970, or since the start of the window in Google's traces. Absent if the trace does not
   * say.
   */
  readonly start?: Seconds
  /** Time zone named in the header. */
  readonly timeZone?: string
}

/** The facts that a workload or a header has about its machine and log; empty if it has none. */
export function factsOf({ machine, header, start, timeZone }: TraceFacts): TraceFacts {
  return { ...(machine !== undefined && { machine }), ...(header !== undefined && { header }), ...(start !== undefined && { start }), ...(timeZone !== undefined && { timeZone }) }
}

/** The facts without the header fields that say when the log began and ended, for jobs whose times have changed. */
export function withoutTimes(facts: TraceFacts): TraceFacts {
  const times = new Set(['unixstarttime', 'starttime', 'endtime'])
  return facts.header === undefined ? facts : { ...facts, header: facts.header.filter(([name]) => !times.has(name.toLowerCase())) }
}

/** How often a rule of a reader applied. */
export interface RuleCount {
  /** Name of the option, for example `overrun`. */
  readonly rule: string
  /** Number of jobs, or of the things that `text` begins with: tasks, attempts, submissions, events, steps, pods or objects. */
  readonly jobs: number
  /** What was found and what was done about it: `longer than estimated: cut at the estimate`. */
  readonly text: string
}

/** The rules that applied, for programs (`rules`) and as lines for people (`notes`, followed by the given notes). */
export function ruleReport(all: readonly RuleCount[], notes: readonly string[] = []): { readonly rules: RuleCount[]; readonly notes: string[] } {
  const rules = all.filter(({ jobs }) => jobs > 0)
  return { rules, notes: [...rules.map(ruleLine), ...notes] }
}

/** A rule as a line for people: `475 jobs longer than estimated: cut at the estimate (overrun)`. */
export function ruleLine({ jobs, text, rule }: RuleCount): string {
  const [, kind = 'jobs', rest = text] = /^(tasks|attempts|submissions|events|steps|pods|objects) (.*)$/.exec(text) ?? []
  return `${jobs} ${jobs === 1 ? kind.slice(0, -1) : kind} ${rest} (${rule})`
}
