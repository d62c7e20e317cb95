import type { Constraints } from './job.js'

/** Whether a node with these labels (`undefined`: none of that name) has all that are required; where one is called `a|b` it needs the label a or the label b. */
export const hasLabels = (require: NonNullable<Constraints['require']>, label: (name: string) => string | undefined): boolean =>
  Object.entries(require).every(([names, values]) => names.split('|').some((name) => isOneOf(label(name), values)))

const isOneOf = (value: string | undefined, wanted: string | readonly string[]): boolean =>
  value !== undefined && (typeof wanted === 'string' ? value === wanted : wanted.includes(value))
