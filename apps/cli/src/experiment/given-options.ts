import { YamlSource } from '@sched/cluster'
import { SchedError, type Registry } from '@sched/core'

/** What the command line says of changes to the jobs of a workload. */
export interface ChangeOptions {
  readonly take?: number
  readonly window?: { readonly from: number; readonly to: number }
  /** Seconds, or `true` for the default. */
  readonly feedback?: number | true
  /** `users=1.2,periods=26`, or `true` without any. */
  readonly resample?: string | true
  readonly load?: number
  readonly estimates?: string
  readonly queueNames?: Readonly<Record<string, string>>
  readonly queueMix?: Readonly<Record<string, number>>
  /** Of the place that the log is of. */
  readonly timeZone?: string
  /** What the master of each job asks for. */
  readonly masters?: Readonly<Record<string, number>>
}

/** What the command line says of an experiment; each overrides what the file says, if there is one. */
export interface ExperimentOptions extends ChangeOptions {
  readonly trace?: string
  readonly format?: string
  /** File of a mapping of columns. */
  readonly mapping?: string
  readonly generate?: string
  readonly onBadLine?: 'fail' | 'skip'
  readonly cluster?: string
  /** A number of equal nodes, or the path of a list of machines. */
  readonly nodes?: number | string
  readonly racks?: number
  readonly slots?: Readonly<Record<string, number>>
  readonly resources?: Readonly<Record<string, number>>
  readonly heartbeat?: number
  readonly policies?: string
  readonly policy?: string
  readonly architecture?: string
  readonly queues?: string
  readonly yarnSite?: string
  readonly seed?: number
  readonly seeds?: number
  readonly until?: number
  readonly validate?: boolean
  readonly jitter?: number
  readonly infeasible?: 'fail' | 'reject'
  /** Modules of plug-ins: paths, or packages. */
  readonly plugin?: readonly string[]
  readonly option?: Readonly<Record<string, unknown>>
  readonly procs?: number
  /** `interval=...,cost=...`. */
  readonly checkpoint?: string
  readonly failures?: string
  /** `true`, or `minimum=...,retry=...`. */
  readonly avoid?: string
  /** `expander=...,scaleDownUnneededTime=...`. */
  readonly autoscaler?: string
  readonly speculation?: string | true
  /** A list of outages, or `mtbf=...,mttr=...`. */
  readonly outages?: string
  readonly passPerEvent?: 'submits-first' | 'ends-first'
  readonly warmUp?: number
  readonly coolDown?: number
  readonly tau?: number
  readonly classes?: string
  /** Metrics of plug-ins, as a file lists them. */
  readonly metrics?: string
}

/** Where a command line is read: what paths are relative to, and what there is to be named. */
export interface Here {
  readonly cwd: string
  readonly registry: Registry
}

/** A value of the command line that may be a name or, as in a file, a name with options. */
export function yaml(text: string, option: string): unknown {
  try {
    return new YamlSource(text).value
  } catch (error) {
    throw error instanceof SchedError ? new SchedError('BAD_OPTION', error.fact, { field: option }, error.wayOut) : error
  }
}

/** Whether something stands in braces, as in a file, where its name or a short form may stand, too. */
export const isWrittenOut = (text: string): boolean => text.trimStart().startsWith('{')

/** `mtbf=60,mttr=20` by name, numbers where they are some; or as in a file, in braces. */
export function fieldsGiven(text: string, option: string, example: string): Record<string, string | number | boolean> {
  if (isWrittenOut(text)) return yaml(text, option) as Record<string, string | number | boolean> // which the schema of experiments checks
  if (/=\s*[[{]/.test(text)) throw new SchedError('BAD_OPTION', `found "${text}".`, { field: option }, 'Write lists and fields of fields as in a file, all of it in braces: {name: {name: value}}.')
  const fields = text.split(',').map((each) => each.split('=').map((part) => part.trim()))
  if (fields.some(({ length }) => length !== 2)) throw new SchedError('BAD_OPTION', `found "${text}".`, { field: option }, `Write for example ${example}.`)
  return Object.fromEntries(fields.map(([key = '', value = '']) => [key, /^(true|false)$/.test(value) ? value === 'true' : value === '' || Number.isNaN(Number(value)) ? value : Number(value)]))
}

/** Without the keys whose value is undefined. The values are of any type: the schema of experiments sees to them. */
export const defined = (values: object) => Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined))
