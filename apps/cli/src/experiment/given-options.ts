import { YamlSource } from '@sched/cluster'
import { SchedError } from '@sched/core'

/** What the command line says of an experiment; each overrides what the file says, if there is one. */
export interface ExperimentOptions {
  readonly trace?: string
  readonly format?: string
  /** File of a mapping of columns. */
  readonly mapping?: string
  readonly generate?: string
  readonly onBadLine?: 'fail' | 'skip'
  readonly take?: number
  readonly window?: { readonly from: number; readonly to: number }
  readonly load?: number
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
  readonly estimates?: string
  readonly queueNames?: Readonly<Record<string, string>>
  readonly queueMix?: Readonly<Record<string, number>>
  /** Of the place that the log is of. */
  readonly timeZone?: string
  /** What the master of each job asks for. */
  readonly masters?: Readonly<Record<string, number>>
  /** `interval=...,cost=...`. */
  readonly checkpoint?: string
  readonly failures?: string
  /** `true`, or `minimum=...,retry=...`. */
  readonly speculation?: string | true
  /** A list of outages, or `mtbf=...,mttr=...`. */
  readonly outages?: string
  readonly passPerEvent?: 'submits-first' | 'ends-first'
  readonly warmUp?: number
  readonly coolDown?: number
  readonly tau?: number
  readonly classes?: string
}

/** A value of the command line that may be a name or, as in a file, a name with options. */
export function yaml(text: string, option: string): unknown {
  try {
    return new YamlSource(text).value
  } catch (error) {
    throw error instanceof SchedError ? new SchedError('BAD_OPTION', error.fact, { field: option }, error.wayOut) : error
  }
}

/** Without the keys whose value is undefined. The values are of any type: the schema of experiments sees to them. */
export const defined = (values: object) => Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined))
