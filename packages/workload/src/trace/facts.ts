import { withoutUndefined, type HeaderFields, type Machine, type RuleCount, type TraceFacts } from '@sched/core'

export type { HeaderFields, Machine, RuleCount, TraceFacts }

/** The facts that a workload or a header has about its machine and log; empty if it has none. */
export const factsOf = ({ machine, header, start, timeZone }: TraceFacts): TraceFacts => withoutUndefined({ machine, header, start, timeZone })

/** The facts without the header fields that say when the log began and ended, for jobs whose times have changed. */
export function withoutTimes(facts: TraceFacts): TraceFacts {
  const times = new Set(['unixstarttime', 'starttime', 'endtime'])
  return facts.header === undefined ? facts : { ...facts, header: facts.header.filter(([name]) => !times.has(name.toLowerCase())) }
}

/** The rules that applied, for programs (`rules`) and as lines for people (`notes`, followed by the given notes). */
export function ruleReport(all: readonly RuleCount[], notes: readonly string[] = []): { readonly rules: RuleCount[]; readonly notes: string[] } {
  const rules = all.filter(({ jobs }) => jobs > 0)
  return { rules, notes: [...rules.map(ruleLine), ...notes] }
}

/** A rule as a line for people: `475 jobs longer than estimated: cut at the estimate (overrun)`. */
export function ruleLine({ jobs, text, rule }: RuleCount): string {
  const [, kind = 'jobs', rest = text] = /^(tasks|attempts|submissions|events|steps|lines|pods|objects) (.*)$/.exec(text) ?? []
  return `${jobs} ${jobs === 1 ? kind.slice(0, -1) : kind} ${rest} (${rule})`
}
