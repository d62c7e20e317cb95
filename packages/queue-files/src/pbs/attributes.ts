import { SchedError } from '@sched/core'
import type { Setting } from '../setting.js'

/** An attribute of the server, of its scheduler or of a queue, with all lines that set it and add to it. */
export interface Attribute {
  /** The value, what several lines add with commas between. */
  readonly value: string
  /** The lines, at least one. */
  readonly lines: readonly [Setting, ...Setting[]]
}

/** Attributes by name in small letters, with the name of a resource as written behind a period: `max_run_res.ncpus`. */
export type Attributes = ReadonlyMap<string, Attribute>

/** Whether an attribute is True, which `qmgr` also takes as 1, t or yes; `undefined` where it is not given. Throws `BAD_INPUT` with the line for what is neither. */
export const isTrue = (attribute: Attribute | undefined): boolean | undefined => (attribute === undefined ? undefined : booleanOf(attribute.lines[0]))

/** Whether a value is true. Throws `BAD_INPUT` with the line for what is neither true nor false. */
export function booleanOf({ name, value, file, line }: Setting): boolean {
  if (/^(true|t|yes|y|1)$/i.test(value)) return true
  if (/^(false|f|no|n|0)$/i.test(value)) return false
  throw new SchedError('BAD_INPUT', `found "${value}", expected True or False.`, { file, line, field: name }, 'Write True or False.')
}

/** A whole number from `least` to `most`; `undefined` where it is not given. Throws `BAD_INPUT` with the line for anything else. */
export function wholeOf(attribute: Attribute | undefined, least = 0, most = Infinity): number | undefined {
  if (attribute === undefined) return undefined
  const { name, file, line } = attribute.lines[0]
  const number = /^-?\d+$/.test(attribute.value) ? Number(attribute.value) : NaN
  if (number >= least && number <= Math.min(most, Number.MAX_SAFE_INTEGER)) return number
  throw new SchedError('BAD_INPUT', `found "${attribute.value}", expected a whole number${most === Infinity && !(number > least) ? ` from ${least} on` : ` from ${least} to ${Math.min(most, Number.MAX_SAFE_INTEGER)}`}.`, { file, line, field: name }, 'Write it in digits.')
}

/** Seconds of a time as PBS writes it, `[[hours:]minutes:]seconds`; `undefined` where it is not given. Throws `BAD_INPUT` with the line for anything else. */
export function secondsOf(attribute: Attribute | undefined): number | undefined {
  if (attribute === undefined) return undefined
  const { name, file, line } = attribute.lines[0]
  if (/^(\d+:){0,2}\d+(\.\d+)?$/.test(attribute.value)) return attribute.value.split(':').reduce((sum, each) => 60 * sum + Number(each), 0)
  throw new SchedError('BAD_INPUT', `found "${attribute.value}", expected a time.`, { file, line, field: name }, 'Write hours:minutes:seconds, or seconds.')
}

/** Attributes of resources, `max_run_res.ncpus` for example, by the name of the resource. */
export const byResource = (attributes: Attributes, name: string): [resource: string, attribute: Attribute][] =>
  [...attributes].flatMap(([key, attribute]) => (key.startsWith(`${name}.`) ? [[key.slice(name.length + 1), attribute]] : []))
